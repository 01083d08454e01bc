"""Budgets as the ledger keeps them: a filter of `accounting` prices and caps, the ledger adds whole units.

What a filter records for one event is the event's price in its currency: an amount for each Rényi order (one
where there are no orders), then δ. Amounts add, and a budget holds while some order and δ stay within their caps.
The theorems that make each of them a filter are named in `accounting.budgets`.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from functools import lru_cache
from typing import Any, Self

from sfumato.accounting.budgets import PureFilter, RDPFilter, ZCDPFilter
from sfumato.accounting.events import Event
from sfumato.accounting.serial import from_json
from sfumato.errors import BudgetExceeded, InvalidParameter
from sfumato.exact.parameters import probability
from sfumato.ledger.amounts import Amount, amount, positive_amount, units_down, units_of, units_text, units_up
from sfumato.ledger.canon import canonical, read_object

Units = tuple[int | None, ...]
"""Amounts in units, an order each and δ last; None is an infinite amount, or a cap that nothing meets."""

_FIELDS = {"pure": ("epsilon", "delta"), "zcdp": ("rho", "delta"), "rdp": ("epsilon", "delta", "orders")}
_PERIODS = {"hour": "%Y-%m-%dT%H", "day": "%Y-%m-%d", "month": "%Y-%m", "year": "%Y"}
_SECOND = 10**9
_BOUNDLESS = 10**400


class Price(tuple[str, ...]):
    """What one event costs in one currency: the amounts as an entry writes them, and in units."""

    units: Units

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Price":
        """The price that an entry holds."""
        price = cls(texts)
        price.units = tuple([None if text == "inf" else units_of(text) for text in price])
        return price


class TooDear(str):
    """Why there is no price: it would pass every cap. Another text says that the event has none in the currency."""


@dataclass(frozen=True)
class Budget:
    """A cap in one currency: `Budget.pure`, `Budget.zcdp`, `Budget.rdp`, or `Budget.of` a filter.

    >>> Budget.pure(epsilon="0.5")
    Budget('{"delta":"0","epsilon":"1/2","kind":"pure"}')
    """

    filter: PureFilter | ZCDPFilter | RDPFilter
    text: str = field(init=False)
    currency: str = field(init=False)
    caps: Units = field(init=False)
    cap_text: str = field(init=False)

    def __post_init__(self) -> None:
        kept = _exactly(self.filter)
        found: dict[str, Any] = {"delta": str(kept.delta)}
        caps: tuple[Fraction, ...]
        delta = probability("delta", kept.delta)
        if isinstance(kept, PureFilter):
            kind, found["epsilon"], caps = "pure", str(kept.epsilon), (kept.remaining,)
        elif isinstance(kept, ZCDPFilter):
            kind, found["rho"], caps = "zcdp", str(kept.rho), (kept.remaining,)
        else:
            kind, found["epsilon"], caps = "rdp", str(kept.epsilon), kept.caps()
            found["orders"], delta = [str(Fraction(order)) for order in kept.orders], delta / 2
        found["kind"] = kind
        units = tuple(units_down(cap) if cap >= 0 else None for cap in caps)
        if all(cap is None for cap in units):
            raise InvalidParameter("epsilon", "is too small to be kept at any of the orders", kept.epsilon)
        object.__setattr__(self, "filter", kept)
        object.__setattr__(self, "text", canonical(found))
        object.__setattr__(self, "currency", " ".join([kind, *found.get("orders", [])]))
        object.__setattr__(self, "caps", (*units, units_down(delta)))
        object.__setattr__(self, "cap_text", str(units[0]))

    @classmethod
    def pure(cls, *, epsilon: Amount, delta: Amount = 0) -> Self:
        """A cap on the sum of ε, and on the sum of δ."""
        return cls(PureFilter(positive_amount("epsilon", epsilon), amount("delta", delta)))

    @classmethod
    def zcdp(cls, *, rho: Amount, delta: Amount = 0) -> Self:
        """A cap on the sum of ρ, and on what events may fail with altogether."""
        return cls(ZCDPFilter(positive_amount("rho", rho), amount("delta", delta)))

    @classmethod
    def rdp(cls, *, epsilon: Amount, delta: Amount, orders: tuple[float, ...] = ()) -> Self:
        """(ε, δ) kept by a Rényi filter at a few orders fixed in advance."""
        e, d = positive_amount("epsilon", epsilon), positive_amount("delta", delta)
        return cls(RDPFilter(e, d, orders) if orders else RDPFilter(e, d))

    @classmethod
    def of(cls, filter_: PureFilter | ZCDPFilter | RDPFilter) -> Self:
        """The cap of a filter of `accounting`; what the filter has already spent does not count here."""
        return cls(filter_)

    @classmethod
    def from_text(cls, text: str) -> "Budget":
        """The budget that `text` wrote; amounts only as text, no key twice, none unknown."""
        return _from_text(text)

    def price(self, event: Event) -> Price | str:
        """What the filter records for one application of the event, rounded up to units; or why there is no price."""
        return known(event).price(self)

    def __repr__(self) -> str:
        return f"Budget({self.text!r})"


def _exactly(given: object) -> PureFilter | ZCDPFilter | RDPFilter:
    """An unspent filter with the same caps, as exact rationals."""
    if isinstance(given, PureFilter):
        return PureFilter(given.epsilon, given.delta)
    if isinstance(given, ZCDPFilter):
        return ZCDPFilter(given.rho, given.delta)
    if isinstance(given, RDPFilter):
        return RDPFilter(given.epsilon, given.delta, given.orders)
    raise InvalidParameter("budget", "must be a filter", given, hint="see Budget.pure, Budget.zcdp and Budget.rdp")


@lru_cache(maxsize=1 << 10)
def _from_text(text: str) -> Budget:
    data = read_object("budget", text)
    kind = data.pop("kind", None)
    if not isinstance(kind, str) or kind not in _FIELDS:
        raise InvalidParameter("kind", "must be pure, zcdp or rdp", kind)
    for name in (*(name for name in _FIELDS[kind] if name not in data), *(n for n in data if n not in _FIELDS[kind])):
        raise InvalidParameter(name, f"does not make a {kind} budget, which has exactly", _FIELDS[kind])
    if kind == "pure":
        return Budget.pure(epsilon=data["epsilon"], delta=data["delta"])
    if kind == "zcdp":
        return Budget.zcdp(rho=data["rho"], delta=data["delta"])
    if not isinstance(data["orders"], list) or not data["orders"]:
        raise InvalidParameter("orders", "must be a list of orders", data["orders"])
    orders = tuple(float(amount("orders", order)) for order in data["orders"])
    return Budget.rdp(epsilon=data["epsilon"], delta=data["delta"], orders=orders)


class Known:
    """An event with its JSON and the prices that were worked out so far."""

    def __init__(self, event: Event) -> None:
        self.event, self.json = event, event.to_json()
        self._prices: dict[str, Price | str] = {}

    def price(self, budget: Budget) -> Price | str:
        """The price under a budget, or why there is none."""
        found = self._prices.get(budget.text)
        if found is None:
            found = self._prices[budget.text] = _price(budget, self.event)
        return found


@lru_cache(maxsize=1 << 14)
def known(event: Event) -> Known:
    """The event with its prices: events recur, and pricing one takes longer than charging it.

    What is priced is what the entry will say: an event that its JSON does not give back is refused.
    """
    written_and_read = from_json(event.to_json())
    if type(written_and_read) is not type(event) or written_and_read != event:
        raise InvalidParameter("event", "must be one of the accountant's own, found", type(event))
    return Known(written_and_read)


def _boundless(given: PureFilter | ZCDPFilter | RDPFilter) -> PureFilter | ZCDPFilter | RDPFilter:
    """A filter of the same kind that admits whatever has a price: the caps are the accounts' to keep."""
    if isinstance(given, PureFilter):
        return PureFilter(_BOUNDLESS, 1)
    if isinstance(given, ZCDPFilter):
        return ZCDPFilter(_BOUNDLESS, 1)
    return RDPFilter(_BOUNDLESS, given.delta, given.orders)


