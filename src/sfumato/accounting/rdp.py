"""Rényi curves: ε(α) of one application, rounded up (Survey Definition 8.1, Theorem 8.6).

A curve is evaluated at any real order α > 1 in floats; every value carries a relative allowance that covers
the roundings of its formula.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from sfumato.accounting.losslaw import LossLaw

Curve = Callable[[float], float]
_SLACK = 1 + 2.0**-40

STANDARD_ORDERS: tuple[float, ...] = (
    *(1 + x / 10 for x in range(1, 100)),
    *map(float, range(11, 64)),
    128.0,
    256.0,
    512.0,
    1024.0,
)
"""The orders most accountants try; ours searches all real orders unless told to use these."""


def two_point(epsilon: float, alpha: float) -> float:
    """Randomised response, the worst ε-private mechanism: ln(p^α·q^(1-α) + q^α·p^(1-α))/(α - 1) (Survey Lemma 9.7)."""
    log_p, log_q = -math.log1p(math.exp(-epsilon)), -epsilon - math.log1p(math.exp(-epsilon))
    first, second = alpha * log_p + (1 - alpha) * log_q, alpha * log_q + (1 - alpha) * log_p
    return _outward(_log_add(first, second), epsilon, alpha)


def _outward(log: float, epsilon: float, alpha: float) -> float:
    """log/(α - 1), rounded up: where terms cancel, by what their roundings may hide; never above αε²/2.

    Every ε-private mechanism is ε²/2-zCDP (Survey Theorem 8.14), which is near the truth where ε is small and the
    logarithm all rounding. A price is never zero: many times zero would be free.
    """
    hidden = 2.0**-47 * (1 + alpha) * (1 + epsilon)
    own = (max(0.0, log) + hidden) / (alpha - 1)
    return max(5e-324, min(own, alpha * epsilon * epsilon / 2) * _SLACK)


def categorical(epsilon: float, categories: int, alpha: float) -> float:
    """k-ary randomised response, by summing over its outcomes."""
    total = epsilon + math.log1p((categories - 1) * math.exp(-epsilon))
    log_p, log_q = epsilon - total, -total
    same = math.log(categories - 2) + log_q if categories > 2 else -math.inf
    first, second = alpha * log_p + (1 - alpha) * log_q, alpha * log_q + (1 - alpha) * log_p
    return _outward(_log_add(_log_add(first, second), same), epsilon, alpha)


def laplace(epsilon: float, alpha: float) -> float:
    """Laplace noise of scale 1/ε: ln(α/(2α-1)·e^((α-1)ε) + (α-1)/(2α-1)·e^(-αε))/(α - 1) (Mironov 2017)."""
    first = math.log(alpha / (2 * alpha - 1)) + (alpha - 1) * epsilon
    second = math.log((alpha - 1) / (2 * alpha - 1)) - alpha * epsilon
    return _outward(_log_add(first, second), epsilon, alpha)


def gaussian(rho: float, alpha: float) -> float:
    """ρ-zCDP is the line α·ρ (Survey Definition 8.9)."""
    return alpha * rho * _SLACK


_MOST_PIECES = 200_000


def of_law(laws: list[LossLaw], alpha: float) -> float:
    """The curve of a loss law, ln E exp((α-1)ℓ)/(α-1) by quadrature, over the directions given.

    Pieces are short for e^((α-1)ℓ) as well as for the density, and the interval grows until its ends do not
    count; where neither can be afforded there is no price.
    """
    return max(_of_one(law, alpha) for law in laws) * (1 + 2.0**-28)


def _of_one(law: LossLaw, alpha: float) -> float:
    if law.infinite > 0:
        return math.inf
    order, width = alpha - 1, 0.25 / (alpha - 1)
    # The integrand may have two peaks, one where the sample misses the person and one far out: the interval holds both.
    depth = 40.0 if law.smooth is None else max(40.0, law.smooth.depth_of_order(order))
    while depth < 1e5:
        if law.smooth is not None:
            low, high = law.smooth.interval(depth)
            if (high - low) / width > _MOST_PIECES:
                return math.inf
        losses, logs = law.log_nodes(depth, width=width)
        exponents = logs + order * losses
        top = float(exponents.max())
        total = top + math.log(float(np.exp(exponents - top).sum()))
        ends = float(exponents[np.argmax(losses)])
        if law.smooth is None or ends <= total - 42 or _bounded(law, depth):
            return (max(0.0, total) + 2.0**-36) / order  # what roundings may hide where the logarithm is near zero
        depth *= 2
    return math.inf


def _bounded(law: LossLaw, depth: float) -> bool:
    """Whether the interval does not grow with the depth: then nothing was cut."""
    return law.smooth is not None and law.smooth.interval(depth) == law.smooth.interval(2 * depth)


def _log_add(a: float, b: float) -> float:
    top, low = max(a, b), min(a, b)
    return top if low == -math.inf else top + math.log1p(math.exp(low - top))


_CELL, _FARTHEST_LEVEL = 1 / 2048, 300.0


@lru_cache(maxsize=1024)
def log_stopping_moment(gamma: float, ratio: float, level: float) -> float:
    """An upper bound on ln E[Pr[ratio·N' ≥ level + N | N]**-gamma], N and N' standard normal, gamma + 1 ≤ ratio².

    It is how long SVT with Gaussian noises runs on answers of zero (Survey Theorem 9.11, whose closed form is below the
    truth at a level of zero). The power grows with N, so each cell is bounded at its right end, and the density at the
    end nearer to zero. Beyond the last cell the logarithm falls with a slope of at least one, as it is concave there
    and a normal tail Q has -d ln Q(x) ≤ x + 1.
    """
    from scipy.special import log_ndtr

    if level > _FARTHEST_LEVEL:
        return math.inf  # the moment is beyond exp(level²/2) and no use as a price
    flat = 1 - gamma / ratio**2
    low, high = -40.0, (gamma * max(0.0, level) / ratio**2 + gamma / ratio + 1) / flat + 40 / math.sqrt(flat)
    ends = np.arange(low, high + 2 * _CELL, _CELL)

    def log_power(z: Any) -> Any:
        return -gamma * log_ndtr(-(level + z) / ratio)

    nearer = np.minimum(np.abs(ends[:-1]), np.abs(ends[1:]))
    log_density = -(nearer**2) / 2 - math.log(2 * math.pi) / 2
    terms = np.concatenate(
        [
            [log_ndtr(low) + log_power(low)],
            log_density + math.log(_CELL) + log_power(ends[1:]),
            [-(ends[-1] ** 2) / 2 + log_power(ends[-1])],
        ]
    )
    top = float(terms.max())
    return top + math.log(math.fsum(np.exp(terms - top))) + 1e-9  # far above the roundings
