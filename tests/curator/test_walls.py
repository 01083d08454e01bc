"""Failures are few and dear: a least price, a count that stops, one text, one path; and nothing is left open behind."""

import threading
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import pytest

import clinic
import sfumato
from sfumato.accounting import events
from sfumato.curator import Session
from sfumato.curator.watching import MOST_ASKED
from sfumato.demo import hospital
from sfumato.engines import DuckDBEngine
from sfumato.errors import (
    BudgetExceeded,
    EngineFailed,
    Halted,
    InvalidDeclaration,
    InvalidParameter,
    InvalidQuestion,
    Locked,
    SfumatoError,
)
from sfumato.ledger import Budget, Receipt

COUNT = "SELECT COUNT(*) FROM visits WHERE day < {}"
TEXT = "the engine did not finish; the charge stays\n\nhint: ask the owner"


@pytest.fixture
def curator(clean: Path, opened: Any) -> Session:
    made: Session = opened(clean, epsilon="60")
    return made


def break_engine(monkeypatch: pytest.MonkeyPatch, error: BaseException | None = None) -> None:
    def failing(self: DuckDBEngine, query: Any) -> Any:
        raise error or ValueError("cell 42")

    monkeypatch.setattr(DuckDBEngine, "aggregate", failing)


# ---- hole 1, as it was used ----


def test_hole_1_the_patient_of_anchiano_is_not_read_by_a_failure(tmp_path: Path) -> None:
    """Exit 0 and exit 4 told whether the one patient of Anchiano is at most so old, for ε = 1e-60."""
    declaration = hospital.build(tmp_path)
    with sfumato.open(declaration) as curator:
        ends = set()
        for age in (0, 56, 57, 120):
            text = f"""SELECT COUNT(*) FROM patients WHERE WEEK(CAST(CASE WHEN town = 'Anchiano' AND age <= {age}
                THEN '5877642-06-25 (BC)' ELSE '2020-01-01' END AS DATE)) > 1"""
            with pytest.raises(InvalidParameter, match=r"epsilon must be at least 0\.001"):
                curator.sql(text, epsilon="1e-60")
            ends.add(type(curator.sql(text, epsilon="0.001")).__name__)
        assert ends == {"Release"}


# ---- the least price ----


def test_a_question_below_the_least_price_is_refused_and_free(curator: Session, reads: list[Any]) -> None:
    prices: list[dict[str, Any]] = [{"epsilon": "0.0009"}, {"epsilon": "1e-60"}, {"rho": "1e-7"}]
    for price in prices:
        with pytest.raises(InvalidParameter, match="must be at least"):
            curator.sql(COUNT.format(3), **price)
        with pytest.raises(InvalidParameter, match="must be at least"):
            curator.explain(COUNT.format(3), **price)
    for verb in (
        lambda: curator.noisy_max("SELECT category, COUNT(*) FROM visits GROUP BY category", epsilon="0.0001"),
        lambda: curator.above_threshold(10, epsilon="0.0001"),
        lambda: curator.table("visits").select(n="COUNT(*)").release(epsilon="0.0001"),
    ):
        with pytest.raises(InvalidParameter, match="must be at least"):
            verb()
    assert reads == []
    assert clinic.spent(curator) == 0


def test_the_least_price_is_of_the_whole_question_and_of_new_ones_alone(clean: Path, tmp_path: Path) -> None:
    text = "SELECT category, COUNT(*), SUM(amount), VARIANCE(amount), MEDIAN(day) FROM visits GROUP BY category"
    low = clinic.declare(clean, more='\n[rules]\nleast_epsilon = "1e-9"\nleast_rho = "1e-12"\n')
    with sfumato.open(low, ledger=tmp_path / "ledger") as curator:
        before = curator.sql(text, epsilon="0.0001")
        assert not before.repeated
    with sfumato.open(clinic.declare(clean), ledger=tmp_path / "ledger") as curator:
        assert curator.sql(text, epsilon="0.001").cost.epsilon == Fraction(1, 1000), "each part has a share of it"
        again = curator.sql(text, epsilon="0.0001")
        assert again.repeated
        assert again.rows == before.rows
        with pytest.raises(InvalidParameter, match=r"at least 0\.001"):
            curator.sql(COUNT.format(5), epsilon="0.0001")


def test_an_accuracy_that_costs_less_is_raised_to_the_least_price(curator: Session) -> None:
    answer = curator.sql("SELECT COUNT(*) FROM visits", within=10**8)
    assert answer.cost.epsilon == Fraction(1, 1000)