def _price(budget: Budget, event: Event) -> Price | str:
    try:
        spent = _boundless(budget.filter).spend(event)
    except InvalidParameter as error:
        return error.problem
    except BudgetExceeded as error:
        return TooDear(error.problem)
    except OverflowError:
        return TooDear("the event is too large to be priced")
    curve = spent.spent if isinstance(spent.spent, tuple) else (spent.spent,)
    exact = (*curve, spent.spent_delta)
    units = [units_up(Fraction(value)) if math.isfinite(value) else None for value in exact]
    if not any(value is None or value > 0 for value in units):
        return "the event costs nothing, and what reads data does not"
    return Price.of("inf" if value is None else units_text(value) for value in units)


# ---- limits: a lifetime total, and windows beside it -------------------------------------------------------


@dataclass(frozen=True)
class Limits:
    """A lifetime budget and, beside it, budgets that renew every hour, day, month or year of ledger time (UTC)."""

    lifetime: Budget
    hour: Budget | None = None
    day: Budget | None = None
    month: Budget | None = None
    year: Budget | None = None

    def __post_init__(self) -> None:
        for period, budget in self.periods().items():
            if not isinstance(budget, Budget):
                raise InvalidParameter(period or "lifetime", "must be a Budget", budget)

    def periods(self) -> dict[str, Budget]:
        """The budgets by period; the lifetime's is the empty text."""
        windows = {period: getattr(self, period) for period in _PERIODS}
        return {"": self.lifetime} | {period: budget for period, budget in windows.items() if budget is not None}


def limits(given: Budget | Limits) -> Limits:
    """Limits from a lone lifetime budget."""
    return given if isinstance(given, Limits) else Limits(given)


@lru_cache(maxsize=1 << 10)
def _turn(period: str, second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime(_PERIODS[period])


def turn(period: str, time: int) -> str:
    """The name of the window that a ledger time lies in; a lifetime has one window without a name.

    >>> turn("month", 1_792_000_000 * 10**9)
    '2026-10'
    """
    return _turn(period, time // _SECOND) if period else ""
