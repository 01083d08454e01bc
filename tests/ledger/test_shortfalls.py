"""A refusal names every budget that refuses, each with what it would cost and what is left."""

import pickle
from fractions import Fraction

import pytest

from ledger_cases import Clock, Opener, ask, charge, stocked
from sfumato.accounting import events
from sfumato.errors import InvalidParameter, LedgerMisuse
from sfumato.ledger import Budget, Ledger, Limits, Refused, Shortfall

SEVENTH = Fraction(1, 7)


def refused(ledger: Ledger, **words: object) -> tuple[Shortfall, ...]:
    """What a refusal names."""
    found = ask(ledger, "asked", **words)  # type: ignore[arg-type]
    assert isinstance(found, Refused), found
    assert found.reason == "budget"
    return found.shortfalls


@pytest.fixture
def ledger(opener: Opener) -> Ledger:
    ledger = opener()
    ledger.register("visits", Limits(Budget.pure(epsilon="1", delta="1e-6"), day=Budget.zcdp(rho="0.01", delta="1")))
    ledger.grant("visits", "ada", Limits(Budget.pure(epsilon="0.5", delta="1"), month=Budget.pure(epsilon="0.2")))
    ledger.group("people", Budget.pure(epsilon="0.3", delta="1"))
    ledger.join("visits", "people")
    return ledger


def test_every_budget_that_refuses_is_named_and_no_other(ledger: Ledger) -> None:
    charge(ledger)
    found = refused(ledger, event=events.Laplace(Fraction(1, 4)))
    assert [(each.dataset, each.group, each.principal, each.period, each.currency) for each in found] == [
        ("visits", "", "", "day", "zcdp"),
        ("visits", "", "ada", "month", "pure"),
        ("", "people", "", "", "pure"),
    ]
    assert [(each.cost, each.left) for each in found] == [
        (Fraction(1, 32), Fraction(1, 200)),
        (Fraction(1, 4), Fraction(1, 10)),
        (Fraction(1, 4), Fraction(1, 5)),
    ]
    assert {(each.delta_cost, each.delta_left, each.problem) for each in found} == {(None, None, "")}


def test_a_refusal_still_speaks_of_the_first(ledger: Ledger) -> None:
    found = ask(ledger, event=events.Laplace(2))
    assert str(found).endswith("hint: the lifetime budget of dataset `visits` decides; ask a cheaper question")
    assert isinstance(found, Refused)
    assert len(found.shortfalls) == 5
    assert pickle.loads(pickle.dumps(found)) == found


def test_where_delta_refuses_its_cost_and_what_is_left_are_named(ledger: Ledger) -> None:
    event = events.Approximate(Fraction(1, 20), Fraction(1, 10**5))
    whole, month = refused(ledger, event=event)
    assert (whole.period, whole.cost, whole.left) == ("", Fraction(1, 20), 1)  # type: ignore[comparison-overlap]
    assert (whole.delta_cost, whole.delta_left) == (Fraction(1, 10**5), Fraction(1, 10**6))
    assert (month.period, month.delta_cost, month.delta_left) == ("month", Fraction(1, 10**5), 0)  # type: ignore[comparison-overlap]


def test_what_has_no_price_is_named_with_the_reason(opener: Opener) -> None:
    ledger = stocked(opener())
    ledger.group("people", Budget.zcdp(rho="0.001"))
    ledger.join("visits", "people")
    whole, own, group = refused(ledger, event=events.Gaussian(1))
    no_price = "event has no pure price, which this budget needs: 'gaussian'"
    assert (whole.cost, whole.left, whole.problem) == (None, 1, no_price)  # type: ignore[comparison-overlap]
    assert (own.principal, own.problem) == ("ada", no_price)
    assert (group.group, group.cost, group.left, group.problem) == ("people", Fraction(1, 2), Fraction(1, 1000), "")


def test_a_window_that_is_over_refuses_nothing(ledger: Ledger, clock: Clock) -> None:
    charge(ledger)
    clock.pass_(86_400)
    found = refused(ledger, event=events.Laplace(Fraction(1, 7)))
    assert [(each.period, each.left) for each in found] == [("day", Fraction(1, 100)), ("month", Fraction(1, 10))]


