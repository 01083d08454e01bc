"""A measure with what hides a person's part in it, and what that costs."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from sfumato.accounting.events import Event
from sfumato.exact.rounding import sqrt_up
from sfumato.mechanisms import GeometricNoise, KeySelection, Quantile
from sfumato.mechanisms.additive import Noise
from sfumato.mechanisms.answers import AnswerMove
from sfumato.mechanisms.discrete_gaussian import DiscreteGaussianNoise
from sfumato.query.bounds import Moves, Spend

if TYPE_CHECKING:
    from sfumato.query.measures import Measure


def hide(moves: Moves, share: Fraction, spend: Spend, *, scalar: bool) -> tuple[Noise, Event]:
    """The noise that hides one person's move at a share of what is spent, and its event; a `scalar` is one number."""
    if spend.epsilon is not None:
        geometric = GeometricNoise(moves.l1 / share)
        return geometric, geometric.event(AnswerMove.l1(moves.l1))
    gaussian = DiscreteGaussianNoise(Fraction(sqrt_up(moves.l2_squared / (2 * share))))
    return gaussian, gaussian.event(AnswerMove.l2(square=moves.l2_squared), scalar=scalar)


@dataclass(frozen=True)
class NoisyColumns:
    """Noise of its own for every cell."""

    measure: "Measure"
    noise: Noise
    event: Event
    share: Fraction
    bits: int = 0
    """Its columns are in 2**bits of a row."""

    def reach(self, beta: Fraction) -> Fraction:
        """How far a cell is off in whole rows, but with probability beta."""
        return Fraction(self.noise.reach(beta), 1 << self.bits)

    expected = reach


@dataclass(frozen=True)
class SelectedCounts:
    """The noisy counts by which groups are selected, which are released with them."""

    measure: "Measure"
    selection: KeySelection
    share: Fraction
    bits: ClassVar[int] = 0

    @property
    def event(self) -> Event:
        """That of the selection, which pays for both."""
        return self.selection.event

    def reach(self, beta: Fraction) -> int:
        """How far a count is off, but with probability beta."""
        return int(self.selection.error(beta).alpha)

    expected = reach


@dataclass(frozen=True)
class ThreeQuantiles:
    """The quantile itself, and one aimed below and one above it, between which it lies with the stated confidence."""

    measure: "Measure"
    quantiles: tuple[Quantile, Quantile, Quantile]
    event: Event
    share: Fraction
    bits: int = 0
    """Ranks are in 2**bits of a row."""

    @property
    def q(self) -> Fraction:
        """The share of values below it."""
        return Fraction(self.quantiles[0].q)  # type: ignore[arg-type]

    def reach(self, beta: Fraction) -> int:
        """Nothing: its error bar is measured with it."""
        del beta
        return 0

    def expected(self, beta: Fraction) -> float:
        """By how many ranks the quantile is off, but with probability beta."""
        return self.quantiles[0].error(beta).alpha / (1 << self.bits)


Priced = NoisyColumns | SelectedCounts | ThreeQuantiles
