"""Every operation a question may use, every hostile value of every kind, and every place an expression may stand in.

What is here is generated from the closed lists of the product: a function that is added there is tried here.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from itertools import product
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa

from sfumato.data import Dataset, Kind, declared
from sfumato.engines import DuckDBEngine
from sfumato.errors import EngineFailed, InvalidQuestion
from sfumato.query import PricedQuery
from sfumato.query.expression import Call, Expression
from sfumato.query.functions import FUNCTIONS, Function, Sort

N, T, B, DATE, MOMENT = "number", "text", "boolean", "day", "moment"
SORTS = (N, T, B, DATE, MOMENT)

# ---- hostile values: as cells, and as a question writes them ----

INT64 = (-(2**63), -(2**63) + 1, -(2**53) - 1, -1, 0, 1, 2**31, 2**53 + 1, 2**63 - 1)
DOUBLES = (
    float("nan"), float("inf"), float("-inf"), 1.7976931348623157e308, -1.7976931348623157e308, 5e-324, -5e-324,
    2.2250738585072014e-308, -0.0, 0.0, 0.5, 2.5, -1.0, 9.3e18, -9.3e18, 1e19,
)  # fmt: skip
DAYS = (-(2**31) + 2, -2147483646, -719893, -719162, -1, 0, 18262, 2932895, 2932896, 2**31 - 2, 2**31 - 1, -(2**31) + 1)
"""Days since 1970: the least and the greatest, both infinities, the ends of the calendar and beyond them."""
MOMENTS = (
    -(2**63) + 2, -(2**63) + 5, -9223372022400000000, -62135596800000000, -62135596800000001, -1, 0,
    1577836800000000, 253402300799999999, 253402300800000000, 2**63 - 2, 2**63 - 1, -(2**63) + 1,
)  # fmt: skip
"""Microseconds since 1970, likewise; some are outside of what any engine can write."""
TEXTS = (
    "", "abc", "12", "-0", "1e999", "-1e999", "nan", "inf", "9" * 400, "1" * 10_001, "9223372036854775808", "0x10", "1_000",
    "2020-01-01", "5877642-06-25 (BC)", "5881580-07-10", "294247-01-10 04:00:54.775806", "290309-12-22 (BC)", "infinity",
    "-infinity", "epoch", "0000-00-00", "2020-02-30", "2020-01-01 25:61:61", "2020-01-01 00:00:00 Nowhere/Land", "true", "TRUE ", "%_",
    "é\u200d𝔘\n\t", "İıſẞΣςﬁ", "\u202eabc", "نص عربي", "漢字かな交じり文", "हिन्दी", "🧑‍🤝‍🧑", "\x00", "\x1b[31m", "\u0301\u0301", "\ufeff", "ab" * 500_000,
)  # fmt: skip
WRITTEN = {
    N: ("9223372036854775807", "-9223372036854775807", "1.7976931348623157e308", "5e-324", "0", "-1", "2.5", "1e19"),
    T: ("''", "'abc'", "'5877642-06-25 (BC)'", "'5881580-07-10'", "'294247-01-10 04:00:54.775806'", "'infinity'", "'1e999'", "'%_'",
        "'9223372036854775808'", "'" + "x" * 3000 + "'", "'é𝔘'"),
    B: ("TRUE", "FALSE"),
    DATE: ("DATE '0001-01-01'", "DATE '9999-12-31'", "DATE '2020-02-29'"),
    MOMENT: ("TIMESTAMP '0001-01-01'", "TIMESTAMP '9999-12-31 23:59:59'", "TIMESTAMP '2020-02-29'"),
}  # fmt: skip
"""Constants by the sort of value a function takes; a text becomes a day by CAST."""
COLUMNS = {N: ("i", "x"), T: ("t",), B: ("b",), DATE: ("d",), MOMENT: ("s",)}
OTHERS = {N: ("i2", "x2"), T: ("t2",), B: ("b2",), DATE: ("d2",), MOMENT: ("s2",)}
UNITS = ("year", "quarter", "month", "week", "day", "hour", "minute")
GIVES = {Kind.INTEGER: N, Kind.REAL: N, Kind.TEXT: T, Kind.BOOLEAN: B}


KINDS: dict[str, tuple[tuple[Any, ...], pa.DataType]] = {
    "i": (INT64, pa.int64()), "x": (DOUBLES, pa.float64()), "t": (TEXTS, pa.string()), "b": ((True, False), pa.bool_()),
    "d": (DAYS, pa.date32()), "s": (MOMENTS, pa.timestamp("us")),
}  # fmt: skip
_RAW = {pa.date32(): pa.int32(), pa.timestamp("us"): pa.int64()}


def cells(values: Iterable[Any], kind: pa.DataType) -> pa.Array:
    """Cells of a kind; days and moments are given as the numbers that a file holds, whether or not they can be written."""
    if kind not in _RAW:
        return pa.array(values, kind)
    raw = pa.array(values, _RAW[kind])
    return pa.Array.from_buffers(kind, len(raw), raw.buffers(), null_count=raw.null_count)


UNWRITABLE = (-(2**63) + 2, -(2**63) + 5)
"""Moments that make DuckDB 2.0 end itself when they are written as text."""


def pairs(*, without: tuple[Any, ...] = ()) -> pa.Table:
    """Every pair of hostile values of a kind, all kinds beside each other; the longest text once."""
    made: dict[str, list[Any]] = {}
    for name, (values, _) in KINDS.items():
        known = [each for each in values if not (isinstance(each, str) and len(each) > 20_000) and each not in without]
        both = list(product((None, *known), repeat=2))
        made[name], made[f"{name}2"] = [one for one, _ in both], [other for _, other in both]
    size = max(map(len, made.values()))
    rows = {name: [given[at % len(given)] for at in range(size)] for name, given in made.items()}
    rows["t"][7] = rows["t2"][11] = max(TEXTS, key=len)
    return pa.table(
        {"p": np.arange(size) % 97} | {name: cells(given, KINDS[name[0]][1]) for name, given in rows.items()}
    )


def singles() -> pa.Table:
    """Every hostile value once, and one other beside it."""
    size = max(len(values) for values, _ in KINDS.values()) + 1
    made: dict[str, Any] = {"p": np.arange(size) % 7}
    for name, (values, kind) in KINDS.items():
        known = (None, *values)
        made[name] = cells([known[at % len(known)] for at in range(size)], kind)
        made[f"{name}2"] = cells([known[(5 * at + 3) % len(known)] for at in range(size)], kind)
    return pa.table(made)


def extremes() -> Iterator[tuple[str, pa.Table]]:
    """Tables of a few equal rows, so that a column's least and greatest value are one hostile cell."""
    whole = singles()
    for name in ("d", "s", "i", "x"):
        for at in range(1, len(KINDS[name][0]) + 1):
            yield f"{name} = {KINDS[name][0][at - 1]!r}", pa.concat_tables([whole.slice(at, 1)] * 3)


