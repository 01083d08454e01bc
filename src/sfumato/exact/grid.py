"""Continuous noise rounded to a grid, with the rounding resolved exactly.

`rounded_*` returns the integers k = floor((center + Z)/grid + ½): k·grid is the grid point nearest to
center + Z for a real Z of exactly the stated law. It is a post-processing of the ideal continuous mechanism,
so the theorem proved for real numbers holds for what leaves the machine.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact import floats
from sfumato.exact.bits import CHUNK, BitSource, leading, source
from sfumato.exact.coins import rational_coin
from sfumato.exact.lazy import Ball, LazyUniform, ball_of, decide, floor_of, is_below
from sfumato.exact.parameters import Real, Size, amount, cell, exact_array, magnitude, nearest, positive, shape
from sfumato.exact.sampler import objects

Reals = NDArray[np.float64]
_GUARD = 20


@dataclass(frozen=True, slots=True)
class Attempt:
    """Standard noise for some positions: floats, how far off they may be, and the same in ball arithmetic.

    `settle(i, place)` answers floor(place(z)) for the i-th, or None where the proposal was not kept; `kept`
    is the same decision in floats. Where `sure` is false only `settle` may be asked.
    """

    z: Reals
    error: Reals
    kept: NDArray[np.bool_]
    sure: NDArray[np.bool_]
    settle: Callable[[int, Callable[[Ball], Ball], int], int | None]


class QuantileNoise:
    """Noise Z = ±Q(V) from one word: V uniform, Q decreasing, a sign for the symmetric laws."""

    def __init__(
        self,
        *,
        signed: bool,
        quantile: Callable[[Reals], Reals],
        ball: Callable[[Ball], Ball],
        error: Callable[[int, int], float],
    ) -> None:
        self._sign = int(signed)
        self._quantile = quantile
        self._ball = ball
        self._error = error

    def attempt(self, bits: BitSource, n: int) -> Attempt:
        """One try for each of n positions; every one is kept."""
        words = bits.words(n)
        count = bits.word_bits - self._sign
        mantissas = words >> np.uint64(self._sign)
        sign = np.where(words & np.uint64(self._sign), -1.0, 1.0)
        guard = 2 ** (count - min(_GUARD, count // 2))
        with np.errstate(divide="ignore"):  # words at the ends are settled in balls
            z = self._quantile((mantissas.astype(np.float64) + 0.5) * 2.0**-count) * sign
        # The guard holds at both ends: near 0 and near 1 the relative width of the seen interval grows.
        sure = (mantissas >= guard) & (mantissas < 2**count - guard)

        def settle(i: int, place: Callable[[Ball], Ball], magnitude: int) -> int | None:
            uniform = LazyUniform(bits, int(mantissas[i]), count)

            def attempt() -> int | None:
                ball = self._ball(uniform.ball())
                return floor_of(place(-ball if sign[i] < 0 else ball))

            return decide([uniform], attempt, magnitude=magnitude)

        return Attempt(z, np.full(n, self._error(count, guard)), np.ones(n, np.bool_), sure, settle)


class HeavyTail:
    """Z of density ∝ 1/(1 + |z|**γ), γ > 1, by rejection from the density ∝ min(1, |z|**-γ).

    The proposal is uniform V on (0, 1) with probability (γ - 1)/γ, else V**(-1/(γ - 1)); with m the smaller
    of |z| and 1/|z| it is kept if U·(1 + m**γ) < 1, at least every second time (the noise of Nissim,
    Raskhodnikova, Smith 2007, Lemma 2.6).
    """

    def __init__(self, gamma: Fraction, word_bits: int) -> None:
        self._gamma = gamma
        self._body = rational_coin((gamma - 1) / gamma, word_bits)

    def attempt(self, bits: BitSource, n: int) -> Attempt:
        """One try for each of n positions."""
        body = self._body.many(bits, n)
        sign = np.where(leading(bits, 1, n), -1.0, 1.0)
        words, coins, count = bits.words(n), bits.words(n), bits.word_bits
        gamma, power = nearest(self._gamma), nearest(1 / (self._gamma - 1))
        guard = 2 ** (count - min(_GUARD, count // 2))
        v = (words + 0.5) * 2.0**-count
        log_m = np.log(v) * np.where(body, 1.0, power)
        with np.errstate(over="ignore", under="ignore"):
            z = np.exp(np.where(body, log_m, -log_m))
            gap = 1 - (coins + 0.5) * 2.0**-count * (1 + np.exp(gamma * log_m))
        # ln v is off by 1/guard + 46·FUNCTION_ERROR; the power and γ multiply that, exp makes it relative.
        off = (1 / guard + 92 * floats.FUNCTION_ERROR) * np.where(body, 1.0, power)
        doubt = gamma * off + 2.0**-count + 4 * floats.FUNCTION_ERROR
        sure = (words >= guard) & (np.abs(gap) > 2 * doubt)

        def settle(i: int, place: Callable[[Ball], Ball], magnitude: int) -> int | None:
            uniform, coin = LazyUniform(bits, int(words[i]), count), LazyUniform(bits, int(coins[i]), count)
            exponent = Fraction(1) if body[i] else 1 / (self._gamma - 1)

            def log_of_m() -> Ball:
                return uniform.ball().log() * ball_of(exponent)

            def accept() -> bool | None:
                return is_below(coin.ball() * (1 + (log_of_m() * ball_of(self._gamma)).exp()), ball_of(Fraction(1)))

            if not decide([uniform, coin], accept):
                return None

            def attempt() -> int | None:
                ball = (log_of_m() if body[i] else -log_of_m()).exp()
                return floor_of(place(-ball if sign[i] < 0 else ball))

            return decide([uniform], attempt, magnitude=magnitude)

        return Attempt(z * sign, z * 2 * (off + floats.FUNCTION_ERROR), gap > 0, sure, settle)


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

    def draw(self, centers: Centers, size: Size, bits: BitSource) -> Any:
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


# Errors of the float quantiles. V is seen as a word m ≥ guard of `count` bits, so its relative error is at
# most r = 1/guard + 2**-52. |d ln V| ≤ r. For the normal, |dz| = dV/(2φ(z)) ≤ √(π/2)·r as V ≤ 2φ(z)·√(π/2).
# For Gumbel, dE/E ≤ dV/(V·(1 - V)) with E = -ln V, where dV ≤ 2**-count + 2**-53 and 1 - V ≥ guard/2**count.


def _seen(guard: int) -> float:
    return 1 / guard + 2.0**-52


def _exponential_error(count: int, guard: int) -> float:
    return 2 * _seen(guard) + 46 * floats.FUNCTION_ERROR


def _normal_error(count: int, guard: int) -> float:
    return 2 * _seen(guard) + 16 * floats.QUANTILE_ERROR


def _gumbel_error(count: int, guard: int) -> float:
    return 2 * _seen(guard) + 2 * (1 + 2.0 ** (count - 53)) / guard + 46 * floats.FUNCTION_ERROR


def _normal_quantile(v: Reals) -> Reals:
    from scipy.special import ndtri

    floats.trust_quantile()
    return np.asarray(-ndtri(v / 2))


def _normal_ball(v: Ball) -> Ball:
    return v.erfcinv() * ball_of(Fraction(2)).sqrt()


_EXPONENTIAL = QuantileNoise(
    signed=False, quantile=lambda v: -np.log(v), ball=lambda v: -v.log(), error=_exponential_error
)
_LAPLACE = QuantileNoise(signed=True, quantile=lambda v: -np.log(v), ball=lambda v: -v.log(), error=_exponential_error)
_NORMAL = QuantileNoise(signed=True, quantile=_normal_quantile, ball=_normal_ball, error=_normal_error)
_GUMBEL = QuantileNoise(
    signed=False,
    quantile=lambda v: -np.log(-np.log(v)),
    ball=lambda v: -(-v.log()).log(),
    error=_gumbel_error,
)

Center = Real | list[Any] | tuple[Any, ...] | NDArray[Any]


def _rounded(
    law: QuantileNoise | HeavyTail, scale: Fraction, *, size: Size, center: Center, grid: Real, bits: BitSource
) -> Any:
    step = positive("grid", grid)
    return OnGrid(law, scale, step).draw(Centers(center, step), size, bits)


def rounded_laplace(
    scale: Real, size: Size = None, *, center: Center = 0, grid: Real = 1, bits: BitSource | None = None
) -> Any:
    """The multiples of `grid` nearest to center + Z, Z of density exp(-|z|/scale)/(2·scale).

    >>> rounded_laplace(1e-9, center=2.5, grid=0.5)
    5
    """
    return _rounded(_LAPLACE, positive("scale", scale), size=size, center=center, grid=grid, bits=source(bits))


def rounded_gaussian(
    sigma: Real, size: Size = None, *, center: Center = 0, grid: Real = 1, bits: BitSource | None = None
) -> Any:
    """The multiples of `grid` nearest to center + Z, Z normal with standard deviation sigma."""
    return _rounded(_NORMAL, positive("sigma", sigma), size=size, center=center, grid=grid, bits=source(bits))


def rounded_exponential(
    scale: Real, size: Size = None, *, center: Center = 0, grid: Real = 1, bits: BitSource | None = None
) -> Any:
    """The multiples of `grid` nearest to center + Z, Z ≥ 0 of density exp(-z/scale)/scale."""
    return _rounded(
        _EXPONENTIAL,
        positive("scale", scale),
        size=size,
        center=center,
        grid=grid,
        bits=source(bits),
    )


def rounded_gumbel(
    scale: Real, size: Size = None, *, center: Center = 0, grid: Real = 1, bits: BitSource | None = None
) -> Any:
    """The multiples of `grid` nearest to center + Z, Pr[Z ≤ z] = exp(-exp(-z/scale))."""
    return _rounded(_GUMBEL, positive("scale", scale), size=size, center=center, grid=grid, bits=source(bits))


def rounded_heavy_tail(
    gamma: Real,
    scale: Real = 1,
    size: Size = None,
    *,
    center: Center = 0,
    grid: Real = 1,
    bits: BitSource | None = None,
) -> Any:
    """The multiples of `grid` nearest to center + scale·Z, Z of density ∝ 1/(1 + |z|**gamma), gamma > 1.

    Draws beyond 64 bits, which small gammas make likely, come back as Python ints.
    """
    exponent, stream = amount("gamma", gamma), source(bits)
    if not Fraction(33, 32) <= exponent <= 1024:
        raise InvalidParameter("gamma", "must be between 33/32 and 1024", gamma)
    law = HeavyTail(exponent, stream.word_bits)
    return _rounded(law, positive("scale", scale), size=size, center=center, grid=grid, bits=stream)
