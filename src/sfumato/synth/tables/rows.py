"""Rows that were made up, as coded columns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.synth.tables.shape import Marginal, TableShape

Codes = NDArray[Any]
"""(column, row) -> value, in whole numbers of 32 bits, or of fewer where there are many rows."""


@dataclass(frozen=True, eq=False)
class SyntheticRows:
    """Made-up rows: the values of each column as whole numbers from 0."""

    shape: TableShape
    codes: Codes = field(repr=False)

    def __len__(self) -> int:
        return int(self.codes.shape[1])

    @cached_property
    def columns(self) -> Mapping[str, Codes]:
        """The values of each column."""
        return dict(zip(self.shape.names, self.codes, strict=True))

    def table(self, marginal: Marginal) -> NDArray[np.int64]:
        """How many rows have each combination of values of some columns."""
        return table_of(self.codes, marginal, self.shape.sizes_of(marginal))


def table_of(codes: Codes, marginal: Marginal, sizes: tuple[int, ...]) -> NDArray[np.int64]:
    """How many rows have each combination.

    >>> table_of(np.array([[0, 1, 1], [1, 0, 0]], dtype=np.int32), (0, 1), (2, 2)).tolist()
    [[0, 1], [2, 0]]
    """
    cells = np.zeros(codes.shape[1], dtype=np.int64)
    for place, size in zip(marginal, sizes, strict=True):
        cells *= size
        cells += codes[place]
    return np.bincount(cells, minlength=int(np.prod(sizes, dtype=np.int64))).reshape(sizes)


def possible_rows(codes: Codes, shape: TableShape) -> NDArray[np.bool_]:
    """Which rows have no impossible combination."""
    fine = np.ones(codes.shape[1], dtype=np.bool_)
    for marginal, mask in shape.masks.items():
        fine &= mask[tuple(codes[place] for place in marginal)]
    return fine


def whole_rows(rows: float) -> int:
    """The number of rows that is made."""
    return max(1, round(rows))
