"""What is bought at a δ: an ε budget pays ε(δ) and the δ, every other budget pays for what was really done."""

import math
from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from property_profile import examples
from sfumato.accounting import (
    PureFilter,
    RDPFilter,
    TicketBook,
    ZCDPFilter,
    events,
    from_json,
    smallest_noise,
    total,
)
from sfumato.accounting.events import Converted, Event, Gaussian
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import amount

NOTHING, MILLIONTH = Fraction(0), Fraction(1, 10**6)
quick = examples(40)
sigmas, deltas = st.floats(0.4, 60), st.floats(1e-9, 1e-3)


def true_delta(epsilon: float, mu: float) -> float:
    """δ(ε) of Gaussian noise by its two normal tails (Balle, Wang 2018, Theorem 8)."""

    def above(z: float) -> float:
        return math.erfc(z / math.sqrt(2)) / 2

    return above(epsilon / mu - mu / 2) - math.exp(epsilon) * above(epsilon / mu + mu / 2)


def covers(event: Event, mu: float) -> bool:
    """Whether what an ε budget is charged for an event is what Gaussian noise of Δ/σ = μ shows."""
    spent = PureFilter(10**6, 1).spend(event)
    return true_delta(float(spent.spent), mu) <= float(spent.spent_delta) * (1 + 1e-6)


def is_charged_once(event: Event) -> bool:
    """Whether a ρ and a Rényi budget pay exactly for the inner event, and an ε budget its δ once."""
    assert isinstance(event, Converted)
    rho, curve = ZCDPFilter(10**6, 1), RDPFilter(10**6, 0.1)
    same = rho.spend(event) == rho.spend(event.inner) and curve.spend(event) == curve.spend(event.inner)
    paid = PureFilter(10**6, 1).spend(event).spent_delta
    return same and paid == event.inner.extra_delta() + amount("delta", event.delta)


@quick
@given(sigmas, deltas)
def test_an_epsilon_budget_pays_what_gaussian_noise_shows(sigma: float, delta: float) -> None:
    event = Converted(Gaussian(sigma), delta)
    assert covers(event, 1 / sigma)
    assert is_charged_once(event)
    price, exact = event.pure(), total([event.inner]).epsilon(delta)
    assert price is not None
    assert price >= Fraction(exact)
    assert price <= Fraction(exact) * (1 + Fraction(2, 10**7)) + Fraction(1, 10**12)


@dataclass(frozen=True)
class WithoutItsDelta(Converted):
    """The broken twin that charges ε(δ) and forgets δ."""

    def pure(self) -> Fraction | None:
        return Converted(self.inner, self.delta).pure()

    def pure_delta(self) -> Fraction:
        return self.extra_delta()


@dataclass(frozen=True)
class AsItsRho(Converted):
    """The broken twin that takes ρ for ε."""

    def pure(self) -> Fraction | None:
        return self.inner.zcdp()


@dataclass(frozen=True)
class AtHalfItsPrice(Converted):
    """The broken twin whose ε is that of twice the noise."""

    def pure(self) -> Fraction | None:
        epsilon = super().pure()
        return None if epsilon is None else epsilon / 2


@dataclass(frozen=True)
class ForEveryBudget(Converted):
    """The broken twin whose δ a ρ budget pays as well."""

    def extra_delta(self) -> Fraction:
        return self.inner.extra_delta() + amount("delta", self.delta)

    def pure_delta(self) -> Fraction:
        return self.extra_delta()


@dataclass(frozen=True)
class Twice(Converted):
    """The broken twin whose δ an ε budget pays twice."""

    def pure_delta(self) -> Fraction:
        return self.extra_delta() + 2 * amount("delta", self.delta)


@dataclass(frozen=True)
class OfItsEpsilon(Converted):
    """The broken twin whose ρ is that of its ε, which it has only with a δ."""

    def zcdp(self) -> Fraction | None:
        epsilon = self.pure()
        return None if epsilon is None else epsilon * epsilon / 2


