"""How many rows have a value, and how many have none: one histogram of two cells."""

from dataclasses import dataclass
from typing import ClassVar

from sfumato.query.measures.base import AdditiveMeasure, ColumnWriter, OfValue, Place, at_most, kept_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Split(OfValue, AdditiveMeasure):
    """Rows with a value and rows without: a row falls into one of the two, so both counts cost as much as one."""

    kind: ClassVar[str] = "split"
    words: ClassVar[str] = "rows with and without a value"
    columns: ClassVar[int] = 2

    @property
    def needs_rows(self) -> bool:
        """Rows without a value are rows."""
        return self.where is None

    def of_row(self, at: Place, write: ColumnWriter) -> list[str]:
        """1 where there is a value, unless a sum of the same values counts them; 1 where the condition holds."""
        where = self._condition(write)
        own = [f"CASE WHEN {where} AND {write.present(self.of)} THEN 1 END AS m{at.own}"] if at.counts_itself else []
        return own if self.where is None else [*own, f"CASE WHEN {where} THEN 1 END AS f{at.own}"]

    def of_person(self, at: Place, write: ColumnWriter) -> list[str]:
        """How many have a value; how many the condition holds for."""
        del write
        own = [f"count(m{at.own}) AS x{at.own}"] if at.counts_itself else []
        return own if self.where is None else [*own, f"count(f{at.own}) AS n{at.own}"]

    def of_group(self, at: Place, write: ColumnWriter, most: int) -> list[str]:
        """Of so many rows of a person, the share that has a value, and the rest."""
        rows = "n" if self.where is None else f"n{at.own}"
        kept = kept_of(f"x{at.counted}", rows, most, write)
        without = f"{at_most(rows, most)} - ({kept})"
        return [
            f"{write.total(kept, narrow=True)} AS a{at.own}",
            f"{write.total(without, narrow=True)} AS b{at.own}",
        ]

    def of_all_rows(self, at: Place, write: ColumnWriter, person: str) -> list[str]:
        """All of them."""
        del write, person
        rows = "count(*)" if self.where is None else f"count(f{at.own})"
        return [f"count(m{at.counted}) AS a{at.own}", f"{rows} - count(m{at.counted}) AS b{at.own}"]
