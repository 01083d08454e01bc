"""COUNT(DISTINCT x): how many different values there are."""

from dataclasses import dataclass
from typing import ClassVar

from sfumato.query.aggregates.base import AskedTogether, Count, Form, OverValues, column
from sfumato.query.measures import Distinct


@dataclass(frozen=True, slots=True, kw_only=True)
class CountDistinct(Count, OverValues):
    """The number of different values of an expression."""

    kind: ClassVar[str] = "distinct"
    has_own_statement: ClassVar[bool] = True
    weighs_rows: ClassVar[bool] = False

    def forms(self, beside: AskedTogether) -> tuple[Form, ...]:
        """The different values."""
        del beside
        return (column(Distinct(of=self.of, where=self.where)),)
