"""Private bins: a public grid, levels whose price is what was handed out, and bins that follow from noisy counts."""

from collections.abc import Callable
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import BudgetExceeded, InvalidParameter
from sfumato.mechanisms import GaussianNoise
from sfumato.synth.tables import grids
from sfumato.synth.tables.grids import (
    MOST_CELLS,
    MeasuredGrid,
    PublicGrid,
    bins_of,
    consistent,
    means_in,
    measure_grid,
    representative,
    sums_by_level,
)
from sfumato.synth.tables.paid import Purse
from sources import SeededBits

NARROW = GaussianNoise(Fraction(1, 1000))


def of_counts(counts: Any, sigma: Fraction = Fraction(1, 1000)) -> MeasuredGrid:
    """A grid of whole numbers measured with next to no noise, or with some."""
    grid = PublicGrid.between(Fraction(0), Fraction(len(counts) - 1), whole=True)
    noise = GaussianNoise(sigma)
    purse = Purse(grid.levels / sigma**2)
    return measure_grid(np.asarray(counts), grid, purse, noise=noise, moved=1, bits=SeededBits(1))


# ---- the grid ----


@given(
    st.fractions(-(10**9), 10**9, max_denominator=1000),
    st.fractions(Fraction(1, 1000), 10**9, max_denominator=1000),
    st.fractions(0, 1),
    st.booleans(),
)
def test_every_number_within_the_bounds_has_a_cell(lower: Fraction, wide: Fraction, at: Fraction, whole: bool) -> None:
    if whole:
        lower, wide = Fraction(floor(lower)), Fraction(max(1, floor(wide)))
    grid = PublicGrid.between(lower, lower + wide, whole=whole)
    value = lower + at * wide
    value = Fraction(floor(value)) if whole else value
    cell = floor((value - grid.start) / grid.width)
    assert 2 <= grid.cells <= MOST_CELLS
    assert 0 <= cell < grid.cells
    assert grid.end(cell) <= value
    assert value < grid.end(cell + 1) or value == lower + wide
    assert not whole or grid.width.denominator == 1


def test_a_grid_of_few_whole_numbers_has_a_cell_for_each() -> None:
    grid = PublicGrid.between(Fraction(17), Fraction(90), whole=True)
    assert (grid.width, grid.end(0), grid.end(74)) == (Fraction(1), Fraction(17), Fraction(91))
    assert grid.cells == 74


def test_bounds_that_leave_one_value_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="more than one value"):
        PublicGrid.between(Fraction(3), Fraction(3), whole=False)


# ---- levels and their price ----


def test_levels_are_sums_of_cells() -> None:
    grid = PublicGrid.between(Fraction(0), Fraction(122), whole=True)
    cells = np.arange(124)  # the last place is of what has no value, and belongs to no node
    levels = sums_by_level(cells, grid)
    assert [len(level) for level in levels] == [10, 100, 1000]
    assert [int(level.sum()) for level in levels] == [sum(range(123))] * 3
    assert levels[1][12] == sum(range(120, 123))


@pytest.mark.parametrize("moved", [1, 6])
def test_one_person_moves_every_level_by_no_more_than_is_paid_for(moved: int) -> None:
    grid = PublicGrid.between(Fraction(0), Fraction(122), whole=True)
    random = np.random.default_rng(5)
    for _ in range(50):
        one = random.integers(0, 50, 124)
        other = one.copy()
        for cell in random.integers(0, 124, moved):  # parts of one person, in any cells
            other[cell] += 1
        for a, b in zip(sums_by_level(one, grid), sums_by_level(other, grid), strict=True):
            assert int(((a - b) ** 2).sum()) <= moved**2


def test_a_share_pays_for_all_levels_and_for_no_more() -> None:
    grid = PublicGrid.between(Fraction(0), Fraction(122), whole=True)
    noise = GaussianNoise(Fraction(30))
    enough = Purse(3 * Fraction(4, 900))
    measure_grid(np.zeros(124, dtype=np.int64), grid, enough, noise=noise, moved=2, bits=SeededBits(2))
    assert enough.spent == 3 * Fraction(4, 900)
    short = Purse(3 * Fraction(4, 900) - Fraction(1, 10**9))  # the twin: the price of one level forgotten
    with pytest.raises(BudgetExceeded):
        measure_grid(np.zeros(124, dtype=np.int64), grid, short, noise=noise, moved=2, bits=SeededBits(2))


# ---- one tree ----


