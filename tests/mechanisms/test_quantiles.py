"""Quantiles by permute-and-flip: their law, their privacy and their error, for all small databases."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import mechanism_laws as laws
import statistics_of_samples as samples
from sfumato import exact
from sfumato.accounting import events
from sfumato.core import Change, Neighbours
from sfumato.errors import InvalidParameter
from sfumato.mechanisms import Quantile
from sources import SeededBits

pytestmark = pytest.mark.slow


def flipped(scores: list[float], rate: float) -> list[float]:
    """The coins' law: all heads and tails, and one of the heads."""
    coins = [math.exp(rate * (u - max(scores))) for u in scores]
    chances = [0.0] * len(scores)
    for heads in itertools.product((False, True), repeat=len(scores)):
        weight = math.prod(c if h else 1 - c for c, h in zip(coins, heads, strict=True))
        for r, head in enumerate(heads):
            chances[r] += weight / sum(heads) if head and weight else 0.0
    return chances


def depths(mechanism: Any, x: tuple[int, ...]) -> dict[int, Fraction]:
    """How deep q·n lies among the ranks of each grid point, or minus how far from them, by the definition."""
    q, n = Fraction(mechanism.q), len(x)
    ranks = {y: (sum(v < y for v in x), sum(v <= y for v in x)) for y in mechanism.domain.ends}
    return {y: min(upto - q * n, q * n - below) for y, (below, upto) in ranks.items()}


def distances(mechanism: Any, x: tuple[int, ...]) -> dict[int, Fraction]:
    """How far q·n is from the ranks of each grid point."""
    return {y: max(Fraction(0), -depth) for y, depth in depths(mechanism, x).items()}


def law_of(mechanism: Quantile, x: tuple[int, ...], score: Any = depths) -> dict[Any, float]:
    rate = float(Fraction(mechanism.epsilon) / (2 * mechanism.moved))  # type: ignore[arg-type]
    scores = score(mechanism, x)
    return dict(zip(scores, flipped([float(each) for each in scores.values()], rate), strict=True))


def of(q: Any = 0.5, epsilon: Any = 1, upper: int = 3, change: Change = Change.ADD_REMOVE) -> Quantile:
    return Quantile(
        q=q, epsilon=epsilon, lower=0, upper=upper, grid=1, neighbours=Neighbours(change), by="permute_and_flip"
    )


@pytest.mark.parametrize("draws", [1_500, pytest.param(12_000, marks=pytest.mark.torture)])
@pytest.mark.parametrize("x", [(), (2,), (0, 0, 3), (1, 1), (0, 1, 1, 2, 4, 4)])
@pytest.mark.parametrize("q", [0.5, 0.25])
def test_every_grid_point_has_a_coin_of_its_own(x: tuple[int, ...], q: float, draws: int) -> None:
    """From values and from counted values; the exponential mechanism's law is another."""
    mechanism, bits = of(q, 2, 4), SeededBits(6)
    values, counts = np.unique(np.array(x, dtype=np.int64), return_counts=True)
    true, other = law_of(mechanism, x), law_of(mechanism, (4,))
    for sample in (
        [mechanism.release(np.array(x, dtype=np.int64), bits=bits) for _ in range(draws)],
        [mechanism.of_counted(values, counts, bits) for _ in range(draws)],
    ):
        assert samples.chi_square(sample, lambda k: true.get(k, 0.0), reach=5) > samples.THRESHOLD
        assert samples.chi_square(sample, lambda k: other.get(k, 0.0), reach=5) < samples.THRESHOLD


def test_a_gap_of_many_grid_points_is_drawn_as_they_would_be_one_by_one() -> None:
    """By enumeration: one value at the end of a gap of four points, each of which is a person behind."""
    mechanism = of(1, 2, 4)
    found = exact.output_law(lambda bits: mechanism.release([4], bits=bits), word_bits=4, runs=6_000)
    true, slack = law_of(mechanism, (4,)), Fraction(1, 10**12)
    assert found.unexplored < Fraction(1, 4)
    assert all(found.agrees(y, Fraction(p) - slack, Fraction(p) + slack) for y, p in true.items())
    as_one = Fraction(1 - math.exp(-1) / 2)
    assert not found.agrees(4, as_one, as_one), "the broken twin: a gap is one point"


@pytest.mark.parametrize("change", list(Change))
@pytest.mark.parametrize("q", [0, Fraction(1, 4), 0.5, 0.9, 1])
def test_flipped_quantiles_are_private_for_all_small_databases(q: Any, change: Change) -> None:
    mechanism = of(q, 1, 3, change)
    databases = [x for n in range(4) for x in itertools.combinations_with_replacement(range(4), n)]
    found, worst = {x: law_of(mechanism, x) for x in databases}, 0.0
    for x in databases:
        for i, v in itertools.product(range(len(x)), range(4)):
            rest = x[:i] + x[i + 1 :]
            y = rest if change is Change.ADD_REMOVE else tuple(sorted((*rest, v)))
            assert laws.violation(mechanism.event, found[x], found[y]) <= laws.ROUNDING
            worst = max(worst, laws.loss(found[x], found[y]), laws.loss(found[y], found[x]))
    assert 0.2 < worst <= 1 + 1e-9


