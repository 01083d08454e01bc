"""Statements about mechanisms, tried on what their own code does: every branch of the bits, every neighbour."""

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import mechanism_laws as laws
import statistics_of_samples as samples
from sfumato import exact
from sfumato.accounting import total
from sfumato.core import Change, IntegerInterval, Neighbours, Norm, Sensitivity
from sfumato.mechanisms import (
    ExponentialMechanism,
    Gaussian,
    GaussianNoise,
    Geometric,
    Laplace,
    LaplaceNoise,
    LinearQueries,
    OneSidedNoisyMax,
    RandomizedResponse,
    ReportNoisyMax,
    Warner,
    classical_sigma,
)
from sfumato.mechanisms.answers import AnswerMove
from sources import SeededBits

ONE = Neighbours().histogram(Norm.L1)
COUNTS = Neighbours().histogram(Norm.LINF)
REPLACE = Neighbours(Change.REPLACE).histogram(Norm.LINF)
TINY = Fraction(1, 10**9)


def enumerated(release: Callable[[Any], Any], *, word_bits: int = 2, runs: int = 3000) -> exact.Law[Any]:
    """The exact law of a release, by following every word its bit source could say."""
    return exact.output_law(release, word_bits=word_bits, runs=runs)


def agrees(found: exact.Law[Any], law: laws.Law) -> bool:
    """Whether the enumerated law can be the given one."""
    return all(found.agrees(o, Fraction(p) - TINY, Fraction(p) + TINY) for o, p in law.items())


# ---- noise -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mechanism", [Geometric(epsilon=1, sensitivity=ONE), Laplace(epsilon=1, sensitivity=ONE)])
def test_a_release_is_a_function_of_the_data_and_the_random_bits(mechanism: Any) -> None:
    same = {mechanism.release(7, bits=SeededBits(3)) for _ in range(5)}
    assert len(same) == 1
    assert len({mechanism.release(7, bits=SeededBits(seed)) for seed in range(40)}) > 3
    here, there = (enumerated(lambda bits, x=x: mechanism.release(x, bits=bits)) for x in (0, 5))  # type: ignore[misc]
    assert {k + 5: p for k, p in here.probabilities.items()} == there.probabilities
    assert sum(here.probabilities.values()) + here.unexplored == 1


@pytest.mark.parametrize(("epsilon", "moved"), [(1, 1), (2, 1), (1, 3)])
def test_laplace_noise_has_the_scale_of_its_sensitivity_over_epsilon(epsilon: int, moved: int) -> None:
    mechanism = Laplace(epsilon=epsilon, sensitivity=Sensitivity.l1(moved, Neighbours()))
    found = enumerated(lambda bits: mechanism.release(0, bits=bits))
    assert found.unexplored < Fraction(1, 1000)
    right, double = (
        {k: laws.rounded_laplace(scale)(k) for k in range(-6, 7)} for scale in (moved / epsilon, 2 * moved / epsilon)
    )
    assert agrees(found, right)  # type: ignore[arg-type]
    assert not agrees(found, double)  # type: ignore[arg-type]
    assert mechanism.event.pure() == epsilon


