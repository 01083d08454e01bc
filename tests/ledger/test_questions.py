"""The text and the label of a question stand in its entry, as they were given, and decide nothing."""

from typing import Any

import pytest

from ledger_cases import TENTH, Opener, ask, charge, refusal, sha, stocked
from sfumato.errors import InvalidParameter
from sfumato.ledger import Answered, Ledger, Receipt
from sfumato.ledger.canon import canonical

TEXT = "SELECT COUNT(*)\n  FROM visits\tWHERE city = 'Zürich \"West\"' -- \\ \x00 \u2028 🩺"


def asked(ledger: Ledger, what: str = "q", *, key: str = "k", principal: str = "ada", **more: Any) -> Any:
    return ledger.reserve(
        dataset="visits",
        principal=principal,
        event=TENTH,
        request_hash=sha(what),
        idempotency_key=key,
        data_version="v1",
        **more,
    )


def last(ledger: Ledger) -> dict[str, Any]:
    return list(ledger.entries())[-1].body


@pytest.mark.parametrize("words", [{"question": TEXT}, {"label": "weekly"}, {"question": TEXT, "label": "é"}, {}])
def test_a_charge_holds_the_text_and_the_label_as_given(opener: Opener, words: dict[str, str]) -> None:
    ledger = stocked(opener())
    receipt = asked(ledger, **words)
    assert isinstance(receipt, Receipt)
    body = last(opener())
    assert {name: body[name] for name in ("question", "label") if name in body} == words
    assert list(ledger.export())[-1] == f'{{"entry":{canonical(body)},"head":"{receipt.head}"}}\n'
    ledger.settle(receipt, 1)
    assert "question" not in last(ledger)
    ledger.verify()


def test_the_same_request_in_other_words_gets_what_is_stored(opener: Opener) -> None:
    """Neither the memo nor the idempotency key looks at them: a remark makes no other request."""
    ledger = stocked(opener())
    receipt = asked(ledger, question=TEXT, label="first")
    for words in ({}, {"question": "other"}, {"label": "other"}):
        assert refusal(asked(ledger, **words)) == "pending"
        assert refusal(asked(ledger, key="another", **words)) == "pending"
    answer = ledger.settle(receipt, 1)
    for words in ({}, {"question": "other"}, {"label": "other"}):
        assert asked(ledger, **words) == asked(ledger, key="another", **words) == answer
    assert refusal(asked(ledger, "another question", question=TEXT, label="first")) == "conflict"
    assert len(list(ledger.entries())) == 5


def test_who_shares_an_answer_is_charged_under_their_own_words(opener: Opener) -> None:
    ledger = stocked(opener())
    ledger.settle(asked(ledger, question=TEXT), 1)
    assert isinstance(asked(ledger, principal="bob", question="mine", label="b"), Answered)
    body = last(ledger)
    assert (body["kind"], body["principal"], body["question"], body["label"]) == ("share", "bob", "mine", "b")
    ledger.verify()


def test_a_question_of_a_run_has_them_too(opener: Opener) -> None:
    ledger = stocked(opener())
    run = ledger.settle(charge(ledger), {}).sequence
    about = {"dataset": "visits", "principal": "ada", "data_version": "v1"}
    for i, words in enumerate(({"question": TEXT, "label": "watch"}, {})):
        receipt = ledger.ask(run, request_hash=sha(str(i)), idempotency_key=str(i), **about, **words)  # type: ignore[arg-type]
        assert isinstance(receipt, Receipt)
        assert {name: value for name, value in last(ledger).items() if name in ("question", "label")} == words
    ledger.verify()


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ({"question": "x" * 20_001}, "question must be at most 20000 characters, found: 20001"),
        ({"question": "\ud800"}, "question must be text that UTF-8 can write, found: <class 'str'>"),
        ({"question": None}, "question must be text that UTF-8 can write, found: <class 'NoneType'>"),
        ({"question": b"q"}, "question must be text that UTF-8 can write, found: <class 'bytes'>"),
        ({"label": "\n"}, r"label must be text of 1 to 200 characters without control characters: '\n'"),
        ({"label": 7}, "label must be text of 1 to 200 characters without control characters: 7"),
        ({"label": None}, "label must be text of 1 to 200 characters without control characters: None"),
    ],
)
def test_what_is_no_text_or_too_long_is_refused_and_costs_nothing(
    opener: Opener, words: dict[str, Any], problem: str
) -> None:
    ledger = stocked(opener())
    with pytest.raises(InvalidParameter) as error:
        asked(ledger, **words)
    assert str(error.value) == problem
    with pytest.raises(InvalidParameter):
        ledger.ask(
            1, dataset="visits", principal="ada", request_hash=sha("q"), idempotency_key="k", data_version="v1", **words
        )
    assert len(list(ledger.entries())) == 3


def test_the_longest_question_is_kept_whole(opener: Opener) -> None:
    ledger = stocked(opener())
    asked(ledger, question="ü" * 20_000, label="x" * 200)
    assert last(ledger)["question"] == "ü" * 20_000
    assert refusal(ask(ledger, "q", key="other")) == "pending"
    ledger.verify()
