"""A composition under an exponential tilt, and the δ that is read off its tail."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sfumato.accounting.losslaw import Reals

_FALL = 60.0  # a decay of e^-60 is left out, and allowed for


@dataclass(frozen=True, slots=True)
class Tilted:
    """A composition under an exponential tilt θ: the tilted masses around the losses that decide δ."""

    theta: float
    log_mgf: float
    first: float
    step: float
    masses: Reals
    slack: float
    """What wrapping and cutting may hide, as tilted mass."""
    noise: float
    """The 2-norm of what rounding may have done to the masses."""

    def loss(self, i: int) -> float:
        """The loss of a mass."""
        return self.first + i * self.step

    def exponent(self, loss: float, sign: int) -> float:
        """K - θℓ, rounded up or down: the two may be large and nearly equal."""
        return self.log_mgf - self.theta * loss + sign * 2.0**-48 * (abs(self.log_mgf) + self.theta * abs(loss))


class Tail:
    """δ at the losses of a tilted composition beside a target, all terms positive and none out of the floats' range.

    δ(ℓ_i) = e^(K - θℓ_i)·Σ_k t_{i+k}·e^(-θkh)·(1 - e^(-kh)). `sign` is 1 for an upper bound, which adds the slack,
    and -1 for a lower one.
    """

    def __init__(self, tilted: Tilted, log_target: float, *, sign: int) -> None:
        self._tilted, self._log_target, self._sign = tilted, log_target, sign
        size = min(len(tilted.masses), math.ceil(_FALL / (tilted.theta * tilted.step))) + 1
        self._fall = _powers(math.exp(-tilted.theta * tilted.step), size)  # e^(-θkh)
        self._both = self._fall * _complements(tilted.step, size)  # e^(-θkh)·(1 - e^(-kh))
        # no weight is above 1; roundings are weighed together, by Cauchy and Schwarz
        self._slack = tilted.slack + math.exp(-_FALL) + tilted.noise * length(self._both)
        # each term is a product of some twenty roundings, and a dot of N positive terms rounds by less than N
        self._rounding = sign * (size + 64) * 2.0**-52

    def gap(self, i: int) -> float:
        """ln δ - ln target at the i-th loss, rounded to the bound's side; it falls with i."""
        found = self._sum(i, self._both) * (1 + self._rounding) + self._sign * self._slack
        return math.log(found) + self._unit(i) if found > 0 else -math.inf

    def between(self, i: int) -> float:
        """Where δ meets the target above the i-th loss, or below all (-1): S1 - e^ε·S2 over the losses above.

        The weights of the losses are then smaller than at the i-th loss itself, so its slack covers them.
        """
        above = self._sum(i, self._fall) * (1 + self._rounding) + self._sign * self._slack
        # e^(-(k-1)h), told from the next loss: e^(-kh) leaves the floats where the step is large
        decay = np.append(1.0, _powers(math.exp(-self._tilted.step), len(self._fall) - 1))
        damped = self._sum(i, self._fall * decay) * (1 - self._rounding)
        excess = above - math.exp(min(700.0, -self._unit(i)))
        if excess <= 0:
            return -math.inf
        if damped < 1e-280:  # too little to divide by
            return math.inf if self._sign > 0 else self._tilted.loss(i)
        return self._tilted.loss(i + 1) + math.log(excess / damped)

    def weighed(self, i: int) -> bool:
        """Whether mass and not what rounding may hide decides at the i-th loss."""
        return self._slack < 1e-5 * math.exp(min(700.0, -self._unit(i)))

    def last(self, holds: Callable[[int], bool]) -> int:
        """The last place at which something holds that holds up to a place and not beyond, or -1."""
        low, high = -1, len(self._tilted.masses)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if holds(middle) else (low, middle)
        return low

    def _sum(self, i: int, weights: Reals) -> float:
        part = self._tilted.masses[i + 1 : i + len(weights)]
        return float(np.einsum("i,i->", part, weights[1 : len(part) + 1]))  # as fast as a dot, on one thread

    def _unit(self, i: int) -> float:
        return self._tilted.exponent(self._tilted.loss(i), self._sign) - self._log_target


def _powers(base: float, size: int) -> Reals:
    """base**k for k < size, by products of two short tables."""
    width = math.isqrt(size) + 1
    low, high = base ** np.arange(width, dtype=np.float64), (base**width) ** np.arange(width + 1, dtype=np.float64)
    table: Reals = (high[:, None] * low[None, :]).ravel()[:size]
    return table


def _complements(step: float, size: int) -> Reals:
    """1 - e^(-kh) for k < size, by 1 - ab = (1 - a) + a·(1 - b): no digit is lost where kh is small."""
    width = math.isqrt(size) + 1
    low, high = -np.expm1(-step * np.arange(width)), -np.expm1(-step * width * np.arange(width + 1))
    table: Reals = (high[:, None] + (1 - high)[:, None] * low[None, :]).ravel()[:size]
    return table


def length(weights: Reals) -> float:
    """The 2-norm, on one thread."""
    return math.sqrt(float(np.einsum("i,i->", weights, weights)))
