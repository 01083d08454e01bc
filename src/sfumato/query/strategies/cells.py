"""Joint cells: what a row adds to the columns of one expression is spread over cells that add up to the same for all.

Of x in [l, u] a row adds (x - l, u - x), and (0, 0, u - l) where x is NULL and all rows are counted: never less than
nothing, and u - l in all. One person's rows, weighing `total`, then move all cells by total·(u - l) in ℓ1 and no
further, so that each cell has noise at the whole price (Survey Proposition 4.1). Of squares the cells are those of
Bernstein's polynomials: (u - x)², 2(u - x)(x - l), (x - l)², which add up to (u - l)².
"""

from collections.abc import Sequence
from fractions import Fraction

from sfumato.query.bounds import Moves, Spend
from sfumato.query.measures import InSteps, Present, Rows, Sum
from sfumato.query.priced import Coefficients, NoisyCells, hide
from sfumato.query.strategies.base import Block, Pricing, Strategy, WeightedColumn, counted_by, refined, squares
from sfumato.query.strategies.separate import ONE, deviation_of


class JointCells(Strategy):
    """The columns of each expression as one histogram."""

    name = "joint_cells"

    def blocks(self, columns: Sequence[WeightedColumn]) -> list[Block] | None:
        """A block an expression; what belongs to none stays by itself."""
        found, left = list[Block](), {each.place: each for each in columns}
        sums = sorted((each for each in columns if isinstance(each.measure, Sum)), key=lambda each: not squares(each))
        for each in sums:
            if each.place in left:
                made = _histogram(each, list(left.values()))
                if made is not None:
                    found.append(made)
                    left = {place: other for place, other in left.items() if place not in made.columns}
        for each in list(left.values()):
            rows = next((other for other in left.values() if isinstance(other.measure, Rows)
                         and other.measure.where == each.measure.where), None)  # fmt: skip
            if each.place in left and isinstance(each.measure, Present) and rows is not None:
                found.append(Block((each.place, rows.place), ((1, 0), (-1, 1)), 1))
                del left[each.place], left[rows.place]
        if not found:
            return None
        return [*found, *(Block((each.place,), ONE, each.measure.unit) for each in left.values())]

    def price(self, block: Block, share: Fraction, delta: Fraction, at: Pricing) -> NoisyCells:
        """Noise for a move of total·unit in ℓ1; in ℓ2 no more, and within a group's share of it."""
        del delta
        block = refined(block, share, at)
        moved = Fraction(at.bounds.total * block.unit)
        moves = Moves(moved, moved * at.bounds.rows_in_group * block.unit).times(1 << at.bits)
        noise, event = hide(moves, share, at.spend, scalar=False)
        return NoisyCells(self.name, block.columns, block.cells, noise, event, share, at.bits)

    def deviation(self, block: Block, share: Fraction, delta: Fraction, at: Pricing) -> float:
        """The same as of one column that a row moves by as much."""
        del delta
        return deviation_of(block, share, at)

    def is_possible(self, spend: Spend) -> bool:
        """In every currency."""
        del spend
        return True


def _histogram(column: WeightedColumn, columns: Sequence[WeightedColumn]) -> Block | None:
    """The cells of a sum, or of squares and their sum, with the rows they are over."""
    count = counted_by(column, columns)
    if count is None:
        return None
    low, high = column.ends(or_nothing=isinstance(count.measure, Rows))
    if low >= high:
        return None
    unit = high - low
    if squares(column):
        total = _same(column, columns)
        if total is None:
            return None
        places: tuple[int, ...] = (column.place, total.place, count.place)
        cells: tuple[Coefficients, ...] = (
            (1, -2 * high, high * high), (-2, 2 * (high + low), -2 * high * low), (1, -2 * low, low * low)
        )  # fmt: skip
        unit *= unit
    else:
        places, cells = (column.place, count.place), ((1, -low), (-1, high))
    return _with_rows(Block(places, cells, unit), count, columns)


def _with_rows(block: Block, count: WeightedColumn, columns: Sequence[WeightedColumn]) -> Block:
    """The same with a cell of rows without a value, if all rows are counted beside those with one."""
    rows = next((each for each in columns if isinstance(each.measure, Rows)
                 and each.measure.where == count.measure.where and each != count), None)  # fmt: skip
    if rows is None:
        return block
    without = (*(0 for _ in block.columns[:-1]), -block.unit, block.unit)
    return Block((*block.columns, rows.place), (*((*cell, 0) for cell in block.cells), without), block.unit)


def _same(column: WeightedColumn, columns: Sequence[WeightedColumn]) -> WeightedColumn | None:
    """The sum of the numbers whose squares these are."""
    return next((each for each in columns if not squares(each) and _numbers(each) == _numbers(column)), None)


def _numbers(column: WeightedColumn) -> list[object] | None:
    """Which numbers a sum is of, in which steps."""
    return InSteps.canonical(column.measure)[1:] if isinstance(column.measure, Sum) else None
