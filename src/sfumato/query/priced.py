"""What is measured with what hides a person's part in it, and what that costs.

Cells are whole combinations of exact columns. Each has noise, and columns follow from the noisy cells again: what is
computed from a release costs nothing (Survey Proposition 3.7).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any

from sfumato.accounting.events import Event
from sfumato.exact.parameters import positive
from sfumato.exact.rounding import sqrt_up
from sfumato.mechanisms import GeometricNoise, KeySelection
from sfumato.mechanisms.additive import Noise
from sfumato.mechanisms.answers import AnswerMove
from sfumato.mechanisms.discrete_gaussian import DiscreteGaussianNoise
from sfumato.query.bounds import Moves, Spend
from sfumato.query.quantiles import PricedQuantile

Coefficients = tuple[int, ...]


def hide(moves: Moves, share: Fraction, spend: Spend, *, scalar: bool) -> tuple[Noise, Event]:
    """The noise that hides one person's move at a share of what is spent, and its event; a `scalar` is one number."""
    if spend.epsilon is not None:
        geometric = GeometricNoise(moves.l1 / share)
        return geometric, geometric.event(AnswerMove.l1(moves.l1))
    gaussian = DiscreteGaussianNoise(Fraction(sqrt_up(moves.l2_squared / (2 * share))))
    return gaussian, gaussian.event(AnswerMove.l2(square=moves.l2_squared), scalar=scalar)


@lru_cache(maxsize=1 << 10)
def inverse(cells: tuple[Coefficients, ...]) -> tuple[tuple[Coefficients, ...], int]:
    """How columns follow from cells: whole numbers over one denominator.

    >>> inverse(((1, 0), (-1, 1)))
    (((1, 0), (1, 1)), 1)
    """
    size = len(cells)
    rows = [[Fraction(each) for each in row] + [Fraction(i == j) for j in range(size)] for i, row in enumerate(cells)]
    for i in range(size):
        pivot = next(j for j in range(i, size) if rows[j][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [each / rows[i][i] for each in rows[i]]
        for j in range(size):
            if j != i and rows[j][i]:
                rows[j] = [a - rows[j][i] * b for a, b in zip(rows[j], rows[i], strict=True)]
    found = [row[size:] for row in rows]
    bottom = lcm(*(each.denominator for row in found for each in row))
    return tuple(tuple(int(each * bottom) for each in row) for row in found), bottom


@dataclass(frozen=True)
class NoisyCells:
    """Cells of some columns, each with noise."""

    strategy: str
    columns: tuple[int, ...]
    """Which measures, by their place."""
    cells: tuple[Coefficients, ...]
    """Each cell as a combination of these columns: as many as there are columns."""
    noise: Noise
    event: Event
    share: Fraction
    bits: int = 0
    """Columns are in 2**bits of a row."""
    delta: Fraction = Fraction(0)
    """What of the question's δ is spent on it."""

    @property
    def size(self) -> int:
        """How many noisy numbers it is."""
        return len(self.cells)

    @property
    def is_plain(self) -> bool:
        """Whether its one cell is a column as it stands."""
        return self.cells == ((1,),)

    def canonical(self) -> list[object]:
        """How its cells are made."""
        return [self.strategy, list(self.columns), [list(cell) for cell in self.cells], self.bits]

    def of(self, exact: Sequence[Any]) -> list[Any]:
        """The cells of exact columns: of whole numbers, or of rows of them."""
        return [sum(a * b for a, b in zip(cell, exact, strict=True) if a) for cell in self.cells]

    def estimated(self, noisy: Sequence[int]) -> list[Fraction]:
        """The columns of noisy cells, in whole rows."""
        rows, bottom = inverse(self.cells)
        whole = bottom << self.bits
        return [Fraction(sum(a * b for a, b in zip(row, noisy, strict=True) if a), whole) for row in rows]

    def weights(self, coefficients: Sequence[Fraction]) -> list[Fraction]:
        """The noise of a combination of columns, as weights of the cells' noises in whole rows."""
        rows, bottom = inverse(self.cells)
        added = [sum((c * row[j] for c, row in zip(coefficients, rows, strict=True) if c), Fraction(0))
                 for j in range(self.size)]  # fmt: skip
        return [each / (bottom << self.bits) for each in added]


@dataclass(frozen=True)
class SelectedCounts:
    """The noisy counts by which groups are selected, which are released with them."""

    columns: tuple[int, ...]
    selection: KeySelection
    share: Fraction
    bits: int = 0
    size: int = 1

    @property
    def event(self) -> Event:
        """That of the selection, which pays for both."""
        return self.selection.event

    @property
    def noise(self) -> Noise:
        """About the noise of a count: where it is held within a bound, it is less."""
        each = positive("epsilon", self.selection.epsilon) / self.selection.keys_per_person
        return GeometricNoise(1 / each)

    def weights(self, coefficients: Sequence[Fraction]) -> list[Fraction]:
        """The noise of a multiple of the count."""
        return list(coefficients)

    def canonical(self) -> list[object]:
        """What is counted."""
        return ["selected", list(self.columns)]

    def estimated(self, noisy: Sequence[int]) -> list[Fraction]:
        """The counts themselves."""
        return [Fraction(int(each)) for each in noisy]


Priced = NoisyCells | SelectedCounts | PricedQuantile
