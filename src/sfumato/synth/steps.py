"""How a model takes in a measured answer: multiplicative weights, or proportional fitting.

Let p be the shares of the truth in the cells, A a model's, a = q(A), p_q = q(p), and m a measured share. The progress
of a step is how much nearer it brings the model to the truth, in KL(p‖A), which is at most ln|χ| for the uniform model
and never negative. Both steps promise, for v = p_q - a and a measurement that is off by r = |m - p_q|:

- multiplicative: A ← A·exp(4(m - a)q)/Z. The progress is η(p_q - a) - ln E_A[exp(η(q - a))] with η = 4(m - a), at least
  ηv - η²/8 by Hoeffding's lemma for weights in [0, 1], which is 2v² - 2(v - (m - a))² = 2(v² - r²).
- proportional: cells in the set by m/a, the others by (1 - m)/(1 - a). The progress is kl(p_q‖a) - kl(p_q‖m), at least
  2v² by Pinsker's inequality less r²/(m(1 - m)), the χ² distance; m is kept away from 0 and 1 by a floor.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_TINY = 1e-300


class ModelStep(ABC):
    """One way to take in what was measured of some queries; works on the weights of a model, in place."""

    @abstractmethod
    def loss(self, *, off: Fraction, scale: Fraction, people: Fraction) -> Fraction | None:
        """The most that a step may undo of KL(p‖A), if what is measured is off by so many people; None if unknown.

        `scale` is that of the noise.
        """

    @abstractmethod
    def fit(self, weights: Floats, cells: NDArray[np.int64], measured: Floats, *, floor: float) -> None:
        """Take in counts of disjoint sets: `cells` says for every member in which it is, -1 for none."""

    @abstractmethod
    def take(self, weights: Floats, query: Floats, measured: float, *, floor: float) -> None:
        """Take in the answer to one query with weights in [0, 1]; the weights keep their sum."""


@dataclass(frozen=True, slots=True)
class MultiplicativeStep(ModelStep):
    """Weights times exp(4(m - a)q), for any linear query (Hardt, Rothblum 2010; the rate is by Hoeffding's lemma).

    >>> weights = np.array([2.0, 2.0])
    >>> MultiplicativeStep().take(weights, np.array([1.0, 0.0]), 3.0, floor=0.0)
    >>> weights.round(3).tolist()
    [2.924, 1.076]
    """

    def loss(self, *, off: Fraction, scale: Fraction, people: Fraction) -> Fraction:
        """2r²."""
        return 2 * (off / people) ** 2

    def take(self, weights: Floats, query: Floats, measured: float, *, floor: float) -> None:
        """The step, after which the weights have the same sum."""
        people = float(weights.sum())
        short = (measured - float(query @ weights)) / people
        rate = 4 * float(np.clip(short, -1, 1))
        weights *= np.exp(rate * (query - (query.max() if rate > 0 else query.min())))
        weights *= people / max(float(weights.sum()), _TINY)

    def fit(self, weights: Floats, cells: NDArray[np.int64], measured: Floats, *, floor: float) -> None:
        """The sets one after the other."""
        for place, count in enumerate(measured.tolist()):
            self.take(weights, (cells == place).astype(np.float64), count, floor=floor)


@dataclass(frozen=True, slots=True)
class ProportionalStep(ModelStep):
    """Weights in proportion to what was measured: iterative proportional fitting, for queries that count sets.

    >>> weights = np.array([2.0, 2.0])
    >>> ProportionalStep().take(weights, np.array([1.0, 0.0]), 3.0, floor=0.0)
    >>> weights.tolist()
    [3.0, 1.0]
    """

    def loss(self, *, off: Fraction, scale: Fraction, people: Fraction) -> Fraction | None:
        """(r + s)²/(s(1 - s)) with the floor at the scale s of the noise, both as shares; the floor moves m by s."""
        if 2 * scale >= people:
            return None
        return (off + scale) ** 2 / (scale * (people - scale))

    def take(self, weights: Floats, query: Floats, measured: float, *, floor: float) -> None:
        """The set brought to its count, and at most within the floor of none or all."""
        people = float(weights.sum())
        low = min(floor, people / 2)
        kept = min(max(measured, low), people - low)
        self.fit(weights, np.where(query > 0, 0, -1), np.array([kept]), floor=0.0)

    def fit(self, weights: Floats, cells: NDArray[np.int64], measured: Floats, *, floor: float) -> None:
        """Every set, and the rest, brought to its count; none is brought below the floor, or to all."""
        people = float(weights.sum())
        outside = bool((cells < 0).any())
        parts = len(measured) + outside
        low = min(floor, people / max(parts, 1))
        now = np.bincount(cells + 1, weights=weights, minlength=len(measured) + 1)[0 if outside else 1 :]
        goal = np.maximum(measured, low)
        if outside:
            goal = np.concatenate([[max(people - float(goal.sum()), low)], goal])
        goal *= people / float(goal.sum())
        ratio = np.where(now > 0, goal / np.maximum(now, _TINY), 1.0)
        weights *= ratio[cells + outside]
        weights *= people / max(float(weights.sum()), _TINY)
