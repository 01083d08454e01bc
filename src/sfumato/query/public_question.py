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
    ahead = list(select.ctes)
    if len(ahead) != sum(1 for _ in select.find_all(exp.CTE)):
        return None  # a name that one subquery gives is not known in another, where an engine has a meaning of its own
    found = dict[str, None]()
    for node in select.walk():
        if isinstance(node, _UNREAD):
            return None
        if isinstance(node, exp.Table):
            if type(node.this) is not exp.Identifier or node.args.get("db") or node.args.get("catalog"):
                return None
            table = dataset.table(node.name)
            if table is None and node.name.lower() not in _known_at(node, ahead):
                return None
            if table is not None:
                if not table.public:
                    return None
                found[table.name] = None
    return PublicQuestion(select.sql(dialect="duckdb"), tuple(found)) if found else None


def _known_at(node: exp.Expression, ahead: list[exp.CTE]) -> set[str]:
    """The names that WITH gives before a place: in one of its own parts, those of the parts before."""
    inside = node.find_ancestor(exp.CTE)
    before = ahead if inside is None else ahead[: next(i for i, each in enumerate(ahead) if each is inside)]
    return {each.alias.lower() for each in before}
