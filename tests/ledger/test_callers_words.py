"""Strangers, other currencies, wide grants and deep releases are told so, in the caller's words."""

from fractions import Fraction
from pathlib import Path

import pytest

from ledger_cases import Opener, ask, charge, stocked
from sfumato.accounting import events
from sfumato.errors import InvalidParameter, LedgerMisuse
from sfumato.ledger import Budget, SqliteLedger


def test_a_stranger_has_no_balance_and_is_told_so(opener: Opener) -> None:
    ledger = stocked(opener())
    for ask_about in (
        ledger.balances,
        lambda dataset, principal="": ledger.spent(dataset=dataset, principal=principal),
    ):
        with pytest.raises(LedgerMisuse, match="dataset `people` is not registered\n\nhint: the owner registers it"):
            ask_about("people")
        with pytest.raises(LedgerMisuse, match="dataset `people` is not registered"):
            ask_about("people", "ada")
        with pytest.raises(LedgerMisuse, match="principal `eve` has no cap on dataset `visits`"):
            ask_about("visits", "eve")


def test_an_event_in_another_currency_is_told_in_which_the_budget_counts(opener: Opener) -> None:
    ledger = stocked(opener())
    refused = ask(ledger, event=events.Gaussian(1))
    assert "hint: the lifetime budget of dataset `visits` counts in ε; ask for a mechanism" in str(refused)
    assert "cheaper" not in str(refused)
    ledger.register("concentrated", Budget.zcdp(rho=1))
    ledger.grant("concentrated", "ada", Budget.pure(epsilon=1))
    refused = ask(ledger, dataset="concentrated", event=events.Gaussian(5))
    assert "hint: the lifetime budget of principal `ada` counts in ε" in str(refused)
    refused = ask(ledger, dataset="concentrated", event=events.Renyi(2, Fraction(1, 4)))
    assert "dataset `concentrated` counts in ρ of zCDP" in str(refused)


def test_a_grant_may_be_wider_than_the_dataset_whose_cap_rules_all_the_same(opener: Opener) -> None:
    ledger = stocked(opener(), epsilon="0.3", own="1000")
    for n in range(3):
        charge(ledger, f"q{n}", principal=("ada", "bob")[n % 2])
    refused = ask(ledger, "q3", principal="bob")
    assert "the lifetime budget of dataset `visits` decides" in str(refused)
    assert ledger.balances("visits", "bob")[0].remaining > 999, "what a cap leaves is not what the dataset has"


def nested(depth: int, kind: type[list[object]] | type[dict[str, object]]) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value] if kind is list else {"a": value}
    return value


@pytest.mark.parametrize("kind", [list, dict])
def test_a_release_is_nested_a_hundred_deep_at_most(
    opener: Opener, kind: type[list[object]] | type[dict[str, object]]
) -> None:
    ledger = stocked(opener())
    receipt = charge(ledger)
    for depth in (101, 990, 100_000):
        with pytest.raises(InvalidParameter, match="must not be nested more than 100 deep"):
            ledger.settle(receipt, nested(depth, kind))  # type: ignore[arg-type]
    circular: list[object] = []
    circular += [circular, circular]
    with pytest.raises(InvalidParameter, match="must not be nested"):
        ledger.settle(receipt, circular)  # type: ignore[arg-type]
    answer = ledger.settle(receipt, nested(100, kind))  # type: ignore[arg-type]
    assert ask(ledger) == answer
    ledger.verify()


def test_a_veiled_name_is_the_same_for_who_opens_the_ledger_and_nobody_elses(tmp_path: Path) -> None:
    with SqliteLedger(tmp_path / "one.ledger") as one, SqliteLedger(tmp_path / "two.ledger") as two:
        assert one.veiled("data") != one.veiled("data")  # nothing is written yet, so there is no secret to keep to
        one.register("visits", Budget.pure(epsilon="1"))
        two.register("visits", Budget.pure(epsilon="1"))
        named = one.veiled("data")
        assert named == one.veiled("data")
        assert named != two.veiled("data")
        assert "data" not in named
    with SqliteLedger(tmp_path / "one.ledger") as again:
        assert again.veiled("data") == named
