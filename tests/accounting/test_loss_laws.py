"""Every loss law is a law: its masses add up to one and E[e^-L] is what Q has where P is, at every ε and rate."""

import itertools
import math

import mpmath
import numpy as np
import pytest

from sfumato.accounting import events as e
from sfumato.accounting import lattice, losslaw, optimal_delta, pld, total
from sfumato.accounting.losslaw import LossLaw

EPSILONS = (1e-12, 1e-6, 1e-3, 0.1, 1, 5, 20, 26, 30, 36, 37, 40, 100, 300, 700, 745, 800, 2000, 1e4)
RATES = (1e-300, 1e-12, 1e-6, 1e-3, 0.1, 0.5, 1 - 1e-12)


def adds_up(law: LossLaw, *, rel: float, q_has: float = 1.0) -> None:
    """Both sums are exact but for the roundings of large logarithms and a quadrature of 2**-43."""
    losses, logs = law.log_nodes(60.0)
    for weights, whole in ((logs, 1 - law.infinite), (logs - losses, q_has)):
        top = weights.max()
        assert math.exp(top) * float(np.exp(weights - top).sum()) == pytest.approx(whole, rel=rel)


def plain_laws(epsilon: float) -> list[tuple[LossLaw, float]]:
    """Laws at an ε, each with what Q has where P is."""
    found = [
        (losslaw.two_point(epsilon), 1.0),
        (losslaw.two_point(epsilon, 1e-6), 1 - 1e-6),
        (losslaw.laplace(epsilon), 1.0),
    ]
    found += [(losslaw.categorical(epsilon, k), 1.0) for k in (2, 3, 100)]
    found += [(losslaw.geometric(epsilon, k), 1.0) for k in (1, 2, 17)]
    if epsilon <= 40:
        found.append((losslaw.gaussian(epsilon), 1.0))
    if 0.1 <= epsilon <= 100:
        alone = math.exp(-epsilon * 4) / (1 + math.exp(-epsilon))
        found.append((losslaw.censored_geometric(epsilon, 4), 1 - alone))
    return found


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_masses_add_up_to_one_on_both_sides(epsilon: float) -> None:
    for law, q_has in plain_laws(epsilon):
        adds_up(law, rel=1e-11 + 1e-15 * epsilon, q_has=q_has)


@pytest.mark.parametrize("sigma", [0.06, 0.5, 1, 30, 1900])
def test_discrete_gaussian_masses_add_up_to_one(sigma: float) -> None:
    adds_up(losslaw.discrete_gaussian(sigma, 1), rel=1e-10)


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_subsampled_masses_add_up_to_one_in_both_directions(epsilon: float, rate: float) -> None:
    for law, q_has in plain_laws(epsilon):
        if q_has == 1:
            for removal in (True, False):
                adds_up(law.subsampled(rate, removal=removal), rel=1e-10 + 1e-14 * epsilon)


def test_a_mass_that_was_rounded_to_zero_would_be_missed() -> None:
    """The old law of randomised response at ε = 37, subsampled: nearly all of its mass was gone."""
    up = 1 / (1 + math.exp(-37.0))
    with np.errstate(divide="ignore"):
        old = LossLaw(np.array([37.0, -37.0]), np.log(np.array([up, 1 - up])))
    with pytest.raises(AssertionError):
        adds_up(old.subsampled(1e-3, removal=True), rel=1e-3)
    adds_up(losslaw.two_point(37.0).subsampled(1e-3, removal=True), rel=1e-12)


def test_where_p_alone_can_be_the_mixture_can_be_as_well() -> None:
    law = LossLaw(np.array([1.0, -1.0]), np.log(np.array([0.6, 0.3])), infinite=0.1)
    added = law.subsampled(0.25, removal=False)
    losses, logs = added.atoms()
    assert added.infinite == 0
    assert losses[-1] == pytest.approx(-math.log(0.75))
    assert math.exp(logs[-1]) == pytest.approx(0.1)


