"""Synthetic data and synopses: measured once, asked for ever.

Every measurement is exact noise with a price; whatever is made of it afterwards is free.
"""

from sfumato.synth.hierarchy import TopDown, Tree
from sfumato.synth.microdata import (
    ClippedGaussian,
    ClippedGeometric,
    FilledGaussian,
    FilledGeometric,
    FilledTruncated,
    Measurements,
    MicrodataMechanism,
    PointAndSumQueries,
)
from sfumato.synth.microdata_bounds import (
    ApproximateLimit,
    ConcentratedLimit,
    NoiseMoments,
    PrivacyLimit,
    PureLimit,
    SquaredErrors,
    clipped_bounds,
    filled_bounds,
    gaussian_moments,
    geometric_moments,
    laplace_moments,
    least_point_error,
    least_sum_error,
    truncated_geometric_moments,
)
from sfumato.synth.nonnegative import (
    Clip,
    LaplaceErrors,
    LeastSquares,
    NonNegativeLeastSquares,
    NormalErrors,
    PostProcessor,
    ReweightedFit,
    WaterFilling,
)
from sfumato.synth.ranges import RangeAnswer, Ranges, RangeSynopsis, RangeTree, best_branching
from sfumato.synth.rounding import controlled_rounding, rounded_up
from sfumato.synth.water_filling import CellGroups, WholeFill, water_filled, water_filled_wholes, water_level

__all__ = [
    "ApproximateLimit",
    "CellGroups",
    "Clip",
    "ClippedGaussian",
    "ClippedGeometric",
    "ConcentratedLimit",
    "FilledGaussian",
    "FilledGeometric",
    "FilledTruncated",
    "LaplaceErrors",
    "LeastSquares",
    "Measurements",
    "MicrodataMechanism",
    "NoiseMoments",
    "NonNegativeLeastSquares",
    "NormalErrors",
    "PointAndSumQueries",
    "PostProcessor",
    "PrivacyLimit",
    "PureLimit",
    "RangeAnswer",
    "RangeSynopsis",
    "RangeTree",
    "Ranges",
    "ReweightedFit",
    "SquaredErrors",
    "TopDown",
    "Tree",
    "WaterFilling",
    "WholeFill",
    "best_branching",
    "clipped_bounds",
    "controlled_rounding",
    "filled_bounds",
    "gaussian_moments",
    "geometric_moments",
    "laplace_moments",
    "least_point_error",
    "least_sum_error",
    "rounded_up",
    "truncated_geometric_moments",
    "water_filled",
    "water_filled_wholes",
    "water_level",
]
