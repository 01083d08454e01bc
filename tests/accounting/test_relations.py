"""Closeness as a relation, Rényi divergence with its limits, pairs that are close both ways: against exact laws."""

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from property_profile import examples
from sfumato.accounting import events as e
from sfumato.accounting import from_json, implies, mixture, optimal_delta, rdp_probability_bound, total, triangle
from sfumato.core.distribution import (
    Distribution,
    close_pair,
    hockey_stick,
    kl_divergence,
    max_divergence,
    renyi_divergence,
    statistical_distance,
)
from sfumato.errors import InvalidParameter

quick = examples(40)


def laws(size: int = 4) -> st.SearchStrategy[Distribution]:
    weights = st.lists(st.integers(0, 40), min_size=size, max_size=size).filter(any)
    return weights.map(lambda w: Distribution({i: Fraction(x, sum(w)) for i, x in enumerate(w)}))


@quick
@given(laws(), laws(), laws(), st.floats(0, 2), st.floats(0, 2))
def test_closeness_adds_up_along_a_chain(
    a: Distribution, b: Distribution, c: Distribution, e1: float, e2: float
) -> None:
    first, second = (e1, hockey_stick(a, b, epsilon=e1)), (e2, hockey_stick(b, c, epsilon=e2))
    epsilon, delta = triangle(first, second)
    assert hockey_stick(a, c, epsilon=epsilon) <= delta


def test_the_printed_triangle_inequality_is_false_and_ours_is_reached() -> None:
    """X shows 1 only where Y is e^ε₁ more likely to be than Z can explain: δ₁ + δ₂ is too little."""
    z = Distribution({0: Fraction(9, 10), 1: Fraction(1, 10)})
    y = Distribution({0: Fraction(7, 10), 1: Fraction(3, 10)})
    x = Distribution({0: Fraction(1, 10), 1: Fraction(9, 10)})
    e1, e2 = math.log(3) + 1e-12, math.log(2)
    d1, d2 = hockey_stick(x, y, epsilon=e1), hockey_stick(y, z, epsilon=e2)
    _, delta = triangle((e1, d1), (e2, d2))
    truth = hockey_stick(x, z, epsilon=e1 + e2)
    assert truth > (d1 + d2) * 1.5
    assert truth <= delta <= truth * (1 + 1e-6) + 1e-9


@quick
@given(st.tuples(laws(), laws()), st.tuples(laws(), laws()), st.fractions(0, 1), st.floats(0, 2))
def test_mixtures_are_as_close_as_the_worse_pair(
    a: tuple[Distribution, Distribution], b: tuple[Distribution, Distribution], p: Fraction, epsilon: float
) -> None:
    (a1, a2), (b1, b2) = a, b

    def mixed(x: Distribution, y: Distribution) -> Distribution:
        return Distribution({k: (1 - p) * x[k] + p * y[k] for k in range(4)})

    worse = mixture(*((epsilon, hockey_stick(x, y, epsilon=epsilon)) for x, y in ((a1, a2), (b1, b2))))
    assert hockey_stick(mixed(a1, b1), mixed(a2, b2), epsilon=worse[0]) <= worse[1]
    assert worse[1] <= max(hockey_stick(a1, a2, epsilon=epsilon), hockey_stick(b1, b2, epsilon=epsilon))


@quick
@given(laws(), laws(), st.floats(0, 3), st.floats(0, 3), st.floats(0, 0.5))
def test_what_is_implied_holds_for_every_pair(
    p: Distribution, q: Distribution, known: float, asked: float, also: float
) -> None:
    delta = max(hockey_stick(p, q, epsilon=known), hockey_stick(q, p, epsilon=known))
    if implies((known, delta), (asked, also)):
        assert max(hockey_stick(p, q, epsilon=asked), hockey_stick(q, p, epsilon=asked)) <= also


def test_privacy_is_monotone_and_no_more_is_implied_than_holds() -> None:
    for epsilon, delta in itertools.product((0, 0.5, 2), (0, 1e-6, 0.1)):
        assert implies((epsilon, delta), (epsilon, delta))
        assert implies((epsilon, delta), (epsilon + 1, delta + 0.1))
        assert not implies((epsilon, delta + 0.01), (epsilon, delta))
        worst = optimal_delta(0.25, epsilon, delta, 1) if epsilon > 0.25 else delta
        if epsilon > 0.25:
            assert implies((epsilon, delta), (0.25, min(1.0, worst)))
            assert not implies((epsilon, delta), (0.25, worst * (1 - 1e-6)))


@quick
@given(laws(), laws(), st.sampled_from([Fraction(3, 2), 2, 3, Fraction(21, 2)]))
def test_renyi_divergence_is_its_sum_and_grows_with_the_order(
    p: Distribution, q: Distribution, alpha: Fraction
) -> None:
    found = renyi_divergence(p, q, alpha=alpha)
    if any(p[k] and not q[k] for k in range(4)):
        assert found == math.inf
        return
    a = float(alpha)
    direct = math.log(math.fsum(float(p[k]) ** a * float(q[k]) ** (1 - a) for k in range(4) if p[k])) / (a - 1)
    assert found == pytest.approx(max(0, direct), abs=1e-9)
    assert kl_divergence(p, q) <= found + 1e-12 <= max_divergence(p, q) + 1e-11
    assert found <= renyi_divergence(p, q, alpha=alpha + 1) + 1e-12


