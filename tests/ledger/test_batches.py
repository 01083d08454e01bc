"""One batch decides as many of one would."""

import hashlib
from fractions import Fraction
from typing import Any

import pytest

from ledger_cases import Opener
from sfumato.accounting import events
from sfumato.errors import InvalidParameter, LedgerMisuse
from sfumato.ledger import Answered, Budget, Limits, Receipt, Refused
from sfumato.ledger.budgets import known
from sfumato.ledger.requests import Lose, Recover, Refund, Settle
from sfumato.ledger.reserve import Reserve


def asked(key: str, question: str = "q", epsilon: str = "1/10") -> Reserve:
    event = known(events.Laplace(Fraction(epsilon)))
    return Reserve("visits", "ada", event, hashlib.sha256(question.encode()).hexdigest(), key, "v1")


def pairs_after(receipt: Receipt) -> list[tuple[str, Any, Any]]:
    return [
        ("the same key twice", asked("k2", "q2"), asked("k2", "q2")),
        ("an equal question", asked("k3", "q3"), asked("k4", "q3")),
        ("settled twice", Settle(receipt, {"n": 1}), Settle(receipt, {"n": 1})),
        ("settled and replayed", Settle(receipt, {"n": 1}), asked("k", "q")),
        ("settled and shared", Settle(receipt, {"n": 1}), asked("other", "q")),
        ("settled and recovered", Settle(receipt, {"n": 1}), Recover(0)),
        ("recovered twice", Recover(0), Recover(0)),
        ("recovered and settled", Recover(0), Settle(receipt, {"n": 1})),
        ("lost and asked again", Lose(receipt, "gone"), asked("k", "q")),
        ("refunded and refunded", Refund(receipt, "no data"), Refund(receipt, "no data")),
        ("charged and recovered", asked("k5", "q5"), Recover(0)),
    ]


@pytest.mark.parametrize("pair", range(11))
def test_a_batch_decides_as_its_requests_would_one_by_one(opener: Opener, pair: int) -> None:
    outcomes = []
    for together in (True, False):
        opening = opener if together else Opener(opener.path.with_name("other.ledger"), "", "", opener.clock)
        with opening() as ledger:
            ledger.register("visits", Budget.pure(epsilon=1))
            ledger.grant("visits", "ada", Budget.pure(epsilon=1))
            (receipt,) = ledger._decide([asked("k")])
            name, first, second = pairs_after(receipt)[pair]
            if together:
                found = ledger._decide([first, second])
            else:
                found = [ledger._decide([first])[0], ledger._decide([second])[0]]
            ledger.verify()
        outcomes.append(
            [(type(each), getattr(each, "reason", None), getattr(each, "sequence", each)) for each in found]
        )
    assert str(outcomes[0]) == str(outcomes[1]), name


def test_one_bad_request_does_not_fail_the_others(sqlite_opener: Opener) -> None:
    ledger = sqlite_opener()
    ledger.register("visits", Budget.zcdp(rho=1))
    ledger.grant("visits", "ada", Budget.zcdp(rho=1))

    class Broken:
        def names(self) -> tuple[()]:
            return ()

        def decide(self, state: object) -> object:
            raise OverflowError("its own fault")

    found = ledger._decide([asked("a", "a"), Broken(), asked("b", "b")])
    assert [type(each) for each in found] == [Receipt, OverflowError, Receipt]
    huge = Reserve("visits", "ada", known(events.Laplace(10**300)), "0" * 64, "huge", "v1")
    assert [type(each) for each in ledger._decide([asked("c", "c"), huge])] == [Receipt, Refused]


def test_a_shared_answer_costs_what_it_cost_and_no_less(opener: Opener) -> None:
    ledger = opener()
    ledger.register("visits", Budget.pure(epsilon=2))
    for name in ("ada", "bob"):
        ledger.grant("visits", name, Budget.pure(epsilon=1))
    sha = hashlib.sha256(b"q").hexdigest()
    same = {"dataset": "visits", "request_hash": sha, "data_version": "v1"}
    receipt = ledger.reserve(principal="ada", event=events.Laplace(1), idempotency_key="a", **same)  # type: ignore[arg-type]
    assert isinstance(receipt, Receipt)
    ledger.settle(receipt, {"n": 42})
    cheap = ledger.reserve(principal="bob", event=events.Laplace(Fraction(1, 10**30)), idempotency_key="b", **same)  # type: ignore[arg-type]
    assert isinstance(cheap, Refused)
    assert cheap.reason == "conflict"
    honest = ledger.reserve(principal="bob", event=events.Laplace(1), idempotency_key="c", **same)  # type: ignore[arg-type]
    assert isinstance(honest, Answered)
    assert ledger.balances("visits", "bob")[0].remaining == 0


class Cheap(events.Laplace):
    def pure(self) -> Fraction:
        return Fraction(1, 10**50)


def test_an_event_that_is_not_what_it_writes_is_refused(sqlite_opener: Opener) -> None:
    ledger = sqlite_opener()
    ledger.register("visits", Budget.pure(epsilon=1))
    with pytest.raises(InvalidParameter, match="event"):
        ledger.reserve(
            dataset="visits",
            principal="ada",
            event=Cheap(100),
            request_hash="0" * 64,
            idempotency_key="k",
            data_version="v1",
        )


def test_a_restore_leaves_nothing_to_refund_and_charges_every_account_its_price(opener: Opener) -> None:
    ledger = opener()
    ledger.register("visits", Limits(Budget.pure(epsilon=10), day=Budget.pure(epsilon=1)))
    ledger.grant("visits", "ada", Budget.pure(epsilon=10))
    (receipt,) = ledger._decide([asked("k", "q", "1/2")])
    ledger.restore(reason="disk", anchor=ledger.anchor(), lost={"visits": events.Laplace(5)})
    spent = {balance.period: balance.spent for balance in ledger.balances("visits")}
    assert spent == {"": Fraction(11, 2), "day": 1}
    with pytest.raises(LedgerMisuse):
        ledger.refund(receipt, reason="no data were touched")
    ledger.verify()


def test_small_renyi_prices_are_not_free(sqlite_opener: Opener) -> None:
    ledger = sqlite_opener()
    ledger.register("visits", Budget.rdp(epsilon=20, delta="1e-6"))
    ledger.grant("visits", "ada", Budget.rdp(epsilon=20, delta="1e-6"))
    many = known(events.Composition([(events.Pure(1e-9), 10**24)]))
    assert isinstance(ledger._decide([Reserve("visits", "ada", many, "0" * 64, "k", "v1")])[0], Refused)
