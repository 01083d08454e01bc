"""Where the line of a number is cut into cells: in the bulk, in the tails, and where two inputs differ.

Quantiles alone leave the outermost cells wide, and whatever happens rarely is lost in them. So cells also end at the
extreme order statistics of each side, log-spaced inwards; where one side's tail has 1, 2, 4, … more draws than the
other's; and at the ends of the intervals that hold the largest surplus of one side over a multiple of the other.
"""

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
_MULTIPLES = (1.0, 2.7, 7.4, 55.0)
"""How much a draw of one side must outweigh one of the other, e⁰ to e⁴: an interval for violations of each size."""


def edges(left: Reals, right: Reals, bins: int) -> Reals:
    """The ends of cells for the numbers of two sides, none of which is NaN; the cells are (e, e']."""
    pooled = np.sort(np.concatenate([left, right]))
    distinct = np.unique(pooled)
    if len(distinct) <= bins:
        return distinct
    quantiles = pooled[(np.arange(1, bins) * (len(pooled) - 1) // bins)]
    tails = [_tails(np.sort(side), bins) for side in (left, right)] + [_tails(pooled, bins)]
    more, less = (_counts(side, distinct) for side in (left, right))
    differences = [distinct[places] for places in (_excess(more - less), *_intervals(more, less))]
    chosen = np.concatenate([quantiles, *tails, *differences])
    before = np.searchsorted(distinct, chosen) - 1  # a cell that holds one value alone begins just below it
    chosen = np.concatenate([chosen, distinct[before[before >= 0]]])
    sides = [side for side in (left, right) if len(side)]
    ends = np.concatenate([*differences, [end for side in sides for end in (side.min(), side.max())]])
    return np.unique(np.concatenate([chosen, _gaps(distinct, ends)]))


def _gaps(distinct: Reals, ends: Reals) -> Reals:
    """The middles of the gaps after and before some values: where nothing was seen, a cell may end anywhere."""
    places = np.searchsorted(distinct, ends)
    places = np.unique(np.concatenate([places, places - 1]))
    low = distinct[places[(places >= 0) & (places < len(distinct) - 1)]]
    high = distinct[np.searchsorted(distinct, low) + 1]
    finite = np.isfinite(low) & np.isfinite(high)
    return np.asarray(low[finite] / 2 + high[finite] / 2)


def spaced(most: int) -> NDArray[np.int64]:
    """Whole numbers from 1 to `most`, each about half as large again as the one before.

    >>> spaced(20).tolist()
    [1, 2, 3, 4, 6, 9, 13, 19]
    """
    steps = [1]
    while steps[-1] <= most:
        steps.append(max(steps[-1] + 1, steps[-1] * 3 // 2))
    return np.array([step for step in steps if step <= most], dtype=np.int64)


def _tails(ordered: Reals, bins: int) -> Reals:
    """The extreme order statistics of one side, log-spaced, as far in as the first quantile of the bulk."""
    if not len(ordered):
        return ordered
    inwards = spaced(max(1, len(ordered) // bins))
    return np.concatenate([ordered[inwards - 1], ordered[-inwards]])


def _counts(side: Reals, distinct: Reals) -> NDArray[np.int64]:
    """How often each distinct number came on one side."""
    return np.bincount(np.searchsorted(distinct, side), minlength=len(distinct))


def _excess(difference: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the excess of one side, summed from either end, first reaches 1, 2, 4, …"""
    found: list[int] = []
    last = len(difference) - 1
    for summed, reverse in ((np.cumsum(difference), False), (np.cumsum(difference[::-1]), True)):
        for sign in (1, -1):
            highest = np.maximum.accumulate(sign * summed)
            steps = 2 ** np.arange(int(max(1, highest[-1])).bit_length())
            reached = np.searchsorted(highest, steps)
            found += [last - int(place) if reverse else int(place) for place in reached if place <= last]
    return np.array(found, dtype=np.int64)


def _intervals(more: NDArray[np.int64], less: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The last places of and before the interval of largest surplus, for each multiple and direction."""
    found: list[NDArray[np.int64]] = []
    for one, other in ((more, less), (less, more)):
        for multiple in _MULTIPLES:
            sums = np.concatenate([[0.0], np.cumsum(one - multiple * other)])
            lowest = np.minimum.accumulate(sums)
            end = int((sums - lowest).argmax())
            if end:
                start = int(sums[: end + 1].argmin())
                found.append(np.array([start - 1, end - 1] if start else [end - 1]))
    return found
