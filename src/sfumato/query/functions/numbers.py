"""Functions of numbers: all compute with IEEE doubles, here and in engines."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from sqlglot import exp

from sfumato.data import Kind
from sfumato.query.expression import Call, Expression, Literal
from sfumato.query.functions.intervals import corners, corners_and_zero, corners_of_power, corners_of_quotient, growing
from sfumato.query.functions.record import (
    NUMBER,
    POSITION,
    Args,
    Function,
    Node,
    Sort,
    Writer,
    as_first,
    by_ranges,
    whole_or_real,
)
from sfumato.query.range import Range

_TWO = ("this", "expression")

# ---- ranges ----


def floored(x: Range) -> Range:
    """The range of a number that is rounded to a whole one."""
    return Range(
        None if x.lower is None else Fraction(math.floor(x.lower)),
        None if x.upper is None else Fraction(math.ceil(x.upper)),
        Fraction(1),
    )


def _round(x: Range, digits: Range | None = None) -> Range:
    if digits is not None and (digits.lower is None or digits.lower != digits.upper or abs(digits.lower) > 12):
        return Range()
    step = Fraction(1) if digits is None or digits.lower is None else Fraction(10) ** -int(digits.lower)
    whole = floored(Range(_over(x.lower, step), _over(x.upper, step)))
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


def _remainder(x: Range, y: Range) -> Range:
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


def _quotient(args: Args) -> Range:
    a, b = args
    found = a.range.over(b.range)
    if type(b) is Literal and a.range.grid is not None and b.range.lower:
        return Range(found.lower, found.upper, a.range.grid / abs(b.range.lower))
    return found


def _root(x: Range) -> Range:
    if x.upper is None:
        return Range()
    floor = Range(max(Fraction(0), x.lower if x.lower is not None else Fraction(0)), max(Fraction(0), x.upper))
    return floor.through(math.sqrt)


def _logarithm(of: Callable[[float], float]) -> Callable[[Args], Range]:
    return by_ranges(lambda x: x.through(of) if x.lower is not None and x.lower > 0 else Range())


def _exponential(x: Range) -> Range:
    return x.through(math.exp) if x.upper is not None and x.upper <= 700 else Range()


def _grid_of(args: Args) -> Fraction | None:
    """The grid of all; zero lies on every one."""
    ranges = [arg.range for arg in args if not arg.range.lower == arg.range.upper == 0]
    whole = ranges[0] if ranges else Range()
    for each in ranges[1:]:
        whole = whole.join(each)
    return whole.grid


def _is_there(arg: Expression) -> bool:
    """Whether an expression has a value whatever the cells."""
    match arg:
        case Literal():
            return True
        case Call(op="least" | "greatest" | "coalesce", args=args):
            return any(map(_is_there, args))
        case _:
            return False


def _least(args: Args) -> Range:
    """No operand that is there is exceeded: one upper end of those is enough. Else any operand may be the only one."""
    there = [arg.range.upper for arg in args if _is_there(arg)]
    lowers, uppers = [arg.range.lower for arg in args], [arg.range.upper for arg in args]
    known = [end for end in there if end is not None]
    high = min(known, default=None) if there else _if_all(uppers, max)
    return Range(_if_all(lowers, min), high, _grid_of(args))


def _greatest(args: Args) -> Range:
    there = [arg.range.lower for arg in args if _is_there(arg)]
    lowers, uppers = [arg.range.lower for arg in args], [arg.range.upper for arg in args]
    known = [end for end in there if end is not None]
    low = max(known, default=None) if there else _if_all(lowers, min)
    return Range(low, _if_all(uppers, max), _grid_of(args))


def _if_all(ends: Sequence[Fraction | None], of: Callable[[Sequence[Fraction]], Fraction]) -> Fraction | None:
    known = [end for end in ends if end is not None]
    return of(known) if len(known) == len(ends) else None


# ---- values, as IEEE has them: Python raises where C gives an infinity or NaN ----


def _rounded_by(whole: Callable[[float], int]) -> Callable[[float], float]:
    def of(a: float) -> float:
        return float(whole(a)) or math.copysign(0.0, a) if math.isfinite(a) else a

    return of


def _half_away(a: float) -> float:
    """The nearest whole number, halves away from zero; the half that is added must not be rounded itself."""
    if not math.isfinite(a):
        return a
    below = math.floor(abs(a))
    return math.copysign(float(below + (abs(a) - below >= 0.5)), a)


def _rounded(a: float, digits: int = 0) -> float:
    scale = 10.0**digits if digits <= 308 else math.inf
    made = _half_away(a * scale) / scale
    return made if math.isfinite(made) or not digits else a


def _fmod(a: float, b: float) -> float | None:
    if b == 0:
        return None
    return math.nan if math.isinf(a) or math.isnan(a) or math.isnan(b) else math.fmod(a, b)


def _exp(a: float) -> float:
    try:
        return math.exp(a)
    except OverflowError:
        return math.inf


def _pow(a: float, b: float) -> float:
    odd = math.isfinite(b) and b % 2 == 1
    try:
        return math.pow(a, b)
    except OverflowError:
        return -math.inf if a < 0 and odd else math.inf
    except ValueError:  # a negative number to a broken power, or zero to a negative one
        return math.copysign(math.inf, a) if a == 0 and odd else math.inf if a == 0 else math.nan


def _above_zero(of: Callable[[float], float]) -> Callable[[float], float | None]:
    """NaN is above every number, as engines order them."""
    return lambda a: None if a <= 0 else of(a)


def ordered(a: object) -> tuple[bool, object]:
    """What values are compared by: NaN is equal to itself and above every other number."""
    return (True, 0) if is_nan(a) else (False, a)


def is_nan(a: object) -> bool:
    """Whether a value is a number that is none."""
    return type(a) is float and math.isnan(a)


def _smallest(*values: float | None) -> float | None:
    """Of those that are there."""
    return min((each for each in values if each is not None), key=ordered, default=None)


def _largest(*values: float | None) -> float | None:
    return max((each for each in values if each is not None), key=ordered, default=None)


def _held_within(a: float, low: float, high: float) -> float | None:
    return None if math.isnan(a) else max(low, min(high, a))


# ---- SQL ----


def _ends(call: Call) -> tuple[Fraction, Fraction]:
    found = call.args[0].range
    assert found.lower is not None
    assert found.upper is not None
    return found.lower, found.upper


def _clipped(write: Writer, call: Call) -> str:
    (arg,), dialect, (low, high) = call.args, write.dialect, map(float, _ends(call))
    x = write.prepared(Sort.NUMBER, arg)
    held = dialect.function("least", [dialect.double(high), x], Kind.REAL)
    held = dialect.function("greatest", [dialect.double(low), held], Kind.REAL)
    known = f"{x} IS NOT NULL"
    if arg.kind is not Kind.INTEGER:
        known += f" AND NOT {dialect.is_nan(x)}"
    return f"CASE WHEN {known} THEN {held} END"


NUMBERS = (
    Function(
        op="add", takes=(NUMBER, NUMBER), gives=whole_or_real, value=lambda a, b: a + b, sql="({0} + {1})", listed="+",
        nodes=(Node(exp.Add, _TWO),), range=by_ranges(Range.plus), interval=corners, total=True, unordered_from=0,
    ),
    Function(
        op="sub", takes=(NUMBER, NUMBER), gives=whole_or_real, value=lambda a, b: a - b, sql="({0} - {1})", listed="-",
        nodes=(Node(exp.Sub, _TWO),), range=by_ranges(lambda a, b: a.plus(b.negated())), interval=corners, total=True,
    ),
    Function(
        op="mul", takes=(NUMBER, NUMBER), gives=whole_or_real, value=lambda a, b: a * b, sql="({0} * {1})", listed="*",
        nodes=(Node(exp.Mul, _TWO),), range=by_ranges(Range.times), interval=corners, total=True, unordered_from=0,
    ),
    Function(
        op="div", takes=(NUMBER, NUMBER), gives=Kind.REAL, value=lambda a, b: None if b == 0 else a / b, listed="/",
        sql="({0} / nullif({1}, 0))", nodes=(Node(exp.Div, _TWO),), range=_quotient, interval=corners_of_quotient,
        total=True,
    ),
    Function(
        op="mod", takes=(NUMBER, NUMBER), gives=whole_or_real, value=_fmod, sql="mod({0}, nullif({1}, 0))",
        dialects={"duckdb": "({0} % nullif({1}, 0))"}, names=("mod",), nodes=(Node(exp.Mod, _TWO),),
        range=by_ranges(_remainder),
    ),
    Function(
        op="neg", takes=(NUMBER,), gives=as_first, value=lambda a: -a, sql="(-{0})", listed="-",
        range=by_ranges(Range.negated), interval=corners, total=True,
    ),
    Function(
        op="abs", takes=(NUMBER,), gives=whole_or_real, value=abs, sql="CAST(abs({0}) AS {double})",
        nodes=(Node(exp.Abs),), range=by_ranges(Range.magnitude), interval=corners_and_zero, total=True,
    ),
    Function(
        op="sign", takes=(NUMBER,), gives=Kind.INTEGER, value=lambda a: (a > 0) - (a < 0),
        sql="CAST(sign({0}) AS {double})", nodes=(Node(exp.Sign),),
        range=by_ranges(lambda _: Range(Fraction(-1), Fraction(1), Fraction(1))), total=True,
    ),
    Function(
        op="floor", takes=(NUMBER,), gives=Kind.INTEGER, value=_rounded_by(math.floor),
        sql="CAST(floor({0}) AS {double})", nodes=(Node(exp.Floor),), range=by_ranges(floored), interval=corners,
        total=True,
    ),
    Function(
        op="ceil", takes=(NUMBER,), gives=Kind.INTEGER, value=_rounded_by(math.ceil), sql="CAST(ceil({0}) AS {double})",
        nodes=(Node(exp.Ceil),), range=by_ranges(floored), interval=corners, total=True,
    ),
    Function(
        op="trunc", takes=(NUMBER,), gives=Kind.INTEGER, value=_rounded_by(math.trunc),
        sql="CAST(trunc({0}) AS {double})", nodes=(Node(exp.Trunc),), range=by_ranges(floored), interval=corners,
        total=True,
    ),
    Function(
        op="round", takes=(NUMBER, POSITION), least=1, gives=Kind.REAL, value=_rounded, sql="round({all})",
        nodes=(Node(exp.Round, ("this", "decimals")),), range=by_ranges(_round), interval=corners,
    ),
    Function(
        op="sqrt", takes=(NUMBER,), gives=Kind.REAL, value=lambda a: None if a < 0 else math.sqrt(a),
        sql="CASE WHEN {0} >= 0 THEN sqrt({0}) END", nodes=(Node(exp.Sqrt),), range=by_ranges(_root), interval=corners,
        repeats=2, total=True,
    ),
    Function(
        op="ln", takes=(NUMBER,), gives=Kind.REAL, value=_above_zero(math.log),
        sql="CASE WHEN {0} > 0 THEN ln({0}) END", nodes=(Node(exp.Ln),), range=_logarithm(math.log), interval=corners,
        repeats=2,
    ),
    Function(
        op="log2", takes=(NUMBER,), gives=Kind.REAL, value=_above_zero(math.log2), names=("log2",),
        sql="CASE WHEN {0} > 0 THEN log2({0}) END", range=_logarithm(math.log2), interval=corners, repeats=2,
    ),
    Function(
        op="log10", takes=(NUMBER,), gives=Kind.REAL, value=_above_zero(math.log10), names=("log10",),
        sql="CASE WHEN {0} > 0 THEN log10({0}) END", range=_logarithm(math.log10), interval=corners, repeats=2,
    ),
    Function(
        op="exp", takes=(NUMBER,), gives=Kind.REAL, value=_exp, sql="CAST(exp({0}) AS {double})",
        nodes=(Node(exp.Exp),), range=by_ranges(_exponential), interval=corners,
    ),
    Function(
        op="pow", takes=(NUMBER, NUMBER), gives=Kind.REAL, value=_pow, sql="pow({0}, {1})", names=("power",),
        nodes=(Node(exp.Pow, _TWO),), range=by_ranges(_power), interval=corners_of_power,
    ),
    Function(
        op="least", takes=(NUMBER,), many=True, least=2, gives=whole_or_real, value=_smallest, sql="least({all})",
        nodes=(Node(exp.Least, ("this", "expressions")),), range=_least, interval=growing, lenient=True, total=True,
    ),
    Function(
        op="greatest", takes=(NUMBER,), many=True, least=2, gives=whole_or_real, value=_largest, sql="greatest({all})",
        nodes=(Node(exp.Greatest, ("this", "expressions")),), range=_greatest, interval=growing, lenient=True,
        total=True,
    ),
    Function(
        op="clip", takes=(NUMBER,), gives=as_first, value=_held_within, writes=_clipped, listed=None,
        range=lambda args: args[0].range, repeats=3, total=True, constants=lambda call: tuple(map(float, _ends(call))),
    ),
)  # fmt: skip
"""Arithmetic, roundings, logarithms and extremes; `clip` is written by the house, and not by questions."""
