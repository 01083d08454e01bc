"""PostgreSQL's dialect: no cell and no constant makes a statement fail, and every value is the one that Python has.

Tried on a real server: all operations on all hostile values and pairs, drawn numbers at the very ends of what doubles
hold, constants in the place of cells, and what the same questions see where a guard is taken out.
"""

import math
import random
import struct
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from fractions import Fraction
from typing import Any
from unittest import mock

import psycopg
import pytest

import function_cases as records
import totality
from contribution_order import order_of
from engines.what_engines_do import CASES, Case
from postgres_data import Connection, fill, holds, server, session
from sfumato.data import Kind
from sfumato.engines.postgres import arithmetic, binding, casing, casts, dialect, functions
from sfumato.engines.postgres.dialect import POSTGRES, Postgres
from sfumato.engines.sql.dialect import Dialect
from sfumato.engines.sql.expressions import Expressions
from sfumato.engines.sql.hashing import Hashed, in_order
from sfumato.query import evaluate as evaluating
from sfumato.query.bars import Bar
from sfumato.query.expression import Expression, Field, Literal, Ref
from sfumato.query.functions import FUNCTIONS, Sort
from sfumato.query.functions.casing import lower, upper
from sfumato.query.functions.casts import _as_integer, _as_text
from sfumato.query.functions.reading import real

pytestmark = pytest.mark.slow

MOST = sys.float_info.max
ENDS = (
    *(each for each in (*records.REALS, *totality.DOUBLES) if each is not None), 1e308, 1e-308, 1e-150, 1e150, 2.0**-1075 * 2, 1e300, 1e-300, 745.2, -745.2, 709.9, 10.0, 1e23,
)  # fmt: skip
TEXTS = tuple(dict.fromkeys(text for text in (*records.TEXTS, *totality.TEXTS) if text and holds(text)))


def _cells() -> dict[str, tuple[Kind, list[Any]]]:
    """The columns that all records are tried on: what PostgreSQL cannot hold is missing, and its own ends are there."""
    made = {name: (kind, [value if holds(value) else None for value in values]) for name, (kind, values) in records.COLUMNS.items()}  # fmt: skip
    known = [text for text in totality.TEXTS if holds(text) and len(text) < 20_000]
    for at in range(3):
        for name, more in (("text", known), ("real", totality.DOUBLES), ("integer", totality.INT64)):
            values = made[f"{name}{at}"][1]
            values[-len(more) :] = [more[(at * 7 + i) % len(more)] for i in range(len(more))]
    return made


COLUMNS = _cells()
ROWS = [[Bar(value) for value in line] for line in zip(*(values for _, values in COLUMNS.values()), strict=True)]


@pytest.fixture(scope="module")
def dsn() -> Iterator[str]:
    with server() as made:
        yield made


@pytest.fixture(scope="module")
def postgres(dsn: str) -> Iterator[Connection]:
    with session(dsn) as made:
        fill(made, "t", {f"c{at}": column for at, column in enumerate(COLUMNS.values())})
        yield made


def asked(connection: Connection, text: str) -> list[Any]:
    """The first column of an answer."""
    return [line[0] for line in connection.execute(text).fetchall()]


def differences(connection: Connection, expressions: Sequence[Expression], made: Dialect = POSTGRES) -> list[Any]:
    """Where PostgreSQL and Python differ."""
    write, found = Expressions(made), []
    for each in expressions:
        exactly = not records.INEXACT & set(records.operations(each))
        answers = asked(connection, f"SELECT {write.sql(each)} FROM t ORDER BY line")
        for row, answer in zip(ROWS, answers, strict=True):
            wanted = evaluating._found(each, row).value
            if not records.agree(wanted, answer, exactly=exactly):
                found.append((each.canonical(), records.read(each, row), answer, wanted))
    return found


# ---- every operation ----


@pytest.mark.parametrize("op", FUNCTIONS)
def test_a_function_gives_in_python_what_its_sql_gives(postgres: Connection, op: str) -> None:
    made = list(records.calls(FUNCTIONS[op]))
    assert made
    assert differences(postgres, random.Random(5).sample(made, min(30, len(made))))[:5] == []


