"""COUNT(DISTINCT x): how many different values there are."""

from dataclasses import dataclass
from typing import ClassVar

from sfumato.query.aggregates.base import AskedTogether, Cell
from sfumato.query.aggregates.count_values import CountValues
from sfumato.query.measures import Distinct


@dataclass(frozen=True, slots=True, kw_only=True)
class CountDistinct(CountValues):
    """The number of different values of an expression."""

    kind: ClassVar[str] = "distinct"
    has_own_statement: ClassVar[bool] = True
    counts_values: ClassVar[bool] = False

    def cells(self, beside: AskedTogether) -> tuple[Cell, ...]:
        """The different values."""
        del beside
        return (Cell(Distinct(of=self.of, where=self.where)),)
