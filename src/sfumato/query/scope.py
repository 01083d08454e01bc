"""Names: which columns are in sight, and which field each of them is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from sfumato.core.naming import did_you_mean
from sfumato.query.expression import Field, Ref
from sfumato.query.parse import only, refused
from sfumato.query.plan import Plan, Project


@dataclass(frozen=True, slots=True)
class Name:
    """A column that can be named: by its alias's name and its own."""

    table: str
    name: str
    index: int
    field: Field
    merged: bool = False
    """Joined by USING: its bare name means the other side's column."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The columns in sight, in the order of the relation's fields."""

    names: tuple[Name, ...]
    text: str

    def column(self, node: exp.Column) -> Ref:
        """The field that a column names."""
        only(node, self.text, "this", "table")
        if not isinstance(node.this, exp.Identifier):
            raise refused("* is not a column", node, self.text, hint="name the columns")
        wanted, table = node.name.lower(), node.table.lower()
        found = [
            n for n in self.names if n.name.lower() == wanted and (n.table.lower() == table if table else not n.merged)
        ]
        if len(found) > 1 and len({n.index for n in found}) > 1:
            tables = ", ".join(f"{n.table}.{n.name}" for n in found)
            raise refused(f"column `{node.name}` is ambiguous", node, self.text, hint=f"say which: {tables}")
        if not found:
            raise refused(f"no column `{_shown(node)}`", node, self.text, hint=self._known(node.name, node.table))
        return Ref(found[0].index, found[0].field)

    def _known(self, name: str, table: str) -> str:
        """What there is instead: columns, or tables if no table of that name is in sight."""
        seen = dict.fromkeys(n.name for n in self.names if table.lower() in ("", n.table.lower()))
        return known("columns", name, seen) if seen else self.tables(table)

    def tables(self, name: str) -> str:
        """The hint for a table that is not in sight."""
        return known("tables", name, dict.fromkeys(n.table for n in self.names))


@dataclass(frozen=True, slots=True)
class NamedPlan:
    """A plan and the names its columns go by."""

    plan: Plan
    scope: Scope

    @classmethod
    def called(cls, alias: str, plan: Plan, text: str) -> "NamedPlan":
        """The plan with its fields' own names, behind one alias."""
        places = list(enumerate(plan.fields))
        if isinstance(plan, Project):
            bare = [(each.index, field) for each, field in zip(plan.expressions, plan.fields, strict=True)
                    if isinstance(each, Ref)]  # fmt: skip
            if len(bare) == len(places):  # columns that are chosen and named, and no more: the rows are those below
                places, plan = bare, plan.of
        return cls(plan, Scope(tuple(Name(alias, field.name, i, field) for i, field in places), text))

    def under(self, alias: str, columns: Sequence[str] = ()) -> "NamedPlan":
        """The same behind another alias, its first columns by other names."""
        own = [*columns, *(name.name for name in self.scope.names[len(columns) :])]
        fields = [replace(name.field, name=word) for name, word in zip(self.scope.names, own, strict=True)]
        names = [replace(n, table=alias, name=f.name, field=f) for n, f in zip(self.scope.names, fields, strict=True)]
        return NamedPlan(self.plan, Scope(tuple(names), self.scope.text))


def known(what: str, name: str, names: Iterable[str]) -> str:
    """The hint for a name that is not there: which one was meant, if it can be told, and which there are."""
    there = list(names)
    return " ".join(filter(None, (did_you_mean(name, there), f"known {what}: {', '.join(there)}")))


def _shown(node: exp.Column) -> str:
    return f"{node.table}.{node.name}" if node.table else node.name
