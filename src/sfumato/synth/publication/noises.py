"""The noises of a publication: how wide each is for what may be spent, what it costs, and how a file says it.

A table of counts moves by at most `moved` in ℓ1 and in ℓ2 when one person comes or goes (`query/workload.py`), so one
number prices every kind of noise.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, Protocol

from sfumato.accounting.events import Event
from sfumato.core.naming import known_names
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import positive
from sfumato.exact.rounding import sqrt_up
from sfumato.mechanisms import GeometricNoise
from sfumato.mechanisms.additive import Noise
from sfumato.mechanisms.answers import AnswerMove
from sfumato.mechanisms.discrete_gaussian import DiscreteGaussianNoise
from sfumato.mechanisms.gaussian import GaussianNoise

Currency = Literal["epsilon", "rho"]


class NoiseKind(Protocol):
    """A kind of noise: what it is paid in, its width for a price, and its form in a file."""

    @property
    def name(self) -> str:
        """What files call it."""
        ...

    @property
    def currency(self) -> Currency:
        """What the amount is that it is made for."""
        ...

    def hiding(self, moved: int, amount: Fraction) -> tuple[Noise, Event]:
        """The noise that hides a move at a price, and what that costs."""
        ...

    def to_json(self, noise: Noise) -> dict[str, Any]:
        """The noise as a file says it."""
        ...

    def read(self, about: Mapping[str, Any]) -> Noise:
        """The noise that a file says."""
        ...


@dataclass(frozen=True)
class GeometricNoises:
    """Discrete Laplace noise, for ε: a whole person costs ε = moved/scale, in whatever cells they are."""

    name = "geometric"
    currency: Currency = "epsilon"

    def hiding(self, moved: int, amount: Fraction) -> tuple[Noise, Event]:
        """Scale moved/ε."""
        noise = GeometricNoise(moved / amount)
        return noise, noise.event(AnswerMove.l1(Fraction(moved)))

    def to_json(self, noise: Noise) -> dict[str, Any]:
        """Its scale."""
        assert isinstance(noise, GeometricNoise)
        return {"kind": self.name, "scale": str(noise.scale)}

    def read(self, about: Mapping[str, Any]) -> Noise:
        """Of a scale."""
        return GeometricNoise(positive("scale", about["scale"]))


@dataclass(frozen=True)
class RoundedNormalNoises:
    """Normal noise rounded to whole steps, for ε and δ: its exact curve composes (Balle, Wang 2018)."""

    name = "gaussian"
    currency: Currency = "rho"

    def hiding(self, moved: int, amount: Fraction) -> tuple[Noise, Event]:
        """σ = moved/√(2ρ), rounded up."""
        noise = GaussianNoise(_sigma(moved, amount))
        return noise, noise.event(AnswerMove.l2(square=Fraction(moved**2)))

    def to_json(self, noise: Noise) -> dict[str, Any]:
        """Its σ."""
        assert isinstance(noise, GaussianNoise)
        return {"kind": self.name, "sigma": str(noise.sigma)}

    def read(self, about: Mapping[str, Any]) -> Noise:
        """Of a σ."""
        return GaussianNoise(positive("sigma", about["sigma"]))


@dataclass(frozen=True)
class DiscreteNormalNoises:
    """Discrete Gaussian noise, for ρ (Canonne, Kamath, Steinke 2020, Theorem 14)."""

    name = "discrete_gaussian"
    currency: Currency = "rho"

    def hiding(self, moved: int, amount: Fraction) -> tuple[Noise, Event]:
        """σ = moved/√(2ρ), rounded up."""
        noise = DiscreteGaussianNoise(_sigma(moved, amount))
        return noise, noise.event(AnswerMove.l2(square=Fraction(moved**2)), scalar=False)

    def to_json(self, noise: Noise) -> dict[str, Any]:
        """Its σ."""
        assert isinstance(noise, DiscreteGaussianNoise)
        return {"kind": self.name, "sigma": str(noise.sigma)}

    def read(self, about: Mapping[str, Any]) -> Noise:
        """Of a σ."""
        return DiscreteGaussianNoise(positive("sigma", about["sigma"]))


GEOMETRIC, NORMAL, DISCRETE_NORMAL = GeometricNoises(), RoundedNormalNoises(), DiscreteNormalNoises()
NOISES: Mapping[str, NoiseKind] = {each.name: each for each in (GEOMETRIC, NORMAL, DISCRETE_NORMAL)}
"""Every kind of noise, by the name that files have for it."""


def read_noise(about: Mapping[str, Any]) -> Noise:
    """The noise that a file says."""
    name = str(about.get("kind"))
    if name not in NOISES:
        raise InvalidParameter("noise", "must be of a kind that is known", name, hint=known_names(name, NOISES))
    return NOISES[name].read(about)


def _sigma(moved: int, rho: Fraction) -> Fraction:
    return Fraction(sqrt_up(Fraction(moved**2) / (2 * rho)))