@contextmanager
def as_they_are() -> Iterator[None]:
    """Registration without its look at moments: what stands behind it must hold without it."""
    with ExitStack() as stack:
        for room in ("cells", "registrar"):
            stack.enter_context(mock.patch(f"sfumato.engines.duckdb.{room}.in_calendar", lambda made, kind: made))
        yield


def engine(rows: pa.Table) -> DuckDBEngine:
    """An engine whose rows belong to 97 people; a public table to join."""
    with as_they_are():
        return _engine(rows)


def _engine(rows: pa.Table) -> DuckDBEngine:
    return DuckDBEngine(hostile(rows))


def hostile(rows: pa.Table) -> Dataset:
    """A dataset of these rows and of a public table."""
    return declared({
        "name": "hostile", "budget": {"epsilon": "1000", "delta": "0.5"}, "unit": {"person": "h.p"},
        "tables": {
            "h": {"source": rows, "rows_per_group": 2, "groups_per_person": 2,
                  "columns": {"x2": {"lower": 0, "upper": 200, "grid": 0.01}, "i2": {"lower": -5, "upper": 10**12}}},
            "pub": {"source": pa.table({"k": ["abc", "", "12"], "n": [1.0, 2.5, float("nan")]}), "public": True},
        },
    })  # fmt: skip


