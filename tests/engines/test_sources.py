"""The same answers from Parquet, CSV, DuckDB files, Arrow and DataFrames, and clear errors from everything else."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest

import whole_rows
from sfumato.data import declared
from sfumato.engines import DuckDBEngine
from sfumato.errors import InvalidDeclaration
from sfumato.query import Spend, plan_question, price

ROWS = """SELECT i AS user_id, 'town ' || i % 3 AS city, i % 50 AS age, i * 1.25 AS amount, DATE '2026-01-01' + (i % 9)::INTEGER AS d,
    i % 2 = 0 AS paid FROM range(300) t(i)"""
VISITS = "SELECT i % 300 AS user_id, i AS visit_id, i % 7 AS category FROM range(900) t(i)"
QUESTIONS = (
    "SELECT COUNT(*) FROM users", "SELECT SUM(age), AVG(amount) FROM users", "SELECT city, COUNT(*) FROM users GROUP BY city",
    "SELECT d, COUNT(*) FROM users GROUP BY d", "SELECT paid, SUM(amount) FROM users WHERE d < '2026-01-05' GROUP BY paid",
    "SELECT u.paid, COUNT(*) FROM visits v JOIN users u ON v.user_id = u.user_id GROUP BY u.paid", "SELECT MEDIAN(amount) FROM users",
    "SELECT category, COUNT(DISTINCT user_id) FROM visits GROUP BY category",
)  # fmt: skip


def declaration(users: Any, visits: Any, **more: Any) -> dict[str, Any]:
    kinds = {"d": {"type": "date"}, "paid": {"type": "boolean"}, "user_id": {"type": "integer"}}
    return {
        "name": "sources", "budget": {"epsilon": "10", "delta": "1e-3"}, "unit": {"person": "users.user_id"},
        "tables": {
            "users": {"source": users, "columns": {"age": {"type": "integer", "lower": 0, "upper": 60}, "amount": {"lower": 0, "upper": 400, "grid": 0.25}, **kinds}},
            "visits": {"source": visits, "foreign_keys": {"user_id": "users.user_id"}, "rows_per_group": 3, "groups_per_person": 3,
                       "columns": {"category": {"type": "integer", "values": list(range(7))}, "visit_id": {"type": "integer"}}, **more},
        },
    }  # fmt: skip


def sources(kind: str, folder: Path) -> tuple[Any, Any]:
    run = duckdb.connect(str(folder / "data.duckdb") if kind == "duckdb" else ":memory:")
    run.execute(f"CREATE TABLE users AS {ROWS}; CREATE TABLE visits AS {VISITS}")
    if kind == "duckdb":
        run.close()
        return str(folder / "data.duckdb"), str(folder / "data.duckdb")
    if kind in ("parquet", "csv"):
        for table in ("users", "visits"):
            run.execute(f"COPY {table} TO '{folder / table}.{kind}' (FORMAT {kind})")
        return str(folder / f"users.{kind}"), str(folder / f"visits.{kind}")
    found = [run.sql(f"SELECT * FROM {table}") for table in ("users", "visits")]
    made = [{"arrow": each.to_arrow_table, "pandas": each.df, "polars": each.pl}[kind]() for each in found]  # type: ignore[operator]
    return made[0], made[1]


def exact(made: DuckDBEngine, text: str) -> Any:
    spend = Spend(Fraction(1), None, Fraction(1, 10**6))
    query = price(plan_question(text, made.dataset, made), made.dataset, spend)
    table = made.aggregate(query)
    values = {
        at: {key: (v.tolist(), n.tolist()) for key, (v, n) in found.items()} for at, found in table.values.items()
    }
    return values, sorted(
        zip(
            map(str, table.keys),
            *whole_rows.columns(query, table),
            strict=True,
        )
    )


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    made = DuckDBEngine(declared(declaration(*sources("parquet", tmp_path_factory.mktemp("parquet")))))
    found = [exact(made, text) for text in QUESTIONS]
    made.close()
    return found


@pytest.mark.parametrize("kind", ["csv", "duckdb", "arrow", "pandas", "polars"])
def test_every_source_gives_the_same_integers(kind: str, tmp_path: Path, expected: list[Any]) -> None:
    made = DuckDBEngine(declared(declaration(*sources(kind, tmp_path))))
    try:
        assert [exact(made, text) for text in QUESTIONS] == expected
        assert made.version() == made.version()
    finally:
        made.close()


@pytest.mark.parametrize("kind", ["parquet", "csv", "arrow"])
def test_a_table_cut_at_registration_holds_so_many_rows_a_person(kind: str, tmp_path: Path) -> None:
    made = DuckDBEngine(declared(declaration(*sources(kind, tmp_path), rows_per_person=2, materialise=True)))
    try:
        assert exact(made, "SELECT COUNT(*) FROM visits")[1] == [("()", 600)]
        version = made.version()
        if kind == "parquet":
            duckdb.sql(
                f"COPY (SELECT 1 AS user_id, 1 AS visit_id, 1 AS category) TO '{tmp_path / 'visits.parquet'}' (FORMAT parquet)"
            )
        assert made.version() == version, "what was cut is what it was"
        assert exact(made, "SELECT COUNT(*) FROM visits")[1] == [("()", 600)]
    finally:
        made.close()


def test_columns_called_like_parts_of_a_statement_are_columns(tmp_path: Path) -> None:
    names = (
        "row",
        "t",
        "p",
        "l",
        "r",
        "k0",
        "c0",
        "n",
        "v",
        "select",
        'quo"te',
        "two words",
        "s1",
        "m0",
        "people",
        "one",
        "source",
    )
    table = duckdb.sql(  # type: ignore[union-attr]
        "SELECT i AS person, "
        + ", ".join('i % 5 AS "' + n.replace('"', '""') + '"' for n in names)
        + " FROM range(100) x(i)"
    ).to_arrow_table()
    columns = {name: {"lower": 0, "upper": 4} for name in names}
    for more in ({"rows_per_person": 9}, {"rows_per_person": 1, "materialise": True}):
        about = {
            "budget": {"epsilon": "1"},
            "unit": {"person": "t.person"},
            "tables": {"t": {"source": table, "columns": columns, **more}},
        }
        made = DuckDBEngine(declared(about))
        try:
            for name in names:
                quoted = '"' + name.replace('"', '""') + '"'
                found = exact(
                    made, f"SELECT {quoted}, SUM({quoted}), COUNT(DISTINCT {quoted}) FROM t GROUP BY {quoted}"
                )
                assert found[1] == [(f"({i},)", 1, 20 * i) for i in range(5)], (
                    name
                )  # also where nothing adds to the sum
        finally:
            made.close()


def test_a_person_is_the_same_person_in_tables_of_different_types(tmp_path: Path) -> None:
    """Text that is no number belongs to nobody; it neither fails nor becomes a person of its own."""
    (tmp_path / "visits.csv").write_text("user_id,visit_id,category\n1,1,1\n01,2,1\nabc,3,1\n,4,1\n1.0,5,1\n2,6,1\n")
    users, _ = sources("arrow", tmp_path)
    made = DuckDBEngine(declared(declaration(users, str(tmp_path / "visits.csv"))))
    try:
        ((_, people),) = exact(made, "SELECT COUNT(DISTINCT user_id) FROM visits")[1]
        assert people == 2
        assert exact(made, "SELECT COUNT(*) FROM visits v JOIN users u USING (user_id)")[1][0][1] in (3, 4)
    finally:
        made.close()


@pytest.mark.parametrize(("change", "words"), [
    ({"users": "nowhere.parquet"}, "there is no file"), ({"users": "users.txt.parquet"}, "cannot be read"), ({"users": 3}, "cannot be read"),
    ({"users": ["a", "list"]}, "there is no file"),
])  # fmt: skip
def test_a_source_that_cannot_be_read_says_so(change: dict[str, Any], words: str, tmp_path: Path) -> None:
    (tmp_path / "users.txt.parquet").write_text("this is no parquet")
    users, visits = sources("parquet", tmp_path)
    given = change.get("users", users)
    about = declaration(str(tmp_path / given) if isinstance(given, str) else given, visits)
    with pytest.raises(InvalidDeclaration, match=words) as caught:
        DuckDBEngine(declared(about))
    assert caught.value.hint


def test_a_frame_with_columns_of_mixed_types_is_refused_when_it_is_opened() -> None:
    import pandas as pd

    frame = pd.DataFrame({"user_id": range(3000), "odd": [1] * 2999 + ["abc"]})
    about = {"budget": {"epsilon": "1"}, "unit": {"rows": True}, "tables": {"t": {"source": frame}}}
    with pytest.raises(InvalidDeclaration, match="cells decide the type of `user_id`, `odd`") as caught:
        DuckDBEngine(declared(about))
    assert "abc" not in str(caught.value)
    assert 'odd = { type = "text" }' in caught.value.hint


@pytest.mark.parametrize(("about", "words"), [
    ({"columns": {"nothing": {}}}, "has no column `nothing`"), ({"foreign_keys": {"nobody": "users.user_id"}}, "has no column `nobody`"),
    ({"columns": {"visit_id": {"lower": 0, "upper": 3, "type": "integer"}}}, None),
])  # fmt: skip
def test_a_declared_column_must_be_there(about: dict[str, Any], words: str | None, tmp_path: Path) -> None:
    given = declared(declaration(*sources("parquet", tmp_path), **about))
    if words is None:
        DuckDBEngine(given).close()
        return
    with pytest.raises(InvalidDeclaration, match=words) as caught:
        DuckDBEngine(given)
    assert "its columns: user_id, visit_id, category" in caught.value.hint


def test_bounds_on_text_are_refused(tmp_path: Path) -> None:
    about = declaration(*sources("parquet", tmp_path))
    about["tables"]["users"]["columns"]["city"] = {"lower": 0, "upper": 3}
    with pytest.raises(InvalidDeclaration, match="the source holds text"):
        DuckDBEngine(declared(about))


def test_hidden_columns_are_not_there(tmp_path: Path) -> None:
    from sfumato.errors import InvalidQuestion

    made = DuckDBEngine(
        declared(declaration(*sources("parquet", tmp_path), hidden=["category", "user_id"], columns={}))
    )
    try:
        with pytest.raises(InvalidQuestion, match="no column `category`"):
            exact(made, "SELECT COUNT(*) FROM visits WHERE category = 1")
        assert exact(made, "SELECT COUNT(*) FROM visits")[1][0][1] == 900
    finally:
        made.close()


def test_a_wide_sum_is_exact_beyond_sixty_four_bits() -> None:
    top = 2**49
    table = duckdb.sql(f"SELECT i AS person, {top} AS x FROM range(40000) t(i)").to_arrow_table()  # type: ignore[union-attr]
    about = {
        "budget": {"epsilon": "1"},
        "unit": {"person": "t.person"},
        "tables": {"t": {"source": table, "columns": {"x": {"lower": 0, "upper": top}}}},
    }
    made = DuckDBEngine(declared(about))
    try:
        assert exact(made, "SELECT SUM(x) FROM t")[1] == [("()", 40000 * top)]
    finally:
        made.close()