@pytest.mark.parametrize("op", ["lower", "upper", "ilike"])
def test_letters_have_the_same_case_on_version_16(postgres: Connection, op: str) -> None:
    """Without its collation of all letters, which 17 brought."""
    assert differences(postgres, list(records.calls(FUNCTIONS[op]))[::5], Postgres(unicode=False))[:5] == []


@pytest.mark.parametrize("unicode", [True, False])
def test_every_character_has_the_case_that_python_gives_it(postgres: Connection, unicode: bool) -> None:
    every = "generate_series(1, 1114111) AS code (i) WHERE NOT i BETWEEN 55296 AND 57343"
    if not unicode:  # a table is looked through for every character
        every += " AND (i < 20000 OR i BETWEEN 42000 AND 44000 OR i BETWEEN 64000 AND 70000 OR i % 97 = 0)"
    for op, of in (("lower", lower), ("upper", upper)):
        made = Postgres(unicode=unicode).function(op, ["c0"], Kind.TEXT)
        lines = postgres.execute(f"SELECT c0, {made} FROM (SELECT chr(i) AS c0 FROM {every} OFFSET 0) t").fetchall()
        assert [line for line in lines if line[1] != of(line[0])] == []


@pytest.mark.parametrize("kind", records.KINDS, ids=lambda kind: kind.value)
def test_functions_of_functions_give_in_python_what_their_sql_gives(postgres: Connection, kind: Kind) -> None:
    made = [records.nested(kind, 3) for _ in range(40)]
    assert differences(postgres, made)[:5] == []


# ---- numbers at the ends ----


def _double(draw: random.Random) -> float:
    return float(struct.unpack("d", struct.pack("Q", draw.getrandbits(64)))[0])


def _power_of_two(draw: random.Random, power: int) -> float:
    size = draw.choice((1.0, 1 - 2**-53, 1 + 2**-52, 1.5, 1 + draw.random()))
    return draw.choice((1, -1)) * math.ldexp(size, max(-1074, min(1022, power)))


def _pair(draw: random.Random) -> tuple[float, float]:
    """Two doubles whose sum, product, quotient or power is at an end of what doubles hold."""
    at, power = draw.random(), draw.randint(-1074, 1022)
    end = draw.choice((1023, 1024, 1025, -1022, -1074, -1075, -1076))
    if at < 0.2:
        return _double(draw), _double(draw)
    if at < 0.4:
        return _power_of_two(draw, power), _power_of_two(draw, end - power)
    if at < 0.6:
        return _power_of_two(draw, power), _power_of_two(draw, power - end)
    if at < 0.8:
        left = draw.choice((MOST, math.ldexp(1 + draw.random(), 1023)))
        right = MOST - left if draw.random() < 0.5 else math.ldexp(1, draw.choice((968, 969, 970, 971)))
        right = math.nextafter(right, draw.choice((math.inf, 0, right)))
        return draw.choice(((left, right), (-left, -right), (left, -right)))
    base = abs(_double(draw))
    base = base if 0 < base < math.inf and base != 1 else 2.0
    size = (draw.choice((709.78, -745.13, -744.03, 709.7, 709.9)) + draw.uniform(-0.2, 0.2)) / math.log(base)
    return (-base, float(round(size))) if draw.random() < 0.3 else (base, size)


@pytest.fixture(scope="module")
def pairs(postgres: Connection) -> list[tuple[float, float]]:
    draw = random.Random(29)
    made = [(a, b) for a in ENDS for b in ENDS] + [_pair(draw) for _ in range(20_000)]
    fill(postgres, "pairs", {"c0": (Kind.REAL, [a for a, _ in made]), "c1": (Kind.REAL, [b for _, b in made])})
    return made


def unequal(op: str, operands: Sequence[tuple[float, ...]], answers: Sequence[Any]) -> list[Any]:
    """The operands whose answer is not the one of Python."""
    found = []
    for each, answer in zip(operands, answers, strict=True):
        value = FUNCTIONS[op].value(*each)
        wanted = float(value) if isinstance(value, int) else value
        if not records.agree(wanted, answer, exactly=op not in records.INEXACT):
            found.append((op, each, answer, wanted))
    return found


