"""Rényi and zero-concentrated privacy against divergences computed from their definition."""

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate, stats

from accounting_cases import rows
from sfumato.accounting import (
    ZCDPFilter,
    dp_to_rdp,
    dp_to_zcdp,
    events,
    gaussian,
    losslaw,
    rdp,
    rdp_to_dp,
    rdp_to_dp_improved,
    zcdp_to_dp,
)
from sfumato.core import Distribution, max_divergence

ORDERS = (1.1, 1.5, 2.0, 3.0, 8.0, 64.0)
Law = Sequence[float]


def divergence(p: Law, q: Law, alpha: float) -> float:
    """ln Σ q·(p/q)^α/(α - 1), by the definition."""
    logs = [alpha * math.log(a) + (1 - alpha) * math.log(b) for a, b in zip(p, q, strict=True) if a > 0]
    top = max(logs)
    return (top + math.log(math.fsum(math.exp(log - top) for log in logs))) / (alpha - 1)


def response(epsilon: float) -> tuple[Law, Law]:
    """Randomised response on two neighbours."""
    high = 1 / (1 + math.exp(-epsilon))
    return (high, math.exp(-epsilon) * high), (math.exp(-epsilon) * high, high)


def stick(p: Law, q: Law, epsilon: float) -> float:
    """Σ (p - e^ε·q)₊: the δ that is needed at ε."""
    return math.fsum(max(0.0, a - math.exp(epsilon) * b) for a, b in zip(p, q, strict=True))


PAIRS: list[tuple[Law, Law]] = [
    ((0.5, 0.3, 0.2), (0.2, 0.3, 0.5)),
    ((0.7, 0.2, 0.1), (0.1, 0.1, 0.8)),
    ((0.25, 0.25, 0.5), (0.3, 0.3, 0.4)),
    response(0.1),
    response(3.0),
]


# ---- the divergence --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("p", "q"), PAIRS)
@pytest.mark.parametrize("alpha", ORDERS)
def test_the_curve_of_a_loss_law_is_the_divergence_of_its_definition(p: Law, q: Law, alpha: float) -> None:
    laws = [losslaw.LossLaw(np.log(np.array(a) / np.array(b)), np.log(np.array(a))) for a, b in ((p, q), (q, p))]
    there, back = divergence(p, q, alpha), divergence(q, p, alpha)
    assert rdp.of_law(laws[:1], alpha) == pytest.approx(there, rel=1e-7, abs=1e-9)
    assert rdp.of_law(laws, alpha) == pytest.approx(max(there, back), rel=1e-7, abs=1e-9)
    assert rdp.of_law(laws, alpha) >= max(there, back) * (1 - 1e-12)


@pytest.mark.parametrize("alpha", ORDERS)
@pytest.mark.parametrize(("sigma", "moved"), [(1, 1), (3, 1), (2, 5)])
def test_the_gaussian_mechanism_has_the_rho_of_its_definition(sigma: int, moved: int, alpha: float) -> None:
    """N(0, Δ²/(2ρ)) noise: the divergence of two normals by quadrature is α·ρ with ρ = Δ²/(2σ²)."""
    top = -alpha * (alpha - 1) * moved**2 / (2 * sigma**2)  # the largest exponent, taken out

    def integrand(x: float) -> float:
        p, q = stats.norm.logpdf(x, 0, sigma), stats.norm.logpdf(x, moved, sigma)
        return math.exp(alpha * p + (1 - alpha) * q + top)

    peak = moved * (1 - alpha)
    area = integrate.quad(integrand, peak - 12 * sigma, peak + 12 * sigma, limit=300)[0]
    found = (math.log(area) - top) / (alpha - 1)
    event = events.Gaussian(sigma, moved)
    rho = event.zcdp()
    assert rho == Fraction(moved**2, 2 * sigma**2)
    assert Fraction(moved**2) / (2 * rho) == sigma**2
    assert alpha * float(rho) == pytest.approx(found, rel=1e-6)
    assert event.rdp(alpha) == pytest.approx(found, rel=1e-6)


