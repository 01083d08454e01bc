"""One column by itself, from all the tables that say something of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.synth.publication.answers import TableCombination, combined
from sfumato.synth.publication.estimates import CellTable
from sfumato.synth.publication.tables import NoisyTable


@dataclass(frozen=True)
class SingleCounts:
    """The counts of a column's values, each made of the same sums of tables."""

    how: TableCombination
    column: str

    def rows(self) -> NDArray[np.float64]:
        """The counts in rows."""
        found = np.zeros(self.how.tables[0].over([self.column]).shape)
        for table, weight in zip(self.how.tables, self.how.weights, strict=True):
            found = found + float(weight) * table.over([self.column]).astype(np.float64) / 2.0**table.bits
        return found

    def reach(self, beta: Fraction) -> float:
        """How far one of them is off at most, with probability 1 - beta."""
        return float(self.how.reach(beta))


def single_counts(tables: Sequence[CellTable], column: str) -> "SingleCounts | CellTable | None":
    """The counts of one column: estimated by themselves, or combined from noisy tables; None where nothing says."""
    for table in tables:
        if table.columns == (column,) and not isinstance(table, NoisyTable):
            return table
    how = combined([table for table in tables if isinstance(table, NoisyTable)], {column: 1})
    return None if how is None else SingleCounts(how, column)
