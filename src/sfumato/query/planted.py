"""Parts of a question's tree exchanged for columns that hold them: aggregates, keys and aliases.

What is computed of released values, or of one person's aggregates, is an expression as any other once aggregates are
columns. Such a column is known by a mark that no text can make, and never by its name: a question that calls a column
`aggregate 0` gets its own, or none.

>>> from sqlglot import parse_one
>>> from sfumato.data import Kind
>>> from sfumato.query.expression import refs
>>> text = "SUM(cost) / 2"
>>> planted = Planted(text)
>>> total = Field("the sum", Kind.REAL)
>>> tree = exchanged(parse_one(text), lambda node: planted.plant(node, 4, total) if isinstance(node, exp.Sum) else node)
>>> [ref.index for ref in refs(planted.value(tree))]
[4]
"""

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from sfumato.query.expression import Call, Expression, Field, Literal, Ref
from sfumato.query.parse import first_word, refused, sql_of
from sfumato.query.rows import RowReader
from sfumato.query.scope import Scope

_MARK = "planted"


@dataclass(frozen=True, slots=True)
class _Mark:
    """What a planted column holds; comments of a question can set marks too, but only words and truths."""

    ref: Ref


class _PlantedColumns(Scope):
    """Sees planted columns, and no others."""

    __slots__ = ()

    def column(self, node: exp.Column) -> Ref:
        """The field that was planted there."""
        mark = node.meta.get(_MARK)
        if type(mark) is _Mark:
            return mark.ref
        raise refused(f"column `{node.name}` stands beside aggregates", node, self.text,
                      hint="select it by itself, or aggregate it")  # fmt: skip


class Planted:
    """The columns planted in one expression of a question, and the expression they make."""

    def __init__(self, text: str) -> None:
        self._rows = RowReader(_PlantedColumns((), text))
        self._stand_ins: list[Expression] = []

    def plant(self, node: exp.Expression, index: int, field: Field) -> exp.Column:
        """A column to put where the node was, which is read as the field at an index; errors name the node's place."""
        column = exp.Column(this=exp.to_identifier(sql_of(node), quoted=True))
        column.this.meta.update(first_word(node))
        column.meta[_MARK] = _Mark(Ref(index, field))
        return column

    def stand_for(self, node: exp.Expression, expression: Expression) -> exp.Column:
        """A column to put where the node was, which is read as a whole expression: what an alias stands for."""
        self._stand_ins.append(expression)
        return self.plant(node, -len(self._stand_ins), Field("", expression.kind, expression.range))

    def value(self, node: exp.Expression) -> Expression:
        """The expression of a tree in which all columns are planted."""
        return self._expanded(self._rows(node))

    def predicate(self, node: exp.Expression) -> Expression:
        """The condition of a tree in which all columns are planted."""
        return self._expanded(self._rows.predicate(node))

    def _expanded(self, made: Expression) -> Expression:
        match made:
            case Ref():
                return made if made.index >= 0 else self._stand_ins[-made.index - 1]
            case Literal():
                return made
            case Call():
                return Call(made.op, tuple(map(self._expanded, made.args)), made.kind, made.range)


def exchanged(node: exp.Expression, swap: Callable[[exp.Expression], exp.Expression]) -> exp.Expression:
    """A copy of the node with parts exchanged, larger parts before smaller ones; `swap` gives back what stays."""
    root = node.copy()
    waiting = [root]
    while waiting:  # chains of AND are as deep as they are long
        each = waiting.pop()
        made = swap(each)
        if made is each:
            waiting.extend(reversed(list(each.iter_expressions())))
        elif each is root:
            return made
        else:
            each.replace(made)
    return root
