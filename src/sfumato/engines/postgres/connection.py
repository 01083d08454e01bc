"""PostgreSQL by psycopg: who asks can only read, every question sees one snapshot, and no answer takes for ever."""

import threading
import weakref
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from sfumato.core.libraries import library
from sfumato.data import Dataset, RemoteTable, SourceColumn
from sfumato.engines.postgres.dialect import SETTINGS, Postgres
from sfumato.engines.postgres.roles import check_reads_only
from sfumato.engines.postgres.sources import CATALOGUE, STORED, UNIQUE, CatalogueLine, cell_of, column_of
from sfumato.engines.sql.fetched import Fetch, Fetched
from sfumato.errors import EngineFailed, InvalidDeclaration

OLDEST, _UNICODE = 160000, 170000
_WHAT = "data in PostgreSQL"
_NEEDED = {
    **SETTINGS,
    "default_transaction_read_only": "on",
    "default_transaction_isolation": "repeatable read",
    "search_path": "pg_catalog,pg_temp",
    "row_security": "on",
}
"""What a session of whoever asks must be set to, for its answers to be those of the rows and of nothing else."""
_SETTINGS = "".join(
    f"-c {name}={value.replace(' ', chr(92) + ' ')} "
    for name, value in {**_NEEDED, "idle_in_transaction_session_timeout": "3600000"}.items()
)
_WRITING = _SETTINGS.replace("read_only=on", "read_only=off")
_FIND = """
    SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = %s AND c.relname = %s AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
"""
_PUBLIC, _DIALECT = "public", Postgres()
_SECONDS = 10


def connected(dataset: Dataset) -> "PostgresServer":
    """Connected as the declaration says, and looked at: a role that could write is refused."""
    first = dataset.tables[0].source
    assert isinstance(first, RemoteTable)
    return PostgresServer(first)


class PostgresServer:
    """A server, as whoever asks sees it; connections are kept for the next question."""

    def __init__(self, relation: RemoteTable) -> None:
        self._url, self._place = relation.url, relation.place
        self._idle: list[Any] = []
        self._left = weakref.finalize(self, _close_all, self._idle)  # for whoever forgets to close
        self._lock = threading.Lock()
        self._closed = False
        connection = self._connect()
        try:
            _check_server(connection, self._place)
            check_reads_only(connection, where=self._place)
            connection.rollback()
        except BaseException:
            connection.close()
            raise
        self._unicode = connection.info.server_version >= _UNICODE
        self.dialect = Postgres(unicode=self._unicode)
        self._idle.append(connection)

    def _connect(self) -> Any:
        connection = connect(self._url, self._place, _SETTINGS)
        try:
            _check_settings(connection, self._place)
        except BaseException:
            connection.close()
            raise
        return connection

    # ---- relations ----

    def columns(self, where: str, relation: RemoteTable) -> list[SourceColumn]:
        """The columns of a relation, from the catalogue alone."""
        with self._taken() as connection:
            oid = _oid(connection, where, relation)
            found = connection.execute(CATALOGUE, [oid]).fetchall()
            if not connection.execute(STORED, [oid]).fetchone()[0]:
                self.dialect = Postgres(unicode=self._unicode, stored=False)
        return [column_of(CatalogueLine(*line)) for line in found]

    def relation(self, relation: RemoteTable) -> str:
        """Its name with its schema."""
        return ".".join(self.dialect.quoted(part) for part in _parts("the relation", relation))

    def cell(self, column: SourceColumn) -> str:
        """A cell as a value of its kind."""
        return cell_of(self.dialect.quoted(column.name), column)

    def unique(self, relation: RemoteTable, columns: Sequence[str]) -> frozenset[str]:
        """Which columns an index keeps unique."""
        with self._taken() as connection:
            oid = _oid(connection, "the relation", relation)
            return frozenset(columns) & {name for (name,) in connection.execute(UNIQUE, [oid]).fetchall()}

    def changes(self, relation: RemoteTable) -> str | None:
        """Nothing in PostgreSQL names the rows of a table as they are: the owner says it."""
        del relation
        return None

    def ours(self, schema: str, name: str) -> str:
        """A table of ours."""
        return f"{self.dialect.quoted(schema)}.{self.dialect.quoted(name)}"

    def schema_holds(self, schema: str, names: Sequence[str]) -> bool:
        """Whether tables of ours are there and can be read."""
        with self._taken() as connection:
            return all(connection.execute(_FIND, [schema, name]).fetchone() is not None for name in names)

    # ---- reading ----

    @contextmanager
    def reading(self, seconds: float) -> Generator[Fetch]:
        """Statements of one read-only transaction, whose snapshot is that of the first; ended in time."""
        with self._taken() as connection:
            connection.execute(f"SET LOCAL statement_timeout = {max(1, round(seconds * 1000))}")
            yield lambda text: fetched(connection, text)

    @contextmanager
    def _taken(self) -> Generator[Any]:
        """A connection of nobody else's, in a transaction; one that is broken is not used again."""
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        if connection is None or not _is_alive(connection):
            connection = self._connect()
        try:
            yield connection
            connection.rollback()
        except BaseException:
            with suppress(Exception):
                connection.cancel_safe(timeout=1)
            with suppress(Exception):
                connection.close()
            raise
        with self._lock:
            if not self._closed:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        """Give connections back."""
        with self._lock:
            self._closed = True
            self._left()


