"""What a person's own rows add up to: aggregates that stay inside."""

from fractions import Fraction

from sqlglot import exp

from sfumato.data import Dataset
from sfumato.query.aggregates import AggregateReader, read_own_aggregate
from sfumato.query.contributions import own_rows
from sfumato.query.expression import Expression, Field, bounded, of_person
from sfumato.query.own_kinds import OWN_KINDS
from sfumato.query.parse import only, sql_of
from sfumato.query.plan import OwnAggregate, Plan
from sfumato.query.planted import Planted, exchanged
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
        made = read_own_aggregate(node, where, AggregateReader(self.rows))
        if made not in self.aggregates:
            self.aggregates.append(made)
            kind, most = OWN_KINDS[made.kind], Fraction(own_rows(self._plan, self._dataset))
            traces = any(of_person(each) for each in (made.of, made.where) if each is not None)
            own = len(self.keys) == 1
            field = Field(sql_of(node), kind.gives(made.of), kind.range(made.of, most), traces=traces, own=own)
            self.fields.append(field)
        index = self.aggregates.index(made)
        return at + index, self.fields[index]


def aggregates_in(node: exp.Expression) -> bool:
    """Whether there is an aggregate in a node."""
    return any(isinstance(each, exp.AggFunc) for each in node.walk())
