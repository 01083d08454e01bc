"""How many rows there are."""

from dataclasses import dataclass
from typing import ClassVar

from sfumato.query.bounds import Bounds
from sfumato.query.measures.base import ColumnWriter, Place, RowMeasure


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows(RowMeasure):
    """The number of rows."""

    kind: ClassVar[str] = "rows"
    words: ClassVar[str] = "number of rows"
    adds_ones: ClassVar[bool] = True

    def counts_people(self, bounds: Bounds) -> bool:
        """Where a person has one row at most."""
        return self.where is None and bounds.rows_in_group == 1

    def of_all_rows(self, at: Place, write: ColumnWriter, person: str) -> str:
        """All of them."""
        del write, person
        return f"count({'*' if self.where is None else f'm{at.own}'}) AS a{at.own}"
