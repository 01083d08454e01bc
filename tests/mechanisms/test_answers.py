"""Answers on a grid: placing is exact, and the rounding is in the sensitivity."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import mechanisms
from sfumato.accounting import total
from sfumato.core import Change, Neighbours, Norm, Sensitivity
from sfumato.errors import InvalidParameter
from sfumato.mechanisms import (
    DiscreteGaussian,
    Gaussian,
    GaussianNoise,
    Geometric,
    GeometricNoise,
    Laplace,
    LaplaceNoise,
)
from sfumato.mechanisms.answers import AnswerMove, Answers, add, in_norm, root
from sfumato.mechanisms.discrete_gaussian import DiscreteGaussianNoise
from sources import ConstantBits, SeededBits

RELATION = Neighbours()
GRIDS = st.sampled_from([1, 0.5, Fraction(1, 3), 0.1, 0.01, Fraction(7, 5), 1e-6, 2**-20])


def half_up(value: Any, grid: Any) -> int:
    """Values are data and exactly what they are; the grid is an amount, and what it is written as."""
    return math.floor(Fraction(value) / Fraction(str(grid)) + Fraction(1, 2))


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=8), GRIDS)
def test_placing_by_the_array_is_placing_one_by_one(values: list[float], grid: Any) -> None:
    expected = [half_up(value, grid) for value in values]
    assert Answers(grid, len(values)).place(np.array(values)).tolist() == expected  # type: ignore[union-attr]
    assert [Answers(grid).place(value) for value in values] == expected


@given(st.integers(-(10**6), 10**6), GRIDS)
def test_ties_are_placed_exactly(k: int, grid: Any) -> None:
    """The middle between two grid points, and the floats on either side of it."""
    middle = float((k + Fraction(1, 2)) * Fraction(str(grid)))
    values = [middle, math.nextafter(middle, -math.inf), math.nextafter(middle, math.inf)]
    assert Answers(grid, 3).place(np.array(values)).tolist() == [half_up(value, grid) for value in values]  # type: ignore[union-attr]


@given(
    st.lists(st.fractions(-3, 3, max_denominator=50), min_size=1, max_size=4),
    st.lists(st.fractions(-2, 2, max_denominator=50), min_size=4, max_size=4),
    st.sampled_from([Fraction(1), Fraction(1, 3), Fraction(2, 7), Fraction(5, 2)]),
    st.sampled_from(list(Norm)),
)
def test_no_placed_answer_moves_further_than_the_sensitivity_says(
    x: list[Fraction], move: list[Fraction], grid: Fraction, norm: Norm
) -> None:
    y = [a + b for a, b in zip(x, move, strict=False)]
    changes = [abs(b) for b in move[: len(x)]]
    amount = {Norm.L1: sum(changes), Norm.L2: sum(c * c for c in changes), Norm.LINF: max(changes)}[norm]
    if amount == 0:
        return
    moving = max(1, sum(c > 0 for c in changes))
    answers = Answers(grid, len(x))
    for coordinates in (None, moving):
        steps = answers.move(Sensitivity(norm, Fraction(amount), RELATION, coordinates), norm)
        gaps = np.abs(answers.place(x).astype(object) - answers.place(y).astype(object))  # type: ignore[union-attr]
        found = {Norm.L1: sum(gaps), Norm.L2: sum(g * g for g in gaps), Norm.LINF: max(gaps)}[norm]
        assert found <= (steps.square if norm is Norm.L2 else steps.distance)


def test_rounding_that_does_not_enter_the_sensitivity_is_convicted() -> None:
    """Two answers that move by 0.6 each in all move by two whole steps: a sensitivity of ceil(1.2) would be right by
    luck, one of 0.8/1 with two coordinates is not."""
    answers = Answers(1, 2)
    x, y = [0.4, 0.4], [0.5, 0.5]
    moved = sum(abs(answers.place(x) - answers.place(y)))  # type: ignore[call-overload]
    naive = math.ceil(Fraction(1, 5))
    assert moved == 2 > naive
    assert answers.move(Sensitivity(Norm.L1, Fraction(1, 5), RELATION), Norm.L1).distance >= moved


def test_a_histogram_on_a_fine_grid_keeps_its_sensitivity() -> None:
    answers = Answers(Fraction(1, 1000), 10_000)
    assert answers.move(RELATION.histogram(Norm.L1), Norm.L1) == AnswerMove.l1(Fraction(1000))
    assert answers.move(Neighbours(Change.REPLACE).histogram(Norm.L1), Norm.L1) == AnswerMove.l1(Fraction(2001))
    loose = Sensitivity(Norm.L1, Fraction(1), RELATION)
    assert answers.move(loose, Norm.L1) == AnswerMove.l1(Fraction(1000 + 9999))


def test_a_distance_and_a_square_cannot_be_taken_for_each_other() -> None:
    """Noise that pays in ℓ1 refuses a square, and noise that pays in ℓ2 a distance, however small the numbers are."""
    length, square = AnswerMove.l1(Fraction(1)), AnswerMove.l2(square=Fraction(1))
    assert (length.distance, square.square) == (1, 1)  # type: ignore[comparison-overlap]
    for noise in (LaplaceNoise(Fraction(2)), GeometricNoise(Fraction(2))):
        assert noise.event(length).pure() == Fraction(1, 2)
        with pytest.raises(TypeError, match="known by its square"):
            noise.event(square)
    for other in (GaussianNoise(Fraction(2)), DiscreteGaussianNoise(Fraction(2))):
        assert other.event(AnswerMove.l2(square=Fraction(9))).zcdp() == Fraction(9, 8)
        with pytest.raises(TypeError, match="known by its distance"):
            other.event(length)


def test_norms_are_converted_only_where_a_theorem_does() -> None:
    three = {norm: Sensitivity(norm, Fraction(9 if norm is Norm.L2 else 3), RELATION) for norm in Norm}
    for have, want in itertools.product(Norm, Norm):
        assert in_norm(three[have], want, 1) == (9 if want is Norm.L2 else 3)
    assert in_norm(three[Norm.L1], Norm.L2, 7) == 9
    assert in_norm(three[Norm.L2], Norm.LINF, 7) == 3
    for have, want in ((Norm.LINF, Norm.L1), (Norm.LINF, Norm.L2), (Norm.L2, Norm.L1)):
        with pytest.raises(InvalidParameter, match="sensitivity must be in"):
            in_norm(three[have], want, 7)
    assert root(Fraction(9, 4)) == Fraction(3, 2)
    assert root(Fraction(2)) ** 2 > 2


def test_whole_numbers_want_a_whole_sensitivity() -> None:
    with pytest.raises(InvalidParameter, match="whole") as error:
        Geometric(epsilon=1, sensitivity=Sensitivity(Norm.L1, Fraction(1, 2), RELATION))
    assert "grid" in str(error.value)


def test_sums_beyond_64_bits_are_not_wrapped() -> None:
    top = 2**63 - 1
    noisy = add(np.array([top, 0]), np.array([5, 5]))
    assert noisy.tolist() == [top + 5, 5]
    assert add(np.array([top - 10]), np.array([5])).dtype == np.int64  # decided by the sum
    huge = np.array([2**80, 1], dtype=object)
    assert add(huge, np.array([1, 1])).tolist() == [2**80 + 1, 2]
    mechanism = Geometric(epsilon=1, sensitivity=RELATION.histogram(Norm.L1), dimension=2)
    assert abs(mechanism.release([2**80, 0])[0] - 2**80) < 1000
    assert abs(mechanism.release(np.array([2**64 - 1, 0], dtype=np.uint64))[0] - 2**64) < 1000
    alone = Geometric(epsilon=1, sensitivity=RELATION.histogram(Norm.L1))
    assert abs(alone.release(2**200) - 2**200) < 1000


@pytest.mark.parametrize("grid", [0.25, 0.1, Fraction(1, 100), Fraction(1, 3), 10**20, Fraction(1, 10**20)])
def test_released_reals_are_the_floats_nearest_to_grid_points(grid: Any) -> None:
    answers, steps = Answers(grid, 3), np.array([0, 7, -(10**6) - 1])
    for given_, k in zip(answers.give(steps), steps.tolist(), strict=True):
        assert given_ == float(k * Fraction(str(grid)))
        assert Answers(grid).give(k) == given_
    assert answers.give(np.array([0, 2**70, 1], dtype=object)).tolist()[1] == float(2**70 * Fraction(str(grid)))


@pytest.mark.parametrize("kind", [Laplace, Geometric, Gaussian, DiscreteGaussian])
def test_real_answers_come_back_near_and_on_the_grid(kind: Any) -> None:
    parameter = {"epsilon": 1} if kind in (Laplace, Geometric) else {"sigma": 1}
    sensitivity = Sensitivity(kind.norm, Fraction(1), RELATION, coordinates=1)
    for dimension in (None, 3):
        mechanism = kind(**parameter, sensitivity=sensitivity, grid=0.25, dimension=dimension)
        given_ = 10.1 if dimension is None else [10.1, -3.3, 0.0]
        out = mechanism.release(given_, bits=SeededBits(2))
        assert isinstance(out, float) if dimension is None else out.dtype == np.float64
        assert np.all(np.asarray(out) * 4 == np.rint(np.asarray(out) * 4))
        assert np.all(np.abs(np.asarray(out) - given_) <= mechanism.error(1e-12).alpha)


def test_a_finer_grid_costs_nothing_but_digits() -> None:
    sensitivity = Sensitivity(Norm.L1, Fraction(3, 2), RELATION)
    errors = [Laplace(epsilon=1, sensitivity=sensitivity, grid=Fraction(1, 10**k)).error(0.05).alpha for k in (0, 2, 4)]
    ideal = 1.5 * math.log(1 / 0.05)
    assert errors[0] > errors[1] > errors[2] > ideal
    assert errors[2] == pytest.approx(ideal, rel=1e-3)
    assert total([Laplace(epsilon=1, sensitivity=sensitivity, grid=0.001).event]).epsilon(0) <= 1


def test_mechanisms_are_frozen_comparable_and_show_only_parameters() -> None:
    one = Geometric(epsilon=1, sensitivity=RELATION.histogram(Norm.L1))
    assert one == Geometric(epsilon=1, sensitivity=RELATION.histogram(Norm.L1))
    assert hash(one) == hash(Geometric(epsilon=1, sensitivity=RELATION.histogram(Norm.L1)))
    with pytest.raises(AttributeError):
        one.epsilon = 2  # type: ignore[misc]
    assert "epsilon=Fraction(1, 1)" in repr(one)
    assert "noise" not in repr(one)


def test_noise_is_the_only_thing_between_answer_and_release() -> None:
    """With a bit source that never varies, the release moves as the answer does."""
    mechanism = Geometric(epsilon=1, sensitivity=RELATION.histogram(Norm.L1))
    shift = mechanism.release(0, bits=ConstantBits(2**63 + 2**61 + 12345, 64))
    assert mechanism.release(1000, bits=ConstantBits(2**63 + 2**61 + 12345, 64)) == 1000 + shift


def test_public_names_cover_the_families() -> None:
    for name in ("Laplace", "Warner", "TopK", "Quantile", "SparseVector", "Run"):
        assert name in mechanisms.__all__
