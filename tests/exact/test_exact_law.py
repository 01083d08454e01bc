"""The samplers' laws as rationals: every branch of the bit source followed, no sampling error left."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from sfumato import exact
from sfumato.exact.exponentials import FloorExponential, WideGeometric
from sfumato.exact.law import Law, output_law
from sfumato.exact.normals import DiscreteGaussianSampler
from sfumato.exact.rounding import _bounds

pytestmark = pytest.mark.slow
PRECISION = 400
TINY = Fraction(1, 10**9)


def followed(runs: int, unexplored: str, *, long: str) -> pytest.MarkDecorator:
    """How many runs a law is followed for and how much may be left open then; in the long form, 30 000 runs and less."""
    at_length = pytest.param(30_000, Fraction(long), marks=pytest.mark.torture)
    return pytest.mark.parametrize(("runs", "unexplored"), [(runs, Fraction(unexplored)), at_length])


def enclosed(value: Callable[[], Any]) -> tuple[Fraction, Fraction]:
    with ctx.workprec(PRECISION):
        return _bounds(value())


def ball(x: Fraction) -> Any:
    return arb(fmpq(x.numerator, x.denominator))


def laplace_pmf(scale: Fraction, k: int) -> Any:
    p = (-1 / ball(scale)).exp()
    return (1 - p) / (1 + p) * (-abs(k) / ball(scale)).exp()


def geometric_pmf(scale: Fraction, k: int) -> Any:
    return (1 - (-1 / ball(scale)).exp()) * (-k / ball(scale)).exp()


def gaussian_pmf(sigma: Fraction, k: int) -> Any:
    total = sum((-(arb(j) ** 2) / (2 * ball(sigma) ** 2)).exp() for j in range(-60, 61))
    tail = arb(0, "1e-100")
    return (-(arb(k) ** 2) / (2 * ball(sigma) ** 2)).exp() / (total + tail)


def only(draw: Any) -> Any:
    """One draw, whether it came alone or in an array."""
    return draw if not isinstance(draw, np.ndarray) else draw.item()


def assert_is(found: Law[Any], pmf: Callable[[int], Any], ks: range) -> None:
    for k in ks:
        assert found.agrees(k, *enclosed(lambda k=k: pmf(k))), k  # type: ignore[misc]


SCALES = [Fraction(1, 2), Fraction(1), Fraction(22, 7)]


@pytest.mark.parametrize("form", ["one", "array"])
@pytest.mark.parametrize("word_bits", [2, 3, 8])
@pytest.mark.parametrize("scale", SCALES)
def test_discrete_laplace(scale: Fraction, word_bits: int, form: str) -> None:
    size = None if form == "one" else 1
    found = output_law(
        lambda bits: only(exact.discrete_laplace(scale, size, bits=bits)), word_bits=word_bits, runs=8_000
    )
    assert found.unexplored < (Fraction(1, 10**9) if word_bits < 8 else Fraction(1, 500))
    assert_is(found, lambda k: laplace_pmf(scale, k), range(-6, 7))


@pytest.mark.parametrize("wrong", [Fraction(1) + Fraction(1, 10**9), Fraction(1) - Fraction(1, 10**9)])
def test_a_scale_off_by_one_in_a_billion_is_convicted(wrong: Fraction) -> None:
    found = output_law(lambda bits: exact.discrete_laplace(wrong, bits=bits), word_bits=2, runs=8_000)
    assert not found.agrees(0, *enclosed(lambda: laplace_pmf(Fraction(1), 0)))


def test_a_straddle_ignored_is_convicted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin: the float path trusted where it cannot know."""
    sampler = FloorExponential(Fraction(1), 8, signed=True)
    sampler._guard, sampler._doubt = 0, 1.0
    found = output_law(sampler.one, word_bits=8, runs=2_000)
    assert found.unexplored == 0
    assert not found.agrees(0, *enclosed(lambda: laplace_pmf(Fraction(1), 0)))


@pytest.mark.parametrize("word_bits", [1, 3])
@pytest.mark.parametrize("scale", SCALES)
def test_geometric(scale: Fraction, word_bits: int) -> None:
    found = output_law(lambda bits: exact.geometric(scale, bits=bits), word_bits=word_bits, runs=8_000)
    assert found.unexplored < Fraction(1, 10**11)
    assert_is(found, lambda k: geometric_pmf(scale, k), range(7))


