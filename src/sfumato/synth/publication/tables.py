"""A published table: noisy counts of a marginal, each with independent noise of a law that is known."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.mechanisms.additive import Noise
from sfumato.query.law import reach_of_many
from sfumato.synth.water_filling import summable

Places = Sequence[int]
"""Which values of a column, by their places in its list."""


def exact_sum(counts: NDArray[Any]) -> int:
    """A sum that no overflow touches, in machine numbers where they hold it.

    >>> exact_sum(np.array([2**62, 2**62]))
    9223372036854775808
    """
    return int(summable(counts).sum())


@dataclass(frozen=True)
class NoisyTable:
    """Noisy counts of the cells of some columns, in 2**bits of a row."""

    columns: tuple[str, ...]
    counts: NDArray[np.int64]
    noise: Noise
    bits: int

    @property
    def name(self) -> str:
        """Its columns, as people read them."""
        return " × ".join(self.columns) or "all rows"

    @property
    def cells(self) -> int:
        """How many noisy numbers it is."""
        return int(self.counts.size)

    @property
    def variance(self) -> float:
        """Of the noise of one cell, in rows."""
        return self.noise.variance / 4.0**self.bits

    @property
    def standard_error(self) -> float:
        """Of one cell, in rows."""
        return sqrt(self.variance)

    def rows(self) -> NDArray[np.float64]:
        """The counts in rows, to the nearest double."""
        return np.asarray(self.counts, dtype=np.float64) / 2.0**self.bits

    def reach(self, beta: Fraction) -> float:
        """How far a cell is off at most, with probability 1 - beta, in rows."""
        return float(reach_of_many(((self.noise, Fraction(1, 1 << self.bits), 1),), beta))

    def over(self, columns: Sequence[str]) -> NDArray[Any]:
        """The exact sums of its noisy counts over all columns but these, in their order, in 2**bits of a row."""
        kept = [self.columns.index(name) for name in columns]
        others = tuple(axis for axis in range(len(self.columns)) if axis not in kept)
        counts = summable(self.counts)
        summed = np.asarray(counts.sum(axis=others) if others else counts)
        left = [axis for axis in range(len(self.columns)) if axis in kept]
        return np.transpose(summed, [left.index(axis) for axis in kept]) if kept else summed

    def sum_of(self, chosen: dict[str, Places]) -> tuple[Fraction, int]:
        """The sum of the cells with the chosen values, in rows, and how many cells that is."""
        index = np.ix_(
            *(chosen.get(name, range(size)) for name, size in zip(self.columns, self.counts.shape, strict=True))
        )
        cells = self.counts[index] if self.columns else self.counts
        return Fraction(exact_sum(cells), 1 << self.bits), int(cells.size)
