"""Noise added to exact answers: what every additive mechanism shares."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Self, overload

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting.events import Event
from sfumato.core import Accuracy, Norm, Sensitivity
from sfumato.exact.bits import BitSource, source
from sfumato.exact.parameters import Real, Size, open_probability, positive
from sfumato.exact.rounding import up
from sfumato.exact.sampler import Draws
from sfumato.mechanisms.answers import Answer, AnswerMove, AnswerRow, Answers, Noisy, add

_SLACK = 1 + 1e-12  # covers the roundings of a logarithm and a product


def log_inverse(p: Fraction) -> float:
    """ln(1/p), for probabilities far below the smallest float too."""
    return math.log(p.denominator) - math.log(p.numerator)


def least_whole(real: float) -> int:
    """The least whole number from zero on that is surely not below a computed real."""
    return max(0, math.ceil(real * _SLACK))


def stated(alpha: float, beta: Fraction) -> Accuracy:
    """The accuracy statement for an exact beta, which floats hold only rounded up."""
    return Accuracy(alpha, min(up(beta), 1 - 2.0**-53))


class Noise(ABC):
    """A law of whole-numbered noise, with the price of hiding a move of some steps in it."""

    norm: ClassVar[Norm]
    """The norm in which this noise pays for a move."""

    @abstractmethod
    def draw(self, size: Size, bits: BitSource) -> Draws:
        """Exact draws: an int if size is None, else an array."""

    @abstractmethod
    def event(self, move: AnswerMove, *, scalar: bool = True) -> Event:
        """The price of adding it to answers that move so, in the norm the law is made for.

        `scalar` says that there is one answer only.
        """

    def hiding(self, distance: Fraction) -> Event:
        """The price of adding it to one answer that moves by `distance` steps."""
        move = AnswerMove.l2(square=distance**2) if self.norm is Norm.L2 else AnswerMove.l1(distance)
        return self.event(move)

    @abstractmethod
    def reach(self, beta: Fraction) -> int:
        """A whole t, the least or next to it, with Pr[|noise| > t] ≤ beta."""

    @property
    def variance(self) -> float:
        """E[noise²], to nine digits."""
        raise NotImplementedError(f"{type(self).__name__} does not say how wide it is")

    def transform(self, angles: NDArray[np.float64]) -> NDArray[np.float64]:
        """E[exp(i·angle·noise)], which is real as the noise is symmetric, to nine digits."""
        raise NotImplementedError(f"{type(self).__name__} does not say its transform")

    def tail(self, k: int) -> float:
        """Pr[noise ≥ k] for k ≥ 1, to nine digits; the noise is symmetric around zero."""
        raise NotImplementedError(f"{type(self).__name__} does not say how often it is large")


@dataclass(frozen=True, kw_only=True)
class Additive(ABC):
    """Answers plus independent noise: an output from data, declared parameters and random bits (Survey Definition 3.1).

    `sensitivity` is that of the caller's answers. Without a `grid` answers are whole numbers; with one they are reals,
    placed on it. `dimension` is None for a single answer, else the number of answers released at once.
    """

    norm: ClassVar[Norm]
    """The norm in which this noise pays for a move."""
    parameter: ClassVar[str]
    """The amount that says how much noise there is: epsilon or sigma."""
    sensitivity: Sensitivity
    grid: Real | None = None
    dimension: int | None = None
    answers: Answers = field(init=False, repr=False, compare=False)
    noise: Noise = field(init=False, repr=False, compare=False)
    event: Event = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        answers = Answers(self.grid, self.dimension)
        object.__setattr__(self, self.parameter, positive(self.parameter, getattr(self, self.parameter)))
        object.__setattr__(self, "grid", answers.grid)
        move = answers.move(self.sensitivity, self.norm)
        object.__setattr__(self, "answers", answers)
        object.__setattr__(self, "noise", self._noise(move))
        object.__setattr__(self, "event", self.noise.event(move, scalar=self.dimension is None))

    @abstractmethod
    def _noise(self, move: AnswerMove) -> Noise:
        """The noise, in steps of the grid, for answers that move so."""

    @overload
    def release(self, exact: Answer, *, bits: BitSource | None = None) -> int | float: ...
    @overload
    def release(self, exact: AnswerRow, *, bits: BitSource | None = None) -> NDArray[Any]: ...
    def release(self, exact: Answer | AnswerRow, *, bits: BitSource | None = None) -> Noisy:
        """Noisy answers of the caller's shape: whole numbers without a grid, floats on the grid with one."""
        steps = self.answers.place(exact)
        return self.answers.give(add(steps, self.noise.draw(self.dimension, source(bits))))

    def error(self, beta: Real) -> Accuracy:
        """No answer is off by more than this, with probability 1 - beta (Survey Theorem 4.2)."""
        fails = open_probability("beta", beta)
        reach = self.noise.reach(fails / self.answers.count)  # a union bound over the answers
        return stated(self.answers.error_of(reach), fails)


@dataclass(frozen=True, kw_only=True)
class Calibrated(Additive, ABC):
    """Additive noise whose least amount for an (ε, δ) is found by asking the accountant."""

    @classmethod
    def calibrated(
        cls,
        *,
        epsilon: Real,
        delta: Real,
        sensitivity: Sensitivity,
        grid: Real | None = None,
        dimension: int | None = None,
    ) -> Self:
        """The mechanism with the least noise that meets (ε, δ)."""
        answers, target = Answers(grid, dimension), (positive("epsilon", epsilon), open_probability("delta", delta))
        least = cls._least(*target, move=answers.move(sensitivity, cls.norm), answers=answers)
        return cls(**least, sensitivity=sensitivity, grid=grid, dimension=dimension)

    @classmethod
    @abstractmethod
    def _least(cls, epsilon: Fraction, delta: Fraction, *, move: AnswerMove, answers: Answers) -> dict[str, Any]:
        """The parameters of the least noise that meets (ε, δ)."""