@pytest.mark.parametrize("twin", [WithoutItsDelta, AsItsRho, AtHalfItsPrice])
def test_broken_twins_that_charge_too_little_are_caught(twin: type[Converted]) -> None:
    assert covers(Converted(Gaussian(2), MILLIONTH), 1 / 2)
    assert not covers(twin(Gaussian(2), MILLIONTH), 1 / 2)


@pytest.mark.parametrize("twin", [WithoutItsDelta, ForEveryBudget, Twice, OfItsEpsilon])
def test_broken_twins_that_charge_the_wrong_budget_are_caught(twin: type[Converted]) -> None:
    assert is_charged_once(Converted(Gaussian(2), MILLIONTH))
    assert not is_charged_once(twin(Gaussian(2), MILLIONTH))


def test_a_rho_budget_without_a_delta_takes_it_and_an_epsilon_budget_without_one_does_not() -> None:
    event = Converted(Gaussian(2), MILLIONTH)
    assert ZCDPFilter(1).spend(event).spent == Fraction(1, 8)
    assert not PureFilter(100).admits(event)
    assert PureFilter(100, MILLIONTH).admits(event)
    assert not PureFilter(100, MILLIONTH).admits(event, 2)


def test_what_cannot_be_bought_at_its_delta_has_no_price_and_is_never_free() -> None:
    beyond = Converted(Gaussian(1), Fraction(1, 10**300))
    assert beyond.pure() is None
    with pytest.raises(InvalidParameter, match="no pure price"):
        PureFilter(10**9, 1).spend(beyond)
    assert Converted(events.Renyi(2, 1), MILLIONTH).pure() is not None
    hidden = Converted(Gaussian(10**9), Fraction(1, 1000))
    assert total([hidden]).epsilon(Fraction(1, 1000)) == 0
    assert hidden.pure() == Fraction(1, 10**12)


def test_its_own_failures_count_beside_the_delta() -> None:
    """The accountant's ε is at all that may fail; a budget of another currency pays for the inner failure alone."""
    keys = events.Thresholded(Gaussian(4), Fraction(1, 10**7))
    event = Converted(events.Composition([keys, Gaussian(6)]), MILLIONTH)
    assert event.extra_delta() == Fraction(1, 10**7)
    assert event.pure_delta() == Fraction(11, 10**7)
    assert is_charged_once(event)
    price = event.pure()
    assert price is not None
    assert total([event.inner]).meets(price, Fraction(11, 10**7))
    surely = Converted(events.Approximate(1, Fraction(999, 1000)), Fraction(1, 2))
    assert (surely.pure_delta(), surely.pure()) == (Fraction(1), Fraction(1, 10**12))


def test_events_made_of_it_hand_the_delta_on() -> None:
    event, pure = Converted(Gaussian(2), MILLIONTH), events.Pure(Fraction(1, 10))
    price = event.pure()
    assert price is not None
    both = events.Composition([(event, 3), pure])
    assert (both.pure(), both.pure_delta(), both.extra_delta()) == (3 * price + Fraction(1, 10), 3 * MILLIONTH, NOTHING)
    either = events.Parallel([event, pure])
    assert (either.pure(), either.pure_delta(), either.extra_delta()) == (price, MILLIONTH, NOTHING)
    keys = events.Thresholded(event, MILLIONTH)
    assert (keys.pure(), keys.pure_delta(), keys.extra_delta()) == (price, 2 * MILLIONTH, MILLIONTH)
    with pytest.raises(InvalidParameter, match="without a δ"):
        events.SparseVector(event, pure)
    with pytest.raises(InvalidParameter, match="cannot be subsampled"):
        events.Subsampled(0.5, event)


def test_the_accountant_prices_what_was_really_done() -> None:
    event = Converted(Gaussian(2), MILLIONTH)
    for delta in (1e-9, 1e-6, 1e-3):
        assert total([(event, 5), events.Laplace(1)]).epsilon(delta) == total(
            [(Gaussian(2), 5), events.Laplace(1)]
        ).epsilon(delta)
        assert total([events.Parallel([event])]).epsilon(delta) == total([Gaussian(2)]).epsilon(delta)
    assert total([event]).epsilon(0) == math.inf
    price = event.pure()
    assert price is not None
    assert total([event]).meets(price, MILLIONTH)
    assert TicketBook.of([(event, 4)], epsilon=4 * price, delta=4 * MILLIONTH).admits(event, 4)


