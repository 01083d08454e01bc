"""The sum of squares of a number, in steps from a centre."""

from dataclasses import dataclass
from typing import ClassVar

from sfumato.query.measures.base import Place
from sfumato.query.measures.sum import Sum


@dataclass(frozen=True, slots=True, kw_only=True)
class Square(Sum):
    """The sum of squares of what rows are above `centre`."""

    kind: ClassVar[str] = "square"
    words: ClassVar[str] = "sum of squares"

    @property
    def unit(self) -> int:
        """The square of the end that is farther from the centre."""
        return max((self.low - self.centre) ** 2, (self.high - self.centre) ** 2, 1)

    @property
    def only_adds(self) -> bool:
        """A square is never negative."""
        return True

    @property
    def is_light(self) -> bool:
        """Never: a product of doubles is not exact as soon."""
        return False

    @property
    def is_plain(self) -> bool:
        """Never: it is asked beside a count of the same rows."""
        return False

    def amount(self, at: Place) -> str:
        """The square of what a row is above the centre."""
        return f"m{at.own} * m{at.own}"
