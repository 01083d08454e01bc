"""Post-processors: noisy cells and their noisy total made into weights, all of them free of charge.

Each takes cells (…, d) and totals (…) and gives weights (…, d). `LeastSquares` and `Clip` are the baselines: the first
may be negative, the second forgets the total. `WaterFilling` keeps the total, `NonNegativeLeastSquares` weighs it
against the cells, and `ReweightedFit` trusts cells less that may be nothing but noise (Abowd et al. 2021).
"""

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.exact.parameters import non_negative, positive
from sfumato.synth.water_filling import Reals, water_filled, water_level

_LOG_SURE = math.log1p(-0.01)  # how sure it must be that a cell is no noise
_HALVINGS = 80


class PostProcessor(Protocol):
    """What makes weights of measurements."""

    def __call__(self, points: Any, total: Any) -> Reals:
        """Weights (…, d) from noisy cells (…, d) and noisy totals (…)."""
        ...


@dataclass(frozen=True, slots=True)
class LeastSquares:
    """The baseline without a bound at zero; `softness` is the variance of the total in that of a cell.

    >>> LeastSquares()([3.0, -1.0], 5).tolist()
    [4.0, 0.0]
    """

    softness: float = 1.0

    def __post_init__(self) -> None:
        non_negative("softness", self.softness)

    def __call__(self, points: Any, total: Any) -> Reals:
        """Cells moved alike, so far that the total is weighed against them."""
        cells = np.asarray(points, dtype=np.float64)
        level = (cells.sum(axis=-1) - np.asarray(total)) / (cells.shape[-1] + self.softness)
        return np.asarray(cells - level[..., None])


@dataclass(frozen=True, slots=True)
class Clip:
    """The baseline without a total: cells below zero are zero."""

    def __call__(self, points: Any, total: Any = None) -> Reals:
        """Each cell by itself; the total is not looked at."""
        return np.maximum(np.asarray(points, dtype=np.float64), 0)


@dataclass(frozen=True, slots=True)
class WaterFilling:
    """The nearest non-negative weights with exactly the total, or with 0 where that is negative."""

    def __call__(self, points: Any, total: Any) -> Reals:
        """The post-processing of M'_ε, M'_ρ and M'_{ε,δ}."""
        return water_filled(points, total=np.maximum(np.asarray(total, dtype=np.float64), 0))


@dataclass(frozen=True, slots=True)
class NonNegativeLeastSquares:
    """Non-negative weights nearest to cells and total, each by its variance; exact, without a solver."""

    softness: float = 1.0

    def __post_init__(self) -> None:
        positive("softness", self.softness)

    def __call__(self, points: Any, total: Any) -> Reals:
        """A level as in water-filling, where the total gives way in proportion to it."""
        cells = np.asarray(points, dtype=np.float64)
        level = water_level(cells, total=total, softness=self.softness)
        return np.maximum(cells - level[..., None], 0)


@dataclass(frozen=True, slots=True)
class LaplaceErrors:
    """Errors of cells with this scale: what the re-weighted fit takes small cells for."""

    scale: float

    def __post_init__(self) -> None:
        positive("scale", self.scale)

    @property
    def variance(self) -> float:
        """2·scale²."""
        return 2 * self.scale**2

    def log_below(self, values: Reals) -> Reals:
        """ln Pr[error ≤ value]."""
        steps = values / self.scale
        return np.where(steps < 0, steps - math.log(2), np.log1p(-np.exp(-np.abs(steps)) / 2))

    def median_of_largest(self, count: int) -> float:
        """What the largest of so many errors stays below half of the time."""
        return -self.scale * math.log(-2 * math.expm1(-math.log(2) / count)) if count > 1 else 0.0