@pytest.mark.parametrize(("p", "q"), PAIRS)
def test_a_box_of_one_order_promises_its_epsilon_there(p: Law, q: Law) -> None:
    for alpha in ORDERS:
        worst = max(divergence(p, q, alpha), divergence(q, p, alpha))
        box = events.Renyi(alpha, worst)
        assert worst <= box.rdp(alpha) <= worst * (1 + 1e-12)
        assert box.pure() is None
        assert box.zcdp() is None


@pytest.mark.parametrize(("p", "q"), PAIRS)
def test_the_divergence_grows_with_the_order_so_a_box_holds_at_smaller_orders_only(p: Law, q: Law) -> None:
    for alpha, other in itertools.product(ORDERS, repeat=2):
        box, there = events.Renyi(alpha, divergence(p, q, alpha)), divergence(p, q, other)
        assert box.rdp(other) >= there * (1 - 1e-12)
        if other <= alpha:
            assert box.rdp(other) < math.inf


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0, 3.0, 12.0])
def test_pure_privacy_is_what_renyi_privacy_becomes_at_order_infinity(epsilon: float) -> None:
    p, q = response(epsilon)
    exact = [Fraction(a) for a in p]
    laws = Distribution({0: exact[0], 1: 1 - exact[0]}), Distribution({1: exact[0], 0: 1 - exact[0]})
    assert max_divergence(*laws) == pytest.approx(epsilon, rel=1e-9)
    for alpha in (*ORDERS, 1e4, 1e7):
        found, true = dp_to_rdp(epsilon, alpha), divergence(p, q, alpha)
        assert true * (1 - 1e-9) <= found <= epsilon
        assert found <= true * (1 + 1e-6) + 1e-8
    assert dp_to_rdp(epsilon, 1e7) == pytest.approx(epsilon, rel=1e-4)


@pytest.mark.parametrize("epsilon", [0.001, 0.1, 1.0, 4.0, 20.0])
@pytest.mark.parametrize("alpha", ORDERS)
def test_the_curve_of_pure_privacy_is_that_of_randomised_response(epsilon: float, alpha: float) -> None:
    true = divergence(*response(epsilon), alpha)
    assert true * (1 - 1e-9) <= rdp.two_point(epsilon, alpha) <= true * (1 + 1e-6) + 1e-12


@pytest.mark.parametrize("alpha", ORDERS)
def test_curves_add_up_over_mechanisms_that_run_one_after_the_other(alpha: float) -> None:
    """Twice one response and once another: the divergence of all eight outcomes is the sum of three."""
    one, two = response(0.4), response(1.5)
    p, q = ([a * b * c for a, b, c in itertools.product(one[i], one[i], two[i])] for i in (0, 1))
    composed = events.Composition([(events.RandomizedResponse(0.4), 2), events.RandomizedResponse(1.5)])
    assert composed.rdp(alpha) == pytest.approx(divergence(p, q, alpha), rel=1e-9)


# ---- zero-concentrated privacy ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("rho", [0.005, 0.5, 2.0])
def test_a_rho_is_the_slope_of_a_line_that_the_gaussian_mechanism_lies_on(rho: float) -> None:
    for alpha in ORDERS:
        shift = math.sqrt(2 * rho)  # two unit normals that far apart
        p, q = (stats.norm.pdf(np.arange(-400, 401) / 20, m) / 20 for m in (0, shift))
        assert events.ZCDP(rho).rdp(alpha) == pytest.approx(alpha * rho, rel=1e-9)
        if (alpha - 1) * shift < 8:  # the grid holds the whole integral
            assert events.ZCDP(rho).rdp(alpha) == pytest.approx(divergence(p, q, alpha), rel=1e-6)


@pytest.mark.parametrize("sigmas", [(1, 2, 3), (5, 5, 5, 5), (Fraction(1, 2), 10)])
def test_rhos_add_up_to_the_rho_of_all_answers_together(sigmas: tuple[Fraction, ...]) -> None:
    """Independent normals in several coordinates: the squared distance, over twice the variance each, adds up."""
    spent = ZCDPFilter(100)
    for sigma in sigmas:
        spent = spent.spend(events.Gaussian(sigma))
    exact = sum(Fraction(1, 2) / Fraction(sigma) ** 2 for sigma in sigmas)
    assert spent.spent == exact
    assert spent.spend(events.ZCDP(Fraction(1, 7)), 3).spent == exact + Fraction(3, 7)
    assert spent.remaining == 100 - exact
    full = ZCDPFilter(exact).spend(events.ZCDP(exact))
    assert not full.admits(events.ZCDP(Fraction(1, 10**30)))


