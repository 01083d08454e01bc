"""Statements about distributions, distances and sums, each against the exact law it speaks of."""

import itertools
import math
from collections import deque
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import (
    Change,
    Distribution,
    IntegerInterval,
    Neighbours,
    accuracy,
    approximate_max_divergence,
    histogram,
    is_private,
    max_divergence,
)
from sfumato.errors import InvalidParameter

HALF = Fraction(1, 2)


# ---- sums ------------------------------------------------------------------------------------------------------------


def sum_of_coins(widths: list[int], p: Fraction) -> dict[int, Fraction]:
    """The law of a sum of independent variables, each its width with probability p and else 0."""
    law = {0: Fraction(1)}
    for width in widths:
        grown: dict[int, Fraction] = {}
        for value, mass in law.items():
            for step, chance in ((width, p), (0, 1 - p)):
                grown[value + step] = grown.get(value + step, Fraction(0)) + mass * chance
        law = grown
    return law


@pytest.mark.parametrize("widths", [[1], [7], [1, 1, 1], [1, 2, 3, 4], [5, 1, 1, 1, 1], [1] * 30, [3, 1] * 8])
@pytest.mark.parametrize("p", [Fraction(1, 10), HALF, Fraction(9, 10)])
def test_hoeffding_bounds_both_tails_of_sums_of_unequal_variables(widths: list[int], p: Fraction) -> None:
    law, mean = sum_of_coins(widths, p), sum(widths) * p
    for value in law:
        t = abs(value - mean) * Fraction(999_999, 1_000_000)  # beyond it by a hair, so that the value counts
        strays = sum((mass for other, mass in law.items() if abs(other - mean) > t), Fraction(0))
        assert strays <= Fraction(accuracy.hoeffding(widths, t))


def martingale(sizes: list[int], drift: Fraction = Fraction(0)) -> list[Fraction]:
    """Every end of a walk whose step has a fair sign and, after a fall, only half its size; all ends are as likely."""
    ends = []
    for signs in itertools.product((1, -1), repeat=len(sizes)):
        at, before = Fraction(0), 1
        for size, sign in zip(sizes, signs, strict=True):
            at, before = at + sign * (size if before > 0 else size * HALF) + drift, sign
        ends.append(at)
    return ends


@pytest.mark.parametrize("sizes", [[1], [3], [1, 1], [1, 2, 4], [4, 2, 1], [1] * 9, [5, 1, 1, 1, 1, 1]])
def test_azuma_bounds_a_walk_whose_steps_depend_on_its_past(sizes: list[int]) -> None:
    """A fair sign in front of a size c moves the expectation within a range of 2c."""
    ends = martingale(sizes)
    assert sum(ends) == 0
    for t in {end for end in ends if end > 0}:
        chance = Fraction(sum(end >= t for end in ends), len(ends))
        assert chance <= Fraction(accuracy.azuma([2 * size for size in sizes], t))


@pytest.mark.parametrize("k", [1, 2, 5, 9])
@pytest.mark.parametrize("drift", [Fraction(0), Fraction(-1, 4)])
def test_sums_that_drift_by_at_most_beta_exceed_it_as_azuma_says(k: int, drift: Fraction) -> None:
    """|C| ≤ α and E[C | past] ≤ β give Pr[ΣC > kβ + z√k·α] ≤ exp(-z²/2)."""
    alpha, beta = 1, max(Fraction(0), drift)
    ends = martingale([alpha] * k, drift)
    for end in {end for end in ends if end > k * beta}:
        t = (end - k * beta) * Fraction(999_999, 1_000_000)
        chance = Fraction(sum(other > k * beta + t for other in ends), len(ends))
        assert chance <= Fraction(accuracy.azuma([2 * alpha] * k, t))
    z, share = 1.5, Fraction(accuracy.azuma([2 * alpha] * k, 1.5 * math.sqrt(k)))
    assert float(share) == pytest.approx(math.exp(-z * z / 2))


def test_chernoff_is_azuma_for_independent_variables_in_the_unit_interval() -> None:
    for n, t in itertools.product((1, 7, 100), (0.01, 0.1, 0.6)):
        assert accuracy.chernoff(n, t) == pytest.approx(accuracy.azuma([1] * n, n * t))
        assert accuracy.chernoff(n, t) == pytest.approx(math.exp(-2 * n * t * t))


def test_stirling_is_the_square_root_of_2_pi_n_times_n_over_e_to_the_n() -> None:
    for n in (1, 2, 10, 170):
        low, high = accuracy.log_factorial_bounds(n)
        stirling = math.log(math.sqrt(2 * math.pi * n) * (n / math.e) ** n)
        assert stirling < low <= math.log(math.factorial(n)) <= high < stirling + 1 / (12 * n) + 1e-9


