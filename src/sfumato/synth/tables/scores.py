"""How far a marginal is from what is public of it, as a whole number: what is chosen by.

The score of a marginal is Σ|g·x_cell - r_cell| with x its exact table and r a public table of whole numbers: for a
pair, g times what the noisy single columns imply if they were independent; for a triple, g times what everything that
was measured before implies. It is 2g times the total variation distance in parts, but for the rounding of r. As |·|
moves by no more than its argument, one part in one cell moves a score by at most g, and the vector of K scores by at
most g·√K; many parts by at most their number times that, as distances add up.
"""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sfumato.exact.sampler import Integers
from sfumato.synth.tables.residuals import Floats, exact_table
from sfumato.synth.tables.shape import Counts, Marginal, TableShape

_FITS = 2**54
_EXACT = 2.0**53
GRAIN = 64
"""Steps of a score within one part: r is rounded to these."""


def squared_score_move(marginals: int) -> int:
    """The squared ℓ2 distance that one part moves that many scores by."""
    return GRAIN**2 * marginals


def implied_pair(one: Floats, other: Floats) -> Floats:
    """The table of two columns as if they were independent, from tables with one total."""
    return np.outer(one, other) / max(float(one.sum()), 1e-300)


def chance_distance(implied: Floats) -> float:
    """The distance in rows that columns which are independent have from their product by chance: ½ΣE|Poisson(m) - m|.

    It is 2m·e^-m for m below 1, and about √(2m/π) above.

    >>> round(chance_distance(np.array([[50.0, 50.0], [50.0, 50.0]])), 2)
    11.28
    """
    each = np.where(implied < 1, 2 * implied * np.exp(-implied), np.sqrt(2 * implied / np.pi))
    return float(each.sum()) / 2


def chance_deviation(rows: float, *, samples: int) -> float:
    """The deviation of the distance in rows of a sample from its law (1), or of two samples (2): ½√(s·n·(1 - 2/π)).

    A cell of mean m is off by about a normal of variance s·m, of whose absolute value 1 - 2/π of that is variance;
    whatever the number of cells.

    >>> round(chance_deviation(10_000, samples=2), 1)
    42.6
    """
    return math.sqrt(samples * rows * (1 - 2 / math.pi)) / 2


def reference(implied: Floats) -> NDArray[np.int64]:
    """A public table in steps of the score, rounded, and held where whole numbers of 64 bits and doubles are exact.

    Any public table will do for what one row moves a score by; one that wraps around would not.

    >>> reference(np.array([1e300, -1.0, np.nan])).tolist()
    [9007199254740992, 0, 0]
    """
    return np.rint(np.clip(np.nan_to_num(implied * GRAIN, nan=0.0), 0, _EXACT)).astype(np.int64)


def score(table: Integers, against: NDArray[np.int64]) -> int:
    """Σ|g·x - r|, exactly.

    >>> score(np.array([[2, 0], [0, 2]]), reference(np.ones((2, 2)))) / GRAIN
    4.0
    """
    largest = max(abs(int(each)) for each in (table.min(), table.max(), against.min(), against.max()))
    if largest < _FITS // table.size:
        return int(np.abs(table.astype(np.int64) * GRAIN - against).sum())
    return sum(abs(int(x) * GRAIN - int(r)) for x, r in zip(table.flat, against.flat, strict=True))


def score_vector(shape: TableShape, counts: Counts, implied: Mapping[Marginal, Floats]) -> Integers:
    """The exact scores of marginals against public tables in rows; private."""
    found = [
        score(exact_table(shape, counts, marginal), reference(table * shape.parts))
        for marginal, table in implied.items()
    ]
    return np.array(found, dtype=np.int64 if max(found) < 2**62 else np.object_)
