"""Guess-and-Check: kept guesses, measured values, halting, and its price against the exact law of a run."""

import math
from fractions import Fraction
from itertools import product

import pytest
from scipy import stats

from sfumato.accounting import total
from sfumato.core import Neighbours, Sensitivity
from sfumato.errors import Halted, InvalidParameter
from sfumato.synth import GuessAndCheck, NumericCheck
from sfumato.synth.guess_and_check import GuessCheck
from sources import SeededBits

ONE = Sensitivity.linf(1, Neighbours())
NUMERIC = NumericCheck(epsilon=4, cutoff=2, threshold=400, sensitivity=ONE)
GAUSSIAN = GuessAndCheck(sigma=8, query_sigma=16, value_sigma=8, cutoff=2, threshold=400, sensitivity=ONE)
CHECKS: dict[str, GuessCheck] = {"numeric": NUMERIC, "gaussian": GAUSSIAN}


@pytest.mark.parametrize("name", CHECKS)
def test_good_guesses_are_kept_bad_ones_measured_on_either_side_and_then_it_halts(name: str) -> None:
    check = CHECKS[name]
    off = check.error(1e-9, queries=52).alpha
    run = check.start(bits=SeededBits(5))
    for guess in range(1000, 1050):
        answer = run.ask(1020, guess)
        assert (answer.value, answer.measured) == (guess, False)
    for guess in (3000, -1000):
        assert not run.halted
        answer = run.ask(1020, guess)
        assert answer.measured
        assert abs(answer.value - 1020) <= off
    assert run.halted
    assert "halted" in repr(run)
    with pytest.raises(Halted):
        run.ask(1020, 1020)


@pytest.mark.parametrize("name", CHECKS)
def test_answers_are_as_near_as_the_error_says(name: str) -> None:
    check = CHECKS[name]
    off = check.error(1e-9, queries=400).alpha
    asked = 0
    for seed in range(20):
        run = check.start(bits=SeededBits(seed))
        while not run.halted and asked < 400:
            guess = 10 * (asked % 90)
            answer = run.ask(0, guess)
            asked += 1
            assert abs(answer.value) <= (off if answer.measured else 400 + off)
            if answer.measured:
                assert guess >= 400 - off


# ---- the exact law of a Gaussian run ---------------------------------------------------------------------------

Said = tuple[int, int]


def rounded_normal(sigma: float, reach: int) -> dict[int, float]:
    return {
        k: float(stats.norm.cdf((k + 0.5) / sigma) - stats.norm.cdf((k - 0.5) / sigma))
        for k in range(-reach, reach + 1)
    }


def stage(check: GuessAndCheck, exact: int, guess: int, asks: int) -> dict[Said, float]:
    """What one stage says if a question is asked again and again: at which it was ⊤ and what was measured, or never."""
    sigmas = tuple(float(noise.sigma) for noise in (*check.technique.noises, check.value_noise))
    thresholds = rounded_normal(sigmas[0], 9 * math.ceil(sigmas[0]))
    values = rounded_normal(sigmas[2], 9 * math.ceil(sigmas[2]))
    off, level, law = abs(exact - guess), check.technique.level, dict[Said, float]()
    for rho, mass in thresholds.items():
        below = float(stats.norm.cdf((level + rho - off - 0.5) / sigmas[1]))  # rounded noise below T + ρ - |q - g|
        for ask in range(asks):
            here = mass * below**ask * (1 - below)
            for noise, chance in values.items():
                law[ask, exact + noise] = law.get((ask, exact + noise), 0.0) + here * chance
        law[asks, 0] = law.get((asks, 0), 0.0) + mass * below**asks
    return law


def delta_of(epsilon: float, left: dict[Said, float], right: dict[Said, float], stages: int) -> float:
    """Σ max(0, P - e^ε·Q) over what so many independent stages say."""
    said = sorted(left.keys() | right.keys())
    over = []
    for outcome in product(said, repeat=stages):
        p, q = (math.prod(law.get(part, 0.0) for part in outcome) for law in (left, right))
        over.append(max(0.0, p - math.exp(epsilon) * q))
    return math.fsum(over)


def test_the_price_of_guess_and_check_covers_its_exact_law_and_pays_for_every_value() -> None:
    """Two ⊤ with values of σ = 1: at the ε of its price no event has more than δ beyond (Survey §9.2).

    Without the values the decisions cost far less than what is lost, so the price cannot leave them out.
    """
    check = GuessAndCheck(sigma=12, query_sigma=24, value_sigma=1, cutoff=2, threshold=2, sensitivity=ONE)
    delta = 1e-3
    priced, decisions = (total([event]).epsilon(delta) for event in (check.event, check.technique.event))
    one_value = total([check.value_noise.hiding(Fraction(1))]).epsilon(delta)
    for exact, guess in ((0, 0), (1, 4)):
        left, right = (stage(check, x, guess, asks=2) for x in (exact, exact + 1))
        for one, other in ((left, right), (right, left)):
            assert delta_of(priced, one, other, 2) <= delta
            assert delta_of(one_value, one, other, 2) > delta
    assert decisions < one_value < priced


def test_the_price_of_numeric_checks_is_that_of_numeric_sparse() -> None:
    assert total([NUMERIC.event]).epsilon(0.0) == 4
    approximate = NumericCheck(epsilon=1, delta=1e-6, cutoff=40, threshold=400, sensitivity=ONE)
    assert total([approximate.event]).epsilon(1e-6) <= 1


def test_reals_are_checked_on_a_grid() -> None:
    for check in (
        NumericCheck(epsilon=4, cutoff=1, threshold=40, sensitivity=ONE, grid=Fraction(1, 4)),
        GuessAndCheck(
            sigma=1, query_sigma=2, value_sigma=1, cutoff=1, threshold=40, sensitivity=ONE, grid=Fraction(1, 4)
        ),
    ):
        run = check.start(bits=SeededBits(2))
        assert run.ask(Fraction(10), Fraction(41, 4)).value == 10.25
        measured = run.ask(Fraction(10), Fraction(2000))
        assert measured.measured
        assert float(4 * measured.value).is_integer()
        assert abs(measured.value - 10) <= check.error(1e-9, queries=4).alpha


def test_bad_parameters_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="value_sigma"):
        GuessAndCheck(sigma=8, query_sigma=16, value_sigma=0, threshold=4, sensitivity=ONE)
    with pytest.raises(InvalidParameter, match="epsilon"):
        NumericCheck(epsilon=0, threshold=4, sensitivity=ONE)
    with pytest.raises(InvalidParameter, match="queries"):
        NUMERIC.error(0.1, queries=0)
