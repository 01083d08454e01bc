"""The sum of a number, in steps from a centre."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from sfumato.query.bounds import Bounds, Moves
from sfumato.query.measures.base import AdditiveMeasure, ColumnWriter, Place
from sfumato.query.measures.steps import InSteps

_LIGHT = 2**16  # sums of whole doubles of this size are exact up to 2**37 rows, and twice as fast as 128 bits


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum(InSteps, AdditiveMeasure):
    """The sum of what rows are above `centre`."""

    kind: ClassVar[str] = "sum"
    words: ClassVar[str] = "sum"

    total: int | None = None
    """What a person's rows may add up to, in steps: only of a sum that is asked alone."""

    @property
    def unit(self) -> int:
        """The end that is farther from the centre."""
        return max(abs(self.low - self.centre), abs(self.high - self.centre), 1)

    @property
    def is_plain(self) -> bool:
        """Whether it is the sum itself: a row of zero adds nothing to it."""
        return self.centre == 0

    @property
    def is_light(self) -> bool:
        """Whether whole doubles add up exactly, whatever the order, so that wide sums are not needed."""
        return self.unit <= _LIGHT

    @property
    def has_signs(self) -> bool:
        """Whether rows may cancel out."""
        return self.low < self.centre < self.high

    def canonical(self) -> list[object]:
        """Everything that decides its value."""
        return [*InSteps.canonical(self), self.total]

    def in_all(self, rows: int) -> int:
        """What so many rows, or the declared total, let a person add."""
        return rows * self.unit if self.total is None else min(rows * self.unit, self.total)

    def _held(self, rows: int, bounds: Bounds) -> int:
        """The same where totals are scaled; where all rows count whole, nothing holds them within a total."""
        return rows * self.unit if bounds.cut else self.in_all(rows)

    def most(self, bounds: Bounds) -> int:
        """The most one person moves it in one group, in whole rows."""
        return self._held(bounds.rows_in_group, bounds)

    def moves(self, bounds: Bounds, *, grouped: bool) -> Moves:
        """How far one person moves all of its cells, in whole rows."""
        del grouped
        l1 = Fraction(self._held(bounds.total, bounds))
        return Moves(l1, l1 * self.most(bounds))

    def weighted_move(self, bounds: Bounds, heaviest: list[int]) -> int:
        """The most one person moves a sum of its cells times weights, given their sizes from the largest on."""
        most = bounds.heaviest(heaviest) * self.unit
        return min(most, self._held(bounds.total, bounds) * max(heaviest, default=0))

    def of_row(self, at: Place, write: ColumnWriter) -> list[str]:
        """The steps of a row."""
        return [f"{self.steps(write, light=self.is_light and write.adds_doubles)} AS m{at.own}"]

    def counts(self, at: Place) -> str:
        """Where it is not zero; around a centre, where there is a value."""
        return f"m{at.own} <> 0" if self.is_plain else f"m{at.own} IS NOT NULL"

    def amount(self, at: Place) -> str:
        """The steps."""
        return f"m{at.own}"

    def of_all_rows(self, at: Place, write: ColumnWriter, person: str) -> str:
        """All of them."""
        del person
        return f"{write.total(self.amount(at), narrow=self.is_narrow)} AS a{at.own}"
