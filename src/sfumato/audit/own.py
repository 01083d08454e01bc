"""Every mechanism of this project as a target: one line a mechanism, the price it charges as its claim.

A room above adds its own release paths by a tuple of `AuditedMechanism` that is named in the command line's sources.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from sfumato import mechanisms as m
from sfumato.accounting import PureFilter, events
from sfumato.audit.pairs import Inputs, Pair, pairs_of
from sfumato.audit.targets import Draw, Target, claim_of_event, one_by_one
from sfumato.core import Change, Neighbours, Norm
from sfumato.errors import BudgetExceeded

Make = Callable[[Fraction], Any]
ONE = Neighbours().histogram(Norm.L1)
ONE_L2 = Neighbours().histogram(Norm.L2)
ANY = Neighbours().histogram(Norm.LINF)
REPLACED = Neighbours(Change.REPLACE).histogram(Norm.L1)
REPLACE = Neighbours(Change.REPLACE)
DELTA = 0.01
"""The δ at which mechanisms with a δ are audited: at a smaller one draws show nothing."""


@dataclass(frozen=True, slots=True)
class AuditedMechanism:
    """A mechanism for any ε, the inputs to try it on, and how it is drawn from."""

    name: str
    make: Make
    pairs: tuple[Pair, ...]
    delta: float = 0.0
    array: bool = False
    """Whether draws are made by one release of as many equal answers."""

    def target(self, epsilon: Fraction = Fraction(1)) -> Target:
        """The mechanism at this ε, claiming what it charges."""
        mechanism = self.make(epsilon)
        draw = by_array(mechanism) if self.array else one_by_one(mechanism.release)
        return Target(self.name, draw, self.pairs, claim_of_event(mechanism.event, self.delta))


def by_array(mechanism: Any) -> Draw:
    """Draws by one release of n equal answers."""

    @lru_cache(maxsize=4)
    def vector(n: int) -> Any:
        return replace(mechanism, dimension=n) if isinstance(mechanism, m.Additive) else mechanism

    def draw(data: Any, n: int) -> Sequence[Any]:
        drawn: Sequence[Any] = vector(n).release(np.full(n, data))
        return drawn

    return draw


_NUMBER = pairs_of("number", Inputs())
_ANSWERS = pairs_of("answers", Inputs(length=4))
_MONOTONE = pairs_of("monotone", Inputs(length=4))
_QUERIES = pairs_of("answers", Inputs(length=8))
_COUNTS = pairs_of("counts", Inputs(length=3))
_SWAPS = (Pair([1, 0], [0, 1], "one person moves"), Pair([5, 5], [4, 6], "one person moves"))
_BIT = pairs_of("bit", Inputs())
_ROWS = pairs_of("rows", Inputs(lower=0, upper=10, tame=True))
_REPLACED_ROWS = pairs_of("rows", Inputs(lower=0, upper=10, tame=True, change=Change.REPLACE))
_MEDIANS = (
    Pair([0, 0, 0, 0, 0, 10, 10], [0, 0, 0, 0, 10, 10, 10], "the slides' breach of local sensitivity"),
    *_REPLACED_ROWS[2:],
)
_TREES = (Pair([0, 0, 10, 10], [0, 10, 10, 10], "one weight"), Pair([1, 2, 3, 4], [1, 2, 3, 10], "one weight"))
_KEYS = (
    Pair({"a": 5, "b": 1}, {"a": 5}, "a lone person's key"),
    Pair({"a": 7}, {"a": 6}, "near the threshold"),
    Pair({"a": 1}, {}, "the only person"),
)


def _median() -> Any:
    return m.Median(lower=0, upper=10)


def _tree() -> Any:
    return m.SpanningTree(edges=(("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")), upper=10)


def _choice(kind: Any, **more: Any) -> Make:
    return lambda e: kind(epsilon=e, candidates=tuple("abcd"), sensitivity=ANY, **more)


class CappedCounts:
    """Counts asked again and again under one total ε: the filter refuses what the total does not hold.

    The shape of every interactive path: price, spend, draw; what is refused is refused without looking at the answer.
    """

    def __init__(self, epsilon: Fraction, questions: int = 4) -> None:
        self._share = epsilon / 2
        self._cap, self._questions = epsilon, questions
        self._count = m.Geometric(epsilon=self._share, sensitivity=ONE)
        self.event = events.Pure(epsilon)

    def release(self, exact: int) -> list[int | None]:
        """A noisy count for each question that the total holds, None for each that it does not."""
        budget, said = PureFilter(self._cap), list[int | None]()
        for _ in range(self._questions):
            try:
                budget = budget.spend(self._count.event)
            except BudgetExceeded:
                said.append(None)
                continue
            said.append(int(self._count.release(exact)))
        return said


OUR_MECHANISMS: tuple[AuditedMechanism, ...] = (
    AuditedMechanism("laplace", lambda e: m.Laplace(epsilon=e, sensitivity=ONE), _NUMBER),
    AuditedMechanism("laplace-array", lambda e: m.Laplace(epsilon=e, sensitivity=ONE), _NUMBER, array=True),
    AuditedMechanism("laplace-grid", lambda e: m.Laplace(epsilon=e, sensitivity=ONE, grid=Fraction(1, 8)), _NUMBER),
    AuditedMechanism("geometric", lambda e: m.Geometric(epsilon=e, sensitivity=ONE), _NUMBER),
    AuditedMechanism("geometric-array", lambda e: m.Geometric(epsilon=e, sensitivity=ONE), _NUMBER, array=True),
    AuditedMechanism("geometric-histogram", lambda e: m.Geometric(epsilon=e, sensitivity=ONE, dimension=3), _COUNTS),
    AuditedMechanism("geometric-replace", lambda e: m.Geometric(epsilon=e, sensitivity=REPLACED, dimension=2), _SWAPS),
    AuditedMechanism(
        "truncated-geometric",
        lambda e: m.TruncatedGeometric.calibrated(epsilon=e, delta=DELTA / 10, sensitivity=ONE),
        _NUMBER,
        DELTA,
    ),
    AuditedMechanism(
        "gaussian", lambda e: m.Gaussian.calibrated(epsilon=e, delta=DELTA, sensitivity=ONE_L2), _NUMBER, DELTA
    ),
    AuditedMechanism(
        "gaussian-array",
        lambda e: m.Gaussian.calibrated(epsilon=e, delta=DELTA, sensitivity=ONE_L2),
        _NUMBER,
        DELTA,
        array=True,
    ),
    AuditedMechanism(
        "discrete-gaussian",
        lambda e: m.DiscreteGaussian.calibrated(epsilon=e, delta=DELTA, sensitivity=ONE_L2),
        _NUMBER,
        DELTA,
    ),
    AuditedMechanism("randomized-response", lambda e: m.RandomizedResponse(epsilon=e), _BIT, array=True),
    AuditedMechanism(
        "randomized-response-4",
        lambda e: m.RandomizedResponse(epsilon=e, values=(0, 1, 2, 3)),
        (Pair(0, 3), Pair(1, 2)),
        array=True,
    ),
    AuditedMechanism("warner", lambda _: m.Warner(), _BIT, array=True),
    AuditedMechanism("exponential", _choice(m.ExponentialMechanism), _ANSWERS),
    AuditedMechanism("exponential-monotone", _choice(m.ExponentialMechanism, monotone=True), _MONOTONE),
    AuditedMechanism("report-noisy-max", _choice(m.ReportNoisyMax), _ANSWERS),
    AuditedMechanism("report-noisy-max-monotone", _choice(m.ReportNoisyMax, monotone=True), _MONOTONE),
    AuditedMechanism("one-sided-noisy-max", _choice(m.OneSidedNoisyMax), _ANSWERS),
    AuditedMechanism("one-sided-noisy-max-monotone", _choice(m.OneSidedNoisyMax, monotone=True), _MONOTONE),
    AuditedMechanism("top-k", _choice(m.TopK, k=2), _ANSWERS),
    AuditedMechanism(
        "quantile",
        lambda e: m.Quantile(q=0.5, epsilon=e, lower=0, upper=10, grid=1, neighbours=Neighbours()),
        _ROWS,
    ),
    AuditedMechanism(
        "quantile-flipped",
        lambda e: m.Quantile(
            q=0.5, epsilon=e, lower=0, upper=10, grid=1, neighbours=Neighbours(), by="permute_and_flip"
        ),
        _ROWS,
    ),
    AuditedMechanism(
        "quantile-bar",
        lambda e: m.QuantileBar(
            of=m.Quantile(q=0.5, epsilon=e, lower=0, upper=10, grid=1, neighbours=Neighbours(), by="permute_and_flip"),
            beta=0.05,
        ),
        _ROWS,
    ),
    AuditedMechanism(
        "quantiles",
        lambda e: m.Quantiles(
            qs=(0.25, 0.75),
            of=m.Quantile(q=0.5, epsilon=e, lower=0, upper=10, grid=1, neighbours=REPLACE),
        ),
        _REPLACED_ROWS,
    ),
    AuditedMechanism("smooth-median", lambda e: m.SmoothSensitivity(bound=_median(), epsilon=e), _MEDIANS),
    AuditedMechanism(
        "smooth-median-delta",
        lambda e: m.SmoothSensitivity(bound=_median(), epsilon=e, delta=DELTA),
        _MEDIANS,
        DELTA,
    ),
    AuditedMechanism("smooth-spanning-tree", lambda e: m.SmoothSensitivity(bound=_tree(), epsilon=e), _TREES),
    AuditedMechanism("above-threshold", lambda e: m.AboveThreshold(epsilon=e, threshold=0, sensitivity=ONE), _QUERIES),
    AuditedMechanism("sparse", lambda e: m.Sparse(epsilon=e, threshold=0, sensitivity=ONE, cutoff=2), _QUERIES),
    AuditedMechanism(
        "numeric-sparse", lambda e: m.NumericSparse(epsilon=e, threshold=0, sensitivity=ONE, cutoff=2), _QUERIES
    ),
    AuditedMechanism(
        "sparse-vector",
        lambda e: m.SparseVector(
            threshold_noise=m.GeometricNoise(2 / e),
            query_noise=m.GeometricNoise(8 / e),
            cutoff=2,
            threshold=0,
            sensitivity=ONE,
        ),
        _QUERIES,
    ),
    AuditedMechanism(
        "stagewise-sparse-vector",
        lambda e: m.StagewiseSparseVector.gaussian(
            sigma=4 / e, query_sigma=8 / e, cutoff=2, stage_cutoff=1, length=8, threshold=0, sensitivity=ONE
        ),
        _QUERIES,
        DELTA,
    ),
    AuditedMechanism(
        "non-negative-sparse-vector",
        lambda e: m.NonNegativeSparseVector(sigma=4 / e, query_sigma=8 / e, threshold=4, sensitivity=ONE),
        pairs_of("answers", Inputs(length=8, around=4)),
        DELTA,
    ),
    AuditedMechanism("laplace-keys", lambda e: m.LaplaceKeys(epsilon=e, delta=DELTA), _KEYS, DELTA),
    AuditedMechanism("gaussian-keys", lambda e: m.GaussianKeys(epsilon=e, delta=DELTA), _KEYS, DELTA),
    AuditedMechanism(
        "truncated-geometric-keys", lambda e: m.TruncatedGeometricKeys(epsilon=e, delta=DELTA), _KEYS, DELTA
    ),
    AuditedMechanism("capped-counts", CappedCounts, _NUMBER),
)
"""Every mechanism, in the order of their rooms."""


_SHORT = AuditedMechanism(
    "quantile",
    lambda e: m.Quantile(q=0.5, epsilon=e, lower=0, upper=3, grid=1, neighbours=Neighbours()),
    (Pair([1, 2, 3], [1, 2], "one row less"),),
)
"""A quantile over four points, whose branches can all be followed."""
_FOLLOWED = {
    "geometric": 0,
    "laplace": 0,
    "truncated-geometric": 0,
    "gaussian": 0,
    "randomized-response": 0,
    "randomized-response-4": 0,
    "warner": 0,
    "exponential": 4,
}


def exact_targets() -> Mapping[str, tuple[AuditedMechanism, Pair]]:
    """The mechanisms whose exact laws are followed, each with one pair of inputs."""
    found = {own.name: (own, own.pairs[_FOLLOWED[own.name]]) for own in OUR_MECHANISMS if own.name in _FOLLOWED}
    return {**found, _SHORT.name: (_SHORT, _SHORT.pairs[0])}
