"""HAVING: a condition on what is released."""

from dataclasses import replace

from sfumato.data import Kind
from sfumato.query.draft import Draft
from sfumato.query.over_released import OverReleased


def having(draft: Draft) -> Draft:
    """The draft with its condition, and the aggregates it names."""
    clause = draft.select.args.get("having")
    if clause is None:
        return draft
    released = OverReleased(draft, draft.aliases)
    made = released(clause.this)
    if made.kind is not Kind.BOOLEAN:
        raise draft.context.refused("HAVING must be true or false", clause, hint="compare it")
    return replace(draft, having=made, aggregates=tuple(released.aggregates))
