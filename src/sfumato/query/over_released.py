"""Expressions over what will be released: keys and aggregates, and nothing else of a row."""

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from sfumato.errors import InvalidQuestion
from sfumato.query.aggregates import Aggregate, AggregateReader, OverValues, is_aggregate, read_aggregate
from sfumato.query.draft import Draft
from sfumato.query.expression import Expression, Field, bounded
from sfumato.query.missing import may_be_missing, present_fields
from sfumato.query.person_aggregates import aggregates_in
from sfumato.query.planted import Planted, exchanged

_MOST_AGGREGATES = 50
_CHAINS: tuple[type[exp.Expression], ...] = (exp.And, exp.Or)
_MAY_BE_KEYS = (exp.Column, exp.Func, exp.Binary, exp.Paren, exp.Case, exp.Unary)


class OverReleased:
    """Reads expressions over keys and aggregates, and gathers the aggregates; aliases stand for what they name."""

    def __init__(self, draft: Draft, aliases: Mapping[str, Expression] | None = None) -> None:
        self._draft, self._text, self._rows = draft, draft.text, draft.rows
        self._aliases: Mapping[str, Expression] = {} if aliases is None else aliases
        self.aggregates: list[Aggregate] = list(draft.aggregates)
        self._present = present_fields(draft.base.plan)
        self._has_chains = any(getattr(key.expression, "op", "") in ("and", "or") for key in draft.keys)

    def __call__(self, node: exp.Expression) -> Expression:
        """The expression that a node is."""
        planted = Planted(self._text)

        def swap(each: exp.Expression) -> exp.Expression:
            if is_aggregate(each):
                return planted.plant(each, *self._aggregate(each))
            key = self._key(each)
            if key is not None:
                return planted.plant(each, key, self._draft.keys[key].field)
            if isinstance(each, exp.Column):
                return planted.stand_for(each, self._alias(each))
            if isinstance(each, exp.Func) and not self._rows.knows(each):
                raise self._rows.unknown(each)  # before its columns are: they are not what is wrong
            return each

        return planted.value(exchanged(node, swap))

    def _key(self, node: exp.Expression) -> int | None:
        """The key that a node is, if it is one."""
        if type(node) in _CHAINS and not self._has_chains:
            return None  # parts of a long chain are not read again and again where no key is one
        if not isinstance(node, _MAY_BE_KEYS) or aggregates_in(node) or node.find(exp.Column) is None:
            return None
        try:
            made = bounded(self._rows(node))
        except InvalidQuestion:  # what does not stand alone is no key; its parts are looked at next
            return None
        return next((i for i, key in enumerate(self._draft.keys) if key.expression == made), None)

    def _alias(self, node: exp.Column) -> Expression:
        """What SELECT calls by a column's name, if anything."""
        found = None if node.table else self._aliases.get(node.name.lower())
        if found is not None:
            return found
        column = self._draft.base.scope.column(node)
        grouped = "" if column.field.person else f", or add `{node.name}` to GROUP BY"
        raise self._draft.context.refused(f"column `{node.name}` is neither grouped nor aggregated", node,
                      hint=f"use an aggregate such as COUNT or AVG{grouped}")  # fmt: skip

    def _aggregate(self, node: exp.Expression) -> tuple[int, Field]:
        """The place of an aggregate among what is released, and its column."""
        inner, where = node, None
        if isinstance(node, exp.Filter):
            self._draft.context.only(node, "this", "expression")
            inner, where = node.this, self._rows.predicate(node.expression.this)
        made = read_aggregate(inner, where, AggregateReader(self._rows))
        if isinstance(made, OverValues) and not may_be_missing(made.of, self._draft.context.public, self._present):
            made = replace(made, filled=True)
        if made not in self.aggregates:
            if len(self.aggregates) == _MOST_AGGREGATES:
                raise self._draft.context.refused(f"more than {_MOST_AGGREGATES} aggregates", node, hint="ask in parts")
            self.aggregates.append(made)
        place = self.aggregates.index(made)
        return len(self._draft.keys) + place, Field(made.label, made.gives, made.range)
