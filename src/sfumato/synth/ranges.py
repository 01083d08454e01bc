"""Ranges of an ordered column: a tree of noisy counts, made consistent by least squares.

Every level of the tree is a histogram with noise of its own. Of all unbiased estimates that are linear in what was
measured the consistent one has the least variance (Hay, Rastogi, Miklau, Suciu 2010, here for any noise a level and any
number of bins); its variance for any range follows from the tree alone, so every answer has an exact standard error.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import events
from sfumato.core import Accuracy, Neighbours, Norm
from sfumato.errors import InvalidParameter
from sfumato.exact.bits import BitSource, source
from sfumato.exact.parameters import Real, nearest, open_probability, positive, probability, whole
from sfumato.exact.rounding import sqrt_up
from sfumato.mechanisms.additive import stated
from sfumato.mechanisms.answers import AnswerMove, Answers, add
from sfumato.mechanisms.discrete_gaussian import DiscreteGaussianNoise
from sfumato.mechanisms.geometric import GeometricNoise
from sfumato.synth.water_filling import summable

Reals = NDArray[np.float64]
_MOST_TILT = 600.0  # beyond, exponentials overflow
RangeNoise = GeometricNoise | DiscreteGaussianNoise

_MOST_BINS = 2**27
_COMPARED = 2_000  # ranges by which a branching is judged
_MOST_BRANCHING = 64
_FAR = 2**1000
_LEAST = 1e-200  # the variance of noise that is hardly there


@dataclass(frozen=True, slots=True)
class RangeTree:
    """Bins 0 … bins-1 as leaves; each node holds up to `branching` of the level below, up to one root.

    >>> RangeTree(bins=10, branching=4).sizes
    (1, 3, 10)
    """

    bins: int
    branching: int = 16

    def __post_init__(self) -> None:
        if whole("bins", self.bins, least=1) > _MOST_BINS:
            raise InvalidParameter("bins", f"must be at most {_MOST_BINS}", self.bins)
        whole("branching", self.branching, least=2)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many nodes there are at each level, from the root to the leaves."""
        sizes = [self.bins]
        while sizes[-1] > 1:
            sizes.append(-(-sizes[-1] // self.branching))
        return tuple(reversed(sizes))

    def starts(self, depth: int) -> NDArray[np.int64]:
        """Where the children of each node of a level begin, in the level below."""
        return np.arange(self.sizes[depth], dtype=np.int64) * self.branching


@dataclass(frozen=True, slots=True, eq=False)
class _Precision:
    """How well the subtree below a node says the node's count: its variance, a float a node, level by level."""

    tree: RangeTree
    noise: tuple[float, ...]
    """The variance of what was measured at each level."""
    own: tuple[Reals, ...]
    """The variance of the best estimate from a node and all below it."""
    below: tuple[Reals, ...]
    """For each level but the last, the variance of the sum of the children's best estimates."""

    @classmethod
    def of(cls, tree: RangeTree, noise: Sequence[float]) -> "_Precision":
        own, below = [np.full(tree.sizes[-1], noise[-1])], list[Reals]()
        for depth in range(len(tree.sizes) - 2, -1, -1):
            below.append(np.add.reduceat(own[-1], tree.starts(depth)))
            own.append(1 / (1 / noise[depth] + 1 / below[-1]))
        return cls(tree, tuple(noise), tuple(reversed(own)), tuple(reversed(below)))

    def consistent(self, measured: Sequence[Reals]) -> tuple[Reals, ...]:
        """The least-squares estimate of every node: once up the tree, once down."""
        tree, last = self.tree, len(self.tree.sizes) - 1
        up, sums = [measured[last]], list[Reals]()
        for depth in range(last - 1, -1, -1):
            sums.append(np.add.reduceat(up[-1], tree.starts(depth)))
            share = self.own[depth] / self.noise[depth]
            up.append(share * measured[depth] + (1 - share) * sums[-1])
        up, sums = up[::-1], sums[::-1]
        levels = [up[0]]
        for depth in range(last):
            missing = (levels[-1] - sums[depth]) / self.below[depth]
            parents = np.arange(tree.sizes[depth + 1]) // tree.branching
            levels.append(up[depth + 1] + self.own[depth + 1] * missing[parents])
        return tuple(levels)

    def variances(self, first: NDArray[np.int64], last: NDArray[np.int64]) -> Reals:
        """The exact variance of the consistent estimate of the bins first … last, both among them, of each range.

        Given a node's count, its children are their own estimates moved so that they add up to it. So what of a range
        lies in a node is `slope` times the node's count, and `rest` of variance beside. From the leaves up a range has
        one such node at its left end, one at its right, and whole ones between, until one node holds both ends.
        """
        left, right = _Part.whole(len(first)), _Part.whole(len(first))
        lone = _Part.whole(len(first))  # where one node holds both ends
        for depth in range(len(self.tree.sizes) - 2, -1, -1):
            own, below = self.own[depth + 1], self.below[depth]
            summed = np.concatenate([[0.0], np.cumsum(own)])
            above = [first // self.tree.branching, last // self.tree.branching]
            begins = above[1] * self.tree.branching
            ends = np.minimum((above[0] + 1) * self.tree.branching, len(own))
            alone = first == last
            middle = summed[last] - summed[np.minimum(first + 1, last)]
            lone = _chosen(
                alone,
                _Part.of([(lone, own[first])], np.zeros(len(first)), below[above[0]]),
                _Part.of([(left, own[first]), (right, own[last])], middle, below[above[0]]),
            )
            left = _Part.of([(left, own[first])], summed[ends] - summed[first + 1], below[above[0]])
            right = _Part.of([(right, own[last])], summed[last] - summed[begins], below[above[1]])
            first, last = above
        return np.asarray(lone.slope**2 * self.own[0][0] + lone.rest)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """What of a range lies in a node: `slope` times the node's count, and `rest` of variance beside."""

    slope: Reals
    rest: Reals

    @classmethod
    def whole(cls, count: int) -> "_Part":
        """All of a node."""
        return cls(np.ones(count), np.zeros(count))

    @classmethod
    def of(cls, parts: Sequence[tuple["_Part", Reals]], wholes: Reals, below: Reals) -> "_Part":
        """Parts of children with their variances, children that lie in it whole (the sum of theirs), given a parent."""
        once = wholes + sum(part.slope * own for part, own in parts)
        twice = wholes + sum(part.slope**2 * own for part, own in parts)
        rest = sum((part.rest for part, _ in parts), start=np.zeros(len(wholes)))
        return cls(once / below, rest + twice - once**2 / below)


def _chosen(where: NDArray[np.bool_], one: _Part, other: _Part) -> _Part:
    return _Part(np.where(where, one.slope, other.slope), np.where(where, one.rest, other.rest))


@dataclass(frozen=True, slots=True)
class RangeAnswer:
    """A count and its standard error."""

    value: float
    standard_error: float


@dataclass(frozen=True, slots=True, eq=False)
class RangeSynopsis:
    """Consistent counts of all nodes, which answer every range for nothing and for ever."""

    levels: tuple[Reals, ...]
    _precision: _Precision

    @property
    def bins(self) -> int:
        """How many bins there are."""
        return len(self.levels[-1])

    @property
    def total(self) -> RangeAnswer:
        """All bins together."""
        return self.count(0, self.bins)

    def count(self, start: int, stop: int) -> RangeAnswer:
        """How many are in the bins from `start` to `stop`, without `stop`; with its standard error."""
        begin, end = whole("start", start), whole("stop", stop)
        if not begin < end <= self.bins:
            raise InvalidParameter("stop", f"must be above start = {start} and at most {self.bins}", stop)
        values, errors = self.counts([begin], [end])
        return RangeAnswer(float(values[0]), float(errors[0]))

    def counts(self, starts: Any, stops: Any) -> tuple[Reals, Reals]:
        """Counts of many ranges, none empty, and their standard errors."""
        begins, ends = np.asarray(starts, dtype=np.int64), np.asarray(stops, dtype=np.int64)
        if begins.shape != ends.shape or begins.ndim != 1 or (begins < 0).any() or (ends > self.bins).any():
            raise InvalidParameter("stops", f"must be as many as starts and within 0 … {self.bins}, got", ends.shape)
        if (begins >= ends).any():
            raise InvalidParameter("stops", "must be above starts, found", "an empty range")
        summed = np.concatenate([[0.0], np.cumsum(self.levels[-1])])
        variances = self._precision.variances(begins, ends - 1)
        return summed[ends] - summed[begins], np.sqrt(variances)

    def variances(self, starts: Any, stops: Any) -> Reals:
        """The variances of the counts of many ranges, none empty: known before anything is measured."""
        return self._precision.variances(np.asarray(starts, dtype=np.int64), np.asarray(stops, dtype=np.int64) - 1)

    @classmethod
    def of(cls, tree: RangeTree, measured: Sequence[Any], variances: Sequence[float]) -> "RangeSynopsis":
        """The synopsis of noisy levels, root first, whose noises have these variances."""
        precision = _Precision.of(tree, [max(each, _LEAST) for each in variances])
        return cls(precision.consistent([_floats(np.asarray(level)) for level in measured]), precision)

    def cdf(self) -> tuple[Reals, Reals]:
        """How many are in bins up to each, that bin among them, and the standard errors.

        The counts are unbiased, and so not always rising; `rising_cdf` is.
        """
        return self.counts(np.zeros(self.bins, dtype=np.int64), np.arange(1, self.bins + 1))

    def rising_cdf(self) -> Reals:
        """The cumulative counts made to rise: halfway between their largest so far and their least from there on."""
        counts = np.maximum(np.cumsum(self.levels[-1]), 0)
        most = np.maximum.accumulate(counts)
        least = np.minimum.accumulate(counts[::-1])[::-1]
        return np.asarray((most + least) / 2)

    def quantile(self, q: Real) -> int:
        """The first bin up to which at least a share q of all are."""
        share, rising = nearest(probability("q", q)), self.rising_cdf()
        return int(np.searchsorted(rising, share * rising[-1], side="left").clip(0, self.bins - 1))

    def quantiles(self, qs: Iterable[Real]) -> list[int]:
        """Quantiles of any orders, after the fact."""
        return [self.quantile(q) for q in qs]


@dataclass(frozen=True, kw_only=True)
class Ranges:
    """Counts of bins measured as a tree, one noise a level, each level one histogram.

    >>> asked = Ranges.pure(tree=RangeTree(bins=100, branching=5), epsilon=2)
    >>> ages = asked.release([3] * 100)
    >>> len(ages.cdf()[0]), ages.count(18, 65).standard_error < 20, asked.event.pure()
    (100, True, Fraction(2, 1))
    """

    tree: RangeTree
    noises: tuple[RangeNoise, ...]
    neighbours: Neighbours = field(default_factory=Neighbours)
    event: events.Event = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if len(self.noises) != len(self.tree.sizes):
            raise InvalidParameter(
                "noises", f"must be one for each of {len(self.tree.sizes)} levels, got", len(self.noises)
            )
        object.__setattr__(self, "event", events.Composition([self._price(noise) for noise in self.noises]))

    def _price(self, noise: RangeNoise) -> events.Event:
        """A level is a histogram: a person is in one node of it."""
        amount = self.neighbours.histogram(noise.norm).amount
        move = AnswerMove.l2(square=amount) if noise.norm is Norm.L2 else AnswerMove.l1(amount)
        return noise.event(move, scalar=False)

    @classmethod
    def pure(cls, *, tree: RangeTree, epsilon: Real, neighbours: Neighbours | None = None) -> "Ranges":
        """Double geometric noise, ε divided among the levels alike."""
        related = neighbours or Neighbours()
        share = positive("epsilon", epsilon) / len(tree.sizes)
        noise = GeometricNoise(related.histogram(Norm.L1).amount / share)
        return cls(tree=tree, noises=(noise,) * len(tree.sizes), neighbours=related)

    @classmethod
    def zcdp(cls, *, tree: RangeTree, rho: Real, neighbours: Neighbours | None = None) -> "Ranges":
        """Discrete Gaussian noise, ρ divided among the levels alike."""
        related = neighbours or Neighbours()
        share = positive("rho", rho) / len(tree.sizes)
        noise = DiscreteGaussianNoise(Fraction(sqrt_up(related.histogram(Norm.L2).amount / (2 * share))))
        return cls(tree=tree, noises=(noise,) * len(tree.sizes), neighbours=related)

    def release(self, exact: Any, *, bits: BitSource | None = None) -> RangeSynopsis:
        """The synopsis of exact counts of the bins."""
        stream = source(bits)
        levels = [summable(Answers(None, self.tree.bins).place_row(exact))]
        for depth in range(len(self.tree.sizes) - 2, -1, -1):
            levels.append(np.add.reduceat(levels[-1], self.tree.starts(depth)))
        measured = [
            _floats(add(level, noise.draw(len(level), stream)))
            for level, noise in zip(reversed(levels), self.noises, strict=True)
        ]
        return RangeSynopsis(self._precision().consistent(measured), self._precision())

    def _precision(self) -> _Precision:
        return _Precision.of(self.tree, [max(noise.variance, _LEAST) for noise in self.noises])

    def standard_error(self, start: int, stop: int) -> float:
        """The standard error of a range's count, known before anything is spent."""
        return math.sqrt(self._precision().variances(np.array([start]), np.array([stop - 1]))[0])

    def expected_error(self) -> float:
        """The root mean squared error over ranges, by ranges spread evenly over all that there are."""
        first, last = _spread_ranges(self.tree.bins)
        return math.sqrt(float(self._precision().variances(first, last).mean()))

    def error(self, beta: Real) -> Accuracy:
        """No range of all there are is off by more than this, with probability 1 - beta.

        An estimate is Σ c·noise with |c| ≤ 1 (moving one measurement by 1 moves its own node by at most 1 up and all
        others together by at most 1 down), and ln E[exp(c·t·noise)] ≤ c²·ln E[exp(t·noise)] then. So a prefix of
        variance V strays by a with at most 2·exp(V·m - t·a), m the largest ln E[exp(t·noise)] in variances of its
        noise; a union bound over prefixes, and a range is a difference of two.
        """
        fails = open_probability("beta", beta)
        worst = float(self._precision().variances(*_prefixes(self.tree.bins)).max())
        return stated(2 * reach_of_estimate(worst, self.noises, fails / self.tree.bins), fails)


def reach_of_estimate(variance: float, noises: Sequence[RangeNoise], beta: Fraction) -> float:
    """How far Σ c·noise with |c| ≤ 1 and this variance strays, but with probability beta: as said at `Ranges.error`."""
    rare = math.log(2) - math.log(float(beta))
    within = (
        (variance * max(_log_moment(noise, t) / max(noise.variance, _LEAST) for noise in noises) + rare) / t
        for t in np.geomspace(1e-3, 0.99, 300) * min(_most_tilt(noise) for noise in noises)
    )
    return float(min(within)) * (1 + 1e-8)


def _most_tilt(noise: RangeNoise) -> float:
    """Up to which t E[exp(t·noise)] is looked at."""
    match noise:
        case GeometricNoise():
            return min(1 / float(noise.scale), _MOST_TILT)
        case DiscreteGaussianNoise():
            return 100 / float(noise.sigma)


def _log_moment(noise: RangeNoise, t: float) -> float:
    """ln E[exp(t·noise)], or for the discrete Gaussian the t²σ²/2 that it stays below."""
    match noise:
        case GeometricNoise():
            return -math.log1p(-2 * math.sinh(t / 2) ** 2 * noise.variance)
        case DiscreteGaussianNoise():
            return (t * float(noise.sigma)) ** 2 / 2


def _floats(noisy: NDArray[Any]) -> Reals:
    """Noisy counts as floats; what is beyond all of them is cut, after the noise and free of charge."""
    return np.asarray(np.clip(noisy, -_FAR, _FAR) if noisy.dtype == np.object_ else noisy, dtype=np.float64)


def _prefixes(bins: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return np.zeros(bins, dtype=np.int64), np.arange(bins, dtype=np.int64)


def _spread_ranges(bins: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All ranges of few bins; of many some two thousand, their ends spread evenly."""
    if bins <= math.isqrt(_COMPARED):
        first, last = np.triu_indices(bins)
        return first.astype(np.int64), last.astype(np.int64)
    steps = np.arange(_COMPARED)
    one = np.floor((steps + 0.5) / _COMPARED * bins).astype(np.int64)
    other = np.floor((steps * 0.6180339887498949) % 1 * bins).astype(np.int64)
    return np.minimum(one, other), np.maximum(one, other)


def best_branching(
    *, bins: int, epsilon: Real | None = None, rho: Real | None = None, neighbours: Neighbours | None = None
) -> int:
    """The branching whose ranges have the least expected error at this price.

    >>> best_branching(bins=1024, epsilon=1) > 2
    True
    """
    if (epsilon is None) == (rho is None):
        raise InvalidParameter("epsilon", "or rho must be given, and not both: got", (epsilon, rho))

    def error(branching: int) -> float:
        tree = RangeTree(bins=bins, branching=branching)
        if epsilon is not None:
            return Ranges.pure(tree=tree, epsilon=epsilon, neighbours=neighbours).expected_error()
        assert rho is not None
        return Ranges.zcdp(tree=tree, rho=rho, neighbours=neighbours).expected_error()

    return min(range(2, min(_MOST_BRANCHING, max(2, bins)) + 1), key=error)
