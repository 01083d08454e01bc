"""The Gaussian mechanism's exact privacy curve (Balle, Wang 2018, Theorem 8), for every ε and δ.

δ(ε) = Φ(μ/2 - ε/μ) - e^ε·Φ(-μ/2 - ε/μ). With a = ε/μ - μ/2, b = ε/μ + μ/2 and Mills' ratio R, e^ε·φ(b) = φ(a), so
δ = φ(a)·(R(a) - R(b)): no cancellation but that of the two ratios, which the slack covers, and for a small μ the
trapezoid over -R'(x) = 1 - x·R(x), which is convex, so that it is above the integral.
"""

import math
from fractions import Fraction

from sfumato.exact.rounding import sqrt_up

_SQRT_HALF = math.sqrt(0.5)
_SMALL_MU = 1e-4
_LEAST_DELTA, _MOST_MU = 1e-250, 1e100  # beyond, floats cannot bracket ε and none is given


def _mills(x: float) -> float:
    """(1 - Φ(x))/φ(x), for x of either sign."""
    from scipy.special import erfcx

    return float(erfcx(x * _SQRT_HALF)) * math.sqrt(math.pi / 2)


def delta(epsilon: float, mu: float) -> float:
    """The least δ of Gaussian noise with Δ/σ = μ, rounded up."""
    if mu == 0:
        return 0.0
    a, b = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    if a < -35:
        return 1.0
    if a > 35:  # φ(a)·R(a) ≤ exp(-a²/2)/2, and floats end soon
        return max(math.exp(-a * a / 2), 5e-324)
    first, second = _mills(a), _mills(b)
    if mu < _SMALL_MU:
        gap = mu * (max(0.0, 1 - a * first) + max(0.0, 1 - b * second)) / 2 + mu * 2.0**-50 * (1 + abs(b) * first)
    else:  # a and b are rounded; R falls by at most 1 - a·R(a) for each unit, and δ by φ(a)
        gap = first - second + 2.0**-48 * first + 2.0**-51 * (abs(a) + abs(b)) * max(1.0, 1 - a * first)
    value = math.exp(-a * a / 2) / math.sqrt(2 * math.pi) * gap
    return min(1.0, max(value * (1 + 2.0**-45 * (1 + a * a)), 5e-324))


def delta_below(epsilon: float, mu: float) -> float:
    """The same, rounded down: every allowance is taken off, and for a small μ it is the midpoint's height."""
    if mu == 0:
        return 0.0
    a, b = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    if abs(a) > 35:
        return 0.0
    first, second = _mills(a), _mills(b)
    if mu < _SMALL_MU:
        middle = epsilon / mu
        gap = mu * (1 - middle * _mills(middle)) - mu * 2.0**-48 * (1 + abs(b) * first)
    else:
        gap = first - second - 2.0**-47 * first - 2.0**-50 * (abs(a) + abs(b)) * max(1.0, 1 - a * first)
    return max(0.0, math.exp(-a * a / 2) / math.sqrt(2 * math.pi) * gap * (1 - 2.0**-44 * (1 + a * a)))


def epsilon_below(delta_: float, mu: float) -> float:
    """An ε for which δ does not suffice, near the least for which it does."""
    if mu == 0 or delta_ >= 1 or delta_ < _LEAST_DELTA or mu > _MOST_MU or delta_below(0.0, mu) < delta_:
        return 0.0
    low, high = 0.0, epsilon(delta_, mu)
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if delta_below(middle, mu) > delta_ else (low, middle)
        if high - low <= 1e-13 * high:
            break
    return low


def epsilon(delta_: float, mu: float) -> float:
    """The least ε of Gaussian noise with Δ/σ = μ, rounded up."""
    if mu == 0 or delta_ >= 1 or delta(0.0, mu) <= delta_:
        return 0.0
    if delta_ < _LEAST_DELTA or mu > _MOST_MU:
        return math.inf
    low, high = 0.0, mu * mu / 2 + mu * math.sqrt(2 * math.log(1 / delta_)) + 1e-300
    while delta(high, mu) > delta_:
        high *= 1.5
    for _ in range(80):
        middle = (low + high) / 2
        if delta(middle, mu) > delta_:
            low = middle
        else:
            high = middle
        if high - low <= 1e-14 * high:
            break
    return high


def mu_of(squared: Fraction) -> float:
    """√(Σ(Δ/σ)²), rounded up: Gaussian events compose to one."""
    return sqrt_up(squared) if squared else 0.0
