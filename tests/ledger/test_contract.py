"""What every ledger does, whatever it is stored in."""

import hashlib
import json
import pickle
from fractions import Fraction

import pytest

from ledger_cases import TENTH, Clock, Opener, ask, charge, refusal, sha, spent, stocked
from sfumato.accounting import PureFilter, RDPFilter, ZCDPFilter, events, total
from sfumato.errors import InvalidParameter, LedgerMisuse
from sfumato.ledger import Answered, Budget, Limits, Receipt, Refused


def test_a_charge_is_on_record_before_the_receipt_is_handed_out(opener: Opener) -> None:
    ledger = stocked(opener())
    receipt = charge(ledger)
    seen_by_another = opener()
    latest = list(seen_by_another.entries())[-1]
    assert (latest.sequence, latest.head) == (receipt.sequence, receipt.head)
    assert latest.body["kind"] == "reserve"
    assert latest.body["event"] == TENTH.to_json()
    assert {"accountant", "charged", "time", "principal", "data_version"} <= set(latest.body)
    assert spent(seen_by_another) == spent(seen_by_another, "ada") == Fraction(1, 10)


def test_ten_tenths_fill_a_cap_of_one_and_an_eleventh_is_refused(opener: Opener) -> None:
    ledger = stocked(opener())
    for i in range(10):
        charge(ledger, f"q{i}")
    refused = ask(ledger, "q10")
    assert refusal(refused) == "budget"
    assert "costs 0.1, 0 (δ last) and 0 is left" in str(refused)
    assert "hint: the lifetime budget of dataset `visits` decides" in str(refused)
    assert spent(ledger) == 1
    assert len(list(ledger.entries())) == 3 + 10
    ledger.verify()


def test_the_cap_of_the_dataset_stands_above_those_of_principals(opener: Opener) -> None:
    ledger = stocked(opener(), epsilon="0.15", own="0.1")
    charge(ledger, "q1", principal="ada")
    assert "of principal `ada`" in str(ask(ledger, "q2", principal="ada", event=events.Laplace(Fraction(1, 20))))
    assert refusal(ask(ledger, "q2", principal="ada")) == "budget"
    assert "of dataset `visits`" in str(ask(ledger, "q2", principal="bob"))
    charge(ledger, "q2", principal="bob", event=events.Laplace(Fraction(1, 20)))
    assert spent(ledger) == Fraction(15, 100)


def test_strangers_and_unknown_datasets_are_refused(opener: Opener) -> None:
    ledger = stocked(opener())
    assert refusal(ask(ledger, principal="eve")) == "unknown"
    assert refusal(ask(ledger, dataset="people")) == "unknown"
    with pytest.raises(LedgerMisuse, match="`people` is not registered"):
        ledger.grant("people", "ada", Budget.pure(epsilon="1"))
    assert len(list(ledger.entries())) == 3


def test_caps_are_for_ever_and_saying_them_again_changes_nothing(opener: Opener) -> None:
    ledger = stocked(opener())
    assert ledger.register("visits", Budget.pure(epsilon="1.0")) == 3
    with pytest.raises(LedgerMisuse, match="dataset `visits` has other caps"):
        ledger.register("visits", Budget.pure(epsilon="2"))
    with pytest.raises(LedgerMisuse, match="principal `ada` has other caps"):
        ledger.grant("visits", "ada", Limits(Budget.pure(epsilon="1"), day=Budget.pure(epsilon="1")))
    assert len(list(ledger.entries())) == 3


# ---- settle, lose, refund, recover ---------------------------------------------------------------------------


def test_a_settled_answer_comes_back_for_the_same_key_and_costs_nothing(opener: Opener) -> None:
    ledger = stocked(opener())
    answered = ledger.settle(charge(ledger), {"count": 41, "names": ["é", None, True], "secret": "forty-one"})
    for again in (ask(ledger), ask(opener())):
        assert again == answered
        assert isinstance(again, Answered)
        assert again.release == {"count": 41, "names": ["é", None, True], "secret": "forty-one"}
    assert spent(ledger) == Fraction(1, 10)
    assert "forty" not in repr(again)


