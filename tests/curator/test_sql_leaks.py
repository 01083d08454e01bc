"""Leak attempts, each of which has worked on some system: what must hold instead."""

import inspect
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clinic
import sfumato
import whole_rows
from sfumato.curator import Explanation, Release, Session
from sfumato.engines import DuckDBEngine, ExactTable
from sfumato.errors import BudgetExceeded, EngineFailed, InvalidQuestion, SfumatoError
from sfumato.query import PricedQuery


def spent(curator: Session) -> list[Fraction]:
    return [balance.spent for who in ("", "analyst") for balance in curator._ledger.balances("clinic", who)]


FAILING = (
    "1 / (CASE WHEN user_id = 42 AND day > 20 THEN 0 ELSE 1 END) > 0", "1 % (CASE WHEN user_id = 42 THEN 0 ELSE 1 END) = 0",
    "SQRT(CASE WHEN user_id = 42 THEN -1 ELSE 1 END) > 0", "LN(CASE WHEN user_id = 42 THEN 0 ELSE 1 END) >= 0",
    "EXP(CASE WHEN user_id = 42 THEN 10000 ELSE 1 END) > 0", "9223372036854775807 + user_id > 0",
    "9e18 * user_id * 9e18 > 0", "-user_id - 9223372036854775807 < 0", "ABS(user_id - 9223372036854775807) > 0",
    "POW(user_id, 400) > 0", "POW(-1 * user_id, 0.5) > 0", "CAST(user_id AS SMALLINT) > 0", "CAST(note AS INTEGER) > 1",
    "CAST(note AS DATE) > '2026-01-01'", "CAST(note AS BOOLEAN)", "CAST(amount AS INTEGER) > 1",
    "SUBSTRING(note, 10000, 10000) = ''", "CAST(amount * 1e308 AS BIGINT) > 0", "day // (user_id - 42) > 0",
    "FLOOR(amount * 1e300) > 0", "LOG(2, user_id - 42) > 0", "LENGTH(note || note || note) > 3",
    "CAST(CAST(user_id AS TEXT) AS TIMESTAMP) IS NULL", "user_id * user_id > 0",
)  # fmt: skip


@pytest.mark.parametrize("predicate", FAILING)
def test_c1_and_c2_no_cell_makes_a_question_fail(predicate: str, hostile: Path, clean: Path, opened: Any) -> None:
    for folder in (hostile, clean):
        answer = opened(folder).sql(f"SELECT COUNT(*) AS n FROM visits WHERE {predicate}", epsilon=1)
        assert isinstance(answer.value, int)


def test_c6_lone_keys_are_suppressed_and_null_is_a_key(hostile: Path, opened: Any, reads: list[Any]) -> None:
    text = "SELECT note, COUNT(*) AS n FROM visits GROUP BY note"
    answer = opened(hostile).sql(text, epsilon=1, delta="1e-9")
    shown = {row["note"] for row in answer}
    people = dict(zip(reads[0][1].keys, reads[0][1].people.tolist(), strict=True))
    lone = {key[0] for key, count in people.items() if count <= 2}
    assert len({"abc", "12", ""} & lone) >= 2  # of a person with many notes our order picks some
    assert not shown & {"busy", "abc", "12", "", "y" * 100_000}
    assert None in shown


def test_c6_a_table_of_unique_notes_shows_nothing(clean: Path, opened: Any) -> None:
    answer = opened(clean).sql("SELECT CAST(amount * 1000 + day AS TEXT) AS k, COUNT(*) AS n FROM visits"
                               " WHERE user_id < 300 GROUP BY k", epsilon=1, delta="1e-9")  # fmt: skip
    assert answer.rows == []


def test_c7_averaging_gets_one_answer_and_differencing_ends_with_the_budget(clean: Path, opened: Any) -> None:
    curator = opened(clean, epsilon="1", delta="1e-6")
    same = (
        "SELECT COUNT(*) FROM users WHERE user_id = 42", "select count(*) as n from users where 42 = user_id",
        "SELECT /* again */ COUNT(*) FROM users u WHERE u.user_id = 42 -- and again",
        "SELECT COUNT(*) FROM users WHERE (user_id) = (42)", 'SELECT COUNT(1) FROM "users" WHERE user_id = 42;',
        "WITH t AS (SELECT * FROM users) SELECT COUNT(*) FROM users WHERE user_id = 42",
    )  # fmt: skip
    answers = [curator.sql(text, epsilon="0.5") for text in same * 3]
    assert len({answer.value for answer in answers}) == 1
    assert [answer.repeated for answer in answers] == [False] + [True] * 17
    assert spent(curator) == [Fraction(1, 2)] * 2
    curator.sql("SELECT COUNT(*) FROM users WHERE user_id <> 42", epsilon="0.5")
    with pytest.raises(BudgetExceeded):
        curator.sql("SELECT COUNT(*) FROM users", epsilon="0.5")


