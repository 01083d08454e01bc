"""A plan of a publication: rows of which relation, which columns, what is measured of them, and how rows are made.

name = "visits"
from = "visits"                     # a table, a join, or a SELECT in brackets
where = "day < 90"
columns = ["ward", "sex", "age"]
rows = "tree"

[[measure]]
kind = "marginals"
all = 2

A plan that says make = "table" instead has neither `rows` nor `measure`: see `table_recipe.py`.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.core.naming import known_names
from sfumato.core.printing import Json, json_text
from sfumato.data.entries import mapping, once, only, said, text
from sfumato.data.files import parsed
from sfumato.errors import InvalidDeclaration
from sfumato.query.parse import stands_alone
from sfumato.query.workload import MOST_ATTRIBUTES
from sfumato.synth.publication.kinds import KINDS, NEEDS
from sfumato.synth.publication.parts import Columns, PlanPart
from sfumato.synth.publication.table_recipe import ENTRIES, TableRecipe, read_recipe

FORMAT, VERSION = "sfumato/publication-plan", 1
_KNOWN = ("format", "version", "name", "from", "where", "columns", "rows", "twin", "measure", *ENTRIES)
_EXAMPLE = 'from = "visits", columns = ["ward", "age"], and [[measure]] with kind = "marginals", all = 2'


@dataclass(frozen=True)
class PublicationPlan:
    """What will be published, in the owner's words."""

    name: str
    source: str
    """What stands after FROM."""
    where: str
    columns: Columns
    parts: tuple[PlanPart, ...]
    rows: str
    """How rows are made, or nothing."""
    twin: str = ""
    """A public file with the same columns, to compare with."""
    table: TableRecipe | None = None
    """What is said of a synthetic table, if one is made; then there are no parts."""

    @property
    def question(self) -> str:
        """The workload as a question that groups by all columns."""
        names = ", ".join(f'"{name}"' for name in self.columns)
        return self._counting(names)

    def question_of(self, column: str) -> str:
        """The question that counts rows by one column."""
        return self._counting(f'"{column}"')

    def _counting(self, names: str) -> str:
        where = f"\nWHERE ({self.where}\n)" if self.where else ""
        return f"SELECT {names}, COUNT(*)\nFROM {self.source}{where}\nGROUP BY {names}"

    @property
    def tables(self) -> tuple[Columns, ...]:
        """Every table that must be counted, once."""
        return tuple(dict.fromkeys(table for part in self.parts for table in part.tables))

    def to_json(self) -> dict[str, Json]:
        """The plan as a document, from which it can be read again."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "name": self.name,
            "from": self.source,
            "where": self.where,
            "columns": list(self.columns),
            "rows": self.rows,
            "measure": [part.to_json() for part in self.parts],
            **({} if self.table is None else self.table.to_json()),
        }

    def digest(self) -> str:
        """What names it: not where a twin lies, which nothing that is measured depends on."""
        return hashlib.sha256(json_text(self.to_json()).encode()).hexdigest()


def read_plan(given: object) -> PublicationPlan:
    """The plan that a TOML or YAML file, or a dictionary, says; or one clear error with a remedy."""
    if isinstance(given, PublicationPlan):
        return given
    if isinstance(given, str | Path):
        path = Path(given)
        if not path.is_file():
            raise InvalidDeclaration(f"there is no plan {path}", hint=f"a TOML file: {_EXAMPLE}")
        read = _read(parsed(path), path.stem)
        return read if not read.twin else _beside(read, path)
    return _read(given, "publication")


def _beside(plan: PublicationPlan, path: Path) -> PublicationPlan:
    """The plan with its twin's path as the file means it: from the folder that it lies in."""
    from dataclasses import replace

    return replace(plan, twin=str(path.parent / plan.twin))


def _read(given: object, name: str) -> PublicationPlan:
    top = mapping("the plan", given, _EXAMPLE)
    only("the plan", top, _KNOWN)
    if top.get("format", FORMAT) != FORMAT or top.get("version", VERSION) != VERSION:
        raise InvalidDeclaration(
            f"the plan must be of format {FORMAT}, version {VERSION}", hint="leave both out, or write them so"
        )
    for needed in ("from", "columns", *(() if "make" in top else ("measure",))):
        if needed not in top:
            raise InvalidDeclaration(f"the plan does not say `{needed}`", hint=_EXAMPLE)
    columns = _columns(top["columns"])
    source = stands_alone("from", text("from", top["from"])).strip()
    if re.match(r"select\b", source, re.IGNORECASE):
        source = f"({source}\n) AS published"
    where = text("where", top.get("where", ""))
    rows = text("rows", top.get("rows", ""))
    if rows and rows not in NEEDS:
        raise InvalidDeclaration(f"no rows are made by {said(rows)}", hint=known_names(rows, NEEDS))
    table, called = read_recipe(top, columns), text("name", top.get("name", name)).strip()
    parts = () if table is not None else _parts(top["measure"], columns)
    if not called:
        raise InvalidDeclaration("the publication has no name", hint='name = "visits"')
    if rows == "weighted" and "count" in (name.lower() for name in columns):
        raise InvalidDeclaration(
            "weighted rows have a column `count` of their own, and the plan has one too",
            hint="name it otherwise: SELECT … AS number",
        )
    if rows and table is None:  # what cannot be made is refused before anything is charged
        NEEDS[rows](columns, [table for part in parts for table in part.published])
    return PublicationPlan(
        called,
        source,
        stands_alone("where", where) if where else "",
        columns,
        parts,
        rows,
        text("twin", top.get("twin", "")),
        table,
    )


def _columns(given: object) -> Columns:
    if not isinstance(given, list | tuple) or not given or not all(isinstance(name, str) and name for name in given):
        raise InvalidDeclaration("columns must be a list of names", hint='columns = ["ward", "age"]')
    once("columns", given)
    if len(given) > MOST_ATTRIBUTES:
        raise InvalidDeclaration(
            f"a plan has up to {MOST_ATTRIBUTES} columns, found {len(given)}", hint="publish fewer together"
        )
    for name in given:
        if '"' in name:
            raise InvalidDeclaration(
                f"a column's name holds a quotation mark: {said(name)}", hint="name it otherwise: SELECT … AS name"
            )
    return tuple(given)


def _parts(given: object, columns: Columns) -> tuple[PlanPart, ...]:
    if not isinstance(given, list | tuple) or not given:
        raise InvalidDeclaration(
            "measure must be a list of entries", hint='[[measure]] with kind = "marginals" and all = 2'
        )
    found = []
    for at, entry in enumerate(given, 1):
        where = f"measure {at}"
        about: Mapping[str, Any] = mapping(where, entry)
        kind = about.get("kind")
        if not isinstance(kind, str) or kind not in KINDS:
            raise InvalidDeclaration(f"{where} has no kind that is known: {said(kind)}", hint=known_names(kind, KINDS))
        found.append(KINDS[kind].read(where, about, columns))
    return tuple(found)
