"""The named theorems: as proved, inverted, and against brute force."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.accounting import (
    advanced_composition,
    advanced_composition_inverse,
    basic_composition,
    dp_to_rdp,
    dp_to_zcdp,
    events,
    group_privacy,
    optimal_delta,
    probability_bound,
    rdp_to_dp,
    rdp_to_dp_improved,
    zcdp_to_dp,
    zcdp_to_dp_improved,
)
from sfumato.accounting.composition import kl_of_pure
from sfumato.core import Distribution, kl_divergence
from sfumato.errors import InvalidParameter

epsilons, deltas = st.floats(0.01, 3), st.floats(1e-12, 0.1)


@given(epsilons, deltas, st.integers(1, 2000))
def test_advanced_composition_is_never_worse_than_basic_and_never_below_optimal(e: float, d: float, k: int) -> None:
    value, delta = advanced_composition(e, 0.0, k, d)
    assert value <= k * e * (1 + 1e-9)
    assert delta == pytest.approx(d)
    assert optimal_delta(value, e, 0.0, k) <= d * (1 + 1e-9)
    printed, _ = advanced_composition(e, 0.0, k, d, tight=False)
    assert value <= printed


@given(epsilons, deltas, st.integers(1, 500))
def test_the_inverse_of_advanced_composition_meets_its_target(e: float, d: float, k: int) -> None:
    per_use = advanced_composition_inverse(e, d, k)
    assert advanced_composition(per_use, 0.0, k, d)[0] <= e
    assert per_use >= e / k * (1 - 1e-9)


def test_the_theorem_as_printed_in_the_lecture_is_wrong() -> None:
    """Errata A19: without the factor ε the first term has no ε at all."""
    wrong = math.sqrt(2 * 10 * math.log(1e6)) + 10 * 0.01 * math.expm1(0.01)
    assert wrong > 100 * advanced_composition(0.01, 0.0, 10, 1e-6, tight=False)[0] / 2


@given(epsilons)
def test_the_kl_of_pure_privacy_is_the_tight_one(e: float) -> None:
    """Errata B13, against randomised response itself."""
    from fractions import Fraction

    p = Fraction(1 / (1 + math.exp(-e)))
    yes, no = Distribution({1: p, 0: 1 - p}), Distribution({1: 1 - p, 0: p})
    assert kl_of_pure(e) == pytest.approx(kl_divergence(yes, no), rel=1e-9)
    assert kl_of_pure(e) < e * math.expm1(e)


@given(epsilons, deltas, st.integers(1, 6))
def test_group_privacy_holds_for_the_worst_mechanism(e: float, d: float, k: int) -> None:
    value, delta = group_privacy(e, d, k)
    assert value == pytest.approx(k * e)
    assert delta == pytest.approx(min(1.0, d * (math.exp(k * e) - 1) / (math.exp(e) - 1)))
    assert basic_composition([e] * k, [d] * k)[0] == pytest.approx(k * e)


@given(st.floats(1e-4, 5), deltas)
def test_improved_conversions_are_not_worse(rho: float, d: float) -> None:
    assert zcdp_to_dp_improved(rho, d) <= zcdp_to_dp(rho, d) * (1 + 1e-9)
    for alpha in (1.5, 3.0, 40.0):
        assert rdp_to_dp_improved(alpha, alpha * rho, d) <= rdp_to_dp(alpha, alpha * rho, d) * (1 + 1e-9)


@given(epsilons, st.floats(1.01, 100))
def test_pure_privacy_in_other_currencies(e: float, alpha: float) -> None:
    assert dp_to_zcdp(e) == pytest.approx(e * e / 2)
    assert dp_to_rdp(e, alpha) <= min(e, alpha * e * e / 2) * (1 + 1e-9)
    assert dp_to_rdp(e, 1e7) == pytest.approx(e, rel=1e-5)


@given(st.floats(0.01, 1.5), st.integers(1, 60), st.integers(0, 60))
def test_the_probability_bound_holds_for_the_worst_events(e: float, k: int, least: int) -> None:
    """Against k randomised responses: the event that at least so many say yes."""
    from scipy import stats

    up, down = 1 / (1 + math.exp(-e)), 1 / (1 + math.exp(e))
    with_me, without = (float(stats.binom.sf(min(least, k) - 1, k, p)) for p in (up, down))
    if without > 0:
        assert with_me <= probability_bound(e, k, min(1.0, without)) * (1 + 1e-9)


def test_optimal_composition_by_hand() -> None:
    """Two uses at ε = ln 3: losses ±2 ln 3 and 0; at ε_total = ln 3, δ = (9/16)·(1 - 1/3)."""
    assert optimal_delta(math.log(3), math.log(3), 0.0, 2) == pytest.approx(9 / 16 * 2 / 3)
    assert optimal_delta(10, math.log(3), 0.01, 2) == pytest.approx(1 - 0.99**2)


@pytest.mark.parametrize("call", [
    lambda: rdp_to_dp(2, 1, 0), lambda: zcdp_to_dp(1, 2), lambda: advanced_composition(-1, 0, 1, 0.1),
    lambda: advanced_composition(1, 0, 1, 0), lambda: advanced_composition(1, 1.5, 1, 0.1),
    lambda: advanced_composition(math.nan, 0, 1, 0.1), lambda: group_privacy(1, 0, 0),
    lambda: rdp_to_dp_improved(2, math.nan, 1e-6), lambda: rdp_to_dp_improved(2, -1, 1e-6), lambda: rdp_to_dp(0.5, 1, 1e-6),
    lambda: zcdp_to_dp_improved(math.nan, 1e-6), lambda: zcdp_to_dp_improved(-1, 1e-6), lambda: zcdp_to_dp(-1, 1e-6),
    lambda: group_privacy(math.nan, 0, 1), lambda: group_privacy(-1, 0, 1), lambda: basic_composition([math.nan], [0]),
    lambda: probability_bound(1, 1, 0), lambda: probability_bound(-1, 1, 0.5), lambda: dp_to_zcdp(math.nan), lambda: dp_to_rdp(-1, 2), lambda: optimal_delta(-1, 0.5, 0, 3),
])  # fmt: skip
def test_bad_arguments_are_refused(call: object) -> None:
    with pytest.raises(InvalidParameter):
        call()  # type: ignore[operator]


def test_overflow_is_infinite_and_not_an_error() -> None:
    assert group_privacy(100, 1e-6, 10)[1] == 1.0
    assert advanced_composition(1000, 0, 2, 1e-6, tight=False)[0] == math.inf
    assert optimal_delta(math.inf, 1, 0.1, 3) == pytest.approx(1 - 0.9**3)
    assert rdp_to_dp_improved(2, math.inf, 1e-6) == math.inf


@pytest.mark.parametrize("epsilon", [1e-3, 1e-6, 1e-9, 1e-12, 1e-100, 1e-200])
@pytest.mark.parametrize("kind", [events.Pure, events.Laplace, events.Geometric, events.RandomizedResponse])
def test_small_prices_do_not_vanish_in_rounding(kind: Any, epsilon: float) -> None:
    """The curve of randomised response at small ε is αε²/2·(1 - O(ε)); a computed zero would make it free."""
    for alpha in (1.5, 2.0, 8.0, 64.0):
        price, limit = kind(epsilon).rdp(alpha), alpha * epsilon**2 / 2
        assert price > 0
        assert price <= max(limit * (1 + 1e-9), 5e-324)
        if kind is not events.Laplace and epsilon < 1e-2:
            assert price >= limit * (1 - 1e-2)
