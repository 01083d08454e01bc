"""Privacy-loss distributions composed: an upper bound, a lower bound, and the error between.

Laws are put on a common lattice (`accounting.lattice`) and composed as a product of Fourier transforms of
exponentially tilted masses, so that the part of the distribution that decides δ is computed with full relative
precision; what leaves the window, what wraps round and what rounding could hide is bounded and added to δ.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting.conversion import rdp_to_dp_improved
from sfumato.accounting.lattice import MOST_POINTS, Lattice, common_step, connect_the_dots, extent
from sfumato.accounting.losslaw import LossLaw, Reals

_PER_SPREAD = 20  # lattice points in the spread of a law: the error of connect-the-dots falls with its square
_MOST = 1 << 21
_REACH = 10.0  # tilted standard deviations kept on either side
_ROUND = 2.0**-50
_MOST_EXPONENT = 600.0
_NEGLIGIBLE = 1e-20


@dataclass(frozen=True, slots=True)
class _Tilted:
    """A composition under an exponential tilt θ: the tilted masses around the losses that decide δ."""

    theta: float
    log_mgf: float
    losses: Reals
    masses: Reals
    slack: float
    """What wrapping, cutting and rounding may hide, as tilted mass."""


class Composition:
    """Laws on one lattice, each composed some number of times."""

    def __init__(self, parts: list[tuple[Lattice, int]]) -> None:
        self._parts = parts
        self._step = parts[0][0].step
        self._lift = math.fsum(n * lattice.lift for lattice, n in parts) * (1 + 2.0**-40)
        certain = math.fsum(n * math.log1p(-lattice.infinite) for lattice, n in parts if lattice.infinite < 1)
        self._surely_infinite = -math.expm1(certain) * (1 - 2.0**-40)
        self.infinite = min(1.0, math.fsum(n * lattice.infinite for lattice, n in parts) * (1 + 2.0**-50))
        self._logs = [(_log(lattice.masses), lattice.losses(), n) for lattice, n in parts]
        self._spread = math.sqrt(self._cumulants(0.0)[2]) + self._step

    def _cumulants(self, theta: float) -> tuple[float, float, float]:
        """K(θ) = ln E exp(θℓ) of the finite part and its first two derivatives."""
        value = mean = variance = 0.0
        for logs, losses, n in self._logs:
            exponents = logs + theta * losses
            top = float(exponents.max())
            weights = np.exp(exponents - top)
            total = float(weights.sum())
            first = float((weights * losses).sum()) / total
            second = float((weights * (losses - first) ** 2).sum()) / total
            value += n * (top + math.log(total))
            mean += n * first
            variance += n * second
        return value, mean, variance

    def _best_tilt(self, log_inverse_delta: float) -> float:
        """The θ that minimises (K(θ) + ln 1/δ)/θ: where K'(θ) is about the ε that is sought."""

        def beyond(theta: float) -> bool:
            # the derivative of (K + L)/θ has the sign of θ·K' - K - L, which increases with θ
            value, mean, _ = self._cumulants(theta)
            return theta * mean - value - log_inverse_delta > 0

        # for a normal loss the best tilt is √(2·ln(1/δ)) standard deviations
        return self._search(beyond, math.sqrt(2 * max(1.0, log_inverse_delta)) / self._spread)

    def _search(self, beyond: Callable[[float], bool], guess: float) -> float:
        """The tilt where `beyond` turns true, to a few per cent, within the tilts that floats can carry."""
        least, most = 1e-6 / self._spread, 60 / self._step
        low = high = min(max(guess, least), most)
        if beyond(high):
            while low > least and beyond(low):
                low, high = max(least, low / 2), low
        else:
            while high < most and not beyond(high):
                low, high = high, min(most, high * 2)
        while high / low > 1.04:
            middle = math.sqrt(low * high)
            low, high = (low, middle) if beyond(middle) else (middle, high)
        while high > least and (high + 1) * self._reach(self._cumulants(high)[2]) > _MOST_EXPONENT:
            high *= 0.8
        return high

    def _reach(self, variance: float) -> float:
        """How far from the tilted mean the window goes: narrow laws keep a few hundred points around it."""
        support = sum(n * (len(lattice.masses) - 1) for lattice, n in self._parts) + 1
        return max(_REACH * math.sqrt(variance) + 16 * self._step, min(min(512, support) * self._step, 100.0))

    def _tilt(self, theta: float) -> _Tilted:
        value, mean, variance = self._cumulants(theta)
        start = sum(n * lattice.first for lattice, n in self._parts)
        support = sum(n * (len(lattice.masses) - 1) for lattice, n in self._parts) + 1
        reach = self._reach(variance)
        low = max(start, math.floor((mean - reach) / self._step))
        wanted = min(support, math.ceil(2 * reach / self._step) + 2)
        size = _fast_length(min(wanted, _MOST))
        if size >= support:
            low = start  # nothing is cut, so nothing may wrap
        slack = self._outside(theta, low * self._step, (low + size - 1) * self._step) if size < support else 0.0
        product: NDArray[np.complex128] | None = None
        count = 0
        for logs, losses, n in self._logs:
            exponents = logs + theta * losses
            top = float(exponents.max())
            tilted = np.exp(exponents - top)
            tilted /= tilted.sum()
            factor = _power(np.fft.rfft(_folded(tilted, size), size), n)
            product = factor if product is None else product * factor
            count += n
        assert product is not None
        # A coefficient of a transform of unit mass is off by about log2(N) roundings at most, a power by n times
        # that; by Parseval the sum of the masses' errors is at most the 2-norm of the coefficients' errors.
        norm = math.sqrt(2 * float((np.abs(product) ** 2).sum()))
        rounding = 8 * _ROUND * (count + 4) * math.log2(size + 2) * (norm + 1)
        masses = np.maximum(np.fft.irfft(product, size), 0.0)
        shift = (low - start) % size
        losses = (low + np.arange(size)) * self._step
        return _Tilted(theta, value, losses, np.roll(masses, -shift), 2 * slack + rounding)

    def _outside(self, theta: float, low: float, high: float) -> float:
        """Chernoff's bound on the tilted mass outside the window."""
        base, _, variance = self._cumulants(theta)
        spread = math.sqrt(variance) + self._step
        above = below = 1.0
        for power in (0, -1, 1, -2, 2, -3, 3, -4, -6):
            s = 2.0**power * _REACH / spread
            if above > _NEGLIGIBLE:
                above = min(above, math.exp(min(0.0, self._log_mgf(theta + s) - base - s * high)))
            if below > _NEGLIGIBLE:
                below = min(below, math.exp(min(0.0, self._log_mgf(theta - s) - base + s * low)))
        return above + below

    def _log_mgf(self, theta: float) -> float:
        value = 0.0
        for logs, losses, n in self._logs:
            exponents = logs + theta * losses
            top = float(exponents.max())
            value += n * (top + math.log(float(np.exp(exponents - top).sum())))
        return value

    def _sums(self, tilted: _Tilted) -> tuple[Reals, Reals, Reals, Reals]:
        """At each loss of the window: S1 = Σ p and S2 = Σ p·e^-(ℓ - m) over larger losses, δ there, and the slack.

        All carry the factor exp(K - θm), m the middle of the window; δ = S1 - e^(ℓ - m)·S2.
        """
        away = tilted.losses - float(tilted.losses[len(tilted.losses) // 2])
        untilt, decay = np.exp(-tilted.theta * away), np.exp(-away)
        plain = tilted.masses * untilt
        after, damped = _over_larger(plain), _over_larger(plain * decay)
        # running sums of N positive terms, and their difference, round by less than 2N roundings of S1
        slack = tilted.slack * untilt + after * (2 * len(after) + 16) * 2.0**-52
        return after, damped, after - damped / decay, slack

    def epsilon_below(self, delta: float) -> float:
        """An ε for which δ does not suffice, given lattices that the true laws dominate."""
        target = delta * (1 + 2.0**-40) - self._surely_infinite
        if target <= 0:
            return math.inf
        return max(self._over_tilts(self._epsilon_below_at, target))

    def _epsilon_below_at(self, theta: float, target: float) -> tuple[float, bool]:
        """A lower bound on ε under one tilt, and whether mass and not rounding decided it."""
        if (theta + 1) * self._reach(self._cumulants(theta)[2]) > _MOST_EXPONENT:
            return 0.0, False
        tilted = self._tilt(theta)
        after, damped, deltas, slack = self._sums(tilted)
        middle = float(tilted.losses[len(tilted.losses) // 2])
        exponent = math.log(target) - tilted.log_mgf + tilted.theta * middle
        if exponent > _MOST_EXPONENT:
            return 0.0, False  # a smaller unit would claim too much
        unit = math.exp(exponent)
        reached = np.flatnonzero(deltas * (1 - 1e-12) - slack >= unit)
        if not len(reached):
            return 0.0, False
        at = int(reached[-1])
        root = (after[at] * (1 - 1e-12) - slack[at] - unit) / damped[at] if damped[at] > 0 else 0.0
        inside = middle + math.log(root) if root > 0 else 0.0
        upper = float(tilted.losses[min(at + 1, len(tilted.losses) - 1)])
        found = max(0.0, float(tilted.losses[at]), min(inside, upper)) * (1 - 1e-12)
        return found, bool(slack[at] < 1e-3 * unit)

    def quick_epsilon(self, delta: float) -> float:
        """An ε for which δ suffices, from the moments alone: looser than `epsilon`, and without a transform."""
        target = delta * (1 - 2.0**-40) - self.infinite
        if target <= 0:
            return math.inf
        theta = self._best_tilt(math.log(1 / target))
        renyi = self._log_mgf(theta) / theta * (1 + 2.0**-40)
        return rdp_to_dp_improved(theta + 1, max(0.0, renyi), target) + self._lift

    def epsilon(self, delta: float) -> float:
        """An ε for which δ suffices, or infinity where no window of floats could show one."""
        target = delta * (1 - 2.0**-40) - self.infinite
        if target <= 0:
            return math.inf if delta < self.infinite else max(0.0, self._largest_loss()) + self._lift
        largest = max(0.0, self._largest_loss())  # beyond it nothing is left but the mass at infinity
        return min(largest, *self._over_tilts(self._epsilon_at, target)) + self._lift

    def _over_tilts(self, attempt: Callable[[float, float], tuple[float, bool]], target: float) -> list[float]:
        """What an attempt finds from the best tilt on down, until mass and not rounding decided it.

        For a large δ the tilt that suits the tail looks too far out: ε is below the window, or where rounding
        weighs more than mass. Every answer on the way is a bound.
        """
        theta, answers = self._best_tilt(math.log(1 / target)), list[float]()
        for _ in range(12):
            found, weighed = attempt(theta, target)
            answers.append(found)
            if weighed:
                break
            theta /= 4
        return answers

    def _epsilon_at(self, theta: float, target: float) -> tuple[float, bool]:
        """ε under one tilt, and whether mass and not rounding decided it."""
        if (theta + 1) * self._reach(self._cumulants(theta)[2]) > _MOST_EXPONENT:
            return math.inf, False
        tilted = self._tilt(theta)
        after, damped, deltas, slack = self._sums(tilted)
        middle = float(tilted.losses[len(tilted.losses) // 2])
        # δ(ε_i) = factor · (S1 - e^(ε_i - m)·S2 + slack), to compare with the target in the same units
        unit = math.exp(min(700.0, math.log(target) - tilted.log_mgf + tilted.theta * middle))
        enough = np.maximum(deltas, 0.0) * (1 + 1e-12) + slack <= unit
        if not enough[-1]:
            return math.inf, False
        index = int(np.argmax(enough))
        if index == 0:
            lowest = float(tilted.losses[0])
            return max(0.0, lowest), lowest <= max(0.0, self._least_loss())
        # between lattice points δ(ε) = S1 - e^(ε - m)·S2 with the sums of the point below
        before = index - 1
        low, high = float(tilted.losses[before]), float(tilted.losses[index])
        weighed = bool(slack[before] < 1e-3 * unit)
        if damped[before] <= 0:
            return max(0.0, high), weighed
        root = (after[before] * (1 + 1e-12) + slack[before] - unit) / damped[before]
        inside = middle + math.log(root) if root > 0 else low
        return max(0.0, min(high, max(low, inside)) * (1 + 1e-12)), weighed

    def _largest_loss(self) -> float:
        tops = (n * (lattice.first + int(np.flatnonzero(lattice.masses).max(initial=0))) for lattice, n in self._parts)
        return sum(tops) * self._step * (1 + 2.0**-40)

    def _least_loss(self) -> float:
        return sum(n * lattice.first for lattice, n in self._parts) * self._step

    def delta(self, epsilon: float) -> float:
        """A δ for which ε suffices."""
        epsilon -= self._lift
        if epsilon >= self._largest_loss():
            return self.infinite
        _, mean, _ = self._cumulants(0.0)
        theta = 1e-3 / self._spread if mean > epsilon else self._tilt_to(epsilon)
        tilted = self._tilt(theta)
        beyond = tilted.losses - epsilon
        keep = beyond > 0
        terms = tilted.masses[keep] * np.exp(-tilted.theta * beyond[keep]) * -np.expm1(-beyond[keep])
        exponent = tilted.log_mgf - tilted.theta * epsilon
        if exponent > _MOST_EXPONENT:
            return 1.0
        found = math.exp(exponent) * (math.fsum(terms) * (1 + 1e-12) + tilted.slack)
        return min(1.0, found + self.infinite)

    def _tilt_to(self, epsilon: float) -> float:
        """The θ that moves the mean to ε, or the largest that is useful."""
        return self._search(lambda theta: self._cumulants(theta)[1] > epsilon, 1 / self._spread)


def _over_larger(terms: Reals) -> Reals:
    """At each place the sum of the terms after it."""
    out = np.zeros_like(terms)
    out[:-1] = np.cumsum(terms[:0:-1])[::-1]
    return out


def _folded(masses: Reals, size: int) -> Reals:
    """Masses added up modulo the size of the window."""
    if len(masses) <= size:
        return masses  # the transform pads
    rows = -(-len(masses) // size)
    added: Reals = np.pad(masses, (0, rows * size - len(masses))).reshape(rows, size).sum(axis=0)
    return added


def _power(coefficients: NDArray[np.complex128], n: int) -> NDArray[np.complex128]:
    """coefficients**n, with those left out whose power is below 1e-60 in size."""
    if n == 1:
        return coefficients
    out = np.zeros_like(coefficients)
    size = np.abs(coefficients)
    kept = size > 10.0 ** (-60 / n)
    out[kept] = size[kept] ** n * np.exp(1j * n * np.angle(coefficients[kept]))
    return out


def _fast_length(least: int) -> int:
    """The least product of powers of 2, 3 and 5 that is not below: a transform of it is fast."""
    best = 1 << (least - 1).bit_length()
    for odd in (3, 5, 9, 15, 25, 27, 45):
        scaled = odd << max(0, (-(-least // odd) - 1).bit_length())
        best = min(best, scaled)
    return best


def _log(masses: Reals) -> Reals:
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(masses), -1e6)


def compose(
    laws: list[tuple[LossLaw, int]],
    delta: float,
    place: Callable[[LossLaw, float, float], Lattice] = connect_the_dots,
) -> Composition:
    """Laws on a common lattice fine enough for their spreads, with tails that leave δ alone.

    `place` puts them there: `connect_the_dots` for an upper bound, `merge_the_cells` for a lower one.
    """
    spreads = [law.spread() for law, _ in laws]
    total = math.sqrt(sum(n * s * s for s, (_, n) in zip(spreads, laws, strict=True)))
    applications = sum(n for _, n in laws)
    # every law adds about step²/6 a time to the variance of the total: share the error by variance
    finer = max(1.0, min(8.0, math.sqrt(1000 / applications)))  # short lists can afford it
    points = _PER_SPREAD * (finer if place is connect_the_dots else 4 * finer)
    step = total / math.sqrt(applications) / points
    depth = max(20.0, math.log(1e4 * max(1, applications)) - math.log(max(delta, 1e-300)))
    extents = [extent(law, depth) for law, _ in laws]
    step = common_step(laws, max(step, max(high - low for low, high in extents) / MOST_POINTS))
    return Composition([(place(law, step, depth), n) for law, n in laws])
