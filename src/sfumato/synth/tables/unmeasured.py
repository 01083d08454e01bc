"""Pairs that were scored and not measured: what their scores say of them holds, too, and costs nothing more.

A score tells how far a pair is from independence. Pairs that were measured may imply far more of one that was not: two
columns that both follow a third need not say anything of each other in the data, and would in a model of the first two
pairs alone. Where what is implied is clearly further from independence than the score is, the pair has a target: what
is implied, brought as near to independence as the score says.
"""

import numpy as np

from sfumato.synth.tables.measurements import TableMeasurements
from sfumato.synth.tables.residuals import Floats
from sfumato.synth.tables.scores import chance_distance, implied_pair
from sfumato.synth.tables.shape import Marginal

_DOUBT = 2.0  # deviations of its noise that a score may be short
_CLEARLY, _LEAST = 1.5, 0.01  # times what the score says, and that part of the rows, before it is contradicted


def distances_known(measured: TableMeasurements, singles: list[Floats]) -> dict[Marginal, float]:
    """Of every pair that was scored and not measured, how far from independence it is at most, in rows."""
    found, doubt = dict[Marginal, float](), _DOUBT * measured.doubt(measured.scores)
    for pair, far in measured.distances(measured.scores).items():
        if pair not in measured.tables:
            a, b = pair
            found[pair] = max(far - chance_distance(implied_pair(singles[a], singles[b])), 0.0) + doubt
    return found


def is_contradicted(implied: Floats, apart: Floats, known: float, *, drawn: float = 0.0) -> bool:
    """Whether what is implied of a pair is clearly further from independence than it is known to be.

    `drawn` is the distance that is chance, where what is implied was counted in rows.
    """
    there = float(np.abs(implied - apart).sum()) / 2 - drawn
    return there > _CLEARLY * known + _LEAST * float(apart.sum())


def nearer(implied: Floats, apart: Floats, known: float) -> Floats:
    """What is implied, at most as far from independence as is known.

    >>> far, apart = np.array([[2.0, 0.0], [0.0, 2.0]]), np.ones((2, 2))
    >>> nearer(far, apart, 1.0).tolist()
    [[1.5, 0.5], [0.5, 1.5]]
    """
    there = float(np.abs(implied - apart).sum()) / 2
    return apart + (implied - apart) * min(1.0, known / max(there, 1e-300))