@pytest.mark.parametrize("moved", [1, 2, 5])
def test_no_output_of_the_laplace_mechanism_is_e_to_the_epsilon_likelier_on_a_neighbour(moved: int) -> None:
    """By its own noise: the largest ratio of Lap(scale) shifted by the sensitivity is exp(Δ/scale), and is reached."""
    mechanism = Laplace(epsilon=Fraction(1, 2), sensitivity=Sensitivity.l1(moved, Neighbours()))
    pmf = laws.rounded_laplace(float(mechanism.noise.scale))  # type: ignore[attr-defined]
    p, q = (laws.shifted(pmf, x, 80) for x in (0, moved))
    window = range(-12 * moved, 13 * moved)
    worst = max(abs(math.log(p[z] / q[z])) for z in window)
    assert worst == pytest.approx(0.5, rel=1e-6)
    assert float(mechanism.event.pure() or 0) == pytest.approx(worst, rel=1e-6)
    two = Laplace(epsilon=1, sensitivity=Sensitivity.l1(moved, Neighbours()), dimension=2)
    assert two.event.pure() == 1  # Σ|f(x)_i - f(y)_i| ≤ Δ: a move shared among answers costs no more


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(7, 2), Fraction(40)])
def test_laplace_noise_exceeds_t_scales_with_probability_e_to_the_minus_t(scale: Fraction) -> None:
    """Pr[|Y| ≥ t·b] = e^-t; rounded to whole steps, |Y| > n means |Y| ≥ n + ½. The variance is 2b²."""
    noise = LaplaceNoise(scale)
    b = float(scale)
    for beta in (Fraction(1, 2), Fraction(1, 20), Fraction(1, 10**6)):
        reach = noise.reach(beta)
        assert math.exp(-(reach + 0.5) / b) <= beta
        assert math.exp(-(reach - 0.5) / b) > beta or reach == 0
    drawn = np.asarray(noise.draw(200_000, SeededBits(11)), dtype=np.float64)
    for t in (1.0, 3.0):
        n = math.ceil(t * b)
        strays, p = int((np.abs(drawn) > n).sum()), math.exp(-(n + 0.5) / b)
        assert samples.binomial(strays, len(drawn), p) > samples.THRESHOLD
        assert samples.binomial(strays, len(drawn), 1.2 * p) < samples.THRESHOLD
    spread = 2 * b * b + 1 / 12  # rounding adds about a twelfth
    assert drawn.var() == pytest.approx(spread, rel=0.05)


@pytest.mark.parametrize(("k", "beta"), [(1, 0.05), (30, 0.05), (1000, 0.5)])
def test_all_answers_are_within_ln_of_k_over_beta_scales_together(k: int, beta: float) -> None:
    """1 - (1 - Pr[|Y| > α])^k ≤ β by the exact law of one noise, and an α two steps smaller would break it."""
    mechanism = Laplace(epsilon=Fraction(1, 4), sensitivity=ONE, dimension=k)
    alpha = mechanism.error(beta).alpha
    assert alpha == pytest.approx(math.log(k / beta) * 4, abs=1)
    assert 1 - (1 - math.exp(-(alpha + 0.5) / 4)) ** k <= beta
    assert 1 - (1 - math.exp(-(alpha - 1.5) / 4)) ** k > 0.75 * beta


def renyi(p: laws.Law, q: laws.Law, alpha: float) -> float:
    """The Rényi divergence by its definition, over outcomes that both laws have."""
    logs = [alpha * math.log(m) + (1 - alpha) * math.log(q[o]) for o, m in p.items() if m > 1e-290 and q[o] > 1e-290]
    top = max(logs)
    return (top + math.log(math.fsum(math.exp(log - top) for log in logs))) / (alpha - 1)


@pytest.mark.parametrize("sigma", [Fraction(1, 2), Fraction(1), Fraction(3), Fraction(10)])
@pytest.mark.parametrize("moved", [1, 2])
def test_rounded_gaussian_noise_costs_no_more_rho_than_before_it_was_rounded(sigma: Fraction, moved: int) -> None:
    """What is computed from noisy reals, here their rounding, keeps their ρ; fine steps lose little of it."""
    rho = GaussianNoise(sigma).event(AnswerMove.l2(square=Fraction(moved**2))).zcdp()
    assert rho is not None
    assert rho == Fraction(moved**2) / (2 * sigma**2)
    pmf = laws.rounded_gaussian(float(sigma))
    p, q = (laws.shifted(pmf, x, int(30 * sigma) + 3) for x in (0, moved))
    window = {k for k in p if k in q}
    for alpha in (1.5, 2.0, 4.0):
        found = renyi({k: p[k] for k in window}, q, alpha)
        assert found <= alpha * float(rho) * (1 + 1e-9)
        assert found >= 0.95 * alpha * float(rho) or sigma < 2


@pytest.mark.parametrize(("epsilon", "delta"), [(0.05, 1e-9), (0.5, 1e-9), (0.5, 1e-5), (0.999, 1e-5), (0.999, 1e-2)])
def test_the_classical_sigma_meets_its_target_below_one(epsilon: float, delta: float) -> None:
    """Exactly, by the mechanism's privacy curve; six tenths of it do not."""
    sensitivity = Neighbours().histogram(Norm.L2)
    sigma = classical_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    assert sigma == pytest.approx(math.sqrt(2 * math.log(1.25 / delta)) / epsilon)
    assert total([Gaussian(sigma=sigma, sensitivity=sensitivity).event]).delta(epsilon) <= delta
    assert total([Gaussian(sigma=0.6 * sigma, sensitivity=sensitivity).event]).delta(epsilon) > delta
    wide = classical_sigma(epsilon=epsilon, delta=delta, sensitivity=Sensitivity.l2(3, Neighbours()))
    assert wide == pytest.approx(3 * sigma)


