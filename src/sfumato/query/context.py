"""What a question is read against: the declared tables, what may be known of public ones, and its own text."""

from dataclasses import dataclass
from typing import Any, Protocol

from sqlglot import exp

from sfumato.data import Dataset
from sfumato.errors import InvalidQuestion
from sfumato.query import parse


class Public(Protocol):
    """What the planner may ask of public tables: they hold nobody's data."""

    def values(self, table: str, column: str) -> tuple[Any, ...] | None:
        """The different values of a public column, in order and NULL last, if they are few."""
        ...

    def repeats(self, table: str, columns: tuple[str, ...]) -> int:
        """How many rows of a public table share values of these columns at most; of no columns: how many there are."""
        ...


@dataclass(frozen=True, slots=True)
class Context:
    """One question's text, and the dataset it is asked of."""

    dataset: Dataset
    public: Public
    text: str

    def refused(self, problem: str, node: exp.Expression, *, hint: str = "") -> InvalidQuestion:
        """The refusal of a node, with its place in the text."""
        return parse.refused(problem, node, self.text, hint=hint)

    def only(self, node: exp.Expression, *known: str) -> None:
        """Refuse a node that carries anything besides the known parts."""
        parse.only(node, self.text, *known)
