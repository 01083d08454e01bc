"""Conditions in one form, so that a question is known again however it is written: x = 42 for IN (42) and NOT x <> 42.

Every rule keeps the value in all rows, NULL and NaN among them: NaN is above every number, so what is not below is at
least as large. 42.0 is 42 where it is compared, because a whole number is that double only if it is 42; from 2**53 on
several are.
"""

from collections.abc import Sequence

from sfumato.data import Kind
from sfumato.query.expression import Call, Expression, Literal
from sfumato.query.functions import FUNCTIONS

_OPPOSITE = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}
_EXACT = 2**53  # whole numbers below it are doubles, each its own


def compared(op: str, a: Expression, b: Expression) -> Expression:
    """A comparison of two values that are alike: constants on the right, and whole where they can be."""
    a, b = whole_constant(a), whole_constant(b)
    if type(a) is Literal and type(b) is not Literal:
        a, b, op = b, a, FUNCTIONS[op].mirror
    if type(b) is Literal and b.kind is Kind.BOOLEAN and op in ("eq", "ne"):
        return a if (op == "eq") is b.value else negated(a)
    return FUNCTIONS[op].call((a, b))


def one_of(a: Expression, listed: Sequence[Expression]) -> Expression:
    """x IN (…): each constant once, and one alone is a comparison."""
    different = tuple(dict.fromkeys(map(whole_constant, listed)))
    return compared("eq", a, different[0]) if len(different) == 1 else FUNCTIONS["in"].call((a, *different))


def negated(made: Expression) -> Expression:
    """NOT of a condition: of a comparison the opposite one, of NOT what it is of."""
    match made:
        case Call(op="not", args=(inner,)):
            return inner
        case Call(op=op, args=(a, b)) if op in _OPPOSITE:
            return FUNCTIONS[_OPPOSITE[op]].call((a, b))
        case _:
            return FUNCTIONS["not"].call((made,))


def joined(op: str, parts: Sequence[Expression]) -> Expression:
    """Conditions joined by `and` or `or`: each once, chains of the same in one, and x = 1 OR x = 2 as x IN (1, 2)."""
    flat: list[Expression] = []
    for part in parts:
        match part:
            case Call(op=inner, args=args) if inner == op:
                flat.extend(args)
            case _:
                flat.append(part)
    different = list(dict.fromkeys(flat))
    if op == "or":
        different = _listed(different)
    return different[0] if len(different) == 1 else FUNCTIONS[op].call(different)


def _listed(parts: Sequence[Expression]) -> list[Expression]:
    """Equalities of one expression with constants of one kind, gathered at the place of the first.

    Beside a real constant whole ones would be compared as doubles.
    """
    found: dict[tuple[Expression, frozenset[Kind]], list[Expression]] = {}
    for part in parts:
        of, constants = _equalities(part)
        found.setdefault((of, frozenset(each.kind for each in constants)), []).extend(constants)
    return [one_of(of, constants) if constants else of for (of, _), constants in found.items()]


def _equalities(part: Expression) -> tuple[Expression, list[Expression]]:
    """What is equalled, and with which constants; a condition that is none stands for itself."""
    match part:
        case Call(op="eq", args=(of, Literal() as constant)):
            return of, [constant]
        case Call(op="in", args=(of, *constants)):
            return of, list(constants)
        case _:
            return part, []


def whole_constant(made: Expression) -> Expression:
    """A constant beside which nothing but its value counts: 42 for 42.0."""
    match made:
        case Literal(value=float() as value) if value.is_integer() and abs(value) < _EXACT:
            return Literal(int(value), Kind.INTEGER)
        case _:
            return made
