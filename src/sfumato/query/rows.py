"""Row expressions: SQL nodes into the closed tree, with kinds checked and names resolved to positions."""

from collections.abc import Callable, Sequence
from difflib import get_close_matches

from sqlglot import exp

from sfumato.data import Kind
from sfumato.errors import InvalidQuestion
from sfumato.query.expression import Call, Expression, Literal, written_size
from sfumato.query.functions import CALLED, FUNCTIONS, NAMES, NODES, PARTS, TYPES, UNITS, Function, Node
from sfumato.query.literals import date_literal, dated, decimals, number
from sfumato.query.normal import compared, joined, negated, one_of, whole_constant
from sfumato.query.parse import only, refused, word
from sfumato.query.scope import Scope

_MOST_WRITTEN = 4096
_NO_SIZES = ("", "18, 3")
"""What stands behind a type without a size: nothing, or what the parser puts behind DECIMAL."""
_TODAY = "write the day: '2026-01-31'"
_ANOTHER_DAY, _NOISE = "compare with another day", "answers have noise already"
_INSTEAD = {
    "CURRENT_DATE": _TODAY, "CURRENT_TIMESTAMP": _TODAY, "NOW": _TODAY,
    "LEFT": "SUBSTRING(x, 1, 3)", "RIGHT": "SUBSTRING(x, 3), from a position on",
    "INTERVAL": _ANOTHER_DAY, "RAND": _NOISE, "RANDOM": _NOISE, "DATE_PART": "EXTRACT(year FROM x), or YEAR(x)",
}  # fmt: skip
"""What to write in place of functions that many look for."""
_UNITS = ", ".join(sorted(UNITS))
_REMEDY = "see docs/sql.md for the functions there are"


