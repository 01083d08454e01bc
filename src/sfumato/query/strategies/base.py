"""What strategies share: the columns that rows add up to, blocks of cells of them, and the noise that would hide a row.

A row moves the columns by a vector that lies in a known body, and a person's rows, each times its weight, by `total`
times as much in all (`weights.py`). A strategy chooses combinations of the columns, whole numbers with a whole
inverse up to one denominator, in which that body is well described by the norm of a noise: noise of the body's own
shape is the least (Hardt, Talwar 2010, "On the Geometry of Differential Privacy": the K-norm mechanism).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from sfumato.query.bounds import Bounds, Spend
from sfumato.query.measures import Measure, Present, Rows, Square, Sum
from sfumato.query.priced import Coefficients, NoisyCells

_SMOOTH = 2**10  # steps


@dataclass(frozen=True, slots=True)
class WeightedColumn:
    """A weighted measure and its place among the measures of a question."""

    place: int
    measure: Measure

    @property
    def counts(self) -> bool:
        """Whether a row adds one or nothing."""
        return isinstance(self.measure, Rows | Present)

    def ends(self, *, or_nothing: bool) -> tuple[int, int]:
        """The least and the most that a row with a value adds to a sum; `or_nothing` if other rows are counted too."""
        assert isinstance(self.measure, Sum)
        low, high = self.measure.low - self.measure.centre, self.measure.high - self.measure.centre
        return (min(low, 0), max(high, 0)) if or_nothing else (low, high)


@dataclass(frozen=True, slots=True)
class Block:
    """Cells of some columns that are hidden together."""

    columns: tuple[int, ...]
    cells: tuple[Coefficients, ...]
    unit: int
    """The most that one row moves the cells, in the norm of the strategy."""


@dataclass(frozen=True, slots=True)
class Pricing:
    """At what a question is priced: what counts of a person, in what parts of a row, and how much is spent."""

    bounds: Bounds
    spend: Spend
    bits: int
    grouped: bool
    beta: Fraction
    bar: Fraction = Fraction(1, 8)
    """What of a quantile's price each end of its error bar takes."""


def refined(block: Block, share: Fraction, at: Pricing) -> Block:
    """The block in finer cells where its noise would be a few steps wide: then its law is as good as smooth."""
    scale = Fraction(at.bounds.total * block.unit << at.bits) / share
    times = 1
    while scale * times < _SMOOTH:
        times *= 2
    if times == 1:
        return block
    return Block(block.columns, tuple(tuple(times * each for each in cell) for cell in block.cells), times * block.unit)


class Strategy(ABC):
    """A way to measure columns together."""

    name: ClassVar[str]
    """Its name in documents and in the ledger: it must not change."""

    @abstractmethod
    def blocks(self, columns: Sequence[WeightedColumn]) -> list[Block] | None:
        """All columns in blocks, or None where it gains nothing."""

    @abstractmethod
    def price(self, block: Block, share: Fraction, delta: Fraction, at: Pricing) -> NoisyCells:
        """The block with the noise that hides a person in it at a share of what is spent, and its event."""

    @abstractmethod
    def deviation(self, block: Block, share: Fraction, delta: Fraction, at: Pricing) -> float:
        """About the standard deviation of one cell's noise, in whole rows."""

    def is_possible(self, spend: Spend) -> bool:
        """Whether the price may be paid in this way."""
        return spend.epsilon is not None


def counted_by(column: WeightedColumn, columns: Sequence[WeightedColumn]) -> WeightedColumn | None:
    """The column that counts the rows a column is over: with a value, of the same condition, or at least all rows."""
    where, of = column.measure.where, getattr(column.measure, "of", None)
    others = [each for each in columns if each != column]
    own = [each for each in others if isinstance(each.measure, Present)
           and (each.measure.of, each.measure.where) == (of, where)]  # fmt: skip
    rows = [each for each in others if isinstance(each.measure, Rows)]
    same, every = ([each for each in rows if each.measure.where == condition] for condition in (where, None))
    return next(iter([*own, *same, *every]), None)


def squares(column: WeightedColumn) -> bool:
    """Whether it is a sum of squares."""
    return isinstance(column.measure, Square)
