"""A charge that can be gone on with: paid once, counted when an attempt ends without an answer, settled once."""

from typing import Any

import pytest

from ledger_cases import TENTH, Opener
from sfumato.errors import LedgerMisuse
from sfumato.ledger import Answered, Budget, Ledger, Patience, Receipt, Refused

ONE = Budget.pure(epsilon=1)
PATIENT = Patience(3, 5)


@pytest.fixture
def ledger(opener: Opener) -> Ledger:
    made = opener()
    made.register("visits", ONE)
    made.grant("visits", "ada", ONE)
    return made


def reserve(ledger: Ledger, key: str = "publication 1", **about: Any) -> Receipt | Answered | Refused:
    asked: dict[str, Any] = {"dataset": "visits", "principal": "ada", "event": TENTH, "request_hash": "0" * 64}
    asked |= {"idempotency_key": key, "data_version": "1", "resumable": True, "patience": PATIENT}
    return ledger.reserve(**{**asked, **about})


def spent(ledger: Ledger) -> str:
    return str(ledger.balances("visits")[0].spent)


def test_the_same_receipt_comes_again_and_is_charged_once(ledger: Ledger) -> None:
    first = reserve(ledger)
    assert isinstance(first, Receipt)
    assert reserve(ledger) == first == reserve(ledger)
    assert spent(ledger) == "1/10"
    answer = ledger.settle(first, {"digest": "a"})
    again = reserve(ledger)
    assert isinstance(again, Answered)
    assert again.release == answer.release == {"digest": "a"}
    assert spent(ledger) == "1/10"
    ledger.verify()


def test_of_two_attempts_one_is_settled(ledger: Ledger) -> None:
    first, second = reserve(ledger), reserve(ledger)
    assert isinstance(first, Receipt)
    assert isinstance(second, Receipt)
    ledger.settle(second, {"digest": "b"})
    with pytest.raises(LedgerMisuse, match="another answer"):
        ledger.settle(first, {"digest": "a"})


def test_attempts_that_ended_without_an_answer_are_failures(ledger: Ledger) -> None:
    reserve(ledger)
    for count in (1, 2, 3):
        assert isinstance(reserve(ledger), Receipt)
        assert ledger.failures("visits", "ada") == ledger.failures("visits") == count
    refused = reserve(ledger)
    assert isinstance(refused, Refused)
    assert refused.reason == "locked"
    ledger.unlock(dataset="visits", principal="ada", reason="looked")
    assert isinstance(reserve(ledger), Receipt), "the owner looked, and it goes on under the same charge"
    assert spent(ledger) == "1/10"
    ledger.verify()


def test_recovering_leaves_it_open_and_loses_the_others(ledger: Ledger) -> None:
    kept = reserve(ledger)
    reserve(ledger, "other", resumable=False, request_hash="1" * 64)
    assert ledger.recover() == 1
    assert reserve(ledger) == kept
    lost = reserve(ledger, "other", resumable=False, request_hash="1" * 64)
    assert isinstance(lost, Refused)
    assert lost.reason == "lost"


@pytest.mark.parametrize("other", [{"request_hash": "1" * 64}, {"data_version": "2"}, {"event": TENTH.grouped(2)}])
def test_another_request_under_the_key_is_refused(ledger: Ledger, other: dict[str, Any]) -> None:
    reserve(ledger)
    refused = reserve(ledger, **other)
    assert isinstance(refused, Refused)
    assert refused.reason == "conflict"


def test_a_charge_that_is_not_resumable_stays_pending(ledger: Ledger) -> None:
    reserve(ledger, resumable=False)
    for resumable in (True, False):
        refused = reserve(ledger, resumable=resumable)
        assert isinstance(refused, Refused)
        assert refused.reason == "pending"
    reserve(ledger, "b", request_hash="2" * 64)
    pending = reserve(ledger, "b", request_hash="2" * 64, resumable=False)
    assert isinstance(pending, Refused)
    assert pending.reason == "pending"


def test_who_was_restored_from_a_backup_cannot_go_on(ledger: Ledger) -> None:
    """What became of it in the ledger that is gone is not known: it may have been settled."""
    reserve(ledger)
    anchor = ledger.anchor()
    ledger.restore(reason="disk", anchor=anchor, lost={})
    refused = reserve(ledger)
    assert isinstance(refused, Refused)
    assert refused.reason == "lost"


def test_it_may_be_given_up_and_stays_spent(ledger: Ledger) -> None:
    reserve(ledger)
    ledger.abandon(principal="ada", idempotency_key="publication 1")
    refused = reserve(ledger)
    assert isinstance(refused, Refused)
    assert refused.reason == "lost"
    assert spent(ledger) == "1/10"
