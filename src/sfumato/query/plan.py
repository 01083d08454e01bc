"""The plan: a frozen tree of relations in which the person is carried along, whatever the columns are called."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

from sfumato.query.expression import Expression, Field, Ref

Fields = tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Scan:
    """A declared table."""

    table: str
    fields: Fields
    private: bool
    single: bool
    """One row a person, up to what bounding enforces in the end."""
    cut: int | None = None
    """The rows a person has in it at most, if it was cut at registration (1 where each row is protected)."""

    def canonical(self) -> Any:
        """The table's name and its columns, which positions refer to."""
        return ["scan", self.table, *[[field.name, field.kind.value] for field in self.fields]]


@dataclass(frozen=True, slots=True)
class Where:
    """The rows for which a predicate is true."""

    of: "Plan"
    predicate: Expression

    @property
    def fields(self) -> Fields:
        """Those of the rows it keeps."""
        return self.of.fields

    @property
    def private(self) -> bool:
        """Whether rows belong to people."""
        return self.of.private

    @property
    def single(self) -> bool:
        """Whether a person has one row at most."""
        return self.of.single

    @property
    def cut(self) -> int | None:
        """The rows a person has at most, if it is known."""
        return self.of.cut

    def canonical(self) -> Any:
        """The predicate over its rows."""
        return ["where", self.of.canonical(), self.predicate.canonical()]


@dataclass(frozen=True, slots=True)
class Project:
    """New columns, each computed from one row."""

    of: "Plan"
    expressions: tuple[Expression, ...]
    fields: Fields

    @property
    def private(self) -> bool:
        """Whether rows belong to people."""
        return self.of.private

    @property
    def single(self) -> bool:
        """Whether a person has one row at most."""
        return self.of.single

    @property
    def cut(self) -> int | None:
        """The rows a person has at most, if it is known."""
        return self.of.cut

    def canonical(self) -> Any:
        """The expressions over its rows."""
        return ["project", self.of.canonical(), *[each.canonical() for each in self.expressions]]


@dataclass(frozen=True, slots=True)
class Join:
    """Pairs of rows that agree on some fields; the left side's person is the pair's."""

    left: "Plan"
    right: "Plan"
    equal: tuple[tuple[int, int], ...]
    outer: bool
    """Keep a left row without a partner."""
    private: bool
    single: bool
    cut: int | None
    repeats: int = 1
    """With how many rows of the public side one row is paired at most."""
    leads_to: str = ""
    """The side that a foreign key leads to: a row of the other side is paired with one row there."""

    @property
    def fields(self) -> Fields:
        """Those of both sides."""
        return (*self.left.fields, *self.right.fields)

    def canonical(self) -> Any:
        """Both sides and what must agree."""
        sides = [self.left.canonical(), self.right.canonical()]
        return ["join", "left" if self.outer else "inner", *sides, sorted(map(list, self.equal))]


@dataclass(frozen=True, slots=True)
class Union:
    """The rows of all parts."""

    parts: "tuple[Plan, ...]"
    fields: Fields
    private: bool
    cut: int | None

    @property
    def single(self) -> bool:
        """Never: a person may have a row in each part."""
        return False

    def canonical(self) -> Any:
        """The parts, in any order."""
        return ["union", *sorted((part.canonical() for part in self.parts), key=repr)]


@dataclass(frozen=True, slots=True)
class OwnAggregate:
    """What a person's own rows add up to: `kind` is count, present, distinct, sum, avg, min or max."""

    kind: str
    of: Expression | None
    where: Expression | None

    def canonical(self) -> Any:
        """Kind, expression and filter."""
        return [self.kind, *[None if each is None else each.canonical() for each in (self.of, self.where)]]


@dataclass(frozen=True, slots=True)
class PerPerson:
    """One row for each person, and for each of their keys if there are any; the person is the first field."""

    of: "Plan"
    keys: tuple[Expression, ...]
    aggregates: tuple[OwnAggregate, ...]
    fields: Fields

    @property
    def private(self) -> bool:
        """Always."""
        return True

    @property
    def single(self) -> bool:
        """One row a person unless there are keys besides."""
        return not self.keys

    @property
    def cut(self) -> int | None:
        """One row a person, exactly, unless there are keys besides."""
        return None if self.keys else 1

    def canonical(self) -> Any:
        """Keys and aggregates over its rows."""
        return [
            "person", self.of.canonical(), [key.canonical() for key in self.keys],
            *[each.canonical() for each in self.aggregates],
        ]  # fmt: skip


Plan = Scan | Where | Project | Join | Union | PerPerson


def relations_in(plan: Plan) -> int:
    """How many tables a plan reads, as often as it reads them."""
    return 1 if isinstance(plan, Scan) else sum(map(relations_in, parts_of(plan)))


def parts_of(plan: Plan) -> tuple[Plan, ...]:
    """The relations a relation is made of."""
    if isinstance(plan, Scan):
        return ()
    if isinstance(plan, Join):
        return plan.left, plan.right
    return plan.parts if isinstance(plan, Union) else (plan.of,)


def own_expressions(plan: Plan) -> tuple[Expression, ...]:
    """The expressions that a relation computes itself, for each row of what it is made of."""
    if isinstance(plan, Where):
        return (plan.predicate,)
    if isinstance(plan, Project):
        return plan.expressions
    if isinstance(plan, PerPerson):
        inner = [each for own in plan.aggregates for each in (own.of, own.where) if each is not None]
        return (*plan.keys, *inner)
    return ()


def all_expressions(plan: Plan) -> Iterator[Expression]:
    """Every expression of a plan, at any depth."""
    yield from own_expressions(plan)
    for part in parts_of(plan):
        yield from all_expressions(part)


def spread(plan: Plan) -> int:
    """How many rows one row of a person may become; known before data are read."""
    if isinstance(plan, Join):
        sides = [spread(side) for side in (plan.left, plan.right) if side.private]
        return prod(sides) * plan.repeats
    if isinstance(plan, Union):
        return sum(map(spread, plan.parts))
    if isinstance(plan, Scan) or (isinstance(plan, PerPerson) and not plan.keys):
        return 1
    return spread(plan.of)


def once(plan: Plan) -> frozenset[int]:
    """The fields whose rows are in the plan once at most: of one reading of a table, and not of another of the same."""
    if isinstance(plan, Scan):
        return frozenset(range(len(plan.fields)))
    if isinstance(plan, Where):
        return once(plan.of)
    if isinstance(plan, Project):
        below = once(plan.of)
        return frozenset(i for i, each in enumerate(plan.expressions) if isinstance(each, Ref) and each.index in below)
    if not isinstance(plan, Join) or not plan.private or plan.repeats > 1:
        return frozenset()
    at = len(plan.left.fields)
    left, right = once(plan.left), frozenset(at + i for i in once(plan.right))
    if not (plan.left.private and plan.right.private):
        return left if plan.left.private else right
    kept = left if plan.right.single or plan.leads_to == "right" else frozenset[int]()
    return kept | (right if plan.left.single or plan.leads_to == "left" else frozenset[int]())


def tables(plan: Plan) -> tuple[str, ...]:
    """The declared tables a plan reads, once each."""
    if isinstance(plan, Scan):
        return (plan.table,)
    return tuple(dict.fromkeys(table for part in parts_of(plan) for table in tables(part)))
