"""What is bought under an ε budget at a δ, and under a ρ or Rényi budget at its own price."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

from sfumato.accounting.events.base import Event, Exact, an_event
from sfumato.accounting.losslaw import LossLaw
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real, amount, open_probability, positive

_DIGITS = 8
_LEAST = Fraction(1, 10**12)


@dataclass(frozen=True)
class Converted(Exact):
    """An event without an ε of its own, such as Gaussian noise, that an ε budget pays for at a δ.

    `pure` is the ε that the accountant finds at that δ (for Gaussian noise Balle, Wang 2018, Theorem 8), and holds
    except with `pure_delta`. Every other currency charges `inner`, which needs no such δ. `inner` is stored whole,
    a `Composition` of everything that was done if need be, so that history can be priced again.

    >>> from sfumato.accounting.events import Gaussian
    >>> bought = Converted(Gaussian(sigma=5), delta=1e-6)
    >>> bought.pure(), bought.zcdp(), bought.pure_delta(), bought.extra_delta()
    (Fraction(16682351, 20000000), Fraction(1, 50), Fraction(1, 1000000), Fraction(0, 1))
    """

    inner: Event
    delta: Real
    tag: ClassVar[str] = "converted"
    law_is_tight: ClassVar[bool] = False
    _checks: ClassVar[dict[str, Any]] = {"inner": an_event, "delta": open_probability}

    @staticmethod
    def aim(epsilon: Real) -> Fraction:
        """The largest price not above ε that an event of this kind can have: what noise is calibrated to."""
        return _to_digits(positive("epsilon", epsilon), up=False)

    def pure(self) -> Fraction | None:
        """ε at δ, rounded up to eight digits, which outlasts a change of a last bit; None where it is infinite.

        Never zero: what reads data is not free, however little it shows.
        """
        return _epsilon(self.inner, self.pure_delta())

    def zcdp(self) -> Fraction | None:
        return self.inner.zcdp()

    def rdp(self, alpha: float) -> float:
        return self.inner.rdp(alpha)

    def extra_delta(self) -> Fraction:
        """What `inner` may fail with."""
        return self.inner.extra_delta()

    def pure_delta(self) -> Fraction:
        """δ, and what `inner` may fail with beside it."""
        return min(Fraction(1), self.inner.extra_delta() + amount("delta", self.delta))

    def laws(self) -> tuple[LossLaw, LossLaw] | None:
        return self.inner.laws()

    def certain_laws(self) -> tuple[LossLaw, LossLaw] | None:
        return self.inner.certain_laws()

    def grouped(self, k: int) -> Event:
        """The inner event for the group, at the same δ: its ε is the group's own and not k times one person's."""
        try:
            return Converted(self.inner.grouped(k), self.delta)
        except InvalidParameter:  # the inner event has no price for a group, and its (ε, δ) has
            return super().grouped(k)


@lru_cache(maxsize=1 << 12)
def _epsilon(inner: Event, delta: Fraction) -> Fraction | None:
    from sfumato.accounting.total import total  # the accountant reads events

    found = total([inner]).epsilon(delta)
    return None if math.isinf(found) else max(_LEAST, _to_digits(Fraction(found), up=True))


def _to_digits(exact: Fraction, *, up: bool) -> Fraction:
    """A number in eight digits, on the stated side of it."""
    if exact == 0:
        return exact
    # The power of ten below it, by digits: a float would round, and end.
    power = len(str(exact.numerator)) - len(str(exact.denominator))
    unit = Fraction(10) ** (power - _DIGITS + (exact >= Fraction(10) ** power))
    steps = math.ceil(exact / unit) if up else math.floor(exact / unit)
    return steps * unit
