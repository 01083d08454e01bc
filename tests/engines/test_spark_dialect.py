"""Spark's dialect on a real cluster: every function gives what its record gives, on every hostile cell, and never fails.

Jobs are few and large. What bare Spark does where there is no value stands in `what_engines_do.py`.
"""

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import function_cases as cases
from contribution_order import order_of
from sfumato.data import Kind
from sfumato.engines.spark.connection import ClusterSession, fetch, quiet
from sfumato.engines.spark.dialect import SPARK_DIALECT, Spark
from sfumato.engines.spark.functions import SPARK, quoted_text
from sfumato.engines.sql.expressions import Expressions
from sfumato.engines.sql.hashing import Hashed, in_order
from sfumato.errors import EngineFailed
from sfumato.query import evaluate as evaluating
from sfumato.query.bars import Bar
from sfumato.query.expression import Expression, Field, Ref
from sfumato.query.functions import FUNCTIONS
from sfumato.query.functions.casing import lower, upper
from sfumato.query.functions.texts import like
from spark_cluster import connected

pytestmark = pytest.mark.slow
AT_ONCE, PATIENCE = 60, 300.0


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClusterSession]:
    made: ClusterSession = connected()
    folder = tmp_path_factory.mktemp("spark")
    read(made, "t", cases.table(), folder)
    read(made, "written", pa.table({"c0": cases.nearly_values()}), folder)
    yield made
    made.close()


def read(session: ClusterSession, name: str, rows: pa.Table, folder: Path) -> None:
    """Rows as a table of the cluster."""
    pq.write_table(rows, folder / f"{name}.parquet")
    session.spark.read.parquet(str(folder / f"{name}.parquet")).createOrReplaceTempView(name)


def lines(
    session: ClusterSession, columns: Sequence[str], source: str = "t", order: str = "line"
) -> list[tuple[Any, ...]]:
    """What expressions give for every row."""
    listed = ", ".join(f"{each} AS v{at}" for at, each in enumerate(columns))
    found = fetch(session, f"SELECT {order} AS o, {listed} FROM {source}", PATIENCE)
    order_of_lines = sorted(range(len(found["o"])), key=found["o"].__getitem__)
    made = list(zip(*(found[f"v{at}"] for at in range(len(columns))), strict=True))
    return [made[at] for at in order_of_lines]


def error_of(session: ClusterSession, text: str) -> str:
    """The name of the error that a statement ends with; '' if it does not."""
    with quiet():
        try:
            session.spark.sql(text).toArrow()
        except Exception as error:
            with suppress(Exception):
                return str(error.getCondition())  # type: ignore[attr-defined]
            return type(error).__name__
    return ""


def differences(session: ClusterSession, expressions: list[Expression], dialect: Spark = SPARK_DIALECT) -> list[Any]:
    write, found = Expressions(dialect), []
    for at in range(0, len(expressions), AT_ONCE):
        some = expressions[at : at + AT_ONCE]
        made = lines(session, [write.sql(each) for each in some])
        found += [each for each in cases.differences(some, made) if not _is_tolerated(*each)]
    return found


def _is_tolerated(canonical: Any, values: list[Any], found: Any, wanted: Any) -> bool:
    """Digits of doubles, of which Java before version 19 writes others than the fewest that tell them apart."""
    texts = isinstance(found, str) and isinstance(wanted, str)
    return canonical[0] == "cast_text" and texts and isinstance(values[0], float) and float(found) == values[0]


# ---- functions ------------------------------------------------------------------------------------------------------


def test_every_function_gives_what_its_record_gives(session: ClusterSession) -> None:
    sampled = [(op, list(cases.calls(FUNCTIONS[op]))) for op in FUNCTIONS]
    made = [call for _, calls in sampled for call in cases.DRAW.sample(calls, min(8, len(calls)))]
    assert {call.op for call in made} == set(FUNCTIONS)
    assert differences(session, list(made))[:5] == []


