"""Choosing a sparse vector run before it starts: the threshold, the length and the ⊤ of a stage.

A *false ⊤* is the answer ⊤ to a query that lies well below its threshold, the Type I error of a test. All numbers here
depend on parameters alone, so choosing costs no privacy.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from sfumato.accounting.events.selection import outputs_of, stopping_lengths
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real, amount, non_negative, open_probability, positive, whole
from sfumato.exact.rounding import log_down, log_up, sqrt_up, up
from sfumato.mechanisms.additive import Noise
from sfumato.mechanisms.answers import Answers

_CELLS = 4096
_CUT = Fraction(1, 2**200)  # the mass of threshold noise beyond the cells, which is counted as false
_ROUNDED_UP = 1 + 1e-8  # tails are known to nine digits
_MOST_QUERIES = 1 << 50


def false_top_probability(
    *, threshold_noise: Noise, query_noise: Noise, below: Real, queries: int = 1, grid: Real | None = None
) -> float:
    """The chance of any ⊤ among so many queries, each `below` the threshold, against one noisy threshold; rounded up.

    E[1 - (1 - Pr[ν ≥ gap + ρ | ρ])^k] over the noise ρ of the threshold, cell by cell at its worse end; exact but for
    rounding where ρ reaches no further than two thousand steps. Noises are in steps of the grid.

    >>> from sfumato.mechanisms import GaussianNoise
    >>> pair = {"threshold_noise": GaussianNoise(Fraction(20)), "query_noise": GaussianNoise(Fraction(40))}
    >>> [round(false_top_probability(**pair, below=100, queries=k), 4) for k in (1, 9)]
    [0.013, 0.1013]
    """
    gap = math.floor(non_negative("below", below) / Answers(grid).step)
    return _false_top(threshold_noise, query_noise, gap, whole("queries", queries, least=1))


def threshold_for(
    *, threshold_noise: Noise, query_noise: Noise, false_top: Real, queries: int = 1, grid: Real | None = None
) -> Fraction:
    """The least threshold above which queries of 0 give a false ⊤ with at most this probability.

    With Gaussian noises and one query it is below √(2(σ₁² + σ₂²)·ln(1/p)), which Survey Theorem 9.11 proposes.

    >>> from sfumato.mechanisms import GaussianNoise
    >>> threshold_for(
    ...     threshold_noise=GaussianNoise(Fraction(20)), query_noise=GaussianNoise(Fraction(40)), false_top=0.01
    ... )
    Fraction(105, 1)
    """
    most, count = open_probability("false_top", false_top), whole("queries", queries, least=1)
    level = _least(lambda gap: _false_top(threshold_noise, query_noise, gap, count) <= most, 1 << 62)
    if level is None:
        raise InvalidParameter("false_top", "is too rare for a threshold below 2**62 steps", false_top)
    return level * Answers(grid).step


def longest_stage(
    *, threshold_noise: Noise, query_noise: Noise, threshold: Real, false_top: Real, grid: Real | None = None
) -> int:
    """k'_max, the most queries of 0 that one noisy threshold answers with any false ⊤ at most that likely; 0 if none.

    >>> from sfumato.mechanisms import GaussianNoise
    >>> longest_stage(
    ...     threshold_noise=GaussianNoise(Fraction(20)), query_noise=GaussianNoise(Fraction(40)), threshold=200,
    ...     false_top=0.01,
    ... )
    2822
    """
    most, gap = (
        open_probability("false_top", false_top),
        math.floor(amount("threshold", threshold) / Answers(grid).step),
    )
    if gap < 0:
        raise InvalidParameter("threshold", "must not be negative for queries of 0", threshold)
    over = _least(lambda k: _false_top(threshold_noise, query_noise, gap, k + 1) > most, _MOST_QUERIES)
    return _MOST_QUERIES if over is None else over


def longest_stage_for(*, stage_cutoff: int, delta: Real) -> int:
    """k'_max, the most queries of a stage of c' ⊤ whose outputs number at most 1/δ' (Survey Theorem 9.13, errata E2).

    >>> longest_stage_for(stage_cutoff=1, delta=Fraction(1, 100)), longest_stage_for(stage_cutoff=2, delta=1e-9)
    (98, 44720)
    """
    tops, most = whole("stage_cutoff", stage_cutoff, least=1), 1 / open_probability("delta", delta)
    over = _least(lambda length: outputs_of(tops, length + 1) > most, _MOST_QUERIES)
    if not over:
        raise InvalidParameter("delta", f"must be smaller for a stage of {tops} ⊤ to have a query", delta)
    return over


def stage_cutoff_for(*, length: int, delta: Real) -> int:
    """c', the most ⊤ of a stage of k' queries whose outputs number at most 1/δ' (Survey Theorem 9.13, errata E2).

    >>> stage_cutoff_for(length=100, delta=1e-9), stage_cutoff_for(length=10_000, delta=1e-9)
    (5, 2)
    """
    queries, most = whole("length", length, least=1), 1 / open_probability("delta", delta)
    tops, outputs = 0, 2
    while tops < queries:
        outputs += math.comb(queries, tops + 1)
        if outputs > most:
            break
        tops += 1
    if not tops:
        raise InvalidParameter("length", "must be shorter for a stage to have a ⊤ at this δ", length)
    return tops


def non_negative_stage_cutoff_for(*, sigma: Real, query_sigma: Real, threshold: Real, delta: Real) -> int:
    """c', the most ⊤ of a stage with k_γ^c' ≤ 1/δ' for some γ, k_γ = E[K^γ]^(1/γ) (Survey Theorem 9.14); 0 if none.

    Queries are never negative and the threshold is drawn anew after every ⊤.

    >>> non_negative_stage_cutoff_for(sigma=40, query_sigma=80, threshold=100, delta=1e-9)
    6
    """
    first, second = positive("sigma", sigma), positive("query_sigma", query_sigma)
    lengths = stopping_lengths(first, second, amount("threshold", threshold))
    if not lengths:
        raise InvalidParameter("query_sigma", "must be at least √3 times sigma", query_sigma)
    log = log_down(1 / open_probability("delta", delta))
    return max(math.floor(log / (length * _ROUNDED_UP)) for length in lengths.values())


def length_capped_epsilon(
    *, sigma: Real, query_sigma: Real, cutoff: int, length: int, delta: Real, sensitivity: Real = 1
) -> float:
    """ε(δ) = A + 2√(A·(ln(1/δ) + ln(1 + Σ_{j≤c} C(k, j)))), A = Δ²/(2σ₁²) + 2cΔ²/σ₂², rounded up.

    The corollary of Survey Theorem 9.12 for Gaussian noises, with the 2 of errata A6 and the count of errata E2; the
    accountant's price of the same run is never above it.

    >>> round(length_capped_epsilon(sigma=20, query_sigma=40, cutoff=1, length=100, delta=1e-6), 4)
    0.4319
    """
    first, second = positive("sigma", sigma), positive("query_sigma", query_sigma)
    moved, tops = positive("sensitivity", sensitivity) ** 2, whole("cutoff", cutoff, least=1)
    outputs = Fraction(outputs_of(tops, whole("length", length, least=1)))
    slope = moved / (2 * first**2) + 2 * tops * moved / second**2
    rest = Fraction(log_up(1 / open_probability("delta", delta))) + Fraction(log_up(outputs))
    return up(slope + 2 * Fraction(sqrt_up(slope * rest)))


def _least(holds: Callable[[int], bool], most: int) -> int | None:
    """The least whole number from 0 on from which something holds; None if that is above `most`."""
    high = 1
    if holds(0):
        return 0
    while not holds(high):
        if high >= most:
            return None
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _at_least(noise: Noise, k: int) -> float:
    """Pr[noise ≥ k]."""
    return noise.tail(k) if k >= 1 else 1 - noise.tail(1 - k)


@lru_cache(maxsize=16)
def _cells(noise: Noise) -> tuple[tuple[int, float], ...]:
    """Where each cell of a noise starts and the mass in it; the last one has no end."""
    reach = noise.reach(_CUT)
    starts = list(range(-reach, reach + 1, max(1, -(-2 * reach // _CELLS))))
    masses = [_mass(noise, low, high) for low, high in pairwise(starts)]
    return tuple(zip(starts, [*masses, _at_least(noise, starts[-1])], strict=True))


def _mass(noise: Noise, low: int, high: int) -> float:
    """Pr[low ≤ noise < high], as a difference of numbers that are not larger than it needs."""
    if low >= 1:
        return noise.tail(low) - noise.tail(high)
    if high <= 0:
        return noise.tail(1 - high) - noise.tail(1 - low)
    return 1 - noise.tail(high) - noise.tail(1 - low)


def _false_top(threshold: Noise, query: Noise, gap: int, queries: int) -> float:
    cells = _cells(threshold)
    terms = [mass * _any_of(_at_least(query, gap + start), queries) for start, mass in cells]
    return min(1.0, (math.fsum(terms) + up(_CUT)) * _ROUNDED_UP)


def _any_of(one: float, count: int) -> float:
    """1 - (1 - one)^count."""
    return 1.0 if one >= 1 else -math.expm1(count * math.log1p(-one))
