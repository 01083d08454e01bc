"""Engines: where the exact, bounded integers of a priced question are computed, and from where they go no further."""

from typing import TYPE_CHECKING, Any

from sfumato.data import SourceColumn
from sfumato.engines.engine import Engine, ExactCells, ExactTable
from sfumato.engines.progress import Progress, no_progress
from sfumato.engines.registration import Registration
from sfumato.engines.registry import described, entry_for, open_engine, profiled, register

if TYPE_CHECKING:
    from sfumato.engines.duckdb.engine import DuckDBEngine

__all__ = [
    "DuckDBEngine",
    "Engine",
    "ExactCells",
    "ExactTable",
    "Progress",
    "Registration",
    "SourceColumn",
    "described",
    "entry_for",
    "no_progress",
    "open_engine",
    "profiled",
    "register",
]


def __getattr__(name: str) -> Any:
    if name == "DuckDBEngine":
        from sfumato.engines.duckdb.engine import DuckDBEngine

        return DuckDBEngine
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
