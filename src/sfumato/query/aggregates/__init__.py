"""Aggregates over people. An aggregate is one class in one file, with how it is written in SQL."""

from sqlglot import exp

from sfumato.query.aggregates.average import AVG, Average
from sfumato.query.aggregates.base import Aggregate, AskedTogether, OverValues
from sfumato.query.aggregates.count import COUNT
from sfumato.query.aggregates.count_distinct import CountDistinct
from sfumato.query.aggregates.count_if import COUNT_IF
from sfumato.query.aggregates.count_people import CountPeople
from sfumato.query.aggregates.count_rows import CountRows
from sfumato.query.aggregates.count_values import CountValues
from sfumato.query.aggregates.quantile import QUANTILE, QuantileOf
from sfumato.query.aggregates.reading import AggregateReader, Spelling
from sfumato.query.aggregates.sum import SUM, SumOf
from sfumato.query.aggregates.variance import VARIANCE, Variance
from sfumato.query.expression import Expression
from sfumato.query.parse import refused, word
from sfumato.query.plan import OwnAggregate

SPELLINGS: tuple[Spelling, ...] = (COUNT, COUNT_IF, SUM, AVG, VARIANCE, QUANTILE)
"""Every aggregate that is answered."""
_BY_NODE = {node: spelling for spelling in SPELLINGS for node in spelling.nodes}
_ROWS = (exp.GroupConcat, exp.ArrayAgg)
CALLED: tuple[str, ...] = (
    *(name for spelling in SPELLINGS for name in spelling.names), "MEAN", "VAR", "VAR_POP", "STD", "STDDEV_POP",
    "PERCENTILE_CONT",
)  # fmt: skip
"""What a question may call, for those who ask for something that is not there."""


def is_aggregate(node: exp.Expression) -> bool:
    """Whether a node is an aggregate, answered or not, with its filter."""
    return isinstance(node, exp.AggFunc | exp.Filter) or type(node) in _BY_NODE


def read_aggregate(node: exp.Expression, where: Expression | None, reading: AggregateReader) -> Aggregate:
    """The aggregate that a node is, over the rows that a filter leaves."""
    spelling = _BY_NODE.get(type(node))
    if spelling is not None:
        return spelling.read(node, where, reading)
    known = ", ".join(name for spelling in SPELLINGS for name in spelling.names)
    hint = "rows are not released" if isinstance(node, _ROWS) else f"there are {known}"
    raise refused(f"{word(node, reading.text)} is not answered", node, reading.text, hint=hint)


def read_own_aggregate(node: exp.Expression, where: Expression | None, reading: AggregateReader) -> OwnAggregate:
    """The aggregate that a node is over one person's rows."""
    spelling = _BY_NODE.get(type(node))
    made = None if spelling is None else spelling.own(node, where, reading)
    if made is None:
        known = ", ".join(name for each in SPELLINGS for name in each.own_names)
        raise refused("this aggregate is not answered per person", node, reading.text, hint=f"there are {known}")
    return made


__all__ = [
    "CALLED",
    "SPELLINGS",
    "Aggregate",
    "AggregateReader",
    "AskedTogether",
    "Average",
    "CountDistinct",
    "CountPeople",
    "CountRows",
    "CountValues",
    "OverValues",
    "QuantileOf",
    "Spelling",
    "SumOf",
    "Variance",
    "is_aggregate",
    "read_aggregate",
    "read_own_aggregate",
]
