"""Box noise against its exact law: how the cube is chosen followed bit by bit, whole vectors by their counts."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq

import statistics_of_samples as samples
from sfumato import exact
from sfumato.errors import InvalidParameter
from sfumato.exact.bits import BitSource
from sfumato.exact.boxes import BoxSampler, _below, _Start, cube_numbers
from sfumato.exact.law import Law, output_law
from sfumato.exact.rounding import _bounds
from sources import EdgeBits, SeededBits

pytestmark = pytest.mark.slow
HALF, ONE = Fraction(1, 2), Fraction(1)


def enclosed(value: Callable[[], Any]) -> tuple[Fraction, Fraction]:
    with ctx.workprec(400):
        return _bounds(value())


def ratio(scale: Fraction) -> Any:
    return (-1 / arb(fmpq(scale.numerator, scale.denominator))).exp()


def radius_pmf(scale: Fraction, d: int, k: int) -> Any:
    """Pr[k] ∝ (2k + 1)**d·p**k, by the sum itself; what is left out of it is below 1e-100."""
    p = ratio(scale)
    return (2 * k + 1) ** d * p**k / (sum((2 * j + 1) ** d * p**j for j in range(900)) + arb(0, "1e-100"))


def start_pmf(scale: Fraction, d: int, i: int) -> Any:
    p = ratio(scale)
    return cube_numbers(d)[i] * p**i / sum(number * p**j for j, number in enumerate(cube_numbers(d)))


def agrees(found: Law[int], pmf: Callable[[int], Any], values: range) -> bool:
    return all(found.agrees(k, *enclosed(lambda k=k: pmf(k))) for k in values)  # type: ignore[misc]


@pytest.mark.parametrize("d", range(13))
def test_powers_of_odd_numbers_are_sums_of_eulerian_numbers_of_type_b(d: int) -> None:
    numbers = cube_numbers(d)
    assert min(numbers) >= 1
    assert numbers == numbers[::-1]
    assert sum(numbers) == 2**d * math.factorial(d)
    for k in range(40):
        assert (2 * k + 1) ** d == sum(b * math.comb(k + d - i, d) for i, b in enumerate(numbers))


@pytest.mark.parametrize("word_bits", [1, 2, 8])
@pytest.mark.parametrize(("scale", "d"), [(HALF, 1), (ONE, 2), (Fraction(22, 7), 3), (Fraction(1, 5), 4)])
def test_where_the_cube_starts_has_its_law(scale: Fraction, d: int, word_bits: int) -> None:
    start = _Start(scale, d, word_bits)
    found = output_law(lambda bits: int(start.many(bits, 1)[0]), word_bits=word_bits, runs=300)
    assert found.unexplored < Fraction(1, 10 if word_bits == 8 else 10**9)
    assert agrees(found, lambda i: start_pmf(scale, d, i), range(d + 1))


def radii_law(sampler: BoxSampler) -> Law[int]:
    """The law of the half-width; one dimension is two geometric draws already, and as far as bits can be followed."""
    return output_law(lambda bits: int(sampler.radii(bits, 1)[0]), word_bits=1, runs=2_000)


@pytest.mark.parametrize("scale", [HALF, Fraction(1, 3)])
def test_the_half_width_of_the_cube_has_its_law(scale: Fraction) -> None:
    found = radii_law(BoxSampler(scale, 1, 1))
    assert found.unexplored < Fraction(1, 10)
    assert agrees(found, lambda k: radius_pmf(scale, 1, k), range(8))


def test_a_start_drawn_without_its_share_would_be_convicted() -> None:
    """The broken twin that takes i in proportion to B(d, i) and forgets exp(-i/t)."""
    twin = BoxSampler(HALF, 1, 1)
    twin._start = _Start(Fraction(10**9), 1, 1)
    assert not agrees(radii_law(twin), lambda k: radius_pmf(HALF, 1, k), range(3))


def test_one_geometric_draw_too_few_would_be_convicted() -> None:
    """The broken twin that draws d geometric numbers and not d + 1: the norm alone, without the cube around it."""

    class Short(BoxSampler):
        def radii(self, bits: BitSource, n: int) -> Any:
            return self._start.many(bits, n) + self._geometric.many(bits, n)

    assert not agrees(radii_law(Short(HALF, 1, 1)), lambda k: radius_pmf(HALF, 1, k), range(3))


@pytest.mark.parametrize("word_bits", [1, 2, 3, 8])
@pytest.mark.parametrize("bound", [1, 2, 3, 5, 8, 9])
def test_uniform_draws_below_a_bound_are_uniform(bound: int, word_bits: int) -> None:
    bounds = np.array([bound, 9], dtype=np.int64)
    found = output_law(lambda bits: int(_below(bounds[:1], bits)[0]), word_bits=word_bits, runs=1_000)
    assert all(found.agrees(k, Fraction(1, bound), Fraction(1, bound)) for k in range(bound))
    assert found.unexplored < Fraction(1, 4)
    pair = output_law(lambda bits: tuple(_below(bounds, bits).tolist()), word_bits=word_bits, runs=4_000)
    assert all(pair.agrees((a, b), *2 * (Fraction(1, 9 * bound),)) for a in range(bound) for b in range(9))


def test_bounds_of_all_64_bits_are_drawn_below() -> None:
    bounds = np.array([1, 2**62 + 1, 2**63 - 1] * 2000, dtype=np.int64)
    drawn = _below(bounds, SeededBits(5)).reshape(-1, 3)
    assert (drawn >= 0).all()
    assert (drawn < bounds.reshape(-1, 3)).all()
    assert samples.binomial(int((drawn[:, 1] >= 2**61).sum()), 2000, 0.5) > samples.THRESHOLD
    assert samples.binomial(int((drawn[:, 2] >= 3 * 2**61).sum()), 2000, 0.25) > samples.THRESHOLD


# ---- whole vectors -----------------------------------------------------------------------------------------


def norm_pmf(scale: float, d: int) -> samples.Pmf:
    """((2r + 1)**d - (2r - 1)**d)·exp(-r/scale): the vectors of each norm, counted."""
    reach = int(60 * scale) * (d + 1) + 60
    weights = [((2 * r + 1) ** d - (2 * r - 1) ** d * (r > 0)) * math.exp(-r / scale) for r in range(reach)]
    total = math.fsum(weights)
    return lambda r: weights[r] / total if 0 <= r < reach else 0.0


def pair_pmf(scale: float, reach: int) -> samples.Pmf:
    """Pairs with both numbers within `reach`, by their place in a square; all others are beyond it."""
    norms, side = norm_pmf(scale, 2), 2 * reach + 1
    shells = [norms(r) / max(1, (2 * r + 1) ** 2 - (2 * r - 1) ** 2 * (r > 0)) for r in range(reach + 1)]

    def pmf(place: int) -> float:
        if not 0 <= place < side * side:
            return 0.0
        return shells[max(abs(place // side - reach), abs(place % side - reach))]

    return pmf


def places(pairs: Any, reach: int) -> Any:
    side = 2 * reach + 1
    inside = np.abs(pairs).max(axis=1) <= reach
    return np.where(inside, (pairs[:, 0] + reach) * side + pairs[:, 1] + reach, side * side)


@pytest.mark.parametrize("word_bits", [8, 64])
@pytest.mark.parametrize(("scale", "d"), [(0.4, 2), (1.0, 2), (2.5, 3), (0.1, 30), (4.0, 6)])
def test_norms_have_their_law_and_no_other_scale(scale: float, d: int, word_bits: int) -> None:
    n = 60_000 if word_bits == 64 else 10_000
    sample = np.abs(exact.box_noise(scale, d, n, bits=SeededBits(11, word_bits))).max(axis=1)
    reach = int(4 * scale * (d + 8)) + 4
    assert samples.chi_square(sample, norm_pmf(scale, d), reach=reach) > samples.THRESHOLD
    for factor in (0.85, 1.15, *((1 / d, d) if d < 10 else ())):  # and a scale that is off by the dimension
        assert samples.chi_square(sample, norm_pmf(scale * factor, d), reach=reach) < samples.THRESHOLD


@pytest.mark.parametrize("scale", [0.6, 1.5])
def test_pairs_have_their_joint_law_and_pairs_of_independent_noise_would_be_noticed(scale: float) -> None:
    """The broken twins: ℓ1 noise of the same scale, of a scale with the same variance, and signs that agree."""
    n, reach = 200_000, 6
    law, side = pair_pmf(scale, reach), (2 * reach + 1) ** 2
    good = exact.box_noise(scale, 2, n, bits=SeededBits(12))
    assert samples.chi_square(places(good, reach), law, reach=side) > samples.THRESHOLD
    spread = math.sqrt(float((good**2).mean()) / 2)
    for twin in (
        exact.discrete_laplace(scale, (n, 2), bits=SeededBits(13)),
        exact.discrete_laplace(spread, (n, 2), bits=SeededBits(14)),
        np.abs(good) * np.sign(good[:, :1] + 0.5).astype(np.int64),
    ):
        assert samples.chi_square(places(twin, reach), law, reach=side) < samples.THRESHOLD


def test_one_dimension_is_discrete_laplace_noise() -> None:
    sample = exact.box_noise(3, 1, 100_000, bits=SeededBits(15))[:, 0]
    assert samples.chi_square(sample, samples.discrete_laplace(3.0), reach=40) > samples.THRESHOLD
    assert samples.chi_square(sample, samples.discrete_laplace(3.3), reach=40) < samples.THRESHOLD


@pytest.mark.parametrize("scale", [2**30, 2**51, 2**60, Fraction(2) ** 200])
def test_wide_noise_has_the_moments_of_its_limit(scale: int | Fraction) -> None:
    """‖z‖∞/s is of the Gamma law of shape d, and the rest of a vector is uniform within it."""
    d, n = 4, 400 if scale > 2**52 else 40_000
    drawn = exact.box_noise(scale, d, n, bits=SeededBits(16))
    assert (drawn.dtype == np.object_) == (scale > 2**52)
    real = np.array([[float(Fraction(int(z)) / Fraction(scale)) for z in row] for row in drawn])
    from scipy import stats

    norms = np.abs(real).max(axis=1)
    assert stats.kstest(norms, stats.gamma(d).cdf).pvalue > samples.THRESHOLD
    assert stats.kstest(norms, stats.gamma(d + 1).cdf).pvalue < samples.THRESHOLD
    inner = np.sort(np.abs(real), axis=1)[:, :-1] / norms[:, None]
    shares = np.random.default_rng(17).permuted(inner, axis=1)[:, 0]
    assert stats.kstest(shares, stats.uniform.cdf).pvalue > samples.THRESHOLD


def test_scales_from_the_least_to_the_largest_are_drawn() -> None:
    for scale in (Fraction(1, 10**400), 1e-6, 0.1):
        assert np.abs(exact.box_noise(scale, 100, 5)).max() <= (100 if scale == 0.1 else 0)
    for value in (0, 2**64 - 1, 2**63):
        assert exact.box_noise(3, 5, 4, bits=EdgeBits(value)).shape == (4, 5)
    assert exact.box_noise(2, 3).shape == (3,)
    assert exact.box_noise(2, 3, 0).shape == (0, 3)
    assert exact.box_noise(2, 3, (4, 5)).shape == (4, 5, 3)


@pytest.mark.parametrize("bad", [0, -1, 101, 1.5, None, True])
def test_bad_dimensions_are_refused(bad: Any) -> None:
    with pytest.raises(InvalidParameter, match="dimension"):
        exact.box_noise(1, bad)


@pytest.mark.parametrize("bad", [0, -1, math.nan, "much", None, [1], 2**1001])
def test_bad_scales_are_refused(bad: Any) -> None:
    with pytest.raises(InvalidParameter, match="scale"):
        exact.box_noise(bad, 2)
