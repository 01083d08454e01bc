"""Publish once, ask for ever: what is made of private data and then needs them no more.

Workloads are linear queries; they are asked of data, of released databases and of models in the same way. Mechanisms
are frozen: `event` is what a release costs, `release` draws it exactly, `error(beta)` is its accuracy theorem.
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
from sfumato.synth.hierarchy_workload import HierarchyWorkload
from sfumato.synth.marginal_workload import MarginalWorkload
from sfumato.synth.multiplicative_weights import FittedModels, MultiplicativeWeights
from sfumato.synth.online import OnlineMultiplicativeWeights, OnlineRun
from sfumato.synth.ordered_workloads import PrefixWorkload, RangeWorkload
from sfumato.synth.people import CountedPeople, GuessedPeople, KnownPeople
from sfumato.synth.small_database import SmallDatabase
from sfumato.synth.steps import MultiplicativeStep, ProportionalStep
from sfumato.synth.workloads import MatrixWorkload, Workload, point_and_sum_queries

__all__ = [
    "Cells",
    "Checked",
    "CountedPeople",
    "Database",
    "FittedModels",
    "GuessAndCheck",
    "GuessedPeople",
    "HierarchyWorkload",
    "HistogramDatabase",
    "HistogramModel",
    "KnownPeople",
    "MarginalWorkload",
    "MatrixWorkload",
    "MultiplicativeStep",
    "MultiplicativeWeights",
    "NumericCheck",
    "OnlineMultiplicativeWeights",
    "OnlineRun",
    "PrefixWorkload",
    "ProportionalStep",
    "RangeWorkload",
    "RowDatabase",
    "SmallDatabase",
    "WeightedDatabase",
    "Workload",
    "point_and_sum_queries",
]
