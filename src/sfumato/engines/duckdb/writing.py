"""Files of made-up rows: somebody says what the rows are, and the engine writes them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sfumato.data import Kind
from sfumato.engines.duckdb.dialect import quoted, type_of
from sfumato.engines.duckdb.sources import escaped


def write_tables(folder: Path, statements: Sequence[str], tables: Sequence[str]) -> None:
    """Parquet files of the tables that statements of the engine's own SQL make."""
    import duckdb

    with duckdb.connect() as connection:
        for statement in statements:
            connection.execute(statement)
        for table in tables:
            connection.execute(f"COPY {quoted(table)} TO '{escaped(folder / table)}.parquet' (FORMAT parquet)")


def write_rows(path: Path, columns: Mapping[str, Kind], rows: Sequence[Sequence[Any]]) -> None:
    """A Parquet file of a few rows."""
    import duckdb

    with duckdb.connect() as connection:
        typed = ", ".join(f"{quoted(name)} {type_of(kind)}" for name, kind in columns.items())
        connection.execute(f"CREATE TABLE made_up ({typed})")
        if rows:
            places = ", ".join("?" for _ in columns)
            connection.executemany(f"INSERT INTO made_up VALUES ({places})", [list(row) for row in rows])
        connection.execute(f"COPY made_up TO '{escaped(path)}' (FORMAT parquet)")


def exact_answer(folder: Path, tables: Sequence[str], sql: str) -> list[tuple[Any, ...]]:
    """What plain SQL finds in such files, which a curator never gives: for made-up rows alone."""
    import duckdb

    with duckdb.connect() as connection:
        for table in tables:
            connection.execute(f"CREATE VIEW {quoted(table)} AS SELECT * FROM '{escaped(folder / table)}.parquet'")
        found: list[tuple[Any, ...]] = connection.execute(sql).fetchall()
        return found
