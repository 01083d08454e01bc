"""What an event is: exact parameters, a price in every currency, JSON."""

import math
from abc import ABC
from collections.abc import Iterable
from dataclasses import fields
from fractions import Fraction
from typing import Any, ClassVar

from sfumato.accounting import losslaw, rdp
from sfumato.accounting.losslaw import LossLaw
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import whole
from sfumato.exact.rounding import exp_up, up

Counted = tuple["Event", int]
_MOST_EXPONENT, _MOST_TERMS = 700, 1000
_MOST_EPSILON = 10**5  # beyond it a loss law would only repeat the pure price


class Event(ABC):
    """One application of a mechanism; frozen, comparable, and written as JSON through a closed registry."""

    tag: ClassVar[str]
    law_is_tight: ClassVar[bool] = True
    """Whether `laws` says all there is; if not, the Rényi curve may be the better price."""

    def pure(self) -> Fraction | None:
        """The ε of pure differential privacy, if there is one (beside `pure_delta`)."""
        return None

    def zcdp(self) -> Fraction | None:
        """The ρ of zero-concentrated privacy; ε-privacy gives ε²/2 (Survey Theorem 8.14)."""
        epsilon = self.pure()
        return None if epsilon is None else epsilon * epsilon / 2

    def rdp(self, alpha: float) -> float:
        """The Rényi curve at an order, infinite where there is none."""
        epsilon, rho = self.pure(), self.zcdp()
        bounds = [math.inf]
        if epsilon is not None:
            bounds.append(rdp.two_point(up(epsilon), alpha))
        if rho is not None:
            bounds.append(rdp.gaussian(up(rho), alpha))
        return min(bounds)

    def extra_delta(self) -> Fraction:
        """The probability with which `zcdp` and `rdp` may fail altogether."""
        return Fraction(0)

    def pure_delta(self) -> Fraction:
        """The probability with which `pure` may fail altogether: not below `extra_delta`."""
        return self.extra_delta()

    def laws(self) -> tuple[LossLaw, LossLaw] | None:
        """The loss laws that dominate it when a person is removed and when one is added."""
        epsilon = self.pure()
        if epsilon is None or epsilon > _MOST_EPSILON:
            return None
        return both(losslaw.two_point(up(epsilon), up(self.pure_delta())))

    def certain_laws(self) -> tuple[LossLaw, LossLaw] | None:
        """Laws that some mechanism of this kind really has, for lower bounds."""
        return self.laws()

    def grouped(self, k: int) -> "Event":
        """The event for neighbours k steps apart (errata A13)."""
        from sfumato.accounting.events.boxes import Approximate, Pure

        epsilon, delta = self.pure(), self.pure_delta()
        if epsilon is None:
            raise InvalidParameter("event", f"has no price for a group of {k}", self.tag)
        if delta == 0:
            return Pure(k * epsilon)
        if (k - 1) * epsilon > _MOST_EXPONENT:
            return Approximate(k * epsilon, 1)
        if k > _MOST_TERMS:  # no term is above the last
            factor = k * Fraction(exp_up((k - 1) * epsilon))
        else:
            factor = sum((Fraction(exp_up(i * epsilon)) for i in range(k)), Fraction(0))
        return Approximate(k * epsilon, min(Fraction(1), delta * factor))

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values; numbers as exact fractions in text."""
        return {"kind": self.tag} | {f.name: _plain(getattr(self, f.name)) for f in fields(self)}  # type: ignore[arg-type]


def both(law: LossLaw) -> tuple[LossLaw, LossLaw]:
    """The same law in both directions."""
    return law, law


def _plain(value: Any) -> Any:
    if isinstance(value, Event):
        return value.to_json()
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Fraction) else value


class Exact(Event):
    """Turns the numbers a dataclass is given into the rationals they are."""

    _checks: ClassVar[dict[str, Any]] = {}

    def __post_init__(self) -> None:
        for name, check in self._checks.items():
            object.__setattr__(self, name, check(name, getattr(self, name)))


def whole_from_one(name: str, value: object) -> int:
    """A whole number of at least one."""
    return whole(name, value, least=1)


def summed(terms: list[tuple[Fraction | None, int]]) -> Fraction | None:
    """Σ n·value, unless one is unknown."""
    total = Fraction(0)
    for value, n in terms:
        if value is None:
            return None
        total += n * value
    return total


def largest(values: list[Fraction | None]) -> Fraction | None:
    """The largest, unless one is unknown."""
    known = [value for value in values if value is not None]
    return max(known) if len(known) == len(values) else None


def an_event(name: str, value: object) -> Event:
    """The value, if it is an event."""
    if not isinstance(value, Event):
        raise InvalidParameter(name, "must be an event", value, hint="see sfumato.accounting.events")
    return value


def counted(parts: Iterable[Any]) -> tuple[Counted, ...]:
    """Events and (event, times) pairs as pairs; an event that occurs twice is counted once, twice."""
    counts: dict[Event, int] = {}
    for part in parts:
        given, n = part if isinstance(part, tuple) and len(part) == 2 else (part, 1)
        event = an_event("event", given)
        counts[event] = counts.get(event, 0) + whole("times", n)
    return tuple((event, n) for event, n in counts.items() if n)
