"""One run over the data: each stage pays from a purse of its own, and reads nothing but what earlier ones said.

The total and every column by itself; scores of pairs against independence; the pairs worth their price and columns
once more; scores of triples against what all that implies; the triples worth their price.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from sfumato.exact.bits import BitSource
from sfumato.mechanisms import GaussianNoise
from sfumato.synth.tables.implied import implied_triples
from sfumato.synth.tables.measurements import MeasuredResidual, MeasuredScores, TableMeasurements
from sfumato.synth.tables.paid import Purse, affordable
from sfumato.synth.tables.plan import StageShares, chosen_noises, single_noises, total_noise
from sfumato.synth.tables.residuals import Floats, exact_table, residual, squared_move
from sfumato.synth.tables.scores import (
    chance_distance,
    implied_pair,
    score_vector,
    squared_score_move,
)
from sfumato.synth.tables.shape import Counts, Marginal, TableShape
from sfumato.synth.tables.targets import single_targets
from sfumato.synth.tables.triples import noises_of_triples, triples_worth_it

_MOST_ROWS = 2**50


@dataclass
class Measuring:
    """What was measured so far, and with what the next stage is measured."""

    shape: TableShape
    sigma: Fraction
    squared_mu: Fraction
    shares: StageShares
    exact: Counts
    bits: BitSource
    residuals: list[MeasuredResidual] = field(default_factory=list[MeasuredResidual])
    scores: MeasuredScores | None = None
    triple_scores: MeasuredScores | None = None

    @property
    def known(self) -> TableMeasurements:
        """All that was said so far."""
        return TableMeasurements(self.shape, self.sigma, tuple(self.residuals), self.scores, self.triple_scores)

    @property
    def rows(self) -> float:
        """The noisy number of rows."""
        return min(max(1.0, self.known.total), _MOST_ROWS)

    def measure_columns(self) -> None:
        """The total, and every column by itself."""
        shares, square = self.shares, self.squared_mu
        self._measure({(): total_noise(self.shape, square * shares.total)}, shares.total)
        self._measure(single_noises(self.shape, square * shares.singles), shares.singles)

    def measure_pairs(self) -> None:
        """Scores of all pairs against independence, then the pairs worth it and columns once more."""
        rows, singles = self.rows, single_targets(self.known, self.rows)
        apart: dict[Marginal, Floats] = {(a, b): implied_pair(singles[a], singles[b]) for a, b in self.shape.pairs}
        if apart:
            self.scores = self._score(apart, self.shares.scores)
        known = self.known
        noises = chosen_noises(
            self.shape,
            rows=rows,
            scores={
                pair: (far - chance_distance(apart[pair])) / rows for pair, far in known.distances(known.scores).items()
            },
            doubt=known.doubt(known.scores) / rows,
            squared_mu=self.squared_mu,
            shares=self.shares,
        )
        self._measure(noises, self.shares.rest)

    def score_triples(self, candidates: tuple[Marginal, ...]) -> tuple[Marginal, ...]:
        """Scores of candidates against what is implied; the triples worth it."""
        implied = implied_triples(self.known, candidates, self.rows)
        self.triple_scores = self._score(implied.tables, self.shares.triple_scores)
        known, rows = self.known, self.rows
        beyond = {
            triple: (far - implied.chance[triple]) / rows
            for triple, far in known.distances(known.triple_scores).items()
        }
        return triples_worth_it(
            self.shape,
            rows=rows,
            scores=beyond,
            doubt=math.hypot(known.doubt(known.triple_scores), implied.deviation) / rows,
            squared_mu=self.squared_mu * self.shares.triples,
        )

    def measure_triples(self, chosen: Sequence[Marginal]) -> None:
        """Triples, and pairs of theirs that were not measured; where none is worth it, pairs once more."""
        share = self.shares.triples
        noises = noises_of_triples(self.shape, chosen, self.known.measured_pairs, self.squared_mu * share)
        self._measure(noises, share)

    def _measure(self, noises: Mapping[Marginal, GaussianNoise], share: Fraction) -> None:
        """The residuals of marginals, each with its noise, from a purse of their own."""
        purse = Purse(self.squared_mu * share)
        for marginal, noise in noises.items():
            sizes = self.shape.sizes_of(marginal)
            whole = residual(exact_table(self.shape, self.exact, marginal)).reshape(-1)
            noisy = purse.pay(whole, noise, self.shape.moved**2 * squared_move(sizes), bits=self.bits)
            self.residuals.append(MeasuredResidual(marginal, noisy.reshape(sizes), noise))

    def _score(self, implied: Mapping[Marginal, Floats], share: Fraction) -> MeasuredScores:
        """One noisy vector over marginals, against public tables in rows."""
        purse = Purse(self.squared_mu * share)
        move = self.shape.moved**2 * squared_score_move(len(implied))
        noise = affordable({(): math.sqrt(move)}, {(): move}, self.squared_mu * share)[()]
        noisy = purse.pay(score_vector(self.shape, self.exact, implied), noise, move, bits=self.bits)
        return MeasuredScores(tuple(implied), noisy, noise)
