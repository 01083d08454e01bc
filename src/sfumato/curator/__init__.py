"""The curator at work: a question is priced, charged to the ledger, computed, noised, and only then released."""

from sfumato.curator.building import Asking
from sfumato.curator.curator import Curator
from sfumato.curator.explanation import Explanation
from sfumato.curator.interactive import Watch
from sfumato.curator.opening import open, register  # noqa: A004
from sfumato.curator.release import Cost, Release

__all__ = ["Asking", "Cost", "Curator", "Explanation", "Release", "Watch", "open", "register"]
