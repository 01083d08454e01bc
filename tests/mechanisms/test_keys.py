"""Unknown keys: the exact law of what is shown, audited on neighbours; broken variants must be convicted."""

import copy
import math
from collections import Counter
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
import pytest

from sfumato.accounting import events, total
from sfumato.errors import InvalidParameter
from sfumato.exact import output_law
from sfumato.mechanisms import keys as family
from sfumato.mechanisms.discrete_gaussian import gaussian_tail
from sfumato.mechanisms.keys import (
    GaussianKeys,
    KeySelection,
    LaplaceKeys,
    TruncatedGeometricKeys,
    best_key_selection,
)
from sfumato.mechanisms.thresholds import any_of, least
from sources import SeededBits
from statistics_of_samples import THRESHOLD, binomial, chi_square, discrete_gaussian, discrete_laplace

KINDS = (LaplaceKeys, TruncatedGeometricKeys, GaussianKeys)
ALLOWANCE = 1e-12
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


# ---- the law of a release, from the textbook and not from the mechanism -----------------------------------


def noise(mechanism: Any) -> Any:
    """The mass function of the noise, by its parameters alone."""
    scale = float(mechanism.keys_per_person / Fraction(mechanism.epsilon))
    if isinstance(mechanism, GaussianKeys):
        return discrete_gaussian(float(mechanism.sigma))
    if isinstance(mechanism, LaplaceKeys):
        return discrete_laplace(scale)
    bound = mechanism.bound
    whole = math.fsum(math.exp(-abs(z) / scale) for z in range(-bound, bound + 1))
    return lambda z: math.exp(-abs(z) / scale) / whole if abs(z) <= bound else 0.0


def law_of_key(mechanism: Any, people: Any, *, reach: Any = 120) -> Any:
    """The probabilities of: hidden, shown as threshold, threshold + 1, …, shown beyond; without people it is hidden."""
    if people == 0:
        return np.array([1.0] + [0.0] * (reach + 1))
    pmf = noise(mechanism)
    shown = [pmf(mechanism.threshold + i - people) for i in range(reach + 400)]
    return np.array([1 - math.fsum(shown), *shown[:reach], math.fsum(shown[reach:])])


def law(mechanism: Any, counts: Any) -> Any:
    """The joint law of independent keys, in the order of the counts."""
    reach = 120 if len(counts) < 3 else 60
    return reduce(np.multiply.outer, [law_of_key(mechanism, people, reach=reach) for people in counts]).ravel()


def hockey_stick(p: Any, q: Any, epsilon: Any) -> Any:
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum())


def worst(mechanism: Any, without: Any, person: Any, *, epsilon: Any = None) -> Any:
    """The larger of both directions of the hockey-stick when a person who holds some keys joins."""
    p, q = law(mechanism, without), law(mechanism, [n + held for n, held in zip(without, person, strict=True)])
    e = float(mechanism.epsilon) if epsilon is None else epsilon
    return max(hockey_stick(p, q, e), hockey_stick(q, p, e))


# counts without the person, and which of the keys the person holds
CASES = {
    1: [((0,), (1,)), ((1,), (1,)), ((7,), (1,)), ((60,), (1,)), ((0, 3), (1, 0)), ((5, 3), (0, 1))],
    2: [((0, 0), (1, 1)), ((0, 4), (1, 1)), ((3, 4), (1, 1)), ((1, 9), (1, 1)), ((0,), (1,)), ((50, 2), (1, 1))],
    3: [((0, 0, 0), (1, 1, 1)), ((0, 0), (1, 1))],
}
PARAMETERS = [(1.0, 0.05), (2.5, 0.01), (0.5, 0.2)]


@every_kind
@pytest.mark.parametrize(("epsilon", "delta"), PARAMETERS)
@pytest.mark.parametrize("held", [1, 2, 3])
def test_no_neighbours_are_told_apart_beyond_epsilon_and_delta(kind: Any, epsilon: Any, delta: Any, held: Any) -> None:
    mechanism = kind(epsilon=epsilon, delta=delta, keys_per_person=held)
    for without, person in CASES[held]:
        assert worst(mechanism, without, person) <= delta + ALLOWANCE