def test_an_equal_question_on_the_same_data_version_is_the_stored_answer(opener: Opener) -> None:
    ledger = stocked(opener())
    answered = ledger.settle(charge(ledger, "q", key="first"), [1])
    assert ask(ledger, "q", key="second") == answered
    assert spent(ledger) == spent(ledger, "ada") == Fraction(1, 10)
    assert isinstance(ask(ledger, "q", key="third", version="v2"), Receipt)
    assert spent(ledger) == Fraction(2, 10)


def test_another_principal_pays_for_a_stored_answer_once_and_the_dataset_does_not(opener: Opener) -> None:
    ledger = stocked(opener())
    answered = ledger.settle(charge(ledger, "q", key="a"), [1])
    for key in ("b", "b", "c"):
        assert ask(ledger, "q", key=key, principal="bob") == answered
    assert (spent(ledger), spent(ledger, "bob")) == (Fraction(1, 10), Fraction(1, 10))
    assert ledger.spent(dataset="visits", principal="bob") == ((TENTH, 1),)
    assert ledger.spent(dataset="visits") == ((TENTH, 1),)
    charge(ledger, "of ada alone", principal="ada")
    totals = [ledger.total(dataset="visits", principal=who).epsilon(0) for who in ("", "ada", "bob")]
    assert totals == pytest.approx([0.2, 0.2, 0.1])
    ledger.grant("visits", "cy", Budget.pure(epsilon="0.05"))
    ledger.grant("visits", "di", Budget.pure(epsilon="0.15"))
    assert refusal(ask(ledger, "q", key="d", principal="cy")) == "budget"
    charge(ledger, "other", principal="di")
    assert refusal(ask(ledger, "q", key="d", principal="di")) == "budget"
    ledger.verify()


def test_every_shared_answer_is_paid_for_by_itself(opener: Opener) -> None:
    ledger = stocked(opener())
    for n in range(3):
        ledger.settle(charge(ledger, f"q{n}"), n)
        assert isinstance(ask(ledger, f"q{n}", key=f"b{n}", principal="bob"), Answered)
        assert isinstance(ask(ledger, f"q{n}", key=f"again {n}", principal="bob"), Answered)
        assert spent(ledger, "bob") == Fraction(n + 1, 10)


def test_what_keys_are_kept_as_never_changes(sqlite_opener: Opener) -> None:
    ledger = stocked(sqlite_opener())
    ledger.settle(charge(ledger, "q", key="a"), 1)
    ask(ledger, "q", key="b", principal="bob")
    ledger.restore(reason="a drill", anchor=ledger.anchor())
    charge(ledger, "open")

    def kept(*parts: str) -> bytes:
        return hashlib.sha256("\n".join(parts).encode()).digest()[:16]

    memo = kept("memo", "visits", "v1", sha("q"))
    closed = {kept("key", "ada", "a"): 5, memo: 5, kept("key", "bob", "b"): 6, kept("seen", "bob", memo.hex()): 6}
    closed[kept("restore", "7")] = 7
    assert dict(sqlite_opener.execute("SELECT name, sequence FROM closed_keys")) == closed
    opened = {kept("key", "ada", "open"): 8, kept("memo", "visits", "v1", sha("open")): 8}
    assert dict(sqlite_opener.execute("SELECT name, sequence FROM open_keys")) == opened


def test_a_key_names_one_request_for_ever(opener: Opener) -> None:
    ledger = stocked(opener())
    ledger.settle(charge(ledger, "q", key="k"), 1)
    assert refusal(ask(ledger, "another", key="k")) == "conflict"
    assert refusal(ask(ledger, "q", key="k", event=events.Laplace(Fraction(1, 5)))) == "conflict"
    assert refusal(ask(ledger, "q", key="k", version="v2")) == "conflict"
    assert isinstance(ask(ledger, "other", key="k", principal="bob"), Receipt)
    assert refusal(ask(ledger, "third", key="k", principal="bob")) == "conflict"