@dataclass(frozen=True, slots=True)
class NormalErrors:
    """Errors of cells with this standard deviation."""

    sigma: float

    def __post_init__(self) -> None:
        positive("sigma", self.sigma)

    @property
    def variance(self) -> float:
        """σ²."""
        return self.sigma**2

    def log_below(self, values: Reals) -> Reals:
        """ln Pr[error ≤ value]."""
        from scipy.special import log_ndtr

        return np.asarray(log_ndtr(values / self.sigma))

    def median_of_largest(self, count: int) -> float:
        """What the largest of so many errors stays below half of the time."""
        from scipy.special import ndtri

        return float(-self.sigma * ndtri(-math.expm1(-math.log(2) / count)))


@dataclass(frozen=True, slots=True)
class ReweightedFit:
    """Non-negative least squares in which cells that may be noise count by their sum, and little by themselves.

    Of the cells in rising order, those up to the last that noise may have made with more than 1 % are small. A small
    cell's variance counts 2m² times, m the median of the largest of that many errors, and their sum is weighed as one
    more measurement with twice its variance.
    """

    errors: LaplaceErrors | NormalErrors

    def __call__(self, points: Any, total: Any) -> Reals:
        """Each row of cells has small cells of its own."""
        cells, totals = np.asarray(points, dtype=np.float64), np.asarray(total, dtype=np.float64)
        rows, wanted = cells.reshape(-1, cells.shape[-1]), totals.reshape(-1)
        fitted = [self._row(row, float(one)) for row, one in zip(rows, wanted, strict=True)]
        return np.array(fitted).reshape(cells.shape)

    def small(self, cells: Reals) -> NDArray[np.bool_]:
        """The cells that may be noise."""
        rising = np.sort(cells)
        sure = np.arange(1, len(cells) + 1) * self.errors.log_below(rising) >= _LOG_SURE
        first = int(np.argmax(sure)) if sure.any() else len(cells)
        return np.zeros(len(cells), dtype=np.bool_) if first == 0 else cells <= rising[first - 1]

    def _row(self, cells: Reals, total: float) -> Reals:
        small = self.small(cells)
        count = int(small.sum())
        if count == 0:
            return NonNegativeLeastSquares()(cells, total)
        width = 2 * max(1.0, self.errors.median_of_largest(count)) ** 2
        low, high = _Falling.of(cells[small]), _Falling.of(cells[~small])

        def levels(level: float) -> tuple[float, float]:
            """The level of small cells and how far all weights' sum is above the total, if others stand at `level`.

            Small cells stand at `width` times `level` + (their sum - what was measured of it)/(2·count): a soft total.
            """
            lower = low.level(low.total - 2 * count * level, 2 * count / width)
            return lower, low.above(lower) + high.above(level) - total

        most = abs(total) + float(np.abs(cells).sum()) + 1
        least = -most
        for _ in range(_HALVINGS):
            level = (least + most) / 2
            least, most = (level, most) if levels(level)[1] > level else (least, level)
        level = (least + most) / 2
        return np.maximum(cells - np.where(small, levels(level)[0], level), 0)


@dataclass(frozen=True, slots=True, eq=False)
class _Falling:
    """Cells in falling order with their sums, so that a level costs no sorting."""

    cells: Reals
    sums: Reals
    ranks: Reals

    @classmethod
    def of(cls, cells: Reals) -> "_Falling":
        falling = -np.sort(-cells)
        return cls(falling, np.concatenate([[0.0], np.cumsum(falling)]), np.arange(1.0, len(cells) + 1))

    @property
    def total(self) -> float:
        return float(self.sums[-1])

    def above(self, level: float) -> float:
        """Σ max(cell - level, 0)."""
        count = int(np.searchsorted(-self.cells, -level))
        return float(self.sums[count]) - count * level

    def level(self, total: float, softness: float) -> float:
        """What `water_level` finds."""
        found = (self.sums[1:] - total) / (self.ranks + softness)
        count = int(np.count_nonzero(self.cells > found))
        return float(found[count - 1]) if count else -total / softness
