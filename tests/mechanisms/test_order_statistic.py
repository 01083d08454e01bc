"""Order statistics: smooth sensitivity against brute force, over the formula and over all databases."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sfumato.core import Change, IntegerInterval, Neighbours
from sfumato.errors import InvalidParameter
from sfumato.exact.rounding import exp_down
from sfumato.mechanisms.order_statistic import Median, Ordered, OrderStatistic
from sfumato.mechanisms.smooth import FLOOR, SmoothSensitivity, local_sensitivity, smooth_sensitivity
from sources import SeededBits

REPLACE = Neighbours(Change.REPLACE)


def at(rows: Any, upper: int, i: int) -> int:
    """x(i), counted from 1, with 0 before the first and upper after the last."""
    return 0 if i < 1 else upper if i > len(rows) else rows[i - 1]


def within(rows: Any, upper: int, m: int, k: int, *, last: int | None = None) -> int:
    """A(k) by the formula, t running to `last`, which is k + 1 where it is right."""
    rows = sorted(rows)
    steps = range((k + 1 if last is None else last) + 1)
    return max(at(rows, upper, m + t) - at(rows, upper, m + t - k - 1) for t in steps)


def by_formula(rows: Any, upper: int, m: int, beta: float) -> float:
    """S by O(n²) array work, in floats at β itself."""
    x = np.array([0, *sorted(rows), upper], dtype=np.float64)
    i, j = np.arange(m + 1)[:, None], np.arange(m, len(x))
    moves = (x[j] - x[i]) * np.exp(-beta * np.maximum(j - i - 1, 0))
    return max(FLOOR, float(moves.max()))


def close_from_above(got: float, exact: float, n: int) -> bool:
    """Not below the exact S but for the roundings of the test's own floats, and above by the allowance at most."""
    return exact * (1 - 1e-13) <= got <= exact * (1 + (n + 2) * 2.0**-36)


# --- against all databases --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "upper", "rank"), [(1, 3, 1), (2, 3, 1), (2, 3, 2), (3, 3, 2), (4, 3, 2), (4, 2, 4), (5, 2, 3)]
)
def test_smooth_sensitivity_is_that_of_all_databases_at_every_distance(n: int, upper: int, rank: int) -> None:
    domain, bound = IntegerInterval(0, upper), OrderStatistic(0, upper, rank=rank)
    everything = list(product(domain, repeat=n))
    local = {
        rows: int(local_sensitivity(lambda r: sorted(r)[rank - 1], rows, domain, neighbours=REPLACE))
        for rows in everything
    }
    for rows in combinations_with_replacement(domain, n):
        assert bound.value(rows) == rows[rank - 1]
        assert bound.local_sensitivity(rows) == local[rows]
        by_distance = [0] * (n + 1)
        for other in everything:
            moved = sum(a != b for a, b in zip(rows, other, strict=True))
            by_distance[moved] = max(by_distance[moved], local[other])
        a = [max(by_distance[: k + 1]) for k in range(n + 1)]
        assert a == [within(rows, upper, rank, k) for k in range(n + 1)]
        assert a == [bound.local_sensitivity_within(rows, k) for k in range(n + 1)]
        assert bound.local_sensitivity_within(rows, 10**9) == upper
        for beta in (0.01, 0.3, 1, 4):
            assert bound.measure(rows, beta).smooth == pytest.approx(smooth_sensitivity(a, beta=beta), rel=1e-10)


@pytest.mark.parametrize("beta", [2.0**-30, 0.05, 0.7, 3, 50])
@pytest.mark.parametrize("rank", [1, 3, 5])
def test_the_bound_is_smooth_over_all_neighbours_as_a_theorem(rank: int, beta: float) -> None:
    """Compared as rationals with exp(β) rounded down, so that no float forgives a breach."""
    bound, values = OrderStatistic(0, 9, rank=rank), (0, 1, 5, 8, 9)
    most = Fraction(exp_down(beta))
    smooth = {rows: bound.measure(rows, beta).smooth for rows in combinations_with_replacement(values, 5)}
    for rows, s in smooth.items():
        assert s >= bound.local_sensitivity(rows)
        for i in range(5):
            for new in values:
                other = tuple(sorted((*rows[:i], new, *rows[i + 1 :])))
                assert Fraction(s) <= most * Fraction(smooth[other])  # type: ignore[index]


