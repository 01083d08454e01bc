"""Release of keys nobody declared, as GROUP BY finds them: those whose noisy count of people passes a threshold.

A key that no other person holds appears with its holder, so its mere presence betrays him. What is promised is that the
keys a lone person brings show with probability at most δ, counting the mass at the threshold itself.

With q the probability that one of his new keys shows, A the law of the rest without him and A' with him, the outcome
has law A without him and (1 - q)·A' + q·B with him. For every ε both directions of the hockey-stick are at most
(1 - q)·H(A', A) + q and (1 - q)·H(A, A') + q: that is the noise on the keys he shares, composed with a failure of
probability q. Each key moves by one at most, so ℓ keys are a composition of ℓ noises for a move of one, which is
cheaper than one noise for a move of ℓ.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, TypeVar

import numpy as np

from sfumato.accounting import events, total
from sfumato.accounting.events import Event
from sfumato.core import Accuracy, Change, Neighbours, Unit
from sfumato.errors import InvalidParameter
from sfumato.exact import discrete_gaussian, discrete_laplace, permutation, truncated_discrete_laplace
from sfumato.exact.bits import BitSource, source
from sfumato.exact.parameters import Real, open_probability, positive, whole
from sfumato.exact.rounding import up
from sfumato.exact.sampler import objects
from sfumato.mechanisms.answers import add
from sfumato.mechanisms.discrete_gaussian import gaussian_tail

Key = TypeVar("Key", bound=Hashable)

_UP = 1 + 2.0**-39  # above the relative error of every tail computed here: arguments of exp round by 2**-43 at most
_LEAST = 2.0**-1020  # tails below count as this much: floats would lose their digits, and then all of them
_CLOSE = 1e-4  # how near σ comes to the least one
_MOST_GROWTH = 2.0**20  # how far beyond its estimate σ is looked for
_MOST_KEYS = 1000  # keys per person up to which their losses are composed exactly; beyond, by ρ, at some 7 % more noise


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
    return min(1.0, max(_LEAST, -math.expm1(count * math.log1p(-one)) * _UP)) if one < 1 else 1.0


@dataclass(frozen=True, kw_only=True)
class KeySelection(ABC):
    """Keys and their noisy counts of people, for those whose noisy count reaches `threshold`.

    Each person holds at most `keys_per_person` keys; the caller sees to it. Neighbours differ by one person.
    """

    neighbours: ClassVar[Neighbours] = Neighbours(Change.ADD_REMOVE, Unit.PERSON)
    epsilon: Real
    delta: Real
    keys_per_person: int = 1
    threshold: int = field(init=False)
    """The least noisy count that is shown; it does not depend on the data."""
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
        """Pr[noise ≥ k] for k ≥ 1, off by less than _UP; the noise is symmetric around zero."""

    @abstractmethod
    def _draw(self, size: int, bits: BitSource) -> Any:
        """Independent noise for each key."""

    def _set(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def _share(self) -> Fraction:
        """The ε of one of a person's keys."""
        return positive("epsilon", self.epsilon) / self.keys_per_person

    @property
    def lone_delta(self) -> float:
        """The probability with which any of a lone person's keys shows: that Pr[1 + noise ≥ threshold] for one of ℓ."""
        return any_of(self._tail(self.threshold - 1) * _UP, self.keys_per_person)

    def _least_threshold(self, most: Fraction) -> int:
        """The least threshold from 2 on at which a lone person's keys show with probability `most`, at the most."""
        return 1 + least(lambda k: any_of(self._tail(k) * _UP, self.keys_per_person) <= most, 1)

    def _with_threshold(self, noise: Event, delta: Fraction) -> Event:
        """ℓ noises for a move of one, the last of which carries the δ of the threshold."""
        last = events.Thresholded(noise, delta)
        return events.Composition([(noise, self.keys_per_person - 1), (last, 1)])

    def chance(self, people: int) -> float:
        """The probability that a key held by so many people is shown."""
        if whole("people", people) == 0:
            return 0.0  # a key without people is not in the data at all
        missing = self.threshold - people
        return self._tail(missing) if missing >= 1 else 1 - self._tail(1 - missing)

    def people_for(self, probability: Real) -> int:
        """The least number of people with whom a key is shown with this probability."""
        wanted = open_probability("probability", probability)
        return least(lambda people: self.chance(people) >= wanted, 1)

    def error(self, beta: Real) -> Accuracy:
        """No key's noise exceeds this, with probability 1 - beta for each key.

        It holds before one knows which keys are shown: counts near the threshold are shown when their noise is upward.
        """
        fails = open_probability("beta", beta)
        return Accuracy(float(least(lambda t: 2 * self._tail(t + 1) * _UP <= fails, 0)), float(fails))

    def select(self, counts: Any, *, bits: BitSource | None = None) -> tuple[Any, Any]:
        """Of an array of counts the places that pass and their noisy counts, in the order of the array.

        For callers who keep the keys elsewhere; they must not let the order of the data be seen.
        """
        exact = np.asarray(counts)
        if exact.ndim != 1 or (len(exact) and exact.dtype.kind not in "iu"):
            raise InvalidParameter("counts", "must be a row of whole numbers, found", exact.dtype.name)
        if not len(exact):
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        if int(exact.min()) < 0:
            raise InvalidParameter("counts", "must not be negative, found", "another")
        there = np.flatnonzero(exact > 0)  # a key without people is not in the data
        if not len(there):
            return there, np.zeros(0, dtype=np.int64)
        people = exact[there].astype(np.int64) if int(exact.max()) < 2**62 else objects(map(int, exact[there]))
        noisy = add(people, self._draw(len(there), source(bits)))
        passed = np.flatnonzero(noisy >= self.threshold)
        return there[passed], noisy[passed]

    def release(self, counts: Mapping[Key, int], *, bits: BitSource | None = None) -> dict[Key, int]:
        """The keys that pass with their noisy counts, largest first and equal ones in random order."""
        stream = source(bits)
        present = _people(counts)
        if not present:
            return {}
        keys, exact = list(present), list(present.values())
        small = max(exact) < 2**62
        noisy = add(np.array(exact, dtype=np.int64) if small else objects(exact), self._draw(len(exact), stream))
        shown = [(keys[i], int(noisy[i])) for i in np.flatnonzero(noisy >= self.threshold)]
        # The order in which the data came must not be seen, not even among equal counts.
        shuffled = [shown[i] for i in permutation(len(shown), bits=stream)]
        return dict(sorted(shuffled, key=lambda pair: -pair[1]))