def test_a_renyi_budget_is_named_at_the_order_at_which_least_is_lacking(opener: Opener) -> None:
    ledger = opener()
    for give in (ledger.register, lambda name, budget: ledger.grant(name, "ada", budget)):
        give("curve", Budget.rdp(epsilon="3", delta="1e-6", orders=(8.0, 64.0)))
    left = ledger.balances("curve")[0].remaining
    found = refused(ledger, dataset="curve", event=events.Gaussian(Fraction(1, 2)))
    assert len(found) == 2
    for each in found:
        assert each.cost is not None
        assert float(each.cost) == pytest.approx(8 * 2), "α/(2σ²) at order 8: at order 64 much more is lacking"
        assert 0 < each.left < left, "and there less is left than at 64"
        assert each.currency == "rdp"


def test_a_price_that_is_infinite_at_every_order_left_is_none(opener: Opener) -> None:
    ledger = opener()
    for give in (ledger.register, lambda name, budget: ledger.grant(name, "ada", budget)):
        give("curve", Budget.rdp(epsilon="40", delta="1e-6", orders=(3.0, 64.0)))
    charge(ledger, "first", dataset="curve", event=events.Renyi(3, SEVENTH))  # order 64 is lost for ever
    found = refused(ledger, dataset="curve", event=events.Renyi(2, SEVENTH))
    assert [each.cost for each in found] == [None, None]
    assert all(each.left > 0 for each in found)


def test_a_shared_answer_that_does_not_fit_names_the_principal_s_budgets(opener: Opener) -> None:
    ledger = stocked(opener())
    ledger.grant("visits", "cy", Limits(Budget.pure(epsilon="0.05"), day=Budget.pure(epsilon="0.01")))
    ledger.group("people", Budget.pure(epsilon="0.1"))
    ledger.join("visits", "people")
    ledger.settle(charge(ledger, "q"), 1)  # the group has nothing left, and is not asked again
    found = ask(ledger, "q", key="c", principal="cy")
    assert isinstance(found, Refused)
    assert [(each.principal, each.period) for each in found.shortfalls] == [("cy", ""), ("cy", "day")]


def test_other_refusals_name_no_budget(opener: Opener) -> None:
    ledger = stocked(opener())
    charge(ledger, "q")
    for found in (ask(ledger, "q"), ask(ledger, principal="eve"), ask(ledger, dataset="people")):
        assert isinstance(found, Refused)
        assert found.shortfalls == ()


@pytest.mark.parametrize(
    "event", [events.Laplace(Fraction(1, 10)), events.Laplace(Fraction(1, 4)), events.Laplace(2), events.Gaussian(1)]
)
def test_a_quote_is_what_a_charge_does_and_charges_nothing(ledger: Ledger, event: events.Event) -> None:
    before = [each.body for each in ledger.entries()]
    quotes = ledger.quote(dataset="visits", principal="ada", event=event)
    assert [each.body for each in ledger.entries()] == before
    outcome = ask(ledger, event=event)
    now = (*ledger.balances("visits"), *ledger.balances("visits", "ada"))
    assert {each.after for each in quotes} == set(now)
    if isinstance(outcome, Refused):
        assert tuple(each.shortfall for each in quotes if each.shortfall) == outcome.shortfalls
        assert {each.charged for each in quotes} == {0}
    else:
        assert not any(each.shortfall for each in quotes)
        assert {each.charged for each in quotes} == {Fraction(1, 10), Fraction(1, 200)}


def test_a_stranger_gets_no_quote(ledger: Ledger) -> None:
    with pytest.raises(LedgerMisuse, match="no cap"):
        ledger.quote(dataset="visits", principal="eve", event=events.Laplace(1))
    with pytest.raises(InvalidParameter, match="event must be an event"):
        ledger.quote(dataset="visits", principal="ada", event=1)  # type: ignore[arg-type]
