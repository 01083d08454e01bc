"""Means without trust: the one bit's tail as a function, and the Laplace noise that it is compared with."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

import statistics_of_samples as samples
from local_cases import exact_law
from sfumato.accounting import total
from sfumato.errors import InvalidParameter
from sfumato.local import LaplaceMean, OneBitMean, client, compare_means, people_needed
from sources import SeededBits

GAP = (math.e - 1) / (math.e + 1)


# ---- one bit -------------------------------------------------------------------------------------------------------


def strays(protocol: OneBitMean, holders: int, people: int, deviation: float) -> float:
    """Exactly how likely the estimate is `deviation` off, for `holders` at the upper end and the rest at the lower."""
    p = float(Fraction(protocol.p or 0))
    ones = np.convolve(
        stats.binom(holders, p).pmf(np.arange(people + 1)),
        stats.binom(people - holders, 1 - p).pmf(np.arange(people + 1)),
    )[: people + 1]
    off = np.abs((np.arange(people + 1) / people - (1 - p)) / (2 * p - 1) - holders / people) * protocol.span
    return float(ones[off >= deviation * (1 - 1e-12)].sum())


@pytest.mark.parametrize("epsilon", [0.3, 1, 4])
@pytest.mark.parametrize("people", [1, 20, 500])
def test_the_bound_of_lemma_7_6_holds_for_the_exact_law(epsilon: float, people: int) -> None:
    protocol = OneBitMean(name="t", lower=-3, upper=7, epsilon=epsilon)
    gap = (math.exp(epsilon) - 1) / (math.exp(epsilon) + 1)
    for theta in (0.02, 0.1, 0.5, 1.5):
        stated = protocol.stray_probability(theta * 10, people=people)
        assert stated == pytest.approx(min(1.0, 2 * math.exp(-2 * theta**2 * people * gap**2)), rel=1e-9)
        for holders in (0, people // 2, people):
            assert strays(protocol, holders, people, theta * 10) <= stated * (1 + 1e-12)
    # Power: a bound that forgot the coins' gap would be exceeded.
    if people == 500 and epsilon == 0.3:
        assert strays(protocol, 250, people, 5) > 2 * math.exp(-2 * 0.5**2 * people)


def test_lemma_7_6_is_theorem_7_7_the_other_way_round() -> None:
    protocol = OneBitMean(name="t", upper=86_400, epsilon=1)
    for beta in (0.3, 0.05, 1e-6):
        alpha = protocol.error(beta, people=10_000).alpha
        assert protocol.stray_probability(alpha, people=10_000) == pytest.approx(beta, rel=1e-6)
    assert protocol.stray_probability(0, people=5) == 1
    for bad in (-1, math.nan, None):
        with pytest.raises(InvalidParameter, match="deviation"):
            protocol.stray_probability(bad, people=5)  # type: ignore[arg-type]


def test_the_sent_bits_mean_is_not_the_number_and_the_rounded_values_is() -> None:
    """Errata E8: for X = 4, m = 10, ε = 1 the bit's mean is .4538; Lemma 7.8 is true of the rounded value in {0, m}."""
    protocol = OneBitMean(name="t", upper=10, epsilon=1, memo=True)
    law = exact_law(protocol, 4)
    bit = float(law[b"\1"])
    assert bit == pytest.approx(0.4538, abs=5e-5)
    assert bit == pytest.approx(1 / (math.e + 1) + 0.4 * GAP)
    assert law[b"\1"] == protocol.chance_of_one(4)
    assert abs(bit * 10 - 4) > 0.5  # what the printed lemma would have
    document: dict[str, Any] = protocol.document()

    class Alpha(client.Coins):
        def __init__(self, value: int) -> None:
            super().__init__(lambda n: b"")
            self.value = value

        def below(self, n: int) -> int:
            return self.value

    rounded = [10 * client._rounded(document, lambda label, a=a: Alpha(a), Fraction(4, 10)) for a in range(10)]  # type: ignore[misc]
    assert set(rounded) == {0, 10}
    assert Fraction(sum(rounded), 10) == 4


@pytest.mark.parametrize("value", [-5, 0, 1, Fraction(7, 3), 10, 99])
def test_the_chance_of_a_one_is_that_of_the_client(value: Any) -> None:
    protocol = OneBitMean(name="t", upper=10, epsilon=1)
    assert exact_law(protocol, value).get(b"\1", 0) == protocol.chance_of_one(value)


