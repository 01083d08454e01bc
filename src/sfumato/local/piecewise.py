"""The piecewise and hybrid mechanisms for a mean, on cells, so that their coins are exact (N. Wang et al. 2019).

The interval is cut into G steps. A report is one of G + W cells; a window of W of them, which begins at the value's
step, is hit with probability p and each cell outside with the rest. The expected cell is linear in the value, so its
mean estimates without bias. With W/G = e^(-ε/2) this is the piecewise mechanism, up to the cells' width.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact import bernoulli, integers
from sfumato.exact.bits import BitSource, source
from sfumato.exact.parameters import whole
from sfumato.local import client, thresholds
from sfumato.local.estimates import Mean, root
from sfumato.local.one_bit import along, rounded
from sfumato.local.protocol import Bytes, Counts, Numbers, codes_as_bytes, numbers_from, read

GRID = 1 << 14
_CROSSING = Fraction(61, 100)  # ε* of N. Wang et al.: below it the hybrid is the one-bit mean


@dataclass(frozen=True, kw_only=True)
class Piecewise(Numbers):
    """A number near the true one most often, from all over a wider interval otherwise; best for larger ε.

    >>> round(Piecewise(name="lean", lower=-1, upper=1, epsilon=2).variance(0.5), 3)
    0.646
    """

    grid: int = GRID
    window: int | None = None
    kind: ClassVar[str] = "piecewise"

    def derive(self, epsilon: Fraction) -> None:
        self.keep_ends()
        if not 2 <= whole("grid", self.grid) <= GRID:
            raise InvalidParameter("grid", f"must be between 2 and {GRID} steps", self.grid)
        if self.window is None:
            self._set("window", max(1, round(self.grid / thresholds.exp_below(epsilon / 2))))
        if not 1 <= whole("window", self.window) <= self.grid:
            raise InvalidParameter("window", "must have at least one cell and no more than the grid", self.window)
        self.coin("p", thresholds.truth(epsilon, Fraction(self.grid, self._w)))

    @property
    def _w(self) -> int:
        return int(self.window or 0)

    @property
    def cells(self) -> int:
        """How many values a report has."""
        return self.grid + self._w

    def parameters(self) -> dict[str, Any]:
        return {"grid": self.grid, "window": self.window}

    @property
    def payload(self) -> int:
        return 2

    def cells_of(self, places: NDArray[np.float64], stream: BitSource) -> NDArray[np.int64]:
        """A cell for each place in [0, 1], of the law of the client's `_window`."""
        starts, n = rounded(places * self.grid, stream), len(places)
        inside = starts + integers(self._w, n, bits=stream)
        outside: NDArray[np.int64] = integers(self.grid, n, bits=stream)
        outside += self._w * (outside >= starts)
        return np.where(bernoulli(Fraction(self.p or 0), n, bits=stream), inside, outside)

    def encode(self, values: Any, *, bits: BitSource | None = None) -> Bytes:
        return codes_as_bytes(self.cells_of(along(values, *self._ends), source(bits)), 2)

    def empty(self) -> Counts:
        """Reports that are cells, their sum and sum of squares; reports that are bits, and how many of them are 1."""
        return np.zeros(5, dtype=np.int64)

    def valid(self, payloads: Bytes) -> NDArray[np.bool_]:
        return read(payloads, 0, 2) < np.uint64(self.cells)

    def tally(self, payloads: Bytes) -> Counts:
        codes = read(payloads, 0, 2).view(np.int64)
        cells = codes[codes < self.cells]
        ones = int((codes == self.cells + 1).sum())
        return np.array([len(cells), cells.sum(), (cells * cells).sum(), len(codes) - len(cells), ones], dtype=np.int64)

    def possible(self, counts: Counts, people: int) -> bool:
        cells, total, squares, bits, ones = (int(count) for count in counts)
        if min(cells, total, squares, bits, ones) < 0 or cells + bits != people or ones > bits:
            return False
        most = self.cells - 1
        return total**2 <= cells * squares and total <= squares <= most * total and self._mixed(bits)

    def _mixed(self, bits: int) -> bool:
        """Whether so many reports may be bits instead of cells."""
        return bits == 0

    def line(self) -> tuple[float, float]:
        """The expected cell as intercept + slope·place, for a place in [0, 1]; exact before the last rounding."""
        p, w, all_cells = Fraction(self.p or 0), self._w, self.cells
        others = Fraction(all_cells * (all_cells - 1) - w * (w - 1), 2 * self.grid)
        return float(p * Fraction(w - 1, 2) + (1 - p) * others), float(p * self.grid - (1 - p) * w)

    def _decoded(self, counts: Counts) -> tuple[float, float]:
        """The sum and the sum of squares of the reports' estimates of places."""
        intercept, slope = self.line()
        n, total, squares = (int(c) for c in counts[:3])
        linear = (total - n * intercept) / slope
        return linear, (squares - 2 * intercept * total + n * intercept**2) / slope**2

    def estimate(self, counts: Counts, people: int) -> Mean:
        """The mean of the reports' unbiased estimates, and the error their own spread shows."""
        if people == 0:
            return Mean(math.nan, math.inf, 0)
        total, squares = self._decoded(counts)
        mean = total / people
        error = root(squares / people - mean**2, people)
        return Mean(float(self._ends[0]) + self.span * mean, self.span * error, people)

    def variance(self, share: float = 0.5) -> float:
        """The variance of one report's estimate, in squared units, for a value at `share` of the interval."""
        place = min(1.0, max(0.0, share))
        p, w, start = float(self.p or 0), self._w, round(place * self.grid)
        intercept, slope = self.line()
        window = (_squares(start + w) - _squares(start)) / w
        others = (_squares(self.cells) - _squares(start + w) + _squares(start)) / self.grid
        mean = intercept + slope * start / self.grid
        return (p * window + (1 - p) * others - mean**2) * (self.span / slope) ** 2

    @classmethod
    def from_document(cls, document: dict[str, Any], common: dict[str, Any]) -> Self:
        return cls(**numbers_from(document, "grid", "window"), **common)