TWO = ("add", "sub", "mul", "div", "mod", "pow")
ONE = ("exp", "ln", "log2", "log10", "sqrt", "round", "floor", "ceil", "trunc", "neg", "abs", "sign")


def _of_columns(op: str, *, bound: bool) -> str:
    """A function of two columns or of one; `bound`: of what PostgreSQL must compute first."""
    names = ["c0", "c1"][: 2 if op in TWO else 1]
    return POSTGRES.function(op, [f"(-(-{name}))" if bound else name for name in names], Kind.REAL)


@pytest.mark.parametrize("bound", [False, True], ids=["columns", "computed"])
@pytest.mark.parametrize("op", [*TWO, *ONE])
def test_numbers_at_the_ends_are_what_they_are_in_python(
    postgres: Connection, pairs: list[tuple[float, float]], op: str, bound: bool
) -> None:
    answers = asked(postgres, f"SELECT {_of_columns(op, bound=bound)} FROM pairs ORDER BY line")
    operands = pairs if op in TWO else [(a,) for a, _ in pairs]
    assert unequal(op, operands, answers)[:5] == []


@pytest.mark.parametrize("op", TWO)
def test_constants_are_guarded_like_cells(postgres: Connection, pairs: list[tuple[float, float]], op: str) -> None:
    """On either side, and on both, where the planner computes: also a constant that comes to it as a column."""
    rows, ends = [pairs[at] for at in range(0, len(pairs), 40)], ENDS[::3] if op in ("mod", "pow") else ENDS
    lines = ", ".join(f"({POSTGRES.double(a)}, {at})" for at, (a, _) in enumerate(rows))
    postgres.execute("DROP TABLE IF EXISTS few")
    postgres.execute(f"CREATE TABLE few AS SELECT * FROM (VALUES {lines}) AS t (c0, line)")
    for end in ends:
        known = POSTGRES.double(end)
        for operands, values in (
            (["c0", known], [(a, end) for a, _ in rows]),
            ([known, "c0"], [(end, a) for a, _ in rows]),
        ):
            answers = asked(postgres, f"SELECT {POSTGRES.function(op, operands, Kind.REAL)} FROM few ORDER BY line")
            assert unequal(op, values, answers)[:3] == []


@pytest.mark.parametrize("op", TWO)
def test_two_constants_never_fail_while_a_statement_is_planned(postgres: Connection, op: str) -> None:
    ends = ENDS[::3] if op in ("mod", "pow") else ENDS
    for a in ends:
        for form in ("{}", "CASE WHEN c1 THEN {} END"):
            pairs = [(a, b) for b in ends]
            written = [POSTGRES.function(op, [POSTGRES.double(x), POSTGRES.double(y)], Kind.REAL) for x, y in pairs]
            columns = [POSTGRES.function(op, ["c0", f"d{at}"], Kind.REAL) for at in range(len(pairs))]
            source = ", ".join(f"{POSTGRES.double(b)} AS d{at}" for at, b in enumerate(ends))
            for texts in (written, columns):
                listed = ", ".join(form.format(each) for each in texts)
                row = f"SELECT {POSTGRES.double(a)} AS c0, i > 0 AS c1, {source} FROM generate_series(1, 1) AS g (i)"
                (answers,) = postgres.execute(f"SELECT {listed} FROM ({row}) t").fetchall()
                assert unequal(op, pairs, answers)[:3] == []


@pytest.mark.parametrize("op", ONE)
def test_one_constant_never_fails_while_a_statement_is_planned(postgres: Connection, op: str) -> None:
    texts = [POSTGRES.function(op, [POSTGRES.double(a)], Kind.REAL) for a in ENDS]
    columns = [POSTGRES.function(op, [f"d{at}"], Kind.REAL) for at in range(len(ENDS))]
    row = "SELECT " + ", ".join(f"{POSTGRES.double(a)} AS d{at}" for at, a in enumerate(ENDS))
    for each in (texts, columns):
        listed = ", ".join(f"CASE WHEN i > 0 THEN {text} END" for text in each)
        (answers,) = postgres.execute(f"SELECT {listed} FROM ({row}) t, generate_series(1, 1) AS g (i)").fetchall()
        assert unequal(op, [(a,) for a in ENDS], answers)[:3] == []


