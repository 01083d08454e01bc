"""Lemma 9.5: the nearest non-negative weights with a given total, against a solver, its conditions and by group."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize, nnls

from sfumato.errors import InvalidParameter
from sfumato.synth import water_filling as water_filling_room
from sfumato.synth.water_filling import CellGroups, water_filled, water_filled_wholes, water_level

cells = st.lists(st.integers(-50, 50), min_size=1, max_size=12)


def solved(measured: Any, total: float) -> Any:
    """The quadratic program by SciPy's non-negative least squares, the total as a row of great weight."""
    d, heavy = len(measured), 1e5
    return nnls(np.vstack([np.eye(d), np.full(d, heavy)]), np.append(measured, heavy * total), maxiter=100 * d)[0]


@given(cells, st.integers(0, 200))
def test_weights_meet_the_conditions_of_the_least_squares_problem(measured: list[int], total: int) -> None:
    """Survey Lemma 9.5: they add up, none is negative, and all that are positive were lowered by one γ, others by less."""
    weights = water_filled(measured, total=total)
    assert weights.min() >= 0
    assert weights.sum() == pytest.approx(total, abs=1e-9)
    lowered = np.array(measured) - weights
    gamma = float(water_level(measured, total=total))
    assert lowered[weights > 1e-9] == pytest.approx(gamma, abs=1e-9)
    assert (lowered[weights <= 1e-9] <= gamma + 1e-9).all()


@pytest.mark.parametrize("seed", range(6))
def test_weights_are_those_of_a_solver(seed: int) -> None:
    random = np.random.default_rng(seed)
    measured, total = random.laplace(0, 4, 40), float(random.integers(0, 100))
    assert np.abs(water_filled(measured, total=total) - solved(measured, total)).max() < 1e-7


def test_weights_are_those_of_a_general_optimiser_with_constraints() -> None:
    measured, total = np.array([3.0, 1.0, -2.0, 0.5]), 7.0
    found = minimize(
        lambda w: ((w - measured) ** 2).sum() / 2,
        np.full(4, total / 4),
        bounds=[(0, None)] * 4,
        constraints={"type": "eq", "fun": lambda w: w.sum() - total},
        options={"ftol": 1e-15},
        method="SLSQP",
    )
    assert np.abs(water_filled(measured, total=total) - found.x).max() < 1e-6


def test_the_level_is_negative_where_the_total_is_more_than_was_measured() -> None:
    assert water_level([1.0, 2.0], total=10) == -3.5
    assert water_filled([1.0, 2.0], total=10).tolist() == [4.5, 5.5]
    assert water_level([1.0, 2.0], total=1) == 1


def test_a_total_of_zero_leaves_nothing() -> None:
    assert water_filled([5.0, 5.0, -3.0], total=0).tolist() == [0, 0, 0]


def test_order_does_not_matter_and_rows_are_fitted_one_by_one() -> None:
    random = np.random.default_rng(3)
    rows, totals = random.laplace(0, 3, (20, 30)), random.integers(0, 40, 20)
    order = random.permutation(30)
    together = water_filled(rows, total=totals)
    assert np.allclose(together[:, order], water_filled(rows[:, order], total=totals), atol=1e-12)
    alone = [water_filled(row, total=total) for row, total in zip(rows, totals, strict=True)]
    assert np.array_equal(together, np.array(alone))


@given(st.lists(st.tuples(cells, st.integers(0, 200)), min_size=1, max_size=8))
def test_groups_are_filled_exactly_as_each_alone(groups: list[tuple[list[int], int]]) -> None:
    parts = CellGroups.of([len(measured) for measured, _ in groups])
    flat = np.concatenate([measured for measured, _ in groups])
    filled = water_filled_wholes(flat, groups=parts, totals=[total for _, total in groups])
    alone = np.concatenate([water_filled(measured, total=total) for measured, total in groups])
    assert filled.weights() == pytest.approx(alone, abs=1e-9)
    assert (parts.sums(filled.floors) + filled.extra).tolist() == [total for _, total in groups]
    assert (filled.floors >= 0).all()
    assert (filled.extra <= filled.active).all()


def test_groups_that_take_long_are_sorted_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells that fall by halves lose one cell a round: sorting has the same answer."""
    measured = np.array([2**k for k in range(40)] * 3)
    parts, totals = CellGroups.of([40, 40, 40]), np.array([1, 5, 1000])
    by_rounds = water_filled_wholes(measured, groups=parts, totals=totals)
    for rounds in (0, 1, 3):
        monkeypatch.setattr(water_filling_room, "_ROUNDS", rounds)
        by_sorting = water_filled_wholes(measured, groups=parts, totals=totals)
        assert np.array_equal(by_rounds.weights(), by_sorting.weights())
    assert parts.sums(by_rounds.floors).tolist() == [1, 5, 1000]


def test_a_million_cells_of_one_group_and_of_many_keep_their_totals() -> None:
    random = np.random.default_rng(1)
    measured = random.integers(-20, 20, 1_000_000)
    one = water_filled(measured, total=12_345)
    assert one.sum() == pytest.approx(12_345, abs=1e-6)
    parts = CellGroups.of(np.full(100_000, 10))
    totals = random.integers(0, 50, 100_000)
    many = water_filled_wholes(measured, groups=parts, totals=totals)
    assert np.array_equal(parts.sums(many.floors) + many.extra, totals)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: water_filled([1.0], total=-1), "total must not be negative"),
        (lambda: water_filled([], total=1), "measured must be at least one cell"),
        (lambda: water_filled([float("nan")], total=1), "measured must be finite"),
        (lambda: water_filled([1.0, 2.0], total=[1, 2]), "total must be one for each row"),
        (lambda: water_level([1.0], total=1, softness=-1), "softness must not be negative"),
        (lambda: CellGroups.of([2, 0]), "sizes must be whole numbers from 1 on"),
        (lambda: water_filled_wholes([1.5], groups=CellGroups.of([1]), totals=[1]), "measured must be 1 whole numbers"),
        (lambda: water_filled_wholes([1], groups=CellGroups.of([1]), totals=[-1]), "totals must not be negative"),
        (lambda: water_filled_wholes([2**62, 1], groups=CellGroups.of([2]), totals=[1]), "measured must be between"),
    ],
)
def test_what_cannot_be_filled_is_refused(call: Any, says: str) -> None:
    with pytest.raises(InvalidParameter, match=says):
        call()
