"""Filters, ticket books and calibration: exact amounts, refusals that cost nothing, answers on the safe side."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.accounting import (
    PureFilter,
    RDPFilter,
    TicketBook,
    ZCDPFilter,
    events,
    largest_epsilon,
    most_uses,
    smallest_noise,
    split,
    total,
)
from sfumato.errors import BudgetExceeded, InvalidParameter


@pytest.mark.parametrize("budget", [1, 0.1, Fraction(1, 3), 3e-7])
def test_every_split_from_1_to_10_000_spends_to_the_last_and_not_beyond(budget: float | Fraction) -> None:
    for n in range(1, 10_001):
        parts = split(budget, n)
        assert len(parts) == n
        assert parts[0] * n == Fraction(str(budget))
    for n in (1, 2, 3, 7, 10, 49, 1000, 9_999, 10_000):
        for filter_, event in (
            (PureFilter(budget), events.Pure(split(budget, n)[0])),
            (ZCDPFilter(budget), events.ZCDP(split(budget, n)[0])),
        ):
            left = filter_
            for _ in range(n):
                left = left.spend(event)
            assert left.remaining == 0
            assert not left.admits(event)
            with pytest.raises(BudgetExceeded, match="0 is left"):
                left.spend(event)


def test_a_refused_event_costs_nothing() -> None:
    budget = PureFilter(1).spend(events.Pure(0.75))
    with pytest.raises(BudgetExceeded, match=r"costs ε = 0\.5 and 0\.25 is left"):
        budget.spend(events.Pure(0.5))
    assert budget.spend(events.Pure(0.25)).remaining == 0


def test_float_sums_would_refuse_or_overspend() -> None:
    """The broken twin: ten tenths in floats are not one."""
    total = 0.0
    for _ in range(10):  # `sum` of floats makes up for its rounding since Python 3.12
        total += 0.1
    assert total != 1.0
    left = PureFilter(1)
    for part in split(1, 10):
        left = left.spend(events.Pure(part))
    assert left.remaining == 0


@given(st.lists(st.fractions(Fraction(1, 1000), 1), max_size=12), st.fractions(Fraction(1, 10), 3))
def test_a_filter_never_admits_more_than_its_cap(costs: list[Fraction], cap: Fraction) -> None:
    pure, rho = PureFilter(cap), ZCDPFilter(cap)
    for cost in costs:
        if pure.admits(events.Pure(cost)):
            pure = pure.spend(events.Pure(cost))
        if rho.admits(events.ZCDP(cost)):
            rho = rho.spend(events.ZCDP(cost))
    assert 0 <= pure.remaining <= cap
    assert 0 <= rho.remaining <= cap


def test_failures_have_a_cap_of_their_own() -> None:
    budget = PureFilter(1, delta=Fraction(1, 10**6))
    assert budget.admits(events.Approximate(0.1, 1e-7))
    assert not budget.admits(events.Approximate(0.1, 1e-5))
    assert not PureFilter(1).admits(events.Approximate(0.1, 1e-30))
    with pytest.raises(InvalidParameter, match="no pure price"):
        budget.spend(events.Gaussian(1))
    with pytest.raises(InvalidParameter, match="no zCDP price"):
        ZCDPFilter(1).spend(events.Renyi(2, 0.1))


def test_a_zcdp_filter_for_a_target_meets_it() -> None:
    budget = ZCDPFilter.for_target(2, 1e-6)
    sigma = Fraction(10)
    n = 0
    while budget.admits(events.Gaussian(sigma)):
        budget = budget.spend(events.Gaussian(sigma))
        n += 1
    assert n > 5
    assert budget.epsilon(1e-6) <= 2
    assert total([(events.Gaussian(sigma), n)]).epsilon(1e-6) <= 2


def test_an_rdp_filter_keeps_its_target_for_mixed_events() -> None:
    budget = RDPFilter(3, 1e-6)
    used: list[events.Counted] = []
    for event in (events.Laplace(0.1), events.Gaussian(8), events.Exponential(0.2)) * 40:
        if budget.admits(event):
            budget = budget.spend(event)
            used.append((event, 1))
    assert 20 < len(used) < 120
    assert total(used).epsilon(1e-6) <= 3
    with pytest.raises(BudgetExceeded):
        budget.spend(events.Gaussian(0.5))
    for orders in ((1.0,), (math.inf,), ()):
        with pytest.raises(InvalidParameter, match="orders"):
            RDPFilter(1, 1e-6, orders=orders)
    for delta in (100, Fraction(1, 10**400)):
        with pytest.raises(InvalidParameter, match="delta"):
            RDPFilter(1, delta)
    assert not RDPFilter(10**10, 1e-6, orders=(3.0,)).admits(events.Renyi(2, 1))


def test_a_ticket_book_holds_its_plan_and_nothing_else() -> None:
    plan: list[events.Event | events.Counted] = [(events.Laplace(0.1), 50), events.Gaussian(10)]
    price = total(plan).epsilon(1e-6)
    with pytest.raises(BudgetExceeded):
        TicketBook.of(plan, epsilon=price * 0.99, delta=1e-6)
    book = TicketBook.of(plan, epsilon=price, delta=1e-6)
    book = book.spend(events.Gaussian(10)).spend(events.Laplace(0.1), 50)
    assert not book.admits(events.Laplace(0.1))
    with pytest.raises(BudgetExceeded, match="no such ticket"):
        book.spend(events.Laplace(0.2))
    assert book.spend(events.Laplace(0.2), 0).admits(events.Laplace(0.2)) is False


@pytest.mark.parametrize("times", [1, 30])
def test_calibrated_noise_meets_the_target_and_is_the_least(times: int) -> None:
    for kind in (
        events.Gaussian,
        lambda s: events.Laplace(1 / s),
        lambda s: events.Subsampled(0.1, events.Gaussian(s)),
    ):
        scale = smallest_noise(kind, epsilon=1, delta=1e-6, times=times)
        assert total([(kind(scale), times)]).epsilon(1e-6) <= 1
        assert total([(kind(scale * 0.999), times)]).epsilon(1e-6) > 1


def test_calibrated_epsilon_and_uses() -> None:
    per_use = largest_epsilon(events.Laplace, epsilon=2, delta=1e-6, times=100)
    assert per_use > 0.02
    assert total([(events.Laplace(per_use), 100)]).epsilon(1e-6) <= 2
    assert total([(events.Laplace(per_use * 1.001), 100)]).epsilon(1e-6) > 2
    n = most_uses(events.Gaussian(20), epsilon=1, delta=1e-6)
    assert total([(events.Gaussian(20), n)]).epsilon(1e-6) <= 1 < total([(events.Gaussian(20), n + 1)]).epsilon(1e-6)
    assert most_uses(events.Gaussian(1000), epsilon=5, delta=1e-6, limit=10) == 10
    assert most_uses(events.Laplace(2), epsilon=1, delta=1e-9) == 0
    with pytest.raises(InvalidParameter, match="any scale"):
        smallest_noise(lambda s: events.Pure(5), epsilon=1, delta=0)
