"""A column as the owner declares it: its kind, its bounds and grid, or its public values."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum
from fractions import Fraction
from math import floor, log10

from sfumato.errors import InvalidDeclaration, shown

Value = int | float | str | bool | date | datetime
_STEPS = 10**6
_MOST_STEPS = 2**53
_MOST_VALUES = 10**5


class Kind(Enum):
    """What the values of a column or an expression are."""

    INTEGER = "integer"
    REAL = "real"
    TEXT = "text"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"

    @property
    def is_number(self) -> bool:
        """Whether arithmetic is defined."""
        return self in (Kind.INTEGER, Kind.REAL)

    @property
    def is_time(self) -> bool:
        """Whether it is a day or a moment."""
        return self in (Kind.DATE, Kind.TIMESTAMP)


_WRITTEN = {
    Kind.INTEGER: "values = [1, 2], whole numbers", Kind.REAL: "values = [0.5, 1], numbers",
    Kind.TEXT: 'values = ["a", "b"], texts in quotes', Kind.BOOLEAN: "values = [true, false]",
    Kind.DATE: "values = [2026-01-31], days without a time",
    Kind.TIMESTAMP: "values = [2026-01-31T00:00:00], days with a time",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Column:
    """A column: numbers may have bounds and a grid, anything may have public values; without either, neither."""

    name: str
    kind: Kind
    lower: Fraction | None = None
    upper: Fraction | None = None
    grid: Fraction | None = None
    values: tuple[Value, ...] | None = None
    typed: bool = True
    """Whether the kind was declared; else the source decides."""
    total: Fraction | None = None
    """What a person's values may add up to, in either direction, in a sum that is asked alone."""
    null: bool = True
    """Whether a row may have no value here; if not, a row without one is no row of the table."""

    def __post_init__(self) -> None:
        where = f"column `{self.name}`"
        if (self.lower is None) != (self.upper is None):
            raise InvalidDeclaration(f"{where} has one bound and needs two", hint="declare lower and upper")
        if self.lower is not None and self.upper is not None:
            self._check_bounds(where, self.lower, self.upper)
        elif self.grid is not None or self.total is not None:
            what = "a grid" if self.grid is not None else "a total"
            raise InvalidDeclaration(f"{where} has {what} and no bounds", hint="declare lower and upper")
        if self.values is not None:
            self._check_values(where, self.values)

    def _check_bounds(self, where: str, lower: Fraction, upper: Fraction) -> None:
        if not self.kind.is_number:
            raise InvalidDeclaration(f"{where} has bounds and holds {self.kind.value}", hint="bounds are for numbers")
        if lower > upper:
            raise InvalidDeclaration(f"{where}: lower is above upper: {lower} > {upper}", hint="swap them")
        if self.grid is not None and self.grid <= 0:
            raise InvalidDeclaration(f"{where}: grid must be positive: {self.grid}", hint="for cents: grid = 0.01")
        if self.total is not None and self.total < self.step:
            raise InvalidDeclaration(
                f"{where}: total must be a step of its grid or more: {self.total}",
                hint=f"total = {float(10 * upper):g}",
            )
        if max(abs(lower), abs(upper)) / self.step > _MOST_STEPS:
            raise InvalidDeclaration(f"{where}: bounds and grid leave more than 2**53 steps", hint="a coarser grid")

    def _check_values(self, where: str, values: tuple[Value, ...]) -> None:
        if not values:
            raise InvalidDeclaration(f"{where}: values is empty", hint="list the public values, or leave it out")
        if len(values) > _MOST_VALUES:
            raise InvalidDeclaration(f"{where}: more than {_MOST_VALUES} public values", hint="leave them out")
        if len({(type(v) is bool, v) for v in values}) != len(values):
            raise InvalidDeclaration(f"{where}: a public value is listed twice", hint="list each once")
        allowed = {
            Kind.INTEGER: (int,), Kind.REAL: (int, float), Kind.TEXT: (str,), Kind.BOOLEAN: (bool,),
            Kind.DATE: (date,), Kind.TIMESTAMP: (datetime,),
        }[self.kind]  # fmt: skip
        for value in values:
            taken_for_another = (bool, Kind.BOOLEAN), (datetime, Kind.TIMESTAMP)  # a truth is an int, a moment a date
            other = any(isinstance(value, python) and self.kind is not kind for python, kind in taken_for_another)
            if other or not isinstance(value, allowed):
                raise InvalidDeclaration(
                    f"{where} holds {self.kind.value}, and a public value is not: {shown(value)}",
                    hint=_WRITTEN[self.kind],
                )

    @property
    def step(self) -> Fraction:
        """The grid of sums: as declared, else 1 for whole numbers and about a millionth of the width for others."""
        if self.grid is not None:
            return self.grid
        if self.kind is Kind.INTEGER or self.lower is None or self.upper is None:
            return Fraction(1)
        return default_step(self.lower, self.upper)


def default_step(lower: Fraction, upper: Fraction) -> Fraction:
    """A power of ten that cuts an interval into one to ten million steps.

    >>> default_step(Fraction(0), Fraction(200_000))
    Fraction(1, 10)
    """
    width = max(upper - lower, abs(upper), abs(lower)) or Fraction(1)
    return Fraction(10) ** floor(log10(width / _STEPS))
