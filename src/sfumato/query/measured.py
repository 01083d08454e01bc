"""The fewest measures that answer all aggregates of a question, and which columns each aggregate is made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.query.aggregates import Aggregate, AskedTogether, NoisyCell
from sfumato.query.aggregates.base import Exact
from sfumato.query.bars import Bar
from sfumato.query.measures import Measure


@dataclass(frozen=True, slots=True)
class Recipe:
    """An aggregate, and the measures and columns it is made of, in the order it takes them."""

    aggregate: Aggregate
    measures: tuple[Measure, ...]
    columns: tuple[int, ...]

    def answer(self, noisy: Sequence[Any], reach: Sequence[Exact]) -> Bar:
        """The aggregate of one group's noisy columns, each off by at most its reach."""
        cells = [NoisyCell(m, noisy[at], reach[at]) for m, at in zip(self.measures, self.columns, strict=True)]
        return self.aggregate.answer(cells)

    def expected_error(self, reach: Sequence[float]) -> float:
        """The figure of what can be said of its error before data are seen."""
        return self.aggregate.expected_error([reach[at] for at in self.columns], self.measures[0])


@dataclass(frozen=True, slots=True)
class Measures:
    """The measures of a question, where each one's columns start, and a recipe for each aggregate."""

    measures: tuple[Measure, ...]
    starts: tuple[int, ...]
    recipes: tuple[Recipe, ...]


def measured(aggregates: tuple[Aggregate, ...]) -> Measures:
    """The measures of aggregates that are asked together, in an order that does not depend on that of SELECT."""
    beside = AskedTogether(aggregates)
    wanted = [aggregate.cells(beside) for aggregate in aggregates]
    different = dict.fromkeys(cell.measure for cells in wanted for cell in cells)
    measures = sorted(different, key=lambda measure: repr(measure.canonical()))
    starts, at = [], 0
    for measure in measures:
        starts.append(at)
        at += measure.columns
    first = dict(zip(measures, starts, strict=True))
    recipes = [
        Recipe(
            aggregate,
            tuple(cell.measure for cell in cells),
            tuple(first[cell.measure] + cell.column for cell in cells),
        )
        for aggregate, cells in zip(aggregates, wanted, strict=True)
    ]
    return Measures(tuple(measures), tuple(starts), tuple(recipes))
