"""How near published rows are: to what was measured, and to a public twin, each beside what no sample can do better.

The distance of two tables is their total variation distance: the share of rows one would have to move. The floor is the
mean distance of a bootstrap sample of the same size, which has a closed form: cell by cell the mean absolute deviation
of a binomial count (de Moivre 1730), so nothing is drawn for it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, pi, prod, sqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sfumato.engines.duckdb.published import counts_in
from sfumato.synth.publication.estimates import CellTable
from sfumato.synth.publication.rows import MadeRows, not_negative
from sfumato.synth.publication.statement import SettledPublication

WAYS = (1, 2, 3)
_MOST_TABLES, _MOST_CELLS = 300, 1_000_000


@dataclass(frozen=True, slots=True)
class TableDistance:
    """How far rows are from one measured table, beside the floor and what the noise itself moves it by."""

    table: CellTable
    distance: float | None
    """None where there are no rows."""
    floor: float
    noise: float


@dataclass(frozen=True, slots=True)
class TwinDistance:
    """How far rows are from the twin in tables of so many columns: the mean and the worst, beside the floor."""

    columns: int
    tables: int
    of: int
    """How many such tables there are; fewer are looked at where there are very many."""
    mean: float
    worst: float
    floor: float


@dataclass(frozen=True, slots=True)
class Nearness:
    """Everything that is known of how near a publication is."""

    tables: tuple[TableDistance, ...]
    twin: tuple[TwinDistance, ...]


def compare(settled: SettledPublication, tables: Sequence[CellTable], rows: MadeRows | None, twin: str) -> Nearness:
    """Distances from measured tables, and from the twin if one is named."""
    total = max(1, _in_all(tables) if rows is None else rows.size)
    sizes = {name: len(values) for name, values in settled.domains.items()}
    own = tuple(_own(table, rows, sizes, total) for table in tables if table.cells <= _MOST_CELLS)
    return Nearness(own, () if not twin or rows is None else _of_twin(settled, rows, Path(twin)))


def _in_all(tables: Sequence[CellTable]) -> int:
    """How many rows there are by all tables together, each weighted by how little noise its sum has."""
    weights = [1 / (table.cells * table.standard_error**2) for table in tables]
    sums = [float(table.rows().sum()) for table in tables]
    return round(float(np.dot(weights, sums)) / sum(weights))


def _own(table: CellTable, rows: MadeRows | None, sizes: Mapping[str, int], total: int) -> TableDistance:
    measured = not_negative(table.rows(), total)
    shares = measured / max(1.0, measured.sum())
    held = rows is not None and set(table.columns) <= set(rows.columns)
    found = None if rows is None or not held else distance(counts_of(rows, table.columns, sizes), measured)
    spread = sqrt(2 / pi) * table.standard_error  # near enough for a page: the mean size of a noise
    return TableDistance(table, found, floor(shares, total), min(1.0, table.cells * spread / (2 * total)))


def counts_of(rows: MadeRows, columns: Sequence[str], sizes: Mapping[str, int]) -> NDArray[np.int64]:
    """How many of the rows are in each cell of some columns."""
    shape = tuple(sizes[name] for name in columns)
    at = np.zeros(rows.lines, dtype=np.int64)
    for name in columns:
        at = at * sizes[name] + rows.columns[name]
    if rows.weights is None:
        return np.bincount(at, minlength=prod(shape)).reshape(shape)
    counts = np.zeros(prod(shape), dtype=np.int64)
    np.add.at(counts, at, rows.weights)
    return counts.reshape(shape)


def distance(one: NDArray[np.int64] | NDArray[np.float64], other: NDArray[np.int64] | NDArray[np.float64]) -> float:
    """The total variation distance of two tables of counts, each as shares.

    >>> distance(np.array([1, 1]), np.array([3, 1]))
    0.25
    """
    whole, others = float(one.sum()), float(other.sum())
    if not whole or not others:
        return float(whole != others)
    return float(np.abs(one / whole - other / others).sum() / 2)


def floor(shares: NDArray[np.float64], size: int) -> float:
    """The mean distance of a sample of so many rows from shares that it is drawn from.

    E|X - np| = 2(⌊np⌋ + 1)·C(n, ⌊np⌋ + 1)·p^(⌊np⌋ + 1)·(1 - p)^(n - ⌊np⌋) of a binomial count X (de Moivre).

    >>> floor(np.array([0.5, 0.5]), 1)
    0.5
    """
    from scipy.special import gammaln

    p = np.asarray(shares, dtype=np.float64).ravel()
    p = p[(p > 0) & (p < 1)]
    if not p.size:
        return 0.0
    k = np.floor(size * p)
    chosen = gammaln(size + 1) - gammaln(k + 2) - gammaln(size - k)
    logs = np.log(2 * (k + 1)) + chosen + (k + 1) * np.log(p) + (size - k) * np.log1p(-p)
    return float(np.exp(logs).sum() / (2 * size))


def _of_twin(settled: SettledPublication, rows: MadeRows, twin: Path) -> tuple[TwinDistance, ...]:
    columns = {name: settled.listed(name) for name in settled.columns}
    sizes = {name: len(settled.domains[name]) for name in settled.columns}
    wanted = {ways: _some(tuple(columns), ways, sizes) for ways in WAYS if ways <= len(columns)}
    every = [each for found in wanted.values() for each in found]
    counted = dict(zip(every, counts_in(twin, columns, every, bins=settled.bins, others=settled.others), strict=True))
    found = []
    for ways, sets in wanted.items():
        if not sets:
            continue
        distances = [distance(counts_of(rows, each, sizes), counted[each]) for each in sets]
        floors = [floor(counted[each] / max(1, counted[each].sum()), max(1, rows.size)) for each in sets]
        number = comb(len(columns), ways)
        mean, least = sum(distances) / len(sets), sum(floors) / len(sets)
        found.append(TwinDistance(ways, len(sets), number, mean, max(distances), least))
    return tuple(found)


def _some(columns: tuple[str, ...], ways: int, sizes: Mapping[str, int]) -> list[tuple[str, ...]]:
    """Every set of so many columns; evenly chosen ones where there are very many."""
    every = [each for each in combinations(columns, ways) if prod(sizes[name] for name in each) <= _MOST_CELLS]
    step = max(1, -(-len(every) // _MOST_TABLES))
    return every[::step]
