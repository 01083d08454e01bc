"""The values of which a quantile is taken."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from sfumato.accounting import events
from sfumato.accounting.events import Event
from sfumato.errors import InvalidParameter
from sfumato.exact.rounding import sqrt_down
from sfumato.mechanisms import Quantile, QuantileBar
from sfumato.mechanisms.quantile import SelectedBy, selection_event
from sfumato.query.bounds import PEOPLE, Bounds, Spend
from sfumato.query.measures.base import Place
from sfumato.query.measures.steps import InSteps
from sfumato.query.quantiles import PricedQuantile

_RANK_BITS = 12
BAR, MOST_BAR = Fraction(1, 8), Fraction(1, 4)
"""What each side of the error bar costs of the price unless the asker says, and at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Values(InSteps):
    """The values of a number and how often each occurs, of which a quantile is taken. It has a statement of its own."""

    kind: ClassVar[str] = "quantile"
    words: ClassVar[str] = "quantile"

    q: Fraction

    def canonical(self) -> list[object]:
        """Everything that decides its value."""
        return self._canonical(self.of, step=self.step, ends=(self.low, self.high), q=self.q)

    def bits(self, weights: int, bounds: Bounds) -> int:
        """Ranks are exact in 64 bits: parts of a row are coarser than those of sums."""
        del bounds
        return min(weights, _RANK_BITS)

    def counts(self, at: Place) -> str:
        """Where there is a value."""
        return f"m{at.own} IS NOT NULL"

    def price(
        self,
        share: Fraction,
        bounds: Bounds,
        spend: Spend,
        *,
        bits: int,
        beta: Fraction,
        place: int = 0,
        bar: Fraction = BAR,
    ) -> PricedQuantile:
        """A quantile, and its error bar with the part `bar` of the share for each of its two sides; without one at 0.

        A person's values weigh a in a group and `total` in all: a score there moves by a·max(q, 1 - q), so a group
        loses ε·a/total, and all together Σ ε·a/total ≤ ε, by either selection: losses of independent draws add up.
        Permute-and-flip errs less at one ε. All groups together are ε-private, and `PermuteAndFlip` says no more than
        that: its every bound is one of ε-privacy, so it is theirs too. In ρ it would cost ε²/2. The exponential
        mechanism is of bounded range, and so is the product over groups: Σ (ε·a/rows)²/8 ≤ ε²/8·total/rows (Durfee,
        Rogers 2019; Cesar, Rogers 2021). The bar is chosen around what was released: adaptive composition.
        """
        if not 0 <= bar <= MOST_BAR:
            raise InvalidParameter("bar", f"must be from 0 to {MOST_BAR} of the price for each side", float(bar))
        fine = self.bits(bits, bounds)
        rows = bounds.rows_in_group
        by: SelectedBy = "exponential" if spend.epsilon is None else "permute_and_flip"
        times = 1 if spend.epsilon is not None else -(-bounds.total // rows)
        spent: list[tuple[Event, int]] = []
        made: list[Quantile] = []
        for part in (1 - 2 * bar, 2 * bar) if bar else (Fraction(1),):
            if spend.epsilon is not None:
                each, most = share * part, bounds.total
            else:
                each, most = Fraction(sqrt_down(8 * share * part / times)), rows
            made.append(self._mechanism(each / (most << fine), by))
            spent.append((selection_event(by, each), times))
        own = QuantileBar(of=made[1], beta=beta) if bar else None
        return PricedQuantile(self, made[0], own, events.Composition(spent), share, fine, (place,))

    def _mechanism(self, epsilon: Fraction, by: SelectedBy) -> Quantile:
        step = self.step
        return Quantile(
            q=self.q,
            epsilon=epsilon,
            lower=self.low * step,
            upper=self.high * step,
            grid=step,
            neighbours=PEOPLE,
            by=by,
        )
