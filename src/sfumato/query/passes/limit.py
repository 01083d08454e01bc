"""LIMIT and OFFSET: how many rows of what is released are shown."""

from dataclasses import replace

from sfumato.query.draft import Draft
from sfumato.query.parse import whole_number


def limit(draft: Draft) -> Draft:
    """The draft with both."""
    return replace(draft, limit=_whole("limit", draft), offset=_whole("offset", draft) or 0)


def _whole(name: str, draft: Draft) -> int | None:
    clause = draft.select.args.get(name)
    if clause is None:
        return None
    draft.context.only(clause, "expression", "this")
    value = clause.expression if clause.args.get("expression") is not None else clause.this
    found = whole_number(value)
    if found is None:
        raise draft.context.refused(f"{name.upper()} takes a whole number", clause, hint=f"{name.upper()} 10")
    return found
