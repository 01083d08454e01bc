"""COUNT(*): how many rows there are."""

from dataclasses import dataclass
from typing import ClassVar

from sfumato.query.aggregates.base import AskedTogether, Cell, Count
from sfumato.query.measures import Rows


@dataclass(frozen=True, slots=True, kw_only=True)
class CountRows(Count):
    """The number of rows."""

    kind: ClassVar[str] = "rows"
    counts_all_rows: ClassVar[bool] = True

    def cells(self, beside: AskedTogether) -> tuple[Cell, ...]:
        """Both cells of a split, or the rows themselves."""
        split = beside.split(self.where)
        return (Cell(Rows(where=self.where)),) if split is None else (Cell(split), Cell(split, 1))