def test_c8_every_missing_number_is_a_fixed_one_in_range(tmp_path: Path, opened: Any, reads: list[Any]) -> None:
    """NULL and NaN add nothing, and are passed over; what is too large or too small, even without end, adds the bound."""
    import duckdb

    cells = ("NULL", "'nan'", "'inf'", "'-inf'", "'1e300'", "'-1e300'", "'5'")
    duckdb.sql(f"""COPY (SELECT i::BIGINT AS user_id, v::DOUBLE AS amount FROM (VALUES
        {", ".join(f"({i}, {cell})" for i, cell in enumerate(cells))}) t(i, v)) TO '{tmp_path / "t.parquet"}'""")
    about = {
        "budget": {"epsilon": "1000"}, "unit": {"person": "t.user_id"}, "name": "clinic",
        "tables": {"t": {"source": str(tmp_path / "t.parquet"), "columns": {"amount": {"lower": 0, "upper": 200, "grid": 0.01}}}},
    }  # fmt: skip
    with sfumato.open(about, ledger=tmp_path / "ledger") as curator:
        curator.sql("SELECT SUM(amount) FROM t", epsilon=1)
        curator.sql("SELECT SUM(LEAST(GREATEST(amount, 0), 2)) FROM t", epsilon=1)
        curator.sql("SELECT SUM(GREATEST(LEAST(amount, 2), 0)) FROM t", epsilon=1)
        asked = "SELECT AVG(amount) AS a, VARIANCE(amount) AS v, COUNT(amount) AS n FROM t"
        (little,), (row,) = (curator.sql(asked, epsilon=spent).rows for spent in (1, 900))
    sums = [int(table.columns[0][0]) * query.measures.measures[0].step for query, table in reads[:3]]
    assert sums == [200 + 200 + 5, 6, 6 + 2 * 2]  # LEAST of nothing and 2 is 2
    assert all(np.isfinite([row["a"], row["v"], row["n"]]))
    assert all(each is None or np.isfinite(each) for each in little.values())  # of five rows, perhaps none


def test_c10_sums_are_the_same_to_the_last_bit(clean: Path, tmp_path: Path, reads: list[Any]) -> None:
    about = clinic.declare(clean, more="\n[defaults]\nthreads = 4\n")
    with sfumato.open(about, ledger=tmp_path / "ledger") as curator:
        for i in range(6):
            curator.sql("SELECT SUM(amount), SUM(amount * 1.1), VARIANCE(amount) FROM visits", epsilon=Fraction(i + 1))
    found = [whole_rows.columns(query, table) for query, table in reads]
    assert len(found) == 6
    assert all(each == found[0] for each in found)


def test_c11_a_busy_person_is_bounded_and_nobodys_rows_are_dropped(
    hostile: Path, opened: Any, reads: list[Any]
) -> None:
    curator = opened(hostile)
    curator.sql("SELECT COUNT(*) FROM visits WHERE user_id = 42 OR note = 'busy'", epsilon=1)
    curator.sql("SELECT COUNT(*) FROM visits WHERE note = 'nobody'", epsilon=1)
    curator.sql("SELECT category, COUNT(*) FROM visits WHERE note = 'busy' GROUP BY category", epsilon=1)
    counts = [whole_rows.columns(query, table)[0] for query, table in reads]
    assert counts[0] == [pytest.approx(5, abs=1e-4)]
    assert counts[1] == [0]
    assert sum(counts[2]) == pytest.approx(15, abs=1e-4), "no group is left out, and all together are bounded"
    assert len(counts[2]) > 3


def test_c14_no_entry_receipt_or_anchor_confirms_a_guess_of_the_data(clean: Path, tmp_path: Path) -> None:
    about = clinic.declare(clean)
    logs, versions = [], []
    for name in ("one", "two"):
        with sfumato.open(about, ledger=tmp_path / name) as curator:
            curator.sql("SELECT COUNT(*) FROM visits", epsilon=1, key="mine")
            versions.append(curator.curator._engine.version())
            logs.append([entry for _, entry in curator.log()])
    assert versions[0] == versions[1]  # what anyone who has the same files can compute
    assert versions[0] not in repr(logs)
    named = [{entry["data_version"] for entry in log if "data_version" in entry} for log in logs]
    assert len(named[0]) == len(named[1]) == 1
    assert named[0] != named[1]
    assert not any("secret" in entry for log in logs for entry in log)
    with sfumato.open(about, ledger=tmp_path / "one") as curator:
        assert curator.sql("SELECT COUNT(*) FROM visits", epsilon=1).repeated
        assert curator.sql("SELECT COUNT(*) FROM visits", epsilon=1, key="mine").repeated


def test_c13_a_statement_that_takes_too_long_is_ended_in_the_same_words(clean: Path, tmp_path: Path) -> None:
    about = clinic.declare(clean, more="\n[defaults]\ntimeout = 0.000001\n")
    with sfumato.open(about, ledger=tmp_path / "ledger") as curator:
        words = set()
        for text in ("SELECT COUNT(*) FROM visits WHERE CASE WHEN user_id = 42 THEN LENGTH(UPPER(note || note)) ELSE 1 END > 0",
                     "SELECT category, MEDIAN(amount), COUNT(DISTINCT note) FROM visits GROUP BY category"):  # fmt: skip
            before = spent(curator)
            try:
                curator.sql(text, epsilon=1)
            except EngineFailed as error:
                words.add(str(error))
            assert spent(curator) == [each + 1 for each in before]
        assert words <= {"the engine did not finish; the charge stays\n\nhint: ask the owner"}


