"""Box noise: one vector of noise for several answers that one person moves at once, priced by the largest move alone.

The K-norm mechanism (Hardt, Talwar 2010) with a cube for K: Pr[z] ∝ exp(-‖z‖∞/scale) on the whole
numbers. ‖z + v‖∞ ≤ ‖z‖∞ + ‖v‖∞, so a move by v costs ‖v‖∞/scale, however many answers it moves.

What is said of the noise itself rests on two ways to draw it. On the whole numbers z is uniform on a cube of random
half-width k (`exact.boxes`), so sums over k are polynomials in exp(-1/scale) with Eulerian numbers: all are positive.
In the limit of fine steps z = r·U, with r of the Gamma law of shape d + 1 and U uniform on [-1, 1]**d.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import events
from sfumato.core import Norm
from sfumato.errors import InvalidParameter
from sfumato.exact.bits import BitSource
from sfumato.exact.boxes import box_noise, cube_numbers, dimension_of
from sfumato.exact.parameters import Real, Size, nearest, non_negative, open_probability, positive, shape
from sfumato.exact.sampler import Integers
from sfumato.mechanisms.additive import Noise, log_inverse
from sfumato.mechanisms.answers import AnswerMove

Reals = NDArray[np.float64]
_SLACK = 1e-11  # of a logarithm: covers the roundings of a hundred terms
_CELLS = (2**11, 2**15)  # of [0, 1]: enough for most sums, and for those next to zero
_PER_CELL = (
    8  # x·cells/(d + 1) from which a sum over cells is off by less than 2e-8 (measured; tests/mechanisms/test_box.py)
)
_FAR = 700.0  # e^-_FAR is not worth a sum
_DUST = 1e-16
_SAFE = 1 - 1e-6  # of a tail: more than a sum over cells is off by
_MOST_STEPS = 200


@dataclass(frozen=True)
class BoxNoise(Noise):
    """Pr[z] ∝ exp(-‖z‖∞/scale) on vectors of `dimension` whole numbers.

    >>> noise = BoxNoise(Fraction(20), dimension=3)
    >>> noise.event_of(Fraction(10))
    Pure(epsilon=Fraction(1, 2))
    >>> noise.reach(Fraction(1, 20))
    104
    """

    norm: ClassVar[Norm] = Norm.LINF
    scale: Fraction
    dimension: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive("scale", self.scale))
        object.__setattr__(self, "dimension", dimension_of(self.dimension))

    def draw(self, size: Size, bits: BitSource) -> Integers:
        """Vectors along the last axis: `dimension` for one of them, (n, dimension) for n independent ones."""
        lengths = () if size is None else shape(size)
        if not lengths or lengths[-1] != self.dimension:
            raise InvalidParameter("size", f"must end in {self.dimension}, the answers that share the noise", size)
        return box_noise(self.scale, self.dimension, lengths[:-1], bits=bits)

    def event_of(self, distance: Fraction) -> events.Pure:
        """The price of hiding a vector that moves by `distance` at most in every coordinate (Hardt, Talwar 2010)."""
        return events.Pure(non_negative("distance", distance) / self.scale)

    def event(self, move: AnswerMove, *, scalar: bool = True) -> events.Event:
        """ε = distance/scale for a distance in ℓ∞; one in ℓ1 is no shorter, and ℓ2 is not asked for."""
        return self.event_of(move.distance)

    def reach(self, beta: Fraction) -> int:
        """The least whole t with Pr[|z| > t] ≤ beta for one coordinate z."""
        wanted = -log_inverse(beta) - _SLACK

        def holds(t: int) -> bool:
            return self._law.log_beyond(t) <= wanted

        high = 1
        while not holds(high):
            high *= 2
        low = -1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if holds(middle) else (middle, high)
        return high

    def tail(self, k: int) -> float:
        """Pr[z ≥ k] for one coordinate z, k ≥ 1: half of what is beyond k - 1 on both sides."""
        return math.exp(self._law.log_beyond(k - 1)) / 2

    @property
    def variance(self) -> float:
        """The variance of one coordinate; s²·(d + 1)·(d + 2)/3 where the scale s is large."""
        return self._law.variance

    @property
    def _law(self) -> "_Law":
        return _law(self.scale, self.dimension)

    def weighted_tail(self, weights: Sequence[float], x: float) -> float:
        """Pr[|Σ w·z| > x] in the limit of steps that are fine beside the noise, to 1e-6."""
        span, shares = self._shares(weights)
        if span == 0 or not x > 0:
            return float(span != 0)
        return _beyond(shares, x / (span * nearest(self.scale)))

    def weighted_reach(self, weights: Sequence[float], beta: Real) -> float:
        """The least x with Pr[|Σ w·z| > x] ≤ beta in the same limit, rounded up; beta from 1e-6 on."""
        fails = nearest(open_probability("beta", beta))
        if fails < 1e-6:
            raise InvalidParameter("beta", "must be at least 1e-6 for a weighted sum", beta)
        span, shares = self._shares(weights)
        return 0.0 if span == 0 else span * nearest(self.scale) * _weighted_reach(shares, fails)

    def _shares(self, weights: Sequence[float]) -> tuple[float, tuple[float, ...]]:
        """Σ|w|, and each |w| as a share of it, the largest first: the law knows no order and no sign."""
        sizes = sorted((abs(float(w)) for w in weights), reverse=True)
        if len(sizes) != self.dimension or not all(map(math.isfinite, sizes)):
            raise InvalidParameter("weights", f"must be {self.dimension} finite numbers, got", len(sizes))
        span = math.fsum(sizes)
        return span, tuple(size / span for size in sizes) if span else tuple(sizes)


# ---- one coordinate on the whole numbers -----------------------------------------------------------------


@lru_cache(maxsize=128)
def _rising(power: int) -> tuple[int, ...]:
    """The Eulerian polynomial E with Σ jᵖ·xʲ = E(x)/(1 - x)**(p + 1), by its coefficients, the constant first."""
    row = [1]
    for p in range(1, power):
        before = [0, *row, 0]
        row = [(i + 1) * before[i + 1] + (p + 1 - i) * before[i] for i in range(p + 1)]
    return (0, *row) if power else (1,)


def _at(coefficients: Sequence[int], x: float) -> float:
    """A polynomial without negative coefficients: nothing cancels."""
    return math.fsum(float(c) * x**i for i, c in enumerate(coefficients))


@dataclass(frozen=True)
class _Law:
    """One coordinate of box noise on the whole numbers, with p = exp(-1/scale) and q = 1 - p."""

    scale: Fraction
    dimension: int
    logs: tuple[float, ...]
    """ln of the binomial coefficient, power of two and sums over k that stand beside each power of 2t + 3."""
    variance: float

    def log_beyond(self, t: int) -> float:
        """ln Pr[|z| > t] for t ≥ 0; above it by less than 1e-11.

        Σ 2(k - t)·(2k + 1)**(d - 1)·pᵏ over k > t, beside Σ (2k + 1)**d·pᵏ over all k. With k = t + 1 + j the first is
        p**(t + 1)·Σ 2(j + 1)·(2t + 3 + 2j)**(d - 1)·pʲ, whose powers of j are summed one by one.
        """
        start = math.log(2 * t + 3)
        terms = [log + (self.dimension - 1 - a) * start for a, log in enumerate(self.logs)]
        most = max(terms)
        total = most + math.log(math.fsum(math.exp(term - most) for term in terms))
        return total - nearest((t + 1) / self.scale)


@lru_cache(maxsize=256)
def _law(scale: Fraction, dimension: int) -> _Law:
    rate = nearest(1 / scale)
    p, q = math.exp(-rate), -math.expm1(-rate)
    whole = math.log(_at(cube_numbers(dimension), p))
    logs = []
    for a in range(dimension):
        sums = q * _at(_rising(a), p) + _at(_rising(a + 1), p)
        beside = math.log(math.comb(dimension - 1, a)) + (a + 1) * math.log(2)
        logs.append(beside + (dimension - 1 - a) * math.log(q) + math.log(sums) - whole if sums else -math.inf)
    # Uniform on ±k has variance k(k + 1)/3 = ((2k + 1)² - 1)/12, so both sums over k are Eulerian: B(d + 2) and B(d).
    own = [0, 0, *cube_numbers(dimension), 0, 0]
    less = [own[i + 2] - 2 * own[i + 1] + own[i] for i in range(dimension + 3)]  # of (1 - x)²·Σ B(d, i)·xⁱ
    above = [b - c for b, c in zip(cube_numbers(dimension + 2), less, strict=True)]
    variance = _at(above, p) / _at(cube_numbers(dimension), p) / (12 * q * q)
    return _Law(scale, dimension, tuple(logs), variance)


# ---- a weighted sum of coordinates, in the limit of fine steps ----------------------------------------------


@dataclass(frozen=True)
class _WeightedLaw:
    """Σ w·z for a scale of one and weights whose sizes add up to one: r·Y, Y = Σ w·U between -1 and 1."""

    shape: int
    peak: float
    """The density of Y at zero."""
    places: Reals
    """Where |Y| may be, in even steps."""
    masses: Reals

    def beyond(self, x: float) -> float:
        """Pr[r·|Y| > x], r of the Gamma law of shape m = d + 1: E of e^(-u)·Σ uʲ/j! over j < m, with u = x/|Y|."""
        u = x / self.places
        near = u < _FAR
        u = u[near]
        term = np.exp(-u)
        total = term.copy()
        for j in range(1, self.shape):
            term *= u
            term /= j
            total += term
        return min(1.0, max(0.0, float(total @ self.masses[near])))


@lru_cache(maxsize=1024)
def _weighted_law(shares: tuple[float, ...], cells: int) -> _WeightedLaw:
    """The density of Y by its Fourier series on [-1, 1], where it lives: the coefficient at πk is Π sin(w·πk)/(w·πk).

    The series is cut at `cells`, beyond which a function of Y that is smooth on that scale has next to nothing.
    """
    k = np.arange(cells + 1, dtype=np.float64)
    waves = np.ones_like(k)
    for share in shares:
        waves *= np.sinc(share * k)
    density = np.fft.hfft(waves, 2 * cells)[: cells + 1] / 2  # at 0, 1/cells, …, 1; the same below zero
    masses = density * (2 / cells)
    masses[-1] /= 2
    places = k / cells
    kept = (np.abs(masses) > _DUST) & (places > 0)  # at 0 nothing is beyond x
    return _WeightedLaw(len(shares) + 1, float(density[0]), places[kept], masses[kept])


def _beyond(shares: tuple[float, ...], x: float) -> float:
    """The tail at x, over as many cells as a small x needs; next to zero the sum's density is flat: E[1/r] = 1/d."""
    for cells in _CELLS:
        if x * cells >= _PER_CELL * (len(shares) + 1):
            return _weighted_law(shares, cells).beyond(x)
    return 1 - 2 * _weighted_law(shares, _CELLS[-1]).peak * x / len(shares)


