"""The law of the privacy loss of one application: what a privacy-loss distribution is made from.

For neighbours with output laws P and Q the loss is ℓ = ln(P/Q) of an outcome drawn from P (Survey Definition
3.6). A law has atoms, at most one smooth part, and a mass at infinity; one event has a law for each direction
in which neighbours can be taken. Masses are kept as logarithms: subsampling multiplies the mass of a loss of -ε
by up to e^ε, and what had been rounded to zero before would be missing from the price.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[Any]
_SQRT_2PI = math.sqrt(2 * math.pi)
LEAST = 1e-100
"""The least ε, μ or rate that a law is made for: floats end where smaller ones are squared."""


def _same(x: Reals) -> Reals:
    return x


def _zeros(x: Reals) -> Reals:
    return np.zeros_like(x)


def _shallow(order: float) -> float:
    return 0.0


@dataclass(frozen=True, slots=True)
class Smooth:
    """A density over base losses, truncated where P and Q together have no more than the asked-for tail."""

    log_density: Callable[[Reals], Reals]
    interval: Callable[[float], tuple[float, float]]
    """The base losses that carry all but exp(-L) of the mass, at either end, of P and of Q, for a given L."""
    width: float
    """A length over which the density is smooth enough for a quadrature of a few points."""
    depth_of_order: Callable[[float], float] = _shallow
    """The depth at which the interval holds where exp(order·x) times the density is largest."""


@dataclass(frozen=True, slots=True)
class LossLaw:
    """Atoms (losses and log-masses under P), a smooth part and a mass at infinity; `forward` follows subsampling."""

    losses: Reals = field(default_factory=lambda: np.zeros(0))
    log_masses: Reals = field(default_factory=lambda: np.zeros(0))
    smooth: Smooth | None = None
    infinite: float = 0.0
    cut: float = 0.0
    """What was left out of the atoms, of P and of Q: an upper bound counts it as infinite, a lower one not at all."""
    forward: Callable[[Reals], Reals] = _same
    backward: Callable[[Reals], Reals] = _same
    log_weight: Callable[[Reals], Reals] = _zeros

    def nodes(self, depth: float, *, breaks: Reals | None = None) -> tuple[Reals, Reals]:
        """Losses and masses that stand for the law; see `log_nodes`."""
        losses, logs = self.log_nodes(depth, breaks=breaks)
        return losses, np.exp(logs)

    def atoms(self) -> tuple[Reals, Reals]:
        """The losses and log-masses of the atoms, as subsampling leaves them."""
        return self.forward(self.losses), self.log_masses + self.log_weight(self.losses)

    def hidden(self, depth: float) -> float:
        """How far a log-mass may be off: a few roundings of the largest logarithm that went into it."""
        sizes = np.abs(np.concatenate([self.log_masses, self.losses]))
        ends = self.smooth.interval(depth) if self.smooth is not None else (0.0, 0.0)
        return 2.0**-49 * (1 + float(sizes[np.isfinite(sizes)].max(initial=0.0)) + max(map(abs, ends)))

    def log_nodes(self, depth: float, *, breaks: Reals | None = None, width: float = math.inf) -> tuple[Reals, Reals]:
        """Losses and log-masses: of the atoms, and of a three-point Gauss rule on short pieces.

        The smooth part is cut where exp(-depth) is left. No piece crosses one of the `breaks` (losses after
        mapping) or is longer than `width`.
        """
        losses, logs = self.atoms()
        if self.smooth is None:
            return losses, logs
        low, high = self.smooth.interval(depth)
        longest = min(self.smooth.width, width)
        pieces = np.linspace(low, high, max(8, math.ceil((high - low) / longest)) + 1)
        if breaks is not None:
            with np.errstate(invalid="ignore", divide="ignore"):
                preimages = self.backward(breaks)
            inside = preimages[(preimages > low) & (preimages < high)]
            pieces = np.sort(np.concatenate([pieces, inside]))
        half = np.diff(pieces)[:, None] / 2
        x = ((pieces[:-1, None] + half) + half * _GAUSS_X[None, :]).ravel()
        with np.errstate(divide="ignore"):
            lengths = np.log((half * _GAUSS_W[None, :]).ravel())
        heights = self.smooth.log_density(x) + self.log_weight(x)
        return np.concatenate([losses, self.forward(x)]), np.concatenate([logs, heights + lengths])

    def subsampled(self, rate: float, *, removal: bool) -> "LossLaw":
        """The law after Poisson sampling at a rate, from the law of the same direction before it.

        Removing a person compares (1 - q)Q + qP with Q, adding compares P with (1 - q)P + qQ (Zhu, Dong, Wang
        2022, Theorem 11). `removal` says which; the base law is of ln(P/Q) under P in both cases.
        """
        if rate == 1:
            return self
        if removal:
            return LossLaw(
                self.losses,
                self.log_masses,
                self.smooth,
                self.infinite * rate,
                self.cut,
                forward=lambda x: _mixed(x, rate),
                backward=lambda y: _unmixed(y, rate),
                log_weight=lambda x: np.logaddexp(math.log(rate), math.log1p(-rate) - x),
            )
        alone = self.infinite > 0  # where P alone can be, the mixture can be as well: a loss of -ln(1 - q)
        return LossLaw(
            np.append(self.losses, math.inf) if alone else self.losses,
            np.append(self.log_masses, math.log(self.infinite)) if alone else self.log_masses,
            self.smooth,
            0.0,
            self.cut,
            forward=lambda x: -_mixed(-x, rate),
            backward=lambda y: -_unmixed(-y, rate),
        )


_FAR = 700.0  # beyond it e^x leaves the floats


def _mixed(x: Reals, rate: float) -> Reals:
    """ln(1 - q + q·e^x), with full relative precision near 0 and full absolute precision elsewhere."""
    near = (x >= -1) & (x <= _FAR)
    small = (x > _FAR) & (math.log(rate) + x < 0)  # a tiny rate's far end, which is near 0 again
    far = ~(near | small)
    mixed = np.empty(x.shape)  # of floats, though losses may be whole
    mixed[near] = np.log1p(rate * np.expm1(x[near]))
    mixed[small] = np.log1p(np.exp(math.log(rate) + x[small]) - rate)
    mixed[far] = np.logaddexp(math.log1p(-rate), math.log(rate) + x[far])
    return mixed


def _unmixed(y: Reals, rate: float) -> Reals:
    """The x with ln(1 - q + q·e^x) = y, NaN where there is none."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        grown = np.expm1(np.minimum(y, _FAR)) / rate
        near = np.where(grown < 1e15, np.log1p(grown), np.log(np.expm1(np.minimum(y, _FAR))) - math.log(rate))
        far = y - math.log(rate) + np.log1p(-(1 - rate) * np.exp(-np.maximum(y, 1.0)))
    return np.where(y > _FAR, far, near)


