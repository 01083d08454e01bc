"""ORDER BY: the order of what is released."""

from dataclasses import replace

from sqlglot import exp

from sfumato.query.draft import Draft
from sfumato.query.expression import Expression
from sfumato.query.over_released import OverReleased
from sfumato.query.parse import whole_number
from sfumato.query.question import Order


def order_by(draft: Draft) -> Draft:
    """The draft with its order, and the aggregates it names."""
    clause = draft.select.args.get("order")
    if clause is None:
        return draft
    draft.context.only(clause, "expressions")
    released = OverReleased(draft, draft.aliases)
    found = []
    for each in clause.expressions:
        draft.context.only(each, "this", "desc", "nulls_first")
        by = _named(each.this, draft)
        by = released(each.this) if by is None else by
        found.append(Order(by, bool(each.args.get("desc")), bool(each.args.get("nulls_first"))))
    return replace(draft, order=tuple(found), aggregates=tuple(released.aggregates))


def _named(node: exp.Expression, draft: Draft) -> Expression | None:
    """What a position or a name of SELECT stands for."""
    match node:
        case exp.Literal():
            place = whole_number(node)
            if place is None:
                return None
            if not 1 <= place <= len(draft.outputs):
                raise draft.context.refused("ORDER BY names a column that is not there", node,
                                            hint=f"positions go from 1 to {len(draft.outputs)}")  # fmt: skip
            return draft.outputs[place - 1][1]
        case exp.Column() if not node.table:
            return draft.aliases.get(node.name.lower())
        case _:
            return None