@every_kind
@pytest.mark.parametrize("held", [1, 2])
def test_the_event_covers_the_audited_loss_at_every_epsilon(kind: Any, held: Any) -> None:
    mechanism = kind(epsilon=1.0, delta=0.05, keys_per_person=held)
    for epsilon in (0.0, 0.25, 0.5, 0.9, 1.0, 1.3):
        promised = total([mechanism.event]).delta(epsilon)
        for without, person in CASES[held]:
            assert worst(mechanism, without, person, epsilon=epsilon) <= promised + ALLOWANCE


@every_kind
@pytest.mark.parametrize("held", [1, 2, 10, 300])
def test_the_event_costs_no_more_than_was_asked_for(kind: Any, held: Any) -> None:
    for epsilon, delta in ((1.0, 1e-6), (0.3, 1e-9), (4.0, 0.01)):
        mechanism = kind(epsilon=epsilon, delta=delta, keys_per_person=held)
        assert total([mechanism.event]).epsilon(delta) <= epsilon
        assert mechanism.lone_delta <= delta


def test_the_gaussian_price_of_very_many_keys_is_still_met() -> None:
    mechanism = GaussianKeys(epsilon=1, delta=1e-6, keys_per_person=20_000)
    assert total([mechanism.event]).epsilon(1e-6) <= 1
    assert mechanism.threshold < LaplaceKeys(epsilon=1, delta=1e-6, keys_per_person=20_000).threshold / 20


@every_kind
@pytest.mark.parametrize("held", [1, 2])
def test_a_lone_person_shows_exactly_as_often_as_reported(kind: Any, held: Any) -> None:
    mechanism = kind(epsilon=1.0, delta=0.05, keys_per_person=held)
    hidden = law(mechanism, [1] * held)[0]
    assert mechanism.lone_delta == pytest.approx(1 - hidden, rel=1e-10)
    assert worst(mechanism, [0] * held, [1] * held, epsilon=0.0) == pytest.approx(mechanism.lone_delta, rel=1e-10)


@pytest.mark.parametrize("kind", [LaplaceKeys, TruncatedGeometricKeys])
@pytest.mark.parametrize("held", [1, 2, 7])
def test_the_next_lower_threshold_would_betray_a_lone_person(kind: Any, held: Any) -> None:
    """The threshold is the least one: a > for its ≥ is not private."""
    mechanism = kind(epsilon=1.0, delta=0.05, keys_per_person=held)
    pmf, missing = noise(mechanism), mechanism.threshold - 2
    if kind is TruncatedGeometricKeys:
        lower = math.exp(-missing / held) / (1 + 2 * sum(math.exp(-z / held) for z in range(1, missing + 1)))
        assert held * lower > 0.05
    else:
        alone = math.fsum(pmf(z) for z in range(missing, missing + 2000))
        assert 1 - (1 - alone) ** held > 0.05


# ---- broken variants --------------------------------------------------------------------------------------


def with_threshold(mechanism: Any, threshold: Any) -> Any:
    broken = copy.copy(mechanism)
    object.__setattr__(broken, "threshold", threshold)
    return broken


@pytest.mark.parametrize("kind", [LaplaceKeys, TruncatedGeometricKeys])
@pytest.mark.parametrize(("epsilon", "delta"), PARAMETERS)
def test_a_threshold_that_forgets_the_mass_at_it_is_convicted(kind: Any, epsilon: Any, delta: Any) -> None:
    mechanism = kind(epsilon=epsilon, delta=delta)
    pmf = noise(mechanism)
    # The mistake: Pr[1 + Z > τ] ≤ δ is asked for, and keys at τ are shown all the same.
    forgetful = least(lambda tau: math.fsum(pmf(z) for z in range(tau, tau + 400)) <= delta, 2)
    assert forgetful == mechanism.threshold - 1
    assert worst(with_threshold(mechanism, forgetful), [0], [1]) > delta
    assert worst(mechanism, [0], [1]) <= delta + ALLOWANCE