_GAUSS_X, _GAUSS_W = np.polynomial.legendre.leggauss(3)


def two_point(epsilon: float, delta: float = 0.0) -> LossLaw:
    """Randomised response: the law that dominates every (ε, δ)-private mechanism (Kairouz, Oh, Viswanath 2015)."""
    epsilon = max(epsilon, LEAST)
    up = math.log1p(-delta) - math.log1p(math.exp(-epsilon)) if delta < 1 else -math.inf
    return LossLaw(np.array([epsilon, -epsilon]), np.array([up, up - epsilon]), infinite=delta)


def categorical(epsilon: float, categories: int) -> LossLaw:
    """k-ary randomised response: the true answer with odds e^ε against each other one."""
    epsilon = max(epsilon, LEAST)
    true = -math.log1p((categories - 1) * math.exp(-epsilon))
    if categories == 2:
        return LossLaw(np.array([epsilon, -epsilon]), np.array([true, true - epsilon]))
    same = math.log(categories - 2) + true - epsilon
    return LossLaw(np.array([epsilon, 0.0, -epsilon]), np.array([true, same, true - epsilon]))


def laplace(epsilon: float) -> LossLaw:
    """Laplace noise of scale Δ/ε: half the mass at ε, ½e^-ε at -ε, density ¼·exp(-(ε - ℓ)/2) between."""
    epsilon = max(epsilon, LEAST)
    return LossLaw(
        np.array([epsilon, -epsilon]),
        np.array([-math.log(2), -math.log(2) - epsilon]),
        Smooth(
            log_density=lambda x: math.log(0.25) + (x - epsilon) / 2,
            interval=lambda depth: (-epsilon, epsilon),
            width=0.125,
        ),
    )


def gaussian(mu: float) -> LossLaw:
    """Gaussian noise with Δ/σ = μ: the loss is normal with mean μ²/2 and variance μ²."""
    mu = max(mu, LEAST)
    mean = mu * mu / 2

    def interval(depth: float) -> tuple[float, float]:
        reach = mu * math.sqrt(2 * depth)  # Pr[N > z] ≤ exp(-z²/2)/2
        return -mean - reach, mean + reach

    return LossLaw(
        smooth=Smooth(
            log_density=lambda x: -(((x - mean) / mu) ** 2) / 2 - math.log(mu * _SQRT_2PI),
            interval=interval,
            width=mu / 16,
            depth_of_order=lambda order: (order * mu + 9) ** 2 / 2,  # the peak moves by order·μ²
        )
    )


def geometric(epsilon: float, sensitivity: int) -> LossLaw:
    """Discrete Laplace noise of scale Δ/ε for an integer that moves by Δ: losses ε·(Δ - 2x)/Δ, 0 ≤ x ≤ Δ."""
    epsilon = max(epsilon, LEAST)
    rate = epsilon / sensitivity
    both_sides = math.log1p(math.exp(-rate))
    x = np.arange(sensitivity + 1)
    logs = -rate * x + math.log(-math.expm1(-rate)) - both_sides
    logs[0] = -both_sides  # all x ≤ 0
    logs[-1] = -epsilon - both_sides  # all x ≥ Δ
    return LossLaw(rate * (sensitivity - 2.0 * x), logs)


_LEAST_TAIL = 1e-40


def discrete_gaussian(sigma: float, sensitivity: int) -> LossLaw:
    """Discrete Gaussian noise for an integer that moves by Δ: losses Δ·(Δ - 2x)/(2σ²)."""
    reach = math.ceil(sigma * math.sqrt(-2 * math.log(_LEAST_TAIL))) + sensitivity + 1
    x = np.arange(-reach, reach + 1)
    logs = -(x.astype(np.float64) ** 2) / (2 * sigma * sigma)
    losses = sensitivity * (sensitivity - 2.0 * x) / (2 * sigma * sigma)
    return LossLaw(losses, logs - math.log(math.fsum(np.exp(logs))), cut=2 * _LEAST_TAIL)


def censored_geometric(epsilon: float, bound: int) -> LossLaw:
    """Discrete Laplace noise clipped to ±B around a count that moves by one (errata B6): B is hit by one side only."""
    both_sides = math.log1p(math.exp(-epsilon))
    inner = math.log(-math.expm1(-epsilon)) - both_sides - epsilon * np.abs(np.arange(-bound, bound + 1))
    inner[[0, -1]] = -epsilon * bound - both_sides
    alone = max(math.exp(float(inner[0])), 5e-324)  # the other count's noise begins one further up
    return LossLaw(inner[1:] - inner[:-1], inner[1:], infinite=alone)
