"""Calls of every function, from the closed list of records, and rows of hostile values: what an engine is asked for them.

What a call gives in Python stands beside it, so that every engine's SQL is compared with the same values.
"""

import math
import random
import struct
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pyarrow as pa

from sfumato.data import Kind
from sfumato.query import evaluate as evaluating
from sfumato.query.bars import Bar
from sfumato.query.expression import Call, Expression, Field, Literal, Ref
from sfumato.query.functions import FUNCTIONS, Function, Sort
from sfumato.query.functions.record import Operand
from sfumato.query.range import Range

DRAW = random.Random(17)
INEXACT = {"ln", "log2", "log10", "exp", "pow"}
"""Functions of libraries, which may differ by two units in the last place; all others are exact."""

WHOLE = (None, -(2**63), -(2**63) + 1, -(2**53) - 1, -3, -1, 0, 1, 2, 7, 2**31, 2**53 + 1, 2**63 - 1)
REALS = (
    None, math.nan, math.inf, -math.inf, 1.7976931348623157e308, -1.7976931348623157e308, 5e-324, -5e-324, 2.2250738585072014e-308, -0.0, 0.0,
    0.5, -0.5, 1.5, 2.5, -2.5, 0.49999999999999994, 0.15, 1.005, -1.0, 3.0, 4503599627370497.5, 2.0**53, 2.0**63, -(2.0**63), 1e16, 1e-5, 710.0, 1e19,
)  # fmt: skip
TEXTS = (
    None, "", " ", "a", "A", "abc", "aBc ", " ab\tc\n", "\u00a0x\u3000", "aaaa", "abcabc", "a%b_c", "%", "_", "%%a_%", "\\", "a\\%", "'", "''", "é", "e\u0301", "İ", "ıſẞßΣςﬁ", "ΌΣΟΣ",
    "ᾳᾼῷŉǰ", "𝔘🧑‍🤝‍🧑", "\x00", "a\x00b", "\u202eabc", "漢字", "हिन्दी", "12", "-12.5", " 7 ", "+.5", "5.", "1e3", "1e999", "-0", "0x10", "1_000", "nan", "-nan", "inf", "٣", "９",
    "9223372036854775807", "9223372036854775807.5", "9" * 400, "0" * 500 + "1", "true", "T", "yes", "NO", "2020-02-29", "2021-02-29", "2020/1/2", "2020-1/2",
    "0001-01-01", "9999-12-31", "9999-12-30 23:59:59.9999999", "2020-01-01 24:00:00", "2020-01-01T10:00:00.5Z", "2020-01-01 10:00+02:00", "2020-01-01 10:00:60",
    "12020-01-01", "2020-01-01 (BC)", "epoch", "infinity", "x" * 10_000, "ß" * 10_001, "ab" * 5_100,
)  # fmt: skip
TRUTHS = (None, True, False)
DAYS = (
    None, date(1, 1, 1), date(1, 1, 2), date(4, 2, 29), date(1582, 10, 15), date(1900, 2, 28), date(1969, 12, 31), date(1970, 1, 1), date(2000, 2, 29),
    date(2016, 1, 3), date(2020, 12, 31), date(2021, 1, 1), date(2024, 12, 30), date(9999, 12, 30), date(9999, 12, 31),
)  # fmt: skip
MOMENTS = (
    None, datetime(1, 1, 1), datetime(1, 1, 1, 0, 0, 0, 1), datetime(1969, 12, 31, 23, 59, 59, 999_999), datetime(1970, 1, 1), datetime(2021, 3, 28, 2, 30),
    datetime(2021, 10, 31, 2, 59, 59), datetime(2024, 2, 29, 12, 34, 56, 789_000), datetime(2020, 12, 31, 23, 59, 59, 999_999), datetime(2020, 1, 1, 0, 0, 0, 500_000),
    datetime(9999, 12, 30, 23, 59, 59, 999_999), datetime(9999, 12, 31), datetime(9999, 12, 31, 23, 59, 59, 999_999),
)  # fmt: skip
HOSTILE: dict[Kind, tuple[Any, ...]] = {
    Kind.INTEGER: WHOLE, Kind.REAL: REALS, Kind.TEXT: TEXTS, Kind.BOOLEAN: TRUTHS, Kind.DATE: DAYS, Kind.TIMESTAMP: MOMENTS,
}  # fmt: skip
ARROW = {
    Kind.INTEGER: pa.int64(), Kind.REAL: pa.float64(), Kind.TEXT: pa.string(), Kind.BOOLEAN: pa.bool_(), Kind.DATE: pa.date32(),
    Kind.TIMESTAMP: pa.timestamp("us"),
}  # fmt: skip
KINDS = tuple(Kind)
POSITIONS, WORDS = (
    (0, 1, 2, 3, 17, 400, 10_000),
    ("", "a", "aa", "b", "_", "%a_%", "a%b%c", "%é%", "%", "\\", "ß", "xxxx"),
)


