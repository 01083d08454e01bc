"""Interval arithmetic is sound: what an engine computes from clipped columns lies in the range that is derived."""

from fractions import Fraction
from math import isfinite, isnan

import duckdb
import pytest
import sqlglot
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from sfumato.data import Kind
from sfumato.data.column import default_step
from sfumato.engines.duckdb.dialect import DUCKDB
from sfumato.engines.sql.expressions import Expressions
from sfumato.errors import InvalidQuestion
from sfumato.query.expression import Expression, Field, inside
from sfumato.query.range import Range
from sfumato.query.rows import RowReader
from sfumato.query.scope import Name, Scope

FIELDS = (
    Field("a", Kind.INTEGER, Range(Fraction(-5), Fraction(7), Fraction(1))),
    Field("b", Kind.REAL, Range(Fraction(0), Fraction(200), Fraction(1, 100))),
    Field("c", Kind.REAL, Range(Fraction(1, 1000), Fraction(50))),
    Field("d", Kind.INTEGER, Range(Fraction(2), Fraction(9), Fraction(1))),
)
CELLS = (
    (-5, 0.0, 0.001, 2), (7, 200.0, 50.0, 9), (0, 0.01, 1.0, 5), (-1, 199.99, 0.5, 3), (2**62, 1e300, -1e300, -(2**62)), (None, None, None, None),
    (1, float("nan"), float("inf"), 4), (6, float("-inf"), 7.25, 8), (-(2**63), -0.0, 33.3, 7),
)  # fmt: skip
LEAVES = ("a", "b", "c", "d", "0", "1", "-3", "2.5", "10")


def made_of(text: str) -> Expression:
    """The expression of a text, with every bounded column held within its bounds, as it is summed."""
    names = tuple(Name("", field.name, i, field) for i, field in enumerate(FIELDS))
    return inside(RowReader(Scope(names, text))(sqlglot.parse_one(text, read="duckdb")))  # type: ignore[arg-type]


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    two = st.tuples(inner, inner)
    return st.one_of(
        st.tuples(inner, st.sampled_from("+-*/%"), inner).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
        st.tuples(inner, inner).map(lambda p: f"({p[0]} // {p[1]})"),
        st.tuples(
            st.sampled_from(("ABS", "SIGN", "FLOOR", "CEIL", "SQRT", "LN", "EXP", "ROUND", "LOG2", "LOG10", "-")), inner
        ).map(lambda p: f"{p[0]}({p[1]})"),
        two.map(lambda p: f"LEAST({p[0]}, {p[1]})"),
        two.map(lambda p: f"GREATEST({p[0]}, {p[1]})"),
        two.map(lambda p: f"COALESCE({p[0]}, {p[1]})"),
        two.map(lambda p: f"NULLIF({p[0]}, {p[1]})"),
        two.map(lambda p: f"CASE WHEN a > 0 THEN {p[0]} ELSE {p[1]} END"),
        st.tuples(inner, st.integers(1, 5)).map(lambda p: f"POW({p[0]}, {p[1]})"),
        st.tuples(inner, st.integers(0, 3)).map(lambda p: f"ROUND({p[0]}, {p[1]})"),
        inner.map(lambda p: f"CAST({p} AS INTEGER)"),
    )


@pytest.fixture(scope="module")
def rows() -> duckdb.DuckDBPyConnection:
    made = duckdb.connect()
    made.execute("SET ieee_floating_point_ops=true")
    made.execute("CREATE TABLE t (c0 BIGINT, c1 DOUBLE, c2 DOUBLE, c3 BIGINT)")
    made.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", [list(row) for row in CELLS])
    return made


def outside(found: Range, value: float | None) -> bool:
    """Whether a value is off its range by more than floats may be."""
    if value is None or isnan(value):
        return False
    slack = 1e-6 * (1 + abs(value)) if isfinite(value) else 0.0
    low, high = found.lower, found.upper
    return (low is not None and value < float(low) - slack) or (high is not None and value > float(high) + slack)


@settings(max_examples=600, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.recursive(st.sampled_from(LEAVES), _grown, max_leaves=6))
def test_what_is_computed_lies_in_its_range(rows: duckdb.DuckDBPyConnection, text: str) -> None:
    try:
        made = made_of(text)
    except InvalidQuestion:
        assume(False)
        return  # type: ignore[unreachable]
    found = [
        row[0] for row in rows.execute(f"SELECT CAST({Expressions(DUCKDB).number(made)} AS DOUBLE) FROM t").fetchall()
    ]
    assert [value for value in found if outside(made.range, value)] == []


@pytest.mark.parametrize("text", ["a * d", "a - d", "-a", "ABS(a)", "POW(a, 2)", "a % d", "LEAST(a, d)"])
def test_the_property_sees_a_range_that_is_too_narrow(rows: duckdb.DuckDBPyConnection, text: str) -> None:
    made = made_of(text)
    assert made.range.lower is not None
    assert made.range.upper is not None
    narrow = Range(made.range.lower + 3, made.range.upper - 3)
    found = [
        row[0] for row in rows.execute(f"SELECT CAST({Expressions(DUCKDB).number(made)} AS DOUBLE) FROM t").fetchall()
    ]
    assert [value for value in found if outside(narrow, value)]


@pytest.mark.parametrize(("text", "low", "high"), [
    ("b * 2 + a", -5, 407), ("a * a", -35, 49), ("POW(a, 2)", 0, 49), ("ABS(a)", 0, 7), ("b / d", 0, 100), ("a % 3", -2, 2),
    ("d % 3", 0, 2), ("LEAST(b, 10)", 0, 10), ("GREATEST(b, 10)", 10, 200), ("ROUND(c)", 0, 50), ("CASE WHEN a > 0 THEN b END", 0, 200),
    ("COALESCE(b, -1)", -1, 200), ("FLOOR(b / 7)", 0, 29), ("SIGN(b)", -1, 1),
])  # fmt: skip
def test_ranges_are_as_tight_as_they_are_written(text: str, low: int, high: int) -> None:
    found = made_of(text).range
    assert (found.lower, found.upper) == (low, high)  # type: ignore[comparison-overlap]


@pytest.mark.parametrize(
    "text", ["b / a", "LN(b)", "EXP(b * b)", "POW(a, d)", "c / (a - a)", "SQRT(b) / b", "a % a / 0"]
)
def test_what_has_no_bounds_has_none(text: str) -> None:
    assert not made_of(text).range.is_bounded


def test_numbers_that_grow_without_end_are_not_carried_along() -> None:
    large = Range(Fraction(-(2**900)), Fraction(2**900), Fraction(1))
    assert large.is_bounded
    squared = large.times(large)
    assert squared == Range(None, None, Fraction(1))
    fine = Range(Fraction(0), Fraction(1, 3**4000), Fraction(1, 3**4000))
    assert fine == Range(Fraction(0), None, None)


def test_grids_are_shared_and_steps_follow() -> None:
    cents, whole = Range(Fraction(0), Fraction(2), Fraction(1, 100)), Range(Fraction(0), Fraction(3), Fraction(1))
    assert cents.plus(whole).grid == Fraction(1, 100)
    assert cents.join(whole).grid == Fraction(1, 100)
    assert cents.plus(Range(Fraction(0), Fraction(1))).grid is None
    assert cents.step == Fraction(1, 100)
    assert Range(Fraction(0), Fraction(200_000)).step == default_step(Fraction(0), Fraction(200_000)) == Fraction(1, 10)
    assert Range(Fraction(0), Fraction(10**9), Fraction(1, 10**9)).step == 1000
    assert Range().step == 1
