"""Events made of events: subsampling, composition, disjoint parts, groups."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

from sfumato.accounting import losslaw, rdp
from sfumato.accounting.events.base import (
    Counted,
    Event,
    Exact,
    an_event,
    both,
    counted,
    largest,
    summed,
    whole_from_one,
)
from sfumato.accounting.events.boxes import ZCDP, Pure
from sfumato.accounting.events.converted import Converted
from sfumato.accounting.events.noise import DiscreteGaussian, Gaussian, Geometric, Laplace, RandomizedResponse
from sfumato.accounting.losslaw import LossLaw
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real, amount, probability
from sfumato.exact.rounding import up

_LEAST_FLOAT = Fraction(1, 10**280)


@dataclass(frozen=True)
class Subsampled(Exact):
    """A Poisson sample of the people, each with probability `rate`, then an additive-noise event.

    Neighbours differ by adding or removing a person.
    """

    rate: Real
    event: Event
    tag: ClassVar[str] = "subsampled"
    _checks: ClassVar[dict[str, Any]] = {"rate": probability}

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.event, Gaussian | Laplace | DiscreteGaussian | Geometric | Pure | RandomizedResponse):
            raise InvalidParameter("event", "cannot be subsampled", getattr(self.event, "tag", self.event))

    def pure(self) -> Fraction | None:
        """ln(1 + q(e^ε - 1)), rounded up; never zero, or many of them would be free."""
        epsilon, q = self.event.pure(), amount("rate", self.rate)
        if epsilon is None:
            return None
        if epsilon > 600 or q == 0:
            return epsilon if q else Fraction(0)
        if q * epsilon < _LEAST_FLOAT:  # the product may leave the floats: q·(e^ε - 1) ≤ q·ε·(1 + ε) for ε ≤ 1
            return min(epsilon, q * epsilon * (1 + epsilon)) if epsilon <= 1 else epsilon
        grown = math.log1p(up(q) * math.expm1(up(epsilon))) * (1 + 2.0**-45)
        return min(epsilon, Fraction(grown))

    def zcdp(self) -> None:
        return None

    def rdp(self, alpha: float) -> float:
        laws, epsilon = self.laws(), self.pure()
        own = math.inf if laws is None else rdp.of_law(list(laws), alpha)
        return own if epsilon is None else min(own, rdp.two_point(up(epsilon), alpha))

    def laws(self) -> tuple[LossLaw, LossLaw] | None:
        inner, q = self.event.laws(), up(amount("rate", self.rate))
        q = max(q, losslaw.LEAST) if q else q
        if inner is None or q == 0:
            return None if inner is None else both(losslaw.two_point(0.0))
        remove, add = inner
        return remove.subsampled(q, removal=True), add.subsampled(q, removal=False)


@dataclass(frozen=True)
class Composition(Exact):
    """Events one after the other, each some number of times: run-length coded."""

    parts: tuple[Counted, ...]
    tag: ClassVar[str] = "composition"

    def __init__(self, parts: Iterable[Event | Counted]) -> None:
        object.__setattr__(self, "parts", counted(parts))

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.tag, "parts": [[event.to_json(), n] for event, n in self.parts]}

    def pure(self) -> Fraction | None:
        return summed([(event.pure(), n) for event, n in self.parts])

    def zcdp(self) -> Fraction | None:
        return summed([(event.zcdp(), n) for event, n in self.parts])

    def rdp(self, alpha: float) -> float:
        """Rényi curves add order by order (Survey Theorem 8.6)."""
        return math.fsum(n * event.rdp(alpha) for event, n in self.parts) * (1 + 2.0**-50)

    def extra_delta(self) -> Fraction:
        return min(Fraction(1), sum((n * event.extra_delta() for event, n in self.parts), Fraction(0)))

    def pure_delta(self) -> Fraction:
        return min(Fraction(1), sum((n * event.pure_delta() for event, n in self.parts), Fraction(0)))

    def laws(self) -> None:
        """The accountant composes the parts' own laws."""
        return

    def grouped(self, k: int) -> Event:
        return Composition([(event.grouped(k), n) for event, n in self.parts])


@dataclass(frozen=True)
class Parallel(Exact):
    """Events on disjoint parts of the people: only one part holds the person who comes or goes.

    The largest price of a part (slides "Parallel Composition").
    Valid for adding or removing a person and parts that depend on the person's own record (errata A18).
    """

    parts: tuple[Event, ...]
    tag: ClassVar[str] = "parallel"

    def __init__(self, parts: Iterable[Event]) -> None:
        chosen = tuple(an_event("parts", part) for part in parts)
        if not chosen:
            raise InvalidParameter("parts", "must hold at least one event", chosen)
        object.__setattr__(self, "parts", chosen)

    def pure(self) -> Fraction | None:
        return largest([part.pure() for part in self.parts])

    def zcdp(self) -> Fraction | None:
        return largest([part.zcdp() for part in self.parts])

    def rdp(self, alpha: float) -> float:
        return max(part.rdp(alpha) for part in self.parts)

    def extra_delta(self) -> Fraction:
        return max(part.extra_delta() for part in self.parts)

    def pure_delta(self) -> Fraction:
        return max(part.pure_delta() for part in self.parts)

    def laws(self) -> None:
        """The accountant tries the parts one by one."""
        return

    def grouped(self, k: int) -> Event:
        """k people may be spread over the parts: priced where every part has a pure or a zCDP price."""
        epsilon, rho, bought = self.pure(), self.zcdp(), self.pure_delta()
        if bought == 0 and epsilon is not None:
            return Pure(k * epsilon)
        if self.extra_delta() == 0 and rho is not None:
            inner = ZCDP(k * k * rho)
            return Converted(inner, bought) if 0 < bought < 1 else inner
        raise InvalidParameter("event", f"has no price for a group of {k}", self.tag)


@dataclass(frozen=True)
class Group(Exact):
    """An event seen by neighbours k steps apart (Survey Theorem 3.8, errata A13)."""

    k: int
    event: Event
    tag: ClassVar[str] = "group"
    _checks: ClassVar[dict[str, Any]] = {"k": whole_from_one}
    inner: Event = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        event = an_event("event", self.event)
        object.__setattr__(self, "inner", event if self.k == 1 else event.grouped(self.k))

    def pure(self) -> Fraction | None:
        return self.inner.pure()

    def zcdp(self) -> Fraction | None:
        return self.inner.zcdp()

    def rdp(self, alpha: float) -> float:
        return self.inner.rdp(alpha)

    def extra_delta(self) -> Fraction:
        return self.inner.extra_delta()

    def pure_delta(self) -> Fraction:
        return self.inner.pure_delta()

    def laws(self) -> tuple[LossLaw, LossLaw] | None:
        return self.inner.laws()

    def certain_laws(self) -> None:
        """A group's worst law is not always reached."""
        return

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.tag, "k": self.k, "inner": self.event.to_json()}

    def grouped(self, k: int) -> Event:
        return self.event.grouped(k * self.k)
