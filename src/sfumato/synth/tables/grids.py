"""Bins for a number whose values nobody listed: a public fine grid, counted with noise by levels, and merged.

The grid follows from declared bounds alone. Its counts are measured as a tree, ten cells to a node, each level a
histogram that one person moves by `moved` in ℓ2 at most, with normal noise. Bins are stretches of cells with about as
many rows each by these noisy counts: post-processing (Survey Proposition 3.7).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, log10

import numpy as np

from sfumato.errors import InvalidParameter
from sfumato.exact.bits import BitSource
from sfumato.exact.parameters import nearest
from sfumato.exact.sampler import Integers
from sfumato.mechanisms import GaussianNoise
from sfumato.synth.tables.paid import Purse
from sfumato.synth.tables.residuals import Floats

MOST_CELLS = 1000
_BRANCHES = 10
_HEAVY = 1.5
_CLEAR = 3.0  # deviations above which a node is worth looking into
_ROUND = (Fraction(1), Fraction(2), Fraction(5, 2), Fraction(5), Fraction(10))


@dataclass(frozen=True, slots=True)
class PublicGrid:
    """Cells of one width from a start on: cell i is [start + i·width, start + (i + 1)·width).

    >>> tenths = PublicGrid.between(Fraction(3), Fraction(5001), whole=False)
    >>> tenths.width, tenths.cells, tenths.end(1), tenths.end(tenths.cells)
    (Fraction(10, 1), 501, Fraction(10, 1), Fraction(5001, 1))
    """

    start: Fraction
    width: Fraction
    cells: int
    lower: Fraction
    upper: Fraction
    """What is declared; of whole numbers one more than the largest."""

    @classmethod
    def between(cls, lower: Fraction, upper: Fraction, *, whole: bool) -> "PublicGrid":
        """The finest grid of a round width with at most a thousand cells that holds all from lower to upper."""
        if not lower < upper:
            raise InvalidParameter("bounds", "must leave more than one value for bins, got", f"{lower} to {upper}")
        width = _round_up((upper - lower) / (MOST_CELLS - 2), whole=whole)
        start = lower if width == 1 and whole else floor(lower / width) * width
        return cls(start, width, floor((upper - start) / width) + 1, lower, upper + 1 if whole else upper)

    @property
    def levels(self) -> int:
        """How many levels its tree has, the cells being the last."""
        return max(1, ceil(log10(self.cells) - 1e-12))

    @property
    def nodes(self) -> int:
        """How many noisy counts there are of all levels."""
        return sum(_BRANCHES ** (depth + 1) for depth in range(self.levels))

    def end(self, cell: int) -> Fraction:
        """Where a cell begins, and the one before it ends: never beyond what is declared."""
        return min(max(self.start + cell * self.width, self.lower), self.upper)


def _round_up(width: Fraction, *, whole: bool) -> Fraction:
    """The least round number that is no less: 1, 2, 2.5 or 5 times a power of ten; a whole one if it must be."""
    if whole and width <= 1:
        return Fraction(1)
    unit = Fraction(10) ** floor(log10(width) - 1e-9)
    wide = (each * unit for each in (*_ROUND, Fraction(100)) if each * unit >= width)
    return next(each for each in wide if not whole or each.denominator == 1)


@dataclass(frozen=True, eq=False)
class MeasuredGrid:
    """Noisy counts of every level of a grid's tree, the first with ten nodes at most; of what has no value apart."""

    grid: PublicGrid
    levels: tuple[Integers, ...]
    noise: GaussianNoise

    def counts(self, parts: int) -> tuple[list[Floats], float]:
        """The levels in rows as one consistent tree, and the deviation of the noise of a node before that."""
        noisy = [np.asarray(level, dtype=np.float64) / parts for level in self.levels]
        return consistent(noisy), nearest(self.noise.sigma / parts)


def sums_by_level(cells: Integers, grid: PublicGrid) -> list[Integers]:
    """The exact counts of every level, from the coarsest: each node has ten cells or nodes below it."""
    padded = np.zeros(_BRANCHES**grid.levels, dtype=cells.dtype)
    padded[: grid.cells] = cells[: grid.cells]
    return [padded.reshape(_BRANCHES ** (depth + 1), -1).sum(axis=1) for depth in range(grid.levels)]


def measure_grid(
    cells: Integers, grid: PublicGrid, purse: Purse, *, noise: GaussianNoise, moved: int, bits: BitSource
) -> MeasuredGrid:
    """Every level with noise on it; one person moves each by `moved` at most."""
    found = [purse.pay(level, noise, moved**2, bits=bits) for level in sums_by_level(cells, grid)]
    return MeasuredGrid(grid, tuple(found), noise)


