"""What one row may cost: a question that lets a row cost too much is refused before data are read."""

from sfumato.query.draft import Draft
from sfumato.query.work import refuse_too_much


def within_work(draft: Draft) -> Draft:
    """The draft as it is, if no row can cost too much."""
    computed = [each for aggregate in draft.aggregates for each in aggregate.inputs]
    statements = 1 + sum(aggregate.has_own_statement for aggregate in draft.aggregates)
    keys = [key.expression for key in draft.keys]
    refuse_too_much(draft.base.plan, keys, computed, statements=statements)
    return draft
