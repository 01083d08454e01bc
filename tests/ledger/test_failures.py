"""Questions that fail are counted, durably, by principal and by dataset, until the owner has looked."""

import hashlib
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ledger_cases import TENTH, Opener
from sfumato.accounting import events
from sfumato.errors import LedgerDamaged, LedgerMisuse
from sfumato.ledger import Answered, Budget, Ledger, Patience, Receipt, Refused

FEW = Patience(principal=2, dataset=3)


@pytest.fixture
def ledger(opener: Opener) -> Iterator[Ledger]:
    opened = opener()
    opened.register("visits", Budget.pure(epsilon="10"))
    for who in ("ada", "bob", "eve"):
        opened.grant("visits", who, Budget.pure(epsilon="10"))
    yield opened
    opened.verify()


def ask(ledger: Ledger, what: str, who: str = "ada", patience: Patience | None = FEW, **more: Any) -> Any:
    return ledger.reserve(
        dataset="visits", principal=who, event=TENTH, request_hash=hashlib.sha256(what.encode()).hexdigest(), idempotency_key=f"{who} {what}",
        data_version="v1", patience=patience, **more,
    )  # fmt: skip


def fail(ledger: Ledger, what: str, who: str = "ada") -> None:
    receipt = ask(ledger, what, who)
    assert isinstance(receipt, Receipt)
    ledger.lose(receipt, reason="the engine did not finish")


def test_a_principal_who_failed_too_often_is_refused_until_the_owner_unlocks(ledger: Ledger, opener: Opener) -> None:
    answered = ask(ledger, "fine")
    ledger.settle(answered, {"n": 1})
    fail(ledger, "one")
    fail(ledger, "two")
    again = opener()  # another process
    for opened in (ledger, again):
        held = ask(opened, "three")
        assert isinstance(held, Refused)
        assert (held.reason, held.problem) == ("locked", "2 questions of principal `ada` have failed")
        assert isinstance(ask(opened, "fine"), Answered), "what is stored is given all the same"
        assert ledger.balances("visits")[0].spent == Fraction(3, 10)
    ledger.settle(ask(ledger, "three", "bob"), {})
    assert again.unlock(dataset="visits", principal="ada", reason="a bad disk") == 2
    assert isinstance(ask(ledger, "three again"), Receipt)
    assert ledger.failures("visits", "ada") == 0
    assert ledger.failures("visits") == 2, "the dataset's own count is another"


def test_failures_of_all_together_lock_the_dataset(ledger: Ledger) -> None:
    for who in ("ada", "bob", "eve"):
        fail(ledger, "one", who)
    held = ask(ledger, "two", "bob")
    assert (held.reason, held.problem) == ("locked", "3 questions on dataset `visits` have failed")
    assert ledger.unlock(dataset="visits", reason="looked at") == 3
    assert [ledger.failures("visits", who) for who in ("", "ada", "bob", "eve")] == [0] * 4
    assert isinstance(ask(ledger, "two", "bob"), Receipt)
    kinds = [entry.body["kind"] for entry in ledger.entries()]
    assert kinds.count("unlock") == 1


def test_no_more_are_open_than_may_still_fail(ledger: Ledger) -> None:
    """However many ask at once: who lets a hundred in before the first has failed has let a hundred fail."""
    receipts = [ask(ledger, str(i)) for i in range(2)]
    held = ask(ledger, "third")
    assert held.reason == "busy"
    assert isinstance(ask(ledger, "bob's", "bob"), Receipt)
    assert ask(ledger, "eve's", "eve").reason == "busy", "the dataset bears three"
    for receipt in receipts:
        ledger.settle(receipt, {})
    assert isinstance(ask(ledger, "third"), Receipt)


def test_who_died_may_have_died_of_a_cell(ledger: Ledger) -> None:
    ask(ledger, "killed")
    assert ledger.recover() == 1
    assert ledger.failures("visits", "ada") == 1


def test_who_was_interrupted_did_not_fail(ledger: Ledger) -> None:
    ledger.lose(ask(ledger, "one"), reason="interrupted", failure=False)
    ask(ledger, "two")
    ledger.abandon(principal="ada", idempotency_key="ada two")
    ledger.abandon(principal="ada", idempotency_key="never used")
    assert ledger.failures("visits", "ada") == 0
    assert ask(ledger, "two").reason == "lost"
    assert isinstance(ask(ledger, "one"), Refused)


def test_without_a_charge_only_what_is_stored_is_given(ledger: Ledger) -> None:
    assert ask(ledger, "new", charge=False).reason == "new"
    ledger.settle(ask(ledger, "old"), {"n": 1})
    assert isinstance(ask(ledger, "old", charge=False), Answered)
    assert ledger.balances("visits")[0].spent == Fraction(1, 10)