def test_a_gaussian_threshold_that_forgets_the_mass_at_it_breaks_its_event() -> None:
    mechanism = GaussianKeys(epsilon=1.0, delta=0.05)
    broken = with_threshold(mechanism, mechanism.threshold - 1)
    (paid,) = [event.delta for event, _ in mechanism.event.parts if isinstance(event, events.Thresholded)]  # type: ignore[attr-defined]
    assert 1 - law(mechanism, [1])[0] <= paid + ALLOWANCE  # type: ignore[operator]
    assert 1 - law(broken, [1])[0] > paid


@every_kind
def test_a_delta_that_forgets_the_number_of_keys_is_convicted(kind: Any) -> None:
    mechanism = kind(epsilon=0.5, delta=0.05, keys_per_person=3)
    pmf, paid = noise(mechanism), mechanism.lone_delta if kind is GaussianKeys else 0.05
    # The mistake: one new key shows with probability δ, and a person brings three.
    forgetful = least(lambda tau: math.fsum(pmf(z) for z in range(tau - 1, tau + 400)) <= paid, 2)
    assert worst(mechanism, [0] * 3, [1] * 3, epsilon=0.0) <= paid + ALLOWANCE
    assert worst(with_threshold(mechanism, forgetful), [0] * 3, [1] * 3, epsilon=0.0) > paid
    if kind is not GaussianKeys:
        assert worst(with_threshold(mechanism, forgetful), [0] * 3, [1] * 3) > paid


def test_noise_of_one_key_used_for_all_is_convicted() -> None:
    class Broadcast(LaplaceKeys):
        def _draw(self, size: Any, bits: Any) -> Any:
            return np.repeat(super()._draw(1, bits), size)

    asked = {"epsilon": 1, "delta": 0.05}
    assert shown_p_value(LaplaceKeys(**asked), people=4) > THRESHOLD  # type: ignore[arg-type]
    assert shown_p_value(Broadcast(**asked), people=4) < THRESHOLD  # type: ignore[arg-type]
    # Why it matters: the difference of two keys of one person would be exact.
    released = Broadcast(**asked).release({"a": 100, "b": 90}, bits=SeededBits(1))  # type: ignore[arg-type]
    assert released["a"] - released["b"] == 10


def first_of_two(mechanism: Any, seeds: Any = 300) -> Any:
    """How often the key that came first in the data is shown first, of two with one count."""
    return sum(next(iter(mechanism.release({"a": 50, "b": 50}, bits=SeededBits(seed)))) == "a" for seed in range(seeds))


@every_kind
def test_the_order_of_the_data_is_not_seen(kind: Any) -> None:
    assert binomial(first_of_two(kind(epsilon=8, delta=0.01)), 300, 0.5) > THRESHOLD


def test_an_order_that_leaks_among_equal_counts_is_convicted(monkeypatch: Any) -> None:
    monkeypatch.setattr(family, "permutation", lambda n, *, bits: np.arange(n))
    assert binomial(first_of_two(LaplaceKeys(epsilon=8, delta=0.01)), 300, 0.5) < THRESHOLD


@every_kind
def test_larger_noisy_counts_come_first(kind: Any) -> None:
    released = kind(epsilon=1, delta=0.01).release({key: 30 + key % 7 for key in range(300)}, bits=SeededBits(2))
    assert len(released) > 100
    assert list(released.values()) == sorted(released.values(), reverse=True)


# ---- the implementation has that law ----------------------------------------------------------------------

MANY = 40_000


