"""What a marginal says beyond its smaller ones, as whole numbers: projected before there is noise.

The residual of a table x over columns of d₁, …, d_r values is P·x with P = ⊗(I - 11ᵀ/d_i), what is left when every
mean along a column is taken off. With d = Πd_i the vector d·P·x = ⊗(d_i·I - 11ᵀ)·x is whole. One part in one cell
moves it by ⊗(d_i·e - 1), of squared length Π((d_i - 1)² + (d_i - 1)) = Πd_i(d_i - 1), the same for every cell. Many
parts in many cells move it by a sum of such vectors, hence by at most their number times that length.
"""

import math

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact.sampler import Integers
from sfumato.synth.tables.shape import Counts, Marginal, TableShape

Floats = NDArray[np.float64]

_FITS = 2**62


def squared_move(sizes: tuple[int, ...]) -> int:
    """The squared ℓ2 distance that one part in any cell moves the residual by: Πd_i(d_i - 1).

    >>> squared_move((3,)), squared_move(())
    (6, 1)
    """
    return math.prod(size * (size - 1) for size in sizes)


def exact_table(shape: TableShape, counts: Counts, marginal: Marginal) -> Integers:
    """The exact table of a marginal; its type and shape are checked, which do not depend on any person."""
    table = np.asarray(counts(marginal))
    if table.shape != shape.sizes_of(marginal):
        raise InvalidParameter("counts", f"must give a table of shape {shape.sizes_of(marginal)}, got", table.shape)
    if table.dtype.kind not in "iu" and table.dtype != np.object_:
        raise InvalidParameter("counts", "must give whole numbers, got", table.dtype.name)
    return table


def residual(table: Integers) -> Integers:
    """⊗(d_i·I - 11ᵀ)·x, exactly; int64 where that holds it, otherwise Python's integers.

    >>> residual(np.array([5, 1, 0])).tolist()
    [9, -3, -6]
    """
    largest = max(abs(int(table.min())), abs(int(table.max())))
    found = table.astype(np.int64 if 4 * largest * table.size**2 < _FITS else np.object_)
    for axis, size in enumerate(table.shape):
        found = found * size - found.sum(axis=axis, keepdims=True)
    return np.asarray(found)


def centred(table: Floats) -> Floats:
    """The table without its means along every column: P·x in floats.

    >>> centred(np.array([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """
    for axis in range(table.ndim):
        table = table - table.mean(axis=axis, keepdims=True)
    return table


def freedom(sizes: tuple[int, ...]) -> int:
    """In how many directions a residual can differ: Π(d_i - 1)."""
    return math.prod(size - 1 for size in sizes)
