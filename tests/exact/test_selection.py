"""Selection: exact probabilities, exact scores, and indifference to how scores are given."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import ctx
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate

import statistics_of_samples as law
from sfumato import exact
from sfumato.errors import InvalidParameter
from sfumato.exact import selection
from sfumato.exact.lazy import LazyUniform
from sources import SeededBits

pytestmark = pytest.mark.slow

SELECTIONS = [exact.permute_and_flip, exact.exponential_mechanism, exact.report_noisy_max]


def exponential_law(scores: list[float], rate: float) -> list[float]:
    weights = [math.exp(rate * (u - max(scores))) for u in scores]
    return [w / sum(weights) for w in weights]


def permute_and_flip_law(scores: list[float], rate: float) -> list[float]:
    """By the mechanism's own definition: the first head in a random order, summed over coins and orders."""
    coins = [math.exp(rate * (u - max(scores))) for u in scores]
    chances = [0.0] * len(scores)
    for heads in itertools.product((False, True), repeat=len(scores)):
        weight = math.prod(c if h else 1 - c for c, h in zip(coins, heads, strict=True))
        for r, head in enumerate(heads):
            chances[r] += weight / sum(heads) if head and weight else 0.0
    return chances


def noisy_max_law(scores: list[float], rate: float) -> list[float]:
    """The arg-max of scores plus Laplace noise of scale 1/rate, by quadrature over the winner's value."""

    def below(y: float) -> float:
        tail = math.exp(-rate * abs(y)) / 2
        return tail if y < 0 else 1 - tail

    def wins(r: int, y: float) -> float:
        others = (below(y - u) for i, u in enumerate(scores) if i != r)
        return rate / 2 * math.exp(-rate * abs(y - scores[r])) * math.prod(others)

    span = 40 / rate
    kinks = sorted({min(scores) - span, *scores, max(scores) + span})
    return [
        sum(integrate.quad(lambda y, r=r: wins(r, y), a, b, epsabs=1e-14)[0] for a, b in itertools.pairwise(kinks))
        for r in range(len(scores))
    ]


LAWS = dict(zip(SELECTIONS, [permute_and_flip_law, exponential_law, noisy_max_law], strict=True))


def test_weights_stand_for_equal_candidates() -> None:
    scores, weights = [2, 0, 1, 5], [3, 100, 1, 0]
    found = exact.output_law(
        lambda bits: exact.exponential_mechanism(scores, 1, 1, weights=weights, bits=bits), word_bits=1, runs=30_000
    )
    masses = [w * math.exp(u / 2) for u, w in zip(scores, weights, strict=True)]
    for r, mass in enumerate(masses):
        p = Fraction(mass / sum(masses))
        assert found.agrees(r, p - Fraction(1, 10**12), p + Fraction(1, 10**12))
    assert found.at(3) == 0
    bits = SeededBits(11)
    sample = [exact.exponential_mechanism(scores, 1, 1, weights=np.array(weights), bits=bits) for _ in range(20_000)]
    for r, mass in enumerate(masses):
        assert law.binomial(sample.count(r), len(sample), mass / sum(masses)) > law.THRESHOLD
    assert law.binomial(sample.count(1), len(sample), 0.9 * masses[1] / sum(masses)) < law.THRESHOLD


def copies(scores: list[float], weights: list[int], rate: float) -> list[float]:
    """Permute-and-flip among w copies of each candidate, every one with a coin of its own."""
    each = [r for r, w in enumerate(weights) for _ in range(w)]
    chances = permute_and_flip_law([scores[r] for r in each], rate)
    return [math.fsum(p for r, p in zip(each, chances, strict=True) if r == own) for own in range(len(scores))]


@pytest.mark.parametrize(
    ("scores", "weights"),
    [([0.0, -1.0], [1, 5]), ([0.0, -1.0], [3, 5]), ([-2.0, 0.0, 9.0], [4, 2, 0]), ([0.0, -4.0, -1.0], [1, 9, 1])],
)
def test_a_race_of_many_at_once_is_the_race_of_each(scores: list[float], weights: list[int]) -> None:
    """Against the coins, by enumeration; the broken twins flip one coin for all copies, or take ln w for their best."""
    found = exact.output_law(
        lambda bits: exact.permute_and_flip(scores, 1, 1, weights=weights, bits=bits), word_bits=4, runs=6_000
    )
    assert found.unexplored < (Fraction(1, 20) if len([w for w in weights if w]) == 2 else Fraction(1, 5))
    slack = Fraction(1, 10**12)

    def holds(chances: list[float]) -> bool:
        return all(found.agrees(r, Fraction(p) - slack, Fraction(p) + slack) for r, p in enumerate(chances))

    assert holds(copies(scores, weights, 0.5))
    one_coin = permute_and_flip_law([u for u, w in zip(scores, weights, strict=True) if w], 0.5)
    assert not holds([one_coin.pop(0) if w else 0.0 for w in weights])
    if weights[0] == 1:  # else the two laws are too near for so few words
        moved = [u + 2 * math.log(w) for u, w in zip(scores, weights, strict=True)]
        assert not holds(permute_and_flip_law(moved, 0.5))


