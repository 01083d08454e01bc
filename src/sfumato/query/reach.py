"""How many rows one row of a person may become, and what relations keep to for it: known before data are read."""

from typing import assert_never

from sqlglot import exp

from sfumato.query.context import Context, Public
from sfumato.query.expression import Field, Ref
from sfumato.query.plan import Join, PerPerson, Plan, Project, Scan, Union, Where, relations_in, spread

_MOST_TABLES = 32


def few_tables(parts: list[Plan], node: exp.Expression, context: Context) -> None:
    """Refuse to put together more tables than are read at once."""
    if sum(map(relations_in, parts)) > _MOST_TABLES:
        raise context.refused(f"more than {_MOST_TABLES} tables are read", node, hint="ask in parts")


def within_reach(plan: Plan, node: exp.Expression, context: Context) -> None:
    """Refuse a plan in which one row of a person becomes too many: how long a question takes must not tell of one."""
    most, many = context.dataset.rules.rows_per_row, spread(plan)
    if plan.private and many > most:
        shown = f"{many:,}" if many < 10**12 else "more than 10¹²"
        raise context.refused(
            f"one row may become {shown} rows here, and {most} are allowed", node,
            hint="join by columns that name one public row, or fewer tables; the owner may raise rows_per_row",
        )  # fmt: skip


def carries_the_person(plan: Plan, node: exp.Expression, context: Context) -> None:
    """Refuse a plan that drops the person: rows that are nobody's cannot be bounded."""
    unit = context.dataset.unit
    if plan.private and unit is not None and not any(_leads_to_the_person(field, context) for field in plan.fields):
        raise context.refused(f"the subquery drops the person column `{unit[1]}`", node,
                              hint=f"select {unit[1]} itself, unchanged")  # fmt: skip


def _leads_to_the_person(field: Field, context: Context) -> bool:
    """Whether a field is the person, or the first key on its table's way to the person."""
    if field.person or field.key is None:
        return field.person
    table = context.dataset.table(field.key[0])
    path = None if table is None else context.dataset.path(table)
    return path is not None and len(path) > 0 and path[0][0] == field.key[1]


def agreeing(public: Public, plan: Plan, columns: tuple[int, ...]) -> int:
    """How many rows of a public relation agree on some of its columns at most."""
    match plan:
        case Scan():
            return public.repeats(plan.table, tuple(plan.fields[i].name for i in sorted(set(columns))))
        case Where():
            return agreeing(public, plan.of, columns)
        case Project():
            kept = [plan.expressions[i] for i in columns]
            return agreeing(public, plan.of, tuple(each.index for each in kept if isinstance(each, Ref)))
        case Union():
            return sum(agreeing(public, part, columns) for part in plan.parts)
        case Join():
            at = len(plan.left.fields)
            left = tuple(i for i in columns if i < at)
            alike = [(i, j) for i, j in plan.equal if plan.left.fields[i].kind is plan.right.fields[j].kind]
            right = tuple(j for _, j in alike) + tuple(i - at for i in columns if i >= at)
            return agreeing(public, plan.left, left) * agreeing(public, plan.right, right)
        case PerPerson():
            raise AssertionError("one line a person is nobody's public row")
        case _:
            assert_never(plan)
