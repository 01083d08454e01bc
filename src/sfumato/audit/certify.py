"""What counts prove: a lower bound on ε from an event fixed beforehand, and what so many draws could have shown.

If an event has probability p on one input and q on a neighbour, (ε, δ)-privacy says p ≤ e^ε·q + δ for every event
(Survey Definition 3.5). Clopper and Pearson's limits (1934) hold with their confidence whatever p and q are, so
ln((p_low - δ)/q_high) is a lower bound on ε with the confidence of both together.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.accuracy import clopper_pearson_high, clopper_pearson_low
from sfumato.exact.parameters import open_probability

Reals = NDArray[np.float64]
POWER = 0.95
"""How surely a violation of the stated size would have been found."""
FIRST = 0.8
"""The first event's share of the error that an audit may make; the others divide the rest equally."""
LIKELIHOODS = (0.5, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4)
"""How likely the events are that an audit says its power for."""
_CAUTION = 1.28  # deviations that an event's counts are taken to be off by when its bound is foretold
_FOUND = 1.0  # and beyond what is unlucky, by so many an event must stand out to be chosen among thousands
_CAUTIONS = np.concatenate([np.linspace(-60.0, -4.0, 112, endpoint=False), np.linspace(-4.0, 8.0, 241)])


def epsilon_at_least(hits: Any, others: Any, draws: int, *, delta: float, confidence: float) -> Reals:
    """The lower bound on ε: `hits` on one input, `others` on its neighbour, out of `draws` each; 0 where none is shown.

    >>> float(epsilon_at_least(5000, 0, 10_000, delta=0, confidence=0.999)) > 6
    True
    """
    alpha = (1 - confidence) / 2  # both limits hold together
    low, high = clopper_pearson_low(hits, draws, alpha), clopper_pearson_high(others, draws, alpha)
    return np.log(np.maximum(low - delta, high) / high)


def shares(events: int) -> tuple[float, ...]:
    """What part of the error each of so many certified events may use; together they use all of it.

    >>> shares(5)
    (0.8, 0.05, 0.05, 0.05, 0.05)
    """
    return (1.0,) if events < 2 else (FIRST, *([round((1 - FIRST) / (events - 1), 12)] * (events - 1)))


def wilson(hits: Any, draws: int, deviations: float | Reals) -> Reals:
    """The probability that so many deviations below (above, where negative) explain: near enough to choose by."""
    k, z = np.asarray(hits, dtype=np.float64), deviations
    middle, off = k + z * z / 2, z * np.sqrt(k * (draws - k) / draws + z * z / 4)
    return np.asarray(np.clip((middle - off) / (draws + z * z), 0.0, 1.0))


@dataclass(frozen=True, slots=True)
class Ahead:
    """The draws that will certify, and the claim they will certify against: what events are chosen for."""

    draws: int
    epsilon: float
    delta: float
    confidence: float

    def promise(self, hits: Any, others: Any, draws: int, caution: float | Reals = _CAUTION) -> Reals:
        """About the bound on ε that the draws ahead would give for events counted so often on fewer draws."""
        deviations = _deviations(1 - (1 - self.confidence) * FIRST)
        low = wilson(self.draws * wilson(hits, draws, caution), self.draws, deviations)
        high = wilson(self.draws * wilson(others, draws, -caution), self.draws, -deviations)
        shown = np.log(np.maximum(low - self.delta, 1e-12) / high)
        # Where δ covers all that is seen, what exceeds it most is the nearest to showing anything.
        excess = (np.asarray(hits) - self.delta * draws) / np.sqrt(np.asarray(hits) + 1.0)
        return np.asarray(np.where(low > self.delta, shown, -30 + np.tanh(excess)))

    def chance(self, hits: int, others: int, draws: int) -> float:
        """By how many standard deviations both counts may be luck, and the draws ahead would still convict."""
        convicts = self.promise(hits, others, draws, _CAUTIONS) > self.epsilon
        return float(_CAUTIONS[int(convicts.sum()) - 1]) if convicts.any() else -math.inf


@lru_cache(maxsize=64)
def _deviations(confidence: float) -> float:
    """How many standard deviations one limit of two is off by at a confidence of both."""
    from scipy.special import ndtri

    return float(-ndtri((1 - confidence) / 2))


@dataclass(frozen=True, slots=True)
class Detectable:
    """The smallest true ε that the audit would have convicted with probability POWER.

    `here` is for an event as likely as the one it learned, `best` for the most telling event there could be.
    """

    here: float
    best: float


def smallest_violation(draws: int, *, epsilon: float, delta: float, confidence: float, likelihood: float) -> Detectable:
    """How large ε must truly be for `draws` a side to convict a claim of (epsilon, delta).

    >>> found = smallest_violation(50_000, epsilon=1, delta=0, confidence=0.999, likelihood=0.5)
    >>> 1.05 < found.here < 1.1, found.best <= found.here
    (True, True)
    """
    open_probability("confidence", confidence)

    def at(p: float) -> float:
        return _least_true(Ahead(draws, epsilon, delta, confidence), p)

    here = at(min(1.0, max(0.0, likelihood)))
    return Detectable(here, min(here, *(at(p) for p in np.linspace(0.1, 1.0, 10))))


@dataclass(frozen=True, slots=True)
class Power:
    """The smallest true ε of any event searched, as likely as this on one input, that would have been convicted."""

    likelihood: float
    epsilon: float


def family_power(ahead: Ahead, *, seen: int, events: int) -> tuple[Power, ...]:
    """What would have been convicted with probability POWER, of all that was searched, by how likely it is.

    `seen` is how many draws the events were chosen on: an event must stand out there, be certified as one of `events`,
    and is granted the smallest share of the error, as nothing says that it would have been the first.
    """
    sure = 1 - (1 - ahead.confidence) * shares(events)[-1]

    def found(true: float, p: float, miss: float) -> bool:
        hits, others = _counts(seen, p, ahead.delta, true, miss)
        return float(ahead.promise(hits, others, seen, _FOUND)) > ahead.epsilon

    surely = replace(ahead, confidence=sure)
    return tuple(Power(p, _least_true(surely, p, found)) for p in LIKELIHOODS)


def _counts(draws: int, p: float, delta: float, true: float, miss: float) -> tuple[int, int]:
    """Counts of an event that come out this far against the auditor once in 1/miss times each."""
    return _quantile(miss, draws, p), _quantile(1 - miss, draws, (p - delta) * math.exp(-true))


def _least_true(
    ahead: Ahead,
    p: float,
    found: Callable[[float, float, float], bool] | None = None,
) -> float:
    """The least ε that is convicted however four counts (two, where it need not be found first) come out."""
    if p <= ahead.delta:
        return math.inf
    miss = (1 - POWER) / (2 if found is None else 4)

    def convicts(true: float) -> bool:
        hits, others = _counts(ahead.draws, p, ahead.delta, true, miss)
        bound = float(epsilon_at_least(hits, others, ahead.draws, delta=ahead.delta, confidence=ahead.confidence))
        return bound > ahead.epsilon and (found is None or found(true, p, miss))

    low, high = ahead.epsilon, ahead.epsilon + 60.0
    if not convicts(high):
        return math.inf
    while high - low > 1e-3:
        middle = (low + high) / 2
        low, high = (low, middle) if convicts(middle) else (middle, high)
    return high


def _quantile(q: float, draws: int, p: float) -> int:
    """The least count that a binomial variable does not exceed with probability q."""
    from scipy.special import bdtrik

    if p >= 1:
        return draws
    return 0 if (1 - p) ** draws >= q else math.ceil(bdtrik(q, draws, p))
