"""Which values a key may have, where that is public: then every group is answered, whoever is in it."""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, floor
from typing import Any

from sfumato.data import Kind
from sfumato.query.context import Public
from sfumato.query.draft import Draft
from sfumato.query.expression import Call, Expression, Literal, Ref
from sfumato.query.functions.choices import of_case
from sfumato.query.missing import may_be_missing, present_fields
from sfumato.query.plan import Plan

_MOST_PUBLIC = 1000
Domain = tuple[Any, ...] | None


def public_groups(draft: Draft) -> Draft:
    """The draft with the public values of each key, or None for a key that has none."""
    present = present_fields(draft.base.plan)
    domains = tuple(_with_missing(key.expression, draft.context.public, present) for key in draft.keys)
    if any(domain is not None and not domain for domain in domains):
        raise draft.context.refused(
            "there is no group: the public table of a key has no values", draft.select,
            hint="leave the key out, or have the owner fill the table",
        )  # fmt: skip
    if not draft.aggregates and None not in domains:
        raise draft.context.refused("the groups are public: they are known without data", draft.select.expressions[0],
                                    hint="add COUNT(*) to learn how many rows are in each")  # fmt: skip
    return replace(draft, domains=domains)


def long_domains(
    keys: Sequence[Expression], domains: Sequence[Domain], plan: Plan, public: Public, most: int
) -> tuple[Domain, ...]:
    """The same domains, and for keys of whole numbers that had too many values up to `most` of them."""
    present = present_fields(plan)
    return tuple(
        _with_missing(key, public, present, most) if domain is None else domain
        for key, domain in zip(keys, domains, strict=True)
    )


def _with_missing(key: Expression, public: Public, present: frozenset[int], most: int = _MOST_PUBLIC) -> Domain:
    """The values of a key, and behind them NULL, where a row may have none: SQL has a group for those rows."""
    known = _domain(key, public, most)
    if not known:
        return known
    values = tuple(value for value in known if value is not None)
    return (*values, None) if may_be_missing(key, public, present) else values


def _domain(key: Expression, public: Public, most: int) -> Domain:
    match key:
        case Ref() if key.field.values is not None:
            return key.field.values
        case Ref() if key.field.public is not None:
            return public.values(*key.field.public)
        case _ if key.kind is Kind.BOOLEAN:
            return False, True
        case Call(op="case"):
            values = of_case(key.args)
            constants = [value.value for value in values if isinstance(value, Literal)]
            if len(constants) == len(values):
                return tuple(dict.fromkeys(constants))
            return _whole_numbers(key, most)
        case _:
            return _whole_numbers(key, most)


def _whole_numbers(key: Expression, most: int) -> Domain:
    """All whole numbers between the bounds, if they are few."""
    low, high, grid = key.range.lower, key.range.upper, key.range.grid
    if key.kind is not Kind.INTEGER or grid is None or grid.denominator != 1 or low is None or high is None:
        return None
    step = int(grid)  # such as 10 for decades
    first, last = ceil(low / step), floor(high / step)
    return tuple(step * each for each in range(first, last + 1)) if last - first < most else None
