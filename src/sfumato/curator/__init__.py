"""The curator at work: a question is priced, charged to the ledger, computed, noised, and only then released."""

import logging

from sfumato.curator.building import Asking
from sfumato.curator.curator import Curator
from sfumato.curator.explanation import Explanation
from sfumato.curator.opening import open, open_curator, register  # noqa: A004
from sfumato.curator.pace import Paced
from sfumato.curator.profiling import Profile, profile
from sfumato.curator.release import AnswerColumn, Cost, Left, Note, Release
from sfumato.curator.session import Session
from sfumato.curator.watching import Watch

__all__ = [
    "AnswerColumn",
    "Asking",
    "Cost",
    "Curator",
    "Explanation",
    "Left",
    "Note",
    "Paced",
    "Profile",
    "Release",
    "Session",
    "Watch",
    "open",
    "open_curator",
    "profile",
    "register",
]

# What the parser logs is no message of ours: without a handler of its own, Python would write it to stderr.
logging.getLogger("sqlglot").addHandler(logging.NullHandler())
