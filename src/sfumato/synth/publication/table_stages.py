"""What was measured for a synthetic table, stage by stage, and the shape that its columns have then."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.synth.publication.impossible import Impossible
from sfumato.synth.publication.table_columns import BinnedColumn, CodedColumn, TableColumn
from sfumato.synth.tables import TableMeasurements, TableShape
from sfumato.synth.tables.grids import MeasuredGrid

Found = Mapping[str, Sequence[Any]]
"""Of columns whose values were not public, what was found: texts, or the cells where bins begin."""


@dataclass(frozen=True, eq=False)
class TableStages:
    """Everything that was measured for a table: what was found of columns, grids, and the table itself."""

    found: Found
    grids: tuple[MeasuredGrid, ...]
    table: TableMeasurements


def coded_by(columns: Sequence[TableColumn], stages: TableStages) -> tuple[CodedColumn, ...]:
    """The columns as they were found, bins with values that their grids tell."""
    grids, found = iter(stages.grids), list[CodedColumn]()
    for column in columns:
        known = stages.found.get(column.name, ())
        found.append(column.coded(known, next(grids)) if isinstance(column, BinnedColumn) else column.coded(known))
    return tuple(found)


def sizes_of(columns: Sequence[CodedColumn]) -> dict[str, int]:
    """How many values each column has."""
    return {column.name: len(column.values) for column in columns}


def shape_of(sizes: Mapping[str, int], impossible: Sequence[Impossible], *, moved: int, parts: int) -> TableShape:
    """The shape of columns of these sizes; refused where nothing is left possible."""
    masks: dict[tuple[str, ...], NDArray[np.bool_]] = {}
    for each in impossible:
        there = masks.get(each.columns)
        masks[each.columns] = each.mask(sizes) if there is None else there | each.mask(sizes)
    return TableShape(sizes, masks, moved=moved, parts=parts)
