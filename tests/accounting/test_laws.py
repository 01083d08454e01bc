"""The algebra of privacy loss, over random events, and small compositions against enumeration."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from property_profile import examples
from sfumato.accounting import events, from_json, lattice, losslaw, pld, total
from sfumato.accounting.events import Event
from sfumato.errors import InvalidParameter

pytestmark = pytest.mark.slow

quick = examples(25, suppress_health_check=[HealthCheck.too_slow])
epsilons = st.floats(0.02, 2)
plain = st.one_of(
    st.builds(events.Pure, epsilons),
    st.builds(events.Approximate, epsilons, st.floats(1e-12, 1e-8)),
    st.builds(events.Laplace, epsilons),
    st.builds(events.Geometric, epsilons, st.integers(1, 4)),
    st.builds(events.Gaussian, st.floats(0.5, 30)),
    st.builds(events.DiscreteGaussian, st.floats(0.6, 30)),
    st.builds(events.RandomizedResponse, epsilons, st.integers(2, 6)),
    st.builds(events.Exponential, epsilons),
    st.builds(events.ZCDP, st.floats(0.001, 0.5)),
    st.builds(events.PermuteAndFlip, epsilons),
    st.builds(events.CensoredGeometric, st.floats(0.5, 2), st.integers(30, 60)),
)
trees: st.SearchStrategy[Event] = st.recursive(
    plain,
    lambda inner: st.one_of(
        st.builds(lambda parts: events.Parallel(parts), st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda parts: events.Composition(parts), st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda e, d: events.Thresholded(e, d), inner, st.floats(1e-12, 1e-9)),
        st.builds(lambda e, d: events.Converted(e, d), inner, st.floats(1e-9, 1e-7)),
    ),
    max_leaves=4,
)
DELTA = 1e-6


def close(a: float, b: float) -> bool:
    return a == b or abs(a - b) <= 2e-3 * max(a, b) + 1e-9


@quick
@given(trees, st.integers(1, 5))
def test_n_times_is_n_in_a_row(event: Event, n: int) -> None:
    assert (n * total([event])).parts == total([event] * n).parts
    assert (n * total([event])).epsilon(DELTA) == total([(event, n)]).epsilon(DELTA)
    summed = total([event])
    for _ in range(n - 1):
        summed = summed + total([event])
    assert summed.epsilon(DELTA) == total([(event, n)]).epsilon(DELTA)


@quick
@given(st.lists(trees, min_size=2, max_size=4), st.randoms(use_true_random=False))
def test_order_does_not_matter(parts: list[Event], random: Any) -> None:
    shuffled = list(parts)
    random.shuffle(shuffled)
    assert close(total(parts).epsilon(DELTA), total(shuffled).epsilon(DELTA))


@quick
@given(trees, st.integers(1, 20), st.integers(1, 20))
def test_more_costs_more(event: Event, few: int, more: int) -> None:
    small, large = total([(event, few)]), total([(event, few + more)])
    assert small.epsilon(DELTA) <= large.epsilon(DELTA) * (1 + 2e-3) + 1e-9


@quick
@given(trees, st.floats(-9, -2), st.floats(0.1, 3))
def test_a_larger_delta_needs_no_larger_epsilon(event: Event, exponent: float, step: float) -> None:
    tight, loose = 10**exponent, min(0.5, 10 ** (exponent + step))
    assert total([event]).epsilon(loose) <= total([event]).epsilon(tight) * (1 + 2e-3) + 1e-9


@quick
@given(st.floats(0.5, 20), st.floats(1.05, 3), st.integers(1, 50))
def test_more_noise_costs_less(sigma: float, factor: float, n: int) -> None:
    for kind, low, high in (
        (events.Gaussian, sigma, sigma * factor),
        # below σ = 3 one discrete Gaussian is not monotone: its losses sit on a lattice that moves with σ
        (events.DiscreteGaussian, sigma + 3, (sigma + 3) * factor),
        (lambda s: events.Laplace(1 / s), sigma, sigma * factor),
        (lambda s: events.Subsampled(0.1, events.Gaussian(s)), sigma, sigma * factor),
    ):
        assert total([(kind(high), n)]).epsilon(DELTA) <= total([(kind(low), n)]).epsilon(DELTA) * (1 + 2e-3)


@quick
@given(st.lists(plain, min_size=1, max_size=3))
def test_parallel_costs_no_more_than_sequential_and_no_less_than_any_part(parts: list[Event]) -> None:
    parallel = total([events.Parallel(parts)]).epsilon(DELTA)
    assert parallel <= total(parts).epsilon(DELTA) * (1 + 2e-3) + 1e-9
    assert parallel >= max(total([part]).epsilon(DELTA) for part in parts) * (1 - 1e-9)


@quick
@given(st.lists(plain, min_size=1, max_size=3))
def test_lower_is_below_upper(parts: list[Event]) -> None:
    loss = total(parts)
    assert loss.lower_epsilon(DELTA) <= loss.epsilon(DELTA) * (1 + 1e-9) + 1e-12


@quick
@given(st.lists(plain, min_size=1, max_size=3), st.floats(0.01, 4))
def test_epsilon_and_delta_agree(parts: list[Event], epsilon: float) -> None:
    loss = total(parts)
    delta = loss.delta(epsilon)
    assert 0 <= delta <= 1
    if 1e-9 < delta < 0.4:  # at δ itself nothing may be left beside the events' own failures
        assert loss.epsilon(2 * delta) <= epsilon * 1.01 + 0.01


@quick
@given(trees)
def test_json_keeps_the_event_and_its_price(event: Event) -> None:
    import json

    back = from_json(json.loads(json.dumps(event.to_json())))
    assert back == event
    assert total([back]).epsilon(DELTA) == total([event]).epsilon(DELTA)
    assert (back.pure(), back.pure_delta(), back.zcdp()) == (event.pure(), event.pure_delta(), event.zcdp())


def test_the_closed_forms_of_randomised_response_and_geometric_agree() -> None:
    for n in (1, 3, 40):
        price = {
            total([(kind, n)]).epsilon(DELTA)
            for kind in (events.Pure(0.5), events.Geometric(0.5), events.RandomizedResponse(0.5))
        }
        assert max(price) - min(price) < 1e-9


# ---- small compositions, outcome by outcome ---------------------------------------------------------------


def enumerated_delta(laws: list[losslaw.LossLaw], epsilon: float) -> float:
    """δ(ε) of a composition of laws with atoms only, over all tuples of outcomes."""
    finite = 0.0
    for outcome in itertools.product(*(zip(law.losses, np.exp(law.log_masses), strict=True) for law in laws)):
        loss = sum(atom for atom, _ in outcome)
        if loss > epsilon:
            finite += math.prod(p for _, p in outcome) * -math.expm1(epsilon - loss)
    infinite = 1 - math.prod(1 - law.infinite for law in laws)
    return finite + infinite


@quick
@given(st.lists(st.tuples(epsilons, st.integers(1, 3)), min_size=1, max_size=3), st.floats(0, 3))
def test_composition_dominates_enumeration_closely(shapes: list[tuple[float, int]], epsilon: float) -> None:
    laws = [losslaw.geometric(e, s) for e, s in shapes]
    true = enumerated_delta(laws, epsilon)
    found = pld.compose([(law, 1) for law in laws], 1e-9).delta(epsilon)
    assert found >= true * (1 - 1e-9)
    assert found <= true * 1.01 + 2e-3
    below = pld.compose([(law, 1) for law in laws], 1e-9, lattice.merge_the_cells)
    if true > 1e-9:
        assert below.epsilon_below(true) <= epsilon * (1 + 1e-6) + 1e-9


def test_rounding_losses_to_the_nearest_point_would_be_convicted() -> None:
    """The broken twin of connect-the-dots falls below the enumerated truth."""
    law, step, epsilon = losslaw.geometric(0.7, 3), 0.11, 0.35
    losses = np.rint(law.losses / step) * step
    broken = losslaw.LossLaw(np.floor(law.losses / step) * step, law.log_masses)
    true = enumerated_delta([law], epsilon)
    assert enumerated_delta([broken], epsilon) < true
    points = lattice.connect_the_dots(law, step, lattice.survey(law, 30.0), 30.0)
    filled = points.masses > 0
    dots = losslaw.LossLaw(points.losses()[filled], np.log(points.masses[filled]))
    assert enumerated_delta([dots], epsilon) >= true
    assert len(losses) == len(law.losses)


@pytest.mark.parametrize("delta", [1e-18, 1e-15, 1e-12, 1e-3, 0.1])
def test_deltas_from_tiny_to_large(delta: float) -> None:
    """Against the closed form: the same Gaussians with and without the closed form's help."""
    true = total([(events.Gaussian(3), 4)]).epsilon(delta)
    composed = pld.compose([(losslaw.gaussian(1 / 3), 4)], delta).epsilon(delta)
    assert true <= composed <= true * 1.0005 + 1e-4
    exact = total([(events.Pure(0.3), 30)])
    from sfumato.accounting import optimal_delta

    assert optimal_delta(exact.epsilon(delta), 0.3, 0.0, 30) <= delta * (1 + 1e-6)
    assert optimal_delta(exact.epsilon(delta) * 0.9999 - 1e-9, 0.3, 0.0, 30) >= delta * (1 - 1e-6) or delta == 0.1


