"""Bounds from counts: exact coverage, and what so many draws could have shown."""

import math

import numpy as np
import pytest
from scipy import stats

from sfumato.audit import epsilon_at_least, smallest_violation
from sfumato.audit.certify import POWER
from sfumato.core.accuracy import clopper_pearson_high, clopper_pearson_low


@pytest.mark.parametrize("draws", [3, 7, 40])
@pytest.mark.parametrize("alpha", [0.05, 5e-4])
def test_limits_cover_every_probability_at_their_level(draws: int, alpha: float) -> None:
    """By enumeration of all counts: no probability is excluded more often than alpha."""
    k = np.arange(draws + 1)
    low, high = clopper_pearson_low(k, draws, alpha), clopper_pearson_high(k, draws, alpha)
    worst = 0.0
    for p in np.linspace(0, 1, 201):
        pmf = stats.binom(draws, p).pmf(k)
        worst = max(worst, float(pmf[low > p].sum()))
        assert pmf[low > p].sum() <= alpha * (1 + 1e-9)
        assert pmf[high < p].sum() <= alpha * (1 + 1e-9)
    assert worst > alpha / 20  # not absurdly wide
    assert low[0] == 0
    assert high[-1] == 1


def test_a_normal_approximation_would_not_cover() -> None:
    """The broken twin: Wald limits exclude a small probability far too often, which the enumeration above would see."""
    draws, p, alpha = 40, 0.01, 5e-4
    k = np.arange(draws + 1)
    share = k / draws
    high = share + stats.norm.isf(alpha) * np.sqrt(share * (1 - share) / draws)
    assert stats.binom(draws, p).pmf(k)[high < p].sum() > 100 * alpha


@pytest.mark.parametrize("delta", [0.0, 0.05])
def test_the_bound_on_epsilon_is_false_no_oftener_than_it_says(delta: float) -> None:
    draws, confidence, epsilon = 60, 0.9, 1.0
    q = 0.3
    p = math.exp(epsilon) * q * 0.9 + delta  # a claim that holds: ε is below 1 at this δ
    true = math.log((p - delta) / q)
    hits, others = np.meshgrid(np.arange(draws + 1), np.arange(draws + 1), indexing="ij")
    mass = np.outer(stats.binom(draws, p).pmf(range(draws + 1)), stats.binom(draws, q).pmf(range(draws + 1)))
    bound = epsilon_at_least(hits, others, draws, delta=delta, confidence=confidence)
    assert mass[bound > true].sum() <= 1 - confidence
    unsafe = np.log(np.maximum(hits / draws - delta, 1e-9) / np.maximum(others / draws, 1e-9))
    assert mass[unsafe > true].sum() > 1 - confidence  # bare estimates are false half the time


def test_the_stated_violation_is_found_with_the_stated_power() -> None:
    draws, epsilon, confidence, p = 20_000, 1.0, 0.999, 0.4
    least = smallest_violation(draws, epsilon=epsilon, delta=0, confidence=confidence, likelihood=p).here
    k = np.arange(draws + 1)

    def power(true: float) -> float:
        hits = int(stats.binom(draws, p).ppf(0.5))
        convicts = epsilon_at_least(hits, k, draws, delta=0, confidence=confidence) > epsilon
        return float(stats.binom(draws, p * math.exp(-true)).pmf(k)[convicts].sum())

    assert power(least) > POWER
    assert power(epsilon + (least - epsilon) / 4) < 0.2  # a quarter of it would have been missed
    assert 1 < least < 1.2


def test_what_cannot_be_found_is_infinite_and_more_draws_find_less() -> None:
    def least(draws: int, likelihood: float, delta: float = 0.0) -> float:
        found = smallest_violation(draws, epsilon=1, delta=delta, confidence=0.999, likelihood=likelihood)
        assert found.best <= found.here
        return found.here

    assert math.isinf(least(100, 0.01))
    assert math.isinf(least(10_000, 0.04, delta=0.05))
    assert least(1_000, 0.5) > least(10_000, 0.5) > least(100_000, 0.5) > 1
