"""What a person's own rows add up to, and how many of them count: aggregates that stay inside."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import assert_never

from sqlglot import exp

from sfumato.data import Dataset, Kind
from sfumato.query.expression import Expression, Field, bounded, of_person
from sfumato.query.parse import only, refused, sql_of
from sfumato.query.plan import Join, OwnAggregate, PerPerson, Plan, Project, Scan, Union, Where
from sfumato.query.range import Range
from sfumato.query.rows import Rows
from sfumato.query.scope import Name, Scope


class Own:
    """Aggregates over a person's own rows: they stay inside, so they are exact."""

    def __init__(self, dataset: Dataset, rows: Rows, plan: Plan, keys: list[Field]) -> None:
        self._dataset, self.rows, self._plan, self.keys = dataset, rows, plan, keys
        self.aggregates: list[OwnAggregate] = []
        self.fields: list[Field] = []
        self._text = rows.text

    def value(self, node: exp.Expression) -> Expression:
        """An expression over the aggregates of one person."""
        names: list[Name] = []
        prepared = self._prepared(node.copy(), names)
        return bounded(Rows(Scope(tuple(names), self._text))(prepared))

    def predicate(self, node: exp.Expression) -> Expression:
        """A condition over the aggregates of one person."""
        names: list[Name] = []
        prepared = self._prepared(node.copy(), names)
        return Rows(Scope(tuple(names), self._text)).predicate(prepared)

    def _prepared(self, node: exp.Expression, names: list[Name]) -> exp.Expression:
        """The node with every aggregate replaced by a column that holds it."""

        def swap(each: exp.Expression) -> exp.Expression:
            if not isinstance(each, exp.AggFunc | exp.Filter):
                return each
            index, field = self._aggregate(each, len(self.keys))
            name = f"aggregate {index}"
            names.append(Name("", name, index, field))
            made = exp.Column(this=exp.to_identifier(name, quoted=True))
            made.this.meta.update(each.meta)
            return made

        return swapped(node, swap)

    def _aggregate(self, node: exp.Expression, at: int) -> tuple[int, Field]:
        where = None
        if type(node) is exp.Filter:
            where = self.rows.predicate(node.expression.this)
            node = node.this
        made, kind, found = self._kind(node, where)
        if made in self.aggregates:
            index = self.aggregates.index(made)
        else:
            index = len(self.aggregates)
            self.aggregates.append(made)
            traces = made.of is not None and of_person(made.of)
            self.fields.append(Field(sql_of(node), kind, found, traces=traces, own=len(self.keys) == 1))
        return at + index, self.fields[index]

    def _kind(self, node: exp.Expression, where: Expression | None) -> tuple[OwnAggregate, Kind, Range]:
        most = Fraction(bounds(self._plan, self._dataset)[0])
        count = Range(Fraction(0), most, Fraction(1))
        only(node, self._text, "this", "big_int", "expressions")
        match node:
            case exp.Count(this=exp.Star()):
                return OwnAggregate("count", None, where), Kind.INTEGER, count
            case exp.Count(this=exp.Distinct(expressions=[one])):
                return OwnAggregate("distinct", self.rows(one), where), Kind.INTEGER, count
            case exp.Count():
                return OwnAggregate("present", self.rows(node.this), where), Kind.INTEGER, count
            case _:
                pass
        kinds: dict[type[exp.Expression], str] = {exp.Sum: "sum", exp.Avg: "avg", exp.Min: "min", exp.Max: "max"}
        if type(node) not in kinds or node.args.get("expressions") or type(node.this) is exp.Distinct:
            raise refused("this aggregate is not answered per person", node, self._text,
                          hint="COUNT, COUNT(DISTINCT x), SUM, AVG, MIN or MAX")  # fmt: skip
        of = bounded(self.rows(node.this))
        kind = kinds[type(node)]
        if kind in ("sum", "avg") and not (of.kind.is_number and of.range.is_bounded):
            raise refused(f"{kind.upper()} needs a number with declared bounds", node, self._text,
                          hint="the owner declares lower and upper; or LEAST and GREATEST bound it here")  # fmt: skip
        if kind == "sum":
            low, high = of.range.lower or Fraction(0), of.range.upper or Fraction(0)
            total = Range(most * min(low, Fraction(0)), most * max(high, Fraction(0)), of.range.step)
            return OwnAggregate(kind, of, where), of.kind, total
        return (
            OwnAggregate(kind, of, where),
            Kind.REAL if kind == "avg" else of.kind,
            replace(of.range, grid=None if kind == "avg" else of.range.grid),
        )


def bounds(plan: Plan, dataset: Dataset) -> tuple[int, int]:
    """How many rows of a person count in a group, and in how many groups a person counts."""
    match plan:
        case Scan():
            table = dataset.table(plan.table)
            if dataset.unit is None or plan.single or table is None:
                return 1, 1
            return table.rows_per_group, table.groups_per_person
        case Join():
            sides = [bounds(side, dataset) for side in (plan.left, plan.right) if side.private]
            return max((s[0] for s in sides), default=1), max((s[1] for s in sides), default=1)
        case Union():
            sides = [bounds(part, dataset) for part in plan.parts]
            return sum(s[0] for s in sides), sum(s[1] for s in sides)
        case PerPerson():
            return (1, 1) if plan.single else (1, bounds(plan.of, dataset)[1])
        case Where() | Project():
            return bounds(plan.of, dataset)
        case _:
            assert_never(plan)


def swapped(node: exp.Expression, swap: Callable[[exp.Expression], exp.Expression]) -> exp.Expression:
    """The node with parts exchanged, larger parts before smaller ones."""
    made = swap(node)
    if made is not node:
        return made
    for name, value in list(node.args.items()):
        match value:
            case exp.Expression():
                node.set(name, swapped(value, swap))
            case list():
                node.set(name, [_swapped_if_node(each, swap) for each in value])
            case _:
                pass
    return node


def _swapped_if_node(value: object, swap: Callable[[exp.Expression], exp.Expression]) -> object:
    match value:
        case exp.Expression():
            return swapped(value, swap)
        case _:
            return value


def aggregates_in(node: exp.Expression) -> bool:
    """Whether there is an aggregate in a node."""
    return any(isinstance(each, exp.AggFunc) for each in node.walk())
