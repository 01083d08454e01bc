"""What counts prove: a lower bound on ε from an event fixed beforehand, and what so many draws could have shown.

If an event has probability p on one input and q on a neighbour, (ε, δ)-privacy says p ≤ e^ε·q + δ for every event
(Survey Definition 3.5). Clopper and Pearson's limits (1934) hold with their confidence whatever p and q are, so
ln((p_low - δ)/q_high) is a lower bound on ε with the confidence of both together.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.accuracy import clopper_pearson_high, clopper_pearson_low
from sfumato.exact.parameters import open_probability

Reals = NDArray[np.float64]
POWER = 0.95
"""How surely a violation of the stated size would have been found."""


def epsilon_at_least(hits: Any, others: Any, draws: int, *, delta: float, confidence: float) -> Reals:
    """The lower bound on ε: `hits` on one input, `others` on its neighbour, out of `draws` each; 0 where none is shown.

    >>> float(epsilon_at_least(5000, 0, 10_000, delta=0, confidence=0.999)) > 6
    True
    """
    alpha = (1 - confidence) / 2  # both limits hold together
    low, high = clopper_pearson_low(hits, draws, alpha), clopper_pearson_high(others, draws, alpha)
    return np.log(np.maximum(low - delta, high) / high)


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
        return _least_true(draws, epsilon, delta, confidence, p)

    here = at(min(1.0, max(0.0, likelihood)))
    return Detectable(here, min(here, *(at(p) for p in np.linspace(0.1, 1.0, 10))))


def _least_true(draws: int, epsilon: float, delta: float, confidence: float, p: float) -> float:
    if p <= delta:
        return math.inf
    miss = (1 - POWER) / 2
    hits = _quantile(miss, draws, p)

    def convicts(true: float) -> bool:
        others = _quantile(1 - miss, draws, (p - delta) * math.exp(-true))
        return float(epsilon_at_least(hits, others, draws, delta=delta, confidence=confidence)) > epsilon

    low, high = epsilon, epsilon + 60.0
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
