"""Draws placed on the boundaries between outcomes, at 64 bits, where only the error allowances keep them right.

No statistic sees a boundary that is off by 2**-50. Here the word at which the outcome changes is computed with
balls, the words around it are fed to the samplers, and every answer must be one that the word allows.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from scipy import stats

import statistics_of_samples as law
from sfumato import exact
from sfumato.exact.amounts import amount
from sfumato.exact.bits import BitSource
from sfumato.exact.exponentials import WideLaplace
from sfumato.exact.law import output_law
from sources import EdgeBits, SeededBits

pytestmark = pytest.mark.slow
WORD = 2**64
AROUND = (-4096, -64, -9, -3, -2, -1, 0, 1, 2, 3, 9, 64, 4096)


def ball(x: Any) -> Any:
    exact_x = Fraction(x)
    return arb(fmpq(exact_x.numerator, exact_x.denominator))


def words_near(uniform: Any, bits: int) -> list[int]:
    """Words of `bits` bits on either side of a boundary in (0, 1)."""
    at = int((uniform * 2**bits).floor().unique_fmpz())
    return [at + step for step in AROUND if 0 <= at + step < 2**bits]


def allowed(value: Callable[[Any], Any], word: int, bits: int) -> set[int]:
    """The floors of a monotone function at the two ends of a word's interval."""
    ends = (ball(Fraction(max(word, Fraction(1, 2**900)), 2**bits)), ball(Fraction(word + 1, 2**bits)))  # type: ignore[call-overload]
    return {int(value(end).floor().unique_fmpz()) for end in ends}


def assert_draws(draw: Callable[[BitSource, int | None], Any], word: int, within: set[int]) -> None:
    for size in (None, 2):
        drawn = draw(EdgeBits(word, times=1), size)
        first = drawn if size is None else int(drawn[0])
        assert min(within) <= first <= max(within), (word, first, within)


@pytest.mark.parametrize("scale", [Fraction(1, 3), 1, Fraction(22, 7), 1000, 10**6, 2**25 + 1])
def test_geometric_and_laplace_boundaries(scale: Any) -> None:
    t = Fraction(scale)
    with ctx.workprec(300):
        shift = (2 / (1 + (-1 / ball(t)).exp())).log()
        for k in {1, 2, 5, int(t) + 1, int(3 * t) + 1, int(12 * t)} - {0}:
            for word in words_near((-k / ball(t)).exp(), 64):
                within = allowed(lambda v: -v.log() * ball(t), word, 64)
                assert_draws(lambda bits, n: exact.geometric(scale, n, bits=bits), word, within)
            for mantissa in words_near((shift - k / ball(t)).exp(), 63) if (shift - k / ball(t)) < 0 else []:
                found = allowed(lambda v: (shift - v.log()) * ball(t), mantissa, 63)
                for sign in (0, 1):
                    signed = {-x if sign else x for x in found}
                    assert_draws(
                        lambda bits, n: exact.discrete_laplace(scale, n, bits=bits), 2 * mantissa + sign, signed
                    )


ROUNDED: dict[str, tuple[Any, Callable[[Any], Any], Callable[[Any], Any], bool]] = {
    "laplace": (exact.rounded_laplace, lambda z: (-z).exp(), lambda v: -v.log(), True),
    "exponential": (exact.rounded_exponential, lambda z: (-z).exp(), lambda v: -v.log(), False),
    "gaussian": (
        exact.rounded_gaussian,
        lambda z: (z / arb(2).sqrt()).erfc(),
        lambda v: v.erfcinv() * arb(2).sqrt(),
        True,
    ),
    "gumbel": (exact.rounded_gumbel, lambda z: (-(-z).exp()).exp(), lambda v: -(-v.log()).log(), False),
}


@pytest.mark.parametrize("name", ROUNDED)
@pytest.mark.parametrize(
    ("scale", "grid", "center"),
    [
        (1, Fraction(1, 4), Fraction(1, 3)),
        (1000, 1, Fraction(123456789, 1000)),
        (1, Fraction(1, 10**6), 7),
        (1e-3, 1e-5, 1e6),
    ],
)
def test_rounded_noise_boundaries(name: str, scale: Any, grid: Any, center: Any) -> None:
    draw, survival, quantile, signed = ROUNDED[name]
    count = 63 if signed else 64
    s, g, c = amount("scale", scale), amount("grid", grid), Fraction(center)  # the center is data: its exact value
    with ctx.workprec(400):
        for z in (Fraction(1, 10), Fraction(7, 10), Fraction(21, 10), Fraction(33, 10)):
            k = int((c + s * z) / g + Fraction(1, 2))
            edge = ((k + Fraction(1, 2)) * g - c) / s  # between the grid points k and k + 1
            for sign in (1, -1) if signed else (1,):
                at = edge if sign == 1 else ((-k - Fraction(1, 2)) * -g + c) / s if c == 0 else edge
                for mantissa in words_near(survival(ball(at)), count):
                    within = allowed(
                        lambda v, sign=sign: (sign * quantile(v) * ball(s) + ball(c)) / ball(g) + ball(Fraction(1, 2)),  # type: ignore[misc]
                        mantissa,
                        count,
                    )
                    word = 2 * mantissa + (sign < 0) if signed else mantissa
                    assert_draws(lambda bits, n: draw(scale, n, center=center, grid=grid, bits=bits), word, within)


