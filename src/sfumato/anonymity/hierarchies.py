"""Making values less precise, level by level; level 0 is the value itself and the last level says nothing."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.errors import InvalidParameter

ANYTHING = "*"


class Hierarchy(ABC):
    """A ladder of coarser values for one column."""

    @property
    @abstractmethod
    def levels(self) -> int:
        """How many levels there are, with the value itself and with the one that says nothing."""

    def at(self, level: int, value: Hashable) -> Hashable:
        """The value at a level."""
        if not 0 <= level < self.levels:
            raise InvalidParameter("level", f"must be between 0 and {self.levels - 1}", level)
        if level == 0:
            return value
        return ANYTHING if level == self.levels - 1 else self._coarser(level, value)

    @abstractmethod
    def _coarser(self, level: int, value: Hashable) -> Hashable:
        """The value at a level between."""


@dataclass(frozen=True, slots=True)
class Intervals(Hierarchy):
    """Numbers in intervals of growing width.

    >>> ages = Intervals((5, 20))
    >>> [ages.at(level, 37) for level in range(4)]
    [37, '35-39', '20-39', '*']
    """

    widths: tuple[int, ...]

    def __post_init__(self) -> None:
        growing = all(a < b for a, b in zip(self.widths, self.widths[1:], strict=False))
        if any(type(w) is not int or w < 1 for w in self.widths) or not growing:
            raise InvalidParameter("widths", "must be whole numbers that grow", self.widths)

    @property
    def levels(self) -> int:
        """The value, each width, nothing."""
        return len(self.widths) + 2

    def _coarser(self, level: int, value: Any) -> Hashable:
        width = self.widths[level - 1]
        try:
            start = int(value) // width * width
        except (TypeError, ValueError):
            raise InvalidParameter("value", "must be a number to have an interval, found", "another") from None
        return f"{start}-{start + width - 1}" if width > 1 else start


@dataclass(frozen=True, slots=True)
class Prefixes(Hierarchy):
    """Texts of which ever fewer leading characters are kept.

    >>> [Prefixes((3, 1)).at(level, "02138") for level in range(4)]
    ['02138', '021**', '0****', '*']
    """

    lengths: tuple[int, ...]

    def __post_init__(self) -> None:
        shrinking = all(a > b for a, b in zip(self.lengths, self.lengths[1:], strict=False))
        if any(type(n) is not int or n < 1 for n in self.lengths) or not shrinking:
            raise InvalidParameter("lengths", "must be whole numbers that shrink", self.lengths)

    @property
    def levels(self) -> int:
        """The value, each length, nothing."""
        return len(self.lengths) + 2

    def _coarser(self, level: int, value: Hashable) -> Hashable:
        text, kept = str(value), self.lengths[level - 1]
        return text[:kept] + ANYTHING * max(0, len(text) - kept)


@dataclass(frozen=True, slots=True)
class Groups(Hierarchy):
    """Values that belong to named groups; a value that has none is its own.

    >>> Groups(({"flat": "home", "house": "home"},)).at(1, "flat")
    'home'
    """

    steps: tuple[Mapping[Hashable, Hashable], ...] = ()

    @property
    def levels(self) -> int:
        """The value, each grouping, nothing."""
        return len(self.steps) + 2

    def _coarser(self, level: int, value: Hashable) -> Hashable:
        return self.steps[level - 1].get(value, value)
