"""A table of a few rows, behind the same engine as any other: for audits, which ask the same thing of neighbours."""

from collections.abc import Sequence
from typing import Any

from sfumato.data import declared
from sfumato.engines.duckdb.engine import DuckDBEngine
from sfumato.engines.duckdb.workspace import Workspace

Row = tuple[int, str, float | None]
"""Who it is about, a kind, an amount."""

ROWS_PER_GROUP, GROUPS_PER_PERSON = 2, 2


def little(rows: Sequence[Row]) -> DuckDBEngine:
    """An engine of the rows: two of a person's rows count in a group, two groups a person, amounts from 0 to 10."""
    import duckdb

    workspace = Workspace()
    folder = workspace.path
    connection = duckdb.connect()
    connection.execute("CREATE TABLE rows (person BIGINT, kind VARCHAR, amount DOUBLE)")
    if rows:
        connection.executemany("INSERT INTO rows VALUES (?, ?, ?)", [list(row) for row in rows])
    connection.execute(f"COPY rows TO '{folder / 'rows.parquet'}' (FORMAT parquet)")
    connection.close()
    about: dict[str, Any] = {
        "budget": {"epsilon": "1"},
        "unit": {"person": "rows.person"},
        "tables": {
            "rows": {
                "source": str(folder / "rows.parquet"),
                "rows_per_group": ROWS_PER_GROUP,
                "groups_per_person": GROUPS_PER_PERSON,
                "columns": {"amount": {"lower": 0, "upper": 10, "grid": 1}},
            }
        },
    }
    return DuckDBEngine(declared(about), workspace=workspace)
