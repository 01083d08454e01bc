"""The private folder beside a declaration, where registration keeps what it makes; one process makes at a time."""

import os
import re
import stat
import uuid
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

from sfumato.core.locks import lock, try_lock
from sfumato.errors import InvalidDeclaration

_MAKING = "making-"
_FIRST_VERSION = re.compile(r"\w+-[0-9a-f]{32}\.duckdb|\.[0-9a-f]{32}\.duckdb(\.wal)?")
"""What version 0.1 left in the folder: tables that were cut, and some whose making was ended."""


_KEPT = re.compile(r"\w+-[0-9a-f]{16}\.duckdb")
_OURS = ("*.duckdb", "*.wal", "*.wal.*", f"{_MAKING}*")


class Folder:
    """A folder that its owner alone can open: links are not followed, and no mode of another's folder is changed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def check(self) -> None:
        """Refuse what is not a folder of its own, or that others can open."""
        for path in (self.path.parent, self.path):
            try:
                found = os.lstat(path)
            except FileNotFoundError:
                continue
            if not stat.S_ISDIR(found.st_mode):
                raise InvalidDeclaration(
                    f"{path} is not a folder", hint="it is where registered tables are kept: move it away, links too"
                )
            if found.st_uid != os.geteuid():
                raise InvalidDeclaration(f"{path} belongs to another user", hint="only its owner registers here")
            if found.st_mode & 0o077:
                raise InvalidDeclaration(f"{path} can be opened by others", hint=f"chmod 700 {path}")

    def holds(self, path: str) -> bool:
        """Whether a file lies in it."""
        return Path(path).parent == self.path

    @contextmanager
    def making(self, registered: Callable[[], Iterable[str]]) -> Generator[None]:
        """Alone; before and after, nothing is left but what is registered."""
        self.check()
        try:
            self.path.parent.mkdir(mode=0o700, exist_ok=True)
            self.path.mkdir(mode=0o700, exist_ok=True)
        except OSError:
            raise InvalidDeclaration(
                f"{self.path} cannot be made", hint="registered tables are kept there: let its owner write beside it"
            ) from None
        place = self.path / "lock"
        try:
            handle = os.open(place, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
        except OSError:
            raise InvalidDeclaration(f"{place} is not a file of ours", hint="move it away") from None
        try:
            lock(handle)
            self._clear(registered())
            try:
                yield
            finally:
                self._clear(registered())
        finally:
            os.close(handle)

    def sweep(self, registered: Callable[[], Iterable[str]]) -> None:
        """Remove what a process that died left, half made or not registered, unless somebody is making something."""
        try:
            handle = os.open(self.path / "lock", os.O_RDWR | os.O_NOFOLLOW)
        except OSError:  # nothing was ever made here, or it is not ours
            return
        try:
            if try_lock(handle):
                self._clear(registered())  # as it is now that nobody else can change it
        except OSError:
            pass
        finally:
            os.close(handle)

    def _clear(self, registered: Iterable[str]) -> None:
        known = set(registered)
        for pattern in _OURS:
            for path in self.path.glob(pattern):
                if str(path) not in known and _is_file(path):  # a folder is nothing that we made
                    path.unlink(missing_ok=True)
        for old in self.path.parent.iterdir():
            if _FIRST_VERSION.fullmatch(old.name) and _is_file(old):
                old.unlink(missing_ok=True)

    def remove_elsewhere(self, registered: Iterable[str]) -> None:
        """Remove what was registered and kept in another folder of ours, before the owner named this one."""
        for path in map(Path, registered):
            ours = _KEPT.fullmatch(path.name) and path.parent.parent.name == self.path.parent.name
            if ours and not self.holds(str(path)) and _is_private(path.parent) and _is_file(path):
                path.unlink(missing_ok=True)

    def new(self) -> Path:
        """A name for something that is being made."""
        return self.path / f"{_MAKING}{uuid.uuid4().hex}.duckdb"

    def keep(self, made: Path, name: str) -> Path:
        """Give what was made its name, for its owner alone."""
        made.chmod(0o600)
        with made.open("rb") as stream:
            os.fsync(stream.fileno())
        kept = self.path / f"{name}-{uuid.uuid4().hex[:16]}.duckdb"
        os.replace(made, kept)
        return kept


def _is_private(folder: Path) -> bool:
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False
