"""Rows from a tree: each column drawn given one other, along the pairs that say most of each other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.synth.tables.residuals import Floats
from sfumato.synth.tables.rows import Codes
from sfumato.synth.tables.shape import Marginal
from sfumato.synth.tables.stream import RowStream

_LEAST = 1e-9


def mutual_information(table: Floats) -> float:
    """How much two columns say of each other, in nats.

    >>> round(mutual_information(np.array([[1.0, 0.0], [0.0, 1.0]])), 4)
    0.6931
    """
    share = table / max(float(table.sum()), _LEAST)
    apart = np.outer(share.sum(axis=1), share.sum(axis=0))
    there = share > 0
    return float((share[there] * np.log(share[there] / apart[there])).sum())


@dataclass(frozen=True, slots=True)
class Branch:
    """A column, the one it is drawn given, and their table with that one first; the first column has none."""

    column: int
    given: int | None
    table: Floats


def spanning_tree(singles: Sequence[Floats], pairs: Mapping[Marginal, Floats]) -> Iterator[Branch]:
    """The columns from the one that says most, along the heaviest pairs (Chow, Liu 1968)."""
    weights = {pair: mutual_information(table) for pair, table in pairs.items()}
    left = set(range(len(singles)))
    pull = [sum(weight for pair, weight in weights.items() if column in pair) for column in range(len(singles))]
    while left:
        root = max(sorted(left), key=lambda column: pull[column])
        left.discard(root)
        yield Branch(root, None, singles[root])
        while edges := [pair for pair in weights if (pair[0] in left) != (pair[1] in left) and not _apart(pair, left)]:
            a, b = max(edges, key=lambda pair: weights[pair])
            table = pairs[a, b]
            column, given = (b, a) if b in left else (a, b)
            left.discard(column)
            yield Branch(column, given, table if given == a else table.T)


def _apart(pair: Marginal, left: set[int]) -> bool:
    return all(column in left for column in pair)


def draw_given(table: Floats, given: NDArray[np.int32], stream: RowStream) -> NDArray[np.int32]:
    """One draw for each row from the row of a table that it has; by strata, so that counts are near their means."""
    sums = np.cumsum(np.maximum(table, _LEAST), axis=1)
    ends = (sums / sums[:, -1:] + np.arange(len(table))[:, None]).ravel()
    order = np.argsort(given, kind="stable")
    counts = np.bincount(given, minlength=len(table))
    within = np.arange(len(given)) - np.repeat(np.cumsum(counts) - counts, counts)
    # Rows of one value take equal strata of [0, 1), in any order: shuffled, or columns drawn one after the other agree.
    spread = np.empty(len(given))
    shuffled = stream.order(len(given))
    keys = given[order][shuffled]
    back = np.argsort(keys, kind="stable")
    spread[shuffled[back]] = (within + stream.fine_uniforms(len(given))) / np.repeat(np.maximum(counts, 1), counts)
    places = np.searchsorted(ends, given[order] + spread, side="right") - given[order] * table.shape[1]
    drawn = np.empty(len(given), dtype=np.int32)
    drawn[order] = np.clip(places, 0, table.shape[1] - 1)
    return drawn


def tree_rows(singles: Sequence[Floats], pairs: Mapping[Marginal, Floats], rows: int, stream: RowStream) -> Codes:
    """Rows of the tree model."""
    codes = np.zeros((len(singles), rows), dtype=np.int32)
    for branch in spanning_tree(singles, pairs):
        table = branch.table.reshape(1, -1) if branch.given is None else branch.table
        given = np.zeros(rows, dtype=np.int32) if branch.given is None else codes[branch.given]
        codes[branch.column] = draw_given(table, given, stream)
    return codes
