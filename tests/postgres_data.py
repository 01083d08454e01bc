"""Cells in a real PostgreSQL: a session as the dialect wants it, and tables of hostile values."""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from ledger_cases import SHARED_SERVER, database_on, memory, postgres_server
from sfumato.data import Kind
from sfumato.engines.postgres.dialect import POSTGRES, SETTINGS

Connection = psycopg.Connection[tuple[Any, ...]]


@contextmanager
def server() -> Iterator[str]:
    """A database of one's own: on the server that is shared, or on a new one."""
    shared = os.environ.get(SHARED_SERVER)
    if shared:
        with database_on(shared) as dsn:
            yield dsn
        return
    with tempfile.TemporaryDirectory(dir=memory()) as folder, postgres_server(Path(folder)) as dsn:
        yield dsn


@contextmanager
def session(dsn: str) -> Iterator[Connection]:
    """A session with the dialect's settings."""
    with psycopg.connect(dsn, autocommit=True) as made:
        for name, value in SETTINGS.items():
            made.execute(f"SET {name} = '{value}'")
        yield made


def holds(value: object) -> bool:
    """Whether PostgreSQL can hold a cell."""
    return not (isinstance(value, str) and "\0" in value)


def fill(connection: Connection, table: str, columns: Mapping[str, tuple[Kind, Sequence[Any]]]) -> None:
    """A table of columns, with a number for every line; texts are in the order of their characters."""
    typed = ", ".join(f"{name} {_type(kind)}" for name, (kind, _) in columns.items())
    connection.execute(f"DROP TABLE IF EXISTS {table}")
    connection.execute(f"CREATE TABLE {table} (line integer, {typed})")
    with connection.cursor().copy(f"COPY {table} FROM STDIN") as copy:
        for line, cells in enumerate(zip(*(values for _, values in columns.values()), strict=True)):
            copy.write_row((line, *cells))


def _type(kind: Kind) -> str:
    return f"{POSTGRES.type_of(kind)}{' COLLATE ' + chr(34) + 'C' + chr(34) if kind is Kind.TEXT else ''}"
