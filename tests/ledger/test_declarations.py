"""Every change of what is declared is an entry; who is protected never changes; all of it follows from the chain."""

from typing import Any

import pytest

from ledger_cases import Opener
from sfumato.errors import LedgerDamaged, LedgerMisuse
from sfumato.ledger import Budget, Ledger


def declare(
    ledger: Ledger, dataset: str = "visits", unit: str = "users.id", upper: int = 100, version: str = "v1", **more: Any
) -> int:
    about: dict[str, Any] = {"tables": {"users": {"columns": {"age": {"upper": str(upper)}}}}}
    return ledger.declare(dataset, unit=unit, declaration=about, data_version=version, **more)


def opened(opener: Opener) -> Ledger:
    ledger = opener()
    for name in ("visits", "other"):
        ledger.register(name, Budget.pure(epsilon="1"))
    return ledger


def test_what_is_declared_otherwise_is_an_entry_and_what_is_not_is_none(opener: Opener) -> None:
    ledger = opened(opener)
    first = declare(ledger)
    assert declare(ledger) == first
    assert declare(opener()) == first, "another process"
    wider = declare(ledger, upper=100_000)
    again = declare(opener(), upper=100_000, version="v2")
    assert first < wider < again
    assert declare(ledger) > again, "back to what it was is a change"
    assert declare(ledger, "other", unit="each row") > again
    entries = [entry.body for entry in ledger.entries() if entry.body["kind"] == "declare"]
    uppers = [body["declaration"]["tables"]["users"]["columns"]["age"]["upper"] for body in entries]
    assert uppers == ["100", "100000", "100000", "100", "100"]
    ledger.verify()


def test_another_unit_is_refused_for_ever(opener: Opener) -> None:
    ledger = opened(opener)
    declare(ledger)
    for given in (ledger, opener()):
        with pytest.raises(LedgerMisuse, match=r"dataset `visits` protects users.id, and not each row") as refused:
            declare(given, unit="each row")
        assert "another dataset name" in refused.value.hint
    with pytest.raises(LedgerMisuse, match="is not registered"):
        declare(ledger, "nothing")
    assert [entry.body["kind"] for entry in ledger.entries()].count("declare") == 1


@pytest.mark.parametrize("statement", ["UPDATE declarations SET sequence = 1", "DELETE FROM declarations"])
def test_a_declaration_that_does_not_follow_from_the_entries_is_found(opener: Opener, statement: str) -> None:
    ledger = opened(opener)
    declare(ledger)
    ledger.close()
    opener.execute(statement)
    with pytest.raises(LedgerDamaged, match="what is declared does not follow"):
        opener().verify()


# ---- neighbours --------------------------------------------------------------------------------------------------

PERSON, REPLACE = "add or remove one person", "replace one person"


def test_the_neighbours_are_written_down_with_the_unit(opener: Opener) -> None:
    ledger = opened(opener)
    declare(ledger, neighbours=REPLACE)
    declare(ledger, "other")
    found = [ledger.declared(name) for name in ("visits", "other")]
    assert [(body["unit"], body["neighbours"]) for body in found if body] == [
        ("users.id", REPLACE),
        ("users.id", "add or remove one"),
    ]
    assert declare(ledger, neighbours=REPLACE) == 3
    ledger.verify()


@pytest.mark.parametrize(
    ("before", "after"),
    [(PERSON, REPLACE), (REPLACE, PERSON), (REPLACE, None), (None, REPLACE), (PERSON, "add or remove one row")],
)
def test_other_neighbours_are_refused_for_ever(opener: Opener, before: str | None, after: str | None) -> None:
    said, given = ({} if each is None else {"neighbours": each} for each in (before, after))
    ledger = opened(opener)
    declare(ledger, **said)  # type: ignore[arg-type]
    kept = ledger.anchor()
    with pytest.raises(LedgerMisuse) as refused:
        declare(opener(), upper=200, **given)
    default = "add or remove one"
    assert str(refused.value) == (
        f"neighbours of dataset `visits` {before or default}, and not {after or default}\n\n"
        "hint: what was spent was spent on that; other neighbours need another dataset name"
    )
    assert ledger.anchor() == kept


def test_what_was_taken_for_granted_may_be_said_and_stays_said(opener: Opener) -> None:
    """Entries from before neighbours were written down meant that one is added or removed."""
    ledger = opened(opener)
    first = declare(ledger)
    exact = declare(ledger, neighbours=PERSON)
    assert first < exact
    assert declare(ledger) == declare(ledger, neighbours=PERSON) == exact
    changed = declare(ledger, upper=200)
    body = ledger.declared("visits")
    assert body is not None
    assert (body["sequence"], body["neighbours"]) == (changed, PERSON)
    with pytest.raises(LedgerMisuse, match="add or remove one person, and not replace one person"):
        declare(ledger, neighbours=REPLACE)
