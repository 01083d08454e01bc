"""Mechanisms: one family a file, each a frozen object with its price, its release and its accuracy theorem."""

from sfumato.mechanisms.additive import Additive, Noise
from sfumato.mechanisms.discrete_gaussian import DiscreteGaussian, DiscreteGaussianNoise
from sfumato.mechanisms.gaussian import Gaussian, GaussianNoise, classical_sigma
from sfumato.mechanisms.geometric import Geometric, GeometricNoise, TruncatedGeometric
from sfumato.mechanisms.laplace import Laplace, LaplaceNoise

__all__ = [
    "Additive",
    "DiscreteGaussian",
    "DiscreteGaussianNoise",
    "Gaussian",
    "GaussianNoise",
    "Geometric",
    "GeometricNoise",
    "Laplace",
    "LaplaceNoise",
    "Noise",
    "TruncatedGeometric",
    "classical_sigma",
]