# ---- casts ----


def test_numbers_are_written_as_python_writes_them(postgres: Connection) -> None:
    draw = random.Random(31)
    values = [
        *ENDS, *(_double(draw) for _ in range(10_000)), *(each / 8 for each in range(-80, 80)), *(draw.uniform(9e14, 1.2e16) for _ in range(2000)),
        *(float(f"{draw.randint(1, 10 ** draw.randint(1, 17))}e{draw.randint(-330, 300)}") for _ in range(10_000)), *(float(digit * 10**power) for digit in range(1, 10) for power in range(14, 40)),
    ]  # fmt: skip
    fill(postgres, "numbers", {"c0": (Kind.REAL, values)})
    texts = asked(postgres, f"SELECT {POSTGRES.cast('c0', Kind.TEXT, Kind.REAL)} FROM numbers ORDER BY line")
    assert [
        (value, text) for value, text in zip(values, texts, strict=True) if text != _as_text(value, Kind.REAL)
    ] == []
    wholes = asked(postgres, f"SELECT {POSTGRES.cast('c0', Kind.INTEGER, Kind.REAL)} FROM numbers ORDER BY line")
    assert [(value, found) for value, found in zip(values, wholes, strict=True) if found != _as_integer(value)] == []


def _number_text(draw: random.Random) -> str:
    digits = "".join(draw.choice("0123456789") for _ in range(draw.choice((1, 3, 19, 20, 400))))
    at = draw.randrange(len(digits) + 1)
    zeros = "0" * draw.choice((0, 0, 1, 330))
    exponent = draw.choice(
        (
            "",
            "",
            f"e{draw.randint(-400, 400)}",
            f"E+{draw.randint(0, 999_999_999)}",
            f"e-{draw.randint(0, 999_999_999)}",
        )
    )
    return (
        f"{draw.choice(('', '-', '+'))}{zeros}{digits[:at]}{draw.choice(('', '.', '.' + zeros))}{digits[at:]}{exponent}"
    )


def test_texts_are_the_numbers_that_python_reads(postgres: Connection) -> None:
    draw = random.Random(37)
    values = [*(text[:10_000] for text in TEXTS), *(_number_text(draw) for _ in range(5000)), "0" * 9000 + ".5", "1" + "0" * 8000 + "e-8000", "." + "0" * 9000 + "1e9001"]  # fmt: skip
    fill(postgres, "texts", {"c0": (Kind.TEXT, values)})
    for op, of in (("cast_real", real), ("cast_integer", lambda text: _as_integer(text))):
        made = Expressions(POSTGRES).sql(FUNCTIONS[op].call([Ref(0, Field("c0", Kind.TEXT, longest=10_000))]))
        answers = asked(postgres, f"SELECT {made} FROM texts ORDER BY line")
        for text, answer in zip(values, answers, strict=True):
            wanted = of(text)
            assert records.agree(None if wanted is None else float(wanted), answer, exactly=True), (
                op,
                text[:50],
                answer,
            )


FAR = {
    Kind.DATE: ("infinity", "-infinity", "4713-01-01 BC", "0001-12-31 BC", "5874897-12-31", "294277-01-01", "294276-12-31", "10000-01-01", "9999-12-31"),
    Kind.TIMESTAMP: ("infinity", "-infinity", "4713-01-01 00:00:00 BC", "0001-12-31 23:59:59 BC", "294276-12-31 23:59:59.999999", "294247-01-10 04:00:54.775807", "10000-01-01"),
}  # fmt: skip


