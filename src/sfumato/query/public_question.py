"""Questions that read public tables and nothing else: nobody is in those, so they are answered as they are.

Whether a question is one is decided by every table that its text names, wherever it stands: in FROM, a join, a
subquery, a CTE. One that is private, or that is not known, and the question is none; what cannot be read with certainty
is none either. What is then run is written anew from what was looked at, so that nothing else can be in it.
"""

from dataclasses import dataclass

from sqlglot import exp

from sfumato.data import Dataset
from sfumato.errors import InvalidQuestion
from sfumato.query.dialects import DIALECT
from sfumato.query.parse import parse

_UNREAD = (exp.Anonymous, exp.AnonymousAggFunc, exp.Command, exp.UDTF, exp.Into)
"""Functions that only an engine knows, and what makes or reads rows by other ways than a name."""


@dataclass(frozen=True, slots=True)
class PublicQuestion:
    """A SELECT over public tables alone."""

    text: str
    tables: tuple[str, ...]


def public_question(text: object, dataset: Dataset, dialect: str = DIALECT) -> PublicQuestion | None:
    """The question, if all that it reads is public; None otherwise, and if it is no question at all."""
    try:
        select, _ = parse(text, dialect)
    except InvalidQuestion:
        return None  # whoever plans it says why
    found = dict[str, None]()
    for node in select.walk():
        if isinstance(node, _UNREAD):
            return None
        if isinstance(node, exp.Table):
            if type(node.this) is not exp.Identifier or node.args.get("db") or node.args.get("catalog"):
                return None
            table = dataset.table(node.name)
            if table is None and node.name.lower() not in _known_at(node):
                return None
            if table is not None:
                if not table.public:
                    return None
                found[table.name] = None
    return PublicQuestion(select.sql(dialect="duckdb"), tuple(found)) if found else None


def _known_at(node: exp.Expression) -> set[str]:
    """The names that WITH gives at a place: of queries around it, and in a part of a WITH those of the parts before.

    A name that is given elsewhere is not known there, and an engine may have a meaning of its own for it.
    """
    known, inside, around = set[str](), node, node.parent
    while around is not None:
        if isinstance(around, exp.CTE):
            inside = around
        elif isinstance(around, exp.Query):
            parts = list(around.ctes)
            end = next((i for i, each in enumerate(parts) if each is inside), len(parts))
            known |= {each.alias.lower() for each in parts[:end]}
        around = around.parent
    return known
