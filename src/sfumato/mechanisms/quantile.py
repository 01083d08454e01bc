"""Quantiles by the exponential mechanism over an interval (Smith 2011, with ties treated as they deserve).

Candidates are the grid points y of the interval. With L the people below y and U those at or below, the score is minus
the distance of q·n from [L, U]: zero where y is a q-quantile, however many people share it. One person more moves
L, U and q·n by at most one each, and the distance by at most max(q, 1 - q); replacing one moves it by at most 1.

n sorted values cut the interval into 2n + 1 runs of equal score: a run of w points is drawn as one candidate of weight
w and then a point in it uniformly, so the cost does not depend on how fine the grid is, nor on the values.
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import events
from sfumato.core import Accuracy, Change, Neighbours
from sfumato.core.domain import Grid
from sfumato.errors import InvalidParameter
from sfumato.exact import exponential_mechanism, integers
from sfumato.exact.bits import BitSource, source
from sfumato.exact.parameters import Real, nearest, open_probability, positive, probability, rational
from sfumato.mechanisms.additive import log_inverse

_FINEST = 10**6  # q is a fraction with a denominator of at most this
_MOST_PEOPLE = 2**62 // _FINEST
Steps = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Quantile:
    """A value of the interval near the q-quantile of the data: ε-differentially private.

    `release` gives an int where `grid` is a whole number, else a float. No data at all is data too: the answer is then
    any value of the interval.

    >>> from sfumato.core import Neighbours
    >>> median = Quantile(q=0.5, epsilon=1, lower=0, upper=120, grid=1, neighbours=Neighbours())
    >>> median.release([20] * 300 + [45] * 300 + [80] * 300)
    45
    >>> print(median.error(0.05))
    within 7.79 with probability 95 %
    """

    q: Real
    epsilon: Real
    lower: Real
    upper: Real
    grid: Real
    neighbours: Neighbours
    domain: Grid = field(init=False, repr=False, compare=False)
    event: events.Event = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "q", probability("q", self.q).limit_denominator(_FINEST))
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))
        object.__setattr__(self, "domain", Grid(self.lower, self.upper, positive("grid", self.grid)))
        if not isinstance(self.neighbours, Neighbours):
            raise InvalidParameter("neighbours", "must be a relation", self.neighbours, hint="for example Neighbours()")
        object.__setattr__(self, "event", events.Exponential(self.epsilon))

    @property
    def moved(self) -> Fraction:
        """The most one person moves a score: max(q, 1 - q) people, or one if people are replaced."""
        q = rational("q", self.q)
        return max(q, 1 - q) if self.neighbours.change is Change.ADD_REMOVE else Fraction(1)

    def release(self, exact: Any, *, bits: BitSource | None = None) -> int | float:
        """A value whose rank is near q·n; data outside the interval count at its ends."""
        return self.from_sorted(np.sort(self.domain.places(exact)), source(bits))

    def from_sorted(self, steps: Steps, bits: BitSource) -> int | float:
        """The same from values placed on the grid and sorted."""
        if len(steps) > _MOST_PEOPLE:
            raise InvalidParameter("exact", f"must be at most {_MOST_PEOPLE} values, got", "more")
        q, (start, weight, below, upto) = rational("q", self.q), _runs(steps, self.domain)
        target, unit = len(steps) * q.numerator, q.denominator  # scores in people/unit, so that they are whole
        score = -np.maximum(0, np.maximum(below * unit - target, target - upto * unit))
        run = exponential_mechanism(score, self.epsilon, self.moved * unit, weights=weight, bits=bits)
        place = int(start[run]) + integers(int(weight[run]), bits=bits)
        value = self.domain.value(place)
        return int(value) if rational("grid", self.grid).denominator == 1 else nearest(value)

    def error(self, beta: Real) -> Accuracy:
        """q·n is within this many people of the released value's rank, with probability 1 - beta.

        Corollary 4.6 over the grid points, the best of which has a score of zero (Survey Corollary 4.6).
        """
        fails = open_probability("beta", beta)
        shortfall = log(len(self.domain.ends)) + log_inverse(fails)
        people = nearest(2 * self.moved / positive("epsilon", self.epsilon)) * shortfall * (1 + 1e-12)
        return Accuracy(people, float(fails))


def _runs(x: Steps, domain: Grid) -> tuple[Steps, Steps, Steps, Steps]:
    """Runs of grid points of equal score: where they start, how many points, people below, people up to.

    n + 1 gaps between neighbouring values, then n values; what a tie makes empty has no points.
    """
    n, low, high = len(x), domain.ends.lower, domain.ends.upper
    ends = np.concatenate([[low - 1], x, [high + 1]])
    rank = np.arange(n + 1)
    first = np.ones(n, dtype=np.bool_)
    first[1:] = x[1:] != x[:-1]
    below = np.maximum.accumulate(np.where(first, rank[:n], 0))
    last = np.append(first[1:], True)[:n]
    upto = np.minimum.accumulate(np.where(last, rank[1:], n)[::-1])[::-1]
    start = np.concatenate([ends[:-1] + 1, x])
    weight = np.concatenate([np.maximum(0, np.diff(ends) - 1), first])
    return start, weight, np.concatenate([rank, below]), np.concatenate([rank, upto])


@dataclass(frozen=True, kw_only=True)
class Quantiles:
    """Several quantiles of the same data in order, each with an equal part of ε.

    >>> from sfumato.core import Neighbours
    >>> one = Quantile(q=0.5, epsilon=1, lower=0, upper=120, grid=1, neighbours=Neighbours())
    >>> quartiles = Quantiles(qs=(0.25, 0.5, 0.75), of=one)
    >>> quartiles.release([20] * 9000 + [45] * 9000 + [80] * 9000)
    [20, 45, 80]
    """

    qs: tuple[Real, ...]
    of: Quantile
    parts: tuple[Quantile, ...] = field(init=False, repr=False, compare=False)
    event: events.Event = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        qs = tuple(self.qs)
        if not qs or sorted(qs) != list(qs):
            raise InvalidParameter("qs", "must be probabilities in growing order", self.qs)
        share = positive("epsilon", self.of.epsilon) / len(qs)
        object.__setattr__(self, "qs", qs)
        object.__setattr__(self, "parts", tuple(replace(self.of, q=q, epsilon=share) for q in qs))
        object.__setattr__(self, "event", events.Composition([part.event for part in self.parts]))

    def release(self, exact: Any, *, bits: BitSource | None = None) -> list[int | float]:
        """One value for each q, put in order."""
        steps, stream = np.sort(self.of.domain.places(exact)), source(bits)
        return sorted(part.from_sorted(steps, stream) for part in self.parts)

    def error(self, beta: Real) -> Accuracy:
        """Every released value's rank is that near to its q·n, with probability 1 - beta.

        Putting the values in order only brings each nearer to its own target.
        """
        fails = open_probability("beta", beta)
        worst = max(part.error(fails / len(self.parts)).alpha for part in self.parts)
        return Accuracy(worst, float(fails))
