"""Privacy events: what happened, apart from what it costs.

An event holds the parameters of one application, exactly, and prices that application in every currency it
knows: `pure`, `zcdp`, `rdp`, `laws`. It never multiplies: only the accountant counts (`accounting.total`).
Classes are never removed and their meaning never changes, so that a stored event can be priced for ever.

Sensitivities are 1 unless said, for the neighbour relation the mechanism was built for.
"""

from sfumato.accounting.events.base import Counted, Event, counted
from sfumato.accounting.events.boxes import ZCDP, Approximate, Pure, Renyi, ShiftedZCDP
from sfumato.accounting.events.combined import Composition, Group, Parallel, Subsampled
from sfumato.accounting.events.converted import Converted
from sfumato.accounting.events.noise import (
    CensoredGeometric,
    DiscreteGaussian,
    Gaussian,
    Geometric,
    Laplace,
    RandomizedResponse,
)
from sfumato.accounting.events.selection import (
    AboveThreshold,
    Exponential,
    NoisyMax,
    NonNegativeSparseVector,
    PermuteAndFlip,
    SparseVector,
    Thresholded,
)
from sfumato.accounting.events.shuffled import Shuffled

__all__ = [
    "ZCDP",
    "AboveThreshold",
    "Approximate",
    "CensoredGeometric",
    "Composition",
    "Converted",
    "Counted",
    "DiscreteGaussian",
    "Event",
    "Exponential",
    "Gaussian",
    "Geometric",
    "Group",
    "Laplace",
    "NoisyMax",
    "NonNegativeSparseVector",
    "Parallel",
    "PermuteAndFlip",
    "Pure",
    "RandomizedResponse",
    "Renyi",
    "ShiftedZCDP",
    "Shuffled",
    "SparseVector",
    "Subsampled",
    "Thresholded",
    "counted",
]