@pytest.mark.parametrize(
    "entry", ['least_epsilon = "0"', "least_rho = 0", "failures = 0", "failures_per_analyst = true", "typo = 1"]
)
def test_rules_that_cannot_be_are_refused(clean: Path, tmp_path: Path, entry: str) -> None:
    with pytest.raises(InvalidDeclaration, match="rules"):
        sfumato.open(clinic.declare(clean, more=f"\n[rules]\n{entry}\n"), ledger=tmp_path / "ledger")


# ---- failures are counted ----


def test_failures_stop_an_analyst_on_every_path_until_the_owner_unlocks(
    curator: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = "SELECT category, COUNT(*) FROM visits WHERE day < {} GROUP BY category"
    paths = (
        lambda i: curator.sql(COUNT.format(i), epsilon="0.1"),
        lambda i: curator.noisy_max(groups.format(i), epsilon="0.1"),
        lambda i: curator.table("visits").where(f"day < {i}").select(n="COUNT(*)").release(epsilon="0.1"),
        lambda i: curator.above_threshold(10, epsilon="0.1").ask(COUNT.format(i)),
    )
    known = curator.sql(COUNT.format(300), epsilon="0.1")
    with monkeypatch.context() as broken:
        break_engine(broken)
        for first in range(len(paths)):
            texts = set()
            for i in range(3):
                with pytest.raises(EngineFailed) as caught:
                    paths[(first + i) % len(paths)](10 * first + i)
                texts.add(str(caught.value))
            assert texts == {TEXT}
            before = clinic.spent(curator)
            for i, path in enumerate(paths):
                with pytest.raises(
                    Locked, match="3 questions of principal `analyst` have failed, and none is answered"
                ):
                    path(100 + i)  # type: ignore[no-untyped-call]
            assert clinic.spent(curator) == before
            assert curator.sql(COUNT.format(300), epsilon="0.1").rows == known.rows
            curator._ledger.unlock(dataset="clinic", reason="looked at")
    assert curator.sql(COUNT.format(200), epsilon="0.1").rows
    curator.verify()


def test_many_at_once_fail_no_more_than_one_after_the_other(curator: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    break_engine(monkeypatch)
    ends: list[str] = []

    def ask(i: int) -> None:
        try:
            curator.sql(COUNT.format(i), epsilon="0.1")
        except SfumatoError as error:
            ends.append(type(error).__name__)

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ends) == ["EngineFailed"] * 3 + ["Locked"] * 9


def test_failures_of_everybody_lock_the_dataset(clean: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    more = "\n[rules]\nfailures = 4\n" + "".join(
        f'\n[analysts.{who}]\nepsilon = "5"\ndelta = "1e-5"\n' for who in ("ada", "bob", "eve")
    )
    about = clinic.declare(clean, more=more)
    break_engine(monkeypatch)
    for who in ("ada", "ada", "bob", "bob"):
        with sfumato.open(about, analyst=who, ledger=tmp_path / "ledger") as curator, pytest.raises(EngineFailed):
            curator.sql(COUNT.format(len(list(curator.log()))), epsilon="0.1")
    with (
        sfumato.open(about, analyst="eve", ledger=tmp_path / "ledger") as curator,
        pytest.raises(Locked, match="on dataset `clinic`"),
    ):
        curator.sql(COUNT.format(9), epsilon="0.1")


def test_a_time_out_is_a_failure_like_any_other(clean: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    about = clinic.declare(clean, more="\n[defaults]\nanswer_every = 30\n")
    timers: list[Any] = []
    monkeypatch.setattr(
        "sfumato.engines.duckdb.engine.threading.Timer",
        lambda _, end: timers.append(mock.Mock(function=end)) or timers[-1],  # type: ignore[func-returns-value, redundant-expr]
    )

    def too_long(*_: Any) -> Any:
        timers[-1].function()
        raise duckdb.InterruptException("INTERRUPT")

    with sfumato.open(about, ledger=tmp_path / "ledger") as curator:
        curator.pace = replace(curator.pace, sleep=slept.append)
        monkeypatch.setattr("sfumato.engines.duckdb.engine.exact_table", too_long)
        with pytest.raises(EngineFailed) as caught:
            curator.sql(COUNT.format(3), epsilon=1)
        assert str(caught.value) == TEXT
        assert curator._ledger.failures("clinic", "analyst") == 1
        assert slept
        assert all(0 < each <= 30 for each in slept)


def test_whatever_ends_the_work_is_one_text(curator: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors of the engine, of the noise, of what is stored, of what is shown."""
    import sfumato.curator.measuring as room

    texts = set()
    for i, (where, name) in enumerate((
        (DuckDBEngine, "aggregate"), (room, "add_noise"), (room, "post_process"), (room, "stored_value"), (curator._ledger, "settle"), (curator, "_balances"),
    )):  # fmt: skip
        for error in (KeyError("abc"), RecursionError(), MemoryError(), OSError("/secret"), duckdb.Error("cell")):
            with monkeypatch.context() as broken:

                def failing(*_: Any, error: Exception = error, **__: Any) -> Any:
                    raise error

                broken.setattr(where, name, failing)
                with pytest.raises(EngineFailed) as caught:
                    curator.sql(
                        f"SELECT category, COUNT(*) FROM visits WHERE day <> {i} GROUP BY category", epsilon="0.01"
                    )
            texts.add((str(caught.value), caught.value.__cause__, caught.value.__suppress_context__))
            curator._ledger.unlock(dataset="clinic", reason="looked at")
    assert texts == {(TEXT, None, True)}


def test_hole_5_every_function_of_a_key_is_known_after_the_noise(curator: Session, clean: Path, tmp_path: Path) -> None:
    import pyarrow as pa

    days = pa.array(list(range(18000, 18100)) * 40, pa.int32()).cast(pa.date32())
    moments = pa.array([86_400_000_000 * day + 3_600_000_000 for day in range(18000, 18100)] * 40, pa.timestamp("us"))
    about = {"budget": {"epsilon": "100", "delta": "0.1"}, "unit": {"rows": True}, "name": "days",
             "tables": {"t": {"source": pa.table({"day": days, "at": moments, "word": ["abc"] * 4000, "x": [1.5] * 4000})}}}  # fmt: skip
    with sfumato.open(about, ledger=tmp_path / "ledger") as made:
        for of in ("day", "at"):
            shown = [
                f"DATE_TRUNC('{unit}', {of})" for unit in ("year", "quarter", "month", "week", "day", "hour", "minute")
            ]
            shown += [
                f"EXTRACT({part} FROM {of})"
                for part in ("year", "quarter", "month", "week", "day", "dow", "doy", "hour", "minute")
            ]
            shown += [
                f"CAST({of} AS TEXT)",
                f"CAST({of} AS DATE)",
                f"CAST({of} AS TIMESTAMP)",
                f"{of} > TIMESTAMP '2020-01-01'",
                f"{of} IN (DATE '2019-05-01')",
            ]
            rows = made.sql(
                f"SELECT {', '.join(shown)}, COUNT(*) FROM t GROUP BY {of} HAVING {of} < TIMESTAMP '2030-01-01' ORDER BY {of} LIMIT 2",
                epsilon=9,
                delta="1e-6",
            ).rows
            assert len(rows) == 2
            assert all(value is not None for row in rows for value in row.values())
        rows = made.sql("SELECT UPPER(word), TRIM(word), LENGTH(word), CONCAT(word, word), SUBSTRING(word, 1, 2), word LIKE '%b%', word ILIKE 'A__',"
                        " STARTS_WITH(word, 'a'), CONTAINS(word, 'z'), COUNT(*) FROM t GROUP BY word", epsilon=9, delta="1e-6").rows  # fmt: skip
        assert list(rows[0].values())[:9] == ["ABC", "abc", 3, "abcabc", "ab", True, True, True, False]


# ---- watches ----


def test_hole_3_a_watch_is_written_down_bounded_and_ended_by_a_failure(
    curator: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InvalidParameter, match=r"at least 0\.001"):
        curator.above_threshold(10**60, epsilon="1e-50")
    for far in ({"threshold": 10**60}, {"threshold": -(10**60)}, {"threshold": 10, "sensitivity": 10**60}):
        with pytest.raises(InvalidParameter, match="so that a run ends"):
            curator.above_threshold(**far, epsilon=1)  # type: ignore[arg-type]
    assert clinic.spent(curator) == 0
    watch = curator.above_threshold(10**9, epsilon=1)
    before = len(list(curator.log()))
    assert watch.ask(COUNT.format(5)) is False
    assert [entry["kind"] for _, entry in curator.log()][before:] == ["ask", "settle"]
    with monkeypatch.context() as broken:
        break_engine(broken)
        with pytest.raises(EngineFailed) as caught:
            watch.ask(COUNT.format(6))
    assert str(caught.value) == TEXT
    assert watch.halted
    with pytest.raises(Halted):
        watch.ask(COUNT.format(7))
    assert curator._ledger.failures("clinic", "analyst") == 1
    assert clinic.spent(curator) == 1


def test_a_watch_answers_so_many_questions_and_no_more(curator: Session) -> None:
    watch = curator.above_threshold(10**9, epsilon=1)
    watch._left = 2
    for i in range(2):
        assert watch.ask(COUNT.format(i)) is False
    with pytest.raises(Halted, match=f"answered {MOST_ASKED} questions"):
        watch.ask(COUNT.format(9))


# ---- nothing is left open ----


def test_an_interrupt_anywhere_leaves_no_reservation_that_blocks_its_equal(
    curator: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sfumato.curator.measuring as room
    from sfumato.curator.charge import Charge

    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    ledger = curator._ledger
    honest = ledger.reserve

    def after_the_charge(**given: Any) -> Any:
        honest(**given)
        raise KeyboardInterrupt

    for where, name, by in (
        (DuckDBEngine, "aggregate", interrupted), (room, "add_noise", interrupted), (room, "post_process", interrupted),
        (Charge, "_unchanged", None), (ledger, "settle", interrupted), (ledger, "reserve", after_the_charge),
    ):  # fmt: skip
        text = f"SELECT category, COUNT(*) FROM visits WHERE day <> {hash(name) % 300} GROUP BY category"
        with monkeypatch.context() as broken:
            calls = iter([None])

            def second(self: Any, calls: Any = calls) -> None:  # after the charge, not before it
                if next(calls, 0) == 0:
                    raise KeyboardInterrupt

            broken.setattr(where, name, by or second)
            with pytest.raises(KeyboardInterrupt):
                curator.sql(text, epsilon="0.1")
        began = time.monotonic()
        assert curator.sql(text, epsilon="0.1").rows
        assert time.monotonic() - began < 30, "it waited for a reservation that nobody holds"
    assert ledger.failures("clinic", "analyst") == 0
    assert ledger.recover() == 0


def test_closing_waits_for_the_question_under_way_and_lets_no_other_begin(
    curator: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, go = threading.Event(), threading.Event()
    honest = DuckDBEngine.aggregate

    def waiting(self: DuckDBEngine, query: Any) -> Any:
        began.set()
        go.wait(30)
        return honest(self, query)

    monkeypatch.setattr(DuckDBEngine, "aggregate", waiting)
    answers: list[Any] = []
    asking = threading.Thread(target=lambda: answers.append(curator.sql(COUNT.format(9), epsilon="0.1")))
    asking.start()
    began.wait(30)
    closing = threading.Thread(target=curator.close)
    closing.start()
    time.sleep(0.05)
    with pytest.raises(SfumatoError, match="the curator is closed"):
        curator.sql(COUNT.format(10), epsilon="0.1")
    assert closing.is_alive()
    go.set()
    asking.join(30)
    closing.join(30)
    assert len(answers) == 1
    with pytest.raises(SfumatoError, match="closed"):
        curator.sql(COUNT.format(11), epsilon="0.1")


def test_nothing_is_told_after_the_end(curator: Session) -> None:
    begun = curator.log()
    next(begun)
    watch = curator.above_threshold(10**6, epsilon="0.1")
    curator.close()
    for told in (
        curator.budget, curator.remaining, curator.log, curator.verify, curator.curator.session, watch.to_json,
        lambda: curator.explain(COUNT.format(3), epsilon=1), lambda: curator.question(COUNT.format(3)),
        lambda: list(begun), lambda: watch.ask(COUNT.format(3)), lambda: curator.sparse(3, epsilon=1, cutoff=2),
        lambda: curator.table("visits").select("COUNT(*)").explain(epsilon=1),
    ):  # fmt: skip
        with pytest.raises(SfumatoError, match="the curator is closed"):
            told()


def test_a_budget_refuses_as_ever(curator: Session) -> None:
    with pytest.raises(BudgetExceeded):
        curator.sql(COUNT.format(3), epsilon=61)


def test_ctrl_c_while_the_engine_computes_is_an_interrupt_and_no_failure(
    curator: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB catches the signal itself and raises an error of its own, as it does when the time is over."""
    interrupted = mock.Mock(side_effect=duckdb.InterruptException("INTERRUPT"))
    with monkeypatch.context() as broken:
        broken.setattr("sfumato.engines.duckdb.engine.exact_table", interrupted)
        with pytest.raises(KeyboardInterrupt):
            curator.sql(COUNT.format(3), epsilon=1)
    assert curator._ledger.failures("clinic", "analyst") == 0
    assert curator.sql(COUNT.format(3), epsilon=1).rows


def test_a_failed_ask_ends_the_watch_whoever_asks_beside_it(curator: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = curator.above_threshold(10**9, epsilon=1)
    honest, began, go = DuckDBEngine.aggregate, threading.Event(), threading.Event()

    def sometimes(self: DuckDBEngine, query: Any) -> Any:
        if threading.current_thread().name == "slow":
            began.set()
            go.wait(30)
            raise ValueError("cell")
        return honest(self, query)

    monkeypatch.setattr(DuckDBEngine, "aggregate", sometimes)
    ends: dict[str, Any] = {}

    def ask(name: str, day: int) -> None:
        try:
            ends[name] = watch.ask(COUNT.format(day))
        except SfumatoError as error:
            ends[name] = type(error).__name__

    slow = threading.Thread(target=ask, args=("slow", 1), name="slow")
    quick = threading.Thread(target=ask, args=("quick", 2), name="quick")
    slow.start()
    began.wait(30)
    quick.start()
    go.set()
    slow.join(30)
    quick.join(30)
    assert ends == {"slow": "EngineFailed", "quick": "Halted"}
    assert watch.halted


def test_another_datasets_opening_loses_no_question_of_this_one(curator: Session) -> None:
    ledger = curator._ledger
    ledger.register("other", Budget.pure(epsilon="1"))
    ledger.grant("other", "ada", Budget.pure(epsilon="1"))
    held = ledger.reserve(
        dataset="other",
        principal="ada",
        event=events.Pure(1),
        request_hash="0" * 64,
        idempotency_key="k",
        data_version="v",
    )
    assert ledger.recover(dataset="clinic") == 0
    assert isinstance(held, Receipt)
    ledger.settle(held, {})


def test_the_key_of_a_runs_question_names_no_other(curator: Session) -> None:
    watch = curator.above_threshold(10**9, epsilon=1)
    watch.ask(COUNT.format(5))
    key = next(entry["key"] for _, entry in curator.log() if entry["kind"] == "ask")
    with pytest.raises(InvalidQuestion, match="used for another request"):
        curator.sql(COUNT.format(5), epsilon=1, key=key)


def test_whole_numbers_computed_below_a_group_are_whole_or_missing(tmp_path: Path) -> None:
    import pyarrow as pa

    cells = [1.5] * 3000 + [float("inf")] * 3000 + [float("nan")] * 3000 + [1e300] * 3000
    about = {"budget": {"epsilon": "100", "delta": "0.1"}, "unit": {"rows": True}, "name": "t",
             "tables": {"t": {"source": pa.table({"id": list(range(12000)), "x": cells})}}}  # fmt: skip
    with sfumato.open(about, ledger=tmp_path / "ledger") as made:
        text = "SELECT k, COUNT(*) AS n FROM (SELECT id, FLOOR(x) AS k FROM t) q GROUP BY k HAVING k > 0 OR k IS NULL ORDER BY k"
        assert [row["k"] for row in made.sql(text, epsilon=9, delta="1e-3")] == [1, None]


def test_arithmetic_after_the_noise_ends(curator: Session) -> None:
    """Bars of LEAST over many values, and products of many digits."""
    many = ", ".join(["COUNT(*)"] * 40)
    row = curator.sql(f"SELECT LEAST({many}) AS a, GREATEST({many}) AS b, COUNT(*) AS n FROM visits", epsilon=1)
    assert row.intervals[0]["a"] == row.intervals[0]["b"] == row.intervals[0]["n"]
    huge = " * ".join(["9223372036854775807"] * 40)
    answer = curator.sql(f"SELECT COUNT(*) * {huge} AS h FROM visits", epsilon=1)
    assert answer.rows == [{"h": None}]
    assert str(answer)


def test_numbers_whose_sum_no_double_holds_are_refused(curator: Session) -> None:
    with pytest.raises(InvalidQuestion, match="too large"):
        curator.sql("SELECT SUM(LEAST(GREATEST(LENGTH(note), 0), 1e301)) FROM visits", epsilon=1)