def test_a_request_that_is_under_way_is_neither_charged_nor_drawn_again(opener: Opener) -> None:
    ledger = stocked(opener())
    charge(ledger, "q", key="k")
    assert refusal(ask(ledger, "q", key="k")) == "pending"
    assert refusal(ask(ledger, "q", key="k2")) == "pending"
    assert refusal(ask(ledger, "q", key="k3", principal="bob")) == "pending"
    assert spent(ledger) == Fraction(1, 10)


def test_a_lost_answer_stays_spent_and_its_question_may_be_asked_again(opener: Opener) -> None:
    ledger = stocked(opener())
    receipt = charge(ledger, "q", key="k")
    ledger.lose(receipt, reason="engine failed")
    ledger.lose(receipt, reason="engine failed again")
    assert refusal(ask(ledger, "q", key="k")) == "lost"
    charge(ledger, "q", key="k2")
    assert spent(ledger) == Fraction(2, 10)
    with pytest.raises(LedgerMisuse, match="marked as lost"):
        ledger.settle(receipt, 1)
    with pytest.raises(LedgerMisuse, match="ended already"):
        ledger.refund(receipt, reason="no")
    assert [entry.body["kind"] for entry in ledger.entries()][3:] == ["reserve", "lose", "reserve"]
    assert list(ledger.entries())[4].body["reason"] == "engine failed"
    ledger.verify()


def test_a_refund_is_an_entry_that_gives_the_charge_back(opener: Opener) -> None:
    ledger = stocked(opener())
    receipt = charge(ledger, "q", key="k")
    ledger.refund(receipt, reason="engine could not be reached")
    ledger.refund(receipt, reason="engine could not be reached")
    assert spent(ledger) == spent(ledger, "ada") == 0
    assert refusal(ask(ledger, "q", key="k")) == "refunded"
    assert ledger.spent(dataset="visits") == ()
    with pytest.raises(LedgerMisuse, match="was refunded"):
        ledger.settle(receipt, 1)
    with pytest.raises(LedgerMisuse, match="ended already"):
        ledger.lose(receipt, reason="no")
    assert list(ledger.entries())[-1].body["reason"] == "engine could not be reached"
    ledger.verify()


def test_settling_twice_alike_is_once_and_otherwise_is_refused(opener: Opener) -> None:
    ledger = stocked(opener())
    receipt = charge(ledger)
    assert ledger.settle(receipt, {"n": 1}) == ledger.settle(receipt, {"n": 1})
    with pytest.raises(LedgerMisuse, match="another answer"):
        ledger.settle(receipt, {"n": 2})


def test_a_receipt_of_another_ledger_settles_nothing(opener: Opener) -> None:
    ledger = stocked(opener())
    receipt = charge(ledger)
    for forged in (
        Receipt(receipt.sequence, "0" * 64, "visits", "ada", receipt.time),
        Receipt(999, receipt.head, "visits", "ada", receipt.time),
        Receipt(1, next(ledger.entries()).head, "visits", "ada", receipt.time),
    ):
        with pytest.raises(LedgerMisuse, match="does not belong to this ledger"):
            ledger.settle(forged, 1)
    with pytest.raises(InvalidParameter, match="must be what `reserve` gave"):
        ledger.settle("receipt", 1)  # type: ignore[arg-type]


def test_recovery_marks_what_was_left_open_and_leaves_it_spent(opener: Opener, clock: Clock) -> None:
    ledger = stocked(opener())
    first = charge(ledger, "q1")
    clock.pass_(30)
    assert ledger.recover(older_than=60) == 0
    clock.pass_(70)
    second = charge(ledger, "q2")
    assert ledger.recover(older_than=60) == 1
    assert list(ledger.entries())[-1].body["reason"] == "recovered"
    assert ledger.settle(second, 2).release == 2
    assert ledger.recover() == 0
    assert refusal(ask(ledger, "q1")) == "lost"
    assert spent(ledger) == Fraction(2, 10)
    with pytest.raises(LedgerMisuse, match="do not release"):
        ledger.settle(first, 1)
    charge(ledger, "q3")
    assert ledger.recover() == 1, "what was charged in this moment too, unless some seconds are given"
    for bad in (-1, True, float("nan"), "one"):
        with pytest.raises(InvalidParameter, match="older_than"):
            ledger.recover(older_than=bad)  # type: ignore[arg-type]