def test_the_lectures_variance_as_it_is_legible_is_too_small() -> None:
    """Errata E7: σ² = Δ²·ln(1/δ)/ε² at (1, 1e-5) has δ = 4.3e-5; what is calibrated meets the target, and closely."""
    sensitivity = Neighbours().histogram(Norm.L2)
    legible = Gaussian(sigma=math.sqrt(math.log(1e5)), sensitivity=sensitivity)
    assert total([legible.event]).delta(1) == pytest.approx(4.3e-5, rel=0.02)
    made = Gaussian.calibrated(epsilon=1, delta=1e-5, sensitivity=sensitivity)
    assert float(made.sigma) > math.sqrt(math.log(1e5))
    assert 0.999e-5 < total([made.event]).delta(1) <= 1e-5
    drawn = np.asarray(GaussianNoise(Fraction(made.sigma)).draw(100_000, SeededBits(2)), dtype=np.float64)  # type: ignore[arg-type]
    assert drawn.var() == pytest.approx(float(made.sigma) ** 2 + 1 / 12, rel=0.04)


# ---- selection -------------------------------------------------------------------------------------------------------

LAWS: dict[Any, Callable[[Sequence[float], float], laws.Law]] = {
    ExponentialMechanism: laws.exponential,
    ReportNoisyMax: laws.noisy_max,
    OneSidedNoisyMax: laws.permute_and_flip,
}


def chooses_with(kind: Any, *, epsilon: int, monotone: bool, rate: float) -> bool:
    """Whether the mechanism's own code has the law of a rate, and not that of twice the rate, between two candidates."""
    mechanism = kind(epsilon=epsilon, candidates=(0, 1), monotone=monotone, sensitivity=COUNTS if monotone else REPLACE)
    found = enumerated(lambda bits: mechanism.release([0, 1], bits=bits), runs=2000)
    assert found.unexplored < Fraction(1, 10)
    assert mechanism.event.pure() == epsilon
    return agrees(found, LAWS[kind]([0.0, 1.0], rate)) and not agrees(found, LAWS[kind]([0.0, 1.0], 2 * rate))


def largest_loss(kind: Any, rate: float, moves: Sequence[int], candidates: int = 3) -> float:
    """The largest loss over all small scores and all ways in which one person can move them."""
    law, worst = LAWS[kind], 0.0
    for x in itertools.product(range(3), repeat=candidates):
        p = law([float(v) for v in x], rate)
        for move in itertools.product(moves, repeat=candidates):
            q = law([float(a + b) for a, b in zip(x, move, strict=True)], rate)
            worst = max(worst, laws.loss(p, q), laws.loss(q, p))
    return worst


def test_the_exponential_mechanism_draws_in_proportion_to_e_to_the_score() -> None:
    assert chooses_with(ExponentialMechanism, epsilon=2, monotone=False, rate=1.0)
    assert chooses_with(ExponentialMechanism, epsilon=2, monotone=True, rate=2.0)


def test_the_exponential_mechanism_loses_at_most_epsilon_on_all_small_scores() -> None:
    """Its own rate and its own price: every score in {0, 1, 2}³ and every move of each score by at most one."""
    mechanism = ExponentialMechanism(epsilon=1, candidates=(0, 1, 2), sensitivity=REPLACE)
    for x in ([0, 1, 2], [2, 2, 0]):
        found = enumerated(lambda bits, x=x: mechanism.release(x, bits=bits))  # type: ignore[misc]
        assert agrees(found, laws.exponential(x, float(mechanism.rate)))
    worst = largest_loss(ExponentialMechanism, float(mechanism.rate), (-1, 0, 1))
    assert 0.75 < worst <= float(mechanism.event.pure() or 0) + 1e-9
    assert mechanism.event.pure() == 1