@pytest.mark.parametrize("kind", FAR, ids=lambda kind: kind.value)
def test_days_beyond_the_calendar_are_no_value_and_no_error(postgres: Connection, kind: Kind) -> None:
    typed = POSTGRES.type_of(kind)
    postgres.execute("DROP TABLE IF EXISTS far")
    postgres.execute(
        f"CREATE TABLE far AS SELECT CAST(x AS {typed}) AS c0, CAST(x AS {typed}) AS c1 FROM unnest(%s::text[]) AS x",
        (list(FAR[kind]),),
    )
    other = Kind.TIMESTAMP if kind is Kind.DATE else Kind.DATE
    columns = [Ref(at, Field(f"c{at}", kind)) for at in range(2)]
    write = Expressions(POSTGRES)
    for function in FUNCTIONS.values():
        if function.op.startswith("trunc_") or (function.takes[0].sort is Sort.DATE):
            assert set(asked(postgres, f"SELECT {write.sql(function.call(columns[:1]))} FROM far")) == {None}
    for op in ("cast_text", f"cast_{other.value}"):
        assert set(asked(postgres, f"SELECT {write.sql(FUNCTIONS[op].call(columns[:1]))} FROM far")) == {None}
    beside = Literal(datetime(2020, 1, 1) if kind is Kind.DATE else date(2020, 1, 1), other)
    for op in ("eq", "lt", "same", "nullif"):
        assert asked(postgres, f"SELECT count({write.sql(FUNCTIONS[op].call([columns[0], beside]))}) FROM far") != []
    assert asked(postgres, f"SELECT sum({POSTGRES.moment_number('c0', kind)}) FROM far") != [None]


# ---- the order of contributions ----


def test_the_hash_is_the_one_of_every_engine(postgres: Connection) -> None:
    draw = random.Random(41)
    for seed in range(12):
        kinds = [draw.choice(records.KINDS) for _ in range(draw.randint(1, 5))]
        steps = (None, Fraction(1, 100), Fraction(1, 3))
        columns = [Hashed(f"x{at}", kind, draw.choice(steps)) for at, kind in enumerate(kinds)]
        known = {kind: [value for value in records.HOSTILE[kind] if holds(value)] for kind in kinds}
        rows = [
            tuple(draw.choice((draw.choice(known[kind]), records.drawn(kind))) for kind in kinds) for _ in range(300)
        ]
        fill(postgres, "hashed", {each.sql: (each.kind, [row[at] for row in rows]) for at, each in enumerate(columns)})
        text = in_order("SELECT * FROM hashed", columns, seed, POSTGRES)
        assert asked(postgres, f"SELECT g FROM ({text}) t ORDER BY line") == [
            order_of(row, columns, seed) for row in rows
        ]


# ---- whole numbers ----


def test_whole_numbers_are_divided_and_added_up_exactly(postgres: Connection) -> None:
    for a, b in ((7, 2), (-7, 2), (2**63 - 1, 3), (-(2**63) + 1, 2**31), (2**120 + 1, 2**61 - 1), (-(2**120) - 1, 7)):
        wanted = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        assert asked(postgres, f"SELECT {POSTGRES.divided(f'({a})', f'({b})')}") == [wanted]
    roots = [
        1,
        2,
        3,
        4,
        5,
        2**62,
        2**62 - 1,
        2**62 - 2**31,
        (2**31 - 1) ** 2,
        (2**31 - 1) ** 2 + 1,
        (2**30 + 1) ** 2 - 1,
    ]
    listed = ", ".join(f"(CAST({each} AS bigint))" for each in roots)
    assert asked(postgres, f"SELECT {POSTGRES.root('t')} FROM (VALUES {listed}) AS q (t)") == [
        math.isqrt(each - 1) + 1 for each in roots
    ]
    term = POSTGRES.wide("t") + " * t"
    assert asked(postgres, f"SELECT {POSTGRES.total(term, narrow=False)} FROM (VALUES {listed}) AS q (t)") == [
        str(sum(each**2 for each in roots))
    ]
    assert asked(postgres, f"SELECT {POSTGRES.total('t', narrow=True)} FROM (VALUES (1)) AS q (t) WHERE t > 1") == [0]
    for whole_number in (2**63 - 1, 2**63, -(2**63), -(2**63) - 1):
        held = POSTGRES.cast(f"sum({whole_number})", Kind.INTEGER, Kind.INTEGER)
        assert asked(postgres, f"SELECT {held} FROM (VALUES (1)) AS q (t)") == [
            whole_number if -(2**63) <= whole_number < 2**63 else None
        ]