def test_what_is_not_json_is_not_a_release_and_is_not_shown(opener: Opener) -> None:
    ledger = stocked(opener())
    receipt = charge(ledger)
    for bad in (float("nan"), {"secret": {1, 2}}, (1, 2), {1: "secret"}, "\ud800", b"secret"):
        with pytest.raises(InvalidParameter, match="must be a JSON value") as error:
            ledger.settle(receipt, bad)  # type: ignore[arg-type]
        assert "secret" not in str(error.value)
    for good in (None, 0, "", [], 1.5, "\x00"):  # type: ignore[var-annotated]
        ledger.settle(charge(ledger, f"q{good!r}", event=events.Laplace(Fraction(1, 100))), good)
    ledger.verify()


@pytest.mark.parametrize(
    "words",
    [
        {"principal": ""},
        {"principal": "a\nb"},
        {"principal": "x" * 201},
        {"dataset": 7},
        {"key": ""},
        {"version": "\x00"},
        {"event": "laplace"},
    ],
)
def test_names_are_plain_text_and_events_are_events(opener: Opener, words: dict[str, object]) -> None:
    ledger = stocked(opener())
    with pytest.raises(InvalidParameter):
        ask(ledger, **words)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["é", "a b", "x" * 200, "no\u00a0break", "\u2028", "名"])
def test_a_name_may_be_any_text_without_control_characters(opener: Opener, name: str) -> None:
    ledger = opener()
    ledger.register(name, Budget.pure(epsilon=1))
    ledger.grant(name, name, Budget.pure(epsilon=1))
    ledger.settle(charge(ledger, dataset=name, principal=name, key=name, version=name), name)
    assert ledger.balances(name, name)[0].spent == Fraction(1, 10)
    ledger.verify()


def test_a_request_hash_is_a_hash(opener: Opener) -> None:
    ledger = stocked(opener())
    for bad in ("", "abc", "A" * 64, sha("x") + "\n", None):
        with pytest.raises(InvalidParameter, match="request_hash"):
            ledger.reserve(
                dataset="visits",
                principal="ada",
                event=TENTH,
                request_hash=bad,  # type: ignore[arg-type]
                idempotency_key="k",
                data_version="v",
            )


# ---- currencies ----------------------------------------------------------------------------------------------


def test_a_budget_decides_as_its_own_filter_does(opener: Opener) -> None:
    for name, filter_ in (
        ("pure", PureFilter(1, Fraction(1, 10**6))),
        ("zcdp", ZCDPFilter(Fraction(1, 50))),
        ("rdp", RDPFilter(Fraction(3), Fraction(1, 10**6))),
    ):
        ledger = opener()
        ledger.register(name, Budget.of(filter_))
        ledger.grant(name, "ada", Budget.of(filter_))
        decisions: list[tuple[bool, bool]] = []
        left: PureFilter | ZCDPFilter | RDPFilter = filter_
        mixed = (
            events.Laplace(Fraction(1, 10)),
            events.Gaussian(8),
            events.Approximate(Fraction(1, 7), Fraction(1, 10**7)),
            events.Converted(events.Gaussian(40), Fraction(1, 10**7)),
        )
        for i, event in enumerate((*mixed, events.Renyi(2, Fraction(1, 4))) * 6):
            fits = left.admits(event)
            found = ask(ledger, f"{name}{i}", dataset=name, event=event)
            decisions.append((fits, isinstance(found, Receipt)))
            left = left.spend(event) if fits else left
        assert all(ours == theirs for ours, theirs in decisions)
        assert {ours for ours, _ in decisions} == {True, False}
        ledger.verify()