def test_functions_of_functions_give_what_their_records_give(session: ClusterSession) -> None:
    made = [cases.nested(kind, 2) for kind in cases.KINDS for _ in range(9)]
    inexact = {"cast_text", *cases.INEXACT}
    exact = [each for each in made if not inexact & set(cases.operations(each))]
    assert len(exact) > 20
    assert differences(session, exact)[:5] == []


def test_texts_are_read_by_the_same_patterns(session: ClusterSession) -> None:
    made = [FUNCTIONS[op].call((Ref(0, Field("t", Kind.TEXT)),)) for op in FUNCTIONS if op.startswith("cast_")]
    made = [call for call in made if call.kind is not Kind.TEXT]
    found = lines(session, [Expressions(SPARK_DIALECT).sql(call) for call in made], "written", "c0")
    for text, line in zip(sorted(cases_read(session)), found, strict=True):
        wanted = [evaluating._found(call, [Bar(text)]).value for call in made]
        assert all(cases.agree(a, b, exactly=True) for a, b in zip(wanted, line, strict=True)), (text, line, wanted)


def cases_read(session: ClusterSession) -> list[str]:
    return list(fetch(session, "SELECT c0 FROM written", PATIENCE)["c0"])


def test_every_character_has_the_case_of_our_own_tables(session: ClusterSession, tmp_path: Path) -> None:
    """All of Unicode, in one word: neither a neighbour nor a word's end counts."""
    points = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    words = ["".join(points[at : at + 64]) for at in range(0, len(points), 64)] + ["ΌΣΟΣ", "İstanbul", "straße", "ABC"]
    read(session, "words", pa.table({"line": range(len(words)), "w": words}), tmp_path)
    found = lines(session, [SPARK["lower"]("w"), SPARK["upper"]("w")], "words")
    assert found == [(lower(word), upper(word)) for word in words]


PATTERNS = (
    "",
    "%",
    "_",
    "%_",
    "__%",
    "a",
    "a%",
    "%a",
    "%a%",
    "a%b",
    "%a_%",
    "a%b%c",
    "%\\%",
    "a\\%",
    "%.%",
    "%\n%",
    "a_%_b%",
    "%é%",
    "_" * 70 + "%",
    "%" + "a_" * 900,
    "a%" * 900,
)


def test_patterns_are_matched_as_in_python_and_in_no_longer_time(session: ClusterSession, tmp_path: Path) -> None:
    """A plain regular expression would take until the end of days for a text that nearly matches."""
    texts = [
        "",
        "a",
        "ab",
        "a%c",
        "a\\%",
        "\\",
        "a\n",
        "abcabc",
        "é𝔘",
        "a" * 10_000,
        "ab" * 5_000,
        "a_" * 900,
        "aXbYb",
        "a.b",
        *(text for text in cases.TEXTS if text),
    ]
    read(session, "texts", pa.table({"line": range(len(texts)), "c0": texts}), tmp_path)
    begun = time.monotonic()
    found = lines(session, [SPARK["like"]("c0", quoted_text(pattern)) for pattern in PATTERNS], "texts")
    assert time.monotonic() - begun < 60
    for text, line in zip(texts, found, strict=True):
        assert line == tuple(like(text, pattern) for pattern in PATTERNS), text[:40]


# ---- whole numbers --------------------------------------------------------------------------------------------------

WHOLE = (
    1,
    2,
    3,
    4,
    5,
    2**31 - 1,
    2**31,
    2**52 - 1,
    2**53 + 1,
    (2**31 - 1) ** 2,
    (2**31 - 1) ** 2 + 1,
    2**62 - 1,
    2**62,
)


