"""What the engine fetched, as Python's own: keys, exact integers, histograms of values."""

from itertools import pairwise
from typing import Any

import numpy as np

from sfumato.data import Kind
from sfumato.engines.engine import Histogram, Key
from sfumato.query.price import PricedQuery


def keys_of(found: dict[str, Any], width: int, query: PricedQuery) -> list[Key]:
    """The groups' keys, in the order they were fetched."""
    if not width:
        return [()] * len(next(iter(found.values())))
    columns = [_typed_key(found[f"k{i}"].tolist(), query.question.keys[i].kind) for i in range(width)]
    return list(zip(*columns, strict=True))


def _typed_key(values: list[Any], kind: Kind) -> list[Any]:
    if kind is Kind.DATE:
        return [None if value is None else _date(value) for value in values]
    return values


def _date(value: Any) -> Any:
    from datetime import datetime

    return value.date() if isinstance(value, datetime) else value


def whole_numbers(column: Any) -> Any:
    """Exact integers: 64 bits where they fit, Python's where they came as text."""
    values = np.asarray(column)
    if values.dtype.kind in "iu":
        return values.astype(np.int64, copy=False)
    return np.array([int(value) for value in values], dtype=object)


def histograms(lines: dict[str, Any], width: int, query: PricedQuery) -> dict[Key, Histogram]:
    """The values of each group in steps, in order, and how often each occurs."""
    steps, counts = whole_numbers(lines["v"]), whole_numbers(lines["n"])
    if not width:
        return {(): (steps, counts)}
    keys = keys_of(lines, width, query)
    cuts = [0, *(i for i in range(1, len(keys)) if keys[i] != keys[i - 1]), len(keys)]
    return {keys[a]: (steps[a:b], counts[a:b]) for a, b in pairwise(cuts) if b > a}
