"""What people read: every refusal and error, word for word, with the remedy where there is one."""

import os
import sqlite3
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from ledger_cases import Opener, ask, charge, stocked
from sfumato.accounting import events
from sfumato.errors import LedgerUnavailable, SfumatoError
from sfumato.ledger import Anchor, Budget, Ledger, Limits, PostgresLedger, Receipt, Refused, SqliteLedger
from sfumato.ledger.commits import _interrupted
from sfumato.ledger.schema import SQLITE, migrate
from sfumato.ledger.store import Owner

OTHER = str(Anchor("f" * 32, 3, "0" * 64))


@pytest.fixture
def ledger(sqlite_opener: Opener) -> Ledger:
    """One question settled, one lost, one refunded, one under way."""
    ledger = stocked(sqlite_opener(), epsilon="2")
    ledger.register("concentrated", Limits(Budget.zcdp(rho=1), day=Budget.zcdp(rho="0.01")))
    ledger.grant("concentrated", "ada", Budget.rdp(epsilon=3, delta="1e-6"))
    ledger.register("curve", Budget.rdp(epsilon=3, delta="1e-6"))
    ledger.grant("curve", "ada", Budget.rdp(epsilon=3, delta="1e-6"))
    ledger.settle(charge(ledger, "settled"), {"n": 1})
    ledger.lose(charge(ledger, "lost"), reason="engine failed")
    ledger.refund(charge(ledger, "refunded"), reason="not begun")
    charge(ledger, "open")
    return ledger


def said(do: Callable[[], object]) -> str:
    """What came back, as a person reads it: the problem, a bar, the hint."""
    try:
        found = do()
    except SfumatoError as error:
        return str(error).replace("\n\nhint: ", " | ")
    assert isinstance(found, Refused), found
    return str(found).replace("\n\nhint: ", " | ")


def receipt_of(ledger: Ledger, question: str) -> Receipt:
    for entry in ledger.entries():
        if entry.body["kind"] == "reserve" and entry.body["key"] == question:
            return Receipt(entry.sequence, entry.head, "visits", "ada", entry.body["time"])
    raise AssertionError(question)


