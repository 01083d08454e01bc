"""The law of the privacy loss of one application: what a privacy-loss distribution is made from.

For neighbours with output laws P and Q the loss is ℓ = ln(P/Q) of an outcome drawn from P (Survey Definition
3.6). A law has atoms, at most one smooth part, and a mass at infinity; one event has a law for each direction
in which neighbours can be taken.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[Any]
_SQRT_2PI = math.sqrt(2 * math.pi)


def _same(x: Reals) -> Reals:
    return x


def _zeros(x: Reals) -> Reals:
    return np.zeros_like(x)


@dataclass(frozen=True, slots=True)
class Smooth:
    """A density over base losses, truncated where P and Q together have no more than the asked-for tail."""

    log_density: Callable[[Reals], Reals]
    interval: Callable[[float], tuple[float, float]]
    """The base losses that carry all but exp(-L) of the mass, at either end, of P and of Q, for a given L."""
    width: float
    """A length over which the density is smooth enough for a quadrature of a few points."""


@dataclass(frozen=True, slots=True)
class LossLaw:
    """Atoms (losses and masses under P), a smooth part and a mass at infinity; `mapped` follows subsampling."""

    losses: Reals = field(default_factory=lambda: np.zeros(0))
    masses: Reals = field(default_factory=lambda: np.zeros(0))
    smooth: Smooth | None = None
    infinite: float = 0.0
    forward: Callable[[Reals], Reals] = _same
    backward: Callable[[Reals], Reals] = _same
    log_weight: Callable[[Reals], Reals] = _zeros

    def spread(self) -> float:
        """About the standard deviation of the loss, to choose a grid by."""
        losses, masses = self.nodes(20.0)
        total = float(masses.sum())
        if total <= 0:
            return 1e-150
        mean = float((losses * masses).sum() / total)
        return math.sqrt(max(float(((losses - mean) ** 2 * masses).sum() / total), 1e-300))

    def nodes(self, depth: float, *, breaks: Reals | None = None) -> tuple[Reals, Reals]:
        """Losses and masses that stand for the law; see `log_nodes`."""
        losses, logs = self.log_nodes(depth, breaks=breaks)
        return losses, np.exp(logs)

    def log_nodes(self, depth: float, *, breaks: Reals | None = None, width: float = math.inf) -> tuple[Reals, Reals]:
        """Losses and log-masses: of the atoms, and of a three-point Gauss rule on short pieces.

        The smooth part is cut where exp(-depth) is left. No piece crosses one of the `breaks` (losses after
        mapping) or is longer than `width`.
        """
        with np.errstate(divide="ignore"):
            logs = np.log(self.masses) + self.log_weight(self.losses)
        losses = self.forward(self.losses)
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
                self.masses,
                self.smooth,
                self.infinite * rate,
                forward=lambda x: _mixed(x, rate),
                backward=lambda y: _unmixed(y, rate),
                log_weight=lambda x: np.logaddexp(math.log(rate), _log(1 - rate) - x),
            )
        return LossLaw(
            self.losses,
            self.masses,
            self.smooth,
            0.0 if rate < 1 else self.infinite,
            forward=lambda x: -_mixed(-x, rate),
            backward=lambda y: -_unmixed(-y, rate),
        )


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf


_FAR = 30.0  # beyond it e^x is taken out of the logarithm, where it cannot overflow


def _mixed(x: Reals, rate: float) -> Reals:
    """ln(1 - q + q·e^x), with full relative precision near 0."""
    near = np.log1p(rate * np.expm1(np.minimum(x, _FAR)))
    return np.where(x > _FAR, x + math.log(rate) + np.log1p((1 - rate) / rate * np.exp(-np.maximum(x, _FAR))), near)


def _unmixed(y: Reals, rate: float) -> Reals:
    """The x with ln(1 - q + q·e^x) = y, NaN where there is none."""
    near = np.log1p(np.expm1(np.minimum(y, _FAR)) / rate)
    return np.where(y > _FAR, y - math.log(rate) + np.log1p(-(1 - rate) * np.exp(-np.maximum(y, _FAR))), near)


_GAUSS_X, _GAUSS_W = np.polynomial.legendre.leggauss(3)


def two_point(epsilon: float, delta: float = 0.0) -> LossLaw:
    """Randomised response: the law that dominates every (ε, δ)-private mechanism (Kairouz, Oh, Viswanath 2015)."""
    up = 1 / (1 + math.exp(-epsilon))
    rest = 1 - delta
    return LossLaw(np.array([epsilon, -epsilon]), np.array([rest * up, rest * (1 - up)]), infinite=delta)


def categorical(epsilon: float, categories: int) -> LossLaw:
    """k-ary randomised response: the true answer with odds e^ε against each other one."""
    true = 1 / (1 + (categories - 1) * math.exp(-epsilon))
    other = true * math.exp(-epsilon)
    masses = np.array([true, (categories - 2) * other, other])
    return LossLaw(np.array([epsilon, 0.0, -epsilon]), masses)


def laplace(epsilon: float) -> LossLaw:
    """Laplace noise of scale Δ/ε: half the mass at ε, ½e^-ε at -ε, density ¼·exp(-(ε - ℓ)/2) between."""
    return LossLaw(
        np.array([epsilon, -epsilon]),
        np.array([0.5, 0.5 * math.exp(-epsilon)]),
        Smooth(
            log_density=lambda x: math.log(0.25) + (x - epsilon) / 2,
            interval=lambda depth: (-epsilon, epsilon),
            width=0.125,
        ),
    )


def gaussian(mu: float) -> LossLaw:
    """Gaussian noise with Δ/σ = μ: the loss is normal with mean μ²/2 and variance μ²."""
    mean = mu * mu / 2

    def interval(depth: float) -> tuple[float, float]:
        reach = mu * math.sqrt(2 * depth)  # Pr[N > z] ≤ exp(-z²/2)/2
        return -mean - reach, mean + reach

    return LossLaw(
        smooth=Smooth(
            log_density=lambda x: -(((x - mean) / mu) ** 2) / 2 - math.log(mu * _SQRT_2PI),
            interval=interval,
            width=mu / 16,
        )
    )


def geometric(epsilon: float, sensitivity: int) -> LossLaw:
    """Discrete Laplace noise of scale Δ/ε for an integer that moves by Δ: losses ε·(Δ - 2x)/Δ, 0 ≤ x ≤ Δ."""
    rate = epsilon / sensitivity
    ratio = math.exp(-rate)
    x = np.arange(sensitivity + 1)
    masses = np.exp(-rate * x) * (1 - ratio) / (1 + ratio)
    masses[0] = 1 / (1 + ratio)  # all x ≤ 0
    masses[-1] = math.exp(-epsilon) / (1 + ratio)  # all x ≥ Δ
    return LossLaw(rate * (sensitivity - 2.0 * x), masses)


def discrete_gaussian(sigma: float, sensitivity: int, tail: float = 1e-40) -> LossLaw:
    """Discrete Gaussian noise for an integer that moves by Δ: losses Δ·(Δ - 2x)/(2σ²)."""
    reach = math.ceil(sigma * math.sqrt(2 * math.log(1 / tail))) + sensitivity + 1
    x = np.arange(-reach, reach + 1)
    weights = np.exp(-(x.astype(np.float64) ** 2) / (2 * sigma * sigma))
    losses = sensitivity * (sensitivity - 2.0 * x) / (2 * sigma * sigma)
    return LossLaw(losses, weights / math.fsum(weights), infinite=2 * tail)


def censored_geometric(epsilon: float, bound: int) -> LossLaw:
    """Discrete Laplace noise clipped to ±B around a count that moves by one (errata B6): B is hit by one side only."""
    ratio = math.exp(-epsilon)
    ks = np.arange(-bound, bound + 1)
    masses = (1 - ratio) / (1 + ratio) * np.exp(-epsilon * np.abs(ks))
    masses[[0, -1]] = math.exp(-epsilon * bound) / (1 + ratio)
    shifted = np.concatenate([[0.0], masses[:-1]])  # Q: the same around the count plus one
    inside = (shifted > 0) & (masses > 0)
    lone = float(masses[shifted == 0].sum())
    return LossLaw(np.log(masses[inside] / shifted[inside]), masses[inside], infinite=lone)
