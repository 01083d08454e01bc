"""Private folders of one process: for what an engine spills, and what lives as long as it does; swept after it."""

import os
import shutil
import stat
import tempfile
import uuid
import weakref
from contextlib import suppress
from pathlib import Path

from sfumato.core.locks import check_locks, lock, try_lock

_PREFIX, _ALIVE = "sfumato-engine-", "alive"


class Workspace:
    """A folder that nobody else can open; it goes when it is closed, and at the next opening if its process died.

    A lock that is held while the process lives tells the living from the dead.
    """

    def __init__(self) -> None:
        check_locks()
        sweep(Path(tempfile.gettempdir()))
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        handle = os.open(self.path / f"{_ALIVE}.new", os.O_CREAT | os.O_RDWR, 0o600)
        lock(handle)
        os.rename(self.path / f"{_ALIVE}.new", self.path / _ALIVE)  # under its name it is locked already
        self._end = weakref.finalize(self, _remove, self.path, handle, os.getpid())

    def new(self) -> Path:
        """A name for something that is being made."""
        return self.path / f"{uuid.uuid4().hex}.duckdb"

    def close(self) -> None:
        """Remove the folder."""
        self._end()


def _remove(path: Path, handle: int, process: int) -> None:
    if os.getpid() != process:  # after a fork the folder is still the parent's
        return
    shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        os.close(handle)


def sweep(folder: Path) -> int:
    """Remove the workspaces of processes of this user that are dead; how many there were."""
    swept = 0
    for path in folder.glob(f"{_PREFIX}*"):
        if _is_ours(path) and _is_dead(path / _ALIVE):
            shutil.rmtree(path, ignore_errors=True)
            swept += 1
    return swept


def _is_ours(path: Path) -> bool:
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()


def _is_dead(alive: Path) -> bool:
    try:
        handle = os.open(alive, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:  # not one of ours, or not made to its end: left alone
        return False
    try:
        return try_lock(handle)
    finally:
        os.close(handle)
