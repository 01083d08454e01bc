"""Generalised sparse vector technique: any pair of noises, length caps, non-negative queries, stages; priced by RDP."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np

from sfumato.accounting import events, total
from sfumato.accounting.events import Event
from sfumato.core import Sensitivity
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real, open_probability, positive, truth, whole
from sfumato.exact.sampler import Integers
from sfumato.mechanisms.additive import Noise
from sfumato.mechanisms.answers import Answers
from sfumato.mechanisms.gaussian import GaussianNoise
from sfumato.mechanisms.geometric import GeometricNoise
from sfumato.mechanisms.stream import SparseTechnique, Stage


def _is_noise(name: str, value: object) -> None:
    if not isinstance(value, Noise):
        raise InvalidParameter(name, "must be a noise", value, hint="for example GeometricNoise(Fraction(4))")


@dataclass(frozen=True, kw_only=True)
class SparseVector(SparseTechnique):
    """Generalised SVT with any noise on the threshold and on the queries (Survey Algorithm 9).

    Noises are in steps of the grid. The threshold's is drawn once, or after every ⊤ with `resample`. Query noise that
    is not purely private needs a `length`, the most questions of a run.

    >>> from sfumato.core import Neighbours, Norm
    >>> count = Neighbours().histogram(Norm.L1)
    >>> hybrid = SparseVector.hybrid(sigma=8, scale=16, threshold=1000, sensitivity=count)
    >>> hybrid.release([0, 5000]).tolist()
    [False, True]
    """

    threshold_noise: Noise
    query_noise: Noise
    cutoff: int = 1
    length: int | None = None
    resample: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        _is_noise("threshold_noise", self.threshold_noise)
        _is_noise("query_noise", self.query_noise)
        truth("resample", self.resample)
        self._stage_event(whole("cutoff", self.cutoff, least=1))  # refuses what has no price

    @classmethod
    def hybrid(cls, *, sigma: Real, scale: Real, threshold: Real, sensitivity: Sensitivity, **rest: Any) -> Self:
        """Gaussian noise on the threshold and Laplace noise on the queries, in the caller's unit: no length needed."""
        step = Answers(rest.get("grid")).step
        return cls(
            threshold_noise=GaussianNoise(positive("sigma", sigma) / step),
            query_noise=GeometricNoise(positive("scale", scale) / step),
            threshold=threshold,
            sensitivity=sensitivity,
            **rest,
        )

    @classmethod
    def gaussian(
        cls, *, sigma: Real, query_sigma: Real, length: int, threshold: Real, sensitivity: Sensitivity, **rest: Any
    ) -> Self:
        """Gaussian noise on both, in the caller's unit, for at most `length` questions."""
        step = Answers(rest.get("grid")).step
        return cls(
            threshold_noise=GaussianNoise(positive("sigma", sigma) / step),
            query_noise=GaussianNoise(positive("query_sigma", query_sigma) / step),
            length=length,
            threshold=threshold,
            sensitivity=sensitivity,
            **rest,
        )

    def _stage_event(self, cutoff: int) -> Event:
        """One noisy threshold and `cutoff` ⊤: ε_ρ for a move of Δ, ε_ν for one of 2Δ (Survey Theorem 9.9)."""
        return events.SparseVector(
            self.threshold_noise.hiding(self.moved), self.query_noise.hiding(2 * self.moved), cutoff, self.length
        )

    @property
    def event(self) -> Event:
        """One threshold for c ⊤ (Survey Theorem 9.12), or c runs of one ⊤ each with `resample`."""
        if self.resample:
            return events.Composition([(self._stage_event(1), self.cutoff)])
        return self._stage_event(self.cutoff)

    @property
    def noises(self) -> tuple[Noise, Noise]:
        """The given pair."""
        return self.threshold_noise, self.query_noise

    @property
    def stages(self) -> tuple[Stage, ...]:
        """One, or one for each ⊤ with `resample`; a length is that of each."""
        if self.resample:
            return (Stage(1, self.length),) * self.cutoff
        return (Stage(self.cutoff, self.length),)


def _stage_tops(cutoff: int, stage_cutoff: int) -> tuple[int, ...]:
    """How many ⊤ each of ⌈c/c'⌉ stages may give: c', and the last what is left (Survey Algorithm 10)."""
    whole_stages, left = divmod(cutoff, stage_cutoff)
    return (stage_cutoff,) * whole_stages + ((left,) if left else ())


def _boxes(stages: Sequence[Event], delta: Real) -> Event:
    """Stages in a row, each of which is first read as (ε', δ')."""
    share = open_probability("delta", delta)
    boxes: list[Event] = []
    for stage in stages:
        epsilon = total([stage]).epsilon(share)
        if math.isinf(epsilon):
            raise InvalidParameter("delta", "must be larger for a stage to have an ε", delta)
        boxes.append(events.Approximate(Fraction(epsilon), share))
    return events.Composition(boxes)


