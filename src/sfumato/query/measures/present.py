"""How many rows have a value."""

from dataclasses import dataclass
from typing import ClassVar

from sfumato.query.measures.base import AdditiveMeasure, ColumnWriter, OfValue, Place, at_most


@dataclass(frozen=True, slots=True, kw_only=True)
class Present(OfValue, AdditiveMeasure):
    """The number of rows in which an expression has a value."""

    kind: ClassVar[str] = "present"
    words: ClassVar[str] = "rows with a value"

    def of_row(self, at: Place, write: ColumnWriter) -> list[str]:
        """1 where there is a value, unless a sum of the same values counts them."""
        if not at.counts_itself:
            return []
        return [f"CASE WHEN {self._condition(write)} AND {write.present(self.of)} THEN 1 END AS m{at.own}"]

    def of_person(self, at: Place, write: ColumnWriter) -> list[str]:
        """How many have one."""
        del write
        return [f"count(m{at.own}) AS x{at.own}"] if at.counts_itself else []

    def of_group(self, at: Place, write: ColumnWriter, most: int) -> list[str]:
        """At most so many of each person."""
        return [f"{write.total(at_most(f'x{at.counted}', most), narrow=True)} AS a{at.own}"]

    def of_all_rows(self, at: Place, write: ColumnWriter, person: str) -> list[str]:
        """All of them."""
        del write, person
        return [f"count(m{at.counted}) AS a{at.own}"]
