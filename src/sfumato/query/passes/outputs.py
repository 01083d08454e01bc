"""SELECT: what is released, made of keys and aggregates alone."""

from dataclasses import replace

from sqlglot import exp

from sfumato.query.draft import Draft
from sfumato.query.expression import Expression
from sfumato.query.over_released import OverReleased
from sfumato.query.parse import sql_of

_HINT = "ask for aggregates: COUNT(*), AVG(…), …"


def outputs(draft: Draft) -> Draft:
    """The draft with its outputs and their aggregates."""
    released = OverReleased(draft)
    found: list[tuple[str, Expression]] = []
    for node in draft.select.expressions:
        inner = node.this if isinstance(node, exp.Alias) else node
        column = inner if isinstance(inner, exp.Column) else None
        if isinstance(inner if column is None else column.this, exp.Star):
            raise draft.context.refused("rows are not released", inner, hint=_HINT)
        name = node.alias or (sql_of(inner).lower() if column is None else column.name)
        found.append((name, released(inner)))
    if not released.aggregates:
        raise draft.context.refused("rows are not released", draft.select.expressions[0], hint=_HINT)
    return replace(draft, outputs=tuple(found), aggregates=tuple(released.aggregates))
