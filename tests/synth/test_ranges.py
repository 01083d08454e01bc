"""Ranges: least squares over the tree, exact variances, cumulative counts and quantiles, the best branching."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sfumato.core import Change, Neighbours
from sfumato.errors import InvalidParameter
from sfumato.mechanisms import DiscreteGaussianNoise, GeometricNoise
from sfumato.synth import Ranges, RangeTree, best_branching
from sfumato.synth.ranges import _Precision

SHAPES = [(1, 2), (2, 2), (5, 2), (10, 4), (13, 3), (30, 5), (17, 16)]


def design(tree: RangeTree) -> list[Any]:
    """What each level measures, as rows over the bins."""
    last = len(tree.sizes) - 1
    return [
        (np.arange(tree.bins) // tree.branching ** (last - depth) == np.arange(size)[:, None]).astype(float)
        for depth, size in enumerate(tree.sizes)
    ]


def widths(tree: RangeTree) -> list[float]:
    """Another variance at each level."""
    return [5.0 / (1 + depth) for depth in range(len(tree.sizes))]


@pytest.mark.parametrize(("bins", "branching"), SHAPES)
def test_consistent_counts_are_weighted_least_squares(bins: int, branching: int) -> None:
    tree = RangeTree(bins=bins, branching=branching)
    rows = design(tree)
    weights = np.concatenate([np.full(len(level), 1 / v) for level, v in zip(rows, widths(tree), strict=True)])
    every = np.vstack(rows)
    measured = np.random.default_rng(bins).normal(0, 4, len(every))
    root = np.sqrt(weights)
    expected = np.linalg.lstsq(every * root[:, None], measured * root, rcond=None)[0]
    parts = np.split(measured, np.cumsum(tree.sizes)[:-1])
    levels = _Precision.of(tree, widths(tree)).consistent(parts)
    assert levels[-1] == pytest.approx(expected)
    for level, row in zip(levels, rows, strict=True):
        assert level == pytest.approx(row @ levels[-1]), "levels agree with each other"


@pytest.mark.parametrize(("bins", "branching"), SHAPES)
def test_the_variance_of_every_range_is_that_of_the_normal_equations(bins: int, branching: int) -> None:
    tree = RangeTree(bins=bins, branching=branching)
    information = sum(row.T @ row / v for row, v in zip(design(tree), widths(tree), strict=True))
    covariance = np.linalg.inv(information)
    first, last = (index.astype(np.int64) for index in np.triu_indices(bins))
    chosen = ((np.arange(bins) >= first[:, None]) & (np.arange(bins) <= last[:, None])).astype(float)
    expected = np.einsum("ri,ij,rj->r", chosen, covariance, chosen)
    assert _Precision.of(tree, widths(tree)).variances(first, last) == pytest.approx(expected)


def test_errors_of_releases_have_the_standard_errors_that_are_stated() -> None:
    made = Ranges.pure(tree=RangeTree(bins=30, branching=4), epsilon=1)
    counts = np.arange(30) * 3
    runs = 800
    released = [made.release(counts) for _ in range(runs)]
    for start, stop in ((0, 30), (3, 4), (5, 22), (0, 17)):
        answers = [each.count(start, stop) for each in released]
        errors = np.array([answer.value for answer in answers]) - counts[start:stop].sum()
        stated = answers[0].standard_error
        assert stated == pytest.approx(made.standard_error(start, stop))
        squares = errors**2
        assert abs(errors.mean()) < 6 * stated / math.sqrt(runs), "unbiased"
        assert abs(squares.mean() - stated**2) < 6 * squares.std() / math.sqrt(runs)
        assert squares.std() * 6 / math.sqrt(runs) < 0.7 * stated**2, "twice the squared error would be found"


def test_counts_without_noise_are_exact_and_so_are_quantiles() -> None:
    made = Ranges.pure(tree=RangeTree(bins=50, branching=3), epsilon=10**7)
    counts = np.array([1] * 25 + [3] * 25)
    found = made.release(counts)
    assert found.count(10, 40).value == pytest.approx(counts[10:40].sum())
    assert found.total.value == pytest.approx(100)
    cumulative, errors = found.cdf()
    assert cumulative == pytest.approx(np.cumsum(counts))
    assert errors.max() < 1e-3
    assert found.rising_cdf() == pytest.approx(np.cumsum(counts))
    assert found.quantiles([0, 0.1, 0.25, 1]) == [0, 9, 24, 49]
    assert found.quantile(Fraction(1, 2)) == 33  # 25 + 8·3 = 49, 25 + 9·3 = 52


def test_cumulative_counts_rise_whatever_the_noise() -> None:
    made = Ranges.pure(tree=RangeTree(bins=200, branching=8), epsilon=0.05)
    found = made.release([1] * 200)
    rising = found.rising_cdf()
    assert (np.diff(rising) >= 0).all()
    assert rising.min() >= 0
    orders = found.quantiles([0.1, 0.5, 0.9])
    assert orders == sorted(orders)


def test_quantiles_of_many_people_are_near() -> None:
    counts = np.full(1000, 100)
    found = Ranges.zcdp(tree=RangeTree(bins=1000, branching=10), rho=0.5).release(counts)
    for q in (0.01, 0.25, 0.5, 0.99):
        assert abs(found.quantile(q) - 1000 * q) <= 5


@pytest.mark.parametrize(("change", "moved"), [(Change.ADD_REMOVE, 1), (Change.REPLACE, 2)])
def test_every_level_is_priced_as_a_histogram(change: Change, moved: int) -> None:
    tree = RangeTree(bins=100, branching=10)
    pure = Ranges.pure(tree=tree, epsilon=1, neighbours=Neighbours(change))
    assert pure.event.pure() == 1
    assert pure.noises[0] == GeometricNoise(Fraction(3 * moved))
    rho = Ranges.zcdp(tree=tree, rho=1, neighbours=Neighbours(change)).event.zcdp()
    assert rho is not None
    assert 1 - Fraction(1, 10**9) < rho <= 1
    half = Ranges(
        tree=tree, noises=(*pure.noises[:2], GeometricNoise(Fraction(3 * moved, 2))), neighbours=Neighbours(change)
    )
    assert half.event.pure() == Fraction(4, 3)


def test_no_range_is_off_by_more_than_the_bound_says() -> None:
    for made in (
        Ranges.pure(tree=RangeTree(bins=64, branching=4), epsilon=1),
        Ranges.zcdp(tree=RangeTree(bins=64, branching=4), rho=0.5),
        Ranges(
            tree=RangeTree(bins=64, branching=8),
            noises=(GeometricNoise(Fraction(9)), GeometricNoise(Fraction(2)), DiscreteGaussianNoise(Fraction(2))),
        ),
    ):
        alpha, largest = made.error(0.05).alpha, list[float]()
        for _ in range(200):
            cumulative = np.concatenate([[0.0], np.cumsum(made.release([5] * 64).levels[-1] - 5)])
            largest.append(float(cumulative.max() - cumulative.min()))
        assert sum(miss > alpha for miss in largest) <= 30
        assert max(largest) * 10 > alpha, "it is of the right order"


def test_moving_one_measurement_moves_no_range_by_more() -> None:
    """What the bound stands on: every coefficient of every range lies within ±1."""
    for bins, branching in SHAPES:
        tree = RangeTree(bins=bins, branching=branching)
        precision = _Precision.of(tree, widths(tree))
        zeros = [np.zeros(size) for size in tree.sizes]
        for depth, size in enumerate(tree.sizes):
            for node in range(size):
                moved = [level.copy() for level in zeros]
                moved[depth][node] = 1
                cumulative = np.concatenate([[0.0], np.cumsum(precision.consistent(moved)[-1])])
                assert cumulative.max() - cumulative.min() <= 1 + 1e-12


@pytest.mark.parametrize("bins", [7, 100, 1024])
def test_the_best_branching_has_the_least_expected_error(bins: int) -> None:
    best = best_branching(bins=bins, epsilon=1)
    errors = {
        b: Ranges.pure(tree=RangeTree(bins=bins, branching=b), epsilon=1).expected_error()
        for b in (2, 3, 4, 8, 10, 16, 32, best)
    }
    assert min(errors.values()) == errors[best]
    rho = best_branching(bins=bins, rho=1)
    assert 2 <= rho <= 64
    if bins == 1024:
        assert 8 <= best <= 32
        assert errors[2] > 1.2 * errors[best]


def test_all_ranges_of_few_bins_are_compared() -> None:
    made = Ranges.pure(tree=RangeTree(bins=12, branching=3), epsilon=1)
    squares = [made.standard_error(start, stop) ** 2 for start in range(12) for stop in range(start + 1, 13)]
    assert made.expected_error() ** 2 == pytest.approx(np.mean(squares))
    wide = Ranges.pure(tree=RangeTree(bins=90, branching=3), epsilon=1)
    first, last = (index.astype(np.int64) for index in np.triu_indices(90))
    squares = _Precision.of(wide.tree, [noise.variance for noise in wide.noises]).variances(first, last).tolist()
    assert wide.expected_error() ** 2 == pytest.approx(np.mean(squares), rel=0.05)


def synopsis() -> Any:
    return Ranges.pure(tree=RangeTree(bins=4, branching=2), epsilon=1).release([1, 2, 3, 4])


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: RangeTree(bins=0), "bins must be at least 1"),
        (lambda: RangeTree(bins=2**40), "bins must be at most"),
        (lambda: RangeTree(bins=4, branching=1), "branching must be at least 2"),
        (lambda: Ranges(tree=RangeTree(bins=4, branching=2), noises=()), "noises must be one for each of 3 levels"),
        (lambda: Ranges.pure(tree=RangeTree(bins=4), epsilon=-1), "epsilon must be positive"),
        (lambda: Ranges.pure(tree=RangeTree(bins=4), epsilon=1).release([1, 2]), "exact must be 4 answers"),
        (lambda: synopsis().count(2, 2), "stop must be above start = 2"),
        (lambda: synopsis().count(0, 5), "stop must be above start = 0 and at most 4"),
        (lambda: synopsis().counts([0, 1], [1]), "stops must be as many as starts"),
        (lambda: synopsis().counts([1], [1]), "stops must be above starts"),
        (lambda: synopsis().quantile(1.5), "q must be between 0 and 1"),
        (lambda: best_branching(bins=4), "epsilon or rho must be given"),
        (lambda: best_branching(bins=4, epsilon=1, rho=1), "epsilon or rho must be given, and not both"),
    ],
)
def test_what_makes_no_sense_is_refused(call: Callable[[], Any], says: str) -> None:
    with pytest.raises(InvalidParameter, match=says):
        call()


def test_counts_beyond_machine_numbers_are_answered() -> None:
    made = Ranges.pure(tree=RangeTree(bins=2), epsilon=1)
    assert made.release([2**62, 2**62]).total.value == pytest.approx(2.0**63)
    assert made.release([2**70, 1]).total.value == pytest.approx(2.0**70)
    assert made.release(np.array([-(2**63), -(2**63)])).total.value == pytest.approx(-(2.0**64))
    assert made.release([2**16385, 1]).total.value > 2.0**900
