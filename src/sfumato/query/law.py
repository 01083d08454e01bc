"""By how much what is released may be off: the joint law of the errors in a question's columns.

An error is a sum of noises with known weights. Noises of different cells are independent, or those of one box, so that
the law of a sum is known, and with it the shortest interval around it that holds it with a stated confidence. It is
computed from its transform E[exp(itX)] = Π E[exp(itwZ)] (Gil-Pelaez 1951); a noise by itself says its own reach.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import exp, expm1, gcd, inf, lcm, log, pi, prod, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core import Norm
from sfumato.mechanisms.additive import Noise
from sfumato.mechanisms.box import BoxNoise
from sfumato.mechanisms.discrete_gaussian import DiscreteGaussianNoise
from sfumato.mechanisms.gaussian import GaussianNoise
from sfumato.mechanisms.geometric import GeometricNoise
from sfumato.query.measured import Recipe
from sfumato.query.priced import Priced, SelectedCounts
from sfumato.query.quantiles import PricedQuantile

Exact = int | Fraction
Weighted = tuple[tuple[Noise, tuple[Fraction, ...]], ...]
"""Noises, and the weights of their cells."""
Times = tuple[Noise, Fraction, int]
"""A noise, its weight, and how many independent cells have it."""

_COARSE = 400.0  # a sum that is wider than this many of its steps has a smooth law
_FEW = 100.0  # of less variance a noise is a few steps wide
_NARROW = 4.0  # normal noise of less variance is not as wide as a real normal
_LIKELY = Fraction(1, 10**5)  # rarer failures are bounded noise by noise
_MOST_STEPS = 200
_FINE = 1e4  # geometric noise of more variance is Laplace's but for a part in 10**5
_FEW_SCALES, _APART, _EQUAL = 4, 1e-2, 1e-6
_POINTS, _PERIOD, _HIGHEST = 2048, 90.0, 130.0  # of the integral: how many, how far apart its echoes, how far it goes


class Errors:
    """The errors in the columns of what was priced."""

    def __init__(self, priced: Sequence[Priced]) -> None:
        self._blocks = {place: i for i, each in enumerate(priced) for place in each.columns}
        self._priced = priced

    def covariance(self, one: Mapping[int, Fraction], other: Mapping[int, Fraction]) -> float:
        """How the errors of two combinations go together."""
        first, second = self._weights(one), self._weights(other)
        return sum(
            self._noise(at).variance * float(sum(a * b for a, b in zip(first[at], second[at], strict=True)))
            for at in first
            if at in second
        )

    def _weights(self, form: Mapping[int, Fraction]) -> dict[int, list[Fraction]]:
        """Of every block the weights of its cells' noises in a combination of columns."""
        found = {}
        for at in dict.fromkeys(self._blocks[place] for place in form):
            block = self._priced[at]
            assert not isinstance(block, PricedQuantile)
            found[at] = block.weights([form.get(place, Fraction(0)) for place in block.columns])
        return found

    def _noise(self, at: int) -> Noise:
        block = self._priced[at]
        assert not isinstance(block, PricedQuantile)
        return block.noise

    def reach(self, form: Mapping[int, Fraction], beta: Fraction) -> Fraction:
        """How far a combination of columns may be off, but with probability beta."""
        weights = self._weights(form)
        alone = self._priced[next(iter(weights))]
        if isinstance(alone, SelectedCounts) and len(weights) == 1:
            return abs(weights[self._blocks[alone.columns[0]]][0]) * int(alone.selection.error(beta).alpha)
        return reach(tuple((self._noise(at), tuple(each)) for at, each in weights.items() if any(each)), beta)


class AnswerErrors:
    """The errors in what one aggregate is made of, at a confidence."""

    def __init__(self, errors: Errors, recipe: Recipe, beta: Fraction) -> None:
        self._errors, self._recipe, self.beta = errors, recipe, beta

    def reach(self, *coefficients: Exact) -> Fraction:
        """How far a sum of its parts, each times a coefficient, may be off."""
        return self._errors.reach(self._form(coefficients), self.beta)

    def ratio(self, *coefficients: Exact) -> float:
        """The same in standard deviations: it changes slowly with the coefficients."""
        form = self._form(coefficients)
        deviation = sqrt(self._errors.covariance(form, form))
        return float(self._errors.reach(form, self.beta)) / deviation if deviation else 0.0

    def covariances(self) -> NDArray[np.float64]:
        """How the errors of its parts go together."""
        size = len(self._recipe.forms)
        forms = [self._form([int(i == j) for j in range(size)]) for i in range(size)]
        return np.array([[self._errors.covariance(one, other) for other in forms] for one in forms])

    def _form(self, coefficients: Sequence[Exact]) -> dict[int, Fraction]:
        found = self._recipe.combined([Fraction(each) for each in coefficients])
        return {place: times for place, times in found.items() if times} or found