@dataclass(frozen=True, kw_only=True)
class StagewiseSparseVector(SparseVector):
    """SVT in stages of at most `stage_cutoff` ⊤ and `length` questions, with fresh thresholds (Survey Algorithm 10).

    >>> from sfumato.core import Neighbours, Norm
    >>> runs = StagewiseSparseVector.gaussian(
    ...     sigma=40, query_sigma=80, cutoff=5, stage_cutoff=2, length=100, threshold=900,
    ...     sensitivity=Neighbours().histogram(Norm.L1),
    ... )
    >>> [stage.cutoff for stage in runs.stages]
    [2, 2, 1]
    """

    stage_cutoff: int

    def __post_init__(self) -> None:
        whole("stage_cutoff", self.stage_cutoff, least=1)
        if self.resample:
            raise InvalidParameter("resample", "must be False in stages", True, hint="stage_cutoff=1 resamples")
        super().__post_init__()

    @property
    def stages(self) -> tuple[Stage, ...]:
        """⌈c/c'⌉ stages, the last with what is left of the cutoff."""
        return tuple(Stage(tops, self.length) for tops in _stage_tops(self.cutoff, self.stage_cutoff))

    @property
    def event(self) -> Event:
        """The stages' Rényi curves add up (Survey Theorem 9.13, by RDP)."""
        return events.Composition([self._stage_event(stage.cutoff) for stage in self.stages])

    def event_by_stages(self, delta: Real) -> Event:
        """The price when every stage is first read as (ε', δ'): ⌈c/c'⌉ of them (Survey Theorem 9.13, errata E3)."""
        return _boxes([self._stage_event(stage.cutoff) for stage in self.stages], delta)


@dataclass(frozen=True, kw_only=True)
class NonNegativeSparseVector(SparseTechnique):
    """Gaussian SVT for queries that are never negative, without a length cap (Survey Definition 9.10, Theorem 9.11).

    A negative answer is taken for zero, which moves no answer further than it moved. With a cutoff above 1 the
    threshold is drawn anew after every ⊤ (Survey Theorem 9.14). `query_sigma` is at least √3 times `sigma`. A query's
    own threshold may be lower than the mechanism's, and not higher: raising q by T - T_i keeps it from being negative.

    `stage_cutoff`, c', changes no draw: it is how many ⊤ are composed by their Rényi curves before `event_by_stages`
    reads them as one (ε', δ'). `event` composes all by their curves, whatever c'.

    >>> from sfumato.core import Neighbours, Norm
    >>> count = Neighbours().histogram(Norm.L1)
    >>> alarms = NonNegativeSparseVector(
    ...     sigma=40, query_sigma=80, cutoff=5, stage_cutoff=4, threshold=300, sensitivity=count
    ... )
    >>> float(alarms.event_by_stages(1e-9).extra_delta())  # two stages
    2e-09
    """

    sigma: Real
    query_sigma: Real
    cutoff: int = 1
    stage_cutoff: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "sigma", positive("sigma", self.sigma))
        object.__setattr__(self, "query_sigma", positive("query_sigma", self.query_sigma))
        whole("cutoff", self.cutoff, least=1)
        whole("stage_cutoff", self.stage_cutoff, least=1)
        self._run()  # refuses what has no price

    @property
    def event(self) -> Event:
        """The Rényi curve of one run, once for each ⊤."""
        return events.Composition([(self._run(), self.cutoff)])

    def event_by_stages(self, delta: Real) -> Event:
        """⌈c/c'⌉ stages of c' ⊤, each stage by its curve and then as (ε', δ') (Survey Theorem 9.14, errata E3)."""
        tops = _stage_tops(self.cutoff, self.stage_cutoff)
        return _boxes([events.Composition([(self._run(), count)]) for count in tops], delta)

    def _run(self) -> Event:
        threshold, query = self.noises
        return events.NonNegativeSparseVector(threshold.sigma, query.sigma, self.level, self.moved)

    @property
    def noises(self) -> tuple[GaussianNoise, GaussianNoise]:
        """Gaussian noises in steps."""
        step = self.answers.step
        first, second = positive("sigma", self.sigma), positive("query_sigma", self.query_sigma)
        return GaussianNoise(first / step), GaussianNoise(second / step)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """One for each ⊤."""
        return (Stage(1),) * self.cutoff

    def own_level_of(self, threshold: Real) -> int:
        """A threshold of one query's own, which must not be above the one that the price is for."""
        level = super().own_level_of(threshold)
        if level > self.level:
            raise InvalidParameter(
                "threshold",
                f"must be at most {self.threshold}, for which the run is priced,",
                threshold,
                hint="make the mechanism for the highest of the thresholds",
            )
        return level

    def prepared(self, steps: Integers) -> Integers:
        """Negative answers as zero."""
        clipped: Integers = np.maximum(steps, 0)
        return clipped
