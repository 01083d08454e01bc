"""How many rows have a value."""

from dataclasses import dataclass
from typing import ClassVar

from sfumato.query.measures.base import AdditiveMeasure, ColumnWriter, OfValue, Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Present(OfValue, AdditiveMeasure):
    """The number of rows in which an expression has a value."""

    kind: ClassVar[str] = "present"
    words: ClassVar[str] = "rows with a value"
    adds_ones: ClassVar[bool] = True

    def of_row(self, at: Place, write: ColumnWriter) -> list[str]:
        """1 where there is a value, unless a sum of the same values tells it."""
        if not at.counts_itself:
            return []
        return [f"CASE WHEN {self._condition(write)} AND {write.present(self.of)} THEN 1 END AS m{at.own}"]

    def counts(self, at: Place) -> str:
        """Where there is a value."""
        return f"m{at.counted} IS NOT NULL"

    def amount(self, at: Place) -> str:
        """One where there is a value."""
        return f"m{at.own}" if at.counts_itself else f"CASE WHEN m{at.counted} IS NOT NULL THEN 1 END"

    def of_all_rows(self, at: Place, write: ColumnWriter, person: str) -> str:
        """All of them."""
        del write, person
        return f"count(m{at.counted}) AS a{at.own}"
