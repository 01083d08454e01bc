"""No data-dependent error: whatever the cells, a question ends in the same way and in the same words."""

from dataclasses import replace
from datetime import date, datetime
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import totality
from neighbours import LARGEST, Database, databases, declaration, engine, opened, over_the_registry, priced  # noqa: F401
from property_profile import examples
from sfumato.data import declared
from sfumato.engines import DuckDBEngine
from sfumato.engines.duckdb.dialect import DUCKDB
from sfumato.engines.sql.expressions import Expressions
from sfumato.errors import EngineFailed, InvalidParameter, InvalidQuestion, SfumatoError
from sfumato.query import PricedQuery
from sfumato.query.expression import written_size
from sfumato.query.functions import FUNCTIONS

NUMBERS = (
    "day",
    "amount",
    "user_id",
    "visit_id",
    "category",
    "0",
    "1",
    "2.5",
    "1e308",
    "9223372036854775807",
    "LENGTH(note)",
)
TEXTS = ("note", "city", "'abc'", "''", "CAST(amount AS TEXT)", "CAST(on_day AS TEXT)")
TIMES = ("on_day", "seen", "DATE '2026-01-31'", "CAST(note AS DATE)", "CAST(seen AS DATE)", "CAST(on_day AS TIMESTAMP)")
BOOLEANS = ("paid", "TRUE", "note IS NULL", "CAST(note AS BOOLEAN)")
HOSTILE = Database(
    users=((LARGEST, 2**31 - 1, "", float("nan")), (-(2**63), -(2**31), None, float("inf")), (None, None, "abc", None)),
    visits=tuple(
        (who, which, day, text, day, amount, text, on, at, paid)
        for who, which, day, text, amount, on, at, paid in (
            (LARGEST, LARGEST, 2**31 - 1, "abc", float("nan"), date(9999, 12, 31), datetime(9999, 12, 31, 23, 59), True),
            (-(2**63), -(2**63), -(2**31), "", float("inf"), date(1, 1, 1), datetime(1, 1, 1), False),
            (LARGEST, 0, 0, None, float("-inf"), None, None, None),
            (1, 1, 1, "9" * 400, -0.0, date(1970, 1, 1), datetime(1970, 1, 1), True),
            (1, None, None, "1e999", 5e-324, date(2000, 2, 29), datetime(2262, 4, 12), None),
            (2, 2, 2, "é\u200d𝔘\n\t%_", 1.7976931348623157e308, None, None, False),
            (None, 3, 3, "x" * 300_000, None, date(2026, 1, 1), None, None),
        )
    ),
    items=((LARGEST, float("nan"), "k"), (None, None, None)),
)  # fmt: skip
TAME = Database(
    ((1, 20, "a", 5.0),), ((1, 1, 1, "a", 1, 1.0, "n", date(2026, 1, 1), datetime(2026, 1, 1), True),), ((1, 1.0, "k"),)
)
EMPTY = Database((), (), ())


