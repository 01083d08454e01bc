"""The same people under several names: what is charged to any of them is charged to their group."""

from fractions import Fraction

import pytest

from ledger_cases import TENTH, Clock, Opener, ask, charge, forge, refusal, sha, stocked
from sfumato.accounting import events
from sfumato.errors import LedgerDamaged, LedgerMisuse
from sfumato.ledger import Answered, Budget, Caps, Ledger, Limits, Receipt

DAY = 86_400


def people(ledger: Ledger, *, cap: Budget | Limits | None = None) -> Ledger:
    """Two datasets about the same people, who bear a third of an epsilon altogether."""
    stocked(ledger)
    ledger.register("stays", Budget.pure(epsilon="1"))
    ledger.grant("stays", "ada", Budget.pure(epsilon="1"))
    ledger.group("people", cap or Budget.pure(epsilon="0.35"))
    for dataset in ("visits", "stays"):
        ledger.join(dataset, "people")
    return ledger


def of_group(ledger: Ledger, dataset: str = "visits", group: str = "people") -> Fraction:
    """What a group has spent in its lifetime."""
    (balance,) = [each for each in ledger.balances(dataset) if each.group == group and not each.period]
    return balance.spent


def test_a_charge_on_any_member_is_charged_to_the_group(opener: Opener) -> None:
    ledger = people(opener())
    charge(ledger, "q1")
    charge(ledger, "q1", key="s1", dataset="stays")
    charge(ledger, "q2", principal="bob")
    for again in (ledger, opener()):
        assert of_group(again) == of_group(again, "stays") == Fraction(3, 10)
        refused = ask(again, "q3", dataset="stays")
        assert str(refused) == (
            "the event costs 0.1, 0 (δ last) and 0.05 is left\n\n"
            "hint: the lifetime budget of group `people` decides; ask a cheaper question"
        )
    assert [balance.spent for balance in ledger.balances("stays")] == [Fraction(1, 10), Fraction(3, 10)]
    assert [balance.group for balance in ledger.balances("stays", "ada")] == [""]
    charge(ledger, "q3", dataset="stays", event=events.Laplace(Fraction(1, 20)))
    assert ledger.balances("visits")[1].remaining == 0
    ledger.verify()


def test_a_balance_of_a_group_says_whose_it_is(opener: Opener) -> None:
    ledger = people(opener(), cap=Limits(Budget.pure(epsilon="0.35"), day=Budget.pure(epsilon="0.2")))
    found = [(each.dataset, each.principal, each.group, each.period, each.cap) for each in ledger.balances("visits")]
    assert found == [
        ("visits", "", "", "", 1),
        ("", "", "people", "", Fraction(35, 100)),
        ("", "", "people", "day", Fraction(1, 5)),
    ]
    assert ledger.groups_of("visits") == ("people",)
    assert ledger.groups_of("strangers") == ()


def test_a_window_of_a_group_renews_as_a_dataset_s_does(opener: Opener, clock: Clock) -> None:
    ledger = people(opener(), cap=Limits(Budget.pure(epsilon="9"), day=Budget.pure(epsilon="0.2")))
    charge(ledger, "q1")
    charge(ledger, "q1", key="s1", dataset="stays")
    assert "the day budget of group `people` decides" in str(ask(ledger, "q2"))
    clock.pass_(DAY)
    charge(ledger, "q2")
    assert [each.spent for each in ledger.balances("visits") if each.group] == [Fraction(3, 10), Fraction(1, 10)]
    ledger.verify()


def test_a_dataset_may_be_in_several_groups(opener: Opener) -> None:
    ledger = people(opener())
    ledger.group("staff", Budget.zcdp(rho="0.01"))
    ledger.join("visits", "staff")
    charge(ledger, "q1")
    assert (of_group(ledger), of_group(ledger, group="staff")) == (Fraction(1, 10), Fraction(1, 200))
    charge(ledger, "q1", key="s1", dataset="stays")
    assert (of_group(ledger), of_group(ledger, group="staff")) == (Fraction(2, 10), Fraction(1, 200))
    charge(ledger, "q2")
    assert "group `staff`" in str(ask(ledger, "q3", event=events.Laplace(Fraction(1, 20))))
    assert ledger.groups_of("visits") == opener().groups_of("visits") == ("people", "staff")
    ledger.verify()


