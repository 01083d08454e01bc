"""A declaration to fill in, from the names and types of columns."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sfumato.data.column import Kind
from sfumato.data.keys import Key

_SOMEBODY = frozenset(
    [
        "id",
        "ids",
        "uid",
        "person",
        "people",
        "patient",
        "user",
        "customer",
        "client",
        "member",
        "employee",
        "student",
        "subject",
        "citizen",
        "account",
        "name",
    ]
)
"""Words in the names of columns that may say who a row is about."""


@dataclass(frozen=True, slots=True)
class TableDraft:
    """A table of a draft: its source, its columns, and what is known of them."""

    source: str
    name: str
    columns: Sequence[tuple[str, Kind]]
    known: Mapping[str, str] = field(default_factory=dict[str, str])
    """What the owner already said of a column, as TOML."""
    typed: bool = True
    """Whether the source has types; one that has none holds text alone, and its owner says what that is."""
    dialect: Mapping[str, str] = field(default_factory=dict[str, str])
    left_out: Mapping[str, str] = field(default_factory=dict[str, str])
    """Columns that no question can read, and their types."""
    keys: Sequence[Key] = ()


def draft(
    tables: Sequence[TableDraft], *, person: str = "", rows: bool = False, epsilon: str = "3", looked: bool = False
) -> str:
    """A declaration to fill in, made from the names and types of columns; `person` is `table.column`.

    Who one person is, only the owner knows: without `person` or `rows` it is left open. With `looked` rows were read to
    see which columns are keys, and the draft says so.
    """
    read = "rows were read to see which columns are keys" if looked else "no row was read"
    lines = [
        f"# Drafted from the names and types of the columns; {read}. Fill in what is marked.",
        "",
        "[budget]                      # of the whole dataset; [analysts.<name>] may hold a smaller one each",
        f"{f'epsilon = {json.dumps(epsilon)}':<30}# how much may be learned in all; smaller is more private",
        'delta = "1e-7"                # only groups whose names are not public need it',
        "",
        "[unit]",
        *_unit(tables, person, rows=rows),
    ]
    for table in tables:
        lines += _table(table, tables, person, rows=rows, looked=looked)
    return "\n".join(lines) + "\n"


def _unit(tables: Sequence[TableDraft], person: str, *, rows: bool) -> list[str]:
    if rows:
        return ["rows = true                   # each row is another person"]
    if person:
        return [f"person = {_quoted(person)}"]
    targets = dict.fromkeys(key.target for table in tables for key in table.keys)
    if not targets:  # what looks like a name of somebody, or a column to fill in
        names = [f"{table.name}.{name}" for table in tables for name, _ in table.columns if _names_somebody(name)]
        targets = dict.fromkeys(names or [f"{tables[0].name}.…"])
    likely = [f"# person = {_quoted(target)}" for target in targets]  # not taken for granted: only the owner knows
    return ["# say who one person is, by taking one # away:", *likely, "# rows = true                 # each row alone"]


def _names_somebody(column: str) -> bool:
    words = re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", column).lower())
    return not _SOMEBODY.isdisjoint(words)


def _table(table: TableDraft, tables: Sequence[TableDraft], person: str, *, rows: bool, looked: bool) -> list[str]:
    lines = ["", f"[tables.{toml_key(table.name)}]", f"source = {_quoted(table.source)}"]
    if table.dialect:
        lines.append(
            f"dialect = {{ {', '.join(f'{name} = {_quoted(sign)}' for name, sign in table.dialect.items())} }}"
        )
    if table.keys:
        how = "their values do not repeat there" if looked else "by their names: are they keys?"
        made = ", ".join(f"{toml_key(key.column)} = {_quoted(key.target)}" for key in table.keys)
        lines.append(f"foreign_keys = {{ {made} }}   # {how}")
    lines += [] if rows else _bounds(table, tables, person)
    lines += ["", f"[tables.{toml_key(table.name)}.columns]"]
    lines += [
        f"# {' '.join(name.split())}: {kind[:40]}, which no question can read" for name, kind in table.left_out.items()
    ]
    own = person.removeprefix(f"{table.name}.") if person.startswith(f"{table.name}.") else ""
    for name, kind in table.columns:
        if name == own and table.typed:
            continue
        lines.append(_column(table, name, kind, is_person=name == own))
    return lines


def _bounds(table: TableDraft, tables: Sequence[TableDraft], person: str) -> list[str]:
    """How much of a person counts in a table is the owner's to say; in the person's own, where others lead, one row."""
    led_to = {key.target for each in tables for key in each.keys}
    if person.startswith(f"{table.name}.") and person in led_to:
        return []
    if person and not person.startswith(f"{table.name}.") and not table.keys:
        return ["# public = true               # or a foreign key that leads to the person"]
    if not person and any(target.startswith(f"{table.name}.") for target in led_to):
        return []
    return [
        'rows_per_person = "?"         # how many rows of one person count, by what you know from elsewhere;',
        "                              # sfumato profile shows what each bound costs, on your screen alone",
    ]


def _column(table: TableDraft, name: str, kind: Kind, *, is_person: bool) -> str:
    said = table.known.get(name, "")
    hint = "lower and upper, before it can be summed" if kind.is_number else "values = [...], if they are public"
    if name in (key.column for key in table.keys):
        hint = "a key"
    if is_person:
        hint = "or integer: 7, 07 and 7.0 are then one person, and abc is nobody"
    elif not table.typed:
        hint = f"or integer, real, boolean, date, timestamp; {hint}"
    entry = f'{toml_key(name)} = {{ type = "{kind.value}"{f", {said}" if said else ""} }}'
    return entry if said else f"{entry:<40}# {hint}"


def toml_key(name: str) -> str:
    """A name as a key of TOML: bare, or in quotes."""
    return name if name.isascii() and name.replace("_", "a").isalnum() else _quoted(name)


def _quoted(text: str) -> str:
    """A text of TOML."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
