"""The folder of a publication: held by one process at a time, every file whole or not there, and what is in it.

- `.publication/lock`: held while somebody publishes into it
- `.publication/name`: which publication this folder is of, written before anything is charged
- `.publication/sealed`: what was measured, under a key that only the ledger's settled entry tells
- `.publication/levels …`: the digest of a finished level of a hierarchy
- `measurements.bin`: the same for everybody, once it is settled; beside it what is made of it
- `privacy.json`: the statement, written last: a folder without it is no publication
"""

import json
import os
import uuid
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sfumato.core.locks import try_lock
from sfumato.errors import InvalidParameter
from sfumato.ledger.canon import canonical

STATEMENT = "privacy.json"
MEASUREMENTS = "measurements.bin"
_OWN, _LOCK, _NAME, _SEALED = ".publication", "lock", "name", "sealed"


class PublicationFolder:
    """One folder, while it is held."""

    def __init__(self, path: Path, name: str, request: str) -> None:
        self.path, self.name, self.request = path, name, request

    @property
    def is_finished(self) -> bool:
        """Whether its statement is there."""
        return (self.path / STATEMENT).is_file()

    def write(self, name: str, data: bytes) -> None:
        """A file that is there whole and for good, or not at all."""
        place = self.path / name
        place.parent.mkdir(exist_ok=True)
        write_whole(place, data)

    def write_by(self, name: str, writer: Callable[[Path], None]) -> None:
        """The same of a file that somebody else writes at the place it is given."""
        place = self.path / name
        place.parent.mkdir(exist_ok=True)
        part = place.parent / f".{uuid.uuid4().hex}.part"
        try:
            writer(part)
            with part.open("rb") as file:
                os.fsync(file.fileno())
            os.replace(part, place)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(part)
        sync_folder(place.parent)

    def note(self, name: str, text: str) -> None:
        """Remember something about what was made, beside it."""
        write_whole(self.path / _OWN / name, text.encode())

    def noted(self, name: str) -> str | None:
        """What was remembered so."""
        found = _bytes(self.path / _OWN / name)
        return None if found is None else found.decode(errors="replace")

    def seal(self, data: bytes) -> None:
        """Keep what was measured, in a form that nobody can read yet."""
        write_whole(self.path / _OWN / _SEALED, data, private=True)

    def sealed(self) -> bytes | None:
        """What was kept so, if it is there."""
        return _bytes(self.path / _OWN / _SEALED)

    def measurements(self) -> bytes | None:
        """What was measured, if it is there for everybody."""
        return _bytes(self.path / MEASUREMENTS)

    def forget(self) -> None:
        """Take its name away, under which nothing was charged: another plan or price may be begun in it."""
        (self.path / _OWN / _NAME).unlink()

    def unseal(self, data: bytes) -> None:
        """What was measured, for everybody from now on."""
        self.write(MEASUREMENTS, data)
        with suppress(OSError):
            (self.path / _OWN / _SEALED).unlink()


@contextmanager
def held(path: Path, request: str) -> Generator[PublicationFolder]:
    """The folder, made if it is not there, for a request alone; another request's or somebody else's is refused."""
    own = path / _OWN
    try:
        if path.exists() and not own.is_dir() and (not path.is_dir() or any(path.iterdir())):
            raise InvalidParameter(
                "out", "must be a new folder, an empty one, or one of this publication", str(path),
                hint="choose another name",
            )  # fmt: skip
        own.mkdir(parents=True, exist_ok=True)
        for each in (path, path.absolute().parent):  # the folder is durable before anything is charged for it
            sync_folder(each)
        lock = os.open(own / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise InvalidParameter("out", f"cannot be written ({error.strerror})", str(path)) from None
    try:
        if not try_lock(lock):
            raise InvalidParameter(
                "out", "is being published into by another process", str(path), hint="wait for it, or choose another"
            )  # fmt: skip
        about = _named(own / _NAME, request)
        if about["request"] != request:
            raise InvalidParameter(
                "out", "holds a publication of another plan, price or dataset", str(path),
                hint="choose another name; or go on with the plan and the price that it was begun with",
            )  # fmt: skip
        yield PublicationFolder(path, about["publication"], request)
    finally:
        os.close(lock)


def _named(place: Path, request: str) -> dict[str, Any]:
    """What a folder says of itself; a new one is given a name, which is durable before anything is charged under it."""
    known = _bytes(place)
    if known is None:
        about = {"publication": uuid.uuid4().hex, "request": request}
        write_whole(place, canonical(about).encode())
        return about
    try:
        found: dict[str, Any] = json.loads(known)
        return {"publication": str(found["publication"]), "request": str(found["request"])}
    except (ValueError, KeyError, TypeError):
        raise InvalidParameter(
            "out", "holds what is no publication of ours", str(place.parent.parent), hint="choose another name"
        ) from None


def _bytes(place: Path) -> bytes | None:
    try:
        return place.read_bytes()
    except FileNotFoundError:
        return None


def write_whole(place: Path, data: bytes, *, private: bool = False) -> None:
    """A file that is durable under its name when this ends, and before that is not there under it."""
    part = place.parent / f".{uuid.uuid4().hex}.part"
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, place)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(part)
    sync_folder(place.parent)


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable."""
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
