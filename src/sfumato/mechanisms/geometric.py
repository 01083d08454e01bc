"""The geometric mechanism, and the same with noise that never exceeds a bound."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import events, total
from sfumato.core import Norm
from sfumato.errors import InvalidParameter
from sfumato.exact import censored_discrete_laplace, discrete_laplace
from sfumato.exact.bits import BitSource
from sfumato.exact.parameters import Real, Size, nearest, positive, whole
from sfumato.exact.rounding import up
from sfumato.exact.sampler import Draws
from sfumato.mechanisms.additive import Additive, Calibrated, Noise, least_whole, log_inverse
from sfumato.mechanisms.answers import AnswerMove, Answers

_MOST_BOUND = 10**9


@dataclass(frozen=True)
class GeometricNoise(Noise):
    """Discrete Laplace noise, DGeo(1/scale): Pr[k] ∝ exp(-|k|/scale) (Survey Theorem 9.6, errata A5)."""

    norm: ClassVar[Norm] = Norm.L1
    scale: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive("scale", self.scale))

    def draw(self, size: Size, bits: BitSource) -> Draws:
        """Discrete Laplace draws."""
        return discrete_laplace(self.scale, size, bits=bits)

    def event(self, move: AnswerMove, *, scalar: bool = True) -> events.Event:
        """ε = distance/scale; over a vector the worst case is the whole move in one coordinate, as for Laplace."""
        return events.Geometric(move.distance / self.scale, math.ceil(move.distance))

    def reach(self, beta: Fraction) -> int:
        """Pr[|k| > t] = 2·exp(-(t + 1)/scale)/(1 + exp(-1/scale))."""
        scale = up(self.scale)
        return least_whole(scale * (log_inverse(beta) + math.log(2 / (1 + math.exp(-1 / scale)))) - 1)

    @property
    def variance(self) -> float:
        """2α/(1 - α)², α = exp(-1/scale)."""
        return 2 * math.exp(-nearest(1 / self.scale)) / math.expm1(-nearest(1 / self.scale)) ** 2

    def transform(self, angles: NDArray[np.float64]) -> NDArray[np.float64]:
        """(1 - α)²/(1 - 2α·cos a + α²), with 1 - cos a = 2·sin²(a/2)."""
        times = 2 * self.variance  # 4α/(1 - α)²
        return np.asarray(1 / (1 + times * np.sin(angles / 2) ** 2), dtype=np.float64)

    def tail(self, k: int) -> float:
        """exp(-k/scale)/(1 + exp(-1/scale))."""
        return math.exp(-nearest(k / self.scale)) / (1 + math.exp(-nearest(1 / self.scale)))


@dataclass(frozen=True, kw_only=True)
class Geometric(Additive):
    """f(x) + discrete Laplace noise of scale Δ/ε: the Laplace mechanism for whole numbers, ε-differentially private.

    >>> from sfumato.core import Neighbours, Norm
    >>> count = Geometric(epsilon=0.5, sensitivity=Neighbours().histogram(Norm.L1))
    >>> print(count.error(0.05))
    within 6 with probability 95 %
    >>> isinstance(count.release(1000), int)
    True
    """

    norm: ClassVar[Norm] = Norm.L1
    parameter: ClassVar[str] = "epsilon"
    epsilon: Real

    def _noise(self, move: AnswerMove) -> GeometricNoise:
        return GeometricNoise(move.distance / positive("epsilon", self.epsilon))


@dataclass(frozen=True)
class TruncatedGeometricNoise(Noise):
    """TDGeo(ε, B): discrete Laplace noise moved to the nearer end of [-B, B] (Survey Theorem 9.6, errata B6)."""

    norm: ClassVar[Norm] = Norm.L1
    epsilon: Fraction
    bound: int

    def draw(self, size: Size, bits: BitSource) -> Draws:
        """Discrete Laplace draws, clipped."""
        return censored_discrete_laplace(1 / self.epsilon, self.bound, size, bits=bits)

    def event(self, move: AnswerMove, *, scalar: bool = True) -> events.Event:
        """Known for one step in one coordinate."""
        if move.distance != 1:
            raise InvalidParameter("sensitivity", "must be 1 for truncated noise, got", move.distance)
        return events.CensoredGeometric(self.epsilon, self.bound)

    def reach(self, beta: Fraction) -> int:
        """Never beyond the bound."""
        return min(self.bound, GeometricNoise(1 / self.epsilon).reach(beta))


@dataclass(frozen=True, kw_only=True)
class TruncatedGeometric(Calibrated):
    """Counts with noise in [-bound, bound]: (ε, δ)-differentially private, and never off by more than the bound.

    Made for answers of sensitivity 1, such as a histogram under adding or removing one.

    >>> from sfumato.core import Neighbours, Norm
    >>> noisy = TruncatedGeometric.calibrated(epsilon=0.5, delta=5e-7, sensitivity=Neighbours().histogram(Norm.L1))
    >>> noisy.bound
    29
    """

    norm: ClassVar[Norm] = Norm.L1
    parameter: ClassVar[str] = "epsilon"
    epsilon: Real
    bound: int

    def _noise(self, move: AnswerMove) -> TruncatedGeometricNoise:
        return TruncatedGeometricNoise(positive("epsilon", self.epsilon), whole("bound", self.bound, least=1))

    @classmethod
    def _least(cls, epsilon: Fraction, delta: Fraction, *, move: AnswerMove, answers: Answers) -> dict[str, Any]:
        """The least bound, by the exact δ and not its tail bound (errata B6)."""

        def meets(bound: int) -> bool:
            return total([events.CensoredGeometric(epsilon, bound)]).delta(epsilon) <= delta

        high = 1
        while not meets(high):
            high *= 2
            if high > _MOST_BOUND:
                raise InvalidParameter("epsilon", "is too small for a bound on the noise", epsilon)
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if meets(middle) else (middle, high)
        return {"epsilon": epsilon, "bound": high}
