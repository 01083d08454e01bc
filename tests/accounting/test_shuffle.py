"""Shuffle amplification: the reference figures, exact enumeration, monotone, composed, and never below the truth."""

import itertools
import math
from fractions import Fraction

import pytest

from mechanism_laws import hockey_stick
from sfumato.accounting import events, from_json, shuffle, total

# Reference figures at δ = 1e-6: n, ε₀ -> closed form of FMT 2021 (None: not valid), exact clone divergence (None: not given)
FIGURES = {
    (1000, 0.5): (0.3348, 0.0705),
    (1000, 1): (0.6495, 0.1824),
    (1000, 2): (None, 0.5455),
    (1000, 4): (None, 3.9900),
    (10_000, 0.5): (0.1047, 0.0204),
    (10_000, 1): (0.2333, 0.0530),
    (10_000, 2): (0.5236, 0.1550),
    (10_000, 4): (None, 0.6009),
    (100_000, 0.5): (0.0319, None),
    (100_000, 1): (0.0753, None),
    (100_000, 2): (0.1906, None),
    (100_000, 4): (0.5378, None),
    (1_000_000, 0.5): (0.0099, None),
    (1_000_000, 1): (0.0238, None),
    (1_000_000, 2): (0.0632, None),
    (1_000_000, 4): (0.2016, None),
}
# The upper bounds of apple/ml-shuffling-amplification, which are not certified but should not be far below ours.
APPLE = {
    (1000, 0.5): 0.0719, (1000, 1): 0.1854, (1000, 2): 0.5591, (10_000, 1): 0.0550, (100_000, 0.5): 0.0060,
    (100_000, 1): 0.0162, (100_000, 4): 0.1712, (1_000_000, 1): 0.0044, (1_000_000, 4): 0.0497,
}  # fmt: skip


@pytest.mark.parametrize(("people", "epsilon"), FIGURES)
def test_the_reference_figures(people: int, epsilon: float) -> None:
    printed, exact = FIGURES[people, epsilon]
    closed = shuffle.closed_form(epsilon, people, 1e-6)
    assert closed == (pytest.approx(printed, abs=6e-5) if printed else math.inf)
    found = total([events.Shuffled(epsilon, people)]).epsilon(1e-6)
    assert found <= min(closed, epsilon)
    if exact:
        assert found == pytest.approx(exact, abs=6e-5 + 1e-3 * exact)
        assert found >= exact - 6e-5  # ours is rounded up
    if (people, epsilon) in APPLE:
        assert APPLE[people, epsilon] * 0.9 < found <= APPLE[people, epsilon] + 6e-5


def shuffled_responses(epsilon: float, values: list[int]) -> dict[int, float]:
    """The law of how many 1s are in a shuffled bag of binary responses: all there is to see."""
    law = {0: 1.0}
    p = 1 / (1 + math.exp(-epsilon))
    for value in values:
        one = p if value else 1 - p
        grown: dict[int, float] = {}
        for ones, mass in law.items():
            grown[ones + 1] = grown.get(ones + 1, 0.0) + mass * one
            grown[ones] = grown.get(ones, 0.0) + mass * (1 - one)
        law = grown
    return law


@pytest.mark.parametrize("epsilon", [0.3, 1, 2.5])
@pytest.mark.parametrize("people", [2, 5, 60])
def test_real_shuffled_responses_cost_no_more_than_priced(epsilon: float, people: int) -> None:
    price = total([events.Shuffled(epsilon, people)])
    for others in (0, people // 2, people - 1):
        rest = [1] * others + [0] * (people - 1 - others)
        here, there = (shuffled_responses(epsilon, [mine, *rest]) for mine in (0, 1))
        for share in (0.0, 0.1, 0.3, 0.6, 0.9, 0.999):
            at = epsilon * share
            found = max(hockey_stick(here, there, at), hockey_stick(there, here, at))  # type: ignore[arg-type]
            assert found <= price.delta(at) + 1e-12


@pytest.mark.parametrize("epsilon", [0.5, 2])
def test_delta_is_that_of_the_clones_by_enumeration(epsilon: float) -> None:
    """The pair (A + Δ, C - A + 1 - Δ) and its mirror, outcome by outcome."""
    people, heads, rate = 9, 1 / (1 + math.exp(-epsilon)), math.exp(-epsilon)
    p: dict[tuple[int, int], float] = {}
    q: dict[tuple[int, int], float] = {}
    for c in range(people):
        clones = math.comb(people - 1, c) * rate**c * (1 - rate) ** (people - 1 - c)
        for a, own in itertools.product(range(c + 1), (0, 1)):
            mass = clones * math.comb(c, a) / 2**c * (heads if own else 1 - heads)
            for law, side in ((p, own), (q, 1 - own)):
                key = (a + side, c - a + 1 - side)
                law[key] = law.get(key, 0.0) + mass
    for at in (0.0, 0.2 * epsilon, 0.7 * epsilon):
        exact = hockey_stick(p, q, at)  # type: ignore[arg-type]
        assert exact <= shuffle.delta(epsilon, people, at) <= exact * (1 + 1e-6) + 1e-9


def test_fewer_clones_would_be_caught() -> None:
    """The broken variant: clones as frequent as honest reports promise too much, which real responses refute."""
    people, epsilon, at = 60, 2.5, 0.25
    here, there = (shuffled_responses(epsilon, [mine] + [1] * (people - 1)) for mine in (0, 1))
    found = max(hockey_stick(here, there, at), hockey_stick(there, here, at))  # type: ignore[arg-type]
    assert found > shuffle.delta(epsilon, 40 * people, at)


def test_a_larger_crowd_hides_better_and_a_crowd_of_one_not_at_all() -> None:
    prices = [total([events.Shuffled(1, n)]).epsilon(1e-6) for n in (1, 10, 100, 1000, 10_000)]
    assert prices == sorted(prices, reverse=True)
    assert prices[0] == 1
    assert total([(events.Shuffled(1, 1), 2)]).epsilon(1e-6) <= 2
    assert total([(events.Shuffled(25, 1000), 2)]).epsilon(1e-6) <= 50
    assert total([events.Shuffled(0.001, 10**6)]).epsilon(0.1) == 0
    assert total([events.Shuffled(1, 1000)]).lower_epsilon(1e-6) == 0
    assert total([events.Shuffled(1, 1000)]).delta(1.0) == 0
    assert total([events.Shuffled(1, 1000)]).epsilon(0.0) == 1


def test_rounds_of_shuffled_reports_compose_and_stay_below_the_plain_sum() -> None:
    event = events.Shuffled(Fraction(1), 1000)
    one, ten = total([event]).epsilon(1e-6), total([(event, 10)]).epsilon(1e-6)
    assert one < ten < 10 * one
    assert total([(event, 2)]).epsilon(2e-6) <= 2 * one * (1 + 1e-3)
    # One application through the composed law is close to the closed form and not below it.
    law = total([event, events.Pure(0)])
    assert one * (1 - 1e-6) <= law.epsilon(1e-6) <= one * 1.02
    assert total([event]).delta(one) <= 1e-6


def test_the_event_survives_json() -> None:
    event = events.Shuffled(Fraction(1, 2), 1000)
    assert from_json(event.to_json()) == event
    assert event.to_json() == {"kind": "shuffled", "epsilon": "1/2", "people": 1000}
    assert events.Group(2, event).pure() == 1