@lru_cache(maxsize=1 << 14)
def reach(weighted: Weighted, beta: Fraction) -> Fraction:
    """The least t, or just above, that |Σ w·Z| does not pass but with probability beta."""
    cells = [(noise, abs(weight)) for noise, weights in weighted for weight in weights if weight]
    if not cells:
        return Fraction(0)
    if len(cells) == 1:
        ((noise, weight),) = cells
        return weight * noise.reach(beta)
    boxes = [(noise, weights) for noise, weights in weighted if isinstance(noise, BoxNoise)]
    if boxes and len(weighted) == 1 and beta >= _LIKELY:
        ((noise, own),) = boxes
        return Fraction(noise.weighted_reach(tuple(float(each) for each in own), float(beta)))
    if boxes:  # one by one: their failures add up
        return sum((weight * noise.reach(beta / len(cells)) for noise, weight in cells), Fraction(0))
    return _of_many([(noise, weight, 1) for noise, weight in cells], beta)


@lru_cache(maxsize=1 << 14)
def reach_of_many(cells: tuple[Times, ...], beta: Fraction) -> Fraction:
    """The same for noises that are all independent, each given with a weight and how often it occurs with it."""
    kept = [(noise, abs(weight), times) for noise, weight, times in cells if weight and times]
    if not kept:
        return Fraction(0)
    if len(kept) == 1 and kept[0][2] == 1:
        ((noise, weight, _),) = kept
        return weight * noise.reach(beta)
    return _of_many(kept, beta)


def _of_many(cells: Sequence[Times], beta: Fraction) -> Fraction:
    if beta < _LIKELY or _is_rough(cells):  # one by one: their failures add up
        share = beta / sum(times for _, _, times in cells)
        added = sum((weight * times * noise.reach(share) for noise, weight, times in cells), Fraction(0))
        return min(added, _chernoff(cells, float(beta)))
    return _of_sum(cells, beta)


def _chernoff(cells: Sequence[Times], beta: float) -> Fraction:
    """t with 2·exp(Σ ln E exp(swZ) - st) ≤ β, for the best s of some: |Σ w·Z| passes it with probability β at most.

    Of a discrete Gaussian ln E exp(sZ) is at most (sσ)²/2 (Canonne, Kamath, Steinke 2020). A rounded normal is a normal
    and what rounding adds, within ½ of it, and so (s(σ + ½))²/2 at most. Of geometric noise it is known.
    """
    wide = [(noise, float(weight), times, sqrt(noise.variance)) for noise, weight, times in cells]
    widest = sqrt(sum(times * (weight * (spread + 0.5)) ** 2 for _, weight, times, spread in wide))
    least, best = log(2 / beta), inf
    for s in np.geomspace(0.01, 100, 400) * (sqrt(2 * least) / widest):
        total = sum(times * _log_moment(noise, float(s) * weight) for noise, weight, times, _ in wide)
        best = min(best, (total + least) / float(s))
    return Fraction(best * (1 + 1e-9)) if best < inf else Fraction(10**300)


def _log_moment(noise: Noise, s: float) -> float:
    """ln E exp(sZ), or above."""
    match noise:
        case GeometricNoise():
            rate = float(1 / noise.scale)
            if s >= rate:
                return inf
            return 2 * log(-expm1(-rate)) - log(-expm1(s - rate)) - log(-expm1(-s - rate))
        case GaussianNoise():
            return (s * (float(noise.sigma) + 0.5)) ** 2 / 2
        case DiscreteGaussianNoise():
            return (s * float(noise.sigma)) ** 2 / 2
        case _:
            return inf


def _is_rough(cells: Sequence[Times]) -> bool:
    """Whether a law is neither smooth nor on a lattice that is looked at as it is; cells that are priced are fine."""
    widest = sqrt(max(noise.variance * float(weight) ** 2 for noise, weight, _ in cells))
    if widest < _COARSE * float(_common([weight for _, weight, _ in cells])):
        return any(noise.norm is Norm.L2 and noise.variance < _NARROW for noise, _, _ in cells)
    return any(noise.variance < _FEW and noise.variance * float(weight) ** 2 > (widest / 10) ** 2
               for noise, weight, _ in cells)  # fmt: skip