def test_a_parallel_event_in_a_longer_list_pays_the_delta_of_its_epsilon() -> None:
    """A sum of ε with the inner failures alone would be a promise that nothing keeps."""
    choice = events.Parallel([Converted(Gaussian(2), MILLIONTH), events.Renyi(3, 9)])
    pair = total([choice, events.Pure(1)])
    assert pair.bounds(Fraction(1, 10**8))["pure"] == math.inf
    assert pair.bounds(Fraction(1, 10**8))["basic"] == math.inf
    lone = total([events.Thresholded(Converted(Gaussian(2), MILLIONTH), 0)])
    assert lone.bounds(Fraction(1, 10**8))["pure"] == math.inf
    assert lone.bounds(MILLIONTH)["pure"] < math.inf
    assert true_delta(lone.epsilon(Fraction(1, 10**8)), 1 / 2) <= 1.0001e-8
    assert true_delta(1.0, 1 / 2) <= lone.delta(1.0)


def test_groups_are_priced_by_the_group_of_what_was_done() -> None:
    event = Converted(Gaussian(6), MILLIONTH)
    group = events.Group(3, event)
    assert group.inner == Converted(Gaussian(6, 3), MILLIONTH)
    assert covers(group, 3 / 6)
    assert (group.zcdp(), group.pure_delta(), group.extra_delta()) == (Fraction(1, 8), MILLIONTH, NOTHING)
    both = events.Group(3, events.Parallel([event, Converted(Gaussian(9), MILLIONTH)]))
    assert both.inner == Converted(events.ZCDP(Fraction(1, 8)), MILLIONTH)
    assert covers(both, 3 / 6)
    sampled = Converted(events.Subsampled(Fraction(1, 10), Gaussian(1)), MILLIONTH)
    price, boxed = sampled.pure(), events.Group(2, sampled)
    assert price is not None
    assert boxed.pure() == 2 * price
    assert float(boxed.pure_delta()) == pytest.approx(1e-6 * (1 + math.exp(price)))
    with pytest.raises(InvalidParameter, match="group of 2"):
        events.Group(2, Converted(events.Subsampled(Fraction(1, 10), Gaussian(1)), Fraction(1, 10**400)))


def test_a_group_at_k_times_the_epsilon_and_the_same_delta_would_be_caught() -> None:
    """The broken twin of group privacy: kε without a larger δ."""

    @dataclass(frozen=True)
    class Linear(Converted):
        def grouped(self, k: int) -> Event:
            epsilon = self.pure()
            assert epsilon is not None
            return events.Approximate(k * epsilon, self.pure_delta())

    assert not covers(events.Group(3, Linear(Gaussian(6), MILLIONTH)), 3 / 6)


@quick
@given(st.fractions(Fraction(1, 10**4), 20, max_denominator=10**4), deltas)
def test_noise_made_for_an_aim_costs_the_aim_and_no_more(epsilon: Fraction, delta: float) -> None:
    aim = Converted.aim(epsilon)
    assert epsilon * (1 - Fraction(1, 10**7)) < aim <= epsilon
    sigma = smallest_noise(Gaussian, epsilon=aim, delta=delta)
    price = Converted(Gaussian(sigma), delta).pure()
    assert price is not None
    assert aim * Fraction(9999, 10_000) <= price <= aim
    if epsilon > 100 * delta:  # else ε changes far faster than the noise it is made with
        assert price == aim


def test_prices_have_eight_digits_and_survive_json() -> None:
    event = Converted(events.Composition([(Gaussian(7), 4), events.Laplace(Fraction(1, 3))]), MILLIONTH)
    back = from_json(event.to_json())
    assert back == event
    price = back.pure()
    assert price == event.pure()
    assert price is not None
    assert (price * 10**7).denominator == 1
    assert Converted.aim(price) == price
