"""GROUP BY: the keys of the groups, which must not be made of the person."""

from dataclasses import replace

from sqlglot import exp

from sfumato.query.draft import Draft, GroupKey
from sfumato.query.expression import bounded, of_person, refs
from sfumato.query.parse import sql_of
from sfumato.query.per_person import grouping
from sfumato.query.person_aggregates import aggregates_in


def group_by(draft: Draft) -> Draft:
    """The draft with its keys; positions and names of SELECT stand for what they name."""
    keys: list[GroupKey] = []
    for node in _named(draft):
        made = _key(node, draft)
        if made.expression not in (key.expression for key in keys):
            keys.append(made)
    return replace(draft, keys=tuple(keys))


def _named(draft: Draft) -> list[exp.Expression]:
    """What GROUP BY names; a bare name that is no column is one that SELECT gives."""
    selected = draft.select.expressions
    aliases = {node.alias.lower(): node.this for node in selected if isinstance(node, exp.Alias)}
    columns = {name.name.lower() for name in draft.base.scope.names}
    found = []
    for node in grouping(draft.select, draft.context):
        name = node.name.lower() if isinstance(node, exp.Column) and not node.table else None
        found.append(node if name is None or name in columns else aliases.get(name, node))
    return found


def _key(node: exp.Expression, draft: Draft) -> GroupKey:
    if aggregates_in(node):
        raise draft.context.refused("GROUP BY takes columns of a row, not aggregates", node, hint="use HAVING")
    key = bounded(draft.rows(node))
    if of_person(key):
        raise draft.context.refused("groups must not be made of the person", node,
                      hint="group in a subquery by person and aggregate over it")  # fmt: skip
    if not refs(key):
        raise draft.context.refused("GROUP BY a constant makes one group", node, hint="leave it out")
    return GroupKey(key, sql_of(node))
