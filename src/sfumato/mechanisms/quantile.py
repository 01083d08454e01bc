"""Quantiles by a selection over an interval (Smith 2011, with ties treated as they deserve).

Candidates are the grid points y of the interval. With L the people below y and U those at or below, the score is
min(U - q·n, q·n - L): how deep q·n lies in [L, U] where y is a q-quantile, and minus how far it is from [L, U] where it
is not. One person more moves each of the two by q or 1 - q, and the score by max(q, 1 - q) at most; replacing one moves
it by at most 1. A depth is as private as none, and keeps values that many people share apart from their neighbours:
with none, the value beside a quantile is nearly as good as it if q·n lies near its end. The distance of q·n from the
middle of [L, U] is as far apart, and prefers a value beside the one that most people share.

n sorted values cut the interval into 2n + 1 runs of equal score: a run of w points is drawn as one candidate of weight
w and then a point in it uniformly, so the cost does not depend on how fine the grid is. Ranks far from q·n hold so
little weight that only where the draw's leading bits leave doubt are they looked at at all.

Points are drawn by the exponential mechanism, or by permute-and-flip (McKenna, Sheldon 2020): every point has a coin
that is heads with probability exp(rate·score), and one of the heads is chosen. Its error is less at one ε; but it is
not of bounded range, so that at one ρ the exponential mechanism, whose ρ is a fourth, is better.
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, floor, log
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import events
from sfumato.core import Accuracy, Change, Neighbours
from sfumato.core.domain import Grid
from sfumato.errors import InvalidParameter
from sfumato.exact import integers
from sfumato.exact.bits import BitSource, source
from sfumato.exact.parameters import Real, amount, integer, nearest, open_probability, positive, probability
from sfumato.exact.placing import nearest_step
from sfumato.exact.rounding import exp_up
from sfumato.exact.selection import exponential_mechanism, permute_and_flip, windowed_exponential_mechanism
from sfumato.mechanisms.additive import log_inverse, stated
from sfumato.mechanisms.answers import people_values

_FINEST = 10**6  # q is a fraction with a denominator of at most this
_MEANT = Fraction(1, 10**9)  # moves q·n by one person in a thousand million at most
_MOST_PEOPLE = 2**62 // _FINEST
Steps = NDArray[np.int64]
SelectedBy = Literal["exponential", "permute_and_flip"]
"""How one of the grid points is drawn by its score."""


def selection_event(by: SelectedBy, epsilon: Real) -> events.Event:
    """What a selection costs: permute-and-flip is ε-private and no more is known of it (Survey Theorem 4.7)."""
    return events.PermuteAndFlip(epsilon) if by == "permute_and_flip" else events.Exponential(epsilon)


def shortfall(by: SelectedBy, candidates: int, fails: Fraction) -> float:
    """An x that rate·(best score - chosen score) exceeds with probability at most `fails`, of so many candidates.

    ln of their number, and of 1/fails (Survey Corollary 4.6). By permute-and-flip half of the others: one that is x
    behind is heads with probability exp(-x), and of two heads it is chosen half of the time.
    """
    rivals = log(candidates) if by == "exponential" else log(max(1, candidates - 1)) - log(2)
    return max(0.0, rivals + log_inverse(fails)) * (1 + 1e-12)


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
    shift: int = 0
    """How many people beyond q·n the rank aimed at is: a fixed number moves no score further between neighbours."""
    by: SelectedBy = "exponential"
    """How a point is drawn: permute-and-flip errs less at one ε, and costs four times as much in ρ."""
    domain: Grid = field(init=False, repr=False, compare=False)
    event: events.Event = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "q", _simple(probability("q", self.q)))
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))
        integer("shift", self.shift)
        if self.by not in get_args(SelectedBy):
            raise InvalidParameter("by", "must be exponential or permute_and_flip", self.by)
        domain = Grid(self.lower, self.upper, positive("grid", self.grid))
        for name, exact in (("lower", domain.lower), ("upper", domain.upper), ("grid", domain.step)):
            object.__setattr__(self, name, exact)
        object.__setattr__(self, "domain", domain)
        if not isinstance(self.neighbours, Neighbours):
            raise InvalidParameter("neighbours", "must be a relation", self.neighbours, hint="for example Neighbours()")
        if max(abs(self.domain.ends.lower), abs(self.domain.ends.upper)) > 2**53:
            raise InvalidParameter("grid", "must leave at most 2**53 points on either side of zero", self.grid)
        object.__setattr__(self, "event", selection_event(self.by, self.epsilon))

    @property
    def moved(self) -> Fraction:
        """The most one person moves a score: max(q, 1 - q) people, or one if people are replaced."""
        q = amount("q", self.q)
        return max(q, 1 - q) if self.neighbours.change is Change.ADD_REMOVE else Fraction(1)

    def release(self, exact: Any, *, bits: BitSource | None = None) -> int | float:
        """A value whose rank is near q·n; data outside the interval count at its ends."""
        return self.of_placed(self.places(exact), source(bits))

    def places(self, exact: Any) -> Steps:
        """The data on the grid; NaN counts at the lower end, as one person's value must not refuse everybody's."""
        values = people_values("exact", exact, amount("lower", self.lower))
        if values.dtype != np.object_:
            return self.domain.places(values)
        ends, step = self.domain.ends, positive("grid", self.grid)
        return np.array([ends.clip(nearest_step(value, step)) for value in values.ravel()], dtype=np.int64)

    def of_placed(self, steps: Steps, bits: BitSource) -> int | float:
        """The same from values placed on the grid, in any order."""
        most_people(len(steps))
        if self.by == "permute_and_flip":  # every point has a coin: none is left out
            return self._drawn(runs(np.sort(steps), self.domain), len(steps), bits)
        q = amount("q", self.q)
        near = window_of(steps, self.domain, Fraction(self._target(len(steps)), q.denominator), self._reach)
        outside = near.before * self._weight(near.gap_before) + near.after * self._weight(near.gap_after)
        everything: list[Runs] = []

        def sorted_whole() -> tuple[Steps, Steps]:
            everything.append(runs(np.sort(steps), self.domain))
            return self._scored(everything[0], len(steps))

        run, in_window = windowed_exponential_mechanism(
            self._scored(near.runs, len(steps)),
            self.epsilon,
            self.moved * q.denominator,
            outside=outside,
            everything=sorted_whole,
            bits=bits,
        )
        return self._point(near.runs if in_window else everything[0], run, bits)

    def of_counted(self, values: Steps, counts: Steps, bits: BitSource) -> int | float:
        """The same from different grid points in growing order and how many people share each."""
        n = most_people(int(counts.sum()))
        ends = np.concatenate([[self.domain.ends.lower - 1], values, [self.domain.ends.upper + 1]])
        these = _between_ranks(ends, np.concatenate([[0], np.cumsum(counts)]))
        return self._drawn(these, n, bits)

    def _drawn(self, these: "Runs", n: int, bits: BitSource) -> int | float:
        """A point of all runs."""
        scores, points = self._scored(these, n)
        draw = permute_and_flip if self.by == "permute_and_flip" else exponential_mechanism
        moved = self.moved * amount("q", self.q).denominator
        return self._point(these, draw(scores, self.epsilon, moved, weights=points, bits=bits), bits)

    def _point(self, these: "Runs", run: int, bits: BitSource) -> int | float:
        """Any point of a run: all have one score, so that none is likelier."""
        place = int(these.start[run]) + integers(int(these.points[run]), bits=bits)
        value = self.domain.value(place)
        return int(value) if amount("grid", self.grid).denominator == 1 else nearest(value)

    def _target(self, n: int) -> int:
        """The rank aimed at, in people/denominator of q.

        Beyond the first or the last it is theirs: all scores rise by the same, which changes no draw.
        """
        q = amount("q", self.q)
        return max(0, min(n * q.denominator, n * q.numerator + self.shift * q.denominator))

    def _scored(self, these: "Runs", n: int) -> tuple[Steps, Steps]:
        """Scores in people/denominator of q, so that they are whole; and points."""
        target, unit = self._target(n), amount("q", self.q).denominator
        return np.minimum(these.upto * unit - target, target - these.below * unit), these.points

    @property
    def _reach(self) -> int:
        """A distance in people beyond which all grid points together weigh less than 2**-64 of one at the quantile."""
        return ceil((log(len(self.domain.ends)) + 64 * log(2)) / nearest(self._rate)) + 1

    @property
    def _rate(self) -> Fraction:
        return positive("epsilon", self.epsilon) / (2 * self.moved)

    def _weight(self, people: Fraction) -> float:
        """exp(-rate·people), rounded up."""
        return exp_up(-self._rate * people)

    def error(self, beta: Real) -> Accuracy:
        """q·n is within this many people of the released value's rank, with probability 1 - beta.

        Ranks are those of the values as placed: rounded to the grid, and clipped to the interval. Of people inside the
        interval it holds for some value within half a step of the released one.
        The best of the grid points has a score of zero or more.
        """
        fails = open_probability("beta", beta)
        people = nearest(1 / self._rate) * shortfall(self.by, len(self.domain.ends), fails)
        return stated(people * (1 + 1e-12), fails)


def most_people(n: int) -> int:
    """A number of people whose ranks, times a denominator of q, fit into 64 bits."""
    if n > _MOST_PEOPLE:
        raise InvalidParameter("exact", f"must be at most {_MOST_PEOPLE} values, got", "more")
    return n


def _simple(q: Fraction) -> Fraction:
    """The fraction with a denominator of at most 10**6 that is meant by a float such as 0.9."""
    near = q.limit_denominator(_FINEST)
    if abs(near - q) > _MEANT:
        raise InvalidParameter("q", "must be a fraction with a denominator of at most 10**6", float(q))
    return near


class Runs(NamedTuple):
    """Runs of grid points of equal score, in order: where each starts, how many points, people below, people up to."""

    start: Steps
    points: Steps
    below: Steps
    upto: Steps


class Window(NamedTuple):
    """The runs around a rank, and of the grid points before and after them how many and how far in people."""

    runs: Runs
    before: int
    gap_before: Fraction
    after: int
    gap_after: Fraction


def runs(x: Steps, domain: Grid) -> Runs:
    """All runs of sorted values: gap, value, gap, …, value, gap."""
    return _between(x, domain.ends.lower - 1, domain.ends.upper + 1, below=0, upto=len(x))


def _between(x: Steps, low: int, high: int, *, below: int, upto: int) -> Runs:
    """The runs strictly between two grid points, for sorted values of which `below` people lie at or below low."""
    first = np.flatnonzero(np.concatenate([np.ones(min(1, len(x)), np.bool_), x[1:] != x[:-1]]))
    rank = np.append(below + first, upto)  # people below each different value, and in all
    return _between_ranks(np.concatenate([[low], x[first], [high]]), rank)


def _between_ranks(ends: Steps, rank: Steps) -> Runs:
    """The runs between and at different values, of which the first and last of `ends` are left out."""
    size = 2 * len(ends) - 3
    out = Runs(*(np.empty(size, dtype=np.int64) for _ in range(4)))
    out.start[::2], out.start[1::2] = ends[:-1] + 1, ends[1:-1]
    out.points[::2], out.points[1::2] = np.diff(ends) - 1, 1
    out.below[::2], out.below[1::2] = rank, rank[:-1]
    out.upto[::2], out.upto[1::2] = rank, rank[1:]
    return out


def window_of(x: Steps, domain: Grid, target: Fraction, reach: int) -> Window:
    """The runs of values whose rank is within `reach` of the target, found without sorting the rest."""
    n, low, high = len(x), domain.ends.lower, domain.ends.upper
    a, b = max(0, floor(target) - reach), min(n, ceil(target) + reach)
    if b - a >= n // 2:
        return Window(runs(np.sort(x), domain), 0, target, 0, target)
    part = np.partition(x, [a, b - 1])
    middle = np.sort(part[a:b])
    lowest, highest = int(middle[0]), int(middle[-1])
    # Others may share the outermost values, so their ranks are counted.
    below, upto = int(np.count_nonzero(x < lowest)), n - int(np.count_nonzero(x > highest))
    inner = _between(middle, low - 1 if a == 0 else lowest - 1, high + 1 if b == n else highest + 1, below=a, upto=upto)
    inner.below[inner.below == a] = below
    inner.upto[inner.upto == a] = below
    return Window(
        inner,
        0 if a == 0 else lowest - low,
        target - below,
        0 if b == n else high - highest,
        upto - target,
    )


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
        qs = tuple(probability("qs", q) for q in self.qs)
        if not isinstance(self.of, Quantile):
            raise InvalidParameter("of", "must be a Quantile", self.of)
        if not qs or sorted(qs) != list(qs):
            raise InvalidParameter("qs", "must be probabilities in growing order", self.qs)
        share = positive("epsilon", self.of.epsilon) / len(qs)
        object.__setattr__(self, "qs", qs)
        object.__setattr__(self, "parts", tuple(replace(self.of, q=q, epsilon=share) for q in qs))
        object.__setattr__(self, "event", events.Composition([part.event for part in self.parts]))

    def release(self, exact: Any, *, bits: BitSource | None = None) -> list[int | float]:
        """One value for each q, put in order."""
        steps, stream = self.of.places(exact), source(bits)
        return sorted(part.of_placed(steps, stream) for part in self.parts)

    def error(self, beta: Real) -> Accuracy:
        """Every released value's rank is that near to its q·n, with probability 1 - beta.

        Putting the values in order only brings each nearer to its own target.
        """
        fails = open_probability("beta", beta)
        worst = max(part.error(fails / len(self.parts)).alpha for part in self.parts)
        return stated(worst, fails)
