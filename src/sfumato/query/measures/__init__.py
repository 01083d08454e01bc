"""What is measured: integer columns, each bounded for one person. A measure is one class in one file."""

from sfumato.query.measures.base import AdditiveMeasure, ColumnWriter, Measure, OfValue, Place
from sfumato.query.measures.distinct import Distinct
from sfumato.query.measures.people import People
from sfumato.query.measures.present import Present
from sfumato.query.measures.rows import Rows
from sfumato.query.measures.square import Square
from sfumato.query.measures.steps import InSteps
from sfumato.query.measures.sum import Sum
from sfumato.query.measures.values import Values

MEASURES: dict[str, type[Measure]] = {
    each.kind: each for each in (Distinct, People, Present, Rows, Square, Sum, Values)
}
"""Every measure by its name in documents."""

__all__ = [
    "MEASURES",
    "AdditiveMeasure",
    "ColumnWriter",
    "Distinct",
    "InSteps",
    "Measure",
    "OfValue",
    "People",
    "Place",
    "Present",
    "Rows",
    "Square",
    "Sum",
    "Values",
]
