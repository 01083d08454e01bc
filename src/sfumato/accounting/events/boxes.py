"""Black boxes, known only by the promise they keep."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from sfumato.accounting.events.base import (
    Event,
    Exact,
)
from sfumato.accounting.losslaw import LossLaw
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real, amount, non_negative, positive, probability, rational
from sfumato.exact.rounding import up


@dataclass(frozen=True)
class Pure(Exact):
    """A black box with ε-differential privacy."""

    epsilon: Real
    tag: ClassVar[str] = "pure"
    _checks: ClassVar[dict[str, Any]] = {"epsilon": non_negative}

    def pure(self) -> Fraction:
        return amount("epsilon", self.epsilon)


@dataclass(frozen=True)
class Approximate(Exact):
    """A black box with (ε, δ)-differential privacy."""

    epsilon: Real
    delta: Real
    tag: ClassVar[str] = "approximate"
    _checks: ClassVar[dict[str, Any]] = {"epsilon": non_negative, "delta": probability}

    def pure(self) -> Fraction:
        return amount("epsilon", self.epsilon)

    def extra_delta(self) -> Fraction:
        return amount("delta", self.delta)


@dataclass(frozen=True)
class ZCDP(Exact):
    """A black box with ρ-zero-concentrated differential privacy (Survey Definition 8.9).

    Whatever is computed from its output costs no more (Survey Theorem 8.11): there is no event for it.
    """

    rho: Real
    tag: ClassVar[str] = "zcdp"
    _checks: ClassVar[dict[str, Any]] = {"rho": non_negative}

    def zcdp(self) -> Fraction:
        return amount("rho", self.rho)

    def laws(self) -> None:
        return None

    def grouped(self, k: int) -> Event:
        """k²·ρ (Survey Theorem 8.12)."""
        return ZCDP(k * k * self.zcdp())


@dataclass(frozen=True)
class ShiftedZCDP(Exact):
    """A black box with (η, ρ)-zero-concentrated privacy: D_α ≤ η + αρ at every order (Survey Definition 8.9)."""

    eta: Real
    rho: Real
    tag: ClassVar[str] = "shifted_zcdp"
    _checks: ClassVar[dict[str, Any]] = {"eta": non_negative, "rho": non_negative}

    def rdp(self, alpha: float) -> float:
        return (up(amount("eta", self.eta)) + alpha * up(amount("rho", self.rho))) * (1 + 2.0**-50)

    def laws(self) -> None:
        return None


def _order(name: str, value: object) -> Fraction | float:
    """A place on the axis of orders, where curves are computed in floats: a float is exactly that place."""
    if not isinstance(value, float):
        return positive(name, value)
    return math.inf if value == math.inf else rational(name, value)


@dataclass(frozen=True)
class Renyi(Exact):
    """A black box with (α, ε)-Rényi differential privacy at one order (Survey Definition 8.2); ∞ is pure privacy."""

    alpha: Real
    epsilon: Real
    tag: ClassVar[str] = "renyi"
    _checks: ClassVar[dict[str, Any]] = {"alpha": _order, "epsilon": non_negative}

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self._order > 1:
            raise InvalidParameter("alpha", "must be above 1", self.alpha)

    @property
    def _order(self) -> Fraction | float:
        return _order("alpha", self.alpha)

    def pure(self) -> Fraction | None:
        """Order ∞ is pure privacy (Survey Theorem 8.3)."""
        return amount("epsilon", self.epsilon) if self.alpha == math.inf else None

    def rdp(self, alpha: float) -> float:
        """Rényi divergence grows with the order, so the price holds at every smaller one (Survey Theorem 8.5)."""
        own = up(amount("epsilon", self.epsilon)) if alpha <= self._order else math.inf
        return min(own, super().rdp(alpha))

    def laws(self) -> tuple[LossLaw, LossLaw] | None:
        return super().laws() if self.alpha == math.inf else None

    def to_json(self) -> dict[str, Any]:
        return super().to_json() | ({"alpha": "infinity"} if self.alpha == math.inf else {})
