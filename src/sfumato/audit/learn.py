"""Learning, on one part of the draws, the event that tells two inputs apart best."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sfumato.audit.certify import epsilon_at_least
from sfumato.audit.outcomes import Outcomes
from sfumato.audit.views import Event, Mask, View, views

_PLAIN = 0.02  # a set of scattered cells must promise this much more than a plain interval, or half a deviation
_TIE = 1e-4  # significance decides between events that promise nothing

Counts = NDArray[np.int64]
Looking = Callable[[Outcomes, Outcomes], list[View]]
"""Which views of two sets of outputs are tried."""


@dataclass(frozen=True)
class Learned:
    """An event, which input it is likelier on, whether it is said plainly, and how often it came when compared."""

    event: Event
    first: bool
    plain: bool
    hits: int
    others: int
    draws: int

    @property
    def likelihood(self) -> float:
        """The share of draws on the likelier input that it came in."""
        return self.hits / self.draws

    def promise(self, *, delta: float, confidence: float) -> float:
        """The bound that so many draws would give; scattered cells must promise more than a plain interval."""
        bound = float(epsilon_at_least(self.hits, self.others, self.draws, delta=delta, confidence=confidence))
        scattered = 0.0 if self.plain else max(_PLAIN, math.sqrt(1 / (self.hits + 1)) / 2)
        sure = _significance(np.array(self.hits), np.array(self.others), self.draws, delta)
        return bound - scattered + _TIE * float(sure)

    def seen_on(self, left: Outcomes, right: Outcomes) -> "Learned":
        """The same event with the counts of further draws added."""
        one, other = self.event.count(left), self.event.count(right)
        hits, others = (one, other) if self.first else (other, one)
        return replace(self, hits=self.hits + hits, others=self.others + others, draws=self.draws + left.count)


def learn(
    left: Outcomes, right: Outcomes, *, delta: float, confidence: float, looking: Looking = views, most: int = 1
) -> list[Learned]:
    """The events that promise the largest bounds, in either direction, best first; none if no output ever differs.

    Sets of cells are chosen on one half of the outputs and compared on the other: a set that only fits its own half, as
    any collection of rare outputs does, promises nothing there.
    """
    half = left.count // 2
    chosen_on = left.part(0, half), right.part(0, half)
    compared_on = left.part(half, 2 * half), right.part(half, 2 * half)
    found: list[Learned] = []
    for view in looking(*chosen_on):
        fit, check = ([_counts(view, o) for o in outcomes] for outcomes in (chosen_on, compared_on))
        for first in (True, False):
            (more, less), (hits, others) = (pair if first else pair[::-1] for pair in (fit, check))
            for plain, chosen in _sets(view, more, less, half, delta=delta, confidence=confidence):
                counts = int(hits[chosen].sum()), int(others[chosen].sum())
                found.append(Learned(Event(view, chosen), first, plain, *counts, half))
    found.sort(key=lambda learned: learned.promise(delta=delta, confidence=confidence), reverse=True)
    return found[:most]


def _significance(hits: Counts, others: Counts, draws: int, delta: float) -> NDArray[np.float64]:
    """How many standard deviations the logarithm of the ratio of two counts is above zero."""
    ratio = np.log(np.maximum(hits - delta * draws, 0.5) / (others + 0.5))
    return np.asarray(ratio / np.sqrt(1 / (hits + 0.5) + 1 / (others + 0.5)))


def _counts(view: View, outcomes: Outcomes) -> Counts:
    codes = view.codes(outcomes)
    return np.bincount(codes[codes >= 0], minlength=view.cells)


def _sets(
    view: View, more: Counts, less: Counts, draws: int, *, delta: float, confidence: float
) -> Iterator[tuple[bool, Mask]]:
    """Sets of cells worth comparing, and whether they are said plainly.

    They are the best of those that keep the cells of largest ratio, as level sets of the likelihood ratio are all that
    any bound needs (Neyman, Pearson 1933), and the best of those up to or from a cell on. The ratio of a rarely seen
    cell counts for what it surely is.
    """
    surely = np.log((more + 0.5) / (less + 0.5)) - np.sqrt(1 / (more + 0.5) + 1 / (less + 0.5))
    orders = [(False, np.argsort(-surely, kind="stable"))]
    if view.ordered:
        orders += [(True, np.arange(view.cells)), (True, np.arange(view.cells - 2, -1, -1))]
    for plain, order in orders:
        hits, others = np.cumsum(more[order]), np.cumsum(less[order])
        bounds = epsilon_at_least(hits, others, draws, delta=delta, confidence=confidence)
        chosen = np.zeros(view.cells, dtype=np.bool_)
        top = int(bounds.argmax())
        if bounds[top] > 0:
            doubt = math.sqrt(1 / (hits[top] + 1) + 1 / (others[top] + 1)) / 4
            alike = int(
                np.flatnonzero(bounds >= bounds[top] - doubt)[-1]
            )  # of sets as good, the likeliest certifies best
        else:  # nothing is shown by so few: what comes nearest to showing it
            alike = int(_significance(hits, others, draws, delta).argmax())
        chosen[order[: alike + 1]] = True
        yield plain, chosen
