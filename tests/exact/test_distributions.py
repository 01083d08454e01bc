"""Every sampler against its exact law, on fast and slow paths, with a power check on the same sample."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

import statistics_of_samples as law
from sfumato import exact
from sources import SeededBits

pytestmark = pytest.mark.slow
DRAWS = {8: 30_000, 16: 30_000, 32: 60_000, 64: 400_000}
WORDS = sorted(DRAWS)


def assert_fits(sample: Any, pmf: law.Pmf, *, reach: int) -> None:
    assert law.chi_square(sample, pmf, reach=reach) > law.THRESHOLD


def assert_rejects(sample: Any, pmf: law.Pmf, *, reach: int) -> None:
    assert law.chi_square(sample, pmf, reach=reach) < law.THRESHOLD


@pytest.mark.parametrize("word_bits", WORDS)
@pytest.mark.parametrize("scale", [0.7, 1.0, 3.0, 25.0])
def test_discrete_laplace_has_its_law_and_no_other_scale(scale: float, word_bits: int) -> None:
    n, reach = DRAWS[word_bits], int(12 * scale) + 3
    sample = exact.discrete_laplace(scale, n, bits=SeededBits(1, word_bits))
    pmf = law.discrete_laplace(scale)
    assert_fits(sample, pmf, reach=reach)
    assert law.binomial(int(np.sum(sample == 0)), n, pmf(0)) > law.THRESHOLD
    tail = int(4 * scale) + 1
    beyond = 2 * sum(pmf(k) for k in range(tail, 60 * tail))
    assert law.binomial(int(np.sum(np.abs(sample) >= tail)), n, beyond) > law.THRESHOLD
    assert law.symmetry(sample) > law.THRESHOLD
    for k in (-2, -1, 0, 1):
        assert law.neighbour_ratio(sample, pmf, k) > law.THRESHOLD
    for factor in (0.9, 1.1):
        assert_rejects(sample, law.discrete_laplace(scale * factor), reach=reach)


@pytest.mark.parametrize("word_bits", WORDS)
@pytest.mark.parametrize("sigma", [0.6, 1.0, 2.5, 20.0])
def test_discrete_gaussian_has_its_law_and_no_other_sigma(sigma: float, word_bits: int) -> None:
    n, reach = DRAWS[word_bits], int(7 * sigma) + 3
    sample = exact.discrete_gaussian(sigma, n, bits=SeededBits(2, word_bits))
    pmf = law.discrete_gaussian(sigma)
    assert_fits(sample, pmf, reach=reach)
    assert law.binomial(int(np.sum(sample == 0)), n, pmf(0)) > law.THRESHOLD
    tail = int(3 * sigma) + 1
    beyond = 2 * sum(pmf(k) for k in range(tail, 15 * tail))
    assert law.binomial(int(np.sum(np.abs(sample) >= tail)), n, beyond) > law.THRESHOLD
    assert law.symmetry(sample) > law.THRESHOLD
    for k in (-2, -1, 0, 1):
        assert law.neighbour_ratio(sample, pmf, k) > law.THRESHOLD
    for factor in (0.9, 1.1):
        assert_rejects(sample, law.discrete_gaussian(sigma * factor), reach=reach)


@pytest.mark.parametrize("word_bits", WORDS)
@pytest.mark.parametrize("scale", [0.8, 6.0])
def test_geometric_has_its_law_and_no_other_scale(scale: float, word_bits: int) -> None:
    sample = exact.geometric(scale, DRAWS[word_bits], bits=SeededBits(3, word_bits))
    assert_fits(sample, law.geometric(scale), reach=int(12 * scale))
    for factor in (0.9, 1.1):
        assert_rejects(sample, law.geometric(scale * factor), reach=int(12 * scale))


def _clipped(scale: float, bound: int) -> law.Pmf:
    inner = law.discrete_laplace(scale)
    ends = (1 - sum(inner(k) for k in range(1 - bound, bound))) / 2
    return lambda k: 0.0 if abs(k) > bound else ends if abs(k) == bound else inner(k)


def _conditioned(scale: float, bound: int) -> law.Pmf:
    total = sum(np.exp(-abs(k) / scale) for k in range(-bound, bound + 1))
    return lambda k: float(np.exp(-abs(k) / scale) / total) if abs(k) <= bound else 0.0


@pytest.mark.parametrize("word_bits", WORDS)
@pytest.mark.parametrize("bound", [3, 12])
def test_censored_and_truncated_noise_have_their_laws(bound: int, word_bits: int) -> None:
    n, scale = DRAWS[word_bits], 5.0
    censored = exact.censored_discrete_laplace(scale, bound, n, bits=SeededBits(4, word_bits))
    truncated = exact.truncated_discrete_laplace(scale, bound, n, bits=SeededBits(5, word_bits))
    assert_fits(censored, _clipped(scale, bound), reach=bound)
    assert_fits(truncated, _conditioned(scale, bound), reach=bound)
    assert_rejects(censored, _conditioned(scale, bound), reach=bound)
    assert_rejects(truncated, _clipped(scale, bound), reach=bound)


@pytest.mark.parametrize("word_bits", WORDS)
def test_wide_geometric_pieces_join_without_a_seam(word_bits: int) -> None:
    """Above 2**26 the noise is a coarse multiple plus a remainder: the low bits must stay uniform and the
    whole must keep its scale."""
    n = min(DRAWS[word_bits], 40_000)
    scale = 3e9
    sample = exact.discrete_laplace(scale, n, bits=SeededBits(6, word_bits))
    uniform = stats.laplace.cdf(sample / scale)
    assert stats.kstest(uniform, "uniform").pvalue > law.THRESHOLD
    assert stats.kstest(stats.laplace.cdf(sample / (scale * 1.1)), "uniform").pvalue < law.THRESHOLD
    for modulus in (2, 3, 64):
        assert_fits(sample % modulus, lambda k, m=modulus: (0 <= k < m) / m, reach=modulus)  # type: ignore[misc]


CONTINUOUS: dict[str, tuple[Callable[..., Any], Callable[[float], float]]] = {
    "laplace": (exact.rounded_laplace, stats.laplace.cdf),
    "gaussian": (lambda s, n, **k: exact.rounded_gaussian(s, n, **k), stats.norm.cdf),
    "exponential": (exact.rounded_exponential, stats.expon.cdf),
    "gumbel": (exact.rounded_gumbel, stats.gumbel_r.cdf),
    "heavy tail, gamma 2": (lambda s, n, **k: exact.rounded_heavy_tail(2, s, n, **k), stats.cauchy.cdf),
    "heavy tail, gamma 4": (
        lambda s, n, **k: exact.rounded_heavy_tail(4, s, n, **k),
        lambda z: 0.5 + np.sqrt(2) / np.pi * integrate.quad(lambda x: 1 / (1 + x**4), 0, z)[0],
    ),
    "heavy tail, gamma 1.5": (
        lambda s, n, **k: exact.rounded_heavy_tail(1.5, s, n, **k),
        lambda z: 0.5 + integrate.quad(lambda x: 1 / (1 + abs(x) ** 1.5), 0, z)[0] * 3 * np.sqrt(3) / 8 / np.pi,
    ),
}


@pytest.mark.parametrize("word_bits", WORDS)
@pytest.mark.parametrize("name", CONTINUOUS)
def test_rounded_continuous_noise_has_its_law_and_no_other_scale(name: str, word_bits: int) -> None:
    sampler, cdf = CONTINUOUS[name]
    n = 300_000 if word_bits == 64 else 40_000
    place = {"center": 0.3, "grid": 0.5}
    sample = sampler(1.5, n, bits=SeededBits(7, word_bits), **place)
    reach = 40
    assert_fits(sample, law.rounded(cdf, scale=1.5, **place), reach=reach)
    # A heavy tail tells less about its scale, and the slow path makes a large sample dear.
    factors = (0.7, 1.4) if "heavy" in name and word_bits < 64 else (0.9, 1.1)
    for factor in factors:
        assert_rejects(sample, law.rounded(cdf, scale=1.5 * factor, **place), reach=reach)
    assert_rejects(sample, law.rounded(cdf, scale=1.5, center=0.45, grid=0.5), reach=reach)


@pytest.mark.parametrize("word_bits", WORDS)
@pytest.mark.parametrize("p", [0.25, 1 / 3, 0.9])
def test_bernoulli_has_its_probability(p: float, word_bits: int) -> None:
    n = DRAWS[word_bits]
    heads = int(exact.bernoulli(p, n, bits=SeededBits(8, word_bits)).sum())
    assert law.binomial(heads, n, p) > law.THRESHOLD
    assert law.binomial(heads, n, p * 0.9) < law.THRESHOLD
    heads = int(exact.bernoulli_exp(-np.log(p), n, bits=SeededBits(9, word_bits)).sum())
    assert law.binomial(heads, n, p) > law.THRESHOLD
    assert law.binomial(heads, n, p * 0.9) < law.THRESHOLD


@pytest.mark.parametrize("word_bits", WORDS)
@pytest.mark.parametrize("n", [2, 7, 300])
def test_integers_are_uniform(n: int, word_bits: int) -> None:
    sample = exact.integers(n, DRAWS[word_bits], bits=SeededBits(10, word_bits))
    assert_fits(sample, lambda k: (0 <= k < n) / n, reach=n)
    assert_rejects(sample, lambda k: (0 <= k < n) * (1 + 0.1 * (-1) ** k) / n, reach=n)


@pytest.mark.parametrize("word_bits", [8, 64])
def test_permutations_and_choices_are_uniform(word_bits: int) -> None:
    bits = SeededBits(11, word_bits)
    orders = [tuple(exact.permutation(4, bits=bits)) for _ in range(12_000)]
    index = {order: i for i, order in enumerate(sorted(set(orders)))}
    assert len(index) == 24
    assert_fits([index[o] for o in orders], lambda k: (0 <= k < 24) / 24, reach=24)
    for n, k in ((5, 2), (12, 2)):  # by permutation and by drawing again
        pairs = [tuple(exact.choice(n, k, bits=bits)) for _ in range(12_000)]
        number = {pair: i for i, pair in enumerate(sorted(set(pairs)))}
        assert len(number) == n * (n - 1)
        ways = n * (n - 1)
        assert_fits([number[p] for p in pairs], lambda k, m=ways: (0 <= k < m) / m, reach=ways)  # type: ignore[misc]


def test_single_draws_and_arrays_have_one_law() -> None:
    bits = SeededBits(12)
    for sampler, pmf in (
        (exact.discrete_laplace, law.discrete_laplace(2.0)),
        (exact.discrete_gaussian, law.discrete_gaussian(2.0)),
        (exact.geometric, law.geometric(2.0)),
    ):
        sample = np.array([sampler(2.0, bits=bits) for _ in range(100_000)])
        assert_fits(sample, pmf, reach=30)
