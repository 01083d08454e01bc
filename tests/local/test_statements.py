"""Statements about local privacy, against the exact law of what a device sends."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

from local_cases import SMALL, exact_law, worst_ratio
from sfumato.local import KAry, OneBitMean, Protocol, Unary, client

ONE_BIT = OneBitMean(name="t", upper=6, epsilon=1)


def bit(protocol: OneBitMean, x: Any) -> Fraction:
    """The exact chance that a device with a number sends a 1."""
    return exact_law(protocol, x).get(b"\x01", Fraction(0))


@pytest.mark.parametrize("name", ["binary", "k-ary", "symmetric", "optimised", "subset", "basic one-time rappor"])
def test_the_price_of_a_report_is_the_largest_ratio_of_two_values_chances(name: str) -> None:
    protocol, values = SMALL[name]
    worst = worst_ratio([exact_law(protocol, value) for value in values])
    assert worst is not None
    assert float(protocol.event.pure() or 0) == pytest.approx(math.log(worst), rel=1e-12)
    assert protocol.event.pure() <= Fraction(protocol.epsilon)  # type: ignore[arg-type, operator]


@pytest.mark.parametrize(
    "protocol", [KAry(name="t", domain=4, epsilon=2), Unary(name="t", domain=3, epsilon=1), ONE_BIT]
)
def test_a_device_refuses_coins_that_give_away_more_than_is_stated(protocol: Protocol) -> None:
    """The largest ratio that the coins allow, from the device's own encoder, is compared with the ε of the document."""
    document = protocol.document()
    values: list[Any] = [0, 1, 2]
    laws = [exact_law(protocol, value) for value in values]
    assert client.checked(document) == document
    assert math.log(worst_ratio(laws) or 0) <= float(Fraction(document["epsilon"]))
    p = Fraction(document["coins"]["p"])
    sharper = document | {"coins": document["coins"] | {"p": str(p + (1 - p) / 50)}}
    with pytest.raises(client.ProtocolRefused, match="spend more"):
        client.checked(sharper)
    with pytest.raises(client.ProtocolRefused, match="spend more"):
        client.checked(document | {"epsilon": str(Fraction(document["epsilon"]) * Fraction(99, 100))})


@pytest.mark.parametrize("x", range(7))
def test_one_bit_has_the_surveys_chance_and_its_estimate_the_number_itself(x: int) -> None:
    """1 with 1/(e^ε + 1) + x/m·(e^ε - 1)/(e^ε + 1), and the expectation of (m/n)·Σ(b(e^ε + 1) - 1)/(e^ε - 1) is x."""
    e = math.exp(float(ONE_BIT.spent))
    one = bit(ONE_BIT, x)
    assert float(one) == pytest.approx(1 / (e + 1) + x / 6 * (e - 1) / (e + 1), abs=1e-15)
    said = [ONE_BIT.estimate(np.array(counts), 1).value for counts in ([1, 0], [0, 1])]
    assert float(one) * said[1] + float(1 - one) * said[0] == pytest.approx(x, abs=1e-12)
    assert said[1] == pytest.approx(6 * e / (e - 1), rel=1e-12)


def test_one_bit_is_private_for_every_pair_of_numbers() -> None:
    for epsilon in (Fraction(1, 2), Fraction(2)):
        protocol = OneBitMean(name="t", upper=6, epsilon=epsilon)
        worst = worst_ratio([exact_law(protocol, x) for x in (0, 1, Fraction(7, 3), 5, 6)])
        assert worst is not None
        assert math.log(worst) == pytest.approx(float(epsilon), rel=1e-9)
        assert client.log_up(worst) <= protocol.spent <= epsilon


def tail(protocol: OneBitMean, x: int, people: int, error: float) -> float:
    """Exactly: how often the mean of people who all hold x is off by at least this."""
    counts = np.arange(people + 1)
    off = [abs(protocol.estimate(np.array([people - k, k]), people).value - x) for k in counts.tolist()]
    law = stats.binom(people, float(bit(protocol, x))).pmf(counts)
    return float(law[np.array(off) >= error].sum())


@pytest.mark.parametrize("people", [1, 30, 400])
def test_the_mean_strays_by_a_share_of_the_interval_as_hoeffding_says(people: int) -> None:
    """Pr[|μ̂ - μ| ≥ θm] ≤ 2·exp(-2θ²n·((e^ε - 1)/(e^ε + 1))²), which `error` turns round."""
    gap = math.tanh(float(ONE_BIT.spent) / 2)
    for theta in (0.1, 0.3, 0.8, 2.0):
        chance = 2 * math.exp(-2 * theta * theta * people * gap * gap)
        if not 1e-280 < chance < 1:
            continue
        assert ONE_BIT.error(chance, people=people).alpha == pytest.approx(theta * 6, rel=1e-9)
        for x in (0, 3, 6):
            assert tail(ONE_BIT, x, people, theta * 6) <= chance


@pytest.mark.parametrize("beta", [0.5, 0.05, 1e-6])
def test_the_error_of_theorem_7_7_covers_the_exact_tails(beta: float) -> None:
    for people in (10, 500):
        e = math.exp(float(ONE_BIT.spent))
        found = ONE_BIT.error(beta, people=people).alpha
        assert found == pytest.approx(6 / math.sqrt(2 * people) * (e + 1) / (e - 1) * math.sqrt(math.log(2 / beta)))
        assert max(tail(ONE_BIT, x, people, found) for x in (0, 2, 3, 6)) <= beta
        assert max(tail(ONE_BIT, x, people, 0.4 * found) for x in (0, 2, 3, 6)) > beta


@pytest.mark.parametrize("granularity", [6, 3, 2])
def test_with_memory_the_bit_has_the_law_it_has_without(granularity: int) -> None:
    remembering = OneBitMean(name="t", upper=6, epsilon=1, memo=True, granularity=granularity)
    for x in range(7):
        assert bit(remembering, x) == bit(ONE_BIT, x)
