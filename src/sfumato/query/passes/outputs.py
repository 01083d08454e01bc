"""SELECT: what is released, made of keys and aggregates alone."""

from dataclasses import replace

from sqlglot import exp

from sfumato.query.draft import Draft
from sfumato.query.expression import Expression
from sfumato.query.over_released import OverReleased
from sfumato.query.parse import sql_of
from sfumato.query.passes.no_rows import HINT


def outputs(draft: Draft) -> Draft:
    """The draft with its outputs and their aggregates."""
    released = OverReleased(draft)
    found: list[tuple[str, Expression]] = []
    for node in draft.select.expressions:
        inner = node.this if isinstance(node, exp.Alias) else node
        column = inner if isinstance(inner, exp.Column) else None
        if isinstance(inner if column is None else column.this, exp.Star):
            raise draft.context.refused("rows are not released", inner, hint=HINT)
        name = node.alias or (sql_of(inner).lower() if column is None else column.name)
        found.append((name, released(inner)))
    return replace(draft, outputs=tuple(found), aggregates=tuple(released.aggregates))
