"""Prices are rounded against us, never to zero, and no number makes the accountant fail in a foreign way."""

import json
import math
import random
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from sfumato.accounting import PureFilter, RDPFilter, TicketBook, ZCDPFilter, from_json, gaussian, most_uses, total
from sfumato.accounting import events as e
from sfumato.accounting.calibration import _target
from sfumato.errors import BudgetExceeded, InvalidParameter


def gaussian_truth(epsilon: float, mu: float) -> Any:
    with mpmath.workdps(60):
        x, m = mpmath.mpf(epsilon), mpmath.mpf(mu)
        return mpmath.ncdf(m / 2 - x / m) - mpmath.exp(x) * mpmath.ncdf(-m / 2 - x / m)


def test_the_gaussian_curve_is_never_below_the_truth_and_hardly_above() -> None:
    draw = random.Random(5)
    for _ in range(3000):
        mu = 10 ** draw.uniform(-13, 1.3)
        epsilon = max(0.0, mu * draw.uniform(-1, 12) + mu * mu / 2)
        found, truth = gaussian.delta(epsilon, mu), gaussian_truth(epsilon, mu)
        if truth > mpmath.mpf(10) ** -200:
            assert found >= truth, (epsilon, mu)
            assert found <= min(1, truth * (1 + mpmath.mpf(10) ** -7)) or found == 1.0, (epsilon, mu)


def test_the_old_slack_was_too_small() -> None:
    """φ(a)·(R(a) - R(b)) with a slack of 2**-50 falls below the truth: a, b and both ratios are themselves rounded."""
    low = 0
    draw = random.Random(5)
    for _ in range(3000):
        mu = 10 ** draw.uniform(-13, 1.3)
        epsilon = max(0.0, mu * draw.uniform(-1, 12) + mu * mu / 2)
        a, b = epsilon / mu - mu / 2, epsilon / mu + mu / 2
        gap = gaussian._mills(a) - gaussian._mills(b) + 2.0**-50 * gaussian._mills(a)
        old = math.exp(-a * a / 2) / math.sqrt(2 * math.pi) * gap * (1 + 2.0**-45 * (1 + a * a))
        low += old < gaussian_truth(epsilon, mu)
    assert low > 10


def test_a_book_is_not_rounded_up() -> None:
    cap = 1 - Fraction(1, 10**20)
    with pytest.raises(BudgetExceeded):
        TicketBook.of([e.Pure(1)], epsilon=cap, delta=0)
    assert TicketBook.of([e.Pure(cap)], epsilon=cap + Fraction(1, 10**18), delta=0).admits(e.Pure(cap))
    with pytest.raises(BudgetExceeded):
        TicketBook.of([e.Approximate(1, Fraction(1, 3))], epsilon=1, delta=Fraction(1, 3) - Fraction(1, 10**20))


def test_targets_are_rounded_down() -> None:
    third = Fraction(1, 3)
    for x in (third, Fraction(1, 10), 1 - Fraction(1, 10**20), Fraction(1, 10**18)):
        epsilon, delta = _target(x, x)
        assert Fraction(epsilon) <= x
        assert Fraction(delta) <= x
    assert most_uses(e.Approximate(0, third), epsilon=1, delta=third - Fraction(1, 10**20)) == 0


@pytest.mark.parametrize("tiny", [1e-200, 1e-300, 5e-324, Fraction(1, 10**400)])
def test_no_price_is_zero(tiny: Any) -> None:
    for event in (
        e.Subsampled(tiny, e.Pure(tiny)),
        e.Subsampled(tiny, e.Laplace(tiny)),
        e.Pure(tiny),
        e.Geometric(tiny),
        e.Converted(e.Pure(tiny), 0.1),
    ):
        price = event.pure()
        assert price is not None
        assert price > 0
        assert PureFilter(1, Fraction(1, 2)).spend(event).spent == price
        assert event.rdp(2.0) > 0
    exact = e.Subsampled(Fraction(1, 10**200), e.Pure(Fraction(1, 10**200))).pure()
    assert exact is not None
    assert Fraction(1, 10**400) <= exact <= Fraction(1, 10**400) * (1 + Fraction(1, 10**100))
    assert not PureFilter(Fraction(1, 10**395)).admits(e.Subsampled(1e-200, e.Pure(1e-200)), 10**6)


