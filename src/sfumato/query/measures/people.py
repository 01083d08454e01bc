"""How many people there are."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from sfumato.query.bounds import Bounds, Moves
from sfumato.query.measures.base import ColumnWriter, Place, RowMeasure, at_most


@dataclass(frozen=True, slots=True, kw_only=True)
class People(RowMeasure):
    """The number of people: one moves the count of a group by one, however many rows they have."""

    kind: ClassVar[str] = "people"
    words: ClassVar[str] = "number of people"

    def most(self, bounds: Bounds) -> int:
        """One."""
        del bounds
        return 1

    def moves(self, bounds: Bounds, *, grouped: bool) -> Moves:
        """One in each group a person counts in."""
        cells = Fraction(bounds.keys if grouped else 1)
        return Moves(cells, cells)

    def weighted_move(self, bounds: Bounds, heaviest: list[int]) -> int:
        """The weights of as many groups as a person counts in."""
        return sum(heaviest[: bounds.keys])

    def counts_people(self, bounds: Bounds) -> bool:
        """Without a condition."""
        del bounds
        return self.where is None

    def of_group(self, at: Place, write: ColumnWriter, most: int) -> list[str]:
        """One a person."""
        del most
        if self.where is None:
            return [f"count(*) AS a{at.own}"]
        return [f"{write.total(at_most(f'x{at.own}', 1), narrow=True)} AS a{at.own}"]

    def of_all_rows(self, at: Place, write: ColumnWriter, person: str) -> list[str]:
        """Different people, or rows where each is a person of its own."""
        del write
        if not person:
            return [f"count({'*' if self.where is None else f'm{at.own}'}) AS a{at.own}"]
        one = person if self.where is None else f"CASE WHEN m{at.own} = 1 THEN {person} END"
        return [f"count(DISTINCT {one}) AS a{at.own}"]