def shown_p_value(mechanism: Any, people: Any, *, chance: Any = None) -> Any:
    released = mechanism.release(dict.fromkeys(range(MANY), people), bits=SeededBits(people))
    return binomial(len(released), MANY, mechanism.chance(people) if chance is None else chance)


@every_kind
@pytest.mark.parametrize("held", [1, 3])
def test_keys_are_shown_as_often_as_chance_says(kind: Any, held: Any) -> None:
    mechanism = kind(epsilon=1, delta=0.05, keys_per_person=held)
    for people in (mechanism.threshold - 2, mechanism.threshold, mechanism.threshold + 2):
        assert shown_p_value(mechanism, people) > THRESHOLD
        # Power: the same test rejects the chance of one person more.
        assert shown_p_value(mechanism, people, chance=mechanism.chance(people + 1)) < THRESHOLD


@every_kind
def test_chance_is_the_mass_from_the_threshold_on(kind: Any) -> None:
    for held in (1, 4):
        mechanism = kind(epsilon=0.8, delta=1e-3, keys_per_person=held)
        for people in range(2 * mechanism.threshold + 3):
            hidden = law_of_key(mechanism, people)[0]
            assert mechanism.chance(people) == pytest.approx(1 - hidden, abs=1e-12)


@every_kind
def test_shown_counts_have_the_law_of_the_noise(kind: Any) -> None:
    mechanism = kind(epsilon=0.7, delta=0.05)
    people = mechanism.threshold
    released = mechanism.release(dict.fromkeys(range(MANY), people), bits=SeededBits(7))
    seen = [released.get(key, people - 1) - people for key in range(MANY)]  # hidden counts as one below
    pmf = noise(mechanism)
    hidden = law_of_key(mechanism, people)[0]
    assert chi_square(seen, lambda z: hidden if z == -1 else pmf(z) if z >= 0 else 0.0, reach=60) > THRESHOLD
    assert chi_square(seen, lambda z: hidden if z == -1 else pmf(z + 1) if z >= 0 else 0.0, reach=60) < THRESHOLD