def _squares(n: int) -> float:
    """0² + 1² + … + (n - 1)²."""
    return float((n - 1) * n * (2 * n - 1) // 6)


@dataclass(frozen=True, kw_only=True)
class Hybrid(Piecewise):
    """The piecewise mechanism with probability 1 - e^(-ε/2), else the one bit: best at its worst for ε above 0.61."""

    mix: Fraction | None = None
    p_bit: Fraction | None = None
    kind: ClassVar[str] = "hybrid"

    def derive(self, epsilon: Fraction) -> None:
        super().derive(epsilon)
        share = thresholds.floor_unit(1 - 1 / thresholds.exp_below(epsilon / 2)) if epsilon > _CROSSING else Fraction(0)
        self.coin("mix", share)
        self.coin("p_bit", thresholds.truth(epsilon))

    def coins(self) -> dict[str, Fraction]:
        return super().coins() | {"mix": Fraction(self.mix or 0), "p_bit": Fraction(self.p_bit or 0)}

    def encode(self, values: Any, *, bits: BitSource | None = None) -> Bytes:
        stream, places = source(bits), along(values, *self._ends)
        n, cells = len(places), self.cells_of(places, stream)
        told = rounded(places, stream).view(np.int64) ^ ~bernoulli(Fraction(self.p_bit or 0), n, bits=stream)
        by_cell = bernoulli(Fraction(self.mix or 0), n, bits=stream)
        return codes_as_bytes(np.where(by_cell, cells, self.cells + (told & 1)), 2)

    def valid(self, payloads: Bytes) -> NDArray[np.bool_]:
        return read(payloads, 0, 2) < np.uint64(self.cells + 2)

    def _mixed(self, bits: int) -> bool:
        return bits >= 0

    def _decoded(self, counts: Counts) -> tuple[float, float]:
        total, squares = super()._decoded(counts)
        p, n, ones = float(self.p_bit or 0), int(counts[3]), int(counts[4])
        high, low = (p / (2 * p - 1), (p - 1) / (2 * p - 1))
        return total + ones * high + (n - ones) * low, squares + ones * high**2 + (n - ones) * low**2

    def variance(self, share: float = 0.5) -> float:
        place, mix, gap = min(1.0, max(0.0, share)), float(self.mix or 0), float(2 * Fraction(self.p_bit or 0) - 1)
        one = 0.5 + (place - 0.5) * gap
        bit = one * (1 - one) * (self.span / gap) ** 2
        return mix * super().variance(share) + (1 - mix) * bit

    @classmethod
    def from_document(cls, document: dict[str, Any], common: dict[str, Any]) -> Self:
        more: dict[str, Any] = {name: client.rational(document["coins"][name]) for name in ("mix", "p_bit")}
        return super().from_document(document, common | more)
