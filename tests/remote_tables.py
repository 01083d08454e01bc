"""Tables of tests on real servers: what a declaration gives in memory, put where an engine reads it.

A PostgreSQL is started once a test session, by whichever process needs it first, with a role that can only read and
one that may write in Sfumato's own schema.
"""

import atexit
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ledger_cases import Host, postgres_host
from sfumato.data import Dataset, Memory, RemoteTable
from sfumato.engines.registry import EngineEntry

READER, WRITER, OURS = "sfumato_reader", "sfumato_writer", "sfumato"
_TYPES = {
    "int64": "bigint", "int32": "integer", "int16": "smallint", "double": "double precision", "float": "real",
    "string": "text", "large_string": "text", "bool": "boolean", "date32[day]": "date", "timestamp[us]": "timestamp",
}  # fmt: skip


class PostgresPlace:
    """A server of ours, and what is put there."""

    schema = OURS

    def __init__(self, host: Host, folder: Path) -> None:
        self.host, self.folder = host, folder
        self._socket = host.dsn.partition("host=")[2]
        with self.owner() as owner:
            for role in (READER, WRITER):
                owner.execute(f"CREATE ROLE {role} LOGIN")
            owner.execute(f"CREATE SCHEMA {OURS} AUTHORIZATION {WRITER}")
            owner.execute(f"GRANT USAGE ON SCHEMA {OURS} TO {READER}")

    def url(self, role: str = READER) -> str:
        """An address, without a password."""
        return f"postgresql://{role}@/postgres?host={self._socket}"

    def owner(self) -> Any:
        """A connection that may do everything."""
        import psycopg

        return psycopg.connect(self.host.dsn, autocommit=True)

    def put(self, schema: str, name: str, table: pa.Table) -> RemoteTable:
        """A table, with its rows."""
        return self.put_all(schema, {name: table})[name]

    def put_all(self, schema: str, tables: dict[str, pa.Table]) -> dict[str, RemoteTable]:
        """Tables with their rows, at once."""
        with self.owner() as owner, owner.transaction():
            owner.execute(f'CREATE SCHEMA IF NOT EXISTS "{schema}"')
            for name, table in tables.items():
                columns = ", ".join(f'"{field.name}" {_TYPES[str(field.type)]}' for field in table.schema)
                owner.execute(f'CREATE TABLE "{schema}"."{name}" ({columns})')
                with owner.cursor().copy(f'COPY "{schema}"."{name}" FROM STDIN') as copy:
                    for line in zip(*(_cells(column) for column in table.columns), strict=True):
                        copy.write_row(line)
            owner.execute(f'GRANT USAGE ON SCHEMA "{schema}" TO {READER}, {WRITER}')
            owner.execute(f'GRANT SELECT ON ALL TABLES IN SCHEMA "{schema}" TO {READER}, {WRITER}')
        return {name: RemoteTable(self.url(), f"{schema}.{name}") for name in tables}

    def placed(self, dataset: Dataset) -> Dataset:
        """A dataset whose tables in memory are on the server."""
        schema = f"t{uuid.uuid4().hex[:12]}"
        held = {each.name: each.source.given for each in dataset.tables if isinstance(each.source, Memory)}
        put = self.put_all(schema, {name.lower(): given for name, given in held.items()})
        tables = tuple(
            replace(table, source=put[table.name.lower()]) if table.name in held else table for table in dataset.tables
        )
        return replace(dataset, tables=tables, version=dataset.version or schema)


def _cells(column: pa.ChunkedArray) -> list[Any]:
    kind = str(column.type)
    if kind == "date32[day]":  # days beyond Python's calendar as what PostgreSQL makes of their number
        return [None if day is None else _day(day) for day in column.cast(pa.int32()).to_pylist()]
    if kind == "timestamp[us]":
        return [None if moment is None else _moment(moment) for moment in column.cast(pa.int64()).to_pylist()]
    if kind == "string":
        return [None if text is None else text.replace("\0", "\ufdd1") for text in column.to_pylist()]
    return list(column.to_pylist())


_DAY = 86_400 * 10**6


def _day(days: int) -> Any:
    """A day by its number; what PostgreSQL has no day for is one of its two infinities."""
    from datetime import date, timedelta

    try:
        return date(1970, 1, 1) + timedelta(days=days)
    except OverflowError:
        return _far(days)


def _moment(micros: int) -> Any:
    from datetime import datetime, timedelta

    try:
        return datetime(1970, 1, 1) + timedelta(microseconds=micros)
    except OverflowError:
        return _far(micros // _DAY)


def _far(days: int) -> str:
    """A day that Python has not, as PostgreSQL writes it: some year far away, or an infinity."""
    year = 1970 + days // 366
    if abs(year) > 200_000:
        return "infinity" if days > 0 else "-infinity"
    return f"{year}-01-01" if year > 0 else f"{1 - year}-01-01 BC"


@cache
def postgres_place() -> PostgresPlace:
    """The server of this process, which ends with it."""
    stack = ExitStack()
    atexit.register(_ended, stack)
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="sf"))
    return PostgresPlace(stack.enter_context(postgres_host(Path(folder))), Path(folder))


def _ended(stack: ExitStack) -> None:
    with suppress(ProcessLookupError):  # the wheel ends its servers itself, if it is asked first
        stack.close()


class SparkPlace:
    """The cluster of this test session, and folders of Parquet files on it."""

    def __init__(self, folder: Path) -> None:
        from spark_cluster import connected, spark_address

        self.folder, self._url = folder, spark_address()
        self._kept = connected()  # the driver stays, whoever closes what
        self.schema = str(folder / "ours")

    def url(self, role: str = READER) -> str:
        """The address of the master."""
        del role
        return self._url

    def put(self, name: str, table: pa.Table) -> RemoteTable:
        """A folder of two files."""
        place = Path(tempfile.mkdtemp(dir=self.folder)) / name
        place.mkdir()
        half = table.num_rows // 2
        pq.write_table(table.slice(0, half), place / "a.parquet")
        pq.write_table(table.slice(half), place / "b.parquet")
        return RemoteTable(self._url, str(place))

    def placed(self, dataset: Dataset) -> Dataset:
        """A dataset whose tables in memory are on the cluster."""
        tables = tuple(
            replace(table, source=self.put(table.name, table.source.given))
            if isinstance(table.source, Memory)
            else table
            for table in dataset.tables
        )
        return replace(dataset, tables=tables)


@cache
def spark_place() -> SparkPlace:
    """The cluster of this test session, as this process uses it."""
    folder = tempfile.TemporaryDirectory(prefix="sfumato-tables-")
    atexit.register(folder.cleanup)
    return SparkPlace(Path(folder.name))


PLACES: dict[str, Any] = {"postgres": postgres_place, "spark": spark_place}


@contextmanager
def closing(engine: Any) -> Iterator[Any]:
    try:
        yield engine
    finally:
        engine.close()


def opened_by(entry: EngineEntry, dataset: Dataset) -> Any:
    """A dataset in an engine: put where it reads, and registered there if tables are to be written."""
    if entry.name not in PLACES:
        return entry.load().open(dataset)
    place = PLACES[entry.name]()
    put = place.placed(dataset)
    if any(table.cut is not None for table in put.tables) or put.engine.copy:
        record = Path(tempfile.mkdtemp(dir=place.folder)) / "dataset.registration"
        put = replace(put, registration=str(record), engine=replace(put.engine, schema=place.schema))
        entry.load().register(put, writer=place.url(WRITER))
    return entry.load().open(put)
