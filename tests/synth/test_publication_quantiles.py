"""CDFs and quantiles of published ranges: right without noise, bars that hold, and the nearer of two estimates."""

from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
import pytest
from scipy import stats

from sfumato.mechanisms.discrete_gaussian import DiscreteGaussianNoise
from sfumato.mechanisms.gaussian import GaussianNoise
from sfumato.synth import RangeTree
from sfumato.synth.publication.noises import DISCRETE_NORMAL, GEOMETRIC, NORMAL, NoiseKind
from sfumato.synth.publication.parts import Offer
from sfumato.synth.publication.range_answers import _Shares, cumulative, quantile_of
from sfumato.synth.publication.range_levels import MeasuredRanges, PricedRanges, RangeLevels
from sources import SeededBits

SURE, HALF = Fraction(95, 100), Fraction(1, 2)


def priced(bins: int, branching: int, noise: NoiseKind = GEOMETRIC, amount: Any = 1) -> PricedRanges:
    part = RangeLevels("age", branching, Fraction(1))
    return part.price(Offer(Fraction(amount), noise, 4, 2, {("age",): (bins,)}))


def measured(of: PricedRanges, counts: Any, seed: int) -> MeasuredRanges:
    drawn = of.measure({("age",): np.asarray(counts) << 2}, SeededBits(seed))
    return RangeLevels.opened(of.to_json(), drawn)


def first_with(counts: Any, q: Fraction) -> int:
    """The quantile by its definition."""
    return next(v for v in range(len(counts)) if sum(counts[: v + 1]) >= q * sum(counts))


@pytest.mark.parametrize(("bins", "branching"), [(1, 2), (5, 2), (16, 4), (23, 3)])
def test_with_hardly_any_noise_both_are_the_truth(bins: int, branching: int) -> None:
    counts = (np.arange(bins) * 7) % 5 + 3
    made = measured(priced(bins, branching, amount=10**6), counts, 1)
    assert [each.value for each in cumulative(made, bins, SURE)] == pytest.approx(np.cumsum(counts), abs=1e-6)
    for q in (Fraction(1, 10), Fraction(1, 3), Fraction(9, 10)):
        truth = first_with(counts, q)
        place, low, high = quantile_of(made, bins, q, SURE)
        assert low <= truth <= high
        assert abs(place - truth) <= 1


@pytest.mark.parametrize("noise", [GEOMETRIC, DISCRETE_NORMAL, NORMAL], ids=lambda each: each.name)
def test_bars_hold_as_often_as_they_say_and_half_of_them_would_not(noise: NoiseKind) -> None:
    """80 releases of 27 bins at 80 %: every prefix, and three quantiles; p = 1e-9."""
    bins, runs, sure = 27, 80, Fraction(4, 5)
    counts = np.array([5, 90, 40, 0, 0, 300, 20, 10, 8] * 3)
    of, truth = priced(bins, 3, noise, amount=Fraction(1, 2)), np.cumsum(counts)
    orders = (Fraction(1, 4), HALF, Fraction(9, 10))
    misses, halves, out = np.zeros(bins), 0, dict.fromkeys(orders, 0)
    for seed in range(runs):
        made = measured(of, counts, seed)
        for at, each in enumerate(cumulative(made, bins, sure)):
            assert each.high is not None
            off = abs(each.value - truth[at])
            misses[at] += off > each.high - each.value
            halves += off > (each.high - each.value) / 3
        for q in orders:
            _, low, high = quantile_of(made, bins, q, sure)
            out[q] += not low <= first_with(counts, q) <= high
    most = stats.binom.isf(1e-9, runs, 0.2)
    assert misses.max() <= most
    assert max(out.values()) <= most
    assert halves > stats.binom.isf(1e-9, runs, 0.2) * bins, "a third of each bar would not hold"


def test_the_estimate_with_the_narrower_bar_is_taken_and_least_squares_is_nearer_for_long_prefixes() -> None:
    bins, branching = 64, 2
    made = measured(priced(bins, branching), np.full(bins, 50), 3)
    shares = _Shares(made, bins, Fraction(0), Fraction(1, 20))
    taken = [shares.at(place) for place in range(bins)]
    summed = [shares._of_nodes(place) for place in range(bins)]
    fitted = [shares._of_all_levels(place) for place in range(bins)]
    for one, two, three in zip(taken, summed, fitted, strict=True):
        assert three is not None
        assert one.off == min(two.off, three.off)
        assert three.error <= two.error * (1 + 1e-9), "least squares has the least variance of all"
    assert sum(one == two for one, two in zip(taken, fitted, strict=True)) > 5
    assert sum(one == two for one, two in zip(taken, summed, strict=True)) > 5
    normal = measured(priced(bins, branching, NORMAL), np.full(bins, 50), 3)
    assert isinstance(normal.noise, GaussianNoise)
    assert _Shares(normal, bins, Fraction(0), Fraction(1, 20))._of_all_levels(40) is None


def test_the_variance_of_a_share_is_that_of_its_coefficients() -> None:
    """Least squares is linear: its coefficients are what it makes of single measurements, and none is above one."""
    bins, branching, q = 11, 3, Fraction(1, 3)
    tree = RangeTree(bins, branching)
    noise = DiscreteGaussianNoise(Fraction(5))
    nodes, coefficients = sum(tree.sizes), np.zeros((bins, sum(tree.sizes)))
    for node in range(nodes):
        flat = np.zeros(nodes, dtype=np.int64)
        flat[node] = 1 << 20
        levels = tuple(np.split(flat, np.cumsum(tree.sizes)[:-1]))
        shares = _Shares(MeasuredRanges("age", branching, levels, noise, 20), bins, q, Fraction(1, 20))
        for place in range(bins):
            found = shares._of_all_levels(place)
            assert found is not None
            coefficients[place, node] = found.value
    assert np.abs(coefficients).max() <= 1 + 1e-9
    for place in range(bins):
        found = shares._of_all_levels(place)
        assert found is not None
        assert found.error * 2**20 == pytest.approx(sqrt((coefficients[place] ** 2).sum() * noise.variance), rel=1e-6)


def test_a_twin_that_forgets_the_rows_beyond_has_quantile_bars_that_do_not_hold() -> None:
    """The number of all rows is noisy, too: a bar of the prefix alone against q times a noisy total is too narrow."""
    bins, q, sure, runs = 16, Fraction(9, 10), Fraction(4, 5), 150
    counts = np.full(bins, 200)
    of, twin = priced(bins, 2, amount=Fraction(1, 4)), 0
    ours = 0
    for seed in range(runs):
        made = measured(of, counts, seed)
        exact = _Shares(made, bins, q, 1 - sure)
        of_prefix = _Shares(made, bins, Fraction(0), 1 - sure)
        truth = sum(counts[:9]) - float(q) * sum(counts)
        found, alone = exact.at(8), of_prefix.at(0)
        ours += abs(found.value - truth) > found.off
        twin += abs(found.value - truth) > alone.off * float(1 - q)
    most = stats.binom.isf(1e-9, runs, 0.2)
    assert ours <= most < twin
