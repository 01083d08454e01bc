"""`sfumato register`: sources are read through once, and what they are is fixed until the owner says otherwise."""

import argparse
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import sfumato
from sfumato.cli import asking, terminal
from sfumato.cli.command import Exit
from sfumato.curator.documents import REGISTRATION, headed
from sfumato.data import Dataset, Table
from sfumato.engines import Registration, SourceColumn
from sfumato.errors import InvalidParameter

_SHOWN = 40
_HEAD = ("table", "column", "kind", "rows", "became NULL")


def arguments(parser: argparse.ArgumentParser) -> None:
    """The declaration, and whether only new files are read."""
    parser.add_argument("declaration", nargs="?", help="the declaration; by default the only .toml here")
    parser.add_argument("-d", "--dataset", metavar="FILE", help="the same, as other commands take it")
    parser.add_argument("--append", action="store_true", help="read only files that were not registered before")
    parser.add_argument(
        "--as", dest="writer", default="", metavar="ADDRESS",
        help="whoever may write tables of ours where the data are; used now, and stored nowhere",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(arguments: argparse.Namespace) -> Exit:
    """Read, write down, and tell the owner what could not be read as declared."""
    if arguments.declaration and arguments.dataset:
        raise InvalidParameter("--dataset", "names a declaration, and there is one already", arguments.declaration)
    arguments.dataset = arguments.declaration or arguments.dataset
    with terminal.bar("registering") as moved:
        dataset, registration = sfumato.register(
            asking.declaration_of(arguments, "sfumato register {}"),
            append=arguments.append,
            writer=arguments.writer,
            progress=shown_by(moved),
        )
    if arguments.json:
        terminal.emit(_plain(dataset, registration))
        return Exit.DONE
    rows = [
        (table.name, column.name, column.kind.value, f"{found.rows:,}", _told(found.lost(column.name)))
        for table in dataset.tables
        for found in (registration.tables[table.name],)
        for column in table.columns
    ]
    terminal.show(terminal.table(_HEAD, rows, title=dataset.name, right=("rows", "became NULL")))
    lost = sum(found.lost(column.name) for found in registration.tables.values() for column in found.columns)
    if lost:
        terminal.say(f"{lost:,} cells are not of their declared kind, and count as missing: mend them, or the kind")
    for table in dataset.tables:
        person = dataset.person(table)
        nobody = registration.tables[table.name].lost(person) if person is not None else 0
        if nobody:
            terminal.say(
                f"{nobody:,} rows of {table.name} name no person by {person}: they are nobody's, and count nowhere"
            )
    tell_unread(dataset, {name: found.columns for name, found in registration.tables.items()})
    terminal.say("these counts are exact, and for the owner alone")
    terminal.say("registered: analysts meet this and nothing else; data that change are registered again")
    return Exit.DONE


def unread(table: Table, columns: Iterable[SourceColumn]) -> dict[str, str]:
    """The columns whose types no question can read, and these."""
    hidden = {name.lower() for name in table.hidden}
    return {c.name: c.type for c in columns if c.kind is None and c.name.lower() not in hidden}


def tell_unread(dataset: Dataset, schemas: Mapping[str, Iterable[SourceColumn]]) -> None:
    """Say which columns are not there for questions: none goes without a word."""
    for table in dataset.tables:
        for name, kind in unread(table, schemas[table.name]).items():
            short = kind if len(kind) <= _SHOWN else f"{kind[:_SHOWN]}…"
            terminal.say(f"{table.name}.{name} is {short}, which no question can read: it is left out")


def shown_by(moved: Callable[[float], None]) -> Callable[[str, float], None]:
    """Progress as a bar shows it."""

    def shown(what: str, share: float) -> None:
        moved(share)

    return shown


def _told(number: int) -> str:
    return f"{number:,}" if number else ""


def _plain(dataset: Dataset, registration: Registration) -> dict[str, Any]:
    return {
        **headed(REGISTRATION),
        "dataset": dataset.name,
        "tables": {
            table.name: {
                "rows": registration.tables[table.name].rows,
                **({"left_out": left} if (left := unread(table, registration.tables[table.name].columns)) else {}),
                "columns": {
                    column.name: {
                        "type": column.kind.value,
                        "became_null": registration.tables[table.name].lost(column.name),
                    }
                    for column in table.columns
                },
            }
            for table in dataset.tables
        },
    }
