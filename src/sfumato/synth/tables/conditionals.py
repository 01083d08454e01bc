"""Drawing one column of some rows given all their others, from potentials: the step of a Gibbs chain."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.synth.tables.rows import Codes
from sfumato.synth.tables.shape import Marginal, TableShape
from sfumato.synth.tables.stream import RowStream

Weights = NDArray[np.float32]
"""Potentials: logarithms of factors, of one column or of a pair with the smaller place first."""

_CELLS = 1 << 18  # of a chunk: what stays in the cache


def seen_from(pair: Marginal, table: Weights, column: int) -> Weights:
    """A pair's table with the other column first."""
    return np.ascontiguousarray(table if pair[1] == column else table.T)


def draw_column(
    codes: Codes,
    column: int,
    block: slice,
    *,
    alone: Weights,
    joined: Sequence[tuple[int, Weights]],
    shape: TableShape,
    stream: RowStream,
) -> NDArray[np.int32]:
    """New values of a column for a block of rows: each in proportion to the product of its factors.

    `joined` are other columns with the potentials of (their value, the new value). Where nothing is possible a row
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
        for other, table in joined:
            np.take(table, codes[other, low:high], axis=0, out=part, mode="clip")
            odds += part
        odds -= odds.max(axis=1, keepdims=True)
        np.exp(odds, out=odds)
        for marginal, mask in forbidding:
            odds *= _allowed(codes, marginal, mask, column, slice(low, high))
        np.cumsum(odds, axis=1, out=odds)
        sums = odds[:, -1].copy()
        found = (odds <= (luck[low - start : high - start] * sums)[:, None]).sum(axis=1)
        drawn[low - start : high - start] = np.where(sums > 0, np.minimum(found, size - 1), codes[column, low:high])
    return drawn


def _allowed(codes: Codes, marginal: Marginal, mask: NDArray[np.bool_], column: int, block: slice) -> NDArray[np.bool_]:
    """(row, value) -> whether the row could have it."""
    last = np.moveaxis(mask, marginal.index(column), -1)
    others = tuple(codes[place, block] for place in marginal if place != column)
    return np.broadcast_to(last[others], (block.stop - block.start, mask.shape[marginal.index(column)]))


def count_changes(
    table: NDArray[np.int64],
    other: NDArray[np.int32],
    *,
    old: NDArray[np.int32],
    new: NDArray[np.int32],
    across: bool,
) -> None:
    """Bring a pair's counts up to date where rows change a value; `across` if that is the column along the rows."""
    flat, width = table.reshape(-1), table.shape[1]
    given = other.astype(np.int64) * (width if across else 1)
    step = 1 if across else width
    flat += np.bincount(given + new.astype(np.int64) * step, minlength=flat.size)
    flat -= np.bincount(given + old.astype(np.int64) * step, minlength=flat.size)


def no_weights(sizes: Sequence[int], pairs: Sequence[Marginal]) -> tuple[list[Weights], dict[Marginal, Weights]]:
    """Potentials that say nothing."""
    alone = [np.zeros(size, dtype=np.float32) for size in sizes]
    return alone, {(a, b): np.zeros((sizes[a], sizes[b]), dtype=np.float32) for a, b in pairs}
