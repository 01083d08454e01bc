"""What (ε, δ)-closeness does as a relation between distributions (Survey §3.4.3, errata A13 and A14)."""

import math

from sfumato.accounting.composition import optimal_delta
from sfumato.accounting.conversion import checked_price, real
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real

_UP = 1 + 2.0**-45
Close = tuple[Real, Real]
"""ε and δ: Pr[X in S] ≤ e^ε·Pr[Y in S] + δ for all S."""


def _check(close: Close) -> tuple[float, float]:
    epsilon, delta = checked_price("epsilon", close[0]), real("delta", close[1])
    if not 0 <= delta <= 1:
        raise InvalidParameter("delta", "must be between 0 and 1", close[1])
    return epsilon, delta


def implies(known: Close, asked: Close) -> bool:
    """Whether everything that is (ε, δ)-private is (ε', δ')-private as well.

    A larger ε' and δ' always are (monotonicity); beyond that, a smaller ε' is bought with the δ' of the worst
    mechanism (Kairouz, Oh, Viswanath 2015).

    >>> implies((1, 1e-6), (1.5, 1e-6)), implies((1, 0), (0.5, 0)), implies((1, 0), (0.5, 0.3))
    (True, False, True)
    """
    (epsilon, delta), (larger, also) = _check(known), _check(asked)
    if larger >= epsilon:
        return also >= delta
    return delta < 1 and epsilon < math.inf and optimal_delta(larger, epsilon, delta, 1) <= also


def triangle(first: Close, second: Close) -> tuple[float, float]:
    """X close to Y and Y close to Z make X close to Z: (ε₁ + ε₂, δ₁ + e^ε₁·δ₂), and not the printed δ₁ + δ₂ (A13)."""
    (e1, d1), (e2, d2) = _check(first), _check(second)
    growth = math.exp(e1) * _UP if e1 < 700 else math.inf
    return (e1 + e2) * _UP, min(1.0, (d1 + (growth * d2 if d2 else 0.0)) * _UP)


def mixture(first: Close, second: Close) -> tuple[float, float]:
    """Two close pairs mixed with the same weights are as close as the worse pair (quasi-convexity)."""
    (e1, d1), (e2, d2) = _check(first), _check(second)
    return max(e1, e2), max(d1, d2)
