"""DuckDB's SQL for row expressions, written so that no cell can make a statement fail.

Arithmetic is on doubles, which overflow to infinity and not to an error; what has no value is NULL or NaN, and NaN is
taken for NULL where values are added up. Whole-number columns are compared as they are, so that large keys stay exact.
"""

from datetime import date, datetime
from fractions import Fraction

from sfumato.data import Kind
from sfumato.query.expression import Call, Expression, Literal, Ref

_INFIX = {"add": "+", "sub": "-", "mul": "*"}
_COMPARE = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "same": "IS NOT DISTINCT FROM"}
_PLAIN = {"floor": "floor", "ceil": "ceil", "abs": "abs", "sign": "sign", "exp": "exp"}
_TEXT = {"lower": "lower", "upper": "upper", "trim": "trim", "starts_with": "starts_with", "contains": "contains"}
_TYPES = {
    Kind.INTEGER: "BIGINT", Kind.REAL: "DOUBLE", Kind.TEXT: "VARCHAR", Kind.BOOLEAN: "BOOLEAN",
    Kind.DATE: "DATE", Kind.TIMESTAMP: "TIMESTAMP",
}  # fmt: skip
_LONGEST_TEXT = 10_000
_DAYS = (date(1, 1, 1), date(9999, 12, 31))
_PARTS = ("year", "quarter", "month", "week", "day", "dayofweek", "dayofyear", "hour", "minute")


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
    if isinstance(expression, Ref):
        return f"c{expression.index}"
    if isinstance(expression, Literal):
        return literal(expression.value, expression.kind)
    return _call(expression)


def number(expression: Expression) -> str:
    """The same as a double."""
    made = sql(expression)
    return made if expression.kind is Kind.REAL or isinstance(expression, Call) else f"CAST({made} AS DOUBLE)"


def is_whole(expression: Expression) -> bool:
    """Whether the SQL is a whole number as it stands."""
    return expression.kind is Kind.INTEGER and not isinstance(expression, Call)


def present(expression: Expression) -> str:
    """Whether there is a value: NaN is none."""
    made = sql(expression)
    real = expression.kind is Kind.REAL or (expression.kind.is_number and isinstance(expression, Call))
    return f"({made} IS NOT NULL AND NOT isnan({made}))" if real else f"({made} IS NOT NULL)"


def in_calendar(expression: Expression) -> str:
    """A day or moment of the years 1 to 9999, as every calendar can write it; NULL for others."""
    kind, made = expression.kind, sql(expression)
    low, high = (literal(end if kind is Kind.DATE else datetime(*end.timetuple()[:3]), kind) for end in _DAYS)
    return f"CASE WHEN {made} >= {low} AND {made} < {high} THEN {made} END"


def _call(call: Call) -> str:
    op, args = call.op, call.args
    if op in ("and", "or"):
        return "(" + f" {op.upper()} ".join(sql(arg) for arg in args) + ")"
    if op == "not":
        return f"(NOT {sql(args[0])})"
    if op in _COMPARE:
        left, right = _alike(args)
        return f"({left} {_COMPARE[op]} {right})"
    if op == "in":
        sides = _alike(args)
        return f"({sides[0]} IN ({', '.join(sides[1:])}))"
    if op == "is_null":
        return f"(NOT {present(args[0])})"
    if op in ("like", "ilike"):
        return f"({sql(args[0])} {op.upper()} {sql(args[1])})"
    if op in _TEXT:
        return f"{_TEXT[op]}({', '.join(sql(arg) for arg in args)})"
    return _value(call)


def _alike(args: tuple[Expression, ...]) -> list[str]:
    kinds = {arg.kind for arg in args}
    if kinds <= {Kind.INTEGER, Kind.REAL}:
        return [sql(arg) if all(is_whole(each) for each in args) else number(arg) for arg in args]
    if kinds == {Kind.DATE, Kind.TIMESTAMP}:
        return [f"TRY_CAST({sql(arg)} AS TIMESTAMP)" for arg in args]
    return [sql(arg) for arg in args]


def _value(call: Call) -> str:
    op, args = call.op, call.args
    if op == "case":
        return _case(call)
    if op == "coalesce":
        return f"coalesce({', '.join(_as(arg, call.kind) for arg in args)})"
    if op == "nullif":
        left, right = _alike(args)
        return f"CASE WHEN {left} = {right} THEN NULL ELSE {_as(args[0], call.kind)} END"
    if op.startswith("cast_"):
        return _cast(call)
    if op.startswith("trunc_"):
        within = f"TRY_CAST({in_calendar(args[0])} AS TIMESTAMP)"  # days far away overflow when they are cut
        return f"TRY_CAST(date_trunc('{op[6:]}', {within}) AS {_TYPES[call.kind]})"
    if op in _PARTS:
        part = {"dayofweek": "dow", "dayofyear": "doy"}.get(op, op)
        return f"CAST(date_part('{part}', {sql(args[0])}) AS DOUBLE)"
    if op == "length":
        return f"CAST(length({sql(args[0])}) AS DOUBLE)"
    if op == "substring":
        return f"substring({', '.join(sql(arg) for arg in args)})"
    if op == "concat":
        cut = [sql(arg) if isinstance(arg, Literal) else f"left({sql(arg)}, {_LONGEST_TEXT})" for arg in args]
        return "(" + " || ".join(cut) + ")"  # doubling a long text again and again must not exhaust memory
    return _arithmetic(op, args)


def _arithmetic(op: str, args: tuple[Expression, ...]) -> str:
    x = [number(arg) for arg in args]
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
        missing = " OR ".join(f"{each} IS NULL" for each in x)
        return f"CASE WHEN {missing} THEN NULL ELSE {op}({', '.join(x)}) END"
    if op == "sqrt":
        return f"CASE WHEN {x[0]} >= 0 THEN sqrt({x[0]}) END"
    if op in ("ln", "log2", "log10"):
        return f"CASE WHEN {x[0]} > 0 THEN {op}({x[0]}) END"
    if op == "pow":
        return f"pow({x[0]}, {x[1]})"
    if op == "round":
        return f"round({x[0]}{f', {sql(args[1])}' if len(args) > 1 else ''})"
    return f"CAST({_PLAIN[op]}({x[0]}) AS DOUBLE)"


def _as(expression: Expression, kind: Kind) -> str:
    """An expression as a value of a common kind."""
    return number(expression) if kind.is_number else sql(expression)


def _case(call: Call) -> str:
    args = call.args
    pairs = [(args[i], args[i + 1]) for i in range(0, len(args) - 1, 2)]
    body = " ".join(f"WHEN {sql(condition)} THEN {_as(value, call.kind)}" for condition, value in pairs)
    default = f" ELSE {_as(args[-1], call.kind)}" if len(args) % 2 else ""
    return f"CASE {body}{default} END"


def _cast(call: Call) -> str:
    inner = sql(call.args[0])
    if call.kind is Kind.INTEGER:
        return f"CAST(TRY_CAST({inner} AS BIGINT) AS DOUBLE)"
    return f"TRY_CAST({inner} AS {_TYPES[call.kind]})"
