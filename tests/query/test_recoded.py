"""Keys coded anew: every row has exactly one code of the list, whatever its cells, and DuckDB and Python agree."""

import math
from fractions import Fraction
from typing import Any

import duckdb
import pytest

from sfumato.data import Kind
from sfumato.engines.duckdb.dialect import DUCKDB
from sfumato.engines.sql.expressions import Expressions
from sfumato.errors import InvalidQuestion
from sfumato.query.bars import Bar
from sfumato.query.evaluate import evaluate
from sfumato.query.expression import Expression, Field, Ref
from sfumato.query.plan import Scan
from sfumato.query.range import Range
from sfumato.query.recoded import CodedKey, among, in_bins, in_grid
from sfumato.query.work import MOST, of_question, refuse_too_much

REAL = Ref(0, Field("x", Kind.REAL, Range(Fraction(-5), Fraction(20))))
WHOLE = Ref(0, Field("x", Kind.INTEGER, Range(Fraction(-5), Fraction(20), Fraction(1))))
TEXT = Ref(0, Field("x", Kind.TEXT))
SCAN = Scan("t", (TEXT.field,), private=True, single=False)
NUMBERS: tuple[float | None, ...] = (
    None, math.nan, math.inf, -math.inf, -5.0, -4.999999, -0.0, 0.0, 0.5, 19.99999999, 20.0, 1e308, -1e308, 5e-324,
)  # fmt: skip
INTEGERS: tuple[int | None, ...] = (None, -(2**63), -6, -5, -4, 0, 7, 20, 21, 2**63 - 1)
TEXTS: tuple[str | None, ...] = (None, "", "a", "A", "it's", 'say "b"', "other", "a\nb", "é", "e\u0301", "x" * 500)


def computed(expression: Expression, kind: str, values: tuple[Any, ...]) -> list[Any]:
    """What DuckDB makes of an expression over one column."""
    with duckdb.connect() as run:
        run.execute(f"CREATE TABLE t (i INTEGER, c0 {kind})")
        run.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(values)))
        found = run.execute(f"SELECT {Expressions(DUCKDB).sql(expression)} FROM t ORDER BY i").fetchall()
    return [row[0] for row in found]


def in_python(expression: Expression, value: Any) -> Any:
    return evaluate(expression, [Bar(value)]).value


def checked(coded: CodedKey, kind: str, values: tuple[Any, ...]) -> list[Any]:
    found = computed(coded.expression, kind, values)
    assert all(code in coded.domain for code in found), "a row without a code would be nobody's"
    return [None if code is None else (int(code) if isinstance(code, float) else code) for code in found]


def test_a_grid_has_a_cell_for_every_number_and_a_place_for_none() -> None:
    coded = in_grid(REAL, Fraction(-5), Fraction(5, 2), 11, missing=True)
    found = checked(coded, "DOUBLE", NUMBERS)
    assert found == [11, 11, 10, 0, 0, 0, 2, 2, 2, 9, 10, 10, 0, 2]
    whole = checked(in_grid(WHOLE, Fraction(-5), Fraction(1), 26, missing=True), "BIGINT", INTEGERS)
    assert whole == [26, 0, 0, 0, 1, 5, 12, 25, 25, 25]


def test_bins_end_where_they_say_and_take_what_is_beyond_the_bounds() -> None:
    coded = in_bins(REAL, [Fraction(0), Fraction(1, 2), Fraction(19)], missing=True)
    assert checked(coded, "DOUBLE", NUMBERS) == [4, 4, 3, 0, 0, 0, 1, 1, 2, 3, 3, 3, 0, 1]
    whole = in_bins(WHOLE, [Fraction(-4), Fraction(20)], missing=True)
    assert checked(whole, "BIGINT", INTEGERS) == [3, 0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_texts_are_those_listed_or_other_or_none() -> None:
    listed = ("", "a", "it's", 'say "b"', "a\nb")
    coded = among(TEXT, listed, "(other)", missing=True)
    found = checked(coded, "VARCHAR", TEXTS)
    assert found == [None, "", "a", "(other)", "it's", 'say "b"', "(other)", "a\nb", *["(other)"] * 3]
    assert found == [in_python(coded.expression, value) for value in TEXTS]
    nothing = among(TEXT, (), "other", missing=True)
    assert checked(nothing, "VARCHAR", TEXTS) == [None, *["other"] * (len(TEXTS) - 1)]


@pytest.mark.parametrize(
    ("coded", "kind", "values"),
    [
        (in_grid(REAL, Fraction(-5), Fraction(5, 2), 11, missing=True), "DOUBLE", NUMBERS),
        (in_bins(REAL, [Fraction(0), Fraction(3)], missing=True), "DOUBLE", NUMBERS),
        (in_bins(WHOLE, [Fraction(0), Fraction(3)], missing=True), "BIGINT", INTEGERS),
    ],
)
def test_python_and_the_engine_agree(coded: CodedKey, kind: str, values: tuple[Any, ...]) -> None:
    finite = tuple(v for v in values if v is None or math.isfinite(v))
    assert checked(coded, kind, finite) == [in_python(coded.expression, value) for value in finite]


def test_what_cannot_be_missing_has_no_place_for_it() -> None:
    assert in_bins(REAL, [Fraction(0)], missing=False).domain == (0, 1)
    assert among(TEXT, ("a",), "other", missing=False).domain == ("a", "other")


def test_many_long_texts_are_within_what_a_row_may_cost() -> None:
    coded = among(TEXT, tuple(f"{i:0200d}" for i in range(500)), "other", missing=True)
    found = of_question(SCAN, [coded.expression], [])
    assert found.bytes <= MOST.bytes
    assert found.leaves <= MOST.leaves


def test_a_key_that_costs_too_much_is_refused() -> None:
    coded = [among(TEXT, tuple(f"{i:0200d}" for i in range(500)), "other", missing=True).expression] * 300
    with pytest.raises(InvalidQuestion):
        refuse_too_much(SCAN, coded, [])
