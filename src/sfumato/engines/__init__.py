"""Engines: where the exact, bounded integers of a priced question are computed, and from where they go no further."""

from sfumato.engines.duckdb import DuckDBEngine
from sfumato.engines.table import Engine, ExactTable

__all__ = ["DuckDBEngine", "Engine", "ExactTable"]