def consistent(levels: Sequence[Floats]) -> list[Floats]:
    """The tree of least squares, in which every node is the sum of those below it (Hay et al. 2010).

    >>> [level.tolist() for level in consistent([np.array([6.0]), np.array([1.0] * 10)])][0]
    [6.363636363636363]
    """
    up = [np.asarray(levels[-1], dtype=np.float64)]
    variance = 1.0  # of a node by what is below it, in variances of one noise
    for level in reversed(levels[:-1]):
        below, variance = up[0].reshape(-1, _BRANCHES).sum(axis=1), variance * _BRANCHES
        own = variance / (variance + 1)
        up.insert(0, own * level + (1 - own) * below)
        variance = variance / (variance + 1)
    down = [up[0]]
    for level in up[1:]:
        short = down[-1] - level.reshape(-1, _BRANCHES).sum(axis=1)
        down.append(level + np.repeat(short / _BRANCHES, _BRANCHES))
    return down


def bins_of(measured: MeasuredGrid, parts: int, *, most: int, least_rows: float) -> tuple[int, ...]:
    """Where bins begin, as cells, the first at 0: at most so many, each of about as many rows and of `least_rows`.

    A node with more rows than a bin should have is looked into, where that is clearly more than noise; a cell that is
    heavy by itself is a bin of its own.
    """
    levels, deviation = measured.counts(parts)
    rows = max(float(levels[0].sum()), 1.0)
    wanted = max(rows / most, least_rows)
    while True:
        starts = _merged(_stretches(levels, measured.grid.cells, max(_HEAVY * wanted, _CLEAR * deviation)), wanted)
        if len(starts) <= most:
            return starts if len(starts) > 1 else (0, max(1, measured.grid.cells // 2))
        wanted *= 1.1


def _stretches(levels: Sequence[Floats], cells: int, heavy: float) -> list[tuple[int, float]]:
    """Stretches of cells from the left, by their first cell, with their rows: nodes that are not heavy, or cells."""
    found = list[tuple[int, float]]()

    def look(depth: int, node: int) -> None:
        width = _BRANCHES ** (len(levels) - 1 - depth)
        if node * width >= cells:
            return
        if depth < len(levels) - 1 and levels[depth][node] > heavy:
            for child in range(node * _BRANCHES, (node + 1) * _BRANCHES):
                look(depth + 1, child)
        else:
            found.append((node * width, max(float(levels[depth][node]), 0.0)))

    for node in range(_BRANCHES):
        look(0, node)
    return found


def _merged(stretches: Sequence[tuple[int, float]], wanted: float) -> tuple[int, ...]:
    """Neighbours joined until they have what is wanted; one that has it alone stays alone."""
    starts, held = list[int](), wanted
    for first, rows in stretches:
        if held >= wanted or (rows >= wanted and held > wanted / 2):
            starts.append(first)
            held = 0.0
        held += rows
    if len(starts) > 1 and held < wanted / 2:
        starts.pop()
    return tuple(starts)


def means_in(measured: MeasuredGrid, starts: Sequence[int], *, whole: bool) -> list[Fraction | None]:
    """About the mean of the values in each bin, by noisy counts of its cells; None where noise hides it."""
    grid = measured.grid
    levels, deviation = measured.counts(1)
    found = list[Fraction | None]()
    for first, end in zip(starts, (*starts[1:], grid.cells), strict=True):
        cells = np.arange(first, end)
        middles = float(grid.start) + float(grid.width) * cells + float(grid.width - 1 if whole else grid.width) / 2
        counts = levels[-1][first:end]
        rows = float(counts.sum())
        mean = float((counts * middles).sum()) / rows if rows > 0 else 0.0
        doubt = deviation * float(np.sqrt(((middles - mean) ** 2).sum()))
        wide = float(grid.end(end) - grid.end(first))
        found.append(Fraction(mean) if rows > 0 and doubt <= wide * rows / 8 else None)
    return found


def representative(low: Fraction, high: Fraction, *, whole: bool, mean: Fraction | None = None) -> Fraction:
    """A value for a bin [low, high) that claims no more than the bin says: as few digits as are near enough.

    Near enough is within a tenth of the bin of its mean, if that is known, else in its middle half. Of whole numbers
    the bin ends before `high`.

    >>> representative(Fraction(1200), Fraction(1950), whole=False)
    Fraction(1600, 1)
    >>> representative(Fraction(1750), Fraction(20000), whole=False, mean=Fraction(2888))
    Fraction(3000, 1)
    >>> representative(Fraction(7), Fraction(8), whole=True)
    Fraction(7, 1)
    """
    last = high - 1 if whole else high
    if last <= low:
        return low
    middle = (low + last) / 2 if mean is None else min(max(mean, low), last)
    room = (last - low) / (4 if mean is None else 10)
    unit = Fraction(10) ** (floor(log10(max(abs(low), abs(high)))) + 1)
    while True:
        near = floor(middle / unit + Fraction(1, 2)) * unit
        if abs(near - middle) <= room and low <= near <= last and near < high:
            return near
        if whole and unit == 1:
            return Fraction(floor(middle))
        unit /= 10
