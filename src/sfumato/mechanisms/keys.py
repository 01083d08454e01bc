"""Release of keys nobody declared, as GROUP BY finds them: those whose noisy count of people passes a threshold.

Why that is private stands in `thresholds.py`. Each key moves by one at most, so ℓ keys are a composition of ℓ noises
for a move of one, which is cheaper than one noise for a move of ℓ.
"""

import math
from abc import abstractmethod
from collections.abc import Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from sfumato.accounting import events
from sfumato.accounting.events import Event
from sfumato.core import Accuracy
from sfumato.errors import InvalidParameter
from sfumato.exact import discrete_gaussian, discrete_laplace, permutation, truncated_discrete_laplace
from sfumato.exact.bits import BitSource, source
from sfumato.exact.parameters import Real, open_probability, positive
from sfumato.exact.rounding import up
from sfumato.exact.sampler import objects
from sfumato.mechanisms.answers import add
from sfumato.mechanisms.discrete_gaussian import gaussian_tail
from sfumato.mechanisms.thresholds import UP, KeyThreshold, any_of, least, least_sigma, split

Key = TypeVar("Key", bound=Hashable)

_MOST_KEYS = 1000  # keys per person up to which their losses are composed exactly; beyond, by ρ, at some 7 % more noise


@dataclass(frozen=True, kw_only=True)
class KeySelection(KeyThreshold):
    """Keys and their noisy counts of people, for those whose noisy count reaches `threshold`."""

    @abstractmethod
    def _draw(self, size: int, bits: BitSource) -> Any:
        """Independent noise for each key."""

    def error(self, beta: Real) -> Accuracy:
        """No key's noise exceeds this, with probability 1 - beta for each key.

        It holds before one knows which keys are shown: counts near the threshold are shown when their noise is upward.
        """
        fails = open_probability("beta", beta)
        return Accuracy(float(least(lambda t: 2 * self._tail(t + 1) * UP <= fails, 0)), float(fails))

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
            return Fraction(any_of(_window(k, k, share) * UP, 1))

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
        ratio, share = split(up(positive("epsilon", self.epsilon)), delta, count)
        allowed = delta * share
        self._set(sigma=self._least_sigma(math.sqrt(count) / ratio, allowed))
        self._set(threshold=self._least_threshold(allowed))
        # A whole threshold leaves some of its δ over: given back to the noise it makes σ less, and the tail with it.
        allowed = Fraction(self.lone_delta)
        self._set(sigma=self._least_sigma(float(self.sigma), allowed))
        spent = min(allowed, Fraction(self.lone_delta))
        self._set(event=self._event_at(self.sigma, spent))

    def _least_sigma(self, start: float, allowed: Fraction) -> Fraction:
        """The least σ near `start` that meets (ε, δ) with `allowed` of δ for the threshold."""
        return least_sigma(
            lambda sigma: self._event_at(sigma, allowed), start=start, epsilon=self.epsilon, delta=self.delta
        )

    def _event_at(self, sigma: Fraction, delta: Fraction) -> Event:
        if self.keys_per_person <= _MOST_KEYS:
            return self._with_threshold(events.DiscreteGaussian(sigma), delta)
        return events.Thresholded(events.ZCDP(self.keys_per_person / (2 * sigma**2)), delta)

    def _tail(self, k: int) -> float:
        return gaussian_tail(k, float(self.sigma))

    def _draw(self, size: int, bits: BitSource) -> Any:
        return discrete_gaussian(self.sigma, size, bits=bits)


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
