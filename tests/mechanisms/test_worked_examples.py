"""The examples of the survey and the slides, with their numbers."""

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import mechanism_laws as laws
import statistics_of_samples as samples
from sfumato.core import Change, Neighbours, Norm, Sensitivity
from sfumato.mechanisms import ExponentialMechanism, Geometric, Laplace, OneSidedNoisyMax, ReportNoisyMax
from sources import SeededBits

COUNTS = Neighbours().histogram(Norm.LINF)


def revenue(valuations: list[int], price: int) -> int:
    """What the seller earns at a price, in cents."""
    return price * sum(value >= price for value in valuations)


def test_the_sellers_price_is_one_that_sells() -> None:
    """A pays $1, B $1.01, C $3.01: $3.01 earns 3.01, $1 earns 3, $1.01 earns 2.02 and $3.02 nothing at all."""
    valuations = [100, 101, 301]
    assert [revenue(valuations, price) for price in (100, 101, 301, 302)] == [300, 202, 301, 0]
    auction = ExponentialMechanism(
        epsilon=10,
        candidates=tuple(range(1, 400)),
        sensitivity=Sensitivity(Norm.LINF, Fraction(399), Neighbours()),
        monotone=True,  # a buyer more raises the revenue at every price or leaves it
        utility=revenue,
    )
    crowd = valuations * 200
    bits = SeededBits(1)
    chosen = Counter(auction.release(crowd, bits=bits) for _ in range(500))
    best = max(revenue(crowd, price) for price in range(1, 400))
    alpha = auction.error(0.01).alpha
    short = sum(n for price, n in chosen.items() if revenue(crowd, price) < best - alpha)  # type: ignore[arg-type, misc]
    assert samples.binomial(max(5, short), 500, 0.01) > samples.THRESHOLD
    assert chosen[302] == 0
    noisy_best = 301 + 1  # the perturbed valuation sells nothing: why a price is chosen and not perturbed
    assert revenue(crowd, noisy_best) == 0


def test_every_student_of_the_largest_class_gets_a_shirt() -> None:
    """The class is chosen; the number of shirts is its own to count, so none is missing."""
    sizes = {"A": 50, "B": 31, "C": 28}
    choose = ExponentialMechanism(epsilon=2, candidates=tuple(sizes), sensitivity=COUNTS, monotone=True)
    bits = SeededBits(3)
    chosen = Counter(choose.release(sizes, bits=bits) for _ in range(300))
    assert chosen["A"] == 300
    noisy = Geometric(epsilon=2, sensitivity=Neighbours().histogram(Norm.L1))
    reported = [noisy.release(50, bits=bits) for _ in range(300)]
    assert sum(shirts < 50 for shirts in reported) > 20  # the noisy number would leave students without


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_a_or_b_has_the_odds_of_the_slides(epsilon: float) -> None:
    """D = (B, B): Pr[A] = 1/(1 + e^ε); the bound 2·exp(-cε/2) of Corollary 4.6 holds at c = 2."""
    law = laws.exponential([0, 2], epsilon / 2)
    assert law[0] == pytest.approx(1 / (1 + math.exp(epsilon)))
    assert law[0] <= 2 * math.exp(-2 * epsilon / 2)
    choose = ExponentialMechanism(epsilon=epsilon, candidates=("A", "B"), sensitivity=COUNTS)
    bits = SeededBits(4)
    wrong = sum(choose.release([0, 2], bits=bits) == "A" for _ in range(4000))
    assert samples.binomial(wrong, 4000, law[0]) > samples.THRESHOLD
    assert samples.binomial(wrong, 4000, 1.5 * law[0]) < samples.THRESHOLD


def test_one_sided_noise_errs_less_than_two_sided_on_a_or_b() -> None:
    for gap in (1, 3, 10):
        one, two = laws.permute_and_flip([0, gap], 0.5), laws.noisy_max([0.0, float(gap)], 0.5)
        assert one[0] < two[0]
        assert one[0] <= laws.exponential([0, gap], 0.5)[0] + 1e-12


FOOD = {"salad": 3, "bbq": 3, "noodle": 2, "rice": 3, "milk": 4}


def test_the_most_popular_food_costs_epsilon_however_many_foods_a_student_loves() -> None:
    """A histogram of m foods has sensitivity m; the arg-max of monotone counts costs ε with Lap(1/ε)."""
    school = {food: 400 * n for food, n in FOOD.items()}
    for kind in (ReportNoisyMax, OneSidedNoisyMax, ExponentialMechanism):
        choose: Any = kind(epsilon=0.1, candidates=tuple(FOOD), sensitivity=COUNTS, monotone=True)
        assert choose.event.pure() == Fraction(1, 10)
        assert choose.release(school) == "milk"  # 400 ahead: wrong with probability below 1e-15
    histogram = Laplace(
        epsilon=0.1, sensitivity=Sensitivity(Norm.L1, Fraction(len(FOOD)), Neighbours()), grid=0.01, dimension=len(FOOD)
    )
    selection = ReportNoisyMax(epsilon=0.1, candidates=tuple(FOOD), sensitivity=COUNTS, monotone=True)
    assert histogram.error(0.05).alpha > 2.5 * selection.error(0.05).alpha


def test_ten_thousand_first_names_are_within_12_2_at_95_percent() -> None:
    """ln(10000/0.05) = 12.2 (errata B16: k = 10000)."""
    counts = Neighbours().histogram(Norm.L1)
    names = Laplace(epsilon=1, sensitivity=counts, grid=0.001, dimension=10_000)
    assert names.error(0.05).alpha == pytest.approx(math.log(10_000 / 0.05), abs=2e-3)
    assert str(names.error(0.05)) == "within 12.2 with probability 95 %"
    whole = Geometric(epsilon=1, sensitivity=counts, dimension=10_000)
    assert whole.error(0.05).alpha == 12
    people, bits = np.full(10_000, 30), SeededBits(7)
    strays = sum(np.abs(whole.release(people, bits=bits) - people).max() > 12 for _ in range(200))
    assert samples.binomial(max(10, strays), 200, 0.05) > samples.THRESHOLD
    nearer = sum(np.abs(whole.release(people, bits=bits) - people).max() > 8 for _ in range(200))
    assert samples.binomial(nearer, 200, 0.05) < samples.THRESHOLD


def test_the_exponential_mechanism_pays_twice_for_what_laplace_does() -> None:
    """Errata B11: the score -|f(x) - h| gives Lap(2Δ/ε), not Lap(Δ/ε)."""
    points = range(-80, 81)
    law = laws.exponential([-abs(h) for h in points], 0.5)
    chances = {h: law[i] for i, h in enumerate(points)}
    pmf = samples.discrete_laplace(2.0)
    for h in (-7, 0, 3):
        assert chances[h] == pytest.approx(pmf(h), rel=1e-9)


def test_replacing_a_person_needs_twice_the_histogram_noise() -> None:
    """Errata C1."""
    add, swap = (
        Geometric(epsilon=1, sensitivity=Neighbours(change).histogram(Norm.L1), dimension=4) for change in Change
    )
    assert swap.noise.scale == 2 * add.noise.scale  # type: ignore[attr-defined]