# ---- every operation ----


_SORTS = {Sort.NUMBER: (N,), Sort.TEXT: (T,), Sort.BOOLEAN: (B,), Sort.DATE: (DATE, MOMENT)}
_CONSTANTS = {Sort.NUMBER: ("0", "1", "3", "9999", "10000"), Sort.TEXT: ("''", "'a'", "'%a_%'", "'é'", "'aaaa'")}


def _of_record(function: Function) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """A function by its name, with as few and as many operands as it takes; constants where it wants them."""
    most = len(function.takes) + 2 * function.many
    for count in (each for each in range(most + 1) if function.takes_so_many(each) and function.called.isidentifier()):  # type: ignore[union-attr]
        taken = [function.operand(i) for i in range(count)]
        if any(operand.sort not in _SORTS for operand in taken):
            return
        free = [operand.sort for operand in taken if not operand.is_constant]
        held = [_CONSTANTS[operand.sort] for operand in taken if operand.is_constant]
        held = [(*known[at:], *known[:at]) for at, known in enumerate(held)]  # type: ignore[misc]  # not the same one twice
        for sorts, constants in product(
            product(*map(_SORTS.__getitem__, free)), zip(*held, strict=True) if held else [()]
        ):
            waiting = iter(constants)
            places = ", ".join(next(waiting) if operand.is_constant else "{}" for operand in taken)
            kind = function.gives if isinstance(function.gives, Kind) else Kind.REAL
            if function.op not in ("like", "ilike"):
                yield GIVES[kind], f"{function.called}({places})", sorts


Template = tuple[str, str, tuple[str, ...]]


def _choices_and_comparisons() -> Iterator[Template]:
    for sort in SORTS:
        for op in ("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"):
            yield B, f"({{}} {op} {{}})", (sort, sort)
        yield B, "({} BETWEEN {} AND {})", (sort, sort, sort)
        yield B, "({} IS NULL)", (sort,)
        yield B, f"({{}} IN ({', '.join(WRITTEN[sort][:3])}))", (sort,)
        for form in ("(CASE WHEN {} THEN {} ELSE {} END)", "IF({}, {}, {})"):
            yield sort, form, (B, sort, sort)
        yield sort, "COALESCE({}, {})", (sort, sort)
        yield sort, "NULLIF({}, {})", (sort, sort)
    yield B, "({} < {})", (DATE, MOMENT)
    yield from ((B, "({} AND {})", (B, B)), (B, "({} OR {})", (B, B)), (B, "(NOT {})", (B,)), (B, "({} IS TRUE)", (B,)))
    for pattern in ("%a_%", "_", "%", "a%b%c", "%é%"):
        yield B, f"({{}} LIKE '{pattern}')", (T,)
        yield B, f"({{}} ILIKE '{pattern}')", (T,)


def _casts() -> Iterator[Template]:
    for sort in (N, T, B):
        yield from (
            (N, "CAST({} AS INTEGER)", (sort,)),
            (N, "CAST({} AS DOUBLE)", (sort,)),
            (B, "CAST({} AS BOOLEAN)", (sort,)),
        )
    for sort in SORTS:
        yield T, "CAST({} AS TEXT)", (sort,)
    for sort in (T, DATE, MOMENT):
        yield from ((DATE, "CAST({} AS DATE)", (sort,)), (MOMENT, "CAST({} AS TIMESTAMP)", (sort,)))


