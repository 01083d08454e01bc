"""The Laplace mechanism."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from sfumato.accounting import events
from sfumato.core import Norm
from sfumato.exact import rounded_laplace
from sfumato.exact.bits import BitSource
from sfumato.exact.parameters import Real, Size, nearest, positive
from sfumato.exact.rounding import up
from sfumato.exact.sampler import Draws
from sfumato.mechanisms.additive import Additive, Noise, least_whole, log_inverse
from sfumato.mechanisms.answers import AnswerMove


@dataclass(frozen=True)
class LaplaceNoise(Noise):
    """Laplace noise of a scale in steps, rounded to whole steps: a post-processing of the real mechanism."""

    norm: ClassVar[Norm] = Norm.L1
    scale: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive("scale", self.scale))

    def draw(self, size: Size, bits: BitSource) -> Draws:
        """floor(Z + ½) for real Z of density exp(-|z|/scale)/(2·scale)."""
        return rounded_laplace(self.scale, size, bits=bits)

    def event(self, move: AnswerMove, *, scalar: bool = True) -> events.Event:
        """ε = distance/scale; over a vector the worst case is the whole move in one coordinate.

        A move of d₁ in one coordinate and d₂ in another is no easier to see than one of d₁ + d₂ in one: tests
        compose through the intermediate answer (Dong, Roth, Su 2022, Lemma A.5), and log-concave noise reaches it.
        """
        return events.Laplace(move.distance / self.scale)

    def reach(self, beta: Fraction) -> int:
        """Pr[|round(Z)| > t] = Pr[|Z| ≥ t + ½] = exp(-(t + ½)/scale) (slides "A fact on Laplace Distribution")."""
        return least_whole(up(self.scale) * log_inverse(beta) - 0.5)

    def tail(self, k: int) -> float:
        """Pr[Z ≥ k - ½]."""
        return math.exp(-nearest((k - Fraction(1, 2)) / self.scale)) / 2


@dataclass(frozen=True, kw_only=True)
class Laplace(Additive):
    """f(x) + Lap(Δ/ε): ε-differentially private (Survey Algorithm 1, Proposition 4.1).

    >>> from sfumato.core import Neighbours, Norm
    >>> names = Laplace(epsilon=1, sensitivity=Neighbours().histogram(Norm.L1), grid=0.001, dimension=10_000)
    >>> print(names.error(0.05))
    within 12.2 with probability 95 %
    """

    norm: ClassVar[Norm] = Norm.L1
    parameter: ClassVar[str] = "epsilon"
    epsilon: Real

    def _noise(self, move: AnswerMove) -> LaplaceNoise:
        return LaplaceNoise(move.distance / positive("epsilon", self.epsilon))
