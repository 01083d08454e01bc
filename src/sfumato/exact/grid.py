"""Continuous noise rounded to a grid, with the rounding resolved exactly.

`rounded_*` returns the integers k = floor((center + Z)/grid + ½): k·grid is the grid point nearest to
center + Z for a real Z of exactly the stated law. It is a post-processing of the ideal continuous mechanism,
so the theorem proved for real numbers holds for what leaves the machine.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact import floats
from sfumato.exact.bits import CHUNK, BitSource, source
from sfumato.exact.continuous import EXPONENTIAL, GUMBEL, LAPLACE, NORMAL, HeavyTail, QuantileNoise, Reals
from sfumato.exact.lazy import Ball, ball_of
from sfumato.exact.parameters import Real, Shape, Size, amount, cell, exact_array, magnitude, nearest, positive, shape
from sfumato.exact.sampler import Draws, Integers, objects


class Centers:
    """The exact answers the noise is added to: one for all positions, or one for each."""

    def __init__(self, center: Any, grid: Fraction) -> None:
        self._grid = grid
        self.shape: tuple[int, ...] | None = None
        if isinstance(center, list | tuple | np.ndarray):
            array = exact_array("center", center)
            self.shape = array.shape
            self._values = array.reshape(-1)
        else:
            self._values = np.empty(1, dtype=np.object_)
            self._values[0] = cell("center", center)

    def exact(self, position: int) -> Fraction:
        """center/grid + ½ of one position."""
        value = cell("center", self._values[position if self.shape is not None else 0])
        return value / self._grid + Fraction(1, 2)

    def floats(self, now: NDArray[np.int64]) -> Reals:
        """The same for the positions `now`, within (1 + |value|)·2**-50."""
        if self.shape is None:
            return np.full(len(now), nearest(self.exact(0)))
        if self._values.dtype == np.object_ or not 1e-200 < nearest(self._grid) < 1e200:
            return np.array([nearest(self.exact(int(i))) for i in now])
        with np.errstate(over="ignore"):  # an infinite center is settled in balls
            return self._values[now].astype(np.float64) / nearest(self._grid) + 0.5


class OnGrid:
    """Noise of a standard law, scaled, moved to each center and rounded to the grid."""

    def __init__(self, law: QuantileNoise | HeavyTail, scale: Fraction, grid: Fraction) -> None:
        floats.trust()
        self._law = law
        self._ratio = scale / grid
        if not Fraction(1, 2**1000) <= self._ratio <= 2**1000:
            raise InvalidParameter(
                "scale", "must be between 2**-1000 and 2**1000 steps of the grid, is about", magnitude(self._ratio)
            )

    def draw(self, centers: Centers, size: Size, bits: BitSource) -> Draws:
        """One Python int, or an array."""
        dimensions = () if size is None else shape(size)
        if centers.shape is not None:
            if size is not None and dimensions != centers.shape:
                raise InvalidParameter("size", f"must be the shape of center, {centers.shape}", size)
            dimensions = centers.shape
        out = np.empty(math.prod(dimensions), dtype=np.int64)
        slow: dict[int, int] = {}
        waiting = np.arange(len(out))
        while len(waiting):
            rejected = self._chunk(waiting[:CHUNK], centers, out, slow, bits)
            waiting = np.concatenate([waiting[CHUNK:], rejected])
        if size is None and centers.shape is None:
            return slow.get(0, int(out[0]))
        return _merged(out, slow).reshape(dimensions)

    def _chunk(
        self,
        now: NDArray[np.int64],
        centers: Centers,
        out: NDArray[np.int64],
        slow: dict[int, int],
        bits: BitSource,
    ) -> NDArray[np.int64]:
        """Fill the positions `now`, in `out` or in `slow`; returns those whose proposal was rejected."""
        attempt = self._law.attempt(bits, len(now))
        ratio, c = nearest(self._ratio), centers.floats(now)
        with np.errstate(over="ignore", invalid="ignore"):
            y = attempt.z * ratio + c
            # z's own error, and the roundings of ratio, center, product and sum
            error = attempt.error * ratio + (np.abs(attempt.z) * ratio + np.abs(c) + 1) * 2.0**-49
            k = np.floor(y)
            sure = attempt.sure & (np.abs(y - k - 0.5) < 0.5 - error) & (np.abs(y) < 2.0**52)
        again = attempt.sure & ~attempt.kept
        done = sure & ~again
        out[now[done]] = k[done].astype(np.int64)
        for index in np.flatnonzero(~done & ~again):
            i, center = int(index), centers.exact(int(now[index]))
            settled = attempt.settle(i, self._place(center), self._magnitude(center))
            if settled is None:
                again[i] = True
            else:
                slow[int(now[i])] = settled
        return now[again]

    def _place(self, center: Fraction) -> Callable[[Ball], Ball]:
        return lambda z: z * ball_of(self._ratio) + ball_of(center)

    def _magnitude(self, center: Fraction) -> int:
        return int(self._ratio).bit_length() + int(abs(center)).bit_length()


def _merged(out: NDArray[np.int64], slow: dict[int, int]) -> NDArray[Any]:
    """The draws in one array, of Python integers if one of them needs more than 64 bits."""
    if any(not -(2**63) <= k < 2**63 for k in slow.values()):
        return objects(slow.get(i, int(k)) for i, k in enumerate(out))
    for i, k in slow.items():
        out[i] = k
    return out


Row = list[Any] | tuple[Any, ...] | NDArray[Any]
Center = Real | Row


def _rounded(
    law: QuantileNoise | HeavyTail, scale: Fraction, *, size: Size, center: Center, grid: Real, bits: BitSource
) -> Draws:
    step = positive("grid", grid)
    return OnGrid(law, scale, step).draw(Centers(center, step), size, bits)


@overload
def rounded_laplace(
    scale: Real, size: None = None, *, center: Real = 0, grid: Real = 1, bits: BitSource | None = None
) -> int: ...
@overload
def rounded_laplace(
    scale: Real, size: Shape, *, center: Center = 0, grid: Real = 1, bits: BitSource | None = None
) -> Integers: ...
@overload
def rounded_laplace(
    scale: Real, size: None = None, *, center: Row, grid: Real = 1, bits: BitSource | None = None
) -> Integers: ...
def rounded_laplace(
    scale: Real, size: Size = None, *, center: Center = 0, grid: Real = 1, bits: BitSource | None = None
) -> Draws:
    """The multiples of `grid` nearest to center + Z, Z of density exp(-|z|/scale)/(2·scale).

    >>> rounded_laplace(1e-9, center=2.5, grid=0.5)
    5
    """
    return _rounded(LAPLACE, positive("scale", scale), size=size, center=center, grid=grid, bits=source(bits))


@overload
def rounded_gaussian(
    sigma: Real, size: None = None, *, center: Real = 0, grid: Real = 1, bits: BitSource | None = None
) -> int: ...
@overload
def rounded_gaussian(
    sigma: Real, size: Shape, *, center: Center = 0, grid: Real = 1, bits: BitSource | None = None
) -> Integers: ...
@overload
def rounded_gaussian(
    sigma: Real, size: None = None, *, center: Row, grid: Real = 1, bits: BitSource | None = None
) -> Integers: ...
def rounded_gaussian(
    sigma: Real, size: Size = None, *, center: Center = 0, grid: Real = 1, bits: BitSource | None = None
) -> Draws:
    """The multiples of `grid` nearest to center + Z, Z normal with standard deviation sigma."""
    return _rounded(NORMAL, positive("sigma", sigma), size=size, center=center, grid=grid, bits=source(bits))


@overload
def rounded_exponential(
    scale: Real, size: None = None, *, center: Real = 0, grid: Real = 1, bits: BitSource | None = None
) -> int: ...
@overload
def rounded_exponential(
    scale: Real, size: Shape, *, center: Center = 0, grid: Real = 1, bits: BitSource | None = None
) -> Integers: ...
@overload
def rounded_exponential(
    scale: Real, size: None = None, *, center: Row, grid: Real = 1, bits: BitSource | None = None
) -> Integers: ...
def rounded_exponential(
    scale: Real, size: Size = None, *, center: Center = 0, grid: Real = 1, bits: BitSource | None = None
) -> Draws:
    """The multiples of `grid` nearest to center + Z, Z ≥ 0 of density exp(-z/scale)/scale."""
    return _rounded(
        EXPONENTIAL,
        positive("scale", scale),
        size=size,
        center=center,
        grid=grid,
        bits=source(bits),
    )


@overload
def rounded_gumbel(
    scale: Real, size: None = None, *, center: Real = 0, grid: Real = 1, bits: BitSource | None = None
) -> int: ...
@overload
def rounded_gumbel(
    scale: Real, size: Shape, *, center: Center = 0, grid: Real = 1, bits: BitSource | None = None
) -> Integers: ...
@overload
def rounded_gumbel(
    scale: Real, size: None = None, *, center: Row, grid: Real = 1, bits: BitSource | None = None
) -> Integers: ...
def rounded_gumbel(
    scale: Real, size: Size = None, *, center: Center = 0, grid: Real = 1, bits: BitSource | None = None
) -> Draws:
    """The multiples of `grid` nearest to center + Z, Pr[Z ≤ z] = exp(-exp(-z/scale))."""
    return _rounded(GUMBEL, positive("scale", scale), size=size, center=center, grid=grid, bits=source(bits))


@overload
def rounded_heavy_tail(
    gamma: Real, scale: Real = 1, size: None = None, *, center: Real = 0, grid: Real = 1, bits: BitSource | None = None
) -> int: ...
@overload
def rounded_heavy_tail(
    gamma: Real, scale: Real, size: Shape, *, center: Center = 0, grid: Real = 1, bits: BitSource | None = None
) -> Integers: ...
@overload
def rounded_heavy_tail(
    gamma: Real, scale: Real = 1, size: None = None, *, center: Row, grid: Real = 1, bits: BitSource | None = None
) -> Integers: ...
def rounded_heavy_tail(
    gamma: Real,
    scale: Real = 1,
    size: Size = None,
    *,
    center: Center = 0,
    grid: Real = 1,
    bits: BitSource | None = None,
) -> Draws:
    """The multiples of `grid` nearest to center + scale·Z, Z of density ∝ 1/(1 + |z|**gamma), gamma > 1.

    Draws beyond 64 bits, which small gammas make likely, come back as Python ints.
    """
    exponent, stream = amount("gamma", gamma), source(bits)
    if not Fraction(33, 32) <= exponent <= 1024:
        raise InvalidParameter("gamma", "must be between 33/32 and 1024", gamma)
    law = HeavyTail(exponent, stream.word_bits)
    return _rounded(law, positive("scale", scale), size=size, center=center, grid=grid, bits=stream)
