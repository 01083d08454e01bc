"""How many rows there are."""

from dataclasses import dataclass
from typing import ClassVar

from sfumato.query.bounds import Bounds
from sfumato.query.measures.base import ColumnWriter, Place, RowMeasure, at_most


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows(RowMeasure):
    """The number of rows."""

    kind: ClassVar[str] = "rows"
    words: ClassVar[str] = "number of rows"

    @property
    def needs_rows(self) -> bool:
        """Without a condition all rows of a person are counted."""
        return self.where is None

    def counts_people(self, bounds: Bounds) -> bool:
        """Where a person has one row at most."""
        return self.where is None and bounds.rows_in_group == 1

    def of_group(self, at: Place, write: ColumnWriter, most: int) -> list[str]:
        """At most so many of each person."""
        rows = "n" if self.where is None else f"x{at.own}"
        return [f"{write.total(at_most(rows, most), narrow=True)} AS a{at.own}"]

    def of_all_rows(self, at: Place, write: ColumnWriter, person: str) -> list[str]:
        """All of them."""
        del write, person
        return [f"count({'*' if self.where is None else f'm{at.own}'}) AS a{at.own}"]
