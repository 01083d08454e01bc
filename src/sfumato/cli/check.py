"""`sfumato check`: whether a declaration can be honoured, and what it means."""

import argparse

from sfumato.cli import asking, terminal
from sfumato.cli.command import Exit
from sfumato.cli.register import tell_unread, unread
from sfumato.curator.documents import CHECK, headed
from sfumato.data import Column, Dataset, File, Relation, Table, read_declaration
from sfumato.engines import described


def arguments(parser: argparse.ArgumentParser) -> None:
    """The declaration."""
    asking.dataset_arguments(parser)


def run(arguments: argparse.Namespace) -> Exit:
    """Read the declaration and the sources' headers; no row is read and nothing is written."""
    declared = read_declaration(asking.declaration_of(arguments))
    _tell_sources(declared)
    schemas, typed = described(declared)
    dataset = typed.dataset
    rows = [(table.name, column.name, column.kind.value, _known(column), _use(dataset, table, column))
            for table in dataset.tables for column in table.columns]  # fmt: skip
    if arguments.json:
        left_out = {t.name: found for t in dataset.tables if (found := unread(t, schemas[t.name]))}
        columns = [dict(zip(_HEAD, row, strict=True)) for row in rows]
        terminal.emit(
            {
                **headed(CHECK),
                "dataset": dataset.name,
                "columns": columns,
                **({"left_out": left_out} if left_out else {}),
            }
        )
        return Exit.DONE
    terminal.show(terminal.table(_HEAD, rows, title=f"{dataset.name}: {_unit(dataset)}"))
    for table in dataset.tables:
        if isinstance(table.source, File) and table.source.pattern:
            terminal.say(f"{table.name}: {table.source.called} finds {len(table.files)} files")
        if not table.public and dataset.unit is not None:
            terminal.say(f"{table.name}: {_bounds(dataset, table)}")
    tell_unread(dataset, schemas)
    terminal.say("the declaration fits the sources' headers; no row was read and nothing was written")
    terminal.say("next: sfumato register, which reads every row once; then sfumato explain, sfumato sql")
    return Exit.DONE


def _tell_sources(dataset: Dataset) -> None:
    """Say what needs no engine: which relations are meant, and which lines are better written elsewhere."""
    for table in dataset.tables:
        if isinstance(table.source, Relation):
            terminal.say(f"{table.name}: the relation {table.source.name} of {table.source.place}")
    if dataset.engine.old_lines:
        terminal.say("options of the engine stand in a table of their own now; write, instead of these in [defaults]:")
        terminal.say("\n".join(["[engine]", *dataset.engine.old_lines]))


_HEAD = ("table", "column", "kind", "known", "use")


def _unit(dataset: Dataset) -> str:
    return "each row is protected" if dataset.unit is None else f"one person is {'.'.join(dataset.unit)}"


def _known(column: Column) -> str:
    if column.values is not None:
        return f"{len(column.values)} public values"
    if column.lower is not None and column.upper is not None:
        return f"{float(column.lower):g} to {float(column.upper):g} by {float(column.step):g}"
    return ""


def _use(dataset: Dataset, table: Table, column: Column) -> str:
    if table.public:
        return "public"
    if column.name == dataset.person(table):
        return "the person: COUNT(DISTINCT), joins, WHERE"
    if column.values is not None:
        return "groups without δ, COUNT, WHERE"
    return "SUM, AVG, MEDIAN, groups, WHERE" if column.lower is not None else "groups with δ, COUNT, WHERE"


def _bounds(dataset: Dataset, table: Table) -> str:
    if table.rows_per_person is not None:
        return f"cut at registration to {table.rows_per_person} rows a person"
    if table.rows_per_group == table.groups_per_person == 1:
        return "one row a person"
    return f"{table.rows_per_group} rows of a person count in a group, {table.groups_per_person} groups a person"
