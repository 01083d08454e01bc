"""MWEM: what a model answers worst is chosen privately, measured, and taken in; round after round.

Hardt, Ligett, McSherry 2012. A round chooses a query, or a whole marginal, by the exponential mechanism and adds exact
noise to its answer. The model is made of noisy values alone, so its answers are public, and so is whatever is computed
from them: scores compare exact answers with the model's, rounded to whole units, and move as the exact answers do.

*One person of up to k = `each` records moves the sums of a group by k times what one record does*, in ℓ1: neighbours
are joined by at most k steps of one record, each of which moves them by at most Δ, and lengths of steps add up. So does
a table of counts that moves by at most k in ℓ1 in any way. A score is a sum of |q(x) - told| over a group, which moves
by no more than the sums do: k·Δ for the choice, k·Δ for the noise, and k for the count of the records.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import events
from sfumato.accounting.events import Event
from sfumato.core import Accuracy
from sfumato.errors import InvalidParameter
from sfumato.exact import exponential_mechanism
from sfumato.exact.bits import BitSource, source
from sfumato.exact.parameters import Real, open_probability, positive, whole
from sfumato.exact.rounding import log_up, sqrt_up, up
from sfumato.exact.sampler import Integers, objects
from sfumato.mechanisms.additive import stated
from sfumato.mechanisms.answers import AnswerMove, add
from sfumato.mechanisms.geometric import GeometricNoise
from sfumato.synth.databases import Database, HistogramModel
from sfumato.synth.people import KnownPeople, PeopleCount
from sfumato.synth.steps import Floats, ModelStep, ProportionalStep
from sfumato.synth.workloads import Workload, data_of

_MOST_CELLS = 2**24
_MOST_TOLD = 2.0**62
_MOST_WORK = 2**36  # cells times groups times rounds: some minutes
MOST_PEOPLE = 2**53
_ROUNDED_UP = 1 + Fraction(1, 10**9)  # covers the roundings of a model's floats


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredGroup:
    """What was measured in one round: which queries, and their noisy answers in people."""

    queries: range
    values: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True, eq=False)
class FittedModels:
    """What MWEM releases: the last model, the average of all models, which has the theorem, and what was measured."""

    model: HistogramModel
    average: HistogramModel
    measured: tuple[MeasuredGroup, ...] = field(repr=False)
    people: int
    """The n̂ that the models have in all."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MultiplicativeWeights:
    """A histogram of the whole domain, fitted to the queries that it answered worst.

    `epsilon` pays for all rounds, half of it for choosing and half for measuring; the number of people is paid for by
    itself. After each round all that was measured is taken in `passes` times more, which costs nothing. `each` is how
    many records one person is at most; what is called people is then records, too.

    >>> from sfumato.core import IntegerInterval
    >>> from sfumato.synth import CountedPeople, HistogramDatabase, PrefixWorkload
    >>> hours = IntegerInterval(0, 23)
    >>> mwem = MultiplicativeWeights(
    ...     workload=PrefixWorkload(hours), epsilon=1, rounds=5, people=CountedPeople(epsilon=0.1)
    ... )
    >>> fitted = mwem.release(HistogramDatabase(hours, {9: 6000, 17: 4000}))
    >>> len(fitted.measured), fitted.model.weights.shape
    (5, (24,))
    """

    workload: Workload
    epsilon: Real
    rounds: int
    people: PeopleCount
    step: ModelStep = field(default_factory=ProportionalStep)
    passes: int = 1
    each: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))
        whole("rounds", self.rounds, least=1)
        whole("passes", self.passes)
        if not isinstance(self.people, PeopleCount):
            raise InvalidParameter(
                "people", "must be known, guessed or counted", self.people, hint="for example KnownPeople(1000)"
            )
        object.__setattr__(self, "people", self.people.moved_by(whole("each", self.each, least=1)))
        if self.workload.size is not None and self.people != KnownPeople(self.workload.size):
            raise InvalidParameter("people", f"must be KnownPeople({self.workload.size}) for that size", self.people)
        if isinstance(self.step, ProportionalStep) and self.workload.denominator != 1:
            raise InvalidParameter(
                "step", "must be MultiplicativeStep() for weights other than 0 and 1, got", self.step
            )
        cells, work = len(self.workload.domain), len(self.workload.domain) * len(self.workload.groups) * self.rounds
        if cells > _MOST_CELLS:
            raise InvalidParameter("workload", f"must have a domain of at most {_MOST_CELLS} cells", cells)
        if work > _MOST_WORK:
            raise InvalidParameter("rounds", "must be fewer for so many cells and queries", self.rounds)

    @property
    def share(self) -> Fraction:
        """The ε of one choice, and of one measurement."""
        return positive("epsilon", self.epsilon) / (2 * self.rounds)

    @property
    def moved(self) -> int:
        """The most that one person moves the sums of a group, in units of 1/denominator (ℓ1)."""
        return self.each * max(1, self.workload.group_move(self.people.neighbours.change))

    @property
    def noise(self) -> GeometricNoise:
        """The noise of a measurement, in units of 1/denominator."""
        return GeometricNoise(self.moved / self.share)

    @property
    def event(self) -> Event:
        """The count of the people, and in each round a choice and a measurement."""
        measured = self.noise.event(AnswerMove.l1(Fraction(self.moved)), scalar=False)
        chosen = events.Exponential(self.share)
        return events.Composition([*self.people.events, (chosen, self.rounds), (measured, self.rounds)])

    def release(self, exact: Database, *, bits: BitSource | None = None) -> FittedModels:
        """Models of the histogram, made from noisy values alone."""
        stream, cells = source(bits), data_of(exact, self.workload)
        fit = _Fit(self, self._told(self.people.about(int(cells.total()), bits=stream)))
        sums: Integers = self.workload.sums(cells)  # exact, in units; private
        for _ in range(self.rounds):
            told = self._answers(fit.weights)
            group = self.workload.groups[self._choose(sums, told, stream)]
            noisy = add(sums[group.start : group.stop], self.noise.draw(len(group), stream))
            fit.take(MeasuredGroup(group, tuple(Fraction(int(v), self.workload.denominator) for v in noisy)))
        return fit.models()

    def fitted(self, people: int, measured: Iterable[MeasuredGroup]) -> FittedModels:
        """The models again, from what was released alone: n̂, and what was measured in each round."""
        fit = _Fit(self, self._told(people))
        for group in measured:
            fit.take(group)
        return fit.models()

    def _told(self, people: int) -> int:
        """n̂, which floats count to: what was counted is cut, after the noise; what is public and more is refused."""
        if people > MOST_PEOPLE and not self.people.events:
            raise InvalidParameter("people", "must be at most 2**53, which floats count to, got about", "more")
        return min(people, MOST_PEOPLE)

    def _answers(self, weights: Floats) -> Integers:
        """The model's answers, rounded to whole units; cut where a difference from exact sums would not fit."""
        told = self.workload.sums(HistogramModel(self.workload.domain, weights).cells())
        return np.asarray(np.rint(np.minimum(told, _MOST_TOLD)), dtype=np.int64)

    def scores(self, sums: Integers, told: Integers) -> Integers:
        """How far the model is off in each group, less what noise alone would make of it: exact, and private.

        The sum of |q(x) - told| over a group moves by as much as the sums of the group do in ℓ1; the rest is public.
        """
        off = np.abs(sums - told)
        groups = self.workload.groups
        if len(groups) == len(off):
            return np.asarray(off)
        spread = math.ceil(self.noise.scale)
        return objects(sum(off[g.start : g.stop].tolist()) - spread * len(g) for g in groups)

    def _choose(self, sums: Integers, told: Integers, bits: BitSource) -> int:
        return exponential_mechanism(self.scores(sums, told), self.share, self.moved, bits=bits)

    def take(self, weights: Floats, group: MeasuredGroup) -> None:
        """Take what was measured into the weights of a model, in place."""
        floor = float(self.noise.scale / self.workload.denominator)
        if len(group.queries) > 1:
            values = np.array([float(value) for value in group.values])
            self.step.fit(weights, self._cells(group.queries), values, floor=floor)
            return
        query = self.workload.weights_of(group.queries.start).astype(np.float64) / self.workload.denominator
        self.step.take(weights, query, float(group.values[0]), floor=floor)

    def _cells(self, queries: range) -> NDArray[np.int64]:
        return self.workload.cells_of_group(self.workload.groups.index(queries))

    def error(self, beta: Real, *, people: int | None = None, told: int | None = None) -> Accuracy:
        """No answer of the average is off by more people than this, with probability 1 - beta.

        The progress of T rounds is at most ln|χ|, so their mean 2v² is at most (ln|χ| + S·κ)/T with S steps that each
        undo at most κ (`steps.py`), and the model is off by √(mean v²) on average where it was measured, and elsewhere
        by no more than the loss of the choice above that. With n̂ off by g all of it is g further off. For workloads
        whose groups are single queries. Where the number is private, `people` is the n that is meant; or `told` the n̂
        that was counted, from which n is at most g away where n̂ is off by no more: the largest error of all such n.
        """
        if len(self.workload.groups) != len(self.workload):
            raise InvalidParameter(
                "workload",
                "must be measured query by query for the theorem, got",
                type(self.workload).__name__,
                hint="MatrixWorkload(workload.linear()) is",
            )
        fails = open_probability("beta", beta)
        if people is None and told is not None and self.people.events:
            g = max(1, self.people.reach(told, fails / 3))  # n̂ is at least one, though n may be none
            fewest, n = max(0, told - g), told + g
        else:
            n = whole("people", self.people.people if isinstance(self.people, KnownPeople) else people, least=1)
            fewest, g = n, self.people.reach(n, fails / 3)
        unit, most = Fraction(1, self.workload.denominator), Fraction(n + g)
        off = self.noise.reach(fails / 3 / self.rounds) * unit + g
        undone = self.step.loss(off=off, scale=self.noise.scale * unit, people=Fraction(max(1, fewest - g)))
        if undone is None or most > MOST_PEOPLE:
            return stated(up(most), fails)
        steps = self.rounds + self.passes * self.rounds * (self.rounds + 1) // 2
        start = Fraction(log_up(Fraction(len(self.workload.domain))))
        mean = Fraction(sqrt_up((start + steps * undone) / (2 * self.rounds)))
        choices = Fraction(log_up(len(self.workload) * self.rounds * 3 / fails))
        lost = 2 * self.moved * unit * choices / self.share + unit  # half a unit twice, for the rounding of scores
        return stated(min(up(most), up((most * mean + lost + g) * _ROUNDED_UP)), fails)


class _Fit:
    """A model in the making: what was measured is taken in, round after round."""

    def __init__(self, mechanism: MultiplicativeWeights, people: int) -> None:
        self._mechanism, self._people, self._taken = mechanism, people, list[MeasuredGroup]()
        self.weights = HistogramModel.uniform(mechanism.workload.domain, people=people).weights.copy()
        self._average = np.zeros_like(self.weights)

    def take(self, group: MeasuredGroup) -> None:
        """One round: the average has the model as it was before."""
        self._average += self.weights / self._mechanism.rounds
        self._taken.append(group)
        for each in (group, *self._taken * self._mechanism.passes):
            self._mechanism.take(self.weights, each)

    def models(self) -> FittedModels:
        """The model as it is, and the average."""
        domain = self._mechanism.workload.domain
        last, mean = HistogramModel(domain, self.weights), HistogramModel(domain, self._average)
        return FittedModels(last, mean, tuple(self._taken), self._people)