@pytest.mark.parametrize("kind", [LaplaceKeys, TruncatedGeometricKeys])
def test_the_release_of_one_key_has_its_law_to_the_last_bit_of_the_source(kind: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(family, "permutation", lambda n, *, bits: np.arange(n))  # one key has one order
    mechanism = kind(epsilon=1, delta=0.2)
    people = mechanism.threshold - 1
    found = output_law(lambda bits: mechanism.release({"a": people}, bits=bits).get("a", 0), word_bits=4, runs=8000)
    assert found.unexplored < Fraction(1, 60)
    expected = law_of_key(mechanism, people)
    slack = Fraction(1, 10**12)
    for place, mass in enumerate(expected[:6].tolist()):
        outcome = 0 if place == 0 else mechanism.threshold + place - 1
        assert found.agrees(outcome, Fraction(mass) - slack, Fraction(mass) + slack)


def test_two_keys_of_a_person_get_independent_noise() -> None:
    mechanism = LaplaceKeys(epsilon=1, delta=0.05)
    people, pairs = mechanism.threshold, 4000
    seen = Counter(
        tuple(sorted(mechanism.release({"a": people, "b": people}, bits=SeededBits(seed)))) for seed in range(pairs)
    )
    both = mechanism.chance(people) ** 2
    assert binomial(seen["a", "b"], pairs, both) > THRESHOLD
    assert binomial(seen["a", "b"], pairs, mechanism.chance(people)) < THRESHOLD


# ---- optimality -------------------------------------------------------------------------------------------


def optimal(epsilon: Any, delta: Any, most: Any) -> Any:
    """The largest probabilities any (ε, δ) mechanism may show a key with (Desfontaines, Voss, Gipson, Mandayam 2022)."""
    found = [0.0]
    for _ in range(most):
        p = found[-1]
        found.append(min(math.exp(epsilon) * p + delta, 1 - math.exp(-epsilon) * (1 - p - delta), 1.0))
    return found


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("delta", [1e-9, 1e-5, 0.01, 0.2])
def test_truncated_geometric_never_beats_the_optimum_and_meets_it_where_delta_is_attained(
    epsilon: Any, delta: Any
) -> None:
    mechanism = TruncatedGeometricKeys(epsilon=epsilon, delta=delta)
    people = range(2 * mechanism.bound + 3)
    for n, best in zip(people, optimal(epsilon, delta, people[-1]), strict=True):
        assert mechanism.chance(n) <= best + ALLOWANCE
    attained = TruncatedGeometricKeys(epsilon=epsilon, delta=Fraction(mechanism.lone_delta))
    assert attained.bound == mechanism.bound
    for n, best in zip(people, optimal(epsilon, mechanism.lone_delta, people[-1]), strict=True):
        assert attained.chance(n) == pytest.approx(best, rel=1e-8, abs=1e-12)


def test_the_bound_is_the_closed_form() -> None:
    for epsilon in (0.03, 0.4, 1.0, 2.2):
        for delta in (1e-8, 1e-4, 0.03):
            e = math.exp(epsilon)
            closed = math.ceil(math.log((e - 1 + 2 * delta) / (delta * (e + 1))) / epsilon)
            assert TruncatedGeometricKeys(epsilon=epsilon, delta=delta).bound == closed


@every_kind
def test_no_mechanism_for_one_key_beats_the_optimum(kind: Any) -> None:
    mechanism = kind(epsilon=1, delta=0.01)
    for n, best in enumerate(optimal(1, 0.01, 40)):
        assert mechanism.chance(n) <= best + ALLOWANCE


def test_a_lower_threshold_would_beat_the_optimum() -> None:
    mechanism = TruncatedGeometricKeys(epsilon=1, delta=0.01)
    broken = with_threshold(mechanism, mechanism.bound)
    assert any(broken.chance(n) > best + ALLOWANCE for n, best in enumerate(optimal(1, 0.01, 40)))


# ---- numbers a user reads ---------------------------------------------------------------------------------


@every_kind
def test_people_for_is_the_least_number_that_reaches_the_probability(kind: Any) -> None:
    mechanism = kind(epsilon=1, delta=1e-4, keys_per_person=2)
    for probability in (1e-5, 0.1, 0.5, 0.9, 0.999):
        people = mechanism.people_for(probability)
        assert mechanism.chance(people) >= probability
        assert mechanism.chance(people - 1) < probability


@every_kind
def test_error_is_exceeded_with_probability_beta_and_is_the_least_such(kind: Any) -> None:
    mechanism = kind(epsilon=1, delta=1e-4, keys_per_person=2)
    pmf = noise(mechanism)
    for beta in (0.3, 0.05, 0.001):
        alpha = int(mechanism.error(beta).alpha)
        inside = math.fsum(pmf(z) for z in range(-alpha, alpha + 1))
        assert 1 - inside <= beta + ALLOWANCE
        assert alpha == 0 or 1 - inside + 2 * pmf(alpha) > beta


@pytest.mark.parametrize("sigma", [10_001.0, 123_456.7])
def test_the_tail_of_wide_gaussian_noise_is_rounded_up_and_close(sigma: Any) -> None:
    """The sum over millions of terms is the judge."""
    z = np.arange(1, int(12 * sigma), dtype=np.float64)
    terms = np.exp(-(z * z) / (2 * sigma * sigma))
    whole = 1 + 2 * terms.sum()
    for k in (1, 2, int(0.5 * sigma), int(sigma), int(sigma) + 1, int(2.5 * sigma), int(5 * sigma)):
        exact = terms[k - 1 :].sum() / whole
        computed = gaussian_tail(k, sigma)
        assert exact * (1 - 1e-13) <= computed <= exact * (1 + 2e-8)
        assert computed - exact <= 1e-9


def test_best_takes_the_fewest_people_and_the_gaussian_wins_for_many_keys() -> None:
    winners = {}
    for held in (1, 2, 3, 5, 20, 100):
        asked = {"epsilon": 1, "delta": 1e-6, "keys_per_person": held}
        best = best_key_selection(**asked)  # type: ignore[arg-type]
        assert best.people_for(0.5) == min(kind(**asked).people_for(0.5) for kind in KINDS)  # type: ignore[arg-type]
        winners[held] = type(best)
    assert winners[1] is winners[2] is TruncatedGeometricKeys
    assert winners[5] is winners[20] is winners[100] is GaussianKeys


def test_best_still_answers_where_gaussian_noise_has_no_price() -> None:
    asked = {"epsilon": 1e-12, "delta": 1e-12}
    with pytest.raises(InvalidParameter, match="epsilon"):
        GaussianKeys(**asked)  # type: ignore[arg-type]
    assert type(best_key_selection(**asked)) is TruncatedGeometricKeys  # type: ignore[arg-type]


@every_kind
def test_a_probability_too_small_for_floats_is_never_reported_as_zero(kind: Any) -> None:
    mechanism = kind(epsilon=10**6, delta=1e-6, keys_per_person=2)
    assert mechanism.lone_delta > 0
    assert mechanism.event.extra_delta() > 0
    assert any_of(0.0, 5) > 0


@every_kind
def test_huge_counts_and_no_counts_are_released(kind: Any) -> None:
    mechanism = kind(epsilon=1, delta=0.01)
    assert mechanism.release({}) == {}
    released = mechanism.release({"a": 10**30, "b": np.int64(10**6)}, bits=SeededBits(3))
    assert [type(value) for value in released.values()] == [int, int]
    assert abs(released["a"] - 10**30) < 100


# ---- refusals ---------------------------------------------------------------------------------------------


@every_kind
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("epsilon", 0), ("epsilon", -1), ("epsilon", math.nan), ("epsilon", math.inf), ("epsilon", "one"),
        ("delta", 0), ("delta", 1), ("delta", 1.5), ("delta", -1e-9), ("delta", math.nan), ("delta", Fraction(1, 2**1010)),
        ("keys_per_person", 0), ("keys_per_person", 1.5), ("keys_per_person", True),
    ],
)  # fmt: skip
def test_parameters_outside_the_theorem_are_refused(kind: Any, name: Any, value: Any) -> None:
    asked = {"epsilon": 1, "delta": 1e-6, "keys_per_person": 1} | {name: value}
    with pytest.raises(InvalidParameter, match=name):
        kind(**asked)
    with pytest.raises(InvalidParameter, match=name):
        best_key_selection(**asked)


