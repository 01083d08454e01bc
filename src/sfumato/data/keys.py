"""Columns that look like keys between tables, by their names and kinds: proposals for an owner, who knows."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from sfumato.data.column import Kind

Columns = Sequence[tuple[str, Kind]]


class Key(NamedTuple):
    """A column that leads to another table's: `visits.patient` to `patients.patient`."""

    table: str
    column: str
    to_table: str
    to_column: str

    @property
    def target(self) -> str:
        """Where it leads."""
        return f"{self.to_table}.{self.to_column}"


def keys_by_name(tables: Mapping[str, Columns], unique: Callable[[str, str], bool] | None = None) -> list[Key]:
    """The keys that names suggest, at most one for a column.

    `unique` tells whether no value of a column repeats, where somebody has looked: then any name that two tables share
    may be a key, and one whose values repeat is none.

    >>> patients, visits = [("patient", Kind.INTEGER), ("age", Kind.INTEGER)], [("patient", Kind.INTEGER)]
    >>> [(key.table, key.target) for key in keys_by_name({"patients": patients, "visits": visits})]
    [('visits', 'patients.patient')]
    """
    found: list[Key] = []
    for table, columns in tables.items():
        for column, kind in columns:
            fits = [
                Key(table, column, other, name)
                for other, theirs in tables.items()
                for name, its_kind in theirs
                if other != table and its_kind is kind and _leads(column, other, name, looked=unique is not None)
                if unique is None or _holds(unique, Key(table, column, other, name))
            ]
            found += fits[:1]
    return found


def _holds(unique: Callable[[str, str], bool], key: Key) -> bool:
    """Whether values do not repeat where a key leads; where they repeat at neither end, names say which way it goes."""
    if not unique(key.to_table, key.to_column):
        return False
    to_its_own = _names_its_table(key.to_column, key.to_table) and not _names_its_table(key.column, key.table)
    return to_its_own or not unique(key.table, key.column)


def _leads(column: str, table: str, name: str, *, looked: bool) -> bool:
    column, name = column.lower(), name.lower()
    if name == "id":
        return any(column in (f"{word}_id", f"{word}id", word) for word in _words(table))
    return column == name and (looked or _names_its_table(name, table))


def _names_its_table(column: str, table: str) -> bool:
    return any(column.lower() in (word, f"{word}_id", f"{word}id") for word in _words(table))


def _words(table: str) -> set[str]:
    """A table's name and what one of its rows may be called."""
    name = table.lower()
    one = {name, name.removesuffix("s"), name.removesuffix("es")}
    one |= {f"{name.removesuffix('ies')}y"} if name.endswith("ies") else set()
    return one | ({"person"} if name == "people" else set())
