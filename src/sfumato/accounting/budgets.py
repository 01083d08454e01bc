"""Budgets that may be spent as answers come in, and which adaptivity each of them supports.

With privacy parameters chosen adaptively, a privacy-loss-distribution total is not a valid filter. What is:

- `PureFilter`: Σε ≤ cap, exactly. Every ε may depend on earlier answers (Rogers, Roth, Ullman, Vadhan 2016, Theorem
  3.6: basic composition is a filter).
- `ZCDPFilter`: Σρ ≤ cap, exactly. Every ρ may depend on earlier answers (Feldman, Zrnic 2021, Theorem 4.5 holds
  at each order α, and Σρ ≤ cap bounds all orders at once).
- `RDPFilter`: Σε(α) ≤ cap(α) at some of a few orders fixed in advance. At one order it is the Rényi filter of
  Feldman and Zrnic; over m orders each is given δ/m and the tail bound of Survey Theorem 8.8 lets their failures
  be added.
- `TicketBook`: a list of events fixed up front and priced by the whole accountant. Which ticket is used next, and for
  what question, may depend on earlier answers; the parameters may not.

Amounts are exact rationals: parts of a split budget add up to the whole and never to more.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Protocol, Self

from sfumato.accounting import conversion
from sfumato.accounting.events import Counted, Event, counted
from sfumato.accounting.total import total
from sfumato.errors import BudgetExceeded, InvalidParameter
from sfumato.exact.parameters import (
    Real,
    amount,
    nearest,
    non_negative,
    open_probability,
    positive,
    probability,
    whole,
)
from sfumato.exact.rounding import down, up


class Filter(Protocol):
    """A budget: frozen; spending gives the budget that is left."""

    def admits(self, event: Event, times: int = 1) -> bool:
        """Whether the event fits into what is left."""
        ...

    def spend(self, event: Event, times: int = 1) -> "Filter":
        """The budget after the event, or BudgetExceeded."""
        ...


def split(budget: Real, n: int) -> list[Fraction]:
    """n equal parts of a budget that add up to it exactly.

    >>> sum(split(1, 7)) == 1
    True
    """
    return [positive("budget", budget) / whole("n", n, least=1)] * n


def _refused(what: str, asked: object, left: object) -> BudgetExceeded:
    return BudgetExceeded(f"the event costs {what} {asked} and {left} is left", hint="ask a cheaper question")


def _short(amount: Fraction) -> str:
    return f"{float(amount):.6g}"


class _Additive:
    """A cap on a sum of exact prices, and on the sum of what events may fail with altogether."""

    delta: Real
    spent: Fraction
    spent_delta: Fraction
    _capped: ClassVar[str]
    """The field that is the cap."""
    _currency: ClassVar[tuple[str, str]]

    def __post_init__(self) -> None:
        object.__setattr__(self, self._capped, positive(self._capped, self._given()))
        object.__setattr__(self, "delta", probability("delta", self.delta))

    def _given(self) -> Real:
        cap: Real = vars(self)[self._capped]
        return cap

    def _cap(self) -> Fraction:
        return amount(self._capped, self._given())

    def _price(self, event: Event) -> Fraction | None:
        raise NotImplementedError

    def _failure(self, event: Event) -> Fraction:
        """The probability with which the price may fail."""
        return event.extra_delta()

    @property
    def remaining(self) -> Fraction:
        """What is left of the cap."""
        return self._cap() - self.spent

    def admits(self, event: Event, times: int = 1) -> bool:
        """Whether the price and δ both fit."""
        price, n = self._price(event), whole("times", times)
        if price is None or n * price > self.remaining:
            return False
        return self.spent_delta + n * self._failure(event) <= amount("delta", self.delta)

    def spend(self, event: Event, times: int = 1) -> Self:
        """The budget after the event, or BudgetExceeded."""
        price, n = self._price(event), whole("times", times)
        name, symbol = self._currency
        if price is None:
            raise InvalidParameter("event", f"has no {name} price, which this budget needs", event.tag)
        if not self.admits(event, n):
            raise _refused(f"{symbol} =", _short(n * price), _short(self.remaining))
        failures = self.spent_delta + n * self._failure(event)
        return replace(self, spent=self.spent + n * price, spent_delta=failures)  # type: ignore[type-var]


@dataclass(frozen=True)
class PureFilter(_Additive):
    """A cap on the sum of ε of pure events, or on Σε and Σδ of (ε, δ) events."""

    epsilon: Real
    delta: Real = 0
    spent: Fraction = Fraction(0)
    spent_delta: Fraction = Fraction(0)
    _capped: ClassVar[str] = "epsilon"
    _currency: ClassVar[tuple[str, str]] = ("pure", "ε")

    def _price(self, event: Event) -> Fraction | None:
        return event.pure()

    def _failure(self, event: Event) -> Fraction:
        """ε may be bought at a δ, which no other currency pays (`events.Converted`)."""
        return event.pure_delta()


@dataclass(frozen=True)
class ZCDPFilter(_Additive):
    """A cap on the sum of ρ (Survey Theorem 8.10), and on what events may fail with altogether."""

    rho: Real
    delta: Real = 0
    spent: Fraction = Fraction(0)
    spent_delta: Fraction = Fraction(0)
    _capped: ClassVar[str] = "rho"
    _currency: ClassVar[tuple[str, str]] = ("zCDP", "ρ")

    @classmethod
    def for_target(cls, epsilon: Real, delta: Real) -> "ZCDPFilter":
        """The largest ρ whose total is (ε, δ)-private by the improved conversion."""
        e, d = down(positive("epsilon", epsilon)), down(positive("delta", delta))
        low, high = 0.0, e
        for _ in range(100):
            middle = (low + high) / 2
            if conversion.zcdp_to_dp_improved(middle, d) <= e:
                low = middle
            else:
                high = middle
        return cls(Fraction(low))

    def epsilon(self, delta: Real) -> float:
        """What was spent so far, as ε at δ: an odometer reading that is valid at a time fixed in advance."""
        return conversion.zcdp_to_dp_improved(up(self.spent), down(open_probability("delta", delta)))

    def _price(self, event: Event) -> Fraction | None:
        return event.zcdp()


_ORDERS = (1.5, 2.0, 3.0, 5.0, 8.0, 16.0, 32.0, 64.0, 256.0)


@dataclass(frozen=True)
class RDPFilter:
    """A cap on the Rényi curve at a few orders fixed in advance; (ε, δ) holds while one of them is kept."""

    epsilon: Real
    delta: Real
    orders: tuple[float, ...] = _ORDERS
    spent: tuple[Fraction | float, ...] = ()
    spent_delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))
        delta = positive("delta", self.delta)
        if not Fraction(1, 10**200) <= delta < 1:
            raise InvalidParameter("delta", "must be between 1e-200 and 1", self.delta)
        object.__setattr__(self, "delta", delta)
        object.__setattr__(self, "orders", tuple(nearest(amount("orders", order)) for order in self.orders))
        if not self.orders or any(not 1 < order < math.inf for order in self.orders):
            raise InvalidParameter("orders", "must all be above 1", self.orders)
        if not self.spent:
            object.__setattr__(self, "spent", (Fraction(0),) * len(self.orders))

    def caps(self) -> tuple[Fraction, ...]:
        """ε - ln(2m/δ)/(α - 1) at each order: half of δ for the orders, half for events' own failures."""
        share = down(amount("delta", self.delta) / (2 * len(self.orders)))
        return tuple(
            amount("epsilon", self.epsilon) - Fraction(math.log(1 / share) / (order - 1) * (1 + 2.0**-45))
            for order in self.orders
        )

    def _after(self, event: Event, times: int) -> tuple[tuple[Fraction | float, ...], Fraction]:
        n = whole("times", times)
        curve = [event.rdp(order) for order in self.orders]
        spent = tuple(
            had + n * Fraction(value) if math.isfinite(value) else math.inf
            for had, value in zip(self.spent, curve, strict=True)
        )
        return spent, self.spent_delta + n * event.extra_delta()

    def admits(self, event: Event, times: int = 1) -> bool:
        """Whether at least one order stays within its cap."""
        spent, failures = self._after(event, times)
        kept = any(total <= cap for total, cap in zip(spent, self.caps(), strict=True))
        return kept and failures <= amount("delta", self.delta) / 2

    def spend(self, event: Event, times: int = 1) -> "RDPFilter":
        """The budget after the event."""
        if not self.admits(event, times):
            raise BudgetExceeded("the event's Rényi curve passes the cap at every order")
        spent, failures = self._after(event, times)
        return replace(self, spent=spent, spent_delta=failures)


@dataclass(frozen=True)
class TicketBook:
    """A plan of events priced as a whole before the first is used; tickets are torn out in any order."""

    plan: tuple[Counted, ...]
    left: tuple[Counted, ...]

    @classmethod
    def of(cls, plan: list[Event | Counted], *, epsilon: Real, delta: Real) -> "TicketBook":
        """A book for the plan, refused if the plan as a whole costs more than (ε, δ)."""
        cap, d = positive("epsilon", epsilon), min(Fraction(1), non_negative("delta", delta))
        whole_plan = total(plan)
        if not whole_plan.meets(cap, d):
            raise _refused("ε =", f"{whole_plan.epsilon(d):.6g}", _short(cap))
        return cls(counted(plan), counted(plan))

    def admits(self, event: Event, times: int = 1) -> bool:
        """Whether the book holds that many tickets for exactly this event."""
        return dict(self.left).get(event, 0) >= whole("times", times)

    def spend(self, event: Event, times: int = 1) -> "TicketBook":
        """The book without the tickets."""
        if not self.admits(event, times):
            raise BudgetExceeded("the book holds no such ticket", hint="only events of the plan can be used")
        left = dict(self.left)
        left[event] = left.get(event, 0) - times
        return replace(self, left=tuple(left.items()))
