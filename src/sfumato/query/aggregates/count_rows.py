"""COUNT(*): how many rows there are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sfumato.data import Kind
from sfumato.query.aggregates.base import COUNTS, Aggregate, AskedTogether, Cell, NoisyCell, counted
from sfumato.query.bars import Bar
from sfumato.query.measures import Measure, Rows
from sfumato.query.range import Range


@dataclass(frozen=True, slots=True, kw_only=True)
class CountRows(Aggregate):
    """The number of rows."""

    kind: ClassVar[str] = "rows"
    counts_all_rows: ClassVar[bool] = True

    @property
    def gives(self) -> Kind:
        """A whole number."""
        return Kind.INTEGER

    @property
    def range(self) -> Range:
        """Whole."""
        return COUNTS

    def cells(self, beside: AskedTogether) -> tuple[Cell, ...]:
        """Both cells of a split, or the rows themselves."""
        split = beside.split(self.where)
        return (Cell(Rows(where=self.where)),) if split is None else (Cell(split), Cell(split, 1))

    def answer(self, noisy: Sequence[NoisyCell]) -> Bar:
        """Their sum."""
        return counted(noisy)

    def expected_error(self, reach: Sequence[float], measure: Measure) -> float:
        """That of all cells."""
        del measure
        return sum(reach)