@pytest.mark.parametrize("width", [3, 31, 32, 40])
def test_sets_of_keys_are_told_apart_by_bits(postgres: Connection, width: int) -> None:
    names = [f"k{at}" for at in range(width)]
    source = "(SELECT " + ", ".join(f"{at} AS {name}" for at, name in enumerate(names)) + ") t"
    sets = [[names[0]], names[1:], [names[-1], names[0]], []]
    lines = postgres.execute(POSTGRES.by_sets(names, sets, ["count(*) AS n"], source)).fetchall()
    wanted = {sum(1 << (width - 1 - at) for at, name in enumerate(names) if name not in one) for one in sets}
    assert {line[0] for line in lines} == wanted
    assert all(line[-1] == 1 for line in lines)


def test_rows_are_ranked_twice(postgres: Connection) -> None:
    rows = "SELECT i AS p, j AS k0 FROM generate_series(1, 3) AS a (i), generate_series(1, 5) AS b (j)"
    once = POSTGRES.ranked(rows, "row_number() OVER (PARTITION BY p ORDER BY k0 DESC NULLS LAST)", 3, also="k0 = 1")
    twice = POSTGRES.ranked(once, "row_number() OVER (PARTITION BY p ORDER BY k0 NULLS LAST)", 2)
    assert sorted(postgres.execute(f"SELECT p, k0 FROM ({twice}) t").fetchall()) == [
        (p, k) for p in (1, 2, 3) for k in (1, 3)
    ]


# ---- texts ----


def test_a_text_that_no_cell_can_be_is_compared_and_equals_none(postgres: Connection) -> None:
    column = next(at for at, (kind, _) in enumerate(COLUMNS.values()) if kind is Kind.TEXT)
    for text in ("\0", "a\0b", "\ud800"):
        made = Expressions(POSTGRES).sql(
            FUNCTIONS["eq"].call([Ref(column, Field("t", Kind.TEXT)), Literal(text, Kind.TEXT)])
        )
        assert set(asked(postgres, f"SELECT {made} FROM t")) == {False, None}


@pytest.mark.parametrize("text", ["it's", "\\", "\\'", "a\nb", "%s", "$1", "E'x'", "🧑‍🤝‍🧑"])
def test_constants_come_back_as_they_were(postgres: Connection, text: str) -> None:
    assert asked(postgres, f"SELECT {POSTGRES.literal(text, Kind.TEXT)}") == [text]
    assert postgres.execute(f"SELECT 1 AS {POSTGRES.quoted(text + chr(34))}").description[0].name == text + '"'  # type: ignore[index]


def test_patterns_of_many_parts_match_long_texts(postgres: Connection) -> None:
    """A match of many parts is a deep one, and how deep depends on the cell."""
    postgres.execute("DROP TABLE IF EXISTS long")
    postgres.execute("CREATE TABLE long AS SELECT repeat('ab', 5000) COLLATE \"C\" AS c0")
    for pattern in ("%a" * 9000, "%a%b" * 4999, "%_" * 9900, "a_" * 5000, "%b%" * 6000):
        made = POSTGRES.function("like", ["c0", POSTGRES.literal(pattern, Kind.TEXT)], Kind.BOOLEAN)
        assert asked(postgres, f"SELECT {made} FROM long") == [FUNCTIONS["like"].value("ab" * 5000, pattern)]


# ---- where expressions stand ----

DEEP = "c0"
for _ in range(6):
    DEEP = POSTGRES.function("mul", [POSTGRES.function("add", [DEEP, "c1"], Kind.REAL), "c1"], Kind.REAL)
PLACES = (
    "SELECT k0, count(*) FROM (SELECT {} AS k0 FROM pairs) t GROUP BY k0 ORDER BY k0",
    "SELECT count(*) FROM pairs WHERE {} > 1 AND {} < 1e300",
    "SELECT count({}), max({}), count(DISTINCT {}) FROM pairs",
    "SELECT count(*) FILTER (WHERE {} > 0) FROM pairs",
    "SELECT row_number() OVER (PARTITION BY c0 > 0 ORDER BY {} NULLS LAST) FROM pairs",
    "SELECT count(*) FROM (SELECT {} AS v FROM pairs) a JOIN (SELECT DISTINCT c0 FROM pairs) b ON a.v = b.c0",
    "SELECT v FROM (SELECT {} AS v FROM pairs UNION ALL SELECT c0 FROM pairs) t ORDER BY v LIMIT 5",
)


