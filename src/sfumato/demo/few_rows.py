"""A table of a few rows, behind the same engine as any other: for audits, which ask the same thing of neighbours."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sfumato.data import Kind, declared
from sfumato.engines import Engine, open_engine
from sfumato.engines.duckdb.writing import write_rows

Row = tuple[int, str, float | None]
"""Who it is about, a kind, an amount."""

ROWS_PER_GROUP, GROUPS_PER_PERSON = 2, 2
_COLUMNS = {"person": Kind.INTEGER, "kind": Kind.TEXT, "amount": Kind.REAL}


def few_rows(rows: Sequence[Row]) -> Engine:
    """An engine of the rows: two of a person's rows count in a group, two groups a person, amounts from 0 to 10."""
    with TemporaryDirectory(prefix="sfumato-few-") as folder:  # the engine copies what is given to one process
        path = Path(folder) / "rows.parquet"
        write_rows(path, _COLUMNS, rows)
        about: dict[str, Any] = {
            "budget": {"epsilon": "1"},
            "unit": {"person": "rows.person"},
            "tables": {
                "rows": {
                    "source": str(path),
                    "rows_per_group": ROWS_PER_GROUP,
                    "groups_per_person": GROUPS_PER_PERSON,
                    "columns": {"amount": {"lower": 0, "upper": 10, "grid": 1}},
                }
            },
        }
        return open_engine(declared(about))
