"""Discrete Gaussian noise: discrete Laplace proposals kept by an exact coin.

With Y discrete Laplace of scale t and a coin of probability exp(-(|Y| - σ²/t)²/(2σ²)), a kept Y has weight
exp(-|y|/t)·exp(-(y² - 2|y|σ²/t + σ⁴/t²)/(2σ²)) ∝ exp(-y²/(2σ²)) (Canonne, Kamath, Steinke 2020, Algorithm 3;
they take t = floor(σ) + 1, any rational t > 0 is as exact, and t near σ keeps three draws in four).
"""

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact.bits import BitSource, source
from sfumato.exact.coins import exp_coin, exp_coins
from sfumato.exact.exponentials import FloorExponential, HugeExponential, WideLaplace, laplace_sampler
from sfumato.exact.parameters import Real, Shape, Size, hashable, magnitude, nearest, positive
from sfumato.exact.sampler import Draws, Integers, draw, in_chunks, objects


def proposal_scale(sigma: Fraction) -> Fraction:
    """A scale t that keeps many proposals, found in floats: it decides speed and nothing else."""
    s = nearest(sigma)
    if s > 8:
        return sigma

    def kept(t: float) -> float:
        lattice = range(1, 64)
        weight = 1 + 2 * sum(math.exp(-(k * k) / (2 * s * s)) for k in lattice)
        return weight * math.exp(-(s * s) / (2 * t * t)) * math.tanh(1 / (2 * t))

    if s < 0.05:
        return Fraction(1, 4)
    # t ≥ σ throughout, which the float error bound below relies on
    return max(Fraction(max((s * 2 ** (i / 8) for i in range(24)), key=kept)), sigma)


class DiscreteGaussianSampler:
    """Pr[k] ∝ exp(-k²/(2σ²)) over the integers."""

    __slots__ = ("_center", "_exact_center", "_proposal", "_twice_variance", "_width")

    def __init__(self, sigma: Fraction, word_bits: int) -> None:
        if sigma > 2**1000:
            raise InvalidParameter("sigma", "must be at most 2**1000, is about", magnitude(sigma))
        t = proposal_scale(sigma)
        self._proposal = laplace_sampler(t, word_bits)
        self._twice_variance = 2 * sigma * sigma
        self._exact_center = sigma * sigma / t
        # The float x = ((|y| - center)·width)² of the coin: with z its root, center·width ≤ 1/√2 (as t ≥ σ),
        # four roundings of |y|, center, width and product give |dz| ≤ (|z| + 2)·2**-50, hence
        # |dx| ≤ 2|z|(|z| + 2)·2**-50 + 2**-52·z² ≤ 2**-47·(1 + x): well within coins.X_ERROR.
        self._center = nearest(self._exact_center)
        # Beyond 1e150 every y but 0 has exp(-x) = 0 in floats as in truth, and squares would overflow.
        self._width = math.sqrt(0.5) / max(nearest(sigma), 1e-150)

    def one(self, bits: BitSource) -> int:
        """One draw."""
        while (y := self.attempt(bits)) is None:
            pass
        return y

    def attempt(self, bits: BitSource) -> int | None:
        """One proposal if its coin keeps it."""
        y = self._proposal.one(bits)
        z = (abs(y) - self._center) * self._width
        return y if exp_coin(bits, z * z, lambda: self._exponent(y)) else None

    def many(self, bits: BitSource, n: int) -> Integers:
        """n draws."""
        if isinstance(self._proposal, HugeExponential):
            return objects(self.one(bits) for _ in range(n))
        return in_chunks(bits, n, self._chunk)

    def _chunk(self, bits: BitSource, n: int) -> NDArray[np.int64]:
        assert isinstance(self._proposal, FloorExponential | WideLaplace)
        y = self._proposal.chunk(bits, n)
        z = np.abs(y).astype(np.float64)
        z -= self._center
        z *= self._width
        z *= z
        return y[exp_coins(bits, z, lambda i: self._exponent(int(y[i])))]

    def _exponent(self, y: int) -> Fraction:
        return (abs(y) - self._exact_center) ** 2 / self._twice_variance


@lru_cache(maxsize=256, typed=True)
def _gaussian(sigma: Any, word_bits: int) -> DiscreteGaussianSampler:
    return DiscreteGaussianSampler(positive("sigma", sigma), word_bits)


@overload
def discrete_gaussian(sigma: Real, size: None = None, *, bits: BitSource | None = None) -> int: ...
@overload
def discrete_gaussian(sigma: Real, size: Shape, *, bits: BitSource | None = None) -> Integers: ...
def discrete_gaussian(sigma: Real, size: Size = None, *, bits: BitSource | None = None) -> Draws:
    """Draws k with probability exactly proportional to exp(-k²/(2σ²)).

    An int if size is None, otherwise an array of int64, or of Python ints for sigmas above 2**52.

    >>> discrete_gaussian(1e-6)
    0
    """
    stream = source(bits)
    return draw(_gaussian(hashable("sigma", sigma), stream.word_bits), size, stream)
