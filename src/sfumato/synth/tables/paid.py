"""The purse of a stage: noise is handed out for what it costs, summed exactly, and never beyond the stage's share.

Gaussian noise of deviation σ on an answer that one person moves by Δ costs (Δ/σ)². Answers with independent noise are
one Gaussian answer whose costs add up, and stages that look at earlier ones compose as Gaussian mechanisms do: what is
spent in all is one Gaussian mechanism with μ² = Σ(Δ/σ)² (Dong, Roth, Su 2019, Corollary 2), as each stage's share is
fixed before any of them begins.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.errors import BudgetExceeded
from sfumato.exact.bits import BitSource
from sfumato.exact.grid import rounded_gaussian
from sfumato.exact.rounding import sqrt_up
from sfumato.exact.sampler import Integers
from sfumato.mechanisms import GaussianNoise
from sfumato.mechanisms.answers import add
from sfumato.synth.tables.shape import Marginal

_STEPS = 2**20
_FAST = 28  # bits of a deviation within which nearly every draw is decided in floats


@dataclass(frozen=True, slots=True)
class Handed:
    """Noise that was handed out, and the squared distance by which one person moves what it hides."""

    noise: GaussianNoise
    squared_move: int

    @property
    def cost(self) -> Fraction:
        """(Δ/σ)², exactly."""
        return self.squared_move / self.noise.sigma**2


def step_of(sigma: Fraction) -> int:
    """What answers with noise of a deviation are rounded to: whole numbers, or coarser where those are drawn slowly.

    A real normal is added before anything is rounded, so that is post-processing at any step (Survey Proposition 3.7).
    Rounding the noise by itself instead would let out what an exact answer is beyond the step.

    >>> step_of(Fraction(1000)), step_of(Fraction(2**40))
    (1, 8192)
    """
    return 1 << max(0, int(sigma).bit_length() - _FAST)


class Purse:
    """What a stage may spend; each `pay` draws, and keeps what was handed out."""

    def __init__(self, share: Fraction) -> None:
        self._share = share
        self.handed: list[Handed] = []

    @property
    def spent(self) -> Fraction:
        """What was handed out so far costs together."""
        return sum((each.cost for each in self.handed), Fraction(0))

    def pay(self, exact: Integers, noise: GaussianNoise, squared_move: int, *, bits: BitSource) -> Integers:
        """The exact answers with noise on them; refused before any is drawn if the share does not hold it."""
        wanted = Handed(noise, squared_move)
        if self.spent + wanted.cost > self._share:
            raise BudgetExceeded("the noise of a stage costs more than its share")
        self.handed.append(wanted)
        step = step_of(noise.sigma)
        if step == 1:
            return add(exact, noise.draw(exact.shape, bits))
        drawn = rounded_gaussian(noise.sigma, center=exact, grid=step, bits=bits)
        return np.asarray(drawn.astype(np.object_) * step)


def affordable(
    wanted: Mapping[Marginal, float], squared_moves: Mapping[Marginal, int], share: Fraction
) -> dict[Marginal, GaussianNoise]:
    """Noises in the wanted proportions that cost a share together and never more: rounded up, in steps of 2**-20.

    >>> found = affordable({(0,): 1.0, (1,): 2.0}, {(0,): 6, (1,): 2}, Fraction(1, 100))
    >>> cost = sum(Handed(found[m], s).cost for m, s in {(0,): 6, (1,): 2}.items())
    >>> 0.00999 < cost <= Fraction(1, 100)
    True
    """
    relative = {marginal: Fraction(max(sigma, 1e-9)) for marginal, sigma in wanted.items()}
    cost = sum((squared_moves[marginal] / sigma**2 for marginal, sigma in relative.items()), Fraction(0))
    factor = Fraction(sqrt_up(cost / share))
    return {
        marginal: GaussianNoise(Fraction(-(-(sigma * factor * _STEPS) // 1), _STEPS))
        for marginal, sigma in relative.items()
    }