def test_both_directions_of_subsampling_count() -> None:
    """Removing a person costs more here; an accountant that looked only at adding would be convicted."""
    laws = events.Subsampled(0.01, events.Gaussian(0.8)).laws()
    assert laws is not None
    remove, add = (pld.compose([(law, 1000)], DELTA).epsilon(DELTA) for law in laws)
    assert add < 0.7 * remove
    assert total([(events.Subsampled(0.01, events.Gaussian(0.8)), 1000)]).epsilon(DELTA) == remove


def test_subsampling_everybody_changes_nothing_and_nobody_costs_nothing() -> None:
    whole = total([(events.Subsampled(1, events.Laplace(0.5)), 7)]).epsilon(DELTA)
    assert close(whole, total([(events.Laplace(0.5), 7)]).epsilon(DELTA))
    assert total([(events.Subsampled(0, events.Laplace(0.5)), 7)]).epsilon(DELTA) == 0


def test_groups() -> None:
    """Errata A13: (kε, δ·Σe^{iε}); a linear kδ would be too little."""
    assert events.Group(3, events.Laplace(0.1)).inner == events.Laplace(Fraction(3, 10))
    assert events.Group(3, events.Gaussian(6)).inner == events.Gaussian(6, 3)
    assert events.Group(2, events.ZCDP(0.5)).inner == events.ZCDP(2)
    boxed = events.Group(3, events.Approximate(1, 1e-6)).inner
    assert boxed.pure() == 3
    assert float(boxed.extra_delta()) == pytest.approx(1e-6 * (1 + math.e + math.e**2))
    assert events.Group(2, events.Parallel([events.Pure(1), events.Pure(2)])).inner == events.Pure(4)
    assert events.Group(2, events.Group(2, events.Pure(1))).inner == events.Pure(4)
    with pytest.raises(InvalidParameter, match="group of 2"):
        events.Group(2, events.Renyi(2, 1))
    assert total([events.Group(3, events.Geometric(0.2))]).epsilon(0) == pytest.approx(0.6)