def drawn(kind: Kind) -> Any:
    """A value of a kind, at random."""
    at = datetime(1, 1, 1) + timedelta(microseconds=DRAW.randrange(315_500_000_000_000_000))
    return {  # type: ignore[no-untyped-call]
        Kind.INTEGER: lambda: DRAW.randrange(-(2 ** DRAW.randrange(1, 64)), 2 ** DRAW.randrange(1, 63)),
        Kind.REAL: lambda: struct.unpack("d", struct.pack("Q", DRAW.getrandbits(64)))[0] if DRAW.random() < 0.5 else DRAW.randrange(-4000, 4000) / 8,
        Kind.TEXT: lambda: "".join(DRAW.choice("aAbB%_ .-:+0123456789eéßİσΣς\u0301𝔘\n") for _ in range(DRAW.randrange(12))),
        Kind.BOOLEAN: lambda: DRAW.random() < 0.5,
        Kind.DATE: at.date,
        Kind.TIMESTAMP: lambda: at,
    }[kind]()  # fmt: skip


def _columns() -> dict[str, tuple[Kind, list[Any]]]:
    """Two columns of every kind with pairs of its hostile values, and a third; then values at random."""
    pairs = {kind: list(product(HOSTILE[kind], repeat=2)) for kind in KINDS}
    pairs[Kind.TEXT] = [(text, other) for text in TEXTS for other in (text, *DRAW.sample(TEXTS, 7))]
    size, more = max(map(len, pairs.values())), 200
    made: dict[str, tuple[Kind, list[Any]]] = {}
    for kind in KINDS:
        both = [pairs[kind][at % len(pairs[kind])] for at in range(size)]
        columns = [
            [one for one, _ in both],
            [other for _, other in both],
            [HOSTILE[kind][5 * at % len(HOSTILE[kind])] for at in range(size)],
        ]
        for number, values in enumerate(columns):
            made[f"{kind.value}{number}"] = (kind, values + [drawn(kind) for _ in range(more)])
    return made


COLUMNS = _columns()
FIELDS = {name: Ref(at, Field(name, kind)) for at, (name, (kind, _)) in enumerate(COLUMNS.items())}
ROWS = [[Bar(value) for value in line] for line in zip(*(values for _, values in COLUMNS.values()), strict=True)]


def table() -> pa.Table:
    """The rows as cells, with the number of their line."""
    cells = {f"c{at}": pa.array(values, ARROW[kind]) for at, (kind, values) in enumerate(COLUMNS.values())}
    return pa.table({"line": range(len(ROWS)), **cells})


# ---- calls, from the records alone ----

KINDS_OF = {
    Sort.NUMBER: (Kind.INTEGER, Kind.REAL), Sort.TEXT: (Kind.TEXT,), Sort.BOOLEAN: (Kind.BOOLEAN,),
    Sort.DATE: (Kind.DATE, Kind.TIMESTAMP), Sort.ANY: KINDS, Sort.SAFE: KINDS, Sort.ALIKE: KINDS, Sort.CHOSEN: KINDS,
}  # fmt: skip


def _allowed(function: Function, kinds: Sequence[Kind]) -> bool:
    """Whether a question may have such operands: like beside like, conditions before choices, days to no numbers."""
    numbers, times = {Kind.INTEGER, Kind.REAL}, {Kind.DATE, Kind.TIMESTAMP}
    sort = function.operand(0).sort
    if sort is Sort.ALIKE:
        return len(set(kinds)) == 1 or set(kinds) <= numbers or set(kinds) <= times
    if function.op == "case":
        values = {*kinds[1::2], *(kinds[-1:] if len(kinds) % 2 else ())}
        return set(kinds[0 : len(kinds) - 1 : 2]) == {Kind.BOOLEAN} and (len(values) == 1 or values <= numbers)
    if sort is Sort.CHOSEN:
        return len(set(kinds)) == 1 or set(kinds) <= numbers
    if sort is Sort.SAFE:
        given, wanted = kinds[0], Kind(function.gives)
        return given is not wanted and (Kind.TEXT in (given, wanted) or given.is_time is wanted.is_time)
    return True


def _constants(operand: Operand, kind: Kind) -> list[Expression]:
    """Constants that an operand allows; beside what is compared, of its kind."""
    if operand.sort is Sort.ALIKE:
        known = [value for value in HOSTILE[kind] if value is not None and str(value) not in ("nan", "inf", "-inf")]
        return [Literal(value, kind) for value in DRAW.sample(known, min(3, len(known)))]
    taken, values = (Kind.INTEGER, POSITIONS) if operand.sort is Sort.NUMBER else (Kind.TEXT, WORDS)
    return [Literal(value, taken) for value in values if operand.allows(value)]


