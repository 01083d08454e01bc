"""What one row can cost is bounded before the charge: bytes, steps, and how many rows it can become."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import totality
from neighbours import Database, engine, priced
from sfumato.data import declared
from sfumato.engines import DuckDBEngine
from sfumato.engines.duckdb.registrar import Registrar
from sfumato.errors import InvalidDeclaration, InvalidQuestion
from sfumato.query.bounds import Bounds
from sfumato.query.plan import once, spread
from sfumato.query.work import MOST, of_question

HERE = Path(__file__).parents[1]
LONG = "CASE WHEN p = 5 THEN '" + "x" * 9000 + "' ELSE '' END"


@pytest.fixture(scope="module")
def made() -> Any:
    opened = totality.engine(totality.singles())
    yield opened
    opened.close()


def work(made: DuckDBEngine, text: str) -> Any:
    asked = priced(made, text).question
    return of_question(asked.plan, asked.keys, [part for a in asked.aggregates for part in a.inputs])


@pytest.mark.parametrize("operands", [120, 500, 900])
def test_hole_2_a_text_of_many_operands_is_refused_before_data_are_read(made: DuckDBEngine, operands: int) -> None:
    for part in ("t", "CASE WHEN b THEN t ELSE '' END"):
        with pytest.raises(InvalidQuestion, match=r"for one row|nested too deeply|longer than|too large|4000 words"):
            priced(made, f"SELECT COUNT(*) FROM h WHERE LENGTH(CONCAT({', '.join([part] * operands)})) > 3")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) FROM h WHERE " + " OR ".join(f"CONTAINS(t || '{i}', t2 || '{i}')" for i in range(40)),
        "SELECT COUNT(*) FROM h WHERE " + " OR ".join(f"UPPER(t || '{i}') LIKE '%{i}%'" for i in range(60)),
        "SELECT COUNT(*) FROM h WHERE " + " AND ".join(f"CAST(t || '{i}' AS DATE) IS NULL" for i in range(60)),
        f"SELECT COUNT(*) FROM (SELECT p, {LONG} AS v FROM h) q WHERE "
        + " OR ".join(f"v || v || '{i}' = v" for i in range(60)),
    ],
)
def test_many_texts_are_as_much_as_a_long_one(made: DuckDBEngine, text: str) -> None:
    with pytest.raises(InvalidQuestion, match="one row"):
        priced(made, text)


def test_a_text_doubled_in_subqueries_is_counted_as_often_as_it_may_be_computed(made: DuckDBEngine) -> None:
    """An engine may push a filter below every SELECT, and compute the column again wherever it was named."""
    inner, sizes = "SELECT p, t FROM h", []
    for depth in range(3):
        inner = f"SELECT p, t || t AS t FROM ({inner}) a{depth}"
        sizes.append(work(made, f"SELECT COUNT(*) FROM ({inner}) z WHERE LENGTH(t) > 3").bytes)
    assert sizes[1] > 2 * sizes[0]
    assert sizes[2] > 2 * sizes[1]
    for depth in range(3, 9):
        inner = f"SELECT p, t || t AS t FROM ({inner}) a{depth}"
    with pytest.raises(InvalidQuestion, match=r"one row|too large"):
        priced(made, f"SELECT COUNT(*) FROM ({inner}) z WHERE LENGTH(t) > 3")


def test_ordinary_questions_are_far_from_the_bounds(made: DuckDBEngine) -> None:
    for text in (
        "SELECT COUNT(*) FROM h WHERE " + " OR ".join(f"LOWER(t) LIKE '%word {i}%'" for i in range(20)),
        "SELECT UPPER(TRIM(t)) AS k, COUNT(*), AVG(x2) FROM h GROUP BY k",
        "SELECT COUNT(DISTINCT CONCAT(t, ' ', t2)), COUNT(*) FILTER (WHERE CONTAINS(t, t2)) FROM h",
    ):
        found = work(made, text)
        assert 2 * found.bytes <= MOST.bytes
        assert 2 * found.steps <= MOST.steps


def test_one_row_takes_no_more_memory_than_its_absence() -> None:
    """The largest text that is let through, met by one row or by none; and the text as it was once written."""
    peaks = {(how, met): _peak(how, met) for how in ("guarded", "broken") for met in ("met", "unmet")}
    assert peaks["guarded", "met"] < peaks["guarded", "unmet"] + 32
    assert peaks["broken", "met"] > peaks["broken", "unmet"] + 200


def _peak(how: str, met: str) -> float:
    done = subprocess.run(
        [sys.executable, str(HERE / "row_memory.py"), how, met], capture_output=True, text=True, check=True, timeout=120,
        env={**os.environ, "PYTHONPATH": str(HERE)},
    )  # fmt: skip
    return float(done.stdout)


# ---- how many rows one row becomes ----


def joining(**rules: Any) -> DuckDBEngine:
    """Patients, and a public table in which every code stands thirty times."""
    codes = pa.table({"code": ["a"] * 30 + ["b"] * 10, "n": list(range(40))})
    return DuckDBEngine(declared({
        "name": "joins", "budget": {"epsilon": "1"}, "unit": {"person": "t.p"}, "rules": rules,
        "tables": {"t": {"source": pa.table({"p": list(range(50)), "age": [57] * 50, "town": ["a"] * 50})},
                   "codes": {"source": codes, "public": True},
                   "towns": {"source": pa.table({"town": ["a", "b", None, None], "n": [1, 2, 3, 4]}), "public": True}},
    }))  # fmt: skip


JOINED = "(SELECT p, CASE WHEN age <= 56 THEN 'a' ELSE 'z' END AS k FROM t) q"


@pytest.fixture
def joins() -> Any:
    opened = joining()
    yield opened
    opened.close()


def test_hole_4_a_row_that_joins_would_multiply_is_refused(joins: DuckDBEngine) -> None:
    twelve = " ".join(f"LEFT JOIN codes c{i} ON q.k = c{i}.code" for i in range(12))
    with pytest.raises(
        InvalidQuestion, match=r"one row may become 27,000 rows here, and 1000 are allowed \(line 1, column"
    ):
        priced(joins, f"SELECT COUNT(*) FROM {JOINED} {twelve}")
    assert spread(priced(joins, f"SELECT COUNT(*) FROM {JOINED} LEFT JOIN codes c ON q.k = c.code").question.plan) == 30
    assert spread(priced(joins, "SELECT COUNT(*) FROM t JOIN towns USING (town)").question.plan) == 1


@pytest.mark.parametrize(
    ("source", "rows"),
    [
        ("(SELECT code FROM codes WHERE n < 5) c ON q.k = c.code", 30),
        ("(SELECT CASE WHEN n < 9 THEN 'a' ELSE code END AS code FROM codes) c ON q.k = c.code", 40),
        ("(SELECT code FROM codes UNION ALL SELECT code FROM codes) c ON q.k = c.code", 60),
        ("(SELECT a.code FROM codes a JOIN codes b ON a.code = b.code) c ON q.k = c.code", 900),
        ("(SELECT a.code FROM codes a JOIN towns b ON a.code = b.town) c ON q.k = c.code", 30),
        ("(SELECT b.town AS code FROM codes a JOIN towns b ON a.code = b.town) c ON q.k = c.code", 40),
    ],
)
def test_how_often_a_public_relation_repeats_is_known_whatever_it_is_made_of(
    joins: DuckDBEngine, source: str, rows: int
) -> None:
    assert spread(priced(joins, f"SELECT COUNT(*) FROM {JOINED} JOIN {source}").question.plan) == rows


def test_the_owner_says_how_far_a_row_may_spread() -> None:
    text = f"SELECT COUNT(*) FROM {JOINED} JOIN codes c ON q.k = c.code"
    with pytest.raises(InvalidQuestion, match="30 rows here, and 29 are allowed"):
        priced(joining(rows_per_row=29), text)
    assert spread(priced(joining(rows_per_row=30), text).question.plan) == 30
    for bad in (0, -1, True, "9", 1.5):
        with pytest.raises(InvalidDeclaration, match="rows_per_row must be a whole number"):
            joining(rows_per_row=bad)


def test_a_union_is_as_many_rows_as_it_has_parts(joins: DuckDBEngine) -> None:
    parts = " UNION ALL ".join(["SELECT p FROM t"] * 9)
    assert spread(priced(joins, f"SELECT COUNT(*) FROM ({parts}) q").question.plan) == 9


def test_private_joins_multiply_no_row_of_a_person() -> None:
    """One person with a hundred items of one visit, and the visit's number twice: pairs of items are not made."""
    visits = tuple((1, 5, 1, "a", 1, 1.0, "n", None, None, True) for _ in range(3))
    items = tuple((5, 1.0, "k") for _ in range(100))
    with engine(Database(((1, 40, "a", 5.0),) * 4, visits, items)) as made:
        with pytest.raises(InvalidQuestion, match="pairs every row of a person"):
            priced(
                made,
                "SELECT COUNT(*) FROM visits v JOIN items i ON v.visit_id = i.visit_id JOIN items j ON v.visit_id = j.visit_id",
            )
        chain = priced(
            made,
            "SELECT COUNT(*) FROM visits v JOIN users u ON v.user_id = u.user_id JOIN items i ON v.visit_id = i.visit_id",
        )
        assert spread(chain.question.plan) == 1
        assert {chain.question.plan.fields[i].key[0] for i in once(chain.question.plan)} == {"items"}  # type: ignore[index]
        rows = {
            "items i JOIN visits v ON v.visit_id = i.visit_id": 100,
            "visits v JOIN items i ON v.visit_id = i.visit_id JOIN users u ON u.user_id = v.user_id": 100,
            "visits v JOIN users u ON v.user_id = u.user_id": 3,
            "users a JOIN users b ON a.user_id = b.user_id JOIN users c ON a.user_id = c.user_id": 1,
        }
        for source, expected in rows.items():
            query = priced(made, f"SELECT COUNT(*) FROM {source}")
            relation = _statements(made).relation(query.question.plan)
            assert made._connection.cursor().execute(f"SELECT count(*) FROM ({relation})").fetchall() == [
                (expected,)
            ], source


