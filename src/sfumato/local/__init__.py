"""Local privacy: collecting from devices that trust nobody; every report is private before it leaves (Survey §7)."""

from sfumato.local import client, google
from sfumato.local.aggregator import Added, Aggregator, sum_of
from sfumato.local.client import Client
from sfumato.local.condensed import Condensed
from sfumato.local.d_bit import DBitFlip
from sfumato.local.estimates import Frequencies, Mean
from sfumato.local.hadamard import Hadamard
from sfumato.local.k_ary import KAry
from sfumato.local.kinds import from_document, from_json
from sfumato.local.local_hash import LocalHash
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
    "Client",
    "Condensed",
    "DBitFlip",
    "Devices",
    "Frequencies",
    "Hadamard",
    "Hybrid",
    "KAry",
    "LocalHash",
    "Mean",
    "OneBitMean",
    "Piecewise",
    "PrefixTree",
    "Protocol",
    "Rappor",
    "Reason",
    "SubsetSelection",
    "Unary",
    "client",
    "duchi",
    "epsilon_infinity",
    "epsilon_one",
    "from_document",
    "from_json",
    "google",
    "sum_of",
]
