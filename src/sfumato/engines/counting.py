"""What registration counts for the owner: rows, cells that are not of their kind, and cells that nobody can read."""

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sfumato.data import Kind, Table
from sfumato.engines.cells import in_calendar
from sfumato.engines.expressions import quoted, type_of
from sfumato.engines.schemas import Reading
from sfumato.errors import InvalidDeclaration

if TYPE_CHECKING:
    import duckdb

_MOMENTS = (Kind.DATE, Kind.TIMESTAMP)


def counted(
    connection: "duckdb.DuckDBPyConnection", rows: str, readings: list[Reading]
) -> tuple[int, dict[str, int], dict[str, int]]:
    """How many rows there are and, by column, cells that are not of the declared kind, or that cannot be read."""
    asked, about = ["count(*)"], []
    for reading in readings:
        name, held = quoted(reading.source.name), reading.source.kind
        there = f"count({name})"
        readable = there
        if held is Kind.TEXT and reading.source.type == "VARCHAR":
            readable = f"count(TRY(decode(encode({name}))))"
        elif held in _MOMENTS:
            cast = f"TRY_CAST({name} AS {type_of(held)})"
            readable = f"count({in_calendar(cast, held)})"
        if readable is not there:
            about.append((reading.name, True))
            asked.append(f"{there} - {readable}")
        if reading.kind is not held or reading.is_key or reading.source.loose:
            about.append((reading.name, False))
            asked.append(f"{readable} - count({reading.sql})")
    found = connection.execute(f"SELECT {', '.join(asked)} FROM {rows}").fetchall()[0]
    lost, unreadable = dict[str, int](), dict[str, int]()
    for (name, is_unreadable), number in zip(about, found[1:], strict=True):
        if number:
            (unreadable if is_unreadable else lost)[name] = int(number)
    return int(found[0]), lost, unreadable


def added(a: Mapping[str, int], b: Mapping[str, int]) -> dict[str, int]:
    """Counts by column, added up; what is nothing is left out."""
    return {name: total for name in (*a, *b) if (total := int(a.get(name, 0)) + int(b.get(name, 0)))}


def refused_cells(table: Table, unreadable: Mapping[str, int]) -> InvalidDeclaration:
    """The refusal of cells that no reader can read, with their numbers."""
    told = ", ".join(f"{number} of `{name}`" for name, number in unreadable.items() if number)
    return InvalidDeclaration(
        f"[tables.{table.name}] holds cells that cannot be read, text that is not UTF-8 or moments outside the years "
        f"1 to 9999: {told}",
        hint='mend the source, or take them for missing: unreadable = "null"',
    )


def digest_of_rows(connection: "duckdb.DuckDBPyConnection", rows: str) -> str:
    """A digest of a table that does not depend on the order of its rows."""
    hashed = "hash(sfumato_row)"
    text = f"SELECT count(*), bit_xor({hashed}), sum({hashed}::HUGEINT) FROM {rows} sfumato_row"
    row: Any = connection.execute(text).fetchall()[0]
    return hashlib.sha256(repr(row).encode()).hexdigest()