def calls(function: Function) -> Iterator[Call]:
    """Every way to call a function of columns, by kinds and numbers of operands; a constant where it wants one."""
    if function.op == "clip":  # written by the house, around bounded columns
        for name, ends in (("integer0", (-3, 2**31)), ("real0", (Fraction(-1, 2), 3))):
            bounded = Field(name, FIELDS[name].kind, Range(Fraction(ends[0]), Fraction(ends[1])))
            yield function.call((Ref(FIELDS[name].index, bounded),))
        return
    most = len(function.takes) + 2 * function.many
    for count in (each for each in range(1, most + 1) if function.takes_so_many(each)):
        taken = [function.operand(at) for at in range(count)]
        free = [KINDS_OF[operand.sort] for operand in taken if not operand.is_constant]
        for kinds in (each for each in product(*free) if _allowed(function, each)):
            held = [_constants(operand, kinds[0]) for operand in taken if operand.is_constant]
            for constants in product(*held):
                columns, rest = (FIELDS[f"{kind.value}{at}"] for at, kind in enumerate(kinds)), iter(constants)
                yield function.call([next(rest) if operand.is_constant else next(columns) for operand in taken])


@cache
def _all_calls(op: str) -> list[Call]:
    return list(calls(FUNCTIONS[op]))


def nested(kind: Kind, depth: int) -> Expression:
    """An expression of a kind at random: functions of functions."""
    if depth == 0 or DRAW.random() < 0.15:
        return FIELDS[f"{kind.value}{DRAW.randrange(3)}"]
    while True:
        function = DRAW.choice([each for each in FUNCTIONS.values() if each.op != "clip"])
        made = DRAW.choice(_all_calls(function.op))
        if made.kind is kind:
            args = [nested(arg.kind, depth - 1) if isinstance(arg, Ref) else arg for arg in made.args]
            return function.call(args)


# ---- both sides ----


def in_python(expression: Expression) -> list[Any]:
    """What an expression gives in Python for every row, before it is shown: computed numbers are doubles."""
    return [evaluating._found(expression, row).value for row in ROWS]


def agree(found: Any, wanted: Any, *, exactly: bool) -> bool:
    """Whether two values are one: of the same type, and to the last bit unless a library computed them."""
    if found is None or wanted is None or type(found) is not type(wanted):
        return found is wanted
    if not isinstance(found, float):
        return bool(found == wanted)
    if math.isnan(found) or math.isnan(wanted):
        return math.isnan(found) and math.isnan(wanted)
    if exactly or math.isinf(found) or math.isinf(wanted):
        return struct.pack("d", found) == struct.pack("d", wanted)
    return abs(found - wanted) <= 2 * math.ulp(wanted)  # type: ignore[no-any-return]


def differences(expressions: Sequence[Expression], lines: Sequence[Sequence[Any]]) -> list[Any]:
    """Where what SQL gave for every row differs: the expression, its operands, what SQL gives and what Python gives."""
    found = []
    for at, each in enumerate(expressions):
        exactly = not INEXACT & set(operations(each))
        for row, line, value in zip(ROWS, lines, in_python(each), strict=True):
            if not agree(value, line[at], exactly=exactly):
                found.append((each.canonical(), read(each, row), line[at], value))
    return found


def operations(expression: Expression) -> list[str]:
    if not isinstance(expression, Call):
        return []
    return [expression.op, *(op for arg in expression.args for op in operations(arg))]


def read(expression: Expression, row: list[Bar]) -> list[Any]:
    if isinstance(expression, Ref):
        return [row[expression.index].value]
    return [value for arg in getattr(expression, "args", ()) for value in read(arg, row)]


GRAMMAR = "0123456789--//::..  TZ+eEx_nafi\t\n"
WRITTEN = ("5", "-12.5", "+.5", "1e3", "1_000", "9223372036854775807", "0.49", "2.50", "2020-02-29", "2020/1/2", "2020-01-01 10:00:00.5", "2020-01-01T1:00Z",
           "2021-12-31 23:59:59+02:00", "9999-12-31 01:01")  # fmt: skip


def nearly_values() -> list[str]:
    """Texts that are nearly numbers or days, and some that are."""
    texts = set(WRITTEN)
    while len(texts) < 8_000:
        letters = list(DRAW.choice(WRITTEN))
        for _ in range(DRAW.randrange(1, 4)):
            letters[(at := DRAW.randrange(len(letters) + 1)) : at + DRAW.randrange(2)] = DRAW.choice(GRAMMAR)
        texts.add("".join(letters))
    return sorted(texts)
