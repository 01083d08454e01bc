"""Calibration: the least noise, the largest ε or the most uses that meet a target, by asking the accountant.

The answer is always on the safe side: the accountant certifies it, and the next float would only be closer. A float
means the decimal it is written as, here too: that decimal is what is certified, and what a constructor makes of it.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sfumato.accounting.events import Event
from sfumato.accounting.total import total
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real, amount, non_negative, positive, whole
from sfumato.exact.rounding import down

_TOLERANCE = 1e-9


def _target(epsilon: Real, delta: Real) -> tuple[Fraction, Fraction]:
    return positive("epsilon", epsilon), min(Fraction(1), non_negative("delta", delta))


def smallest_noise(event: Callable[[Any], Event], *, epsilon: Real, delta: Real, times: int = 1) -> float:
    """The least scale s for which `times` uses of event(s) meet (ε, δ); the price must fall with s.

    `event` is given the Fraction that the float s is written as.

    >>> from sfumato.accounting import events
    >>> round(smallest_noise(events.Gaussian, epsilon=1, delta=1e-6), 3)
    4.225
    """
    cap, d = _target(epsilon, delta)
    n = whole("times", times, least=1)

    def meets(scale: float) -> bool:
        return total([(event(amount("scale", scale)), n)]).meets(cap, d)

    high = 1.0
    while not meets(high):
        high *= 2
        if high > 2.0**60:
            raise InvalidParameter("event", "does not meet the target at any scale", (epsilon, delta))
    low = high / 2
    while meets(low):
        low, high = low / 2, low
        if low < 2.0**-60:
            return high
    return _bisect(low, high, meets)


def largest_epsilon(event: Callable[[Any], Event], *, epsilon: Real, delta: Real, times: int = 1) -> float:
    """The largest e for which `times` uses of event(e) meet (ε, δ); the price must grow with e.

    `event` is given the Fraction that the float e is written as.
    """
    cap, d = _target(epsilon, delta)
    n = whole("times", times, least=1)

    def meets(per_use: float) -> bool:
        return total([(event(amount("epsilon", per_use)), n)]).meets(cap, d)

    low = down(cap / n)  # basic composition
    while not meets(low):
        low /= 2
        if low < 2.0**-1000:
            raise InvalidParameter("event", "does not meet the target at any ε", (epsilon, delta))
    high = 2 * low
    while meets(high):
        low, high = high, 2 * high
    return _bisect(high, low, meets)


def most_uses(event: Event, *, epsilon: Real, delta: Real, limit: int = 10**9) -> int:
    """The largest n for which n uses of the event meet (ε, δ)."""
    cap, d = _target(epsilon, delta)

    def meets(n: int) -> bool:
        return total([(event, n)]).meets(cap, d)

    if not meets(1):
        return 0
    low, high = 1, 2
    while high < limit and meets(high):
        low, high = high, 2 * high
    high = min(high, limit + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if meets(middle) else (low, middle)
    return low


def _bisect(bad: float, good: float, meets: Callable[[float], bool]) -> float:
    """The end that meets the target, closed in on from the end that does not."""
    while abs(good - bad) > _TOLERANCE * max(good, bad):
        middle = (good + bad) / 2
        if meets(middle):
            good = middle
        else:
            bad = middle
    return good
