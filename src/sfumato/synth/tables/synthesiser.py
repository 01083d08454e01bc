"""The default synthesiser: one price, measured in stages, and rows made of what was measured.

First the total and every column by itself; then one noisy vector of scores, how far each pair is from independence;
then the residuals of the pairs that are worth their price, and single columns once more; then, at a high price or if
asked for, triples (`measuring.py`). All of it is one Gaussian mechanism (`paid.py`), whose noise is exactly drawn and
rounded, on whole numbers (`residuals.py`, `scores.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from sfumato.accounting import events, smallest_noise
from sfumato.core import Accuracy
from sfumato.errors import InvalidParameter
from sfumato.exact.bits import BitSource, source
from sfumato.exact.parameters import Real, nearest, open_probability, positive
from sfumato.exact.rounding import sqrt_up
from sfumato.mechanisms.additive import stated
from sfumato.mechanisms.gaussian import two_sided_quantile
from sfumato.synth.tables.building import RowBuilder, builder_for
from sfumato.synth.tables.measurements import TableMeasurements
from sfumato.synth.tables.measuring import Measuring
from sfumato.synth.tables.paid import step_of
from sfumato.synth.tables.plan import StageShares, single_noises, total_noise
from sfumato.synth.tables.rows import SyntheticRows
from sfumato.synth.tables.shape import Counts, Marginal, TableShape
from sfumato.synth.tables.triples import candidate_triples, named_triples, precise_enough

Triples = bool | Sequence[Sequence[str]] | None
"""Whether triples are measured: by the price, always, never, or these."""


@dataclass(frozen=True, kw_only=True)
class TableSynthesiser:
    """A table of made-up rows whose columns, and pairs of columns, are about as in the data.

    `sigma` is the price: as much as Gaussian noise of that deviation on one count that a person moves by 1. A person is
    added or removed. `measure` is all that touches data; `build` makes rows of what was measured, always the same.
    `triples` are measured where the price is high (None), always or never, or those that are named, without scores.

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
    triples: Triples = None
    counted: frozenset[Marginal] | None = None
    """The marginals that can be counted, where that is not all of them: no other triple is a candidate."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", positive("sigma", self.sigma))
        if not isinstance(self.shape, TableShape):
            raise InvalidParameter("shape", "must be a TableShape, got", type(self.shape))
        if not (self.triples is None or isinstance(self.triples, bool)):
            object.__setattr__(self, "triples", tuple(tuple(names) for names in self.triples))
        scored = not isinstance(self.triples, tuple)
        object.__setattr__(self, "shares", self.shares.settled(any_triples=bool(self.candidates), scored=scored))

    @classmethod
    def calibrated(
        cls,
        *,
        shape: TableShape,
        epsilon: Real,
        delta: Real,
        shares: StageShares | None = None,
        triples: Triples = None,
    ) -> "TableSynthesiser":
        """The one with the least noise that is (ε, δ)-private, by the exact curve of Gaussian noise."""
        sigma = smallest_noise(events.Gaussian, epsilon=epsilon, delta=delta)
        return cls(shape=shape, sigma=sigma, shares=shares or StageShares(), triples=triples)

    @property
    def candidates(self) -> tuple[Marginal, ...]:
        """The triples that may be measured, known without data: those named, or those that are scored, or none."""
        if isinstance(self.triples, tuple):
            return named_triples(self.shape, self.triples)
        by_price = bool(self.shares.triples) or precise_enough(self.shape, self.squared_mu)
        wanted = by_price if self.triples is None else self.triples
        found = candidate_triples(self.shape) if wanted else ()
        return tuple(triple for triple in found if self.counted is None or triple in self.counted)

    @property
    def marginals(self) -> tuple[Marginal, ...]:
        """Every marginal whose exact table `measure` may ask for, known without data."""
        return ((), *self.shape.singles, *self.shape.pairs, *self.candidates)

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
        run = Measuring(
            shape=self.shape,
            sigma=positive("sigma", self.sigma),
            squared_mu=self.squared_mu,
            shares=self.shares,
            exact=exact,
            bits=source(bits),
        )
        run.measure_columns()
        run.measure_pairs()
        if candidates := self.candidates:
            run.measure_triples(run.score_triples(candidates) if self.shares.triple_scores else candidates)
        return run.known

    def error(self, beta: Real) -> Accuracy:
        """How far off the answer to one value of one column may be, at most, by the share of single columns alone.

        Known before anything is measured; `answer` says it for any question afterwards.
        """
        fails, parts = open_probability("beta", beta), self.shape.parts
        variance, steps = Fraction(0), Fraction(0)
        total = total_noise(self.shape, self.squared_mu * self.shares.total).sigma
        for (place,), noise in single_noises(self.shape, self.squared_mu * self.shares.singles).items():
            size = self.shape.sizes[place]
            cell = (noise.sigma / size) ** 2 * Fraction(size - 1, size)
            variance = max(variance, (total / size) ** 2 + cell)
            steps = max(steps, Fraction(step_of(total) + step_of(noise.sigma), size))
        reach = two_sided_quantile(fails) * sqrt_up(variance / parts**2) + nearest(steps / parts)
        return stated(reach * (1 + 2.0**-48), fails)

    def build(self, measured: TableMeasurements, *, builder: RowBuilder | None = None) -> SyntheticRows:
        """Rows from what was measured; the same ones each time."""
        return (builder or builder_for(measured.shape)).build(measured)
