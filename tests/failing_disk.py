"""A disk that can be cut off at any moment: an SQLite file system (APSW, tests only) that writes down what it is told.

The model: what was synced is there. Of what was written since, any subset of 512-byte sectors may be there, in any
order. A file that was made and never synced may be missing or empty; a deletion may be undone until the folder is
synced, which SQLite's own files do when it asks for it and at the first sync of a new journal or log.
"""

import itertools
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

from sfumato.ledger.sqlite import PRAGMAS, SqliteStore

SECTOR = 512
_NAMES = itertools.count()


@dataclass(frozen=True)
class Operation:
    kind: str  # "write", "truncate", "sync", "delete", "folder" (the folder itself is synced)
    name: str
    offset: int = 0
    data: bytes = b""


class File(apsw.VFSFile):
    def __init__(self, disk: "Disk", vfs: str, name: Any, flags: list[int]) -> None:
        super().__init__(vfs, name, flags)
        self._disk = disk
        self._name = Path(name.filename() if isinstance(name, apsw.URIFilename) else name).name
        self._new = self._name.endswith(("-wal", "-journal"))

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._disk.happens(Operation("write", self._name, offset, bytes(data)))
        super().xWrite(data, offset)

    def xTruncate(self, size: int) -> None:  # noqa: N802
        self._disk.happens(Operation("truncate", self._name, size))
        super().xTruncate(size)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._disk.happens(Operation("sync", self._name))
        if self._new:
            self._disk.happens(Operation("folder", ""))
        self._new = False
        super().xSync(flags)


class _Files(apsw.VFS):
    def __init__(self, disk: "Disk", name: str) -> None:
        self._disk = disk
        super().__init__(name, "unix")

    def xOpen(self, name: Any, flags: list[int]) -> File:  # noqa: N802
        return File(self._disk, "unix", name, flags)

    def xDelete(self, name: str, sync_folder: bool) -> None:  # noqa: N802
        self._disk.happens(Operation("delete", Path(name).name))
        if sync_folder:
            self._disk.happens(Operation("folder", ""))
        super().xDelete(name, sync_folder)


class _Connection:
    """One APSW connection for reading and writing: without shared memory the log has one user at a time."""

    def __init__(self, raw: apsw.Connection) -> None:
        self._raw = raw

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> Iterable[tuple[Any, ...]]:
        return list(self._raw.execute(sql, parameters))

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        list(self._raw.executemany(sql, rows))

    def close(self) -> None:
        if self._raw.in_transaction:
            self._raw.execute("ROLLBACK")


@dataclass
class Disk:
    """A folder whose every operation is on record, and may be made to fail."""

    folder: Path
    operations: list[Operation] = field(default_factory=list)
    fault: Callable[[Operation], None] = lambda _: None
    raw: apsw.Connection | None = None

    def __post_init__(self) -> None:
        self._name = f"disk{next(_NAMES)}"
        self._files = _Files(self, self._name)

    def happens(self, operation: Operation) -> None:
        self.fault(operation)
        self.operations.append(operation)

    def _connect(self, path: Path, _: float) -> _Connection:
        if self.raw is None:
            self.raw = apsw.Connection(str(path), vfs=self._name)
            self.raw.execute(
                "PRAGMA locking_mode=EXCLUSIVE"
            )  # a file system in Python has no shared memory for the log
            self.raw.execute("PRAGMA wal_autocheckpoint=30")  # so that checkpoints are cut off too
        return _Connection(self.raw)

    def store(self, *, synchronous: str = "FULL") -> SqliteStore:
        """The product's store with the product's own settings, but for one that a broken twin sets lower."""
        pragmas = tuple(f"synchronous={synchronous}" if "synchronous=" in pragma else pragma for pragma in PRAGMAS)
        assert f"synchronous={synchronous}" in pragmas
        path = self.folder / "spending.ledger"
        return SqliteStore(path, patience=5, connect=self._connect, failures=(apsw.Error,), pragmas=pragmas)

    def close(self) -> None:
        if self.raw is not None:
            self.raw.close()
            self.raw = None


def after_power_cut(
    operations: Sequence[Operation], chance: random.Random, before: Mapping[str, bytes] | None = None
) -> dict[str, bytes]:
    """The files as a disk may hold them when the power goes after these operations, on what was there before."""
    there = before or {}
    files: dict[str, bytes] = dict(there)
    folder = max((i for i, operation in enumerate(operations) if operation.kind == "folder"), default=-1)
    for name in dict.fromkeys(operation.name for operation in operations if operation.name):
        numbered = [(i, operation) for i, operation in enumerate(operations) if operation.name == name]
        own = [operation for _, operation in numbered]
        lasting = [kind.kind == "sync" or (kind.kind == "delete" and i < folder) for i, kind in numbered]
        synced = max((i for i, lasts in enumerate(lasting) if lasts), default=-1)
        content = bytearray(there.get(name, b""))
        present = synced >= 0 or name in there
        for operation in own[: synced + 1]:
            content, present = _apply(content, operation, whole=True, chance=chance), operation.kind != "delete"
        keep = chance.choice((0.0, 0.5, 1.0))
        for operation in own[synced + 1 :]:
            if chance.random() < keep:
                content = _apply(content, operation, whole=chance.random() < 0.5, chance=chance)
                present = operation.kind != "delete"
        files.pop(name, None)
        if present:
            files[name] = bytes(content)
    return files


def _apply(content: bytearray, operation: Operation, *, whole: bool, chance: random.Random) -> bytearray:
    if operation.kind == "delete":
        return bytearray()
    if operation.kind == "truncate":
        return content[: operation.offset] + bytes(max(0, operation.offset - len(content)))
    if operation.kind == "write":
        end = operation.offset + len(operation.data)
        content.extend(bytes(max(0, end - len(content))))
        edges = sorted({operation.offset, end, *range(-(-operation.offset // SECTOR) * SECTOR, end, SECTOR)})
        for start, stop in itertools.pairwise(edges):
            if whole or chance.random() < 0.5:
                piece = operation.data[start - operation.offset : stop - operation.offset]
                content[start:stop] = piece
    return content