@lru_cache(maxsize=4096)
def _weighted_reach(shares: tuple[float, ...], beta: float) -> float:
    """Where the tail of a scale of one comes down to beta, by the rule of false position on its logarithm."""
    wanted = math.log(beta * _SAFE)

    def gap(x: float) -> float:
        return math.log(max(_beyond(shares, x), 1e-300)) - wanted

    d = len(shares)
    low = high = math.sqrt((d + 1) * (d + 2) / 3 * math.fsum(share * share for share in shares))  # the deviation
    above = below = gap(low)
    while below > 0:
        low, above, high = high, below, 2 * high
        below = gap(high)
    while above <= 0:
        high, below, low = low, above, low / 2
        above = gap(low)
    stayed = 0
    for _ in range(_MOST_STEPS):
        if high - low <= 1e-10 * high:
            break
        middle = low + (high - low) * above / (above - below)
        found = gap(middle)
        if abs(found) <= 1e-10:  # next to nothing beside what is kept in hand
            return middle * (1 + 1e-9)
        if found > 0:
            low, above = middle, found
            below /= 2 if stayed > 0 else 1  # Illinois: an end that stays twice is trusted less
        else:
            high, below = middle, found
            above /= 2 if stayed < 0 else 1
        stayed = 1 if found > 0 else -1
    return high * (1 + 1e-9)
