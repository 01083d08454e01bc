"""The words every room shares: domains, neighbours, mechanisms, accuracy, finite distributions."""

from sfumato.core.distribution import (
    Distribution,
    approximate_max_divergence,
    hockey_stick,
    is_private,
    kl_divergence,
    max_divergence,
    privacy_loss,
    statistical_distance,
)
from sfumato.core.domain import Categories, Domain, Grid, IntegerInterval, Product, histogram
from sfumato.core.mechanism import Accuracy, Mechanism, PrivacyEvent, PrivacyLoss
from sfumato.core.neighbours import Change, Neighbours, Norm, Sensitivity, Unit

__all__ = [
    "Accuracy",
    "Categories",
    "Change",
    "Distribution",
    "Domain",
    "Grid",
    "IntegerInterval",
    "Mechanism",
    "Neighbours",
    "Norm",
    "PrivacyEvent",
    "PrivacyLoss",
    "Product",
    "Sensitivity",
    "Unit",
    "approximate_max_divergence",
    "histogram",
    "hockey_stick",
    "is_private",
    "kl_divergence",
    "max_divergence",
    "privacy_loss",
    "statistical_distance",
]
