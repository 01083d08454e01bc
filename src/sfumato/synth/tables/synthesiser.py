"""The default synthesiser: one price, measured in stages, and rows made of what was measured.

First the total and every column by itself; then one noisy vector of scores, how far each pair is from independence;
then the residuals of the pairs that are worth their price, and single columns once more. All of it is one Gaussian
mechanism (`paid.py`), whose noise is exactly drawn and rounded, on whole numbers (`residuals.py`, `scores.py`).
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction

from sfumato.accounting import events, smallest_noise
from sfumato.core import Accuracy
from sfumato.errors import InvalidParameter
from sfumato.exact.bits import BitSource, source
from sfumato.exact.parameters import Real, open_probability, positive
from sfumato.exact.rounding import sqrt_up
from sfumato.mechanisms import GaussianNoise
from sfumato.mechanisms.additive import stated
from sfumato.mechanisms.gaussian import two_sided_quantile
from sfumato.synth.tables.building import RowBuilder, builder_for
from sfumato.synth.tables.measurements import MeasuredResidual, MeasuredScores, TableMeasurements
from sfumato.synth.tables.paid import Purse, affordable
from sfumato.synth.tables.plan import StageShares, chosen_noises, single_noises
from sfumato.synth.tables.residuals import exact_table, residual, squared_move
from sfumato.synth.tables.rows import SyntheticRows
from sfumato.synth.tables.scores import chance_distance, implied_pair, score_vector, squared_score_move
from sfumato.synth.tables.shape import Counts, Marginal, TableShape
from sfumato.synth.tables.targets import single_targets

_MOST_ROWS = 2**50


@dataclass(frozen=True, kw_only=True)
class TableSynthesiser:
    """A table of made-up rows whose columns, and pairs of columns, are about as in the data.

    `sigma` is the price: as much as Gaussian noise of that deviation on one count that a person moves by 1. A person is
    added or removed. `measure` is all that touches data; `build` makes rows of what was measured, always the same.

    >>> import numpy as np
    >>> shape = TableShape({"ward": 4, "sex": 2})
    >>> made = TableSynthesiser.calibrated(shape=shape, epsilon=1, delta=1e-9)
    >>> table = np.array([[100, 50], [40, 60], [30, 30], [10, 80]])
    >>> rows = made.release(lambda columns: np.asarray(table.sum(tuple({0, 1} - set(columns)))))
    >>> sorted(rows.columns)
    ['sex', 'ward']
    """

    shape: TableShape
    sigma: Real
    shares: StageShares = field(default_factory=StageShares)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", positive("sigma", self.sigma))
        if not isinstance(self.shape, TableShape):
            raise InvalidParameter("shape", "must be a TableShape, got", type(self.shape))

    @classmethod
    def calibrated(
        cls, *, shape: TableShape, epsilon: Real, delta: Real, shares: StageShares | None = None
    ) -> "TableSynthesiser":
        """The one with the least noise that is (ε, δ)-private, by the exact curve of Gaussian noise."""
        sigma = smallest_noise(events.Gaussian, epsilon=epsilon, delta=delta)
        return cls(shape=shape, sigma=sigma, shares=shares or StageShares())

    @property
    def event(self) -> events.Event:
        """One Gaussian mechanism, whatever is measured within its price."""
        return events.Gaussian(self.sigma)

    @property
    def squared_mu(self) -> Fraction:
        """What all stages may spend together."""
        return 1 / positive("sigma", self.sigma) ** 2

    def release(self, exact: Counts, *, bits: BitSource | None = None) -> SyntheticRows:
        """Rows, from exact tables of marginals in parts."""
        return self.build(self.measure(exact, bits=bits))

    def measure(self, exact: Counts, *, bits: BitSource | None = None) -> TableMeasurements:
        """What leaves the data: everything else is made of it."""
        stream, shares, square = source(bits), self.shares, self.squared_mu
        purses = [Purse(square * share) for share in (shares.total, shares.singles, shares.scores, shares.rest)]
        found = self._residuals({(): self._total_noise()}, exact, purses[0], stream)
        found += self._residuals(single_noises(self.shape, square * shares.singles), exact, purses[1], stream)
        known = self._measurements(found, None)
        rows = min(max(1.0, known.total), _MOST_ROWS)
        scores = self._scores(known, rows, exact, purses[2], stream) if self.shape.pairs else None
        known = self._measurements(found, scores)
        singles = single_targets(known, rows)
        scored: dict[Marginal, float] = {
            (a, b): (far - chance_distance(implied_pair(singles[a], singles[b]))) / rows
            for (a, b), far in known.noisy_scores.items()
        }
        noises = chosen_noises(
            self.shape,
            rows=rows,
            scores=scored,
            doubt=0.0 if scores is None else known.score_deviation / rows,
            squared_mu=square,
            shares=shares,
        )
        return self._measurements([*found, *self._residuals(noises, exact, purses[3], stream)], scores)

    def error(self, beta: Real) -> Accuracy:
        """How far off the answer to one value of one column may be, at most, by the share of single columns alone.

        Known before anything is measured; `answer` says it for any question afterwards.
        """
        fails, parts = open_probability("beta", beta), self.shape.parts
        variance = Fraction(0)
        total = self._total_noise().sigma ** 2
        for (place,), noise in single_noises(self.shape, self.squared_mu * self.shares.singles).items():
            size = self.shape.sizes[place]
            cell = (noise.sigma / size) ** 2 * Fraction(size - 1, size)
            variance = max(variance, total / size**2 + cell)
        reach = two_sided_quantile(fails) * sqrt_up(variance / parts**2) + 1 / parts
        return stated(reach * (1 + 2.0**-48), fails)

    def _total_noise(self) -> GaussianNoise:
        return affordable({(): 1.0}, {(): self.shape.moved**2}, self.squared_mu * self.shares.total)[()]

    def build(self, measured: TableMeasurements, *, builder: RowBuilder | None = None) -> SyntheticRows:
        """Rows from what was measured; the same ones each time."""
        return (builder or builder_for(measured.shape)).build(measured)

    def _measurements(self, residuals: list[MeasuredResidual], scores: MeasuredScores | None) -> TableMeasurements:
        return TableMeasurements(self.shape, positive("sigma", self.sigma), tuple(residuals), scores)

    def _residuals(
        self, noises: dict[Marginal, GaussianNoise], exact: Counts, purse: Purse, bits: BitSource
    ) -> list[MeasuredResidual]:
        """The residuals of marginals, each with its noise."""
        found = list[MeasuredResidual]()
        for marginal, noise in noises.items():
            sizes = self.shape.sizes_of(marginal)
            whole = residual(exact_table(self.shape, exact, marginal)).reshape(-1)
            noisy = purse.pay(whole, noise, self.shape.moved**2 * squared_move(sizes), bits=bits)
            found.append(MeasuredResidual(marginal, noisy.reshape(sizes), noise))
        return found

    def _scores(
        self, known: TableMeasurements, rows: float, exact: Counts, purse: Purse, bits: BitSource
    ) -> MeasuredScores:
        """One noisy vector over all pairs, against what noisy single columns imply."""
        pairs = self.shape.pairs
        singles = [table * self.shape.parts for table in single_targets(known, rows)]
        move = self.shape.moved**2 * squared_score_move(len(pairs))
        noise = affordable({(): math.sqrt(move)}, {(): move}, self.squared_mu * self.shares.scores)[()]
        noisy = purse.pay(score_vector(self.shape, exact, pairs, singles), noise, move, bits=bits)
        return MeasuredScores(pairs, noisy, noise)