# ---- questions of a run ----


def begun(ledger: Ledger) -> int:
    receipt = ledger.reserve(
        dataset="visits", principal="ada", event=events.Pure(1), request_hash="1" * 64, idempotency_key="run", data_version="v1"
    )  # fmt: skip
    assert isinstance(receipt, Receipt)
    return ledger.settle(receipt, {"watch": "begun"}).sequence


def question(ledger: Ledger, run: int, what: str, who: str = "ada") -> Any:
    digest = hashlib.sha256(what.encode()).hexdigest()
    return ledger.ask(
        run, dataset="visits", principal=who, request_hash=digest, idempotency_key=what, data_version="v1", patience=FEW
    )


def test_a_question_of_a_run_is_an_entry_and_costs_nothing_more(ledger: Ledger) -> None:
    run = begun(ledger)
    receipt = question(ledger, run, "q1")
    ledger.settle(receipt, {"above": False})
    lost = question(ledger, run, "q2")
    ledger.lose(lost, reason="the engine did not finish")
    assert ledger.balances("visits")[0].spent == 1
    assert [entry.body["kind"] for entry in ledger.entries()][-4:] == ["ask", "settle", "ask", "lose"]
    assert ledger.failures("visits", "ada") == 1
    ledger.lose(question(ledger, run, "q3"), reason="the engine did not finish")
    assert question(ledger, run, "q4").reason == "locked"
    assert ledger.spent(dataset="visits") == ledger.spent(dataset="visits", principal="ada")


def test_a_question_of_a_run_that_died_is_counted(ledger: Ledger) -> None:
    question(ledger, begun(ledger), "q1")
    assert ledger.recover() == 1
    assert ledger.failures("visits") == 1


def test_what_is_no_run_of_ones_own_is_refused(ledger: Ledger) -> None:
    run = begun(ledger)
    for wrong, who in ((run + 1, "ada"), (999, "ada"), (1, "ada"), (run, "bob")):
        with pytest.raises(LedgerMisuse, match="not charged here"):
            question(ledger, wrong, "q", who)
    receipt = question(ledger, run, "q")
    with pytest.raises(LedgerMisuse, match="asked before"):
        question(ledger, run, "q")
    with pytest.raises(LedgerMisuse, match="not charged is not given back"):
        ledger.refund(receipt, reason="x")
    ledger.settle(receipt, {})


def test_an_owner_unlocks_what_there_is(ledger: Ledger) -> None:
    with pytest.raises(LedgerMisuse, match="nothing is registered"):
        ledger.unlock(dataset="other", reason="x")
    with pytest.raises(LedgerMisuse, match="no cap"):
        ledger.unlock(dataset="visits", principal="zoe", reason="x")
    assert ledger.unlock(dataset="visits", reason="nothing had failed") == 0


def test_a_count_that_was_changed_by_hand_is_found(opener: Opener, ledger: Ledger) -> None:
    fail(ledger, "one")
    opener.execute("UPDATE failures SET number = 2 WHERE principal = 'ada'")
    with pytest.raises(LedgerDamaged, match="count of failures"):
        ledger.verify()
    opener.execute("UPDATE failures SET number = 1 WHERE principal = 'ada'")


def test_what_was_spent_never_falls_under_a_renyi_budget(opener: Opener) -> None:
    """The order that has most left changes with the questions; what was spent is told of all orders together."""
    ledger = opener()
    ledger.register("visits", Budget.rdp(epsilon="3", delta="1e-6"))
    ledger.grant("visits", "ada", Budget.rdp(epsilon="3", delta="1e-6"))
    seen = [ledger.balances("visits")[0]]
    assert seen[0].spent == 0
    for i, event in enumerate(
        (events.Pure(Fraction(1, 2)), events.Gaussian(sigma=20), events.Pure(Fraction(1, 5)), events.Gaussian(sigma=9))
        * 3
    ):
        held = ledger.reserve(
            dataset="visits",
            principal="ada",
            event=event,
            request_hash=f"{i:064x}",
            idempotency_key=str(i),
            data_version="v",
        )
        if isinstance(held, Receipt):
            seen.append(ledger.balances("visits")[0])
    assert len(seen) > 4
    for before, after in pairwise(seen):
        assert after.spent > before.spent
        assert after.remaining < before.remaining
        assert after.cap == before.cap


def test_an_older_ledger_has_no_failures_yet(tmp_path: Path) -> None:
    from sfumato.ledger import SqliteLedger
    from sfumato.ledger.schema import SQLITE
    from sfumato.ledger.sqlite import SqliteStore

    SqliteStore(tmp_path / "old", patience=1, steps=SQLITE[:1]).close()
    with SqliteLedger(tmp_path / "old") as ledger:
        assert ledger.failures("visits") == 0
        ledger.verify()
