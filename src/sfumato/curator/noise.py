"""Where exact integers become noisy ones; nothing exact goes further."""

from typing import Any, assert_never

import numpy as np

from sfumato.engines import ExactTable
from sfumato.engines.engine import Histogram
from sfumato.exact.bits import BitSource, source
from sfumato.mechanisms.answers import add
from sfumato.query.postprocess import in_order
from sfumato.query.price import PricedQuery
from sfumato.query.priced import NoisyColumns, SelectedCounts, ThreeQuantiles

Noisy = tuple[list[tuple[Any, ...]], list[list[Any]]]
"""Groups in public order, and for each a row of noisy columns."""

_EMPTY = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


def add_noise(query: PricedQuery, exact: ExactTable, *, bits: BitSource | None = None) -> Noisy:
    """Noisy columns of every public group, or of the groups whose noisy number of people passes the threshold."""
    stream = source(bits)
    groups = query.question.groups
    if groups is not None:
        keys = [tuple(group) for group in groups]
        at = {key: i for i, key in enumerate(exact.keys)}
        places: list[int | None] = [at.get(key) for key in keys]
        chosen: list[int] = []
    else:
        assert query.keys is not None
        found, counts = query.keys.select(exact.people, bits=stream)
        passed = sorted(
            zip(found.tolist(), counts.tolist(), strict=True), key=lambda each: in_order(exact.keys[each[0]])
        )
        places = [place for place, _ in passed]
        chosen = [int(count) for _, count in passed]
        keys = [exact.keys[place] for place, _ in passed]
    columns: dict[int, list[Any]] = {}
    for priced, start in zip(query.priced, query.measures.starts, strict=True):
        match priced:
            case SelectedCounts():
                columns[start] = list(chosen)
            case ThreeQuantiles():
                columns[start] = [_quantile(priced, exact.values[start].get(key, _EMPTY), stream) for key in keys]
            case NoisyColumns():
                for j in range(priced.measure.columns):
                    columns[start + j] = _noisy(priced, exact.columns[start + j], places, stream)
            case _:
                assert_never(priced)
    in_turn = [columns[c] for c in sorted(columns)]
    return keys, [list(row) for row in zip(*in_turn, strict=True)] if in_turn else [[] for _ in keys]


def noisy_beyond(query: PricedQuery, exact: ExactTable, *, bits: BitSource | None = None) -> list[int]:
    """How many people have more than counts, and their rows beyond if they may be told of, each with noise."""
    if query.beyond is None:
        return []
    stream = source(bits)
    hidden = [noise for noise in (query.beyond.people, query.beyond.rows) if noise is not None]
    steps = [np.array([value], dtype=np.int64) for value in exact.beyond]
    return [int(add(step, noise.draw(1, stream))[0]) for step, noise in zip(steps, hidden, strict=False)]


def _noisy(priced: NoisyColumns, exact: Any, places: list[int | None], bits: BitSource) -> list[int]:
    """The exact integers of the groups in order, zero for those nobody is in, each with noise of its own."""
    if not places:
        return []
    values = [0 if place is None else int(exact[place]) for place in places]
    small = max(map(abs, values)) < 2**62
    steps = np.array(values, dtype=np.int64 if small else object)
    return [int(value) for value in add(steps, priced.noise.draw(len(values), bits))]


def _quantile(priced: ThreeQuantiles, counted: Histogram, bits: BitSource) -> list[Any]:
    """The quantile and the ends of its error bar, put in order."""
    value, low, high = (mechanism.of_counted(counted[0], counted[1], bits) for mechanism in priced.quantiles)
    return [value, min(low, value), max(high, value)]
