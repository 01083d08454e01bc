"""Tests of a sample against a law: fixed sizes, a threshold of 1e-9, and the laws themselves as floats."""

import math
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from scipy import stats

THRESHOLD = 1e-9
Pmf = Callable[[int], float]


def chi_square(sample: Iterable[Any], pmf: Pmf, *, reach: int) -> float:
    """The p-value of a chi-square test over the bulk, with both tails pooled."""
    counts = Counter(int(x) for x in sample)
    total = sum(counts.values())
    bins: list[tuple[float, int]] = []
    expected, observed = 0.0, 0
    for k in range(-reach, reach + 1):
        expected += total * pmf(k)
        observed += counts[k]
        if expected >= 20:
            bins.append((expected, observed))
            expected, observed = 0.0, 0
    rest = total - sum(e for e, _ in bins)
    bins.append((max(rest, 1e-12), total - sum(o for _, o in bins)))
    if bins[-1][0] < 20:  # too thin for chi-square on its own: join it to its neighbour
        (e1, o1), (e2, o2) = bins.pop(), bins.pop()
        bins.append((e1 + e2, o1 + o2))
    assert len(bins) >= 2, "a chi-square over one bin could not fail"
    statistic = sum((o - e) ** 2 / e for e, o in bins)
    return float(stats.chi2.sf(statistic, len(bins) - 1))


def binomial(successes: int, trials: int, p: float) -> float:
    """The exact two-sided p-value of a count."""
    return float(stats.binomtest(int(successes), int(trials), p).pvalue)


def symmetry(sample: Any) -> float:
    """The p-value of as many draws above zero as below."""
    above, below = int(np.sum(sample > 0)), int(np.sum(sample < 0))
    return binomial(above, above + below, 0.5)


def neighbour_ratio(sample: Any, pmf: Pmf, k: int) -> float:
    """The p-value of the counts at k and k + 1 having the law's ratio."""
    here, there = int(np.sum(sample == k)), int(np.sum(sample == k + 1))
    return binomial(here, here + there, pmf(k) / (pmf(k) + pmf(k + 1)))


def discrete_laplace(scale: float) -> Pmf:
    p = math.exp(-1 / scale)
    return lambda k: (1 - p) / (1 + p) * math.exp(-abs(k) / scale)


def geometric(scale: float) -> Pmf:
    return lambda k: -math.expm1(-1 / scale) * math.exp(-k / scale) if k >= 0 else 0.0


def discrete_gaussian(sigma: float) -> Pmf:
    reach = int(40 * sigma) + 10
    total = math.fsum(math.exp(-(k * k) / (2 * sigma * sigma)) for k in range(-reach, reach + 1))
    return lambda k: math.exp(-(k * k) / (2 * sigma * sigma)) / total


def rounded(cdf: Callable[[float], float], *, scale: float, center: float, grid: float) -> Pmf:
    """The law of the grid point nearest to center + scale·Z."""

    def pmf(k: int) -> float:
        low, high = ((k + side) * grid - center for side in (-0.5, 0.5))
        return cdf(high / scale) - cdf(low / scale)

    return pmf
