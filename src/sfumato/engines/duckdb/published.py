"""Files of what was published, and of public tables to compare with: written from places, counted by places.

A place is where a value stands in a column's list of public values. Nothing here reads what is private: the files are
made of released numbers, or public by the owner's word.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data import Kind
from sfumato.engines.duckdb.dialect import DUCKDB, quoted, type_of
from sfumato.engines.duckdb.sources import escaped
from sfumato.errors import InvalidParameter, InvalidQuestion

Listed = Mapping[str, tuple[Kind, tuple[Any, ...]]]
"""The kind of every column and its public values, in order."""
Ends = Sequence[tuple[float | int, float | int] | None]
"""The ends of bins in order; None for the place of what has no value."""


def write_places(parquet: Path, csv: Path, columns: Listed, places: Mapping[str, NDArray[Any]]) -> None:
    """Rows as Parquet and as CSV, the same bytes each time."""
    import duckdb

    names = list(columns)
    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")
        connection.register("places", {f"c{i}": places[name] for i, name in enumerate(names)})
        shown = ", ".join(f"{_list(*columns[name])}[c{i} + 1] AS {quoted(name)}" for i, name in enumerate(names))
        for path, form in ((parquet, "FORMAT parquet"), (csv, "FORMAT csv, HEADER")):
            connection.execute(f"COPY (SELECT {shown} FROM places) TO '{escaped(path)}' ({form})")


def asked(path: Path, name: str, text: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """What plain SQL finds in a file of published rows: its columns, and its lines.

    The database holds that one table and can reach nothing else.
    """
    import duckdb

    with duckdb.connect(config={"autoinstall_known_extensions": False, "autoload_known_extensions": False}) as run:
        run.execute(f"CREATE TABLE {quoted(name)} AS SELECT * FROM '{escaped(path)}'")
        run.execute("SET enable_external_access = false")
        run.execute("SET lock_configuration = true")
        try:
            statements = run.extract_statements(text)
            if [each.type for each in statements] != [duckdb.StatementType.SELECT]:
                raise InvalidQuestion("rows are asked with one SELECT", hint=f"SELECT COUNT(*) FROM {name}")
            found = run.execute(statements[0])
            return [column[0] for column in found.description or ()], found.fetchall()
        except duckdb.Error as error:
            said = str(error).splitlines()[0]
            raise InvalidQuestion(said, hint=f"the one table is {name}, and its rows are public") from None


def counts_in(
    path: Path,
    columns: Listed,
    sets: Sequence[tuple[str, ...]],
    weight: str = "",
    *,
    bins: Mapping[str, Ends] | None = None,
    others: Mapping[str, str] | None = None,
) -> list[NDArray[np.int64]]:
    """How many rows of a public file are in each cell, of each set of columns; other values are in no cell.

    A line counts as many times as its column `weight` says, if there is one. Of columns in `bins` a number counts in
    the bin that it lies in, of columns in `others` every text that is not listed as that one.
    """
    import duckdb

    names = list(columns)
    try:
        with duckdb.connect() as connection:
            there = {row[0] for row in connection.execute(f"DESCRIBE SELECT * FROM {_file(path)}").fetchall()}
            for name in names:
                if name not in there:
                    raise InvalidParameter("twin", f"has no column `{name}`", str(path), hint="name its columns alike")
            at = [
                _in_bin(name, (bins or {})[name])
                if name in (bins or {})
                else _place(name, *columns[name], other=(others or {}).get(name))
                for name in names
            ]
            placed = ", ".join(f"{each} AS c{i}" for i, each in enumerate(at))
            counted = f", CAST({quoted(weight)} AS BIGINT) AS w" if weight else ", 1 AS w"
            made = f"SELECT {placed}{counted} FROM {_file(path)}" if names else f"SELECT 1{counted} FROM {_file(path)}"
            connection.execute(f"CREATE TEMP TABLE placed AS {made}")
            return [_counted(connection, columns, each, names) for each in sets]
    except duckdb.Error:
        raise InvalidParameter("twin", "cannot be read as CSV or Parquet", str(path)) from None


def _file(path: Path) -> str:
    """A public file in FROM: columns of a text file are text, not what they may be taken for, as F for false."""
    named = f"'{escaped(path)}'"
    return named if path.suffix == ".parquet" else f"read_csv({named}, all_varchar = true, header = true)"


def _counted(connection: Any, columns: Listed, wanted: tuple[str, ...], names: Sequence[str]) -> NDArray[np.int64]:
    at = [f"c{names.index(name)}" for name in wanted]
    shape = tuple(len(columns[name][1]) for name in wanted)
    table = np.zeros(shape, dtype=np.int64)
    known = " AND ".join(["TRUE", *(f"{each} IS NOT NULL" for each in at)])
    shown, grouped = (
        ", ".join([*at, "CAST(coalesce(sum(w), 0) AS BIGINT) AS n"]),
        f" GROUP BY {', '.join(at)}" if at else "",
    )
    found = connection.execute(f"SELECT {shown} FROM placed WHERE {known}{grouped}").fetchnumpy()
    table[tuple(np.asarray(found[each], dtype=np.int64) for each in at)] = found["n"] if at else found["n"][0]
    return table


def _list(kind: Kind, values: tuple[Any, ...]) -> str:
    inside = ", ".join("NULL" if value is None else DUCKDB.literal(value, kind) for value in values)
    return f"CAST([{inside}] AS {type_of(kind)}[])"


def _place(name: str, kind: Kind, values: tuple[Any, ...], *, other: str | None = None) -> str:
    missing = str(values.index(None)) if None in values else "NULL"
    found = f"list_position({_list(kind, values)}, TRY_CAST({quoted(name)} AS {type_of(kind)})) - 1"
    listed = found if other is None else f"coalesce({found}, {values.index(other)})"
    return f"CASE WHEN {quoted(name)} IS NULL THEN {missing} ELSE {listed} END"


def _in_bin(name: str, bins: Ends) -> str:
    """The place of the bin that a number lies in: below all of them in the first, beyond in the last."""
    number = f"TRY_CAST({quoted(name)} AS DOUBLE)"
    known = [(place, each) for place, each in enumerate(bins) if each is not None]
    missing = next((str(place) for place, each in enumerate(bins) if each is None), "NULL")
    below = " ".join(f"WHEN {number} < CAST('{ends[1]!r}' AS DOUBLE) THEN {place}" for place, ends in known[:-1])
    return f"CASE WHEN {number} IS NULL OR isnan({number}) THEN {missing} {below} ELSE {known[-1][0]} END"
