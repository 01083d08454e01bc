"""Engines: where the exact, bounded integers of a priced question are computed, and from where they go no further."""

from sfumato.engines.duckdb import DuckDBEngine, register
from sfumato.engines.opening import described
from sfumato.engines.progress import Progress, no_progress
from sfumato.engines.registration import Registration
from sfumato.engines.sources import SourceColumn
from sfumato.engines.table import Engine, ExactTable

__all__ = [
    "DuckDBEngine",
    "Engine",
    "ExactTable",
    "Progress",
    "Registration",
    "SourceColumn",
    "described",
    "no_progress",
    "register",
]
