"""DuckDB, embedded and locked: what was registered is copied once, and asked there."""

from sfumato.engines.duckdb.engine import DuckDBEngine, register
from sfumato.engines.duckdb.opening import described, tables_in
from sfumato.engines.duckdb.profiling import profiled

open = DuckDBEngine  # noqa: A001
"""The engine of a dataset, opened."""

__all__ = ["DuckDBEngine", "described", "open", "profiled", "register", "tables_in"]
