"""What one row of a person may cost, in bytes and in steps: known before data are read, and held within bounds.

Everything is counted at its largest: a text has as many characters as it may have, a computed column is computed again
wherever it is named (an engine may push it down), and a row that joins or unions repeat is paid for as often. What is
above the bounds is refused, for nothing, so that neither memory nor time can be made to depend on one row.
"""

from collections.abc import Iterable, Sequence

from sfumato.data import Kind
from sfumato.errors import InvalidQuestion
from sfumato.query.expression import MOST_CHARACTERS, Call, Expression, Literal, Ref, guards, longest
from sfumato.query.functions.cost import BYTES, Work
from sfumato.query.plan import Join, PerPerson, Plan, Project, Scan, Union, Where, own_expressions, parts_of, spread

_COPIES = 3  # of a text that is kept: by the engine, as it is fetched, and as Python has it
_HINT = "ask in parts, of fewer texts or joins"


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
    return Work(bytes=sum(_COPIES * BYTES * _length(each) for each in expressions if each.kind is Kind.TEXT))


def _of_plan(plan: Plan) -> tuple[list[Work], Work]:
    """What each column costs where it is named, and what all of the plan does for one row."""
    parts = [_of_plan(part) for part in parts_of(plan)]
    total = _sum(work for _, work in parts)
    match plan:
        case Scan():
            return [_LEAF] * len(plan.fields), total
        case Join():
            return [*parts[0][0], *parts[1][0]], total
        case Union():
            return [max(column, key=_size) for column in zip(*(columns for columns, _ in parts), strict=True)], total
        case Where() | Project() | PerPerson():
            below = parts[0][0]
            made = [of_expression(each, below) for each in own_expressions(plan)]
            kept = _kept(each for each in own_expressions(plan) if type(each) is not Ref)
            total = total + (_sum(made) + kept).of_rows(spread(plan.of))
            return _named_again(plan, below, made), total


def _named_again(plan: Where | Project | PerPerson, below: list[Work], made: list[Work]) -> list[Work]:
    """What columns cost where they are named; what a person's rows add up to is kept, and not computed again."""
    match plan:
        case Where():
            return below
        case Project():
            return made
        case PerPerson():
            return [_LEAF] * len(plan.fields)


def of_expression(expression: Expression, columns: Sequence[Work]) -> Work:
    """What an expression does for one row."""
    match expression:
        case Ref(index=index):
            return columns[index] if index < len(columns) else _LEAF
        case Literal():
            return _LEAF
        case Call(args=args, function=function):
            times = [guards(expression, i) for i in range(len(args))]
            inner = _sum(of_expression(arg, columns).times(each) for arg, each in zip(args, times, strict=True))
            cut = sum(MOST_CHARACTERS for arg, each in zip(args, times, strict=True) if each > 1 and _is_text(arg))
            own = function.cost(expression, [_length(arg) for arg in args]) + Work(bytes=BYTES * cut)
            return (inner + own).times(function.repeats)


def _is_text(expression: Expression) -> bool:
    return expression.kind is Kind.TEXT


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
