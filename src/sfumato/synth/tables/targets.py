"""What rows should look like: noisy residuals shrunk towards what is implied, on single columns that all pairs share.

A residual is mostly noise where few people are. What a model implies of a pair is taken off, the rest is shrunk, by
singular values above the edge of the noise (Gavish, Donoho 2017) and cell by cell with a prior variance in proportion
to the mass that is expected there, and added back. The table nearest to that with the two single columns as its sums,
nowhere negative and empty where nothing can be, is the pair's target.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sfumato.synth.tables.measurements import TableMeasurements
from sfumato.synth.tables.residuals import Floats, centred, freedom
from sfumato.synth.tables.scores import implied_pair
from sfumato.synth.tables.shape import Marginal
from sfumato.synth.tables.unmeasured import nearer

_PASSES = 20


def on_simplex(table: Floats, total: float) -> Floats:
    """The table nearest to one that is nowhere negative and has a total: all cells lowered alike, and cut at zero.

    >>> on_simplex(np.array([3.0, 1.0, -1.0]), 2.0).tolist()
    [2.0, 0.0, 0.0]
    """
    return np.asarray(rows_on_simplex(table.reshape(1, -1), np.array([total])).reshape(table.shape))


def rows_on_simplex(tables: Floats, totals: Floats) -> Floats:
    """The same for every row of a table."""
    falling = -np.sort(-tables, axis=1)
    lowered = (np.cumsum(falling, axis=1) - totals[:, None]) / np.arange(1, tables.shape[1] + 1)
    last = np.maximum((falling > lowered).sum(axis=1) - 1, 0)
    return np.asarray(np.maximum(tables - lowered[np.arange(len(tables)), last][:, None], 0))


def single_targets(measured: TableMeasurements, rows: float) -> list[Floats]:
    """Each column by itself: nowhere negative, `rows` in all, nothing where nothing can be."""
    found = list[Floats]()
    for marginal in measured.shape.singles:
        table = rows / measured.shape.cells_of(marginal) + measured.tables[marginal][0]
        mask = measured.shape.masks.get(marginal)
        target = np.zeros_like(table)
        possible = slice(None) if mask is None else mask
        target[possible] = on_simplex(table[possible], rows)
        found.append(target)
    return found


def shrink_singular_values(table: Floats, variance: float) -> Floats:
    """The table with its singular values cut at the edge of noise of a variance and shrunk above it."""
    short, long = sorted(max(1, size - 1) for size in table.shape)
    ratio, unit = short / long, np.sqrt(long * variance)
    left, values, right = np.linalg.svd(table, full_matrices=False)
    above = values / unit
    kept = np.where(
        above > 1 + np.sqrt(ratio),
        np.sqrt(np.maximum((above**2 - ratio - 1) ** 2 - 4 * ratio, 0)) / np.maximum(above, 1e-9),
        0,
    )
    return np.asarray((left * (kept * unit)) @ right)


def shrink_cells(table: Floats, variance: float, mass: Floats, *, directions: int | None = None) -> Floats:
    """Each cell shrunk as if its true value had a variance in proportion to a mass of total 1.

    `directions` is how many the noise has, of a table that was laid out anew.
    """
    noise = variance * (freedom(table.shape) if directions is None else directions)
    prior = max(float((table**2).sum()) - noise, 0.0) * mass
    return np.asarray(table * (prior / (prior + variance)))


def shrunk(table: Floats, variance: float, mass: Floats, *, directions: int | None = None) -> Floats:
    """What is above noise in a residual: its large directions, and of the rest what is where people are."""
    large = shrink_singular_values(table, variance)
    return large + shrink_cells(table - large, variance, mass, directions=directions)


def with_sums(table: Floats, down: Floats, across: Floats, mask: NDArray[np.bool_] | None = None) -> Floats:
    """The table nearest to one that is nowhere negative with these sums of rows and columns (Dykstra's projections).

    Where a mask forbids cells they are emptied and the sums are met in proportion instead.
    """
    if mask is not None:
        return in_proportion(np.where(mask, np.maximum(table, 1e-9), 0.0), down, across)
    first, second, found = np.zeros_like(table), np.zeros_like(table), table
    for _ in range(_PASSES):
        there = rows_on_simplex(found + first, down)
        first = found + first - there
        found = rows_on_simplex((there + second).T, across).T
        second = there + second - found
    return found


def in_proportion(table: Floats, down: Floats, across: Floats) -> Floats:
    """Rows and columns scaled in turns until they have their sums, as far as empty cells allow."""
    for _ in range(_PASSES):
        table = table * (down / np.maximum(table.sum(axis=1), 1e-30))[:, None]
        table = table * (across / np.maximum(table.sum(axis=0), 1e-30))[None, :]
    return table


def pair_targets(
    measured: TableMeasurements,
    singles: list[Floats],
    implied: Mapping[Marginal, Floats] | None = None,
    near: Mapping[Marginal, float] | None = None,
) -> dict[Marginal, Floats]:
    """A target for every measured pair, shrunk towards what is implied: independence, unless a model says otherwise.

    `near` says of pairs that were not measured how far from independence they are; those implied have a target.
    """
    found: dict[Marginal, Floats] = {}
    rows = float(singles[0].sum())
    for pair in measured.measured_pairs:
        a, b = pair
        noisy, variance = measured.tables[pair]
        apart = implied_pair(singles[a], singles[b])
        base = apart if implied is None else implied[pair]
        table = base + shrunk(noisy - centred(base), variance, apart / rows)
        found[pair] = with_sums(table, singles[a], singles[b], measured.shape.masks.get(pair))
    for pair, known in (near or {}).items():  # what was not measured, and is implied to be further from independence
        if implied is not None and pair in implied:
            a, b = pair
            table = nearer(implied[pair], implied_pair(singles[a], singles[b]), known)
            found[pair] = with_sums(table, singles[a], singles[b], measured.shape.masks.get(pair))
    return found
