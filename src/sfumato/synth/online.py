"""Private multiplicative weights, online: a model answers while it is good, and what it gets wrong is measured.

Hardt, Rothblum 2010; the sparse vector technique decides (`guess_and_check.py`), so only what was wrong costs privacy,
and the price is fixed before the first question. A wrong answer teaches the model: it can be wrong by much only as
often as there is something to learn, n²·ln|χ|/(2T(T - 2α)) times, however many questions are asked.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from threading import Lock
from typing import Any, SupportsIndex

import numpy as np

from sfumato.accounting import events
from sfumato.accounting.events import Event
from sfumato.core import Accuracy
from sfumato.errors import Halted, InvalidParameter
from sfumato.exact.bits import BitSource, source
from sfumato.exact.parameters import Real, amount, open_probability, whole
from sfumato.exact.rounding import log_up, up
from sfumato.mechanisms.additive import stated
from sfumato.mechanisms.linear import FiniteDomain
from sfumato.synth.databases import Cells, Database, HistogramModel
from sfumato.synth.guess_and_check import Checked, GuessCheck
from sfumato.synth.people import KnownPeople, PeopleCount
from sfumato.synth.steps import MultiplicativeStep
from sfumato.synth.workloads import Workload, data_of

_MOST_CELLS = 2**24


@dataclass(frozen=True, kw_only=True, eq=False)
class OnlineMultiplicativeWeights:
    """Answers to linear queries, one after the other, for one price; it halts when its updates are used up.

    `check` decides when the model is off by too much, and pays for as many updates as its cutoff. Its sensitivity is
    that of one answer, 1, for the neighbours that `people` says. Weights are multiples of the check's grid.

    >>> from sfumato.core import IntegerInterval, Neighbours, Sensitivity
    >>> from sfumato.synth import CountedPeople, HistogramDatabase, NumericCheck, PrefixWorkload
    >>> hours, one = IntegerInterval(0, 23), Sensitivity.linf(1, Neighbours())
    >>> online = OnlineMultiplicativeWeights(
    ...     domain=hours,
    ...     people=CountedPeople(epsilon=0.1),
    ...     check=NumericCheck(epsilon=1, cutoff=3, threshold=2000, sensitivity=one),
    ... )
    >>> run = online.start(HistogramDatabase(hours, {9: 60_000, 17: 40_000}))
    >>> run.ask(PrefixWorkload(hours), 9).measured, run.updates
    (True, 1)
    """

    domain: FiniteDomain
    check: GuessCheck
    people: PeopleCount

    def __post_init__(self) -> None:
        if not isinstance(self.people, PeopleCount):
            raise InvalidParameter(
                "people", "must be known, guessed or counted", self.people, hint="for example KnownPeople(1000)"
            )
        technique = self.check.technique
        if technique.sensitivity.neighbours.change is not self.people.neighbours.change:
            raise InvalidParameter(
                "check", f"must hold for neighbours that {self.people.neighbours.change.value}, not", technique
            )
        if technique.moved * technique.answers.step < 1:
            raise InvalidParameter("check", "must have a sensitivity of 1, the most that a query moves, got", technique)
        if len(self.domain) > _MOST_CELLS:
            raise InvalidParameter("domain", f"must have at most {_MOST_CELLS} cells", len(self.domain))

    @property
    def event(self) -> Event:
        """The count of the people, and the checks."""
        return events.Composition([*self.people.events, self.check.event])

    def start(self, database: Database, *, bits: BitSource | None = None) -> "OnlineRun":
        """A run on somebody's data; the price is due now."""
        return OnlineRun(self, database, source(bits))

    def error(self, beta: Real, *, queries: int) -> Accuracy:
        """No answer is off by more people than T + α, with probability 1 - beta, until it halts."""
        fails = open_probability("beta", beta)
        decided = self.check.error(fails, queries=queries)
        return stated(up(Fraction(decided.alpha) + amount("threshold", self.check.technique.threshold)), fails)

    def most_updates(self, beta: Real, *, queries: int, people: int | None = None) -> int | None:
        """So many updates are enough for all queries, with probability 1 - beta; None if the threshold is too small.

        With the checks within α and n̂ within g, a model is measured only where it is off by T - α, by shares of at
        least (T - α - g)/n̂, with an error of at most (α + g)/n̂. That is a progress of 2T(T - 2α - 2g)/n̂², of ln|χ|
        that there is (`steps.py`).
        """
        fails = open_probability("beta", beta)
        n = whole("people", self.people.people if isinstance(self.people, KnownPeople) else people, least=1)
        off = Fraction(self.check.error(fails / 2, queries=queries).alpha) + self.people.reach(n, fails / 2)
        threshold = amount("threshold", self.check.technique.threshold)
        if threshold <= 2 * off:
            return None
        most = n + self.people.reach(n, fails / 2)
        start = Fraction(log_up(Fraction(len(self.domain))))
        return math.floor(most**2 * start / (2 * threshold * (threshold - 2 * off)))


