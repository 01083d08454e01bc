"""`sfumato init`: a declaration drafted from the schemas of files or a database; no row is read unless it is said."""

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from sfumato.cli import terminal
from sfumato.cli.command import Exit
from sfumato.core.naming import known_names
from sfumato.data import Kind, TableDraft, draft, keys_by_name, place_of
from sfumato.data.addresses import is_address
from sfumato.data.declaration import declared
from sfumato.data.source import form_of_name, has_signs
from sfumato.engines import SourceColumn, described, open_engine
from sfumato.errors import InvalidDeclaration, InvalidParameter

_SEPARATOR = "say which, one sign: sfumato init --separator ';' …"
_DIALECT = ("separator", "encoding", "decimal")
Schemas = dict[str, list[SourceColumn]]


def arguments(parser: argparse.ArgumentParser) -> None:
    """The files, where the draft goes, and the person's column if it is known."""
    parser.add_argument(
        "sources",
        nargs="+",
        metavar="source",
        help="Parquet, CSV or DuckDB files, or a folder/ or 'pattern*' of Parquet files; of a database all tables",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="where to write; by default beside the source, - is stdout"
    )
    parser.add_argument("--person", metavar="COLUMN", help="who a row is about: a column, or table.column")
    parser.add_argument("--rows", action="store_true", help="each row is another person, and protected by itself")
    parser.add_argument("--look", action="store_true", help="read all rows, to see which columns are keys")
    parser.add_argument("--separator", metavar="SIGN", help="of a CSV that is not separated by commas, such as ;")
    parser.add_argument("--encoding", metavar="NAME", help="of a CSV that is not UTF-8, such as latin-1")
    parser.add_argument("--decimal", metavar="SIGN", help="of a CSV whose numbers have a decimal comma: ,")
    parser.add_argument("--table", metavar="NAME", help="the table's name; by default the file's")


def run(arguments: argparse.Namespace) -> Exit:
    """Draft the declaration; what only the owner knows is asked for, or marked in the draft."""
    about = _sources(arguments)
    schemas = {table: _schema(table, each) for table, each in about.items()}
    columns = {
        table: [(column.name, column.kind) for column in found if column.kind is not None]
        for table, found in schemas.items()
    }
    with ExitStack() as looking:
        unique = _looked(about, looking) if arguments.look else None
        keys = keys_by_name(columns, unique)
    if len(columns) > 1:
        terminal.say("\n".join(f"{table}: {', '.join(name for name, _ in each)}" for table, each in columns.items()))
    if arguments.rows and arguments.person:
        raise InvalidParameter(
            "--rows", "and --person say two things of who a row is about", "both", hint="leave one out"
        )
    person = "" if arguments.rows else _person(arguments.person, columns)
    epsilon = _asked("how much may be learned in all, as ε? (empty: 3)") or "3"
    target, folder = _target(arguments, next(iter(about)))
    drafted = [
        TableDraft(
            _from(folder, str(about[table]["source"])),
            table,
            columns[table],
            known=_known(table, columns, person),
            typed=not any(column.loose for column in found),
            dialect=about[table].get("dialect", {}),
            left_out={column.name: column.type for column in found if column.kind is None},
            keys=[key for key in keys if key.table == table and f"{table}.{key.column}" != person],
        )
        for table, found in schemas.items()
    ]
    text = draft(drafted, person=person, rows=arguments.rows, epsilon=epsilon, looked=arguments.look)
    if arguments.output == "-":
        terminal.write(text)
        return Exit.DONE
    _write(target, text)
    for key in keys:
        terminal.say(f"key: {key.table}.{key.column} leads to {key.target}; take it out if it does not")
    missing = "" if person or arguments.rows else "who one person is, "
    terminal.say(f"wrote {target}: fill in {missing}bounds and values, then: sfumato check -d {target}")
    if not arguments.rows:
        terminal.say(f"how many rows people have, and what bounds cost, on your screen alone: sfumato profile {target}")
    return Exit.DONE


# ---- what is drafted ----


