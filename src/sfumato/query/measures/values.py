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
from sfumato.query.measures.steps import InSteps
from sfumato.query.priced import ThreeQuantiles


@dataclass(frozen=True, slots=True, kw_only=True)
class Values(InSteps):
    """The values of a number and how often each occurs, of which a quantile is taken. It has a statement of its own."""

    kind: ClassVar[str] = "quantile"
    words: ClassVar[str] = "quantile"

    q: Fraction

    def canonical(self) -> list[object]:
        """Everything that decides its value."""
        return self._canonical(self.of, step=self.step, ends=(self.low, self.high), q=self.q)

    def price(self, share: Fraction, bounds: Bounds, spend: Spend, *, grouped: bool, beta: Fraction) -> ThreeQuantiles:
        """A quantile with half of the share, and its error bar's two ends with a quarter each.

        A person holds `rows` values in each group, so a score moves by so many people at once, and ε is for all of
        them. An end aims as many people beyond the quantile as it is off by with probability β/2, so it lies on its
        side of it.
        """
        del grouped
        rows, groups = bounds.rows_in_group, bounds.groups if bounds.cut is None else 1
        spread = bounds.cut is not None and bounds.cut > 1  # the rows of a person may be in any groups
        spent: list[tuple[Event, int]] = []
        made: list[Quantile] = []
        for part, side in ((Fraction(1, 2), 0), (Fraction(1, 4), -1), (Fraction(1, 4), 1)):
            if spend.epsilon is not None:
                each = share * part / groups
            else:  # ε²/8-zCDP by bounded range; ε²/2 where losses of several groups add up
                each = Fraction(sqrt_down((2 if spread else 8) * share * part / groups))
            aimed = self._mechanism(each / rows)
            shift = side * ceil(aimed.error(beta / 2).alpha)
            made.append(replace(aimed, shift=shift))
            spent.append((events.Pure(each) if spread else events.Exponential(each), groups))
        return ThreeQuantiles(self, (made[0], made[1], made[2]), events.Composition(spent), share)

    def _mechanism(self, epsilon: Fraction) -> Quantile:
        step = self.step
        return Quantile(
            q=self.q, epsilon=epsilon, lower=self.low * step, upper=self.high * step, grid=step, neighbours=PEOPLE
        )
