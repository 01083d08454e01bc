"""One aggregate over public groups, as mechanisms that choose take it: exact scores, and how far they move."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from sfumato.accounting.events import Event
from sfumato.curator.asks import Desk
from sfumato.curator.charge import Reader
from sfumato.curator.release import AnswerColumn
from sfumato.errors import InvalidQuestion
from sfumato.query import PricedQuery, Question, Spend, price
from sfumato.query.aggregates import Aggregate, CountDistinct, CountPeople, CountRows, CountValues, QuantileOf, SumOf
from sfumato.query.expression import Ref
from sfumato.query.measures import Measure

Aggregates = tuple[type[Aggregate], ...]
COUNTS: Aggregates = (CountRows, CountPeople, CountValues, CountDistinct)
SCORES: Aggregates = (SumOf, *COUNTS)
MEDIANS: Aggregates = (QuantileOf,)
_WRITTEN: dict[type[Aggregate], str] = {
    SumOf: "SUM(x)", CountRows: "COUNT(*)", CountPeople: "COUNT(DISTINCT person)", CountValues: "COUNT(x)",
    CountDistinct: "COUNT(DISTINCT x)", QuantileOf: "MEDIAN(x)",
}  # fmt: skip
_HINTS: dict[Aggregates, str] = {
    COUNTS: "SELECT COUNT(*) FROM …",
    SCORES: "SELECT key, COUNT(*) FROM … GROUP BY key",
    MEDIANS: "SELECT MEDIAN(x) FROM …",
}
Group = tuple[Any, ...]


def one_measure(desk: Desk, asked: Question, kinds: Aggregates) -> PricedQuery:
    """The question with its bounds, if it has one measure of a listed kind; `at` gives it its price."""
    if len(asked.aggregates) != 1 or type(asked.aggregates[0]) not in kinds:
        wanted = ", ".join(_WRITTEN[kind] for kind in kinds)
        raise InvalidQuestion(f"one aggregate is needed, of: {wanted}", hint=_HINTS[kinds])
    shown = all(isinstance(output, Ref) for _, output in asked.outputs)
    if not shown or asked.having is not None or asked.order or asked.limit is not None or asked.offset:
        raise InvalidQuestion(
            "the aggregate is compared as it is, without arithmetic, HAVING, ORDER BY or LIMIT",
            hint="SELECT key, SUM(-x) … GROUP BY key asks for the least; sql() computes with what is released",
        )
    return price(asked, desk.dataset, Spend(Fraction(1), None, Fraction(0)), apart=True)


def at(query: PricedQuery, event: Event) -> PricedQuery:
    """The question as a mechanism reads it: the mechanism's event is its price, and it has no noise of its own."""
    return replace(query, priced=(), event=event)


def move(query: PricedQuery) -> int:
    """The most one person moves the aggregate of any one group, in parts of a row as it is computed."""
    return query.measures.measures[0].most(query.bounds) << bits(query)


def bits(query: PricedQuery) -> int:
    """In what part of a row the aggregate is computed, as a power of two."""
    return query.measures.measures[0].bits(query.weights.bits, query.bounds)


def weighted_move(query: PricedQuery, weights: list[int]) -> int:
    """The most one person moves a sum of the groups' aggregates, each times its weight.

    What a person counts for may all be in the heaviest groups.
    """
    heaviest = sorted(map(abs, weights), reverse=True)
    return query.measures.measures[0].weighted_move(query.bounds, heaviest) << bits(query)


@dataclass(frozen=True)
class Scores:
    """A question whose public groups are the candidates, or what candidates are judged by."""

    query: PricedQuery
    groups: tuple[Group, ...]
    columns: tuple[AnswerColumn, ...]
    """The keys, by the names that the question gives them."""

    @property
    def measure(self) -> Measure:
        """The one that is computed."""
        return self.query.measures.measures[0]

    @property
    def scale(self) -> Fraction:
        """What one of the computed integers is worth."""
        return self.measure.scale / (1 << bits(self.query))

    @property
    def only_adds(self) -> bool:
        """Whether a person who comes lowers no score."""
        return self.measure.only_adds

    def exact(self, reader: Reader) -> list[int]:
        """The groups' aggregates in parts of a step, in their public order."""
        table = reader.exact()
        at = {group: i for i, group in enumerate(table.keys)}
        column = table.columns[0]
        return [int(column[at[group]]) if group in at else 0 for group in self.groups]

    def about(self, desk: Desk, name: str, event: Any) -> dict[str, Any]:
        """What decides the answer of a mechanism of this name."""
        return {
            name: self.query.question.canonical(),
            "bounds": self.query.bounds.canonical(),
            "weights": self.query.weights.canonical(),
            "declared": self.query.question.declared(desk.dataset),
            "groups": public_groups(self.groups),
            "event": event.to_json(),
        }


def public_groups(groups: Sequence[Group]) -> str:
    """A digest of the public groups in their order: what is stored of a choice is a place among them."""
    return hashlib.sha256(repr(list(groups)).encode()).hexdigest()


def scores(desk: Desk, text: str, what: str) -> Scores:
    """The scores that a question asks for; `what` names the mechanism in refusals."""
    asked = desk.question(text)
    groups = asked.groups
    if not asked.keys or groups is None:
        raise InvalidQuestion(f"{what} chooses among public groups", hint="GROUP BY a column with declared values")
    query = one_measure(desk, asked, SCORES)
    return Scores(query, groups, key_columns(asked))


def key_columns(asked: Question) -> tuple[AnswerColumn, ...]:
    """The keys of a question as columns, by the names that its outputs give them."""
    names = [f"key {i + 1}" for i in range(len(asked.keys))]
    for name, output in asked.outputs:
        index = getattr(output, "index", None)
        if index is not None and index < len(names):
            names[index] = name
    return tuple(AnswerColumn(name, key.kind, "key") for name, key in zip(names, asked.keys, strict=True))