def test_the_best_of_many_is_within_its_float_bounds() -> None:
    """For words at either end and everywhere, and as many copies as a grid has points."""
    rng = np.random.default_rng(5)
    words = np.concatenate(
        [
            np.array([0, 1, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1], dtype=np.uint64),
            rng.integers(0, 2**64, 600, np.uint64),
        ]
    )
    for many in (1, 2, 7, 2**20 + 1, 2**54 + 1):
        best = selection._BestOf(np.full(len(words), many, dtype=np.int64))
        with np.errstate(divide="ignore"):
            low, high = best.bounds(words, 64)
        assert (low <= high + 2**-38).all()
        for place, word in enumerate(words.tolist()):
            uniform = LazyUniform(SeededBits(word % 1000), word, 64)
            for _ in range(4):  # somewhere within the word's cell
                uniform.extend()
            with ctx.workprec(600):
                true = best.ball(place, uniform)
            assert true > float(low[place]) - 2.0**-39
            assert math.isinf(high[place]) or true < float(high[place]) + 2.0**-39


def test_a_race_of_many_with_far_more_copies_has_its_law() -> None:
    """10**15 points a step behind one point that is best: as many heads as a Poisson number."""
    far, many, bits = 60, 10**15, SeededBits(8)
    mean = many * math.exp(-far / 2)
    sample = [exact.permute_and_flip([0, -far], 1, 1, weights=[1, many], bits=bits) for _ in range(8_000)]
    p = 1 - -math.expm1(-mean) / mean  # E[K/(K + 1)]
    assert law.binomial(sum(sample), len(sample), p) > law.THRESHOLD
    assert law.binomial(sum(sample), len(sample), 0.8 * p) < law.THRESHOLD


def test_a_candidate_that_stands_for_none_does_not_drown_the_others() -> None:
    """Its score is far above, so that beside it the others' weights are no floats at all."""
    scores, bits = [10**6, 0, 1], SeededBits(21)
    sample = [exact.exponential_mechanism(scores, 1, 1, weights=[0, 1, 1], bits=bits) for _ in range(4000)]
    p = math.exp(0.5) / (1 + math.exp(0.5))
    assert set(sample) == {1, 2}
    assert law.binomial(sample.count(2), len(sample), p) > law.THRESHOLD
    assert law.binomial(sample.count(2), len(sample), 0.8 * p) < law.THRESHOLD


@pytest.mark.parametrize("weights", [[1, 1], [1, 1, -1], [0, 0, 0], [1.0, 1.0, 1.0], [[1, 1, 1]]])
@pytest.mark.parametrize("select", [exact.exponential_mechanism, exact.permute_and_flip])
def test_bad_weights_are_refused(select: Any, weights: Any) -> None:
    with pytest.raises(InvalidParameter, match="weights"):
        select([1, 2, 3], 1, 1, weights=weights)


@pytest.mark.parametrize("word_bits", [8, 16, 32, 64])
@pytest.mark.parametrize("select", SELECTIONS)
def test_selection_has_its_law_and_no_other_rate(select: Any, word_bits: int) -> None:
    scores, bits = [3.0, 1.0, 0.0, 2.5, -4.0], SeededBits(1, word_bits)
    sample = [select(scores, 1, 1, bits=bits) for _ in range(20_000)]
    for factor, fits in ((1.0, True), (0.8, False), (1.25, False)):
        chances = LAWS[select](scores, 0.5 * factor)
        pmf = dict(enumerate(chances))
        p = law.chi_square(sample, lambda k, pmf=pmf: pmf.get(k, 0.0), reach=5)  # type: ignore[misc]
        assert (p > law.THRESHOLD) is fits


