"""The discrete Gaussian mechanism (Canonne, Kamath, Steinke 2020)."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import events, smallest_noise
from sfumato.core import Norm
from sfumato.exact import discrete_gaussian
from sfumato.exact.bits import BitSource
from sfumato.exact.parameters import Real, Size, amount, nearest, positive
from sfumato.exact.rounding import up
from sfumato.exact.sampler import Draws
from sfumato.mechanisms.additive import Calibrated, Noise, least_whole
from sfumato.mechanisms.answers import AnswerMove, Answers, root
from sfumato.mechanisms.gaussian import normal_transform, two_sided_quantile

_MOST_TERMS = 10**4  # the σ up to which the tail is summed term by term


@dataclass(frozen=True)
class DiscreteGaussianNoise(Noise):
    """Pr[k] ∝ exp(-k²/(2σ²)) on the whole numbers."""

    norm: ClassVar[Norm] = Norm.L2
    sigma: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", positive("sigma", self.sigma))

    def draw(self, size: Size, bits: BitSource) -> Draws:
        """Discrete Gaussian draws."""
        return discrete_gaussian(self.sigma, size, bits=bits)

    def event(self, move: AnswerMove, *, scalar: bool = True) -> events.Event:
        """Exact where the whole-numbered moves of that squared length are known; else ρ = square/(2σ²).

        One answer moves by the root of it at most. A squared length of 1 is one coordinate by one, of 2 two of them:
        the losses of coordinates add up. Beyond, ρ holds for every move (Canonne, Kamath, Steinke 2020, Theorem 14).
        """
        if scalar or move.square == 1:
            return events.DiscreteGaussian(self.sigma, int(root(move.square)))
        if move.square == 2:
            return events.Composition([(events.DiscreteGaussian(self.sigma, 1), 2)])
        return events.ZCDP(move.square / (2 * self.sigma**2))

    def reach(self, beta: Fraction) -> int:
        """Pr[k ≥ m] ≤ Pr[N(0, σ²) ≥ m - 1] (Canonne, Kamath, Steinke 2020, Proposition 25)."""
        return least_whole(up(self.sigma) * two_sided_quantile(beta))

    @property
    def variance(self) -> float:
        """σ², or a little less (Canonne, Kamath, Steinke 2020, Fact 18)."""
        return nearest(self.sigma) ** 2

    def transform(self, angles: NDArray[np.float64]) -> NDArray[np.float64]:
        """That of the normal law on the whole numbers."""
        return normal_transform(self.variance, angles)

    def tail(self, k: int) -> float:
        """A sum, or the normal tail from k - ½ on where there are too many terms."""
        return gaussian_tail(k, nearest(self.sigma))


def gaussian_tail(k: int, sigma: float) -> float:
    """Pr[Z ≥ k] of the discrete Gaussian, k ≥ 1; for wide ones not below it, and above by 1e-9 at the most."""
    if k > 60 * sigma:
        return 0.0  # below the least float
    if sigma <= _MOST_TERMS:
        return _half_sum(k, sigma) / (1 + 2 * _half_sum(1, sigma))
    from scipy.special import ndtr

    # g(k) = ∫ from k - ½ on, less Σ from k on, of exp(-z²/2σ²), is never negative: g(1) > 0 since the whole sum is
    # σ√2π up to exp(-2π²σ²) (Poisson's summation) and ∫ over ±½ is below 1; g grows where the function is concave,
    # and falls to 0 where it is convex.
    return float(ndtr(-(k - 0.5) / sigma))


def _half_sum(k: int, sigma: float) -> float:
    """Σ exp(-z²/2σ²) over z ≥ k; what is cut off is less than a rounding."""
    reach = math.ceil(math.sqrt(float(k) ** 2 + 90 * sigma * sigma)) + 1  # exp(-45) of the first term, or less
    z = np.arange(k, reach + 1, dtype=np.float64)
    return float(np.exp(-(z * z) / (2 * sigma * sigma)).sum())


@dataclass(frozen=True, kw_only=True)
class DiscreteGaussian(Calibrated):
    """f(x) + discrete Gaussian noise: Δ₂²/(2σ²)-zCDP, on whole numbers from end to end.

    >>> from sfumato.core import Neighbours, Norm
    >>> histogram = DiscreteGaussian(sigma=4, sensitivity=Neighbours().histogram(Norm.L2), dimension=3)
    >>> histogram.release([5, 0, 7]).shape, histogram.event.zcdp()
    ((3,), Fraction(1, 32))
    """

    norm: ClassVar[Norm] = Norm.L2
    parameter: ClassVar[str] = "sigma"
    sigma: Real

    def _noise(self, move: AnswerMove) -> DiscreteGaussianNoise:
        return DiscreteGaussianNoise(positive("sigma", self.sigma) / self.answers.step)

    @classmethod
    def _least(cls, epsilon: Fraction, delta: Fraction, *, move: AnswerMove, answers: Answers) -> dict[str, Any]:
        """The least σ, by the exact law where it is known."""

        def event(sigma: Fraction) -> events.Event:
            return DiscreteGaussianNoise(sigma).event(move, scalar=answers.dimension is None)

        return {"sigma": amount("sigma", smallest_noise(event, epsilon=epsilon, delta=delta)) * answers.step}
