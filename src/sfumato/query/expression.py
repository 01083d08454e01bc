"""Expressions over one row: a closed tree with kinds and ranges, from which every engine's SQL is written anew."""

from dataclasses import dataclass, replace
from datetime import date, datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sfumato.data import Kind
from sfumato.query.range import Range

if TYPE_CHECKING:
    from sfumato.query.functions.record import Function

Scalar = int | float | str | bool | date | datetime | None


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a relation: what is known of it, and whether it is the person."""

    name: str
    kind: Kind
    range: Range = Range()
    values: tuple[Scalar, ...] | None = None
    person: bool = False
    traces: bool = False
    """Computed from the person: groups must not be made of it."""
    own: bool = False
    """Comes from a relation with one row a person, so that it is the same in all of a person's rows."""
    missing: bool = False
    """May be NULL where the row has a person all the same: it is on the right of a LEFT JOIN."""
    public: tuple[str, str] | None = None
    """The public table and column it comes from."""
    key: tuple[str, str] | None = None
    """The table and column it is a bare copy of, for joins along foreign keys."""
    longest: int | None = None
    """How many characters it has at most, if it is a computed text."""
    on_calendar: bool = False
    """A computed day or moment, of the years 1 to 9999."""
    total: Fraction | None = None
    """What a person's values may add up to, as the owner declares it."""
    held: bool = False
    """What a person's own rows add up to, which may be beyond its range: as a key it is held there."""


@dataclass(frozen=True, slots=True)
class Ref:
    """The value of one field of the row."""

    index: int
    field: Field

    @property
    def kind(self) -> Kind:
        """The field's kind."""
        return self.field.kind

    @property
    def range(self) -> Range:
        """The field's range."""
        return self.field.range

    def canonical(self) -> list[Any]:
        """The position, which does not depend on names."""
        return ["ref", self.index]


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant of the question."""

    value: Scalar
    kind: Kind

    @property
    def range(self) -> Range:
        """The constant itself, if it is a number."""
        match self.value:
            case bool():
                return Range()
            case int() | float() as number:
                return Range.point(Fraction(number))
            case _:
                return Range()

    def canonical(self) -> list[Any]:
        """The value with its kind."""
        match self.value:
            case date() as day:
                return ["literal", self.kind.value, day.isoformat()]
            case float() as number:
                return ["literal", self.kind.value, repr(number)]
            case value:
                return ["literal", self.kind.value, value]


@dataclass(frozen=True, slots=True)
class Call:
    """An operation on expressions; `op` names one of a closed list of records."""

    op: str
    args: "tuple[Expression, ...]"
    kind: Kind
    range: Range = Range()

    @property
    def function(self) -> "Function":
        """All that is known of the operation."""
        from sfumato.query.functions import FUNCTIONS  # late: records are made of expressions

        return FUNCTIONS[self.op]

    def canonical(self) -> list[Any]:
        """The operation; the order of operands that may be exchanged does not count."""
        parts = [arg.canonical() for arg in self.args]
        at = self.function.unordered_from
        return [self.op, *(parts if at is None else [*parts[:at], *sorted(parts[at:], key=repr)])]


Expression = Ref | Literal | Call


def refs(expression: Expression) -> list[Ref]:
    """Every field an expression reads."""
    match expression:
        case Ref():
            return [expression]
        case Literal():
            return []
        case Call(args=args):
            return [ref for arg in args for ref in refs(arg)]


def has_value(expression: Expression) -> Expression:
    """x IS NOT NULL; NaN is no value."""
    return Call("not", (Call("is_null", (expression,), Kind.BOOLEAN),), Kind.BOOLEAN)


def of_person(expression: Expression) -> bool:
    """Whether an expression is the person, or made of the person anywhere on its way."""
    return any(ref.field.person or ref.field.traces for ref in refs(expression))


MOST_CHARACTERS = 10_000
"""Of a text that is computed with: a longer one is cut, so that what a row costs is known before data are read."""


def longest(expression: Expression) -> int | None:
    """How many characters a text has at most; None where a cell decides."""
    match expression:
        case Ref(field=field):
            return field.longest
        case Literal(value=value):
            size = len(str(value))
            return size if size <= MOST_CHARACTERS else None
        case Call(args=args, function=function):
            lengths = [longest(arg) for arg in args]
            known = [MOST_CHARACTERS if length is None else length for length in lengths]
            return function.longest(expression, known)


def in_calendar(expression: Expression) -> bool:
    """Whether a day or moment is of the years 1 to 9999 whatever the cells: all that is computed is."""
    match expression:
        case Ref(field=field):
            return field.on_calendar
        case Literal():
            return True
        case Call(args=args, function=function):
            return function.choices is None or all(in_calendar(value) for value in function.choices(args))


def written_size(expression: Expression) -> int:
    """How many leaves an engine writes for an expression at most: total functions name their operands again."""
    match expression:
        case Call(args=args, function=function):
            inner = sum(guards(expression, i) * written_size(arg) for i, arg in enumerate(args))
            return function.repeats * (1 + inner)
        case _:
            return 1


def guards(call: Call, at: int) -> int:
    """How often an operand is written because it must be cut, or held within the calendar."""
    from sfumato.query.functions import Sort

    arg, function = call.args[at], call.function
    operand = function.operand(at)
    match operand.sort.prepared_for(arg.kind):
        case Sort.TEXT if not operand.is_constant:
            return (3 if longest(arg) is None else 1) * function.repeats_text
        case Sort.DATE:
            return 1 if in_calendar(arg) else 3
        case _:
            return 1


def moved(expression: Expression, by: int) -> Expression:
    """The expression over rows whose fields start `by` places later."""
    match expression:
        case Ref(index=index, field=field):
            return Ref(index + by, field)
        case Literal():
            return expression
        case Call(args=args):
            return replace(expression, args=tuple(moved(arg, by) for arg in args))


def conjuncts(made: Expression) -> tuple[Expression, ...]:
    """The parts of a condition that must all be true."""
    match made:
        case Call(op="and", args=args):
            return args
        case _:
            return (made,)


def conjunction(parts: "list[Expression]") -> Expression | None:
    """All of them, each once, or None for nothing."""
    flat: list[Expression] = []
    for part in parts:
        match part:
            case Call(op="and", args=args):
                flat.extend(args)
            case _:
                flat.append(part)
    different = tuple(dict.fromkeys(flat))
    if not different:
        return None
    return different[0] if len(different) == 1 else Call("and", different, Kind.BOOLEAN)


def inside(expression: Expression) -> Expression:
    """The expression with every bounded number it computes with held within its bounds, as its range assumes."""
    match expression:
        case Ref() if expression.kind.is_number and expression.range.is_bounded:
            return Call("clip", (expression,), expression.kind, expression.range)
        case Call(args=args) if expression.kind is not Kind.BOOLEAN:
            return replace(expression, args=tuple(map(inside, args)))
        case _:
            return expression


def bounded(expression: Expression) -> Expression:
    """The same, where a bare column stays bare: what is summed is held within its bounds in the end."""
    return expression if isinstance(expression, Ref) and not expression.field.held else inside(expression)