def _calls() -> Iterator[Template]:
    """Templates: what they give, how they are written, and the sorts of value they take."""
    for function in FUNCTIONS.values():
        if function.nodes or function.names:
            yield from _of_record(function)
    for op in ("+", "-", "*", "/", "//", "%"):
        yield N, f"({{}} {op} {{}})", (N, N)
    yield from ((N, "(-{})", (N,)), (N, "LOG(2, {})", (N,)), (N, "LOG({})", (N,)), (T, "({} || {})", (T, T)))
    yield from _choices_and_comparisons()
    yield from _casts()
    for unit, sort in product(UNITS, (DATE, MOMENT)):
        yield N, f"EXTRACT({unit} FROM {{}})", (sort,)
        yield sort, f"DATE_TRUNC('{unit}', {{}})", (sort,)
    for sort in (DATE, MOMENT):
        yield from ((N, "EXTRACT(dow FROM {})", (sort,)), (N, "EXTRACT(doy FROM {})", (sort,)))


CALLS = tuple(dict.fromkeys(_calls()))


def hidden(constant: str, sort: str) -> str:
    """A constant that a question lets only some rows meet, as an attacker writes it."""
    other = {N: "1", T: "'2020-01-01'", B: "TRUE", DATE: "DATE '2020-01-01'", MOMENT: "TIMESTAMP '2020-01-01'"}[sort]
    return f"(CASE WHEN p = 5 AND b THEN {constant} ELSE {other} END)"


def leaves(sort: str) -> tuple[str, ...]:
    """Operands: columns, and constants behind a CASE."""
    return (*COLUMNS[sort], *(hidden(constant, sort) for constant in WRITTEN[sort]))


def alone() -> Iterator[tuple[str, str]]:
    """Every operation on every operand; where there are several, the others are columns."""
    for gives, form, takes in CALLS:
        columns = [(COLUMNS if at % 2 == 0 else OTHERS)[sort][0] for at, sort in enumerate(takes)]
        for at, sort in enumerate(takes):
            for leaf in (*leaves(sort), *OTHERS[sort]):
                yield gives, form.format(*columns[:at], leaf, *columns[at + 1 :])
        if len(takes) == 2 and takes[0] == takes[1]:
            for one, other in product(COLUMNS[takes[0]], OTHERS[takes[1]]):
                yield gives, form.format(one, other)


def two_deep() -> Iterator[tuple[str, str]]:
    """Every operation on what every operation gives, in every operand's place; the rest are columns."""
    for gives, form, takes in CALLS:
        columns = [(COLUMNS if at % 2 else OTHERS)[sort][-1] for at, sort in enumerate(takes)]
        for at, sort in enumerate(takes):
            for inner_gives, inner, inner_takes in CALLS:
                if inner_gives == sort:
                    for pick in (0, -1) if N in inner_takes else (0,):
                        made = inner.format(*[COLUMNS[each][pick] for each in inner_takes])
                        yield gives, form.format(*columns[:at], made, *columns[at + 1 :])


# ---- every place ----