def test_renyi_divergence_has_its_limits() -> None:
    p, q = Distribution({0: Fraction(3, 4), 1: Fraction(1, 4)}), Distribution({0: Fraction(1, 4), 1: Fraction(3, 4)})
    assert renyi_divergence(p, q, alpha=1) == kl_divergence(p, q)
    assert renyi_divergence(p, q, alpha=math.inf) == max_divergence(p, q) == pytest.approx(math.log(3))
    assert renyi_divergence(p, q, alpha=Fraction(1000001, 1000000)) == pytest.approx(kl_divergence(p, q), rel=1e-5)
    assert renyi_divergence(p, q, alpha=10**6) == pytest.approx(math.log(3), rel=1e-5)
    with pytest.raises(InvalidParameter):
        renyi_divergence(p, q, alpha=0.5)


@quick
@given(laws(), laws(), st.fractions(1, 6, max_denominator=20))
def test_close_both_ways_is_a_pair_near_by(p: Distribution, q: Distribution, ratio: Fraction) -> None:
    delta = max(
        sum(max(Fraction(0), x[k] - ratio * y[k]) for k in range(4)) for x, y in ((p, q), (q, p))
    )  # exactly, with e^ε = ratio
    near = close_pair(p, q, ratio=ratio)
    for own, found in zip((p, q), near, strict=True):
        assert statistical_distance(own, found) <= delta / (ratio + 1)
    assert all(near[0][k] <= ratio * near[1][k] and near[1][k] <= ratio * near[0][k] for k in range(4))


def test_a_pair_near_by_can_be_no_nearer() -> None:
    p, q = Distribution({0: 1, 1: 0}), Distribution({0: 0, 1: 1})
    near = close_pair(p, q, ratio=3)
    assert statistical_distance(p, near[0]) == Fraction(1, 4) == statistical_distance(q, near[1])


@quick
@given(laws(3), laws(3), st.sampled_from([1.5, 2.0, 8.0]))
def test_the_probability_bound_of_renyi_privacy_holds_for_every_event(
    p: Distribution, q: Distribution, alpha: float
) -> None:
    epsilon = renyi_divergence(p, q, alpha=alpha)
    if epsilon < math.inf:
        for size in range(1, 4):
            for chosen in itertools.combinations(range(3), size):
                in_p, in_q = (float(sum(law[k] for k in chosen)) for law in (p, q))
                assert in_p <= rdp_probability_bound(alpha, epsilon, in_q) + 1e-12


def test_the_probability_bound_is_reached() -> None:
    """A set and its complement with P/Q constant on it: at p(S) = 1 the bound is the whole."""
    for alpha in (1.5, 3.0):
        p, q = Distribution({0: 1}), Distribution({0: Fraction(1, 8), 1: Fraction(7, 8)})
        epsilon = renyi_divergence(p, q, alpha=alpha)
        assert epsilon == pytest.approx(math.log(8))
        assert rdp_probability_bound(alpha, epsilon, 1 / 8) == pytest.approx(1.0)
        assert rdp_probability_bound(alpha, epsilon * 0.9, 1 / 8) < 1


# ---- events that were missing --------------------------------------------------------------------------------


def test_order_infinity_is_pure_privacy() -> None:
    event = e.Renyi(math.inf, Fraction(1, 2))
    assert event.pure() == Fraction(1, 2)
    assert total([(event, 10)]).epsilon(1e-6) == pytest.approx(total([(e.Pure(0.5), 10)]).epsilon(1e-6), rel=1e-4)
    assert from_json(event.to_json()) == event
    assert event.to_json()["alpha"] == "infinity"
    assert e.Renyi(8, 1).pure() is None


def test_shifted_concentrated_privacy_is_a_shifted_line() -> None:
    event = e.ShiftedZCDP(Fraction(1, 4), Fraction(1, 8))
    assert event.rdp(3.0) == pytest.approx(0.25 + 3 / 8)
    assert event.rdp(3.0) >= 0.25 + 3 / 8
    assert from_json(event.to_json()) == event
    plain = total([e.ZCDP(Fraction(1, 8))]).epsilon(1e-6)
    assert total([event]).epsilon(1e-6) == pytest.approx(plain + 0.25, rel=1e-6)
    assert total([(event, 4)]).epsilon(1e-6) == pytest.approx(
        total([e.ShiftedZCDP(1, Fraction(1, 2))]).epsilon(1e-6), rel=1e-9
    )


def test_a_gaussian_by_rho_costs_rho_and_not_more() -> None:
    for rho, width in ((0.5, 1), (Fraction(1, 3), 2), (1e-6, Fraction(7, 3))):
        event = e.Gaussian.of_rho(rho, width)
        assert event.zcdp() <= Fraction(rho)
        assert float(event.zcdp()) == pytest.approx(float(rho), rel=1e-12)


def test_a_group_costs_what_its_events_cost_it() -> None:
    spent = total([(e.Laplace(0.1), 3), e.Gaussian(5)])
    assert spent.group(4).parts == total([(e.Group(4, e.Laplace(0.1)), 3), e.Group(4, e.Gaussian(5))]).parts
    assert spent.group(4).epsilon(1e-6) == pytest.approx(
        total([(e.Laplace(0.4), 3), e.Gaussian(5, 4)]).epsilon(1e-6), rel=1e-9
    )
    assert spent.group(1).epsilon(1e-6) == spent.epsilon(1e-6)
    assert total([e.ZCDP(Fraction(1, 8))]).group(3).parts[0][0].zcdp() == Fraction(9, 8)
    with pytest.raises(InvalidParameter):
        total([e.Renyi(2, 1)]).group(2)
