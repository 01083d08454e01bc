"""Expressions over one row: a closed tree with kinds and ranges, from which every engine's SQL is written anew."""

from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from typing import Any

from sfumato.data import Kind
from sfumato.query.range import Range

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

    def canonical(self) -> Any:
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
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            return Range()
        return Range.point(Fraction(self.value))

    def canonical(self) -> Any:
        """The value with its kind."""
        value = self.value.isoformat() if isinstance(self.value, date) else self.value
        return ["literal", self.kind.value, repr(value) if isinstance(value, float) else value]


@dataclass(frozen=True, slots=True)
class Call:
    """An operation on expressions; `op` is one of a closed list that every engine knows."""

    op: str
    args: "tuple[Expression, ...]"
    kind: Kind
    range: Range = Range()

    def canonical(self) -> Any:
        """The operation; the order of operands that may be exchanged does not count."""
        parts = [arg.canonical() for arg in self.args]
        if self.op in ("and", "or", "eq", "ne", "add", "mul"):
            parts = sorted(parts, key=repr)
        elif self.op == "in":
            parts = [parts[0], *sorted(parts[1:], key=repr)]
        return [self.op, *parts]


Expression = Ref | Literal | Call


def refs(expression: Expression) -> list[Ref]:
    """Every field an expression reads."""
    if isinstance(expression, Ref):
        return [expression]
    if isinstance(expression, Literal):
        return []
    return [ref for arg in expression.args for ref in refs(arg)]


def of_person(expression: Expression) -> bool:
    """Whether an expression is the person, or made of the person anywhere on its way."""
    return any(ref.field.person or ref.field.traces for ref in refs(expression))


MOST_CHARACTERS = 10_000
"""Of a text that is computed with: a longer one is cut, so that what a row costs is known before data are read."""

_TWICE = {"least", "greatest", "sqrt", "ln", "log2", "log10", "nullif", "is_null"}
_CHOICES = {"case", "coalesce", "nullif"}
_OF_TEXT = {"lower", "upper", "trim", "length", "substring", "starts_with", "contains", "concat", "like", "ilike"}
_OF_DAYS = {"year", "quarter", "month", "week", "day", "dayofweek", "dayofyear", "hour", "minute"}
_TIMES = (Kind.DATE, Kind.TIMESTAMP)


def chosen(call: Call) -> "tuple[Expression, ...]":
    """What a choice may give: the values of CASE, COALESCE and NULLIF."""
    if call.op == "case":
        return (*call.args[1::2], *(call.args[-1:] if len(call.args) % 2 else ()))
    return call.args[:1] if call.op == "nullif" else call.args


def longest(expression: Expression) -> int | None:
    """How many characters a text has at most; None where a cell decides."""
    if isinstance(expression, Ref):
        return expression.field.longest
    if isinstance(expression, Literal):
        size = len(str(expression.value))
        return size if size <= MOST_CHARACTERS else None
    lengths = [longest(arg) for arg in expression.args]
    known = [MOST_CHARACTERS if length is None else length for length in lengths]
    if expression.op in _CHOICES:
        values = [longest(value) for value in chosen(expression)]
        return None if any(value is None for value in values) else max(value for value in values if value is not None)
    if expression.op == "substring":
        wanted = expression.args[2] if len(expression.args) > 2 else None
        cut = wanted.value if isinstance(wanted, Literal) else None
        return min(known[0], cut) if isinstance(cut, int) else known[0]
    if expression.op == "cast_text":
        return _LONGEST_WRITTEN
    return min(MOST_CHARACTERS, sum(known))


_LONGEST_WRITTEN = 40
"""A number, a day, a moment or a truth, as text."""


def in_calendar(expression: Expression) -> bool:
    """Whether a day or moment is of the years 1 to 9999 whatever the cells: all that is computed is."""
    if isinstance(expression, Ref):
        return expression.field.on_calendar
    if isinstance(expression, Call) and expression.op in _CHOICES:
        return all(in_calendar(value) for value in chosen(expression))
    return True


def written_size(expression: Expression) -> int:
    """How many leaves an engine writes for an expression at most: total functions name their operands again."""
    if not isinstance(expression, Call):
        return 1
    inner = sum(guards(expression, arg) * written_size(arg) for arg in expression.args)
    return repeated(expression) * (1 + inner)


def repeated(call: Call) -> int:
    """How often an engine writes all operands of an operation."""
    return 2 if call.op in _TWICE else 3 if call.op == "clip" else 1


def guards(call: Call, arg: Expression) -> int:
    """How often an operand is written because it must be cut, or held within the calendar."""
    times = 1
    if arg.kind is Kind.TEXT and (call.op in _OF_TEXT or call.op.startswith("cast_")) and longest(arg) is None:
        times = 3
    if arg.kind is Kind.TEXT and call.op in ("cast_date", "cast_timestamp"):
        times *= 3
    dated = call.op in _OF_DAYS or call.op.startswith(("trunc_", "cast_"))
    return 3 if arg.kind in _TIMES and dated and not in_calendar(arg) else times


def moved(expression: Expression, by: int) -> Expression:
    """The expression over rows whose fields start `by` places later."""
    if isinstance(expression, Ref):
        return Ref(expression.index + by, expression.field)
    if isinstance(expression, Literal):
        return expression
    return Call(expression.op, tuple(moved(arg, by) for arg in expression.args), expression.kind, expression.range)


def conjunction(parts: "list[Expression]") -> Expression | None:
    """All of them, or None for nothing."""
    flat: list[Expression] = []
    for part in parts:
        flat.extend(part.args if isinstance(part, Call) and part.op == "and" else (part,))
    if not flat:
        return None
    return flat[0] if len(flat) == 1 else Call("and", tuple(flat), Kind.BOOLEAN)


def inside(expression: Expression) -> Expression:
    """The expression with every bounded number it computes with held within its bounds, as its range assumes."""
    if isinstance(expression, Ref):
        if expression.kind.is_number and expression.range.is_bounded:
            return Call("clip", (expression,), expression.kind, expression.range)
        return expression
    if isinstance(expression, Literal) or expression.kind is Kind.BOOLEAN:
        return expression
    if expression.op == "case":
        args = tuple(
            arg if i % 2 == 0 and i + 1 < len(expression.args) else inside(arg) for i, arg in enumerate(expression.args)
        )
    else:
        args = tuple(inside(arg) for arg in expression.args)
    return Call(expression.op, args, expression.kind, expression.range)


def bounded(expression: Expression) -> Expression:
    """The same, where a bare column stays bare: what is summed is held within its bounds in the end."""
    return expression if isinstance(expression, Ref) else inside(expression)
