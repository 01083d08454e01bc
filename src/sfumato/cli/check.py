"""`sfumato check`: whether a declaration can be honoured, and what it means."""

import argparse
from collections.abc import Mapping
from typing import Any

from sfumato.cli import asking, terminal
from sfumato.cli.command import Exit
from sfumato.cli.register import tell_unread, unread
from sfumato.curator.documents import CHECK, amount_json, caps_json, headed
from sfumato.curator.opening import caps_of, refusals
from sfumato.data import Column, Dataset, File, RemoteTable, Table, read_declaration
from sfumato.engines import SourceColumn, described, entry_for
from sfumato.errors import SfumatoError
from sfumato.ledger.caps import caps_text

_HEAD = ("table", "column", "kind", "known", "use")
_USES = {
    "public": "public",
    "person": "the person: COUNT(DISTINCT), joins, WHERE",
    "listed": "groups without δ, COUNT, WHERE",
    "bounded": "SUM, AVG, MEDIAN, groups, WHERE",
    "plain": "groups with δ, COUNT, WHERE",
}
"""What a column is for, and that in words."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The declaration."""
    asking.dataset_arguments(parser)


def run(arguments: argparse.Namespace) -> Exit:
    """Read the declaration, the sources' headers and the ledger if there is one; no row is read, nothing written."""
    path = asking.declaration_of(arguments)
    declared = read_declaration(path)
    if not arguments.json:
        _tell_sources(declared)
    declared.check_bounds()
    schemas, typed = described(declared)
    looked, refused = refusals(path)
    if arguments.json:
        terminal.emit(_document(typed.dataset, schemas, looked=looked, refused=refused))
    else:
        _tell(typed.dataset, schemas, looked=looked, refused=refused)
    return Exit.FOUND if refused else Exit.DONE


# ---- for programs ----


def _document(
    dataset: Dataset, schemas: Mapping[str, list[SourceColumn]], *, looked: bool, refused: list[SfumatoError]
) -> dict[str, Any]:
    left_out = {table.name: found for table in dataset.tables if (found := unread(table, schemas[table.name]))}
    return {
        **headed(CHECK),
        "dataset": dataset.name,
        "unit": None if dataset.unit is None else dict(zip(("table", "column"), dataset.unit, strict=True)),
        "budgets": caps_json(caps_of(dataset)),
        "engine": _engine(dataset),
        "tables": [_table(table) for table in dataset.tables],
        "columns": [_column(dataset, table, column) for table in dataset.tables for column in table.columns],
        **({"left_out": left_out} if left_out else {}),
        "ledger": {
            "looked_at": looked,
            "refusals": [{"problem": error.problem, "hint": error.hint} for error in refused],
        },
    }


def _engine(dataset: Dataset) -> dict[str, Any]:
    options = dataset.engine
    return {
        "name": entry_for(dataset).name,
        "timeout": options.timeout,
        "memory": options.memory or None,
        "threads": options.threads or None,
        "cache": options.cache or None,
        "place": next((t.source.place for t in dataset.tables if isinstance(t.source, RemoteTable)), None),
        "schema": options.schema or None,
        "copy": options.copy,
        "write": list(options.old_lines),
    }


def _table(table: Table) -> dict[str, Any]:
    return {
        "name": table.name,
        "public": table.public,
        "files": len(table.files),
        "rows_per_group": table.rows_per_group,
        "groups_per_person": table.groups_per_person,
        "rows_per_person": table.rows_per_person,
        "materialise": table.materialise,
    }


def _column(dataset: Dataset, table: Table, column: Column) -> dict[str, Any]:
    return {
        "table": table.name,
        "column": column.name,
        "kind": column.kind.value,
        "lower": amount_json(column.lower),
        "upper": amount_json(column.upper),
        "grid": amount_json(column.step if column.lower is not None else None),
        "values": None if column.values is None else len(column.values),
        "role": _role(dataset, table, column),
    }


def _role(dataset: Dataset, table: Table, column: Column) -> str:
    if table.public:
        return "public"
    if column.name == dataset.person(table):
        return "person"
    if column.values is not None:
        return "listed"
    return "bounded" if column.lower is not None else "plain"


# ---- for people ----


def _tell(
    dataset: Dataset, schemas: Mapping[str, list[SourceColumn]], *, looked: bool, refused: list[SfumatoError]
) -> None:
    rows = [(table.name, column.name, column.kind.value, _known(column), _USES[_role(dataset, table, column)])
            for table in dataset.tables for column in table.columns]  # fmt: skip
    terminal.show(terminal.table(_HEAD, rows, title=f"{dataset.name}: {_unit(dataset)}"))
    for table in dataset.tables:
        if isinstance(table.source, File) and table.source.pattern:
            terminal.say(f"{table.name}: {table.source.called} finds {len(table.files)} files")
        if not table.public and dataset.unit is not None:
            terminal.say(f"{table.name}: {_bounds(table)}")
    for name, limits in caps_of(dataset).groups.items():
        terminal.say(f"group {name}: {caps_text(limits.periods())}, for all datasets of the ledger that name it")
    tell_unread(dataset, schemas)
    if refused:
        for error in refused:
            terminal.complain(error)
        terminal.say("the declaration fits the sources' headers, and the ledger would refuse it; nothing was written")
        return
    fits = "the sources' headers and the ledger" if looked else "the sources' headers"
    terminal.say(f"the declaration fits {fits}; no row was read and nothing was written")
    terminal.say("next: sfumato register, which reads every row once; then sfumato explain, sfumato sql")


def _tell_sources(dataset: Dataset) -> None:
    """Say what needs no engine: which relations are meant, and which lines are better written elsewhere."""
    for table in dataset.tables:
        if isinstance(table.source, RemoteTable):
            terminal.say(f"{table.name}: the relation {table.source.name} of {table.source.place}")
    if any(isinstance(table.source, RemoteTable) for table in dataset.tables):
        terminal.say(f"asked of: {entry_for(dataset).name}, where the rows are; only aggregates travel")
        if dataset.engine.schema:
            terminal.say(f"registration writes into {dataset.engine.schema}, by whom --as names, and nobody else does")
    if dataset.engine.old_lines:
        terminal.say("options of the engine stand in a table of their own now; write, instead of these in [defaults]:")
        terminal.say("\n".join(["[engine]", *dataset.engine.old_lines]))


def _unit(dataset: Dataset) -> str:
    return "each row is protected" if dataset.unit is None else f"one person is {'.'.join(dataset.unit)}"


def _known(column: Column) -> str:
    if column.values is not None:
        return f"{len(column.values)} public values"
    if column.lower is not None and column.upper is not None:
        return f"{float(column.lower):g} to {float(column.upper):g} by {float(column.step):g}"
    return ""


def _bounds(table: Table) -> str:
    if table.cut is not None:
        return f"cut at registration to {table.cut} rows a person"
    known = {"rows": table.rows_per_person, "rows in a group": table.rows_per_group, "groups": table.groups_per_person}
    said = [f"{number} {what}" for what, number in known.items() if number is not None]
    if not said:
        return "one row a person"
    before = " (before 0.3 it was cut at registration, which materialise = true still does)"
    return (
        f"of a person {', '.join(said)} count, and of more every row in part{before if table.rows_per_person else ''}"
    )
