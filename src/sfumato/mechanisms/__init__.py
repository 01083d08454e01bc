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
from sfumato.mechanisms.box import BoxNoise
from sfumato.mechanisms.discrete_gaussian import DiscreteGaussian, DiscreteGaussianNoise
from sfumato.mechanisms.gaussian import Gaussian, GaussianNoise, classical_sigma
from sfumato.mechanisms.geometric import Geometric, GeometricNoise, TruncatedGeometric
from sfumato.mechanisms.keys import (
    GaussianKeys,
    KeySelection,
    LaplaceKeys,
    TruncatedGeometricKeys,
    best_key_selection,
)
from sfumato.mechanisms.laplace import Laplace, LaplaceNoise
from sfumato.mechanisms.linear import LinearQueries
from sfumato.mechanisms.order_statistic import Median, OrderStatistic
from sfumato.mechanisms.quantile import Quantile, Quantiles
from sfumato.mechanisms.quantile_bar import QuantileBar
from sfumato.mechanisms.randomized_response import Estimate, RandomizedResponse, Warner
from sfumato.mechanisms.selection import ExponentialMechanism, OneSidedNoisyMax, ReportNoisyMax, Selection, TopK
from sfumato.mechanisms.small_database import (
    small_database_accuracy,
    small_database_best_accuracy,
    small_database_choices,
    small_database_size,
)
from sfumato.mechanisms.smooth import SmoothBound, SmoothSensitivity, local_sensitivity, smooth_sensitivity
from sfumato.mechanisms.spanning_tree import SpanningTree
from sfumato.mechanisms.sparse_planning import (
    false_top_probability,
    length_capped_epsilon,
    longest_stage,
    longest_stage_for,
    non_negative_stage_cutoff_for,
    stage_cutoff_for,
    threshold_for,
)
from sfumato.mechanisms.sparse_vector import NonNegativeSparseVector, SparseVector, StagewiseSparseVector
from sfumato.mechanisms.stream import Run, SparseTechnique

__all__ = [
    "AboveThreshold",
    "Additive",
    "BoxNoise",
    "DiscreteGaussian",
    "DiscreteGaussianNoise",
    "Estimate",
    "ExponentialMechanism",
    "Gaussian",
    "GaussianKeys",
    "GaussianNoise",
    "Geometric",
    "GeometricNoise",
    "KeySelection",
    "Laplace",
    "LaplaceKeys",
    "LaplaceNoise",
    "LinearQueries",
    "Median",
    "Noise",
    "NonNegativeSparseVector",
    "NumericSparse",
    "OneSidedNoisyMax",
    "OrderStatistic",
    "Quantile",
    "QuantileBar",
    "Quantiles",
    "RandomizedResponse",
    "ReportNoisyMax",
    "Run",
    "Selection",
    "SmoothBound",
    "SmoothSensitivity",
    "SpanningTree",
    "Sparse",
    "SparseTechnique",
    "SparseVector",
    "StagewiseSparseVector",
    "TopK",
    "TruncatedGeometric",
    "TruncatedGeometricKeys",
    "Warner",
    "above_threshold_accuracy",
    "best_key_selection",
    "classical_sigma",
    "false_top_probability",
    "length_capped_epsilon",
    "local_sensitivity",
    "longest_stage",
    "longest_stage_for",
    "non_negative_stage_cutoff_for",
    "numeric_sparse_accuracy",
    "small_database_accuracy",
    "small_database_best_accuracy",
    "small_database_choices",
    "small_database_size",
    "smooth_sensitivity",
    "sparse_accuracy",
    "stage_cutoff_for",
    "threshold_for",
]