@pytest.mark.parametrize("x", [Fraction(1, 7), Fraction(1), Fraction(5, 2), Fraction(40)])
def test_coin_boundaries(x: Fraction) -> None:
    with ctx.workprec(300):
        threshold = int(((-ball(x)).exp() * WORD).floor().unique_fmpz())
    for step in AROUND:
        if step == 0 or not 0 <= threshold + step < WORD:
            continue
        word = threshold + step
        for coin in (
            lambda bits: exact.bernoulli_exp(x, bits=bits),
            lambda bits: bool(exact.bernoulli_exp(x, 2, bits=bits)[0]),
        ):
            assert coin(EdgeBits(word, times=1)) is (step < 0)  # type: ignore[no-untyped-call]
        for p in (Fraction(1, 3), Fraction(2, 7)):
            at = int(p * WORD) + step
            assert exact.bernoulli(p, bits=EdgeBits(at, times=1)) is (step < 0)


class Script(SeededBits):
    """Given words first."""

    def __init__(self, words: list[int]) -> None:
        super().__init__(1)
        self._script = list(words)

    def words(self, n: int) -> Any:
        out = super().words(n)
        taken = self._script[:n]
        out[: len(taken)] = taken
        self._script = self._script[n:]
        return out


@pytest.mark.parametrize("apart", [Fraction(1, 3), Fraction(7, 2), Fraction(1, 1000)])
def test_selection_ties(apart: Fraction) -> None:
    """Two candidates whose reals all but meet: the words decide, not the floats."""
    for first in (2**63 + 12345, 2**62 + 999, 3 * 2**61 + 7, 2**50 + 1):
        with ctx.workprec(400):
            # permute-and-flip: -ln U0 against -ln U1 - x
            other = ball(Fraction(2 * first + 1, 2 * WORD)) * (-ball(apart / 2)).exp()
            for word in words_near(other, 64):
                low = [ball(Fraction(first + 1 - i, WORD)) * (-ball(apart / 2)).exp() for i in (0, 1)]
                certain_one = ball(Fraction(word + 1, WORD)) < low[1]
                certain_zero = ball(Fraction(word, WORD)) > low[0]
                chosen = exact.permute_and_flip([apart, 0], 1, 1, bits=Script([first, word]))
                assert chosen == (1 if certain_one else 0 if certain_zero else chosen)
    with ctx.workprec(400):
        # exponential mechanism: U against 1/(1 + exp(-x))
        boundary = 1 / (1 + (-ball(apart / 2)).exp())
        for word in words_near(boundary, 64):
            certain_zero = ball(Fraction(word + 1, WORD)) < boundary
            certain_one = ball(Fraction(word, WORD)) > boundary
            chosen = exact.exponential_mechanism([apart, 0], 1, 1, bits=EdgeBits(word, times=1))
            assert chosen == (1 if certain_one else 0 if certain_zero else chosen)


# ---- scales beyond one float ------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [2**40, 2**60, 2**200])
def test_wide_and_huge_noise_has_the_continuous_law_and_no_other_scale(scale: int) -> None:
    """At these scales rounding to integers is invisible, so the continuous laws are the test."""
    n, bits = 6000, SeededBits(4)
    samples = {
        "laplace": (exact.discrete_laplace(scale, n, bits=bits), stats.laplace.cdf),
        "geometric": (exact.geometric(scale, n, bits=bits), stats.expon.cdf),
        "gaussian": (exact.discrete_gaussian(scale, n, bits=bits), stats.norm.cdf),
    }
    for sample, cdf in samples.values():
        relative = np.array([float(Fraction(int(k), scale)) for k in sample])
        assert stats.kstest(relative, cdf).pvalue > law.THRESHOLD
        for factor in (0.8, 1.25):
            assert stats.kstest(relative / factor, cdf).pvalue < law.THRESHOLD


def test_wide_laplace_has_no_double_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.exact.exponentials._NARROW", 1)
    sampler = WideLaplace(Fraction(3, 2), 1)
    with ctx.workprec(200):
        p = (-1 / ball(Fraction(3, 2))).exp()
        zero = (1 - p) / (1 + p)
        low, high = (Fraction(str(int((zero * 10**30).floor().unique_fmpz()) + i)) / 10**30 for i in (0, 1))
    for draw in (sampler.one, lambda bits: int(sampler.many(bits, 1)[0])):
        found = output_law(draw, word_bits=1, runs=15_000)
        assert found.unexplored < Fraction(1, 4)
        assert found.agrees(0, low, high)
        doubled = 2 * low / (1 + low)  # what keeping both zeros would give
        assert not found.agrees(0, doubled, doubled)
        assert abs(found.at(1) - found.at(-1)) <= found.unexplored