@given(st.lists(st.integers(0, 50), min_size=1, max_size=12), st.data(), st.sampled_from([1e-8, 1e-3, 0.1, 0.9, 7.9]))
def test_a_neighbours_bound_is_within_e_to_the_beta(rows: list[int], data: st.DataObject, beta: float) -> None:
    other = list(rows)
    other[data.draw(st.integers(0, len(rows) - 1))] = data.draw(st.integers(0, 50))
    one, two = (Median(0, 50).measure(r, beta).smooth for r in (rows, other))
    assert Fraction(one) <= Fraction(exp_down(beta)) * Fraction(two)


@pytest.mark.parametrize("grid", [None, Fraction(1, 2)])
def test_a_of_k_is_the_largest_local_sensitivity_within_k_changes(grid: Fraction | None) -> None:
    """The example of the slides, where t up to k underestimates: 5 instead of 10 at k = 2 (errata A10)."""
    rows, bound = (0, 0, 0, 0, 0, 5, 10), Median(0, 10, grid)
    unit = 1 if grid is None else 2
    found = [bound.local_sensitivity_within(rows[::-1], k) for k in range(5)]
    assert found == [unit * a for a in (0, 5, 10, 10, 10)]
    assert within(rows, 10, 4, 2, last=2) == 5
    for other in ((0, 3, 4, 6, 10), (1, 1, 2, 9), (7,), (2, 5, 5, 8, 8, 9)):
        m = (len(other) + 1) // 2
        got = [bound.local_sensitivity_within(other, k) for k in range(7)]
        assert got == [unit * within(other, 10, m, k) for k in range(7)]
    assert found[0] == bound.local_sensitivity(rows)
    for beta in (0.1, 1):
        assert bound.measure(rows, beta).smooth == pytest.approx(smooth_sensitivity(found, beta=beta), rel=1e-9)
    for bad in (-1, 1.5, None):
        with pytest.raises(InvalidParameter, match="changes"):
            bound.local_sensitivity_within(rows, bad)  # type: ignore[arg-type]


# --- against the formula ----------------------------------------------------------------------------------------


@given(
    st.lists(st.one_of(st.integers(0, 1000), st.sampled_from([0, 500, 1000])), min_size=1, max_size=60),
    st.data(),
    st.sampled_from([1e-8, 1e-4, 0.01, 0.1, 0.5, 2, 8]),
)
def test_the_search_finds_what_brute_force_finds(rows: list[int], data: st.DataObject, beta: float) -> None:
    rank = data.draw(st.integers(1, len(rows)))
    got = OrderStatistic(0, 1000, rank=rank).measure(rows, beta)
    assert got.value == sorted(rows)[rank - 1]
    assert close_from_above(got.smooth, by_formula(rows, 1000, rank, beta), len(rows))


TOP = 2**40
SHAPES: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "even": lambda u: u * TOP,
    "all the same": lambda u: u * 0,
    "two heaps": lambda u: np.where(u < 0.5, 0, TOP),
    "growing without end": lambda u: TOP ** np.abs(2 * u - 1) * np.sign(2 * u - 1) / 2 + TOP / 2,
    "dense in the middle": lambda u: TOP / 2 + TOP / 2 * (2 * u - 1) ** 9,
    "flattening": lambda u: TOP / 2 + TOP / 2 * np.sign(u - 0.5) * np.sqrt(np.abs(2 * u - 1)),
    "steps": lambda u: np.floor(u * 40) ** 2 * (TOP / 1600),
    "logarithms": lambda u: TOP / 2 - np.sign(u - 0.5) * np.log(np.maximum(np.abs(2 * u - 1), 1e-9)) * TOP / 50,
}


@pytest.mark.parametrize("beta", [2.0**-30, 1e-4, 1e-3, 0.02])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_search_holds_out_on_adversarial_data(shape: str, beta: float) -> None:
    rows = np.clip(SHAPES[shape](np.linspace(0, 1, 2001)), 0, TOP).astype(np.int64)
    got = Median(0, TOP).measure(rows, beta).smooth
    assert close_from_above(got, by_formula(rows, TOP, 1001, beta), len(rows))


