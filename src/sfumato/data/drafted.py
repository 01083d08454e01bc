"""A declaration to fill in, from the names and types of columns."""

import json
from collections.abc import Iterable, Mapping

from sfumato.data.column import Kind


def draft(
    source: str,
    table: str,
    columns: Iterable[tuple[str, Kind]],
    *,
    person: str = "",
    epsilon: str = "3",
    known: Mapping[str, str] | None = None,
    typed: bool = True,
    dialect: Mapping[str, str] | None = None,
    left_out: Mapping[str, str] | None = None,
) -> str:
    """A declaration to fill in, made from the names and types of columns alone.

    `known` holds what the owner already said of a column, as TOML. A source that is not `typed` holds text alone, and
    its owner says what that is. Columns that are `left_out` have types that no question can read.
    """
    rows = 'rows = true                   # or, for a person with several rows: person = "table.column"'
    lines = [
        "# Drafted from the names and types of the columns; no row was read. Fill in what is marked.",
        "",
        "[budget]                      # of the whole dataset; [analysts.<name>] may hold a smaller one each",
        f"{f'epsilon = {json.dumps(epsilon)}':<30}# how much may be learned in all; smaller is more private",
        'delta = "1e-7"                # only groups whose names are not public need it',
        "",
        "[unit]",
        f"person = {_quoted(f'{table}.{person}')}" if person else rows,
        "",
        f"[tables.{_key(table)}]",
        f"source = {_quoted(source)}",
    ]
    if dialect:
        lines.append(f"dialect = {{ {', '.join(f'{name} = {_quoted(sign)}' for name, sign in dialect.items())} }}")
    if person:
        lines += [
            "rows_per_group = 1            # how many rows of one person count in a group",
            "groups_per_person = 1",
        ]
    lines += ["", f"[tables.{_key(table)}.columns]"]
    lines += [
        f"# {' '.join(name.split())}: {kind[:40]}, which no question can read"
        for name, kind in (left_out or {}).items()
    ]
    for name, kind in columns:
        if name == person and typed:
            continue
        said = (known or {}).get(name, "")
        hint = "lower and upper, before it can be summed" if kind.is_number else "values = [...], if they are public"
        if name == person:
            hint = "or integer: 7, 07 and 7.0 are then one person, and abc is nobody"
        elif not typed:
            hint = f"or integer, real, boolean, date, timestamp; {hint}"
        entry = f'{_key(name)} = {{ type = "{kind.value}"{f", {said}" if said else ""} }}'
        lines.append(entry if said else f"{entry:<40}# {hint}")
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    """A name as a key of TOML: bare, or in quotes."""
    return name if name.isascii() and name.replace("_", "a").isalnum() else _quoted(name)


def _quoted(text: str) -> str:
    """A text of TOML."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
