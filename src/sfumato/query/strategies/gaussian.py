"""Normal noise on the combinations of a box: for ρ, and for ε where a δ is there to be spent.

What a row moves d combinations by is within unit·√d in ℓ2, and a person's rows, weighing `total` in all and `rows` in
one group, move them by √(total·rows) times that: Σ a² ≤ max a · Σ a. For ρ the noise is discrete (Canonne, Kamath,
Steinke 2020, Theorem 14). For ε it is a real normal rounded to the cells' grid, whose exact curve holds (Balle, Wang
2018): the discrete one's need not.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import inf, isinf, sqrt

from sfumato.accounting import events, gaussian
from sfumato.errors import InvalidParameter
from sfumato.exact.rounding import sqrt_up, up
from sfumato.mechanisms.answers import AnswerMove
from sfumato.mechanisms.gaussian import GaussianNoise
from sfumato.query.bounds import Moves, Spend
from sfumato.query.priced import NoisyCells, hide
from sfumato.query.strategies.base import Block, Pricing, Strategy, WeightedColumn, refined
from sfumato.query.strategies.box import boxed

_WIDEST = 1e9
_MOST_STEPS, _MORE = 60, 1 + Fraction(1, 10**8)


class DiscreteNormal(Strategy):
    """All columns in one box, under ρ."""

    name = "discrete_gaussian"

    def blocks(self, columns: Sequence[WeightedColumn]) -> list[Block] | None:
        """All of them together, if there are several."""
        return [boxed(columns)] if len(columns) >= 2 else None

    def price(self, block: Block, share: Fraction, delta: Fraction, at: Pricing) -> NoisyCells:
        """Noise for the ℓ2 move of the whole box."""
        del delta
        block = refined(block, share, at)
        moves = Moves(Fraction(0), moved_squared(block, at))
        noise, event = hide(moves, share, at.spend, scalar=False)
        return NoisyCells(self.name, block.columns, block.cells, noise, event, share, at.bits)

    def deviation(self, block: Block, share: Fraction, delta: Fraction, at: Pricing) -> float:
        """σ, in whole rows."""
        del delta
        return sqrt(moved_squared(block, at) / (2 * share)) / (1 << at.bits)

    def is_possible(self, spend: Spend) -> bool:
        """Under ρ."""
        return spend.rho is not None


class Normal(Strategy):
    """All columns in one box, under ε and δ."""

    name = "gaussian"

    def blocks(self, columns: Sequence[WeightedColumn]) -> list[Block] | None:
        """All of them together; a total that is declared of a sum is less than its rows may add."""
        return None if any(getattr(each.measure, "total", None) for each in columns) else [boxed(columns)]

    def price(self, block: Block, share: Fraction, delta: Fraction, at: Pricing) -> NoisyCells:
        """Rounded normal noise, charged as ε at δ by a budget of ε, and as it is by others."""
        block = refined(block, share, at)
        square = moved_squared(block, at)
        noise = GaussianNoise(Fraction(up(_ratio(share, delta) * Fraction(sqrt_up(square)))))
        event = events.Converted(noise.event(AnswerMove.l2(square=square)), delta)
        return NoisyCells(self.name, block.columns, block.cells, noise, event, share, at.bits, delta)

    def deviation(self, block: Block, share: Fraction, delta: Fraction, at: Pricing) -> float:
        """σ, in whole rows."""
        return _about(float(share), float(delta)) * sqrt(moved_squared(block, at)) / (1 << at.bits)

    def is_possible(self, spend: Spend) -> bool:
        """Under ε with a δ."""
        return spend.epsilon is not None and 0 < spend.delta < 1


def moved_squared(block: Block, at: Pricing) -> Fraction:
    """The square of how far one person moves all cells in ℓ2."""
    rows = at.bounds.total * at.bounds.rows_in_group
    return Fraction(len(block.cells) * rows * (block.unit << at.bits) ** 2)


@lru_cache(maxsize=1 << 10)
def _about(epsilon: float, delta: float) -> float:
    """The σ for a move of one that meets (ε, δ), in floats: to compare with, and to begin from."""
    low, high = 1e-6, _WIDEST
    if gaussian.delta(epsilon, 1 / high) > delta:
        return inf
    while high > low * (1 + 1e-9):
        middle = sqrt(low * high)
        low, high = (low, middle) if gaussian.delta(epsilon, 1 / middle) <= delta else (middle, high)
    return high


@lru_cache(maxsize=1 << 10)
def _ratio(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The same as the accountant certifies it: what is charged for it is not above ε."""
    about = _about(float(epsilon), float(delta))
    found = Fraction(0 if isinf(about) else about)
    for _ in range(_MOST_STEPS if found else 0):
        charged = events.Converted(events.Gaussian(found), delta).pure()
        if charged is not None and charged <= epsilon:
            return found
        found *= _MORE
    raise InvalidParameter("delta", "is too small for normal noise at this ε", float(delta), hint="delta=1e-9")
