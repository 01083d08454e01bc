"""From one currency to another: Rényi and zero-concentrated privacy to (ε, δ), and back.

Each theorem of the survey is a function of its own; the improved forms stand beside them (errata C5).
"""

import math
from collections.abc import Callable, Iterable

from sfumato.accounting.rdp import Curve
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real, amount, nearest

_UP = 1 + 2.0**-45


def real(name: str, value: Real) -> float:
    """An amount as the nearest float, which a float is already; what is computed from it allows for the rounding."""
    return float(value) if isinstance(value, float) else nearest(amount(name, value))


def checked_price(name: str, value: Real) -> float:
    """A price as a float, refused if it is negative or not a number; an infinite one is a price."""
    found = real(name, value)
    if not found >= 0:
        raise InvalidParameter(name, "must not be negative", value)
    return found


def _delta(value: Real) -> float:
    delta = real("delta", value)
    if not 0 < delta < 1:
        raise InvalidParameter("delta", "must be between 0 and 1", value)
    return delta


def _curve(order: Real, value: Real) -> tuple[float, float]:
    alpha = real("alpha", order)
    if not alpha > 1:
        raise InvalidParameter("alpha", "must be above 1", order)
    return alpha, checked_price("epsilon", value)


def rdp_to_dp(alpha: Real, epsilon: Real, delta: Real) -> float:
    """(α, ε)-RDP implies (ε + ln(1/δ)/(α - 1), δ) (Survey Theorem 8.4 and Theorem 8.8)."""
    delta, (alpha, epsilon) = _delta(delta), _curve(alpha, epsilon)
    return (epsilon + math.log(1 / delta) / (alpha - 1)) * _UP


def rdp_to_dp_improved(alpha: Real, epsilon: Real, delta: Real) -> float:
    """ε + ln((α-1)/α) - (ln δ + ln α)/(α - 1) (Balle et al. 2020; Canonne, Kamath, Steinke 2020), at least 0."""
    delta, (alpha, epsilon) = _delta(delta), _curve(alpha, epsilon)
    if epsilon == math.inf:
        return math.inf
    better = epsilon + math.log((alpha - 1) / alpha) - (math.log(delta) + math.log(alpha)) / (alpha - 1)
    return max(0.0, better + abs(better) * 2.0**-45 + epsilon * 2.0**-45)


def rdp_delta(alpha: float, curve: float, epsilon: float) -> float:
    """The δ of (α, ε(α))-RDP at ε: exp((α-1)(ε(α) - ε))·(1 - 1/α)^α/(α - 1) (Canonne, Kamath, Steinke 2020)."""
    if curve == math.inf:
        return 1.0
    exponent = (alpha - 1) * (curve - epsilon) + alpha * math.log1p(-1 / alpha) - math.log(alpha - 1)
    return min(1.0, math.exp(min(0.0, exponent)) * _UP)


def rdp_probability_bound(alpha: Real, epsilon: Real, probability: Real) -> float:
    """The most an event can have if a neighbour gives it `probability`: (e^ε·p)^((α-1)/α).

    It follows from Rényi privacy and is not the same (Survey Definition 8.2, errata C3).
    """
    (alpha, epsilon), probability = _curve(alpha, epsilon), real("probability", probability)
    if not 0 <= probability <= 1:
        raise InvalidParameter("probability", "must be between 0 and 1", probability)
    if probability == 0:
        return 0.0 if epsilon < math.inf else 1.0
    power = 1.0 if alpha == math.inf else (alpha - 1) / alpha
    return min(1.0, math.exp(min(0.0, power * (epsilon + math.log(probability)))) * _UP)


def zcdp_to_dp(rho: Real, delta: Real) -> float:
    """ρ-zCDP implies (ρ + 2√(ρ·ln(1/δ)), δ) (Survey Theorem 8.13)."""
    delta, rho = _delta(delta), checked_price("rho", rho)
    return (rho + 2 * math.sqrt(rho * math.log(1 / delta))) * _UP


def zcdp_to_dp_improved(rho: Real, delta: Real) -> float:
    """The improved conversion at the best order of the line α·ρ."""
    slope, fails = checked_price("rho", rho), _delta(delta)
    return best_order(lambda alpha: rdp_to_dp_improved(alpha, alpha * slope, fails))[0] if slope else 0.0


def dp_to_zcdp(epsilon: Real) -> float:
    """ε-differential privacy implies ε²/2-zCDP (Survey Theorem 8.14)."""
    epsilon = checked_price("epsilon", epsilon)
    return epsilon * epsilon / 2 * _UP


def dp_to_rdp(epsilon: Real, alpha: Real) -> float:
    """ε-differential privacy implies RDP at every order, and at order ∞ is the same (Survey Theorem 8.3)."""
    from sfumato.accounting.rdp import two_point

    alpha, epsilon = _curve(alpha, epsilon)
    return min(epsilon, two_point(epsilon, alpha))


def over_orders(curve: Curve, orders: Iterable[float], convert: Callable[[float, float], float]) -> float:
    """The least price over the given orders."""
    return min((convert(alpha, curve(alpha)) for alpha in orders), default=math.inf)


def best_order(cost: Callable[[float], float]) -> tuple[float, float]:
    """The least price over all orders, and where: any order is valid, so the search decides tightness only."""
    low, high = math.log(1e-3), math.log(1e7)  # of α - 1
    grid = [low + (high - low) * i / 48 for i in range(49)]
    values = [cost(1 + math.exp(x)) for x in grid]
    at = min(range(len(grid)), key=values.__getitem__)
    left, right = grid[max(0, at - 1)], grid[min(len(grid) - 1, at + 1)]
    golden = (math.sqrt(5) - 1) / 2
    best, where = values[at], grid[at]
    for _ in range(40):
        a, b = right - golden * (right - left), left + golden * (right - left)
        fa, fb = cost(1 + math.exp(a)), cost(1 + math.exp(b))
        best, where = min((best, where), (fa, a), (fb, b))
        left, right = (left, b) if fa < fb else (a, right)
        if right - left < 1e-7:
            break
    return best, 1 + math.exp(where)