def _statements(made: DuckDBEngine) -> Any:
    return made._statements._relations


def test_without_the_look_at_opening_a_repeated_key_would_multiply(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Registrar, "_finds", lambda self, text: False)
    with engine(Database(((1, 40, "a", 5.0),) * 4, (), ())) as made:
        query = priced(
            made,
            "SELECT COUNT(*) FROM users a JOIN users b ON a.user_id = b.user_id JOIN users c ON a.user_id = c.user_id",
        )
        relation = _statements(made).relation(query.question.plan)
        assert made._connection.cursor().execute(f"SELECT count(*) FROM ({relation})").fetchall() == [(64,)]


def test_a_public_table_without_rows_has_no_groups() -> None:
    made = DuckDBEngine(declared({
        "budget": {"epsilon": "1"}, "unit": {"rows": True},
        "tables": {"t": {"source": pa.table({"town": ["a"]})}, "towns": {"source": pa.table({"town": pa.array([], pa.string())}), "public": True}},
    }))  # fmt: skip
    with pytest.raises(InvalidQuestion, match="there is no group"):
        priced(made, "SELECT b.town, COUNT(*) FROM t JOIN towns b ON t.town = b.town GROUP BY b.town")


def test_keys_are_counted_as_often_as_the_engine_is_asked(made: DuckDBEngine) -> None:
    """Each quantile is a statement of its own, which fetches every key again."""
    few = "SELECT t, COUNT(*) FROM h GROUP BY t"
    assert work(made, few).bytes >= 3 * 40_000
    many = ", ".join(f"QUANTILE(x2, 0.{i:02})" for i in range(10, 59))
    with pytest.raises(InvalidQuestion, match="one row"):
        priced(made, f"SELECT t, {many} FROM h GROUP BY t")
    long = f"SELECT p, x2, {LONG.replace('p = 5', 'b')} AS v FROM h"
    with pytest.raises(InvalidQuestion, match="one row"):
        priced(made, f"SELECT v, {many} FROM ({long}) q GROUP BY v")


