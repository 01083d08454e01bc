"""Rows from pairs: a tree of the pairs that say most, along which every column follows from one other.

Chow and Liu (1968) on noisy tables: of all trees the one whose pairs have the most mutual information, less what noise
alone would show. Rows follow the first column's counts, then each next column's shares given its parent's value, in
whole rows. The pairs of the tree are kept nearly as they were measured; others only as far as they follow from it.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidDeclaration
from sfumato.exact.bits import BitSource
from sfumato.exact.uniform import permutation
from sfumato.synth.publication.rows import MadeRows, PlacesColumn, in_whole_rows, narrow, not_negative, rows_in_all
from sfumato.synth.publication.tables import NoisyTable

Shares = NDArray[np.float64]
Edge = tuple[str, str]


def needs_of_tree(columns: Sequence[str], tables: Sequence[Sequence[str]]) -> None:
    """Every column in some table."""
    for name in columns:
        if not any(name in table for table in tables):
            raise InvalidDeclaration(
                f'rows = "tree" needs every column in a table, and `{name}` is in none',
                hint='[[measure]] with kind = "marginals" and all = 2',
            )


def rows_of_tree(
    columns: Sequence[str], sizes: Mapping[str, int], tables: Sequence[NoisyTable], coin: BitSource
) -> MadeRows:
    """Rows along the best tree of the pairs that some table holds; columns in no table are refused."""
    needs_of_tree(columns, [table.columns for table in tables])
    total = rows_in_all(tables)
    pairs = {pair: best for pair in combinations(columns, 2) if (best := _best(pair, tables)) is not None}
    joints = {pair: not_negative(shares, total) for pair, (shares, _) in pairs.items()}
    worth = {pair: _information(joints[pair]) - _of_noise(joints[pair], pairs[pair][1]) for pair in pairs}
    order = _tree(columns, worth)
    made: dict[str, PlacesColumn] = {}
    for name, parent in order:
        if parent is None:
            alone = _best((name,), tables)
            assert alone is not None
            counts = in_whole_rows(not_negative(alone[0], total), total)
            made[name] = np.repeat(np.arange(sizes[name], dtype=narrow(sizes[name])), counts)[
                permutation(total, bits=coin)
            ]
        else:
            joint = joints[parent, name] if (parent, name) in joints else joints[name, parent].T
            made[name] = _given(made[parent], joint, coin)
    edges = [f"{parent} – {name}" for name, parent in order if parent is not None]
    return MadeRows({name: made[name] for name in columns}, f"a tree of pairs: {', '.join(edges) or 'none'}")


def _best(columns: Sequence[str], tables: Sequence[NoisyTable]) -> tuple[Shares, float] | None:
    """The mean of all tables that hold these columns, best for their noises, in rows; and the variance of a cell."""
    found, weights = [], []
    for table in tables:
        if set(columns) <= set(table.columns):
            summed = table.over(columns)
            found.append(summed.astype(np.float64) / 2.0**table.bits)
            weights.append(1 / (table.variance * table.cells / max(1, summed.size)))
    if not found:
        return None
    whole = sum(weights)
    return sum((w / whole) * each for w, each in zip(weights, found, strict=True)), 1 / whole  # type: ignore[return-value]


def _information(joint: Shares) -> float:
    """The mutual information of a pair, in nats."""
    whole = joint.sum()
    if whole <= 0:
        return 0.0
    shares = joint / whole
    apart = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    there = shares > 0
    return float((shares[there] * np.log(shares[there] / apart[there])).sum())


def _of_noise(joint: Shares, variance: float) -> float:
    """About what noise alone shows of information: half a squared error over what is there, cell by cell."""
    whole = max(joint.sum(), 1.0)
    free = (joint.shape[0] - 1) * (joint.shape[1] - 1)
    return float(free * variance * joint.size / (2 * whole * whole))


def _tree(columns: Sequence[str], worth: Mapping[Edge, float]) -> list[tuple[str, str | None]]:
    """Columns in an order in which each but the first has its parent before it; a column of no pair has none."""
    order: list[tuple[str, str | None]] = [(columns[0], None)]
    left = list(columns[1:])
    while left:
        inside = [name for name, _ in order]
        edges = [
            (worth[pair], -columns.index(one), -columns.index(other), one, other)
            for one in inside
            for other in left
            if (pair := (one, other) if (one, other) in worth else (other, one)) in worth
        ]
        name, parent = (max(edges)[4], max(edges)[3]) if edges else (left[0], None)
        order.append((name, parent))
        left.remove(name)
    return order


def _given(parent: PlacesColumn, joint: Shares, coin: BitSource) -> PlacesColumn:
    """A column that has, where its parent has a value, the shares of the joint table's line, in whole rows."""
    kind = narrow(joint.shape[1])
    found = np.zeros(len(parent), dtype=kind)
    order = np.argsort(parent, kind="stable")
    ends = np.cumsum(np.bincount(parent, minlength=joint.shape[0]))
    everybody = joint.sum(axis=0)
    for value in range(joint.shape[0]):
        mine = order[ends[value - 1] if value else 0 : ends[value]]
        if not len(mine):
            continue
        line = joint[value] if joint[value].sum() > 0 else everybody
        children = np.repeat(np.arange(joint.shape[1], dtype=kind), in_whole_rows(line, len(mine)))
        found[mine] = children[permutation(len(mine), bits=coin)]
    return found