def test_the_best_right_end_moves_with_the_left_end() -> None:
    """What the search relies on, and that the shapes above give it work to do."""
    x = np.array([0, *np.clip(SHAPES["flattening"](np.linspace(0, 1, 2001)), 0, TOP).astype(np.int64), TOP])
    i, j = np.arange(1002)[:, None], np.arange(1001, 2003)
    best = ((x[j] - x[i]) * np.exp(-1e-3 * np.maximum(j - i - 1, 0))).argmax(axis=1)
    assert (np.diff(best) >= 0).all()
    assert len(set(best)) > 100


# --- the slides' formulas as controls ---------------------------------------------------------------------------


def test_t_up_to_k_underestimates() -> None:
    """Errata A10: on (0,0,0,0,0,5,10) with two changes the slides' A(2) is 5, and the truth 10."""
    rows, m = (0, 0, 0, 0, 0, 5, 10), 4
    assert within(rows, 10, m, 2, last=2) == 5
    assert within(rows, 10, m, 2) == 10
    # One database two changes away that shows it: 0, 0, 0, 0, 10 | 10, 10 has median 0, and a neighbour's is 10.
    changed = (0, 0, 0, 0, 10, 10, 10)
    assert sum(a != b for a, b in zip(rows, changed, strict=True)) == 2
    median = lambda r: sorted(r)[3]  # noqa: E731
    assert local_sensitivity(median, changed, IntegerInterval(0, 10), neighbours=REPLACE) == 10
    assert Median(0, 10).measure(rows, 0.1).smooth == pytest.approx(10 * math.exp(-0.2), rel=1e-9)


def test_the_underestimate_is_no_smooth_bound() -> None:
    def slides(rows: tuple[int, ...]) -> float:
        return max(math.exp(-k * 0.1) * within(rows, 10, 4, k, last=k) for k in range(8))

    one, other = (0, 0, 0, 0, 10, 10, 10), (0, 0, 0, 0, 0, 10, 10)
    assert within(one, 10, 4, 0, last=0) == 0 < Median(0, 10).local_sensitivity(one)
    assert slides(other) < Median(0, 10).measure(other, 0.1).smooth


def test_the_slides_example_has_its_local_sensitivity() -> None:
    rows = (1, 2, 3, 4, 5, 6, 7, 8, 9)
    assert Median(0, 10).value(rows) == 5
    assert Median(0, 10).local_sensitivity(rows) == 1
    assert [within(rows, 10, 5, k) for k in range(10)] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]


# --- data on their way in ---------------------------------------------------------------------------------------


def test_an_even_number_of_values_has_the_lower_median() -> None:
    assert Median(0, 9).value([1, 3, 4, 8]) == 3
    assert Median(0, 9).value([7]) == 7


@pytest.mark.parametrize(
    "kind", [list, tuple, np.array, lambda r: np.array(r, dtype=np.uint64), lambda r: np.array(r, dtype=np.int8)]
)
def test_every_kind_of_whole_number_is_read_alike(kind: Callable[[Any], Any]) -> None:
    assert Median(-5, 50).measure(kind([9, 1, 60, 4, 100]), 0.5) == Median(-5, 50).measure([1, 4, 9, 50, 50], 0.5)


def test_wild_values_are_clipped() -> None:
    whole = Median(-5, 50)
    assert whole.value([-(2**62), 2**62, 2**62]) == 50
    assert whole.value(np.array([2**64 - 1, 2**63, 7], dtype=np.uint64)) == 50
    assert whole.value([10**30, -(10**30), 10**30]) == 50
    real = Median(-5, 50, 0.5)
    assert real.value([-1e308, 1e308, 1e308]) == 100
    assert real.value([10**30, 10**30, 1]) == 100
    assert real.value([Fraction(10**30), 2.5, Fraction(3)]) == 6


