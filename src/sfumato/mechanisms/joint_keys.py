"""Keys nobody declared, together with what is counted in them: one set of noisy cells gives both.

A person is in at most ℓ keys. In each of them his cells are whole numbers, none negative, that add up to exactly κ: his
r of k rows and the k - r that are missing (κ = k), or the cells of a sum and the rest, in units as fine as one likes.
Every cell of a key somebody holds gets noise. A key is shown iff its noisy cells add up to κ + t or more. People are
the sum of a key's cells over κ, so nothing is spent on counting them.

Why it is private. Let him join; he has ℓ keys, some of them lone, some shared with others.
- A lone key is not in the data without him. With him its cells add up to κ, whatever his rows are, so it shows with
  probability q(t) = Pr[Z₁ + … + Z_d ≥ t], and one of his ℓ keys with 1 - (1 - q)^ℓ at the most. This is the δ.
- A shared key's cells move by a vector of ℓ1 = κ; to show only some keys is post-processing. A failure beside the noise
  on shared keys is what `thresholds.py` prices, in both directions.
- With geometric noise of ratio α a move by a in one cell and by b in another costs no more than one by n = a + b in
  one cell. At e^ε = α^(2m - n), 0 < m ≤ n, the latter has δ = 1 - α^m. For the former let x be min(max(noise, 0), a) in
  its first cell, and c = m - b. The second cell has δ = 1 - α^max(u, 2u - b, 0) left, u = m - x, so 1 - δ of both is
  E α^max(u, 2u - b, 0). For c ≤ 0 this is at least α^m, as u ≤ m ≤ b. Else x < c adds α^b·E[α^(2(c - x)); x < c] =
  α^b·(α^c - Pr[x ≥ c]) = α^(m + 1)/(1 + α), and x ≥ c adds at least α^b·Pr[x ≥ c] = α^m/(1 + α): together α^m. Between
  these ε both curves are straight in e^ε. Other cells follow one by one. So a shared key costs what geometric noise
  costs for a move of κ, and ℓ keys cost ℓ times that.
- Normal noise sees the ℓ2 length only, which is κ at the most for a key and κ√ℓ for all of them.

The cells (r - 1, k - r), of one less than κ, hold for whole r ≥ 1 only: a weighted r < 1 moves them by
(1 - r) + (k - r) = k + 1 - 2r, more than the k - 1 that the noise is made for.
"""

import math
from abc import abstractmethod
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from sfumato.accounting import events
from sfumato.errors import InvalidParameter
from sfumato.exact.bits import BitSource, source
from sfumato.exact.parameters import Real, nearest, open_probability, positive
from sfumato.exact.parameters import whole as whole_number
from sfumato.exact.rounding import down, up
from sfumato.exact.sampler import Integers, objects
from sfumato.mechanisms.additive import Noise
from sfumato.mechanisms.answers import AnswerMove, add, are_whole_numbers
from sfumato.mechanisms.gaussian import GaussianNoise
from sfumato.mechanisms.geometric import GeometricNoise
from sfumato.mechanisms.thresholds import KeyThreshold, least_sigma, split

_MOST_CELLS = 16
_MOST_SCALE = 2**1000  # what is drawn from, and what floats hold
_MORE = 1 + Fraction(1, 10**4)  # a little more normal noise, for accountants that add losses up on a grid
_FAR = 1400  # exp(-1400) times any polynomial here is below every tail that counts


class GeometricSum:
    """The sum of d discrete Laplace noises of one scale.

    Its generating function ((1 - α)²/((1 - αz)(1 - α/z)))^d has a pole of order d at z = 1/α. With w = (1 - αz)/(1 - α)
    the other factor is ((1 - (1 - α)w)/(1 - w/(1 + α)))^d = (1 + α²/(1 + α)·w/(1 - w/(1 + α)))^d up to a constant. Its
    coefficients b₀, b₁, … are not negative, and b_(d - m) weighs the tail of a negative binomial of order m, which is
    Σ_{i < m} C(t + m - 1, i)·(1 - α)^i·α^(t + m - 1 - i): nothing cancels, however near α is to 1.
    """

    __slots__ = ("_alpha", "_rate", "_rest", "_weights")

    def __init__(self, scale: Fraction, count: int) -> None:
        self._rate = 1 / scale
        self._alpha = math.exp(-up(self._rate))
        self._rest = -math.expm1(-up(self._rate))  # 1 - α
        ratio = 1 / (1 + self._alpha)
        one = np.array([1.0] + [self._alpha**2 * ratio**j for j in range(1, count)])
        power = np.ones(1)
        for _ in range(count):
            power = np.convolve(power, one)[:count] * ratio
        self._weights = [float(weight) for weight in power[::-1]]  # of the orders 1, 2, …, d

    def tail(self, t: int) -> float:
        """Pr[sum ≥ t] for t ≥ 1, off by less than `UP`."""
        if t * self._rate > _FAR:
            return 0.0
        half, sums = math.exp(-up(t * self._rate) / 2), 0.0
        for order, weight in enumerate(self._weights, 1):
            chosen, inner = 1.0, 0.0  # C(t + m - 1, i)·(1 - α)^i, and the sum of it times α^(m - 1 - i)
            for i in range(order):
                inner = inner * self._alpha + chosen
                chosen *= (t + order - 1 - i) * self._rest / (i + 1)
            sums += weight * inner
        return half * sums * half  # in two steps: the power of α may be below the floats where the tail is not


