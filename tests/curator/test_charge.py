"""Charge, compute, settle: what is handed out reads once, and only while the charge is open."""

import threading
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sfumato.accounting import events
from sfumato.curator import Session
from sfumato.curator.charge import Charge, ChargeRequest, Reader
from sfumato.engines import ExactTable
from sfumato.errors import EngineFailed, InvalidParameter, LedgerMisuse
from sfumato.ledger import Answered, Budget, Patience, Refused, SqliteLedger

QUARTER = events.Pure(Fraction(1, 4))
QUERY: Any = SimpleNamespace(event=QUARTER)


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
        yield engine, ledger, Charge(engine, ledger, "d", Patience(3, 10))  # type: ignore[arg-type]


def request(n: int = 0, **more: Any) -> ChargeRequest:
    about: dict[str, Any] = {
        "principal": "ada",
        "hash": f"{n:064x}",
        "event": QUARTER,
        "reads": QUERY,
    }
    return ChargeRequest(**{**about, **more})


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
    charge.make(request(1), lambda reader: (kept.append(reader), ({}, None))[1])  # type: ignore[func-returns-value]
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
    charge.make(request(), lambda reader: (kept.append(reader), ({}, None))[1])  # type: ignore[func-returns-value]
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
    found = charge.make(request(event=events.Pure(2), reads=None), lambda reader: pytest.fail("nothing was charged"))
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


def test_what_is_read_is_what_is_charged(made: Any) -> None:
    """A question at one price whose charge is another's is neither charged nor read, of a run or by itself."""
    engine, ledger, charge = made
    before = len(list(ledger.entries()))
    for more in ({}, {"run": 1}):
        with pytest.raises(EngineFailed, match="what would be read is not what would be charged"):
            charge.make(request(event=events.Pure(Fraction(1, 8)), **more), lambda reader: ({}, reader.exact()))
    assert len(list(ledger.entries())) == before
    assert engine.asked == []


def test_a_question_of_a_run_reads_what_the_run_was_charged_for(made: Any) -> None:
    engine, ledger, charge = made
    run, _ = charge.make(request(reads=None), lambda _: ({}, None))
    cheap = events.Pure(Fraction(1, 8))
    before = len(list(ledger.entries()))
    with pytest.raises(LedgerMisuse, match="charged for another event"):
        charge.make(
            request(1, event=cheap, reads=SimpleNamespace(event=cheap), run=run.sequence),
            lambda reader: ({}, reader.exact()),
        )
    assert len(list(ledger.entries())) == before
    assert engine.asked == []
    charge.make(request(1, run=run.sequence), lambda reader: ({}, reader.exact()))
    assert engine.asked == [QUERY]


def test_an_empty_key_is_no_key(made: Any, clean: Path, opened: Any) -> None:
    _, ledger, charge = made
    before = len(list(ledger.entries()))
    with pytest.raises(InvalidParameter, match="must be text of 1 to 200 characters"):
        charge.make(request(key=""), lambda reader: pytest.fail("nothing was charged"))
    assert len(list(ledger.entries())) == before
    session: Session = opened(clean)
    for key in ("", "x" * 201, "\n", 7):
        with pytest.raises(InvalidParameter, match="key must be printable text of 1 to 200 characters") as caught:
            session.sql("SELECT COUNT(*) FROM visits", epsilon=1, key=key)  # type: ignore[arg-type]
        assert caught.value.hint == 'key="report-7"'
    assert session.budget()[0].spent == 0


def test_every_verb_reads_at_the_price_of_its_mechanism(clean: Path, opened: Any, reads: list[Any]) -> None:
    """What the engine is given says the event of the entry, and not that of a stand-in."""
    session: Session = opened(clean)
    grouped, median = (
        "SELECT category, COUNT(*) FROM visits GROUP BY category",
        "SELECT MEDIAN(amount) AS m FROM visits",
    )
    session.sql(grouped, epsilon="0.5")
    session.noisy_max(grouped, epsilon="0.5")
    session.top_k(grouped, k=2, epsilon="0.5")
    session.exponential(grouped, epsilon="0.5")
    session.smooth_median(median, epsilon="0.5")
    session.numeric_sparse(10**6, epsilon="0.5", cutoff=2).ask("SELECT COUNT(*) FROM visits")
    charged = [body["event"] for _, body in session.log() if body["kind"] == "reserve"]
    assert [query.event.to_json() for query, _ in reads] == charged
    said = [body["question"] for _, body in session.log() if body["kind"] in ("reserve", "ask")]
    assert said == [
        grouped,
        f"max: {grouped}",
        f"top 2: {grouped}",
        f"choose: {grouped}",
        f"median: {median}",
        "begin a watch: counts above 1000000, until 2 passed, with values",
        "watch: SELECT COUNT(*) FROM visits",
    ]


def test_the_verb_never_makes_a_text_too_long_to_be_kept(clean: Path, opened: Any) -> None:
    session: Session = opened(clean)
    text = "SELECT category, COUNT(*) FROM visits GROUP BY category"
    session.noisy_max(text + " " * (20_000 - len(text)), epsilon=1)
    assert len(next(body for _, body in session.log() if body["kind"] == "reserve")["question"]) == 20_000


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
    monkeypatch.setattr(Reader, "exact", lambda self: (kept.append(self), honest(self))[1])  # type: ignore[func-returns-value]
    session.sql("SELECT COUNT(*) FROM visits", epsilon=1)
    with pytest.raises(EngineFailed, match="outside an open charge"):
        honest(kept[0])
