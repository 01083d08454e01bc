"""Selection of one candidate by its score, in time that does not depend on the scores.

Selections are races: every candidate draws one word, turns it into a real with its score, and the largest
real wins. With U uniform, x_r = rate·(max u - u_r) and E = -ln U exponential:

- permute-and-flip (McKenna, Sheldon 2020) is the arg-max of E_r - x_r: a candidate is heads in its coin
  exp(-x_r) iff U_r·exp(x_r) < 1, given heads U_r·exp(x_r) is uniform on (0, 1), so the least of them is a
  uniform choice among heads. It is the one-sided noisy arg-max (Survey Theorem 4.7).
- the exponential mechanism (Survey Algorithm 4) is the arg-min of E_r·exp(x_r): the least of independent
  exponentials is the r-th with probability proportional to its rate exp(-x_r). A candidate that stands for
  w_r equal ones has the rate w_r·exp(-x_r).
- report noisy max (Survey Algorithm 2) is the arg-max of ±E_r - x_r with a fair sign.

Floats bound each candidate's real from both sides; if more than one could be the largest, those few are
settled in ball arithmetic with more bits.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact import floats
from sfumato.exact.bits import BitSource, source
from sfumato.exact.lazy import Ball, LazyUniform, ball_of, decide
from sfumato.exact.parameters import Real, exact_array, nearest, positive

Scores = Sequence[Real] | NDArray[Any]
Reals = NDArray[np.float64]

# x is off by five roundings at most: of the difference, the rate, and the product, each relative to x.
_X_SLACK = 2.0**-49
# The noise is off by 45·FUNCTION_ERROR in its logarithm and as much again, relatively, where a logarithm of
# it is taken (E ≥ 0.69 on the branch that subtracts), so by less than 2**-38.
_NOISE_SLACK = 2.0**-38
_GAIN_SLACK = 2.0**-44
_LARGEST = 1e300


class Distances:
    """How far each candidate is below the best, times the rate: as floats, and exactly on request."""

    __slots__ = ("_below", "_rate", "floats")

    def __init__(self, below: Reals, exact: Callable[[int], Fraction], rate: Fraction) -> None:
        factor = nearest(rate)
        if 1e-290 < factor < 1e290 and np.isfinite(below).all():
            with np.errstate(over="ignore", under="ignore"):
                self.floats = below * factor
        else:
            self.floats = np.array([nearest(rate * exact(i)) for i in range(len(below))])
        self._rate, self._below = rate, exact

    def exact(self, index: int) -> Fraction:
        """The distance of one candidate as the rational it is."""
        return self._rate * self._below(index)


def distances(scores: Scores, rate: Fraction) -> Distances:
    """The candidates' distances below the best score, without losing a digit to a conversion."""
    array = exact_array("scores", scores)
    if array.ndim != 1 or len(array) == 0:
        raise InvalidParameter("scores", "must be one score for each of at least one candidate, got shape", array.shape)
    if array.dtype.kind in "iu":
        wrapped = array.astype(np.uint64 if array.dtype.kind == "u" else np.int64).view(np.uint64)
        gaps = wrapped[np.argmax(array)] - wrapped  # modulo 2**64, which is exact: all gaps are below it
        return Distances(gaps.astype(np.float64), lambda i: Fraction(int(gaps[i])), rate)
    if array.dtype.kind == "f":
        values = array.astype(np.float64)
        top = values.max()
        with np.errstate(over="ignore"):
            below = top - values
        return Distances(below, lambda i: Fraction(top) - Fraction(values[i]), rate)
    exact: list[Fraction] = list(array)
    best = max(exact)
    return Distances(np.array([nearest(best - u) for u in exact]), lambda i: best - exact[i], rate)


def _flip_bounds(words: NDArray[np.uint64], word_bits: int) -> tuple[Reals, Reals]:
    """Floats around E = -ln U, less a constant, for every U with the given leading word."""
    whole = words.astype(np.float64)
    return -np.log(whole + 1), -np.log(whole)


def _flip_ball(uniform: LazyUniform) -> Ball:
    return -uniform.ball().log()


def _exponential_bounds(words: NDArray[np.uint64], word_bits: int) -> tuple[Reals, Reals]:
    """Floats around -ln E, E = -ln(1 - U), for every U with the given leading word.

    Below a half log1p keeps the relative precision of a small E; above, 1 - U is counted from the top.
    """
    whole = words.astype(np.float64)
    rest = (np.uint64(2**word_bits - 1) - words).astype(np.float64)  # (1 - U)·2**word_bits in [rest, rest + 1]
    scale, high = 2.0**-word_bits, words >= np.uint64(2 ** (word_bits - 1))
    total = word_bits * np.log(2)

    def exponential(cell: Reals, left: Reals) -> Reals:
        small = -np.log1p(-np.where(high, 0, cell * scale))
        return np.where(high, total - np.log(np.where(high, left, 1)), small)

    return -np.log(exponential(whole + 1, rest)), -np.log(exponential(whole, rest + 1))


def _exponential_ball(uniform: LazyUniform) -> Ball:
    return -(-(1 - uniform.ball()).log()).log()


def _laplace_bounds(words: NDArray[np.uint64], word_bits: int) -> tuple[Reals, Reals]:
    """Floats around the Laplace quantile of U: E = -ln 2U below a half, and its mirror above."""
    half, top = np.uint64(2 ** (word_bits - 1)), np.uint64(2**word_bits - 1)
    negative = words < half
    mirrored = np.where(negative, words, top - words)  # the word of min(U, 1 - U), cell [m, m + 1]
    low, high = _flip_bounds(mirrored, word_bits)
    total = (word_bits - 1) * np.log(2)
    low, high = low + total, high + total  # floats around E = -ln(2·min(U, 1 - U)) ≥ 0
    return np.where(negative, -high, low), np.where(negative, -low, high)


