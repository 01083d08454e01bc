"""UNION ALL: the rows of all parts, which must be alike."""

from collections.abc import Callable

from sqlglot import exp

from sfumato.data import Dataset
from sfumato.query.context import Context
from sfumato.query.fields import merged_field
from sfumato.query.plan import Plan, Union, tables
from sfumato.query.reach import carries_the_person, few_tables, within_reach

Rule = Callable[[list[Plan], exp.Expression, Context], None]


def all_public_or_none(parts: list[Plan], node: exp.Expression, context: Context) -> None:
    """Refuse parts some of which hold rows of people and some rows of nobody."""
    if len({part.private for part in parts}) > 1:
        raise context.refused("UNION ALL mixes public and private rows", node, hint="keep them apart")


def like_columns(parts: list[Plan], node: exp.Expression, context: Context) -> None:
    """Refuse parts with different columns."""
    if len({tuple(field.kind for field in part.fields) for part in parts}) > 1:
        raise context.refused("the parts of UNION ALL have different columns", node, hint="select alike")


RULES: tuple[Rule, ...] = (few_tables, all_public_or_none, like_columns)
"""What parts must keep to, in this order."""


def union_all(parts: list[Plan], node: exp.Expression, context: Context) -> Union:
    """The rows of all parts together, each part's UNION ALL taken apart."""
    flat = [each for part in parts for each in _parts(part)]
    for rule in RULES:
        rule(flat, node, context)
    columns = zip(*(part.fields for part in flat), strict=True)
    fields = tuple(merged_field(column) for column in columns)
    made = Union(tuple(flat), fields, flat[0].private, together(flat, context.dataset))
    within_reach(made, node, context)
    carries_the_person(made, node, context)
    return made


def _parts(plan: Plan) -> tuple[Plan, ...]:
    match plan:
        case Union():
            return plan.parts
        case _:
            return (plan,)


def together(parts: list[Plan], dataset: Dataset) -> int | None:
    """The rows a person, or where rows are protected one row, has in all parts; None where one of them is not cut."""
    known = [part.cut for part in parts if part.cut is not None]
    if len(known) < len(parts):
        return None
    apart = [set(tables(part)) for part in parts]
    disjoint = sum(map(len, apart)) == len(set().union(*apart))
    return max(known) if dataset.unit is None and disjoint else sum(known)
