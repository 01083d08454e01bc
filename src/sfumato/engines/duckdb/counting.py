"""Counts of cells by column, what they refuse, and a digest of rows in no order."""

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sfumato.data import Table
from sfumato.errors import InvalidDeclaration

if TYPE_CHECKING:
    import duckdb


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
