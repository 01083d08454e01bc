"""A declaration as plain JSON, for the ledger: whoever reads it later knows what was declared when."""

import hashlib
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from sfumato.data.column import Column
from sfumato.data.dataset import Dataset, Table
from sfumato.data.source import File, RemoteTable, Source

_MOST_VALUES = 100


def unit_of(dataset: Dataset) -> str:
    """Who or what is protected, in letters of one case."""
    return "each row" if dataset.unit is None else ".".join(dataset.unit).lower()


def neighbours_of(dataset: Dataset) -> str:
    """Which databases are told apart as little as is paid for: what may come or go."""
    return "add or remove one row" if dataset.unit is None else "add or remove one person"


def declaration_json(dataset: Dataset, keys: Mapping[str, str], digest: str) -> dict[str, Any]:
    """What is declared of tables, people and questions; budgets have entries of their own.

    `keys` are the kinds of all columns that say whose a row is, hidden ones too, and `digest` names the data's bytes.
    """
    rules = dataset.rules
    return {
        "keys": dict(keys),
        "data": digest,
        "tables": {table.name: _table(table) for table in dataset.tables},
        "rules": {
            "least_epsilon": str(rules.least_epsilon), "least_rho": str(rules.least_rho),
            "rows_per_row": rules.rows_per_row, "failures_per_analyst": rules.failures_per_analyst,
            "failures": rules.failures,
        },
    }  # fmt: skip


def _table(table: Table) -> dict[str, Any]:
    made: dict[str, Any] = {
        "source": _source(table.source),
        "format": table.format,
        "dialect": {
            "separator": table.dialect.separator,
            "quote": table.dialect.quote,
            "encoding": table.dialect.encoding,
            "decimal": table.dialect.decimal,
        },
        "public": table.public,
        "foreign_keys": {column: f"{target}.{there}" for column, target, there in table.foreign_keys},
        "columns": {column.name: _column(column) for column in table.columns},
    }
    for name in ("rows_per_person", "rows_per_group", "groups_per_person", "excess"):
        if getattr(table, name) is not None:
            made[name] = getattr(table, name)
    if table.materialise:
        made["materialise"] = True
    if table.hidden:
        made["hidden"] = list(table.hidden)
    if table.unreadable != "refuse":
        made["unreadable"] = table.unreadable
    return made


def _source(source: Source) -> Any:
    """The names of files, a pattern without what it finds, or a relation without whoever asks for it."""
    if isinstance(source, RemoteTable):
        return {"place": source.place, "relation": source.name}
    if isinstance(source, File) and source.pattern:
        return {"pattern": source.called}
    return [Path(file).name for file in source.paths] if isinstance(source, File) else []


def _column(column: Column) -> dict[str, Any]:
    made: dict[str, Any] = {"type": column.kind.value}
    bounds: tuple[tuple[str, Fraction | None], ...] = (
        ("lower", column.lower), ("upper", column.upper), ("grid", column.grid), ("total", column.total),
    )  # fmt: skip
    made.update({name: str(value) for name, value in bounds if value is not None})
    if not column.null:
        made["null"] = False
    if column.values is not None:
        texts = [str(value) for value in column.values]
        many = len(texts) > _MOST_VALUES
        made["values"] = hashlib.sha256(repr(texts).encode()).hexdigest() if many else texts
    return made
