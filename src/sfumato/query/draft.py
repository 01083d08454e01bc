"""A question while it is read: each pass fills in what it is named for."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from sfumato.query.aggregates import Aggregate
from sfumato.query.context import Context
from sfumato.query.expression import Expression, Field
from sfumato.query.question import Order, Question
from sfumato.query.rows import RowReader
from sfumato.query.scope import NamedPlan


@dataclass(frozen=True, slots=True)
class GroupKey:
    """An expression of GROUP BY, and how it is written."""

    expression: Expression
    name: str

    @property
    def field(self) -> Field:
        """The key as a column of what is released."""
        return Field(self.name, self.expression.kind, self.expression.range)


@dataclass(frozen=True)
class Draft:
    """What is read of a question so far; released expressions see the keys first, then the aggregates."""

    select: exp.Select
    context: Context
    base: NamedPlan
    """FROM with its joins and WHERE."""
    keys: tuple[GroupKey, ...] = ()
    domains: tuple[tuple[Any, ...] | None, ...] = ()
    aggregates: tuple[Aggregate, ...] = ()
    outputs: tuple[tuple[str, Expression], ...] = ()
    having: Expression | None = None
    order: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0

    @property
    def text(self) -> str:
        """What was asked, for places in refusals."""
        return self.context.text

    @property
    def rows(self) -> RowReader:
        """Reads expressions over the rows of FROM."""
        return RowReader(self.base.scope)

    @property
    def aliases(self) -> dict[str, Expression]:
        """What the names of SELECT stand for, in HAVING and ORDER BY."""
        return {name.lower(): made for name, made in self.outputs}

    def question(self) -> Question:
        """The question, when all passes are through."""
        return Question(
            text=self.text,
            plan=self.base.plan,
            keys=tuple(key.expression for key in self.keys),
            domains=self.domains,
            aggregates=self.aggregates,
            outputs=self.outputs,
            having=self.having,
            order=self.order,
            limit=self.limit,
            offset=self.offset,
        )


Pass = Callable[[Draft], Draft]
