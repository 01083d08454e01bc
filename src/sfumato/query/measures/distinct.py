"""How many different values there are."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from sfumato.query.bounds import Bounds, Moves
from sfumato.query.measures.base import OfValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Distinct(OfValue):
    """The number of different values: one of a person's rows brings one at most. It has a statement of its own."""

    kind: ClassVar[str] = "distinct"
    words: ClassVar[str] = "different values"

    @property
    def is_weighted(self) -> bool:
        """A value is there or not: of the values of a person some are picked."""
        return False

    def most(self, bounds: Bounds) -> int:
        """All that are picked may be of one group."""
        return bounds.total

    def moves(self, bounds: Bounds, *, grouped: bool) -> Moves:
        """One for each that is picked."""
        del grouped
        return Moves(Fraction(bounds.total), Fraction(bounds.total**2))

    def weighted_move(self, bounds: Bounds, heaviest: list[int]) -> int:
        """All of them in the heaviest group."""
        return bounds.total * max(heaviest, default=0)

    def bits(self, weights: int, bounds: Bounds) -> int:
        """Whole values."""
        del weights, bounds
        return 0