def test_sparse_vector_prices() -> None:
    """Errata A8, B10: pure query noise costs ε_ρ + c·ε_ν whatever the length; Gaussian noise needs a length."""
    laplace = events.SparseVector(events.Laplace(0.5), events.Laplace(0.25), cutoff=2)
    assert laplace.pure() == 1
    hybrid = events.SparseVector(events.Gaussian(4), events.Laplace(0.25))
    assert hybrid.rdp(2.0) == pytest.approx(2 / 32 + 0.25, rel=1e-6)
    capped = events.SparseVector(events.Gaussian(4), events.Gaussian(8), cutoff=2, length=10)
    extra = math.log(1 + 1 + 10 + 45) / (5 - 1)
    assert capped.rdp(5.0) == pytest.approx(5 / 32 + 2 * 5 / 128 + extra, rel=1e-6)
    with pytest.raises(InvalidParameter, match="length"):
        events.SparseVector(events.Gaussian(4), events.Gaussian(8))


def test_exact_delta_of_the_censored_geometric() -> None:
    """Errata B6: δ(ε/2) = [1 + (1 + e^{ε/2} - e^ε)₊]·e^{-εB/2}/(1 + e^{-ε/2}), met exactly."""
    epsilon, bound = 1.0, 29
    event = events.CensoredGeometric(epsilon / 2, bound)
    half = math.exp(epsilon / 2)
    true = (1 + max(0.0, 1 + half - math.e)) * math.exp(-epsilon * bound / 2) / (1 + 1 / half)
    assert total([event]).delta(epsilon / 2) == pytest.approx(true, rel=1e-4)
    assert total([event]).delta(epsilon / 2) >= true
    assert true < 0.5e-6


