"""Cases that must be answered: near the bounded truth, at the stated price, charged before data are read."""

import tomllib
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from fractions import Fraction
from math import log
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow.parquet as pq
import pytest

import clinic
from engines.test_contract import shown
from neighbours import priced
from remote_tables import closing, opened_by
from sfumato.curator import Session
from sfumato.data import Dataset, declared
from sfumato.engines import DuckDBEngine, ExactTable
from sfumato.engines.registry import ENGINES
from sfumato.errors import InvalidQuestion
from sfumato.query import PricedQuery
from sources import SeededBits
from sql_cases import ACCEPTED, Accepted


def left(curator: Session) -> list[Fraction]:
    """What is left of every budget, exactly."""
    found = [curator._ledger.balances(curator.dataset.name, who) for who in ("", "analyst")]
    return [balance.remaining for balances in found for balance in balances]


@pytest.fixture
def curator(clean: Path, opened: Any) -> Session:
    made: Session = opened(clean)
    return made


def rows_of(folder: Path, sql: str) -> list[dict[str, Any]]:
    import duckdb

    run = duckdb.connect()
    for table in ("users", "visits", "cities"):
        run.execute(f"CREATE VIEW {table} AS SELECT * FROM '{folder / table}.parquet'")
    found = run.execute(sql)
    names = [each[0] for each in found.description or ()]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


