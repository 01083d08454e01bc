"""Choosing a run: false ⊤ by exact sums, stages by counting outputs, and the corollary that was printed too small."""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

import mechanism_laws as laws
import statistics_of_samples as samples
from sfumato.accounting import total
from sfumato.accounting.events.selection import outputs_of, stopping_lengths
from sfumato.core import Neighbours, Norm
from sfumato.errors import InvalidParameter
from sfumato.mechanisms import (
    DiscreteGaussianNoise,
    GaussianNoise,
    GeometricNoise,
    LaplaceNoise,
    NonNegativeSparseVector,
    SparseVector,
    false_top_probability,
    length_capped_epsilon,
    longest_stage,
    longest_stage_for,
    non_negative_stage_cutoff_for,
    stage_cutoff_for,
    threshold_for,
)
from sfumato.mechanisms.geometric import TruncatedGeometricNoise
from sources import SeededBits

ONE = Neighbours().histogram(Norm.L1)
F = Fraction


def pmf_of(noise: Any) -> Callable[[int], float]:
    return laws.rounded_laplace(float(noise.scale)) if isinstance(noise, LaplaceNoise) else laws.pmf_of(noise)


NOISES: list[tuple[Any, Any]] = [
    (GaussianNoise(F(3)), GaussianNoise(F(6))),
    (GeometricNoise(F(2)), GeometricNoise(F(4))),
    (GaussianNoise(F(3)), LaplaceNoise(F(5, 2))),
    (DiscreteGaussianNoise(F(2)), DiscreteGaussianNoise(F(7, 2))),
]
each_pair = pytest.mark.parametrize(("first", "second"), NOISES)


def exact_false_top(first: Any, second: Any, gap: int, queries: int) -> float:
    """By the definition: every noise of the threshold, and all queries below it."""
    p, q, reach = pmf_of(first), pmf_of(second), 400
    law = np.array([q(k) for k in range(-reach, reach + 1)])
    at_least = np.append(np.cumsum(law[::-1])[::-1], 0.0)  # Pr[ν ≥ k - reach]
    out = 0.0
    for rho in range(-200, 201):
        one = float(at_least[min(len(at_least) - 1, gap + rho + reach)])
        out += p(rho) * -math.expm1(queries * math.log1p(-min(one, 1 - 1e-16)))
    return out


@each_pair
def test_tails_are_those_of_the_law(first: Any, second: Any) -> None:
    for noise in (first, second):
        pmf = pmf_of(noise)
        for k in (1, 2, 5, 11, 30):
            assert noise.tail(k) == pytest.approx(math.fsum(pmf(z) for z in range(k, 500)), rel=1e-8, abs=1e-14)


@each_pair
@pytest.mark.parametrize("queries", [1, 10])
@pytest.mark.parametrize("gap", [0, 4, 25])
def test_false_tops_are_as_likely_as_stated(first: Any, second: Any, gap: int, queries: int) -> None:
    stated = false_top_probability(threshold_noise=first, query_noise=second, below=gap, queries=queries)
    exact = exact_false_top(first, second, gap, queries)
    assert exact * (1 - 1e-9) <= stated <= exact * (1 + 1e-6)


def test_false_tops_of_a_mechanism_come_as_often() -> None:
    first, second = NOISES[0]
    mechanism = SparseVector(threshold=12, sensitivity=ONE, threshold_noise=first, query_noise=second, length=12)
    bits, n = SeededBits(2), 5000
    seen = sum(bool(mechanism.release([0] * 12, bits=bits).any()) for _ in range(n))  # type: ignore[union-attr]
    stated = false_top_probability(threshold_noise=first, query_noise=second, below=12, queries=12)
    assert samples.binomial(seen, n, stated) > samples.THRESHOLD
    one = false_top_probability(threshold_noise=first, query_noise=second, below=12)
    assert samples.binomial(seen, n, 1 - (1 - one) ** 12) < samples.THRESHOLD  # the threshold's noise is shared


@pytest.mark.parametrize("sigma", [300, 30_000, 3 * 10**9])
def test_wide_noise_is_bounded_from_above_and_closely(sigma: int) -> None:
    pair = {"threshold_noise": GaussianNoise(F(sigma)), "query_noise": GaussianNoise(F(2 * sigma))}
    below = 5 * sigma
    exact = stats.norm.sf(below / (sigma * math.sqrt(5)))
    stated = false_top_probability(**pair, below=below)  # type: ignore[arg-type]
    assert exact * 0.99 <= stated <= exact * 1.03  # steps of one, and cells of a 250th of σ