@quick
@given(st.floats(0.01, 3), st.integers(1, 60), st.floats(-16, -0.3), st.sampled_from([0.0, 1e-9]))
def test_closed_forms_agree_with_the_lattice(epsilon: float, n: int, exponent: float, own: float) -> None:
    """Two ways to one price: the binomial sum and the tilted transform; the second may only be a little larger."""
    from sfumato.accounting import closed

    delta = 10**exponent
    exact = closed.composed_two_point(epsilon, own, n, delta)
    found = pld.compose([(losslaw.two_point(epsilon, own), n)], delta).epsilon(delta)
    assert (exact == found == math.inf) or exact <= found * (1 + 1e-6) + 1e-9
    if found < math.inf and own == 0:
        assert found <= exact * (1 + 1e-3) + 1e-3
    if exact < math.inf:
        from sfumato.accounting import optimal_delta

        assert optimal_delta(exact, epsilon, own, n) <= delta * (1 + 1e-5)


def test_one_laplace_by_its_closed_form() -> None:
    for epsilon, delta in ((0.1, 1e-6), (2, 0.3), (50, 1e-12)):
        price = total([events.Laplace(epsilon)]).epsilon(delta)
        assert 1 - math.exp((price - epsilon) / 2) <= delta * (1 + 1e-9)
        found = pld.compose([(losslaw.laplace(epsilon), 1)], delta).epsilon(delta)
        assert price <= found * (1 + 1e-9) <= price * 1.004 + 1e-3


# ---- wounds that were found and mended ----------------------------------------------------------------------


def test_an_event_that_never_happened_does_not_poison_a_maximum() -> None:
    """0·∞ is not a number, and max(0, NaN) is 0: two Gaussians once cost nothing."""
    never = events.Composition([(events.Renyi(2, 1), 0)])
    loss = total([(events.Parallel([never, events.Gaussian(1)]), 2)])
    assert loss.epsilon(DELTA) >= total([(events.Gaussian(1), 2)]).epsilon(DELTA) * (1 - 1e-9)


def test_losses_next_to_a_lattice_point_are_not_rounded_down() -> None:
    loss = total([events.Pure(1), events.Pure(1 + 9e-10)])
    assert loss.epsilon(1e-18) >= 2 + 8.9e-10
    assert loss.delta(2.000000000005) > 1e-12


def test_partitions_may_depend_on_earlier_answers() -> None:
    """By hand: the first answer decides which part the second meets, .731·.462 + .269·.2."""
    loss = total([events.Pure(1), events.Parallel([events.Pure(1), events.Approximate(0, 0.2)])])
    assert loss.delta(1) >= 0.392


def test_renyi_curves_of_laws_are_not_below_the_closed_forms() -> None:
    from sfumato.accounting import rdp

    for alpha in (1.1, 2.0, 10.0, 100.0, 1000.0):
        whole = events.Subsampled(1, events.Laplace(1)).rdp(alpha)
        assert rdp.laplace(1.0, alpha) * (1 - 1e-9) <= whole <= rdp.laplace(1.0, alpha) * (1 + 1e-6)
        normal = events.Subsampled(1, events.Gaussian(0.5)).rdp(alpha)
        assert normal >= 2 * alpha * (1 - 1e-9)
        assert normal == math.inf or normal <= 2 * alpha * (1 + 1e-6)


