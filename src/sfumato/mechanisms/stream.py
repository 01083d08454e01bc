"""The engine of the sparse vector technique: questions one at a time or by the array, state kept, refusal at the end.

Answers are compared with a noisy threshold after noise of their own. Only "above" costs privacy, so a run is a list
of stages, each with fresh noise on the threshold, a number of ⊤ after which it ends, and perhaps a number of
questions. After its last stage a run is halted: to go on is to hand out what was not paid for (errata A1).

Each query may have a public threshold of its own: q - T moves between neighbours as q does, so q - T is compared with
the noise that the common threshold would have had, and the price is the same (Survey §6.1).
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from threading import Lock
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting.events import Event
from sfumato.core import Accuracy, Norm, Sensitivity
from sfumato.errors import Halted, InvalidParameter
from sfumato.exact.bits import BitSource, source
from sfumato.exact.parameters import Real, amount, open_probability, whole
from sfumato.exact.sampler import Integers, objects
from sfumato.mechanisms.additive import Noise, stated
from sfumato.mechanisms.answers import Answers, add, as_array

Row = NDArray[np.bool_] | list[int | float | None]
"""Whether each query is above; from numeric mechanisms a number for each that is, None for each that is not."""

_BLOCK = 4096


@dataclass(frozen=True, slots=True)
class Stage:
    """A stretch with one noisy threshold: it ends after `cutoff` ⊤, or after `length` questions."""

    cutoff: int
    length: int | None = None


@dataclass(frozen=True, kw_only=True)
class SparseTechnique(ABC):
    """What every member of the family shares: a threshold in the caller's unit, answers, and a run.

    `sensitivity` is that of each single query (Survey Definition 9.8). Without a `grid` answers are whole numbers, with
    one reals placed on it.
    """

    threshold: Real
    sensitivity: Sensitivity
    grid: Real | None = None
    answers: Answers = field(init=False, repr=False, compare=False)
    moved: Fraction = field(init=False, repr=False, compare=False)
    level: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        answers = Answers(self.grid)
        object.__setattr__(self, "answers", answers)
        object.__setattr__(self, "moved", answers.move(self.sensitivity, Norm.LINF).distance)
        object.__setattr__(self, "grid", answers.grid)
        object.__setattr__(self, "level", self.level_of(self.threshold))
        object.__setattr__(self, "threshold", amount("threshold", self.threshold))

    @property
    @abstractmethod
    def event(self) -> Event:
        """The price of a whole run, however many questions are asked in it."""

    @property
    @abstractmethod
    def noises(self) -> tuple[Noise, Noise]:
        """The noise of the threshold, and that of each query."""

    @property
    @abstractmethod
    def stages(self) -> tuple[Stage, ...]:
        """The stages of a run."""

    @property
    def value_noise(self) -> Noise | None:
        """The noise of a released value, where values are released."""
        return None

    def prepared(self, steps: Integers) -> Integers:
        """The placed answers as they are compared."""
        return steps

    def level_of(self, threshold: Real) -> int:
        """A threshold in steps."""
        exact = amount("threshold", threshold)
        if self.grid is None and exact.denominator != 1:
            raise InvalidParameter("threshold", "must be a whole number", threshold)
        return self.answers.place_one(exact if self.grid else exact.numerator)

    def own_level_of(self, threshold: Real) -> int:
        """A threshold of one query's own in steps, if the price allows it."""
        return self.level_of(threshold)

    def levels_of(self, thresholds: Sequence[Real] | None, count: int) -> list[int] | None:
        """The thresholds of a row of queries in steps; None if they all have the mechanism's own."""
        if thresholds is None:
            return None
        given: object = thresholds
        if not isinstance(given, Sequence | np.ndarray) or isinstance(given, str) or len(given) != count:
            raise InvalidParameter("thresholds", f"must be one for each of {count} queries, got", type(given))
        return [self.own_level_of(threshold) for threshold in given]

    def start(self, *, bits: BitSource | None = None) -> "Run":
        """A run, to be asked one question at a time; the price is due now."""
        return Run(self, source(bits))

    def release(self, exact: Any, *, thresholds: Sequence[Real] | None = None, bits: BitSource | None = None) -> Row:
        """The answers to a row of queries, up to the one after which the mechanism halts.

        `thresholds` are public, one for each query, and stand for the mechanism's own.
        """
        steps = self.row(exact)
        levels = self.levels_of(thresholds, len(steps))
        return self.start(bits=bits)._answer(steps, levels)  # pyright: ignore[reportPrivateUsage]

    def row(self, exact: Any) -> Integers:
        """A row of answers in steps, checked before anything is drawn."""
        array = as_array("exact", exact)
        if array.ndim != 1:
            raise InvalidParameter("exact", "must be one row of answers, got shape", array.shape)
        if not len(array):
            raise InvalidParameter("exact", "must hold at least one answer, got", "none")
        return Answers(self.grid, len(array)).place_row(exact)

    def error(self, beta: Real, *, queries: int | None = None) -> Accuracy:
        """With probability 1 - beta every ⊤ is at least T - α and every ⊥ at most T + α (Survey Definition 6.2).

        `queries` is how many will be asked; it may be left out where the mechanism has a length.
        """
        fails, lengths = open_probability("beta", beta), [stage.length for stage in self.stages]
        known = sum(length or 0 for length in lengths) if all(lengths) else None
        if queries is None and known is None:
            raise InvalidParameter("queries", "must be given where there is no length", queries)
        count = whole("queries", known if queries is None else queries, least=1)
        threshold, query = self.noises
        steps = threshold.reach(fails / 2 / len(self.stages)) + query.reach(fails / 2 / count)
        placing = 0.0 if self.grid is None else 0.5  # of the threshold; error_of adds that of the answer
        return stated(self.answers.error_of(steps) + placing * float(self.answers.step), fails)


