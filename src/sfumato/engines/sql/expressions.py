"""Row expressions in SQL, written so that no cell can make a statement fail.

Two walls here, and one in the engine. Every operation is total by its own SQL: arithmetic is on doubles, which overflow
to infinity and not to an error, days are held within the calendar, texts are cut, casts are tried; what has no value is
NULL or NaN, and NaN is taken for NULL where values are added up. What is not on the short list of operations that are
total whatever the engine (`_TOTAL`) is tried as a whole (`Dialect.tried`), which gives NULL where anything still fails.
`is_plain` tells an engine whether a statement holds such an operation, so that it can be planned with more care.
Whole-number columns are compared as they are, so that large keys stay exact.
"""

from datetime import date, datetime

from sfumato.data import Kind
from sfumato.engines.sql.dialect import Dialect
from sfumato.query.expression import MOST_CHARACTERS, Call, Expression, Literal, Ref, in_calendar, longest

_INFIX = {"add": "+", "sub": "-", "mul": "*"}
_COMPARE = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_OF_TEXT = ("lower", "upper", "trim", "starts_with", "contains", "length")
_OF_DAYS = ("year", "quarter", "month", "week", "day", "dayofweek", "dayofyear", "hour", "minute")
_MOMENTS = (Kind.DATE, Kind.TIMESTAMP)
_DAYS = (date(1, 1, 1), date(9999, 12, 31))
_LENIENT = frozenset({"and", "or", "is_null", "same", "case", "coalesce", "nullif"})
"""What gives a value where an operand has none: each of its operands is tried by itself. All others are NULL then."""
_TOTAL = _LENIENT | {
    "not", "eq", "ne", "lt", "le", "gt", "ge", "in", "add", "sub", "mul", "div", "neg", "abs", "floor", "ceil", "sign",
    "clip", "least", "greatest", "sqrt",
}  # fmt: skip
"""Comparisons, choices and arithmetic of IEEE doubles: total whatever the operands."""


def is_plain(expression: Expression) -> bool:
    """Whether there are only operations in it that are total whatever the engine."""
    if not isinstance(expression, Call):
        return True
    return expression.op in _TOTAL and all(is_plain(arg) for arg in expression.args)


def is_whole(expression: Expression) -> bool:
    """Whether the SQL is a whole number as it stands."""
    return expression.kind is Kind.INTEGER and not isinstance(expression, Call)


