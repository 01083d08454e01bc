"""Additive noise and randomised response."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from sfumato.accounting import losslaw, rdp
from sfumato.accounting.events.base import (
    Event,
    Exact,
    both,
    whole_from_one,
)
from sfumato.accounting.losslaw import LossLaw
from sfumato.exact.parameters import Real, amount, positive, whole
from sfumato.exact.rounding import exp_up, sqrt_up, up

_MOST_CATEGORIES = 10**15
_MOST_ATOMS, _MOST_EXACT = 10**4, 10**4  # atoms of a law, and ε or μ² up to which a law is worth having


def _whole_from_two(name: str, value: object) -> int:
    return whole(name, value, least=2)


@dataclass(frozen=True)
class Laplace(Exact):
    """Laplace noise of scale Δ/ε (Survey Algorithm 1)."""

    epsilon: Real
    tag: ClassVar[str] = "laplace"
    _checks: ClassVar[dict[str, Any]] = {"epsilon": positive}

    def pure(self) -> Fraction:
        return amount("epsilon", self.epsilon)

    def rdp(self, alpha: float) -> float:
        return rdp.laplace(up(self.pure()), alpha)

    def laws(self) -> tuple[LossLaw, LossLaw] | None:
        return both(losslaw.laplace(up(self.pure()))) if self.pure() <= _MOST_EXACT else super().laws()

    def grouped(self, k: int) -> Event:
        return Laplace(k * self.pure())


@dataclass(frozen=True)
class Geometric(Exact):
    """Discrete Laplace noise of scale Δ/ε on an integer of sensitivity Δ."""

    epsilon: Real
    sensitivity: int = 1
    tag: ClassVar[str] = "geometric"
    _checks: ClassVar[dict[str, Any]] = {"epsilon": positive, "sensitivity": whole_from_one}

    def pure(self) -> Fraction:
        return amount("epsilon", self.epsilon)

    def rdp(self, alpha: float) -> float:
        if self.sensitivity == 1:
            return rdp.two_point(up(self.pure()), alpha)
        laws = self.laws()
        own = math.inf if laws is None else rdp.of_law(list(laws[:1]), alpha)
        return min(super().rdp(alpha), own)

    def laws(self) -> tuple[LossLaw, LossLaw] | None:
        if self.sensitivity > _MOST_ATOMS or self.pure() > _MOST_EXACT:
            return super().laws()  # any ε-private mechanism's
        return both(losslaw.geometric(up(self.pure()), self.sensitivity))

    def grouped(self, k: int) -> Event:
        return Geometric(k * self.pure(), k * self.sensitivity)


@dataclass(frozen=True)
class CensoredGeometric(Exact):
    """Discrete Laplace noise of scale 1/ε clipped to ±bound: TDGeo(ε, B) of Survey Theorem 9.6 (errata B6)."""

    epsilon: Real
    bound: int
    tag: ClassVar[str] = "censored_geometric"
    _checks: ClassVar[dict[str, Any]] = {"epsilon": positive, "bound": whole_from_one}

    def pure(self) -> Fraction:
        """ε, beside the failure of hitting one of the three cells where only one neighbour can be."""
        return amount("epsilon", self.epsilon)

    def extra_delta(self) -> Fraction:
        """(e^(-εB) + e^(-ε(B-1)))/(1 + e^-ε) = e^(-ε(B-1)), rounded up (Survey Theorem 9.6)."""
        return min(Fraction(1), Fraction(exp_up(-self.pure() * (self.bound - 1))))

    def laws(self) -> tuple[LossLaw, LossLaw] | None:
        if self.bound > _MOST_ATOMS or self.pure() > _MOST_EXACT:
            return super().laws()
        return both(losslaw.censored_geometric(up(self.pure()), self.bound))


@dataclass(frozen=True)
class Gaussian(Exact):
    """Gaussian noise of standard deviation sigma on an answer of ℓ2 sensitivity `sensitivity`."""

    sigma: Real
    sensitivity: Real = 1
    tag: ClassVar[str] = "gaussian"
    _checks: ClassVar[dict[str, Any]] = {"sigma": positive, "sensitivity": positive}

    def mu_squared(self) -> Fraction:
        """(Δ/σ)²: twice the ρ of the Gaussian mechanism (Survey Definition 8.15)."""
        return (amount("sensitivity", self.sensitivity) / amount("sigma", self.sigma)) ** 2

    @classmethod
    def of_rho(cls, rho: Real, sensitivity: Real = 1) -> "Gaussian":
        """Noise of variance Δ²/(2ρ), rounded up: ρ-zero-concentrated privacy (Survey Definition 8.15)."""
        width = positive("sensitivity", sensitivity)
        return cls(Fraction(sqrt_up(width**2 / (2 * positive("rho", rho)))), width)

    def zcdp(self) -> Fraction:
        return self.mu_squared() / 2

    def laws(self) -> tuple[LossLaw, LossLaw] | None:
        if self.mu_squared() > _MOST_EXACT:
            return None
        return both(losslaw.gaussian(math.sqrt(up(self.mu_squared())) * (1 + 2.0**-50)))

    def grouped(self, k: int) -> Event:
        return Gaussian(self.sigma, k * amount("sensitivity", self.sensitivity))


@dataclass(frozen=True)
class DiscreteGaussian(Exact):
    """Discrete Gaussian noise on an integer of sensitivity Δ (Canonne, Kamath, Steinke 2020)."""

    sigma: Real
    sensitivity: int = 1
    tag: ClassVar[str] = "discrete_gaussian"
    _checks: ClassVar[dict[str, Any]] = {"sigma": positive, "sensitivity": whole_from_one}

    def zcdp(self) -> Fraction:
        return Fraction(self.sensitivity**2) / (2 * amount("sigma", self.sigma) ** 2)

    def laws(self) -> tuple[LossLaw, LossLaw] | None:
        sigma = float(amount("sigma", self.sigma))
        if not 0.05 < sigma < 2000 or self.sensitivity > _MOST_ATOMS:
            return None  # the Rényi curve α·ρ holds at every sigma; the lattice would be empty or vast
        return both(losslaw.discrete_gaussian(sigma, self.sensitivity))

    def grouped(self, k: int) -> Event:
        return DiscreteGaussian(self.sigma, k * self.sensitivity)


@dataclass(frozen=True)
class RandomizedResponse(Exact):
    """Randomised response over two or more categories (Survey §4.1.3)."""

    epsilon: Real
    categories: int = 2
    tag: ClassVar[str] = "randomized_response"
    _checks: ClassVar[dict[str, Any]] = {
        "epsilon": positive,
        "categories": _whole_from_two,
    }

    def pure(self) -> Fraction:
        return amount("epsilon", self.epsilon)

    def rdp(self, alpha: float) -> float:
        if self.categories > _MOST_CATEGORIES:
            return super().rdp(alpha)
        return rdp.categorical(up(self.pure()), self.categories, alpha)

    def laws(self) -> tuple[LossLaw, LossLaw] | None:
        if self.pure() > _MOST_EXACT or self.categories > _MOST_CATEGORIES:
            return super().laws()
        return both(losslaw.categorical(up(self.pure()), self.categories))