def _sources(arguments: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Every table with its source: a file is one, a database as many as it has."""
    if arguments.table and len(arguments.sources) > 1:
        raise InvalidParameter("--table", "names one table, and several sources are given", arguments.table)
    dialect = {name: getattr(arguments, name) for name in _DIALECT if getattr(arguments, name) is not None}
    if dialect.get("separator") == "\\t":  # as shells hand it over
        dialect["separator"] = "\t"
    found: dict[str, dict[str, Any]] = {}
    for source in arguments.sources:
        names = [arguments.table or _name(Path(source))]
        is_database = not is_address(source) and form_of_name(source) == "duckdb"
        if is_database:
            names = _tables_in(source, arguments.table)
        for name in names:
            if name.lower() in (each.lower() for each in found):
                raise InvalidDeclaration(
                    f"two tables would be called `{name}`",
                    hint="draft them one by one, each with --table",
                )
            is_meant = len(arguments.sources) == 1 or form_of_name(source) == "csv"
            found[name] = {"source": source, **({"dialect": dialect} if dialect and is_meant else {})}
    return found


def _tables_in(source: str, chosen: str | None) -> list[str]:
    from sfumato.engines.duckdb import tables_in

    names = tables_in(_dataset({"database": {"source": source}}))
    if not names:
        raise InvalidDeclaration(f"{Path(source).name} has no tables", hint="name a database that has some")
    if chosen is not None and chosen not in names:
        raise InvalidDeclaration(f"{Path(source).name} has no table `{chosen}`", hint=known_names(chosen, names))
    return names if chosen is None else [chosen]


def _name(source: Path) -> str:
    if is_address(str(source)):  # whoever asks may stand in it
        return "relation"
    while source.name and not any(sign.isalnum() for sign in source.name.split(".")[0]):
        source = source.parent  # a pattern is called as its folder
    made = "".join(c if c.isalnum() else "_" for c in source.name.split(".")[0])
    return made if made and not made[0].isdigit() else f"t_{made}"


def _dataset(tables: Mapping[str, Any]) -> Any:
    """A declaration that is not finished, to look at its sources."""
    return declared({"budget": {"epsilon": "1"}, "unit": {"rows": True}, "tables": dict(tables)})


def _schema(table: str, about: Mapping[str, Any]) -> list[SourceColumn]:
    """The columns, from the header, footer or catalog of the file alone."""
    source = str(about["source"])
    try:
        found = described(_dataset({table: about}))[0][table]
    except InvalidDeclaration as error:
        raise InvalidDeclaration(error.problem, hint=_as_option(error)) from None
    signs = [sign for sign in (";", "\t", "|") if len(found) == 1 and found[0].loose and sign in found[0].name]
    if signs and "separator" not in about.get("dialect", {}):
        raise InvalidDeclaration(
            f"the header of {Path(source).name} names one column, `{found[0].name}`",
            hint=f"is it separated by another sign? sfumato init --separator '{signs[0]}' …",
        )
    return found


def _looked(about: Mapping[str, Mapping[str, Any]], looking: ExitStack) -> Callable[[str, str], bool]:
    """Whether no value of a column repeats, by a look at all rows: whoever drafts a declaration owns them."""
    terminal.say("reading all rows, to see which columns are keys: what is found is the owner's to publish or not")
    with terminal.waiting("reading"):
        engine = open_engine(_dataset({table: {**each, "public": True} for table, each in about.items()}))
    looking.callback(engine.close)
    return lambda table, column: engine.repeats(table, (column,)) == 1


# ---- what the owner says ----


def _person(given: str | None, columns: Mapping[str, list[tuple[str, Kind]]]) -> str:
    """The person's column as `table.column`, or nothing where it is left open."""
    names = [f"{table}.{name}" for table, each in columns.items() for name, _ in each]
    if given is None:
        listed = ", ".join(names if len(columns) > 1 else (name.partition(".")[2] for name in names))
        given = _asked(f"columns: {listed}\nwhich says who a row is about? (empty: leave it open)")
    if not given:
        return ""
    for name in names:
        if given in (name, name.partition(".")[2]):
            return name
    known = names if len(columns) > 1 else [name.partition(".")[2] for name in names]
    raise InvalidDeclaration(f"there is no column `{given}`", hint=known_names(given, known))


def _known(table: str, columns: Mapping[str, list[tuple[str, Kind]]], person: str) -> dict[str, str]:
    several = len(columns) > 1
    return {
        name: said
        for name, kind in columns[table]
        if f"{table}.{name}" != person and (said := _said(f"{table}.{name}" if several else name, kind))
    }


def _said(name: str, kind: Kind) -> str:
    """What the owner says of a column, as TOML: bounds of a number, public values of anything else; or nothing."""
    if kind.is_number:
        words = _asked(
            f"{name}: lower and upper bound, known without looking? (such as: 0 120; empty: not summed)"
        ).split()
        return f"lower = {words[0]}, upper = {words[1]}" if len(words) == 2 else ""
    if kind is not Kind.TEXT:
        return ""
    words = [word.strip() for word in _asked(f"{name}: public values, by commas? (empty: not public)").split(",")]
    return f"values = {json.dumps(words, ensure_ascii=False)}" if words != [""] else ""


def _asked(question: str) -> str:
    """An answer of whoever sits there; nobody there means it stays to be filled in."""
    if not sys.stdin.isatty():
        return ""
    terminal.say(question)
    return input("> ").strip()


# ---- where it goes ----


def _target(arguments: argparse.Namespace, table: str) -> tuple[Path, Path]:
    """The file to write, and the folder from which its sources are named."""
    first = arguments.sources[0]
    if arguments.output == "-":
        return Path("-"), Path()
    if arguments.output:
        target = Path(arguments.output)
    elif has_signs(first):
        target = Path(f"{table}.toml")
    elif len(arguments.sources) > 1:
        target = Path(first).with_name(f"{_name(Path(place_of(Path(first).parent)))}.toml")
    else:
        target = Path(first).with_suffix(".toml")
    return target, target.parent


def _from(folder: Path, given: str) -> str:
    """The source as it is called from the folder of the declaration; a folder keeps its slash."""
    source = Path(given)
    there = Path(place_of(source.parent)) / source.name
    made = str(source) if source.is_absolute() else os.path.relpath(there, place_of(folder))
    return f"{made}/" if given.endswith("/") else made


def _write(target: Path, text: str) -> None:
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise InvalidDeclaration(f"{target} is there already", hint="name another with --output") from None
    except OSError:
        raise InvalidDeclaration(f"cannot write {target}", hint="make its folder first, or name another") from None


def _as_option(error: InvalidDeclaration) -> str:
    """A remedy in the words of this command, where the dialect is said by options."""
    said = re.search(r'encoding = "([\w-]+)"', error.hint)
    if "separator" in error.problem or "separated by tabs" in error.hint:
        return "say which: sfumato init --separator '\\t' …" if "tabs" in error.hint else _SEPARATOR
    if "decimal" in error.problem:
        return "say which: sfumato init --decimal , …"
    return f"say which: sfumato init --encoding {said[1]} …" if said else error.hint
