"""Box noise: vectors of whole numbers with Pr[z] ∝ exp(-‖z‖∞/t), the K-norm law of a cube, exactly.

With p = exp(-1/t), p**r = (1 - p)·Σ p**k over k ≥ r, so z is uniform on the cube {-k, …, k}**d of a random k with
Pr[k] ∝ (2k + 1)**d·p**k. Σ (2k + 1)**d·x**k = Σ B(d, i)·x**i/(1 - x)**(d + 1) with the Eulerian numbers B(d, i) of
type B, which are whole and positive (Brenti 1994), so k = i + the sum of d + 1 independent geometric draws
of ratio p, where i has the weight B(d, i)·p**i.
"""

from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact.bits import CHUNK, BitSource, leading, leading_one, source
from sfumato.exact.exponentials import geometric_sampler
from sfumato.exact.lazy import Ball, LazyUniform, ball_of, decide, floor_of, is_below
from sfumato.exact.parameters import Real, Size, hashable, positive, shape, whole
from sfumato.exact.sampler import Integers, objects

MOST_DIMENSIONS = 100
"""How many numbers a vector may have."""
_FITS = 2**62


@lru_cache(maxsize=256)
def cube_numbers(dimension: int) -> tuple[int, ...]:
    """B(d, 0), …, B(d, d): Eulerian numbers of type B, whose sum is 2**d·d!.

    >>> cube_numbers(3)
    (1, 23, 23, 1)
    """
    row = [1]
    for d in range(1, dimension + 1):  # B(d, i) = (2i + 1)·B(d - 1, i) + (2d - 2i + 1)·B(d - 1, i - 1)
        before = [0, *row, 0]
        row = [(2 * i + 1) * before[i + 1] + (2 * (d - i) + 1) * before[i] for i in range(d + 1)]
    return tuple(row)


class _Start:
    """i with weight B(d, i)·exp(-i/t): where a uniform real lies among the shares, the largest i first.

    That order keeps the shares' ends apart from 1 for every t: what is tiny is told from 0 by any precision.
    """

    __slots__ = ("_dimension", "_ends", "_scale")

    def __init__(self, scale: Fraction, dimension: int, word_bits: int) -> None:
        self._scale, self._dimension = scale, dimension
        words = [self._leading(j, word_bits) for j in range(dimension)]
        self._ends = np.array(words, dtype=np.uint64)

    def _share(self, j: int) -> Ball:
        """Pr[i ≥ d - j], at the working precision of the moment; never rational, since e^(-1/t) is transcendental."""
        p = (-1 / ball_of(self._scale)).exp()
        masses = [number * p**i for i, number in enumerate(cube_numbers(self._dimension))]
        return sum(masses[self._dimension - j :]) / sum(masses)

    def _leading(self, j: int, word_bits: int) -> int:
        return decide([], lambda: floor_of(self._share(j) * 2**word_bits), magnitude=word_bits)

    def many(self, bits: BitSource, n: int) -> NDArray[np.int64]:
        """n draws."""
        words = bits.words(n)
        passed: NDArray[np.int64] = np.searchsorted(self._ends, words, side="right").astype(np.int64)
        for index in np.flatnonzero(np.isin(words, self._ends)):
            passed[index] = self._settle(LazyUniform(bits, int(words[index]), bits.word_bits))
        return self._dimension - passed

    def _settle(self, uniform: LazyUniform) -> int:
        """How many ends a uniform real has passed, where its leading word is that of an end."""

        def attempt() -> int | None:
            ball = uniform.ball()
            found = [is_below(ball, self._share(j)) for j in range(self._dimension)]
            return None if None in found else found.count(False)

        return decide([uniform], attempt)


class BoxSampler:
    """Vectors with Pr[z] ∝ exp(-‖z‖∞/scale)."""

    __slots__ = ("_dimension", "_geometric", "_start")

    def __init__(self, scale: Fraction, dimension: int, word_bits: int) -> None:
        self._dimension = dimension
        self._start = _Start(scale, dimension, word_bits)
        self._geometric = geometric_sampler(scale, word_bits)

    def radii(self, bits: BitSource, n: int) -> Integers:
        """n half-widths of a cube: Pr[k] ∝ (2k + 1)**d·exp(-k/scale)."""
        start = self._start.many(bits, n)
        steps = self._geometric.many(bits, n * (self._dimension + 1)).reshape(n, self._dimension + 1)
        if steps.dtype != np.object_ and int(steps.max(initial=0)) <= _FITS // (self._dimension + 2):
            found: NDArray[np.int64] = steps.sum(axis=1, dtype=np.int64) + start
            return found
        return objects(sum(map(int, row)) + int(i) for row, i in zip(steps, start, strict=True))

    def many(self, bits: BitSource, n: int) -> Integers:
        """n vectors, a row each."""
        radii = np.repeat(self.radii(bits, n), self._dimension)
        if radii.dtype == np.object_:
            drawn: Integers = objects(_one_below(2 * k + 1, bits) - k for k in radii)
        else:
            drawn = _below(2 * radii + 1, bits) - radii
        return drawn.reshape(n, self._dimension)


def _below(bounds: NDArray[np.int64], bits: BitSource) -> NDArray[np.int64]:
    """A uniform draw below each bound m: the rest by m of whole words, drawn again in the last and shorter run of m."""
    out = np.empty(len(bounds), dtype=np.int64)
    for start in range(0, len(bounds), CHUNK):
        waiting, left = np.arange(start, min(start + CHUNK, len(bounds))), bounds[start : start + CHUNK].view(np.uint64)
        needed = int(left.max() - 1).bit_length()
        count = min(64, -(-needed // bits.word_bits) * bits.word_bits)
        top = np.uint64(2**count % 2**64)  # 2**64 is zero here, and 0 - m is 2**64 - m
        while len(waiting):
            drawn = leading(bits, count, len(waiting))
            rest = drawn % left
            kept = drawn - rest <= top - left
            out[waiting[kept]] = rest[kept].view(np.int64)
            waiting, left = waiting[~kept], left[~kept]
    return out


def _one_below(bound: int, bits: BitSource) -> int:
    """The same for one bound of any length."""
    while True:
        value = leading_one(bits, bound.bit_length())
        if value < bound:
            return value


@lru_cache(maxsize=256, typed=True)
def _box(scale: Any, dimension: int, word_bits: int) -> BoxSampler:
    return BoxSampler(positive("scale", scale), dimension, word_bits)


def dimension_of(dimension: object) -> int:
    """The number of numbers in a vector of box noise."""
    d = whole("dimension", dimension, least=1)
    if d > MOST_DIMENSIONS:
        raise InvalidParameter("dimension", f"must be at most {MOST_DIMENSIONS}", d)
    return d


def box_noise(scale: Real, dimension: int, size: Size = None, *, bits: BitSource | None = None) -> Integers:
    """Vectors z of `dimension` whole numbers with probability exactly proportional to exp(-max|z|/scale).

    One vector if size is None, otherwise an array of vectors, whose last axis is the dimension: int64, or Python ints
    for scales above 2**52.

    >>> box_noise(1e-6, 3).tolist()
    [0, 0, 0]
    >>> box_noise(5, dimension=2, size=7).shape
    (7, 2)
    """
    d, stream = dimension_of(dimension), source(bits)
    rows = () if size is None else shape(size)
    shape((*rows, d))
    count = int(np.prod(rows, dtype=np.int64))
    return _box(hashable("scale", scale), d, stream.word_bits).many(stream, count).reshape((*rows, d))