@pytest.mark.parametrize("case", ACCEPTED, ids=lambda case: case.id)
def test_answered(case: Accepted, curator: Session, clean: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if case.few:
        assert clinic.truth(clean, case.few) == [], "bounding by groups must not touch this case"
    asked: dict[str, Any] = {"epsilon": 1, **({"delta": "1e-6"} if case.delta else {})}
    told = curator.explain(case.sql, **asked)
    before, at_the_read = left(curator), []
    honest = DuckDBEngine.aggregate

    def spied(self: DuckDBEngine, query: PricedQuery) -> ExactTable:
        at_the_read.append(left(curator))
        return honest(self, query)

    monkeypatch.setattr(DuckDBEngine, "aggregate", spied)
    answer = curator.sql(case.sql, **asked)
    assert told.affordable
    assert len(told.mechanisms) <= case.mechanisms  # what is measured together is one
    assert sum(each.share for each in told.mechanisms) == 1
    assert told.cost.epsilon == 1
    assert answer.cost == told.cost
    assert bool(told.cost.delta) == case.delta
    assert at_the_read == [[each - 1 for each in before]], "charged in full before the one read"
    assert left(curator) == at_the_read[0]
    truth = rows_of(clean, case.truth)
    exact = {tuple(row[key] for key in case.keys): row for row in truth}
    found = {tuple(row[key] for key in case.keys): row for row in answer.rows}
    assert len(found) == len(answer.rows)
    assert set(found) >= set(exact)
    many = 1 + log(len(found) or 1) / 6  # the largest of so many noises is so much larger
    for key, row in found.items():
        for column, off in case.off.items():
            if row[column] is None:  # an average of perhaps no row
                assert key not in exact
                continue
            expected = exact[key][column] if key in exact else 0
            assert abs(row[column] - expected) <= off * many, (key, column)


def test_people_and_rows_without_a_partner_are_not_counted_on_the_right_of_a_left_join(
    clean: Path, opened: Any
) -> None:
    joined = "FROM users u LEFT JOIN (SELECT user_id, COUNT(*) AS n FROM visits WHERE day < 20 GROUP BY user_id) v USING (user_id)"
    asked = f"SELECT COUNT(*), COUNT(u.user_id), COUNT(v.user_id), COUNT(DISTINCT u.user_id), COUNT(DISTINCT v.user_id) {joined}"
    exact = clinic.truth(clean, asked)[0]
    assert exact[0] > exact[2] > 0
    (row,) = opened(clean).sql(asked, epsilon=900).rows
    assert list(row.values()) == list(exact)
    (inside,) = (
        opened(clean).sql(f"SELECT COUNT(DISTINCT p) AS n FROM (SELECT v.user_id AS p {joined}) t", epsilon=900).rows
    )
    assert inside["n"] == exact[4]
    with pytest.raises(InvalidQuestion, match="several people"):
        opened(clean).sql(
            f"SELECT COUNT(*) FROM (SELECT v.user_id, COUNT(*) AS n {joined} GROUP BY v.user_id) t", epsilon=1
        )


def test_a7_quantiles_are_near_in_rank_and_on_the_grid(curator: Session, clean: Path) -> None:
    text = "SELECT MEDIAN(income) AS m, PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY income) AS p FROM users"
    (row,) = curator.sql(text, epsilon=2).rows
    incomes = sorted(income for (income,) in clinic.truth(clean, "SELECT income FROM users"))
    for value, q in ((row["m"], 0.5), (row["p"], 0.9)):
        rank = sum(income <= value for income in incomes)
        assert abs(rank - q * len(incomes)) < 300
    assert len(curator.explain(text, epsilon=2).mechanisms) == 2


def test_a8_least_and_greatest_are_quantiles_and_say_so(curator: Session) -> None:
    answer = curator.sql("SELECT MIN(age) AS low, MAX(age) AS high FROM users", epsilon=2)
    (row,) = answer.rows
    assert 18 <= row["low"] <= 25
    assert 83 <= row["high"] <= 90
    assert any("quantile" in note.text for note in answer.notes)
    assert [note.code for note in answer.notes] == ["extremes"]


def test_a9_a_town_of_one_person_is_absent_and_rows_are_ordered_by_noisy_values(hostile: Path, opened: Any) -> None:
    answer = opened(hostile).sql(
        "SELECT city, COUNT(*) AS n FROM visits GROUP BY city ORDER BY n DESC LIMIT 4", epsilon=1
    )
    assert len(answer) == 4
    assert "Lonely" not in [row["city"] for row in answer]
    counts = [row["n"] for row in answer]
    assert counts == sorted(counts, reverse=True)


def test_a10_every_public_group_is_returned_even_if_nobody_is_in_it(clean: Path, opened: Any) -> None:
    answer = opened(clean).sql("SELECT category, COUNT(*) AS n FROM visits WHERE day = -1 GROUP BY category", epsilon=1)
    assert [row["category"] for row in answer] == [*range(12), None]
    assert answer.cost.delta == 0


def test_a5_numerator_and_denominator_come_from_the_same_rows(hostile: Path, opened: Any, reads: list[Any]) -> None:
    """A person whose rows exceed the bound keeps the same share of them in the sum and in the count."""
    opened(hostile).sql("SELECT AVG(amount) AS a FROM visits WHERE user_id = 42 AND note = 'busy'", epsilon=1)
    query, table = reads[0]
    assert [measure.kind for measure in query.measures.measures] == ["present", "sum"]
    (count,), (total,) = table.columns[0].tolist(), table.columns[1].tolist()
    assert Fraction(int(count), query.weights.whole) == pytest.approx(5, abs=1e-4)
    assert total == count * (10_000 - query.measures.measures[1].centre)


def test_a13_in_a_table_cut_at_registration_the_answer_is_as_near(clean: Path, tmp_path: Path) -> None:
    import sfumato

    about = clinic.declare(clean).read_text().replace("rows_per_group = 5", "rows_per_person = 5\nmaterialise = true")
    (clean / "cut.toml").write_text(about)
    with sfumato.open(clean / "cut.toml", ledger=tmp_path / "cut.ledger") as made:
        made._bits = SeededBits(2026)  # type: ignore[attr-defined]
        (row,) = made.sql("SELECT COUNT(*) AS n, SUM(amount) AS s FROM visits", epsilon=1).rows
        assert "at most 5 rows" in str(made.explain("SELECT COUNT(*) FROM visits", epsilon=1))
    ((n, s),) = clinic.truth(clean, "SELECT COUNT(*), SUM(amount) FROM visits")
    assert abs(row["n"] - n) <= 6 * 5 * 2
    assert abs(row["s"] - s) <= 6 * 5 * 200 * 2


@pytest.mark.parametrize("text", ["SELECT DISTINCT city FROM visits", "SELECT city FROM visits GROUP BY city"])
def test_keys_alone_cost_what_showing_them_costs_and_one_person_makes_none(
    hostile: Path, opened: Any, text: str
) -> None:
    session, asked = opened(hostile), {"epsilon": 1, "delta": "1e-6"}
    told, answer = session.explain(text, **asked), session.sql(text, **asked)
    assert [each.measures for each in told.mechanisms] == [("keys",)]
    assert answer.cost == told.cost
    assert answer.cost.epsilon == 1
    assert 0 < answer.cost.delta <= Fraction(1, 10**6)
    assert len(answer) > 3
    assert "Lonely" not in [row["city"] for row in answer]
    assert [note.code for note in answer.notes] == ["threshold", "picked"]
    by_rho = session.explain(text, rho="0.5", delta="1e-6").cost
    assert by_rho.epsilon is None
    assert Fraction(49, 100) < by_rho.rho <= Fraction(1, 2)


def test_public_keys_alone_are_refused_for_nothing(clean: Path, opened: Any, reads: list[Any]) -> None:
    session = opened(clean)
    before = left(session)
    with pytest.raises(InvalidQuestion, match="known without data"):
        session.sql("SELECT DISTINCT category FROM visits", epsilon=1)
    assert left(session) == before
    assert reads == []


# ---- on every engine ------------------------------------------------------------------------------------------------

MORE = (
    "SELECT MEDIAN(income) AS m, PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY income) AS p FROM users",
    "SELECT MIN(age) AS low, MAX(age) AS high FROM users",
    "SELECT DISTINCT city FROM visits",
    "SELECT note, COUNT(*), SUM(amount) FROM visits GROUP BY note",
)
AT_ONCE = 3


def in_memory(folder: Path) -> Dataset:
    """The clinic, to be put wherever an engine reads."""
    about = tomllib.loads(clinic.DECLARATION.format(epsilon="1000", delta="1e-3"))
    for name, table in about["tables"].items():
        table["source"] = pq.read_table(folder / f"{name}.parquet")
    return declared({"name": "clinic", **about})


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENGINES[1:], ids=lambda entry: entry.name)
def test_every_case_has_the_same_exact_integers_on_every_engine(entry: Any, hostile: Path) -> None:
    """With every hostile cell that the cases name, and with the same choice of contributions."""
    dataset = in_memory(hostile)
    with ExitStack() as stack:
        stack.enter_context(mock.patch("sfumato.engines.sql.hashing.seed_of", return_value=7))
        here, there = (stack.enter_context(closing(opened_by(each, dataset))) for each in (ENGINES[0], entry))
        asked = [*(case.sql for case in ACCEPTED), *MORE]
        queries = [priced(here, text) for text in asked]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            found = list(pool.map(there.aggregate, queries))
        for text, query, table in zip(asked, queries, found, strict=True):
            assert shown(table) == shown(here.aggregate(query)), text
