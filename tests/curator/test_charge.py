"""Charge, compute, settle: what is handed out reads once, and only while the charge is open."""

import threading
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from sfumato.accounting import events
from sfumato.curator import Session
from sfumato.curator.charge import Charge, Reader, Request
from sfumato.engines import ExactTable
from sfumato.errors import EngineFailed
from sfumato.ledger import Answered, Budget, Patience, Refused, SqliteLedger

QUERY: Any = object()


class Engine:
    """Counts how often it was read, and when in the ledger's life that was."""

    def __init__(self) -> None:
        self.name, self.asked, self.read_when_open = "v1", [], []  # type: ignore[var-annotated]
        self.ledger: SqliteLedger | None = None

    def version(self) -> str:
        return self.name

    def aggregate(self, query: Any) -> ExactTable:
        assert self.ledger is not None
        kinds = [entry.body["kind"] for entry in self.ledger.entries()]
        self.read_when_open.append(kinds[-1] == "reserve")
        self.asked.append(query)
        return ExactTable([()], None)


@pytest.fixture
def made(tmp_path: Path) -> Any:
    engine = Engine()
    with SqliteLedger(tmp_path / "ledger") as ledger:
        engine.ledger = ledger
        ledger.register("d", Budget.pure(epsilon="1"))
        ledger.grant("d", "ada", Budget.pure(epsilon="1"))
        yield engine, ledger, Charge(engine, ledger, "d", Patience(3, 10))


def request(n: int = 0, **more: Any) -> Request:
    about: dict[str, Any] = {
        "principal": "ada",
        "hash": f"{n:064x}",
        "event": events.Pure(Fraction(1, 4)),
        "reads": QUERY,
    }
    return Request(**{**about, **more})


def test_data_are_read_after_the_charge_and_before_the_settlement(made: Any) -> None:
    engine, ledger, charge = made
    answer, shown = charge.make(request(), lambda reader: ({"n": 1}, reader.exact()))
    assert isinstance(answer, Answered)
    assert isinstance(shown, ExactTable)
    assert engine.asked == [QUERY]
    assert engine.read_when_open == [True]
    assert [entry.body["kind"] for entry in ledger.entries()][-2:] == ["reserve", "settle"]
    again = charge.make(request(), lambda reader: pytest.fail("what is stored is not computed again"))
    assert isinstance(again, Answered)
    assert again.release == {"n": 1}


def test_a_reader_reads_once_and_never_after_it_was_settled(made: Any) -> None:
    engine, _, charge = made
    kept: list[Reader] = []

    def twice(reader: Reader) -> Any:
        reader.exact()
        with pytest.raises(EngineFailed, match="outside an open charge"):
            reader.exact()
        kept.append(reader)
        return {}, None

    charge.make(request(), twice)
    charge.make(request(1), lambda reader: (kept.append(reader), ({}, None))[1])
    for reader in kept:
        assert repr(reader) == "<reader: closed>"
        with pytest.raises(EngineFailed, match="outside an open charge"):
            reader.exact()
    assert len(engine.asked) == 1


def test_nothing_is_read_while_the_answer_is_stored(made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    _, ledger, charge = made
    kept: list[Reader] = []
    seen: list[str] = []
    honest = ledger.settle

    def settle(*given: Any) -> Any:
        seen.append(repr(kept[0]))
        return honest(*given)

    monkeypatch.setattr(ledger, "settle", settle)
    charge.make(request(), lambda reader: (kept.append(reader), ({}, None))[1])
    assert seen == ["<reader: closed>"]


def test_a_reader_of_a_charge_that_failed_is_closed_as_well(made: Any) -> None:
    engine, ledger, charge = made
    kept: list[Reader] = []

    def fails(reader: Reader) -> Any:
        kept.append(reader)
        raise ValueError("cell 42")

    with pytest.raises(EngineFailed, match="did not finish") as caught:
        charge.make(request(), fails)
    assert "42" not in str(caught.value)
    assert ledger.failures("d", "ada") == 1
    with pytest.raises(EngineFailed, match="outside an open charge"):
        kept[0].exact()
    assert engine.asked == []


def test_of_threads_that_share_a_reader_one_reads(made: Any) -> None:
    engine, _, charge = made

    def all_at_once(reader: Reader) -> Any:
        def read() -> None:
            try:
                reader.exact()
            except EngineFailed:
                ends.append("refused")

        ends: list[str] = []
        threads = [threading.Thread(target=read) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return {}, ends

    assert len(charge.make(request(), all_at_once)[1]) == 7
    assert len(engine.asked) == 1


def test_who_is_refused_reads_nothing(made: Any) -> None:
    engine, _, charge = made
    found = charge.make(request(event=events.Pure(2)), lambda reader: pytest.fail("nothing was charged"))
    assert isinstance(found, Refused)
    assert found.reason == "budget"
    unpaid = charge.make(request(charge=False), lambda reader: pytest.fail("nothing was charged"))
    assert unpaid.reason == "new"
    assert engine.asked == []


def test_what_begins_without_a_question_cannot_read(made: Any) -> None:
    engine, _, charge = made
    with pytest.raises(EngineFailed):
        charge.make(request(reads=None), lambda reader: ({}, reader.exact()))
    assert engine.asked == []


def test_data_that_changed_are_not_read_and_not_settled(made: Any) -> None:
    engine, ledger, charge = made

    def changes(reader: Reader) -> Any:
        engine.name = "v2"
        return {}, None

    with pytest.raises(EngineFailed, match="did not finish"):
        charge.make(request(), changes)
    with pytest.raises(EngineFailed, match="the data changed"):
        charge.make(request(1), lambda reader: pytest.fail("not these data"))
    assert [entry.body["kind"] for entry in ledger.entries()][-1] == "lose"


def test_a_verb_that_keeps_its_reader_has_nothing(clean: Path, opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same through a session: what a verb could keep is of no use afterwards."""
    session: Session = opened(clean)
    kept: list[Reader] = []
    honest = Reader.exact
    monkeypatch.setattr(Reader, "exact", lambda self: (kept.append(self), honest(self))[1])
    session.sql("SELECT COUNT(*) FROM visits", epsilon=1)
    with pytest.raises(EngineFailed, match="outside an open charge"):
        honest(kept[0])