class RowReader:
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
        build = _BUILDERS.get(type(node))
        if build is not None:
            return self._short(build(self, node), node)
        if type(node) in NODES:
            return self._short(self._named(*NODES[type(node)], node), node)
        if isinstance(node, exp.AggFunc):
            problem = f"{word(node, self._text)} is an aggregate and stands where a row's value is needed"
            hint = "aggregates go in SELECT, HAVING or ORDER BY, and not inside each other"
            raise refused(problem, node, self._text, hint=hint)
        if isinstance(node, exp.Query):
            raise refused("a subquery in an expression is not answered", node, self._text, hint="join in FROM instead")
        raise self.unknown(node)

    def knows(self, node: exp.Expression) -> bool:
        """Whether a function is one that is read, whatever its operands."""
        if type(node) is exp.Anonymous:
            return str(node.this).lower() in NAMES
        return type(node) in _BUILDERS or type(node) in NODES

    def _short(self, made: Expression, node: exp.Expression) -> Expression:
        if written_size(made) > _MOST_WRITTEN:
            raise refused(
                "the expression is nested too deeply", node, self._text, hint="compute in steps, by subqueries"
            )
        return made

    def unknown(self, node: exp.Expression) -> InvalidQuestion:
        """The refusal of a function that is not read, with those whose names are near."""
        from sfumato.query.aggregates import CALLED as AGGREGATES  # late: aggregates are of rows

        called = word(node, self._text)
        name = called.removesuffix("(…)")
        if name in _INSTEAD:
            return refused(f"{called} is not answered", node, self._text, hint=_INSTEAD[name])
        near = get_close_matches(name, [*AGGREGATES, *CALLED], n=3) if called != name else []
        hint = f"did you mean {' or '.join(near)}? {_REMEDY}" if near else _REMEDY
        return refused(f"{called} is not answered", node, self._text, hint=hint)

    # ---- leaves ----

    def column(self, node: exp.Expression) -> Expression:
        return self._scope.column(node)  # type: ignore[arg-type]

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
            inner = each.this if type(each) is exp.Paren else each
            if type(inner) is kind:
                only(inner, self._text, "this", "expression")
                waiting += [inner.expression, inner.this]
            else:
                parts.append(self.predicate(each))
        return joined("and" if kind is exp.And else "or", parts)

    def negation(self, node: exp.Expression) -> Expression:
        return negated(self.predicate(node.this))

    def comparison(self, node: exp.Expression) -> Expression:
        only(node, self._text, "this", "expression")
        return compared(NODES[type(node)][0].op, *self._alike(node, node.this, node.expression))

    def same(self, node: exp.Expression) -> Expression:
        made = FUNCTIONS["same"].call(list(map(whole_constant, self._alike(node, node.this, node.expression))))
        return negated(made) if type(node) is exp.NullSafeNEQ else made

    def between(self, node: exp.Expression) -> Expression:
        only(node, self._text, "this", "low", "high")
        low = self._alike(node, node.this, node.args["low"])
        high = self._alike(node, node.this, node.args["high"])
        return joined("and", [compared("ge", *low), compared("le", *high)])

    def within(self, node: exp.Expression) -> Expression:
        if node.args.get("query") is not None:
            raise refused("IN (SELECT …) is not answered", node, self._text, hint="join in FROM instead")
        only(node, self._text, "this", "expressions")
        listed = [self._alike(node, node.this, each)[1] for each in node.expressions]
        function = FUNCTIONS["in"]
        if not listed or not all(function.operand(1).admits(each) for each in listed):
            raise refused("IN (…) takes constants", node, self._text, hint=function.operand(1).hint)
        return one_of(self(node.this), listed)

    def is_(self, node: exp.Expression) -> Expression:
        only(node, self._text, "this", "expression")
        inner = self(node.this)
        match node.expression:
            case exp.Null():
                return FUNCTIONS["is_null"].call((inner,))
            case exp.Boolean(this=truth) if inner.kind is Kind.BOOLEAN:
                return FUNCTIONS["same"].call((inner, Literal(bool(truth), Kind.BOOLEAN)))
            case _:
                raise refused("IS takes NULL, TRUE or FALSE", node, self._text, hint="use = to compare")

    def _alike(self, at: exp.Expression, left: exp.Expression, right: exp.Expression) -> tuple[Expression, Expression]:
        a, b = self(left), self(right)
        a, b = dated(a, b, at, self._text), dated(b, a, at, self._text)
        if a.kind is b.kind or (a.kind.is_number and b.kind.is_number) or (a.kind.is_time and b.kind.is_time):
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
            hint = _ANOTHER_DAY if found.kind.is_time else "CAST it first"
            raise refused(f"arithmetic needs numbers, found {found.kind.value}", node, self._text, hint=hint)
        return _folded(NODES[type(node)][0].call((a, b)))

    def whole_division(self, node: exp.Expression) -> Expression:
        """Cut towards zero if both are whole; of reals it is their quotient, as DuckDB has it."""
        made = self._numbers(node, [node.this, node.expression])
        quotient = FUNCTIONS["div"].call(made)
        return FUNCTIONS["trunc"].call((quotient,)) if all(each.kind is Kind.INTEGER for each in made) else quotient

    def negative(self, node: exp.Expression) -> Expression:
        match self._numbers(node, [node.this]):
            case [Literal(value=int() | float() as value, kind=kind)]:
                return Literal(-value, kind)
            case made:
                return FUNCTIONS["neg"].call(made)

    def _numbers(self, at: exp.Expression, nodes: Sequence[exp.Expression]) -> list[Expression]:
        made = [self(each) for each in nodes]
        for each in made:
            if not each.kind.is_number:
                raise refused(f"needs a number, found {each.kind.value}", at, self._text, hint="CAST it first")
        return made

    def logarithm(self, node: exp.Expression) -> Expression:
        only(node, self._text, "this", "expression")
        if node.args.get("expression") is None:
            return FUNCTIONS["log10"].call(self._numbers(node, [node.this]))
        match self(node.this):
            case Literal(value=2 | 10 as base):
                return FUNCTIONS[f"log{base:.0f}"].call(self._numbers(node, [node.expression]))
            case _:
                raise refused("logarithms have base 2, 10 or e", node, self._text, hint="LN(x) / LN(base)")

    # ---- choices ----

    def case(self, node: exp.Expression) -> Expression:
        only(node, self._text, "this", "ifs", "default")
        args: list[Expression] = []
        subject = node.args.get("this")
        for each in node.args["ifs"]:
            if subject is None:
                args.append(self.predicate(each.this))
            else:
                args.append(compared("eq", *self._alike(each, subject, each.this)))
            args.append(self(each.args["true"]))
        return self._chosen(node, args, node.args.get("default"))

    def iff(self, node: exp.Expression) -> Expression:
        only(node, self._text, "this", "true", "false")
        return self._chosen(node, [self.predicate(node.this), self(node.args["true"])], node.args.get("false"))

    def _chosen(self, node: exp.Expression, args: list[Expression], default: exp.Expression | None) -> Expression:
        if default is not None and type(default) is not exp.Null:
            args.append(self(default))
        return self._choice(FUNCTIONS["case"], args, node)

    def coalesce(self, node: exp.Expression) -> Expression:
        only(node, self._text, "this", "expressions")
        return self._choice(FUNCTIONS["coalesce"], [self(each) for each in (node.this, *node.expressions)], node)

    def nullif(self, node: exp.Expression) -> Expression:
        return FUNCTIONS["nullif"].call(self._alike(node, node.this, node.expression))

    def concat(self, node: exp.Expression) -> Expression:
        """CONCAT passes over what is missing, where the dialect does; `||` does not."""
        only(node, self._text, "expressions", "safe", "coalesce")
        made: list[Expression] = [self(each) for each in node.expressions]
        if node.args.get("coalesce"):
            made = [each if type(each) is Literal or each.kind is not Kind.TEXT else _or_empty(each) for each in made]
        return self._checked(FUNCTIONS["concat"], made, node)

    def _choice(self, function: Function, args: list[Expression], node: exp.Expression) -> Expression:
        assert function.choices is not None
        kinds = {value.kind for value in function.choices(args)}
        if len(kinds) > 1 and not all(kind.is_number for kind in kinds):
            names = " and ".join(sorted(kind.value for kind in kinds))
            raise refused(f"mixes {names}", node, self._text, hint="CAST them alike")
        return function.call(args)

    # ---- kinds ----

    def cast(self, node: exp.Expression) -> Expression:
        only(node, self._text, "this", "to", "_type", "safe")
        wanted, sizes = node.args["to"].this, ", ".join(each.sql() for each in node.args["to"].expressions)
        name = str(getattr(wanted, "value", wanted))
        function = TYPES.get(name.upper())
        if function is None:
            raise refused(f"CAST to {name[:40]} is not answered", node, self._text, hint="integer, double, text, date…")
        if sizes not in _NO_SIZES:  # neither digits nor characters would be cut off: it would not be what is said
            problem = f"CAST to {name[:40]}({sizes[:40]}) is not answered"
            raise refused(problem, node, self._text, hint="leave the size out; ROUND(x, 2) and SUBSTRING cut")
        inner, kind = self(node.this), Kind(function.gives)
        if type(inner) is Literal and inner.kind is Kind.TEXT and kind.is_time:
            return date_literal(inner, kind, node, self._text)
        if inner.kind is kind:
            return inner
        if Kind.TEXT not in (inner.kind, kind) and inner.kind.is_time is not kind.is_time:
            problem = f"CAST of {inner.kind.value} to {kind.value} has no values"  # days are no numbers
            raise refused(problem, node, self._text, hint="CAST a text")
        if kind is Kind.INTEGER and inner.kind is Kind.REAL and decimals(node.this, self):
            inner = FUNCTIONS["round"].call((inner,))  # decimals have halves away from zero, doubles to the even one
        return function.call((inner,))

    def extract(self, node: exp.Expression) -> Expression:
        part = str(getattr(node.this, "name", node.this))
        function = PARTS.get(part.lower())
        if function is None:
            problem = f"EXTRACT({part.upper()[:30]} …) is not answered"
            raise refused(problem, node, self._text, hint=f"one of {_UNITS}")
        return self._checked(function, [self(node.expression)], node)

    def truncate(self, node: exp.Expression) -> Expression:
        only(node, self._text, "this", "unit", "input_type_preserved")
        inner, function = self(node.this), UNITS.get(str(node.args["unit"].name).lower())
        if function is None or not inner.kind.is_time:
            raise refused("DATE_TRUNC takes a unit and a date", node, self._text, hint=f"one of {_UNITS}")
        return function.call((inner,))

    # ---- functions by name ----

    def _named(self, function: Function, known: Node, node: exp.Expression) -> Expression:
        only(node, self._text, *known.operands, "safe", "coalesce", "ignore_nulls", "binary", "encoding")
        given: list[exp.Expression] = []
        for name in known.operands:
            value = node.args.get(name)
            given.extend(value if type(value) is list else [] if value is None else [value])
        return self._checked(function, [self(each) for each in given], node)

    def anonymous(self, node: exp.Expression) -> Expression:
        function = NAMES.get(str(node.this).lower())
        if function is None:
            raise self.unknown(node)
        return self._checked(function, [self(each) for each in node.expressions], node)

    def _checked(self, function: Function, args: list[Expression], node: exp.Expression) -> Expression:
        if not function.takes_so_many(len(args)):
            raise refused(f"{word(node, self._text)} takes another number of operands", node, self._text, hint=_REMEDY)
        for i, arg in enumerate(args):
            operand = function.operand(i)
            if not operand.sort.admits(arg.kind):
                problem = f"{word(node, self._text)} takes {operand.sort.value}, found {arg.kind.value}"
                raise refused(problem, node, self._text, hint="CAST it first")
            if not operand.admits(arg):
                raise refused(
                    f"{word(node, self._text)} takes {operand.constants}", node, self._text, hint=operand.hint
                )
        return function.call(args)


