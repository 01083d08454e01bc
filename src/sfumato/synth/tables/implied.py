"""What everything measured so far implies of triples, and how far data of that very law would be from it by chance.

It is made of noisy values alone, so that scores may compare data with it. Where the domain is small the model says it
cell by cell; otherwise chains do, whose tables are draws themselves, so that chance is what two draws differ by.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.synth.tables.building import EXPLICIT_CELLS, fitted_chains, fitted_model
from sfumato.synth.tables.measurements import TableMeasurements
from sfumato.synth.tables.residuals import Floats
from sfumato.synth.tables.rows import table_of
from sfumato.synth.tables.scores import chance_distance
from sfumato.synth.tables.shape import Marginal

_PASSES, _ROUNDS = 4, 20
_SWEEPS = 2


@dataclass(frozen=True, eq=False)
class ImpliedTriples:
    """Tables in rows, and the distance in rows that is chance."""

    tables: Mapping[Marginal, Floats]
    chance: Mapping[Marginal, float]


def implied_triples(measured: TableMeasurements, triples: Sequence[Marginal], rows: float) -> ImpliedTriples:
    """What is implied of some triples, for a number of rows."""
    if measured.shape.cells <= EXPLICIT_CELLS:
        return _of_model(measured, triples, rows)
    return _of_chains(measured, triples, rows)


def _of_model(measured: TableMeasurements, triples: Sequence[Marginal], rows: float) -> ImpliedTriples:
    model = fitted_model(measured, passes=_PASSES)
    factor = rows / max(float(model.weights.sum()), 1e-300)
    tables = {triple: model.table(triple) * factor for triple in triples}
    return ImpliedTriples(tables, {triple: chance_distance(table) for triple, table in tables.items()})


def _of_chains(measured: TableMeasurements, triples: Sequence[Marginal], rows: float) -> ImpliedTriples:
    chains, _ = fitted_chains(measured, rounds=_ROUNDS)
    first, count = chains.codes.copy(), chains.codes.shape[1]
    for _ in range(_SWEEPS):
        for column in chains.stream.order(len(first)).tolist():
            chains.walk(column, slice(0, count))
    tables, chance = dict[Marginal, Floats](), dict[Marginal, float]()
    for triple in triples:
        sizes = measured.shape.sizes_of(triple)
        one, other = (table_of(codes, triple, sizes) for codes in (first, chains.codes))
        tables[triple] = one * (rows / count)
        chance[triple] = float(np.abs(one - other).sum()) / 2 * (rows / count)
    return ImpliedTriples(tables, chance)
