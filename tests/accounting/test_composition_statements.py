"""Composition theorems against the mechanisms that reach them, outcome by outcome and in exact arithmetic."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

from sfumato.accounting import (
    advanced_composition,
    advanced_composition_inverse,
    basic_composition,
    events,
    gaussian,
    group_privacy,
    lattice,
    losslaw,
    optimal_delta,
    total,
)
from sfumato.accounting.composition import advanced_heterogeneous
from sfumato.core import Distribution, is_private, max_divergence

Pair = tuple[Distribution, Distribution]
HAIR = Fraction(1, 1000)


def worst(odds: int | Fraction, delta: Fraction = Fraction(0)) -> Pair:
    """The outputs of the worst (ln odds, δ)-private mechanism on two neighbours: two outcomes give them away."""
    high, low = (1 - delta) * odds / (1 + odds), (1 - delta) / (1 + Fraction(odds))
    return (
        Distribution({"only here": delta, "yes": high, "no": low}),
        Distribution({"only there": delta, "yes": low, "no": high}),
    )


def together(pairs: Sequence[Pair]) -> Pair:
    """The outputs of mechanisms that run one after the other."""

    def product(side: int) -> Distribution:
        laws = [pair[side].probabilities.items() for pair in pairs]
        return Distribution(
            {
                tuple(o for o, _ in row): math.prod((Fraction(p) for _, p in row), start=Fraction(1))  # type: ignore[arg-type]
                for row in itertools.product(*laws)
            }
        )

    return product(0), product(1)


def is_met_and_reached(pair: Pair, epsilon: float, delta: float) -> bool:
    """Whether a pair keeps (ε, δ), and neither a little less ε nor a little less δ."""
    e, d = Fraction(epsilon), Fraction(delta)
    kept = is_private(*pair, epsilon=e, delta=d)
    less = is_private(*pair, epsilon=e * (1 - HAIR), delta=d)
    return kept and not less and not (d and is_private(*pair, epsilon=e, delta=d * (1 - HAIR)))


@pytest.mark.parametrize("odds", [Fraction(11, 10), 2, 7])
@pytest.mark.parametrize("k", [1, 2, 3, 6])
def test_k_equal_mechanisms_lose_k_epsilon_and_can_lose_no_less(odds: Any, k: int) -> None:
    epsilon, delta = basic_composition([math.log(odds)] * k, [0.0] * k)
    pair = together([worst(odds)] * k)
    assert delta == 0
    assert max_divergence(*pair) == pytest.approx(epsilon, rel=1e-12)
    assert is_met_and_reached(pair, epsilon, 0)


@pytest.mark.parametrize(("one", "two"), [(2, 3), (Fraction(3, 2), 9), (50, Fraction(11, 10))])
def test_two_mechanisms_lose_the_sum_of_their_epsilons(one: Any, two: Any) -> None:
    epsilon, _ = basic_composition([math.log(one), math.log(two)], [0.0, 0.0])
    assert is_met_and_reached(together([worst(one), worst(two)]), epsilon, 0)
    assert total([events.Pure(math.log(one)), events.Pure(math.log(two))]).epsilon(0) == pytest.approx(epsilon)


@pytest.mark.parametrize("odds", [(2, 3, 5), (2, 2, 3, 4), (9, Fraction(5, 4), 2, Fraction(3, 2), 3)])
def test_k_unequal_mechanisms_lose_the_sum_of_all_their_epsilons(odds: tuple[Any, ...]) -> None:
    epsilon, _ = basic_composition([math.log(each) for each in odds], [0.0] * len(odds))
    assert is_met_and_reached(together([worst(each) for each in odds]), epsilon, 0)


TINY = Fraction(1, 10**6)


@pytest.mark.parametrize(
    ("one", "two"), [((2, TINY), (3, 2 * TINY)), ((5, 3 * TINY), (2, TINY)), ((2, TINY), (2, TINY))]
)
def test_two_approximate_mechanisms_lose_both_epsilons_and_fail_with_both_deltas(one: Any, two: Any) -> None:
    epsilon, delta = basic_composition([math.log(one[0]), math.log(two[0])], [float(one[1]), float(two[1])])
    assert is_met_and_reached(together([worst(*one), worst(*two)]), epsilon, delta)


@pytest.mark.parametrize("k", [3, 5])
def test_k_approximate_mechanisms_lose_all_epsilons_and_fail_with_all_deltas(k: int) -> None:
    boxes = [(2 + i, (1 + i) * TINY) for i in range(k)]
    epsilon, delta = basic_composition([math.log(odds) for odds, _ in boxes], [float(d) for _, d in boxes])
    assert is_met_and_reached(together([worst(*box) for box in boxes]), epsilon, delta)


# ---- the adaptive experiment ----------------------------------------------------------------------------------------


def views(first: Pair, choose: dict[Any, Pair]) -> Pair:
    """What an adversary sees who picks the second mechanism, and which database it is run on, by the first answer."""

    def view(side: int) -> Distribution:
        seen = {}
        for answer, p in first[side].probabilities.items():
            for second, q in choose[answer][side].probabilities.items():
                seen[answer, second] = Fraction(p) * Fraction(q)  # type: ignore[arg-type]
        return Distribution(seen)

    return view(0), view(1)


def adversaries(odds: int, delta: Fraction, menu: list[Pair]) -> list[Pair]:
    """The views of every adversary who starts with the worst mechanism and then picks from a menu."""
    first = worst(odds, delta)
    answers = ["only here", "only there", "yes", "no"]
    return [
        views(first, dict(zip(answers, picked, strict=True))) for picked in itertools.product(menu, repeat=len(answers))
    ]


def swapped(pair: Pair) -> Pair:
    return pair[1], pair[0]


def test_no_adversary_who_chooses_as_answers_come_in_sees_more_than_the_sum() -> None:
    """81 adversaries pick one of three 2-fold mechanisms after each answer: the same, mirrored, or a weaker one."""
    menu = [worst(3), swapped(worst(3)), worst(2)]
    epsilon, _ = basic_composition([math.log(2), math.log(3)], [0.0, 0.0])
    seen = adversaries(2, Fraction(0), menu)
    assert all(is_private(*pair, epsilon=Fraction(epsilon)) for pair in seen)
    assert any(is_met_and_reached(pair, epsilon, 0) for pair in seen)


def test_adaptive_views_are_private_with_the_sums_of_epsilon_and_delta() -> None:
    menu = [worst(3, 2 * TINY), swapped(worst(3, 2 * TINY)), worst(2, TINY), worst(1, 2 * TINY)]
    epsilon, delta = basic_composition([math.log(2), math.log(3)], [float(TINY), float(2 * TINY)])
    seen = adversaries(2, TINY, menu)
    assert all(is_private(*pair, epsilon=Fraction(epsilon), delta=Fraction(delta)) for pair in seen)
    assert any(is_met_and_reached(pair, epsilon, delta) for pair in seen)


# ---- advanced composition -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "epsilon"), [(10, 0.01), (100, 0.1), (1000, 0.1), (3000, 0.3), (300, 1.0)])
@pytest.mark.parametrize("slack", [1e-3, 1e-6, 1e-12])
def test_advanced_composition_covers_k_randomised_responses(k: int, epsilon: float, slack: float) -> None:
    """Against the exact binomial law of their loss, ε·(2i - k); as printed and with the true mean."""
    for tight in (True, False):
        value, delta = advanced_composition(epsilon, 0.0, k, slack, tight=tight)
        assert delta == pytest.approx(slack)
        assert optimal_delta(value, epsilon, 0.0, k) <= slack
    assert optimal_delta(value / 3, epsilon, 0.0, k) > slack or value > k * epsilon
    printed = math.sqrt(2 * k * math.log(1 / slack)) * epsilon + k * epsilon * math.expm1(epsilon)
    assert value == pytest.approx(printed)


@pytest.mark.parametrize("k", [1, 20, 500])
def test_advanced_composition_of_approximate_mechanisms_fails_with_every_delta_and_the_slack(k: int) -> None:
    for epsilon, own, slack in ((0.1, 1e-4, 1e-9), (0.5, 1e-6, 1e-5), (0.05, 1e-5, 1e-6)):
        value, delta = advanced_composition(epsilon, own, k, slack)
        assert optimal_delta(value, epsilon, own, k) <= delta
        assert delta == pytest.approx(k * own + slack)


def test_unequal_mechanisms_compose_as_their_squares_and_means() -> None:
    """Two kinds of randomised response: the loss is a sum of two binomials, convolved exactly."""
    (one, n), (two, m), slack = (0.05, 400), (0.3, 30), 1e-6
    value = advanced_heterogeneous([(one, n), (two, m)], slack)
    laws = [stats.binom(k, 1 / (1 + math.exp(-e))).pmf(np.arange(k + 1)) for e, k in ((one, n), (two, m))]
    losses = one * (2 * np.arange(n + 1) - n)[:, None] + two * (2 * np.arange(m + 1) - m)[None, :]
    masses = laws[0][:, None] * laws[1][None, :]
    above = losses > value
    assert float((masses[above] * -np.expm1(value - losses[above])).sum()) <= slack
    lower = losses > value / 2
    assert float((masses[lower] * -np.expm1(value / 2 - losses[lower])).sum()) > slack


def test_the_square_of_the_people_can_be_asked_with_errors_far_below_them() -> None:
    """n^1.8 counting queries at (1, 1e-6): Lap(1/ε₀) errs by a share of n that falls as n grows, as n^1.8 is o(n²)."""
    shares = []
    for people in (10**3, 10**4, 10**5, 10**6):
        queries = round(people**1.8)
        per_query = advanced_composition_inverse(1.0, 1e-6, queries)
        assert advanced_composition(per_query, 0.0, queries, 1e-6)[0] <= 1
        assert optimal_delta(1.0, per_query, 0.0, min(queries, 10**5)) <= 1e-6
        shares.append(1 / per_query / people)
    assert all(later < 0.85 * earlier for earlier, later in itertools.pairwise(shares))
    assert shares[-1] < 1.5
    for people in (10**3, 10**6):
        assert 1 / advanced_composition_inverse(1.0, 1e-6, people**2) / people == pytest.approx(5.26, rel=0.02)


@pytest.mark.parametrize(("epsilon", "slack"), [(0.1, 1e-6), (0.9, 1e-3), (0.99, 0.3)])
@pytest.mark.parametrize("k", [2, 30, 1000])
def test_an_epsilon_of_the_slides_size_composes_to_the_target(epsilon: float, slack: float, k: int) -> None:
    """ε = ε'/(2√(k·ln(1/δ'))) suffices (errata B12 says it is safe), and the inverse finds no less."""
    found = advanced_composition_inverse(epsilon, slack, k)
    slides = epsilon / (2 * math.sqrt(k * math.log(1 / slack)))
    assert optimal_delta(epsilon, found, 0.0, k) <= slack
    assert optimal_delta(epsilon, slides, 0.0, k) <= slack
    assert found >= slides * (1 - 1e-9)


# ---- groups, parts, post-processing ---------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_a_group_is_told_apart_as_often_as_its_size_says(k: int) -> None:
    """Counts with geometric noise at ε = ln 2 (Pr ∝ 2^-|z|): databases k apart, over a window of outcomes."""

    def law(count: int) -> Distribution:
        masses = {z: Fraction(1, 3) * Fraction(1, 2 ** abs(z - count)) for z in range(-40, 41)}
        masses["beyond"] = 1 - sum(masses.values())  # type: ignore[assignment, index]
        return Distribution(masses)

    epsilon, delta = group_privacy(math.log(2), 0.0, k)
    assert delta == 0
    assert is_met_and_reached((law(0), law(k)), epsilon, 0)


@pytest.mark.parametrize("k", [2, 3])
def test_a_group_fails_with_a_geometric_sum_of_deltas(k: int) -> None:
    """A chain of k + 1 outputs, each (ln 2, δ)-private from the last: the first has δ·(1 + 2 + 4 …) beyond 2^k."""
    small = Fraction(1, 1000)
    mass, chain = Fraction(0), [Fraction(0)]
    for _ in range(k):
        mass = 2 * mass + small
        chain.append(mass)
    laws = [Distribution({"shown": m, "not": 1 - m}) for m in chain]
    for one, two in itertools.pairwise(laws):
        assert is_private(one, two, epsilon=Fraction(math.log(2) * (1 + 1e-12)), delta=small)
    epsilon, delta = group_privacy(math.log(2), float(small), k)
    assert epsilon == pytest.approx(k * math.log(2))
    assert is_private(laws[0], laws[-1], epsilon=Fraction(epsilon), delta=Fraction(delta))
    assert not is_private(laws[0], laws[-1], epsilon=Fraction(epsilon), delta=Fraction(delta) * (1 - HAIR))


def test_disjoint_parts_lose_as_much_as_the_largest_of_them() -> None:
    """One record, in one of three parts with a mechanism each; its part alone is answered differently without it."""
    odds = (2, 5, 3)
    kinds = (events.Pure, events.RandomizedResponse, events.Exponential)
    price = events.Parallel([kind(math.log(each)) for kind, each in zip(kinds, odds, strict=True)])
    found = 0.0
    for place in range(3):
        parts = [worst(each) if i == place else (worst(each)[1],) * 2 for i, each in enumerate(odds)]
        found = max(found, max_divergence(*together(parts)))
    assert total([price]).epsilon(0) == pytest.approx(found, rel=1e-9)
    assert float(price.pure() or 0) == pytest.approx(found, rel=1e-9)
    assert found == pytest.approx(math.log(5))
    moved = together([worst(2), worst(5), (worst(3)[1],) * 2])  # errata A18: a record that moves is in two parts
    assert max_divergence(*moved) == pytest.approx(math.log(10))


@pytest.mark.parametrize("mu", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("step", [0.5, 0.1, 0.01])
def test_merged_outcomes_are_told_apart_no_better_than_the_outcomes_themselves(mu: float, step: float) -> None:
    """A merged Gaussian's δ(ε) is never above the exact one; with small cells it comes near."""
    law = losslaw.gaussian(mu)
    cells = lattice.merge_the_cells(law, step, lattice.survey(law, 40.0), 40.0)
    losses = cells.losses()
    for epsilon in (0.0, 0.2 * mu, mu, 2 * mu):
        above = losses > epsilon
        merged = float((cells.masses[above] * -np.expm1(epsilon - losses[above])).sum())
        exact = gaussian.delta(epsilon, mu)
        assert merged <= exact * (1 + 1e-9)
        assert merged >= 0.9 * exact or step * 3 > mu
    assert float(cells.masses.sum()) == pytest.approx(1, abs=1e-9)


def test_an_epsilon_with_a_delta_does_not_bound_the_loss_with_that_probability() -> None:
    """Errata A16: δ(ε) = E[(1 - e^(ε - L))₊], so at σ = 1 (4.8866, 1e-6) holds while L > 4.8866 with 5.8e-6."""
    epsilon = gaussian.epsilon(1e-6, 1.0)
    assert epsilon == pytest.approx(4.8866, abs=1e-4)
    loss = stats.norm(0.5, 1)
    assert loss.sf(epsilon) == pytest.approx(5.8e-6, rel=0.02)
    for at in (0.0, 1.0, epsilon):
        grid = np.linspace(at, at + 14, 200_001)
        expected = float(np.trapezoid(loss.pdf(grid) * -np.expm1(at - grid), grid))
        assert gaussian.delta(at, 1.0) == pytest.approx(expected, rel=1e-6)
        assert loss.sf(at) > gaussian.delta(at, 1.0)
