"""Lemma 9.4, Theorem 9.3 and the bounds of Theorem 9.6: against exact moments, the inequalities, and each other."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from sfumato.core import Change, Neighbours
from sfumato.errors import InvalidParameter
from sfumato.synth import (
    ApproximateLimit,
    ConcentratedLimit,
    NoiseMoments,
    PrivacyLimit,
    PureLimit,
    clipped_bounds,
    filled_bounds,
    gaussian_moments,
    geometric_moments,
    laplace_moments,
    least_point_error,
    least_sum_error,
    truncated_geometric_moments,
)
from statistics_of_samples import discrete_gaussian, discrete_laplace

COUNTS = (1, 2, 10, 1000, 10**6)


def of_discrete(pmf: Callable[[int], float], count: int, reach: int) -> tuple[float, float, float, float]:
    """E[y²], E|y|, E[max |y|], E[max y²] of symmetric whole numbers, term by term."""
    masses = np.array([pmf(k) for k in range(reach + 1)])
    sizes = np.append(masses[0], 2 * masses[1:])  # Pr[|y| = k]
    tails = np.cumsum(sizes[::-1])[::-1]  # Pr[|y| ≥ k]
    largest = -np.expm1(count * np.log1p(-np.minimum(tails[1:], 1 - 1e-16)))  # Pr[max ≥ k], k = 1, 2, …
    k = np.arange(1, reach + 1)
    squares = float((sizes * np.arange(reach + 1) ** 2).sum())
    return squares, float((sizes[1:] * k).sum()), float(largest.sum()), float(((2 * k - 1) * largest).sum())


def of_continuous(survival: Callable[[float], float], count: int, reach: float) -> tuple[float, float, float, float]:
    """The same for a continuous law, from Pr[|y| > t]."""

    def largest(t: float) -> float:
        return -math.expm1(count * math.log1p(-min(survival(t), 1 - 1e-16)))

    def integral(of: Callable[[float], float]) -> float:
        return float(integrate.quad(of, 0, reach, limit=500)[0])

    return (
        integral(lambda t: 2 * t * survival(t)), integral(survival),
        integral(largest), integral(lambda t: 2 * t * largest(t)),
    )  # fmt: skip


LAWS: dict[str, tuple[Callable[[int], NoiseMoments], Callable[[int], tuple[float, float, float, float]], float]] = {
    "Laplace": (
        lambda d: laplace_moments(d, scale=3),
        lambda d: of_continuous(lambda t: math.exp(-t / 3), d, 200),
        1.25,
    ),
    "Gaussian": (
        lambda d: gaussian_moments(d, sigma=3),
        lambda d: of_continuous(lambda t: 2 * stats.norm.sf(t / 3), d, 60),
        2.2,
    ),
    "double geometric": (
        lambda d: geometric_moments(d, scale=3),
        lambda d: of_discrete(discrete_laplace(3), d, 400),
        1.25,
    ),
    "double geometric, narrow": (
        lambda d: geometric_moments(d, scale=0.25),
        lambda d: of_discrete(discrete_laplace(0.25), d, 100),
        4,
    ),
    "discrete Gaussian": (
        lambda d: gaussian_moments(d, sigma=3),
        lambda d: of_discrete(discrete_gaussian(3), d, 120),
        2.2,
    ),
}


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("law", LAWS)
def test_the_eight_facts_are_not_below_the_truth_nor_far_above(law: str, count: int) -> None:
    """Survey Lemma 9.4, errata B4: E[max y²] ≤ (ln² d + 2 ln d + 2)/ε², not (ln d + 2 ln d + 2)/ε²."""
    bounds, exact, loose = LAWS[law]
    said = bounds(count)
    for bound, truth in zip((said.square, said.size, said.largest, said.largest_square), exact(count), strict=True):
        assert truth * (1 - 1e-6) <= bound
    square, size, largest, largest_square = exact(count)
    assert said.square <= square * (1 + 1e-6)
    assert said.size <= size * 1.3
    if count >= 10:
        assert said.largest <= largest * loose
        assert said.largest_square <= largest_square * loose


def test_the_printed_bound_of_the_largest_square_is_below_the_truth() -> None:
    truth = of_continuous(lambda t: math.exp(-t), 1000, 80)[3]
    assert truth == pytest.approx(57.7, abs=0.1)
    assert math.log(1000) + 2 * math.log(1000) + 2 < truth / 2


def test_truncated_noise_is_never_beyond_its_bound() -> None:
    said = truncated_geometric_moments(10**9, scale=2, bound=29)
    assert (said.largest, said.largest_square) == (29, 29**2)
    assert said.square == geometric_moments(10**9, scale=2).square
    few = truncated_geometric_moments(10, scale=2, bound=29)
    assert few.largest == geometric_moments(10, scale=2).largest < 29


def test_wide_noise_keeps_its_bounds() -> None:
    said = geometric_moments(1000, scale=10**20)
    like = laplace_moments(1000, scale=10**20)
    assert said.square == pytest.approx(like.square, rel=1e-6)
    assert like.largest * 0.9 < said.largest
    assert like.largest_square * 0.8 < said.largest_square


# ---- upper bounds ----


@pytest.mark.parametrize("count", [1, 200])
def test_the_bounds_of_points_and_sum_are_those_of_the_proof(count: int) -> None:
    """E(|y*| + 2·max |y|)² for points and E[y*²] for the sum, from exact moments (Survey Theorem 9.6, errata B5)."""
    square, size, largest, largest_square = of_discrete(discrete_laplace(2), count, 400)
    said = filled_bounds(geometric_moments(count, scale=2))
    exact = square + 4 * size * largest + 4 * largest_square
    assert exact * (1 - 1e-9) <= said.point <= exact * 1.25
    assert said.sum == pytest.approx(square)
    clipped = clipped_bounds(count, geometric_moments(count, scale=2))
    assert clipped.point == pytest.approx(square)
    assert clipped.sum == pytest.approx(count**2 * square)


# ---- lower bounds ----


def pure(c: float, d: float, k: Any, *, points: int, epsilon: float) -> Any:
    """The theorem's inequality for ε: e^(2ε(2C + k)) ≥ k(d - 1)/(16C + 8D + 4k), in logarithms."""
    return 2 * epsilon * (2 * c + k) >= np.log(k * (points - 1) / (16 * c + 8 * d + 4 * k))


