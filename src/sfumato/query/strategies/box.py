"""Box noise: all columns at once, turned so that what a row moves each of them by fills an interval around zero.

Counts go from 0 to 1, sums between their ends, squares from 0 to their most: beside a count of the same rows each is
taken from its middle, 2s - (l + u)·n, which halves it. A row moves every one of these by its bound at most, all at
once, so that a row's move is within a box and noise of the law exp(-‖z‖∞/b) hides it (Hardt, Talwar 2010). A person's
rows move them by `total` times the box in all groups together, and noise is drawn for every group by itself: what is
lost is Σ over groups of ‖v‖∞/b ≤ total·unit/b.

For d columns its deviation is √((d+1)(d+2)/3) of their bounds over ε, where separate noises have √2·d.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm, sqrt

from sfumato.accounting import events
from sfumato.mechanisms.box import BoxNoise
from sfumato.query.measures import Present, Rows, Sum
from sfumato.query.priced import Coefficients, NoisyCells
from sfumato.query.strategies.base import Block, Pricing, Strategy, WeightedColumn, counted_by, refined, squares

_MOST_COLUMNS = 40
_FINEST = 2**20
_SCALED = 2**10  # bounds are made equal up to a thousandth


class Box(Strategy):
    """All columns in one box."""

    name = "box"

    def blocks(self, columns: Sequence[WeightedColumn]) -> list[Block] | None:
        """All of them together, if there are several."""
        return [boxed(columns)] if 2 <= len(columns) <= _MOST_COLUMNS else None

    def price(self, block: Block, share: Fraction, delta: Fraction, at: Pricing) -> NoisyCells:
        """Noise for a move of total·unit in ℓ∞ by groups."""
        del delta
        block = refined(block, share, at)
        moved = Fraction(at.bounds.total * block.unit << at.bits)
        noise = BoxNoise(moved / share, len(block.cells))
        return NoisyCells(self.name, block.columns, block.cells, noise, events.Pure(share), share, at.bits)

    def deviation(self, block: Block, share: Fraction, delta: Fraction, at: Pricing) -> float:
        """That of one of d coordinates."""
        del delta
        d = len(block.cells)
        return sqrt((d + 1) * (d + 2) / 3) * float(block.unit * at.bounds.total / share)


def boxed(columns: Sequence[WeightedColumn]) -> Block:
    """The columns as combinations that a row moves by `unit` each, at most."""
    cells, bounds = list[Coefficients](), list[int]()
    for i, column in enumerate(columns):
        own, count = 1, counted_by(column, columns)
        taken, bound = 0, column.measure.unit
        if count is not None:
            least, most = _ends(column, count)
            own, taken, bound = (1, 0, most) if least == -most else (2, -(least + most), most - least)
        row = [own if j == i else taken if other == count else 0 for j, other in enumerate(columns)]
        cells.append(tuple(row))
        bounds.append(max(bound, 1))
    times = _to_equal(bounds)
    unit = max(a * b for a, b in zip(times, bounds, strict=True))
    scaled = tuple(tuple(a * each for each in row) for a, row in zip(times, cells, strict=True))
    return Block(tuple(each.place for each in columns), scaled, unit)


def _ends(column: WeightedColumn, count: WeightedColumn) -> tuple[int, int]:
    """The least and the most that a counted row adds."""
    if isinstance(column.measure, Present | Rows):
        return 0, 1
    or_nothing = isinstance(count.measure, Rows)
    low, high = column.ends(or_nothing=or_nothing)
    if not squares(column):
        return low, high
    assert isinstance(column.measure, Sum)
    return 0, column.measure.unit


def _to_equal(bounds: Sequence[int]) -> list[int]:
    """What each bound is multiplied by, so that all become nearly equal."""
    common = lcm(*bounds)
    if common <= _FINEST * max(bounds):
        return [common // each for each in bounds]
    wanted = _SCALED * max(bounds)
    return [-(-wanted // each) for each in bounds]