def _laplace_ball(uniform: LazyUniform) -> Ball:
    u = uniform.ball()
    negative = uniform.value < 1 << (uniform.count - 1)
    size = -(2 * (u if negative else 1 - u)).log()
    return -size if negative else size


def _race(
    apart: Distances,
    bounds: Callable[[NDArray[np.uint64], int], tuple[Reals, Reals]],
    noise: Callable[[LazyUniform], Ball],
    bits: BitSource,
    weights: NDArray[np.int64] | None = None,
) -> int:
    """The candidate with the largest noise minus distance, plus the logarithm of its weight."""
    floats.trust()
    x = apart.floats
    words = bits.words(len(x))
    with np.errstate(divide="ignore", over="ignore"):
        low, high = bounds(words, bits.word_bits)
        low -= x * (1 + _X_SLACK) + _NOISE_SLACK
        high -= np.minimum(x, _LARGEST) * (1 - _X_SLACK) - _NOISE_SLACK
        if weights is not None:
            gain = np.log(np.maximum(weights, 1).astype(np.float64))  # off by less than 2**-45, as are the sums
            low = np.where(weights > 0, low + gain - _GAIN_SLACK, -np.inf)
            high = np.where(weights > 0, high + gain + _GAIN_SLACK, -np.inf)
    rivals = np.flatnonzero(high >= low.max())
    if len(rivals) == 1:
        return int(rivals[0])
    uniforms = {int(r): LazyUniform(bits, int(words[r]), bits.word_bits) for r in rivals}

    def gained(r: int) -> Ball:
        return ball_of(Fraction(1 if weights is None else int(weights[r]))).log()

    def attempt() -> int | None:
        reals = {r: noise(uniform) - ball_of(apart.exact(r)) + gained(r) for r, uniform in uniforms.items()}
        leader = max(reals, key=lambda r: _middle(reals[r]))
        beaten = (reals[r] < reals[leader] for r in reals if r != leader)
        return leader if all(beaten) else None

    magnitude = max(int(apart.exact(r)).bit_length() for r in uniforms)
    return decide(uniforms.values(), attempt, magnitude=magnitude)


def _middle(ball: Ball) -> Any:
    """A key to guess the leader by; the guess is checked against every rival."""
    return ball.mid() if ball.is_finite() else ball_of(Fraction(-1) * 10**9)


def _rate(epsilon: Real, sensitivity: Real, *, monotone: bool) -> Fraction:
    """ε/(2Δ), or ε/Δ where one person moves all scores in one direction (errata A17)."""
    rate = positive("epsilon", epsilon) / positive("sensitivity", sensitivity)
    return rate if monotone else rate / 2


def permute_and_flip(
    scores: Scores,
    epsilon: Real,
    sensitivity: Real = 1,
    *,
    monotone: bool = False,
    bits: BitSource | None = None,
) -> int:
    """The index of a candidate, drawn by permute-and-flip: ε-differentially private and never worse than
    the exponential mechanism.

    `sensitivity` is the most one person can change a score; say `monotone=True` only if one person moves
    all scores in one direction (counts under adding or removing a person).

    >>> permute_and_flip([0, 10_000, 3], epsilon=1, sensitivity=1)
    1
    """
    apart = distances(scores, _rate(epsilon, sensitivity, monotone=monotone))
    return _race(apart, _flip_bounds, _flip_ball, source(bits))


def exponential_mechanism(
    scores: Scores,
    epsilon: Real,
    sensitivity: Real = 1,
    *,
    monotone: bool = False,
    weights: Sequence[int] | NDArray[Any] | None = None,
    bits: BitSource | None = None,
) -> int:
    """The index of a candidate, drawn with probability proportional to exp(ε·u/(2Δ)) (Survey Algorithm 4).

    `weights` are whole numbers: how many equal candidates each one stands for, 0 for none.
    """
    apart = distances(scores, _rate(epsilon, sensitivity, monotone=monotone))
    many = None if weights is None else _multiplicities(weights, len(apart.floats))
    return _race(apart, _exponential_bounds, _exponential_ball, source(bits), many)


def _multiplicities(weights: Sequence[int] | NDArray[Any], n: int) -> NDArray[np.int64]:
    array = exact_array("weights", weights)
    if array.shape != (n,) or array.dtype.kind != "i":
        raise InvalidParameter("weights", "must be one whole number for each candidate, got shape", array.shape)
    if (array < 0).any() or not array.any():
        raise InvalidParameter("weights", "must not be negative, nor all zero, found", "weights that are")
    return array.astype(np.int64)


def report_noisy_max(
    scores: Scores,
    epsilon: Real,
    sensitivity: Real = 1,
    *,
    monotone: bool = False,
    bits: BitSource | None = None,
) -> int:
    """The index of the largest score after Laplace noise of scale 2Δ/ε, or Δ/ε if monotone (Survey Algorithm 2).

    >>> report_noisy_max([0, 10_000, 3], epsilon=1, sensitivity=1)
    1
    """
    apart = distances(scores, _rate(epsilon, sensitivity, monotone=monotone))
    return _race(apart, _laplace_bounds, _laplace_ball, source(bits))
