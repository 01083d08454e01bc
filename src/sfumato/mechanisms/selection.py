"""Choosing one of many candidates by a score that is computed from data."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from sfumato import exact as samplers
from sfumato.accounting import events, largest_epsilon
from sfumato.accounting.events import Event
from sfumato.core import Accuracy, Change, Norm, Sensitivity
from sfumato.core.domain import different
from sfumato.errors import InvalidParameter
from sfumato.exact.bits import BitSource, source
from sfumato.exact.parameters import Real, amount, nearest, open_probability, positive, truth, whole
from sfumato.exact.sampler import Integers
from sfumato.mechanisms.additive import log_inverse, stated
from sfumato.mechanisms.answers import Answers

Utility = Callable[[Any, Any], Real]
Chosen = Hashable | list[Hashable]
"""One candidate, or several in the order in which they were drawn."""
Draw = Callable[..., int]


@dataclass(frozen=True, kw_only=True)
class Selection(ABC):
    """A public list of candidates, and a private choice among them by score.

    `sensitivity` bounds how far one person moves any one score (ℓ∞). `monotone` says that one person moves all scores
    in one direction, as counts do when a person is added; it halves the noise, and is refused for replacing a person,
    which lowers one count and raises another (errata A17). With `utility`, `release` takes the data and computes the
    score utility(data, candidate) of each candidate; without, it takes the scores. Scores are whole numbers, or
    reals placed on `grid`.
    """

    draw: ClassVar[Draw]
    price: ClassVar[Callable[[Fraction], Event]]
    epsilon: Real
    candidates: tuple[Hashable, ...]
    sensitivity: Sensitivity
    monotone: bool = False
    utility: Utility | None = None
    grid: Real | None = None
    answers: Answers = field(init=False, repr=False, compare=False)
    moved: Fraction = field(init=False, repr=False, compare=False)
    event: Event = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))
        object.__setattr__(self, "candidates", different("candidates", self.candidates))
        if not self.candidates:
            raise InvalidParameter("candidates", "must be at least one", self.candidates)
        answers = Answers(self.grid, len(self.candidates))
        object.__setattr__(self, "answers", answers)
        object.__setattr__(self, "grid", answers.grid)
        object.__setattr__(self, "moved", answers.move(self.sensitivity, Norm.LINF).distance)
        if truth("monotone", self.monotone) and self.sensitivity.neighbours.change is not Change.ADD_REMOVE:
            raise InvalidParameter(
                "monotone", "must be False where neighbours replace one another", True, hint="leave it out"
            )
        object.__setattr__(self, "event", self._event())

    def _event(self) -> Event:
        return type(self).price(positive("epsilon", self.epsilon))

    @property
    def rate(self) -> Fraction:
        """ε/(2Δ) a step, or ε/Δ if monotone."""
        return positive("epsilon", self.epsilon) / (self.moved if self.monotone else 2 * self.moved)

    def scores(self, data: Any) -> Integers:
        """The candidates' scores in steps of the grid: exact, private, and not for release."""
        if self.utility is not None:
            data = [self.utility(data, candidate) for candidate in self.candidates]
        elif isinstance(data, Mapping):
            if set(data) != set(self.candidates):
                raise InvalidParameter("exact", "must hold one score for each candidate, found", "other keys")
            data = [data[candidate] for candidate in self.candidates]
        return self.answers.place_row(data)

    def release(self, exact: Any, *, bits: BitSource | None = None) -> Chosen:
        """One candidate, likely to be among the best."""
        chosen = self._choose(self.scores(exact), source(bits))
        return self.candidates[chosen]

    def _choose(self, scores: Integers, bits: BitSource) -> int:
        return type(self).draw(scores, self.epsilon, self.moved, monotone=self.monotone, bits=bits)

    def error(self, beta: Real, *, best: int = 1) -> Accuracy:
        """The chosen score is below the best by at most this, with probability 1 - beta.

        `best` is the number of candidates that share the best score, if it is known to be more than one.
        """
        fails, optimal = open_probability("beta", beta), whole("best", best, least=1)
        if optimal > len(self.candidates):
            raise InvalidParameter("best", f"must be at most {len(self.candidates)} candidates", best)
        steps = max(0.0, self._shortfall(fails, optimal)) * (1 + 1e-12) / nearest(self.rate)
        placing = 0.0 if self.grid is None else 1.0  # half a step for the best, half for the chosen
        return stated((steps + placing) * nearest(self.answers.step), fails)

    @abstractmethod
    def _shortfall(self, beta: Fraction, best: int) -> float:
        """An x that rate·(best score - chosen score) exceeds with probability at most beta."""


