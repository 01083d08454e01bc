"""What engines do by themselves where a value has no answer: the table that every guard of ours is written against.

`error` is what must never depend on a cell; Spark, in ANSI mode, has names for it. An engine that has no words for a
case is not named in it. A test runs each line and compares: one that changes with a version of an engine says which
guard must be looked at again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from math import isinf, isnan, nan
from typing import Any

from sfumato.data import Kind
from sfumato.query.expression import Call, Literal
from sfumato.query.functions import FUNCTIONS


@dataclass(frozen=True)
class Case:
    """The bare SQL of a case, the same for every engine but where it is given by name; and our function for it."""

    sql: str
    engines: dict[str, str]
    """What each engine does."""
    ours: Call | None = None
    written: tuple[tuple[str, str], ...] = ()
    """SQL of engines that write it in another way."""

    def bare(self, engine: str) -> str:
        """The SQL without any guard."""
        plain = self.sql.replace("double precision", "DOUBLE") if engine == "spark" else self.sql
        return dict(self.written).get(engine, plain)


def _call(op: str, *values: Any) -> Call:
    kinds = {int: Kind.INTEGER, float: Kind.REAL, str: Kind.TEXT, date: Kind.DATE}
    return FUNCTIONS[op].call([Literal(value, kinds[type(value)]) for value in values])


CASES: dict[str, Case] = {
    "1 / 0": Case(
        "SELECT CAST(1 AS double precision) / CAST(0 AS double precision)",
        {"postgres": "error", "duckdb": "inf", "spark": "error: DIVIDE_BY_ZERO"}, _call("div", 1.0, 0.0),
    ),
    "1e308 * 10": Case(
        "SELECT CAST('1e308' AS double precision) * CAST(10 AS double precision)",
        {"postgres": "error", "duckdb": "inf", "spark": "inf"}, _call("mul", 1e308, 10.0),
    ),
    "1e-308 * 1e-308": Case(
        "SELECT CAST('1e-308' AS double precision) * CAST('1e-308' AS double precision)",
        {"postgres": "error", "duckdb": "0.0", "spark": "0.0"}, _call("mul", 1e-308, 1e-308),
    ),
    "1e308 + 1e308": Case(
        "SELECT CAST('1e308' AS double precision) + CAST('1e308' AS double precision)",
        {"postgres": "error", "duckdb": "inf", "spark": "inf"}, _call("add", 1e308, 1e308),
    ),
    "1e-308 / 1e300": Case(
        "SELECT CAST('1e-308' AS double precision) / CAST('1e300' AS double precision)",
        {"postgres": "error", "duckdb": "0.0", "spark": "0.0"}, _call("div", 1e-308, 1e300),
    ),
    "'x' as a whole number": Case(
        "SELECT CAST('x' AS INT)",
        {"postgres": "error", "duckdb": "error", "spark": "error: CAST_INVALID_INPUT"}, _call("cast_integer", "x"),
    ),
    "1e19 as 64 bits": Case(
        "SELECT CAST(CAST('1e19' AS double precision) AS BIGINT)",
        {"postgres": "error", "duckdb": "error", "spark": "error: CAST_OVERFLOW"}, _call("cast_integer", 1e19),
    ),
    "2.5 as 64 bits": Case(
        "SELECT CAST(CAST(2.5 AS double precision) AS BIGINT)",
        {"postgres": "2", "duckdb": "2", "spark": "2"}, _call("cast_integer", 2.5),
    ),
    "'1e999' as a double": Case(
        "SELECT CAST('1e999' AS double precision)",
        {"postgres": "error", "duckdb": "inf", "spark": "inf"}, _call("cast_real", "1e999"),
    ),
    "ROUND(2.5)": Case(
        "SELECT round(CAST(2.5 AS double precision))",
        {"postgres": "2.0", "duckdb": "3.0", "spark": "3.0"}, _call("round", 2.5),
    ),
    "SQRT(-1)": Case(
        "SELECT sqrt(CAST(-1 AS double precision))",
        {"postgres": "error", "duckdb": "nan", "spark": "nan"}, _call("sqrt", -1.0),
    ),
    "LN(0)": Case(
        "SELECT ln(CAST(0 AS double precision))",
        {"postgres": "error", "duckdb": "-inf", "spark": "null"}, _call("ln", 0.0),
    ),
    "EXP(1000)": Case(
        "SELECT exp(CAST(1000 AS double precision))",
        {"postgres": "error", "duckdb": "inf", "spark": "inf"}, _call("exp", 1000.0),
    ),
    "EXP(-1000)": Case(
        "SELECT exp(CAST(-1000 AS double precision))",
        {"postgres": "error", "duckdb": "0.0", "spark": "0.0"}, _call("exp", -1000.0),
    ),
    "POWER(0, -1)": Case(
        "SELECT power(CAST(0 AS double precision), CAST(-1 AS double precision))",
        {"postgres": "error", "duckdb": "inf", "spark": "inf"}, _call("pow", 0.0, -1.0),
    ),
    "POWER(-1, 0.5)": Case(
        "SELECT power(CAST(-1 AS double precision), CAST(0.5 AS double precision))",
        {"postgres": "error", "duckdb": "nan", "spark": "nan"}, _call("pow", -1.0, 0.5),
    ),
    "5.5 % 2": Case(
        "SELECT CAST(5.5 AS double precision) % CAST(2 AS double precision)",
        {"postgres": "error", "duckdb": "1.5", "spark": "1.5"}, _call("mod", 5.5, 2.0),
    ),
    "NaN = NaN": Case(
        "SELECT CAST('NaN' AS double precision) = CAST('NaN' AS double precision)",
        {"postgres": "true", "duckdb": "true", "spark": "true"}, _call("eq", nan, nan),
    ),
    "NaN > 1": Case(
        "SELECT CAST('NaN' AS double precision) > CAST(1 AS double precision)",
        {"postgres": "true", "duckdb": "true", "spark": "true"}, _call("gt", nan, 1.0),
    ),
    "a day of the year 10000": Case(
        "SELECT extract(year FROM CAST('10000-01-01' AS DATE))",
        {"postgres": "10000", "duckdb": "10000", "spark": "10000"}, _call("cast_date", "10000-01-01"),
    ),
    "a day after the last": Case(
        "SELECT CAST('5881580-07-12' AS DATE)",
        {"postgres": "error", "duckdb": "error", "spark": "error: CAST_INVALID_INPUT"}, _call("cast_date", "5881580-07-12"),
    ),
    "the 30th of February": Case(
        "SELECT CAST('2020-02-30' AS DATE)",
        {"postgres": "error", "duckdb": "error", "spark": "error: CAST_INVALID_INPUT"}, _call("cast_date", "2020-02-30"),
    ),
    "2**63": Case(
        "SELECT 9223372036854775807 + CAST(1 AS BIGINT)",
        {"postgres": "error", "duckdb": "error", "spark": "error: ARITHMETIC_OVERFLOW"}, _call("add", 2**63 - 1, 1),
    ),
    "'a\\%' LIKE 'a\\%'": Case(
        r"SELECT 'a\%' LIKE 'a\%'",
        {"postgres": "false", "duckdb": "true", "spark": "false"}, _call("like", "a\\%", "a\\%"),
    ),
    "1L / 0L": Case(
        "SELECT CAST('1' AS bigint) / CAST('0' AS bigint)", {"postgres": "error", "duckdb": "inf", "spark": "error: DIVIDE_BY_ZERO"},
        written=(("spark", "SELECT 1L / 0L"),),
    ),
    "1L DIV 0L": Case(
        "SELECT 1L DIV 0L", {"spark": "error: DIVIDE_BY_ZERO"},
    ),
    "5D % 0D": Case(
        "SELECT 5D % 0D", {"duckdb": "nan", "spark": "error: REMAINDER_BY_ZERO"},
        written=(("duckdb", "SELECT CAST('5' AS double precision) % CAST('0' AS double precision)"),),
    ),
    "2147483647 + 1": Case(
        "SELECT 2147483647 + 1", {"postgres": "error", "duckdb": "error", "spark": "error: ARITHMETIC_OVERFLOW"},
    ),
    "4611686018427387904L * 2L": Case(
        "SELECT CAST('4611686018427387904' AS bigint) * CAST('2' AS bigint)", {"postgres": "error", "duckdb": "error", "spark": "error: ARITHMETIC_OVERFLOW"},
        written=(("spark", "SELECT 4611686018427387904L * 2L"),),
    ),
    "-(-9223372036854775808L)": Case(
        "SELECT -CAST('-9223372036854775808' AS bigint)", {"postgres": "error", "duckdb": "9223372036854775808", "spark": "error: ARITHMETIC_OVERFLOW"},
        written=(("spark", "SELECT -(-9223372036854775808L)"),),
    ),
    "abs(-9223372036854775808L)": Case(
        "SELECT abs(CAST('-9223372036854775808' AS bigint))", {"postgres": "error", "duckdb": "error", "spark": "error: ARITHMETIC_OVERFLOW"},
        written=(("spark", "SELECT abs(-9223372036854775808L)"),),
    ),
    "floor(1e300D)": Case(
        "SELECT floor(CAST('1e300' AS double precision))", {"postgres": "1e+300", "duckdb": "1e+300", "spark": "error: ARITHMETIC_OVERFLOW"},
        written=(("spark", "SELECT floor(1e300D)"),),
    ),
    "CAST('99999999999999999999999999999999999999' AS DECIMAL(38, 0)) * 10L": Case(
        "SELECT CAST('99999999999999999999999999999999999999' AS DECIMAL(38, 0)) * 10L", {"postgres": "999999999999999999999999999999999999990", "duckdb": "error", "spark": "error: NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION"},
        written=(("postgres", "SELECT CAST('99999999999999999999999999999999999999' AS numeric(38, 0)) * CAST('10' AS bigint)"), ("duckdb", "SELECT CAST('99999999999999999999999999999999999999' AS DECIMAL(38, 0)) * CAST('10' AS bigint)"),),
    ),
    "CAST(CAST('NaN' AS DOUBLE) AS BIGINT)": Case(
        "SELECT CAST(CAST('NaN' AS double precision) AS BIGINT)", {"postgres": "error", "duckdb": "error", "spark": "error: CAST_OVERFLOW"},
        written=(("spark", "SELECT CAST(CAST('NaN' AS DOUBLE) AS BIGINT)"),),
    ),
    "CAST('abc' AS BIGINT)": Case(
        "SELECT CAST('abc' AS BIGINT)", {"postgres": "error", "duckdb": "error", "spark": "error: CAST_INVALID_INPUT"},
    ),
    "CAST('abc' AS DOUBLE)": Case(
        "SELECT CAST('abc' AS double precision)", {"postgres": "error", "duckdb": "error", "spark": "error: CAST_INVALID_INPUT"},
        written=(("spark", "SELECT CAST('abc' AS DOUBLE)"),),
    ),
    "CAST('abc' AS BOOLEAN)": Case(
        "SELECT CAST('abc' AS BOOLEAN)", {"postgres": "error", "duckdb": "error", "spark": "error: CAST_INVALID_INPUT"},
    ),
    "array(1, 2)[5]": Case(
        "SELECT (ARRAY[1, 2])[5]", {"postgres": "null", "duckdb": "null", "spark": "error: INVALID_ARRAY_INDEX"},
        written=(("spark", "SELECT array(1, 2)[5]"),),
    ),
    "'a' LIKE 'a\\\\b'": Case(
        "SELECT 'a' LIKE 'a\\\\b'", {"spark": "error: INVALID_FORMAT.ESC_IN_THE_MIDDLE"},
    ),
    "try_divide(1D, 0D)": Case(
        "SELECT try_divide(1D, 0D)", {"spark": "null"},
    ),
    "1D / nullif(-0D, 0)": Case(
        "SELECT CAST('1' AS double precision) / nullif(-CAST('0' AS double precision), 0)", {"postgres": "null", "duckdb": "null", "spark": "null"},
        written=(("spark", "SELECT 1D / nullif(-0D, 0)"),),
    ),
    "ln(-1D)": Case(
        "SELECT ln(-CAST('1' AS double precision))", {"postgres": "error", "duckdb": "nan", "spark": "null"},
        written=(("spark", "SELECT ln(-1D)"),),
    ),
    "pow(1D, CAST('NaN' AS DOUBLE))": Case(
        "SELECT power(CAST('1' AS double precision), CAST('NaN' AS double precision))", {"postgres": "1.0", "duckdb": "1.0", "spark": "nan"},
        written=(("spark", "SELECT pow(1D, CAST('NaN' AS DOUBLE))"),),
    ),
    "pow(-1D, CAST('Infinity' AS DOUBLE))": Case(
        "SELECT power(-CAST('1' AS double precision), CAST('Infinity' AS double precision))", {"postgres": "1.0", "duckdb": "1.0", "spark": "nan"},
        written=(("spark", "SELECT pow(-1D, CAST('Infinity' AS DOUBLE))"),),
    ),
    "CAST('NaN' AS DOUBLE) > CAST('Infinity' AS DOUBLE)": Case(
        "SELECT CAST('NaN' AS double precision) > CAST('Infinity' AS double precision)", {"postgres": "true", "duckdb": "true", "spark": "true"},
        written=(("spark", "SELECT CAST('NaN' AS DOUBLE) > CAST('Infinity' AS DOUBLE)"),),
    ),
    "isnan(CAST(NULL AS DOUBLE))": Case(
        "SELECT isnan(CAST(NULL AS DOUBLE))", {"duckdb": "null", "spark": "false"},
        written=(("duckdb", "SELECT isnan(CAST(NULL AS double precision))"),),
    ),
    "signum(CAST('NaN' AS DOUBLE))": Case(
        "SELECT sign(CAST('NaN' AS double precision))", {"postgres": "0.0", "duckdb": "0", "spark": "nan"},
        written=(("spark", "SELECT signum(CAST('NaN' AS DOUBLE))"),),
    ),
    "floor(CAST('NaN' AS DOUBLE))": Case(
        "SELECT floor(CAST('NaN' AS double precision))", {"postgres": "nan", "duckdb": "nan", "spark": "0"},
        written=(("spark", "SELECT floor(CAST('NaN' AS DOUBLE))"),),
    ),
    "CAST(-2.5D AS BIGINT)": Case(
        "SELECT CAST(-CAST('2.5' AS double precision) AS BIGINT)", {"postgres": "-2", "duckdb": "-2", "spark": "-2"},
        written=(("spark", "SELECT CAST(-2.5D AS BIGINT)"),),
    ),
    "CAST(9223372036854775808D AS BIGINT)": Case(
        "SELECT CAST(CAST('9223372036854775808' AS double precision) AS BIGINT)", {"postgres": "error", "duckdb": "error", "spark": "9223372036854775807"},
        written=(("spark", "SELECT CAST(9223372036854775808D AS BIGINT)"),),
    ),
    "TRY_CAST(1e19D AS BIGINT)": Case(
        "SELECT TRY_CAST(1e19D AS BIGINT)", {"duckdb": "null", "spark": "null"},
        written=(("duckdb", "SELECT TRY_CAST(CAST('1e19' AS double precision) AS BIGINT)"),),
    ),
    "round(1.005D, 2)": Case(
        "SELECT round(1.005D, 2)", {"duckdb": "1.0", "spark": "1.01"},
        written=(("duckdb", "SELECT round(CAST('1.005' AS double precision), 2)"),),
    ),
    "rint(2.5D)": Case(
        "SELECT rint(2.5D)", {"spark": "2.0"},
    ),
    "CAST(20000000000D AS STRING)": Case(
        "SELECT CAST(CAST('20000000000' AS double precision) AS text)", {"postgres": "20000000000", "duckdb": "20000000000.0", "spark": "2.0E10"},
        written=(("spark", "SELECT CAST(20000000000D AS STRING)"),),
    ),
    "CAST(4.9E-324D AS STRING)": Case(
        "SELECT CAST(CAST('4.9E-324' AS double precision) AS text)", {"postgres": "5e-324", "duckdb": "5e-324", "spark": "4.9E-324"},
        written=(("spark", "SELECT CAST(4.9E-324D AS STRING)"),),
    ),
    "TRY_CAST(' 5d ' AS DOUBLE)": Case(
        "SELECT TRY_CAST(' 5d ' AS DOUBLE)", {"duckdb": "null", "spark": "5.0"},
        written=(("duckdb", "SELECT TRY_CAST(' 5d ' AS double precision)"),),
    ),
    "TRY_CAST('TRUE ' AS BOOLEAN)": Case(
        "SELECT TRY_CAST('TRUE ' AS BOOLEAN)", {"duckdb": "null", "spark": "true"},
    ),
    "CAST(CAST(TRY_CAST('2020-01-01T00:00:00+02:00' AS TIMESTAMP_NTZ) AS STRING) AS STRING)": Case(
        "SELECT CAST(CAST(TRY_CAST('2020-01-01T00:00:00+02:00' AS TIMESTAMP_NTZ) AS STRING) AS STRING)", {"duckdb": "2020-01-01 00:00:00", "spark": "2020-01-01 00:00:00"},
        written=(("duckdb", "SELECT CAST(CAST(TRY_CAST('2020-01-01T00:00:00+02:00' AS timestamp) AS text) AS text)"),),
    ),
    "date_part('year', date_from_unix_date(2147483647))": Case(
        "SELECT date_part('year', (DATE '1970-01-01' + 2147483647))", {"postgres": "error", "duckdb": "error", "spark": "5881580"},
        written=(("spark", "SELECT date_part('year', date_from_unix_date(2147483647))"),),
    ),
    "date_from_unix_date(2147483647) > DATE '9999-12-31'": Case(
        "SELECT (DATE '1970-01-01' + 2147483647) > DATE '9999-12-31'", {"postgres": "error", "duckdb": "error", "spark": "true"},
        written=(("spark", "SELECT date_from_unix_date(2147483647) > DATE '9999-12-31'"),),
    ),
    "date_part('dow', DATE '2024-01-07')": Case(
        "SELECT date_part('dow', DATE '2024-01-07')", {"postgres": "0.0", "duckdb": "0", "spark": "1"},
    ),
    "CAST('99999999999999999999999999999999999999' AS DECIMAL(38, 0)) DIV 3L": Case(
        "SELECT CAST('99999999999999999999999999999999999999' AS DECIMAL(38, 0)) DIV 3L", {"spark": "-5919781507436292779"},
    ),
    "typeof(CAST(1 AS DECIMAL(38, 0)) / CAST(1 AS DECIMAL(38, 0)))": Case(
        "SELECT typeof(CAST(1 AS DECIMAL(38, 0)) / CAST(1 AS DECIMAL(38, 0)))", {"postgres": "numeric", "duckdb": "DOUBLE", "spark": "decimal(38,6)"},
        written=(("postgres", "SELECT pg_typeof(CAST(1 AS numeric(38, 0)) / CAST(1 AS numeric(38, 0)))"),),
    ),
    "typeof(CAST(1 AS DECIMAL(38, 0)) * CAST(1 AS DECIMAL(38, 0)))": Case(
        "SELECT typeof(CAST(1 AS DECIMAL(38, 0)) * CAST(1 AS DECIMAL(38, 0)))", {"postgres": "numeric", "duckdb": "DECIMAL(38,0)", "spark": "decimal(38,0)"},
        written=(("postgres", "SELECT pg_typeof(CAST(1 AS numeric(38, 0)) * CAST(1 AS numeric(38, 0)))"),),
    ),
    "CAST(4611686018427387904L AS DECIMAL(38, 0)) * 4611686018427387904L": Case(
        "SELECT CAST(4611686018427387904L AS DECIMAL(38, 0)) * 4611686018427387904L", {"postgres": "21267647932558653966460912964485513216", "duckdb": "21267647932558653966460912964485513216", "spark": "21267647932558653966460912964485513216"},
        written=(("postgres", "SELECT CAST(CAST('4611686018427387904' AS bigint) AS numeric(38, 0)) * CAST('4611686018427387904' AS bigint)"), ("duckdb", "SELECT CAST(CAST('4611686018427387904' AS bigint) AS DECIMAL(38, 0)) * CAST('4611686018427387904' AS bigint)"),),
    ),
    "typeof(1L / 1L)": Case(
        "SELECT typeof(1L / 1L)", {"postgres": "bigint", "duckdb": "DOUBLE", "spark": "double"},
        written=(("postgres", "SELECT pg_typeof(CAST('1' AS bigint) / CAST('1' AS bigint))"), ("duckdb", "SELECT typeof(CAST('1' AS bigint) / CAST('1' AS bigint))"),),
    ),
    "substring('abc', 0, 2)": Case(
        "SELECT substring('abc', 0, 2)", {"postgres": "a", "duckdb": "a", "spark": "ab"},
    ),
    "locate('a', 'ba', CAST(NULL AS INT))": Case(
        "SELECT locate('a', 'ba', CAST(NULL AS INT))", {"spark": "0"},
    ),
    "upper('ß')": Case(
        "SELECT upper('ß')", {"postgres": "ß", "duckdb": "ẞ", "spark": "SS"},
    ),
    "lower('ΌΣΟΣ')": Case(
        "SELECT lower('ΌΣΟΣ')", {"postgres": "όσοσ", "duckdb": "όσοσ", "spark": "όσος"},
    ),
    "length('\\uD83D')": Case(
        "SELECT length('\\uD83D')", {"spark": "1"},
    ),
    "'a\\u000A' RLIKE 'a$'": Case(
        "SELECT 'a\\u000A' RLIKE 'a$'", {"spark": "true"},
    ),
    "try_validate_utf8(CAST(X'FF' AS STRING))": Case(
        "SELECT try_validate_utf8(CAST(X'FF' AS STRING))", {"spark": "null"},
    ),
    "DATE '2020-01-31' + INTERVAL '1' MONTH": Case(
        "SELECT DATE '2020-01-31' + INTERVAL '1' MONTH", {"postgres": "2020-02-29 00:00:00", "duckdb": "2020-02-29 00:00:00", "spark": "2020-02-29"},
    ),
}  # fmt: skip
"""By what is asked."""


def outcome(run: Callable[[], Any]) -> str:
    """How it ends, in a word, or the value."""
    try:
        value = run()
    except Exception as error:
        named = getattr(error, "getCondition", None)
        return "error" if named is None else f"error: {named()}"
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    if isinstance(value, float):
        return "nan" if isnan(value) else ("inf" if value > 0 else "-inf") if isinf(value) else repr(value)
    return str(value)