def _people(counts: Mapping[Key, int]) -> dict[Key, int]:
    """The keys somebody holds, with exact counts; neither a key nor a count is shown in an error."""
    given: object = counts  # callers may not run a type checker
    if not isinstance(given, Mapping):
        raise InvalidParameter("counts", "must map each key to its number of people, found", type(counts))
    exact: dict[Key, int] = {}
    for key, value in counts.items():
        if isinstance(value, bool | np.bool_ | np.timedelta64) or not isinstance(value, int | np.integer):
            raise InvalidParameter("counts", "must be whole numbers of people, found", type(value))
        if value < 0:
            raise InvalidParameter("counts", "must not be negative, found", "one below zero")
        if value > 0:
            exact[key] = int(value)
    return exact


@dataclass(frozen=True, kw_only=True)
class LaplaceKeys(KeySelection):
    """Thresholded discrete Laplace noise of scale ℓ/ε: ε for the counts, δ for the keys of a lone person.

    >>> keys = LaplaceKeys(epsilon=1, delta=1e-6)
    >>> keys.threshold, keys.people_for(0.95)
    (15, 17)
    >>> keys.release({"Vinci": 1000, "Anchiano": 1}).keys()
    dict_keys(['Vinci'])
    """

    def _prepare(self) -> None:
        self._set(threshold=self._least_threshold(open_probability("delta", self.delta)))
        self._set(event=self._with_threshold(events.Geometric(self._share), Fraction(self.lone_delta)))

    def _tail(self, k: int) -> float:
        """p**k/(1 + p), p = exp(-ε/ℓ)."""
        return math.exp(-up(k * self._share)) / (1 + math.exp(-up(self._share)))

    def _draw(self, size: int, bits: BitSource) -> Any:
        return discrete_laplace(1 / self._share, size, bits=bits)


@dataclass(frozen=True, kw_only=True)
class TruncatedGeometricKeys(KeySelection):
    """Keys shown above the `bound` of truncated geometric noise (Desfontaines, Voss, Gipson, Mandayam 2022).

    Each of a person's ℓ keys costs (ε/ℓ, δ/ℓ). With one key a person no mechanism of the same (ε, δ) shows a key more
    often, up to the rounding of `bound` to a whole number. A key with more than 2·bound people is always shown.

    >>> keys = TruncatedGeometricKeys(epsilon=1, delta=1e-6)
    >>> keys.bound, keys.threshold, keys.chance(28) < 1, keys.chance(29)
    (14, 15, True, 1.0)
    """

    bound: int = field(init=False)

    def _prepare(self) -> None:
        delta, share, count = open_probability("delta", self.delta), self._share, self.keys_per_person

        def top(k: int) -> Fraction:
            return Fraction(any_of(_window(k, k, share) * _UP, 1))

        bound = least(lambda k: count * top(k) <= delta, 1)  # ⌈ln((e^ε - 1 + 2δ)/(δ(e^ε + 1)))/ε⌉ for one key
        self._set(bound=bound, threshold=bound + 1)
        # From n to n + 1 people only the highest or the lowest place is new, each with the mass at the bound; every
        # other place changes by exp(±ε/ℓ), and places that are not shown are joined.
        self._set(event=events.Composition([(events.Approximate(share, top(bound)), count)]))

    def _tail(self, k: int) -> float:
        return _window(k, self.bound, self._share) if k <= self.bound else 0.0

    def _draw(self, size: int, bits: BitSource) -> Any:
        return truncated_discrete_laplace(1 / self._share, self.bound, size, bits=bits)


