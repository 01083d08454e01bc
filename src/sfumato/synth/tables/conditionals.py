"""Drawing one column of some rows given all their others, from potentials: the step of a Gibbs chain."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.synth.tables.rows import Codes
from sfumato.synth.tables.shape import Marginal, TableShape
from sfumato.synth.tables.stream import RowStream

Weights = NDArray[np.float32]
"""Potentials: logarithms of factors, of one column or of a marginal with its places rising."""

_CELLS = 1 << 18  # of a chunk: what stays in the cache


def seen_from(marginal: Marginal, table: Weights, column: int) -> Weights:
    """A marginal's table as (cell of the other columns, value of this one)."""
    last = np.moveaxis(table, marginal.index(column), -1)
    return np.ascontiguousarray(last.reshape(-1, last.shape[-1]))


def others(marginal: Marginal, column: int) -> Marginal:
    """The columns of a marginal but for one.

    >>> others((1, 4, 6), 4)
    (1, 6)
    """
    return tuple(place for place in marginal if place != column)


def cells_of(codes: Codes, places: Marginal, sizes: Sequence[int], rows: slice) -> NDArray[np.int32]:
    """The cell of each row in the table of some columns."""
    found = codes[places[0], rows]
    for place in places[1:]:
        found = found * np.int32(sizes[place]) + codes[place, rows]
    return found


def draw_column(
    codes: Codes,
    column: int,
    block: slice,
    *,
    alone: Weights,
    joined: Sequence[tuple[Marginal, Weights]],
    shape: TableShape,
    stream: RowStream,
) -> NDArray[np.int32]:
    """New values of a column for a block of rows: each in proportion to the product of its factors.

    `joined` are other columns with the potentials of (their cell, the new value). Where nothing is possible a row
    keeps what it has.
    """
    size = len(alone)
    start, stop = block.start, block.stop
    drawn = np.empty(stop - start, dtype=np.int32)
    step = max(1, _CELLS // size)
    luck = stream.uniforms(stop - start)
    forbidding = [(m, mask) for m, mask in shape.masks.items() if column in m]
    buffer = np.empty((step, size), dtype=np.float32)
    for low in range(start, stop, step):
        high = min(stop, low + step)
        odds = np.empty((high - low, size), dtype=np.float32)
        odds[:] = alone
        part = buffer[: high - low]
        for places, table in joined:
            np.take(table, cells_of(codes, places, shape.sizes, slice(low, high)), axis=0, out=part, mode="clip")
            odds += part
        odds -= odds.max(axis=1, keepdims=True)
        np.exp(odds, out=odds)
        for marginal, mask in forbidding:
            odds *= allowed_values(codes, marginal, mask, column, slice(low, high))
        np.cumsum(odds, axis=1, out=odds)
        sums = odds[:, -1].copy()
        found = (odds <= (luck[low - start : high - start] * sums)[:, None]).sum(axis=1)
        drawn[low - start : high - start] = np.where(sums > 0, np.minimum(found, size - 1), codes[column, low:high])
    return drawn


def allowed_values(
    codes: Codes, marginal: Marginal, mask: NDArray[np.bool_], column: int, block: slice
) -> NDArray[np.bool_]:
    """(row, value) -> whether the row could have it."""
    last = np.moveaxis(mask, marginal.index(column), -1)
    given = tuple(codes[place, block] for place in others(marginal, column))
    return np.broadcast_to(last[given], (block.stop - block.start, mask.shape[marginal.index(column)]))


def count_changes(
    table: NDArray[np.int64],
    codes: Codes,
    marginal: Marginal,
    *,
    column: int,
    where: NDArray[np.int64],
    new: NDArray[np.int32],
) -> None:
    """Bring a marginal's counts up to date before some rows change their value of a column."""
    flat, step = table.reshape(-1), 1
    given, along = np.zeros(len(where), dtype=np.int64), 1
    for place, size in zip(reversed(marginal), reversed(table.shape), strict=True):
        if place == column:
            along = step
        else:
            given += codes[place, where].astype(np.int64) * step
        step *= size
    flat += np.bincount(given + new.astype(np.int64) * along, minlength=flat.size)
    flat -= np.bincount(given + codes[column, where].astype(np.int64) * along, minlength=flat.size)


def no_weights(sizes: Sequence[int], marginals: Sequence[Marginal]) -> tuple[list[Weights], dict[Marginal, Weights]]:
    """Potentials that say nothing."""
    alone = [np.zeros(size, dtype=np.float32) for size in sizes]
    return alone, {m: np.zeros([sizes[place] for place in m], dtype=np.float32) for m in marginals}