@pytest.mark.parametrize(
    ("runs", "unexplored"), [(8_000, "3/10"), pytest.param(20_000, "1/5", marks=pytest.mark.torture)]
)
@pytest.mark.parametrize("select", SELECTIONS)
def test_exact_law_of_selection(select: Any, runs: int, unexplored: str) -> None:
    scores = [2.0, 0.0, 1.5]
    found = exact.output_law(lambda bits: select(scores, 1, 1, bits=bits), word_bits=1, runs=runs)
    assert found.unexplored < Fraction(unexplored)
    for r, p in enumerate(LAWS[select](scores, 0.5)):
        assert found.agrees(r, Fraction(p) - Fraction(1, 10**12), Fraction(p) + Fraction(1, 10**12))
    wrong = LAWS[select](scores, 3.0)
    assert not found.agrees(1, Fraction(wrong[1]), Fraction(wrong[1]))


@pytest.mark.parametrize(
    ("runs", "unexplored"), [(8_000, "1/50"), pytest.param(20_000, "1/100", marks=pytest.mark.torture)]
)
@pytest.mark.parametrize("select", SELECTIONS)
def test_monotone_doubles_the_rate(select: Any, runs: int, unexplored: str) -> None:
    scores = [1.0, 0.0]
    rates = {False: 0.5, True: 1.0}
    for monotone, rate in rates.items():
        found = exact.output_law(
            lambda bits, m=monotone: select(scores, 1, 1, monotone=m, bits=bits),  # type: ignore[misc]
            word_bits=4,
            runs=runs,
        )
        p = Fraction(LAWS[select](scores, rate)[1])
        assert found.unexplored < Fraction(unexplored)
        assert found.agrees(1, p, p)


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=6), st.integers(0, 2**30))
def test_one_choice_for_every_way_of_writing_the_scores(scores: list[int], seed: int) -> None:
    ways = (scores, np.array(scores), np.array(scores, dtype=object), [Fraction(u) for u in scores])
    for select in SELECTIONS:
        chosen = {select(way, 0.5, 2**60, bits=SeededBits(seed, 16)) for way in ways}
        assert len(chosen) == 1


def test_scores_are_never_rounded() -> None:
    """Neighbouring integers beyond 2**53 are one float; a decisive rate must still see the gap."""
    top = 2**60
    for scores in ([top, top + 1, 0.5], [Fraction(top), top + 1], np.array([top, top + 1])):
        assert exact.permute_and_flip(scores, 10**6, 1) == 1  # type: ignore[arg-type]
    assert exact.permute_and_flip([1e308, -1e308], 1, 1) == 0
    assert exact.permute_and_flip(np.array([0, 2**64 - 1], dtype=np.uint64), 1, 1) == 1
    assert exact.permute_and_flip(np.array([-(2**63), 2**63 - 1]), 1, 1) == 1
    assert exact.permute_and_flip(np.array([0, 300], dtype=np.float32), Fraction(10**9), Fraction(1, 10**400)) == 1


def test_infinite_spread_in_floats_keeps_its_small_rate() -> None:
    scores, bits = [1e308, -1e308], SeededBits(3)
    sample = [exact.permute_and_flip(scores, 1, 10**308, bits=bits) for _ in range(4000)]
    p = math.exp(-1) / 2
    assert law.binomial(sum(sample), len(sample), p) > law.THRESHOLD
    assert law.binomial(sum(sample), len(sample), p * 1.5) < law.THRESHOLD


@pytest.mark.parametrize("select", SELECTIONS)
@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([], "scores"),
        (np.zeros((2, 2)), "scores"),
        ([1.0, float("nan")], "nan"),
        ([1, float("inf")], "inf"),
        (np.array([1.0, np.inf]), "inf"),
        ([1, None], "NoneType"),
        ([1, "2"], "str"),
        ([True, False], "bool"),
        (np.array([True]), "bool"),
        (np.array([1j]), "complex"),
        ([1 + 0j, 2], "complex"),
        (3, "int"),
        ("ab", "str"),
        ({1, 2}, "set"),
        (np.ma.array([1, 2], mask=[0, 1]), "Masked"),  # type: ignore[arg-type]
        ([[1], [2]], "(2, 1)"),
        ([[1], [2, 3]], "list"),
    ],
)
def test_bad_scores_are_refused_by_name(select: Any, scores: Any, words: str) -> None:
    with pytest.raises(InvalidParameter) as error:
        select(scores, 1, 1)
    assert "scores" in str(error.value)
    assert words in str(error.value)


def test_errors_about_scores_do_not_show_a_score() -> None:
    """Scores are computed from somebody's data."""
    for scores in ([1, "secret"], ["secret"], [1234.5, None], (1234.5, object())):
        with pytest.raises(InvalidParameter) as caught:
            exact.permute_and_flip(scores, 1, 1)  # type: ignore[arg-type]
        assert "secret" not in str(caught.value)
        assert "1234" not in str(caught.value)