@dataclass(frozen=True, kw_only=True)
class JointSelection(KeyThreshold):
    """Keys and their noisy cells, for those whose noisy cells add up to `threshold`.

    A person holds `keys_per_person` keys at the most, with `cells` whole numbers in each that are not negative and add
    up to `whole`; the caller sees to it.
    """

    cells: int
    whole: int
    noise: Noise = field(init=False, repr=False, compare=False)
    """The noise of every cell, in the cells' unit."""

    def __post_init__(self) -> None:
        if whole_number("cells", self.cells, least=1) > _MOST_CELLS:
            raise InvalidParameter("cells", f"must be at most {_MOST_CELLS}", self.cells)
        whole_number("whole", self.whole, least=1)
        whole_number("keys_per_person", self.keys_per_person, least=1)
        if self.keys_per_person * self.whole > _MOST_SCALE * positive("epsilon", self.epsilon):
            raise InvalidParameter("epsilon", "is too small for noise of a finite width", self.epsilon)
        super().__post_init__()

    @property
    def _each(self) -> int:
        return self.whole

    @property
    def people_threshold(self) -> Fraction:
        """The threshold in people."""
        return Fraction(self.threshold, self.whole)

    @property
    @abstractmethod
    def deviation(self) -> float:
        """The standard deviation of a cell's noise, in the cells' unit."""

    def select(self, people: Any, cells: Any, *, bits: BitSource | None = None) -> tuple[Integers, Integers]:
        """Of a row of people and a table of exact cells the places that pass and their noisy cells, in that order.

        A key without people is not in the data. Callers must not let the order of the data be seen.
        """
        held = np.asarray(people)
        if held.ndim != 1 or (len(held) and held.dtype.kind not in "iu"):
            raise InvalidParameter("people", "must be a row of whole numbers, found", held.dtype.name)
        exact = self._table(cells, len(held))
        there = np.flatnonzero(held > 0)
        if not len(there):
            return there, np.zeros((0, self.cells), dtype=np.int64)
        steps = exact[there].ravel()
        noise: Any = self.noise.draw(len(steps), source(bits))
        noisy = add(steps, noise).reshape(len(there), self.cells)  # key -> its noisy cells
        passed = np.flatnonzero(_sums(noisy) >= self.threshold)
        return there[passed], _compact(noisy[passed])

    def _table(self, cells: Any, keys: int) -> Integers:
        """The exact cells; what is refused is refused by type and shape, and nothing of it is shown."""
        exact = np.asarray(cells) if keys else np.zeros((0, self.cells), dtype=np.int64)
        if exact.shape != (keys, self.cells):
            raise InvalidParameter(
                "cells", f"must be {self.cells} for each of the {keys} keys, found shape", exact.shape
            )
        if exact.dtype.kind in "iu":
            wide = exact.dtype == np.uint64
            return exact.astype(np.object_ if wide else np.int64)
        if exact.dtype != np.object_ or not are_whole_numbers(exact.ravel()):
            raise InvalidParameter("cells", "must be whole numbers, found", exact.dtype.name)
        return objects(int(value) for value in exact.flat).reshape(exact.shape)


def _sums(table: Integers) -> Any:
    """The sum of each row; none wraps."""
    if table.dtype == np.object_ or max(-int(table.min()), int(table.max())) >= 2**63 // _MOST_CELLS:
        table = table.astype(np.object_)
    return table.sum(axis=1)


def _compact(table: Integers) -> Integers:
    """The same as 64-bit integers where all that is shown fits: what is not shown has no say."""
    if table.dtype == np.object_ and all(-(2**63) <= value < 2**63 for value in table.flat):
        return table.astype(np.int64)
    return table


@dataclass(frozen=True, kw_only=True)
class JointKeys(JointSelection):
    """Discrete Laplace noise of scale ℓκ/ε on every cell: ε for the cells, δ for the keys of a lone person.

    A person with r of at most five rows in each of at most three keys adds r to one cell and 5 - r to another:

    >>> keys = JointKeys(epsilon=1, delta=1e-6, keys_per_person=3, cells=2, whole=5)
    >>> keys.threshold, float(keys.people_threshold), keys.people_for(0.95)
    (253, 50.6, 61)
    >>> places, noisy = keys.select([1000, 1], [[4000, 1000], [1, 4]])
    >>> places, noisy.shape
    (array([0]), (1, 2))
    """

    _sum: GeometricSum = field(init=False, repr=False, compare=False)

    def _prepare(self) -> None:
        noise = GeometricNoise(self.whole / self._share)
        self._set(noise=noise, _sum=GeometricSum(noise.scale, self.cells))
        self._set(threshold=self._least_threshold(open_probability("delta", self.delta)))
        each = noise.event(AnswerMove.l1(Fraction(self.whole)))  # ε/ℓ for each key, see above
        self._set(event=self._with_threshold(each, Fraction(self.lone_delta)))

    def _tail(self, k: int) -> float:
        return self._sum.tail(k)

    @property
    def deviation(self) -> float:
        """√(2α)/(1 - α) = 1/(√2·sinh(1/(2·scale)))."""
        half = min(nearest(self._share / self.whole) / 2, 700.0)
        return 1 / (math.sqrt(2) * math.sinh(half))


