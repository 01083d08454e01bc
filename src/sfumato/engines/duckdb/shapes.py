"""What of a declaration decides how sources are read and cut: where it is the same, what was made is used again."""

import hashlib
from collections.abc import Mapping

from sfumato.data import Dataset, Table, Typed
from sfumato.engines.duckdb.readings import ColumnReading
from sfumato.engines.duckdb.sources import form
from sfumato.engines.duckdb.views import Views
from sfumato.engines.registration import RegisteredTable


def shape_of(table: Table, readings: list[ColumnReading]) -> str:
    """A digest of how a table's columns are read."""
    return _digest(
        form(table), table.dialect, table.unreadable, [(each.name, each.kind, each.sql) for each in readings]
    )


def about(dataset: Dataset) -> str:
    """A digest of who one person is, how tables lead there, and which columns of them are shown."""
    tables = [
        (t.name, t.public, t.foreign_keys, dataset.holds_people(t), [column.name for column in t.columns])
        for t in dataset.tables
    ]
    return _digest(dataset.unit, tables)


def cuts(typed: Typed, tables: Mapping[str, RegisteredTable], seed: int) -> dict[str, tuple[int, str]]:
    """How many rows of a person are left in the tables that are cut or may have to be, and a digest of how."""
    dataset = typed.dataset
    views = Views(
        dataset, {table.name: f"({table.name})" for table in dataset.tables}, seed, person=typed.person_kind()
    )
    read = [(name, each.digest(), each.shape) for name, each in tables.items()]
    found = {}
    for table in dataset.tables:
        most = table.cut or (1 if dataset.holds_people(table) else None)
        if views.is_private(table) and most is not None:
            found[table.name] = (most, _digest(views.cut(table, most), table.cut, read))
    return found


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()
