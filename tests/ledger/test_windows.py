"""Budgets that renew: by ledger time, beside the lifetime total."""

from fractions import Fraction

from ledger_cases import Clock, Opener, ask, charge, refusal, spent, stocked
from sfumato.ledger import Budget, Limits

DAY = 86_400


def test_a_window_renews_by_ledger_time_beside_the_lifetime_total(opener: Opener, clock: Clock) -> None:
    ledger = opener()
    ledger.register("visits", Limits(Budget.pure(epsilon="0.5"), month=Budget.pure(epsilon="0.2")))
    ledger.grant("visits", "ada", Budget.pure(epsilon="1"))
    charge(ledger, "q1")
    charge(ledger, "q2")
    assert "the month budget of dataset `visits`" in str(ask(ledger, "q3"))
    clock.pass_(31 * DAY)
    charge(ledger, "q3")
    lifetime, month = ledger.balances("visits")
    assert (lifetime.period, lifetime.spent, lifetime.remaining) == ("", Fraction(3, 10), Fraction(2, 10))
    assert (month.period, month.spent, month.turn) == ("month", Fraction(1, 10), "2026-10")
    clock.pass_(-62 * DAY)
    charge(ledger, "q4")
    assert refusal(ask(ledger, "q5")) == "budget", "a clock that was set back renews nothing"
    times = [entry.body["time"] for entry in ledger.entries()]
    assert times == sorted(times)
    clock.pass_(100 * DAY)
    assert [balance.spent for balance in ledger.balances("visits")] == [Fraction(4, 10), 0]
    charge(ledger, "q5")
    assert "the lifetime budget" in str(ask(ledger, "q6"))
    ledger.verify()


def test_a_principal_has_a_rate_of_spending(opener: Opener, clock: Clock) -> None:
    ledger = stocked(opener(), epsilon="10")
    ledger.grant("visits", "cy", Limits(Budget.pure(epsilon="1"), hour=Budget.pure(epsilon="0.1")))
    for hour in range(3):
        charge(ledger, f"q{hour}", principal="cy")
        assert "the hour budget of principal `cy`" in str(ask(ledger, f"r{hour}", principal="cy"))
        clock.pass_(3600)
    assert spent(ledger, "cy") == Fraction(3, 10)


def test_a_refund_in_the_same_window_gives_the_window_back(opener: Opener, clock: Clock) -> None:
    ledger = opener()
    ledger.register("visits", Limits(Budget.pure(epsilon="1"), day=Budget.pure(epsilon="0.2")))
    ledger.grant("visits", "ada", Limits(Budget.pure(epsilon="1"), hour=Budget.pure(epsilon="0.1")))
    receipt = charge(ledger, "q1")
    clock.pass_(60)
    ledger.refund(receipt, reason="not started")
    for principal in ("", "ada"):
        assert [balance.spent for balance in ledger.balances("visits", principal)] == [0, 0]
    ledger.verify()


def test_a_refund_does_not_reach_into_another_window(opener: Opener, clock: Clock) -> None:
    ledger = opener()
    ledger.register("visits", Limits(Budget.pure(epsilon="1"), day=Budget.pure(epsilon="0.2")))
    ledger.grant("visits", "ada", Budget.pure(epsilon="1"))
    receipt = charge(ledger, "q1")
    clock.pass_(DAY)
    charge(ledger, "q2")
    ledger.refund(receipt, reason="not started")
    assert [balance.spent for balance in ledger.balances("visits")] == [Fraction(1, 10), Fraction(1, 10)]
    ledger.verify()
