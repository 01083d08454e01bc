"""What was registered: everything about the sources that is not a cell, written down once and compared ever after.

The record says which files there were, byte by byte, which columns they have and of which kinds, how they are written,
and what was made of them. It is kept beside the declaration, for the owner's eyes: what it counts, it counts exactly.
"""

import hashlib
import json
import os
import stat
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

from sfumato.data import Dataset, Kind, SourceColumn, place_of
from sfumato.errors import InvalidDeclaration

FORM = 3
"""The form of the record; another one is made anew, and so is what was made by other rules: 1 lost marks of the byte
order at the beginning of records, 2 did not say as which kinds a column's type is inexact."""
SETTLED, _COARSE = 25 * 10**6, 2 * 10**9
"""Nanoseconds after which a change of a file must have changed its times; where times are whole seconds, more."""


@dataclass(frozen=True, slots=True)
class FileState:
    """A file as it was: its bytes by their digest, and what of it changes when they do."""

    path: str
    sha256: str
    stat: tuple[int, ...]

    @classmethod
    def of(cls, path: Path | str) -> "FileState":
        """The state of a file, which takes one reading of it."""
        before = stat_of(path)
        return cls(str(path), digest_of(path), before)

    def is_still(self, *, since: int) -> bool:
        """Whether the file has the same bytes; they are read only where its times do not tell."""
        try:
            now = stat_of(self.path)
        except OSError:
            return False
        settled = _COARSE if now[1] % 10**9 == 0 else SETTLED
        if now == self.stat and max(now[1:3]) + settled < since:
            return True
        return now[0] == self.stat[0] and digest_of(self.path) == self.sha256


def stat_of(path: Path | str) -> tuple[int, ...]:
    """Size, times of content and of anything, and which file it is."""
    found = os.stat(path)
    return (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev)


def digest_of(path: Path | str) -> str:
    """A digest of a file's bytes."""
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@dataclass(frozen=True, slots=True)
class Part:
    """A source's file, if it is one, and what was made of it, which is read instead."""

    source: FileState | None
    kept: FileState
    rows: int
    lost: Mapping[str, int] = field(default_factory=dict)
    """By column, how many cells are not of the declared kind, or cannot be read, and are NULL."""

    def is_still(self, *, since: int) -> bool:
        """Whether its files are what they were."""
        return all(file.is_still(since=since) for file in (self.source, self.kept) if file is not None)


@dataclass(frozen=True, slots=True)
class RegisteredTable:
    """A table: its columns, its parts, and what was made of them."""

    columns: tuple[SourceColumn, ...]
    shape: str
    """A digest of how the columns are read: where it is the same, what was made can be used again."""
    parts: tuple[Part, ...]
    cut_shape: str = ""
    cut: FileState | None = None
    """The rows that are left of each person, where they were cut."""
    repeated: tuple[str, ...] = ()
    """Columns that foreign keys lead to and that do not name one row of a person."""
    memory: str = ""
    """A digest of the rows, where they were given in memory; of a table on a server, what names them."""
    kept: str = ""
    """On a server, the table of ours that is read instead: the rows as they were registered, cut if they are cut."""
    number: int = 0
    """On a server, how many rows there were, and by column how many cells are NULL that could not be read."""
    lost_cells: Mapping[str, int] = field(default_factory=dict)
    copy_shape: str = ""
    copy: FileState | None = None
    """The rows that questions see in order of people, who have numbers in it."""
    people: int = 0
    """How many people have numbers in the copy, of all tables."""

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.number + sum(part.rows for part in self.parts)

    def lost(self, column: str) -> int:
        """How many cells of a column are NULL because they could not be read as declared."""
        return self.lost_cells.get(column, 0) + sum(part.lost.get(column, 0) for part in self.parts)

    def files(self) -> list[FileState]:
        """The files of ours that it is read from."""
        return [*(part.kept for part in self.parts), *(each for each in (self.cut, self.copy) if each is not None)]

    def digest(self) -> str:
        """A digest of all that the rows come from."""
        return self.memory or " ".join(part.source.sha256 for part in self.parts if part.source is not None)


