"""Other ways to write the same, written in one way before a question is read: NOT, names of aggregates, DISTINCT."""

from collections.abc import Callable
from typing import Any

from sqlglot import exp

_NEGATED = (exp.Like, exp.ILike, exp.Is, exp.In, exp.Between)
_AGGREGATES: dict[str, type[exp.Expression]] = {
    "MEAN": exp.Avg, "VAR": exp.Variance, "STD": exp.Stddev, "STDEV": exp.Stddev,
}  # fmt: skip
"""Names of aggregates that the parser does not know, of one operand each."""


def rewrite(root: exp.Expression) -> None:
    """Write a parsed question in the one way that is read."""
    for each in _REWRITES:
        nodes: list[Any] = list(root.walk())
        for node in nodes:
            each(node)


def _say_not(node: exp.Expression) -> None:
    """NOT around a predicate that the parser marks as negated: x NOT LIKE y is NOT (x LIKE y) always."""
    if type(node) in _NEGATED and node.args.get("negate"):
        node.set("negate", False)
        around = exp.Not()
        node.replace(around)
        around.set("this", node)


def _say_aggregate(node: exp.Expression) -> None:
    """An aggregate by the name that the parser knows."""
    kind = _AGGREGATES.get(str(node.this).upper()) if type(node) is exp.Anonymous else None
    if kind is not None and len(node.expressions) == 1:
        made = kind(this=node.expressions[0])
        made.meta.update(node.meta)
        node.replace(made)


def _say_group_by(node: exp.Expression) -> None:
    """SELECT DISTINCT as GROUP BY of what is selected; beside GROUP BY it says nothing if all keys are selected."""
    if type(node) is not exp.Select or type(node.args.get("distinct")) is not exp.Distinct:
        return
    if node.args["distinct"].args.get("on") is not None or node.find(exp.Star) in node.expressions:
        return
    selected = [each.this if type(each) is exp.Alias else each for each in node.expressions]
    group = node.args.get("group")
    if group is not None or any(each.find(exp.AggFunc) for each in selected):
        if group is None or all(_is_selected(key, node.expressions, selected) for key in group.expressions):
            node.set("distinct", None)
        return
    keys = [each.copy() for each in selected if type(each) is not exp.Literal]
    if keys:
        node.set("group", exp.Group(expressions=keys))
        node.set("distinct", None)


def _is_selected(key: exp.Expression, columns: list[exp.Expression], selected: list[exp.Expression]) -> bool:
    named = {each.alias.lower() for each in columns if type(each) is exp.Alias}
    bare = type(key) is exp.Column and not key.table
    return type(key) is exp.Literal or key in selected or (bare and key.name.lower() in named)


_REWRITES: tuple[Callable[[exp.Expression], None], ...] = (_say_not, _say_aggregate, _say_group_by)
