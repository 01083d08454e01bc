"""Controlled rounding: weights become whole numbers that keep the total, none of them moved by one or more.

Rounding is systematic: of a group's cells in their order every so many are rounded up, from a random start, so that a
cell's expectation is its weight. It reads released weights alone and costs no privacy.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact import integers
from sfumato.exact.bits import BitSource, source
from sfumato.synth.water_filling import WholeFill, Wholes

_START = 2**40  # random starts of float weights are multiples of its inverse
_SAME = 1e-9  # a float this close to a whole number is that


def rounded_up(filled: WholeFill, *, bits: BitSource | None = None) -> Wholes:
    """Exact weights as whole numbers with the same total in every group.

    >>> from sfumato.synth.water_filling import CellGroups, water_filled_wholes
    >>> filled = water_filled_wholes([5, 5, 5, -9], groups=CellGroups.of([4]), totals=[7])
    >>> counts = rounded_up(filled)
    >>> int(counts.sum()), sorted(counts.tolist())
    (7, [0, 2, 2, 3])
    """
    groups = filled.groups
    # The j-th of k active cells, from 0 on, goes up if a multiple of k is in (start + j·extra, start + (j + 1)·extra].
    starts = groups.spread(_below(filled.active, source(bits)))
    extra, active = groups.spread(filled.extra), np.maximum(groups.spread(filled.active), 1)
    before: Wholes = np.cumsum(filled.positive) - filled.positive
    rank = before - groups.spread(before[groups.starts])
    up = (starts + (rank + 1) * extra) // active > (starts + rank * extra) // active
    return np.asarray(filled.floors + (up & filled.positive), dtype=np.int64)


def controlled_rounding(weights: Any, *, bits: BitSource | None = None) -> Wholes:
    """Non-negative float weights with a whole total as whole numbers with that total.

    >>> sorted(controlled_rounding([0.5, 0.5, 2.0]).tolist())
    [0, 1, 2]
    """
    given = np.asarray(weights, dtype=np.float64)
    if given.ndim != 1 or given.size == 0 or not np.isfinite(given).all() or float(given.min()) < -_SAME:
        raise InvalidParameter("weights", "must be finite, not negative and at least one, got shape", given.shape)
    near = np.rint(given)
    given = np.where(np.abs(given - near) <= _SAME * np.maximum(1, near), near, given)
    floors = np.floor(given)
    shares = given - floors
    needed = round(float(shares.sum()))
    if abs(float(shares.sum()) - needed) > 1e-6 * max(1.0, needed):
        raise InvalidParameter(
            "weights",
            "must add up to a whole number, but for",
            float(shares.sum()) - needed,
            hint="fit them to a whole total first",
        )
    whole = np.asarray(np.maximum(floors, 0), dtype=np.int64)
    part = np.flatnonzero(shares)
    if part.size:
        reached = np.floor(np.cumsum(shares[part]) + integers(_START, bits=bits) / _START)
        reached[-1] = needed  # whatever the roundings of the sum
        whole[part] += np.diff(np.minimum(reached, needed), prepend=0).astype(np.int64)
    return whole


def _below(bounds: Wholes, bits: BitSource) -> NDArray[np.int64]:
    """A uniform whole number below each bound; 0 where there is no choice."""
    found = np.zeros(len(bounds), dtype=np.int64)
    open_ = np.flatnonzero(bounds > 1)
    if not open_.size:
        return found
    power = 1 << int(bounds.max() - 1).bit_length()
    widths = power // bounds[open_] * bounds[open_]  # the largest multiple of a bound that a draw may be below
    while open_.size:
        drawn = np.asarray(integers(power, len(open_), bits=bits), dtype=np.int64)
        taken = drawn < widths
        found[open_[taken]] = drawn[taken] % bounds[open_[taken]]
        open_, widths = open_[~taken], widths[~taken]
    return found
