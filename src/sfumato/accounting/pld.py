"""Privacy-loss distributions composed: an upper bound, a lower bound, and the error between.

Laws are put on a common lattice (`accounting.lattice`) and composed as a product of Fourier transforms of
exponentially tilted masses, so that the part of the distribution that decides δ is computed with full relative
precision; what leaves the window, what wraps round and what rounding could hide is bounded and added to δ.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting.lattice import MOST_POINTS, Lattice, Survey, common_step, connect_the_dots, survey
from sfumato.accounting.losslaw import LossLaw, Reals
from sfumato.accounting.tilted import Tail, Tilted, length

_PER_SPREAD = 22  # lattice points in the spread of a law: the error of connect-the-dots falls with its square
_MOST = 1 << 22
_WHOLE = 1 << 14  # points of a composition that is taken whole, without looking for a window
_MOST_FINE = 1 << 18  # points that a list of very different laws is worth
_LEAST_MASS = 34.0  # -ln of the tilted mass that a window may leave out on either side
_ROUND = 2.0**-49  # sixteen roundings: of a butterfly of the transform, and of a power
_COARSE = 500  # points by which a tilt is looked for; any tilt gives a bound


class ComposedLattices:
    """Laws on lattices of one step, each composed some number of times."""

    def __init__(self, parts: list[tuple[Lattice, int]]) -> None:
        self._parts = parts
        self._step = parts[0][0].step
        self._offset = math.fsum(n * lattice.offset for lattice, n in parts)
        hidden = 2.0**-50 * math.fsum(n * abs(lattice.offset) for lattice, n in parts)
        self._lift = math.fsum(n * lattice.lift for lattice, n in parts) * (1 + 2.0**-40) + hidden
        certain = math.fsum(n * math.log1p(-lattice.infinite) for lattice, n in parts if lattice.infinite < 1)
        self._surely_infinite = -math.expm1(certain) * (1 - 2.0**-40)
        self.infinite = min(1.0, math.fsum(n * lattice.infinite for lattice, n in parts) * (1 + 2.0**-50))
        # from here on losses are told from the offsets: only their sum is large, and it would hide what is small
        self._logs = [(_log(lattice.masses), lattice.losses() - lattice.offset, n) for lattice, n in parts]
        self._coarse = [
            _coarsened(lattice.masses, losses, n)
            for (lattice, n), (_, losses, _) in zip(parts, self._logs, strict=True)
        ]
        self._spread = math.sqrt(self._cumulants(0.0)[2]) + self._step
        self._start = sum(n * lattice.first for lattice, n in parts)
        self._support = sum(n * (len(lattice.masses) - 1) for lattice, n in parts) + 1
        self._first_tilts: dict[float, float] = {}

    def _cumulants(self, theta: float, *, coarse: bool = False) -> tuple[float, float, float]:
        """K(θ) = ln E exp(θℓ) of the finite part and its first two derivatives."""
        value = mean = variance = 0.0
        for logs, losses, n in self._coarse if coarse else self._logs:
            exponents = logs + theta * losses
            top = float(exponents.max())
            weights = np.exp(exponents - top)
            total = float(weights.sum())
            first = float(np.einsum("i,i->", weights, losses)) / total
            second = float(np.einsum("i,i->", weights, (losses - first) ** 2)) / total
            value += n * (top + math.log(total))
            mean += n * first
            variance += n * second
        return value, mean, variance

    def _best_tilt(self, log_inverse_delta: float) -> float:
        """The θ that minimises (K(θ) + ln 1/δ)/θ: where K'(θ) is about the ε that is sought."""

        def beyond(theta: float) -> bool:
            # the derivative of (K + L)/θ has the sign of θ·K' - K - L, which increases with θ
            value, mean, _ = self._cumulants(theta, coarse=True)
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
        return high

    def _tilt(self, theta: float) -> Tilted:
        value, mean, variance = self._cumulants(theta)
        start, support = self._start, self._support
        whole = start * self._step, (start + support) * self._step, 0.0
        bottom, top, slack = self._window(theta, value, mean, variance) if support > _WHOLE else whole
        low = max(start, math.floor(bottom / self._step))
        wanted = min(support, math.ceil(top / self._step) + 2 - low)
        size = _fast_length(max(1, min(wanted, _MOST)))
        if wanted > _MOST:
            slack = 1.0
        if size >= support:
            low, slack = start, 0.0  # nothing is cut, so nothing may wrap
        first = low * self._step
        product: NDArray[np.complex128] | None = None
        count = 0
        for logs, losses, n in self._logs:
            exponents = logs + theta * losses
            tilted = np.exp(exponents - float(exponents.max()))
            tilted /= tilted.sum()
            factor = _power(np.fft.rfft(_folded(tilted, size), size), n)
            product = factor if product is None else product * factor
            count += n
        assert product is not None
        # A coefficient of a transform of unit mass is off by some roundings for each of the log2(N) sums it goes
        # through, a power by n times that; by Parseval the masses' errors have the 2-norm of the coefficients' over √N.
        norm = math.sqrt(2 * float((np.abs(product) ** 2).sum()))
        noise = _ROUND * (count + 4) * math.log2(size + 2) * (norm + 1) / math.sqrt(size)
        masses = np.roll(np.maximum(np.fft.irfft(product, size), 0.0), -((low - start) % size))
        return Tilted(theta, value, first, self._step, masses, 2 * slack, noise)

    def _window(
        self, theta: float, value: float, mean: float, variance: float, *, coarse: bool = False
    ) -> tuple[float, float, float]:
        """Losses between which all but a little of the tilted mass lies, and that little, by Chernoff's bound.

        Pr[ℓ ≥ x] ≤ exp(K(θ + s) - K(θ) - s·x) for every s > 0, and likewise below.
        """
        spread = math.sqrt(variance) + self._step

        def end(sign: int) -> float:
            def beyond(s: float) -> float:
                return (self._log_mgf(theta + sign * s, coarse=True) - value + _LEAST_MASS) / s

            best = _lowest(beyond, math.sqrt(2 * _LEAST_MASS) / spread)
            return sign * (self._log_mgf(theta + sign * best, coarse=coarse) - value + _LEAST_MASS) / best

        return min(end(-1), mean), max(end(1), mean), 2 * math.exp(-_LEAST_MASS)

    def _log_mgf(self, theta: float, *, coarse: bool = False) -> float:
        value = 0.0
        for logs, losses, n in self._coarse if coarse else self._logs:
            exponents = logs + theta * losses
            top = float(exponents.max())
            value += n * (top + math.log(float(np.exp(exponents - top).sum())))
        return value

    def epsilon_below(self, delta: float) -> float:
        """An ε for which δ does not suffice, given lattices that the true laws dominate."""
        target = delta * (1 + 2.0**-40) - self._surely_infinite
        if target <= 0:
            return math.inf
        return max(0.0, max(self._over_tilts(self._epsilon_below_at, target)) - self._lift)

    def _epsilon_below_at(self, theta: float, target: float) -> tuple[float, bool]:
        """A lower bound on ε under one tilt, and whether mass and not rounding decided it."""
        tilted = self._tilt(theta)
        tail = Tail(tilted, math.log(target), sign=-1)
        at = tail.last(lambda i: tail.gap(i) >= 0)
        return max(0.0, self._told(min(tail.between(at), tilted.loss(at + 1)), -1)), tail.weighed(at)

    def _told(self, found: float, sign: int) -> float:
        """A loss told from the offsets as a loss, rounded up or down."""
        return found + self._offset + sign * 1e-12 * (abs(found) + abs(self._offset))

    def epsilon(self, delta: float) -> float:
        """An ε for which δ suffices, or infinity where no window of floats could show one."""
        target = delta * (1 - 2.0**-40) - self.infinite
        if target <= 0:
            return math.inf if delta < self.infinite else max(0.0, self._largest_loss()) + self._lift
        largest = max(0.0, self._largest_loss())  # beyond it nothing is left but the mass at infinity
        return min(largest, *self._over_tilts(self._epsilon_at, target)) + self._lift

    def _over_tilts(self, attempt: Callable[[float, float], tuple[float, bool]], target: float) -> list[float]:
        """What an attempt finds under tilts that come closer to the best one: the one that moves the mean to ε.

        Every answer on the way is a bound. The first tilt is best for the moments, which look too far out where the
        law has a heavy tail or δ is large.
        """
        theta, answers = self._first_tilt(target), list[float]()
        highest = theta
        for _ in range(12):
            found, weighed = attempt(theta, target)
            inside = 0 < found < self._largest_loss() * (1 - 1e-6)
            stale = inside and bool(answers) and math.isclose(found, answers[-1], rel_tol=1e-6)
            answers.append(found)
            if weighed or stale:
                break
            better = self._tilt_to(found - self._offset) if inside else theta
            tried = better > 0.98 * highest or math.isclose(better, theta, rel_tol=0.02)
            theta = self._affordable(theta / 8 if tried else better)
        return answers

    def width(self, delta: float) -> float:
        """How many windows of the most points it takes to hold nearly all of the mass, for a δ to be found."""
        if self._support <= _MOST:
            return 0.0
        theta = self._first_tilt(delta)
        value, mean, variance = self._cumulants(theta, coarse=True)
        bottom, top, _ = self._window(theta, value, mean, variance, coarse=True)
        return (top - bottom) / (0.95 * _MOST * self._step)

    def _first_tilt(self, target: float) -> float:
        if target not in self._first_tilts:
            self._first_tilts[target] = self._affordable(0.75 * self._best_tilt(math.log(1 / target)))
        return self._first_tilts[target]

    def _affordable(self, theta: float) -> float:
        """The tilt, or a smaller one whose window is not too wide: a heavy tail that is tilted reaches far."""
        while theta * self._spread > 1e-3 and self._support > _MOST:
            value, mean, variance = self._cumulants(theta, coarse=True)
            bottom, top, _ = self._window(theta, value, mean, variance, coarse=True)
            if top - bottom < 0.9 * _MOST * self._step:
                break
            theta *= 0.7
        return theta

    def _epsilon_at(self, theta: float, target: float) -> tuple[float, bool]:
        """ε under one tilt, and whether mass and not rounding decided it."""
        tilted = self._tilt(theta)
        tail = Tail(tilted, math.log(target), sign=1)
        last = len(tilted.masses) - 1
        if tail.gap(last) > 0:
            return math.inf, False
        before = tail.last(lambda i: tail.gap(i) > 0)
        return max(0.0, self._told(min(tail.between(before), tilted.loss(before + 1)), 1)), tail.weighed(before)

    def _largest_loss(self) -> float:
        top = sum(
            n * (lattice.first + int(np.flatnonzero(lattice.masses).max(initial=0))) for lattice, n in self._parts
        )
        return self._offset + top * self._step + 2.0**-45 * (abs(self._offset) + abs(top) * self._step)

    def delta(self, epsilon: float) -> float:
        """A δ for which ε suffices."""
        epsilon -= self._lift
        if epsilon >= self._largest_loss():
            return self.infinite
        at = self._told(epsilon - 2 * self._offset, -1)
        _, mean, _ = self._cumulants(0.0)
        theta = 1e-3 / self._spread if mean > at else self._tilt_to(at)
        tilted = self._tilt(theta)
        beyond = tilted.first + np.arange(len(tilted.masses)) * tilted.step - at
        keep = beyond > 0
        weights = np.exp(-tilted.theta * beyond[keep]) * -np.expm1(-beyond[keep])
        exponent = tilted.exponent(at, 1)
        if exponent > 600:
            return 1.0
        hidden = tilted.slack + tilted.noise * length(weights)
        found = math.exp(exponent) * (math.fsum(tilted.masses[keep] * weights) * (1 + 1e-12) + hidden)
        return min(1.0, found + self.infinite)

    def _tilt_to(self, loss: float) -> float:
        """The θ that moves the mean to a loss told from the offsets, or the largest that is useful."""
        return self._search(lambda theta: self._cumulants(theta, coarse=True)[1] > loss, 1 / self._spread)


