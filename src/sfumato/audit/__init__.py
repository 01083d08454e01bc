"""Audit: measure the promise. Convict false claims of privacy, by draws or by exact laws, ours and anybody's."""

from sfumato.audit.adversaries import play_all
from sfumato.audit.auditor import Finding, audit
from sfumato.audit.certify import epsilon_at_least, smallest_violation
from sfumato.audit.controls import checked, self_check
from sfumato.audit.game import Adversary, GameFinding, Keeper, Move, View, game, greatest_advantage, play
from sfumato.audit.keepers import FilterKeeper, LedgerKeeper, filter_keepers, ledger_keepers, promised
from sfumato.audit.laws import LawFinding, Verdict, check_law, exact_audit
from sfumato.audit.leaks import hostile, leaks, serialised
from sfumato.audit.own import AuditedMechanism
from sfumato.audit.pairs import Inputs, Pair, pairs_of
from sfumato.audit.processes import fork_test, timing_test
from sfumato.audit.specimens import Specimen
from sfumato.audit.sums import SumFinding, sum_sensitivity
from sfumato.audit.targets import Claim, Target, target_of

__all__ = [
    "Adversary",
    "AuditedMechanism",
    "Claim",
    "FilterKeeper",
    "Finding",
    "GameFinding",
    "Inputs",
    "Keeper",
    "LawFinding",
    "LedgerKeeper",
    "Move",
    "Pair",
    "Specimen",
    "SumFinding",
    "Target",
    "Verdict",
    "View",
    "audit",
    "check_law",
    "checked",
    "epsilon_at_least",
    "exact_audit",
    "filter_keepers",
    "fork_test",
    "game",
    "greatest_advantage",
    "hostile",
    "leaks",
    "ledger_keepers",
    "pairs_of",
    "play",
    "play_all",
    "promised",
    "self_check",
    "serialised",
    "smallest_violation",
    "sum_sensitivity",
    "target_of",
    "timing_test",
]