def test_quotients_roots_and_sums_are_exact(session: ClusterSession) -> None:
    rows = ", ".join(f"({at}, {x}L)" for at, x in enumerate(WHOLE))
    d, source = SPARK_DIALECT, f"(VALUES {rows}) t(line, x)"
    wide = f"({d.wide('x')} * 1000000007L)"
    columns = [
        d.root("x"),
        d.divided("x", "7"),
        d.divided("-x", "7L"),
        d.divided(wide, "7L"),
        d.divided(wide, d.wide("x")),
        d.divided("x", d.wide("3")),
    ]
    for x, found in zip(WHOLE, lines(session, columns, source), strict=True):
        assert [int(each) for each in found] == [
            math.isqrt(x - 1) + 1,
            x // 7,
            -(x // 7),
            x * 1000000007 // 7,
            1000000007,
            x // 3,
        ]
    totals = [
        d.total("x", narrow=False),
        d.total("-x", narrow=False),
        d.total(d.wide("x") + " * 1000000007L", narrow=False),
        d.total("x % 7L", narrow=True),
        d.total("CASE WHEN x < 0 THEN x END", narrow=False),
    ]
    many = f"(SELECT CASE WHEN line % 2 = 0 THEN x ELSE -x + 1 END AS x FROM {source} CROSS JOIN range(1000))"
    for where, values in (
        (source, WHOLE),
        (many, [x if at % 2 == 0 else 1 - x for at, x in enumerate(WHOLE) for _ in range(1000)]),
    ):
        (found,) = lines(session, totals, where, "1")
        sevenths = sum(int(math.fmod(x, 7)) if abs(x) < 2**53 else (x % 7 if x > 0 else -(-x % 7)) for x in values)
        assert [int(each) for each in found[:4]] == [
            sum(values),
            -sum(values),
            sum(x * 1000000007 for x in values),
            sevenths,
        ]
        assert int(found[4]) == sum(x for x in values if x < 0)


def test_sums_of_windows_and_filters_are_exact(session: ClusterSession) -> None:
    d, source = SPARK_DIALECT, f"(VALUES {', '.join(f'({at}, {x}L)' for at, x in enumerate(WHOLE))}) t(line, x)"
    over, kept = " OVER (PARTITION BY line % 2)", " FILTER (WHERE line % 2 = 0)"
    columns = [
        d.summed("x", narrow=False, over=over),
        d.summed(d.wide("x"), narrow=False, over=over),
        d.summed("line", narrow=True, over=over),
    ]
    for at, found in enumerate(lines(session, columns, source)):
        assert [int(each) for each in found] == [sum(WHOLE[at % 2 :: 2])] * 2 + [sum(range(at % 2, len(WHOLE), 2))]
    ((wide, narrow, none),) = lines(
        session,
        [
            d.summed("x", narrow=False, over=kept),
            d.summed("line", narrow=True, over=kept),
            d.summed("CASE WHEN x < 0 THEN x END", narrow=False),
        ],
        source,
        "1",
    )
    assert (int(wide), narrow, none) == (sum(WHOLE[::2]), sum(range(0, len(WHOLE), 2)), None)


def test_what_a_sum_is_of_is_known_while_it_is_planned(session: ClusterSession) -> None:
    """Sums of 64 bits hold no decimals: the way that is not taken is left out of the plan."""
    frame = session.spark.sql(f"SELECT {SPARK_DIALECT.total('id', narrow=False)} AS a FROM range(9)")
    plan = str(frame._jdf.queryExecution().optimizedPlan().toString())
    assert plan.count("sum(") == 3
    assert "sum(cast" not in plan


COLUMNS = [
    Hashed("a", Kind.INTEGER), Hashed("b", Kind.REAL, Fraction(1, 100)), Hashed("c", Kind.TEXT), Hashed("d", Kind.BOOLEAN), Hashed("e", Kind.DATE),
    Hashed("f", Kind.TIMESTAMP), Hashed("g0", Kind.REAL), Hashed("h0", Kind.INTEGER),
]  # fmt: skip


def cells() -> list[list[Any]]:
    """Rows of every kind; the last column is of 32 bits."""
    drawn = [
        [cases.DRAW.choice((*cases.HOSTILE[each.kind], cases.drawn(each.kind))) for each in COLUMNS[:-1]]
        for _ in range(400)
    ]
    return [[*row, cases.DRAW.choice((None, 0, 1, -1, 2**31 - 1, -(2**31), 12345))] for row in drawn]


@pytest.fixture(scope="module")
def rows(session: ClusterSession, tmp_path_factory: pytest.TempPathFactory) -> list[list[Any]]:
    made = cells()
    kinds = {each.sql: cases.ARROW[each.kind] for each in COLUMNS} | {"h0": pa.int32()}
    columns = {name: pa.array([row[at] for row in made], kind) for at, (name, kind) in enumerate(kinds.items())}
    read(session, "cells", pa.table({"line": range(len(made)), **columns}), tmp_path_factory.mktemp("cells"))
    return made


def test_the_hash_is_the_number_that_every_engine_gives(session: ClusterSession, rows: list[list[Any]]) -> None:
    for seed, columns in ((17, COLUMNS), (2**59 + 3, COLUMNS[::-1])):
        text = in_order("SELECT * FROM cells", columns, seed, SPARK_DIALECT, prefix="sfumato_")
        found = lines(session, ["sfumato_g"], f"({text}) t")
        names = [each.sql for each in COLUMNS]
        wanted = [order_of([row[names.index(each.sql)] for each in columns], columns, seed) for row in rows]
        assert [line[0] for line in found] == wanted


def test_ranks_and_sets_are_what_statements_ask_for(session: ClusterSession) -> None:
    rows = "SELECT * FROM (VALUES (1, 1), (1, 2), (2, 1), (2, NULL)) t(p, k)"
    kept = SPARK_DIALECT.ranked(rows, "row_number() OVER (PARTITION BY p ORDER BY k NULLS LAST)", 1, also="k IS NULL")
    assert sorted(lines(session, ["p", "k"], f"({kept}) t", "p"), key=str) == [(1, 1), (2, 1), (2, None)]
    for names, sets, wanted in (
        (["p", "k"], [["p"], ["k"], []], {(1, 1, None, 2), (1, 2, None, 2), (2, None, 1, 2), (2, None, 2, 1), (2, None, None, 1), (3, None, None, 4)}),
        (["k"], [["k"]], {(0, 1, 2), (0, 2, 1), (0, None, 1)}), ([], [[]], {(0, 4)}),
    ):  # fmt: skip
        text = SPARK_DIALECT.by_sets(names, sets, ["count(*) AS n"], f"({rows}) t")
        found = fetch(session, text, PATIENCE)
        assert set(zip(*(found[each] for each in ["s", *names, "n"]), strict=True)) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "",
        "'",
        "''",
        '"',
        "\\",
        "\\'",
        "\\n",
        "a\nb\r\t",
        "\x00",
        "${spark.app.name}",
        "${env:HOME}",
        "`",
        "🙂𝔘",
        "é\u0301\u202e",
        "--",
        "/* */",
        ";",
        "%_",
    ],
)
def test_a_constant_is_the_text_that_it_was(session: ClusterSession, text: str) -> None:
    assert lines(session, [SPARK_DIALECT.literal(text, Kind.TEXT)], "range(1)", "id") == [(text,)]


