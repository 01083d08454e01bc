"""What every release of keys nobody declared shares: a threshold that hides a lone person, and its price.

A key that no other person holds appears with its holder, so its mere presence betrays him. What is promised is that the
keys a lone person brings show with probability at most δ, counting the mass at the threshold itself.

With q the probability that one of his new keys shows, A the law of the rest without him and A' with him, the outcome
has law A without him and (1 - q)·A' + q·B with him. For every ε both directions of the hockey-stick are at most
(1 - q)·H(A', A) + q and (1 - q)·H(A, A') + q: that is the noise on the keys he shares, composed with a failure of
probability q.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np

from sfumato.accounting import events, total
from sfumato.accounting.events import Event
from sfumato.core import Change, Neighbours, Unit
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real, open_probability, positive, whole
from sfumato.exact.rounding import up

UP = 1 + 2.0**-39
"""Above the relative error of every tail computed for a threshold: arguments of exp round by 2**-43 at most."""
_LEAST = 2.0**-1020  # tails below count as this much: floats would lose their digits, and then all of them
_CLOSE = 1e-4  # how near σ comes to the least one
_MOST_GROWTH = 2.0**20  # how far beyond its estimate σ is looked for


def least(holds: Callable[[int], bool], start: int) -> int:
    """The least whole number from `start` on for which a property holds that stays true once it is."""
    step = 1
    while not holds(start + step - 1):
        step *= 2
    low, high = start + step // 2 - 1, start + step - 1  # false at low, or low is before the start; true at high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def any_of(one: float, count: int) -> float:
    """1 - (1 - one)**count for independent events of one probability, rounded up."""
    return min(1.0, max(_LEAST, -math.expm1(count * math.log1p(-one)) * UP)) if one < 1 else 1.0


@dataclass(frozen=True, kw_only=True)
class KeyThreshold(ABC):
    """Keys are shown whose noisy number reaches `threshold`; each person adds one and the same to that number.

    Each person holds at most `keys_per_person` keys; the caller sees to it. Neighbours differ by one person.
    """

    neighbours: ClassVar[Neighbours] = Neighbours(Change.ADD_REMOVE, Unit.PERSON)
    epsilon: Real
    delta: Real
    keys_per_person: int = 1
    threshold: int = field(init=False)
    """The least noisy number that is shown; it does not depend on the data."""
    event: Event = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._set(epsilon=positive("epsilon", self.epsilon), delta=open_probability("delta", self.delta))
        whole("keys_per_person", self.keys_per_person, least=1)
        if open_probability("delta", self.delta) < 2**20 * Fraction(_LEAST) * self.keys_per_person:
            raise InvalidParameter("delta", "must be at least 2**-1000 for each key of a person", self.delta)
        self._prepare()

    @abstractmethod
    def _prepare(self) -> None:
        """Fix the noise, the threshold and the price."""

    @abstractmethod
    def _tail(self, k: int) -> float:
        """Pr[noise ≥ k] for k ≥ 1, or above it, off by less than UP downwards; the noise is symmetric around zero."""

    def _set(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def _each(self) -> int:
        """What each person adds to the number that is compared."""
        return 1

    @property
    def _share(self) -> Fraction:
        """The ε of one of a person's keys."""
        return positive("epsilon", self.epsilon) / self.keys_per_person

    @property
    def lone_delta(self) -> float:
        """The probability that one of a lone person's ℓ keys shows: that his part and its noise reach the threshold."""
        return self._any_shows(self.threshold - self._each)

    def _any_shows(self, missing: int) -> float:
        """The probability that one of ℓ noises is at least so much, rounded up."""
        return any_of(self._tail(missing) * UP, self.keys_per_person)

    def _least_threshold(self, most: Fraction) -> int:
        """The least threshold at which a lone person's keys show with probability `most`, at the most."""
        return self._each + least(lambda missing: self._any_shows(missing) <= most, 1)

    def _with_threshold(self, noise: Event, delta: Fraction) -> Event:
        """ℓ noises, one for each of a person's keys, the last of which carries the δ of the threshold."""
        last = events.Thresholded(noise, delta)
        return events.Composition([(noise, self.keys_per_person - 1), (last, 1)])

    def chance(self, people: int) -> float:
        """The probability that a key held by so many people is shown."""
        if whole("people", people) == 0:
            return 0.0  # a key without people is not in the data at all
        missing = self.threshold - people * self._each
        return self._tail(missing) if missing >= 1 else 1 - self._tail(1 - missing)

    def people_for(self, probability: Real) -> int:
        """The least number of people with whom a key is shown with this probability."""
        wanted = open_probability("probability", probability)
        return least(lambda people: self.chance(people) >= wanted, 1)


def least_sigma(event_at: Callable[[Fraction], Event], *, start: float, epsilon: Real, delta: Real) -> Fraction:
    """The least σ near `start` whose event meets (ε, δ)."""

    def meets(sigma: float) -> bool:
        return total([event_at(Fraction(sigma))]).meets(epsilon, delta)

    step = 1.001  # the start is nearly always that close
    low = high = start
    while not meets(high):
        low, high, step = high, high * step, min(2.0, step * step)
        if high > _MOST_GROWTH * start:
            raise InvalidParameter("epsilon", "is outside what Gaussian noise can be priced for", epsilon)
    while low == high or (low < start and meets(low)):
        high, low, step = low, low / step, min(2.0, step * step)
    while high - low > _CLOSE * high:
        middle = (low + high) / 2
        low, high = (low, middle) if meets(middle) else (middle, high)
    return Fraction(high)


def split(epsilon: float, delta: Fraction, count: int) -> tuple[float, Fraction]:
    """The √ℓ/σ and the threshold's share of δ for the least threshold, as real normal noise would have it.

    Only a guide: the accountant and the exact tail decide. δ(ε) of the Gaussian mechanism is Balle, Wang 2018's.
    """
    from scipy.special import log_ndtr, ndtr, ndtri

    ratio = np.geomspace(1e-18, 1e4, 30_000)
    spent = ndtr(ratio / 2 - epsilon / ratio) - np.exp(epsilon + log_ndtr(-ratio / 2 - epsilon / ratio))
    left = np.minimum(1 - spent / up(delta), 0.99)  # something must be left for the noise
    usable = left > 1e-3
    if not usable.any():
        raise InvalidParameter("epsilon", "is too small for noise of a finite width at this δ", epsilon)
    ratio, left = ratio[usable][::-1], left[usable][::-1]  # the least noise first, to win among equals
    height = np.maximum(-ndtri(left * up(delta) / count) / ratio, 0.5 / math.sqrt(count))
    best = int(np.argmin(height))
    return float(ratio[best]), Fraction(float(left[best]))