class Expressions:
    """Writes expressions in a dialect; the columns of the relation are c0, c1, …"""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect

    def sql(self, expression: Expression) -> str:
        """The SQL of an expression; numbers that are computed are doubles, columns and constants are what they are."""
        made = self._written(expression)
        return self.dialect.tried(made) if self._is_tried(expression) else made

    def number(self, expression: Expression) -> str:
        """The same as a double."""
        return self._as_double(expression, self.sql(expression))

    def present(self, expression: Expression) -> str:
        """Whether there is a value: NaN is none."""
        made = self.sql(expression)
        real = expression.kind is Kind.REAL or (expression.kind.is_number and isinstance(expression, Call))
        return f"coalesce(NOT {self.dialect.is_nan(made)}, FALSE)" if real else f"({made} IS NOT NULL)"

    def on_calendar(self, expression: Expression) -> str:
        """A day or moment of the years 1 to 9999, as every calendar can write it; NULL for others."""
        made = self.sql(expression)
        return made if in_calendar(expression) else self._within_calendar(made, expression.kind)

    def column(self, expression: Expression) -> str:
        """An expression as a column: a whole number is 64 bits wide, so that columns are equal where values are.

        Computed ones are doubles inside of expressions, and many large whole numbers are equal to one double.
        """
        made = self.sql(expression)
        whole = expression.kind is not Kind.INTEGER or is_whole(expression)
        return made if whole else self.dialect.cast(made, Kind.INTEGER)

    def _within_calendar(self, made: str, kind: Kind) -> str:
        ends = (end if kind is Kind.DATE else datetime(*end.timetuple()[:3]) for end in _DAYS)
        low, high = (self.dialect.literal(end, kind) for end in ends)
        return f"CASE WHEN {made} >= {low} AND {made} < {high} THEN {made} END"

    def _is_tried(self, expression: Expression) -> bool:
        """Whether something in it that makes all of it NULL is not total by itself."""
        if not isinstance(expression, Call) or expression.op in _LENIENT:
            return False
        return expression.op not in _TOTAL or any(self._is_tried(arg) for arg in expression.args)

    def _written(self, expression: Expression) -> str:
        """The SQL as it stands: what is not total in it is to be tried as a whole."""
        if isinstance(expression, Ref):
            return f"c{expression.index}"
        if isinstance(expression, Literal):
            return self.dialect.literal(expression.value, expression.kind)
        return self._lenient(expression) if expression.op in _LENIENT else self._strict(expression)

    def _as_double(self, expression: Expression, made: str) -> str:
        if expression.kind is Kind.REAL or isinstance(expression, Call):
            return made
        return f"CAST({made} AS {self.dialect.type_of(Kind.REAL)})"

    def _number(self, expression: Expression) -> str:
        return self._as_double(expression, self._written(expression))

    def _text(self, expression: Expression) -> str:
        """A text of at most so many characters: one long cell must not cost what a table does."""
        made = self._written(expression)
        return made if longest(expression) is not None else self.dialect.shortened(made, MOST_CHARACTERS)

    def _moment(self, expression: Expression) -> str:
        made = self._written(expression)
        return made if in_calendar(expression) else self._within_calendar(made, expression.kind)

    # ---- operations that give a value where an operand has none: operands are tried one by one ----

    def _lenient(self, call: Call) -> str:
        op, args = call.op, call.args
        if op in ("and", "or"):
            return "(" + f" {op.upper()} ".join(self.sql(arg) for arg in args) + ")"
        if op == "same":
            return self.dialect.same(*self._alike(args, [self.sql(arg) for arg in args]))
        if op == "is_null":
            return f"(NOT {self.present(args[0])})"
        if op == "coalesce":
            return f"coalesce({', '.join(self._as(arg, call.kind) for arg in args)})"
        if op == "nullif":
            left, right = self._alike(args, [self.sql(arg) for arg in args])
            return f"CASE WHEN {left} = {right} THEN NULL ELSE {self._as(args[0], call.kind)} END"
        pairs = [(args[i], args[i + 1]) for i in range(0, len(args) - 1, 2)]
        body = " ".join(f"WHEN {self.sql(condition)} THEN {self._as(value, call.kind)}" for condition, value in pairs)
        default = f" ELSE {self._as(args[-1], call.kind)}" if len(args) % 2 else ""
        return f"CASE {body}{default} END"

    def _as(self, expression: Expression, kind: Kind) -> str:
        """An expression as a value of a common kind."""
        return self.number(expression) if kind.is_number else self.sql(expression)

    def _alike(self, args: tuple[Expression, ...], made: list[str]) -> list[str]:
        kinds = {arg.kind for arg in args}
        if kinds <= {Kind.INTEGER, Kind.REAL}:
            if all(is_whole(each) for each in args):
                return made
            return [self._as_double(arg, each) for arg, each in zip(args, made, strict=True)]
        if kinds == set(_MOMENTS):
            return [self.dialect.cast(each, Kind.TIMESTAMP) for each in made]
        return made

    # ---- operations that are NULL where an operand is ----

    def _strict(self, call: Call) -> str:
        op, args = call.op, call.args
        if op == "not":
            return f"(NOT {self._written(args[0])})"
        if op in _COMPARE:
            left, right = self._alike(args, [self._written(arg) for arg in args])
            return f"({left} {_COMPARE[op]} {right})"
        if op == "in":
            sides = self._alike(args, [self._written(arg) for arg in args])
            return f"({sides[0]} IN ({', '.join(sides[1:])}))"
        if op.startswith("cast_"):
            return self._cast(call)
        if op == "concat":
            return self._concat(args)
        made = self._operands(op, args)
        return self._arithmetic(op, args) if made is None else self.dialect.function(op, made, call.kind)

    def _operands(self, op: str, args: tuple[Expression, ...]) -> list[str] | None:
        """The operands of a function of texts or days; None for one of numbers."""
        if op in ("like", "ilike"):
            return [self._text(args[0]), self._written(args[1])]
        if op in _OF_TEXT:
            return [self._text(arg) for arg in args]
        if op == "substring":
            return [self._text(args[0]), *map(self._written, args[1:])]
        return [self._moment(args[0])] if op in _OF_DAYS or op.startswith("trunc_") else None

    def _concat(self, args: tuple[Expression, ...]) -> str:
        """The texts one after the other, cut again at every step: no text on the way is longer than two may be."""
        made, length = self._text(args[0]), longest(args[0])
        for arg in args[1:]:
            length = _sum(length, longest(arg))
            made = f"({made} || {self._text(arg)})"
            if length is None or length > MOST_CHARACTERS:
                made, length = self.dialect.function("left", [made, str(MOST_CHARACTERS)], Kind.TEXT), MOST_CHARACTERS
        return made

    def _cast(self, call: Call) -> str:
        (arg,) = call.args
        if arg.kind is Kind.TEXT:
            inner = self._text(arg)
        else:
            inner = self._moment(arg) if arg.kind in _MOMENTS else self._written(arg)
        made = self.dialect.cast(inner, call.kind)
        if call.kind is Kind.INTEGER:
            return f"CAST({made} AS {self.dialect.type_of(Kind.REAL)})"
        return self._within_calendar(made, call.kind) if arg.kind is Kind.TEXT and call.kind in _MOMENTS else made

    def _arithmetic(self, op: str, args: tuple[Expression, ...]) -> str:
        if op in ("least", "greatest"):
            return self._extreme(op, args)
        x = [self._number(arg) for arg in args]
        if op in _INFIX:
            return f"({x[0]} {_INFIX[op]} {x[1]})"
        if op == "div":
            return f"({x[0]} / nullif({x[1]}, 0))"
        if op == "neg":
            return f"(-{x[0]})"
        if op == "clip":
            return self._clipped(args[0], x[0])
        if op == "sqrt":
            return f"CASE WHEN {x[0]} >= 0 THEN {self.dialect.function(op, x, Kind.REAL)} END"
        if op in ("ln", "log2", "log10"):
            return f"CASE WHEN {x[0]} > 0 THEN {self.dialect.function(op, x, Kind.REAL)} END"
        if op == "round" and len(args) > 1:
            return self.dialect.function(op, [x[0], self._written(args[1])], Kind.REAL)
        return self.dialect.function(op, x, Kind.REAL)

    def _clipped(self, expression: Expression, x: str) -> str:
        found = expression.range
        assert found.lower is not None
        assert found.upper is not None
        ends = [self.dialect.double(found.upper), x]
        held = self.dialect.function("least", ends, Kind.REAL)
        held = self.dialect.function("greatest", [self.dialect.double(found.lower), held], Kind.REAL)
        known = f"{x} IS NOT NULL"
        if expression.kind is not Kind.INTEGER:
            known += f" AND NOT {self.dialect.is_nan(x)}"
        return f"CASE WHEN {known} THEN {held} END"

    def _extreme(self, op: str, args: tuple[Expression, ...]) -> str:
        """LEAST or GREATEST; NULL where an operand is, which is looked at once for all that are nested."""
        missing = " OR ".join(f"{self._number(each)} IS NULL" for arg in args for each in _held(arg)) or "FALSE"
        made = self.dialect.function(op, [self._unguarded(arg) for arg in args], Kind.REAL)
        return f"CASE WHEN {missing} THEN NULL ELSE {made} END"

    def _unguarded(self, expression: Expression) -> str:
        """The same without looking whether anything is missing, where that is looked at outside."""
        if isinstance(expression, Call) and expression.op in ("least", "greatest"):
            made = [self._unguarded(arg) for arg in expression.args]
            return self.dialect.function(expression.op, made, Kind.REAL)
        return self._number(expression)


def _held(expression: Expression) -> list[Expression]:
    """What must be there for LEAST or GREATEST to be, through those within it; constants are."""
    if isinstance(expression, Literal):
        return []
    if isinstance(expression, Call) and expression.op in ("least", "greatest"):
        return [each for arg in expression.args for each in _held(arg)]
    return [expression]


def _sum(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b
