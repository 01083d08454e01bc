"""Expressions over released values: post-processing, which costs nothing.

Values carry their intervals along (Survey Proposition 3.7: what is computed from a release is as private as it).
"""

import math
import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from sfumato.query.expression import MOST_CHARACTERS, Call, Expression, Literal, Ref
from sfumato.query.released import MISSING, Bar


def evaluate(expression: Expression, row: Sequence[Bar]) -> Bar:
    """The value of an expression over one released row; what has no value is NULL."""
    if isinstance(expression, Ref):
        return row[expression.index]
    if isinstance(expression, Literal):
        return Bar(expression.value)
    return _operation(expression, row)


def _operation(call: Call, row: Sequence[Bar]) -> Bar:
    op = call.op
    if op == "case":
        return _case(call, row)
    args = [evaluate(arg, row) for arg in call.args]
    if op == "coalesce":
        return next((arg for arg in args if arg.value is not None), MISSING)
    if op in _LOGIC:
        return Bar(_LOGIC[op]([arg.value for arg in args]))
    if any(arg.value is None for arg in args):
        return MISSING
    values = _alike([arg.value for arg in args])
    if op in _COMPARE:
        return Bar(_compared(op, values))
    if op == "in":
        return Bar(any(values[0] == other for other in values[1:]))
    if op == "nullif":
        return MISSING if values[0] == values[1] else args[0]
    return _numeric(op, args)


def _compared(op: str, values: list[Any]) -> bool | None:
    try:
        return _COMPARE[op](values[0], values[1])
    except TypeError:  # values that are not of one kind have no order
        return None


def _alike(values: list[Any]) -> list[Any]:
    """Days beside moments are moments, at midnight, so that they compare."""
    if not any(isinstance(value, datetime) for value in values):
        return values
    return [_moment(value) if isinstance(value, date) else value for value in values]


def _moment(value: date) -> datetime:
    return value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)


def _case(call: Call, row: Sequence[Bar]) -> Bar:
    args = call.args
    for i in range(0, len(args) - 1, 2):
        if evaluate(args[i], row).value is True:
            return evaluate(args[i + 1], row)
    return evaluate(args[-1], row) if len(args) % 2 else MISSING


def _and(values: list[Any]) -> bool | None:
    if any(value is False for value in values):
        return False
    return None if any(value is None for value in values) else True


def _or(values: list[Any]) -> bool | None:
    if any(value is True for value in values):
        return True
    return None if any(value is None for value in values) else False


_LOGIC: dict[str, Callable[[list[Any]], bool | None]] = {
    "and": _and,
    "or": _or,
    "not": lambda values: None if values[0] is None else not values[0],
    "is_null": lambda values: values[0] is None,
    "same": lambda values: bool(_alike(values)[0] == _alike(values)[1]),
}
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


def _pow(a: float, b: float) -> float:
    made: float | complex = float(a) ** float(b)  # whole numbers would grow without end
    if isinstance(made, complex):
        raise ValueError("no real power")
    return made


def _cut(value: Any) -> str:
    """A text as the engine computes with it."""
    return str(value)[:MOST_CHARACTERS]


def _midnight(value: date) -> Any:
    return value.replace(hour=0, minute=0, second=0, microsecond=0) if isinstance(value, datetime) else value


def _day(value: date) -> date:
    return value.date() if isinstance(value, datetime) else value


def _truth(value: Any) -> bool | None:
    if not isinstance(value, str):
        return bool(value)
    return {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}.get(value.lower())


OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "mod": math.fmod,
    "neg": lambda a: -a,
    "abs": abs,
    "sign": lambda a: (a > 0) - (a < 0),
    "floor": math.floor,
    "ceil": math.ceil,
    "round": lambda a, digits=0: round(a, int(digits)) if digits else round(a),
    "sqrt": math.sqrt,
    "ln": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "exp": math.exp,
    "pow": _pow,
    "least": min,
    "greatest": max,
    "clip": lambda a: a,
    "cast_integer": lambda a: round(float(a)),
    "cast_real": float,
    "cast_text": str,
    "lower": lambda a: _cut(a).lower(),
    "upper": lambda a: _cut(a).upper(),
    "trim": lambda a: _cut(a).strip(" "),
    "length": lambda a: len(_cut(a)),
    "concat": lambda *parts: "".join(str(part) for part in parts)[:MOST_CHARACTERS],
    "substring": lambda a, start, length=None: _cut(a)[
        max(0, start - 1) : None if length is None else max(0, start - 1 + length)
    ],
    "starts_with": lambda a, b: _cut(a).startswith(_cut(b)),
    "contains": lambda a, b: _cut(b) in _cut(a),
    "like": lambda a, b: _like(_cut(a), str(b)),
    "ilike": lambda a, b: _like(_cut(a).lower(), str(b).lower()),
    "year": lambda a: a.year,
    "month": lambda a: a.month,
    "day": lambda a: a.day,
    "quarter": lambda a: (a.month + 2) // 3,
    "hour": lambda a: getattr(a, "hour", 0),
    "minute": lambda a: getattr(a, "minute", 0),
    "dayofweek": lambda a: (a.weekday() + 1) % 7,
    "dayofyear": lambda a: a.timetuple().tm_yday,
    "week": lambda a: a.isocalendar()[1],
    "trunc_year": lambda a: _midnight(a).replace(month=1, day=1),
    "trunc_quarter": lambda a: _midnight(a).replace(month=(a.month - 1) // 3 * 3 + 1, day=1),
    "trunc_month": lambda a: _midnight(a).replace(day=1),
    "trunc_week": lambda a: _midnight(a) - timedelta(days=a.weekday()),
    "trunc_day": _midnight,
    "trunc_hour": lambda a: a.replace(minute=0, second=0, microsecond=0) if isinstance(a, datetime) else a,
    "trunc_minute": lambda a: a.replace(second=0, microsecond=0) if isinstance(a, datetime) else a,
    "cast_date": lambda a: _day(a if isinstance(a, date) else datetime.fromisoformat(str(a))),
    "cast_timestamp": lambda a: (
        _moment(a) if isinstance(a, date) else datetime.fromisoformat(str(a)).replace(tzinfo=None)
    ),
    "cast_boolean": _truth,
}
_GROWING = {
    "add", "sub", "mul", "div", "neg", "abs", "floor", "ceil", "round", "sqrt", "ln", "log2", "log10", "exp", "pow",
    "least", "greatest", "cast_integer", "cast_real",
}  # fmt: skip


def _like(text: str, pattern: str) -> bool:
    """Whether a text is as a pattern says: % stands for any characters, _ for one; in time of text times pattern.

    >>> _like("a%c", "a_c"), _like("abcbcd", "a%bc%"), _like("ab", "a%b%b"), _like("", "%"), _like("x", "")
    (True, True, False, True, False)
    """
    first, *rest = (_piece(piece) for piece in pattern.split("%"))
    start = first.match(text)
    if not rest or start is None:
        return first.fullmatch(text) is not None
    at = start.end()
    for piece in rest[:-1]:  # each as early as it can be: what follows has the most left
        found = piece.search(text, at)
        if found is None:
            return False
        at = found.end()
    last = len(pattern.rsplit("%", 1)[1])
    return len(text) - last >= at and rest[-1].fullmatch(text, len(text) - last) is not None


def _piece(text: str) -> "re.Pattern[str]":
    """A part of a pattern without %: as many characters as it has."""
    return re.compile("".join("." if c == "_" else re.escape(c) for c in text), re.DOTALL)


def _numeric(op: str, args: list[Bar]) -> Bar:
    value = _tried(op, [arg.value for arg in args])
    if value is None or op not in _GROWING or not any(arg.has_interval for arg in args):
        return Bar(value)
    interval = _interval(op, args)
    return Bar(value) if interval is None else Bar(value, *interval)


def _tried(op: str, values: Sequence[Any]) -> Any:
    try:
        made = OPERATIONS[op](*values)
    except (ArithmeticError, ValueError, TypeError, AttributeError, MemoryError):
        return None
    if isinstance(made, float) and not math.isfinite(made):
        return None
    too_large = isinstance(made, int) and not isinstance(made, bool) and abs(made) > _LARGEST
    return None if too_large else made


_LARGEST = 10**300
"""A whole number beyond this has no error bar, and none is told."""


def _interval(op: str, args: list[Bar]) -> tuple[float, float] | None:
    """The range of an operation over its operands' intervals: its corners, as each is monotone in each operand."""
    ends = [arg.ends() for arg in args]
    if any(end is None for end in ends):
        return None
    known = [end for end in ends if end is not None]
    if op == "div" and known[1][0] <= 0 <= known[1][1]:
        return None
    if op in ("least", "greatest"):  # they grow in every operand, and may have many
        low, high = (_tried(op, [each[end] for each in known]) for end in (0, 1))
        return None if low is None or high is None else (float(low), float(high))
    corners: list[list[float]] = [[]]
    for low, high in known:
        corners = [[*corner, end] for corner in corners for end in dict.fromkeys((low, high))]
    if op in ("abs", "pow") and known[0][0] < 0 < known[0][1]:
        corners += [[0.0, *corner[1:]] for corner in corners]
    made = [_tried(op, corner) for corner in corners]
    ends_made = [None if each is None else _tried("cast_real", [each]) for each in made]
    found = [each for each in ends_made if each is not None]
    return (min(found), max(found)) if len(found) == len(made) else None
