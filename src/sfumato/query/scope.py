"""Names: which columns are in sight, and which field each of them is."""

from dataclasses import dataclass

from sqlglot import exp

from sfumato.query.expression import Field, Ref
from sfumato.query.parse import only, refused


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
            raise refused(f"no column `{_shown(node)}`", node, self.text, hint=self._known(table))
        return Ref(found[0].index, found[0].field)

    def _known(self, table: str) -> str:
        seen = dict.fromkeys(n.name for n in self.names if table in ("", n.table.lower()))
        return (
            f"known columns: {', '.join(seen)}"
            if seen
            else f"known tables: {', '.join(dict.fromkeys(n.table for n in self.names))}"
        )


def _shown(node: exp.Column) -> str:
    return f"{node.table}.{node.name}" if node.table else node.name