@pytest.mark.parametrize(
    "document",
    [
        {"kind": "laplace", "epsilon": "1/00"},
        {"kind": "laplace", "epsilon": "9" * 4999},
        {"kind": "laplace", "epsilon": "1/" + "9" * 4999},
        {"kind": "laplace", "epsilon": "infinity"},
        {"kind": "laplace", "epsilon": "9" * 5001},
        {"kind": "renyi", "alpha": "-1", "epsilon": "1"},
        {"kind": "renyi", "alpha": "infinity", "epsilon": "infinity"},
        {"kind": "group", "k": "infinity", "inner": {"kind": "pure", "epsilon": "1"}},
        {"kind": "group", "k": "3", "inner": {"kind": "pure", "epsilon": "1"}},
        {"kind": "composition", "parts": [[{"kind": "pure", "epsilon": "1"}, "infinity"]]},
    ],
    ids=lambda d: json.dumps(d)[:40],
)
def test_hostile_numbers_are_refused_in_our_words(document: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        from_json(document)


@pytest.mark.parametrize("deep", [60, 2000, 20_000])
def test_deep_documents_are_refused(deep: int) -> None:
    for wrap in (
        lambda inner: {"kind": "parallel", "parts": [inner]},
        lambda inner: {"kind": "composition", "parts": [[inner, 1]]},
        lambda inner: {"kind": "group", "k": 1, "inner": inner},
        lambda inner: {"kind": "thresholded", "delta": "0", "event": inner},
        lambda inner: [inner],
    ):
        document: Any = {"kind": "pure", "epsilon": "1"}
        for _ in range(4 * deep):
            document = wrap(document)
        with pytest.raises(InvalidParameter):
            from_json(document)


def test_documents_as_deep_as_anyone_writes_are_read() -> None:
    event: e.Event = e.Pure(1)
    for _ in range(40):
        event = e.Parallel([event])
    assert from_json(event.to_json()) == event


@pytest.mark.parametrize("n", [1, 10**6, 10**400])
@pytest.mark.parametrize("huge", [10**30, 10**400, Fraction(10**400, 3)])
@pytest.mark.parametrize("kind", [e.Pure, e.Laplace, e.Geometric, e.Exponential, e.ZCDP, e.NoisyMax, lambda x: e.Gaussian(1 / Fraction(x)), lambda x: e.Subsampled(0.5, e.Pure(x)), lambda x: e.Approximate(x, Fraction(1, 10**9)), lambda x: e.DiscreteGaussian(1 / Fraction(x)), lambda x: e.RandomizedResponse(x)])  # fmt: skip
def test_numbers_beyond_the_floats_cost_more_than_any_float(kind: Any, huge: Any, n: int) -> None:
    loss = total([(kind(huge), n)])
    for delta in (0, 1e-6, Fraction(1, 10**400)):
        assert loss.epsilon(delta) >= 1e29
        assert loss.lower_epsilon(delta) <= loss.epsilon(delta)
    assert loss.delta(1.0) == 1.0 or loss.delta(1.0) > 0.99
    assert 0 <= loss.delta(10**500) <= 1
    assert all(bound >= 1e29 for bound in loss.bounds(1e-6).values())
    for budget in (PureFilter(10**6), ZCDPFilter(10**6), RDPFilter(10**6, 1e-6)):
        assert not budget.admits(kind(huge), n)


@pytest.mark.parametrize("n", [10**6, 10**400])
def test_many_of_anything_costs_something(n: int) -> None:
    for event in (
        e.Laplace(1),
        e.Gaussian(1),
        e.Subsampled(1e-3, e.Gaussian(1)),
        e.Geometric(1, 2),
        e.DiscreteGaussian(3),
    ):
        loss = total([(event, n)])
        assert loss.epsilon(1e-6) > 5
        assert loss.delta(1.0) > 0.2


def subsampled_gaussian_curve(q: str, alpha: int) -> float:
    """The Rényi curve of a subsampled Gaussian of σ = 1 at a whole order, removing a person, by its binomial sum."""
    with mpmath.workdps(60):
        rate = mpmath.mpf(q)
        moment = sum(
            mpmath.binomial(alpha, k) * (1 - rate) ** (alpha - k) * rate**k * mpmath.exp(mpmath.mpf(k * (k - 1)) / 2)
            for k in range(alpha + 1)
        )
        return float(mpmath.log(moment) / (alpha - 1))


@pytest.mark.parametrize("q", ["1e-12", "1e-6", "1e-3", "0.1"])
@pytest.mark.parametrize("alpha", [2, 10, 20, 30, 50, 60, 100])
def test_the_curve_of_a_subsampled_gaussian_sees_its_far_peak(q: str, alpha: int) -> None:
    found, truth = e.Subsampled(Fraction(q), e.Gaussian(1)).rdp(float(alpha)), subsampled_gaussian_curve(q, alpha)
    assert found >= truth * (1 - 1e-9)
    assert found <= truth * (1 + 1e-6) + 1e-10


@pytest.mark.parametrize("mu", [1e-6, 0.01, 1, 30, 1e4, 1e6, 1e8])
def test_the_gaussian_curve_is_bounded_from_both_sides(mu: float) -> None:
    with mpmath.workdps(60):
        for z in (-3, -1, 0, 1, 4):
            epsilon = mu * mu / 2 + z * mu
            if epsilon >= 0:
                truth = gaussian_truth(epsilon, mu)
                assert gaussian.delta_below(epsilon, mu) <= truth <= gaussian.delta(epsilon, mu)
    for sigma, delta in ((Fraction(1, 10), 0.9999994266968559), (Fraction(1, 10), 0.9999990591797802), (Fraction(1), 0.3829249225171725), (Fraction(11000), 3.6267480019459786e-05)):  # fmt: skip
        certain = total([e.Gaussian(sigma)]).lower_epsilon(delta)
        assert certain == 0 or gaussian_truth(certain, float(1 / sigma)) >= delta


def test_what_has_no_finite_loss_or_no_end_is_priced_at_once() -> None:
    for parts in ([(e.Thresholded(e.Pure(1), 1), 3)], [e.Approximate(1, 1), e.Laplace(1)], [(e.Thresholded(e.Pure(1), 1 - Fraction(1, 10**30)), 2)]):  # fmt: skip
        assert total(parts).epsilon(0.5) == math.inf
        assert total(parts).lower_epsilon(0.5) == 0
    assert e.Group(2, e.Approximate(1000, 1e-6)).extra_delta() == 1
    assert e.Group(10**8, e.Approximate(1e-9, 1e-12)).extra_delta() >= Fraction(10**8) * Fraction(1e-12)
    assert e.SparseVector(e.Gaussian(1), e.Gaussian(1), 10**6, 10**7).rdp(2.0) > 10**6
    assert 0 <= total([e.Shuffled(1, 10**30)]).epsilon(1e-6) < 1e-3
    for tiny in (e.Geometric(Fraction(1, 10**330), 3), e.Pure(Fraction(1, 10**3999)), e.Subsampled(Fraction(1, 10**330), e.Pure(1)), e.Laplace(1e-310)):  # fmt: skip
        assert 0 <= total([(tiny, 3)]).epsilon(1e-6) < 1e-90
        assert total([(tiny, 3)]).lower_epsilon(1e-6) == 0
        assert total([tiny, e.Gaussian(10**330), e.Pure(1)]).epsilon(1e-6) == pytest.approx(
            total([e.Pure(1)]).epsilon(1e-6), rel=1e-3
        )
    assert total([e.RandomizedResponse(1, 10**400)]).epsilon(0) == 1


def test_the_ways_to_answer_are_counted_or_bounded_from_above() -> None:
    from sfumato.accounting.events.selection import _log_outputs, outputs_of

    for cutoff, length in ((1, 10**6), (30, 1000), (2000, 3000), (500, 10**5), (3000, 3000)):
        exact = mpmath.log(outputs_of(cutoff, length))
        assert exact <= _log_outputs(cutoff, length) <= exact * 1.3 + 2
