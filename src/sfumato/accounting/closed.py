"""Closed forms: lists of events whose privacy curve is known exactly, priced without a transform."""

import math
from fractions import Fraction

import numpy as np

from sfumato.accounting import events, gaussian, shuffle
from sfumato.accounting.events import Counted
from sfumato.accounting.losslaw import Reals
from sfumato.exact.rounding import up

_MOST = 100_000  # uses; beyond, the lattice is as exact and faster
_UP = 1 + 2.0**-40


def epsilon(choice: tuple[Counted, ...], delta: float) -> float | None:
    """ε of a list that has a closed form, rounded up; None for any other list."""
    if delta <= 0 or not choice:
        return None
    squared = only_gaussian(choice)
    if squared is not None:
        return gaussian.epsilon(delta, gaussian.mu_of(squared))
    if len(choice) != 1:
        return None
    event, n = choice[0]
    if isinstance(event, events.Laplace | events.Shuffled) and n == 1:
        return _one_use(event, delta)
    two_point = _two_point(event)
    if two_point is not None and n <= _MOST and two_point[0] <= _MOST:
        return composed_two_point(*two_point, n, delta)
    return None


def only_gaussian(choice: tuple[Counted, ...]) -> Fraction | None:
    """Σ(Δ/σ)² if every event is Gaussian: they compose to one Gaussian."""
    total = Fraction(0)
    for event, n in choice:
        if not isinstance(event, events.Gaussian):
            return None
        total += n * event.mu_squared()
    return total


def _one_use(event: events.Laplace | events.Shuffled, delta: float) -> float:
    if isinstance(event, events.Laplace):
        return _laplace(up(event.pure()), delta)
    return shuffle.epsilon(up(event.pure()), event.people, delta)


def _laplace(epsilon_0: float, delta: float) -> float:
    """One use of Laplace noise: δ(ε) = 1 - exp((ε - ε₀)/2), so ε = ε₀ + 2·ln(1 - δ)."""
    return max(0.0, (epsilon_0 + 2 * math.log1p(-delta) * (1 - 2.0**-45)) * _UP) if delta < 1 else 0.0


def _two_point(event: events.Event) -> tuple[float, float] | None:
    """(ε, δ) of an event whose loss law is that of binary randomised response."""
    match event:
        case events.Pure() | events.Approximate():
            return up(event.pure()), up(event.extra_delta())
        case events.Geometric(sensitivity=1) | events.RandomizedResponse(categories=2):
            return up(event.pure()), 0.0
        case _:
            return None


def composed_two_point(epsilon_0: float, delta_0: float, n: int, delta: float) -> float:
    """ε of n uses of an (ε₀, δ₀)-private mechanism at its worst (Kairouz, Oh, Viswanath 2015, Theorem 3.3).

    The loss is ε₀·(2i - n) with i binomial. Between two losses δ(ε) = S1 - e^ε·S2 over the losses above.
    """
    infinite = -math.expm1(n * math.log1p(-delta_0)) * _UP if delta_0 < 1 else 1.0
    if epsilon_0 == 0:
        return 0.0 if infinite <= delta else math.inf
    target = (delta - infinite) / (1 - infinite) * (1 - 2.0**-45) if infinite < delta else 0.0
    if target <= 0:
        return math.inf
    i = np.arange(n, -1, -1, dtype=np.float64)  # from the largest loss down
    log_p = -math.log1p(math.exp(-epsilon_0))
    steps = np.log(i[:-1] / (n - i[1:]))  # ln C(n, i-1) - ln C(n, i)
    log_mass = n * log_p + np.concatenate([[0.0], np.cumsum(steps - epsilon_0)])
    # cumulative sums of n terms of size ≤ ln n + ε₀ round by less than this
    slack = 1 + 2.0**-50 * (n + 4) * (math.log(n + 1) + epsilon_0 + 2)
    losses = epsilon_0 * (2 * i - n)
    mass = np.exp(np.minimum(log_mass, 0.0)) * slack
    if losses[0] - losses[-1] >= 700:
        return _by_search(losses, mass, target)
    rounding = (n + 4) * 2.0**-52  # of a running sum of n + 1 terms, against us on both sides of a difference
    above = np.cumsum(mass) * (1 + rounding)  # S1 over losses at least this one
    damped = np.cumsum(mass * np.exp(losses[0] - losses)) * (1 - rounding)
    # δ just below loss j, i.e. at ε = losses[j + 1]: the first that exceeds the target brackets ε
    next_loss = np.append(losses[1:], -np.inf)
    with np.errstate(over="ignore", invalid="ignore"):
        deltas = above - np.exp(next_loss - losses[0]) * damped
    j = int(np.argmax(deltas > target)) if (deltas > target).any() else n
    if above[j] <= target:
        return max(0.0, float(losses[j]))
    inside = float(losses[0]) + math.log((above[j] - target) / damped[j])
    return max(0.0, min(inside, float(losses[0])) * _UP)


def _by_search(losses: Reals, weights: Reals, target: float) -> float:
    """The same where e^loss leaves the floats: bisection on ε with every term evaluated in place."""
    low, high = 0.0, float(losses[0])
    for _ in range(200):
        middle = (low + high) / 2
        gaps = losses - middle
        spent = float((weights[gaps > 0] * -np.expm1(-gaps[gaps > 0])).sum())
        low, high = (middle, high) if spent * _UP > target else (low, middle)
        if high - low <= 1e-13 * high:
            break
    return high * _UP