@followed(8_000, "1/8", long="1/15")
def test_wide_geometric_decomposition(runs: int, unexplored: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    """The path for large scales, with its own threshold lowered so that the law can be enumerated."""
    monkeypatch.setattr("sfumato.exact.exponentials._NARROW", 1)
    scale = Fraction(7, 2)
    sampler = WideGeometric(scale, 1)
    assert sampler._shift == 2
    for draw in (sampler.one, lambda bits: int(sampler.many(bits, 1)[0])):
        found = output_law(draw, word_bits=1, runs=runs)
        assert found.unexplored < unexplored
        assert_is(found, lambda k: geometric_pmf(scale, k), range(9))


@followed(8_000, "1/300", long="1/10000")
@pytest.mark.parametrize("sigma", [Fraction(1, 2), Fraction(1), Fraction(17, 5)])
def test_discrete_gaussian_proposal(sigma: Fraction, runs: int, unexplored: Fraction) -> None:
    """One proposal's law, conditioned on being kept, is the law of the sampler that repeats it."""
    found = output_law(DiscreteGaussianSampler(sigma, 2).attempt, word_bits=2, runs=runs)
    kept = 1 - found.at(None)
    for k in range(-4, 5):
        low, high = enclosed(lambda k=k: gaussian_pmf(sigma, k))  # type: ignore[misc]
        assert found.at(k) / (kept + found.unexplored) <= high, k
        assert low <= (found.at(k) + found.unexplored) / (kept - found.unexplored), k
    assert found.unexplored < unexplored


@followed(8_000, "1/6", long="1/8")
@pytest.mark.parametrize("form", ["one", "array"])
def test_discrete_gaussian_whole(form: str, runs: int, unexplored: Fraction) -> None:
    size = None if form == "one" else 1
    found = output_law(lambda bits: only(exact.discrete_gaussian(1, size, bits=bits)), word_bits=1, runs=runs)
    assert found.unexplored < unexplored
    assert_is(found, lambda k: gaussian_pmf(Fraction(1), k), range(-4, 5))
    assert not found.agrees(0, *enclosed(lambda: gaussian_pmf(Fraction(2), 0)))


@pytest.mark.parametrize("word_bits", [1, 4, 8])
@pytest.mark.parametrize("p", [Fraction(1, 3), Fraction(5, 8), Fraction(1, 2**20 + 1)])
def test_bernoulli(p: Fraction, word_bits: int) -> None:
    for size in (None, 1):
        found = output_law(
            lambda bits, size=size: only(exact.bernoulli(p, size, bits=bits)),  # type: ignore[misc]
            word_bits=word_bits,
            runs=4_000,
        )
        assert found.unexplored < Fraction(1, 10**6)
        assert found.agrees(True, p, p)


@pytest.mark.parametrize("word_bits", [1, 4, 8])
@pytest.mark.parametrize("x", [Fraction(0), Fraction(1, 10), Fraction(1), Fraction(9)])
def test_bernoulli_exp(x: Fraction, word_bits: int) -> None:
    for size in (None, 1):
        found = output_law(
            lambda bits, size=size: only(exact.bernoulli_exp(x, size, bits=bits)),  # type: ignore[misc]
            word_bits=word_bits,
            runs=4_000,
        )
        assert found.unexplored < Fraction(1, 10**6)
        assert found.agrees(True, *enclosed(lambda: (-ball(x)).exp()))


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 13])
def test_integers(n: int) -> None:
    for size in (None, 1):
        found = output_law(lambda bits, size=size: only(exact.integers(n, size, bits=bits)), word_bits=2, runs=20_000)  # type: ignore[misc]
        assert found.unexplored < Fraction(1, 50)
        for k in range(n):
            assert found.agrees(k, Fraction(1, n), Fraction(1, n))
        assert set(found.probabilities) == set(range(n))


def test_permutation_and_choice() -> None:
    orders = output_law(lambda bits: tuple(exact.permutation(3, bits=bits).tolist()), word_bits=4, runs=8_000)
    pairs = output_law(lambda bits: tuple(exact.choice(9, 2, bits=bits).tolist()), word_bits=4, runs=8_000)
    for found, outcomes in ((orders, 6), (pairs, 72)):
        assert found.unexplored < Fraction(1, 2)
        assert len(found.probabilities) == outcomes
        assert all(found.agrees(way, *2 * [Fraction(1, outcomes)]) for way in found.probabilities)
    assert not orders.agrees((0, 1, 2), Fraction(1, 24), Fraction(1, 24))


@followed(8_000, "2/7", long="1/4")
@pytest.mark.parametrize("form", ["one", "array"])
def test_censored_and_truncated(form: str, runs: int, unexplored: Fraction) -> None:
    size = None if form == "one" else 1
    scale, bound = Fraction(2), 2
    censored = output_law(
        lambda bits: only(exact.censored_discrete_laplace(scale, bound, size, bits=bits)),
        word_bits=1,
        runs=4_000,
    )
    tdgeo = Fraction(1, 2)  # the proof of Survey Theorem 9.6: Pr[±B] = e^{-εB}/(1 + e^{-ε}) at the ends
    assert censored.agrees(bound, *enclosed(lambda: (-ball(tdgeo) * bound).exp() / (1 + (-ball(tdgeo)).exp())))
    assert censored.agrees(0, *enclosed(lambda: laplace_pmf(scale, 0)))
    assert censored.unexplored < TINY
    truncated = output_law(
        lambda bits: only(exact.truncated_discrete_laplace(scale, bound, size, bits=bits)),
        word_bits=1,
        runs=runs,
    )
    assert truncated.unexplored < unexplored
    weights = [(-abs(k) / ball(scale)).exp() for k in range(-bound, bound + 1)]
    for k in range(-bound, bound + 1):
        assert truncated.agrees(k, *enclosed(lambda k=k: weights[k + bound] / sum(weights)))  # type: ignore[misc]


def test_rounded_laplace_on_a_grid() -> None:
    scale, center, grid = Fraction(3, 2), Fraction(1, 3), Fraction(1, 2)

    def cdf(x: Fraction) -> Any:
        tail = (-abs(ball(x)) / ball(scale)).exp() / 2
        return tail if x < 0 else 1 - tail

    found = output_law(
        lambda bits: exact.rounded_laplace(scale, center=center, grid=grid, bits=bits),
        word_bits=1,
        runs=4_000,
    )
    assert found.unexplored < Fraction(1, 10**7)
    for k in range(-4, 6):
        low, high = (k * grid - center + side * grid / 2 for side in (-1, 1))
        assert found.agrees(k, *enclosed(lambda low=low, high=high: cdf(high) - cdf(low)))  # type: ignore[misc]