def places(sort: str, made: str) -> Iterator[str]:
    """Questions with an expression in every place that takes one of its sort."""
    yield f"SELECT COUNT({made}), COUNT(DISTINCT {made}) FROM h"
    yield f"SELECT {made} AS k, COUNT(*), COUNT(DISTINCT p) FROM h GROUP BY {made}"
    yield f"SELECT COUNT(*) FROM (SELECT p, {made} AS v FROM h) q WHERE v IS NOT NULL"
    yield f"SELECT COUNT(*), COUNT(m) FROM (SELECT p, MAX({made}) AS m, COUNT(DISTINCT {made}) AS n FROM h GROUP BY p) q WHERE n < 9"
    yield f"SELECT COUNT(*) FROM (SELECT p, {made} AS k, COUNT(*) AS n FROM h GROUP BY p, {made}) q"
    yield f"SELECT COUNT(v) FROM (SELECT p, {made} AS v FROM h UNION ALL SELECT p, {made} AS v FROM h WHERE b) q"
    truth = {
        N: f"{made} > 1",
        T: f"{made} < 'm'",
        B: made,
        DATE: f"{made} > '2020-01-01'",
        MOMENT: f"{made} > '2020-01-01'",
    }[sort]
    yield f"SELECT COUNT(*) FROM h WHERE {truth}"
    yield f"SELECT COUNT(*) FILTER (WHERE {truth}), COUNT(x) FILTER (WHERE NOT ({truth})) FROM h"
    yield f"SELECT AVG(LEAST(GREATEST(m, 0), 9)) FROM (SELECT p, COUNT(*) FILTER (WHERE {truth}) AS m FROM h GROUP BY p HAVING MAX({made}) IS NOT NULL) q"
    if sort == N:
        held = f"LEAST(GREATEST({made}, -100), 1e12)"
        yield f"SELECT SUM({held}), AVG({held}), VARIANCE(LEAST(GREATEST({made}, 0), 9)) FROM h"
        yield f"SELECT MEDIAN({held}), QUANTILE({held}, 0.9), COUNT(*) FROM h"
        yield f"SELECT SUM(LEAST(GREATEST(s, 0), 9)) FROM (SELECT p, SUM({held}) AS s, AVG({held}) AS a FROM h GROUP BY p) q WHERE a > 1"
        yield f"SELECT COUNT(*) FROM (SELECT p, {made} AS v FROM h) q JOIN pub ON q.v = pub.n"
    if sort == T:
        yield f"SELECT COUNT(*) FROM (SELECT p, {made} AS v FROM h) q LEFT JOIN pub ON q.v = pub.k"


class Together(str):
    """A question about many expressions, and the questions about fewer of them."""

    halves: "tuple[Together, ...]" = ()


def together(made: Iterable[tuple[str, str]], size: int = 40) -> Iterator[Together]:
    """Many expressions in few questions."""
    waiting: list[str] = []
    for _, text in made:
        waiting.append(text)
        if len(waiting) == size or sum(map(len, waiting)) > 8000:
            yield _counted(waiting)
            waiting = []
    if waiting:
        yield _counted(waiting)


def _counted(texts: list[str]) -> Together:
    question = Together(f"SELECT {', '.join(f'COUNT({text})' for text in dict.fromkeys(texts))} FROM h")
    half = len(texts) // 2
    question.halves = (_counted(texts[:half]), _counted(texts[half:])) if half else ()
    return question


# ---- how questions end ----


def operations(expressions: Iterable[Expression]) -> set[str]:
    """The names of all operations in some expressions."""
    found: set[str] = set()
    waiting = list(expressions)
    while waiting:
        each = waiting.pop()
        if isinstance(each, Call):
            found.add(each.op)
            waiting.extend(each.args)
    return found


@cache
def _priced(text: str) -> PricedQuery:
    """A question as every engine here prices it: what they declare is the same, and no price looks at rows."""
    from neighbours import priced

    return priced(_nobody(), text)


@cache
def _nobody() -> DuckDBEngine:
    return engine(singles().slice(0, 0))


def ended(made: Any, text: str, seen: set[str] | None = None) -> str:
    """How a question ends: answered, refused before data are read, or failed."""
    try:
        query = _priced(text)
    except InvalidQuestion as error:
        if "for one row" in error.problem and getattr(text, "halves", ()):  # type: ignore[arg-type]  # too much at once: in parts
            ends = [ended(made, half, seen) for half in text.halves]  # type: ignore[attr-defined]
            return next((end for end in ends if end != "answered"), "answered")
        return f"refused: {error.problem}"
    if seen is not None:
        seen |= operations(query.question.expressions())
    try:
        made.aggregate(query)
    except EngineFailed:
        return "failed"
    return "answered"


def first_failure(made: Any, questions: Iterable[str]) -> str | None:
    """The first question that the engine fails on."""
    return next((text for text in questions if ended(made, text) == "failed"), None)