# ---- what is bare, and what is broken -------------------------------------------------------------------------------


def calls(*ops: str) -> list[Expression]:
    return [call for op in ops for call in list(cases.calls(FUNCTIONS[op]))[:12]]


def ends(session: ClusterSession, expressions: list[Expression], dialect: Spark) -> str:
    """How expressions end: as they should, as other values, or as a failure that some cell makes."""
    write = Expressions(dialect)
    listed = ", ".join(f"{write.sql(each)} AS v{at}" for at, each in enumerate(expressions))
    error = error_of(session, f"SELECT line, {listed} FROM t")
    return error or ("other values" if differences(session, expressions, dialect) else "")


class BareFloor(Spark):
    def function(self, op: str, made: Sequence[str], kind: Kind) -> str:
        return FUNCTIONS[op].filled(self, made, kind)


class BareCasts(Spark):
    def cast(self, made: str, kind: Kind, held: Kind) -> str:
        return super().cast(made, kind, held).replace("TRY_CAST", "CAST")


class Rounding(Spark):
    def cast(self, made: str, kind: Kind, held: Kind) -> str:
        return f"TRY_CAST({made} AS {self.type_of(kind)})"


class BareNaN(Spark):
    def is_nan(self, made: str) -> str:
        return f"isnan({made})"


