"""What private microdata must cost and need not cost more than: lower and upper bounds on points and their sum.

C is the root mean squared error of the worst point query, D that of the sum query. Lower bounds are rounded down and
upper bounds up.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.core import Change, Neighbours
from sfumato.exact.parameters import Real, non_negative, open_probability, positive, whole
from sfumato.exact.rounding import down, exp_down, exp_up, log_up, sqrt_up, up

_MOST_TRIED = 100_000  # numbers of moved records that are compared


# ---- the eight facts ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NoiseMoments:
    """What is known of d independent errors: of one, its square and its size; of all, the largest (Survey Lemma 9.4).

    `square` is E[y²], `size` E|y|, `largest` E[max |y|] and `largest_square` E[max y²], none below the truth.
    """

    square: float
    size: float
    largest: float
    largest_square: float


def gaussian_moments(count: int, *, sigma: Real) -> NoiseMoments:
    """The four facts for N(0, σ²), and for the discrete Gaussian.

    Both have E[exp(ty)] ≤ exp(t²σ²/2) (for the discrete one Σ exp(-(k - c)²/2σ²) is largest at whole c, by Poisson's
    summation), so Pr[max |y| > t] ≤ 2d·exp(-t²/2σ²): E[max |y|] ≤ σ√(2 ln 2d), E[max y²] ≤ 2σ²(ln 2d + 1).

    >>> gaussian_moments(1, sigma=2).square
    4.0
    """
    d, width = whole("count", count, least=1), positive("sigma", sigma)
    log = Fraction(log_up(Fraction(2 * d)))
    return NoiseMoments(up(width**2), up(width), sqrt_up(2 * width**2 * log), up(2 * width**2 * (log + 1)))


def laplace_moments(count: int, *, scale: Real) -> NoiseMoments:
    """The four facts for Lap(scale); the last is scale²(ln² d + 2 ln d + 2) (errata B4: the square is not printed).

    >>> round(laplace_moments(1000, scale=1).largest_square, 1)
    63.5
    """
    d, width = whole("count", count, least=1), positive("scale", scale)
    log = Fraction(log_up(Fraction(d)))
    return NoiseMoments(up(2 * width**2), up(width), up(width * (log + 1)), up(width**2 * (log**2 + 2 * log + 2)))


def geometric_moments(count: int, *, scale: Real) -> NoiseMoments:
    """The same for the double geometric DGeo(1/scale), which is not below Laplace noise at whole numbers.

    Pr[max |y| ≥ k] ≤ min(1, d·c·r^k), r = exp(-1/scale) and c = 2/(1 + r), summed from the first K with d·c·r^K ≤ 1.
    """
    d, width = whole("count", count, least=1), positive("scale", scale)
    low, r = Fraction(exp_down(-1 / width)), Fraction(exp_up(-1 / width))
    gap = max(1 - r, 1 / width - 1 / (2 * width**2))  # 1 - e^-x ≥ x - x²/2, where floats end
    c = Fraction(2) / (1 + low)
    first = max(1, math.ceil(Fraction(log_up(d * c)) * width))
    rest = min(Fraction(1), d * c * Fraction(exp_up(-first / width)))  # Pr[max |y| ≥ first], or more
    one = 2 * r / gap**2
    return NoiseMoments(
        up(min(one, 2 * width**2)),
        up(min(2 * r / (gap * (1 + low)), width)),
        up(first - 1 + rest / gap),
        up((first - 1) ** 2 + rest * ((2 * first - 1) / gap + one)),
    )


def truncated_geometric_moments(count: int, *, scale: Real, bound: int) -> NoiseMoments:
    """The same for TDGeo(1/scale, bound), which is never beyond its bound."""
    limit, free = float(whole("bound", bound, least=1)), geometric_moments(count, scale=scale)
    least = (limit**2, limit, limit, limit**2)
    known = (free.square, free.size, free.largest, free.largest_square)
    return NoiseMoments(*(min(pair) for pair in zip(least, known, strict=True)))


# ---- upper bounds ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SquaredErrors:
    """Expected squared errors: of the worst point query (C²) and of the sum query (D²)."""

    point: float
    sum: float


def clipped_bounds(count: int, moments: NoiseMoments) -> SquaredErrors:
    """What clipping at zero costs: E[y²] a point and d²·E[y²] for the sum (Survey Theorem 9.6 (1) and (2)).

    >>> clipped_bounds(200, laplace_moments(200, scale=1))
    SquaredErrors(point=2.0, sum=80000.0)
    """
    return SquaredErrors(moments.square, up(count**2 * Fraction(moments.square)))


def filled_bounds(moments: NoiseMoments) -> SquaredErrors:
    """What water-filling costs: E[y²] for the sum, E(|y| + 2·max |y|)² a point (Survey Theorem 9.6 (3) to (5)).

    The errors are of d points; with noise of scale 2/ε the sum's is 8/ε² (errata B5).

    >>> filled_bounds(laplace_moments(200, scale=2)).sum
    8.0
    """
    square, size, largest, most = (
        Fraction(value) for value in (moments.square, moments.size, moments.largest, moments.largest_square)
    )
    return SquaredErrors(up(square + 4 * size * largest + 4 * most), moments.square)


# ---- lower bounds ------------------------------------------------------------------------------------------------


class PrivacyLimit(Protocol):
    """A promise of privacy, by what it says of an event that has at least probability ¼ some steps away."""

    def least(self, steps: int) -> Fraction:
        """A lower bound on its probability here, rounded down."""
        ...

    def guess(self, steps: NDArray[np.float64]) -> NDArray[np.float64]:
        """About the same, for many numbers of steps."""
        ...


@dataclass(frozen=True, slots=True)
class PureLimit:
    """ε-differential privacy: ¼·exp(-ε·steps), by group privacy."""

    epsilon: Real

    def least(self, steps: int) -> Fraction:
        """¼·exp(-ε·steps)."""
        return Fraction(exp_down(-positive("epsilon", self.epsilon) * steps)) / 4

    def guess(self, steps: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same in floats."""
        return np.asarray(np.exp(-float(positive("epsilon", self.epsilon)) * steps) / 4)


