"""Exact laws of mechanisms as floats, and an auditor that compares them on neighbouring inputs."""

import itertools
import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cache
from typing import Any

from scipy import integrate, stats

import statistics_of_samples as samples
from sfumato.accounting import total
from sfumato.mechanisms import DiscreteGaussianNoise, GaussianNoise, GeometricNoise, Noise, SparseTechnique
from sfumato.mechanisms.stream import Stage

Law = dict[Hashable, float]
ROUNDING = 1e-11


def loss(p: Law, q: Law) -> float:
    """The largest ln(p/q) over single outcomes: the ε of pure privacy in this direction."""
    return max((math.log(mass / q[o]) if q.get(o) else math.inf) for o, mass in p.items() if mass > 0)


def hockey_stick(p: Law, q: Law, epsilon: float) -> float:
    """Σ (p - e^ε·q)₊: the least δ at ε in this direction (errata A15)."""
    return math.fsum(max(0.0, mass - math.exp(epsilon) * q.get(o, 0.0)) for o, mass in p.items())


def violation(event: Any, p: Law, q: Law) -> float:
    """How far the audited δ(ε) is above the price, at its worst over a range of ε and both directions."""
    return max(
        max(hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon)) - delta for epsilon, delta in prices(event)
    )


@cache
def prices(event: Any) -> list[tuple[float, float]]:
    """The price of an event as pairs of ε and δ, the same for every pair of laws that it is compared with."""
    price = total([event])
    top = price.epsilon(0.0) if math.isfinite(price.epsilon(0.0)) else price.epsilon(1e-9)
    at = (0.0, *(top * f for f in (0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 1.0, 1.2)))
    return [(epsilon, price.delta(epsilon)) for epsilon in at]


def tightness(event: Any, p: Law, q: Law) -> float:
    """The largest share of the priced δ(ε) that the audit finds, over ε where δ is not tiny."""
    price = total([event])
    top = price.epsilon(1e-6)
    shares = []
    for epsilon in (0.0, *(top * f for f in (0.2, 0.4, 0.6, 0.8))):
        delta = price.delta(epsilon)
        if delta > 1e-9:
            shares.append(max(hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon)) / delta)
    return max(shares)


def shifted(pmf: Callable[[int], float], center: int, reach: int) -> Law:
    return {center + k: pmf(k) for k in range(-reach, reach + 1)}


def product(*laws: Law) -> Law:
    out: Law = {}
    for outcomes in itertools.product(*(law.items() for law in laws)):
        key = tuple(o for o, _ in outcomes)
        out[key] = out.get(key, 0.0) + math.prod(mass for _, mass in outcomes)
    return out


def rounded_laplace(scale: float) -> Callable[[int], float]:
    return lambda k: float(stats.laplace.cdf(k + 0.5, scale=scale) - stats.laplace.cdf(k - 0.5, scale=scale))


def rounded_gaussian(sigma: float) -> Callable[[int], float]:
    def pmf(k: int) -> float:
        a, b = abs(k) - 0.5, abs(k) + 0.5  # on the side where the survival function is precise
        return float(stats.norm.sf(a / sigma) - stats.norm.sf(b / sigma))

    return pmf


def exponential(scores: Sequence[float], rate: float) -> Law:
    weights = [math.exp(rate * (u - max(scores))) for u in scores]
    return {r: w / math.fsum(weights) for r, w in enumerate(weights)}


def permute_and_flip(scores: Sequence[float], rate: float) -> Law:
    coins = [math.exp(rate * (u - max(scores))) for u in scores]
    chances: Law = dict.fromkeys(range(len(scores)), 0.0)
    for heads in itertools.product((False, True), repeat=len(scores)):
        weight = math.prod(c if h else 1 - c for c, h in zip(coins, heads, strict=True))
        for r, head in enumerate(heads):
            chances[r] += weight / sum(heads) if head and weight else 0.0
    return chances


def noisy_max(scores: Sequence[float], rate: float) -> Law:
    """The arg-max of scores plus Laplace noise of scale 1/rate, by quadrature over the winner's value."""

    def cdf(y: float) -> float:
        return 0.5 * math.exp(rate * y) if y < 0 else 1 - 0.5 * math.exp(-rate * y)

    def wins(r: int, y: float) -> float:
        density = rate / 2 * math.exp(-rate * abs(y - scores[r]))
        return density * math.prod(cdf(y - u) for i, u in enumerate(scores) if i != r)

    kinks = sorted({min(scores) - 40 / rate, *scores, max(scores) + 40 / rate})
    return {
        r: math.fsum(
            integrate.quad(lambda y, r=r: wins(r, y), a, b, epsabs=1e-13)[0] for a, b in itertools.pairwise(kinks)
        )
        for r in range(len(scores))
    }


class Script(Noise):
    """A noise that says given values, so that every one of them can be followed."""

    def __init__(self, values: Iterable[int], of: Noise) -> None:
        self._values, self._of = iter(values), of

    def draw(self, size: Any, bits: Any) -> Any:
        import numpy as np

        if size is None:
            return next(self._values)
        return np.array([next(self._values) for _ in range(size)])

    def event(self, move: Any, *, scalar: bool = True) -> Any:
        return self._of.event(move, scalar=scalar)

    def reach(self, beta: Any) -> int:
        return self._of.reach(beta)


def pmf_of(noise: Any) -> Callable[[int], float]:
    if isinstance(noise, GeometricNoise):
        return samples.discrete_laplace(float(noise.scale))
    if isinstance(noise, DiscreteGaussianNoise):
        return samples.discrete_gaussian(float(noise.sigma))
    assert isinstance(noise, GaussianNoise)
    return rounded_gaussian(float(noise.sigma))


def sparse(mechanism: SparseTechnique, answers: list[int], reach: int) -> Law:
    """The law of the bits in closed form: given a threshold the queries are independent; stages are followed."""
    threshold, query = (cache(pmf_of(noise)) for noise in mechanism.noises)
    span = range(-reach, reach + 1)
    tail = {m: math.fsum(query(k) for k in span if k >= m) for m in range(-3 * reach, 3 * reach)}
    out: Law = {}

    def follow(
        at: int, stages: tuple[Stage, ...], level: int, *, state: tuple[int, int], seen: tuple[bool, ...], mass: float
    ) -> None:
        if at == len(answers) or not stages:
            out[seen] = out.get(seen, 0.0) + mass
            return
        above = tail[mechanism.level + level - answers[at]]
        for top, chance in ((True, above), (False, 1 - above)):
            asked, tops = state[0] + 1, state[1] + top
            if tops == stages[0].cutoff or asked == stages[0].length:
                rest = stages[1:]
                if rest and at + 1 < len(answers):
                    for fresh in span:
                        follow(
                            at + 1, rest, fresh, state=(0, 0), seen=(*seen, top), mass=mass * chance * threshold(fresh)
                        )
                else:
                    follow(at + 1, rest, 0, state=(0, 0), seen=(*seen, top), mass=mass * chance)
            else:
                follow(at + 1, stages, level, state=(asked, tops), seen=(*seen, top), mass=mass * chance)

    for level in span:
        follow(0, mechanism.stages, level, state=(0, 0), seen=(), mass=threshold(level))
    return out