def test_an_event_without_a_price_in_the_currency_is_refused(opener: Opener) -> None:
    ledger = stocked(opener())
    assert "no pure price" in str(ask(ledger, event=events.Gaussian(1)))
    assert "costs nothing" in str(ask(ledger, event=events.Pure(0)))
    assert "costs 2" in str(ask(ledger, event=events.Pure(2)))
    ledger.register("curve", Budget.rdp(epsilon="1", delta="1e-6"))
    ledger.grant("curve", "ada", Budget.rdp(epsilon="1", delta="1e-6"))
    assert "(δ last) and" in str(ask(ledger, dataset="curve", event=events.Gaussian(Fraction(1, 2))))


def test_principal_and_dataset_may_count_in_different_currencies(opener: Opener) -> None:
    ledger = opener()
    ledger.register("visits", Budget.zcdp(rho="0.1"))
    ledger.grant("visits", "ada", Budget.pure(epsilon="0.3"))
    for i in range(3):
        charge(ledger, f"q{i}")
    assert refusal(ask(ledger, "q3")) == "budget"
    assert (spent(ledger), spent(ledger, "ada")) == (Fraction(3, 200), Fraction(3, 10))
    ledger.verify()


def test_what_is_bought_at_a_delta_is_charged_to_each_currency_by_itself(opener: Opener) -> None:
    """ε budgets pay ε(δ) and δ; ρ and Rényi budgets pay for the noise, and no δ: a twin that paid it would be refused."""
    ledger, delta = opener(), Fraction(1, 10**7)
    done = events.Composition([(events.Gaussian(20), 2), events.Laplace(Fraction(1, 100))])
    bought = events.Converted(done, delta)
    price, rho = bought.pure(), done.zcdp()
    assert price is not None
    assert rho is not None
    caps = {"pure": Budget.pure(epsilon=2 * price, delta=2 * delta), "zcdp": Budget.zcdp(rho="1")}
    for name, budget in (caps | {"rdp": Budget.rdp(epsilon="3", delta="1e-6")}).items():
        ledger.register(name, budget)
        ledger.grant(name, "ada", budget)
        for i in range(2):
            ledger.settle(charge(ledger, f"{name}{i}", dataset=name, event=bought), i)
        (balance,) = ledger.balances(name)
        assert balance.delta_spent == (2 * delta if name == "pure" else 0)
        assert balance.spent == {"pure": 2 * price, "zcdp": 2 * rho}.get(name, balance.spent)
        assert ledger.spent(dataset=name) == ((bought, 2),)
        assert ledger.total(dataset=name).epsilon(1e-6) == total([(done, 2)]).epsilon(1e-6)
    assert refusal(ask(ledger, "third", dataset="pure", event=bought)) == "budget"
    charge(ledger, "third", dataset="zcdp", event=bought)
    ledger.group("people", Budget.zcdp(rho="1"))
    ledger.join("pure", "people")
    assert ledger.balances("pure")[1].spent == 2 * rho, "history is priced again, in another currency"
    assert "no pure price" in str(ask(ledger, dataset="pure", event=events.Converted(done, Fraction(1, 10**400))))
    ledger.verify()


def test_what_an_entry_says_was_bought_is_what_is_priced(opener: Opener) -> None:
    """A twin of the event that forgets its δ is not the accountant's own, and is refused before anything is charged."""

    class WithoutItsDelta(events.Converted):
        def pure_delta(self) -> Fraction:
            return Fraction(0)

    ledger = opener()
    ledger.register("visits", Budget.pure(epsilon="9", delta="1e-6"))
    ledger.grant("visits", "ada", Budget.pure(epsilon="9", delta="1e-6"))
    with pytest.raises(InvalidParameter, match="one of the accountant's own"):
        ask(ledger, event=WithoutItsDelta(events.Gaussian(4), Fraction(1, 10**7)))
    assert spent(ledger) == 0


