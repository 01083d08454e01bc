"""Long tables of what was published, as Parquet: a line a cell, written from places and numbers by the engine."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data import Kind
from sfumato.engines.duckdb.dialect import DUCKDB, quoted, type_of
from sfumato.engines.duckdb.published import Listed
from sfumato.engines.duckdb.sources import escaped

_PARQUET = "FORMAT parquet, ROW_GROUP_SIZE 1000000"


def write_counts(
    path: Path,
    columns: Listed,
    places: Mapping[str, NDArray[Any]],
    numbers: Mapping[str, NDArray[Any]],
    made: Mapping[str, str] | None = None,
) -> None:
    """Lines with the values at the given places, numbers, and what is made of those in SQL; the same bytes each time.

    `made` may speak of `n0`, the first of the numbers, and so on.
    """
    import duckdb

    names = [name.lower() for name in (*columns, *numbers, *(made or {}))]
    if len(set(names)) != len(names):
        raise ValueError("a file has each name once")
    given: dict[str, NDArray[Any]] = {}
    shown: list[str] = []
    for at, (name, (kind, values)) in enumerate(columns.items()):
        given[f"c{at}"], sql = _valued(f"c{at}", kind, values, places[name])
        shown.append(f"{sql} AS {quoted(name)}")
    for at, (name, array) in enumerate(numbers.items()):
        given[f"n{at}"] = array
        shown.append(f"n{at} AS {quoted(name)}")
    shown += [f"{sql} AS {quoted(name)}" for name, sql in (made or {}).items()]
    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")
        connection.register("given", given)
        connection.execute(f"COPY (SELECT {', '.join(shown)} FROM given) TO '{escaped(path)}' ({_PARQUET})")


def _valued(at: str, kind: Kind, values: tuple[Any, ...], places: NDArray[Any]) -> tuple[NDArray[Any], str]:
    """What is handed to the engine for a column, and how its values are found there."""
    if kind is Kind.INTEGER and None not in values:
        return np.array(values, dtype=np.int64)[places], at
    listed = ", ".join("NULL" if value is None else DUCKDB.literal(value, kind) for value in values)
    return places, f"CAST([{listed}] AS {type_of(kind)}[])[{at} + 1]"


def read_numbers(path: Path, column: str) -> NDArray[np.int64]:
    """A column of whole numbers of such a file, in the order in which it was written."""
    import duckdb

    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT {quoted(column)} AS n FROM '{escaped(path)}'").fetchnumpy()
    return np.asarray(found["n"], dtype=np.int64)
