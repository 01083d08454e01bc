"""COUNT(DISTINCT person): how many people there are."""

from dataclasses import dataclass
from typing import ClassVar

from sfumato.query.aggregates.base import AskedTogether, Cell
from sfumato.query.aggregates.count_rows import CountRows
from sfumato.query.measures import People


@dataclass(frozen=True, slots=True, kw_only=True)
class CountPeople(CountRows):
    """The number of people."""

    kind: ClassVar[str] = "people"
    counts_all_rows: ClassVar[bool] = False

    def cells(self, beside: AskedTogether) -> tuple[Cell, ...]:
        """The people themselves."""
        del beside
        return (Cell(People(where=self.where)),)
