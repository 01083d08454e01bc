"""The ledger: every ε spent is written down first, for ever, and nothing overspends."""

from sfumato.ledger.anchors import Anchor
from sfumato.ledger.budgets import Budget, Limits
from sfumato.ledger.caps import Caps
from sfumato.ledger.ledger import Ledger, PostgresLedger, SqliteLedger
from sfumato.ledger.outcomes import Answered, Approval, Balance, Patience, Quote, Receipt, Refused, Shortfall
from sfumato.ledger.verify import Entry

__all__ = [
    "Anchor",
    "Answered",
    "Approval",
    "Balance",
    "Budget",
    "Caps",
    "Entry",
    "Ledger",
    "Limits",
    "Patience",
    "PostgresLedger",
    "Quote",
    "Receipt",
    "Refused",
    "Shortfall",
    "SqliteLedger",
]