class OnlineRun:
    """One run: it keeps private data, the secrets of its checks and a public model, and cannot be copied."""

    def __init__(self, mechanism: OnlineMultiplicativeWeights, database: Database, bits: BitSource) -> None:
        if database.domain != mechanism.domain:
            raise InvalidParameter("database", "must be over the domain", database.domain)
        if database.is_released:
            raise InvalidParameter("database", "must be data, not what was released, got", type(database).__name__)
        self._database, self._lock, self._mechanism = database, Lock(), mechanism
        people = mechanism.people.about(int(database.cells().total()), bits=bits)
        self._check = mechanism.check.start(bits=bits)
        self._weights = HistogramModel.uniform(mechanism.domain, people=people).weights.copy()
        self.updates = 0

    def __repr__(self) -> str:
        return f"<online run: {self.updates} updates, {'halted' if self.halted else 'open'}>"

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        raise Halted("a run cannot be copied: two copies would answer more than was paid for", hint="start a new run")

    @property
    def halted(self) -> bool:
        """Whether all updates are used up."""
        return self._check.halted

    @property
    def model(self) -> HistogramModel:
        """The model as it is now: made of noisy values, and free to be asked."""
        return HistogramModel(self._mechanism.domain, self._weights.copy())

    def ask(self, workload: Workload, query: int = 0) -> Checked:
        """The answer to one query of a workload, in people: the model's, or a measured one, that it learns from."""
        with self._lock:
            cells, weights = data_of(self._database, workload), self._row(workload, query)
            answer = self._check.ask(self._exact(workload, query, cells), self._guess(weights))
            if answer.measured:
                self.updates += 1
                MultiplicativeStep().take(self._weights, weights, float(answer.value), floor=0.0)
            return answer

    def ask_all(self, workload: Workload) -> list[Checked]:
        """The answers to all queries of a workload, or to as many as there are until it halts."""
        answers = list[Checked]()
        for query in range(len(workload)):
            if self.halted:
                break
            answers.append(self.ask(workload, query))
        return answers

    def _row(self, workload: Workload, query: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        whole("query", query)
        if query >= len(workload):
            raise InvalidParameter("query", f"must be below {len(workload)}", query)
        step = self._mechanism.check.technique.answers.step
        if (1 / (workload.denominator * step)).denominator != 1:
            raise InvalidParameter(
                "workload",
                f"must have weights that are multiples of {step}, got a denominator of",
                workload.denominator,
            )
        return workload.weights_of(query).astype(np.float64) / workload.denominator

    def _guess(self, weights: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Fraction | int:
        """The model's answer, on the grid."""
        technique = self._mechanism.check.technique
        steps = round(float(weights @ self._weights) / float(technique.answers.step))
        return steps if technique.answers.grid is None else steps * technique.answers.step

    def _exact(self, workload: Workload, query: int, cells: Cells) -> Fraction | int:
        exact = Fraction(cells.weighed(workload.weights_of(query)), workload.denominator)
        return exact.numerator if self._mechanism.check.technique.answers.grid is None else exact