def approximate(c: float, d: float, k: Any, *, points: int, epsilon: float, delta: float) -> Any:
    """That for (ε, δ): (δ/ε + (4C + 2D + k)/(k(d - 1)))·e^(4εC + 2kε) ≥ ¼."""
    likely = delta / epsilon + (4 * c + 2 * d + k) / (k * (points - 1))
    return np.log(likely) + 4 * epsilon * c + 2 * k * epsilon >= math.log(1 / 4)


def concentrated(c: float, d: float, k: Any, *, points: int, rho: float) -> Any:
    """That for ρ: k(d - 1)/(4C + 2D + k) ≤ exp((2√ρ(2C + k) + √ln 4)²)."""
    right = (2 * math.sqrt(rho) * (2 * c + k) + math.sqrt(math.log(4))) ** 2
    return np.log(k * (points - 1) / (4 * c + 2 * d + k)) <= right


def allowed(inequality: Callable[..., Any], c: float, d: float, **more: Any) -> bool:
    """Whether it holds for every k that makes 2C + k a whole number."""
    moved = np.arange(math.floor(2 * c) + 1, math.floor(2 * c) + 5000)
    return bool(np.all(inequality(c, d, moved - 2 * c, **more)))


CURRENCIES: list[tuple[PrivacyLimit, Callable[..., Any], dict[str, float]]] = [
    (PureLimit(1), pure, {"epsilon": 1}),
    (PureLimit("0.1"), pure, {"epsilon": 0.1}),
    (PureLimit(0.01), pure, {"epsilon": 0.01}),
    (ApproximateLimit(0.1, 1e-6), approximate, {"epsilon": 0.1, "delta": 1e-6}),
    (ApproximateLimit(1, 1e-3), approximate, {"epsilon": 1, "delta": 1e-3}),
    (ConcentratedLimit(0.5), concentrated, {"rho": 0.5}),
    (ConcentratedLimit(0.005), concentrated, {"rho": 0.005}),
]


@pytest.mark.parametrize("points", [50, 1000, 10**6, 10**12])
@pytest.mark.parametrize(("limit", "inequality", "more"), CURRENCIES[:1] + CURRENCIES[2:])
def test_lower_bounds_are_where_the_inequality_of_the_theorem_turns(
    limit: PrivacyLimit, inequality: Callable[..., Any], more: dict[str, float], points: int
) -> None:
    """Survey Theorem 9.3 solved for C, and for D: a little below it is broken, a little above it holds."""
    for given in (0.0, 3.0, 40.0):
        least = least_point_error(points=points, sum_error=given, limit=limit)
        assert least == 0 or not allowed(inequality, least * (1 - 1e-9), given, points=points, **more)
        assert allowed(inequality, least * (1 + 1e-9) + 1e-12, given, points=points, **more)
        least = least_sum_error(points=points, point_error=given, limit=limit)
        assert least == 0 or not allowed(inequality, given, least * (1 - 1e-9), points=points, **more)
        assert allowed(inequality, given, least * (1 + 1e-9) + 1e-12, points=points, **more)


@pytest.mark.parametrize(("points", "total"), [(10**6, 300), (10**9, 1000), (10**12, 2000)])
def test_the_corrected_corollaries_follow_from_whole_records(points: int, total: int) -> None:
    """At small ε whole records do not matter: errata E4 (a 2 that is not printed) and B8 (if D ≤ C, (d - 1)/28)."""
    epsilon, limit = 0.01, PureLimit(0.01)
    corollary = (math.log((points - 1) / (24 * epsilon * total + 4)) - 2) / (4 * epsilon)
    least = least_point_error(points=points, sum_error=total, limit=limit)
    if corollary <= total:
        assert least >= corollary * 0.999
    # if D ≤ C then 6εC ≥ ln((d - 1)/28)
    equal = math.log((points - 1) / 28) / (6 * epsilon)
    assert not allowed(pure, equal * 0.999, equal * 0.999, points=points, epsilon=epsilon)
    assert least_point_error(points=points, sum_error=equal * 0.999, limit=limit) >= equal * 0.999


