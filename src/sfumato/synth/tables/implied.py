"""What everything measured so far implies of triples, and how far data of that very law would be from it by chance.

It is made of noisy values alone, so that scores may compare data with it. Where the domain is small the model says it
cell by cell; otherwise chains do, whose tables are draws themselves, so that chance is what two draws differ by.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.synth.tables.building import EXPLICIT_CELLS, fitted_chains, fitted_model
from sfumato.synth.tables.chains import Chains
from sfumato.synth.tables.measurements import TableMeasurements
from sfumato.synth.tables.residuals import Floats
from sfumato.synth.tables.rows import Codes, table_of
from sfumato.synth.tables.scores import chance_deviation, chance_distance
from sfumato.synth.tables.shape import Marginal

_PASSES, _ROUNDS = 4, 20
_SWEEPS = 2


@dataclass(frozen=True, eq=False)
class ImpliedTriples:
    """Tables in rows, the distance in rows that is chance, and the deviation of that."""

    tables: Mapping[Marginal, Floats]
    chance: Mapping[Marginal, float]
    deviation: float


def implied_triples(measured: TableMeasurements, triples: Sequence[Marginal], rows: float) -> ImpliedTriples:
    """What is implied of some triples, for a number of rows."""
    if measured.shape.cells <= EXPLICIT_CELLS:
        return _of_model(measured, triples, rows)
    return _of_chains(measured, triples, rows)


def _of_model(measured: TableMeasurements, triples: Sequence[Marginal], rows: float) -> ImpliedTriples:
    model = fitted_model(measured, passes=_PASSES)
    factor = rows / max(float(model.weights.sum()), 1e-300)
    tables = {triple: model.table(triple) * factor for triple in triples}
    chance = {triple: chance_distance(table) for triple, table in tables.items()}
    return ImpliedTriples(tables, chance, chance_deviation(rows, samples=1))


def _of_chains(measured: TableMeasurements, triples: Sequence[Marginal], rows: float) -> ImpliedTriples:
    chains, _ = fitted_chains(measured, rounds=_ROUNDS)
    fitted, count = chains.codes.copy(), chains.codes.shape[1]
    walked = [
        _walked_on(chains) for _ in range(2)
    ]  # both of the model's own law, which is a little off the fitted rows
    tables, chance = dict[Marginal, Floats](), dict[Marginal, float]()
    for triple in triples:
        sizes = measured.shape.sizes_of(triple)
        tables[triple] = table_of(fitted, triple, sizes) * (rows / count)
        one, other = (table_of(codes, triple, sizes) for codes in walked)
        chance[triple] = float(np.abs(one - other).sum()) / 2 * (rows / count)
    return ImpliedTriples(tables, chance, chance_deviation(rows, samples=2))


def _walked_on(chains: Chains) -> Codes:
    """Another draw: every column of every row drawn anew some times, under the potentials alone."""
    for _ in range(_SWEEPS):
        for column in chains.stream.order(len(chains.codes)).tolist():
            chains.walk(column, slice(0, chains.codes.shape[1]))
    return chains.codes.copy()
