"""How the columns of every table are read: the SQL of a cell as a value of its kind, and as a key."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from sfumato.data import Kind, SourceColumn, Table
from sfumato.data.typing import Typed
from sfumato.engines.duckdb.cells import cell, key, with_comma
from sfumato.engines.duckdb.dialect import quoted
from sfumato.engines.duckdb.sources import form


@dataclass(frozen=True, slots=True)
class ColumnReading:
    """A column as it is read: its name, its kind, and the SQL of its source's cell."""

    name: str
    kind: Kind
    source: SourceColumn
    over: Callable[[str], str]
    """The SQL of a cell as a value of the kind, from the SQL of the source's cell: total, whatever that holds."""
    is_key: bool
    """Whether it says whose a row is, or what leads there."""

    @property
    def sql(self) -> str:
        """The SQL of a cell as a value of the kind."""
        return self.over(quoted(self.source.name))


def readings(typed: Typed, table: Table) -> list[ColumnReading]:
    """How the columns that are shown or that are keys are read, in the order of the source."""
    made = typed.dataset.table(table.name)
    assert made is not None
    uuids = _has_uuids(typed)
    found = []
    for source in typed.schemas[table.name]:
        column, wanted = made.column(source.name), typed.key_kind(table.name, source.name)
        held = source.kind
        if held is None or (column is None and wanted is None):
            continue
        kind = wanted or (column.kind if column is not None else held)
        over = partial(cell if wanted is None else partial(key, uuids=uuids), held=held, kind=kind)
        if form(table) == "csv" and table.dialect.decimal == "," and kind.is_number:
            over = partial(_after, with_comma, over)
        found.append(ColumnReading(source.name, kind, source, over, wanted is not None))
    return found


def _has_uuids(typed: Typed) -> bool:
    return any(
        source.type.upper() == "UUID"
        for name, columns in typed.schemas.items()
        for source in columns
        if typed.key_kind(name, source.name) is not None
    )


def _after(first: Callable[[str], str], then: Callable[[str], str], made: str) -> str:
    return then(first(made))
