"""Coins: Bernoulli(p) for rational p, Bernoulli(exp(-x)) and Bernoulli(1/(1 + m·exp(-x))) for rational x ≥ 0."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from sfumato.exact import floats
from sfumato.exact.bits import CHUNK, BitSource, source
from sfumato.exact.lazy import Ball, LazyUniform, ball_of, decide, floor_of, is_below
from sfumato.exact.parameters import Real, Shape, Size, hashable, non_negative, probability, shape, whole

Flips = bool | NDArray[np.bool_]
"""One flip of a coin, or an array of them."""


class _Coin:
    """Heads where a uniform real is below a threshold; only a word equal to its leading bits leaves doubt."""

    __slots__ = ("_first", "_settle")

    def __init__(self, first: int, settle: Callable[[BitSource], bool]) -> None:
        self._first = first  # the leading word of the threshold, or 2**word_bits where heads are certain
        self._settle = settle

    def one(self, bits: BitSource) -> bool:
        word = bits.word()
        return self._settle(bits) if word == self._first else word < self._first

    def many(self, bits: BitSource, n: int) -> NDArray[np.bool_]:
        out = np.empty(n, dtype=np.bool_)
        for start in range(0, n, CHUNK):
            words = bits.words(min(n - start, CHUNK))
            if self._first >> bits.word_bits:
                out[start : start + CHUNK] = True
                continue
            np.less(words, np.uint64(self._first), out=out[start : start + len(words)])
            for index in np.flatnonzero(words == np.uint64(self._first)):
                out[start + index] = self._settle(bits)
        return out


def rational_coin(p: Fraction, word_bits: int) -> _Coin:
    """The bits of a rational are known for ever, so comparison is word by word in integers."""
    first, rest = divmod(p * 2**word_bits, 1)

    def settle(bits: BitSource) -> bool:
        remainder = rest
        while remainder:
            threshold, remainder = divmod(remainder * 2**word_bits, 1)
            word = bits.word()
            if word != threshold:
                return word < int(threshold)
        return False

    return _Coin(int(first), settle)


def _exp_coin(x: Fraction, word_bits: int) -> _Coin:
    """exp(-x) is irrational for rational x > 0."""
    if x == 0:
        return _Coin(2**word_bits, lambda bits: True)
    return _irrational_coin(lambda: _exp_ball(x), word_bits)


def _odds_coin(x: Fraction, others: int, word_bits: int) -> _Coin:
    """1/(1 + others·exp(-x)) is irrational for rational x > 0."""
    if x == 0 or others == 0:
        return rational_coin(Fraction(1, 1 + others), word_bits)
    return _irrational_coin(lambda: 1 / (1 + others * _exp_ball(x)), word_bits)


def _irrational_coin(threshold: Callable[[], Ball], word_bits: int) -> _Coin:
    """A threshold known only as balls; it is not rational, so comparison ends with probability one."""
    first = decide([], lambda: floor_of(threshold() * 2**word_bits), magnitude=word_bits)

    def settle(bits: BitSource) -> bool:
        return _is_below(LazyUniform(bits, first, word_bits), threshold)

    return _Coin(first, settle)


def _is_below(uniform: LazyUniform, threshold: Callable[[], Ball]) -> bool:
    return decide([uniform], lambda: is_below(uniform.ball(), threshold()))


def below_exp(uniform: LazyUniform, x: Fraction) -> bool:
    """Whether a uniform real is below exp(-x)."""
    return _is_below(uniform, lambda: _exp_ball(x))


def _exp_ball(x: Fraction) -> Ball:
    """exp(-x) at the working precision of the moment."""
    return (-ball_of(x)).exp()


@lru_cache(maxsize=256, typed=True)
def _bernoulli(p: Any, word_bits: int) -> _Coin:
    return rational_coin(probability("p", p), word_bits)


@lru_cache(maxsize=256, typed=True)
def _bernoulli_exp(x: Any, word_bits: int) -> _Coin:
    return _exp_coin(non_negative("x", x), word_bits)


@lru_cache(maxsize=256, typed=True)
def _bernoulli_odds(x: Any, others: int, word_bits: int) -> _Coin:
    return _odds_coin(non_negative("x", x), others, word_bits)


def _flip(coin: _Coin, size: Size, bits: BitSource) -> Flips:
    if size is None:
        return coin.one(bits)
    dimensions = shape(size)
    return coin.many(bits, math.prod(dimensions)).reshape(dimensions)


@overload
def bernoulli(p: Real, size: None = None, *, bits: BitSource | None = None) -> bool: ...
@overload
def bernoulli(p: Real, size: Shape, *, bits: BitSource | None = None) -> NDArray[np.bool_]: ...
def bernoulli(p: Real, size: Size = None, *, bits: BitSource | None = None) -> Flips:
    """True with probability exactly p, a bool or an array of them.

    >>> bernoulli(1), bernoulli(0)
    (True, False)
    """
    stream = source(bits)
    return _flip(_bernoulli(hashable("p", p), stream.word_bits), size, stream)


@overload
def bernoulli_exp(x: Real, size: None = None, *, bits: BitSource | None = None) -> bool: ...
@overload
def bernoulli_exp(x: Real, size: Shape, *, bits: BitSource | None = None) -> NDArray[np.bool_]: ...
def bernoulli_exp(x: Real, size: Size = None, *, bits: BitSource | None = None) -> Flips:
    """True with probability exactly exp(-x), a bool or an array of them.

    >>> bernoulli_exp(0), bernoulli_exp(10**9)
    (True, False)
    """
    stream = source(bits)
    return _flip(_bernoulli_exp(hashable("x", x), stream.word_bits), size, stream)


@overload
def bernoulli_odds(x: Real, others: int = 1, size: None = None, *, bits: BitSource | None = None) -> bool: ...
@overload
def bernoulli_odds(x: Real, others: int, size: Shape, *, bits: BitSource | None = None) -> NDArray[np.bool_]: ...
def bernoulli_odds(x: Real, others: int = 1, size: Size = None, *, bits: BitSource | None = None) -> Flips:
    """True with probability exactly e^x/(e^x + others): odds of e^x against each of `others` alternatives.

    >>> bernoulli_odds(0, 0), bernoulli_odds(1000, 3)
    (True, True)
    """
    stream, against = source(bits), whole("others", others)
    return _flip(_bernoulli_odds(hashable("x", x), against, stream.word_bits), size, stream)


# A float within X_ERROR · (1 + x) of the true x moves exp(-x) by at most X_ERROR, since (1 + x)·exp(-x) ≤ 1;
# exp adds FUNCTION_ERROR, the subtraction and the conversion of the word a rounding each; doubled for safety.
X_ERROR = 2.0**-42
_TOLERANCE = 2 * (X_ERROR + floats.FUNCTION_ERROR + 4 * floats.ROUNDING)


def exp_coins(bits: BitSource, x: NDArray[np.float64], exact: Callable[[int], Fraction]) -> NDArray[np.bool_]:
    """A coin for each i with Pr[heads] = exp(-exact(i)); x[i] is within X_ERROR · (1 + x) of exact(i)."""
    words = bits.words(len(x))
    uniform = words.astype(np.float64)
    uniform += 0.5
    uniform *= 2.0**-bits.word_bits
    gap = np.exp(-x)
    gap -= uniform
    heads = gap > 0
    np.abs(gap, out=gap)
    unsure = ~(gap > _TOLERANCE + 2.0**-bits.word_bits)
    for index in np.flatnonzero(unsure):
        i = int(index)
        heads[i] = below_exp(LazyUniform(bits, int(words[i]), bits.word_bits), exact(i))
    return heads


def exp_coin(bits: BitSource, x: float, exact: Callable[[], Fraction]) -> bool:
    """The same for one coin."""
    middle, word = bits.pair()
    gap = math.exp(-x) - middle * 2.0**-bits.word_bits
    if abs(gap) > _TOLERANCE + 2.0**-bits.word_bits:
        return gap > 0
    return below_exp(LazyUniform(bits, word, bits.word_bits), exact())