def test_c14_nothing_data_dependent_is_free(hostile: Path, clean: Path, opened: Any, reads: list[Any]) -> None:
    """Explaining and refusing say the same over different data; no argument asks for an intermediate form."""
    curators = [opened(hostile), opened(clean)]
    for text in ("SELECT COUNT(*) FROM visits", "SELECT city, AVG(amount) FROM visits GROUP BY city"):
        assert len({str(each.explain(text, epsilon=1)) for each in curators}) == 1
        assert len({str(each.explain(text, epsilon=1).to_json()) for each in curators}) == 1
    assert len({repr(each) for each in curators}) == 1
    assert len({str(each.budget()) for each in curators}) == 1
    assert reads == []
    asked = set(inspect.signature(Session.sql).parameters)
    assert asked == {
        "self",
        "text",
        "epsilon",
        "delta",
        "rho",
        "within",
        "confidence",
        "rows",
        "groups",
        "beyond",
        "weigh",
        "bar",
        "key",
        "label",
    }
    with pytest.raises(InvalidQuestion):
        curators[0].sql("EXPLAIN ANALYZE SELECT COUNT(*) FROM visits", epsilon=1)


def test_c15_whatever_ends_the_work_after_the_charge_leaves_the_charge(
    clean: Path, opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    curator = opened(clean)

    def failing(error: BaseException) -> Any:
        def aggregate(self: DuckDBEngine, query: PricedQuery) -> ExactTable:
            raise error

        return aggregate

    words = set()
    for i, error in enumerate(
        (
            ValueError("cell 42"),
            KeyError("abc"),
            MemoryError(),
            RecursionError("deep"),
            EngineFailed("the engine did not finish; the charge stays", hint="ask the owner"),
        )
    ):
        monkeypatch.setattr(DuckDBEngine, "aggregate", failing(error))
        with pytest.raises(EngineFailed) as caught:
            curator.sql("SELECT COUNT(*) FROM visits", epsilon=1)
        words.add(str(caught.value))
        assert caught.value.__cause__ is None
        assert caught.value.__suppress_context__ or caught.value is error
        assert spent(curator) == [i + 1] * 2
        curator._ledger.unlock(dataset="clinic", reason="looked at")
    assert words == {"the engine did not finish; the charge stays\n\nhint: ask the owner"}
    monkeypatch.setattr(DuckDBEngine, "aggregate", failing(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        curator.sql("SELECT COUNT(*) FROM visits", epsilon=1)
    assert spent(curator) == [6, 6]
    assert not hasattr(Session, "refund")


def test_an_exact_table_shows_and_writes_nothing(hostile: Path, opened: Any, reads: list[Any]) -> None:
    import copy
    import pickle

    opened(hostile).sql("SELECT category, COUNT(*) FROM visits GROUP BY category", epsilon=1)
    table = reads[0][1]
    assert repr(table) == str(table) == "ExactTable(…)"
    for write in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError):
            write(table)


def test_every_public_name_that_returns_something_of_the_data_is_charged(
    clean: Path, opened: Any, monkeypatch: pytest.MonkeyPatch, reads: list[Any]
) -> None:
    """The whole public surface, called: data are read in `sql` alone, and a receipt is there before."""
    curator = opened(clean)
    text = "SELECT COUNT(*) FROM visits"
    calls = {
        "explain": lambda: curator.explain(text, epsilon=1),
        "budget": curator.budget,
        "dataset": lambda: curator.dataset,
        "sql": lambda: curator.sql(text, epsilon=1),
        "close": lambda: None,
    }
    public = {name for name in dir(curator) if not name.startswith("_")}
    assert set(calls) <= public
    for name in sorted(public - {"sql", "close"}):
        if name in calls:
            assert "…" not in str(calls[name]())
            assert reads == [], name
    assert spent(curator) == [0, 0]
    honest = curator._ledger.reserve
    monkeypatch.setattr(curator._ledger, "reserve", lambda **_: (_ for _ in ()).throw(SfumatoError("no ledger")))
    with pytest.raises(SfumatoError, match="no ledger"):
        curator.sql(text, epsilon=1)
    assert reads == []
    monkeypatch.setattr(curator._ledger, "reserve", honest)
    release = curator.sql(text, epsilon=1)
    assert len(reads) == 1
    assert spent(curator) == [1, 1]
    assert isinstance(release, Release)
    told = curator.explain(text, epsilon=1)
    assert isinstance(told, Explanation)
    for thing in (release, told):
        for name in [name for name in dir(thing) if not name.startswith("__") or name in ("__str__", "__repr__")]:
            found = getattr(thing, name)
            if callable(found) and not inspect.signature(found).parameters:
                found()
    assert len(reads) == 1, "what was released is shown from the release alone"
