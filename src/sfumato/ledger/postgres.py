"""The shared store: PostgreSQL, for several servers on one ledger (`pip install sfumato[postgres]`)."""

import uuid
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sfumato.core.libraries import library
from sfumato.errors import LedgerMisuse, LedgerUnavailable
from sfumato.ledger.schema import POSTGRES, POSTGRES_AS_MADE, POSTGRES_GUARDS, Steps, migrate
from sfumato.ledger.store import Owner, Row, Transaction, changed, unavailable

if TYPE_CHECKING:
    import psycopg

T = TypeVar("T")
_BEGIN = "BEGIN ISOLATION LEVEL SERIALIZABLE"
_TURNSTILE = "LOCK TABLE turnstile IN EXCLUSIVE MODE"
_RETRIES = 20
_LONGEST_NAME = 63
_AT_ONCE, _AT_ONCE_LARGE = 5000, 64  # rows of a stream; pieces of releases may be large
_DURABLE = ("fsync", "full_page_writes")


class _Statements:
    """A connection that speaks the ledger's dialect."""

    def __init__(self, connection: "psycopg.Connection[Row]") -> None:
        self._connection, self._streams = connection, 0

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> Iterable[Row]:
        """Run one statement; what it selects in order is fetched in pieces, so a long ledger does not fill memory."""
        if sql.startswith("SELECT") and "ORDER BY" in sql:
            return self._stream(sql, parameters)
        cursor = self._connection.execute(_dialect(sql), parameters or None)
        return cursor.fetchall() if cursor.description else []

    def _stream(self, sql: str, parameters: Sequence[Any]) -> Iterator[Row]:
        self._streams += 1  # several may be read side by side
        with self._connection.cursor(name=f"ledger{self._streams}") as cursor:
            cursor.itersize = _AT_ONCE_LARGE if "FROM releases" in sql else _AT_ONCE
            yield from cursor.execute(_dialect(sql), parameters or None)

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run one statement for each row."""
        with self._connection.cursor() as cursor:
            cursor.executemany(_dialect(sql), rows)


def _dialect(sql: str) -> Any:
    return sql.replace("?", "%s")


class PostgresStore:
    """A schema of a database; writers take turns at a lock, and isolation is serialisable all the same.

    The lock comes before the transaction's snapshot, so a writer sees everything that was committed before its
    turn and does not fail by serialisation; should it fail, the work is done again.
    """

    def __init__(self, dsn: str, *, schema: str, patience: float, steps: Steps = POSTGRES) -> None:
        library("psycopg", "a ledger on PostgreSQL")
        import psycopg

        plain = schema.isidentifier() and schema.isascii() and schema.islower() and len(schema) <= _LONGEST_NAME
        if not plain or schema.startswith("pg_"):  # which the server keeps for itself
            raise LedgerUnavailable("the schema's name must be a lower-case identifier", hint="such as `ledger`")
        self._psycopg, self._dsn = psycopg, dsn
        self._schema = f'"{schema}"'  # `user` and `order` are names too
        self._patience = int(1000 * patience)
        self._owner = Owner()
        self._writer: psycopg.Connection[Row] | None = None
        with self._guarded("opened"):
            self._attempt(self._connected(), lambda run, _: self._migrate(run, steps), turnstile=None)

    def _connected(self) -> "psycopg.Connection[Row]":
        self._writer = self._writer or self._connection()
        return self._writer

    def _connection(self) -> "psycopg.Connection[Row]":
        options = f"-c search_path={self._schema} -c synchronous_commit=on -c lock_timeout={self._patience}"
        connection: psycopg.Connection[Row] = self._psycopg.connect(self._dsn, autocommit=True, options=options)
        for name in _DURABLE:  # a server may be started again with other settings
            found = connection.execute(f"SHOW {name}").fetchone()
            if found is None or found[0] != "on":
                connection.close()
                raise LedgerUnavailable(
                    f"the database server runs with {name}=off and can lose what it has committed",
                    hint=f"set {name}=on in its configuration and restart it",
                )
        return connection

    def _migrate(self, run: Transaction, steps: Steps) -> None:
        run.execute(f"SELECT pg_advisory_xact_lock({0x5F00A70})")
        run.execute(f"CREATE SCHEMA IF NOT EXISTS {self._schema}")
        run.execute("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)")
        rows = list(run.execute("SELECT max(version) FROM schema_version"))
        version = rows[0][0] or 0
        words = {"identity": uuid.uuid4().hex, "schema": self._schema}
        reached = migrate(version, steps, run.execute, **words)
        if reached != version:
            run.execute("INSERT INTO schema_version VALUES (?)", (reached,))

    @contextmanager
    def _guarded(self, what: str) -> Generator[None]:
        try:
            yield
        except self._psycopg.errors.LockNotAvailable:
            raise unavailable(what, "another process holds it; try again") from None
        except self._psycopg.Error:
            raise unavailable(what, "see the database server") from None

    def write(self, work: Callable[[Transaction, bool], T]) -> T:
        """Run the work alone; the commit is on disk before this returns."""
        self._owner.check()
        with self._guarded("written"):
            for _ in range(_RETRIES):
                with suppress(self._psycopg.errors.SerializationFailure, self._psycopg.errors.DeadlockDetected):
                    return self._attempt(self._connected(), work, turnstile=_TURNSTILE)
            return self._attempt(self._connected(), work, turnstile=_TURNSTILE)

    def _attempt(
        self, connection: "psycopg.Connection[Row]", work: Callable[[Transaction, bool], T], *, turnstile: str | None
    ) -> T:
        run = _Statements(connection)
        done = False
        try:
            run.execute(_BEGIN if turnstile else "BEGIN")
            if turnstile:
                run.execute(turnstile)
            result = work(run, False)
            run.execute("COMMIT")
            done = True
            return result
        finally:
            if not done:  # whatever state the connection is in, the next writer starts afresh
                self._writer = None
                with suppress(self._psycopg.Error):
                    connection.close()

    @contextmanager
    def read(self) -> Generator[Transaction]:
        """A consistent view, on a connection of its own."""
        self._owner.check()
        with self._guarded("read"):
            connection = self._connection()
            try:
                connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                yield _Statements(connection)
            finally:
                connection.close()

    def check(self, run: Transaction) -> None:
        """Raise `LedgerDamaged` unless tables, constraints and guards are as the ledger made them."""
        for table, name, _, _ in sorted(POSTGRES_AS_MADE ^ set(run.execute(POSTGRES_GUARDS))):
            raise changed(f"{table}.{name}")

    def copy_to(self, path: Path) -> None:
        """Refuse: the server makes its own copies."""
        raise LedgerMisuse(
            "a ledger in PostgreSQL is copied by its server",
            hint=f"pg_dump --schema={self._schema} --format=custom; sfumato docs ledger says how to put it back",
        )

    def close(self) -> None:
        """Close the writer's connection."""
        self._owner.check()
        connection, self._writer = self._writer, None
        if connection is not None:
            connection.close()
