"""COUNT(*): how many rows there are."""

from dataclasses import dataclass
from typing import ClassVar

from sfumato.query.aggregates.base import AskedTogether, Count, Form, column
from sfumato.query.measures import Rows


@dataclass(frozen=True, slots=True, kw_only=True)
class CountRows(Count):
    """The number of rows."""

    kind: ClassVar[str] = "rows"
    counts_all_rows: ClassVar[bool] = True

    def forms(self, beside: AskedTogether) -> tuple[Form, ...]:
        """The rows themselves."""
        del beside
        return (column(Rows(where=self.where)),)