def _or_empty(text: Expression) -> Call:
    return FUNCTIONS["coalesce"].call((text, Literal("", Kind.TEXT)))


def _folded(made: Call) -> Expression:
    """A constant, where both operands are and the result is exact."""
    exact = made.range.lower
    if exact is None or made.op == "div" or made.kind is not Kind.INTEGER:
        return made
    constant = all(type(arg) is Literal for arg in made.args) and made.range.upper == exact
    return Literal(int(exact), Kind.INTEGER) if constant and exact.denominator == 1 and abs(exact) < 2**53 else made


_BUILDERS: dict[type[exp.Expression], Callable[[RowReader, exp.Expression], Expression]] = {
    exp.Column: RowReader.column,
    exp.Literal: RowReader.literal,
    exp.Boolean: RowReader.boolean,
    exp.Null: RowReader.null,
    exp.Paren: RowReader.parenthesis,
    exp.Not: RowReader.negation,
    exp.Between: RowReader.between,
    exp.In: RowReader.within,
    exp.Is: RowReader.is_,
    exp.IntDiv: RowReader.whole_division,
    exp.Neg: RowReader.negative,
    exp.Log: RowReader.logarithm,
    exp.Case: RowReader.case,
    exp.If: RowReader.iff,
    exp.Coalesce: RowReader.coalesce,
    exp.Nullif: RowReader.nullif,
    exp.Concat: RowReader.concat,
    exp.Extract: RowReader.extract,
    exp.Anonymous: RowReader.anonymous,
    **dict.fromkeys((exp.And, exp.Or), RowReader.logic),
    **dict.fromkeys((exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE), RowReader.comparison),
    **dict.fromkeys((exp.NullSafeEQ, exp.NullSafeNEQ), RowReader.same),
    **dict.fromkeys((exp.Add, exp.Sub, exp.Mul, exp.Div), RowReader.arithmetic),
    **dict.fromkeys((exp.Cast, exp.TryCast), RowReader.cast),
    **dict.fromkeys((exp.TimestampTrunc, exp.DateTrunc), RowReader.truncate),
}
"""Nodes that are more than a function of their operands."""
