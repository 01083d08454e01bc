"""What of a declaration decides how sources are read and cut: where it is the same, what was made is used again."""

import hashlib
from collections.abc import Mapping

from sfumato.data import Dataset, Table, Typed
from sfumato.engines.duckdb.dialect import DUCKDB
from sfumato.engines.duckdb.readings import ColumnReading
from sfumato.engines.duckdb.sources import form
from sfumato.engines.registration import RegisteredTable
from sfumato.engines.sql.views import Views


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
        dataset, {table.name: f"({table.name})" for table in dataset.tables}, seed, DUCKDB, person=typed.person_kind()
    )
    read = [(name, each.digest(), each.shape) for name, each in tables.items()]
    found = {}
    for table in dataset.tables:
        most = table.cut or (1 if dataset.holds_people(table) else None)
        if views.is_private(table) and most is not None:
            found[table.name] = (most, _digest(views.cut(table, most), table.cut, read))
    return found


def copies(typed: Typed, tables: Mapping[str, RegisteredTable], seed: int, *, least: int) -> dict[str, str]:
    """The private tables, where they are copied in order of people, and a digest of what decides how: of all or none.

    Unless the declaration says so, they are where one of them has so many rows `at least`.
    """
    dataset = typed.dataset
    private = [table for table in dataset.tables if dataset.unit is not None and not table.public]
    wanted = dataset.engine.copy
    if wanted is None:
        wanted = any(tables[table.name].rows >= least for table in private)
    if not wanted:
        return {}
    readers = {table.name: f"({table.name})" for table in dataset.tables}
    views = Views(dataset, readers, seed, DUCKDB, person=typed.person_kind())
    read = [(name, each.digest(), each.shape, each.cut_shape) for name, each in tables.items()]
    every = [f"({views.rows(table)})" for table in private]
    return {
        table.name: _digest(views.numbered(rows, views.people(every)), read)
        for table, rows in zip(private, every, strict=True)
    }


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()
