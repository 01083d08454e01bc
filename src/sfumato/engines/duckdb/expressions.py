"""DuckDB's SQL for row expressions, written so that no cell can make a statement fail.

Three walls, one behind the other. Every operation is total by its own SQL: arithmetic is on doubles, which overflow to
infinity and not to an error, days are held within the calendar, texts are cut, casts are tried; what has no value is
NULL or NaN, and NaN is taken for NULL where values are added up. What is not on the short list of operations that are
total whatever the engine (`_TOTAL`) stands inside `TRY(…)`, which gives NULL where anything still fails. And a
statement that holds such an operation (`is_plain` tells) is planned without the two steps by which DuckDB takes a
function out of `TRY(…)`: statistics of columns, which it puts through functions while it plans, and common
subexpressions. Whole-number columns are compared as they are, so that large keys stay exact.
"""

from datetime import date, datetime
from fractions import Fraction

from sfumato.data import Kind
from sfumato.query.expression import MOST_CHARACTERS, Call, Expression, Literal, Ref, in_calendar, longest

_INFIX = {"add": "+", "sub": "-", "mul": "*"}
_COMPARE = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "same": "IS NOT DISTINCT FROM"}
_PLAIN = {"floor": "floor", "ceil": "ceil", "abs": "abs", "sign": "sign", "exp": "exp"}
_TEXT = {"lower": "lower", "upper": "upper", "trim": "trim", "starts_with": "starts_with", "contains": "contains"}
_TYPES = {
    Kind.INTEGER: "BIGINT", Kind.REAL: "DOUBLE", Kind.TEXT: "VARCHAR", Kind.BOOLEAN: "BOOLEAN",
    Kind.DATE: "DATE", Kind.TIMESTAMP: "TIMESTAMP",
}  # fmt: skip
_DAYS = (date(1, 1, 1), date(9999, 12, 31))
_PARTS = ("year", "quarter", "month", "week", "day", "dayofweek", "dayofyear", "hour", "minute")
_LENIENT = frozenset({"and", "or", "is_null", "same", "case", "coalesce", "nullif"})
"""What gives a value where an operand has none: each of its operands is tried by itself. All others are NULL then."""
_TOTAL = _LENIENT | {
    "not", "eq", "ne", "lt", "le", "gt", "ge", "in", "add", "sub", "mul", "div", "neg", "abs", "floor", "ceil", "sign",
    "clip", "least", "greatest", "sqrt",
}  # fmt: skip
"""Comparisons, choices and arithmetic of IEEE doubles: total whatever the operands."""


def quoted(name: str) -> str:
    """A name as an identifier."""
    return '"' + name.replace('"', '""') + '"'


def type_of(kind: Kind) -> str:
    """The type that holds a kind."""
    return _TYPES[kind]


def literal(value: object, kind: Kind) -> str:
    """A constant."""
    if value is None:
        return f"CAST(NULL AS {_TYPES[kind]})"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, int) and kind is Kind.INTEGER:
        return f"({value})" if value < 0 else str(value)
    assert isinstance(value, int | float)
    return double(value)


def double(value: float | Fraction) -> str:
    """A constant as a double."""
    return f"CAST('{float(value)!r}' AS DOUBLE)"


def sql(expression: Expression) -> str:
    """The SQL of an expression; numbers that are computed are doubles, columns and constants are what they are."""
    made = _written(expression)
    return f"TRY({made})" if _is_tried(expression) else made


def number(expression: Expression) -> str:
    """The same as a double."""
    return _as_double(expression, sql(expression))


def is_plain(expression: Expression) -> bool:
    """Whether there are only operations in it that are total whatever the engine."""
    if not isinstance(expression, Call):
        return True
    return expression.op in _TOTAL and all(is_plain(arg) for arg in expression.args)


def is_whole(expression: Expression) -> bool:
    """Whether the SQL is a whole number as it stands."""
    return expression.kind is Kind.INTEGER and not isinstance(expression, Call)


def present(expression: Expression) -> str:
    """Whether there is a value: NaN is none."""
    made = sql(expression)
    real = expression.kind is Kind.REAL or (expression.kind.is_number and isinstance(expression, Call))
    return f"coalesce(NOT isnan({made}), FALSE)" if real else f"({made} IS NOT NULL)"


