"""The values of which a quantile is taken."""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import ClassVar

from sfumato.accounting import events
from sfumato.accounting.events import Event
from sfumato.exact.rounding import sqrt_down
from sfumato.mechanisms import Quantile
from sfumato.query.bounds import PEOPLE, Bounds, Spend
from sfumato.query.measures.base import Place
from sfumato.query.measures.steps import InSteps
from sfumato.query.priced import ThreeQuantiles

_RANK_BITS = 12


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
        self, share: Fraction, bounds: Bounds, spend: Spend, *, bits: int, grouped: bool, beta: Fraction
    ) -> ThreeQuantiles:
        """A quantile with half of the share, and its error bar's two ends with a quarter each.

        A person's values weigh a in a group and `total` in all: the score there moves by a·max(q, 1 - q), so a group
        loses ε·a/rows, and all together Σ ε·a/rows ≤ ε·total/rows. Each is of bounded range, and so is their product:
        in zCDP Σ (ε·a/rows)²/8 ≤ ε²/8·total/rows (Durfee, Rogers 2019; Cesar, Rogers 2021). An end aims as many
        people beyond the quantile as it is off by with probability β/2, so it lies on its side of it.
        """
        del grouped
        fine = self.bits(bits, bounds)
        rows = bounds.rows_in_group
        times = 1 if spend.epsilon is not None else -(-bounds.total // rows)
        spent: list[tuple[Event, int]] = []
        made: list[Quantile] = []
        for part, side in ((Fraction(1, 2), 0), (Fraction(1, 4), -1), (Fraction(1, 4), 1)):
            if spend.epsilon is not None:
                each, most = share * part, bounds.total
            else:
                each, most = Fraction(sqrt_down(8 * share * part / times)), rows
            aimed = self._mechanism(each / (most << fine))
            shift = side * ceil(aimed.error(beta / 2).alpha)
            made.append(replace(aimed, shift=shift))
            spent.append((events.Exponential(each), times))
        return ThreeQuantiles(self, (made[0], made[1], made[2]), events.Composition(spent), share, fine)

    def _mechanism(self, epsilon: Fraction) -> Quantile:
        step = self.step
        return Quantile(
            q=self.q, epsilon=epsilon, lower=self.low * step, upper=self.high * step, grid=step, neighbours=PEOPLE
        )
