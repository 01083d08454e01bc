"""LIMIT and OFFSET: how many rows of what is released are shown."""

from dataclasses import replace
from typing import Any

from sqlglot import exp

from sfumato.query.draft import Draft
from sfumato.query.parse import whole_number


def limit(draft: Draft) -> Draft:
    """The draft with both."""
    return replace(draft, limit=_whole("limit", draft), offset=_whole("offset", draft) or 0)


def _whole(name: str, draft: Draft) -> int | None:
    clause = draft.select.args.get(name)
    if clause is None:
        return None
    value = _written(clause, draft)
    found = whole_number(value)
    if found is None:
        raise draft.context.refused(f"{name.upper()} takes a whole number", clause, hint=f"{name.upper()} 10")
    return found


def _written(clause: exp.Expression, draft: Draft) -> Any:
    """The number of LIMIT 3, OFFSET 3 or FETCH FIRST 3 ROWS ONLY."""
    if type(clause) is exp.Fetch:
        draft.context.only(clause, "count", "direction", "limit_options")
        options = clause.args.get("limit_options")
        if options is not None:
            draft.context.only(options, "rows")
        return clause.args.get("count") or exp.Literal.number(1)
    draft.context.only(clause, "expression", "this")
    return clause.expression if clause.args.get("expression") is not None else clause.this
