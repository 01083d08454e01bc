"""Learning, on one part of the draws, the event that tells two inputs apart best."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.audit.certify import epsilon_at_least
from sfumato.audit.outcomes import Outcomes
from sfumato.audit.views import Event, Mask, View, views

_PLAIN = 0.02  # a set of scattered cells must promise this much more than a plain interval, or half a deviation

Counts = NDArray[np.int64]
Looking = Callable[[Outcomes, Outcomes], list[View]]
"""Which views of two sets of outputs are tried."""


@dataclass(frozen=True)
class Learned:
    """An event, which input it is likelier on, the bound that the draws it was learned on would give, and its share."""

    event: Event
    first: bool
    promise: float
    likelihood: float


def learn(
    left: Outcomes, right: Outcomes, *, delta: float, confidence: float, looking: Looking = views
) -> Learned | None:
    """The event that promises the largest bound, in either direction; None if no output ever differs.

    Sets of cells are chosen on one half of the outputs and compared on the other: a set that only fits its own half, as
    any collection of rare outputs does, promises nothing there.
    """
    half, best = left.count // 2, None
    chosen_on = left.part(0, half), right.part(0, half)
    compared_on = left.part(half, 2 * half), right.part(half, 2 * half)
    for view in looking(*chosen_on):
        fit, check = ([_counts(view, o) for o in outcomes] for outcomes in (chosen_on, compared_on))
        for first in (True, False):
            (more, less), (hits, others) = (pair if first else pair[::-1] for pair in (fit, check))
            for plain, chosen in _sets(view, more, less, half, delta=delta, confidence=confidence):
                seen = int(hits[chosen].sum())
                bound = epsilon_at_least(seen, others[chosen].sum(), half, delta=delta, confidence=confidence)
                promise = float(bound) - (0.0 if plain else max(_PLAIN, math.sqrt(1 / (seen + 1)) / 2))
                if best is None or promise > best.promise:
                    best = Learned(Event(view, chosen), first, promise, seen / half)
    return best


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
        doubt = math.sqrt(1 / (hits[top] + 1) + 1 / (others[top] + 1)) / 4
        alike = int(np.flatnonzero(bounds >= bounds[top] - doubt)[-1])  # of sets as good, the likeliest certifies best
        chosen[order[: alike + 1]] = True
        yield plain, chosen
