"""Concentration inequalities as accuracy statements use them, with the constants of the errata (B1).

Each returns an upper bound on a probability, at most 1; `*_deviation` is its inverse, the deviation that is
exceeded with probability at most beta. Both are rounded up.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real, amount, non_negative, positive, probability, whole
from sfumato.exact.rounding import exp_up, log_up, sqrt_up, written_up


def _tail(exponent: Fraction, *, sides: int = 1) -> float:
    """sides · exp(-exponent), at most 1, rounded up: multiplying by two is exact."""
    return min(1.0, sides * exp_up(-exponent))


def _log_inverse(beta: Real, *, sides: int = 1) -> Fraction:
    """ln(sides/beta), rounded up."""
    p = probability("beta", beta)
    if p == 0:
        raise InvalidParameter("beta", "must be positive", beta)
    return max(Fraction(0), Fraction(log_up(sides / p)))


def chernoff(n: int, deviation: Real) -> float:
    """Pr[mean of n independent variables in [0, 1] exceeds its expectation by deviation] ≤ exp(-2nt²).

    Survey Theorem 2.1; the same bound holds below the expectation.

    >>> round(chernoff(100, 0.1), 4)
    0.1353
    """
    t = non_negative("deviation", deviation)
    return _tail(2 * whole("n", n, least=1) * t * t)


def chernoff_deviation(n: int, beta: Real) -> float:
    """The deviation of a mean of n variables in [0, 1] that chernoff allows with probability beta."""
    return _handed_out(sqrt_up(_log_inverse(beta) / (2 * whole("n", n, least=1))))


def _relative(mean: Real, ratio: Real) -> tuple[Fraction, Fraction]:
    mu, r = probability("mean", mean), amount("ratio", ratio)
    if not 0 <= r <= 1:
        raise InvalidParameter("ratio", "must be between 0 and 1", ratio)
    return mu, r


def chernoff_above(n: int, mean: Real, ratio: Real) -> float:
    """Pr[mean > μ(1 + r)] ≤ exp(-nμr²/3) for n variables in [0, 1], 0 ≤ r ≤ 1 (Survey Theorem 2.2, B1)."""
    mu, r = _relative(mean, ratio)
    return _tail(whole("n", n, least=1) * mu * r * r / 3)


def chernoff_below(n: int, mean: Real, ratio: Real) -> float:
    """Pr[mean < μ(1 - r)] ≤ exp(-nμr²/2) for n variables in [0, 1], 0 ≤ r ≤ 1 (Survey Theorem 2.2, B1)."""
    mu, r = _relative(mean, ratio)
    return _tail(whole("n", n, least=1) * mu * r * r / 2)


def _handed_out(deviation: float) -> float:
    """A deviation that stays as large when it is handed back as an amount."""
    return written_up(Fraction(deviation))


def _squares(widths: Sequence[Real]) -> Fraction:
    if not isinstance(widths, Sequence):
        raise InvalidParameter("widths", "must be a sequence of numbers", widths)
    total = sum((non_negative("widths", width) ** 2 for width in widths), Fraction(0))
    return positive("widths", total)


def hoeffding(widths: Sequence[Real], deviation: Real) -> float:
    """Pr[|sum - its expectation| > deviation] ≤ 2·exp(-2t²/Σwidth²) for variables of those ranges.

    For independent variables (Survey Theorem 2.3, whose restriction to t < ½ is not needed).
    """
    t = non_negative("deviation", deviation)
    return _tail(2 * t * t / _squares(widths), sides=2)


def hoeffding_deviation(widths: Sequence[Real], beta: Real) -> float:
    """The deviation of a sum that hoeffding allows with probability beta."""
    return _handed_out(sqrt_up(_log_inverse(beta, sides=2) * _squares(widths) / 2))


def azuma(differences: Sequence[Real], deviation: Real) -> float:
    """Pr[f ≥ E f + deviation] ≤ exp(-2t²/Σc²) (Survey Theorem 2.5).

    c_i bounds the range that revealing variable i can move the expectation of f within, from its lowest to its
    highest: a coin of ±1 has c = 2. With |C| ≤ α it is exp(-z²/2) at z√k·α (slides "Azuma's Inequality").
    """
    t = non_negative("deviation", deviation)
    return _tail(2 * t * t / _squares(differences))


def azuma_deviation(differences: Sequence[Real], beta: Real) -> float:
    """The deviation that azuma allows with probability beta."""
    return _handed_out(sqrt_up(_log_inverse(beta) * _squares(differences) / 2))


def clopper_pearson_low(hits: Any, draws: int, alpha: float) -> NDArray[np.float64]:
    """The largest p that so many hits refute from below: Pr[at least so many] ≤ alpha for every smaller p.

    Clopper and Pearson 1934; it holds with its confidence whatever p is. Many hits at once give as many limits.
    """
    from scipy.special import betaincinv

    k = np.asarray(hits, dtype=np.float64)
    return np.where(k > 0, betaincinv(np.maximum(k, 1), draws - k + 1, alpha), 0.0)


def clopper_pearson_high(hits: Any, draws: int, alpha: float) -> NDArray[np.float64]:
    """The least p that so few hits refute from above."""
    return np.asarray(1 - clopper_pearson_low(draws - np.asarray(hits, dtype=np.float64), draws, alpha))


def log_factorial_bounds(n: int) -> tuple[float, float]:
    """Floats around ln n! by Stirling's formula (Survey Theorem 2.4), which is off by between 1/(12n + 1)
    and 1/(12n) (Robbins 1955).

    >>> low, high = log_factorial_bounds(20)
    >>> low < math.log(math.factorial(20)) < high
    True
    """
    m = whole("n", n)
    if m > 2**60:
        raise InvalidParameter("n", "must be at most 2**60", n)
    if m == 0:
        return 0.0, 0.0
    stirling = 0.5 * math.log(2 * math.pi * m) + m * (math.log(m) - 1)
    slack = 2.0**-48 * (1 + abs(m * math.log(m)) + m)  # four roundings of terms no larger than these
    return stirling + 1 / (12 * m + 1) - slack, stirling + 1 / (12 * m) + slack