class Run:
    """One run of a sparse mechanism: it keeps a secret threshold, and can be neither copied nor carried over a fork."""

    def __init__(self, mechanism: SparseTechnique, bits: BitSource) -> None:
        self._mechanism, self._bits = mechanism, bits
        self._process, self._lock = os.getpid(), Lock()
        self._stages = list(mechanism.stages)
        self._asked = self._above = 0
        self._threshold = self._fresh()

    def __repr__(self) -> str:
        return f"<run of {type(self._mechanism).__name__}: {'halted' if self.halted else 'open'}>"

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        raise Halted("a run cannot be copied: two copies would answer more than was paid for", hint="start a new run")

    @property
    def halted(self) -> bool:
        """Whether the run has given all its answers."""
        return not self._stages

    def ask(self, exact: Any, *, threshold: Real | None = None) -> bool | int | float | None:
        """The answer to one query: True for ⊤, False for ⊥; from numeric mechanisms a number for ⊤, None for ⊥.

        `threshold` is the query's own, and public; without it the mechanism's counts.
        """
        steps = objects([self._mechanism.answers.place_one(exact)])
        answer = self._answer(steps, None if threshold is None else [self._mechanism.own_level_of(threshold)])[0]
        return bool(answer) if self._mechanism.value_noise is None else answer

    def ask_all(self, exact: Any, *, thresholds: Sequence[Real] | None = None) -> Row:
        """The answers to a row of queries until the run halts: bools in an array, or a list of numbers and None."""
        steps = self._mechanism.row(exact)
        return self._answer(steps, self._mechanism.levels_of(thresholds, len(steps)))

    def _answer(self, steps: Integers, levels: list[int] | None = None) -> Row:
        """The answers to placed queries, each against its own threshold if there are such."""
        with self._lock:
            self._open()
            steps = compared = self._mechanism.prepared(steps)
            if levels is not None:  # q ≥ T_i + noise as q + T - T_i ≥ T + noise
                compared = add(steps, objects(self._mechanism.level - level for level in levels))
            above = self._compare(compared)
            noise = self._mechanism.value_noise
            if noise is None:
                return above
            return [self._value(int(steps[i]), noise) if top else None for i, top in enumerate(above.tolist())]

    def _open(self) -> None:
        if os.getpid() != self._process:
            raise Halted("a run cannot be carried over a fork: two processes would answer from one price")
        if self.halted:
            raise Halted("the run has given all the answers it was priced for", hint="start a new run at a new price")

    def _value(self, steps: int, noise: Noise) -> int | float:
        return self._mechanism.answers.give(add(steps, noise.draw(None, self._bits)))

    def _fresh(self) -> int:
        return self._mechanism.level + int(self._mechanism.noises[0].draw(None, self._bits))

    def _compare(self, steps: Integers) -> NDArray[np.bool_]:
        """Whether each answer is above, for as many as the stages allow."""
        n, at = len(steps), 0
        noisy = add(steps, self._mechanism.noises[1].draw(n, self._bits))
        out = np.zeros(n, dtype=np.bool_)
        while at < n and self._stages:
            stage = self._stages[0]
            stop = n if stage.length is None else min(n, at + stage.length - self._asked)
            top = _first(noisy, at, stop, self._threshold)
            self._asked += min(top + 1, stop) - at
            at = min(top + 1, stop)
            if top < stop:
                out[top] = True
                self._above += 1
            if self._above == stage.cutoff or self._asked == stage.length:
                self._next()
        return out[:at]

    def _next(self) -> None:
        self._stages.pop(0)
        self._asked = self._above = 0
        self._threshold = self._fresh() if self._stages else 0


def _first(noisy: Integers, start: int, stop: int, threshold: int) -> int:
    """The first place from start on that is not below the threshold, or stop."""
    at, size = start, _BLOCK
    while at < stop:  # in growing blocks, so that a near ⊤ costs little and a far one few of them
        above = noisy[at : min(stop, at + size)] >= threshold
        place = int(above.argmax())
        if above[place]:
            return at + place
        at, size = at + size, min(2 * size, 16 * _BLOCK)
    return stop