def test_the_inequality_is_false_for_parts_of_a_record() -> None:
    """As printed it is for every k > 0. At ε = 10 clipping has less error than that allows, and more than ours does."""
    epsilon, points = 10, 10_000
    r = math.exp(-epsilon)
    one, bias = 2 * r / (1 - r) ** 2, r / (1 - r * r)  # E[y²] and E[max(0, y)]
    c, d = math.sqrt(one), math.sqrt(points * one + (points * bias) ** 2)  # for every database: bias falls with counts
    assert not pure(c, d, 0.1, points=points, epsilon=epsilon)
    assert allowed(pure, c, d, points=points, epsilon=epsilon)
    assert least_point_error(points=points, sum_error=d, limit=PureLimit(epsilon)) <= c
    assert least_sum_error(points=points, point_error=c, limit=PureLimit(epsilon)) <= d


@pytest.mark.parametrize("points", [100, 10**4, 10**8])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_no_lower_bound_is_above_an_upper_bound(points: int, epsilon: float) -> None:
    limit = PureLimit(epsilon)
    filled = filled_bounds(geometric_moments(points, scale=2 / epsilon))
    clipped = clipped_bounds(points, geometric_moments(points, scale=1 / epsilon))
    assert least_point_error(points=points, sum_error=math.sqrt(filled.sum), limit=limit) <= math.sqrt(filled.point)
    assert least_sum_error(points=points, point_error=math.sqrt(clipped.point), limit=limit) <= math.sqrt(clipped.sum)


def test_the_uncertainty_principle_grows_as_it_should() -> None:
    """C as ln d where D is held, D as d where C is held, in all currencies but for what δ allows."""
    for limit, unit in ((PureLimit(0.1), 5.0), (ConcentratedLimit(0.005), 5.0)):
        points = [least_point_error(points=10**k, sum_error=unit, limit=limit) for k in (4, 8, 12)]
        assert points[0] < points[1] < points[2]
        sums = [least_sum_error(points=10**k, point_error=unit, limit=limit) for k in (12, 14, 16)]
        assert sums[2] / sums[1] == pytest.approx(100, rel=0.1)
    with_delta = [least_point_error(points=10**k, sum_error=10, limit=ApproximateLimit(0.1, 1e-6)) for k in (9, 12, 15)]
    assert with_delta[2] == pytest.approx(with_delta[1], rel=0.01), "ln(ε/δ) is where it ends"


def test_what_a_promise_says_of_distant_events_is_true_and_nearly_tight() -> None:
    for steps in (1, 4, 20, 60):
        tail = float(stats.laplace.sf(math.log(2) + steps * 0.5))  # the event with ¼ at a distance of `steps`, ε = ½
        assert float(PureLimit(0.5).least(steps)) == pytest.approx(tail)
        assert float(PureLimit(0.5).least(steps)) <= tail * (1 + 1e-12)
        sigma = 1 / math.sqrt(2 * 0.02)
        here = stats.norm.logsf(stats.norm.isf(1 / 4) + steps / sigma)
        said = math.log(ConcentratedLimit(0.02).least(steps))
        assert 4 * here - 2 <= said <= here
        group = (math.exp(0.5 * steps) - 1) / (math.exp(0.5) - 1)  # δ of a group (errata A13)
        assert float(ApproximateLimit(0.5, 1e-9).least(steps)) <= math.exp(-0.5 * steps) * (0.25 - group * 1e-9)
    assert float(ApproximateLimit(0.5, 1e-3).least(1)) == pytest.approx(math.exp(-0.5) / 4 - 2e-3)


def test_replacing_a_record_is_one_step_and_adding_and_removing_two() -> None:
    replaced = Neighbours(Change.REPLACE)
    half, whole = PureLimit(0.5), PureLimit(1)
    assert least_point_error(points=10**6, sum_error=3, limit=whole, neighbours=replaced) == least_point_error(
        points=10**6, sum_error=3, limit=half
    )
    assert least_sum_error(points=10**6, point_error=2, limit=whole, neighbours=replaced) == least_sum_error(
        points=10**6, point_error=2, limit=half
    )


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: least_point_error(points=1, sum_error=1, limit=PureLimit(1)), "points must be at least 2"),
        (lambda: least_sum_error(points=9, point_error=-1, limit=PureLimit(1)), "point_error must not be negative"),
        (lambda: least_point_error(points=9, sum_error=1, limit=PureLimit(0)), "epsilon must be positive"),
        (lambda: least_point_error(points=9, sum_error=1, limit=ApproximateLimit(1, 2)), "delta must be above 0"),
        (lambda: least_point_error(points=9, sum_error=1, limit=ConcentratedLimit(-1)), "rho must be positive"),
        (lambda: laplace_moments(0, scale=1), "count must be at least 1"),
    ],
)
def test_what_makes_no_sense_is_refused(call: Callable[[], float], says: str) -> None:
    with pytest.raises(InvalidParameter, match=says):
        call()