@dataclass(frozen=True, kw_only=True)
class ExponentialMechanism(Selection):
    """A candidate h with probability proportional to exp(ε·s(x, h)/(2Δ)) (Survey Algorithm 4, Theorem 4.4).

    >>> from sfumato.core import Neighbours, Norm
    >>> classes = ExponentialMechanism(
    ...     epsilon=1, candidates=("1A", "1B", "1C"), sensitivity=Neighbours().histogram(Norm.LINF), monotone=True
    ... )
    >>> classes.release({"1A": 500, "1B": 20, "1C": 31})
    '1A'
    >>> print(classes.error(0.05))
    within 4.09 with probability 95 %
    """

    draw: ClassVar[Draw] = staticmethod(samplers.exponential_mechanism)
    price: ClassVar[Callable[[Fraction], Event]] = events.Exponential

    def _shortfall(self, beta: Fraction, best: int) -> float:
        """ln(|H|/|H*|) + t with exp(-t) = beta (Survey Theorem 4.5; Corollary 4.6 for one best)."""
        return math.log(len(self.candidates) / best) + log_inverse(beta)


@dataclass(frozen=True, kw_only=True)
class ReportNoisyMax(Selection):
    """The candidate whose score is largest after Laplace noise of scale 2Δ/ε (Survey Algorithm 2, Theorem 4.3).

    Δ/ε is enough for monotone scores only (errata A17).
    """

    draw: ClassVar[Draw] = staticmethod(samplers.report_noisy_max)
    price: ClassVar[Callable[[Fraction], Event]] = events.NoisyMax

    def _shortfall(self, beta: Fraction, best: int) -> float:
        """A rival x behind wins with probability exp(-x)·(1 + x/2)/2, the law of two noises' difference."""
        rivals = len(self.candidates) - best
        if rivals == 0:
            return 0.0
        low, high = 0.0, 2 * (math.log(rivals) + log_inverse(beta)) + 1
        while high - low > 1e-9 * high:
            x = (low + high) / 2
            fails = math.log(rivals / 2) + math.log1p(x / 2) - x > -log_inverse(beta)
            low, high = (x, high) if fails else (low, x)
        return high


@dataclass(frozen=True, kw_only=True)
class OneSidedNoisyMax(Selection):
    """The candidate whose score is largest after exponential noise of rate ε/(2Δ) (Survey Theorem 4.7).

    This is permute-and-flip (McKenna, Sheldon 2020): never worse than the exponential mechanism.
    """

    draw: ClassVar[Draw] = staticmethod(samplers.permute_and_flip)
    price: ClassVar[Callable[[Fraction], Event]] = events.PermuteAndFlip

    def _shortfall(self, beta: Fraction, best: int) -> float:
        """A rival x behind b best ones beats them all with probability E[exp(-x - max of b)] = exp(-x)/(b + 1)."""
        rivals = len(self.candidates) - best
        return math.log(rivals / (best + 1)) + log_inverse(beta) if rivals else 0.0


@dataclass(frozen=True, kw_only=True)
class TopK(ExponentialMechanism):
    """k different candidates with high scores, best first: the exponential mechanism k times, each on what is left.

    `epsilon` is that of the whole list; each draw takes ε/k.

    >>> from sfumato.core import Neighbours, Norm
    >>> words = TopK(k=2, epsilon=2, candidates="abcd", sensitivity=Neighbours().histogram(Norm.LINF), monotone=True)
    >>> words.release([900, 3, 2000, 1])
    ['c', 'a']
    """

    k: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "candidates", tuple(self.candidates))
        if whole("k", self.k, least=1) > len(self.candidates):
            raise InvalidParameter("k", f"must be at most the {len(self.candidates)} candidates", self.k)
        super().__post_init__()

    def _event(self) -> Event:
        return events.Composition([(events.Exponential(self.share), self.k)])

    @property
    def share(self) -> Fraction:
        """The ε of one draw."""
        return positive("epsilon", self.epsilon) / self.k

    @property
    def rate(self) -> Fraction:
        """The rate of one draw."""
        return self.share / (self.moved if self.monotone else 2 * self.moved)

    @classmethod
    def calibrated(cls, *, k: int, epsilon: Real, delta: Real, **rest: Any) -> "TopK":
        """The largest ε a draw for which the list meets (ε, δ): more than ε/k when k is large.

        Its `epsilon` is the sum of its draws' shares, which is above the ε asked for; its price at the δ is not.
        """
        share = largest_epsilon(
            events.Exponential,
            epsilon=positive("epsilon", epsilon),
            delta=open_probability("delta", delta),
            times=whole("k", k, least=1),
        )
        return cls(k=k, epsilon=amount("epsilon", share) * k, **rest)

    def release(self, exact: Any, *, bits: BitSource | None = None) -> list[Hashable]:
        """k different candidates, in the order in which they were drawn."""
        scores, stream = self.scores(exact), source(bits)
        left = np.arange(len(scores))
        chosen: list[Hashable] = []
        for _ in range(self.k):
            place = samplers.exponential_mechanism(
                scores[left], self.share, self.moved, monotone=self.monotone, bits=stream
            )
            chosen.append(self.candidates[int(left[place])])
            left = np.delete(left, place)
        return chosen

    def _shortfall(self, beta: Fraction, best: int) -> float:
        """Every draw is that near to the best of what was left, by a union bound over the k draws."""
        return math.log(len(self.candidates)) + log_inverse(beta / self.k)
