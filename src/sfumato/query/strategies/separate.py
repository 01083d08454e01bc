"""Separate columns: noise of its own for each, which share what is spent."""

from collections.abc import Sequence
from fractions import Fraction
from math import sqrt

from sfumato.query.bounds import Spend
from sfumato.query.measures import Measure
from sfumato.query.priced import NoisyCells, hide
from sfumato.query.strategies.base import Block, Pricing, Strategy, WeightedColumn

ONE = ((1,),)


class Separate(Strategy):
    """A column a block. The one strategy for what is not made of weighted rows, as people and different values."""

    name = "separate"

    def blocks(self, columns: Sequence[WeightedColumn]) -> list[Block] | None:
        """Each by itself."""
        return [Block((each.place,), ONE, each.measure.unit) for each in columns]

    def price(self, block: Block, share: Fraction, delta: Fraction, at: Pricing) -> NoisyCells:
        """Not told by the block alone: see `alone`."""
        raise NotImplementedError

    def deviation(self, block: Block, share: Fraction, delta: Fraction, at: Pricing) -> float:
        """Of one column."""
        del delta
        return deviation_of(block, share, at)

    def is_possible(self, spend: Spend) -> bool:
        """Always."""
        del spend
        return True


def deviation_of(block: Block, share: Fraction, at: Pricing) -> float:
    """Of Laplace noise √2 of its scale, which hides a move in ℓ1; of normal noise σ, which hides one in ℓ2."""
    if at.spend.epsilon is not None:
        return sqrt(2) * float(block.unit * at.bounds.total / share)
    return block.unit * sqrt(Fraction(at.bounds.total * at.bounds.rows_in_group) / (2 * share))


def alone(place: int, measure: Measure, share: Fraction, at: Pricing) -> NoisyCells:
    """A measure with the noise that hides one person's move in it."""
    fine = measure.bits(at.bits, at.bounds)
    moves = measure.moves(at.bounds, grouped=at.grouped).times(1 << fine)
    noise, event = hide(moves, share, at.spend, scalar=not at.grouped)
    return NoisyCells(Separate.name, (place,), ONE, noise, event, share, fine)
