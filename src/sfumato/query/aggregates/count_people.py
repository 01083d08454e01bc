"""COUNT(DISTINCT person): how many people there are."""

from dataclasses import dataclass
from typing import ClassVar

from sfumato.query.aggregates.base import AskedTogether, Count, Form, column
from sfumato.query.measures import People


@dataclass(frozen=True, slots=True, kw_only=True)
class CountPeople(Count):
    """The number of people."""

    kind: ClassVar[str] = "people"
    weighs_rows: ClassVar[bool] = False

    def forms(self, beside: AskedTogether) -> tuple[Form, ...]:
        """The people themselves."""
        del beside
        return (column(People(where=self.where)),)
