"""Continuous laws, drawn in floats with a stated error and settled in ball arithmetic where that leaves doubt."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.exact import floats
from sfumato.exact.bits import BitSource, leading
from sfumato.exact.coins import rational_coin
from sfumato.exact.lazy import Ball, LazyUniform, ball_of, decide, floor_of, is_below
from sfumato.exact.parameters import nearest

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


EXPONENTIAL = QuantileNoise(
    signed=False, quantile=lambda v: -np.log(v), ball=lambda v: -v.log(), error=_exponential_error
)
LAPLACE = QuantileNoise(signed=True, quantile=lambda v: -np.log(v), ball=lambda v: -v.log(), error=_exponential_error)
NORMAL = QuantileNoise(signed=True, quantile=_normal_quantile, ball=_normal_ball, error=_normal_error)
GUMBEL = QuantileNoise(
    signed=False,
    quantile=lambda v: -np.log(-np.log(v)),
    ball=lambda v: -(-v.log()).log(),
    error=_gumbel_error,
)