@dataclass(frozen=True, slots=True)
class Registration:
    """The record of a dataset."""

    tables: Mapping[str, RegisteredTable]
    about: str
    """A digest of who one person is and how tables lead there."""
    made: int
    """When, in nanoseconds since 1970."""

    def data_version(self) -> str:
        """A digest of the data."""
        whole = hashlib.sha256()
        for name, table in self.tables.items():
            whole.update(f"{name}: {table.digest()}\n".encode())
        return whole.hexdigest()

    def people(self) -> int:
        """How many people have numbers in the copies of all private tables; 0 where there are no copies."""
        return max((table.people for table in self.tables.values()), default=0)

    # ---- on disk ----

    @classmethod
    def paths(cls, path: Path) -> list[str]:
        """The files of ours that the record names which is there now, if one is."""
        found = cls.read(path)
        return [] if found is None else [file.path for table in found.tables.values() for file in table.files()]

    def write(self, path: Path, made: Path) -> None:
        """Write the record beside the declaration, whole or not at all, for its owner alone; `made` is it before."""
        text = json.dumps({"form": FORM, **_written(self, path.parent)}, indent=1, ensure_ascii=False)
        handle = os.open(made, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(made, path)
        except BaseException:
            made.unlink(missing_ok=True)
            raise
        sync(path.parent)

    @classmethod
    def read(cls, path: Path) -> "Registration | None":
        """The record that is there; None if there is none, or one of another form."""
        try:
            found = os.lstat(path)
        except FileNotFoundError:
            return None
        if not stat.S_ISREG(found.st_mode) or found.st_mode & 0o022:
            raise InvalidDeclaration(
                f"{path.name} is not a file that only its owner can write", hint="remove it, and register again"
            )
        try:
            given = json.loads(path.read_text(encoding="utf-8"))
            if given.pop("form") != FORM:
                return None
            tables = {name: _table(each, path.parent) for name, each in given["tables"].items()}
            return cls(tables, str(given["about"]), int(given["made"]))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise InvalidDeclaration(
                f"{path.name} is not the record of a registration, or cannot be read",
                hint="if it is yours, move it away; if it is damaged, remove it and run: sfumato register",
            ) from None


def _written(value: object, folder: Path) -> Any:
    """A part of the record as JSON: files below its folder are named from there, so that the folder can be moved."""
    if isinstance(value, Kind):
        return value.value
    if isinstance(value, FileState):
        inside = Path(value.path).is_relative_to(folder)
        path = os.path.relpath(value.path, folder) if inside else value.path
        return {"path": path, "sha256": value.sha256, "stat": list(value.stat)}
    if isinstance(value, Mapping):
        return {str(name): _written(each, folder) for name, each in value.items()}
    if isinstance(value, tuple | list):
        return [_written(each, folder) for each in value]
    if is_dataclass(value):
        return {each.name: _written(getattr(value, each.name), folder) for each in fields(value)}
    return value


def _table(given: Any, folder: Path) -> RegisteredTable:
    def file(found: Any) -> FileState:
        return FileState(os.path.normpath(folder / found["path"]), found["sha256"], tuple(found["stat"]))

    def perhaps(found: Any) -> FileState | None:
        return None if found is None else file(found)

    return RegisteredTable(
        tuple(
            SourceColumn(
                each["name"],
                each["type"],
                None if each["kind"] is None else Kind(each["kind"]),
                each["loose"],
                each["uncertain"],
                inexact=tuple(Kind(kind) for kind in each["inexact"]),
            )
            for each in given["columns"]
        ),
        str(given["shape"]),
        tuple(Part(perhaps(p["source"]), file(p["kept"]), int(p["rows"]), dict(p["lost"])) for p in given["parts"]),
        str(given["cut_shape"]),
        perhaps(given["cut"]),
        tuple(given["repeated"]),
        str(given["memory"]),
        str(given.get("kept", "")),
        int(given.get("number", 0)),
        dict(given.get("lost_cells", {})),
        str(given.get("copy_shape", "")),
        perhaps(given.get("copy")),
        int(given.get("people", 0)),
    )


def sync(folder: Path) -> None:
    """Make the names in a folder as durable as what they name."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def now() -> int:
    """The time that a record is made at, when every file of it has settled."""
    time.sleep(2 * SETTLED / 10**9)
    return time.time_ns()


def sources_of(found: Registration, table: str) -> list[FileState]:
    """The files that a table was registered from, in their order."""
    known = found.tables.get(table)
    return [] if known is None else [part.source for part in known.parts if part.source is not None]


def same_sources(dataset: Dataset, found: Registration) -> bool:
    """Whether a declaration names the files that were registered, in the same order."""
    return [t.name for t in dataset.tables] == list(found.tables) and all(
        [place_of(file) for file in table.files] == [file.path for file in sources_of(found, table.name)]
        for table in dataset.tables
    )
