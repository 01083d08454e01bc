"""Water-filling: the nearest weights that are not negative and add up to a given total.

The solution of Lemma 9.5 pours a level γ over all cells: w = max(r - γ, 0), where γ may be negative. It is found by
sorting; where cells fall into many groups, cells below their group's level are dropped round by round, which is exact
and takes a few passes, and groups that take long are sorted after all.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter

Reals = NDArray[np.float64]
Wholes = NDArray[np.int64]

_ROUNDS = 24  # passes before the groups that are left are sorted
_LARGEST = 2**62  # what sums of whole numbers stay below


def water_level(measured: Any, *, total: Any, softness: float = 0.0) -> Reals:
    """The γ with Σ max(measured - γ, 0) = total + softness·γ along the last axis; `softness` 0 holds the total.

    With softness s the total is a measurement itself, of s times a cell's variance: the level of non-negative least
    squares. `measured` may have leading axes, which `total` then has too.

    >>> water_level([3.0, 1.0, -2.0], total=2)
    array(1.)
    """
    if softness < 0:
        raise InvalidParameter("softness", "must not be negative", softness)
    cells = _cells(measured)
    return _level(cells, _totals(cells, total, least=None if softness else 0), softness)


def _totals(cells: Reals, total: Any, *, least: int | None) -> Reals:
    wanted = np.asarray(total, dtype=np.float64)
    if wanted.shape != cells.shape[:-1]:
        raise InvalidParameter("total", f"must be one for each row of cells, {cells.shape[:-1]}, got", wanted.shape)
    if least is not None and (wanted < least).any():
        raise InvalidParameter(
            "total", "must not be negative", float(wanted.min()), hint="a noisy total is clamped first: max(0, total)"
        )
    return wanted


def _level(cells: Reals, wanted: Reals, softness: float) -> Reals:
    falling = np.sort(cells, axis=-1)[..., ::-1]
    if not (np.isfinite(falling[..., 0]).all() and np.isfinite(falling[..., -1]).all()):  # NaN counts as the largest
        raise InvalidParameter("measured", "must be finite, found", "nan or inf")
    # levels[k - 1] is γ if the k largest cells stand above it; it is γ for the last k whose cell does
    levels = (falling.cumsum(axis=-1) - wanted[..., None]) / (np.arange(1, cells.shape[-1] + 1) + softness)
    standing = falling > levels
    if cells.ndim == 1:
        count = int(np.count_nonzero(standing))
        return np.asarray(levels[max(count, 1) - 1] if count or not softness else -wanted / softness)
    above = np.count_nonzero(standing, axis=-1)
    found = np.take_along_axis(levels, np.maximum(above, 1)[..., None] - 1, axis=-1)[..., 0]
    return np.where(above == 0, -wanted / softness, found) if softness else found


def water_filled(measured: Any, *, total: Any) -> Reals:
    """The nearest non-negative weights, in squares, that add up to `total` along the last axis (Survey Lemma 9.5).

    >>> water_filled([3.0, 1.0, -2.0], total=2).tolist()
    [2.0, 0.0, 0.0]
    >>> water_filled([0.0, 0.5], total=2).tolist()
    [0.75, 1.25]
    """
    cells = _cells(measured)
    level = _level(cells, _totals(cells, total, least=0), 0.0)
    return np.maximum(cells - level[..., None], 0)


def _cells(measured: Any) -> Reals:
    cells = np.asarray(measured, dtype=np.float64)
    if cells.ndim == 0 or cells.shape[-1] == 0:
        raise InvalidParameter("measured", "must be at least one cell, got shape", cells.shape)
    return cells


@dataclass(frozen=True, slots=True, eq=False)
class CellGroups:
    """Cells side by side in groups of these sizes, none of them empty.

    >>> CellGroups.of([2, 1]).sums(np.array([1, 2, 5])).tolist()
    [3, 5]
    """

    sizes: Wholes
    starts: Wholes

    @classmethod
    def of(cls, sizes: Any) -> "CellGroups":
        """CellGroups of these sizes, one after the other."""
        found = np.asarray(sizes)
        if found.ndim != 1 or found.size == 0 or found.dtype.kind not in "iu" or int(found.min()) < 1:
            raise InvalidParameter("sizes", "must be whole numbers from 1 on, one a group, found", found.dtype.name)
        counts = found.astype(np.int64)
        return cls(counts, np.concatenate([[0], np.cumsum(counts)[:-1]]))

    @property
    def cells(self) -> int:
        """How many cells there are in all groups."""
        return int(self.starts[-1] + self.sizes[-1])

    def sums(self, values: NDArray[Any]) -> NDArray[Any]:
        """The sum of each group."""
        return np.add.reduceat(values, self.starts)

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """A value a group as one a cell."""
        return np.repeat(values, self.sizes)


@dataclass(frozen=True, slots=True, eq=False)
class WholeFill:
    """The weights of Lemma 9.5 for whole-numbered cells, without a rounding.

    Where a weight is positive it is `floors` + `extra`/`active` of its group, so `extra` of the group's `active` cells
    are rounded up to keep the total; all other weights are zero.
    """

    groups: CellGroups
    floors: Wholes
    positive: NDArray[np.bool_]
    active: Wholes
    extra: Wholes

    def weights(self) -> Reals:
        """The weights as floats."""
        share = self.groups.spread(self.extra / np.maximum(self.active, 1))
        return np.asarray(self.floors + self.positive * share, dtype=np.float64)


def water_filled_wholes(measured: Any, *, groups: CellGroups, totals: Any) -> WholeFill:
    """Water-filling of whole-numbered cells, each group onto its whole-numbered total, exactly (Survey Lemma 9.5).

    >>> filled = water_filled_wholes([3, 1, -2, 0, 0], groups=CellGroups.of([3, 2]), totals=[2, 1])
    >>> filled.floors.tolist(), filled.extra.tolist(), filled.weights().tolist()
    ([2, 0, 0, 0, 0], [0, 1], [2.0, 0.0, 0.0, 0.5, 0.5])
    """
    cells = _whole("measured", measured, groups.cells, most=_LARGEST // groups.cells)
    wanted = _whole("totals", totals, len(groups.sizes), most=_LARGEST)
    if (wanted < 0).any():
        raise InvalidParameter(
            "totals", "must not be negative, found", "one that is", hint="clamp it first: max(0, total)"
        )
    quotients, remainders, active = _whole_levels(cells, groups, wanted)
    positive = cells >= groups.spread(quotients + 1)  # above γ, as quotient ≤ γ < quotient + 1
    floors = np.where(positive, cells - groups.spread(quotients + (remainders > 0)), 0)
    standing = groups.sums(positive.astype(np.int64))
    return WholeFill(groups, floors, positive, standing, np.where(remainders > 0, active - remainders, 0))


def _whole_levels(cells: Wholes, groups: CellGroups, totals: Wholes) -> tuple[Wholes, Wholes, Wholes]:
    """γ of each group as a quotient, a remainder and a number of cells: γ = quotient + remainder/cells."""
    quotients, remainders, active = (np.zeros(len(totals), dtype=np.int64) for _ in range(3))
    which, sizes, left, wanted = np.arange(len(totals)), groups.sizes, cells, totals
    for _ in range(_ROUNDS):
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        over = np.add.reduceat(left, starts) - wanted
        least = -(-over // sizes)  # a cell stands at γ or above from here on
        kept = left >= np.repeat(least, sizes)
        counts = np.add.reduceat(kept.astype(np.int64), starts)
        done = counts == sizes
        quotients[which[done]], remainders[which[done]] = np.divmod(over[done], sizes[done])
        active[which[done]] = sizes[done]
        if done.all():
            return quotients, remainders, active
        stay = kept & np.repeat(~done, sizes)
        left, which, sizes, wanted = left[stay], which[~done], counts[~done], wanted[~done]
    _by_sorting(left, sizes, wanted, out=(quotients, remainders, active), which=which)
    return quotients, remainders, active


def _by_sorting(
    cells: Wholes, sizes: Wholes, totals: Wholes, *, out: tuple[Wholes, Wholes, Wholes], which: NDArray[np.intp]
) -> None:
    """The levels of groups in which dropping takes long, each from its sorted cells."""
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    for start, size, total, group in zip(starts, sizes, totals, which, strict=True):
        falling = -np.sort(-cells[start : start + size])
        ranks = np.arange(1, size + 1)
        over = np.cumsum(falling) - total
        count = max(1, int(np.count_nonzero(falling * ranks >= over)))
        out[0][group], out[1][group] = divmod(int(over[count - 1]), count)
        out[2][group] = count


def summable(counts: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers as they are, or as Python's where sums of all of them might leave 64 bits."""
    most = _LARGEST // max(1, counts.size)
    fits = counts.dtype != np.object_ and (
        not counts.size or (int(counts.max()) <= most and int(counts.min()) >= -most)
    )
    return counts if fits else counts.astype(np.object_)


def _whole(name: str, values: Any, count: int, *, most: int) -> Wholes:
    found = np.asarray(values)
    if found.dtype.kind not in "iu" or found.shape != (count,):
        raise InvalidParameter(name, f"must be {count} whole numbers, found {found.dtype.name} of shape", found.shape)
    if found.size and (int(found.max()) > most or int(found.min()) < -most):
        raise InvalidParameter(name, f"must be between -{most} and {most}, found", "one that is not")
    return found.astype(np.int64)
