"""Geometric noise of one and of two sides, by rounding an exponential real exactly.

With V uniform on (0, 1), floor(-t·ln V) is geometric with ratio p = exp(-1/t). For two sides one word gives a
sign and V, and |X| = floor(t·(c - ln V)) with c = ln(2/(1 + p)) has Pr[|X| ≥ k] = 2·p**k/(1 + p) for k ≥ 1,
which is the discrete Laplace law Pr[X = k] = (1 - p)/(1 + p)·p**|k| (DGeo(1/t) in Survey §9.1.2).
"""

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact import floats
from sfumato.exact.bits import BitSource, leading, leading_one, source
from sfumato.exact.coins import exp_coin, exp_coins
from sfumato.exact.lazy import Ball, LazyUniform, ball_of, decide, floor_of
from sfumato.exact.parameters import Real, Shape, Size, hashable, magnitude, nearest, positive, whole
from sfumato.exact.sampler import Draws, Integers, Sampler, draw, in_chunks, objects, put
from sfumato.exact.uniform import UniformBelow

_NARROW = 2**26  # above, too many float results would straddle an integer; below, one in 10**5 at the most
_WIDE = 2**52  # above, a draw may need more than 64 bits
_HUGE = 2**1000
_GUARD = 20  # a word with this many leading zeros goes the slow way: its logarithm is not known well enough


