"""The plan: a frozen tree of relations in which the person is carried along, whatever the columns are called."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import assert_never

from sfumato.query.expression import Expression, Field, Ref, conjunction

Fields = tuple[Field, ...]
Canonical = list[object]
"""What decides a value, in lists of words and numbers: equal for equal questions."""


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

    def canonical(self) -> Canonical:
        """The table's name and its columns, which positions refer to."""
        return ["scan", self.table, *[[field.name, field.kind.value] for field in self.fields]]


class _RowsOfAnother:
    """A relation with the rows of another, or some of them: whose they are, and how many, is as it is there."""

    __slots__ = ()
    of: "Plan"

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


@dataclass(frozen=True, slots=True)
class Where(_RowsOfAnother):
    """The rows for which a predicate is true."""

    of: "Plan"
    predicate: Expression

    @property
    def fields(self) -> Fields:
        """Those of the rows it keeps."""
        return self.of.fields

    def canonical(self) -> Canonical:
        """The predicate over its rows."""
        return ["where", self.of.canonical(), self.predicate.canonical()]


@dataclass(frozen=True, slots=True)
class Project(_RowsOfAnother):
    """New columns, each computed from one row."""

    of: "Plan"
    expressions: tuple[Expression, ...]
    fields: Fields

    def canonical(self) -> Canonical:
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

    def canonical(self) -> Canonical:
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

    def canonical(self) -> Canonical:
        """The parts, in any order."""
        return ["union", *sorted((part.canonical() for part in self.parts), key=repr)]


@dataclass(frozen=True, slots=True)
class OwnAggregate:
    """What a person's own rows add up to; `kind` is one of `own_kinds`."""

    kind: str
    of: Expression | None
    where: Expression | None

    def canonical(self) -> Canonical:
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

    def canonical(self) -> Canonical:
        """Keys and aggregates over its rows."""
        return [
            "person", self.of.canonical(), [key.canonical() for key in self.keys],
            *[each.canonical() for each in self.aggregates],
        ]  # fmt: skip


Plan = Scan | Where | Project | Join | Union | PerPerson


def filtered(plan: Plan, predicate: Expression) -> Where:
    """The rows of a plan for which a predicate is true besides what it asks already."""
    match plan:
        case Where():
            return Where(plan.of, conjunction([plan.predicate, predicate]) or predicate)
        case _:
            return Where(plan, predicate)


def relations_in(plan: Plan) -> int:
    """How many tables a plan reads, as often as it reads them."""
    return sum(map(relations_in, parts_of(plan))) or 1


def parts_of(plan: Plan) -> tuple[Plan, ...]:
    """The relations a relation is made of."""
    match plan:
        case Scan():
            return ()
        case Where() | Project() | PerPerson():
            return (plan.of,)
        case Join():
            return plan.left, plan.right
        case Union():
            return plan.parts
        case _:
            assert_never(plan)


def own_expressions(plan: Plan) -> tuple[Expression, ...]:
    """The expressions that a relation computes itself, for each row of what it is made of."""
    match plan:
        case Where():
            return (plan.predicate,)
        case Project():
            return plan.expressions
        case PerPerson():
            inner = [each for own in plan.aggregates for each in (own.of, own.where) if each is not None]
            return (*plan.keys, *inner)
        case Scan() | Join() | Union():
            return ()
        case _:
            assert_never(plan)


def shows_people(plan: Plan) -> bool:
    """Whether who somebody is becomes a value, at any depth."""
    return isinstance(plan, PerPerson) or any(map(shows_people, parts_of(plan)))


def all_expressions(plan: Plan) -> Iterator[Expression]:
    """Every expression of a plan, at any depth."""
    yield from own_expressions(plan)
    for part in parts_of(plan):
        yield from all_expressions(part)


def tables(plan: Plan) -> tuple[str, ...]:
    """The declared tables a plan reads, once each."""
    match plan:
        case Scan():
            return (plan.table,)
        case _:
            return tuple(dict.fromkeys(table for part in parts_of(plan) for table in tables(part)))


def spread(plan: Plan) -> int:
    """How many rows one row of a person may become; known before data are read."""
    match plan:
        case Scan():
            return 1
        case Where() | Project():
            return spread(plan.of)
        case PerPerson():
            return spread(plan.of) if plan.keys else 1
        case Join():
            return prod(spread(side) for side in (plan.left, plan.right) if side.private) * plan.repeats
        case Union():
            return sum(map(spread, plan.parts))
        case _:
            assert_never(plan)


def once(plan: Plan) -> frozenset[int]:
    """The fields whose rows are in the plan once at most: of one reading of a table, and not of another of the same."""
    match plan:
        case Scan():
            return frozenset(range(len(plan.fields)))
        case Where():
            return once(plan.of)
        case Project():
            below = once(plan.of)
            return frozenset(
                i for i, each in enumerate(plan.expressions) if isinstance(each, Ref) and each.index in below
            )
        case Join():
            return _once_in_join(plan)
        case Union() | PerPerson():
            return frozenset()
        case _:
            assert_never(plan)


def _once_in_join(plan: Join) -> frozenset[int]:
    """A row of one side is once in the pairs if it is once there and has one partner at most."""
    if plan.repeats > 1:
        return frozenset()
    left, right = once(plan.left), frozenset(len(plan.left.fields) + i for i in once(plan.right))
    kept: frozenset[int] = frozenset()
    if plan.left.private and (not plan.right.private or plan.right.single or plan.leads_to == "right"):
        kept |= left
    if plan.right.private and (not plan.left.private or plan.left.single or plan.leads_to == "left"):
        kept |= right
    return kept
