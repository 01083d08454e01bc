"""Numbers in whole steps: round(x/step), held within the ends of what is declared."""

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from sfumato.query.expression import Expression
from sfumato.query.measures.base import ColumnWriter, OfValue

_MOST_STEPS = 2**20


class Steps(NamedTuple):
    """A grid and its ends, in steps."""

    step: Fraction
    low: int
    high: int

    @property
    def middle(self) -> int:
        """The centre around which sums and squares are smallest."""
        return (self.low + self.high) // 2


def steps_of(of: Expression, *, coarse: bool = False) -> Steps:
    """The grid of a bounded number; a coarse one has so few steps that squares stay small."""
    found = of.range
    assert found.lower is not None
    assert found.upper is not None
    step = found.step
    while coarse and (found.upper - found.lower) / step > _MOST_STEPS:  # a millionth of the width is no loss
        step *= 10
    return Steps(step, _nearest(found.lower / step), _nearest(found.upper / step))


def _nearest(exact: Fraction) -> int:
    return (2 * exact.numerator + exact.denominator) // (2 * exact.denominator)


@dataclass(frozen=True, slots=True, kw_only=True)
class InSteps(OfValue):
    """A measure of numbers: each is round(x/step) held within low and high, less `centre`."""

    step: Fraction
    low: int
    high: int
    centre: int = 0

    @property
    def scale(self) -> Fraction:
        """A step of the grid."""
        return self.step

    @property
    def only_adds(self) -> bool:
        """Where no row can add less than nothing."""
        return self.low >= self.centre

    def canonical(self) -> list[object]:
        """Everything that decides its value."""
        return self._canonical(self.of, step=self.step, ends=(self.low, self.high), centre=self.centre)

    def steps(self, write: ColumnWriter, *, light: bool = False) -> str:
        """The SQL of the whole steps that a row adds; NULL where it adds nothing. Light ones stay whole doubles."""
        inner = write.placed(self.of, self.step, self.low, self.high)
        if self.centre:
            inner = f"({inner} - ({self.centre}))"
        if not light:
            inner = write.whole(inner)
        return inner if self.where is None else f"CASE WHEN {write.sql(self.where)} THEN {inner} END"