class EndOfLine(Spark):
    def matched(self, made: str, pattern: str) -> str:
        return f"regexp_extract({made}, {quoted_text(pattern)}, 1)"


class Narrow(Spark):
    def type_of(self, kind: Kind) -> str:
        return "INT" if kind is Kind.INTEGER else super().type_of(kind)


TWINS: list[tuple[str, Spark, tuple[str, ...], str]] = [
    ("a floor of 64 bits", BareFloor(), ("floor",), "ARITHMETIC_OVERFLOW"),
    ("casts that are not tried", BareCasts(), ("cast_real",), "CAST_INVALID_INPUT"),
    ("halves that are cut off", Rounding(), ("cast_integer",), "other values"),
    ("positions from 1, Spark's own signs and cases", BareFloor(), ("substring", "sign", "upper"), "other values"),
    ("a NaN that is false of NULL", BareNaN(), ("is_null",), "other values"),
]


@pytest.mark.parametrize(("name", "broken", "ops", "end"), TWINS, ids=[each[0] for each in TWINS])
def test_without_a_guard_a_cell_makes_a_difference(
    session: ClusterSession, name: str, broken: Spark, ops: tuple[str, ...], end: str
) -> None:
    assert ends(session, calls(*ops), broken) == end, name


def test_without_its_own_divisions_whole_numbers_are_wrong_or_fail(
    session: ClusterSession, rows: list[list[Any]]
) -> None:
    assert rows
    assert error_of(session, in_order("SELECT * FROM cells", COLUMNS[-1:], 17, Narrow())) == "ARITHMETIC_OVERFLOW"
    assert error_of(session, "SELECT sum(9223372036854775807L + 0L * id) FROM range(2)") == "ARITHMETIC_OVERFLOW"
    wide = SPARK_DIALECT.wide("id + 9223372036854775807L")
    ((wrapped, exact),) = lines(
        session, [f"({wide} * 8L) DIV 2L", SPARK_DIALECT.divided(f"{wide} * 8L", "2L")], "range(1)", "id"
    )
    assert (wrapped, int(exact)) == (-4, (2**63 - 1) * 4)
    text = "'2020-01-01\\u000A\\u0085'"
    days = [each.matched(text, r"^([0-9-]+)[ \n]*$") for each in (EndOfLine(), SPARK_DIALECT)]
    assert lines(session, days, "range(1)", "id") == [("2020-01-01", "")]


def test_a_statement_that_takes_too_long_is_ended_and_the_next_is_answered(session: ClusterSession) -> None:
    begun = time.monotonic()
    with pytest.raises(EngineFailed, match="did not finish"):
        fetch(session, "SELECT sum(a.id * b.id % 7) AS n FROM range(1000000) a CROSS JOIN range(1000000) b", 1.0)
    assert time.monotonic() - begun < 30
    assert fetch(session, "SELECT count(*) AS n FROM range(10)", PATIENCE) == {"n": [10]}


def test_whatever_fails_is_one_error_that_shows_nothing(
    session: ClusterSession, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(EngineFailed) as failed:
        fetch(session, "SELECT CAST(concat('secret', id) AS BIGINT) AS n FROM range(1)", PATIENCE)
    assert "secret" not in str(failed.value)
    assert failed.value.__cause__ is None
    assert "secret" not in "".join(capfd.readouterr())
