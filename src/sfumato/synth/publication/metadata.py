"""What others need to use a folder: `metadata.json` in the usual form of synthetic data, and lines to declare it."""

from datetime import date, datetime
from typing import Any

from sfumato.core.printing import Json
from sfumato.data.drafted import toml_key
from sfumato.synth.publication.parts import Domains


def metadata(name: str, domains: Domains, *, rows: bool) -> dict[str, Json]:
    """The columns of the rows as SDV's single-table metadata says them: each with its `sdtype`."""
    columns: dict[str, Json] = {column: _column(values) for column, values in domains.items()}
    table: dict[str, Json] = {"columns": columns}
    return {"METADATA_SPEC_VERSION": "V1", "tables": {name: table} if rows else {}, "relationships": []}


def _column(values: tuple[Any, ...]) -> dict[str, Json]:
    known = [value for value in values if value is not None]
    if known and all(isinstance(value, bool) for value in known):
        return {"sdtype": "boolean"}
    if known and all(isinstance(value, datetime) for value in known):
        return {"sdtype": "datetime", "datetime_format": "%Y-%m-%d %H:%M:%S"}
    if known and all(isinstance(value, date) for value in known):
        return {"sdtype": "datetime", "datetime_format": "%Y-%m-%d"}
    if known and all(isinstance(value, int) and not isinstance(value, bool) for value in known):
        return {"sdtype": "numerical", "computer_representation": "Int64"}
    if known and all(isinstance(value, int | float) for value in known):
        return {"sdtype": "numerical", "computer_representation": "Float"}
    return {"sdtype": "categorical"}


def declaration(name: str) -> str:
    """Lines to paste into a declaration: the rows as a public table, which SQL asks for nothing."""
    lines = [
        "# Published rows: no person is in them. Paste into a declaration, with the path as it is seen from there.",
        f"[tables.{toml_key(name)}]",
        'source = "rows.parquet"',
        "public = true",
    ]
    return "\n".join(lines) + "\n"
