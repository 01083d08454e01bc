"""Smooth sensitivity: the definition, both noise theorems audited as exact laws, and the variants that must fail."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy import special

from sfumato.accounting import events
from sfumato.core import Categories, Change, IntegerInterval, Neighbours
from sfumato.errors import InvalidParameter
from sfumato.exact.rounding import exp_down
from sfumato.mechanisms.order_statistic import Median
from sfumato.mechanisms.smooth import (
    ALLOWANCE,
    FLOOR,
    Measured,
    SmoothBound,
    SmoothSensitivity,
    local_sensitivity,
    smooth_sensitivity,
)
from sfumato.mechanisms.spanning_tree import SpanningTree
from sources import SeededBits
from statistics_of_samples import THRESHOLD, binomial, chi_square

REPLACE = Neighbours(Change.REPLACE)
M = 1000
BREACH = (0, 0, 0, 0, 0, M, M), (0, 0, 0, 0, M, M, M)  # the slides' two neighbours


@dataclass(frozen=True)
class Table:
    """A bound that is looked up: the data are the answer and its bound themselves."""

    grid: Any = None
    largest: int = 10**6
    rounding: Fraction = Fraction(0)
    neighbours: ClassVar[Neighbours] = REPLACE

    def measure(self, data: Any, beta: Any) -> Measured:
        return Measured(*data)


# --- local sensitivity ------------------------------------------------------------------------------------------


def spread(rows: tuple[int, ...]) -> int:
    return max(rows) - min(rows)


@pytest.mark.parametrize(
    ("salaries", "expected"),
    [
        ((50_000, 50_000, 20_000, 10_000, 60_000), 40_000),
        ((80_000, 50_000, 70_000, 15_000, 60_000), 35_000),  # errata B17: 15000, not 150000
        ((80_000, 60_000, 75_000, 100_000, 60_000), 50_000),
    ],
)
def test_the_slides_salary_tables_have_the_local_sensitivities_printed(
    salaries: tuple[int, ...], expected: int
) -> None:
    valid = Categories(tuple(range(10_000, 100_001, 1_000)))
    assert local_sensitivity(spread, salaries, valid, neighbours=REPLACE) == expected
    assert expected < 90_000  # the global sensitivity


def test_local_sensitivity_follows_the_neighbours_it_is_asked_for() -> None:
    bits = IntegerInterval(0, 1)
    histogram = lambda rows: [rows.count(0), rows.count(1)]  # noqa: E731
    assert local_sensitivity(histogram, (0, 1, 1), bits, neighbours=Neighbours()) == 1
    assert local_sensitivity(histogram, (0, 1, 1), bits, neighbours=REPLACE) == 2
    third = lambda rows: Fraction(sum(rows), 3)  # noqa: E731
    assert local_sensitivity(third, (0, 1, 1), bits, neighbours=REPLACE) == Fraction(1, 3)
    assert local_sensitivity(sum, (), bits, neighbours=REPLACE) == 0
    assert local_sensitivity(sum, (), bits, neighbours=Neighbours()) == 1


def test_local_sensitivity_refuses_rows_outside_the_domain_without_showing_them() -> None:
    with pytest.raises(InvalidParameter, match="rows must lie in the domain") as caught:
        local_sensitivity(spread, (1, 4242), IntegerInterval(0, 9), neighbours=REPLACE)
    assert "4242" not in str(caught.value)
    with pytest.raises(InvalidParameter, match="as many numbers"):
        local_sensitivity(lambda rows: list(rows), (1, 2), IntegerInterval(0, 9), neighbours=Neighbours())


# --- max over k of exp(-kβ)·A(k) --------------------------------------------------------------------------------


@pytest.mark.parametrize("beta", [2.0**-30, 1e-3, 0.5, 3, 100])
@pytest.mark.parametrize("local", [[0], [7], [0, 0, 5, 5, 10], list(range(200)), [1, 2**40], [0] * 3000 + [1]])
def test_smooth_sensitivity_is_the_maximum_rounded_up_by_a_hair(local: list[int], beta: float) -> None:
    got = smooth_sensitivity(local, beta=beta)
    at = min(beta, 8)  # a smaller β is always allowed
    exact = max(math.exp(-k * at) * a for k, a in enumerate(local))
    assert exact <= got <= max(FLOOR, exact * (1 + len(local) * 2.0**-36 + 2.0**-35))


def test_smooth_sensitivity_never_vanishes() -> None:
    assert smooth_sensitivity([0, 0], beta=1) == smooth_sensitivity([0] * 2000 + [1], beta=1) == FLOOR > 0


@pytest.mark.parametrize("local", [[], [3, 2], [-1, 2], [1, math.nan], [2**70]])
def test_smooth_sensitivity_refuses_what_is_no_sequence_of_local_sensitivities(local: list[Any]) -> None:
    with pytest.raises(InvalidParameter, match="at_distance"):
        smooth_sensitivity(local, beta=1)


@pytest.mark.parametrize("beta", [0, -1, math.nan, math.inf, 2.0**-31])
def test_a_beta_that_rounding_could_break_is_refused(beta: float) -> None:
    with pytest.raises(InvalidParameter, match="beta"):
        smooth_sensitivity([1], beta=beta)


def test_the_bound_as_printed_in_the_slides_does_not_make_a_bound_smooth() -> None:
    """Errata A9: S(D) ≤ e^β·LS(D) holds for S = LS, which is not smooth, and fails for the smooth sensitivity."""
    median, beta = Median(0, M), 0.1
    quiet, loud = (median.local_sensitivity(rows) for rows in BREACH)
    assert (quiet, loud) == (0, M)
    assert not loud <= math.exp(beta) * quiet  # S = LS passes the printed test for each D and breaks Definition 2.1
    smooth, other = (median.measure(rows, beta).smooth for rows in BREACH)
    assert smooth > math.exp(beta) * quiet
    assert other <= math.exp(beta) * smooth


# --- the laws of the two noises, and the auditor ----------------------------------------------------------------

Tail = Callable[[Any], Any]


def heavy_tail(gamma: float) -> Tail:
    """Pr[Z > z] for z ≥ 0 and density ∝ 1/(1 + |z|**γ): an incomplete beta function, from whichever end is near."""

    half = (math.pi / gamma) / math.sin(math.pi / gamma)  # the integral from 0 on

    def tail(z: Any) -> Any:
        log_m = -np.abs(np.log(np.maximum(z, 1e-300))) * gamma
        m = np.exp(np.maximum(log_m, -700))  # min(z, 1/z)**γ
        far = special.betainc(1 - 1 / gamma, 1 / gamma, m / (1 + m))
        near = np.where(log_m > -690, special.betainc(1 / gamma, 1 - 1 / gamma, m / (1 + m)), z / half)
        return np.where(z >= 1, far, 1 - near) / 2

    return tail


def laplace(z: Any) -> Any:
    return np.exp(-z) / 2


def between(tail: Tail, low: Any, high: Any) -> Any:
    """Pr[low < Z < high], taken on the side of zero where little cancels."""
    low, high = np.where(low + high < 0, -high, low), np.where(low + high < 0, -low, high)
    inside = tail(np.abs(low)) - tail(np.abs(high))
    return np.where(low < 0, 1 - tail(np.abs(low)) - tail(np.abs(high)), inside)


def tail_of(mechanism: SmoothSensitivity) -> Tail:
    return laplace if mechanism.delta else heavy_tail(float(mechanism.gamma))


def law(mechanism: SmoothSensitivity, data: Any, edges: Any, *, noise: float = 1) -> Any:
    """The probabilities of the outputs between the edges, and beyond the outer two."""
    value, smooth = mechanism.bound.measure(data, mechanism.beta)
    z = (edges - value) / (noise * max(FLOOR, smooth) * float(mechanism.factor))
    tail = tail_of(mechanism)
    outer = [
        np.where(z[0] < 0, tail(abs(z[0])), 1 - tail(abs(z[0]))),
        np.where(z[-1] > 0, tail(abs(z[-1])), 1 - tail(abs(z[-1]))),
    ]
    return np.concatenate([[outer[0]], between(tail, z[:-1], z[1:]), [outer[1]]])


def excess(p: Any, q: Any, epsilon: float) -> float:
    """The larger of the two hockey-stick divergences at ε: the δ that is really needed."""
    return max(float(np.maximum(a - math.exp(epsilon) * b, 0).sum()) for a, b in ((p, q), (q, p)))


def cells(scale: float) -> Any:
    """Edges fine near the answers and ever wider far out."""
    return np.concatenate(
        [-np.geomspace(1e4, 6, 400) * scale, np.linspace(-5.99, 5.99, 2400) * scale, np.geomspace(6, 1e4, 400) * scale]
    )


def worst(mechanism: SmoothSensitivity) -> list[tuple[Any, Any]]:
    """Neighbours as far apart as a β-smooth bound lets them be: answers a bound apart, bounds e^β apart."""
    s, s_low = 1e6, 1e6 * math.exp(-float(mechanism.beta))
    return [((0, s), (int(s_low), s_low)), ((0, s), (0, s_low)), ((0, s), (int(s), s))]


def log_density(mechanism: SmoothSensitivity, data: Any, at: Any, *, noise: float) -> Any:
    """ln of the density of the heavy-tailed release before rounding, up to a constant."""
    scale = noise * data[1] * float(mechanism.factor)
    far = np.log(np.maximum(np.abs(at - data[0]) / scale, 1e-300)) * float(mechanism.gamma)
    return -np.logaddexp(0, far) - math.log(scale)


def loss(mechanism: SmoothSensitivity, *, noise: float = 1) -> float:
    """The largest privacy loss of heavy-tailed noise between the worst neighbours."""
    at = cells(noise * 1e6 * float(mechanism.factor))
    return max(
        float(np.abs(log_density(mechanism, p, at, noise=noise) - log_density(mechanism, q, at, noise=noise)).max())
        for p, q in worst(mechanism)
    )


def needed(mechanism: SmoothSensitivity, *, noise: float = 1) -> float:
    """The δ that the worst neighbours need at ε."""
    edges = cells(noise * 1e6 * float(mechanism.factor))
    return max(
        excess(law(mechanism, p, edges, noise=noise), law(mechanism, q, edges, noise=noise), float(mechanism.epsilon))
        for p, q in worst(mechanism)
    )


@pytest.mark.parametrize("gamma", [1.5, 2, 4, 10, 100])
@pytest.mark.parametrize("epsilon", [0.1, 1, 8])
def test_heavy_tailed_noise_loses_no_more_than_epsilon_at_the_worst(gamma: float, epsilon: float) -> None:
    mechanism = SmoothSensitivity(bound=Table(), epsilon=epsilon, gamma=gamma)
    assert epsilon / 6 <= loss(mechanism) <= epsilon * (1 + 1e-9)  # the auditor sees much of the loss there may be


@pytest.mark.parametrize("delta", [1e-12, 1e-6, 1e-3, 0.1, 0.7, 0.95])
@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1, 5])
def test_laplace_noise_keeps_epsilon_and_delta_at_the_worst(epsilon: float, delta: float) -> None:
    mechanism = SmoothSensitivity(bound=Table(), epsilon=epsilon, delta=delta)
    assert needed(mechanism) <= delta


def test_half_the_noise_is_convicted() -> None:
    pure = SmoothSensitivity(bound=Table(), epsilon=1, gamma=100)
    assert loss(pure) <= 1
    assert loss(pure, noise=0.5) > 1.3
    approximate = SmoothSensitivity(bound=Table(), epsilon=1, delta=1e-6)
    assert needed(approximate) <= 1e-6
    assert needed(approximate, noise=0.5) > 1e-3


MECHANISMS = [
    pytest.param({"epsilon": 0.5}, id="heavy tail"),
    pytest.param({"epsilon": 2, "gamma": 2}, id="Cauchy"),
    pytest.param({"epsilon": 1, "delta": 1e-4}, id="Laplace"),
]


@pytest.mark.parametrize("parameters", MECHANISMS)
def test_the_private_median_keeps_its_price_on_all_neighbours(parameters: dict[str, Any]) -> None:
    """Whole-numbered outputs, cell by cell, over every pair of neighbouring databases of five values."""
    mechanism = SmoothSensitivity(bound=Median(0, 8), **parameters)
    edges = np.arange(-4000, 4001) - 0.5  # an output k is the rounding of everything within ½ of it
    laws = {rows: law(mechanism, rows, edges) for rows in combinations_with_replacement((0, 1, 4, 7, 8), 5)}
    epsilon, delta = float(mechanism.epsilon), float(mechanism.delta)
    for rows, p in laws.items():
        for other in {tuple(sorted((*rows[1:], new))) for new in (0, 1, 4, 7, 8)}:
            assert excess(p, laws[other], epsilon) <= delta + 1e-12  # type: ignore[index]


@pytest.mark.parametrize("parameters", MECHANISMS)
def test_noise_from_local_sensitivity_is_convicted_by_the_slides_breach(parameters: dict[str, Any]) -> None:
    median, edges = Median(0, M), np.arange(-60_000, 60_001, 5) - 0.5
    honest = SmoothSensitivity(bound=median, **parameters)
    naive = SmoothSensitivity(bound=Table(), **parameters)
    epsilon, delta = float(honest.epsilon), float(honest.delta)
    assert excess(*(law(honest, rows, edges) for rows in BREACH), epsilon) <= delta + 1e-12  # type: ignore[call-arg]
    local = [(median.value(rows), float(median.local_sensitivity(rows))) for rows in BREACH]
    assert excess(*(law(naive, data, edges) for data in local), epsilon) > 0.9  # type: ignore[call-arg]


@pytest.mark.parametrize("parameters", MECHANISMS)
def test_releases_follow_the_law_that_was_audited(parameters: dict[str, Any]) -> None:
    rows, bits = (2, 3, 3, 5, 8), SeededBits(11)
    mechanism = SmoothSensitivity(bound=Median(0, 8), **parameters)
    sample = [mechanism.release(rows, bits=bits) for _ in range(4000)]
    assert {type(answer) for answer in sample} == {int}
    edges, reach = np.arange(-4000, 4002) - 0.5, 200
    right, half = (law(mechanism, rows, edges, noise=noise)[1:-1] for noise in (1, 0.5))
    assert chi_square(sample, lambda k: float(right[k + 4000]), reach=reach) > THRESHOLD
    assert chi_square(sample, lambda k: float(half[k + 4000]), reach=reach) < THRESHOLD  # the test has power


def test_releases_on_a_grid_are_floats_on_it() -> None:
    mechanism = SmoothSensitivity(bound=Median(0, 8, Fraction(1, 4)), epsilon=1, delta=1e-3)
    answers = [mechanism.release([1.3, 2.2, 2.6], bits=SeededBits(seed)) for seed in range(50)]
    assert {type(answer) for answer in answers} == {float}
    assert all((4 * answer).is_integer() for answer in answers)  # type: ignore[union-attr]
    assert any(not answer.is_integer() for answer in answers)  # type: ignore[union-attr]


def test_tranquil_data_are_answered_almost_exactly() -> None:
    """2000 people agree: a neighbour of a neighbour of ... who does not is exp(-100) away."""
    mechanism = SmoothSensitivity(bound=Median(0, M), epsilon=1)
    assert [mechanism.release([500] * 2001, bits=SeededBits(seed)) for seed in range(20)] == [500] * 20


# --- price and accuracy -----------------------------------------------------------------------------------------


def test_the_price_is_the_theorems() -> None:
    pure = SmoothSensitivity(bound=Median(0, M), epsilon=0.5, gamma=4)
    assert pure.event == events.Pure(0.5)
    assert (pure.beta, pure.factor) == (Fraction(1, 20), 20)  # type: ignore[comparison-overlap]
    approximate = SmoothSensitivity(bound=Median(0, M), epsilon=0.5, delta=1e-6)
    assert approximate.event == events.Approximate(0.5, 1e-6)
    assert approximate.factor == 4
    assert float(approximate.beta) == pytest.approx(0.25 / math.log(2e6))
    assert approximate.beta <= Fraction(0.25 / math.log(2e6)) * (1 + Fraction(1, 2**50))


@pytest.mark.parametrize("beta", [0.9, 0.5, 0.05, 1e-3, 1e-9])
@pytest.mark.parametrize("gamma", [1.2, 2, 4, 10, 1000, None])
def test_the_error_is_exceeded_with_probability_beta_at_most_and_not_far_less(beta: float, gamma: float | None) -> None:
    kind = {"delta": 1e-6} if gamma is None else {"gamma": gamma}
    mechanism = SmoothSensitivity(bound=Table(largest=10**9), epsilon=1, **kind)
    alpha = mechanism.error(beta).alpha
    beyond = 2 * float(tail_of(mechanism)((alpha + 0.5) / (1e9 * float(mechanism.factor))))
    assert beyond <= beta
    tighter = 2 * float(tail_of(mechanism)(alpha / 1.7 / (1e9 * float(mechanism.factor))))
    assert tighter > beta  # an error 1.7 times smaller would be a lie


def test_releases_stay_within_the_error_for_a_known_smooth_bound() -> None:
    mechanism, bits = SmoothSensitivity(bound=Table(), epsilon=1), SeededBits(5)
    alpha = mechanism.error(0.1, smooth=50).alpha
    outside = sum(abs(mechanism.release((7, 50.0), bits=bits) - 7) > alpha for _ in range(3000))  # type: ignore[operator]
    assert outside / 3000 <= 0.1 or binomial(outside, 3000, 0.1) > THRESHOLD
    assert binomial(outside, 3000, 0.2) < THRESHOLD  # the test has power


def test_the_error_grows_with_the_bound_and_stops_at_the_global_sensitivity() -> None:
    mechanism = SmoothSensitivity(bound=Median(0, 100, 0.5), epsilon=1)
    errors = [mechanism.error(0.05, smooth=smooth).alpha for smooth in (0, 1, 10, 100, 1e6)]
    assert errors[0] == 0.25  # the placing on the grid alone
    assert errors == sorted(errors)
    assert errors[3] == errors[4] == mechanism.error(0.05).alpha


def test_an_error_beyond_all_floats_is_infinite() -> None:
    assert SmoothSensitivity(bound=Table(), epsilon=1, gamma=Fraction(33, 32)).error(1e-300).alpha == math.inf


# --- refusals ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"epsilon": 0}, "epsilon must be positive"),
        ({"epsilon": -1}, "epsilon must be positive"),
        ({"epsilon": math.nan}, "epsilon must be finite"),
        ({"epsilon": math.inf}, "epsilon must be finite"),
        ({"epsilon": 1e-9}, "epsilon must be between"),
        ({"epsilon": 10**300}, "epsilon must be between"),
        ({"epsilon": 1, "gamma": 1}, "gamma must be between"),
        ({"epsilon": 1, "gamma": math.nan}, "gamma must be finite"),
        ({"epsilon": 1, "delta": 1}, "delta must be above 0 and below 1"),
        ({"epsilon": 1, "delta": -0.1}, "delta must be between 0 and 1"),
        ({"epsilon": 1, "delta": math.nan}, "delta must be finite"),
        ({"epsilon": 8, "delta": 1e-6}, "epsilon is beyond what Laplace noise is proved for"),
        ({"epsilon": 1000, "delta": 0.5}, "epsilon is beyond what Laplace noise is proved for"),
    ],
)
def test_parameters_no_theorem_covers_are_refused(parameters: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidParameter, match=named):
        SmoothSensitivity(bound=Median(0, 1), **parameters)


def test_a_bound_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="bound must be a SmoothBound"):
        SmoothSensitivity(bound=5, epsilon=1)  # type: ignore[arg-type]


def test_laplace_noise_is_proved_up_to_five_for_every_delta() -> None:
    for exponent in range(1, 1000, 9):
        assert SmoothSensitivity(bound=Table(), epsilon=5, delta=Fraction(1, 2**exponent)).beta > 0
    for delta in np.linspace(0.01, 0.99, 99):
        assert SmoothSensitivity(bound=Table(), epsilon=5, delta=float(delta)).beta > 0


@pytest.mark.parametrize(("beta", "smooth"), [(0, None), (1, None), (math.nan, None), (0.5, -1), (0.5, math.nan)])
def test_an_error_is_asked_with_a_probability_and_a_bound(beta: float, smooth: float | None) -> None:
    with pytest.raises(InvalidParameter):
        SmoothSensitivity(bound=Median(0, 1), epsilon=1).error(beta, smooth=smooth)


def test_the_families_are_smooth_bounds() -> None:
    for bound in (Median(0, 9), SpanningTree((("a", "b"),), 9)):
        assert isinstance(bound, SmoothBound)
        assert bound.neighbours == REPLACE
        assert bound.largest == 9


def test_the_allowance_covers_the_rounding() -> None:
    """What is handed out lies between S and S·exp(ALLOWANCE), S being taken at β - ALLOWANCE."""
    assert Fraction(1 + 2.0**-37) * Fraction(1 + 2.0**-44) < Fraction(exp_down(ALLOWANCE))
