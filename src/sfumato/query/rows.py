"""Row expressions: SQL nodes into the closed tree, with kinds checked and names resolved to positions."""

from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp

from sfumato.data import Kind
from sfumato.errors import InvalidQuestion
from sfumato.query.expression import Call, Expression, Literal, written_size
from sfumato.query.functions import FUNCTIONS, Function, arithmetic, call, takes
from sfumato.query.literals import date_literal, dated, number
from sfumato.query.parse import only, refused, word
from sfumato.query.range import Range
from sfumato.query.scope import Scope

_COMPARE: dict[type[exp.Expression], str] = {
    exp.EQ: "eq",
    exp.NEQ: "ne",
    exp.LT: "lt",
    exp.LTE: "le",
    exp.GT: "gt",
    exp.GTE: "ge",
}
_MIRROR = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
_ARITHMETIC: dict[type[exp.Expression], str] = {exp.Add: "add", exp.Sub: "sub", exp.Mul: "mul", exp.Div: "div"}
_NAMED: dict[type[exp.Expression], str] = {
    exp.Abs: "abs", exp.Sign: "sign", exp.Floor: "floor", exp.Ceil: "ceil", exp.Round: "round", exp.Sqrt: "sqrt",
    exp.Ln: "ln", exp.Exp: "exp", exp.Pow: "pow", exp.Mod: "mod", exp.Least: "least", exp.Greatest: "greatest",
    exp.Lower: "lower", exp.Upper: "upper", exp.Trim: "trim", exp.Length: "length", exp.Substring: "substring",
    exp.StartsWith: "starts_with", exp.Contains: "contains", exp.Concat: "concat", exp.DPipe: "concat",
    exp.Year: "year", exp.Quarter: "quarter", exp.Month: "month", exp.Week: "week", exp.Day: "day",
    exp.DayOfWeek: "dayofweek", exp.DayOfYear: "dayofyear", exp.Hour: "hour", exp.Minute: "minute",
}  # fmt: skip
_ORDERED: dict[type[exp.Expression], tuple[str, ...]] = {
    exp.Substring: ("this", "start", "length"), exp.Round: ("this", "decimals"), exp.Concat: ("expressions",),
    exp.Least: ("this", "expressions"), exp.Greatest: ("this", "expressions"),
    **dict.fromkeys((exp.Pow, exp.Mod, exp.DPipe, exp.StartsWith, exp.Contains), ("this", "expression")),
}  # fmt: skip
_ANONYMOUS = {
    "strlen": "length",
    "power": "pow",
    "mod": "mod",
    "log10": "log10",
    "log2": "log2",
    "prefix": "starts_with",
}
_PARTS = {"year", "quarter", "month", "week", "day", "hour", "minute"}
_EXTRACT = {"DOW": "dayofweek", "DAYOFWEEK": "dayofweek", "DOY": "dayofyear", "DAYOFYEAR": "dayofyear"}
_CASTS = {
    Kind.INTEGER: {"INT", "BIGINT", "SMALLINT", "TINYINT", "UINT", "UBIGINT", "INT128"},
    Kind.REAL: {"DOUBLE", "FLOAT", "DECIMAL"},
    Kind.TEXT: {"TEXT", "VARCHAR", "CHAR", "NVARCHAR"},
    Kind.BOOLEAN: {"BOOLEAN"},
    Kind.DATE: {"DATE"},
    Kind.TIMESTAMP: {"TIMESTAMP", "TIMESTAMPNTZ", "DATETIME"},
}
_MOST_WRITTEN = 4096
_REMEDY = "see docs/sql.md for the functions there are"


