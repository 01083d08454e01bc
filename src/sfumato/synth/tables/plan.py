"""How a price is split: fixed shares of stages, and within a stage what noisy values say is worth it.

The shares of stages are constants. What depends on data, which pairs are measured and how precisely, is decided from
noisy values alone, inside a stage whose share is already fixed.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import non_negative, positive
from sfumato.mechanisms import GaussianNoise
from sfumato.synth.tables.paid import affordable
from sfumato.synth.tables.residuals import squared_move
from sfumato.synth.tables.shape import Marginal, TableShape

_CELL_POWER, _CELL_FACTOR = 0.85, 0.2  # the error of a shrunk table: .2·cells^.85·σ/n
_IMPLIED = 0.7  # of a pair's distance from independence, what other pairs do not imply
_DOUBT = 0.5  # deviations of its noise that a score loses
_TRIPLE_SCORES, _TRIPLES = Fraction(1, 100), Fraction(16, 100)
_SINGLES_AT, _SINGLES_LEAST, _SINGLES_MOST = 0.25, 0.1, 0.5


@dataclass(frozen=True, kw_only=True)
class StageShares:
    """The parts of μ² that go to the total, to single columns, to scores, to triples, and to what is worth most.

    >>> StageShares().settled(any_triples=True, scored=True).rest
    Fraction(7, 10)
    """

    total: Fraction = Fraction(1, 100)
    singles: Fraction = Fraction(9, 100)
    scores: Fraction = Fraction(3, 100)
    triple_scores: Fraction = Fraction(0)
    triples: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        for name in ("total", "singles", "scores"):
            object.__setattr__(self, name, positive(name, getattr(self, name)))
        for name in ("triple_scores", "triples"):
            object.__setattr__(self, name, non_negative(name, getattr(self, name)))
        if self.rest <= 0:
            raise InvalidParameter("shares", "must leave something for pairs, got together", 1 - self.rest)
        if self.triple_scores and not self.triples:
            raise InvalidParameter("shares", "must have something for the triples that are scored, got", self.triples)

    @property
    def rest(self) -> Fraction:
        """What is left for pairs, and for single columns once more."""
        return 1 - self.total - self.singles - self.scores - self.triple_scores - self.triples

    def settled(self, *, any_triples: bool, scored: bool) -> "StageShares":
        """The shares as they are spent: with usual ones for triples if there are any and none were said."""
        if not any_triples:
            return replace(self, triple_scores=Fraction(0), triples=Fraction(0))
        scores = (self.triple_scores if self.triples else _TRIPLE_SCORES) if scored else Fraction(0)
        if scored and not scores:
            raise InvalidParameter("shares", "must have something for the scores of triples, got", self.triple_scores)
        return replace(self, triple_scores=scores, triples=self.triples or _TRIPLES)


def projected(sizes: tuple[int, ...]) -> float:
    """Π(1 - 1/d_i): the squared distance that one row moves a residual by."""
    return math.prod(1 - 1 / size for size in sizes)


def total_noise(shape: TableShape, share: Fraction) -> GaussianNoise:
    """Noise for the number of rows."""
    return affordable({(): 1.0}, {(): shape.moved**2}, share)[()]


def single_noises(shape: TableShape, share: Fraction) -> dict[Marginal, GaussianNoise]:
    """Noise for all single columns: σ ∝ (p/d)^⅓, which has the least sum of absolute errors."""
    return residual_noises(shape, {(i,): _even(projected((d,)), d) for i, d in enumerate(shape.sizes)}, share)


def _even(price: float, error: float) -> float:
    return math.cbrt(price / error)


def residual_noises(
    shape: TableShape, wanted: Mapping[Marginal, float], share: Fraction
) -> dict[Marginal, GaussianNoise]:
    """Noises in proportion to what is wanted of σ in rows; residuals are d times as large."""
    moves = {m: shape.moved**2 * squared_move(shape.sizes_of(m)) for m in wanted}
    return affordable({m: sigma * shape.cells_of(m) for m, sigma in wanted.items()}, moves, share)


def singles_once_more(accuracy: float, shares: StageShares) -> Fraction:
    """The part of μ² that single columns get once more: the fewer rows beside the noise, the more of it.

    `accuracy` is the noisy number of rows times the μ of one row.
    """
    wanted = _SINGLES_AT * (9000 / max(accuracy, 1e-9)) ** 0.41
    wanted = min(_SINGLES_MOST, max(_SINGLES_LEAST, wanted)) - float(shares.total + shares.singles)
    return min(shares.rest / 2, Fraction(max(0.0, wanted)).limit_denominator(1000))


def pairs_worth_it(
    shape: TableShape, *, rows: float, scores: Mapping[Marginal, float], doubt: float, mu: float
) -> dict[Marginal, float]:
    """The pairs whose distance from independence is above the error of measuring them, with their σ in proportion.

    `scores` are noisy distances as parts of 1, `doubt` is the deviation of their noise, `mu` that of one row for all.
    """
    error = {pair: _CELL_FACTOR * shape.cells_of(pair) ** _CELL_POWER / rows for pair in scores}
    price = {pair: projected(shape.sizes_of(pair)) for pair in scores}
    weight = {pair: error[pair] ** (2 / 3) * price[pair] ** (1 / 3) for pair in scores}
    worth = {pair: max(score - _DOUBT * doubt, 0.0) for pair, score in scores.items()}
    order = sorted(scores, key=lambda pair: -worth[pair] / weight[pair])
    lost, spent, best, kept = _IMPLIED * sum(worth.values()), 0.0, math.inf, 1
    for count, pair in enumerate(order, 1):
        spent, lost = spent + weight[pair], lost - _IMPLIED * worth[pair]
        if spent**1.5 / mu + lost < best:
            best, kept = spent**1.5 / mu + lost, count
    return {pair: _even(price[pair], error[pair]) for pair in order[:kept]}


def chosen_noises(
    shape: TableShape,
    *,
    rows: float,
    scores: Mapping[Marginal, float],
    doubt: float,
    squared_mu: Fraction,
    shares: StageShares,
) -> dict[Marginal, GaussianNoise]:
    """Noises for single columns once more and for the pairs worth it, from noisy values only, within the rest."""
    of_a_row = math.sqrt(squared_mu) * shape.parts / shape.moved
    again = singles_once_more(rows * of_a_row, shares) if scores else shares.rest  # one column has no pairs
    found = single_noises(shape, squared_mu * again) if again else {}
    if scores:
        share = shares.rest - again
        mu = of_a_row * math.sqrt(share)
        kept = pairs_worth_it(shape, rows=rows, scores=scores, doubt=doubt, mu=mu)
        found |= residual_noises(shape, kept, squared_mu * share)
    return found
