"""Tables of unbiased counts whose cells all have one known error: what pages, files and answers show of any part."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.mechanisms.gaussian import two_sided_quantile

Columns = tuple[str, ...]
_ROUNDED_UP = 1 + 1e-9  # covers the roundings of sums of floats


class CellTable(Protocol):
    """Counts of cells in rows, and how far each may be off."""

    @property
    def columns(self) -> Columns:
        """What it is over."""
        ...

    @property
    def name(self) -> str:
        """Its columns, as people read them."""
        ...

    @property
    def cells(self) -> int:
        """How many there are."""
        ...

    @property
    def standard_error(self) -> float:
        """Of one cell, in rows."""
        ...

    def rows(self) -> NDArray[np.float64]:
        """The counts in rows."""
        ...

    def reach(self, beta: Fraction) -> float:
        """How far a cell is off at most, with probability 1 - beta."""
        ...


@dataclass(frozen=True)
class EstimatedTable:
    """Unbiased counts with normal errors of one deviation, which need not be independent, and what rounding adds."""

    columns: Columns
    counts: NDArray[np.float64]
    deviation: float
    rounding: float

    @property
    def name(self) -> str:
        """Its columns, as people read them."""
        return " × ".join(self.columns) or "all rows"

    @property
    def cells(self) -> int:
        """How many there are."""
        return int(self.counts.size)

    @property
    def standard_error(self) -> float:
        """Of one cell, in rows."""
        return self.deviation

    def rows(self) -> NDArray[np.float64]:
        """The counts."""
        return self.counts

    def reach(self, beta: Fraction) -> float:
        """How far a cell is off at most, with probability 1 - beta: by the normal law, and rounding."""
        return (two_sided_quantile(beta) * self.deviation + self.rounding) * _ROUNDED_UP
