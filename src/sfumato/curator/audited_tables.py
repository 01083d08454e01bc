"""Synthetic tables before the auditor, on tables of four cells: what is measured, and the rows that are made of it."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting.events import Event
from sfumato.audit import AuditedMechanism
from sfumato.audit.pairs import Pair
from sfumato.synth.tables import Marginal, TableShape, TableSynthesiser

DELTA = 0.01
SHAPE = TableShape({"a": 2, "b": 2})
WEIGHTED = TableShape({"a": 2, "b": 2}, moved=3, parts=2)
ONE_MORE: tuple[Pair, ...] = (
    Pair([3, 0, 0, 3], [4, 0, 0, 3], "one row more"),
    Pair([1, 0, 0, 0], [0, 0, 0, 0], "the only row"),
)
THREE_PARTS: tuple[Pair, ...] = (
    Pair([4, 0, 0, 4], [7, 0, 0, 4], "all parts in one cell"),
    Pair([4, 0, 0, 4], [5, 1, 0, 5], "parts in several cells"),
)


def marginals(counts: list[int]) -> Callable[[Marginal], NDArray[np.int64]]:
    """The callback of four counts."""
    table = np.array(counts, dtype=np.int64).reshape(SHAPE.sizes)
    return lambda kept: np.asarray(table.sum(axis=tuple({0, 1} - set(kept))))


@dataclass(frozen=True)
class PublishedMeasurements:
    """Everything that is measured, as numbers: no post-processing in between."""

    mechanism: TableSynthesiser

    @property
    def event(self) -> Event:
        """What it charges."""
        return self.mechanism.event

    def release(self, counts: list[int]) -> list[int | float]:
        """Noisy residuals and scores."""
        measured = self.mechanism.measure(marginals(counts))
        said = [int(value) for each in measured.residuals for value in each.values.ravel()]
        return [*said, *(int(value) for value in ([] if measured.scores is None else measured.scores.values))]


@dataclass(frozen=True)
class PublishedRows(PublishedMeasurements):
    """How many made-up rows have each combination of values."""

    def release(self, counts: list[int]) -> list[int | float]:
        """The table of the rows."""
        made = self.mechanism.release(marginals(counts))
        return [int(count) for count in made.table((0, 1)).ravel()]


def _tables(
    kind: type[PublishedMeasurements], shape: TableShape = SHAPE
) -> Callable[[Fraction], PublishedMeasurements]:
    return lambda e: kind(TableSynthesiser.calibrated(shape=shape, epsilon=e, delta=DELTA))


TABLES: tuple[AuditedMechanism, ...] = (
    AuditedMechanism("synth: table, measured", _tables(PublishedMeasurements), ONE_MORE, delta=DELTA),
    AuditedMechanism("synth: table, weights", _tables(PublishedMeasurements, WEIGHTED), THREE_PARTS, delta=DELTA),
    AuditedMechanism("synth: table, rows", _tables(PublishedRows), ONE_MORE[:1], delta=DELTA),
)
"""The default synthesiser."""