@quick
@given(st.lists(st.tuples(st.floats(0.004, 5), st.integers(1, 3)), min_size=1, max_size=4), st.floats(-16, -0.3))
def test_lower_bounds_do_not_wrap_round(shapes: list[tuple[float, int]], exponent: float) -> None:
    """Against enumeration: δ is really needed at the ε that the lower bound names."""
    delta = 10**exponent
    loss = total([events.Geometric(e, s) for e, s in shapes])
    low = loss.lower_epsilon(delta)
    laws = [losslaw.geometric(e, s) for e, s in shapes]
    assert low <= loss.epsilon(delta) * (1 + 1e-9) + 1e-12
    if low > 0:
        assert enumerated_delta(laws, low * (1 - 1e-9)) >= delta * (1 - 1e-6)


def test_lower_bounds_count_failures_once_and_cuts_never() -> None:
    loss = total([(events.Approximate(1, 0.3), 2)])
    assert loss.lower_epsilon(0.55) <= loss.epsilon(0.55)
    assert total([events.DiscreteGaussian(1)]).lower_epsilon(1e-41) < math.inf
    assert total([events.Thresholded(events.Exponential(1), 0)]).lower_epsilon(0.1) <= 0.33
    assert total([events.PermuteAndFlip(1)]).lower_epsilon(0.2) == 0


def test_what_used_to_hang_or_overflow() -> None:
    assert total([events.Gaussian(1)]).epsilon(1e-310) == math.inf
    assert total([events.Gaussian(Fraction(1, 10**160))]).epsilon(1e-6) == math.inf
    many = events.Composition([events.Parallel([events.Pure(i), events.Gaussian(i)]) for i in range(1, 25)])
    assert total([many]).epsilon(1e-6) > 0
    for parts in (
        [events.Laplace(1), (events.Laplace(1e-9), 1000)],
        [events.Geometric(1, 10**8)],
        [events.CensoredGeometric(1, 10**8)],
        [events.CensoredGeometric(1, 1000)],
        [events.Subsampled(0.5, events.Laplace(1000))],
        [events.Subsampled(0.5, events.Gaussian(0.02))],
        [events.Pure(Fraction(10) ** 400)],
    ):
        assert total(parts).epsilon(1e-6) >= 0  # type: ignore[arg-type]
    assert total([(events.Laplace(0.01), 10**8)]).bounds(1e-6)["advanced"] > 0
    assert total([events.Gaussian(1)]).delta(math.inf) < 1e-300
    assert total([events.Approximate(1, 1)]).delta(0.5) == 1


def test_long_lists_fall_back_to_the_renyi_bound() -> None:
    for event in (events.Pure(0.1), events.Laplace(0.1)):
        assert total([(event, 10**6)]).epsilon(1e-6) < 6000


def test_groups_inside_other_events_keep_their_price() -> None:
    group = events.Group(2, events.Laplace(0.5))
    assert total([(events.Parallel([group, events.Gaussian(1)]), 2)]).epsilon(1e-6) < math.inf
    assert events.Thresholded(group, 1e-9).pure() == 1


@pytest.mark.parametrize("own", [0.2, 0.5, 0.6, 0.9, 1.0])
def test_a_box_that_only_fails_is_priced_by_its_failures(own: float) -> None:
    """ε = 0 and δ alone: with δ above a half the closed form once took it for a half."""
    loss = total([events.Approximate(0, own)])
    assert loss.epsilon(own * 0.99) == math.inf
    assert loss.epsilon(min(1.0, own * 1.01)) == 0


def test_very_many_applications_are_never_dearer_than_their_zcdp_sum() -> None:
    """A composed law pays an allowance for each application; ρ adds up without one."""
    many = total([(events.DiscreteGaussian(1000), 100_000), events.Approximate(0, 1e-9)])
    assert many.epsilon(1e-6) < 1.5
    assert many.delta(1.5) <= 1e-6
