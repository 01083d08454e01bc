"""Random problems of every kind: the price is within 0.05 % of what is certainly spent, or within 0.5 % at the extremes."""

import math
import random

import pytest

from sfumato.accounting import events as e
from sfumato.accounting import total
from sfumato.accounting.events import Counted

pytestmark = pytest.mark.slow


def _between(draw: random.Random, low: float, high: float) -> float:
    return math.exp(draw.uniform(math.log(low), math.log(high)))


def _plain(draw: random.Random) -> e.Event:
    match draw.randrange(6):
        case 0:
            return e.Pure(_between(draw, 0.01, 60))
        case 1:
            return e.Laplace(_between(draw, 0.01, 400))
        case 2:
            return e.Gaussian(_between(draw, 0.4, 20))
        case 3:
            return e.Geometric(_between(draw, 0.01, 40), draw.randint(1, 5))
        case 4:
            return e.RandomizedResponse(_between(draw, 0.01, 40), draw.randint(2, 8))
        case _:
            return e.DiscreteGaussian(_between(draw, 0.6, 20), draw.randint(1, 3))


def problem(seed: int) -> tuple[list[Counted], float]:
    """One to three events, most of them subsampled, many times, at a δ from tiny to large."""
    draw = random.Random(seed)
    parts: list[Counted] = []
    for _ in range(draw.choice([1, 1, 1, 2, 3])):
        event, n = _plain(draw), int(_between(draw, 1, 20_000))
        parts.append((e.Subsampled(_between(draw, 1e-4, 0.9), event) if draw.random() < 0.6 else event, n))
    return parts, _between(draw, 1e-10, 0.05)


@pytest.mark.parametrize("seed", range(40))
def test_the_price_is_close_to_what_is_certainly_spent(seed: int) -> None:
    parts, delta = problem(seed)
    loss = total(parts)
    high, low = loss.epsilon(delta), loss.lower_epsilon(delta)
    assert low <= high * (1 + 1e-12)
    assert high < 1e-6 or low >= 0.995 * high


@pytest.mark.parametrize(
    ("rate", "sigma", "n", "tight"),
    [(1e-3, 1, 10_000, 0.55514), (1e-3, 2, 100_000, 0.69665), (1e-3, 0.8, 100_000, 2.9145), (0.01, 0.8, 1000, 3.7062)],
)
def test_subsampled_gaussians_are_priced_within_one_in_two_thousand(
    rate: float, sigma: float, n: int, tight: float
) -> None:
    loss = total([(e.Subsampled(rate, e.Gaussian(sigma)), n)])
    high, low = loss.epsilon(1e-6), loss.lower_epsilon(1e-6)
    assert low <= high <= 1.0005 * low
    assert high == pytest.approx(tight, rel=5e-4)
