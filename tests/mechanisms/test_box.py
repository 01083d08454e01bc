"""Box noise as a mechanism hands it out: its price by its law, and what is said of one coordinate and of sums."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

import statistics_of_samples as samples
from sfumato.accounting import events
from sfumato.core import Norm, Sensitivity
from sfumato.core.neighbours import Neighbours
from sfumato.errors import InvalidParameter
from sfumato.exact.boxes import cube_numbers
from sfumato.mechanisms import BoxNoise
from sfumato.mechanisms import box as module
from sfumato.mechanisms.answers import AnswerMove, Answers
from sources import SeededBits

Vector = tuple[int, ...]
SCALES = [Fraction(1, 10), Fraction(1, 2), Fraction(3), Fraction(40)]


# ---- the price ---------------------------------------------------------------------------------------------


def as_drawn(p: Fraction, d: int, reach: int) -> Callable[[Vector], Fraction]:
    """Pr[z] up to `reach`, from the way it is drawn, for a rational p in place of exp(-1/scale).

    k is i, with weight B(d, i)·pⁱ, plus d + 1 geometric draws; z is uniform on the cube of k. The cubes beyond `reach`
    are summed by Σ pᵏ over k > reach, once each cube is seen to weigh (2k + 1)**d·pᵏ.
    """
    numbers = cube_numbers(d)
    total = sum((b * p**i for i, b in enumerate(numbers)), Fraction(0))

    def radius(k: int) -> Fraction:
        steps = range(min(k, d) + 1)
        return sum(
            (numbers[i] * p**i / total * math.comb(k - i + d, d) * (1 - p) ** (d + 1) * p ** (k - i) for i in steps),
            Fraction(0),
        )

    shares = [radius(k) / (2 * k + 1) ** d for k in range(reach + 1)]
    assert all(here * p == there for here, there in pairwise(shares))
    beyond = shares[-1] * p / (1 - p)
    return lambda z: sum(shares[max(map(abs, z)) :], Fraction(0)) + beyond


def independent(p: Fraction, d: int, reach: int) -> Callable[[Vector], Fraction]:
    """The broken twin: each coordinate with noise of its own, which is made for ℓ1."""
    return lambda z: math.prod(((1 - p) / (1 + p) * p ** abs(c) for c in z), start=Fraction(1))


def keeps_its_price(law: Callable[[Vector], Fraction], p: Fraction, d: int) -> bool:
    """Whether Pr[z] ≤ Pr[z + v]/p**‖v‖∞ for every z and v of a small lattice: e^(‖v‖∞/scale) is p**-‖v‖∞."""
    near = list(product(range(-2, 3), repeat=d))
    chances = {z: law(z) for z in product(range(-4, 5), repeat=d)}
    return all(
        chances[z] * p ** max(map(abs, v)) <= chances[tuple(a + b for a, b in zip(z, v, strict=True))]
        for z in near
        for v in near
    )


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("p", [Fraction(1, 5), Fraction(3, 4)])
def test_a_move_costs_its_largest_coordinate_over_the_scale(p: Fraction, d: int) -> None:
    law = as_drawn(p, d, 6)
    assert keeps_its_price(law, p, d)
    origin = law((0,) * d)
    assert law((1,) * d) == p * origin, "and a move of all coordinates costs no less"


@pytest.mark.parametrize("d", [2, 3])
def test_noise_of_its_own_in_every_coordinate_is_found_to_cost_more(d: int) -> None:
    """The broken twin: ℓ1 counted as ℓ∞."""
    p = Fraction(1, 2)
    assert keeps_its_price(independent(p, 1, 6), p, 1)
    assert not keeps_its_price(independent(p, d, 6), p, d)


def test_the_event_is_pure_with_the_distance_over_the_scale() -> None:
    noise = BoxNoise(Fraction(20), 3)
    assert noise.event_of(Fraction(7)) == noise.hiding(Fraction(7)) == events.Pure(Fraction(7, 20))
    largest = Answers(grid=Fraction(1, 2), dimension=3).move(Sensitivity.linf(5, Neighbours()), Norm.LINF)
    assert noise.event(largest, scalar=False) == events.Pure(Fraction(1, 2))
    assert noise.event(AnswerMove.l1(Fraction(4))) == events.Pure(Fraction(1, 5))
    with pytest.raises(TypeError, match="square"):
        noise.event(AnswerMove.l2(square=Fraction(4)))
    with pytest.raises(InvalidParameter, match="distance"):
        noise.event_of(Fraction(-1))


# ---- draws -------------------------------------------------------------------------------------------------


def test_draws_are_vectors_along_the_last_axis() -> None:
    noise = BoxNoise(Fraction(20), 3)
    assert noise.draw(3, SeededBits(1)).shape == (3,)
    assert noise.draw((3,), SeededBits(1)).shape == (3,)
    assert noise.draw((7, 3), SeededBits(1)).shape == (7, 3)
    for size in (None, 4, (3, 7), ()):
        with pytest.raises(InvalidParameter, match="must end in 3"):
            noise.draw(size, SeededBits(1))
    for bad in (0, 101, 2.5):
        with pytest.raises(InvalidParameter, match="dimension"):
            BoxNoise(Fraction(1), bad)  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="scale"):
        BoxNoise(Fraction(0), 2)


# ---- one coordinate ----------------------------------------------------------------------------------------


def radii(scale: Fraction, d: int) -> tuple[Any, Any]:
    """Half-widths and how likely each is, by the sum itself."""
    k = np.arange(int(float(scale) * (60 + 8 * d)) + 200)
    logs = d * np.log(2.0 * k + 1) - k / float(scale)
    chances = np.exp(logs - logs.max())
    return k, chances / chances.sum()


@pytest.mark.parametrize("d", [1, 2, 3, 8, 30])
@pytest.mark.parametrize("scale", SCALES)
def test_tails_and_variances_are_those_of_the_law(scale: Fraction, d: int) -> None:
    noise, (k, chances) = BoxNoise(scale, d), radii(scale, d)
    assert noise.variance == pytest.approx(float(chances @ (k * (k + 1) / 3)), rel=1e-10)

    def beyond(t: int) -> float:
        return float(chances @ (2 * np.maximum(k - t, 0) / (2 * k + 1)))

    for t in (0, 1, 2, 7, 50):
        assert 2 * noise.tail(t + 1) == pytest.approx(beyond(t), rel=1e-9)
    for beta in (Fraction(9, 10), Fraction(1, 20), Fraction(1, 10**6)):
        reach = noise.reach(beta)
        assert beyond(reach) <= float(beta)
        assert reach == 0 or beyond(reach - 1) > float(beta)


def test_a_reach_for_a_chance_that_no_float_holds_is_found() -> None:
    noise = BoxNoise(Fraction(10), 5)
    far = noise.reach(Fraction(1, 10**400))
    assert 10 * 400 * math.log(10) < far < 10 * (400 * math.log(10) + 5 * math.log(1000))
    assert noise.tail(far + 1) == 0
    assert BoxNoise(Fraction(1, 10**400), 5).reach(Fraction(1, 10**9)) == 0
    assert BoxNoise(Fraction(1, 10**400), 5).variance == 0


@pytest.mark.parametrize("d", [1, 5, 30, 100])
def test_wide_noise_spreads_as_its_limit(d: int) -> None:
    noise = BoxNoise(Fraction(2**60), d)
    assert noise.variance == pytest.approx(2.0**120 * (d + 1) * (d + 2) / 3, rel=1e-12)
    one = [1.0] + [0.0] * (d - 1)
    for beta in (Fraction(1, 2), Fraction(1, 20), Fraction(1, 10**5)):
        assert noise.reach(beta) == pytest.approx(noise.weighted_reach(one, beta), rel=1e-5)


# ---- weighted sums -----------------------------------------------------------------------------------------

PLACES = [0.003, 0.02, 0.1, 0.5, 1.0, 2.0, 5.0, 12.0]


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(700)])
@pytest.mark.parametrize("x", PLACES)
def test_sums_of_one_and_two_have_their_closed_forms(x: float, scale: Fraction) -> None:
    """One coordinate alone is Laplace; of two, z₁ ± z₂ are Laplace of twice the scale, since a turned square is ℓ1's."""
    s = float(scale)
    one, two = BoxNoise(scale, 1), BoxNoise(scale, 2)
    assert one.weighted_tail([-2], 2 * x * s) == pytest.approx(math.exp(-x), abs=1e-6)
    for signs in ([1, 1], [-3, 3]):
        assert two.weighted_tail(signs, abs(signs[0]) * x * s) == pytest.approx(math.exp(-x / 2), abs=1e-6)
    assert two.weighted_tail([0, 1], x * s) == pytest.approx((1 + x / 2) * math.exp(-x), abs=1e-6)