def on_calendar(expression: Expression) -> str:
    """A day or moment of the years 1 to 9999, as every calendar can write it; NULL for others."""
    made = sql(expression)
    return made if in_calendar(expression) else _within_calendar(made, expression.kind)


def _within_calendar(made: str, kind: Kind) -> str:
    low, high = (literal(end if kind is Kind.DATE else datetime(*end.timetuple()[:3]), kind) for end in _DAYS)
    return f"CASE WHEN {made} >= {low} AND {made} < {high} THEN {made} END"


def _is_tried(expression: Expression) -> bool:
    """Whether something in it that makes all of it NULL is not total by itself."""
    if not isinstance(expression, Call) or expression.op in _LENIENT:
        return False
    return expression.op not in _TOTAL or any(_is_tried(arg) for arg in expression.args)


def _written(expression: Expression) -> str:
    """The SQL as it stands: what is not total in it is to be tried as a whole."""
    if isinstance(expression, Ref):
        return f"c{expression.index}"
    if isinstance(expression, Literal):
        return literal(expression.value, expression.kind)
    return _lenient(expression) if expression.op in _LENIENT else _strict(expression)


def _as_double(expression: Expression, made: str) -> str:
    return made if expression.kind is Kind.REAL or isinstance(expression, Call) else f"CAST({made} AS DOUBLE)"


def _number(expression: Expression) -> str:
    return _as_double(expression, _written(expression))


def _text(expression: Expression) -> str:
    """A text of at most so many characters: one long cell must not cost what a table does."""
    made = _written(expression)
    if longest(expression) is not None:
        return made
    return f"CASE WHEN strlen({made}) <= {MOST_CHARACTERS} THEN {made} ELSE left({made}, {MOST_CHARACTERS}) END"


def _moment(expression: Expression) -> str:
    made = _written(expression)
    return made if in_calendar(expression) else _within_calendar(made, expression.kind)


# ---- operations that give a value where an operand has none: operands are tried one by one ----


def _lenient(call: Call) -> str:
    op, args = call.op, call.args
    if op in ("and", "or"):
        return "(" + f" {op.upper()} ".join(sql(arg) for arg in args) + ")"
    if op == "same":
        left, right = _alike(args, [sql(arg) for arg in args])
        return f"({left} {_COMPARE[op]} {right})"
    if op == "is_null":
        return f"(NOT {present(args[0])})"
    if op == "coalesce":
        return f"coalesce({', '.join(_as(arg, call.kind) for arg in args)})"
    if op == "nullif":
        left, right = _alike(args, [sql(arg) for arg in args])
        return f"CASE WHEN {left} = {right} THEN NULL ELSE {_as(args[0], call.kind)} END"
    pairs = [(args[i], args[i + 1]) for i in range(0, len(args) - 1, 2)]
    body = " ".join(f"WHEN {sql(condition)} THEN {_as(value, call.kind)}" for condition, value in pairs)
    default = f" ELSE {_as(args[-1], call.kind)}" if len(args) % 2 else ""
    return f"CASE {body}{default} END"


def _as(expression: Expression, kind: Kind) -> str:
    """An expression as a value of a common kind."""
    return number(expression) if kind.is_number else sql(expression)


def _alike(args: tuple[Expression, ...], made: list[str]) -> list[str]:
    kinds = {arg.kind for arg in args}
    if kinds <= {Kind.INTEGER, Kind.REAL}:
        if all(is_whole(each) for each in args):
            return made
        return [_as_double(arg, each) for arg, each in zip(args, made, strict=True)]
    if kinds == {Kind.DATE, Kind.TIMESTAMP}:
        return [f"TRY_CAST({each} AS TIMESTAMP)" for each in made]
    return made


# ---- operations that are NULL where an operand is ----


