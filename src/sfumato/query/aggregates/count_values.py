"""COUNT(x): how many rows have a value."""

from dataclasses import dataclass
from typing import ClassVar

from sfumato.query.aggregates.base import AskedTogether, Count, Form, OverValues, column


@dataclass(frozen=True, slots=True, kw_only=True)
class CountValues(Count, OverValues):
    """The number of rows in which an expression has a value."""

    kind: ClassVar[str] = "present"
    counts_values: ClassVar[bool] = True

    def forms(self, beside: AskedTogether) -> tuple[Form, ...]:
        """The count of values."""
        return (column(beside.count(self)),)