def test_patterns_that_are_compared_letter_by_letter_are_dear(made: DuckDBEngine) -> None:
    pattern = "%" + "_" * 4500 + "b%"
    for op in ("LIKE", "ILIKE"):
        with pytest.raises(InvalidQuestion, match="too long for one row"):
            priced(made, f"SELECT COUNT(*) FROM h WHERE t {op} '{pattern}'")
    plain = work(made, "SELECT COUNT(*) FROM h WHERE t LIKE '%" + "x" * 100 + "%'").steps
    assert work(made, "SELECT COUNT(*) FROM h WHERE t LIKE '%" + "x" * 99 + "_%'").steps > 20 * plain


def test_a_text_that_grows_by_what_replaces_a_word_is_counted_at_its_full_length(made: DuckDBEngine) -> None:
    few = work(made, "SELECT COUNT(*) FROM h WHERE REPLACE(t, 'ab', 'c') = 'x'").bytes
    many = work(made, "SELECT COUNT(*) FROM h WHERE REPLACE(t, 'a', 'bcde') = 'x'").bytes
    assert many >= few + 4 * 30_000
    with pytest.raises(InvalidQuestion, match="too much text for one row"):
        priced(made, f"SELECT COUNT(*) FROM h WHERE REPLACE(t, 'a', '{'b' * 200}') = 'x'")


