"""The default clock: whoever sets the machine's clock opens no window of a ledger that is open."""

import time
from fractions import Fraction
from pathlib import Path

import pytest

from ledger_cases import Clock, Opener, ask, charge, refusal
from sfumato.ledger import Budget, Limits, SqliteLedger, clock
from sfumato.ledger.clock import SteadyClock

DAY = 86_400 * 10**9


def daily(ledger: SqliteLedger) -> SqliteLedger:
    ledger.register("visits", Limits(Budget.pure(epsilon="10"), day=Budget.pure(epsilon="0.1")))
    ledger.grant("visits", "ada", Budget.pure(epsilon="10"))
    return ledger


def test_a_clock_that_is_set_ahead_opens_no_window_of_an_open_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    boot = [5 * 10**9]
    monkeypatch.setattr(time, "time_ns", lambda: 1_790_000_000 * 10**9)
    monkeypatch.setattr(clock, "_since_boot", lambda: boot[0])
    with daily(SqliteLedger(tmp_path / "ledger")) as ledger:
        charge(ledger, "q1")
        monkeypatch.setattr(time, "time_ns", lambda: 1_790_000_000 * 10**9 + 400 * DAY)
        assert refusal(ask(ledger, "q2")) == "budget"
        boot[0] += DAY
        charge(ledger, "q2")
        assert ledger.balances("visits")[0].spent == Fraction(2, 10)


def test_the_broken_twin_a_wall_clock_opens_a_window_whenever_it_is_set_ahead(
    sqlite_opener: Opener, clock: Clock
) -> None:
    ledger = daily(sqlite_opener())  # type: ignore[arg-type]
    charge(ledger, "q1")
    assert refusal(ask(ledger, "q2")) == "budget"
    clock.pass_(86_400)
    charge(ledger, "q2")
    assert ledger.balances("visits")[0].spent == Fraction(2, 10), "whoever sets the clock may ask again"


def test_time_goes_on_while_the_machine_sleeps_where_the_system_counts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    steady = SteadyClock()
    monkeypatch.setattr(time, "clock_gettime_ns", lambda which: {7: 10**18}[which])
    monkeypatch.setattr(clock, "_BOOT", 7)
    assert steady() == steady._boot + 10**18
    monkeypatch.setattr(clock, "_BOOT", None)
    assert steady() < steady._boot + 10**18


@pytest.mark.parametrize("boot", [None, time.CLOCK_MONOTONIC])
def test_the_clock_is_the_walls_and_runs_on_by_itself(boot: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "_BOOT", boot)
    before = time.time_ns()
    steady = SteadyClock()
    seen = [steady() for _ in range(100)]
    assert seen == sorted(seen)
    assert before - 10**9 <= seen[0] <= seen[-1] <= time.time_ns() + 10**9