# ---- prices against exact ones ------------------------------------------------------------------------------


def two_point_truth(q: str | float, epsilon: str | float, n: int, epsilon_total: float) -> float:
    """δ of n subsampled ε-private answers, in 60 digits, as the larger of both directions."""
    with mpmath.workdps(60):
        rate, e0, at = mpmath.mpf(q), mpmath.mpf(epsilon), mpmath.mpf(epsilon_total)
        p, other = 1 / (1 + mpmath.exp(-e0)), mpmath.exp(-e0) / (1 + mpmath.exp(-e0))
        found = []
        for first, second in (((p, other), (other, p)), ((other, p), (p, other))):
            mixed = [(1 - rate) * s + rate * f for f, s in zip(first, second, strict=True)]
            for a, b in ((mixed, second), (second, mixed)):
                found.append(
                    sum(
                        mpmath.binomial(n, i)
                        * max(0, a[0] ** i * a[1] ** (n - i) - mpmath.exp(at) * b[0] ** i * b[1] ** (n - i))
                        for i in range(n + 1)
                    )
                )
        return float(max(found))


@pytest.mark.parametrize("kind", [e.Pure, e.RandomizedResponse, e.Geometric])
@pytest.mark.parametrize(
    ("q", "epsilon", "n", "delta"),
    [("0.001", "36", 50, 0.01), ("0.001", "37", 50, 0.01), ("0.001", "26", 200, 1e-5), ("0.3", "100", 20, 1e-6), ("1e-6", "700", 30, 1e-8), ("0.01", "0.5", 100, 1e-6), ("0.5", "40", 3, 0.2), ("1e-9", "30", 10, 1e-12)],
)  # fmt: skip
def test_subsampled_randomised_response_is_priced_at_what_it_costs(
    kind: type[e.Event], q: str, epsilon: str, n: int, delta: float
) -> None:
    from fractions import Fraction

    loss = total([(e.Subsampled(Fraction(q), kind(Fraction(epsilon))), n)])  # type: ignore[call-arg]
    found, certain = loss.epsilon(delta), loss.lower_epsilon(delta)
    assert two_point_truth(q, epsilon, n, found) <= delta * (1 + 1e-9)
    assert two_point_truth(q, epsilon, n, found * 0.9999 - 1e-9) > delta or found < 1e-6
    assert certain <= found
    assert certain >= 0.995 * found - 1e-6
    assert two_point_truth(q, epsilon, n, certain) >= delta * (1 - 1e-9) or certain == 0


def test_the_price_that_was_too_low_without_bound() -> None:
    loss = total([(e.Subsampled(1e-3, e.Pure(36)), 50)])
    assert loss.epsilon(0.01) == pytest.approx(28.8385, rel=1e-5)  # it was 0.0437
    assert total([(e.Subsampled(1e-6, e.Laplace(800)), 1000)]).epsilon(1e-4) == pytest.approx(785.974, rel=1e-5)


def laplace_truth(q: float, epsilon: float, epsilon_total: float) -> float:
    """δ of one subsampled Laplace answer when a person is removed, by its closed form in logarithms."""
    # P' = qP + (1-q)Q against Q: δ = q·E_P[(1 - e^(x0 - x))+] with e^x0 = 1 + (e^ε - 1)/q
    start = math.log1p(math.expm1(epsilon_total) / q) if epsilon_total < 600 else epsilon_total - math.log(q)
    if start >= epsilon:
        return 0.0
    return q * -math.expm1((start - epsilon) / 2)