def _window(k: int, bound: int, share: Fraction) -> float:
    """Pr[noise ≥ k] of Pr[z] ∝ p**|z| on [-bound, bound]: p**k·(1 - p**(bound + 1 - k))/(1 - p + 2p(1 - p**bound))."""
    p, rest = math.exp(-up(share)), -math.expm1(-up(share))
    whole_mass = rest + 2 * p * -math.expm1(-up(bound * share))
    return math.exp(-up(k * share)) * -math.expm1(-up((bound + 1 - k) * share)) / whole_mass


@dataclass(frozen=True, kw_only=True)
class GaussianKeys(KeySelection):
    """Thresholded discrete Gaussian noise, with δ split between noise and threshold for the least threshold.

    Its noise grows with √ℓ instead of ℓ, so it wins where a person holds many keys.

    >>> [GaussianKeys(epsilon=1, delta=1e-6, keys_per_person=l).threshold for l in (1, 10, 100)]
    [23, 75, 252]
    >>> [LaplaceKeys(epsilon=1, delta=1e-6, keys_per_person=l).threshold for l in (1, 10, 100)]
    [15, 156, 1775]
    """

    sigma: Fraction = field(init=False)

    def _prepare(self) -> None:
        delta, count = open_probability("delta", self.delta), self.keys_per_person
        ratio, share = _split(up(positive("epsilon", self.epsilon)), delta, count)
        start, allowed = math.sqrt(count) / ratio, delta * share
        self._set(sigma=self._least_sigma(start, allowed))
        self._set(threshold=self._least_threshold(allowed))
        # A whole threshold leaves some of its δ over: given back to the noise it makes σ less, and the tail with it.
        allowed = Fraction(self.lone_delta)
        self._set(sigma=self._least_sigma(float(self.sigma), allowed))
        spent = min(allowed, Fraction(self.lone_delta))
        self._set(event=self._event_at(self.sigma, spent))

    def _event_at(self, sigma: Fraction, delta: Fraction) -> Event:
        if self.keys_per_person <= _MOST_KEYS:
            return self._with_threshold(events.DiscreteGaussian(sigma), delta)
        return events.Thresholded(events.ZCDP(self.keys_per_person / (2 * sigma**2)), delta)

    def _least_sigma(self, start: float, allowed: Fraction) -> Fraction:
        """The least σ near `start` that meets (ε, δ) with `allowed` of δ for the threshold."""

        def meets(sigma: float) -> bool:
            return total([self._event_at(Fraction(sigma), allowed)]).meets(self.epsilon, self.delta)

        step = 1.001  # the start is nearly always that close
        low = high = start
        while not meets(high):
            low, high, step = high, high * step, min(2.0, step * step)
            if high > _MOST_GROWTH * start:
                raise InvalidParameter("epsilon", "is outside what Gaussian noise can be priced for", self.epsilon)
        while low == high or (low < start and meets(low)):
            high, low, step = low, low / step, min(2.0, step * step)
        while high - low > _CLOSE * high:
            middle = (low + high) / 2
            low, high = (low, middle) if meets(middle) else (middle, high)
        return Fraction(high)

    def _tail(self, k: int) -> float:
        return gaussian_tail(k, float(self.sigma))

    def _draw(self, size: int, bits: BitSource) -> Any:
        return discrete_gaussian(self.sigma, size, bits=bits)


def _split(epsilon: float, delta: Fraction, count: int) -> tuple[float, Fraction]:
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


def best_key_selection(*, epsilon: Real, delta: Real, keys_per_person: int = 1) -> KeySelection:
    """The mechanism that shows a key with the fewest people at probability one half, of all three.

    >>> for l in (1, 2, 4, 8):
    ...     best = best_key_selection(epsilon=1, delta=1e-6, keys_per_person=l)
    ...     print(l, type(best).__name__, best.threshold)
    1 TruncatedGeometricKeys 15
    2 TruncatedGeometricKeys 28
    4 GaussianKeys 47
    8 GaussianKeys 67
    """
    asked: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "keys_per_person": keys_per_person}
    built: list[KeySelection] = [TruncatedGeometricKeys(**asked), LaplaceKeys(**asked)]
    with suppress(InvalidParameter):  # the parameters are good, but extreme ones have no Gaussian price
        built.append(GaussianKeys(**asked))
    return min(built, key=lambda each: (each.people_for(0.5), each.error(0.05).alpha))