def test_a_balance_says_what_is_spent_and_left_in_every_currency(opener: Opener) -> None:
    ledger = opener()
    ledger.register("visits", Budget.pure(epsilon="2", delta="1e-6"))
    ledger.grant("visits", "ada", Budget.rdp(epsilon="9", delta="1e-3"))
    charge(ledger, event=events.Approximate(Fraction(1, 4), Fraction(1, 10**7)))
    (whole,), (own,) = ledger.balances("visits"), ledger.balances("visits", "ada")
    assert (whole.dataset, whole.principal, whole.currency) == ("visits", "", "pure")
    assert (whole.cap, whole.spent) == (2, Fraction(1, 4))  # type: ignore[comparison-overlap]
    assert (whole.delta_cap, whole.delta_spent) == (Fraction(1, 10**6), Fraction(1, 10**7))
    assert (own.principal, own.currency, own.delta_cap) == ("ada", "rdp", Fraction(1, 2000))
    assert 0 < own.spent < Fraction(1, 4)
    assert own.delta_spent == Fraction(1, 10**7)
    assert own.remaining == own.cap - own.spent


def test_a_refund_gives_back_every_order_but_those_that_are_lost(opener: Opener) -> None:
    ledger = opener()
    orders = (3.0, 64.0)
    for holder in (ledger.register, lambda name, budget: ledger.grant(name, "ada", budget)):
        holder("visits", Budget.rdp(epsilon="40", delta="1e-6", orders=orders))
    before = ledger.balances("visits")[0]
    assert before.cap > 39
    ledger.refund(charge(ledger, "q1"), reason="not begun")
    assert ledger.balances("visits") == [before]
    ledger.refund(charge(ledger, "q2", event=events.Renyi(3, Fraction(1, 4))), reason="not begun")
    (after,) = ledger.balances("visits")
    assert after.cap == before.cap
    assert after.remaining < before.remaining, "the order at which the price was infinite is gone for good"
    ledger.verify()


# ---- re-pricing and export -----------------------------------------------------------------------------------


def test_the_same_history_is_priced_by_any_accountant(opener: Opener) -> None:
    ledger = opener()
    ledger.register("visits", Budget.zcdp(rho="10"))
    ledger.grant("visits", "ada", Budget.zcdp(rho="10"))
    for i in range(40):
        ledger.settle(charge(ledger, f"q{i}"), i)
    charge(ledger, "g", event=events.Gaussian(20))
    before = ledger.anchor()
    found = ledger.total(dataset="visits")
    bounds = found.bounds(1e-6)
    assert found.epsilon(1e-6) == total([(TENTH, 40), events.Gaussian(20)]).epsilon(1e-6)
    assert found.epsilon(1e-6) <= bounds["pld"] < bounds["zcdp"] < bounds["basic"]
    assert ledger.verify(before) == before, "pricing again touches nothing"


def test_the_export_is_lines_of_json_whose_chain_anyone_can_check(opener: Opener) -> None:
    ledger = stocked(opener())
    ledger.settle(charge(ledger), {"n": 1})
    head = "0" * 64
    for line in ledger.export():
        found = json.loads(line)
        text = line[len('{"entry":') : line.rindex(',"head":')]
        head = sha(f"{head}\n{text}")
        assert found["head"] == head
        assert json.loads(text) == found["entry"]
    assert ledger.anchor().endswith(head)


def test_a_refusal_without_a_hint_is_its_problem() -> None:
    assert str(Refused("budget", "nothing is left")) == "nothing is left"


def test_outcomes_travel_between_processes(opener: Opener) -> None:
    ledger = stocked(opener())
    receipt = pickle.loads(pickle.dumps(charge(ledger)))
    assert ledger.settle(receipt, 1) == pickle.loads(pickle.dumps(ask(ledger)))
    assert isinstance(pickle.loads(pickle.dumps(ask(ledger, "q", key="x", principal="eve"))), Refused)


def test_a_ledger_is_a_context(opener: Opener) -> None:
    with opener() as ledger:
        stocked(ledger)
    assert len(list(opener().entries())) == 3