def least_squares(levels: list[Any]) -> Any:
    """The cells that are nearest to all levels at once, by a solver."""
    lines = np.vstack([np.kron(np.eye(len(level)), np.ones(100 // len(level))) for level in levels])
    return np.linalg.lstsq(lines, np.concatenate(levels), rcond=None)[0]


def test_the_tree_is_that_of_least_squares() -> None:
    random = np.random.default_rng(3)
    levels = [random.normal(50, 20, 10), random.normal(5, 20, 100)]
    found = consistent(levels)
    assert np.allclose(found[1], least_squares(levels))
    assert np.allclose(found[1].reshape(10, 10).sum(axis=1), found[0])


def test_a_tree_that_is_only_pooled_upwards_is_not_consistent(monkeypatch: pytest.MonkeyPatch) -> None:
    real: Callable[..., Any] = consistent

    def upwards(levels: Any) -> list[Any]:
        found = real(levels)
        return [found[0], *levels[1:]]

    random = np.random.default_rng(3)
    levels = [random.normal(50, 20, 10), random.normal(5, 20, 100)]
    monkeypatch.setattr(grids, "consistent", upwards)
    assert not np.allclose(grids.consistent(levels)[1], least_squares(levels))


# ---- bins ----


@given(st.lists(st.integers(0, 10_000), min_size=2, max_size=400), st.integers(2, 40))
def test_bins_begin_at_the_first_cell_rise_and_are_not_too_many(counts: list[int], most: int) -> None:
    starts = bins_of(of_counts(counts), 1, most=most, least_rows=0.0)
    assert starts[0] == 0
    assert list(starts) == sorted(set(starts))
    assert 2 <= len(starts) <= max(2, most)
    assert starts[-1] < len(counts)


def test_bins_have_about_as_many_rows_each() -> None:
    counts = np.round(100_000 * 0.97 ** np.arange(500)).astype(np.int64)
    starts = bins_of(of_counts(counts), 1, most=16, least_rows=0.0)
    sizes = np.add.reduceat(counts, starts)
    assert 10 <= len(starts) <= 16
    assert sizes.max() <= 2 * counts.sum() / len(starts)


def test_a_heavy_value_is_a_bin_of_its_own() -> None:
    counts = np.ones(300, dtype=np.int64)
    counts[137] = 5000
    starts = bins_of(of_counts(counts), 1, most=20, least_rows=0.0)
    assert 137 in starts
    assert 138 in starts


def test_noise_alone_makes_few_bins() -> None:
    starts = bins_of(of_counts(np.zeros(1000, dtype=np.int64), Fraction(1000)), 1, most=32, least_rows=50_000.0)
    assert len(starts) <= 3


def test_noisy_counts_of_any_size_make_bins() -> None:
    grid = PublicGrid.between(Fraction(0), Fraction(99), whole=True)
    for value in (-(10**30), 10**30):
        levels = tuple(np.array([value] * size, dtype=object) for size in (10, 100))
        assert len(bins_of(MeasuredGrid(grid, levels, NARROW), 1, most=8, least_rows=1.0)) >= 2


@given(
    st.fractions(-(10**6), 10**6, max_denominator=10**6),
    st.fractions(Fraction(1, 10**6), 10**6, max_denominator=10**6),
    st.booleans(),
)
def test_a_bin_is_represented_by_a_value_in_it(low: Fraction, wide: Fraction, whole: bool) -> None:
    if whole:
        low, wide = Fraction(floor(low)), Fraction(max(1, floor(wide)))
    found = representative(low, low + wide, whole=whole)
    assert low <= found < low + wide
    assert not whole or found.denominator == 1


@given(st.integers(0, 2**32 - 1), st.integers(2, 12))
def test_a_mean_is_told_where_noise_leaves_it_and_lies_in_its_bin(seed: int, most: int) -> None:
    counts = np.random.default_rng(seed).integers(0, 1000, 300) * (np.arange(300) < 40)
    measured = of_counts(counts)
    starts = bins_of(measured, 1, most=most, least_rows=0.0)
    for first, end, mean in zip(starts, (*starts[1:], 300), means_in(measured, starts, whole=True), strict=True):
        rows = counts[first:end].sum()
        if rows > 10:
            assert mean is not None
            assert float(mean) == pytest.approx((counts[first:end] * np.arange(first, end)).sum() / rows, abs=0.1)
        value = representative(Fraction(first), Fraction(end), whole=True, mean=mean)
        assert first <= value < end


def test_a_mean_that_noise_hides_is_not_told() -> None:
    measured = of_counts(np.full(1000, 1), Fraction(1000))
    assert means_in(measured, (0,), whole=True) == [None]


def test_a_representative_claims_no_digits_that_the_bin_does_not_have() -> None:
    assert representative(Fraction(20_000), Fraction(35_000), whole=True) == 30_000
    assert representative(Fraction(1, 4), Fraction(3, 4), whole=False) == Fraction(1, 2)
    assert representative(Fraction(-40), Fraction(50), whole=True) == 0