# ---- databases and distributions ------------------------------------------------------------------------------------


def one_step(x: tuple[int, ...], change: Change) -> set[tuple[int, ...]]:
    """The histograms that are one step away."""
    found = set()
    for i, j in itertools.product(range(len(x)), repeat=2):
        for add, remove in ((1, 0), (0, 1), (1, 1)):
            if (add + remove == 2) is (change is Change.REPLACE) and x[j] >= remove:
                y = list(x)
                y[i] += add
                y[j] -= remove
                found.add(tuple(y))
    return found


@pytest.mark.parametrize("change", list(Change))
def test_the_distance_of_histograms_is_the_number_of_single_steps_between_them(change: Change) -> None:
    """By search from every histogram of up to four records over three types."""
    small = [x for x in itertools.product(range(5), repeat=3) if sum(x) <= 4]
    relation = Neighbours(change)
    for start in small:
        steps, front = {start: 0}, deque([start])
        while front:
            here = front.popleft()
            for there in one_step(here, change):
                if there not in steps and sum(there) <= 8:
                    steps[there] = steps[here] + 1
                    front.append(there)
        for end in small:
            assert relation.distance(dict(enumerate(start)), dict(enumerate(end))) == steps.get(end)


def test_a_database_is_the_count_of_each_type_of_record() -> None:
    """The slides' (1, 0, 1, 0, 2): it holds 1, 3, 5 and 5, has size 4, and is one step from (1, 0, 1, 0, 1)."""
    domain = IntegerInterval(1, 5)
    one, other = histogram([5, 1, 5, 3], domain), histogram([1, 3, 5], domain)
    assert [one[i] for i in domain] == [1, 0, 1, 0, 2]
    assert sum(one.values()) == 4
    assert Neighbours().distance(one, other) == 1
    with pytest.raises(InvalidParameter, match="domain"):
        histogram([1, 6], domain)


weights = st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any)


def made(parts: list[int]) -> Distribution:
    return Distribution({k: Fraction(w, sum(parts)) for k, w in enumerate(parts)})


@given(weights)
def test_a_point_of_the_simplex_has_the_probabilities_it_was_given_and_no_more(parts: list[int]) -> None:
    p = made(parts)
    assert [p[k] for k in range(3)] == [Fraction(w, sum(parts)) for w in parts]
    assert p["another"] == 0
    for off in (Fraction(1, 10**12), -Fraction(1, 10**12)):
        with pytest.raises(InvalidParameter):
            Distribution({0: Fraction(1, 2), 1: Fraction(1, 2) + off})


@given(weights, weights)
def test_max_divergence_is_the_largest_loss_of_any_outcome(one: list[int], other: list[int]) -> None:
    p, q = made(one), made(other)
    losses = [math.log(p[k] / q[k]) if q[k] else math.inf for k in range(3) if p[k]]
    assert max_divergence(p, q) == pytest.approx(max(losses), abs=1e-12)


@given(weights, weights, st.fractions(0, 2, max_denominator=30), st.sampled_from([0, Fraction(1, 10), Fraction(1, 3)]))
def test_privacy_is_a_bound_on_the_divergence_in_both_directions(
    one: list[int], other: list[int], epsilon: Fraction, delta: Fraction
) -> None:
    p, q = made(one), made(other)
    worst = max(approximate_max_divergence(a, b, delta=delta) for a, b in ((p, q), (q, p)))
    if abs(worst - epsilon) > 1e-9:
        assert is_private(p, q, epsilon=epsilon, delta=delta) is (worst < epsilon)


@pytest.mark.parametrize("odds", [Fraction(11, 10), Fraction(3), Fraction(20)])
@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 100)])
def test_the_inequality_with_e_to_the_epsilon_and_delta_is_decided_at_its_edge(odds: Fraction, delta: Fraction) -> None:
    """Warner's coins with a share δ that tells: private at (ln odds, δ), and with a hair less of either it is not."""
    high, low = (1 - delta) * odds / (1 + odds), (1 - delta) / (1 + odds)
    p = Distribution({"yes": high, "no": low, "told": delta})
    q = Distribution({"yes": low, "no": high, "told too": delta})
    epsilon, hair = Fraction(math.log(odds)), Fraction(1, 10**9)
    assert is_private(p, q, epsilon=epsilon * (1 + hair), delta=delta)
    assert not is_private(p, q, epsilon=epsilon * (1 - hair), delta=delta)
    assert not delta or not is_private(p, q, epsilon=epsilon * (1 + hair), delta=delta * (1 - hair))
