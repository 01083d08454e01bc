"""Prices: what events cost, composed tightly, never less than the truth."""

from sfumato.accounting import events, shuffle
from sfumato.accounting.budgets import Filter, PureFilter, RDPFilter, TicketBook, ZCDPFilter, split
from sfumato.accounting.calibration import largest_epsilon, most_uses, smallest_noise
from sfumato.accounting.closeness import implies, mixture, triangle
from sfumato.accounting.composition import (
    advanced_composition,
    advanced_composition_inverse,
    basic_composition,
    group_privacy,
    optimal_delta,
    probability_bound,
)
from sfumato.accounting.conversion import (
    dp_to_rdp,
    dp_to_zcdp,
    rdp_probability_bound,
    rdp_to_dp,
    rdp_to_dp_improved,
    zcdp_to_dp,
    zcdp_to_dp_improved,
)
from sfumato.accounting.serial import from_json
from sfumato.accounting.total import Total, total

__all__ = [
    "Filter",
    "PureFilter",
    "RDPFilter",
    "TicketBook",
    "Total",
    "ZCDPFilter",
    "advanced_composition",
    "advanced_composition_inverse",
    "basic_composition",
    "dp_to_rdp",
    "dp_to_zcdp",
    "events",
    "from_json",
    "group_privacy",
    "implies",
    "largest_epsilon",
    "mixture",
    "most_uses",
    "optimal_delta",
    "probability_bound",
    "rdp_probability_bound",
    "rdp_to_dp",
    "rdp_to_dp_improved",
    "shuffle",
    "smallest_noise",
    "split",
    "total",
    "triangle",
    "zcdp_to_dp",
    "zcdp_to_dp_improved",
]
