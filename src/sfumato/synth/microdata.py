"""Microdata from noisy counts: d cells and their total measured, and made into weights or rows that are not negative.

Three of the five algorithms keep the total and pay at single cells, two keep the cells and pay at the total: no
algorithm keeps both (Survey Theorem 9.3). All noise is whole-numbered and exact, and its law fixes the price.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from sfumato.accounting import events, total
from sfumato.core import Accuracy, Neighbours, Norm, Sensitivity
from sfumato.errors import InvalidParameter
from sfumato.exact.bits import BitSource, source
from sfumato.exact.parameters import Real, open_probability, positive, whole
from sfumato.exact.rounding import sqrt_up
from sfumato.exact.sampler import Integers
from sfumato.mechanisms.additive import Noise, stated
from sfumato.mechanisms.answers import AnswerMove, Answers, add
from sfumato.mechanisms.discrete_gaussian import DiscreteGaussianNoise
from sfumato.mechanisms.geometric import GeometricNoise, TruncatedGeometricNoise
from sfumato.synth.microdata_bounds import (
    NoiseMoments,
    SquaredErrors,
    clipped_bounds,
    filled_bounds,
    gaussian_moments,
    geometric_moments,
    truncated_geometric_moments,
)
from sfumato.synth.rounding import rounded_up
from sfumato.synth.water_filling import CellGroups, Reals, Wholes, water_filled, water_filled_wholes

_LARGEST = 2**62
_MOST_BOUND = 10**6


@dataclass(frozen=True, slots=True)
class PointAndSumQueries:
    """d point queries, of which a record meets one at the most, and their sum.

    >>> queries = PointAndSumQueries(points=3)
    >>> queries.answers([4, 0, 2]).tolist()
    [4, 0, 2, 6]
    """

    points: int

    def __post_init__(self) -> None:
        whole("points", self.points, least=1)

    def answers(self, cells: Any) -> Integers:
        """The d counts and, last, their sum, exactly."""
        counts = Answers(None, self.points).place_row(cells)
        if counts.dtype == np.object_:
            return np.append(counts, sum(counts.tolist()))
        high, low = counts >> 32, counts & 0xFFFFFFFF  # neither sum leaves 64 bits
        everyone = (int(high.sum()) << 32) + int(low.sum())
        if -(2**63) <= everyone < 2**63:
            return np.append(counts, np.int64(everyone))
        return np.append(counts.astype(np.object_), everyone)

    def sensitivity(self, norm: Norm, neighbours: Neighbours) -> Sensitivity:
        """How far all d + 1 answers move: two of them by one (errata C1).

        A record that comes or goes moves a point and the sum. One that is replaced moves two points, or, if it met no
        query before or meets none now, a point and the sum.

        >>> PointAndSumQueries(points=3).sensitivity(Norm.L1, Neighbours()).amount
        Fraction(2, 1)
        """
        return Sensitivity(norm, Fraction(1 if norm is Norm.LINF else 2), neighbours, coordinates=2)

    def per_query_squared_error(self, exact: Any, released: Any) -> SquaredErrors:
        """The mean squared error of the worst point and of the sum, over releases (runs, d) (Survey §9.1.1).

        >>> PointAndSumQueries(points=2).per_query_squared_error([1, 0], [[3, 0], [1, 2]])
        SquaredErrors(point=2.0, sum=4.0)
        """
        missed, missed_sum = self._missed(exact, released)
        return SquaredErrors(float((missed**2).mean(axis=0).max()), float((missed_sum**2).mean()))

    def outlier_error(self, exact: Any, released: Any) -> float:
        """The mean, over releases (runs, d), of the largest squared error of a point; never below the per-query error.

        >>> PointAndSumQueries(points=2).outlier_error([1, 0], [[3, 0], [1, 2]])
        4.0
        """
        missed, _ = self._missed(exact, released)
        return float((missed**2).max(axis=-1).mean())

    def _missed(self, exact: Any, released: Any) -> tuple[Reals, Reals]:
        runs = np.atleast_2d(np.asarray(released, dtype=np.float64))
        truth = np.asarray(self.answers(exact)[:-1], dtype=np.float64)
        if runs.shape[-1] != self.points:
            raise InvalidParameter("released", f"must be rows of {self.points} weights, got shape", runs.shape)
        missed = runs - truth
        return missed, np.asarray(missed.sum(axis=-1))


@dataclass(frozen=True, slots=True, eq=False)
class Measurements:
    """What was measured: noisy counts of d cells and, apart, their noisy total."""

    points: Wholes
    total: int


@dataclass(frozen=True, kw_only=True)
class MicrodataMechanism(ABC):
    """What the five algorithms share: d cells, the neighbours that are told apart by none, one noise, one price."""

    points: int
    neighbours: Neighbours = field(default_factory=Neighbours)
    noise: Noise = field(init=False, repr=False, compare=False)
    event: events.Event = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.neighbours, Neighbours):
            raise InvalidParameter("neighbours", "must be a relation", self.neighbours, hint="for example Neighbours()")
        whole("points", self.points, least=1)
        object.__setattr__(self, "noise", self._noise())
        object.__setattr__(self, "event", self._event())

    @abstractmethod
    def _noise(self) -> Noise:
        """The noise of every answer."""

    def _event(self) -> events.Event:
        """The price of the noise that is handed out."""
        amount = self._moved(self.noise.norm).amount
        move = AnswerMove.l2(square=amount) if self.noise.norm is Norm.L2 else AnswerMove.l1(amount)
        return self.noise.event(move, scalar=False)

    @abstractmethod
    def _moved(self, norm: Norm) -> Sensitivity:
        """How far what is measured moves between neighbours."""

    @abstractmethod
    def moments(self) -> NoiseMoments:
        """What is known of the noise of d cells."""

    @property
    def queries(self) -> PointAndSumQueries:
        """What is asked of the microdata."""
        return PointAndSumQueries(self.points)

    def _noisy(self, exact: Integers, bits: BitSource | None) -> Wholes:
        """Answers with noise; what is beyond every count of people is cut, after the noise and free of charge."""
        noisy = add(exact, self.noise.draw(len(exact), source(bits)))
        limit = _LARGEST // (self.points + 1)
        return np.clip(noisy, -limit, limit).astype(np.int64)


class Clipped(MicrodataMechanism):
    """All of the price for the cells: each is released as max(0, count + noise), the total is what they add up to."""

    def _moved(self, norm: Norm) -> Sensitivity:
        return self.neighbours.histogram(norm)

    def release(self, exact: Any, *, bits: BitSource | None = None) -> Wholes:
        """Non-negative whole counts of d cells: as many rows of each kind (Survey Theorem 9.6, errata A4)."""
        return np.maximum(self._noisy(self.queries.answers(exact)[:-1], bits), 0)

    def error(self, beta: Real) -> Accuracy:
        """No cell is off by more than this, with probability 1 - beta: clipping moves none away from its count."""
        fails = open_probability("beta", beta)
        return stated(float(self.noise.reach(fails / self.points)), fails)

    @property
    def squared_errors(self) -> SquaredErrors:
        """Bounds on the expected squared errors (Survey Theorem 9.6 (1), (2))."""
        return clipped_bounds(self.points, self.moments())


class Filled(MicrodataMechanism):
    """Cells and total measured alike; weights nearest to the cells that are not negative and keep max(0, total)."""

    def _moved(self, norm: Norm) -> Sensitivity:
        return self.queries.sensitivity(norm, self.neighbours)

    def measure(self, exact: Any, *, bits: BitSource | None = None) -> Measurements:
        """Noisy cells and their noisy total, which any post-processor may be given: all that is paid for."""
        noisy = self._noisy(self.queries.answers(exact), bits)
        return Measurements(noisy[:-1], int(noisy[-1]))

    def release(self, exact: Any, *, bits: BitSource | None = None) -> Reals:
        """Weights of d cells (Survey Theorem 9.6, by Lemma 9.5)."""
        measured = self.measure(exact, bits=bits)
        return water_filled(measured.points, total=max(0, measured.total))

    def release_counts(self, exact: Any, *, bits: BitSource | None = None) -> Wholes:
        """The same weights rounded to whole counts with the same total, so that each row counts once."""
        measured, groups = self.measure(exact, bits=bits), CellGroups.of([self.points])
        filled = water_filled_wholes(measured.points, groups=groups, totals=[max(0, measured.total)])
        return rounded_up(filled, bits=bits)

    def error(self, beta: Real) -> Accuracy:
        """No cell's weight is off by more than this, with probability 1 - beta; the total by less.

        |w - q| ≤ |y*| + 2·max |y|, the errors of the total and of the cells (Survey Theorem 9.6, its proof); a whole
        count by less than one more.
        """
        fails = open_probability("beta", beta)
        return stated(3.0 * self.noise.reach(fails / (self.points + 1)), fails)

    @property
    def squared_errors(self) -> SquaredErrors:
        """Bounds on the expected squared errors (Survey Theorem 9.6 (3), (4), (5))."""
        return filled_bounds(self.moments())


@dataclass(frozen=True, kw_only=True)
class ClippedGeometric(Clipped):
    """M_ε: cells with double geometric noise, clipped at zero (Survey Theorem 9.6, errata A5).

    >>> made = ClippedGeometric(points=200, epsilon=1)
    >>> round(made.squared_errors.point, 2), made.event.pure()
    (1.84, Fraction(1, 1))
    """

    epsilon: Real

    def _noise(self) -> Noise:
        return GeometricNoise(self._moved(Norm.L1).amount / positive("epsilon", self.epsilon))

    def moments(self) -> NoiseMoments:
        """Those of the double geometric."""
        return _geometric(self.points, self.noise)


@dataclass(frozen=True, kw_only=True)
class ClippedGaussian(Clipped):
    """M_ρ: cells with discrete Gaussian noise, clipped at zero (Survey Theorem 9.6, errata A4).

    >>> ClippedGaussian(points=200, rho=0.5).event.zcdp()
    Fraction(1, 2)
    """

    rho: Real

    def _noise(self) -> Noise:
        return _gaussian_noise(self._moved(Norm.L2), self.rho)

    def moments(self) -> NoiseMoments:
        """Those of the discrete Gaussian."""
        return _gaussian(self.points, self.noise)


@dataclass(frozen=True, kw_only=True)
class FilledGeometric(Filled):
    """M'_ε: cells and total with double geometric noise of scale 2/ε, water-filled (Survey Theorem 9.6).

    >>> made = FilledGeometric(points=3, epsilon=1)
    >>> made.release([5, 0, 0]).min() >= 0, made.event.pure()
    (np.True_, Fraction(1, 1))
    """

    epsilon: Real

    def _noise(self) -> Noise:
        return GeometricNoise(self._moved(Norm.L1).amount / positive("epsilon", self.epsilon))

    def moments(self) -> NoiseMoments:
        """Those of the double geometric."""
        return _geometric(self.points, self.noise)


@dataclass(frozen=True, kw_only=True)
class FilledGaussian(Filled):
    """M'_ρ: cells and total with discrete Gaussian noise of variance 1/ρ, water-filled (Survey Theorem 9.6).

    >>> FilledGaussian(points=3, rho=0.5).squared_errors.sum == FilledGaussian(points=900, rho=0.5).squared_errors.sum
    True
    """

    rho: Real

    def _noise(self) -> Noise:
        return _gaussian_noise(self._moved(Norm.L2), self.rho)

    def moments(self) -> NoiseMoments:
        """Those of the discrete Gaussian."""
        return _gaussian(self.points, self.noise)


@dataclass(frozen=True, kw_only=True)
class FilledTruncated(Filled):
    """M'_{ε,δ}: cells and total with double geometric noise clipped at ±B, water-filled (Survey Theorem 9.6).

    B is the least whose two answers that move are (ε, δ)-private together, by their exact law (errata B6).

    >>> FilledTruncated(points=3, epsilon=1, delta=1e-6).bound
    29
    """

    epsilon: Real
    delta: Real

    @property
    def bound(self) -> int:
        """B: no measurement is off by more."""
        assert isinstance(self.noise, TruncatedGeometricNoise)
        return self.noise.bound

    def _noise(self) -> Noise:
        epsilon, delta = positive("epsilon", self.epsilon), open_probability("delta", self.delta)
        return TruncatedGeometricNoise(epsilon / 2, _least_bound(epsilon, delta))

    def _event(self) -> events.Event:
        """Two answers move, each by one, whichever neighbours they are."""
        return events.Composition([(self.noise.event(AnswerMove.l1(Fraction(1))), 2)])

    def moments(self) -> NoiseMoments:
        """Those of the truncated double geometric."""
        assert isinstance(self.noise, TruncatedGeometricNoise)
        return truncated_geometric_moments(self.points, scale=1 / self.noise.epsilon, bound=self.noise.bound)


def _gaussian_noise(moved: Sensitivity, rho: Real) -> Noise:
    return DiscreteGaussianNoise(Fraction(sqrt_up(moved.amount / (2 * positive("rho", rho)))))


def _gaussian(points: int, noise: Noise) -> NoiseMoments:
    assert isinstance(noise, DiscreteGaussianNoise)
    return gaussian_moments(points, sigma=noise.sigma)


def _geometric(points: int, noise: Noise) -> NoiseMoments:
    assert isinstance(noise, GeometricNoise)
    return geometric_moments(points, scale=noise.scale)


def _least_bound(epsilon: Fraction, delta: Fraction) -> int:
    """The least B for which two answers with TDGeo(ε/2, B) are (ε, δ)-private together."""

    def meets(bound: int) -> bool:
        return total([(events.CensoredGeometric(epsilon / 2, bound), 2)]).delta(epsilon) <= delta

    high = 1
    while not meets(high):
        high *= 2
        if high > _MOST_BOUND:
            raise InvalidParameter("epsilon", "is too small for a bound on the noise", epsilon)
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if meets(middle) else (middle, high)
    return high