@pytest.mark.parametrize("k", [1, 2, 5])
def test_a_group_of_k_has_k_squared_rho(k: int) -> None:
    """Unit normals k apart, by quadrature: k² times the divergence of those one apart, and no less."""
    grid = np.arange(-600, 601) / 20
    near, far = (divergence(stats.norm.pdf(grid) / 20, stats.norm.pdf(grid, m) / 20, 2.0) for m in (1, k))
    event = events.Group(k, events.ZCDP(Fraction(1, 2)))
    assert 2 * float(event.zcdp() or 0) == pytest.approx(far, rel=1e-6)
    assert far == pytest.approx(k * k * near, rel=1e-6)


@pytest.mark.parametrize("epsilon", [0.01, 0.2, 1.0, 5.0])
def test_pure_privacy_lies_below_the_line_of_half_its_square(epsilon: float) -> None:
    """Randomised response never leaves the line α·ε²/2, and at small ε it lies on it."""
    rho = dp_to_zcdp(epsilon)
    for alpha in ORDERS:
        assert divergence(*response(epsilon), alpha) <= alpha * rho
    if epsilon <= 0.2:
        assert divergence(*response(epsilon), 1.1) >= 0.95 * 1.1 * rho
    assert events.Pure(epsilon).zcdp() == Fraction(str(epsilon)) ** 2 / 2


# ---- to (ε, δ) -------------------------------------------------------------------------------------------------------


def unlikely(delta: float, gap: float) -> tuple[Law, Law]:
    """An outcome of probability 2δ that a neighbour has with e^-gap of it: as bad as one order lets a pair be."""
    return (2 * delta, 1 - 2 * delta), (2 * delta * math.exp(-gap), 1 - 2 * delta * math.exp(-gap))


Conversion = Callable[[float, float, float], float]


@pytest.mark.parametrize("convert", [rdp_to_dp, rdp_to_dp_improved])
def test_a_bound_at_one_order_is_an_epsilon_at_every_delta(convert: Conversion) -> None:
    nearest = math.inf
    for alpha, delta, gap in itertools.product((1.5, 2.0, 4.0), (1e-8, 1e-4, 1e-2), (1.0, 4.0, 12.0, 25.0)):
        for p, q in (unlikely(delta, gap), *PAIRS):
            epsilon = convert(alpha, divergence(p, q, alpha), delta)
            assert stick(p, q, epsilon) <= delta * (1 + 1e-9)
            needed = math.log(p[0] / 2 / q[0])  # where the unlikely outcome leaves δ
            nearest = min(nearest, epsilon - needed) if len(p) == 2 and needed > 8 else nearest
    assert nearest < 2.5  # of an ε of ten and more: some pair comes near


@pytest.mark.parametrize("name", ["gauss1_k1", "gauss10_k100", "gauss50_k1000"])
def test_gaussians_cost_what_the_reference_table_says_by_the_theorem(name: str) -> None:
    """The least of ε(α) + ln(1/δ)/(α - 1) over the usual orders, six digits of another implementation."""
    rho = {"gauss1_k1": 0.5, "gauss10_k100": 0.5, "gauss50_k1000": 0.2}[name]
    row = next(row for row in rows() if row["id"] == name)
    found = min(rdp_to_dp(alpha, alpha * rho, float(row["delta"])) for alpha in rdp.STANDARD_ORDERS)
    assert found == pytest.approx(float(row["rdp_seed_theorem_8_8"]), rel=4e-4)
    assert gaussian.delta(found, math.sqrt(2 * rho)) <= float(row["delta"])


@pytest.mark.parametrize("rho", [1e-3, 0.05, 0.5, 5.0, 50.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-6, 1e-2])
def test_a_rho_is_an_epsilon_at_every_delta(rho: float, delta: float) -> None:
    """The Gaussian mechanism of that ρ meets it, and needs more than six tenths of it at a small δ."""
    epsilon = zcdp_to_dp(rho, delta)
    assert gaussian.delta(epsilon, math.sqrt(2 * rho)) <= delta
    assert gaussian.delta(0.6 * epsilon, math.sqrt(2 * rho)) > delta or delta == 1e-2