def _close_all(connections: list[Any]) -> None:
    while connections:
        connections.pop().close()


def _is_alive(connection: Any) -> bool:
    """Whether a connection that was kept still answers: the server may have been started anew."""
    try:
        connection.execute("SELECT 1")
        connection.rollback()
    except library("psycopg", _WHAT).Error:
        return False
    return True


def connect(url: str, place: str, settings: str) -> Any:
    """A connection; what the server says of a refusal is told only as far as it is about the address."""
    psycopg = library("psycopg", _WHAT)
    try:
        return psycopg.connect(url, options=settings, connect_timeout=_SECONDS, autocommit=False)
    except psycopg.Error as error:
        said = str(error).strip().splitlines()[0] if str(error).strip() else "no answer"
        raise InvalidDeclaration(
            f"{place} cannot be reached: {_short(said)}",
            hint="is it running, and may this role connect? passwords stand in ~/.pgpass or PGPASSWORD",
        ) from None


def _short(said: str) -> str:
    return said if len(said) <= 200 else f"{said[:200]}…"


def fetched(connection: Any, text: str) -> Fetched:
    """Columns by name; a text has no parameters, and no sign in it is one."""
    try:
        cursor = connection.execute(text.encode(), prepare=False)
        lines = cursor.fetchall()
    except library("psycopg", _WHAT).Error:  # its words may hold a cell
        raise EngineFailed("the server did not answer a statement", hint="ask the owner") from None
    found: dict[str, list[Any]] = {}
    for i, column in enumerate(cursor.description):
        found[column.name if column.name not in found else f"{column.name} {i}"] = [line[i] for line in lines]
    return found


def _check_settings(connection: Any, place: str) -> None:
    """Refuse a session that is not as it was asked to be: a pool of connections may leave out what it does not know."""
    names = list(_NEEDED)
    found = connection.execute("SELECT name, current_setting(name) FROM unnest(%s::text[]) AS n (name)", [names])
    now = dict(found.fetchall())
    connection.rollback()
    if any(now[name].lower() != value.lower() for name, value in _NEEDED.items()):
        raise InvalidDeclaration(
            f"{place} does not take the settings of a session",
            hint="connect to PostgreSQL itself, or to a pool that passes `options` on",
        )


