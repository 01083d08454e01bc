"""COUNT_IF(p): for how many rows a condition is true, the same as COUNT(*) FILTER (WHERE p)."""

from sqlglot import exp

from sfumato.query.aggregates.count_rows import CountRows
from sfumato.query.aggregates.reading import AggregateReader, Spelling
from sfumato.query.expression import Expression, conjunction
from sfumato.query.parse import only
from sfumato.query.plan import OwnAggregate


def _count_if(node: exp.Expression, where: Expression | None, reading: AggregateReader) -> CountRows:
    return CountRows(where=_condition(node, where, reading))


def _own(node: exp.Expression, where: Expression | None, reading: AggregateReader) -> OwnAggregate:
    return OwnAggregate("count", None, _condition(node, where, reading))


def _condition(node: exp.Expression, where: Expression | None, reading: AggregateReader) -> Expression | None:
    only(node, reading.text, "this")
    condition = reading.rows.predicate(node.this)
    return condition if where is None else conjunction([where, condition])


COUNT_IF = Spelling((exp.CountIf,), ("COUNT_IF",), _count_if, own=_own, own_names=("COUNT_IF",))
