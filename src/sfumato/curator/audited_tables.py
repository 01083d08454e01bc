"""Synthetic tables before the auditor, on tables of four or eight cells: what is measured, and the rows made of it."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting.events import Event
from sfumato.audit import AuditedMechanism
from sfumato.audit.pairs import Pair
from sfumato.synth.tables import Marginal, TableShape, TableSynthesiser, Triples

DELTA = 0.01
SHAPE = TableShape({"a": 2, "b": 2})
CUBE = TableShape({"a": 2, "b": 2, "c": 2})
WEIGHTED = TableShape({"a": 2, "b": 2}, moved=3, parts=2)
ONE_MORE: tuple[Pair, ...] = (
    Pair([3, 0, 0, 3], [4, 0, 0, 3], "one row more"),
    Pair([1, 0, 0, 0], [0, 0, 0, 0], "the only row"),
)
THREE_PARTS: tuple[Pair, ...] = (
    Pair([4, 0, 0, 4], [7, 0, 0, 4], "all parts in one cell"),
    Pair([4, 0, 0, 4], [5, 1, 0, 5], "parts in several cells"),
)
ONE_IN_A_CUBE: tuple[Pair, ...] = (
    Pair([5, 0, 0, 5, 0, 5, 5, 0], [6, 0, 0, 5, 0, 5, 5, 0], "one row more of a parity"),
)


def marginals(shape: TableShape, counts: list[int]) -> Callable[[Marginal], NDArray[np.int64]]:
    """The callback of the counts of all cells."""
    table = np.array(counts, dtype=np.int64).reshape(shape.sizes)
    return lambda kept: np.asarray(table.sum(axis=tuple(set(range(table.ndim)) - set(kept))))


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
        measured = self.mechanism.measure(marginals(self.mechanism.shape, counts))
        said: list[int | float] = [int(value) for each in measured.residuals for value in each.values.ravel()]
        for scores in (measured.scores, measured.triple_scores):
            said += [] if scores is None else [int(value) for value in scores.values]
        return said


@dataclass(frozen=True)
class PublishedRows(PublishedMeasurements):
    """How many made-up rows have each combination of values."""

    def release(self, counts: list[int]) -> list[int | float]:
        """The table of the rows."""
        made = self.mechanism.release(marginals(self.mechanism.shape, counts))
        return [int(count) for count in made.table(tuple(range(len(made.shape.sizes)))).ravel()]


def _tables(
    kind: type[PublishedMeasurements], shape: TableShape = SHAPE, *, triples: Triples = None
) -> Callable[[Fraction], PublishedMeasurements]:
    return lambda e: kind(TableSynthesiser.calibrated(shape=shape, epsilon=e, delta=DELTA, triples=triples))


TABLES: tuple[AuditedMechanism, ...] = (
    AuditedMechanism("synth: table, measured", _tables(PublishedMeasurements), ONE_MORE, delta=DELTA),
    AuditedMechanism("synth: table, weights", _tables(PublishedMeasurements, WEIGHTED), THREE_PARTS, delta=DELTA),
    AuditedMechanism("synth: table, rows", _tables(PublishedRows), ONE_MORE[:1], delta=DELTA),
    AuditedMechanism(
        "synth: table, triples",
        _tables(PublishedMeasurements, CUBE, triples=(("a", "b", "c"),)),
        ONE_IN_A_CUBE,
        delta=DELTA,
    ),
    AuditedMechanism(
        "synth: table, rows of triples", _tables(PublishedRows, CUBE, triples=True), ONE_IN_A_CUBE, delta=DELTA
    ),
)
"""The default synthesiser."""
