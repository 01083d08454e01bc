"""Publish once, ask for ever: what is made of private data and then needs them no more.

Workloads are linear queries, asked of data, of released databases and of models in the same way. Mechanisms are
frozen: `event` is what a release costs, `release` draws it exactly, `error(beta)` is its accuracy theorem; whatever is
made of a release afterwards is free. `Publication` is a folder of all that, which answers without data.
"""

from sfumato.synth.databases import (
    Cells,
    Database,
    HistogramDatabase,
    HistogramModel,
    RowDatabase,
    WeightedDatabase,
)
from sfumato.synth.guess_and_check import Checked, GuessAndCheck, NumericCheck
from sfumato.synth.hierarchy import TopDown
from sfumato.synth.hierarchy_workload import HierarchyWorkload
from sfumato.synth.marginal_workload import MarginalWorkload
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
from sfumato.synth.multiplicative_weights import FittedModels, MultiplicativeWeights
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
from sfumato.synth.online import OnlineMultiplicativeWeights, OnlineRun
from sfumato.synth.ordered_workloads import PrefixWorkload, RangeWorkload
from sfumato.synth.people import CountedPeople, GuessedPeople, KnownPeople
from sfumato.synth.publication import Publication
from sfumato.synth.ranges import RangeAnswer, Ranges, RangeSynopsis, RangeTree, best_branching
from sfumato.synth.rounding import controlled_rounding, rounded_up
from sfumato.synth.small_database import SmallDatabase
from sfumato.synth.steps import MultiplicativeStep, ProportionalStep
from sfumato.synth.tree import Tree
from sfumato.synth.water_filling import CellGroups, WholeFill, water_filled, water_filled_wholes, water_level
from sfumato.synth.workloads import MatrixWorkload, Workload, point_and_sum_queries

__all__ = [
    "ApproximateLimit",
    "CellGroups",
    "Cells",
    "Checked",
    "Clip",
    "ClippedGaussian",
    "ClippedGeometric",
    "ConcentratedLimit",
    "CountedPeople",
    "Database",
    "FilledGaussian",
    "FilledGeometric",
    "FilledTruncated",
    "FittedModels",
    "GuessAndCheck",
    "GuessedPeople",
    "HierarchyWorkload",
    "HistogramDatabase",
    "HistogramModel",
    "KnownPeople",
    "LaplaceErrors",
    "LeastSquares",
    "MarginalWorkload",
    "MatrixWorkload",
    "Measurements",
    "MicrodataMechanism",
    "MultiplicativeStep",
    "MultiplicativeWeights",
    "NoiseMoments",
    "NonNegativeLeastSquares",
    "NormalErrors",
    "NumericCheck",
    "OnlineMultiplicativeWeights",
    "OnlineRun",
    "PointAndSumQueries",
    "PostProcessor",
    "PrefixWorkload",
    "PrivacyLimit",
    "ProportionalStep",
    "Publication",
    "PureLimit",
    "RangeAnswer",
    "RangeSynopsis",
    "RangeTree",
    "RangeWorkload",
    "Ranges",
    "ReweightedFit",
    "RowDatabase",
    "SmallDatabase",
    "SquaredErrors",
    "TopDown",
    "Tree",
    "WaterFilling",
    "WeightedDatabase",
    "WholeFill",
    "Workload",
    "best_branching",
    "clipped_bounds",
    "controlled_rounding",
    "filled_bounds",
    "gaussian_moments",
    "geometric_moments",
    "laplace_moments",
    "least_point_error",
    "least_sum_error",
    "point_and_sum_queries",
    "rounded_up",
    "truncated_geometric_moments",
    "water_filled",
    "water_filled_wholes",
    "water_level",
]