@each_pair
@pytest.mark.parametrize("most", [0.2, 0.01, 1e-6])
@pytest.mark.parametrize("queries", [1, 20])
def test_the_threshold_is_the_least_that_keeps_false_tops_rare(
    first: Any, second: Any, most: float, queries: int
) -> None:
    level = threshold_for(threshold_noise=first, query_noise=second, false_top=most, queries=queries)
    assert level.denominator == 1
    assert exact_false_top(first, second, int(level), queries) <= most
    assert exact_false_top(first, second, int(level) - 1, queries) > most * (1 - 1e-7)


def test_the_surveys_threshold_for_gaussian_noise_is_higher_than_needed() -> None:
    """√(2(σ₁² + σ₂²)·ln(1/p)) bounds the tail of a normal law and does not compute it."""
    for sigma, query_sigma, p in ((40, 80, 0.01), (40, 80, 1e-9), (500, 1000, 0.1)):
        proposed = math.sqrt(2 * (sigma**2 + query_sigma**2) * math.log(1 / p))
        pair = {"threshold_noise": GaussianNoise(F(sigma)), "query_noise": GaussianNoise(F(query_sigma))}
        least = threshold_for(**pair, false_top=p)  # type: ignore[arg-type]
        assert least < proposed
        assert float(least) == pytest.approx(stats.norm.isf(p) * math.hypot(sigma, query_sigma), rel=0.02)


def test_a_grid_counts_in_steps() -> None:
    pair = {"threshold_noise": GeometricNoise(F(8)), "query_noise": GeometricNoise(F(16))}
    whole, fine = threshold_for(**pair, false_top=0.01), threshold_for(**pair, false_top=0.01, grid=F(1, 4))  # type: ignore[arg-type]
    assert fine == whole / 4
    assert false_top_probability(**pair, below=10, grid=F(1, 4)) == false_top_probability(**pair, below=40)  # type: ignore[arg-type]
    assert longest_stage(**pair, threshold=30, false_top=0.01, grid=F(1, 4)) == longest_stage(
        **pair,  # type: ignore[arg-type]
        threshold=120,
        false_top=0.01,
    )


@each_pair
def test_the_longest_stage_is_the_longest(first: Any, second: Any) -> None:
    for threshold, most in ((9, 0.3), (14, 0.2), (20, 0.05)):
        k = longest_stage(threshold_noise=first, query_noise=second, threshold=threshold, false_top=most)
        assert k == 0 or exact_false_top(first, second, threshold, k) <= most
        assert exact_false_top(first, second, threshold, k + 1) > most * (1 - 1e-7)
    assert longest_stage(threshold_noise=first, query_noise=second, threshold=0, false_top=0.01) == 0


# ---- stages by their outputs -----------------------------------------------------------------------------------------


def outputs(cutoff: int, length: int) -> int:
    """All answers of a stage: rows of ⊤ and ⊥ that end with the c-th ⊤ or with the last query."""
    rows = [row for row in itertools.product((0, 1), repeat=length) if sum(row) <= cutoff]
    return len(rows)


@pytest.mark.parametrize("length", [1, 2, 5, 9])
@pytest.mark.parametrize("cutoff", [1, 2, 3, 9])
def test_outputs_are_counted(cutoff: int, length: int) -> None:
    assert outputs_of(cutoff, length) == 1 + outputs(cutoff, length)


def test_the_printed_count_of_outputs_is_too_small() -> None:
    """Errata E2: ln(c·C(k, c)) is 4.605 for c = 1, k = 100 where 4.625 is right, and 2.30 for c = k = 10 where 6.93 is."""
    for cutoff, length, printed, right in ((1, 100, 4.605, 4.625), (10, 10, 2.303, 6.932)):
        assert math.log(cutoff * math.comb(length, cutoff)) == pytest.approx(printed, abs=1e-3)
        assert math.log(outputs_of(cutoff, length)) == pytest.approx(right, abs=1e-3)
        assert cutoff * math.comb(length, cutoff) < outputs_of(cutoff, length)


