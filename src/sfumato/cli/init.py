"""`sfumato init`: a declaration drafted from a file's schema; no row is read."""

import argparse
import json
import os
import re
import sys
from pathlib import Path

from sfumato.cli import terminal
from sfumato.cli.command import Exit
from sfumato.core.naming import known_names
from sfumato.data import Kind, draft, place_of
from sfumato.data.addresses import is_address
from sfumato.data.declaration import declared
from sfumato.data.source import has_signs
from sfumato.engines import SourceColumn, described
from sfumato.errors import InvalidDeclaration

_SEPARATOR = "say which, one sign: sfumato init --separator ';' …"


def arguments(parser: argparse.ArgumentParser) -> None:
    """The file, where the draft goes, and the person's column if it is known."""
    parser.add_argument("source", help="a Parquet, CSV or DuckDB file, or a folder/ or 'pattern*' of Parquet files")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="where to write; by default beside the source, - is stdout"
    )
    parser.add_argument("--person", metavar="COLUMN", help="the column that says who a row is about")
    parser.add_argument("--separator", metavar="SIGN", help="of a CSV that is not separated by commas, such as ;")
    parser.add_argument("--encoding", metavar="NAME", help="of a CSV that is not UTF-8, such as latin-1")
    parser.add_argument("--decimal", metavar="SIGN", help="of a CSV whose numbers have a decimal comma: ,")
    parser.add_argument("--table", metavar="NAME", help="the table's name; by default the file's")


def run(arguments: argparse.Namespace) -> Exit:
    """Draft the declaration; what only the owner knows is asked for, or marked in the draft."""
    source = Path(arguments.source)
    table = arguments.table or _name(source)
    dialect = {name: getattr(arguments, name) for name in ("separator", "encoding", "decimal")}
    dialect = {name: value for name, value in dialect.items() if value is not None}
    if dialect.get("separator") == "\\t":  # as shells hand it over
        dialect["separator"] = "\t"
    schema = _schema(arguments.source, table, dialect)
    columns = [(column.name, column.kind) for column in schema if column.kind is not None]
    names = [name for name, _ in columns]
    person = arguments.person
    if person is None:
        person = _asked(
            f"columns: {', '.join(names)}\nwhich says who a row is about? (empty: each row is another person)"
        )
    if person and person not in names:
        raise InvalidDeclaration(f"there is no column `{person}`", hint=known_names(person, names))
    epsilon = _asked("how much may be learned in all, as ε? (empty: 3)") or "3"
    known = {name: said for name, kind in columns if name != person and (said := _said(name, kind))}
    typed = not any(column.loose for column in schema)
    left_out = {column.name: column.type for column in schema if column.kind is None}
    beside = Path(f"{table}.toml") if has_signs(arguments.source) else source.with_suffix(".toml")
    target = Path(arguments.output) if arguments.output else beside
    folder = Path() if arguments.output == "-" else target.parent
    text = draft(
        _from(folder, arguments.source), table, columns, person=person, epsilon=epsilon, known=known, typed=typed,
        dialect=dialect, left_out=left_out,
    )  # fmt: skip
    if arguments.output == "-":
        sys.stdout.write(text)
        return Exit.DONE
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise InvalidDeclaration(f"{target} is there already", hint="name another with --output") from None
    except OSError:
        raise InvalidDeclaration(f"cannot write {target}", hint="make its folder first, or name another") from None
    terminal.say(f"wrote {target}: fill in bounds and values, then: sfumato check -d {target}")
    return Exit.DONE


def _name(source: Path) -> str:
    if is_address(str(source)):  # whoever asks may stand in it
        return "relation"
    while source.name and not any(sign.isalnum() for sign in source.name.split(".")[0]):
        source = source.parent  # a pattern is called as its folder
    made = "".join(c if c.isalnum() else "_" for c in source.name.split(".")[0])
    return made if made and not made[0].isdigit() else f"t_{made}"


def _schema(source: str, table: str, dialect: dict[str, str]) -> list[SourceColumn]:
    """The columns, from the header, footer or catalog of the file alone."""
    about = {"source": source, **({} if is_address(source) else {"dialect": dialect})}
    unfinished = {"budget": {"epsilon": "1"}, "unit": {"rows": True}, "tables": {table: about}}
    try:
        found = described(declared(unfinished))[0][table]
    except InvalidDeclaration as error:
        raise InvalidDeclaration(error.problem, hint=_as_option(error)) from None
    signs = [sign for sign in (";", "\t", "|") if len(found) == 1 and found[0].loose and sign in found[0].name]
    if signs and "separator" not in dialect:
        raise InvalidDeclaration(
            f"the header of {Path(source).name} names one column, `{found[0].name}`",
            hint=f"is it separated by another sign? sfumato init --separator '{signs[0]}' …",
        )
    return found


def _from(folder: Path, given: str) -> str:
    """The source as it is called from the folder of the declaration; a folder keeps its slash."""
    source = Path(given)
    there = Path(place_of(source.parent)) / source.name
    made = str(source) if source.is_absolute() else os.path.relpath(there, place_of(folder))
    return f"{made}/" if given.endswith("/") else made


def _as_option(error: InvalidDeclaration) -> str:
    """A remedy in the words of this command, where the dialect is said by options."""
    said = re.search(r'encoding = "([\w-]+)"', error.hint)
    if "separator" in error.problem or "separated by tabs" in error.hint:
        return "say which: sfumato init --separator '\\t' …" if "tabs" in error.hint else _SEPARATOR
    if "decimal" in error.problem:
        return "say which: sfumato init --decimal , …"
    return f"say which: sfumato init --encoding {said[1]} …" if said else error.hint


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