class Rows:
    """Builds row expressions within one scope."""

    def __init__(self, scope: Scope) -> None:
        self._scope, self._text = scope, scope.text

    @property
    def text(self) -> str:
        """The question's text."""
        return self._text

    def predicate(self, node: exp.Expression) -> Expression:
        """An expression that is true, false or NULL."""
        made = self(node)
        if made.kind is not Kind.BOOLEAN:
            raise refused(
                f"a condition must be true or false, found {made.kind.value}", node, self._text, hint="compare it"
            )
        return made

    def __call__(self, node: exp.Expression) -> Expression:
        """The expression of a node."""
        for kinds, build in _BUILDERS:
            if isinstance(node, kinds):
                return self._short(build(self, node), node)
        if type(node) in _NAMED:
            return self._short(self._named(FUNCTIONS[_NAMED[type(node)]], node), node)
        if isinstance(node, exp.AggFunc):
            raise refused(f"{word(node)} is an aggregate and stands where a row's value is needed", node, self._text,
                          hint="aggregates go in SELECT, HAVING or ORDER BY, and not inside each other")  # fmt: skip
        if isinstance(node, exp.Subquery | exp.Select | exp.Query):
            raise refused("a subquery in an expression is not answered", node, self._text, hint="join in FROM instead")
        raise self._unknown(node)

    def _short(self, made: Expression, node: exp.Expression) -> Expression:
        if written_size(made) > _MOST_WRITTEN:
            raise refused(
                "the expression is nested too deeply", node, self._text, hint="compute in steps, by subqueries"
            )
        return made

    def _unknown(self, node: exp.Expression) -> InvalidQuestion:
        return refused(f"{word(node)} is not answered", node, self._text, hint=_REMEDY)

    # ---- leaves ----

    def column(self, node: exp.Expression) -> Expression:
        assert isinstance(node, exp.Column)
        return self._scope.column(node)

    def literal(self, node: exp.Expression) -> Expression:
        only(node, self._text, "this", "is_string")
        if node.args.get("is_string"):
            return Literal(str(node.this), Kind.TEXT)
        return number(str(node.this), node, self._text)

    def boolean(self, node: exp.Expression) -> Expression:
        return Literal(bool(node.this), Kind.BOOLEAN)

    def null(self, node: exp.Expression) -> Expression:
        raise refused("NULL stands where a value is needed", node, self._text, hint="use IS NULL, or leave ELSE out")

    def parenthesis(self, node: exp.Expression) -> Expression:
        only(node, self._text, "this")
        return self(node.this)

    # ---- logic ----

    def logic(self, node: exp.Expression) -> Expression:
        kind, parts, waiting = type(node), [], [node]
        while waiting:  # AND chains are long and lean to the left
            each = waiting.pop()
            inner = each.this if isinstance(each, exp.Paren) else each
            if type(inner) is kind:
                only(inner, self._text, "this", "expression")
                waiting += [inner.expression, inner.this]
            else:
                parts.append(self.predicate(each))
        return Call("and" if kind is exp.And else "or", tuple(parts), Kind.BOOLEAN)

    def negation(self, node: exp.Expression) -> Expression:
        return Call("not", (self.predicate(node.this),), Kind.BOOLEAN)

    def comparison(self, node: exp.Expression) -> Expression:
        only(node, self._text, "this", "expression")
        a, b = self._alike(node, node.this, node.expression)
        op = _COMPARE[type(node)]
        if isinstance(a, Literal) and not isinstance(b, Literal):
            a, b, op = b, a, _MIRROR[op]
        return Call(op, (a, b), Kind.BOOLEAN)

    def same(self, node: exp.Expression) -> Expression:
        a, b = self._alike(node, node.this, node.expression)
        made = Call("same", (a, b), Kind.BOOLEAN)
        return Call("not", (made,), Kind.BOOLEAN) if isinstance(node, exp.NullSafeNEQ) else made

    def between(self, node: exp.Expression) -> Expression:
        only(node, self._text, "this", "low", "high")
        low = self._alike(node, node.this, node.args["low"])
        high = self._alike(node, node.this, node.args["high"])
        return Call("and", (Call("ge", low, Kind.BOOLEAN), Call("le", high, Kind.BOOLEAN)), Kind.BOOLEAN)

    def within(self, node: exp.Expression) -> Expression:
        if node.args.get("query") is not None:
            raise refused("IN (SELECT …) is not answered", node, self._text, hint="join in FROM instead")
        only(node, self._text, "this", "expressions")
        listed = [self._alike(node, node.this, each)[1] for each in node.expressions]
        if not all(isinstance(each, Literal) for each in listed):
            raise refused("IN (…) takes constants", node, self._text, hint="compare columns with =")
        return Call("in", (self(node.this), *listed), Kind.BOOLEAN)

    def is_(self, node: exp.Expression) -> Expression:
        only(node, self._text, "this", "expression")
        inner = self(node.this)
        if isinstance(node.expression, exp.Null):
            return Call("is_null", (inner,), Kind.BOOLEAN)
        if isinstance(node.expression, exp.Boolean) and inner.kind is Kind.BOOLEAN:
            return Call("same", (inner, Literal(bool(node.expression.this), Kind.BOOLEAN)), Kind.BOOLEAN)
        raise refused("IS takes NULL, TRUE or FALSE", node, self._text, hint="use = to compare")

    def like(self, node: exp.Expression) -> Expression:
        only(node, self._text, "this", "expression")
        inner, pattern = self(node.this), self(node.expression)
        if inner.kind is not Kind.TEXT or not isinstance(pattern, Literal) or pattern.kind is not Kind.TEXT:
            raise refused("LIKE compares text with a constant pattern", node, self._text, hint="column LIKE 'x%'")
        return Call("ilike" if isinstance(node, exp.ILike) else "like", (inner, pattern), Kind.BOOLEAN)

    def _alike(self, at: exp.Expression, left: exp.Expression, right: exp.Expression) -> tuple[Expression, Expression]:
        a, b = self(left), self(right)
        a, b = dated(a, b, at, self._text), dated(b, a, at, self._text)
        times = {Kind.DATE, Kind.TIMESTAMP}
        if a.kind is b.kind or (a.kind.is_number and b.kind.is_number) or {a.kind, b.kind} <= times:
            return a, b
        raise refused(
            f"compares {a.kind.value} with {b.kind.value}", at, self._text, hint="compare like with like, or CAST"
        )

    # ---- numbers ----

    def arithmetic(self, node: exp.Expression) -> Expression:
        only(node, self._text, "this", "expression", "typed", "safe")
        a, b = self(node.this), self(node.expression)
        if not (a.kind.is_number and b.kind.is_number):
            found = b if a.kind.is_number else a
            raise refused(f"arithmetic needs numbers, found {found.kind.value}", node, self._text, hint="CAST it first")
        return _folded(arithmetic(_ARITHMETIC[type(node)], a, b))

    def whole_division(self, node: exp.Expression) -> Expression:
        quotient = arithmetic("div", *self._numbers(node, [node.this, node.expression]))
        return call(FUNCTIONS["floor"], [quotient])

    def negative(self, node: exp.Expression) -> Expression:
        (inner,) = self._numbers(node, [node.this])
        if isinstance(inner, Literal) and isinstance(inner.value, int | float):
            return Literal(-inner.value, inner.kind)
        return Call("neg", (inner,), inner.kind, inner.range.negated())

    def _numbers(self, at: exp.Expression, nodes: Sequence[exp.Expression]) -> list[Expression]:
        made = [self(each) for each in nodes]
        for each in made:
            if not each.kind.is_number:
                raise refused(f"needs a number, found {each.kind.value}", at, self._text, hint="CAST it first")
        return made

    def logarithm(self, node: exp.Expression) -> Expression:
        only(node, self._text, "this", "expression")
        if node.args.get("expression") is not None:
            base, of = self(node.this), node.expression
            if not isinstance(base, Literal) or base.value not in (2, 10):
                raise refused("logarithms have base 2, 10 or e", node, self._text, hint="LN(x) / LN(base)")
            return call(FUNCTIONS[f"log{base.value}"], self._numbers(node, [of]))
        return call(FUNCTIONS["log10"], self._numbers(node, [node.this]))

    def square(self, node: exp.Expression) -> Expression:
        (inner,) = self._numbers(node, [node.this])
        return call(FUNCTIONS["pow"], [inner, Literal(2, Kind.INTEGER)])

    # ---- choices ----

    def case(self, node: exp.Expression) -> Expression:
        only(node, self._text, "this", "ifs", "default")
        args: list[Expression] = []
        subject = node.args.get("this")
        for each in node.args["ifs"]:
            if subject is None:
                args.append(self.predicate(each.this))
            else:
                args.append(Call("eq", self._alike(each, subject, each.this), Kind.BOOLEAN))
            args.append(self._value(each.args["true"]))
        return self._chosen(node, args, node.args.get("default"))

    def iff(self, node: exp.Expression) -> Expression:
        only(node, self._text, "this", "true", "false")
        return self._chosen(node, [self.predicate(node.this), self._value(node.args["true"])], node.args.get("false"))

    def _value(self, node: exp.Expression) -> Expression:
        return self(node)

    def _chosen(self, node: exp.Expression, args: list[Expression], default: exp.Expression | None) -> Expression:
        if default is not None and not isinstance(default, exp.Null):
            args.append(self(default))
        values = [*args[1::2], *(args[-1:] if len(args) % 2 else ())]
        kind, found = _common(values, node, self._text)
        return Call("case", tuple(args), kind, found)

    def coalesce(self, node: exp.Expression) -> Expression:
        only(node, self._text, "this", "expressions")
        made = [self(each) for each in (node.this, *node.expressions)]
        kind, found = _common(made, node, self._text)
        return Call("coalesce", tuple(made), kind, found)

    def nullif(self, node: exp.Expression) -> Expression:
        a, b = self._alike(node, node.this, node.expression)
        return Call("nullif", (a, b), a.kind, a.range)

    # ---- kinds ----

    def cast(self, node: exp.Expression) -> Expression:
        only(node, self._text, "this", "to", "_type", "safe")
        wanted = node.args["to"]
        name = wanted.this.value if isinstance(wanted.this, exp.DataType.Type) else str(wanted.this)
        kind = next((kind for kind, names in _CASTS.items() if str(name).upper() in names), None)
        if kind is None:
            raise refused(
                f"CAST to {str(name)[:40]} is not answered", node, self._text, hint="integer, double, text, date…"
            )
        inner = self(node.this)
        if isinstance(inner, Literal) and inner.kind is Kind.TEXT and kind in (Kind.DATE, Kind.TIMESTAMP):
            return date_literal(inner, kind, node, self._text)
        if inner.kind is kind:
            return inner
        if not _castable(inner.kind, kind):
            raise refused(
                f"CAST of {inner.kind.value} to {kind.value} has no values", node, self._text, hint="CAST a text"
            )
        found = inner.range if kind.is_number and inner.kind.is_number else Range()
        if kind is Kind.INTEGER:
            found = call(FUNCTIONS["floor"], [Call("x", (), Kind.REAL, found)]).range
        return Call(f"cast_{kind.value}", (inner,), kind, found)

    def extract(self, node: exp.Expression) -> Expression:
        part = str(node.this.name if isinstance(node.this, exp.Expression) else node.this).upper()
        name = _EXTRACT.get(part, part.lower())
        if name not in _PARTS and part not in _EXTRACT:
            raise refused(f"EXTRACT({part[:30]} …) is not answered", node, self._text, hint=f"one of {sorted(_PARTS)}")
        return self._checked(FUNCTIONS[name], [self(node.expression)], node)

    def truncate(self, node: exp.Expression) -> Expression:
        only(node, self._text, "this", "unit", "input_type_preserved")
        unit = str(node.args["unit"].name).lower()
        inner = self(node.this)
        if unit not in _PARTS or inner.kind not in (Kind.DATE, Kind.TIMESTAMP):
            raise refused("DATE_TRUNC takes a unit and a date", node, self._text, hint=f"one of {sorted(_PARTS)}")
        return Call(f"trunc_{unit}", (inner,), inner.kind)

    # ---- functions by name ----

    def _named(self, function: Function, node: exp.Expression) -> Expression:
        ordered = _ORDERED.get(type(node), ("this",))
        only(node, self._text, *ordered, "safe", "coalesce", "ignore_nulls", "binary", "encoding")
        given: list[exp.Expression] = []
        for name in ordered:
            value = node.args.get(name)
            given.extend(value if isinstance(value, list) else [] if value is None else [value])
        return self._checked(function, [self(each) for each in given], node)

    def anonymous(self, node: exp.Expression) -> Expression:
        name = str(node.this).lower()
        if name not in _ANONYMOUS:
            raise self._unknown(node)
        return self._checked(FUNCTIONS[_ANONYMOUS[name]], [self(each) for each in node.expressions], node)

    def _checked(self, function: Function, args: list[Expression], node: exp.Expression) -> Expression:
        least = len(function.takes) if function.least is None else function.least
        if len(args) < least or (not function.many and len(args) > len(function.takes)):
            raise refused(f"{word(node)} takes another number of operands", node, self._text, hint=_REMEDY)
        for i, arg in enumerate(args):
            wanted = function.takes[min(i, len(function.takes) - 1)]
            if not takes(arg.kind, wanted):
                raise refused(
                    f"{word(node)} takes {wanted}, found {arg.kind.value}", node, self._text, hint="CAST it first"
                )
        if function.op in ("substring", "round") and not all(_small(arg) for arg in args[1:]):
            raise refused(
                f"{word(node)} takes constant positions from 1 to 10000", node, self._text, hint="write numbers"
            )
        return call(function, args)