def test_chebyshevs_bound_does_not_make_the_error_rare() -> None:
    """Errata E9: at n = 1/(αε)² it leaves .92, not α; the number of people stated really reaches its β."""
    epsilon, alpha, beta = 1.0, 0.05, 0.05
    variance = math.exp(epsilon) / (math.exp(epsilon) - 1) ** 2  # of one report, at either end
    n = math.ceil(1 / (alpha * epsilon) ** 2)
    assert variance / n / alpha**2 == pytest.approx(0.92, abs=0.005)
    protocol = OneBitMean(name="t", upper=1, epsilon=1)
    assert strays(protocol, n // 2, n, alpha) > 5 * beta  # so few people are off more than one time in four
    needed = people_needed(epsilon=1, error=alpha, beta=beta)[1]
    assert needed > 8 * n
    for holders in (0, needed // 2, needed):
        assert strays(protocol, holders, needed, alpha) <= beta


# ---- Laplace noise on the device ---------------------------------------------------------------------------------------


def noise_law(mean: LaplaceMean, people: int, reach: int) -> Any:
    """The law of the sum of so many noises, in steps from -reach·people on, by convolution."""
    pmf = samples.discrete_laplace(float(mean.noise.scale))
    one = np.array([pmf(k) for k in range(-reach, reach + 1)])
    law = one
    for _ in range(people - 1):
        law = np.convolve(law, one)
    return law


@pytest.mark.parametrize("people", [1, 3, 12])
@pytest.mark.parametrize("beta", [0.3, 0.05, 1e-4])
def test_the_error_of_laplace_noise_holds_for_the_exact_law_and_is_not_absurd(people: int, beta: float) -> None:
    mean = LaplaceMean(upper=5, epsilon=2)
    reach = 80
    law = noise_law(mean, people, reach)
    off = np.abs(np.arange(len(law)) - reach * people) / people
    alpha = mean.error(beta, people=people).alpha - 0.5  # without the half step, as the numbers are whole
    assert law[off > alpha].sum() <= beta
    assert law[off > alpha * 0.3].sum() > beta
    assert float((law * off**2).sum()) * people == pytest.approx(mean.variance(), rel=1e-6)
    assert mean.variance() < 2 * (5 / 2) ** 2  # below that of continuous noise of scale m/ε


def test_noise_of_half_the_scale_would_not_be_private() -> None:
    """Every report costs ε: the worst ratio of two values' chances is that of the ends."""
    mean = LaplaceMean(upper=5, epsilon=2)
    assert total([mean.event]).epsilon(0) == pytest.approx(2)
    for scale, private in ((float(mean.noise.scale), True), (float(mean.noise.scale) / 2, False)):
        pmf = samples.discrete_laplace(scale)
        worst = max(math.log(pmf(k) / pmf(k - 5)) for k in range(-60, 60))
        assert (worst <= 2 + 1e-9) == private


def test_reports_are_unbiased_and_of_the_stated_law() -> None:
    mean, n = LaplaceMean(lower=-2, upper=6, epsilon=1), 20_000
    values = np.resize([-2, 0, 3, 6], n)
    said = mean.report(values, bits=SeededBits(5))
    noise = said - (values + 2)
    assert samples.chi_square(noise, samples.discrete_laplace(8.0), reach=90) > samples.THRESHOLD
    assert samples.chi_square(noise, samples.discrete_laplace(7.2), reach=90) < samples.THRESHOLD
    found = mean.estimate(said)
    assert abs(found.value - 1.75) < 6.2 * found.standard_error
    assert found.standard_error == pytest.approx(math.sqrt(mean.variance() / n))
    assert math.isnan(mean.estimate([]).value)


def test_numbers_between_the_steps_and_beyond_the_ends_have_a_place() -> None:
    sure = LaplaceMean(lower=0, upper=1, epsilon=32, steps=2)
    said = np.array([sure.report([v], bits=SeededBits(3))[0] for v in (0.2, 0.3, 0.6, 5, -5, math.nan, math.inf)])
    assert said.tolist() == [0, 1, 1, 2, 0, 0, 2]
    assert LaplaceMean(upper=Fraction(1, 2), epsilon=1).steps == 1 << 16
    with pytest.raises(InvalidParameter, match="values"):
        sure.report([[1, 2]])
    for bad in ({"upper": 0}, {"upper": 1, "epsilon": 0}, {"upper": 1, "steps": 0}):
        with pytest.raises(InvalidParameter):
            LaplaceMean(**({"epsilon": 1} | bad))


def test_a_report_takes_the_bits_of_the_interval_and_a_few_for_the_noise() -> None:
    for upper in (100, 86_400, 2**30):
        mean = LaplaceMean(upper=upper, epsilon=1)
        bits = mean.report_bits(0.01)
        assert math.log2(upper) <= bits <= math.log2(upper) + 5
        reach = mean.noise.reach(Fraction(1, 100))
        assert upper + 2 * reach < 2**bits


@pytest.mark.parametrize("epsilon", [0.1, 1, 3])
def test_one_bit_is_as_good_as_many(epsilon: float) -> None:
    """Both errors are of the order m/(ε√n); at moderate ε one bit is the better of the two (Survey §7.4.2)."""
    few, many = (compare_means(upper=1000, epsilon=epsilon, people=n) for n in (10_000, 1_000_000))
    for at in (few, many):
        assert 0.4 < at.ratio < 2.5
        assert at.laplace_bits > 10
    assert few.one_bit / many.one_bit == pytest.approx(10, rel=1e-6)
    assert (few.laplace - 0.5) / (many.laplace - 0.5) == pytest.approx(10, rel=0.01)