def test_two_readings_of_one_table_are_told_apart() -> None:
    """That the first reading of a table is once says nothing of the second: fields are told apart, not names."""
    with engine(Database((), (), ())) as made:
        both = priced(
            made,
            "SELECT COUNT(*) FROM items i JOIN visits v ON i.visit_id = v.visit_id JOIN visits w ON i.visit_id = w.visit_id",
        )
        plan = both.question.plan
        assert once(plan) == frozenset(range(len(made.dataset.tables[2].columns)))
        with pytest.raises(InvalidQuestion, match="pairs every row"):
            priced(
                made,
                "SELECT COUNT(*) FROM items i JOIN visits v ON i.visit_id = v.visit_id JOIN items j ON j.visit_id = v.visit_id",
            )


@pytest.mark.parametrize("unit", [{"rows": True}, {"person": "t.p"}])
def test_many_large_whole_numbers_are_not_equal_to_one_computed_number(unit: dict[str, Any]) -> None:
    """2**62 as a double is equal to 513 whole numbers around it: one row would be priced as one and count as 513."""
    base = 2**62
    public = pa.table({"id": [base + i for i in range(1000)]})
    made = DuckDBEngine(declared({
        "name": "wide", "budget": {"epsilon": "1"}, "unit": unit,
        "tables": {"t": {"source": pa.table({"p": [1, 777, 5]}), **({} if "rows" in unit else {"rows_per_person": 1, "materialise": True})},
                   "pub": {"source": public, "public": True}},
    }))  # fmt: skip
    for computed in (f"CASE WHEN p = 777 THEN {base} ELSE 0 END", f"p * 0 + {base}", f"ABS({base} - p * 0)"):
        query = priced(made, f"SELECT COUNT(*) FROM (SELECT p, {computed} AS v FROM t) q JOIN pub ON q.v = pub.id")
        counts = made.aggregate(query).columns[0].tolist()
        assert query.bounds == Bounds(1, cut=True)
        assert counts[0] <= 3, "one row each at most"
    own = "(SELECT p, MAX(p * 0 + 4611686018427387904) AS v FROM t GROUP BY p) q"
    if "person" in unit:
        assert (
            made.aggregate(priced(made, f"SELECT COUNT(*) FROM {own} JOIN pub ON q.v = pub.id")).columns[0].tolist()[0]
            <= 3
        )