def _castable(given: Kind, wanted: Kind) -> bool:
    """Whether a value of one kind can be one of another: days are no numbers, and numbers no days."""
    times = {Kind.DATE, Kind.TIMESTAMP}
    return Kind.TEXT in (given, wanted) or (given in times) == (wanted in times)


def _small(arg: Expression) -> bool:
    return isinstance(arg, Literal) and isinstance(arg.value, int) and 0 <= arg.value <= 10_000


def _folded(made: Call) -> Expression:
    """A constant, where both operands are and the result is exact."""
    if all(isinstance(arg, Literal) for arg in made.args) and made.range.lower is not None and made.op != "div":
        exact = made.range.lower
        if made.range.upper == exact and exact.denominator == 1 and abs(exact) < 2**53 and made.kind is Kind.INTEGER:
            return Literal(int(exact), Kind.INTEGER)
    return made


def _common(values: list[Expression], node: exp.Expression, text: str) -> tuple[Kind, Range]:
    kinds = {value.kind for value in values}
    if kinds <= {Kind.INTEGER, Kind.REAL}:
        found = values[0].range
        for value in values[1:]:
            zero = value.range.lower == value.range.upper == 0  # zero lies on every grid
            found = Range(*_ends(found, value.range), found.grid if zero else found.join(value.range).grid)
        return (Kind.INTEGER if kinds == {Kind.INTEGER} else Kind.REAL), found
    if len(kinds) == 1:
        return kinds.pop(), Range()
    raise refused(f"mixes {' and '.join(sorted(k.value for k in kinds))}", node, text, hint="CAST them alike")