@dataclass(frozen=True, kw_only=True)
class GaussianJointKeys(JointSelection):
    """Normal noise, rounded to the cells' unit, on every cell; δ is split between noise and threshold.

    It grows with √ℓ instead of ℓ, so it wins where a person holds many keys. It has no ε without a δ of its own.

    >>> asked = {"epsilon": 1, "delta": 1e-6, "cells": 2, "whole": 5 * 2**20}
    >>> [round(float(GaussianJointKeys(keys_per_person=l, **asked).people_threshold), 1) for l in (3, 30)]
    [55.6, 187.5]
    >>> [round(float(JointKeys(keys_per_person=l, **asked).people_threshold), 1) for l in (3, 30)]
    [50.3, 567.1]
    """

    sigma: Fraction = field(init=False)

    def _prepare(self) -> None:
        each, allowed = _in_people(
            positive("epsilon", self.epsilon), open_probability("delta", self.delta), self.keys_per_person
        )
        noise = GaussianNoise(each * self.whole)
        self._set(sigma=noise.sigma, noise=noise)
        self._set(threshold=self._least_threshold(allowed))
        # All keys at once: normal noise looks the same in every direction.
        move = AnswerMove.l2(square=Fraction(self.keys_per_person * self.whole**2))
        self._set(event=events.Thresholded(noise.event(move), Fraction(self.lone_delta)))

    def _tail(self, k: int) -> float:
        """Rounding adds a half to each cell at the most: Pr[σ√d·N ≥ k - d/2], not below the sum's tail."""
        from scipy.special import ndtr

        missing = k - Fraction(self.cells, 2)
        root = math.sqrt(down(missing**2 / (self.cells * self.sigma**2)))
        return float(ndtr(-root if missing > 0 else root * (1 + 2.0**-50)))

    def chance(self, people: int) -> float:
        """The probability that a key held by so many people is shown, nearly.

        The sum of d rounded normals reaches k as often as that of d normals and d - 1 uniforms on ±½ reaches k - ½, and
        its variance is dσ² + (d - 1)/12.
        """
        from scipy.special import ndtr

        if whole_number("people", people) == 0:
            return 0.0
        beyond = people * self.whole - self.threshold + Fraction(1, 2)
        return float(ndtr(nearest(beyond) / math.sqrt(self.cells * nearest(self.sigma) ** 2 + (self.cells - 1) / 12)))

    @property
    def deviation(self) -> float:
        """√(σ² + 1/12), as if roundings were uniform."""
        return math.hypot(nearest(self.sigma), math.sqrt(1 / 12))


@lru_cache(maxsize=256)
def _in_people(epsilon: Fraction, delta: Fraction, count: int) -> tuple[Fraction, Fraction]:
    """The σ for people with one cell of 1 in each of their keys, and the δ of the threshold.

    Noise that is (ε, δ - δ')-private beside a failure of probability δ' is (ε, δ)-private.
    """
    ratio, share = split(up(epsilon), delta, count)
    allowed, move = delta * share, AnswerMove.l2(square=Fraction(count))
    sigma = least_sigma(
        lambda sigma: GaussianNoise(sigma).event(move),
        start=math.sqrt(count) / ratio,
        epsilon=epsilon,
        delta=delta - allowed,
    )
    return sigma * _MORE, allowed


def best_joint_keys(*, epsilon: Real, delta: Real, keys_per_person: int = 1, cells: int, whole: int) -> JointSelection:
    """The one that shows a key with the fewest people at probability one half, and then with the least noise.

    >>> for l in (1, 3, 4, 10):
    ...     best = best_joint_keys(epsilon=1, delta=1e-6, keys_per_person=l, cells=2, whole=5 * 2**20)
    ...     print(l, type(best).__name__, best.people_for(0.5))
    1 JointKeys 17
    3 JointKeys 51
    4 GaussianJointKeys 65
    10 GaussianJointKeys 105
    """
    asked: dict[str, Any] = {
        "epsilon": epsilon, "delta": delta, "keys_per_person": keys_per_person, "cells": cells, "whole": whole
    }  # fmt: skip
    built: list[JointSelection] = [JointKeys(**asked)]
    with suppress(InvalidParameter):  # the parameters are good, but extreme ones have no Gaussian price
        built.append(GaussianJointKeys(**asked))
    return min(built, key=lambda each: (each.people_for(0.5), each.deviation))
