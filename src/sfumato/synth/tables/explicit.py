"""The maximum-entropy model cell by cell: columns, measured pairs and triples met in proportion, again and again."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.synth.tables.residuals import Floats
from sfumato.synth.tables.rows import Codes
from sfumato.synth.tables.shape import Marginal, TableShape
from sfumato.synth.tables.stream import RowStream

_EMPTY = 1e-300


@dataclass
class ExplicitModel:
    """A number of rows for every combination of values; combinations that cannot be have none."""

    shape: TableShape
    weights: Floats

    @classmethod
    def independent(cls, shape: TableShape, singles: Sequence[Floats]) -> "ExplicitModel":
        """Columns that say nothing of each other, but for what is impossible."""
        weights = np.full(shape.sizes, float(singles[0].sum()))
        for column, table in enumerate(singles):
            weights *= _along(shape, (column,), table / max(float(table.sum()), _EMPTY))
        for marginal, mask in shape.masks.items():
            weights *= _along(shape, marginal, mask.astype(np.float64))
        return cls(shape, weights)

    def table(self, marginal: Marginal) -> Floats:
        """What the model says of a marginal."""
        found = self._grouped(marginal)
        for axis in range(0, found.ndim, 2):  # one long run after the other, from the outermost: what is left is small
            if found.shape[axis] > 1:
                found = found.sum(axis=axis, keepdims=True)
        return np.array(found.reshape(self.shape.sizes_of(marginal)))  # never a view of the model

    def _grouped(self, marginal: Marginal) -> Floats:
        """The cells as (before, a column, between, a column, …, after): what lies between is one axis."""
        sizes, grouped, last = self.shape.sizes, list[int](), 0
        for place in marginal:
            grouped += [math.prod(sizes[last:place]), sizes[place]]
            last = place + 1
        return self.weights.reshape([*grouped, math.prod(sizes[last:])])

    def fit(self, singles: Sequence[Floats], joint: Mapping[Marginal, Floats]) -> None:
        """Meet every table once, in proportion (Deming, Stephan 1940); it ends at maximum entropy."""
        for marginal, target in joint.items():
            self._meet(marginal, target)
        joined = {column for marginal in joint for column in marginal}
        for column, target in enumerate(singles):
            if column not in joined:
                self._meet((column,), target)

    def _meet(self, marginal: Marginal, target: Floats) -> None:
        now = self.table(marginal)
        factor = np.where(now > _EMPTY, target / np.maximum(now, _EMPTY), 0.0)
        cells = self._grouped(marginal)  # a view
        cells *= factor.reshape([1 if axis % 2 == 0 else size for axis, size in enumerate(cells.shape)])


def _along(shape: TableShape, marginal: Marginal, table: Floats) -> Floats:
    """A marginal's table laid along its columns of the whole domain."""
    sizes = [size if place in marginal else 1 for place, size in enumerate(shape.sizes)]
    return np.asarray(table.reshape(sizes))


def rows_of_model(model: ExplicitModel, rows: int, stream: RowStream) -> Codes:
    """Rows by systematic sampling: every stretch of cells has within one row of what the model says."""
    ends = np.cumsum(model.weights.ravel())
    if not ends[-1] > 0:  # targets and masks that contradict each other leave the model nothing
        return np.repeat(np.array(model.shape.possible_row, dtype=np.int32)[:, None], rows, axis=1)
    marks = (np.arange(rows) + stream.fine_uniforms(1)[0]) * (ends[-1] / rows)
    cells = np.minimum(np.searchsorted(ends, marks, side="right"), ends.size - 1)
    codes = np.array(np.unravel_index(cells, model.shape.sizes), dtype=np.int32)
    return np.ascontiguousarray(codes[:, stream.order(rows)])