def _ends(a: Range, b: Range) -> tuple[Any, Any]:
    whole = a.join(b)
    return whole.lower, whole.upper


_BUILDERS: tuple[tuple[Any, Callable[[Rows, exp.Expression], Expression]], ...] = (
    (exp.Column, Rows.column),
    (exp.Literal, Rows.literal),
    (exp.Boolean, Rows.boolean),
    (exp.Null, Rows.null),
    (exp.Paren, Rows.parenthesis),
    ((exp.And, exp.Or), Rows.logic),
    (exp.Not, Rows.negation),
    (tuple(_COMPARE), Rows.comparison),
    ((exp.NullSafeEQ, exp.NullSafeNEQ), Rows.same),
    (exp.Between, Rows.between),
    (exp.In, Rows.within),
    (exp.Is, Rows.is_),
    ((exp.Like, exp.ILike), Rows.like),
    (exp.IntDiv, Rows.whole_division),
    (tuple(_ARITHMETIC), Rows.arithmetic),
    (exp.Neg, Rows.negative),
    (exp.Log, Rows.logarithm),
    (exp.Case, Rows.case),
    (exp.If, Rows.iff),
    (exp.Coalesce, Rows.coalesce),
    (exp.Nullif, Rows.nullif),
    ((exp.Cast, exp.TryCast), Rows.cast),
    (exp.Extract, Rows.extract),
    ((exp.TimestampTrunc, exp.DateTrunc), Rows.truncate),
    (exp.Anonymous, Rows.anonymous),
)
