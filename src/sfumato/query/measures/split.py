"""How many rows have a value, and how many have none: one histogram of two cells."""

from dataclasses import dataclass
from typing import ClassVar

from sfumato.query.measures.base import AdditiveMeasure, ColumnWriter, OfValue, Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Split(OfValue, AdditiveMeasure):
    """Rows with a value and rows without: a row falls into one of the two, so both counts cost as much as one."""

    kind: ClassVar[str] = "split"
    words: ClassVar[str] = "rows with and without a value"
    columns: ClassVar[int] = 2
    adds_ones: ClassVar[bool] = True

    def of_row(self, at: Place, write: ColumnWriter) -> list[str]:
        """1 where there is a value, unless a sum of the same values tells it; 1 where the condition holds."""
        where = self._condition(write)
        own = [f"CASE WHEN {where} AND {write.present(self.of)} THEN 1 END AS m{at.own}"] if at.counts_itself else []
        return own if self.where is None else [*own, f"CASE WHEN {where} THEN 1 END AS f{at.own}"]

    def counts(self, at: Place) -> str:
        """Where the condition holds, with a value or without."""
        return "TRUE" if self.where is None else f"f{at.own} = 1"

    def amounts(self, at: Place) -> list[str]:
        """One in the cell of those with a value, or of those without."""
        without = f"m{at.counted} IS NULL" + ("" if self.where is None else f" AND f{at.own} = 1")
        return [f"CASE WHEN m{at.counted} IS NOT NULL THEN 1 END", f"CASE WHEN {without} THEN 1 END"]

    def of_all_rows(self, at: Place, write: ColumnWriter, person: str) -> list[str]:
        """All of them."""
        del write, person
        rows = "count(*)" if self.where is None else f"count(f{at.own})"
        return [f"count(m{at.counted}) AS a{at.own}", f"{rows} - count(m{at.counted}) AS b{at.own}"]
