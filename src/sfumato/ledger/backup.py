"""A copy of a ledger in a file, walked before it gets its name."""

import os
from pathlib import Path

from sfumato.errors import InvalidParameter
from sfumato.ledger.sqlite import SqliteStore, sync_folder
from sfumato.ledger.store import Store, unavailable
from sfumato.ledger.verify import walk


def back_up(store: Store, path: Path) -> str:
    """Copy what is committed now to a new file that its owner alone can open; the anchor of what the copy holds."""
    partial = path.with_name(f"{path.name}.partial")
    for taken in (path, partial):
        if taken.exists():
            raise InvalidParameter("path", "must be a file that does not exist yet", str(taken))
    try:
        os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        try:
            store.copy_to(partial)
            anchor = _walked(partial)
            with partial.open("rb") as copy:
                os.fsync(copy.fileno())
            os.link(partial, path)  # which would not overwrite a file that came meanwhile
        finally:
            partial.unlink(missing_ok=True)
        sync_folder(path)
    except OSError as error:
        raise unavailable("backed up", os.strerror(error.errno or 0).lower()) from None
    return anchor


def _walked(path: Path) -> str:
    copy = SqliteStore(path, patience=5.0)
    try:
        with copy.read() as run:
            anchor = str(walk(run, None))
            copy.check(run)
            return anchor
    finally:
        copy.close()
