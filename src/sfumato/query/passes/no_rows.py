"""Rows stay where they are: what is released has an aggregate in it, in SELECT, HAVING or ORDER BY, or is of groups."""

from sfumato.query.draft import Draft

HINT = "ask for aggregates: COUNT(*), AVG(…), …"


def no_rows(draft: Draft) -> Draft:
    """The draft as it is, if it has an aggregate or keys."""
    if not draft.aggregates and not draft.keys:
        raise draft.context.refused("rows are not released", draft.select.expressions[0], hint=HINT)
    return draft