@pytest.mark.parametrize(("candidates", "best"), [(10, 1), (10, 4), (1000, 30), (1000, 999)])
@pytest.mark.parametrize("beta", [0.3, 0.01])
def test_a_choice_far_below_several_best_is_as_unlikely_as_said(candidates: int, best: int, beta: float) -> None:
    """At the worst, all others are just that far below: their weight is (k - k*)·exp(-rate·α) against k*."""
    mechanism = ExponentialMechanism(epsilon=1, candidates=range(candidates), sensitivity=COUNTS)  # type: ignore[arg-type]
    alpha = mechanism.error(beta, best=best).alpha

    def worst(gap: float) -> float:
        weight = (candidates - best) * math.exp(-gap / 2)
        return weight / (best + weight)

    assert worst(alpha) <= beta
    assert worst(alpha - 2) > beta or candidates < 2 * best
    assert alpha == pytest.approx(2 * max(0.0, math.log(candidates / best) + math.log(1 / beta)), rel=1e-9)


@pytest.mark.parametrize("candidates", [2, 3, 50])
@pytest.mark.parametrize("beta", [0.2, 0.05, 1e-3])
def test_a_choice_far_below_the_one_best_is_as_unlikely_as_said(candidates: int, beta: float) -> None:
    mechanism = ExponentialMechanism(epsilon=2, candidates=range(candidates), sensitivity=COUNTS)  # type: ignore[arg-type]
    alpha = mechanism.error(beta).alpha
    law = laws.exponential([alpha] + [0.0] * (candidates - 1), float(mechanism.rate))
    assert 1 - law[0] <= beta
    near = laws.exponential([alpha - 1] + [0.0] * (candidates - 1), float(mechanism.rate))
    assert 1 - near[0] > beta


def test_report_noisy_max_adds_two_sided_noise_of_its_rate() -> None:
    assert chooses_with(ReportNoisyMax, epsilon=2, monotone=False, rate=1.0)
    assert chooses_with(ReportNoisyMax, epsilon=2, monotone=True, rate=2.0)


def test_report_noisy_max_loses_at_most_epsilon_and_with_monotone_noise_nearly_two() -> None:
    """Errata A17: Lap(1/ε) where one score rises and 40 fall loses 1.9·ε; Lap(2/ε) keeps the price."""
    mechanism = ReportNoisyMax(epsilon=1, candidates=(0, 1), sensitivity=REPLACE)
    x, y = [0.0] + [1.0] * 40, [1.0] + [0.0] * 40

    def worst(rate: float) -> float:
        p, q = laws.noisy_max(x, rate), laws.noisy_max(y, rate)
        return max(laws.loss(p, q), laws.loss(q, p))

    price = float(mechanism.event.pure() or 0)
    assert 0.85 * price < worst(float(mechanism.rate)) <= price + 1e-6
    assert worst(1.0) > 1.7
    counts = ReportNoisyMax(epsilon=1, candidates=(0, 1), sensitivity=COUNTS, monotone=True)
    up, down = [0.0] * 3, [0.0, 1.0, 1.0]
    p, q = (laws.noisy_max(scores, float(counts.rate)) for scores in (up, down))
    assert max(laws.loss(p, q), laws.loss(q, p)) <= float(counts.event.pure() or 0)
    assert chooses_with(ReportNoisyMax, epsilon=1, monotone=False, rate=0.5)


def test_one_sided_noisy_max_adds_exponential_noise_and_loses_at_most_epsilon() -> None:
    assert chooses_with(OneSidedNoisyMax, epsilon=2, monotone=False, rate=1.0)
    assert chooses_with(OneSidedNoisyMax, epsilon=2, monotone=True, rate=2.0)
    mechanism = OneSidedNoisyMax(epsilon=1, candidates=(0, 1, 2), sensitivity=REPLACE)
    worst = largest_loss(OneSidedNoisyMax, float(mechanism.rate), (-1, 0, 1))
    assert 0.8 < worst <= float(mechanism.event.pure() or 0) + 1e-9
    counts = OneSidedNoisyMax(epsilon=1, candidates=(0, 1, 2), sensitivity=COUNTS, monotone=True)
    assert largest_loss(OneSidedNoisyMax, float(counts.rate), (0, 1)) <= float(counts.event.pure() or 0) + 1e-9


