"""COUNT(DISTINCT person): how many people there are."""

from dataclasses import dataclass
from typing import ClassVar

from sfumato.query.aggregates.base import AskedTogether, Cell, Count
from sfumato.query.measures import People


@dataclass(frozen=True, slots=True, kw_only=True)
class CountPeople(Count):
    """The number of people."""

    kind: ClassVar[str] = "people"
    weighs_rows: ClassVar[bool] = False

    def cells(self, beside: AskedTogether) -> tuple[Cell, ...]:
        """The people themselves."""
        del beside
        return (Cell(People(where=self.where)),)
