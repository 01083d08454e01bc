"""Where exact integers become noisy ones; nothing exact goes further."""

from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import ExactTable
from sfumato.engines.engine import Histogram
from sfumato.exact.bits import BitSource, source
from sfumato.mechanisms import KeySelection
from sfumato.mechanisms.answers import add
from sfumato.query.postprocess import in_order
from sfumato.query.price import PricedQuery
from sfumato.query.priced import NoisyCells, SelectedCounts
from sfumato.query.quantiles import PricedQuantile
from sfumato.query.strategies.keys import KeyedCells

Noisy = tuple[list[tuple[Any, ...]], list[list[Any]]]
"""Groups in public order, and for each a row of noisy cells, block by block."""

_EMPTY = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


def add_noise(query: PricedQuery, exact: ExactTable, *, bits: BitSource | None = None) -> Noisy:
    """Noisy cells of every public group, or of the groups whose noisy number of people passes the threshold."""
    stream = source(bits)
    groups = query.question.groups
    if groups is not None:
        keys = [tuple(group) for group in groups]
        at = {key: i for i, key in enumerate(exact.keys)}
        places: list[int | None] = [at.get(key) for key in keys]
        chosen: list[list[int]] = []
    else:
        found, cells = _selected(query, exact, stream)
        passed = sorted(zip(found.tolist(), cells, strict=True), key=lambda each: in_order(exact.keys[each[0]]))
        places, chosen = [place for place, _ in passed], [each for _, each in passed]
        keys = [exact.keys[place] for place, _ in passed]
    rows: list[list[Any]] = [[] for _ in keys]
    for priced in query.priced:
        match priced:
            case SelectedCounts() | KeyedCells():
                made: list[list[Any]] = list(chosen)
            case PricedQuantile():
                values = exact.values[priced.columns[0]]
                made = [[_quantile(priced, values.get(key, _EMPTY), stream)] for key in keys]
            case NoisyCells():
                made = _noisy(priced, exact, places, stream)
            case _:
                assert_never(priced)
        for row, cells in zip(rows, made, strict=True):
            row.extend(cells)
    return keys, rows


def _selected(query: PricedQuery, exact: ExactTable, bits: BitSource) -> tuple[Any, list[list[int]]]:
    """The places of the groups that show, and the noisy numbers by which they do."""
    block = next((each for each in query.priced if isinstance(each, KeyedCells)), None)
    if block is None:
        assert isinstance(query.keys, KeySelection)
        found, counts = query.keys.select(exact.people, bits=bits)
        return found, [[int(each)] for each in counts]
    assert exact.people is not None
    people = _whole(exact.people)
    columns = [_whole(exact.columns[each]) for each in block.columns[:-1]]
    cells = np.stack(block.of([*columns, people << block.bits]), axis=1)
    found, noisy = block.selection.select(people.astype(np.int64), cells, bits=bits)
    return found, [[int(each) for each in row] for row in noisy]


def _whole(column: Any) -> NDArray[np.object_]:
    """Python's own whole numbers, which have no end."""
    found = np.empty(len(column), dtype=object)
    found[:] = [int(each) for each in column]
    return found


def noisy_beyond(query: PricedQuery, exact: ExactTable, *, bits: BitSource | None = None) -> list[int]:
    """How many people have more than counts, and their rows beyond if they may be told of, each with noise."""
    if query.beyond is None:
        return []
    stream = source(bits)
    hidden = [noise for noise in (query.beyond.people, query.beyond.rows) if noise is not None]
    steps = [np.array([value], dtype=np.int64) for value in exact.beyond]
    return [int(add(step, noise.draw(1, stream))[0]) for step, noise in zip(steps, hidden, strict=False)]


def _noisy(priced: NoisyCells, exact: ExactTable, places: list[int | None], bits: BitSource) -> list[list[int]]:
    """The cells of the groups in order, of nothing for those nobody is in, each with noise of its own."""
    if not places:
        return []
    columns = [_placed(exact.columns[each], places) for each in priced.columns]
    cells = np.stack(priced.of(columns), axis=1)
    drawn: Any = priced.noise.draw(cells.shape, bits)
    noisy = iter(add(cells.ravel(), drawn.ravel()))
    return [[int(next(noisy)) for _ in range(priced.size)] for _ in places]


def _placed(column: Any, places: list[int | None]) -> NDArray[np.object_]:
    """A column of the groups in order, nothing for those nobody is in."""
    return _whole([0 if place is None else column[place] for place in places])


def _quantile(priced: PricedQuantile, counted: Histogram, bits: BitSource) -> list[Any]:
    """The quantile and the ends of its error bar, which are missing where none was bought."""
    value = priced.quantile.of_counted(counted[0], counted[1], bits)
    if priced.bar is None:
        return [value, None, None]
    low, high = priced.bar.of_counted(counted[0], counted[1], value, bits)
    return [value, min(low, value), max(high, value)]