def _numbers(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """A number of a number: every operation there is."""
    two = st.tuples(inner, inner)
    return st.one_of(
        two.flatmap(lambda ab: st.sampled_from(("+", "-", "*", "/", "//", "%")).map(lambda op: f"({ab[0]} {op} {ab[1]})")),
        two.map(lambda ab: f"POW({ab[0]}, {ab[1]})"),
        two.map(lambda ab: f"LEAST({ab[0]}, {ab[1]})"),
        two.map(lambda ab: f"COALESCE({ab[0]}, {ab[1]})"),
        two.map(lambda ab: f"NULLIF({ab[0]}, {ab[1]})"),
        st.tuples(st.sampled_from(("ABS", "SIGN", "FLOOR", "CEIL", "SQRT", "LN", "EXP", "ROUND", "LOG2", "LOG10", "-")), inner)
        .map(lambda fa: f"{fa[0]}({fa[1]})"),
        inner.map(lambda a: f"ROUND({a}, 300)"),
        inner.map(lambda a: f"CAST({a} AS INTEGER)"),
        st.sampled_from(TEXTS).map(lambda t: f"CAST({t} AS DOUBLE)"),
        st.tuples(st.sampled_from(("year", "quarter", "month", "week", "day", "hour", "minute", "dow", "doy")), st.sampled_from(TIMES))
        .map(lambda pt: f"EXTRACT({pt[0]} FROM {pt[1]})"),
        st.tuples(st.sampled_from(BOOLEANS), two).map(lambda c: f"(CASE WHEN {c[0]} THEN {c[1][0]} ELSE {c[1][1]} END)"),
    )  # fmt: skip


numbers = st.recursive(st.sampled_from(NUMBERS), _numbers, max_leaves=6)
texts = st.one_of(
    st.sampled_from(TEXTS),
    st.tuples(st.sampled_from(("UPPER", "LOWER", "TRIM")), st.sampled_from(TEXTS)).map(lambda p: f"{p[0]}({p[1]})"),
    st.tuples(st.sampled_from(TEXTS), st.integers(0, 9999)).map(lambda p: f"SUBSTRING({p[0]}, {p[1]}, {p[1]})"),
    st.tuples(st.sampled_from(TEXTS), st.sampled_from(TEXTS)).map(" || ".join),
)
times = st.one_of(
    st.sampled_from(TIMES),
    st.tuples(
        st.sampled_from(("year", "quarter", "month", "week", "day", "hour", "minute")), st.sampled_from(TIMES)
    ).map(lambda p: f"DATE_TRUNC('{p[0]}', {p[1]})"),
)
predicates = st.one_of(
    st.tuples(numbers, st.sampled_from(("<", "=", ">=", "<>", "IS NOT DISTINCT FROM")), numbers).map(" ".join),
    numbers.map(lambda n: f"{n} IN (1, 2.5, 9223372036854775807)"),
    numbers.map(lambda n: f"{n} BETWEEN -1 AND 1e300"),
    texts.map(lambda t: f"{t} LIKE '%a_%'"),
    texts.map(lambda t: f"{t} ILIKE 'X%' OR {t} = 'abc'"),
    st.tuples(times, times).map(lambda p: f"{p[0]} < {p[1]}"),
    times.map(lambda t: f"{t} >= '2026-01-31'"),
    st.sampled_from(BOOLEANS),
)
asked = st.one_of(
    predicates.map(lambda p: f"SELECT COUNT(*) FROM visits WHERE {p}"),
    numbers.map(lambda n: f"SELECT SUM(LEAST(GREATEST({n}, -100), 100)), AVG(LEAST(GREATEST({n}, 0), 1)) FROM visits"),
    numbers.map(lambda n: f"SELECT MEDIAN(LEAST(GREATEST({n}, -1), 1)), COUNT(DISTINCT {n}) FROM visits"),
    numbers.map(lambda n: f"SELECT {n} AS k, COUNT(*), COUNT({n}) FROM visits GROUP BY {n}"),
    texts.map(lambda t: f"SELECT {t} AS k, COUNT(*), COUNT(DISTINCT {t}) FROM visits GROUP BY {t}"),
    times.map(lambda t: f"SELECT {t} AS k, COUNT(*), COUNT({t}) FROM visits GROUP BY {t}"),
    st.tuples(numbers, predicates).map(lambda p: f"SELECT AVG(LEAST(GREATEST(m, 0), 9)), COUNT(*) FROM (SELECT user_id, MAX({p[0]}) AS m,"
                                                 f" COUNT(*) FILTER (WHERE {p[1]}) AS n FROM visits GROUP BY user_id) t WHERE n < 3"),
)  # fmt: skip


def outcome(made: DuckDBEngine, text: str) -> tuple[str, str]:
    """How a question ends over some data: the kind of the end, and its words."""
    try:
        query = priced(made, text)
    except InvalidQuestion as error:
        return "refused", str(error)
    return ended(made, query)


def ended(made: DuckDBEngine, query: PricedQuery) -> tuple[str, str]:
    try:
        made.aggregate(query)
    except EngineFailed as error:
        return "failed", str(error)
    return "answered", ""


@pytest.fixture(scope="module")
def engines() -> Any:
    with engine(HOSTILE) as hostile, engine(TAME) as tame, engine(EMPTY) as empty:
        yield hostile, tame, empty


@examples(80, suppress_health_check=list(HealthCheck))
@given(asked)
def test_a_question_ends_in_the_same_way_whatever_the_cells(engines: tuple[DuckDBEngine, ...], text: str) -> None:
    ends = {outcome(each, text) for each in engines}
    assert len(ends) == 1
    assert ends.pop()[0] != "failed"


@examples(12, suppress_health_check=list(HealthCheck))
@given(databases(), st.lists(asked, min_size=2, max_size=3))
def test_random_cells_change_nothing_in_how_questions_end(database: Database, questions: list[str]) -> None:
    with engine(database) as made, engine(EMPTY) as empty:
        for text in questions:
            assert outcome(made, text) == outcome(empty, text)


def test_the_fuzz_sees_an_operation_that_fails_on_some_cells(
    engines: tuple[DuckDBEngine, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cast that is not tried, as a careless engine writes it: the same comparison of ends tells."""
    monkeypatch.setattr(Expressions, "_is_tried", lambda self, expression: False)
    careless = replace(
        FUNCTIONS["cast_integer"], writes=lambda write, call: f"CAST({write.operands(call)[0]} AS BIGINT)"
    )
    monkeypatch.setitem(FUNCTIONS, "cast_integer", careless)
    ends = {outcome(each, "SELECT COUNT(*) FROM visits WHERE CAST(note AS INTEGER) > 1") for each in engines}
    assert len(ends) == 2


def test_days_and_moments_beyond_every_calendar_are_no_error() -> None:
    """Parquet and DuckDB hold days without end and of years that no calendar writes."""
    far = duckdb.sql("""SELECT * FROM (VALUES (DATE 'infinity', TIMESTAMP 'infinity'), (DATE '-infinity',
        TIMESTAMP '-infinity'), (DATE '5874897-12-31', TIMESTAMP '290000-01-01'), (DATE '4713-01-01 (BC)', TIMESTAMP '290000-01-01 (BC)'),
        (NULL, NULL), (DATE '2026-01-31', TIMESTAMP '2026-01-31')) v(d, m), range(300)""")
    assert far is not None
    about = {
        "name": "far", "budget": {"epsilon": "1000", "delta": "0.5"}, "unit": {"rows": True},
        "tables": {"t": {"source": far.to_arrow_table()}},
    }  # fmt: skip
    with totality.as_they_are():
        made = opened(declared(about))
    try:
        for what in ("d", "m", "DATE_TRUNC('month', d)", "DATE_TRUNC('year', m)", "CAST(d AS TIMESTAMP)", "CAST(m AS DATE)",
                     "EXTRACT(week FROM d)", "d = m", "CAST(d AS TEXT)"):  # fmt: skip
            assert outcome(made, f"SELECT {what} AS k, COUNT(*) FROM t GROUP BY {what}") == ("answered", ""), what
    finally:
        made.close()


def test_public_values_are_told_of_public_tables_alone(engines: tuple[DuckDBEngine, ...]) -> None:
    made = engines[0]
    assert made.values("cities", "region") == ("north", "south", "west", None)
    assert made.repeats("cities", ("city",)) == 2
    for call in (
        lambda: made.values("visits", "note"),
        lambda: made.repeats("users", ("city",)),
        lambda: made.values("no", "x"),
    ):
        with pytest.raises(InvalidParameter, match="public"):
            call()


def test_what_an_engine_shows_of_itself_is_not_data(engines: tuple[DuckDBEngine, ...]) -> None:
    assert "abc" not in repr(engines[0])
    assert engines[0].schema("visits") == engines[2].schema("visits")


def test_a_bounded_declaration_larger_than_lists_can_be_still_answers() -> None:
    many = {"rows_per_group": 10**9, "groups_per_person": 10**9}
    about = declaration(TAME, visits=many)
    made = opened(declared(about))
    try:
        for text in (
            "SELECT MEDIAN(amount) FROM visits",
            "SELECT note, COUNT(DISTINCT day), SUM(amount) FROM visits GROUP BY note",
        ):
            assert outcome(made, text) == ("answered", "")
    finally:
        made.close()


def test_names_that_the_engine_needs_are_not_taken_from_a_source() -> None:
    for name in ("sfumato_person", "SFUMATO_ROW"):
        about: dict[str, Any] = {
            "budget": {"epsilon": "1"}, "unit": {"rows": True}, "tables": {"t": {"source": duckdb.sql(f"SELECT 1 AS {name}").to_arrow_table()}}  # type: ignore[union-attr]
        }  # fmt: skip
        with pytest.raises(SfumatoError, match="taken"):
            DuckDBEngine(declared(about))


def test_a_short_expression_is_written_short(engines: tuple[DuckDBEngine, ...]) -> None:
    for of in ("SQRT(SQRT(SQRT(amount)))", "LEAST(GREATEST(LN(amount + 1), 0), NULLIF(day, 3))"):
        made = priced(engines[0], f"SELECT SUM({of}) FROM visits").question.aggregates[0].inputs[0]
        assert Expressions(DUCKDB).sql(made).count("c5") <= written_size(made) < 200
