"""Linear queries: exact answers, and sensitivities equal to brute force over all neighbouring histograms."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from sfumato.accounting import total
from sfumato.core import Categories, Change, IntegerInterval, Neighbours, Norm, Product, Unit
from sfumato.errors import InvalidParameter
from sfumato.mechanisms import DiscreteGaussian, Geometric, linear
from sfumato.mechanisms.linear import LinearQueries

ADD, REPLACE = Neighbours(), Neighbours(Change.REPLACE)
RELATIONS, NORMS = (ADD, REPLACE), tuple(Norm)


def length(move: Any, norm: Any) -> Any:
    if norm is Norm.LINF:
        return max(abs(x) for x in move)
    return sum(abs(x) for x in move) if norm is Norm.L1 else sum(x * x for x in move)


def brute_force(queries: Any, columns: Any, norm: Any, neighbours: Any, *, records: Any = 2) -> Any:
    """The largest move and the most moving entries over all neighbouring histograms of a few records."""
    histograms = [h for h in product(range(records + 1), repeat=columns) if sum(h) <= records]
    answers = {h: queries.answer(list(h)) for h in histograms}
    furthest, entries = Fraction(0), 0
    for x in histograms:
        for y in histograms:
            if neighbours.distance(dict(enumerate(x)), dict(enumerate(y))) == 1:
                move = [
                    Fraction(a) - Fraction(b) for a, b in zip(answers[x].tolist(), answers[y].tolist(), strict=True)
                ]
                furthest, entries = max(furthest, length(move, norm)), max(entries, sum(m != 0 for m in move))
    return furthest, entries


def some_matrices() -> Any:
    generator = np.random.default_rng(8)
    yield [[0, 1, 1], [1, 0, 1]]
    yield [[0.1, 0.75, 1]]
    yield [[Fraction(1, 3), 0, 1], [Fraction(1, 7), 0.5, 0], [1, 1, 1]]
    for _ in range(6):
        k, d = generator.integers(1, 5), generator.integers(2, 5)
        yield [[Fraction(int(a), 6) for a in generator.integers(0, 7, d)] for _ in range(k)]


@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
@pytest.mark.parametrize("norm", NORMS, ids=lambda norm: norm.name)
def test_sensitivity_is_the_largest_move_over_all_neighbouring_histograms(norm: Any, neighbours: Any) -> None:
    for matrix in some_matrices():
        queries = LinearQueries(matrix)
        found = queries.sensitivity(norm, neighbours)
        assert (found.amount, found.coordinates) == brute_force(queries, len(matrix[0]), norm, neighbours)
        assert found.neighbours is neighbours
        assert found.norm is norm


@pytest.mark.parametrize("norm", NORMS, ids=lambda norm: norm.name)
def test_weights_of_both_signs_have_the_sensitivity_of_brute_force(norm: Any) -> None:
    queries = LinearQueries([[-1, 2, 0], [0.5, -3, 1]], lower=-3, upper=2)
    for neighbours in RELATIONS:
        assert queries.sensitivity(norm, neighbours).amount == brute_force(queries, 3, norm, neighbours)[0]


@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
def test_points_and_their_sum_move_by_two_in_l1_and_root_two_in_l2_under_both_relations(neighbours: Any) -> None:
    for d in (2, 5, 40):
        queries = LinearQueries(np.vstack([np.eye(d, dtype=np.int64), np.ones((1, d), dtype=np.int64)]))
        assert queries.sensitivity(Norm.L1, neighbours).amount == 2
        assert queries.sensitivity(Norm.L2, neighbours).amount == 2  # squared
        assert queries.sensitivity(Norm.L2, neighbours).value == math.sqrt(2)
        assert queries.sensitivity(Norm.L1, neighbours).coordinates == 2


@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
@pytest.mark.parametrize("norm", NORMS, ids=lambda norm: norm.name)
def test_point_queries_are_a_histogram(norm: Any, neighbours: Any) -> None:
    assert LinearQueries(np.eye(4)).sensitivity(norm, neighbours) == neighbours.histogram(norm)


@pytest.mark.parametrize("norm", NORMS, ids=lambda norm: norm.name)
def test_replace_one_is_the_same_in_chunks_and_with_python_integers(norm: Any, monkeypatch: Any) -> None:
    weights = np.random.default_rng(3).integers(0, 9, (4, 60))
    plain = LinearQueries(weights, upper=8).sensitivity(norm, REPLACE)
    huge = LinearQueries(weights.astype(object) * 10**30, upper=8 * 10**30).sensitivity(norm, REPLACE)
    scale = 10**60 if norm is Norm.L2 else 10**30
    assert (huge.amount, huge.coordinates) == (plain.amount * scale, plain.coordinates)
    monkeypatch.setattr(linear, "_CHUNK", 7 * 4 * 60)
    assert LinearQueries(weights, upper=8).sensitivity(norm, REPLACE) == plain
    columns = weights.T.tolist()
    assert plain.amount == max(
        length([x - y for x, y in zip(a, b, strict=True)], norm) for a in columns for b in columns
    )


def test_very_many_kinds_of_columns_get_a_bound_that_is_safe_and_at_most_double(monkeypatch: Any) -> None:
    exact = {}
    matrices = [np.random.default_rng(seed).integers(0, 9, (3, 50)) for seed in range(5)]
    matrices.append(8 - np.eye(30, dtype=np.int64))  # long columns, close together
    for i, norm in product(range(6), NORMS):
        exact[i, norm] = LinearQueries(matrices[i], upper=8).sensitivity(norm, REPLACE)
    monkeypatch.setattr(linear, "_MOST_WORK", 0)
    for (i, norm), true in exact.items():
        bound = LinearQueries(matrices[i], upper=8).sensitivity(norm, REPLACE)
        assert true.amount <= bound.amount <= (4 if norm is Norm.L2 else 2) * true.amount
        assert true.coordinates <= bound.coordinates <= 2 * true.coordinates  # type: ignore[operator]
        if norm is Norm.LINF:
            assert bound.amount == true.amount


def test_answers_are_exact_sums_of_the_rationals_that_floats_are() -> None:
    tenth = Fraction(0.1)
    answers = LinearQueries([[0.1, 1.0], [0.5, 0.25]]).answer([3, 10**17 + 1])
    assert answers.tolist() == [3 * tenth + 10**17 + 1, Fraction(3, 2) + Fraction(10**17 + 1, 4)]


@pytest.mark.parametrize("count", [5, 2**40, 2**60, 2**62, 10**25])
def test_answers_never_wrap(count: Any) -> None:
    answers = LinearQueries([[7, 6], [1, 0]], upper=7).answer([count, count])
    assert answers.tolist() == [13 * count, count]


def test_a_mapping_and_an_array_of_the_same_counts_have_the_same_answers() -> None:
    domain = Product((Categories(("f", "m")), IntegerInterval(0, 2)))
    queries = LinearQueries.of([lambda r: r[0] == "f", lambda r: Fraction(r[1], 2)], domain)
    by_name = queries.answer({("f", 2): 4, ("m", 1): 3})
    assert by_name.tolist() == queries.answer(np.array([0, 0, 4, 0, 3, 0])).tolist() == [4, Fraction(11, 2)]


def test_predicates_and_the_matrix_of_their_values_are_the_same_queries() -> None:
    by_predicate = LinearQueries.of([lambda x: x > 1, lambda x: np.bool_(x == 0)], IntegerInterval(0, 3))
    by_matrix = LinearQueries(np.array([[False, False, True, True], [True, False, False, False]]))
    assert by_predicate.weights.tolist() == by_matrix.weights.tolist()
    assert by_predicate.denominator == 1


def test_normalised_queries_are_means_and_move_by_a_share_of_the_size() -> None:
    sums, means = LinearQueries([[0, 0.5, 1]]), LinearQueries([[0, 0.5, 1]], size=4)
    assert means.answer([1, 2, 1]).tolist() == [Fraction(1, 2)]
    for norm in NORMS:
        share = Fraction(1, 16 if norm is Norm.L2 else 4)
        assert means.sensitivity(norm, REPLACE).amount == sums.sensitivity(norm, REPLACE).amount * share


@pytest.mark.parametrize("unit", list(Unit))
def test_normalised_queries_refuse_neighbours_for_whom_the_size_is_private(unit: Any) -> None:
    with pytest.raises(InvalidParameter, match="size is private: ask for the sums"):
        LinearQueries([[1, 0]], size=10).sensitivity(Norm.L1, Neighbours(Change.ADD_REMOVE, unit))


def test_answers_in_units_enter_noise_without_a_grid_at_no_extra_price() -> None:
    queries = LinearQueries([[Fraction(1, 3), 1], [0.5, 0]], size=3)
    whole = queries.in_units
    histogram = [1, 2]
    assert [int(n) * queries.unit for n in whole.answer(histogram)] == queries.answer(histogram).tolist()
    for norm in NORMS:
        scale = queries.unit**2 if norm is Norm.L2 else queries.unit
        assert whole.sensitivity(norm, REPLACE).amount * scale == queries.sensitivity(norm, REPLACE).amount
    noisy = Geometric(epsilon=0.5, sensitivity=whole.sensitivity(Norm.L1, REPLACE), dimension=2)
    assert noisy.release(whole.answer(histogram)).shape == (2,)
    assert total([noisy.event]).epsilon(0) == 0.5
    gaussian = DiscreteGaussian(sigma=60, sensitivity=whole.sensitivity(Norm.L2, REPLACE), dimension=2)
    assert gaussian.event.zcdp() == whole.sensitivity(Norm.L2, REPLACE).amount / 7200


def test_the_weights_cannot_be_changed_afterwards() -> None:
    given = np.array([[0, 1]])
    queries = LinearQueries(given)
    with pytest.raises(ValueError, match="read-only"):
        queries.weights[0, 0] = 5
    given[0, 0] = 1
    assert queries.weights.tolist() == [[0, 1]]


@pytest.mark.parametrize(
    "matrix",
    [
        [[math.nan, 0]], [[math.inf, 0]], np.array([[0.0, math.nan]]), [[Fraction(3, 2)]], [[-1e-300]], [], [[]],
        [1, 0], [[1], [1, 0]], [["a"]], "ab", [[[1]]], [[1 + 2**-52]],
    ],
)  # fmt: skip
def test_a_matrix_that_is_not_one_of_weights_between_0_and_1_is_refused(matrix: Any) -> None:
    with pytest.raises(InvalidParameter, match="matrix"):
        LinearQueries(matrix)


@pytest.mark.parametrize(
    "histogram",
    [
        [31337, -1],
        [31337.0, 1.0],
        [math.nan, 1],
        [31337],
        {0: 31337, 9: 1},
        {0: 0.5},
        {0: True},
        {"x": 31337},
        "ab",
        31337,
    ],
)
def test_a_histogram_that_is_not_one_is_refused_without_showing_a_count(histogram: Any) -> None:
    with pytest.raises(InvalidParameter, match="histogram") as refusal:
        LinearQueries([[1, 0]]).answer(histogram)
    assert "31337" not in str(refusal.value)


def test_a_histogram_of_another_size_than_declared_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="declared size"):
        LinearQueries([[1, 0]], size=3).answer([2, 2])


def test_bounds_sizes_and_domains_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="size"):
        LinearQueries([[1]], size=0)
    with pytest.raises(InvalidParameter, match="lower=…, upper=…"):
        LinearQueries([[2]])
    with pytest.raises(InvalidParameter, match="3 types"):
        LinearQueries([[1, 0]], domain=IntegerInterval(0, 2))
    with pytest.raises(InvalidParameter, match="domain"):
        LinearQueries.of([bool], IntegerInterval(0, 10**12))
    with pytest.raises(InvalidParameter, match="matrix"):
        LinearQueries.of([], IntegerInterval(0, 1))
