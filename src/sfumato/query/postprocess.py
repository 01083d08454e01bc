"""After the noise: aggregates from noisy columns, then HAVING, ORDER BY and LIMIT on released values alone."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cmp_to_key
from typing import Any

from sfumato.query.aggregates.base import Exact
from sfumato.query.bars import Bar
from sfumato.query.evaluate import evaluate
from sfumato.query.price import Priced, PricedQuery
from sfumato.query.priced import ThreeQuantiles
from sfumato.query.question import Order, Question

Noisy = list[Any]
"""A row of noisy columns; a quantile's is (value, low, high)."""


def reaches(query: PricedQuery, beta: Fraction) -> list[Exact]:
    """How far each noisy column may be off, so that an aggregate of up to three of them fails with at most beta."""
    return [priced.reach(each) for priced, each in _shared(query, beta)]


def expected_errors(query: PricedQuery, beta: Fraction) -> list[float]:
    """What can be said of each column's error before data are seen: how far off, or for quantiles by how many ranks."""
    return [float(priced.expected(each)) for priced, each in _shared(query, beta)]


def _shared(query: PricedQuery, beta: Fraction) -> list[tuple[Priced, Fraction]]:
    """For each column what was priced, and its part of beta: those of one aggregate share it."""
    found: list[tuple[Priced, Fraction]] = []
    for priced, start in zip(query.priced, query.measures.starts, strict=True):
        for column in range(start, start + priced.measure.columns):
            sizes = [len(recipe.columns) for recipe in query.measures.recipes if column in recipe.columns]
            found.append((priced, beta / max(sizes, default=1)))
    return found


def post_process(
    query: PricedQuery, keys: Sequence[tuple[Any, ...]], noisy: Sequence[Noisy], beta: Fraction
) -> list[list[Bar]]:
    """The rows of the answer, one Bar an output."""
    question, off, bits = query.question, reaches(query, beta), _bits(query)
    rows = [
        [*(Bar(part) for part in key), *(recipe.answer(_whole(row, bits), off) for recipe in query.measures.recipes)]
        for key, row in zip(keys, noisy, strict=True)
    ]
    if question.having is not None:
        rows = [row for row in rows if evaluate(question.having, row).value is True]
    rows = _ordered(rows, question)
    end = None if question.limit is None else question.offset + question.limit
    return [[evaluate(output, row) for _, output in question.outputs] for row in rows[question.offset : end]]


def _bits(query: PricedQuery) -> list[int]:
    """Of each column, in what part of a row it is, as a power of two; a quantile is a value as it stands."""
    return [
        0 if isinstance(priced, ThreeQuantiles) else priced.bits
        for priced in query.priced
        for _ in range(priced.measure.columns)
    ]


def _whole(row: Noisy, bits: list[int]) -> Noisy:
    """Noisy columns in whole rows."""
    return [Fraction(int(each), 1 << fine) if fine else each for each, fine in zip(row, bits, strict=True)]


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
