"""A quantile with its error bar, and what they cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sfumato.accounting.events import Event
from sfumato.exact.parameters import amount
from sfumato.mechanisms import Quantile, QuantileBar

if TYPE_CHECKING:
    from sfumato.query.measures import Measure


@dataclass(frozen=True)
class PricedQuantile:
    """The quantile itself, and an interval around what is released that holds it with the stated confidence."""

    measure: "Measure"
    quantile: Quantile
    bar: QuantileBar | None
    """None where the asker bought none."""
    event: Event
    share: Fraction
    bits: int = 0
    """Ranks are in 2**bits of a row."""
    columns: tuple[int, ...] = ()
    size: int = 1

    @property
    def q(self) -> Fraction:
        """The share of values below it."""
        return amount("q", self.quantile.q)

    @property
    def by(self) -> str:
        """How a value is selected."""
        return self.quantile.by

    @property
    def quantiles(self) -> tuple[Quantile, ...]:
        """What is drawn with a part of the price each: the quantile, and what its bar is chosen by."""
        return (self.quantile,) if self.bar is None else (self.quantile, self.bar.of)

    def canonical(self) -> list[object]:
        """Everything beside the measure that decides what is likely to be released."""
        own: list[object] = [str(self.quantile.epsilon), self.quantile.by]
        return ["quantile", list(self.columns), own, None if self.bar is None else self.bar.canonical()]

    def estimated(self, noisy: Sequence[Any]) -> list[Any]:
        """The value and the ends of its bar, as they are."""
        return list(noisy)

    def expected(self, beta: Fraction) -> float:
        """By how many ranks the quantile is off, but with probability beta."""
        return self.quantile.error(beta).alpha / (1 << self.bits)