def _check_server(connection: Any, place: str) -> None:
    if connection.info.server_version < OLDEST:
        raise InvalidDeclaration(
            f"{place} runs PostgreSQL {connection.info.server_version // 10000}",
            hint="16 is the oldest that can be asked whether a text is a number without an error",
        )
    encoding = connection.execute("SHOW server_encoding").fetchone()[0]
    if encoding != "UTF8":
        raise InvalidDeclaration(
            f"{place} is encoded as {encoding}", hint="texts must be UTF8: CREATE DATABASE … ENCODING 'UTF8'"
        )


def _parts(where: str, relation: RemoteTable) -> tuple[str, str]:
    if relation.is_folder or len(relation.parts) > 2:
        raise InvalidDeclaration(
            f"{where} must be a relation with its schema: {relation.name}", hint='relation = "clinic.visits"'
        )
    schema, name = (_PUBLIC, *relation.parts)[-2:]
    return schema, name


def _oid(connection: Any, where: str, relation: RemoteTable) -> int:
    schema, name = _parts(f"{where} relation", relation)
    found = connection.execute(_FIND, [schema, name]).fetchone()
    if found is None:
        raise InvalidDeclaration(
            f"{where}: there is no relation {schema}.{name} that this role can read",
            hint=f"GRANT USAGE ON SCHEMA {schema} TO …; GRANT SELECT ON {schema}.{name} TO …; or mend its name",
        )
    return int(found[0])


class PostgresWriter:
    """The owner at registration, who writes in one schema and is connected for as long as that takes."""

    def __init__(self, dataset: Dataset, url: str) -> None:
        first = dataset.tables[0].source
        assert isinstance(first, RemoteTable)
        self._schema, self._reader = dataset.engine.schema, first.url
        self._connection = connect(url, RemoteTable(url, "writer").place, _WRITING)
        self._psycopg = library("psycopg", _WHAT)
        try:
            _check_server(self._connection, first.place)
            check_reads_only(self._connection, where=RemoteTable(url, "writer").place, schema=self._schema)
            self._connection.rollback()
        except BaseException:
            self._connection.close()
            raise

    def make(self, schema: str, name: str, statement: str, *, by: Sequence[str]) -> None:
        """A table of a statement's rows, in the order of people, which whoever asks may read."""
        order = f" ORDER BY {', '.join(by)}" if by else ""
        ours = f"{_DIALECT.quoted(schema)}.{_DIALECT.quoted(name)}"
        try:
            run = self._connection.execute
            run(f"CREATE TABLE {ours} AS SELECT * FROM ({statement}) t{order}".encode(), prepare=False)
            run(f"GRANT SELECT ON {ours} TO {_DIALECT.quoted(self._asks())}".encode(), prepare=False)
            self._connection.commit()
            self._connection.autocommit = True
            run(f"VACUUM (ANALYZE) {ours}".encode(), prepare=False)
        except self._psycopg.Error:  # its words may hold a cell
            raise InvalidDeclaration(
                f"a table could not be written into {schema}",
                hint=f"does the schema exist, may this role write there and read the tables? CREATE SCHEMA {schema}",
            ) from None
        finally:
            with suppress(Exception):
                self._connection.rollback()
                self._connection.autocommit = False

    def _asks(self) -> str:
        """The role that asks questions, by the address of the declaration."""
        with connect(self._reader, "the source", _SETTINGS) as connection:
            return str(connection.execute("SELECT current_user").fetchone()[0])

    def drop(self, schema: str, name: str) -> None:
        """Remove a table of ours, if it is there."""
        with suppress(self._psycopg.Error):
            self._connection.rollback()
            self._connection.execute(
                f"DROP TABLE IF EXISTS {_DIALECT.quoted(schema)}.{_DIALECT.quoted(name)}".encode(), prepare=False
            )
            self._connection.commit()

    def fetch(self, text: str) -> Fetched:
        """What a statement finds."""
        try:
            return fetched(self._connection, text)
        finally:
            with suppress(Exception):
                self._connection.rollback()

    def close(self) -> None:
        """Give the connection back."""
        self._connection.close()
