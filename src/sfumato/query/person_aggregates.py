"""What a person's own rows add up to: aggregates that stay inside."""

from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from sfumato.data import Dataset, Kind
from sfumato.query.contributions import bounds
from sfumato.query.expression import Expression, Field, bounded, of_person
from sfumato.query.parse import only, refused, sql_of
from sfumato.query.plan import OwnAggregate, Plan
from sfumato.query.planted import Planted, exchanged
from sfumato.query.range import Range
from sfumato.query.rows import RowReader


class PersonAggregates:
    """Aggregates over a person's own rows: they stay inside, so they are exact."""

    def __init__(self, dataset: Dataset, rows: RowReader, plan: Plan, keys: list[Field]) -> None:
        self._dataset, self.rows, self._plan, self.keys = dataset, rows, plan, keys
        self.aggregates: list[OwnAggregate] = []
        self.fields: list[Field] = []
        self._text = rows.text

    def value(self, node: exp.Expression) -> Expression:
        """An expression over the aggregates of one person."""
        planted = Planted(self._text)
        return bounded(planted.value(self._prepared(node, planted)))

    def predicate(self, node: exp.Expression) -> Expression:
        """A condition over the aggregates of one person."""
        planted = Planted(self._text)
        return planted.predicate(self._prepared(node, planted))

    def _prepared(self, node: exp.Expression, planted: Planted) -> exp.Expression:
        """The node with every aggregate replaced by a column that holds it."""

        def swap(each: exp.Expression) -> exp.Expression:
            if isinstance(each, exp.AggFunc | exp.Filter):
                return planted.plant(each, *self._aggregate(each, len(self.keys)))
            if type(each) is exp.Column:
                self.rows(each)  # a column that is not there is refused as such
            return each

        return exchanged(node, swap)

    def _aggregate(self, node: exp.Expression, at: int) -> tuple[int, Field]:
        where = None
        if type(node) is exp.Filter:
            only(node, self._text, "this", "expression")
            where = self.rows.predicate(node.expression.this)
            node = node.this
        made, kind, found = self._kind(node, where)
        if made not in self.aggregates:
            self.aggregates.append(made)
            traces = made.of is not None and of_person(made.of)
            self.fields.append(Field(sql_of(node), kind, found, traces=traces, own=len(self.keys) == 1))
        index = self.aggregates.index(made)
        return at + index, self.fields[index]

    def _kind(self, node: exp.Expression, where: Expression | None) -> tuple[OwnAggregate, Kind, Range]:
        most = Fraction(bounds(self._plan, self._dataset)[0])
        count = Range(Fraction(0), most, Fraction(1))
        only(node, self._text, "this", "big_int", "expressions")
        if isinstance(node, exp.Count):
            if isinstance(node.this, exp.Star):
                return OwnAggregate("count", None, where), Kind.INTEGER, count
            if isinstance(node.this, exp.Distinct) and len(node.this.expressions) == 1:
                return OwnAggregate("distinct", self.rows(node.this.expressions[0]), where), Kind.INTEGER, count
            return OwnAggregate("present", self.rows(node.this), where), Kind.INTEGER, count
        kinds: dict[type[exp.Expression], str] = {exp.Sum: "sum", exp.Avg: "avg", exp.Min: "min", exp.Max: "max"}
        if type(node) not in kinds or node.args.get("expressions") or isinstance(node.this, exp.Distinct):
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


def aggregates_in(node: exp.Expression) -> bool:
    """Whether there is an aggregate in a node."""
    return any(isinstance(each, exp.AggFunc) for each in node.walk())
