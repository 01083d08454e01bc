"""Expressions over released values: post-processing, which costs nothing.

Values carry their intervals along (Survey Proposition 3.7: what is computed from a release is as private as it). What
a function gives is what an engine's SQL gives: its operands are prepared as an engine prepares them, computed numbers
are doubles, with infinities and NaN on the way, and what leaves is a whole number where the expression is one.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from sfumato.data import Kind
from sfumato.query.bars import MISSING, Bar
from sfumato.query.expression import MOST_CHARACTERS, Call, Expression, Literal, Ref, in_calendar
from sfumato.query.functions.reading import FIRST_DAY, LAST_DAY
from sfumato.query.functions.record import Function, Sort

_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


def evaluate(expression: Expression, row: Sequence[Bar]) -> Bar:
    """The value of an expression over one released row; what has no value, or no finite one, is NULL."""
    found = _found(expression, row)
    match expression:
        case Call() if expression.kind.is_number and found.value is not None:
            if not math.isfinite(found.value):
                return MISSING
            return replace(found, value=int(found.value) if expression.kind is Kind.INTEGER else float(found.value))
        case _:
            return found


def _found(expression: Expression, row: Sequence[Bar]) -> Bar:
    match expression:
        case Ref(index=index):
            return row[index]
        case Literal(value=value):
            return Bar(value)
        case Call(args=args, function=function):
            bars = [_found(arg, row) for arg in args]
            return _called(expression, function, bars)


def _called(call: Call, function: Function, bars: list[Bar]) -> Bar:
    values = operands(call, [bar.value for bar in bars])
    if None in values and not function.lenient:
        return _missing(bars)
    constants = function.constants(call)
    if function.choices is not None:
        at: Any = function.value(*values)
        doubtful = any(bar.uncertain for bar in bars[:at]) or (function.op == "nullif" and not _are_apart(bars))
        return _missing(bars) if at is None else _chosen(call, bars[at], doubtful=doubtful)
    value = _valued(function, values, constants, call.kind)
    if value is None:
        return _missing(bars)
    uncertain = _in_doubt(function, bars)
    if not uncertain or function.interval is None:
        return Bar(value, uncertain=uncertain)
    ends = [end for bar in bars if (end := bar.ends()) is not None]
    if len(ends) < len(bars):
        return Bar(value, uncertain=True)
    interval = function.interval(lambda *at: _finite(_valued(function, at, constants, Kind.REAL)), ends)
    return Bar(value, uncertain=True) if interval is None else Bar(value, *interval)


def _missing(bars: Sequence[Bar]) -> Bar:
    """No value; where released ones are elsewhere in their bars there may be one."""
    return Bar(None, uncertain=any(map(_is_noisy, bars)))


def _is_noisy(bar: Bar) -> bool:
    return bar.has_interval or bar.uncertain


def _in_doubt(function: Function, bars: Sequence[Bar]) -> bool:
    """Whether a value may be another where released ones are elsewhere in their bars."""
    if function.op == "is_null":
        return bars[0].uncertain
    if function.op in _COMPARISONS:
        return not _are_apart(bars)
    return any(map(_is_noisy, bars))


def _are_apart(bars: Sequence[Bar]) -> bool:
    """Whether two values compare in the same way wherever they are in their bars."""
    if not any(map(_is_noisy, bars)):
        return True
    one, other = (bar.ends() for bar in bars)
    return one is not None and other is not None and (one[1] < other[0] or other[1] < one[0])


def _chosen(call: Call, bar: Bar, *, doubtful: bool) -> Bar:
    """What was chosen; by a condition that is in doubt, it may be something else, which its bar does not hold."""
    if doubtful:
        bar = Bar(bar.value, uncertain=True)
    if bar.value is None or not call.kind.is_number:
        return bar
    return replace(bar, value=_double(bar.value))


def _valued(function: Function, values: Sequence[Any], constants: Sequence[Any], kind: Kind) -> Any:
    try:
        made: Any = function.value(*values, *constants)
    except (ArithmeticError, ValueError):  # a last net: records are total by themselves
        return None
    return float(made) if made is not None and kind.is_number else made


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


# ---- operands, prepared as `engines.sql.expressions` writes them ----


def operands(call: Call, values: Sequence[Any]) -> list[Any]:
    """The operands of a call as its function takes them; None where there is no value."""
    sorts = [call.function.operand(i) for i in range(len(call.args))]
    if sorts[0].sort is Sort.ALIKE:
        return _alike(call.args, values)
    return [
        None if value is None else value if operand.is_constant else _prepared(operand.sort, arg, value, call.kind)
        for operand, arg, value in zip(sorts, call.args, values, strict=True)
    ]


def _prepared(sort: Sort, arg: Expression, value: Any, gives: Kind) -> Any:
    match sort.prepared_for(arg.kind):
        case Sort.NUMBER:
            return _double(value)
        case Sort.TEXT:
            return str(value)[:MOST_CHARACTERS]
        case Sort.DATE:
            return value if in_calendar(arg) or FIRST_DAY <= _day(value) < LAST_DAY else None
        case Sort.CHOSEN:
            return _double(value) if gives.is_number and arg.kind.is_number else value
        case _:
            return _double(value) if arg.kind is Kind.REAL else value


def _alike(args: Sequence[Expression], values: Sequence[Any]) -> list[Any]:
    kinds = {arg.kind for arg in args}
    if kinds <= {Kind.INTEGER, Kind.REAL}:
        whole = all(arg.kind is Kind.INTEGER and type(arg) is not Call for arg in args)
        return list(values) if whole else [None if value is None else _double(value) for value in values]
    if kinds == {Kind.DATE, Kind.TIMESTAMP}:
        return [None if value is None else _moment(value) for value in values]
    return list(values)


def _double(value: Any) -> float | None:
    try:
        return float(value)
    except OverflowError:  # a whole number beyond all doubles
        return None


def _day(value: date) -> date:
    match value:
        case datetime():
            return value.date()
        case _:
            return value


def _moment(value: date) -> datetime:
    match value:
        case datetime():
            return value
        case _:
            return datetime(value.year, value.month, value.day)