LONG = [(1e-6, 40, 1e-3), (1e-3, 40, 1e-3), (0.2, 40, 1e-3), (0.2, 5000, 0.1), (0.2, 5000, 1e-3)]
"""The finest lattices, at up to thirteen seconds each."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("q", "epsilon", "share"),
    [
        pytest.param(*case, marks=[pytest.mark.torture] if case in LONG else [])
        for case in itertools.product([1e-6, 1e-3, 0.2], [0.5, 5, 40, 200, 800, 5000], [0.9, 0.1, 1e-3])
    ],
)
def test_one_subsampled_laplace_answer_is_priced_at_what_it_costs(q: float, epsilon: float, share: float) -> None:
    delta = q * share
    found = total([e.Subsampled(q, e.Laplace(epsilon))]).epsilon(delta)
    assert laplace_truth(q, epsilon, found) <= delta * (1 + 1e-9)
    assert found <= 1e-9 or laplace_truth(q, epsilon, found * 0.9995 - 1e-9) >= delta * (1 - 1e-9)


@pytest.mark.parametrize(
    ("epsilon", "n", "delta", "tight"), [(1, 10_000, 1e-6, 4060.8), (0.5, 40_000, 1e-9, None), (3, 3000, 1e-6, None)]
)
def test_many_laplace_answers_are_priced_tightly(epsilon: float, n: int, delta: float, tight: float | None) -> None:
    loss = total([(e.Laplace(epsilon), n)])
    high, low = loss.epsilon(delta), loss.lower_epsilon(delta)
    assert low <= high <= 1.0005 * low
    assert tight is None or tight * (1 - 1e-4) <= high <= tight * 1.0005
    bare = n * losslaw_mean(epsilon)
    assert high > bare


def losslaw_mean(epsilon: float) -> float:
    """The Kullback-Leibler divergence of Laplace noise: ε - 1 + e^-ε."""
    return epsilon - 1 + math.exp(-epsilon)


@pytest.mark.parametrize(
    ("n", "epsilon", "delta"), [(30, 0.3, 1e-6), (2000, 0.05, 1e-9), (7, 40.0, 1e-3), (500, 3.0, 1e-12)]
)
def test_the_lattice_agrees_with_the_binomial(n: int, epsilon: float, delta: float) -> None:
    found = pld.compose([(losslaw.two_point(epsilon), n)], delta).epsilon(delta)
    assert optimal_delta(found, epsilon, 0.0, n) <= delta * (1 + 1e-8)
    assert optimal_delta(found * (1 - 1e-6), epsilon, 0.0, n) >= delta * (1 - 1e-9)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 1000])
@pytest.mark.parametrize("epsilon", [1e-9, 0.1, 3.0, 30.0, 38.0, 45.0, 60.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-3, 0.3, 0.9])
def test_laws_that_are_nearly_one_loss_are_not_priced_below_it(n: int, epsilon: float, delta: float) -> None:
    """Where ε lies below every loss that has mass, all of it counts."""
    composed = pld.compose([(losslaw.two_point(epsilon), n)], delta).epsilon(delta)
    certain = pld.compose([(losslaw.two_point(epsilon), n)], delta, lattice.merge_the_cells).epsilon_below(delta)
    assert optimal_delta(composed, epsilon, 0.0, n) <= delta * (1 + 1e-8) + 1e-15
    assert certain <= composed
    assert certain >= 0.995 * composed - 1e-9


@pytest.mark.parametrize("epsilon", [600, 640, 684, 687, 699, 705, 720, 745, 760, 2000, 10_000])
@pytest.mark.parametrize("q", [1e-3, 0.5, 0.99])
@pytest.mark.parametrize(("n", "delta"), [(1, 1e-9), (2, 0.2), (1, 1e-4), (3, 1e-7)])
def test_one_step_of_any_size_is_priced_at_what_it_costs(epsilon: int, q: float, n: int, delta: float) -> None:
    """A lattice whose step is the distance of two atoms: e^-step leaves the floats, and the price stays."""
    from fractions import Fraction

    loss = total([(e.Subsampled(Fraction(q), e.Pure(epsilon)), n)])
    found, certain = loss.epsilon(delta), loss.lower_epsilon(delta)
    assert two_point_truth(q, epsilon, n, found) <= delta * (1 + 1e-8)
    assert certain <= found
    assert certain == 0 or two_point_truth(q, epsilon, n, certain) >= delta * (1 - 1e-8)