@pytest.mark.parametrize("place", PLACES)
def test_subqueries_stand_wherever_expressions_do(
    postgres: Connection, pairs: list[tuple[float, float]], place: str
) -> None:
    assert pairs
    assert asked(postgres, place.replace("{}", DEEP)) != []


def test_deep_expressions_are_fast(postgres: Connection) -> None:
    """Twelve operations on a hundred thousand rows in seconds, and a text that grows with the number of operations."""
    postgres.execute("DROP TABLE IF EXISTS big")
    postgres.execute(
        "CREATE TABLE big AS SELECT CAST(i AS double precision) AS c0, CAST(i % 7 AS double precision) AS c1 FROM generate_series(1, 100000) AS g (i)"
    )
    start = time.monotonic()
    assert asked(postgres, f"SELECT count({DEEP}) FROM big") == [100_000]
    assert time.monotonic() - start < 10
    lengths = []
    for depth in (10, 20, 40):
        made = "c0"
        for _ in range(depth):
            made = POSTGRES.function("log2", [POSTGRES.function("mod", [POSTGRES.function("pow", [made, "c1"], Kind.REAL), "c1"], Kind.REAL)], Kind.REAL)  # fmt: skip
        lengths.append(len(made))
    assert lengths[2] < 2.1 * lengths[1] < 4.5 * lengths[0]


def test_sums_of_a_person_are_never_bound_to_one_row(postgres: Connection) -> None:
    """In a subquery of one row, count(*) would count that row."""
    for made in ("count(*)", "sum(1)", "count(*) FILTER (WHERE TRUE)"):
        number = f"CAST({made} AS double precision)"
        texts = [
            POSTGRES.cast(made, Kind.INTEGER, Kind.INTEGER), POSTGRES.function("mul", [number, POSTGRES.double(1e-9)], Kind.REAL),
            POSTGRES.function("div", [number, number], Kind.REAL), POSTGRES.scaled(number, Fraction(1, 3)),
        ]  # fmt: skip
        found = postgres.execute(f"SELECT {', '.join(texts)} FROM (VALUES (1), (2), (3)) AS t (c0)").fetchall()
        assert found == [(3, 3 * 1e-9, 1.0, 9.0)]


@pytest.mark.parametrize("step", [Fraction(1, 100), Fraction(1, 3), Fraction(3, 7), Fraction(10) ** 300, Fraction(1, 10**300), Fraction(3, 10**320)])  # fmt: skip
def test_numbers_in_steps_are_those_of_doubles(
    postgres: Connection, pairs: list[tuple[float, float]], step: Fraction
) -> None:
    answers = asked(postgres, f"SELECT {POSTGRES.scaled('c0', step)} FROM pairs ORDER BY line")
    by = float(1 / step) if step.numerator == 1 else float(step)
    wanted = [a * by if step.numerator == 1 else a / by for a, _ in pairs]
    assert [
        each for each in zip(pairs, answers, wanted, strict=True) if not records.agree(each[2], each[1], exactly=True)
    ] == []


# ---- the table ----


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.ours is not None])
def test_our_form_of_the_same_has_the_value_of_python(postgres: Connection, name: str) -> None:
    assert _guarded(postgres, CASES[name])


def _guarded(connection: Connection, case: Case) -> bool:
    assert case.ours is not None
    (answer,) = asked(connection, f"SELECT {Expressions(POSTGRES).sql(case.ours)}")
    return records.agree(evaluating._found(case.ours, []).value, answer, exactly=True)


# ---- what is broken on purpose ----


def _without(op: str, sql: str) -> Any:
    """A function as a careless dialect writes it."""
    return mock.patch.dict(functions.FUNCTIONS, {op: lambda operands: sql.format(*operands)})


def _cast_without(held: Kind, kind: Kind, sql: str) -> Any:
    return mock.patch.dict(casts.CASTS, {(held, kind): sql.format})


