"""A function is one record: what it gives in Python is what its SQL gives, for every record and every hostile value.

The calls are made from the closed list of records, so that none can be forgotten; values are hostile, or drawn from a
seed. DuckDB is asked for all of them, SQLite for those its dialect has.
"""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
import sqlglot

import function_cases
import sqlite_engine
from function_cases import (
    COLUMNS,
    DRAW,
    FIELDS,
    KINDS,
    ROWS,
    agree,
    calls,
    in_python,
    nearly_values,
    nested,
    read,
    table,
)
from sfumato.data import Kind
from sfumato.engines.duckdb.dialect import DUCKDB
from sfumato.engines.sql.expressions import Expressions
from sfumato.errors import InvalidQuestion
from sfumato.query import evaluate as evaluating
from sfumato.query.bars import Bar
from sfumato.query.expression import MOST_CHARACTERS, Expression, Field, Ref, longest
from sfumato.query.functions import CALLED, FUNCTIONS
from sfumato.query.functions.casing import lower, upper
from sfumato.query.rows import RowReader
from sfumato.query.scope import Name, Scope


@pytest.fixture(scope="module")
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    made = duckdb.connect()
    made.execute("SET ieee_floating_point_ops=true")
    made.execute("SET TimeZone='UTC'")
    made.register("given", table())
    made.execute("CREATE TABLE t AS SELECT * FROM given")
    yield made
    made.close()


def differences(engine: duckdb.DuckDBPyConnection, expressions: list[Expression]) -> list[Any]:
    """Where the engine's SQL and Python differ."""
    write = Expressions(DUCKDB)
    listed = ", ".join(f"{write.sql(each)} AS v{at}" for at, each in enumerate(expressions))
    lines = engine.execute(f"SELECT {listed} FROM t ORDER BY line").fetchall()
    return function_cases.differences(expressions, lines)


@pytest.mark.parametrize("op", FUNCTIONS)
def test_a_function_gives_in_python_what_its_sql_gives(engine: duckdb.DuckDBPyConnection, op: str) -> None:
    made = list(calls(FUNCTIONS[op]))
    assert made
    assert differences(engine, DRAW.sample(made, min(30, len(made))))[:5] == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.value)
def test_functions_of_functions_give_in_python_what_their_sql_gives(
    engine: duckdb.DuckDBPyConnection, kind: Kind
) -> None:
    assert differences(engine, [nested(kind, DRAW.randrange(2, 4)) for _ in range(20)])[:5] == []


def test_numbers_that_leave_are_finite_and_whole_where_they_are_of_whole_ones() -> None:
    whole, real = FIELDS["integer0"], FIELDS["real0"]
    row = [
        Bar(7 if field.kind is Kind.INTEGER else 1e308 if field.kind is Kind.REAL else None)
        for field in FIELDS.values()
    ]
    for made, expected in (
        (FUNCTIONS["mul"].call((whole, whole)), 49), (FUNCTIONS["mul"].call((real, real)), None), (FUNCTIONS["div"].call((whole, whole)), 1.0),
        (FUNCTIONS["gt"].call((FUNCTIONS["mul"].call((real, real)), whole)), True), (FUNCTIONS["coalesce"].call((whole, real)), 7.0),
    ):  # fmt: skip
        found = evaluating.evaluate(made, row).value
        assert (found, type(found)) == (expected, type(expected))


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    with closing(sqlite_engine.connected()) as made:
        yield made


def test_sqlite_gives_what_python_gives_where_its_dialect_has_the_function(database: sqlite3.Connection) -> None:
    """Without NaN and infinities, which it has not, and without NUL, which ends its texts."""
    known = (Kind.INTEGER, Kind.REAL, Kind.TEXT, Kind.BOOLEAN)
    lines = [
        row for row in ROWS[::3]
        if all(not isinstance(bar.value, float) or abs(bar.value) < 1e150 for bar in row) and not any("\x00" in str(bar.value) for bar in row)
    ]  # fmt: skip
    database.execute(f"CREATE TABLE t ({', '.join(f'c{at}' for at in range(len(COLUMNS)))})")
    stored = [[None if isinstance(bar.value, date) else bar.value for bar in row] for row in lines]
    database.executemany(f"INSERT INTO t VALUES ({', '.join('?' for _ in COLUMNS)})", stored)
    write, seen = Expressions(sqlite_engine.Sqlite()), set()
    for op in sorted(sqlite_engine.OPS):
        made = [call for call in calls(FUNCTIONS[op]) if all(arg.kind in known for arg in call.args)]
        made = [call for call in made if op != "coalesce" or len(call.args) > 1]  # of one operand it has none
        for call in DRAW.sample(made, min(4, len(made))):
            found = [line[0] for line in database.execute(f"SELECT {write.sql(call)} FROM t ORDER BY rowid")]
            wanted = [evaluating._found(call, row).value for row in lines]
            bad = [
                (read(call, row), got, want) for row, got, want in zip(lines, found, wanted, strict=True) if got != want
            ]
            assert (op, bad[:3]) == (op, [])
            seen.add(op)
    assert seen == sqlite_engine.OPS
    assert len(lines) > 100


