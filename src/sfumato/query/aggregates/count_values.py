"""COUNT(x): how many rows have a value."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sfumato.data import Kind
from sfumato.query.aggregates.base import COUNTS, AskedTogether, Cell, NoisyCell, OverValues, counted
from sfumato.query.bars import Bar
from sfumato.query.measures import Measure
from sfumato.query.range import Range


@dataclass(frozen=True, slots=True, kw_only=True)
class CountValues(OverValues):
    """The number of rows in which an expression has a value."""

    kind: ClassVar[str] = "present"
    counts_values: ClassVar[bool] = True

    @property
    def gives(self) -> Kind:
        """A whole number."""
        return Kind.INTEGER

    @property
    def range(self) -> Range:
        """Whole."""
        return COUNTS

    def cells(self, beside: AskedTogether) -> tuple[Cell, ...]:
        """The count of values."""
        return (beside.values(self.of, self.where),)

    def answer(self, noisy: Sequence[NoisyCell]) -> Bar:
        """The count."""
        return counted(noisy)

    def expected_error(self, reach: Sequence[float], measure: Measure) -> float:
        """That of the count."""
        del measure
        return sum(reach)
