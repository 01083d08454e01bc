"""Guess-and-Check: a guess is kept while it is good and the answer measured when it is not (Survey §9.2).

Whoever has a guess of an answer, such as a model of the data, asks whether it is off by more than a threshold. Only "it
is" costs privacy. A check is made by the sparse vector technique: by NumericSparse, two-sided, under a pure ε; or by
Gaussian noise, as |q(x) - guess| is never negative (Survey Definition 9.10), for any number of questions.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from sfumato.accounting import events
from sfumato.accounting.events import Event
from sfumato.core import Accuracy, Sensitivity
from sfumato.exact.bits import BitSource, source
from sfumato.exact.parameters import Real, open_probability, positive, whole
from sfumato.mechanisms import GaussianNoise, NonNegativeSparseVector, NumericSparse, Run
from sfumato.mechanisms.additive import stated
from sfumato.mechanisms.answers import add
from sfumato.mechanisms.stream import SparseTechnique


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check gives: the guess if it was good, otherwise what was measured."""

    value: int | float
    measured: bool


class CheckRun(ABC):
    """One run of checks, which ends after as many measurements as it was priced for; it cannot be copied."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {'halted' if self.halted else 'open'}>"

    @property
    def halted(self) -> bool:
        """Whether all measurements have been made."""
        return self._run.halted

    @abstractmethod
    def ask(self, exact: Any, guess: Real) -> Checked:
        """The guess, or a noisy answer where the guess is off by about the threshold or more; `exact` is private."""


class GuessCheck(ABC):
    """What checks guesses: its price is fixed before, whatever is asked and however often."""

    @property
    @abstractmethod
    def technique(self) -> SparseTechnique:
        """The sparse vector technique that decides."""

    @property
    @abstractmethod
    def event(self) -> Event:
        """The price of a whole run."""

    @abstractmethod
    def start(self, *, bits: BitSource | None = None) -> CheckRun:
        """A run; the price is due now."""

    @abstractmethod
    def error(self, beta: Real, *, queries: int) -> Accuracy:
        """With probability 1 - beta no measured value is off by more than α, no guess kept that is off by T + α, and
        none given up that is off by less than T - α.
        """


@dataclass(frozen=True, kw_only=True)
class NumericCheck(GuessCheck):
    """Checks by NumericSparse: q(x) - guess and guess - q(x), one after the other (Survey Algorithm 7).

    >>> from sfumato.core import Neighbours
    >>> check = NumericCheck(epsilon=2, cutoff=1, threshold=500, sensitivity=Sensitivity.linf(1, Neighbours()))
    >>> run = check.start()
    >>> run.ask(1000, 1000), run.ask(1000, 3000).measured, run.halted
    (Checked(value=1000, measured=False), True, True)
    """

    epsilon: Real
    threshold: Real
    sensitivity: Sensitivity
    cutoff: int = 1
    delta: Real = 0
    grid: Real | None = None
    _technique: NumericSparse = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        technique = NumericSparse(
            epsilon=self.epsilon,
            delta=self.delta,
            cutoff=self.cutoff,
            threshold=self.threshold,
            sensitivity=self.sensitivity,
            grid=self.grid,
        )
        object.__setattr__(self, "_technique", technique)

    @property
    def technique(self) -> NumericSparse:
        """What decides."""
        return self._technique

    @property
    def event(self) -> Event:
        """That of NumericSparse: both sides are questions of one run."""
        return self.technique.event

    def start(self, *, bits: BitSource | None = None) -> "NumericCheckRun":
        """A run; the price is due now."""
        return NumericCheckRun(self, source(bits))

    def error(self, beta: Real, *, queries: int) -> Accuracy:
        """That of NumericSparse with two questions for each."""
        return self.technique.error(beta, queries=2 * whole("queries", queries, least=1))


class NumericCheckRun(CheckRun):
    """A run of `NumericCheck`."""

    def __init__(self, check: NumericCheck, bits: BitSource) -> None:
        super().__init__(check.technique.start(bits=bits))
        self._answers = check.technique.answers

    def ask(self, exact: Any, guess: Real) -> Checked:
        """Is it above the guess, or else below, by the threshold?"""
        placed = self._answers.place_one(guess)
        short = self._answers.place_one(exact) - placed
        for side in (1, -1):
            found = self._run.ask(self._given(side * short))
            if found is not None:
                return Checked(self._answers.give(placed) + side * found, measured=True)
        return Checked(self._answers.give(placed), measured=False)

    def _given(self, steps: int) -> int | Fraction:
        return steps if self._answers.grid is None else steps * self._answers.step


@dataclass(frozen=True, kw_only=True)
class GuessAndCheck(GuessCheck):
    """Checks by Gaussian noise on |q(x) - guess|, which is never negative; values by Gaussian noise (Survey §9.2).

    >>> from sfumato.core import Neighbours
    >>> check = GuessAndCheck(
    ...     sigma=20, query_sigma=40, value_sigma=10, cutoff=1, threshold=500,
    ...     sensitivity=Sensitivity.linf(1, Neighbours()),
    ... )
    >>> run = check.start()
    >>> run.ask(1000, 1000), run.ask(1000, 3000).measured, run.halted
    (Checked(value=1000, measured=False), True, True)
    """

    sigma: Real
    query_sigma: Real
    value_sigma: Real
    threshold: Real
    sensitivity: Sensitivity
    cutoff: int = 1
    grid: Real | None = None
    _technique: NonNegativeSparseVector = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        technique = NonNegativeSparseVector(
            sigma=self.sigma,
            query_sigma=self.query_sigma,
            cutoff=self.cutoff,
            threshold=self.threshold,
            sensitivity=self.sensitivity,
            grid=self.grid,
        )
        object.__setattr__(self, "_technique", technique)
        object.__setattr__(self, "value_sigma", positive("value_sigma", self.value_sigma))

    @property
    def technique(self) -> NonNegativeSparseVector:
        """What decides."""
        return self._technique

    @property
    def value_noise(self) -> GaussianNoise:
        """The noise of a measured value, in steps."""
        return GaussianNoise(positive("value_sigma", self.value_sigma) / self.technique.answers.step)

    @property
    def event(self) -> Event:
        """Non-negative SVT (Survey Theorem 9.11), and a measurement for each ⊤."""
        measured = self.value_noise.hiding(self.technique.moved)
        return events.Composition([self.technique.event, (measured, self.cutoff)])

    def start(self, *, bits: BitSource | None = None) -> "GuessAndCheckRun":
        """A run; the price is due now."""
        return GuessAndCheckRun(self, source(bits))

    def error(self, beta: Real, *, queries: int) -> Accuracy:
        """Half of beta for the decisions, half for the values."""
        fails = open_probability("beta", beta)
        decided = self.technique.error(fails / 2, queries=whole("queries", queries, least=1))
        steps = self.value_noise.reach(fails / 2 / self.cutoff)
        return stated(max(decided.alpha, math.nextafter(self.technique.answers.error_of(steps), math.inf)), fails)


class GuessAndCheckRun(CheckRun):
    """A run of `GuessAndCheck`."""

    def __init__(self, check: GuessAndCheck, bits: BitSource) -> None:
        super().__init__(check.technique.start(bits=bits))
        self._answers, self._noise, self._bits = check.technique.answers, check.value_noise, bits

    def ask(self, exact: Any, guess: Real) -> Checked:
        """Is it off by the threshold? Then what is it?"""
        placed, steps = self._answers.place_one(guess), self._answers.place_one(exact)
        off = abs(steps - placed)
        if not self._run.ask(off if self._answers.grid is None else off * self._answers.step):
            return Checked(self._answers.give(placed), measured=False)
        return Checked(self._answers.give(add(steps, self._noise.draw(None, self._bits))), measured=True)