# ---- one person, one coin --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_a_quarter_and_half_the_share_say_yes_to_warners_coins(share: float) -> None:
    """E[yes] = ¾p + ¼(1 - p) = ¼ + p/2, by the exact law of one report; the estimate undoes it, and ε is ln 3."""
    ask = Warner()
    told = {x: enumerated(lambda bits, x=x: ask.release(x, bits=bits), word_bits=1) for x in (0, 1)}  # type: ignore[misc]
    assert told[1].at(1) == Fraction(3, 4)
    assert told[0].at(1) == Fraction(1, 4)
    yes = share * float(told[1].at(1)) + (1 - share) * float(told[0].at(1))
    assert yes == pytest.approx(0.25 + share / 2)
    reports = [1] * round(400 * yes) + [0] * (400 - round(400 * yes))
    assert ask.mean(reports).value == pytest.approx(share)
    assert float(ask.event.pure() or 0) == pytest.approx(math.log(3))


@pytest.mark.parametrize("k", [2, 3, 7])
def test_responses_tell_the_truth_with_odds_e_to_the_epsilon_and_average_to_it(k: int) -> None:
    """Every report's chance by enumeration; the estimate's expectation is the share, and its variance as stated."""
    ask = RandomizedResponse(epsilon=1, values=tuple(range(k)))
    found = enumerated(lambda bits: ask.release(1, bits=bits))
    true = math.exp(1) / (math.exp(1) + k - 1)
    assert agrees(found, {v: true if v == 1 else (1 - true) / (k - 1) for v in range(k)})
    estimates = {v: ask.frequencies([v])[1].value for v in range(k)}
    mean = true * estimates[1] + (1 - true) * estimates[0]
    assert mean == pytest.approx(1)
    spread = true * (estimates[1] - 1) ** 2 + (1 - true) * (estimates[0] - 1) ** 2
    assert ask.frequencies([1] * 50)[1].standard_error == pytest.approx(math.sqrt(spread / 50))
    assert ask.event.pure() == 1


# ---- sensitivities ---------------------------------------------------------------------------------------------------


def test_counting_queries_move_by_one_each_and_a_histogram_by_one_altogether() -> None:
    """k counts of any properties move by k, a histogram's k disjoint cells by 1, by trying every record of a domain."""
    ages = IntegerInterval(0, 9)
    for k in (1, 3, 5):
        nested = LinearQueries.of([lambda age, least=least: age >= least for least in range(k)], ages)  # type: ignore[misc]
        cells = LinearQueries.of([lambda age, cell=cell, k=k: age % k == cell for cell in range(k)], ages)  # type: ignore[misc]
        for queries, norm_1 in ((nested, k), (cells, 1)):
            tried = max(sum(queries.answer({age: 1}).tolist()) for age in ages)
            found = queries.sensitivity(Norm.L1, Neighbours())
            assert found.amount == tried == norm_1
            noise = Laplace(epsilon=1, sensitivity=found, dimension=k).noise
            assert noise.scale == norm_1  # type: ignore[attr-defined]


def test_the_slides_count_of_flu_carries_laplace_noise_of_scale_ten_at_a_tenth() -> None:
    flu = {"Hunter": 1, "Alice": 0, "Bob": 1, "Eric": 0, "Frank": 1}
    count = LinearQueries.of([lambda x: x == 1], IntegerInterval(0, 1))
    values = list(flu.values())
    assert count.answer([values.count(0), values.count(1)]).tolist() == [3]
    one = Laplace(epsilon=Fraction(1, 10), sensitivity=count.sensitivity(Norm.L1, Neighbours()))
    assert one.noise.scale == 10  # type: ignore[attr-defined]
    cells = LinearQueries(np.eye(2, dtype=np.int64))
    both = Laplace(epsilon=Fraction(1, 10), sensitivity=cells.sensitivity(Norm.L1, Neighbours()), dimension=2)
    assert both.noise.scale == 10  # type: ignore[attr-defined]
    swap = cells.sensitivity(Norm.L1, Neighbours(Change.REPLACE))
    assert swap.amount == 2  # errata C1: the first slides' histogram, under bounded neighbours
