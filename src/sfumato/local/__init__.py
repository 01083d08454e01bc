"""Local privacy: collecting from devices that trust nobody; every report is private before it leaves (Survey §7)."""

from sfumato.local import allowance, client, google
from sfumato.local.aggregator import Added, Aggregator, sum_of
from sfumato.local.allowance import DeviceAllowance, Exhausted
from sfumato.local.association import Association, Variable, associate
from sfumato.local.choice import choose
from sfumato.local.client import Client
from sfumato.local.collection import Collection
from sfumato.local.comparison import Comparison, MeanComparison, compare, compare_means, people_needed
from sfumato.local.condensed import Condensed
from sfumato.local.d_bit import DBitFlip
from sfumato.local.decoding import Decoded, Detected, decode, detection_limit
from sfumato.local.estimates import Frequencies, Mean
from sfumato.local.hadamard import Hadamard
from sfumato.local.k_ary import KAry
from sfumato.local.kinds import from_document, from_json
from sfumato.local.laplace_mean import LaplaceMean
from sfumato.local.local_hash import LocalHash
from sfumato.local.longitudinal import Longitudinal, days_of, enforce, most_reports, over_time, shuffled
from sfumato.local.one_bit import OneBitMean, duchi
from sfumato.local.piecewise import Hybrid, Piecewise
from sfumato.local.prefix_tree import PrefixTree
from sfumato.local.protocol import Protocol
from sfumato.local.rappor import Rappor, epsilon_infinity, epsilon_one
from sfumato.local.simulation import Devices
from sfumato.local.subset import SubsetSelection
from sfumato.local.unary import Unary
from sfumato.local.wire import Reason

__all__ = [
    "Added",
    "Aggregator",
    "Association",
    "Client",
    "Collection",
    "Comparison",
    "Condensed",
    "DBitFlip",
    "Decoded",
    "Detected",
    "DeviceAllowance",
    "Devices",
    "Exhausted",
    "Frequencies",
    "Hadamard",
    "Hybrid",
    "KAry",
    "LaplaceMean",
    "LocalHash",
    "Longitudinal",
    "Mean",
    "MeanComparison",
    "OneBitMean",
    "Piecewise",
    "PrefixTree",
    "Protocol",
    "Rappor",
    "Reason",
    "SubsetSelection",
    "Unary",
    "Variable",
    "allowance",
    "associate",
    "choose",
    "client",
    "compare",
    "compare_means",
    "days_of",
    "decode",
    "detection_limit",
    "duchi",
    "enforce",
    "epsilon_infinity",
    "epsilon_one",
    "from_document",
    "from_json",
    "google",
    "most_reports",
    "over_time",
    "people_needed",
    "shuffled",
    "sum_of",
]
