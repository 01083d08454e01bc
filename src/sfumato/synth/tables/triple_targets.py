"""What triples should look like: their noisy residuals shrunk towards what rows imply, on the pairs that they share.

As for pairs (`targets.py`), what rows imply is taken off, the rest is shrunk and added back: by singular values, the
widest column against the other two, and cell by cell, people being expected where the three pairs let them be. The
table is then brought onto the targets of its pairs, nowhere negative and empty where nothing can be.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sfumato.synth.tables.measurements import TableMeasurements
from sfumato.synth.tables.residuals import Floats, centred, freedom
from sfumato.synth.tables.shape import Marginal
from sfumato.synth.tables.targets import pair_targets, rows_on_simplex, shrunk

_PASSES = 4
_PROPORTIONS = 10
_LEAST = 1e-9


def all_targets(
    measured: TableMeasurements,
    singles: list[Floats],
    implied: Mapping[Marginal, Floats],
    near: Mapping[Marginal, float] | None = None,
) -> dict[Marginal, Floats]:
    """A target for every measured pair and triple, shrunk towards what is implied; `near` as for pairs."""
    found = pair_targets(measured, singles, implied, near)
    for triple in measured.measured_triples:
        base = implied[triple]
        sums = tuple(_pair_of(found, triple, base, axis) for axis in range(3))
        noisy, variance = measured.tables[triple]
        table = base + shrunk_triple(noisy - centred(base), variance, expected_mass(sums))
        found[triple] = with_pairs(table, sums, measured.shape.masks.get(triple))
    return found


def _pair_of(targets: Mapping[Marginal, Floats], triple: Marginal, implied: Floats, axis: int) -> Floats:
    """The target of the pair without one of the columns; what is implied where it was not measured."""
    pair = triple[:axis] + triple[axis + 1 :]
    return targets[pair] if pair in targets else implied.sum(axis=axis)


def shrunk_triple(table: Floats, variance: float, mass: Floats) -> Floats:
    """What is above noise in the residual of a triple, laid out as its widest column against the other two."""
    widest = int(np.argmax(table.shape))
    flat, expected = (np.moveaxis(each, widest, 0) for each in (table, mass))
    long = (flat.shape[0], -1)
    found = shrunk(flat.reshape(long), variance, expected.reshape(long), directions=freedom(table.shape))
    return np.moveaxis(found.reshape(flat.shape), 0, widest)


def expected_mass(sums: tuple[Floats, ...]) -> Floats:
    """Where people of a triple are expected by its pairs, of total 1: the product of pairs over that of columns."""
    mass = np.ones(())
    for axis, pair in enumerate(sums):
        mass = mass * np.expand_dims(pair / max(float(pair.sum()), _LEAST), axis)
    for axis, pair in enumerate((sums[1], sums[0], sums[0])):
        column = pair.sum(axis=1 if axis < 2 else 0)
        shape = [-1 if place == axis else 1 for place in range(3)]
        mass = mass / np.maximum(column / max(float(column.sum()), _LEAST), _LEAST).reshape(shape)
    return np.asarray(mass / max(float(mass.sum()), _LEAST))


def with_pairs(table: Floats, sums: tuple[Floats, ...], mask: NDArray[np.bool_] | None = None) -> Floats:
    """The table nearest to one that is nowhere negative with these pairs as its sums, `sums[i]` being along axis i.

    Where a mask forbids cells they are emptied and the sums are met in proportion instead.
    """
    if mask is not None:
        return _in_proportion(np.where(mask, np.maximum(table, _LEAST), 0.0), sums)
    owed, found = [np.zeros_like(table) for _ in sums], table
    for _ in range(_PASSES):
        for axis, pair in enumerate(sums):
            given = np.moveaxis(found + owed[axis], axis, -1)
            there = rows_on_simplex(given.reshape(-1, given.shape[-1]), pair.ravel()).reshape(given.shape)
            owed[axis] = found + owed[axis] - np.moveaxis(there, -1, axis)
            found = np.moveaxis(there, -1, axis)
    return np.ascontiguousarray(found)


def _in_proportion(table: Floats, sums: tuple[Floats, ...]) -> Floats:
    for _ in range(_PROPORTIONS):
        for axis, pair in enumerate(sums):
            now = table.sum(axis=axis)
            table = table * np.expand_dims(pair / np.maximum(now, 1e-30), axis)
    return table
