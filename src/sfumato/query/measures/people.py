"""How many people there are."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from sfumato.query.bounds import Bounds, Moves
from sfumato.query.measures.base import ColumnWriter, Place, RowMeasure

PARTS_OF_PEOPLE = 20
"""The bits of a part of a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class People(RowMeasure):
    """The number of people: one moves the count of a group by one, however many rows they have."""

    kind: ClassVar[str] = "people"
    words: ClassVar[str] = "number of people"

    @property
    def is_weighted(self) -> bool:
        """A person is one, however many rows they have; in many groups, a part of one in each."""
        return False

    def most(self, bounds: Bounds) -> int:
        """One."""
        del bounds
        return 1

    def moves(self, bounds: Bounds, *, grouped: bool) -> Moves:
        """One in each group that a person counts in whole, or as much in parts."""
        cells = Fraction(bounds.keys if grouped else 1)
        return Moves(cells, cells)

    def weighted_move(self, bounds: Bounds, heaviest: list[int]) -> int:
        """The weights of as many groups as a person counts in."""
        return sum(heaviest[: bounds.keys])

    def bits(self, weights: int, bounds: Bounds) -> int:
        """Whole people, unless they count in part."""
        del weights
        return PARTS_OF_PEOPLE if bounds.in_parts else 0

    def counts_people(self, bounds: Bounds) -> bool:
        """Without a condition."""
        del bounds
        return self.where is None

    def of_all_rows(self, at: Place, write: ColumnWriter, person: str) -> str:
        """Different people, or rows where each is a person of its own."""
        del write
        if not person:
            return f"count({'*' if self.where is None else f'm{at.own}'}) AS a{at.own}"
        one = person if self.where is None else f"CASE WHEN m{at.own} = 1 THEN {person} END"
        return f"count(DISTINCT {one}) AS a{at.own}"
