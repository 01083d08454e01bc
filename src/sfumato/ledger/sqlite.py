"""The embedded store: one SQLite file in WAL mode that is synced at every commit."""

import os
import sqlite3
import stat
import uuid
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol, TypeVar

from sfumato.errors import LedgerUnavailable
from sfumato.ledger.schema import APPLICATION_ID, SQLITE, Steps, migrate
from sfumato.ledger.store import Owner, Row, Transaction, changed, unavailable

T = TypeVar("T")
PRAGMAS = (
    "synchronous=FULL",
    "fullfsync=ON",
    "checkpoint_fullfsync=ON",
    "foreign_keys=ON",
    "trusted_schema=OFF",
    "cell_size_check=ON",
    "cache_size=-16384",
)
"""How every connection is set; `synchronous=FULL` makes a commit wait for the disk."""


class Connection(Transaction, Protocol):
    """What is used of a connection; the standard library's is the default, tests bring one on a failing disk."""

    def close(self) -> None:
        """Close it."""
        ...


Connect = Callable[[Path, float], Connection]


def connect(path: Path, patience: float) -> Connection:
    """A connection of the standard library that never begins a transaction by itself."""
    existing = f"{path.absolute().as_uri()}?mode=rw"  # a file that is gone is not made anew
    return sqlite3.connect(
        existing, uri=True, timeout=patience, isolation_level=None, check_same_thread=False, cached_statements=512
    )


class SqliteStore:
    """A file; writers of all processes take turns, a failed connection is thrown away."""

    def __init__(
        self,
        path: Path,
        *,
        patience: float,
        connect: Connect = connect,
        failures: tuple[type[Exception], ...] = (sqlite3.Error,),
        steps: Steps = SQLITE,
        pragmas: tuple[str, ...] = PRAGMAS,
    ) -> None:
        self._path, self._patience, self._connect = path, patience, connect
        self._failures, self._pragmas, self._steps = failures, pragmas, steps
        self._place = os.fspath(path)
        self._owner = Owner()
        self._writer: Connection | None = None
        self._seen: int | None = None
        self._file = _private(path)
        try:
            self._write(self._connected(), lambda run, _: _migrate(run, steps))
        except failures as error:
            raise self._failed("opened", error) from None

    def _failed(self, what: str, error: Exception) -> LedgerUnavailable:
        busy = any(word in str(error).lower() for word in ("lock", "busy"))
        return unavailable(what, "another process holds it; try again" if busy else "see its disk and its file")

    def _connected(self) -> Connection:
        connection = self._connect(self._path, self._patience)
        try:
            connection.execute("PRAGMA synchronous=EXTRA")  # the change of mode itself is a commit of the old kind
            if _value(connection, "PRAGMA journal_mode=WAL") != "wal":
                raise unavailable("opened", "its file system does not support write-ahead logging")
            for pragma in self._pragmas:
                connection.execute(f"PRAGMA {pragma}")
        except BaseException:
            connection.close()
            raise
        return connection

    def write(self, work: Callable[[Transaction, bool], T]) -> T:
        """Run the work alone; the commit is synced before this returns."""
        self._owner.check()
        if _identity(self._place) != self._file:
            raise unavailable("written", "its file was removed or replaced while it was open")
        try:
            return self._write(self._writer or self._connected(), work)
        except self._failures as error:
            raise self._failed("written", error) from None

    def _write(self, connection: Connection, work: Callable[[Transaction, bool], T]) -> T:
        done = False
        try:
            connection.execute("BEGIN IMMEDIATE")
            seen = _value(connection, "PRAGMA data_version")  # changes when another connection has written
            result = work(connection, seen == self._seen)
            connection.execute("COMMIT")
            self._writer, self._seen, done = connection, seen, True
            return result
        finally:
            if not done:  # whatever state the connection is in, the next writer starts from the file
                self._writer = self._seen = None
                with suppress(*self._failures):
                    connection.close()

    @contextmanager
    def read(self) -> Generator[Transaction]:
        """A consistent view, on a connection of its own, so that readers and the writer do not wait."""
        self._owner.check()
        try:
            connection = self._connected()
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                connection.close()
        except self._failures as error:
            raise self._failed("read", error) from None

    def check(self, run: Transaction) -> None:
        """Raise `LedgerDamaged` unless tables, constraints and guards are as the ledger made them."""
        found = set(run.execute(_SCHEMA))
        for _, name, _ in sorted(found ^ _made(self._steps), key=str):
            raise changed(name)

    def copy_to(self, path: Path) -> None:
        """Write what is committed to an empty file, as a ledger that can be opened."""
        self._owner.check()
        try:
            connection = self._connected()
            try:
                connection.execute("VACUUM INTO ?", (str(path),))
            finally:
                connection.close()
        except self._failures as error:
            raise self._failed("backed up", error) from None

    def close(self) -> None:
        """Close the writer's connection."""
        self._owner.check()
        connection, self._writer = self._writer, None
        if connection is not None:
            connection.close()


def _value(connection: Transaction, sql: str) -> Any:
    return next(iter(connection.execute(sql)))[0]


def _migrate(connection: Transaction, steps: Steps) -> None:
    version, application = (_value(connection, f"PRAGMA {name}") for name in ("user_version", "application_id"))
    if application not in (0, APPLICATION_ID) or (application == 0 and _value(connection, _ANY_TABLE)):
        raise LedgerUnavailable("the file is a database but not a ledger", hint="give the ledger a file of its own")
    reached = migrate(version, steps, connection.execute, identity=uuid.uuid4().hex)
    if reached != version:
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version={reached}")


_ANY_TABLE = "SELECT count(*) FROM sqlite_schema"
_SCHEMA = "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND substr(name, 1, 7) <> 'sqlite_'"


def _made(steps: Steps) -> set[Row]:
    """What a new ledger's schema says."""
    fresh = sqlite3.connect(":memory:", isolation_level=None)
    try:
        migrate(0, steps, fresh.execute, identity="0" * 32)
        return set(fresh.execute(_SCHEMA))
    finally:
        fresh.close()


def _identity(path: Path | str) -> tuple[int, int] | None:
    """Which file a path leads to now."""
    try:
        found = os.stat(path)  # a text is looked at in a third of the time
    except OSError:
        return None
    return found.st_dev, found.st_ino


def sync_folder(path: Path) -> None:
    """Make the name of a file as durable as its content."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _private(path: Path) -> tuple[int, int] | None:
    """Make the file if there is none, readable by its owner alone; refuse one that others can open."""
    try:
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            sync_folder(path)
        mode = path.stat().st_mode
    except OSError as error:
        raise unavailable("opened", os.strerror(error.errno or 0).lower()) from None
    if not stat.S_ISREG(mode):
        raise unavailable("opened", "the path is not a file")
    if stat.S_IMODE(mode) & 0o077:
        raise LedgerUnavailable(
            f"the ledger's file can be opened by others (mode {stat.S_IMODE(mode):o})", hint="chmod 600 it"
        )
    return _identity(path)
