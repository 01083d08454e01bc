"""A synthetic table as it was published: answers with exact bars where it was measured, and rows made of all of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidDeclaration
from sfumato.synth.publication.answers import PublishedAnswer
from sfumato.synth.publication.estimates import EstimatedTable
from sfumato.synth.publication.impossible import Impossible
from sfumato.synth.publication.parts import Columns, Measured, PlanPart
from sfumato.synth.publication.rows import MadeRows, narrow
from sfumato.synth.publication.table_columns import CodedColumn, read_column
from sfumato.synth.publication.table_recipe import BUILDERS
from sfumato.synth.publication.table_stages import TableStages, coded_by
from sfumato.synth.publication.table_words import unpacked
from sfumato.synth.publication.tables import NoisyTable, Places
from sfumato.synth.tables import ChainRows, ExplicitRows, TreeRows, answer, builder_for, can_answer

_WORDS = {ExplicitRows: "a model of all cells", ChainRows: "chains", TreeRows: "a tree"}


class SyntheticPart:
    """The one part of a plan that makes a table."""

    kind: ClassVar[str] = "synthetic"

    @classmethod
    def read(cls, where: str, entry: Mapping[str, Any], columns: Columns) -> PlanPart:
        """It is not one of several parts."""
        raise InvalidDeclaration(
            f"{where}: a synthetic table is asked for by the plan as a whole", hint='make = "table"'
        )

    @classmethod
    def opened(cls, about: Mapping[str, Any], measured: Measured) -> "MeasuredTable":
        """The table as a folder holds it."""
        columns = tuple(read_column(each) for each in about["columns"])
        impossible = tuple(Impossible(tuple(each["columns"]), each["where"]) for each in about["impossible"])
        stages = unpacked(measured[0], columns, impossible)
        return MeasuredTable(coded_by(columns, stages), stages, str(about.get("by", "")))


@dataclass(frozen=True, eq=False)
class MeasuredTable:
    """What was measured for a table, ready to answer."""

    columns: tuple[CodedColumn, ...]
    stages: TableStages
    by: str = ""
    """How rows are made, if the plan says so."""

    @property
    def tables(self) -> tuple[NoisyTable, ...]:
        """None whose cells have noises of their own: a cell is made of several residuals."""
        return ()

    @property
    def estimated(self) -> tuple[EstimatedTable, ...]:
        """The total, every column, and the pairs that were measured."""
        names = [column.name for column in self.columns]
        wanted = [tuple(each) for size in range(4) for each in combinations(names, size)]
        return tuple(self.estimate(each) for each in wanted if can_answer(self.stages.table, each))

    def holds(self, columns: Columns) -> bool:
        """Whether these columns were measured together."""
        return can_answer(self.stages.table, columns)

    def estimate(self, columns: Columns) -> EstimatedTable:
        """The unbiased counts of every cell of some columns, all with one deviation."""
        shape = self.stages.table.shape
        sizes = tuple(shape.columns[name] for name in columns)
        places = [shape.place(name) for name in columns]
        counts = np.zeros(sizes)
        for size in range(len(places) + 1):
            for axes in combinations(range(len(places)), size):
                marginal = tuple(sorted(places[axis] for axis in axes))
                table, _ = self.stages.table.tables[marginal]
                order = sorted(axes, key=lambda axis: places[axis])
                table = np.transpose(table, [order.index(axis) for axis in axes]) if axes else table
                shaped = table.reshape([sizes[axis] if axis in axes else 1 for axis in range(len(places))])
                counts += shaped / np.prod([sizes[axis] for axis in range(len(places)) if axis not in axes])
        one = answer(self.stages.table, {name: _only(size, 0) for name, size in zip(columns, sizes, strict=True)})
        return EstimatedTable(columns, counts, one.deviation, one.rounding)

    def answer(self, chosen: Mapping[str, Places], confidence: Fraction) -> PublishedAnswer | None:
        """The unbiased answer of one or two columns that were measured together, with its exact bar."""
        if not can_answer(self.stages.table, tuple(chosen)):
            return None
        sizes = self.stages.table.shape.columns
        found = answer(self.stages.table, {name: _some(sizes[name], places) for name, places in chosen.items()})
        off = found.error(1 - confidence).alpha
        name = " × ".join(chosen) or "all rows"
        ends = found.value - off, found.value + off
        return PublishedAnswer(found.value, found.deviation, *ends, float(confidence), (name,))

    def rows(self) -> MadeRows:
        """Rows of the maximum-entropy model of all that was measured, the same each time."""
        measured = self.stages.table
        builder = BUILDERS[self.by]() if self.by else builder_for(measured.shape)
        made = builder.build(measured)
        columns = {name: codes.astype(narrow(measured.shape.columns[name])) for name, codes in made.columns.items()}
        words = next(word for kind, word in _WORDS.items() if isinstance(builder, kind))
        pairs, every = len(measured.measured_pairs), len(measured.shape.pairs)
        triples = len(measured.measured_triples)
        more = "" if not triples else f" and {triples} {'triple' if triples == 1 else 'triples'}"
        return MadeRows(columns, f"every column, {pairs} of {every} pairs of columns{more}, by {words}")


def _some(size: int, places: Places) -> NDArray[np.float64]:
    found = np.zeros(size)
    found[list(places)] = 1.0
    return found


def _only(size: int, place: int) -> NDArray[np.float64]:
    return _some(size, [place])
