"""The functions a row expression may use: each total, with the kinds it takes and the range it gives.

What is not listed is refused. Every engine writes each operation so that no cell can make it fail: what has no value
(a division by zero, the root of a negative number, text that is not a number) is NULL.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato.data import Kind
from sfumato.query.expression import Call, Expression, Literal
from sfumato.query.range import Range

N, T, B, D = "number", "text", "boolean", "date"
Ranged = Callable[..., Range]


@dataclass(frozen=True, slots=True)
class Function:
    """An operation: what it takes (the last kind may repeat if `many`), what it gives, and within which range."""

    op: str
    takes: tuple[str, ...]
    gives: Kind | None
    """None: a whole number if all operands are, else a real."""
    range: Ranged = lambda *_: Range()
    many: bool = False
    least: int | None = None


def _whole(low: int, high: int) -> Ranged:
    return lambda *_: Range(Fraction(low), Fraction(high), Fraction(1))


def _floor(x: Range) -> Range:
    return Range(
        None if x.lower is None else Fraction(math.floor(x.lower)),
        None if x.upper is None else Fraction(math.ceil(x.upper)),
        Fraction(1),
    )


def _round(x: Range, digits: Range | None = None) -> Range:
    if digits is not None and (digits.lower is None or digits.lower != digits.upper or abs(digits.lower) > 12):
        return Range()
    step = Fraction(1) if digits is None or digits.lower is None else Fraction(10) ** -int(digits.lower)
    whole = _floor(Range(_over(x.lower, step), _over(x.upper, step)))
    return Range(_times(whole.lower, step), _times(whole.upper, step), step)


def _over(end: Fraction | None, step: Fraction) -> Fraction | None:
    return None if end is None else end / step


def _times(end: Fraction | None, step: Fraction) -> Fraction | None:
    return None if end is None else end * step


def _power(x: Range, y: Range) -> Range:
    n = y.lower
    if n is None or n != y.upper or n.denominator != 1 or not 1 <= n <= 64 or not x.is_bounded:
        return Range()
    if n % 2 == 0:
        x = x.magnitude()
    if x.lower is None or x.upper is None:
        return Range()
    return Range(x.lower ** int(n), x.upper ** int(n), None if x.grid is None else x.grid ** int(n))


def _mod(x: Range, y: Range) -> Range:
    """The remainder has the sign of x and is less than |y|."""
    if not y.is_bounded:
        return Range(None, None, None)
    size = y.magnitude().upper or Fraction(0)
    whole = all(grid is not None and grid.denominator == 1 for grid in (x.grid, y.grid))
    if whole:
        size = max(Fraction(0), size - 1)
    low = -size if x.lower is None or x.lower < 0 else Fraction(0)
    high = size if x.upper is None or x.upper > 0 else Fraction(0)
    return Range(low, high, Fraction(1) if whole else None)


def _root(x: Range) -> Range:
    if x.upper is None:
        return Range()
    floor = Range(max(Fraction(0), x.lower if x.lower is not None else Fraction(0)), max(Fraction(0), x.upper))
    return floor.through(math.sqrt)


def _log(of: Callable[[float], float]) -> Ranged:
    return lambda x: x.through(of) if x.lower is not None and x.lower > 0 else Range()


def _exp(x: Range) -> Range:
    return x.through(math.exp) if x.upper is not None and x.upper <= 700 else Range()


def _join(*ranges: Range) -> Range:
    whole = ranges[0]
    for each in ranges[1:]:
        whole = whole.join(each)
    return whole


def _least(*ranges: Range) -> Range:
    """No operand is exceeded: one upper end is enough. Below, all must be known. Missing operands make it missing."""
    uppers = [r.upper for r in ranges if r.upper is not None]
    lowers = [r.lower for r in ranges]
    low = None if any(end is None for end in lowers) else min(end for end in lowers if end is not None)
    return Range(low, min(uppers, default=None), _join(*ranges).grid)


def _greatest(*ranges: Range) -> Range:
    lowers = [r.lower for r in ranges if r.lower is not None]
    uppers = [r.upper for r in ranges]
    high = None if any(end is None for end in uppers) else max(end for end in uppers if end is not None)
    return Range(max(lowers, default=None), high, _join(*ranges).grid)


FUNCTIONS: dict[str, Function] = {
    "abs": Function("abs", (N,), None, Range.magnitude),
    "sign": Function("sign", (N,), Kind.INTEGER, _whole(-1, 1)),
    "floor": Function("floor", (N,), Kind.INTEGER, _floor),
    "ceil": Function("ceil", (N,), Kind.INTEGER, _floor),
    "round": Function("round", (N, N), Kind.REAL, _round, least=1),
    "sqrt": Function("sqrt", (N,), Kind.REAL, _root),
    "ln": Function("ln", (N,), Kind.REAL, _log(math.log)),
    "log2": Function("log2", (N,), Kind.REAL, _log(math.log2)),
    "log10": Function("log10", (N,), Kind.REAL, _log(math.log10)),
    "exp": Function("exp", (N,), Kind.REAL, _exp),
    "pow": Function("pow", (N, N), Kind.REAL, _power),
    "mod": Function("mod", (N, N), None, _mod),
    "least": Function("least", (N,), None, _least, many=True, least=2),
    "greatest": Function("greatest", (N,), None, _greatest, many=True, least=2),
    "lower": Function("lower", (T,), Kind.TEXT),
    "upper": Function("upper", (T,), Kind.TEXT),
    "trim": Function("trim", (T,), Kind.TEXT),
    "length": Function("length", (T,), Kind.INTEGER, lambda *_: Range(Fraction(0), None, Fraction(1))),
    "substring": Function("substring", (T, N, N), Kind.TEXT, least=2),
    "starts_with": Function("starts_with", (T, T), Kind.BOOLEAN),
    "contains": Function("contains", (T, T), Kind.BOOLEAN),
    "concat": Function("concat", (T,), Kind.TEXT, many=True, least=1),
    "year": Function("year", (D,), Kind.INTEGER, lambda *_: Range(None, None, Fraction(1))),
    "quarter": Function("quarter", (D,), Kind.INTEGER, _whole(1, 4)),
    "month": Function("month", (D,), Kind.INTEGER, _whole(1, 12)),
    "week": Function("week", (D,), Kind.INTEGER, _whole(1, 53)),
    "day": Function("day", (D,), Kind.INTEGER, _whole(1, 31)),
    "dayofweek": Function("dayofweek", (D,), Kind.INTEGER, _whole(0, 6)),
    "dayofyear": Function("dayofyear", (D,), Kind.INTEGER, _whole(1, 366)),
    "hour": Function("hour", (D,), Kind.INTEGER, _whole(0, 23)),
    "minute": Function("minute", (D,), Kind.INTEGER, _whole(0, 59)),
}
"""Every function by the name a question uses."""


def takes(kind: Kind, wanted: str) -> bool:
    """Whether a value of a kind may be given where a sort of value is wanted."""
    return {
        N: kind.is_number,
        T: kind is Kind.TEXT,
        B: kind is Kind.BOOLEAN,
        D: kind in (Kind.DATE, Kind.TIMESTAMP),
    }[wanted]


def call(function: Function, args: Sequence[Expression]) -> Call:
    """The call, with its kind and range; the operands are already checked."""
    kind = function.gives
    if kind is None:
        kind = Kind.INTEGER if all(arg.kind is Kind.INTEGER for arg in args) else Kind.REAL
    return Call(function.op, tuple(args), kind, function.range(*[arg.range for arg in args]))


def arithmetic(op: str, a: Expression, b: Expression) -> Call:
    """a + b, a - b, a * b or a / b: whole numbers stay whole except in a quotient."""
    whole = a.kind is Kind.INTEGER and b.kind is Kind.INTEGER and op != "div"
    ranges = {
        "add": lambda: a.range.plus(b.range),
        "sub": lambda: a.range.plus(b.range.negated()),
        "mul": lambda: a.range.times(b.range),
        "div": lambda: a.range.over(b.range),
    }
    found = ranges[op]()
    if op == "div" and isinstance(b, Literal) and a.range.grid is not None and b.range.lower:
        found = Range(found.lower, found.upper, a.range.grid / abs(b.range.lower))
    return Call(op, (a, b), Kind.INTEGER if whole else Kind.REAL, found)