def test_a_stored_answer_is_shared_and_the_group_is_not_charged_again(opener: Opener) -> None:
    ledger = people(opener())
    answer = ledger.settle(charge(ledger, "q"), 1)
    assert ask(ledger, "q", key="again") == ask(ledger, "q", key="b", principal="bob") == answer
    assert of_group(ledger) == Fraction(1, 10)
    assert isinstance(ask(ledger, "q", key="s", dataset="stays"), Receipt), "another dataset is another question"


def test_a_refund_is_given_back_to_the_group_too(opener: Opener, clock: Clock) -> None:
    ledger = people(opener(), cap=Limits(Budget.zcdp(rho="9"), day=Budget.zcdp(rho="9")))
    first, second = charge(ledger, "q1"), charge(ledger, "q2")
    ledger.refund(first, reason="not begun")
    assert [each.spent for each in ledger.balances("visits") if each.group] == [Fraction(1, 200)] * 2
    clock.pass_(DAY)
    ledger.refund(second, reason="not begun")
    assert [each.spent for each in ledger.balances("visits") if each.group] == [0, 0]
    ledger.verify()


def test_what_was_lost_by_a_restore_counts_against_the_group(opener: Opener) -> None:
    ledger = people(opener(), cap=Budget.zcdp(rho="1"))
    ledger.restore(reason="r", anchor=ledger.anchor(), lost={("stays", "ada"): events.Laplace(1)})
    assert of_group(ledger) == Fraction(1, 2)
    ledger.restore(reason="r", anchor=ledger.anchor(), lost={"visits": events.Laplace(5)})
    assert [each.remaining for each in ledger.balances("visits") if each.group] == [0]
    ledger.verify()


# ---- caps and membership are for ever -----------------------------------------------------------------------------


def test_caps_of_a_group_are_for_ever_and_saying_them_again_changes_nothing(opener: Opener) -> None:
    ledger = people(opener())
    before = ledger.anchor()
    assert ledger.group("people", Budget.pure(epsilon="0.350")) == int(before.split()[2])
    joined = [entry.sequence for entry in ledger.entries() if entry.body["kind"] == "join"]
    assert [ledger.join("visits", "people"), opener().join("stays", "people")] == joined
    with pytest.raises(LedgerMisuse, match="group `people` has other caps already"):
        ledger.group("people", Budget.pure(epsilon="1"))
    with pytest.raises(LedgerMisuse, match="group `strangers` has no caps"):
        ledger.join("visits", "strangers")
    with pytest.raises(LedgerMisuse, match="dataset `strangers` is not registered"):
        ledger.join("strangers", "people")
    assert ledger.anchor() == before


def test_a_group_and_a_dataset_may_have_the_same_name(opener: Opener) -> None:
    ledger = stocked(opener())
    ledger.group("visits", Budget.pure(epsilon="0.1"))
    charge(ledger, "q1")
    ledger.join("visits", "visits")
    assert refusal(ask(ledger, "q2")) == "budget"
    assert [(each.dataset, each.group) for each in ledger.balances("visits")] == [("visits", ""), ("", "visits")]
    ledger.verify()


# ---- what was spent before -----------------------------------------------------------------------------------------


def spent_before(ledger: Ledger, clock: Clock) -> Ledger:
    """A dataset that spent 0.3 yesterday, of which 0.1 was given back today, and 0.25 today, 0.1 of it lost with a disk."""
    stocked(ledger)
    charge(ledger, "q1")
    given_back = charge(ledger, "q2", principal="bob")
    ledger.settle(charge(ledger, "q3"), 1)
    ask(ledger, "q3", key="b", principal="bob")  # shared: the dataset is not charged
    clock.pass_(DAY)
    ledger.refund(given_back, reason="not begun")
    charge(ledger, "q4")
    ledger.restore(reason="r", anchor=ledger.anchor(), lost={"visits": TENTH})
    charge(ledger, "q5", event=events.Laplace(Fraction(1, 20)))
    return ledger


def test_what_a_dataset_spent_before_it_joined_counts_against_the_group(opener: Opener, clock: Clock) -> None:
    ledger = spent_before(opener(), clock)
    ledger.group("people", Limits(Budget.pure(epsilon="0.5"), day=Budget.pure(epsilon="0.3")))
    ledger.join("visits", "people")
    for again in (ledger, opener()):
        assert [each.spent for each in again.balances("visits") if each.group] == [Fraction(45, 100), Fraction(1, 4)]
    assert ledger.balances("visits")[0].spent == Fraction(45, 100)
    charge(ledger, "q6", event=events.Laplace(Fraction(1, 20)))
    assert refusal(ask(ledger, "q7", event=events.Laplace(Fraction(1, 1000)))) == "budget"
    ledger.verify()