@pytest.mark.parametrize("q", [Fraction(1, 4), 0.5, 0.9])
def test_all_groups_of_a_person_together_are_worth_one_event(q: Any) -> None:
    """Two rows count at ε/2 each: both in one group, or one in each of two, whose draws are independent.

    The broken twin gives every group the whole ε of one row.
    """
    databases = [x for n in range(4) for x in itertools.combinations_with_replacement(range(3), n)]

    def worst(epsilon: Fraction) -> float:
        mechanism = of(q, epsilon, 2)
        found = {x: law_of(mechanism, x) for x in databases}
        one_less = [(x, x[:i] + x[i + 1 :]) for x in databases for i in range(len(x))]
        two_less = [(x, y[:i] + y[i + 1 :]) for x, y in one_less for i in range(len(y))]
        single = [(found[x], found[y]) for x, y in one_less]
        pairs = [(found[x], found[y]) for x, y in two_less]
        heavy = max(single, key=lambda pair: max(laws.loss(*pair), laws.loss(*pair[::-1])))
        pairs += [(laws.product(a, heavy[0]), laws.product(b, heavy[1])) for a, b in (*single, heavy[::-1])]
        return max(laws.violation(events.PermuteAndFlip(1), *pair) for pair in pairs)

    assert worst(Fraction(1, 2)) <= laws.ROUNDING
    assert worst(Fraction(1)) > laws.ROUNDING


def test_flipped_quantiles_are_not_priced_by_their_range() -> None:
    """The broken twin: at ε²/8, the ρ of the exponential mechanism, somebody's loss in Rényi's measure is more."""
    assert isinstance(of().event, events.PermuteAndFlip)
    assert of().event.zcdp() == Fraction(1, 2)
    assert events.Exponential(1).zcdp() == Fraction(1, 8)
    # two candidates, of which the second falls behind by two moves of a score: p = 1/2 and exp(-ε)/2
    one, other = flipped([0, 0], 0.5), flipped([0, -2], 0.5)
    spread = math.log(one[1] / other[1]) - math.log(one[0] / other[0])
    assert spread > 1, "more than ε apart: not of bounded range"


def test_flipped_quantiles_err_by_what_they_say_and_less_than_the_exponential_mechanism() -> None:
    mechanism = of(0.5, 4, 5)
    plain = Quantile(q=0.5, epsilon=4, lower=0, upper=5, grid=1, neighbours=Neighbours())
    for beta in (0.3, 0.05):
        alpha, worst = mechanism.error(beta).alpha, 0.0
        for x in itertools.combinations_with_replacement(range(6), 9):
            apart = distances(mechanism, x)
            worst = max(worst, math.fsum(p for y, p in law_of(mechanism, x).items() if apart[y] > alpha))
        assert worst <= beta
        assert alpha < plain.error(beta).alpha


def test_a_way_to_select_is_one_of_two() -> None:
    with pytest.raises(InvalidParameter, match="by"):
        Quantile(q=0.5, epsilon=1, lower=0, upper=3, grid=1, neighbours=Neighbours(), by="best")  # type: ignore[arg-type]


@pytest.mark.parametrize("change", list(Change))
@pytest.mark.parametrize("q", [Fraction(1, 4), 0.5, 0.9])
def test_a_depth_counts_as_a_distance_does(q: Any, change: Change) -> None:
    """It is private at the same rate for all small databases; one that counts twice, the broken twin, is not."""
    mechanism = of(q, 1, 3, change)

    def twice(mechanism: Any, x: tuple[int, ...]) -> dict[int, Fraction]:
        return {y: depth * (2 if depth > 0 else 1) for y, depth in depths(mechanism, x).items()}

    databases = [x for n in range(5) for x in itertools.combinations_with_replacement(range(4), n)]
    worst = {}
    for score in (depths, twice):
        found, worst[score] = {x: law_of(mechanism, x, score) for x in databases}, 0.0
        for x in databases:
            for i, v in itertools.product(range(len(x)), range(4)):
                rest = x[:i] + x[i + 1 :]
                y = rest if change is Change.ADD_REMOVE else tuple(sorted((*rest, v)))
                worst[score] = max(worst[score], laws.violation(mechanism.event, found[x], found[y]))
    assert worst[depths] <= laws.ROUNDING < worst[twice]


def test_a_depth_keeps_a_shared_value_from_the_one_beside_it() -> None:
    """Ten people a value, wherever among them q·n is: with distances alone the values beside it are likelier."""
    x = tuple(v for v in range(6) for _ in range(10))
    for rank, less in ((21, 0.9), (25, 0.5), (29, 0.9)):
        mechanism = of(Fraction(rank, 60), Fraction(1, 4), 5)
        with_depth = law_of(mechanism, x)
        without = law_of(mechanism, x, lambda m, x: {y: -d for y, d in distances(m, x).items()})
        off = [math.fsum(p * (y - 2) ** 2 for y, p in law.items()) for law in (with_depth, without)]
        assert off[0] < less * off[1]


def test_a_value_that_most_people_share_is_every_quantile_it_covers() -> None:
    """The twin that aims at the middle of its ranks prefers a value that nobody has."""
    x = (0,) * 12 + (3,) * 8
    mechanism = of(0.5, 2, 3)
    assert law_of(mechanism, x)[0] > 0.99
    middle = {y: -abs(Fraction(sum(v < y for v in x) + sum(v <= y for v in x), 2) - 10) for y in range(4)}
    assert middle[0] < middle[1] == middle[2]
