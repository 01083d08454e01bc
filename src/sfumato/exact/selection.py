"""Selection of one candidate by its score, in time that does not depend on the scores.

Two are races: every candidate draws one word, turns it into a real with its score, and the largest real wins. With
U uniform, x_r = rate·(max u - u_r) and E = -ln U exponential:

- permute-and-flip (McKenna, Sheldon 2020) is the arg-max of E_r - x_r: a candidate is heads in its coin
  exp(-x_r) iff U_r·exp(x_r) < 1, given heads U_r·exp(x_r) is uniform on (0, 1), so the least of them is a
  uniform choice among heads. It is the one-sided noisy arg-max (Survey Theorem 4.7).
  Of w candidates with one score the best noise is -ln(1 - U^(1/w)), the largest of w exponentials: they race as one.
- report noisy max (Survey Algorithm 2) is the arg-max of ±E_r - x_r with a fair sign.

Floats bound each candidate's real from both sides; if more than one could be the largest, those few are
settled in ball arithmetic with more bits.

The exponential mechanism (Survey Algorithm 4) is inversion: the first candidate at which the running sum of
w_r·exp(-x_r) exceeds U times the whole sum. Floats place U·sum among the running sums within a proven doubt; where the
doubt reaches over a boundary, the sums are taken in ball arithmetic.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact import floats
from sfumato.exact.bits import BitSource, source
from sfumato.exact.lazy import Ball, LazyUniform, ball_of, decide, is_below
from sfumato.exact.parameters import Real, exact_array, nearest, positive

Scores = Sequence[Real] | NDArray[Any]
Reals = NDArray[np.float64]

# x is off by five roundings at most: of the difference, the rate, and the product, each relative to x.
_X_SLACK = 2.0**-49
# The noise is off by 45·FUNCTION_ERROR in its logarithm and as much again, relatively, where a logarithm of
# it is taken (E ≥ 0.69 on the branch that subtracts), so by less than 2**-38.
_NOISE_SLACK = 2.0**-38
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


def _flip_ball(_: int, uniform: LazyUniform) -> Ball:
    return -uniform.ball().log()


class _BestOf:
    """The largest of w exponentials, M = -ln(1 - exp(-E/w)) with E = -ln(1 - U): Pr[M ≤ t] = (1 - exp(-t))^w.

    Small U make large M, and small words are exact as floats. E is off by FUNCTION_ERROR and two roundings, relatively,
    on either branch; so are E/w and 1 - exp(-E/w), twice and thrice over; and its logarithm, which is at most
    ln(2**64·2**54) < 82, by 82·FUNCTION_ERROR: less than _NOISE_SLACK.
    """

    __slots__ = ("_many",)

    def __init__(self, many: NDArray[np.int64]) -> None:
        self._many = many

    def bounds(self, words: NDArray[np.uint64], word_bits: int) -> tuple[Reals, Reals]:
        """Floats around M for every U with the given leading word."""
        above = np.uint64(2**word_bits - 1) - words  # 1 - U is in [above, above + 1] cells
        whole, rest = words.astype(np.float64), above.astype(np.float64)
        return self._at(whole + 1, rest, word_bits), self._at(whole, rest + 1, word_bits)

    def _at(self, u: Reals, rest: Reals, word_bits: int) -> Reals:
        cell = 2.0**-word_bits
        e = -np.where(u <= rest, np.log1p(-np.minimum(u * cell, 0.5)), np.log(rest * cell))
        return -np.log(-np.expm1(-e / self._many))

    def ball(self, place: int, uniform: LazyUniform) -> Ball:
        """M, of one candidate."""
        return -(-((-uniform.ball()).log1p() / int(self._many[place])).expm1()).log()


def _laplace_bounds(words: NDArray[np.uint64], word_bits: int) -> tuple[Reals, Reals]:
    """Floats around the Laplace quantile of U: E = -ln 2U below a half, and its mirror above."""
    half, top = np.uint64(2 ** (word_bits - 1)), np.uint64(2**word_bits - 1)
    negative = words < half
    mirrored = np.where(negative, words, top - words)  # the word of min(U, 1 - U), cell [m, m + 1]
    low, high = _flip_bounds(mirrored, word_bits)
    total = (word_bits - 1) * np.log(2)
    low, high = low + total, high + total  # floats around E = -ln(2·min(U, 1 - U)) ≥ 0
    return np.where(negative, -high, low), np.where(negative, -low, high)


def _laplace_ball(_: int, uniform: LazyUniform) -> Ball:
    u = uniform.ball()
    negative = uniform.value < 1 << (uniform.count - 1)
    size = -(2 * (u if negative else 1 - u)).log()
    return -size if negative else size


def _race(
    apart: Distances,
    bounds: Callable[[NDArray[np.uint64], int], tuple[Reals, Reals]],
    noise: Callable[[int, LazyUniform], Ball],
    bits: BitSource,
) -> int:
    """The candidate with the largest noise minus distance."""
    floats.trust()
    x = apart.floats
    words = bits.words(len(x))
    with np.errstate(divide="ignore", over="ignore"):
        low, high = bounds(words, bits.word_bits)
        low -= x * (1 + _X_SLACK) + _NOISE_SLACK
        high -= np.minimum(x, _LARGEST) * (1 - _X_SLACK) - _NOISE_SLACK
    rivals = np.flatnonzero(high >= low.max())
    if len(rivals) == 1:
        return int(rivals[0])
    uniforms = {int(r): LazyUniform(bits, int(words[r]), bits.word_bits) for r in rivals}

    def attempt() -> int | None:
        reals = {r: noise(r, uniform) - ball_of(apart.exact(r)) for r, uniform in uniforms.items()}
        leader = max(reals, key=lambda r: _middle(reals[r]))
        beaten = (reals[r] < reals[leader] for r in reals if r != leader)
        return leader if all(beaten) else None

    magnitude = max(int(apart.exact(r)).bit_length() for r in uniforms)
    return decide(uniforms.values(), attempt, magnitude=magnitude)


def _middle(ball: Ball) -> Any:
    """A key to guess the leader by; the guess is checked against every rival."""
    return ball.mid() if ball.is_finite() else ball_of(Fraction(-1) * 10**9)


# Σ w·exp(-x) is off by a share of at most 60·2**-49 for the roundings of x (its mean under these weights is at most the
# logarithm of Σw, as the largest term is at least 1), FUNCTION_ERROR for exp and a few roundings: less than 2**-40.
# A block is summed pairwise, and the blocks one after the other.
_SUM_SLACK, _BLOCK = 2.0**-40, 1024


class RunningSums:
    """The running sums of w_r·exp(-x_r), as floats within `doubt` of the truth."""

    __slots__ = ("_blocks", "_n", "_tops", "doubt", "total")

    def __init__(self, x: Reals, weights: NDArray[np.int64] | None) -> None:
        self._n = len(x)
        terms = np.zeros(-(-self._n // _BLOCK) * _BLOCK)
        with np.errstate(under="ignore"):
            np.exp(-x, out=terms[: self._n])
        if weights is not None:
            terms[: self._n] *= weights
        self._blocks = terms.reshape(-1, _BLOCK)
        self._tops = np.cumsum(self._blocks.sum(axis=1))
        self.total = float(self._tops[-1])
        self.doubt = self.total * (_SUM_SLACK + len(self._tops) * 2.0**-51)

    def place(self, mass: float) -> int:
        """The first candidate whose running sum exceeds a mass."""
        block = min(int(np.searchsorted(self._tops, mass, side="right")), len(self._tops) - 1)
        before = float(self._tops[block - 1]) if block else 0.0
        inside = np.cumsum(self._blocks[block])
        return min(block * _BLOCK + int(np.searchsorted(inside, mass - before, side="right")), self._n - 1)

    def between(self, uniform: LazyUniform, *, outside: float = 0.0) -> tuple[int, int]:
        """The candidates among which U·sum falls, if up to `outside` more mass lies before and after them all.

        The first is -1, or the last n, where it may fall outside.
        """
        cell, doubt = 2.0**-uniform.count, 2 * (self.doubt + outside)
        low, high = uniform.value * cell * self.total - doubt, (uniform.value + 1) * cell * self.total + doubt
        if outside and (low < 0 or high > self.total):
            return -1, self._n
        return self.place(low), self.place(high)


def _one_word(bits: BitSource) -> LazyUniform:
    return LazyUniform(bits, bits.word(), bits.word_bits)


def _invert(apart: Distances, weights: NDArray[np.int64] | None, uniform: LazyUniform) -> int:
    """The first candidate whose running sum of w·exp(-x) exceeds U times the whole."""
    floats.trust()
    first, last = RunningSums(apart.floats, weights).between(uniform)
    if first == last:
        return first

    def mass(r: int) -> Ball:
        w = 1 if weights is None else int(weights[r])
        return w * (-ball_of(apart.exact(r))).exp() if w else ball_of(Fraction(0))

    def attempt() -> int | None:
        before = sum((mass(r) for r in range(first)), ball_of(Fraction(0)))
        between = [mass(r) for r in range(first, last + 1)]
        after = sum((mass(r) for r in range(last + 1, len(apart.floats))), ball_of(Fraction(0)))
        goal = uniform.ball() * (before + sum(between) + after)
        for r, term in enumerate(between, first):
            before = before + term
            is_here = is_below(goal, before)
            if is_here is not False:
                return r if is_here else None  # in doubt about the first that might hold it
        return None

    largest = apart.floats[np.isfinite(apart.floats)].max()
    return decide([uniform], attempt, magnitude=int(largest).bit_length() + 64)


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
    weights: Sequence[int] | NDArray[Any] | None = None,
    bits: BitSource | None = None,
) -> int:
    """The index of a candidate, drawn by permute-and-flip: ε-differentially private and never worse than
    the exponential mechanism.

    `sensitivity` is the most one person can change a score; say `monotone=True` only if one person moves
    all scores in one direction (counts under adding or removing a person). `weights` are whole numbers: how many equal
    candidates each one stands for, 0 for none, each of which has a coin of its own.

    >>> permute_and_flip([0, 10_000, 3], epsilon=1, sensitivity=1)
    1
    """
    rate = _rate(epsilon, sensitivity, monotone=monotone)
    if weights is None:
        apart = distances(scores, rate)
        return _race(apart, _flip_bounds, _flip_ball, source(bits))
    array = exact_array("scores", scores)
    many = _multiplicities(weights, len(array))
    some = np.flatnonzero(many)
    best = _BestOf(many[some])
    return int(some[_race(distances(array[some], rate), best.bounds, best.ball, source(bits))])


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
    rate, stream = _rate(epsilon, sensitivity, monotone=monotone), source(bits)
    if weights is None:
        return _invert(distances(scores, rate), None, _one_word(stream))
    array = exact_array("scores", scores)
    many = _multiplicities(weights, len(array))
    some = np.flatnonzero(many)  # the best of those that stand for any: sums are precise beside a term of at least 1
    return int(some[_invert(distances(array[some], rate), many[some], _one_word(stream))])


Candidates = tuple[NDArray[np.int64], NDArray[np.int64]]


def windowed_exponential_mechanism(
    window: Candidates,
    epsilon: Real,
    sensitivity: Real,
    *,
    outside: float,
    everything: Callable[[], Candidates],
    bits: BitSource | None = None,
) -> tuple[int, bool]:
    """What `exponential_mechanism` draws from `everything()`, found by looking at a window of it where that is enough.

    Candidates are scores and weights. The window is a contiguous part that holds a best candidate of positive weight;
    `outside` bounds Σ w·exp(-x) over the rest on either side. Gives a place, and whether it is one in the window.
    """
    rate, uniform = _rate(epsilon, sensitivity, monotone=False), _one_word(source(bits))
    floats.trust()
    scores, weights = window
    first, last = RunningSums(distances(scores, rate).floats, weights).between(uniform, outside=outside)
    if first == last:
        return first, True
    scores, weights = everything()
    return _invert(distances(scores, rate), weights, uniform), False


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