def test_it_counts_in_the_group_s_own_currency(opener: Opener, clock: Clock) -> None:
    ledger = spent_before(opener(), clock)
    ledger.group("people", Budget.zcdp(rho="1"))
    ledger.group("curve", Budget.rdp(epsilon="9", delta="1e-6"))
    before = ledger.balances("visits")
    for group in ("people", "curve"):
        ledger.join("visits", group)
    assert of_group(ledger) == 4 * Fraction(1, 200) + Fraction(1, 800)
    assert of_group(ledger, group="curve") > 0
    assert ledger.balances("visits")[: len(before)] == before
    ledger.verify()


@pytest.mark.parametrize(
    ("cap", "period"),
    [
        (Budget.pure(epsilon="0.44"), "lifetime"),
        (Limits(Budget.pure(epsilon="1"), day=Budget.pure(epsilon="0.2")), "day"),
    ],
)
def test_a_dataset_that_spent_more_than_the_group_has_may_not_join(
    opener: Opener, clock: Clock, cap: Budget | Limits, period: str
) -> None:
    ledger = spent_before(opener(), clock)
    ledger.group("people", cap)
    before = ledger.anchor()
    with pytest.raises(LedgerMisuse) as error:
        ledger.join("visits", "people")
    assert str(error.value) == (
        f"what dataset `visits` has spent does not fit under the {period} cap of group `people`\n\n"
        "hint: a group's caps are for ever; give caps that hold it to another group"
    )
    assert ledger.anchor() == before
    assert ledger.groups_of("visits") == ()
    ledger.verify()


def test_a_dataset_that_spent_what_has_no_price_in_the_group_may_not_join(opener: Opener) -> None:
    ledger = opener()
    ledger.register("visits", Budget.zcdp(rho="1"))
    ledger.grant("visits", "ada", Budget.zcdp(rho="1"))
    charge(ledger, event=events.Gaussian(5))
    ledger.group("people", Budget.pure(epsilon="9"))
    with pytest.raises(LedgerMisuse) as error:
        ledger.join("visits", "people")
    assert str(error.value) == (
        "what dataset `visits` has spent has no price in group `people`: "
        "event has no pure price, which this budget needs: 'gaussian'\n\n"
        "hint: give caps that count in another currency to another group"
    )


def test_two_that_spent_before_must_fit_together(opener: Opener) -> None:
    ledger = stocked(opener())
    ledger.register("stays", Budget.pure(epsilon="1"))
    ledger.grant("stays", "ada", Budget.pure(epsilon="1"))
    ledger.group("people", Budget.pure(epsilon="0.15"))
    charge(ledger, "q1")
    charge(ledger, "q1", key="s", dataset="stays")
    ledger.join("stays", "people")
    with pytest.raises(LedgerMisuse, match="does not fit"):
        ledger.join("visits", "people")


def test_a_charge_of_before_that_is_given_back_stays_counted_in_the_group(opener: Opener) -> None:
    """What a group took over is a sum: nothing is taken off it, whatever accountant priced it then."""
    ledger = stocked(opener())
    ledger.group("people", Budget.zcdp(rho="1"))
    receipt = charge(ledger, "q1")
    ledger.join("visits", "people")
    after = charge(ledger, "q2")
    for given in (receipt, after):
        ledger.refund(given, reason="not begun")
    assert [each.spent for each in ledger.balances("visits")] == [0, Fraction(1, 200)]
    ledger.verify()


def test_what_was_charged_in_the_same_commit_counts_too(opener: Opener) -> None:
    from sfumato.ledger.budgets import known
    from sfumato.ledger.caps import JoinGroup
    from sfumato.ledger.reserve import Reserve

    ledger = stocked(opener())
    ledger.group("people", Budget.pure(epsilon="1"))
    ledger._decide([Reserve("visits", "ada", known(TENTH), sha("q"), "k", "v1"), JoinGroup("visits", "people")])
    assert of_group(ledger) == Fraction(1, 10)
    ledger.verify()


