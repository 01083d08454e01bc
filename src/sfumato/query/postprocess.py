"""After the noise: aggregates from noisy columns, then HAVING, ORDER BY and LIMIT on released values alone."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cmp_to_key
from typing import Any

from sfumato.query.bars import Bar
from sfumato.query.evaluate import evaluate
from sfumato.query.law import AnswerErrors, Errors
from sfumato.query.measured import Recipe
from sfumato.query.price import PricedQuery
from sfumato.query.question import Order, Question

Noisy = list[Any]
"""The noisy cells of one group, block by block; a quantile's is (value, low, high)."""


def answers_of(query: PricedQuery, beta: Fraction) -> list[tuple[Recipe, AnswerErrors]]:
    """Every aggregate's recipe with how far what it is made of may be off, but with probability beta."""
    errors = Errors(query.priced)
    return [(recipe, AnswerErrors(errors, recipe, beta)) for recipe in query.measures.recipes]


def post_process(
    query: PricedQuery, keys: Sequence[tuple[Any, ...]], noisy: Sequence[Noisy], beta: Fraction
) -> list[list[Bar]]:
    """The rows of the answer, one Bar an output."""
    question = query.question
    answerers = [(recipe, recipe.aggregate.answerer(off)) for recipe, off in answers_of(query, beta)] if keys else []
    rows = []
    for key, released in zip(keys, noisy, strict=True):
        columns = _columns(query, released)
        rows.append([*map(Bar, key), *(answer(recipe.values(columns)) for recipe, answer in answerers)])
    if question.having is not None:
        rows = [row for row in rows if evaluate(question.having, row).value is True]
    rows = _ordered(rows, question)
    end = None if question.limit is None else question.offset + question.limit
    return [[evaluate(output, row) for _, output in question.outputs] for row in rows[question.offset : end]]


def _columns(query: PricedQuery, released: Noisy) -> dict[int, Any]:
    """What each column is by the cells that were released of it, in whole rows."""
    found, at = dict[int, Any](), 0
    for each in query.priced:
        found.update(zip(each.columns, each.estimated(released[at : at + each.size]), strict=True))
        at += each.size
    return found


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
