"""What an owner's profile reads of the data, as values: exact, of single people, and for the owner's eyes alone."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

from sfumato.core.naming import known_names
from sfumato.data import Column, Dataset, Kind, Table
from sfumato.errors import InvalidParameter

_ROUND = (1, 2, 5)


@dataclass(frozen=True, slots=True, repr=False)
class Spread:
    """How many of something people have: (how many, how many people have as many), the fewest first."""

    lines: tuple[tuple[int, int], ...] = ()

    @property
    def people(self) -> int:
        """How many people have any."""
        return sum(people for _, people in self.lines)

    @property
    def total(self) -> int:
        """How many there are of all people together."""
        return sum(number * people for number, people in self.lines)

    @property
    def most(self) -> int:
        """How many the person has who has most."""
        return self.lines[-1][0] if self.lines else 0

    def quantile(self, share: Fraction) -> int:
        """The least number that at least this share of the people do not exceed."""
        rank, seen = ceil(share * self.people), 0
        for number, people in self.lines:
            seen += people
            if seen >= rank:
                return number
        return 0

    def above(self, bound: int) -> int:
        """How many people have more than the bound."""
        return sum(people for number, people in self.lines if number > bound)

    def kept(self, bound: int) -> int:
        """How many count if each person counts with at most so many."""
        return sum(min(number, bound) * people for number, people in self.lines)


@dataclass(frozen=True, slots=True, repr=False)
class ColumnFigures:
    """A column: cells that are missing, its ends where it is a number or a day, its keys where it is grouped by."""

    name: str
    kind: Kind
    is_key: bool
    """Whether it says whose a row is, or leads there."""
    nulls: int
    lost: int
    """How many of the missing cells were not of the declared kind."""
    least: Any = None
    greatest: Any = None
    keys: int | None = None
    """How many different values there are, of a column that groups are made of."""
    keys_a_person: Spread | None = None


@dataclass(frozen=True, slots=True, repr=False)
class GroupFigures:
    """The groups of a column, a missing value being one of them, and what bounds by person do to their counts."""

    column: str
    groups: int
    groups_a_person: Spread
    rows_in_a_group: Spread
    """Of every person and group that they are in."""
    squares: float
    """The sum over groups of their rows squared."""
    lost_squares: tuple[tuple[int, float], ...]
    """By candidate bound, the sum over groups of what they lose by it, squared."""


@dataclass(frozen=True, slots=True, repr=False)
class AverageFigures:
    """The values of a number: (rows with a value that a person has, how many people, the sum of all their values)."""

    column: str
    lower: Fraction
    upper: Fraction
    is_declared: bool
    """Whether the bounds were declared; else they are the ends of the data."""
    lines: tuple[tuple[int, int, Fraction], ...]


@dataclass(frozen=True, slots=True, repr=False)
class TableFigures:
    """A private table."""

    name: str
    rows: int
    nobody: int
    """Rows that lead to no person."""
    a_person: Spread | None
    """Rows a person; None where each row is protected by itself."""
    columns: tuple[ColumnFigures, ...]
    groups: GroupFigures | None = None
    average: AverageFigures | None = None


def candidates(most: int) -> tuple[int, ...]:
    """Round bounds, up to the first that nobody exceeds.

    >>> candidates(33)
    (1, 2, 5, 10, 20, 50)
    """
    found, power = [1], 1
    while found[-1] < most:
        for each in _ROUND:
            if found[-1] < each * power and found[-1] < most:
                found.append(each * power)
        power *= 10
    return tuple(found)


def is_grouped(column: Column) -> bool:
    """Whether groups are usually made of a column: texts, truth values, and what has a list of public values."""
    return column.kind in (Kind.TEXT, Kind.BOOLEAN) or column.values is not None


@dataclass(frozen=True, slots=True)
class Meant:
    """The columns that a profile groups by and averages, by table."""

    by: dict[str, Column]
    average: dict[str, Column]

    @classmethod
    def of(cls, dataset: Dataset, by: str, average: str) -> "Meant":
        """The columns that are meant, in every private table that has them; one that no table has is refused.

        Where no column is named to be averaged, it is the first number of a table whose bounds are declared.
        """
        private = [table for table in dataset.tables if not table.public]
        numbers = _named("average", private, average, lambda column: column.kind.is_number, "a number")
        if not average:
            bounded = {table.name: _first_bounded(dataset, table) for table in private}
            numbers = {name: column for name, column in bounded.items() if column is not None}
        return cls(_named("by", private, by, lambda column: True, ""), numbers)


def _first_bounded(dataset: Dataset, table: Table) -> Column | None:
    keys = {key[0].lower() for key in table.foreign_keys} | {(dataset.person(table) or "").lower()}
    numbers = (each for each in table.columns if each.kind.is_number and each.lower is not None)
    return next((each for each in numbers if each.upper is not None and each.name.lower() not in keys), None)


def _named(
    option: str, tables: Iterable[Table], given: str, fits: Callable[[Column], bool], what: str
) -> dict[str, Column]:
    """The columns that a name means: `column` in every table that has it, `table.column` in one."""
    if not given:
        return {}
    known = {(table.name, column.name): column for table in tables for column in table.columns if fits(column)}
    wanted = given.lower()
    found = {
        table: column for (table, name), column in known.items() if wanted in (name.lower(), f"{table}.{name}".lower())
    }
    if not found:
        names = list(dict.fromkeys(name for _, name in known))
        must = f"must be {what} of a private table" if what else "must be a column of a private table"
        raise InvalidParameter(option, must, given, hint=known_names(given, names))
    return found
