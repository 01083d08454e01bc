"""Small tables of people for tests of synthetic ones, known whole."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sfumato.synth.tables import Marginal, TableShape

Table = NDArray[np.int64]


def marginals_of(table: Table) -> Callable[[Marginal], Table]:
    """The callback of a table that is known whole."""
    return lambda kept: np.asarray(table.sum(axis=tuple(set(range(table.ndim)) - set(kept))))


def a_table(shape: TableShape, seed: int = 1, rows: int = 400) -> Table:
    """Some hundred people, few of them alike."""
    cells = np.random.default_rng(seed).dirichlet(np.full(shape.cells, 0.3)) * rows
    return np.rint(cells * shape.parts).astype(np.int64).reshape(shape.sizes)


def correlated(shape: TableShape, rows: int = 20_000) -> Table:
    """People whose columns say much of each other, so that every pair is worth its price."""
    generator = np.random.default_rng(8)
    first = generator.integers(0, shape.sizes[0], rows)
    others = [(first + (generator.random(rows) < 0.3)) % size for size in shape.sizes[1:]]
    cells = np.ravel_multi_index((first, *others), shape.sizes)
    return np.bincount(cells, minlength=shape.cells).reshape(shape.sizes)


def distance(one: Table, other: Table) -> float:
    """Total variation between two tables, each of total 1."""
    return float(0.5 * np.abs(one / one.sum() - other / other.sum()).sum())