@every_kind
@pytest.mark.parametrize("count", [-31337, 31337.0, math.nan, True, "31337", None, Fraction(31337, 2), np.bool_(1)])
def test_counts_that_are_not_of_people_are_refused_without_showing_key_or_count(kind: Any, count: Any) -> None:
    with pytest.raises(InvalidParameter, match="counts") as refusal:
        kind(epsilon=1, delta=0.01).release({"a secret": count})
    assert "secret" not in str(refusal.value)
    assert "31337" not in str(refusal.value)


def test_a_list_of_keys_is_refused_without_showing_one() -> None:
    with pytest.raises(InvalidParameter, match="counts") as refusal:
        LaplaceKeys(epsilon=1, delta=0.01).release(["a secret"])  # type: ignore[arg-type]
    assert "secret" not in str(refusal.value)


def test_questions_about_impossible_people_and_probabilities_are_refused() -> None:
    mechanism: KeySelection = LaplaceKeys(epsilon=1, delta=0.01)
    for call in (lambda: mechanism.chance(-1), lambda: mechanism.chance(1.5), lambda: mechanism.people_for(1)):  # type: ignore[arg-type]
        with pytest.raises(InvalidParameter):
            call()
    for beta in (0, 1, math.nan):
        with pytest.raises(InvalidParameter, match="beta"):
            mechanism.error(beta)
