"""Learning, on one part of the draws, the events that tell two inputs apart best: one of each size.

A rare event needs fewer draws to be certified than to be noticed beside a common one, and a common one always looks
surer while draws are few. So events are compared only with events about as likely as they are, decade by decade.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.audit.atoms import views
from sfumato.audit.certify import Ahead
from sfumato.audit.outcomes import Mask, Outcomes
from sfumato.audit.views import OutputEvent, Partition

_PLAIN = 0.02  # a set of scattered cells must promise this much more than a plain interval, or half a deviation
_ENOUGH = 100  # hits on further draws that need no others beside them
DECADES = 6
"""Sizes that events are sorted by: above 1 in 10, above 1 in 100, …; the last holds whatever is rarer."""

Counts = NDArray[np.int64]
Looking = Callable[[Outcomes, Outcomes], list[Partition]]
"""Which views of two sets of outputs are tried."""


@dataclass(frozen=True)
class Learned:
    """An event, which input it is likelier on, whether it is said plainly, and how often it came when compared."""

    event: OutputEvent
    first: bool
    plain: bool
    hits: int
    others: int
    draws: int

    @property
    def likelihood(self) -> float:
        """The share of draws on the likelier input that it came in."""
        return self.hits / self.draws

    @property
    def decade(self) -> int:
        """How rare it is: 0 for more than one draw in ten."""
        return min(DECADES - 1, max(0, math.ceil(-math.log10(max(self.hits, 1e-9) / self.draws) - 1e-9) - 1))

    def promise(self, ahead: Ahead) -> float:
        """The bound that the draws ahead would give; scattered cells must promise more than a plain interval."""
        scattered = 0.0 if self.plain else max(_PLAIN, math.sqrt(1 / (self.hits + 1)) / 2)
        return float(ahead.promise(np.array(self.hits), np.array(self.others), self.draws)) - scattered

    def chance(self, ahead: Ahead) -> float:
        """How likely the draws ahead are to convict by it, in standard deviations."""
        return ahead.chance(self.hits, self.others, self.draws)

    def seen_on(self, left: Outcomes, right: Outcomes) -> "Learned":
        """The same event on further draws: by those alone where they are enough, otherwise with those before.

        It was chosen for what was counted before, which is partly luck.
        """
        one, other = self.event.count(left), self.event.count(right)
        hits, others = (one, other) if self.first else (other, one)
        if hits >= _ENOUGH:
            return replace(self, hits=hits, others=others, draws=left.count)
        return replace(self, hits=self.hits + hits, others=self.others + others, draws=self.draws + left.count)


@dataclass(frozen=True)
class LearnedEvents:
    """The best events of each decade, and how many were looked at."""

    events: tuple[Learned, ...]
    looked_at: int


def learn(left: Outcomes, right: Outcomes, ahead: Ahead, *, looking: Looking = views, most: int = 1) -> LearnedEvents:
    """The `most` events of each decade that promise the largest bounds, in either direction, best first.

    Sets of cells are chosen on one half of the outputs and compared on the other: a set that only fits its own half, as
    any collection of rare outputs does, promises nothing there.
    """
    half = left.count // 2
    chosen_on = left.part(0, half), right.part(0, half)
    compared_on = left.part(half, 2 * half), right.part(half, 2 * half)
    found: list[tuple[float, Learned]] = []
    looked_at = 0
    for view in looking(*chosen_on):
        fit, check = ([_counts(view, o) for o in outcomes] for outcomes in (chosen_on, compared_on))
        for first in (True, False):
            (more, less), (hits, others) = (pair if first else pair[::-1] for pair in (fit, check))
            looked_at += view.cells * (4 if view.ordered else 2)
            for plain, chosen in _sets(view, more, less, half, ahead):
                counts = int(hits[chosen].sum()), int(others[chosen].sum())
                event = Learned(OutputEvent(view, chosen), first, plain, *counts, half)
                found.append((event.promise(ahead), event))
    found.sort(key=lambda entry: entry[0], reverse=True)
    kept: list[Learned] = []
    for decade in range(DECADES):
        kept += [event for _, event in found if event.decade == decade][:most]
    return LearnedEvents(tuple(sorted(kept, key=lambda event: event.promise(ahead), reverse=True)), looked_at)


def decades(hits: Counts, draws: int) -> Counts:
    """The decade of each count.

    >>> decades(np.array([1000, 100, 99, 0]), 1000).tolist()
    [0, 0, 1, 5]
    """
    rare = -np.log10(np.maximum(hits, 1e-9) / draws)
    return np.asarray(np.clip(np.ceil(rare - 1e-9) - 1, 0, DECADES - 1), dtype=np.int64)


def _counts(view: Partition, outcomes: Outcomes) -> Counts:
    return np.bincount(view.codes(outcomes), minlength=view.cells)


def _sets(view: Partition, more: Counts, less: Counts, draws: int, ahead: Ahead) -> Iterator[tuple[bool, Mask]]:
    """Sets of cells worth comparing, a few of each decade, and whether they are said plainly.

    They are single cells, all up to or from a cell on, and the cells of largest ratio, as level sets of the likelihood
    ratio are all that any bound needs (Neyman, Pearson 1933). The ratio of a rarely seen cell counts for what it surely
    is.
    """
    single = ahead.promise(more, less, draws)
    for inside in _by_decade(more, draws):
        top = int(np.where(inside, single, -math.inf).argmax())
        yield True, _mask(view, [top])
    surely = np.log((more + 0.5) / (less + 0.5)) - np.sqrt(1 / (more + 0.5) + 1 / (less + 0.5))
    orders = [(False, np.argsort(-surely, kind="stable"))]
    if view.ordered:
        orders += [(True, np.arange(view.cells)), (True, np.arange(view.cells - 2, -1, -1))]
    for plain, order in orders:
        hits, others = np.cumsum(more[order]), np.cumsum(less[order])
        bounds = ahead.promise(hits, others, draws)
        for inside in _by_decade(hits, draws):
            within = np.where(inside, bounds, -math.inf)
            top = int(within.argmax())
            doubt = math.sqrt(1 / (hits[top] + 1) + 1 / (others[top] + 1)) / 4
            alike = np.flatnonzero(within >= within[top] - doubt)
            if others[top] >= _ENOUGH:  # of common sets as good, the likeliest certifies best
                yield plain, _mask(view, order[: alike[-1] + 1])
            else:  # a rare one ends in the middle of the empty cells around it; a smaller one is surer to be alone
                level = np.flatnonzero(within == within[top])
                yield plain, _mask(view, order[: level[(len(level) - 1) // 2] + 1])
                yield plain, _mask(view, order[: alike[0] + 1])


def _by_decade(hits: Counts, draws: int) -> Iterator[Mask]:
    """Which counts are of each decade, for those that some are of."""
    sizes = decades(hits, draws)
    for decade in np.unique(sizes[hits > 0]):
        yield np.asarray((sizes == decade) & (hits > 0))


def _mask(view: Partition, cells: Any) -> Mask:
    chosen = np.zeros(view.cells, dtype=np.bool_)
    chosen[cells] = True
    return chosen
