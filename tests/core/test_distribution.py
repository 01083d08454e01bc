"""Divergences of finite distributions against brute force over all events."""

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core import (
    Distribution,
    approximate_max_divergence,
    hockey_stick,
    is_private,
    kl_divergence,
    max_divergence,
    privacy_loss,
    statistical_distance,
)
from sfumato.errors import InvalidParameter


@st.composite
def distributions(draw: st.DrawFn) -> Distribution:
    weights = draw(st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any))
    return Distribution({k: Fraction(w, sum(weights)) for k, w in enumerate(weights)})


def events(p: Distribution, q: Distribution) -> list[tuple[Fraction, Fraction]]:
    outcomes = list({**p.probabilities, **q.probabilities})
    subsets = itertools.chain.from_iterable(itertools.combinations(outcomes, n) for n in range(len(outcomes) + 1))
    return [(sum((p[o] for o in s), Fraction(0)), sum((q[o] for o in s), Fraction(0))) for s in subsets]


@given(distributions(), distributions())
def test_statistical_distance_is_the_largest_difference_over_events(p: Distribution, q: Distribution) -> None:
    assert statistical_distance(p, q) == max(abs(a - b) for a, b in events(p, q))


@given(distributions(), distributions(), st.fractions(0, 1))
def test_approximate_max_divergence_is_the_largest_over_events(
    p: Distribution, q: Distribution, delta: Fraction
) -> None:
    ratios = [math.inf if b == 0 else (a - delta) / b for a, b in events(p, q) if a > delta or b > 0]
    best = max([r for r in ratios if r > 0], default=Fraction(1))
    found = approximate_max_divergence(p, q, delta=delta)
    if best == math.inf:
        assert found == math.inf
    else:
        assert found == pytest.approx(max(0.0, math.log(best)), abs=1e-12)
        assert math.exp(found) >= float(best) * (1 - 1e-15)


@given(distributions(), distributions(), st.floats(0, 3))
def test_hockey_stick_is_the_least_delta_over_events(p: Distribution, q: Distribution, epsilon: float) -> None:
    brute = max(float(a) - math.exp(epsilon) * float(b) for a, b in events(p, q))
    found = hockey_stick(p, q, epsilon=epsilon)
    assert found == pytest.approx(max(0.0, brute), abs=1e-12)


@given(distributions(), distributions(), st.fractions(0, 2), st.fractions(0, 1))
def test_privacy_is_decided_as_over_all_events(
    p: Distribution, q: Distribution, epsilon: Fraction, delta: Fraction
) -> None:
    gaps = [
        float(a) - math.exp(epsilon) * float(b) - float(delta)
        for left, right in ((p, q), (q, p))
        for a, b in events(left, right)
    ]
    if abs(max(gaps)) > 1e-9:
        assert is_private(p, q, epsilon=epsilon, delta=delta) is (max(gaps) < 0)


@given(distributions(), distributions())
def test_kl_divergence_is_the_expected_loss_and_not_below_it(p: Distribution, q: Distribution) -> None:
    if any(p[k] and not q[k] for k in range(4)):
        assert kl_divergence(p, q) == math.inf
        return
    true = math.fsum(float(p[k]) * math.log(p[k] / q[k]) for k in range(4) if p[k])
    assert kl_divergence(p, q) == pytest.approx(true, abs=1e-12)
    assert kl_divergence(p, q) >= 0


def test_the_pointwise_reading_misses_a_violation() -> None:
    """Errata A15: outcome by outcome nothing exceeds δ, over a set it does."""
    n, delta = 10, Fraction(1, 20)
    p = Distribution({k: Fraction(1, n) for k in range(n)})
    q = Distribution({k: Fraction(1, 4 * n) if k < 5 else Fraction(7, 4 * n) for k in range(n)})
    pointwise = max(math.log((p[k] - delta) / q[k]) for k in range(n))
    assert approximate_max_divergence(p, q, delta=delta) > pointwise + 0.5


def test_warners_coins_are_ln_3_private() -> None:
    yes, no = Distribution({1: 0.75, 0: 0.25}), Distribution({1: 0.25, 0: 0.75})
    assert max_divergence(yes, no) == pytest.approx(math.log(3))
    assert privacy_loss(yes, no, 1) == pytest.approx(math.log(3))
    assert privacy_loss(yes, Distribution({0: 1}), 1) == math.inf
    assert is_private(yes, yes, epsilon=0)


def test_probabilities_must_sum_to_one_exactly() -> None:
    with pytest.raises(InvalidParameter, match="off by") as caught:
        Distribution({0: 0.1, 1: 0.2, 2: 0.6})
    assert "Fractions" in caught.value.hint
    assert Distribution({0: 0.1, 1: "0.2", 2: 0.7})[2] == Fraction(7, 10)
    with pytest.raises(InvalidParameter, match="between 0 and 1"):
        Distribution({0: -1, 1: 2})
    with pytest.raises(InvalidParameter, match="list"):
        Distribution([1])  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="possible under p"):
        privacy_loss(Distribution({0: 1}), Distribution({0: 1}), 1)


def test_divergences_are_rounded_up() -> None:
    """Against 200 digits: a divergence one float too small would be a price too small."""
    from flint import arb, ctx, fmpq

    def ball(x: Fraction) -> arb:
        return arb(fmpq(x.numerator, x.denominator))

    for i in range(1, 60):
        p = Distribution({0: Fraction(i, 61), 1: Fraction(61 - i, 61)})
        q = Distribution({0: Fraction(i + 5, 97), 1: Fraction(92 - i, 97)})
        with ctx.workprec(600):
            kl = sum(ball(p[k]) * ball(p[k] / q[k]).log() for k in (0, 1))
            top = max(p[k] / q[k] for k in (0, 1))
            assert arb(kl_divergence(p, q)) >= kl
            assert arb(max_divergence(p, q)) >= ball(top).log()
            stick = sum(max(Fraction(0), p[k] - q[k] * Fraction(11, 10)) for k in (0, 1))
            assert arb(hockey_stick(p, q, epsilon=Fraction(1, 11))) >= sum(
                (gap if (gap := ball(p[k]) - ball(Fraction(1, 11)).exp() * ball(q[k])) > 0 else arb(0)) for k in (0, 1)
            )
            assert stick >= 0


@given(distributions(), distributions(), st.fractions(0, Fraction(1, 2)))
def test_approximate_privacy_is_privacy_of_a_distribution_close_by(
    p: Distribution, q: Distribution, delta: Fraction
) -> None:
    """The construction in the proof of Lemma 5.4: cut p down to e^ε·q where it is above, and put the rest back."""
    epsilon = approximate_max_divergence(p, q, delta=delta)
    if epsilon == math.inf:
        return
    factor = Fraction(math.exp(epsilon) * (1 + 1e-12))
    cut = {k: min(p[k], factor * q[k]) for k in range(4)}
    room = {k: factor * q[k] - cut[k] for k in range(4)}
    missing = 1 - sum(cut.values())
    assert missing <= delta + Fraction(1, 10**9)
    if missing and sum(room.values()) >= missing:
        close = Distribution({k: cut[k] + missing * room[k] / sum(room.values()) for k in range(4)})
        assert statistical_distance(p, close) <= delta + Fraction(1, 10**9)
        assert max_divergence(close, q) <= epsilon + 1e-9