# ---- trust ------------------------------------------------------------------------------------------------------


def test_the_tables_stop_a_charge_above_a_group_s_cap_even_if_the_ledger_would_not(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The broken twin: an account that forgets to look at its cap."""
    ledger = people(opener(), cap=Budget.pure(epsilon="0.1"))
    charge(ledger, "q1")
    monkeypatch.setattr("sfumato.ledger.accounts.Account.keeps_its_cap", lambda _: True)
    with pytest.raises(Exception, match="nothing was acknowledged"):
        ask(ledger, "q2")
    assert of_group(opener()) == Fraction(1, 10)


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("DELETE FROM memberships WHERE dataset = 'stays'", "which datasets are in a group does not follow"),
        ("UPDATE memberships SET sequence = 1", "which datasets are in a group does not follow"),
        ("INSERT INTO memberships VALUES ('visits', 'staff', 1)", "which datasets are in a group does not follow"),
        ("UPDATE accounts SET spent = '0' WHERE dataset LIKE '_people'", "an account does not follow"),
        ("DELETE FROM accounts WHERE dataset LIKE '_people'", "an account does not follow"),
    ],
)
def test_verify_finds_a_group_that_does_not_follow_from_the_entries(
    opener: Opener, statement: str, problem: str
) -> None:
    ledger = people(opener())
    charge(ledger)
    ledger.verify()
    opener.execute(statement)
    with pytest.raises(LedgerDamaged, match=problem):
        opener().verify()


def test_a_rewritten_chain_still_has_to_fit_under_the_group_s_cap(opener: Opener) -> None:
    ledger = stocked(opener())
    charge(ledger)
    ledger.group("people", Budget.pure(epsilon="0.1"))
    ledger.join("visits", "people")
    joined = int(ledger.anchor().split()[2])
    for charged, problem in (({"": ["0.2", "0"]}, "passes a cap"), ({"": ["0", "0"]}, "an account"), ({}, "read")):
        opener.unlock_entries()
        forge(opener, joined, lambda body, charged=charged: body.update(charged=charged))  # type: ignore[misc]
        opener.lock_entries()
        with pytest.raises(LedgerDamaged, match=problem):
            opener().verify()


def test_a_settled_answer_is_given_whatever_the_group_has_left(opener: Opener) -> None:
    ledger = people(opener(), cap=Budget.pure(epsilon="0.1"))
    ledger.settle(charge(ledger, "q1"), 1)
    assert refusal(ask(ledger, "q2")) == "budget"
    assert isinstance(ask(ledger, "q1", key="again"), Answered)


# ---- all caps of a dataset at once ---------------------------------------------------------------------------------


def test_caps_of_a_dataset_and_its_groups_are_all_given_or_none(opener: Opener, clock: Clock) -> None:
    ledger = spent_before(opener(), clock)
    one, little = Limits(Budget.pure(epsilon="1")), Limits(Budget.pure(epsilon="0.44"))
    before = ledger.anchor()
    wanted = Caps("visits", one, {"ada": one, "eve": one}, {"people": one, "few": little})
    assert [(each.group, each.misuse.problem) for each in ledger.unwelcome(wanted)] == [
        ("few", "what dataset `visits` has spent does not fit under the lifetime cap of group `few`")
    ]
    with pytest.raises(LedgerMisuse, match="does not fit"):
        ledger.give(wanted)
    assert ledger.anchor() == before
    given = ledger.give(Caps("visits", one, {"ada": one, "eve": one}, {"people": one}))
    assert [entry.body["kind"] for entry in ledger.entries()][-3:] == ["grant", "group", "join"]
    assert of_group(opener()) == Fraction(45, 100)
    assert opener().give(Caps("visits", one, {"eve": one})) == given, "the same again changes nothing"
    ledger.verify()


def test_what_was_spent_without_end_is_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin: an order at which something infinite was spent looks like one at which nothing was."""
    from types import SimpleNamespace
    from typing import cast

    from sfumato.ledger import caps
    from sfumato.ledger.stored import StoredState

    spent = SimpleNamespace(used=(None, 0))
    state = cast("StoredState", SimpleNamespace(accounts_of=lambda _: (spent,), bodies=lambda: [{}]))
    monkeypatch.setattr(caps, "charges", lambda *_: [("event", 1, 1)])
    assert caps.JoinGroup("tax", "people")._spent(state) == {("event", 1): 1}
