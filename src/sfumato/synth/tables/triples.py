"""Which triples of columns may be measured, at which price they are, and which of them are worth it.

Candidates and the price follow from what is public before anything is drawn. Which candidates are measured, and how
precisely, is decided from noisy values alone, inside a stage whose share is already fixed.
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from sfumato.errors import InvalidParameter
from sfumato.mechanisms import GaussianNoise
from sfumato.synth.tables.plan import projected, residual_noises
from sfumato.synth.tables.shape import Marginal, TableShape

_MOST_CELLS = 2**16  # of one candidate
_MOST_CELLS_TOGETHER = 2**22
_MOST_CANDIDATES = 600
_MOST_NAMED_CELLS = 2**22
_CELL_POWER, _CELL_FACTOR = 0.85, 0.2  # the error of a shrunk triple, as of a pair
_DOUBT, _GAINED = 2.0, 0.7  # deviations that a score loses; what of it rows can take up
MOST_CHOSEN = 16
"""Triples that are measured because of their scores."""
_FROM_MU = 0.8  # of one row: an ε of about 5


def candidate_triples(shape: TableShape) -> tuple[Marginal, ...]:
    """The triples that are scored: those of few cells, the smallest first, as many as a pass over data may count.

    >>> candidate_triples(TableShape({"a": 2, "b": 300, "c": 3, "d": 300}))
    ((0, 1, 2), (0, 2, 3))
    """
    small = [triple for triple in combinations(range(len(shape.sizes)), 3) if shape.cells_of(triple) <= _MOST_CELLS]
    kept, together = list[Marginal](), 0
    for triple in sorted(small, key=shape.cells_of)[:_MOST_CANDIDATES]:
        together += shape.cells_of(triple)
        if together > _MOST_CELLS_TOGETHER:
            break
        kept.append(triple)
    return tuple(sorted(kept))


def named_triples(shape: TableShape, named: Sequence[Sequence[str]]) -> tuple[Marginal, ...]:
    """The triples that a caller names, each once."""
    found = dict[Marginal, None]()
    for names in named:
        triple = tuple(sorted({shape.place(name) for name in names}))
        if len(triple) != 3:
            raise InvalidParameter("triples", "must name three different columns each, got", tuple(names))
        if shape.cells_of(triple) > _MOST_NAMED_CELLS:
            raise InvalidParameter(
                "triples",
                f"must have at most {_MOST_NAMED_CELLS} cells; {tuple(names)} have",
                shape.cells_of(triple),
                hint="put values into bins",
            )
        found[triple] = None
    return tuple(found)


def precise_enough(shape: TableShape, squared_mu: Fraction) -> bool:
    """Whether a price is high enough for triples without being asked for: by the noise beside one row."""
    return squared_mu * Fraction(shape.parts, shape.moved) ** 2 >= Fraction(_FROM_MU) ** 2


def triples_worth_it(
    shape: TableShape, *, rows: float, scores: Mapping[Marginal, float], doubt: float, squared_mu: Fraction
) -> tuple[Marginal, ...]:
    """The triples whose distance from what is implied is above the error that measuring them adds, the furthest first.

    `scores` are noisy distances beyond chance as parts of 1, `doubt` is the deviation of their noise and of
    chance, `squared_mu` what all of them may cost.
    """
    mu = math.sqrt(squared_mu) * shape.parts / shape.moved
    kept, spent = list[Marginal](), 0.0
    for triple in sorted(scores, key=lambda each: -scores[each]):
        error = _CELL_FACTOR * shape.cells_of(triple) ** _CELL_POWER / rows
        more = spent + error ** (2 / 3) * projected(shape.sizes_of(triple)) ** (1 / 3)
        if (more**1.5 - spent**1.5) / mu < _GAINED * (scores[triple] - _DOUBT * doubt):
            kept, spent = [*kept, triple], more
    return tuple(kept[:MOST_CHOSEN])


def noises_of_triples(
    shape: TableShape, triples: Sequence[Marginal], pairs: Sequence[Marginal], share: Fraction
) -> dict[Marginal, GaussianNoise]:
    """Noises for triples and for those of their pairs that were not measured; without triples, for pairs once more."""
    lacking = {pair for triple in triples for pair in combinations(triple, 2)} - set(pairs)
    wanted = [*sorted(lacking), *triples] if triples else pairs
    return residual_noises(shape, {m: _even_sigma(shape, m) for m in wanted}, share) if wanted else {}


def _even_sigma(shape: TableShape, marginal: Marginal) -> float:
    """σ in proportion, for the least sum of errors of shrunk tables."""
    return math.cbrt(projected(shape.sizes_of(marginal)) / shape.cells_of(marginal) ** _CELL_POWER)