class FloorExponential:
    """floor(t·(c - ln V)), with a random sign or without (then c = 0); t up to 2**26."""

    __slots__ = ("_bits_of_v", "_doubt", "_error", "_guard", "_halve", "_offset", "_scale", "_sign", "_slope")

    def __init__(self, scale: Fraction, word_bits: int, *, signed: bool) -> None:
        floats.trust()
        self._scale = scale
        self._sign = int(signed)
        self._bits_of_v = word_bits - self._sign
        self._halve = 0.5**self._sign
        zeros = min(_GUARD, self._bits_of_v // 2)
        self._guard = 2 ** (self._bits_of_v - zeros)
        t = nearest(scale)
        # V = (m + d)/2**n with m a word of n bits and d in [0, 1) unseen; the float path computes
        # y = slope·log(m + ½) + offset. Its error is at most t times: 1/guard (d is not ½; m ≥ guard)
        # + 45·FUNCTION_ERROR (ln m ≤ 64·ln 2 < 45)
        # + 10·46·ROUNDING (of the conversion, t, the constants, the product and the sum).
        self._error = t * (1 / self._guard + 45 * floats.FUNCTION_ERROR + 460 * floats.ROUNDING)
        if self._error >= 0.25:
            self._guard = 2**self._bits_of_v  # the float path could not decide anything
        self._doubt = 0.5 - self._error
        self._slope = -t
        start = math.log(2) - math.log1p(math.exp(-1 / t)) if signed and t else 0.0
        self._offset = t * (start + self._bits_of_v * math.log(2))

    def one(self, bits: BitSource) -> int:
        """One draw."""
        middle, word = bits.pair()
        middle *= self._halve  # the middle of the word's interval is inside the mantissa's, so the bound holds
        y = max(0.0, self._slope * math.log(middle) + self._offset)  # the real value is not negative
        k = math.floor(y)
        if middle < self._guard or abs(y - k - 0.5) > self._doubt:
            k = self._settle(bits, word >> self._sign)
        return -k if word & self._sign else k

    def chunk(self, bits: BitSource, n: int) -> NDArray[np.int64]:
        """n draws at once: one logarithm and a dozen elementary passes each."""
        words = bits.words(n)
        mantissas = words >> np.uint64(self._sign)
        y = mantissas.astype(np.float64)
        y += 0.5
        np.log(y, out=y)
        y *= self._slope
        y += self._offset
        np.maximum(y, 0.0, out=y)  # the real value is not negative
        floor = np.floor(y)
        out: NDArray[np.int64] = floor.astype(np.int64)
        y -= floor
        y -= 0.5
        np.abs(y, out=y)
        unsure = y > self._doubt
        if mantissas.min(initial=self._guard) < self._guard:
            unsure |= mantissas < self._guard
        if unsure.any():
            for index in np.flatnonzero(unsure):
                put(out, int(index), self._settle(bits, int(mantissas[index])))
        if self._sign:
            words &= np.uint64(1)
            sign = words.view(np.int64)  # 1 for minus; (k ^ -1) + 1 = -k
            out ^= -sign
            out += sign
        return out

    def many(self, bits: BitSource, n: int) -> NDArray[np.int64]:
        """n draws."""
        return in_chunks(bits, n, self.chunk)

    def _settle(self, bits: BitSource, mantissa: int) -> int:
        return floor_exponential(LazyUniform(bits, mantissa, self._bits_of_v), self._scale, signed=bool(self._sign))


def floor_exponential(uniform: LazyUniform, scale: Fraction, *, signed: bool) -> int:
    """floor(t·(c - ln V)) in ball arithmetic."""

    def attempt() -> int | None:
        start: Ball = 2 / (1 + (-1 / ball_of(scale)).exp()) if signed else ball_of(Fraction(1))
        return floor_of((start.log() - uniform.ball().log()) * ball_of(scale))

    return decide([uniform], attempt, magnitude=max(0, scale.numerator.bit_length()))


class WideGeometric:
    """Geometric noise for t in (2**26, 2**52]: a geometric multiple of 2**j plus a remainder below 2**j.

    By memorylessness the two are independent; the remainder has weight exp(-r/t) with r/t ≤ 2**-25, so a
    uniform r is kept with probability exp(-r/t) and hardly ever drawn again.
    """

    __slots__ = ("_coarse", "_scale", "_shift", "_step")

    def __init__(self, scale: Fraction, word_bits: int) -> None:
        self._scale = scale
        self._shift = max(0, math.ceil(scale / _NARROW) - 1).bit_length()
        self._coarse = FloorExponential(scale / 2**self._shift, word_bits, signed=False)
        self._step = 1 / nearest(scale)

    def one(self, bits: BitSource) -> int:
        """One draw."""
        while True:
            r = leading_one(bits, self._shift)
            if exp_coin(bits, r * self._step, lambda r=r: r / self._scale):  # type: ignore[misc]
                return (self._coarse.one(bits) << self._shift) + r

    def chunk(self, bits: BitSource, n: int) -> NDArray[np.int64]:
        """At most n draws: those of n remainders that were kept."""
        r = leading(bits, self._shift, n).view(np.int64)
        kept = exp_coins(bits, r.astype(np.float64) * self._step, lambda i: int(r[i]) / self._scale)
        r = r[kept]
        return (self._coarse.chunk(bits, len(r)) << self._shift) + r

    def many(self, bits: BitSource, n: int) -> NDArray[np.int64]:
        """n draws."""
        return in_chunks(bits, n, self.chunk)


class WideLaplace:
    """Discrete Laplace noise for t in (2**26, 2**52]: geometric with a sign, minus zero drawn again."""

    __slots__ = ("_magnitude",)

    def __init__(self, scale: Fraction, word_bits: int) -> None:
        self._magnitude = WideGeometric(scale, word_bits)

    def one(self, bits: BitSource) -> int:
        """One draw."""
        while True:
            sign = leading_one(bits, 1)
            k = self._magnitude.one(bits)
            if k or not sign:
                return -k if sign else k

    def chunk(self, bits: BitSource, n: int) -> NDArray[np.int64]:
        """At most n draws."""
        k = self._magnitude.chunk(bits, n)
        sign = leading(bits, 1, len(k)).view(np.int64)
        kept = (k != 0) | (sign == 0)
        k *= 1 - 2 * sign
        draws: NDArray[np.int64] = k[kept]
        return draws

    def many(self, bits: BitSource, n: int) -> NDArray[np.int64]:
        """n draws."""
        return in_chunks(bits, n, self.chunk)


class HugeExponential:
    """floor(t·(c - ln V)) for t above 2**52, as Python integers, always in ball arithmetic."""

    __slots__ = ("_scale", "_sign")

    def __init__(self, scale: Fraction, *, signed: bool) -> None:
        if scale > _HUGE:
            raise InvalidParameter("scale", "must be at most 2**1000, is about", magnitude(scale))
        self._scale = scale
        self._sign = int(signed)

    def one(self, bits: BitSource) -> int:
        """One draw."""
        minus = leading_one(bits, self._sign)
        k = floor_exponential(LazyUniform(bits), self._scale, signed=bool(self._sign))
        return -k if minus else k

    def many(self, bits: BitSource, n: int) -> NDArray[np.object_]:
        """n draws."""
        return objects(self.one(bits) for _ in range(n))


def geometric_sampler(scale: Fraction, word_bits: int) -> Sampler:
    """The sampler of Pr[k] ∝ exp(-k/scale), k ≥ 0, that suits the scale."""
    if scale <= _NARROW:
        return FloorExponential(scale, word_bits, signed=False)
    return WideGeometric(scale, word_bits) if scale <= _WIDE else HugeExponential(scale, signed=False)


def laplace_sampler(scale: Fraction, word_bits: int) -> Sampler:
    """The sampler of Pr[k] ∝ exp(-|k|/scale) that suits the scale."""
    if scale <= _NARROW:
        return FloorExponential(scale, word_bits, signed=True)
    return WideLaplace(scale, word_bits) if scale <= _WIDE else HugeExponential(scale, signed=True)


class Censored:
    """Another sampler's draws moved to the nearer end of [-bound, bound]."""

    __slots__ = ("_bound", "_inner")

    def __init__(self, inner: Sampler, bound: int) -> None:
        self._inner = inner
        self._bound = bound

    def one(self, bits: BitSource) -> int:
        """One draw."""
        return max(-self._bound, min(self._bound, self._inner.one(bits)))

    def many(self, bits: BitSource, n: int) -> Integers:
        """n draws."""
        draws = self._inner.many(bits, n)
        if draws.dtype == np.int64 and self._bound >= 2**63:
            return draws
        clipped = np.clip(draws, -self._bound, self._bound)
        return clipped.astype(np.int64) if self._bound < 2**63 else clipped


class Truncated:
    """Discrete Laplace noise given that it lies in [-bound, bound], by rejection.

    A wide window keeps at least 1 - 1/e of the discrete Laplace draws; a narrow one (bound ≤ scale) keeps a
    uniform draw k with probability exp(-|k|/scale) ≥ 1/e.
    """

    __slots__ = ("_bound", "_narrow", "_proposal", "_scale", "_step")

    def __init__(self, scale: Fraction, bound: int, word_bits: int) -> None:
        self._scale, self._bound = scale, bound
        self._narrow = bound <= scale or bound == 0
        self._step = 1 / nearest(scale) if self._narrow and bound else 0.0
        self._proposal: Sampler = UniformBelow(2 * bound + 1) if self._narrow else laplace_sampler(scale, word_bits)

    def one(self, bits: BitSource) -> int:
        """One draw."""
        while True:
            k = self._proposal.one(bits)
            if self._narrow:
                k -= self._bound
                x = abs(k) / self._scale
                if exp_coin(bits, nearest(x), lambda x=x: x):  # type: ignore[misc]
                    return k
            elif abs(k) <= self._bound:
                return k

    def many(self, bits: BitSource, n: int) -> Integers:
        """n draws."""
        if self._proposal.many(bits, 0).dtype == np.object_ or self._bound >= 2**62:
            return objects(self.one(bits) for _ in range(n))
        return in_chunks(bits, n, self._chunk)

    def _chunk(self, bits: BitSource, n: int) -> NDArray[Any]:
        k = self._proposal.many(bits, n)
        if not self._narrow:
            return k[np.abs(k) <= self._bound]
        k -= self._bound
        x = np.abs(k) * self._step
        return k[exp_coins(bits, x, lambda i: abs(int(k[i])) / self._scale)]


@lru_cache(maxsize=256, typed=True)
def _geometric(scale: Any, word_bits: int) -> Sampler:
    return geometric_sampler(positive("scale", scale), word_bits)


@lru_cache(maxsize=256, typed=True)
def _laplace(scale: Any, word_bits: int) -> Sampler:
    return laplace_sampler(positive("scale", scale), word_bits)


@overload
def geometric(scale: Real, size: None = None, *, bits: BitSource | None = None) -> int: ...
@overload
def geometric(scale: Real, size: Shape, *, bits: BitSource | None = None) -> Integers: ...
def geometric(scale: Real, size: Size = None, *, bits: BitSource | None = None) -> Draws:
    """Draws k ≥ 0 with probability exactly (1 - p)·p**k, p = exp(-1/scale)."""
    stream = source(bits)
    return draw(_geometric(hashable("scale", scale), stream.word_bits), size, stream)


@overload
def discrete_laplace(scale: Real, size: None = None, *, bits: BitSource | None = None) -> int: ...
@overload
def discrete_laplace(scale: Real, size: Shape, *, bits: BitSource | None = None) -> Integers: ...
def discrete_laplace(scale: Real, size: Size = None, *, bits: BitSource | None = None) -> Draws:
    """Draws k with probability exactly (1 - p)/(1 + p)·p**|k|, p = exp(-1/scale).

    An int if size is None, otherwise an array of int64, or of Python ints for scales above 2**52.

    >>> discrete_laplace(1e-6)
    0
    >>> discrete_laplace(3, size=(2, 5)).shape
    (2, 5)
    """
    stream = source(bits)
    return draw(_laplace(hashable("scale", scale), stream.word_bits), size, stream)


@overload
def censored_discrete_laplace(scale: Real, bound: int, size: None = None, *, bits: BitSource | None = None) -> int: ...
@overload
def censored_discrete_laplace(scale: Real, bound: int, size: Shape, *, bits: BitSource | None = None) -> Integers: ...
def censored_discrete_laplace(scale: Real, bound: int, size: Size = None, *, bits: BitSource | None = None) -> Draws:
    """Discrete Laplace draws clipped to [-bound, bound]: TDGeo(1/scale, bound) of Survey §9.1.2.

    >>> abs(censored_discrete_laplace(10**6, 3)) <= 3
    True
    """
    stream = source(bits)
    limit = whole("bound", bound)
    return draw(Censored(_laplace(hashable("scale", scale), stream.word_bits), limit), size, stream)


@overload
def truncated_discrete_laplace(scale: Real, bound: int, size: None = None, *, bits: BitSource | None = None) -> int: ...
@overload
def truncated_discrete_laplace(scale: Real, bound: int, size: Shape, *, bits: BitSource | None = None) -> Integers: ...
def truncated_discrete_laplace(scale: Real, bound: int, size: Size = None, *, bits: BitSource | None = None) -> Draws:
    """Discrete Laplace draws conditioned on lying in [-bound, bound]: Pr[k] ∝ exp(-|k|/scale) there."""
    stream = source(bits)
    limit = whole("bound", bound)
    return draw(Truncated(positive("scale", scale), limit, stream.word_bits), size, stream)