def test_every_character_has_the_case_that_the_engine_gives_it(engine: duckdb.DuckDBPyConnection) -> None:
    """One for one, whatever the version of Python; a word's end and the rest of it do not count."""
    points = [chr(point) for point in range(1, 0x20000) if not 0xD800 <= point < 0xE000]  # above are no letters of case
    engine.register("characters", pa.table({"c": points}))
    lines = engine.execute(
        "SELECT c, lower(c), upper(c) FROM characters WHERE lower(c) <> c OR upper(c) <> c"
    ).fetchall()
    assert len(lines) > 2800
    mine = {each: made for each in points if (made := (lower(each), upper(each))) != (each, each)}
    assert mine == {each: (down, up) for each, down, up in lines}


def test_texts_are_read_as_numbers_and_days_by_the_same_patterns(engine: duckdb.DuckDBPyConnection) -> None:
    """Texts that are nearly numbers or days: the pattern decides on both sides, and the engine reads what it finds."""
    listed = nearly_values()
    engine.register("written", pa.table({"c0": listed}))
    for op in ("cast_integer", "cast_real", "cast_boolean", "cast_date", "cast_timestamp"):
        call = FUNCTIONS[op].call((Ref(0, Field("t", Kind.TEXT)),))
        found = dict(engine.execute(f"SELECT c0, {Expressions(DUCKDB).sql(call)} FROM written").fetchall())
        wanted = {text: evaluating._found(call, [Bar(text)]).value for text in listed}
        assert [text for text in listed if not agree(wanted[text], found[text], exactly=True)] == []
        assert sum(value is not None for value in wanted.values()) > (0 if op == "cast_boolean" else 100)


# ---- what the records say of themselves ----


def test_no_text_is_longer_than_its_record_says() -> None:
    """`longest` bounds what is computed, and no record promises more than texts are cut to."""
    for function in FUNCTIONS.values():
        made = [call for call in calls(function) if call.kind is Kind.TEXT and function.choices is None]
        for call in DRAW.sample(made, min(12, len(made))):
            most = longest(call)
            assert most is not None
            assert most <= MOST_CHARACTERS
            assert max(len(value) for value in in_python(call) if value is not None) <= most


def test_whatever_a_question_may_call_is_in_one_record_alone() -> None:
    for of in (
        lambda f: [node.type for node in f.nodes],
        lambda f: list(f.names),
        lambda f: [(f.listed, word) for word in f.words],
    ):
        found = [each for function in FUNCTIONS.values() for each in of(function)]
        assert len(found) == len(set(found))


def test_the_reference_lists_every_function_and_no_other() -> None:
    text = (Path(__file__).parents[2] / "docs" / "sql.md").read_text(encoding="utf-8")
    listed = re.search(r"Functions of a row: (.*?)\. Each is total", text, re.DOTALL)
    assert listed is not None
    words = set(" ".join(re.findall("`([^`]*)`", listed[1])).split())
    clauses = {
        "AND",
        "OR",
        "NOT",
        "=",
        "<>",
        "<",
        "<=",
        ">",
        ">=",
        "IN",
        "IS NULL",
        "IS NOT DISTINCT FROM",
        "CASE",
        "LIKE",
        "ILIKE",
    }
    known = {function.called for function in FUNCTIONS.values() if function.called} - clauses
    assert words == known | {"//", "%", "||", "LOG", "IF", "EXTRACT"}
    assert set(CALLED) >= {each for each in known if each.isidentifier()}


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("FLOR(x)", "FLOOR"),
        ("SUBSTRNG(t, 1)", "SUBSTRING"),
        ("LOWERCASE(t)", "LOWER"),
        ("DATETRUNCATE('day', t)", "DATE_TRUNC"),
    ],
)
def test_an_unknown_function_is_refused_with_the_names_that_are_near(text: str, near: str) -> None:
    with pytest.raises(InvalidQuestion, match=r"is not answered") as refused:
        asked(text)
    assert near in (refused.value.hint or "")
    assert "CLIP" not in CALLED


@pytest.mark.parametrize(("text", "problem"), [
    ("ROUND(x, i)", "constant positions"), ("SUBSTRING(t, 10001)", "constant positions"), ("t LIKE t", "a constant pattern"), ("LOWER(x)", "takes text, found real"),
    ("i IN (i)", "takes constants"), ("LEAST(x)", "another number of operands"), ("YEAR(t)", "takes date, found text"), ("CAST(d AS INTEGER)", "has no values"),
    ("COALESCE(t, x)", "mixes real and text"), ("EXTRACT(second FROM d)", "SECOND"), ("CAST(x AS BLOB)", "is not answered"), ("LOG(3, x)", "base 2, 10 or e"),
])  # fmt: skip
def test_operands_that_a_record_does_not_take_are_refused(text: str, problem: str) -> None:
    with pytest.raises(InvalidQuestion, match=re.escape(problem)):
        asked(text)


def asked(text: str) -> Expression:
    fields = {"i": Kind.INTEGER, "x": Kind.REAL, "t": Kind.TEXT, "d": Kind.DATE}
    names = tuple(Name("", name, at, Field(name, kind)) for at, (name, kind) in enumerate(fields.items()))
    return RowReader(Scope(names, text))(sqlglot.parse_one(text, read="duckdb"))  # type: ignore[arg-type]