TENTH = events.Laplace(Fraction(1, 10))
REFUSALS: dict[str, Callable[[Ledger], object]] = {
    "dataset `people` is not registered | the owner registers it": lambda ledger: ask(ledger, dataset="people"),
    "principal `eve` has no cap here | the owner grants one": lambda ledger: ask(ledger, principal="eve"),
    "an equal question is being answered | ask again when it is settled": lambda ledger: ask(ledger, "open", key="k"),
    "the request is being answered | ask again when it is settled": lambda ledger: ask(ledger, "open"),
    "the idempotency key was used for another request | use a new key": lambda ledger: ask(ledger, "x", key="open"),
    "the answer was lost and its charge is spent | ask again with a new key": lambda ledger: ask(ledger, "lost"),
    "the request failed before data were touched | ask again with a new key": lambda ledger: ask(ledger, "refunded"),
    "the question was answered at another price | ask with the event that answered it": lambda ledger: ask(
        ledger, "settled", key="k", event=events.Laplace(Fraction(1, 5))
    ),
    "the event costs 1, 0 (δ last) and 0.7 is left | the lifetime budget of principal `ada` decides; "
    "ask a cheaper question": lambda ledger: ask(ledger, event=events.Pure(1)),
    "the event costs 0.5, 0 (δ last) and 0.01 is left | the day budget of dataset `concentrated` decides; "
    "ask a cheaper question": lambda ledger: ask(ledger, dataset="concentrated", event=events.Laplace(1)),
    "event has no zCDP price, which this budget needs: 'renyi' | the lifetime budget of dataset `concentrated` counts in "
    "ρ of zCDP; ask for a mechanism that has such a price": lambda ledger: ask(
        ledger, dataset="concentrated", event=events.Renyi(2, Fraction(1, 4))
    ),
    "the event's Rényi curve passes the cap at every order | the lifetime budget of dataset `curve` decides; "
    "ask a cheaper question": lambda ledger: ask(ledger, dataset="curve", event=events.Approximate(1, Fraction(1, 10))),
    "the event is too large to be priced | the lifetime budget of dataset `concentrated` decides; "
    "ask a cheaper question": lambda ledger: ask(ledger, dataset="concentrated", event=events.Laplace(10**300)),
    "the event costs nothing, and what reads data does not | the lifetime budget of dataset `visits` counts in ε; "
    "ask for a mechanism that has such a price": lambda ledger: ask(ledger, event=events.Pure(0)),
}
ERRORS: dict[str, Callable[[Ledger], object]] = {
    "dataset `people` is not registered | register it first": lambda ledger: ledger.grant(
        "people", "ada", Budget.pure(epsilon=1)
    ),
    'dataset `visits` has other caps already: epsilon = "2" | caps are for ever: write epsilon = "2", '
    "or choose another name for new caps": lambda ledger: ledger.register("visits", Budget.pure(epsilon=3)),
    'principal `ada` has other caps already: epsilon = "1" | caps are for ever: write epsilon = "1", '
    "or choose another name for new caps": lambda ledger: ledger.grant("visits", "ada", Budget.pure(epsilon=3)),
    'dataset `concentrated` has other caps already: rho = "1", day.rho = "0.01" | caps are for ever: write '
    'rho = "1", day.rho = "0.01", or choose another name for new caps': lambda ledger: ledger.register(
        "concentrated", Budget.zcdp(rho=1)
    ),
    "dataset `people` is not registered | the owner registers it": lambda ledger: ledger.balances("people"),
    "principal `eve` has no cap on dataset `visits` | the owner grants one": lambda ledger: ledger.balances(
        "visits", "eve"
    ),
    "the receipt does not belong to this ledger | it may be from before a restore": lambda ledger: ledger.settle(
        Receipt(6, "0" * 64, "visits", "ada", 0), 1
    ),
    "receipt must be what `reserve` gave: 7": lambda ledger: ledger.lose(7, reason="r"),  # type: ignore[arg-type]
    "the reservation was marked as lost | do not release this answer": lambda ledger: ledger.settle(
        receipt_of(ledger, "lost"), 1
    ),
    "the reservation was refunded | do not release this answer": lambda ledger: ledger.settle(
        receipt_of(ledger, "refunded"), 1
    ),
    "the reservation was settled with another answer | release the stored one": lambda ledger: ledger.settle(
        receipt_of(ledger, "settled"), 2
    ),
    "the reservation has ended already | its answer is settled or refunded": lambda ledger: ledger.lose(
        receipt_of(ledger, "settled"), reason="r"
    ),
    "the reservation has ended already | what is settled or lost is spent": lambda ledger: ledger.refund(
        receipt_of(ledger, "settled"), reason="r"
    ),
    "release must be a JSON value without NaN, found: <class 'float'>": lambda ledger: ledger.settle(
        receipt_of(ledger, "open"), float("nan")
    ),
    "release must not be nested more than 100 deep, found: <class 'list'>": lambda ledger: ledger.settle(
        receipt_of(ledger, "open"),
        nested(101),  # type: ignore[arg-type]
    ),
    "release must be at most 67108864 bytes of JSON, found a larger one of: <class 'str'> | ask for fewer groups or "
    "columns; what was charged stays spent": lambda ledger: ledger.settle(receipt_of(ledger, "open"), "x" * (64 << 20)),
    "entry 3 settled no release | `Answered.sequence` names one that did": lambda ledger: list(ledger.stream(3)),
    "group `people` has no caps | give it caps first": lambda ledger: ledger.join("visits", "people"),
    "group must be text of 1 to 200 characters without control characters: ''": lambda ledger: ledger.group(
        "", Budget.pure(epsilon=1)
    ),
    "principal `eve` has no cap on dataset `visits` | see the names in the declaration": lambda ledger: ledger.approve(
        dataset="visits", principal="eve", request_hash="0" * 64, note="n"
    ),
    "nothing is registered as dataset `people` | see the names in the declaration": lambda ledger: ledger.unlock(
        dataset="people", reason="r"
    ),
    "note must be text of 1 to 200 characters without control characters: ''": lambda ledger: ledger.deny(
        dataset="visits", principal="ada", request_hash="0" * 64, note=""
    ),
    "neighbours must be text of 1 to 200 characters without control characters: ''": lambda ledger: ledger.declare(
        "visits", unit="u", declaration={}, data_version="v", neighbours=""
    ),
    "digest must be text of 1 to 200 characters without control characters: 7": lambda ledger: ledger.registered(
        "visits",
        data_version="v",
        digest=7,  # type: ignore[arg-type]
    ),
    "event must be an event: 7 | see sfumato.accounting.events": lambda ledger: ask(ledger, event=7),  # type: ignore[arg-type]
    "request_hash must be a SHA-256 in lower-case hexadecimal: 'x'": lambda ledger: ledger.reserve(
        dataset="visits", principal="ada", event=TENTH, request_hash="x", idempotency_key="k", data_version="v"
    ),
    "principal must be text of 1 to 200 characters without control characters: ''": lambda ledger: ask(
        ledger, principal=""
    ),
    "dataset must be text of 1 to 200 characters without control characters: 7": lambda ledger: ask(ledger, dataset=7),  # type: ignore[arg-type]
    "idempotency_key must be text of 1 to 200 characters without control characters: ''": lambda ledger: ask(
        ledger, key=""
    ),
    "data_version must be text of 1 to 200 characters without control characters: ''": lambda ledger: ask(
        ledger, version=""
    ),
    "reason must be text of 1 to 200 characters without control characters: ''": lambda ledger: ledger.refund(
        receipt_of(ledger, "open"), reason=""
    ),
    "reason must be text of 1 to 200 characters without control characters: 7": lambda ledger: ledger.lose(
        receipt_of(ledger, "open"),
        reason=7,  # type: ignore[arg-type]
    ),
    "reason must be text of 1 to 200 characters without control characters: None": lambda ledger: ledger.restore(
        reason=None,  # type: ignore[arg-type]
        anchor=ledger.anchor(),
    ),
    "dataset must be text of 1 to 200 characters without control characters: 8": lambda ledger: ledger.restore(
        reason="r",
        anchor=ledger.anchor(),
        lost={8: TENTH},  # type: ignore[dict-item]
    ),
    "principal must be text of 1 to 200 characters without control characters: 9": lambda ledger: ledger.restore(
        reason="r",
        anchor=ledger.anchor(),
        lost={("visits", 9): TENTH},  # type: ignore[dict-item]
    ),
    "older_than must not be negative: -1": lambda ledger: ledger.recover(older_than=-1),
    "anchor is not an anchor: 'sfumato-anchor-1' | it is what `ledger.anchor()` gave": lambda ledger: ledger.verify(
        "sfumato-anchor-1"
    ),
    "anchor must be a path or an anchor's text: ''": lambda ledger: ledger.verify(""),
    "the anchor belongs to another ledger": lambda ledger: ledger.verify(OTHER),
    "the anchor belongs to another ledger | give the anchor that refused this one": lambda ledger: ledger.restore(
        reason="r", anchor=OTHER
    ),
    "dataset `people` is not registered | name the datasets of the backup": lambda ledger: ledger.restore(
        reason="r", anchor=ledger.anchor(), lost={"people": TENTH}
    ),
    "principal `eve` has no cap on `visits` | name the dataset alone": lambda ledger: ledger.restore(
        reason="r", anchor=ledger.anchor(), lost={("visits", "eve"): TENTH}
    ),
    "lost must be an event: 7 | see sfumato.accounting.events": lambda ledger: ledger.restore(
        reason="r",
        anchor=ledger.anchor(),
        lost={"visits": 7},  # type: ignore[dict-item]
    ),
    "entries 15 to 20 are gone and what they spent is not said | give lost=… by dataset or (dataset, principal); "
    "Approximate(0, 1) if not known, {} if nothing": lambda ledger: ledger.restore(
        reason="r", anchor=ledger.anchor().replace(" 14 ", " 20 ")
    ),
    "the ledger ends at entry 14 and its anchor is at 20: an older copy was put back | "
    "put the newest copy back, or let the owner restore this one": lambda ledger: ledger.verify(
        ledger.anchor().replace(" 14 ", " 20 ")
    ),
    "the ledger is closed | open it again": lambda ledger: ledger.close() or ledger.recover(),  # type: ignore[func-returns-value, redundant-expr]
}