def weighings(d: int) -> dict[str, list[float]]:
    generator = np.random.default_rng(d)
    return {
        "equal": [1.0] * d,
        "any": (generator.random(d) - 0.4).tolist(),
        "one": [1.0] + [1e-3] * (d - 1),
        "two": [1.0, -0.9] + [1e-4] * (d - 2),
        "few": [1.0, 0.37] + [0.0] * (d - 2),
    }


@pytest.mark.parametrize("kind", ["equal", "any", "one", "two", "few"])
@pytest.mark.parametrize("d", [2, 3, 5, 30])
def test_many_more_cells_would_say_the_same(d: int, kind: str) -> None:
    _, shares = BoxNoise(Fraction(1), d)._shares(weighings(d)[kind])
    fine = module._weighted_law(shares, 2**16)
    for x in np.geomspace(8 * (d + 1) / 2**16, 60, 30):
        assert module._beyond(shares, float(x)) == pytest.approx(fine.beyond(float(x)), abs=5e-7)


@pytest.mark.parametrize("kind", ["equal", "any", "few"])
@pytest.mark.parametrize("d", [2, 5, 12])
def test_sums_of_drawn_noise_are_beyond_their_reach_as_often_as_said(d: int, kind: str) -> None:
    weights, n = weighings(d)[kind], 40_000
    noise = BoxNoise(Fraction(5000), d)
    sums = np.abs(noise.draw((n, d), SeededBits(d)) @ np.array(weights))
    for beta in (Fraction(1, 2), Fraction(1, 20)):
        reach = noise.weighted_reach(weights, beta)
        outside = int((sums > reach).sum())
        assert samples.binomial(outside, n, float(beta)) > samples.THRESHOLD
        for factor in (0.9, 1.1):
            assert samples.binomial(int((sums > factor * reach).sum()), n, float(beta)) < samples.THRESHOLD


