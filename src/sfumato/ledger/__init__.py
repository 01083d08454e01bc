"""The ledger: every ε spent is written down first, for ever, and nothing overspends."""

from sfumato.ledger.anchors import Anchor
from sfumato.ledger.budgets import Budget, Limits
from sfumato.ledger.ledger import Ledger, PostgresLedger, SqliteLedger
from sfumato.ledger.outcomes import Answered, Balance, Patience, Receipt, Refused
from sfumato.ledger.verify import Entry

__all__ = [
    "Anchor",
    "Answered",
    "Balance",
    "Budget",
    "Entry",
    "Ledger",
    "Limits",
    "Patience",
    "PostgresLedger",
    "Receipt",
    "Refused",
    "SqliteLedger",
]
