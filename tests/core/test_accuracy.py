"""Concentration inequalities hold for exact binomial tails, and the misprinted ones do not."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sfumato.core import Accuracy, accuracy
from sfumato.errors import InvalidParameter
from sfumato.exact.rounding import up

sizes, means = st.integers(1, 400), st.floats(0.01, 0.99)


@given(sizes, means, st.floats(0, 1))
def test_chernoff_bounds_binomial_tails(n: int, mu: float, t: float) -> None:
    above = stats.binom.sf(math.floor(n * (mu + t)), n, mu)
    below = stats.binom.cdf(math.ceil(n * (mu - t)) - 1, n, mu)
    assert max(above, below) <= accuracy.chernoff(n, t) * (1 + 1e-9)
    assert accuracy.hoeffding([1] * n, n * t) >= (above + below) * (1 - 1e-9)
    assert accuracy.azuma([1] * n, n * t) == pytest.approx(accuracy.chernoff(n, t))


@given(sizes, means, st.floats(0, 1))
def test_multiplicative_chernoff_bounds_binomial_tails(n: int, mu: float, r: float) -> None:
    above = stats.binom.sf(math.floor(n * mu * (1 + r) + 1e-9), n, mu)
    below = stats.binom.cdf(math.ceil(n * mu * (1 - r) - 1e-9) - 1, n, mu)
    assert above <= accuracy.chernoff_above(n, mu, r) * (1 + 1e-9)
    assert below <= accuracy.chernoff_below(n, mu, r) * (1 + 1e-9)


def test_the_printed_multiplicative_bound_is_false() -> None:
    """Errata B1: exp(-2nε²/3) without μ claims far less than the truth; the corrected one holds."""
    n, mu, r = 100, 0.05, 0.5
    true = float(stats.binom.sf(math.floor(n * mu * (1 + r)), n, mu))
    assert math.exp(-2 * n * r * r / 3) < true / 1e4
    assert accuracy.chernoff_above(n, mu, r) >= true


@given(st.lists(st.floats(0.01, 10), min_size=1, max_size=5), st.floats(1e-6, 0.5))
def test_deviations_invert_their_bounds(widths: list[float], beta: float) -> None:
    most = up(Fraction(str(beta)))
    for bound, deviation in (
        (accuracy.hoeffding, accuracy.hoeffding_deviation),
        (accuracy.azuma, accuracy.azuma_deviation),
    ):
        t = deviation(widths, beta)
        assert bound(widths, t) <= most
        assert bound(widths, t * (1 - 1e-9)) >= beta * (1 - 1e-6)
    assert accuracy.chernoff(7, accuracy.chernoff_deviation(7, beta)) <= most


def test_azuma_takes_ranges_not_deviations() -> None:
    """A coin of ±1 has c = 2: with c = 1 the bound would be below the truth."""
    true = float(stats.binom.sf(59, 100, 0.5))  # a sum of 100 coins of ±1 is at least 20
    assert accuracy.azuma([2] * 100, 20) >= true
    assert accuracy.azuma([1] * 100, 20) < true


@given(st.integers(0, 3000))
def test_stirling_encloses_the_factorial(n: int) -> None:
    low, high = accuracy.log_factorial_bounds(n)
    assert low <= math.lgamma(n + 1) * (1 + 1e-15) + 1e-15
    assert high >= math.lgamma(n + 1) * (1 - 1e-15) - 1e-15
    assert high - low < 1 / (12 * n) ** 2 + 1e-9 * n if n else high == low


@pytest.mark.parametrize("bad", [-1, math.nan, "a tenth", True])
def test_bad_arguments_are_refused(bad: object) -> None:
    for call in (
        lambda: accuracy.chernoff(10, bad),  # type: ignore[arg-type]
        lambda: accuracy.hoeffding([bad], 1),  # type: ignore[list-item]
        lambda: accuracy.chernoff_above(10, 0.5, bad),  # type: ignore[arg-type]
        lambda: accuracy.chernoff_deviation(10, bad),  # type: ignore[arg-type]
    ):
        with pytest.raises(InvalidParameter):
            call()  # type: ignore[no-untyped-call]
    for call in (lambda: accuracy.hoeffding(3, 1), lambda: accuracy.log_factorial_bounds(10**400)):  # type: ignore[arg-type, assignment]
        with pytest.raises(InvalidParameter):
            call()  # type: ignore[no-untyped-call]
    with pytest.raises(InvalidParameter, match="beta"):
        accuracy.chernoff_deviation(10, 0)
    with pytest.raises(InvalidParameter, match="ratio"):
        accuracy.chernoff_above(10, 0.5, 2)


def test_accuracy_statements_read_as_sentences() -> None:
    assert str(Accuracy(alpha=3.0, beta=0.01)) == "within 3 with probability 99 %"
    for alpha, beta in ((1.0, 0.0), (1.0, 1.0), (-1.0, 0.5), (math.nan, 0.5)):
        with pytest.raises(InvalidParameter):
            Accuracy(alpha=alpha, beta=beta)
