"""What one row of a person may cost, in bytes and in steps: known before data are read, and held within bounds.

Everything is counted at its largest: a text has as many characters as it may have, a computed column is computed again
wherever it is named (an engine may push it down), and a row that joins or unions repeat is paid for as often. What is
above the bounds is refused, for nothing, so that neither memory nor time can be made to depend on one row.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sfumato.data import Kind
from sfumato.errors import InvalidQuestion
from sfumato.query.expression import MOST_CHARACTERS, Call, Expression, Literal, Ref, guards, longest, repeated
from sfumato.query.plan import Join, Plan, Project, Scan, Union, Where, own_expressions, parts_of, spread

_BYTES = 4  # of a character, at most
_TEXTS = {"lower", "upper", "trim", "substring", "cast_text"}
_SEARCHES = {"contains", "like", "ilike"}
_COPIES = 3  # of a text that is kept: by the engine, as it is fetched, and as Python has it
_COMPARED = 128  # characters that a search compares in the time of a step: measured on texts that agree for long
_HINT = "ask in parts, of fewer texts or joins"


@dataclass(frozen=True, slots=True)
class Work:
    """Leaves that are written, bytes of text that are held at once, and steps, each about one character looked at."""

    leaves: int = 0
    bytes: int = 0
    steps: int = 0

    def __add__(self, other: "Work") -> "Work":
        return Work(self.leaves + other.leaves, self.bytes + other.bytes, self.steps + other.steps)

    def times(self, many: int) -> "Work":
        """As much, written so many times."""
        return Work(self.leaves * many, self.bytes * many, self.steps * many)

    def of_rows(self, many: int) -> "Work":
        """As much, written once and done for so many rows."""
        return Work(self.leaves, self.bytes * many, self.steps * many)


MOST = Work(leaves=100_000, bytes=4 * 2**20, steps=2 * 10**7)
"""What a question may do for one row: 4 MiB of text, and a few hundredths of a second at the very most."""
_LEAF = Work(leaves=1)


def refuse_too_much(
    plan: Plan, keys: Sequence[Expression], computed: Iterable[Expression], *, statements: int = 1
) -> None:
    """Refuse a question that may do more than the bounds for one row.

    `computed` is what its aggregates compute; `statements` is how often the engine is asked, each time with all keys.
    """
    found = of_question(plan, keys, computed, statements=statements)
    for what, used, most in (
        ("is too large for the engine", found.leaves, MOST.leaves),
        ("may hold too much text for one row", found.bytes, MOST.bytes),
        ("may take too long for one row", found.steps, MOST.steps),
    ):
        if used > most:
            raise InvalidQuestion(f"the question {what}", hint=_HINT)


def of_question(plan: Plan, keys: Sequence[Expression], computed: Iterable[Expression], *, statements: int = 1) -> Work:
    """All the work for one row: of every relation, every key and every aggregate."""
    columns, total = _of_plan(plan)
    wanted = [*keys, *computed]
    own = _sum(of_expression(each, columns) for each in wanted) + _kept(wanted)
    return (total + own.of_rows(spread(plan))).of_rows(statements)


def _kept(expressions: Iterable[Expression]) -> Work:
    """Texts that are kept beside the rows they come from: in groups, among values, and as keys that are fetched."""
    return Work(bytes=sum(_COPIES * _BYTES * _length(each) for each in expressions if each.kind is Kind.TEXT))


def _of_plan(plan: Plan) -> tuple[list[Work], Work]:
    """What each column costs where it is named, and what all of the plan does for one row."""
    parts = [_of_plan(part) for part in parts_of(plan)]
    total = _sum(work for _, work in parts)
    if isinstance(plan, Scan):
        return [_LEAF] * len(plan.fields), total
    if isinstance(plan, Join):
        return [*parts[0][0], *parts[1][0]], total
    if isinstance(plan, Union):
        return [max(column, key=_size) for column in zip(*(columns for columns, _ in parts), strict=True)], total
    below = parts[0][0]
    made = [of_expression(each, below) for each in own_expressions(plan)]
    kept = _kept(each for each in own_expressions(plan) if not isinstance(each, Ref))
    total = total + (_sum(made) + kept).of_rows(spread(plan.of))
    if isinstance(plan, Where):
        return below, total
    # what a person's rows add up to is kept, and not computed again
    return (made if isinstance(plan, Project) else [_LEAF] * len(plan.fields)), total


def of_expression(expression: Expression, columns: Sequence[Work]) -> Work:
    """What an expression does for one row."""
    if isinstance(expression, Ref):
        return columns[expression.index] if expression.index < len(columns) else _LEAF
    if isinstance(expression, Literal):
        return _LEAF
    inner = _sum(of_expression(arg, columns).times(guards(expression, arg)) for arg in expression.args)
    return (inner + _own(expression)).times(repeated(expression))


def _own(call: Call) -> Work:
    lengths = [_length(arg) for arg in call.args]
    cut = sum(MOST_CHARACTERS for arg in call.args if arg.kind is Kind.TEXT and guards(call, arg) > 1)
    if call.op in _SEARCHES:
        lowered = lengths[0] if call.op == "ilike" else 0
        # patterns with _, and letters of either case, are compared one by one
        at_once = 1 if call.op == "ilike" or "_" in str(getattr(call.args[1], "value", "")) else _COMPARED
        return Work(1, _BYTES * (cut + lowered), sum(lengths) + lengths[0] * lengths[1] // at_once)
    if call.op == "concat":
        steps = [min(MOST_CHARACTERS, sum(lengths[: i + 1])) for i in range(len(lengths))]
        return Work(1, _BYTES * (cut + 2 * sum(steps)), sum(lengths) + 2 * sum(steps))
    if call.op in _TEXTS:
        made = _length(call)
        return Work(1, _BYTES * (cut + made), sum(lengths) + made)
    if call.op == "in":
        return Work(len(call.args), 0, len(call.args))
    return Work(1, _BYTES * cut, 1 + sum(lengths))


def _length(expression: Expression) -> int:
    """How many characters of a text are looked at, at most."""
    if expression.kind is not Kind.TEXT:
        return 0
    known = longest(expression)
    return MOST_CHARACTERS if known is None else known


def _sum(works: Iterable[Work]) -> Work:
    total = Work()
    for each in works:
        total = total + each
    return total


def _size(work: Work) -> tuple[int, int, int]:
    return work.bytes, work.steps, work.leaves