def nested(depth: int) -> list[object]:
    value: list[object] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal_reads_word_for_word(ledger: Ledger, text: str) -> None:
    before = len(list(ledger.entries()))
    assert said(lambda: REFUSALS[text](ledger)) == text
    assert len(list(ledger.entries())) == before


@pytest.mark.parametrize("text", ERRORS)
def test_an_error_reads_word_for_word(ledger: Ledger, sqlite_opener: Opener, text: str) -> None:
    before = len(list(ledger.entries()))
    assert said(lambda: ERRORS[text](ledger)) == text
    assert len(list(sqlite_opener().entries())) == before


def test_what_a_disk_or_a_file_does_reads_word_for_word(
    ledger: Ledger, sqlite_opener: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, anchor = sqlite_opener.path, tmp_path / "anchor"
    nothing = "; nothing was acknowledged | "
    held = sqlite3.connect(path, isolation_level=None)
    held.execute("BEGIN IMMEDIATE")
    with SqliteLedger(tmp_path / "quick", patience=0) as quick:
        stocked(quick)
    busy = f"the ledger could not be opened{nothing}another process holds it; try again"
    assert said(lambda: SqliteLedger(path, patience=0)) == busy
    held.execute("ROLLBACK")
    held.close()
    (tmp_path / "taken").touch()
    taken = tmp_path / "taken"
    monkeypatch.setattr("sfumato.errors._SHOWN", 500)
    assert said(lambda: ledger.backup(taken)) == f"path must be a file that does not exist yet: '{taken}'"
    no_file = f"the ledger could not be backed up{nothing}no such file or directory"
    assert said(lambda: ledger.backup(tmp_path / "missing" / "copy")) == no_file
    no_file = f"the ledger could not be opened{nothing}no such file or directory"
    assert said(lambda: SqliteLedger(tmp_path / "missing" / "ledger")) == no_file
    assert said(lambda: SqliteLedger(tmp_path)) == f"the ledger could not be opened{nothing}the path is not a file"
    lost = (
        "the ledger has entries and its anchor file is missing or empty | find the file; if the ledger is known to be "
    )
    assert said(lambda: sqlite_opener(anchor)) == lost + "whole, write what `anchor()` gives into it"
    anchor.write_bytes(b"\xff")
    unreadable = f"the ledger could not be opened{nothing}its anchor file cannot be read"
    assert said(lambda: sqlite_opener(anchor)) == unreadable
    anchor.write_text(OTHER)
    foreign = "the anchor belongs to another ledger | each ledger has an anchor of its own"
    assert said(lambda: sqlite_opener(anchor)) == foreign
    anchor.chmod(0o620)
    loose = "the anchor file can be written by others (mode 620) | chmod 600 it"
    assert said(lambda: sqlite_opener(anchor)) == loose
    anchor.chmod(0o600)
    anchor.write_text(ledger.anchor())
    anchored = sqlite_opener(anchor)
    anchor.write_bytes(b"\xff")
    unwritable = (
        f"the ledger could not be anchored{nothing}its anchor file cannot be written; the charge counts as spent"
    )
    assert said(lambda: charge(anchored, "q")) == unwritable
    path.chmod(0o640)
    assert said(lambda: SqliteLedger(path)) == "the ledger's file can be opened by others (mode 640) | chmod 600 it"
    path.unlink()
    removed = f"the ledger could not be written{nothing}its file was removed or replaced while it was open"
    assert said(lambda: charge(ledger, "q2")) == removed


def test_what_is_not_a_ledger_reads_word_for_word(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "other")
    other.execute("CREATE TABLE people (name TEXT)")
    other.close()
    (tmp_path / "other").chmod(0o600)
    foreign = "the file is a database but not a ledger | give the ledger a file of its own"
    assert said(lambda: SqliteLedger(tmp_path / "other")) == foreign
    (tmp_path / "text").write_text("not a database, and longer than the header of one " * 20)
    (tmp_path / "text").chmod(0o600)
    text = "the ledger could not be opened; nothing was acknowledged | see its disk and its file"
    assert said(lambda: SqliteLedger(tmp_path / "text")) == text
    future = "the ledger has schema version 9 and this program knows 4 | use the newer program that wrote it"
    assert said(lambda: migrate(9, SQLITE, print)) == future
    interrupted = "the commit was interrupted; nothing was acknowledged | ask again with the same key"
    assert str(_interrupted()).replace("\n\nhint: ", " | ") == interrupted


def test_damage_reads_word_for_word(ledger: Ledger, sqlite_opener: Opener) -> None:
    made = "what was appended is still there; put the table, constraint or trigger back as schema.py has it"
    sqlite_opener.execute("DROP TRIGGER entries_never_delete")
    gone = f"`entries_never_delete` of the ledger's tables is not as the ledger made it | {made}"
    assert said(ledger.verify) == gone
    sqlite_opener.execute("UPDATE identity SET name = '" + "e" * 32 + "'")
    assert said(ledger.verify) == "the ledger's identity is not the one that its first entry names"
    sqlite_opener.execute("DELETE FROM identity")
    assert said(ledger.verify) == "the ledger has lost its identity"


def test_a_fork_reads_word_for_word(monkeypatch: pytest.MonkeyPatch) -> None:
    owner = Owner()
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pytest.raises(LedgerUnavailable) as error:
        owner.check()
    assert str(error.value) == "the ledger was opened before a fork\n\nhint: open it again in the new process"


def test_postgres_reads_word_for_word(postgres: str, tmp_path: Path) -> None:
    name = "the schema's name must be a lower-case identifier | such as `ledger`"
    assert said(lambda: PostgresLedger(postgres, schema="pg_x")) == name
    away = "the ledger could not be opened; nothing was acknowledged | see the database server"
    assert said(lambda: PostgresLedger(f"host={tmp_path}")) == away
    with PostgresLedger(postgres, schema="wordy") as ledger:
        copied = 'a ledger in PostgreSQL is copied by its server | pg_dump --schema="wordy" --format=custom; '
        assert said(lambda: ledger.backup(tmp_path / "copy")) == copied + "sfumato docs ledger says how to put it back"
