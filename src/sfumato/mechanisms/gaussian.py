"""The Gaussian mechanism: analytic calibration for every ε, the classical σ only where it is proved."""

import math
from dataclasses import dataclass
from fractions import Fraction
from math import pi
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import events, smallest_noise
from sfumato.core import Norm, Sensitivity
from sfumato.errors import InvalidParameter
from sfumato.exact import rounded_gaussian
from sfumato.exact.bits import BitSource
from sfumato.exact.parameters import Real, Size, amount, nearest, open_probability, positive
from sfumato.exact.rounding import up, written_up
from sfumato.exact.sampler import Draws
from sfumato.mechanisms.additive import Calibrated, Noise, least_whole, log_inverse
from sfumato.mechanisms.answers import AnswerMove, Answers, in_norm, root, sensitivity_of

_QUANTILE_SLACK = 1e-9  # far above the error of the library's normal quantile


def two_sided_quantile(beta: Fraction) -> float:
    """A z with Pr[|N(0, 1)| > z] ≤ beta, as small as floats make sure of."""
    from scipy.special import log_ndtr, ndtri

    p = float(beta / 2)
    if p > 1e-300:
        return float(-ndtri(p)) + _QUANTILE_SLACK
    tail = math.log(beta.numerator) - math.log(2 * beta.denominator)
    z = math.sqrt(-2 * tail)  # Pr[N > z] ≤ exp(-z²/2)/2
    assert log_ndtr(-z) <= tail
    return z


def normal_transform(variance: float, angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """E[exp(i·angle·k)] of a normal law on the whole numbers: exp(-σ²a²/2) at every turn (Poisson's summation)."""
    turns = angles - 2 * pi * np.round(angles / (2 * pi))  # small angles stay as they are, to the last bit
    return np.asarray(np.exp(-variance * turns**2 / 2), dtype=np.float64)


@dataclass(frozen=True)
class GaussianNoise(Noise):
    """Normal noise of a standard deviation in steps, rounded to whole steps: a post-processing of the real one.

    It keeps the ρ of the real one (Survey Theorem 8.11).
    """

    norm: ClassVar[Norm] = Norm.L2
    sigma: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", positive("sigma", self.sigma))

    def draw(self, size: Size, bits: BitSource) -> Draws:
        """floor(Z + ½) for real Z normal with standard deviation sigma."""
        return rounded_gaussian(self.sigma, size, bits=bits)

    def event(self, move: AnswerMove, *, scalar: bool = True) -> events.Event:
        """Normal noise looks the same in every direction, so only the ℓ2 distance counts."""
        return events.Gaussian(self.sigma, root(move.square))

    def reach(self, beta: Fraction) -> int:
        """Pr[|round(Z)| > t] = Pr[|Z| ≥ t + ½]."""
        return least_whole(up(self.sigma) * two_sided_quantile(beta) - 0.5)

    @property
    def variance(self) -> float:
        """That of Z, and of the rounding, which is as good as uniform."""
        return nearest(self.sigma) ** 2 + 1 / 12

    def transform(self, angles: NDArray[np.float64]) -> NDArray[np.float64]:
        """That of the normal law with this variance."""
        return normal_transform(self.variance, angles)

    def tail(self, k: int) -> float:
        """Pr[Z ≥ k - ½]."""
        from scipy.special import ndtr

        return float(ndtr(-nearest((k - Fraction(1, 2)) / self.sigma)))


def classical_sigma(*, epsilon: Real, delta: Real, sensitivity: Sensitivity) -> float:
    """√(2 ln(1.25/δ))·Δ₂/ε, which is proved for 0 < ε < 1 only (Survey Algorithm 3, errata A12).

    >>> from sfumato.core import Neighbours, Norm
    >>> round(classical_sigma(epsilon=0.5, delta=1e-6, sensitivity=Neighbours().histogram(Norm.L2)), 3)
    10.598
    """
    e, d = positive("epsilon", epsilon), open_probability("delta", delta)
    if e >= 1:
        raise InvalidParameter(
            "epsilon", "must be below 1 for the classical σ", epsilon, hint="Gaussian.calibrated holds for every ε"
        )
    if sensitivity_of(sensitivity).norm is Norm.LINF:
        raise InvalidParameter("sensitivity", "must be in ℓ2 or ℓ1, got one in", Norm.LINF.value)
    distance = root(in_norm(sensitivity, Norm.L2, 2))
    factor = math.sqrt(2 * (math.log(1.25) + log_inverse(d))) * (1 + 2.0**-48)
    return written_up(Fraction(factor) * distance / e)


@dataclass(frozen=True, kw_only=True)
class Gaussian(Calibrated):
    """f(x) + N(0, σ²): priced exactly at every (ε, δ) (Survey Algorithm 3; Balle, Wang 2018).

    >>> from sfumato.core import Neighbours, Norm
    >>> mean = Gaussian.calibrated(epsilon=1, delta=1e-6, sensitivity=Neighbours().histogram(Norm.L2))
    >>> round(float(mean.sigma), 3)
    4.225
    """

    norm: ClassVar[Norm] = Norm.L2
    parameter: ClassVar[str] = "sigma"
    sigma: Real

    def _noise(self, move: AnswerMove) -> GaussianNoise:
        return GaussianNoise(positive("sigma", self.sigma) / self.answers.step)

    @classmethod
    def _least(cls, epsilon: Fraction, delta: Fraction, *, move: AnswerMove, answers: Answers) -> dict[str, Any]:
        """The least σ by the exact curve, for every ε > 0 and 0 < δ < 1."""
        ratio = smallest_noise(events.Gaussian, epsilon=epsilon, delta=delta)
        return {"sigma": Fraction(up(amount("sigma", ratio) * root(move.square) * answers.step))}
