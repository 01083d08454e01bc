"""The owner's words are entries: what data are registered, and which requests are approved."""

import pytest

from ledger_cases import Opener, forge, sha, stocked
from sfumato.errors import InvalidParameter, LedgerDamaged, LedgerMisuse
from sfumato.ledger import Approval, Ledger

REQUEST = sha("count of visits")


def approve(ledger: Ledger, *, deny: bool = False, note: str = "ethics board, 4 May", **words: str) -> int:
    about = {"dataset": "visits", "principal": "ada", "request_hash": REQUEST} | words
    return (ledger.deny if deny else ledger.approve)(note=note, **about)


def approval(ledger: Ledger, **words: str) -> Approval | None:
    return ledger.approval_of(**{"dataset": "visits", "principal": "ada", "request_hash": REQUEST} | words)


# ---- approvals ---------------------------------------------------------------------------------------------------


def test_the_owner_s_latest_word_on_a_request_counts(opener: Opener) -> None:
    ledger = stocked(opener())
    assert approval(ledger) is None
    said = approve(ledger)
    for again in (ledger, opener()):
        found = approval(again)
        assert found is not None
        assert (found.sequence, found.granted, found.note, found.time) == (
            said,
            True,
            "ethics board, 4 May",
            opener.clock.now,
        )
    assert approve(ledger) == approve(opener()) == said, "the same again changes nothing"
    denied = approve(opener(), deny=True, note="withdrawn")
    found = approval(ledger)
    assert found is not None
    assert (found.sequence, found.granted, found.note) == (denied, False, "withdrawn")
    assert approve(ledger, deny=True, note="another reason") > denied
    assert approve(ledger) > denied
    assert [entry.body["kind"] for entry in ledger.entries()].count("approval") == 4
    ledger.verify()


@pytest.mark.parametrize("other", [{"dataset": "stays"}, {"principal": "bob"}, {"request_hash": sha("other")}])
def test_an_approval_is_for_one_request_of_one_principal_on_one_dataset(opener: Opener, other: dict[str, str]) -> None:
    from sfumato.ledger import Budget

    ledger = stocked(opener())
    ledger.register("stays", Budget.pure(epsilon=1))
    ledger.grant("stays", "ada", Budget.pure(epsilon=1))
    approve(ledger)
    assert approval(ledger, **other) is None
    approve(ledger, deny=True, **other)
    found = approval(ledger)
    assert found is not None
    assert found.granted
    ledger.verify()


def test_two_words_of_one_commit_are_decided_in_order(opener: Opener) -> None:
    from sfumato.ledger.owner import Approve

    ledger = stocked(opener())
    words = [Approve("visits", "ada", REQUEST, granted, "n") for granted in (True, True, False)]
    first, again, last = ledger._decide(words)
    assert first == again < last
    found = approval(ledger)
    assert found is not None
    assert not found.granted
    ledger.verify()


def test_an_approval_names_who_has_caps(opener: Opener) -> None:
    ledger = stocked(opener())
    before = ledger.anchor()
    with pytest.raises(LedgerMisuse, match="principal `eve` has no cap on dataset `visits`"):
        approve(ledger, principal="eve")
    with pytest.raises(LedgerMisuse, match="no cap on dataset `people`"):
        approve(ledger, dataset="people", deny=True)
    for words in ({"request_hash": "x"}, {"note": ""}, {"principal": ""}, {"dataset": "\n"}):
        with pytest.raises(InvalidParameter, match=f"^{next(iter(words))} must be"):
            approve(ledger, **words)  # type: ignore[arg-type]
    assert ledger.anchor() == before


# ---- registrations -----------------------------------------------------------------------------------------------


def register(ledger: Ledger, version: str = "2026-11", digest: str = "ab" * 32) -> int:
    return ledger.registered("visits", data_version=version, digest=digest)


def test_a_registration_is_an_entry_under_names_that_nobody_can_guess(opener: Opener) -> None:
    ledger = stocked(opener())
    assert ledger.registration("visits") is None
    first = register(ledger)
    assert register(ledger) == register(opener()) == first, "the same data again are no entry"
    found = opener().registration("visits")
    assert found is not None
    assert found["kind"] == "registration"
    assert (found["data_version"], found["digest"]) == (ledger.veiled("2026-11"), ledger.veiled("ab" * 32))
    assert all("ab" * 32 not in line and "2026-11" not in line for line in ledger.export())
    assert first < register(ledger, digest="cd" * 32) < register(ledger, version="2026-12") < register(ledger)
    assert [entry.body["kind"] for entry in ledger.entries()].count("registration") == 4
    ledger.verify()


def test_data_of_a_dataset_that_has_no_caps_are_not_registered(opener: Opener) -> None:
    ledger = opener()
    with pytest.raises(LedgerMisuse) as refused:
        register(ledger)
    assert str(refused.value) == "dataset `visits` is not registered\n\nhint: register it first"
    for words in ({"version": ""}, {"digest": ""}):
        with pytest.raises(InvalidParameter, match="must be text of 1 to 200 characters"):
            register(stocked(ledger), **words)


# ---- trust -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("DELETE FROM approvals", "what is approved does not follow from the entries"),
        ("UPDATE approvals SET sequence = 1", "what is approved does not follow from the entries"),
        ("DELETE FROM registrations", "what data are registered does not follow from the entries"),
        ("UPDATE registrations SET sequence = 1", "what data are registered does not follow from the entries"),
    ],
)
def test_verify_finds_words_that_the_owner_did_not_say(opener: Opener, statement: str, problem: str) -> None:
    ledger = stocked(opener())
    approve(ledger, deny=True)
    register(ledger)
    opener.execute(statement)
    with pytest.raises(LedgerDamaged) as error:
        opener().verify()
    assert str(error.value) == problem


def test_an_approval_that_was_rewritten_for_another_is_found(opener: Opener) -> None:
    ledger = stocked(opener())
    said = approve(ledger)
    opener.unlock_entries()
    forge(opener, said, lambda body: body.update(principal="bob"))
    opener.lock_entries()
    with pytest.raises(LedgerDamaged, match="what is approved does not follow"):
        opener().verify()
