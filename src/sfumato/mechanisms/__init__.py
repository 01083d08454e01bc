"""Mechanisms: one family a file, each a frozen object with its price, its release and its accuracy theorem.

`event` is what a release costs, known before data are seen; `release` draws exact noise; `error(beta)` is what the
accuracy theorem promises with probability 1 - beta. Parameters are keywords.
"""

from sfumato.mechanisms.above_threshold import (
    AboveThreshold,
    NumericSparse,
    Sparse,
    above_threshold_accuracy,
    numeric_sparse_accuracy,
    sparse_accuracy,
)
from sfumato.mechanisms.additive import Additive, Noise
from sfumato.mechanisms.discrete_gaussian import DiscreteGaussian, DiscreteGaussianNoise
from sfumato.mechanisms.gaussian import Gaussian, GaussianNoise, classical_sigma
from sfumato.mechanisms.geometric import Geometric, GeometricNoise, TruncatedGeometric
from sfumato.mechanisms.laplace import Laplace, LaplaceNoise
from sfumato.mechanisms.quantile import Quantile, Quantiles
from sfumato.mechanisms.randomized_response import Estimate, RandomizedResponse, Warner
from sfumato.mechanisms.selection import ExponentialMechanism, OneSidedNoisyMax, ReportNoisyMax, Selection, TopK
from sfumato.mechanisms.sparse_vector import NonNegativeSparseVector, SparseVector, StagewiseSparseVector
from sfumato.mechanisms.stream import Run, SparseTechnique

__all__ = [
    "AboveThreshold",
    "Additive",
    "DiscreteGaussian",
    "DiscreteGaussianNoise",
    "Estimate",
    "ExponentialMechanism",
    "Gaussian",
    "GaussianNoise",
    "Geometric",
    "GeometricNoise",
    "Laplace",
    "LaplaceNoise",
    "Noise",
    "NonNegativeSparseVector",
    "NumericSparse",
    "OneSidedNoisyMax",
    "Quantile",
    "Quantiles",
    "RandomizedResponse",
    "ReportNoisyMax",
    "Run",
    "Selection",
    "Sparse",
    "SparseTechnique",
    "SparseVector",
    "StagewiseSparseVector",
    "TopK",
    "TruncatedGeometric",
    "Warner",
    "above_threshold_accuracy",
    "classical_sigma",
    "numeric_sparse_accuracy",
    "sparse_accuracy",
]