@pytest.mark.parametrize(("cutoff", "length"), [(1, 100), (10, 10), (5, 200), (2, 3)])
@pytest.mark.parametrize("delta", [1e-6, 1e-12])
def test_the_corollary_is_the_least_of_its_theorem_over_all_orders_and_the_printed_one_is_below(
    cutoff: int, length: int, delta: float
) -> None:
    """min over α of αA + (ln(1/δ) + ln N)/(α - 1) with N outputs (Survey Theorem 9.12, errata A6 and E2)."""
    sigma, query_sigma = 30.0, 60.0
    slope = 1 / (2 * sigma**2) + 2 * cutoff / query_sigma**2
    orders = 1 + np.geomspace(1e-3, 1e6, 400_001)
    rest = math.log(1 / delta) + math.log(outputs_of(cutoff, length))
    least = float((orders * slope + rest / (orders - 1)).min())
    asked: dict[str, Any] = {"sigma": sigma, "query_sigma": query_sigma, "cutoff": cutoff, "length": length}
    stated = length_capped_epsilon(**asked, delta=delta)
    assert least * (1 - 1e-9) <= stated <= least * (1 + 1e-6)
    if (cutoff, length) in ((1, 100), (10, 10)):  # for a few ⊤ of many the printed count is the larger one
        printed = slope + 2 * math.sqrt(slope * (math.log(1 / delta) + math.log(cutoff * math.comb(length, cutoff))))
        assert printed < least * (1 - 1e-4)
    event = SparseVector.gaussian(**asked, threshold=0, sensitivity=ONE).event
    assert total([event]).epsilon(delta) <= stated
    assert length_capped_epsilon(**asked, delta=delta, sensitivity=2) > stated


@pytest.mark.parametrize("delta", [F(1, 100), F(1, 10**6), F(1, 10**9)])
def test_stages_are_as_long_and_as_rich_as_their_outputs_allow(delta: Fraction) -> None:
    for tops in (1, 2, 3):
        length = longest_stage_for(stage_cutoff=tops, delta=delta)
        assert outputs_of(tops, length) <= 1 / delta < outputs_of(tops, length + 1)
    for length in (5, 40, 90):
        tops = stage_cutoff_for(length=length, delta=delta)
        assert outputs_of(tops, length) <= 1 / delta
        assert tops == length or outputs_of(tops + 1, length) > 1 / delta
    assert longest_stage_for(stage_cutoff=1, delta=F(1, 100)) == 98  # the printed c'·C(k', c') ≤ 1/δ' allows 100


def test_stages_that_cannot_be_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="length"):
        stage_cutoff_for(length=100, delta=0.1)
    with pytest.raises(InvalidParameter, match="delta"):
        longest_stage_for(stage_cutoff=1, delta=0.5)
    with pytest.raises(InvalidParameter, match="√3"):
        non_negative_stage_cutoff_for(sigma=1, query_sigma=1, threshold=1, delta=1e-9)
    with pytest.raises(InvalidParameter, match="threshold"):
        longest_stage(threshold_noise=NOISES[0][0], query_noise=NOISES[0][1], threshold=-1, false_top=0.1)
    with pytest.raises(InvalidParameter, match="rare"):
        threshold_for(threshold_noise=NOISES[1][0], query_noise=GeometricNoise(F(2) ** 62), false_top=F(1, 10**9))
    with pytest.raises(NotImplementedError, match="how often"):
        TruncatedGeometricNoise(F(1), 5).tail(1)


@pytest.mark.parametrize("threshold", [0, 50, 200])
@pytest.mark.parametrize("delta", [1e-6, 1e-12])
def test_a_stage_of_non_negative_queries_has_as_many_tops_as_its_length_allows(threshold: int, delta: float) -> None:
    """k_γ^c' ≤ 1/δ' for the best γ; E[K^γ] by quadrature over the noise of the threshold (Survey Theorem 9.14)."""
    sigma, query_sigma = 40.0, 80.0
    z = np.linspace(-12, 30, 2_000_001)
    weight = stats.norm.pdf(z) * (z[1] - z[0])
    longest = {}
    for gamma in (1.5, 2.0, 3.0):
        moment = float((weight * np.exp(-gamma * stats.norm.logsf((threshold / sigma + z) / 2))).sum())
        longest[gamma] = math.log(moment) / gamma
    computed = stopping_lengths(F(40), F(80), F(threshold))
    for gamma, length in longest.items():
        assert length <= computed[F(gamma)] <= length + 0.02
    tops = non_negative_stage_cutoff_for(sigma=sigma, query_sigma=query_sigma, threshold=threshold, delta=delta)
    assert any(tops * length <= math.log(1 / delta) for length in longest.values())
    assert all((tops + 1) * (length + 0.02) > math.log(1 / delta) for length in longest.values())
    mechanism = NonNegativeSparseVector(
        sigma=40, query_sigma=80, threshold=threshold, cutoff=4 * max(1, tops), stage_cutoff=max(1, tops),
        sensitivity=ONE,
    )  # fmt: skip
    assert mechanism.event_by_stages(delta).extra_delta() == 4 * F(str(delta))
