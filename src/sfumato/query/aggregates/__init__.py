"""Aggregates over people. An aggregate is one class in one file, with how it is written in SQL."""

from sqlglot import exp

from sfumato.query.aggregates.average import AVG, Average
from sfumato.query.aggregates.base import Aggregate, Beside, Cell, NoisyCell, OverValues
from sfumato.query.aggregates.count import COUNT
from sfumato.query.aggregates.count_distinct import CountDistinct
from sfumato.query.aggregates.count_people import CountPeople
from sfumato.query.aggregates.count_rows import CountRows
from sfumato.query.aggregates.count_values import CountValues
from sfumato.query.aggregates.quantile import QUANTILE, QuantileOf
from sfumato.query.aggregates.reading import Reading, Spelling
from sfumato.query.aggregates.total import SUM, Total
from sfumato.query.aggregates.variance import VARIANCE, Variance
from sfumato.query.expression import Expression
from sfumato.query.parse import refused, word

SPELLINGS: tuple[Spelling, ...] = (COUNT, SUM, AVG, VARIANCE, QUANTILE)
"""Every aggregate that is answered."""
_READERS = {node: spelling.read for spelling in SPELLINGS for node in spelling.nodes}
_ROWS = {"GROUP_CONCAT": "rows are not released", "ARRAY_AGG": "rows are not released"}


def is_aggregate(node: exp.Expression) -> bool:
    """Whether a node is an aggregate, answered or not, with its filter."""
    return isinstance(node, exp.AggFunc | exp.Filter) or type(node) in _READERS


def read_aggregate(node: exp.Expression, where: Expression | None, reading: Reading) -> Aggregate:
    """The aggregate that a node is, over the rows that a filter leaves."""
    reader = _READERS.get(type(node))
    if reader is not None:
        return reader(node, where, reading)
    known = ", ".join(name for spelling in SPELLINGS for name in spelling.names)
    name = word(node)
    raise refused(f"{name} is not answered", node, reading.text,
                  hint=_ROWS.get(name.removesuffix("(…)"), f"there are {known}"))  # fmt: skip


__all__ = [
    "SPELLINGS",
    "Aggregate",
    "Average",
    "Beside",
    "Cell",
    "CountDistinct",
    "CountPeople",
    "CountRows",
    "CountValues",
    "NoisyCell",
    "OverValues",
    "QuantileOf",
    "Reading",
    "Spelling",
    "Total",
    "Variance",
    "is_aggregate",
    "read_aggregate",
]