def _of_sum(cells: Sequence[Times], beta: Fraction) -> Fraction:
    deviation = sqrt(sum(times * noise.variance * float(weight) ** 2 for noise, weight, times in cells))
    step = _common([weight for _, weight, _ in cells])
    if deviation < _COARSE * float(step):
        return step * _whole_reach(cells, step, deviation, float(beta))
    most = deviation * min(sqrt(1 / float(beta)), _PERIOD / 2)  # Chebyshev's inequality; beyond, there are echoes
    return Fraction(_falls_to(float(beta), _laplace_tail(cells) or _tail(cells, deviation), most) * (1 + 1e-6))


def _laplace_tail(cells: Sequence[Times]) -> Callable[[float], float] | None:
    """Pr[|Σ w·Z| > x] of few Laplace noises whose scales a are equal, if two, or different: Σ c·exp(-x/a).

    1/Π(1 + a²t²), their transform, is Σ c/(1 + a²t²) with c = Π a²/(a² - b²) over the others. None where digits would
    be lost, and where noise is not as good as continuous.
    """
    if not 2 <= len(cells) <= _FEW_SCALES or any(
        not isinstance(noise, GeometricNoise) or times > 1 or noise.variance < _FINE for noise, _, times in cells
    ):
        return None
    scales = sorted(float(weight) * sqrt(noise.variance / 2) for noise, weight, _ in cells)
    apart = min(1 - low / high for low, high in pairwise(scales))
    if len(scales) == 2 and apart < _EQUAL:
        return lambda x: (1 + x / (2 * scales[1])) * exp(-x / scales[1])
    if apart < (_EQUAL if len(scales) == 2 else _APART):
        return None
    parts = [(prod(a * a / (a * a - b * b) for b in scales if b != a), a) for a in scales]
    return lambda x: sum(part * exp(-x / a) for part, a in parts)


def _tail(cells: Sequence[Times], deviation: float) -> Callable[[float], float]:
    """The same of any noises, from their transforms."""
    highest, period = _HIGHEST / deviation, _PERIOD * deviation
    points = max(_POINTS, int(highest * period / (2 * pi)) + 1)
    at = (np.arange(points) + 0.5) * (highest / points)
    heights = _transform(cells, at) / at

    def beyond(x: float) -> float:
        return float(1 - 2 / pi * (highest / points) * np.dot(heights, np.sin(at * x)))

    return beyond


def _falls_to(level: float, function: Callable[[float], float], high: float) -> float:
    """Where a function that falls from above a level is at it, between zero and `high`, to eight digits.

    By false positions, each weighed down where it stays (the Illinois rule).
    """
    low, at_low, at_high = 0.0, function(0.0) - level, function(high) - level
    side = 0
    for _ in range(_MOST_STEPS):
        if at_high >= 0 or high - low <= 1e-8 * high:
            break
        middle = (low * at_high - high * at_low) / (at_high - at_low)
        at = function(middle) - level
        if at > 0:
            low, at_low, at_high, side = middle, at, at_high / 2 if side > 0 else at_high, 1
        else:
            high, at_high, at_low, side = middle, at, at_low / 2 if side < 0 else at_low, -1
        if abs(at) <= 1e-9 * level:
            return middle
    return high


def _whole_reach(cells: Sequence[Times], step: Fraction, deviation: float, beta: float) -> int:
    """The least number of steps: the law on its lattice, from its transform at the roots of unity."""
    size = 1 << max(10, int(60 * deviation / float(step)).bit_length())
    angles = 2 * pi * np.arange(size) / size
    masses = np.fft.irfft(_transform(cells, angles[: size // 2 + 1] / float(step)), size)
    inside = masses[0] + 2 * np.cumsum(masses[1 : size // 2])
    kept = [masses[0], *inside]
    return next((k for k, each in enumerate(kept) if 1 - each <= beta), size // 2)


def _transform(cells: Sequence[Times], at: NDArray[Any]) -> NDArray[np.float64]:
    found = np.ones(len(at))
    for noise, weight, times in cells:
        found = found * noise.transform(at * float(weight)) ** times
    return found


def _common(weights: Sequence[Fraction]) -> Fraction:
    """The largest step of which all weights are multiples."""
    bottom = lcm(*(each.denominator for each in weights))
    return Fraction(gcd(*(int(each * bottom) for each in weights)), bottom)