def _lowest(height: Callable[[float], float], start: float) -> float:
    """About where a function that falls and then rises is lowest, by powers of two and then finer."""
    at, found = start, height(start)
    for factor in (4.0, 0.25, 1.4, 1 / 1.4):
        while (further := height(at * factor)) < found and 1e-12 < at / start < 1e12:
            at, found = at * factor, further
    return at


def _coarsened(masses: Reals, losses: Reals, n: int) -> tuple[Reals, Reals, int]:
    """Log-masses and mean losses of neighbouring points taken together, to look for a tilt by.

    Some have the same width, for the tails; some the same mass, for the bulk.
    """
    if len(masses) <= 2 * _COARSE:
        return _log(masses), losses, n
    shares = np.searchsorted(np.cumsum(masses), np.linspace(0, masses.sum(), _COARSE, endpoint=False))
    starts = np.union1d(np.arange(0, len(masses), len(masses) // _COARSE), np.minimum(shares, len(masses) - 1))
    together = np.add.reduceat(masses, starts)
    means = np.add.reduceat(masses * losses, starts) / np.maximum(together, 1e-300)
    return _log(together), np.where(together > 1e-290, means, losses[starts]), n


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
    place: Callable[[LossLaw, float, Survey, float], Lattice] = connect_the_dots,
    *,
    coarser: float = 1.0,
) -> ComposedLattices:
    """Laws on a common lattice fine enough for their spreads, with tails that leave δ alone.

    `place` puts them there: `connect_the_dots` for an upper bound, `merge_the_cells` for a lower one. A `coarser`
    lattice gives a looser bound sooner.
    """
    applications = sum(n for _, n in laws)
    depth = max(20.0, math.log(1e5 * max(1, applications)) - math.log(max(delta, 1e-300)))
    surveys = [survey(law, depth) for law, _ in laws]
    total = math.sqrt(sum(n * at.spread**2 for at, (_, n) in zip(surveys, laws, strict=True)))
    # every law adds about step²/6 a time to the variance of the total: share the error by variance
    finer = max(1.0, min(8.0, math.sqrt(1000 / applications)))  # short lists can afford it
    if place is not connect_the_dots:  # merging shortens laws by a step, not by its square
        finer = max(4.0, min(16.0, 2048 / math.sqrt(applications)))
    step = coarser * total / math.sqrt(applications) / (_PER_SPREAD * finer)
    narrow = min((at.spread for at, (_, n) in zip(surveys, laws, strict=True) if n > 1), default=step)
    step = max(min(step, narrow / 8), 16 * total / _MOST_FINE)  # a law between two points would be spread
    step = max(step, 1e-12 * max(abs(at.low) + abs(at.high) for at in surveys), 1e-40)  # a law of one loss has no width
    step = common_step(laws, surveys, max(step, max(at.high - at.low for at in surveys) / MOST_POINTS))
    while True:
        composed = ComposedLattices(
            [(place(law, step, at, depth), n) for (law, n), at in zip(laws, surveys, strict=True)]
        )
        windows = composed.width(min(0.5, max(delta, 1e-300)))
        if windows <= 1:
            return composed
        step *= 2.0 ** math.ceil(math.log2(windows))