@dataclass(frozen=True, slots=True)
class ApproximateLimit:
    """(ε, δ)-differential privacy: ¼·exp(-ε·steps) - δ/ε."""

    epsilon: Real
    delta: Real

    def least(self, steps: int) -> Fraction:
        """¼·exp(-ε·steps) - δ/ε."""
        epsilon, delta = positive("epsilon", self.epsilon), open_probability("delta", self.delta)
        return PureLimit(epsilon).least(steps) - delta / epsilon

    def guess(self, steps: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same in floats."""
        lost = float(open_probability("delta", self.delta) / positive("epsilon", self.epsilon))
        return PureLimit(self.epsilon).guess(steps) - lost


@dataclass(frozen=True, slots=True)
class ConcentratedLimit:
    """ρ-zero-concentrated privacy: exp(-(steps·√ρ + √ln 4)²).

    For a group of g people it is g²ρ; an event with p there and q here has p^α·q^(1-α) ≤ exp((α - 1)·α·g²ρ) for every
    α > 1, of which the best gives q ≥ exp(-(g√ρ + √ln(1/p))²).
    """

    rho: Real

    def least(self, steps: int) -> Fraction:
        """exp(-(steps·√ρ + √ln 4)²)."""
        rho = positive("rho", self.rho)
        root = Fraction(sqrt_up(rho * steps**2)) + Fraction(sqrt_up(Fraction(log_up(Fraction(4)))))
        return Fraction(exp_down(-(root**2)))

    def guess(self, steps: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same in floats."""
        root = math.sqrt(float(positive("rho", self.rho))) * steps + math.sqrt(math.log(4))
        return np.asarray(np.exp(-(root**2)))


def least_point_error(
    *, points: int, sum_error: Real, limit: PrivacyLimit, neighbours: Neighbours | None = None
) -> float:
    """The least C of private microdata with d points whose sum's D is at most `sum_error` (Survey Theorem 9.3).

    For every whole number m > 2C of records that are moved from one cell to another,
    (m - 2C)(d - 1)·q ≤ m + 2C + 2D, q what the promise says after as many steps. With k = m - 2C it is the inequality
    of the theorem, which holds for such k only: for others there are no such databases, and at large ε it fails.

    >>> round(least_point_error(points=10**6, sum_error=3, limit=PureLimit(1)), 3)
    1.918
    """
    d, total = whole("points", points, least=2), non_negative("sum_error", sum_error)
    steps = _steps_of_a_move(neighbours)

    def floor(moved: Fraction, likely: Fraction) -> Fraction:
        often = (d - 1) * likely
        return (moved * (often - 1) - 2 * total) / (2 * (often + 1))

    moves = _moves(d, limit, steps, at_least=1)
    often = (d - 1) * np.maximum(limit.guess(steps * moves), 0)
    best = int(moves[np.argmax((moves * (often - 1) - 2 * float(total)) / (often + 1))])
    return max(0.0, down(floor(Fraction(best), max(Fraction(0), limit.least(steps * best)))))


def least_sum_error(
    *, points: int, point_error: Real, limit: PrivacyLimit, neighbours: Neighbours | None = None
) -> float:
    """The least D of private microdata with d points whose C is at most `point_error` (Survey Theorem 9.3).

    >>> round(least_sum_error(points=10**6, point_error=1.5, limit=PureLimit(1)))
    38
    """
    d, point = whole("points", points, least=2), non_negative("point_error", point_error)
    steps = _steps_of_a_move(neighbours)

    def floor(moved: Fraction, likely: Fraction) -> Fraction:
        return ((moved - 2 * point) * (d - 1) * likely - 2 * point - moved) / 2

    moves = _moves(d, limit, steps, at_least=math.floor(2 * point) + 1)
    often = (d - 1) * np.maximum(limit.guess(steps * moves), 0)
    best = int(moves[np.argmax((moves - 2 * float(point)) * often - moves)])
    return max(0.0, down(floor(Fraction(best), max(Fraction(0), limit.least(steps * best)))))


def _steps_of_a_move(neighbours: Neighbours | None) -> int:
    """A record that moves is one that goes and one that comes, or one that is replaced."""
    return 1 if (neighbours or Neighbours()).change is Change.REPLACE else 2


def _moves(points: int, limit: PrivacyLimit, steps: int, *, at_least: int) -> NDArray[np.float64]:
    """Numbers of moved records to try: all that can say anything, or many of them."""
    most = at_least
    while most < 2**60 and (points - 1) * float(limit.guess(np.array([float(steps * most)]))[0]) > 1:
        most *= 2
    if most - at_least < _MOST_TRIED:
        return np.arange(at_least, most + 1, dtype=np.float64)
    return np.unique(np.rint(np.geomspace(at_least, most, _MOST_TRIED)))
