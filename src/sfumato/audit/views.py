"""Ways of sorting outputs into cells; an event is a view and the set of its cells."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.audit.edges import edges
from sfumato.audit.outcomes import Mask, Outcomes
from sfumato.audit.statistics import Statistic

Codes = NDArray[np.int64]
_BINS = 128
_SHOWN = 4


class Partition(Protocol):
    """A sorting of outputs into cells 0 … cells - 1."""

    @property
    def cells(self) -> int:
        """How many cells there are."""
        ...

    @property
    def ordered(self) -> bool:
        """Whether the cells follow each other, so that all up to one of them is an event in few words."""
        ...

    def codes(self, outcomes: Outcomes) -> Codes:
        """The cell of each output."""
        ...

    def words(self, chosen: Mask) -> str:
        """The event that an output falls into a chosen cell, in words."""
        ...


@dataclass(frozen=True)
class OutputEvent:
    """A set of outputs, fixed before the draws that it is counted on."""

    view: Partition
    chosen: Mask

    def count(self, outcomes: Outcomes) -> int:
        """How many outputs lie in it."""
        return int(np.count_nonzero(self.chosen[self.view.codes(outcomes)]))

    def __str__(self) -> str:
        return self.view.words(self.chosen)


def count_all(events: Sequence[OutputEvent], outcomes: Outcomes) -> list[int]:
    """How many outputs lie in each event; outputs are sorted once for all events of a view."""
    views = {id(event.view): event.view for event in events}
    sizes = {name: np.bincount(view.codes(outcomes), minlength=view.cells) for name, view in views.items()}
    return [int(sizes[id(event.view)][event.chosen].sum()) for event in events]


@dataclass(frozen=True)
class Bins:
    """Cells of one statistic: (-∞, e₀], (e₀, e₁], …, (e_last, ∞), and one for outputs that have no such number."""

    statistic: Statistic
    edges: NDArray[np.float64]
    ordered: bool = True

    @classmethod
    def of(cls, statistic: Statistic, left: Outcomes, right: Outcomes, bins: int = _BINS) -> "Bins | None":
        """Cells in the bulk, the tails and where the sides differ, or None where nothing varies."""
        sides = [statistic.of(side) for side in (left, right)]
        numbers = [side[~np.isnan(side)] for side in sides]
        if not len(numbers[0]) + len(numbers[1]):
            return None
        found = edges(numbers[0], numbers[1], bins)
        everywhere = all(len(some) == len(side) for some, side in zip(numbers, sides, strict=True))
        return None if len(found) < 2 and everywhere else cls(statistic, found)

    @property
    def cells(self) -> int:
        """One more than edges, and the one for what has no number."""
        return len(self.edges) + 2

    def codes(self, outcomes: Outcomes) -> Codes:
        """The cell of each output; the last is for those without a number."""
        seen = self.statistic.of(outcomes)
        placed = np.searchsorted(self.edges, seen, side="left").astype(np.int64)
        return np.where(np.isnan(seen), len(self.edges) + 1, placed)

    def words(self, chosen: Mask) -> str:
        """The union of intervals."""
        inside, name, said = chosen[:-1], self.statistic.words, list[str]()
        start = 0
        while start < len(inside):
            if not inside[start]:
                start += 1
                continue
            stop = start
            while stop + 1 < len(inside) and inside[stop + 1]:
                stop += 1
            said.append(self._interval(name, start, stop))
            start = stop + 1
        if chosen[-1]:
            said.append(f"{name} is no number")
        return either(said)

    def _interval(self, name: str, start: int, stop: int) -> str:
        low = "" if start == 0 else f"{self.edges[start - 1]:.6g} < "
        high = "" if stop == len(self.edges) else f" ≤ {self.edges[stop]:.6g}"
        if low and not high:
            return f"{name} > {self.edges[start - 1]:.6g}"
        return f"{low}{name}{high}" if low or high else f"{name} is a number"


@dataclass(frozen=True)
class Anything:
    """One cell for every output: what is left to look at where nothing ever differs."""

    cells: int = 1
    ordered: bool = False

    def codes(self, outcomes: Outcomes) -> Codes:
        """Always the one cell."""
        return np.zeros(outcomes.count, dtype=np.int64)

    def words(self, chosen: Mask) -> str:
        """Any output, or none."""
        return "any output" if chosen[0] else "nothing"


def either(parts: list[str]) -> str:
    """Events joined into one, the first few of them said."""
    if not parts:
        return "nothing"
    rest = len(parts) - _SHOWN
    return " or ".join(parts[:_SHOWN]) + (f" or {rest} more cells" if rest > 0 else "")