def _unfenced() -> Any:
    """Operands that the planner writes out again: constants are computed with before a guard has looked at them."""
    honest = binding.Bound.of.__func__  # type: ignore[attr-defined]
    return mock.patch.object(
        binding.Bound, "of", classmethod(lambda cls, body, rows: honest(cls, body, rows.replace(" OFFSET 0", "")))
    )


Check = Callable[[Connection, list[tuple[float, float]]], object]


def _ends(op: str) -> Check:
    return lambda connection, pairs: test_numbers_at_the_ends_are_what_they_are_in_python(connection, pairs, op, True)


def _calls(op: str) -> Check:
    return lambda connection, _: test_a_function_gives_in_python_what_its_sql_gives(connection, op)


def _later_letters(connection: Connection, _: object) -> None:
    texts = ["\ua7cb", "a\u0264ß", "x\u1c89\u1c8a", "é"]
    for op, of in (("lower", lower), ("upper", upper)):
        listed = ", ".join(POSTGRES.function(op, [POSTGRES.literal(text, Kind.TEXT)], Kind.TEXT) for text in texts)
        assert connection.execute(f"SELECT {listed}").fetchall() == [tuple(map(of, texts))]


BROKEN: dict[str, tuple[Any, Check]] = {
    "a sum that may be infinite": (_without("add", "({0} + {1})"), _ends("add")),
    "a product that may be infinite or nothing": (_without("mul", "({0} * {1})"), _ends("mul")),
    "a product guarded against infinity alone": (mock.patch.object(arithmetic, "_is_nothing", return_value="FALSE"), _ends("mul")),
    "a quotient with nothing but nullif": (_without("div", "({0} / nullif({1}, 0))"), _ends("div")),
    "an exponential without ends": (_without("exp", "exp({0})"), _ends("exp")),
    "a power of anything": (_without("pow", "power({0}, {1})"), _ends("pow")),
    "a logarithm over that of two": (_without("log2", "CASE WHEN {0} > 0 THEN floor(ln({0}) / ln(2.0)) END"), _ends("log2")),
    "halves to even": (_without("round", "round({0})"), _ends("round")),
    "whole numbers of any double": (_cast_without(Kind.REAL, Kind.INTEGER, "CAST({} AS bigint)"), _calls("cast_integer")),
    "doubles of any digits": (_cast_without(Kind.TEXT, Kind.REAL, "CAST({} AS double precision)"), _calls("cast_real")),
    "days of any digits": (_cast_without(Kind.TEXT, Kind.DATE, "CAST({} AS date)"), _calls("cast_date")),
    "moments rounded": (_cast_without(Kind.TEXT, Kind.TIMESTAMP, "CASE WHEN pg_input_is_valid({0}, 'timestamp') THEN CAST({0} AS timestamp) END"), _calls("cast_timestamp")),
    "a pattern with escapes": (_without("like", "({0} LIKE {1})"), lambda connection, _: test_our_form_of_the_same_has_the_value_of_python(connection, "'a\\%' LIKE 'a\\%'")),
    "letters of a newer Unicode": (mock.patch.object(casing, "LATER", mock.Mock(pattern="[x]")), _later_letters),
    "no fence before the planner": (_unfenced(), lambda connection, _: test_our_form_of_the_same_has_the_value_of_python(connection, "'1e999' as a double")),
    "days of all moments": (_cast_without(Kind.DATE, Kind.TIMESTAMP, "CAST({} AS timestamp)"), lambda connection, _: test_days_beyond_the_calendar_are_no_value_and_no_error(connection, Kind.DATE)),
    "aggregates bound to a row": (mock.patch.object(binding, "has_aggregate", return_value=False), lambda connection, _: test_sums_of_a_person_are_never_bound_to_one_row(connection)),
    "thirty-two names in one GROUPING": (mock.patch.object(dialect, "_MOST_GROUPED", 64), lambda connection, _: test_sets_of_keys_are_told_apart_by_bits(connection, 40)),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_the_same_checks_find_what_is_broken(postgres: Connection, pairs: list[tuple[float, float]], name: str) -> None:
    broken, check = BROKEN[name]
    check(postgres, pairs)
    with broken, pytest.raises((AssertionError, psycopg.Error)):
        check(postgres, pairs)
