"""After the noise: aggregates from noisy columns, then HAVING, ORDER BY and LIMIT on released values alone."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cmp_to_key
from typing import Any

from sfumato.query.evaluate import evaluate
from sfumato.query.price import PricedQuery
from sfumato.query.question import Order, Question
from sfumato.query.released import Bar, cooked

Noisy = list[Any]
"""A row of noisy columns; a quantile's is (value, low, high)."""


def reaches(query: PricedQuery, beta: Fraction) -> list[int]:
    """How far each noisy column may be off, so that an aggregate of up to three of them fails with at most beta."""
    found: list[int] = []
    for i, priced in enumerate(query.priced):
        columns = [query.measures.starts[i] + j for j in range(priced.measure.columns)]
        for column in columns:
            shared = max(
                (len(recipe.columns) for recipe in query.measures.recipes if column in recipe.columns), default=1
            )
            if query.keys is not None and i == query.counted_keys:
                found.append(int(query.keys.error(beta / shared).alpha))
            elif priced.noise is not None:
                found.append(priced.noise.reach(beta / shared))
            else:
                found.append(0)
    return found


def finished(
    query: PricedQuery, keys: Sequence[tuple[Any, ...]], noisy: Sequence[Noisy], beta: Fraction
) -> list[list[Bar]]:
    """The rows of the answer, one Bar an output."""
    question, off = query.question, reaches(query, beta)
    rows = [
        [*(Bar(part) for part in key), *(cooked(recipe, row, off) for recipe in query.measures.recipes)]
        for key, row in zip(keys, noisy, strict=True)
    ]
    if question.having is not None:
        rows = [row for row in rows if evaluate(question.having, row).value is True]
    rows = _ordered(rows, question)
    end = None if question.limit is None else question.offset + question.limit
    return [[evaluate(output, row) for _, output in question.outputs] for row in rows[question.offset : end]]


def _ordered(rows: list[list[Bar]], question: Question) -> list[list[Bar]]:
    for order in reversed(question.order):  # stable: the last key first
        valued = [(evaluate(order.by, row).value, row) for row in rows]
        valued.sort(key=cmp_to_key(lambda a, b, order=order: _compared(a[0], b[0], order)))  # type: ignore[misc]
        rows = [row for _, row in valued]
    return rows


def _compared(x: Any, y: Any, order: Order) -> int:
    if x is None or y is None:
        return 0 if x is y else (-1 if (x is None) == order.nulls_first else 1)
    if x == y:
        return 0
    try:
        before = bool(x < y)
    except TypeError:  # values that are not of one kind: in a fixed order all the same
        before = (type(x).__name__, repr(x)) < (type(y).__name__, repr(y))
    return (-1 if before else 1) * (-1 if order.descending else 1)


def in_order(key: tuple[Any, ...]) -> tuple[Any, ...]:
    """What groups are sorted by where nothing else is asked: their keys, NULL last."""
    return tuple(
        (part is None, str(type(part).__name__) if part is None else "", part if part is not None else 0)
        for part in key
    )