@pytest.mark.parametrize("beta", [1e-6, 1e-3, 0.05, 0.5, 0.99])
@pytest.mark.parametrize("d", [1, 2, 5, 30])
def test_a_reach_is_where_the_tail_is_beta_and_not_below_it(d: int, beta: float) -> None:
    noise, weights = BoxNoise(Fraction(9), d), ([3.0, -1.0] * 15)[:d]
    reach = noise.weighted_reach(weights, beta)
    assert beta * (1 - 3e-6) <= noise.weighted_tail(weights, reach) < beta
    assert noise.weighted_reach([-10 * w for w in reversed(weights)], beta) == pytest.approx(10 * reach, rel=1e-12)


def test_sums_without_weight_and_odd_weights() -> None:
    noise = BoxNoise(Fraction(9), 2)
    assert noise.weighted_tail([0, 0], 1.0) == noise.weighted_reach([0, 0], 0.05) == 0
    assert noise.weighted_tail([1, 0], 0.0) == 1
    assert noise.weighted_tail([1, 0], math.inf) == 0
    for bad in ([1], [1, 2, 3], [1, math.nan], [math.inf, 1]):
        with pytest.raises(InvalidParameter, match="weights"):
            noise.weighted_tail(bad, 1.0)
    for beta in (0, 1, 1e-7):
        with pytest.raises(InvalidParameter, match="beta"):
            noise.weighted_reach([1, 1], beta)
