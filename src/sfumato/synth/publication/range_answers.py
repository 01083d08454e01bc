"""Cumulative counts and quantiles of measured ranges, with bars that hold.

There are two ways to a prefix. The fewest nodes that make it up have a sum of as many independent noises, whose law is
known. The least-squares estimate of all levels has less variance for long prefixes; it is Σ c·noise with |c| ≤ 1, whose
bar is Chernoff's (`ranges.reach_of_estimate`). Which bar is narrower depends on the tree and the noise alone, so that
taking the narrower one takes nothing from its confidence.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import sqrt
from typing import Any

import numpy as np

from sfumato.mechanisms import GeometricNoise
from sfumato.mechanisms.additive import Noise
from sfumato.mechanisms.discrete_gaussian import DiscreteGaussianNoise
from sfumato.query.law import reach_of_many
from sfumato.synth.publication.answers import PublishedAnswer
from sfumato.synth.publication.range_levels import MeasuredRanges
from sfumato.synth.ranges import reach_of_estimate

_ROUNDED = 1 + 1e-9  # covers the roundings of least squares


@dataclass(frozen=True, slots=True)
class PublishedQuantile:
    """A value up to which a share of the rows are, and the values between which the true one lies."""

    value: Any
    low: Any
    high: Any
    confidence: float

    def __str__(self) -> str:
        return f"{self.value} ({self.low} to {self.high}, {100 * self.confidence:g} %)"


@dataclass(frozen=True, slots=True)
class _Estimate:
    """A number in rows, its standard error, and how far it may be off."""

    value: float
    error: float
    off: float


class _Shares:
    """Estimates of (1 - q)·(rows up to a place) - q·(rows beyond it), of the first `bins` places; q = 0 for counts."""

    def __init__(self, part: MeasuredRanges, bins: int, q: Fraction, beta: Fraction) -> None:
        self._part, self._bins, self._q, self._beta = part, bins, q, beta
        self._unit = Fraction(1, 1 << part.bits)

    def at(self, place: int) -> _Estimate:
        """The estimate whose bar is narrower."""
        summed, fitted = self._of_nodes(place), self._of_all_levels(place)
        return summed if fitted is None or summed.off <= fitted.off else fitted

    def _of_nodes(self, place: int) -> _Estimate:
        first, inside = self._part.nodes(0, place + 1)
        rest, beyond = self._part.nodes(place + 1, self._bins) if self._q and place + 1 < self._bins else (0, 0)
        value = ((1 - self._q) * first - self._q * rest) * self._unit
        spread = (1 - self._q) ** 2 * inside + self._q**2 * beyond
        error = sqrt(float(spread) * self._part.noise.variance) * float(self._unit)
        parts = (((1 - self._q) * self._unit, inside), (self._q * self._unit, beyond))
        return _Estimate(float(value), error, _of_sums(self._part.noise, parts, self._beta))

    @cached_property
    def _fitted(self) -> tuple[list[float], list[float]]:
        """The least-squares estimate of every place, and its variance, in parts of a row."""
        q, places, synopsis = float(self._q), np.arange(self._bins), self._part.synopsis
        none = np.zeros(self._bins, dtype=np.int64)
        first, whole = synopsis.counts(none, places + 1)[0], synopsis.counts([0], [self._bins])[0][0]
        up_to = synopsis.variances(none, places + 1)
        beyond = np.append(synopsis.variances(places[1:], none[1:] + self._bins), 0.0)
        both = (synopsis.variances([0], [self._bins])[0] - up_to - beyond) / 2  # the covariance of the two parts
        variance = (1 - q) ** 2 * up_to + q**2 * beyond - 2 * q * (1 - q) * both
        return (first - q * whole).tolist(), np.maximum(variance, 0.0).tolist()

    def _of_all_levels(self, place: int) -> _Estimate | None:
        noise, unit = self._part.noise, float(self._unit)
        if not isinstance(noise, GeometricNoise | DiscreteGaussianNoise):
            return None  # rounded normal noise has no such bound
        value, variance = (each[place] for each in self._fitted)
        return _Estimate(value * unit, sqrt(variance) * unit, _chernoff(noise, variance, self._beta) * unit)


@lru_cache(maxsize=4096)
def _chernoff(noise: GeometricNoise | DiscreteGaussianNoise, variance: float, beta: Fraction) -> float:
    return reach_of_estimate(variance * _ROUNDED, (noise,), beta)


@lru_cache(maxsize=4096)
def _of_sums(noise: Noise, parts: tuple[tuple[Fraction, int], ...], beta: Fraction) -> float:
    """How far sums of so many noises, each times a weight, stray together."""
    return float(reach_of_many(tuple((noise, weight, nodes) for weight, nodes in parts if weight and nodes), beta))


def cumulative(part: MeasuredRanges, bins: int, confidence: Fraction) -> list[PublishedAnswer]:
    """For each of the first places, how many rows are at it or before, each with its own bar."""
    shares, name = _Shares(part, bins, Fraction(0), 1 - confidence), (f"ranges of {part.column}",)
    return [
        PublishedAnswer(each.value, each.error, each.value - each.off, each.value + each.off, float(confidence), name)
        for each in map(shares.at, range(bins))
    ]


def quantile_of(part: MeasuredRanges, bins: int, q: Fraction, confidence: Fraction) -> tuple[int, int, int]:
    """The place of a quantile, and the first and the last place that it may have.

    The true place v has at least a share q up to it, and less than that before it. A place is ruled out where the
    opposite of either is seen by more than its bar; at v itself each happens with half of what the bar fails by, as
    noise falls to either side alike. So v is ruled out with probability 1 - confidence at most, and so is leaving it
    out of what lies between the first and the last place that are left.
    """
    shares = _Shares(part, bins, q, 1 - confidence)
    found = [shares.at(place) for place in range(bins)]
    enough = [each.value >= -each.off for each in found]  # may have at least a share q up to it
    before = [True, *(each.value < each.off for each in found[:-1])]  # may have less than that before it
    left = [place for place in range(bins) if (enough[place] or place == bins - 1) and before[place]]
    low, high = (left[0], left[-1]) if left else (0, bins - 1)
    running = np.maximum.accumulate([each.value for each in found])
    falling = np.minimum.accumulate([each.value for each in found][::-1])[::-1]
    place = int(np.searchsorted((running + falling) / 2, 0.0))  # halfway between, which rises
    return min(max(place, low), high), low, high
