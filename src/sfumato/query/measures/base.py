"""A measure: integer columns that an engine computes, how far one person moves them, and what hides that.

The rows of a person weigh `total` in all and `rows` in one group (`weights.py`), so a column whose rows move by `unit`
moves by total·unit in ℓ1; in ℓ2 squared by total·rows·unit², as Σ a² ≤ max a · Σ a. Columns are in 2**bits of a
row. Noise is drawn for every cell by itself, so the price of a vector is that of its worst neighbour (Survey
Proposition 4.1 for ℓ1; Canonne, Kamath, Steinke 2020, Theorem 14 for ℓ2).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Protocol

from sfumato.query.bounds import Bounds, Moves
from sfumato.query.expression import Expression

NARROW = 2**30
"""Sums of this many steps a row stay within 64 bits for 2**33 rows."""


class ColumnWriter(Protocol):
    """What measures write their SQL with: an engine's dialect. The letters are those of the engine's statements."""

    @property
    def adds_doubles(self) -> bool:
        """Whether whole doubles add up faster than whole numbers, and as exactly."""
        ...

    def sql(self, expression: Expression) -> str:
        """An expression over one row."""
        ...

    def present(self, expression: Expression) -> str:
        """Whether an expression has a value."""
        ...

    def placed(self, of: Expression, step: Fraction, low: int, high: int) -> str:
        """round(x/step) within low and high; NULL where x has no value."""
        ...

    def whole(self, made: str) -> str:
        """A number that is whole as 64 bits."""
        ...

    def wide(self, made: str) -> str:
        """A whole number in a type that holds the product of two of 64 bits."""
        ...

    def total(self, term: str, *, narrow: bool) -> str:
        """The sum of whole numbers, 0 of none; as 64 bits where it is known to fit."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """The number of a measure in a statement, and of the one that counts its rows with a value."""

    own: int
    counted: int

    @property
    def counts_itself(self) -> bool:
        """Whether no other measure counts the same rows."""
        return self.own == self.counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure(ABC):
    """An integer column; what a row adds to it is at most `unit`."""

    kind: ClassVar[str]
    """Its name in documents and in the ledger: it must not change."""
    words: ClassVar[str]
    """What it measures, for people."""
    is_additive: ClassVar[bool] = False
    """Whether its column is a sum over people."""

    where: Expression | None = None
    """Only rows for which it is true add something."""

    @property
    def unit(self) -> int:
        """The most one row moves it."""
        return 1

    @property
    def scale(self) -> Fraction:
        """What a step of it is worth in an answer."""
        return Fraction(1)

    @property
    def only_adds(self) -> bool:
        """Whether a person who comes lowers none of its cells."""
        return True

    def canonical(self) -> list[object]:
        """Everything that decides its value."""
        return self._canonical()

    def _canonical(
        self,
        of: Expression | None = None,
        *,
        step: Fraction = Fraction(1),
        ends: tuple[int, int] = (0, 1),
        centre: int = 0,
        q: Fraction | None = None,
    ) -> list[object]:
        parts = [None if each is None else each.canonical() for each in (of, self.where)]
        return [self.kind, *parts, str(step), *ends, centre, str(q)]

    @property
    def is_weighted(self) -> bool:
        """Whether the rows of a person who has more than count do so in part; else some are picked, or none are."""
        return True

    # ---- how far one person moves it ----

    def most(self, bounds: Bounds) -> int:
        """The most one person moves it in one group, in whole rows."""
        return bounds.rows_in_group * self.unit

    def moves(self, bounds: Bounds, *, grouped: bool) -> Moves:
        """How far one person moves all of its cells, in whole rows."""
        del grouped
        l1 = Fraction(bounds.total * self.unit)
        return Moves(l1, l1 * bounds.rows_in_group * self.unit)

    def weighted_move(self, bounds: Bounds, heaviest: list[int]) -> int:
        """The most one person moves a sum of its cells times weights, given their sizes from the largest on."""
        return bounds.heaviest(heaviest) * self.unit

    def bits(self, weights: int, bounds: Bounds) -> int:
        """In what part of a row its columns are, as a power of two, where the rows' weights have so many bits."""
        del bounds
        return weights

    def counts_people(self, bounds: Bounds) -> bool:
        """Whether its cells are how many people are in the groups, so that groups can be chosen by them."""
        del bounds
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class AdditiveMeasure(Measure):
    """A measure whose column is a sum over people: one statement computes all of a question."""

    is_additive: ClassVar[bool] = True
    adds_ones: ClassVar[bool] = False
    """Whether a row adds one or nothing, so that what rows add is their number."""

    @abstractmethod
    def of_row(self, at: Place, write: ColumnWriter) -> list[str]:
        """m: what a row adds to the column; NULL where it adds nothing."""

    @abstractmethod
    def counts(self, at: Place) -> str:
        """Whether a row adds something: only then it is among the rows of a person that are weighted."""

    @abstractmethod
    def amount(self, at: Place) -> str:
        """What a row adds to the column, of m."""

    @property
    def is_narrow(self) -> bool:
        """Whether what the rows of one person add stays within 64 bits, however many they are."""
        return self.unit < NARROW

    @abstractmethod
    def of_all_rows(self, at: Place, write: ColumnWriter, person: str) -> str:
        """a: the exact integer straight from rows, where nobody has more than count."""

    def _condition(self, write: ColumnWriter) -> str:
        return "TRUE" if self.where is None else write.sql(self.where)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowMeasure(AdditiveMeasure):
    """A measure of rows, whatever is in them, for which a condition holds."""

    def of_row(self, at: Place, write: ColumnWriter) -> list[str]:
        """1 where the condition holds."""
        return [] if self.where is None else [f"CASE WHEN {write.sql(self.where)} THEN 1 END AS m{at.own}"]

    def counts(self, at: Place) -> str:
        """Where the condition holds."""
        return "TRUE" if self.where is None else f"m{at.own} = 1"

    def amount(self, at: Place) -> str:
        """One."""
        return "1" if self.where is None else f"m{at.own}"


@dataclass(frozen=True, slots=True, kw_only=True)
class OfValue(Measure):
    """A measure of the rows in which an expression has a value."""

    of: Expression

    def canonical(self) -> list[object]:
        """Everything that decides its value."""
        return self._canonical(self.of)
