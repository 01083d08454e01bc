"""Ways from measurements to rows: chains by default, an explicit model where the domain is small, a tree for haste."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sfumato.exact.parameters import whole
from sfumato.synth.tables.chains import Chains, tree_weights
from sfumato.synth.tables.conditionals import no_weights
from sfumato.synth.tables.explicit import ExplicitModel, rows_of_model
from sfumato.synth.tables.fitting import fit_chains, grow_chains, rows_again
from sfumato.synth.tables.measurements import TableMeasurements
from sfumato.synth.tables.repair import repaired
from sfumato.synth.tables.residuals import Floats
from sfumato.synth.tables.rows import SyntheticRows, whole_rows
from sfumato.synth.tables.scores import implied_pair
from sfumato.synth.tables.shape import Marginal, TableShape
from sfumato.synth.tables.stream import RowStream
from sfumato.synth.tables.targets import pair_targets, single_targets
from sfumato.synth.tables.tree import tree_rows
from sfumato.synth.tables.triple_targets import all_targets
from sfumato.synth.tables.unmeasured import distances_known, is_contradicted

EXPLICIT_CELLS = 10**7
_MOST_ROWS = 2**26  # what noise alone could ask for must fit into memory
_CHAINS = 60_000  # walk while the model is fitted; more rows are copies of these that walk on
_BATCH = 1 << 18  # of these at a time


class RowBuilder(Protocol):
    """A way to make rows of measurements, which gives the same rows each time."""

    def build(self, measured: TableMeasurements) -> SyntheticRows:
        """The rows."""
        ...


def builder_for(shape: TableShape) -> RowBuilder:
    """The default way for a table of a shape.

    >>> builder_for(TableShape({"a": 10, "b": 20}))
    ExplicitRows(passes=8)
    """
    return ExplicitRows() if shape.cells <= EXPLICIT_CELLS else ChainRows()


def _rows(measured: TableMeasurements) -> float:
    return min(max(1.0, measured.total), _MOST_ROWS)


@dataclass(frozen=True)
class TreeRows:
    """Rows of the spanning tree of the pairs that say most of each other: the fastest, and the roughest."""

    def build(self, measured: TableMeasurements) -> SyntheticRows:
        """The rows of the tree."""
        rows, stream = _rows(measured), RowStream(measured.digest)
        singles = single_targets(measured, rows)
        codes = tree_rows(singles, pair_targets(measured, singles), whole_rows(rows), stream)
        return SyntheticRows(measured.shape, repaired(codes, measured.shape, stream))


@dataclass(frozen=True)
class ExplicitRows:
    """Rows of the maximum-entropy model of all cells, which must fit into memory."""

    passes: int = 8

    def build(self, measured: TableMeasurements) -> SyntheticRows:
        """The rows of the model, each cell within one of what the model says."""
        stream = RowStream(measured.digest)
        model = fitted_model(measured, passes=self.passes)
        return SyntheticRows(measured.shape, rows_of_model(model, whole_rows(_rows(measured)), stream))


@dataclass(frozen=True)
class ChainRows:
    """Rows as chains of the maximum-entropy model, started from the tree and polished at the end."""

    rounds: int = 40

    def __post_init__(self) -> None:
        whole("rounds", self.rounds, least=1)

    def build(self, measured: TableMeasurements) -> SyntheticRows:
        """The rows where the chains end."""
        chains, targets = fitted_chains(measured, rounds=self.rounds)
        shape, stream, walked = measured.shape, chains.stream, chains.codes
        wanted, singles = whole_rows(_rows(measured)), single_targets(measured, _rows(measured))
        if walked.shape[1] >= wanted:
            return SyntheticRows(shape, repaired(walked, shape, stream))
        made = np.empty((len(shape.sizes), wanted), dtype=np.min_scalar_type(max(shape.sizes) - 1))
        for start in range(0, wanted, _BATCH):  # memory is that of one batch, and of the rows in as few bytes as can be
            end = min(wanted, start + _BATCH)
            grow_chains(chains, rows_again(walked, start, end), singles, targets)
            made[:, start:end] = repaired(chains.codes, shape, stream)
        return SyntheticRows(shape, made)


def fitted_model(measured: TableMeasurements, *, passes: int) -> ExplicitModel:
    """The model of all cells, its targets shrunk towards what it says itself, again and again."""
    singles = single_targets(measured, _rows(measured))
    model = ExplicitModel.independent(measured.shape, singles)
    joint, near = [*measured.measured_pairs, *measured.measured_triples], distances_known(measured, singles)
    for again in range(max(1, passes // 2)):
        if again == 0:
            targets = pair_targets(measured, singles)
        else:
            joint += [pair for pair in near if pair not in joint and _is_contradicted(model, pair, singles, near[pair])]
            targets = all_targets(measured, singles, {marginal: model.table(marginal) for marginal in joint}, near)
        for _ in range(2):
            model.fit(singles, targets)
    return model


def _is_contradicted(model: ExplicitModel, pair: Marginal, singles: list[Floats], known: float) -> bool:
    a, b = pair
    return is_contradicted(model.table(pair), implied_pair(singles[a], singles[b]), known)


def fitted_chains(measured: TableMeasurements, *, rounds: int) -> tuple[Chains, dict[Marginal, Floats]]:
    """Chains that walked to their targets, at most so many as walk while the model is fitted."""
    rows, stream, shape = _rows(measured), RowStream(measured.digest), measured.shape
    singles = single_targets(measured, rows)
    targets = pair_targets(measured, singles)
    codes = tree_rows(singles, targets, min(whole_rows(rows), _CHAINS), stream)
    codes = repaired(codes, shape, stream)
    alone, joined = tree_weights(shape, singles, targets)
    joined |= no_weights(shape.sizes, measured.measured_triples)[1]
    chains = Chains(shape, codes, tuple(joined), stream, alone, joined)
    return chains, fit_chains(chains, measured, singles, rounds=rounds)