def _strict(call: Call) -> str:
    op, args = call.op, call.args
    if op == "not":
        return f"(NOT {_written(args[0])})"
    if op in _COMPARE:
        left, right = _alike(args, [_written(arg) for arg in args])
        return f"({left} {_COMPARE[op]} {right})"
    if op == "in":
        sides = _alike(args, [_written(arg) for arg in args])
        return f"({sides[0]} IN ({', '.join(sides[1:])}))"
    if op in ("like", "ilike"):
        return f"({_text(args[0])} {op.upper()} {_written(args[1])})"
    if op in _TEXT:
        return f"{_TEXT[op]}({', '.join(_text(arg) for arg in args)})"
    if op.startswith("cast_"):
        return _cast(call)
    if op.startswith("trunc_"):
        cut = f"date_trunc('{op[6:]}', TRY_CAST({_moment(args[0])} AS TIMESTAMP))"
        return f"TRY_CAST({cut} AS {_TYPES[call.kind]})"
    if op in _PARTS:
        part = {"dayofweek": "dow", "dayofyear": "doy"}.get(op, op)
        return f"CAST(date_part('{part}', {_moment(args[0])}) AS DOUBLE)"
    if op == "length":
        return f"CAST(length({_text(args[0])}) AS DOUBLE)"
    if op == "substring":
        return f"substring({', '.join([_text(args[0]), *map(_written, args[1:])])})"
    return _concat(args) if op == "concat" else _arithmetic(op, args)


def _held(expression: Expression) -> list[Expression]:
    """What must be there for LEAST or GREATEST to be, through those within it; constants are."""
    if isinstance(expression, Literal):
        return []
    if isinstance(expression, Call) and expression.op in ("least", "greatest"):
        return [each for arg in expression.args for each in _held(arg)]
    return [expression]


def _unguarded(expression: Expression) -> str:
    """The same without looking whether anything is missing, where that is looked at outside."""
    if isinstance(expression, Call) and expression.op in ("least", "greatest"):
        return f"{expression.op}({', '.join(_unguarded(arg) for arg in expression.args)})"
    return _number(expression)


def _concat(args: tuple[Expression, ...]) -> str:
    """The texts one after the other, cut again at every step: no text on the way is longer than two may be."""
    made, length = _text(args[0]), longest(args[0])
    for arg in args[1:]:
        length = _sum(length, longest(arg))
        made = f"({made} || {_text(arg)})"
        if length is None or length > MOST_CHARACTERS:
            made, length = f"left({made}, {MOST_CHARACTERS})", MOST_CHARACTERS
    return made


def _sum(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


def _cast(call: Call) -> str:
    (arg,) = call.args
    if arg.kind is Kind.TEXT:
        inner = _text(arg)
    else:
        inner = _moment(arg) if arg.kind in (Kind.DATE, Kind.TIMESTAMP) else _written(arg)
    if call.kind is Kind.INTEGER:
        return f"CAST(TRY_CAST({inner} AS BIGINT) AS DOUBLE)"
    made = f"TRY_CAST({inner} AS {_TYPES[call.kind]})"
    return _within_calendar(made, call.kind) if arg.kind is Kind.TEXT and call.kind in _CALENDAR else made


_CALENDAR = (Kind.DATE, Kind.TIMESTAMP)


def _arithmetic(op: str, args: tuple[Expression, ...]) -> str:
    x = [_number(arg) for arg in args]
    if op in _INFIX:
        return f"({x[0]} {_INFIX[op]} {x[1]})"
    if op == "div":
        return f"({x[0]} / nullif({x[1]}, 0))"
    if op == "mod":
        return f"({x[0]} % nullif({x[1]}, 0))"
    if op == "neg":
        return f"(-{x[0]})"
    if op == "clip":
        found = args[0].range
        assert found.lower is not None
        assert found.upper is not None
        low, high = double(found.lower), double(found.upper)
        known = f"{x[0]} IS NOT NULL" if args[0].kind is Kind.INTEGER else f"{x[0]} IS NOT NULL AND NOT isnan({x[0]})"
        return f"CASE WHEN {known} THEN greatest({low}, least({high}, {x[0]})) END"
    if op in ("least", "greatest"):
        missing = " OR ".join(f"{_number(each)} IS NULL" for arg in args for each in _held(arg)) or "FALSE"
        return f"CASE WHEN {missing} THEN NULL ELSE {op}({', '.join(_unguarded(arg) for arg in args)}) END"
    if op == "sqrt":
        return f"CASE WHEN {x[0]} >= 0 THEN sqrt({x[0]}) END"
    if op in ("ln", "log2", "log10"):
        return f"CASE WHEN {x[0]} > 0 THEN {op}({x[0]}) END"
    if op == "pow":
        return f"pow({x[0]}, {x[1]})"
    if op == "round":
        return f"round({x[0]}{f', {_written(args[1])}' if len(args) > 1 else ''})"
    return f"CAST({_PLAIN[op]}({x[0]}) AS DOUBLE)"