def test_reals_are_placed_on_the_nearest_grid_point() -> None:
    median = Median(0, 10, Fraction(1, 10))
    assert [median.value([x]) for x in (0.0, 0.04, 0.06, 9.97, 3.14159)] == [0, 0, 1, 100, 31]
    rows = np.array([0.31, 2.22, 2.48, 9.99, 7.0])
    assert median.measure(rows, 0.2) == Median(0, 100).measure([3, 22, 25, 100, 70], 0.2)
    assert median.measure(rows.astype(np.float32), 0.2) == median.measure(rows, 0.2)
    assert median.largest == 100
    assert median.rounding == Fraction(1, 2)


def test_intervals_away_from_zero_are_measured_from_their_own_ends() -> None:
    moved = Median(10**15, 10**15 + 100)
    value, smooth = moved.measure(np.array([3, 50, 51, 60]) + 10**15, 0.5)
    assert (value, smooth) == (50 + 10**15, Median(0, 100).measure([3, 50, 51, 60], 0.5).smooth)


def test_data_are_left_as_they_were() -> None:
    rows = np.array([5, 3, 9, 1])
    SmoothSensitivity(bound=Median(0, 9), epsilon=1).release(rows, bits=SeededBits(1))
    assert rows.tolist() == [5, 3, 9, 1]


def test_a_million_values_are_measured() -> None:
    rows = np.arange(10**6) % 1001 / 10
    value, smooth = Median(0, 100, Fraction(1, 10)).measure(rows, 0.01)
    assert value == 500
    ordered = np.sort(np.arange(10**6) % 1001)
    near = ordered[500_000 - 4000 : 500_000 + 4000]  # 8000 places with the median 4000th; exp(-40)·1000 is no match
    exact = by_formula(near - near[0], 1000, 4000, 0.01)  # the ends stand for all that is farther
    assert close_from_above(smooth, exact, 8000)


@pytest.mark.parametrize(
    ("data", "named"),
    [
        ([], "data must not be empty"),
        ([[1, 2]], "data must be one value a person"),
        (np.array(4242), "data must be one value a person"),
        (4242, "data must be a list, a tuple or an array"),
        ("4242", "data must be a list, a tuple or an array"),
        ([4242, "x"], "data must be real numbers"),
        ([4242, None], "data must be real numbers"),
        ([True, False], "data must be real numbers"),
        ([[4242], [1, 2]], "data must"),
    ],
)
@pytest.mark.parametrize("grid", [None, 0.5])
def test_data_that_are_no_values_are_refused_without_being_shown(data: Any, named: str, grid: float | None) -> None:
    for ask in (Median(0, 9, grid).value, SmoothSensitivity(bound=Median(0, 9, grid), epsilon=1).release):
        with pytest.raises(InvalidParameter, match=named) as caught:
            ask(data)
        assert "4242" not in str(caught.value)


@pytest.mark.parametrize("data", [[1.5, 4242.0], [Fraction(1, 2), 4242], np.array([1.0])])
def test_reals_without_a_grid_are_refused(data: Any) -> None:
    with pytest.raises(InvalidParameter, match="declare a grid") as caught:
        Median(0, 9).value(data)
    assert "4242" not in str(caught.value)


@pytest.mark.parametrize(
    ("build", "named"),
    [
        (lambda: Median(1, 1), "upper must be above lower"),
        (lambda: Median(2, 1), "upper must be above lower"),
        (lambda: Median(0, math.inf, 1), "upper must be finite"),
        (lambda: Median(math.nan, 1, 1), "lower must be finite"),
        (lambda: Median(0, 0.5), "lower and upper must be whole"),
        (lambda: Median(0, 1, 0), "grid must be positive"),
        (lambda: Median(0, 1, 4), "grid must be finer"),
        (lambda: Median(0, 1, 1e-20), "upper must be at most"),
        (lambda: OrderStatistic(0, 1, rank=0), "rank must be at least 1"),
        (lambda: OrderStatistic(0, 1, rank=3).value([0, 1]), "rank must be at most 2"),
    ],
)
def test_bounds_that_cannot_be_are_refused(build: Callable[[], Ordered], named: str) -> None:
    with pytest.raises(InvalidParameter, match=named):
        build()
