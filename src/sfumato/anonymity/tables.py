"""Tables with a role for every column: identifiers, quasi-identifiers, sensitive features (Survey §1.1.1)."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sfumato.errors import InvalidParameter

Row = tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class Roles:
    """Which columns identify a person, which may do so together, and which are nobody's business.

    Columns that have no role are left as they are, and taken to be harmless.
    """

    quasi: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        named = (*self.quasi, *self.sensitive, *self.identifiers)
        if not self.quasi:
            raise InvalidParameter("quasi", "must name at least one column", self.quasi)
        if len(set(named)) != len(named):
            raise InvalidParameter("roles", "must give each column one role, but name one twice", sorted(named))


@dataclass(frozen=True, slots=True)
class Microdata:
    """Rows of people; its repr shows how many there are and nothing of them."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    def __post_init__(self) -> None:
        if len(set(self.columns)) != len(self.columns) or not self.columns:
            raise InvalidParameter("columns", "must be different names, at least one", self.columns)
        if any(len(row) != len(self.columns) for row in self.rows):
            raise InvalidParameter("rows", f"must have {len(self.columns)} values each, found", "one that has not")

    @classmethod
    def of(cls, records: Iterable[Mapping[str, Hashable]]) -> "Microdata":
        """A table of records with the same keys.

        >>> Microdata.of([{"zip": "02138", "sex": "f"}])
        <Microdata of 1 rows: zip, sex>
        """
        listed = list(records)
        if not listed:
            raise InvalidParameter("records", "must be at least one, got", "none")
        columns = tuple(listed[0])
        if any(tuple(record) != columns for record in listed):
            raise InvalidParameter("records", "must all have the columns", columns)
        return cls(columns, tuple(tuple(record.values()) for record in listed))

    def __repr__(self) -> str:
        return f"<Microdata of {len(self.rows)} rows: {', '.join(self.columns)}>"

    def __len__(self) -> int:
        return len(self.rows)

    def place(self, column: str) -> int:
        """Where a column stands."""
        if column not in self.columns:
            raise InvalidParameter("column", "must be one of the table's", column, hint=", ".join(self.columns))
        return self.columns.index(column)

    def column(self, name: str) -> tuple[Hashable, ...]:
        """The values of a column."""
        place = self.place(name)
        return tuple(row[place] for row in self.rows)

    def keys(self, names: Sequence[str]) -> list[Row]:
        """The values of some columns, row by row."""
        places = [self.place(name) for name in names]
        return [tuple(row[place] for place in places) for row in self.rows]

    def with_column(self, name: str, values: Sequence[Any]) -> "Microdata":
        """The table with other values in a column."""
        place = self.place(name)
        if len(values) != len(self.rows):
            raise InvalidParameter("values", f"must be one a row, {len(self.rows)}, got", len(values))
        rows = tuple((*row[:place], value, *row[place + 1 :]) for row, value in zip(self.rows, values, strict=True))
        return replace(self, rows=rows)

    def without(self, names: Iterable[str]) -> "Microdata":
        """The table without some columns."""
        gone = {self.place(name) for name in names}
        kept = [place for place in range(len(self.columns)) if place not in gone]
        rows = tuple(tuple(row[place] for place in kept) for row in self.rows)
        return Microdata(tuple(self.columns[place] for place in kept), rows)

    def where(self, keep: Sequence[bool]) -> "Microdata":
        """The rows that are kept."""
        return replace(self, rows=tuple(row for row, kept in zip(self.rows, keep, strict=True) if kept))

    def classes(self, names: Sequence[str]) -> Counter[Row]:
        """How many rows share each combination of values of some columns."""
        return Counter(self.keys(names))
