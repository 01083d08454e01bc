"""Every error has a code, an exit status, an HTTP status and an SQLSTATE, in one table."""

import re
from pathlib import Path

import pytest

from sfumato import errors
from sfumato.cli.command import Exit
from sfumato.errors import OUTCOMES, Outcome, SfumatoError, outcome_of

CODES = """
error invalid_parameter budget_exceeded halted invalid_declaration invalid_question locked engine_failed broken_audit
missing_extra ledger_error ledger_misuse ledger_unavailable ledger_damaged ledger_rolled_back broken_randomness
"""
"""Codes that programs may know by now: none of these is ever renamed."""


def classes(kind: type[SfumatoError] = SfumatoError) -> list[type[SfumatoError]]:
    return [
        kind,
        *(each for child in kind.__subclasses__() for each in classes(child) if child.__module__ == errors.__name__),
    ]


def test_every_class_of_the_tree_is_in_the_table_and_nothing_else_is() -> None:
    assert set(classes()) == set(OUTCOMES)
    drawn = re.findall(r"[├└]── (\w+)", Path(errors.__file__).read_text(encoding="utf-8"))
    assert {"SfumatoError", *drawn} == {kind.__name__ for kind in OUTCOMES}


def test_no_other_room_makes_an_error_of_its_own_beside_the_tree() -> None:
    """But for the device's files, which know the standard library alone, and what the ledger tells itself."""
    rooms = Path(errors.__file__).parent
    found = {
        file.name
        for file in rooms.rglob("*.py")
        if re.search(r"class [A-Za-z]\w*\(\w*(Error|Exception)\)", file.read_text("utf-8"))
    }
    assert found <= {"errors.py", "client.py", "allowance.py", "state.py"}


def test_codes_are_told_apart_and_never_change() -> None:
    codes = [outcome.code for outcome in OUTCOMES.values()]
    assert len(set(codes)) == len(codes)
    assert set(CODES.split()) <= set(codes)


@pytest.mark.parametrize("outcome", OUTCOMES.values(), ids=lambda outcome: outcome.code)
def test_outcomes_are_what_their_doors_know(outcome: Outcome) -> None:
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", outcome.code)
    assert Exit(outcome.exit) in (Exit.USAGE, Exit.REFUSED, Exit.FAILED)
    assert 400 <= outcome.http <= 599
    assert re.fullmatch(r"[0-9A-Z]{5}", outcome.sqlstate)
    assert not outcome.sqlstate.startswith(("00", "01", "02"))  # success and warnings


def test_what_is_not_in_the_table_is_what_it_descends_from() -> None:
    class Rarer(errors.LedgerDamaged):
        pass

    assert outcome_of(Rarer("x")) == outcome_of(errors.LedgerDamaged) == OUTCOMES[errors.LedgerDamaged]
