"""The plain way to a private mean: every device adds Laplace noise of scale m/ε to its number (Survey §7.4.2).

It is what the one-bit mean is measured against, and no kind of protocol: its error is of the same order, m/(ε√n), and a
report takes about log₂ m bits instead of one, with no largest one.
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting.events import Event
from sfumato.core import Accuracy
from sfumato.errors import InvalidParameter
from sfumato.exact.bits import BitSource, source
from sfumato.exact.parameters import Real, nearest, open_probability, whole
from sfumato.local import thresholds
from sfumato.local.estimates import Mean, root
from sfumato.local.protocol import interval_of
from sfumato.mechanisms.additive import stated
from sfumato.mechanisms.answers import AnswerMove, add, people_values
from sfumato.mechanisms.geometric import GeometricNoise
from sfumato.mechanisms.order_statistic import Interval

_FINE = 1 << 32
_COARSE = 1 << 16
_ROUNDED_UP = 1 + 1e-12


@dataclass(frozen=True, kw_only=True)
class LaplaceMean:
    """A number in an interval plus discrete Laplace noise, in whole steps: `steps` of them from end to end.

    Without `steps` an interval of whole length is counted in ones, and another in 2¹⁶ parts.

    >>> seconds = LaplaceMean(upper=86_400, epsilon=1)
    >>> round(seconds.error(0.05, people=10**6).alpha, 1), seconds.report_bits(1e-6)
    (332.4, 22)
    """

    upper: Real
    lower: Real = 0
    epsilon: Real
    steps: int | None = None
    interval: Interval = field(init=False, repr=False, compare=False)
    noise: GeometricNoise = field(init=False, repr=False, compare=False)
    event: Event = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        (low, high), budget = interval_of(self.lower, self.upper), thresholds.budget(self.epsilon)
        for name, exact in (("lower", low), ("upper", high), ("epsilon", budget)):
            object.__setattr__(self, name, exact)
        span = high - low
        if self.steps is None:
            object.__setattr__(self, "steps", int(span) if span.denominator == 1 and span < _FINE else _COARSE)
        moved = Fraction(whole("steps", self.steps, least=1))
        object.__setattr__(self, "interval", Interval(0, moved, 1))
        object.__setattr__(self, "noise", GeometricNoise(moved / budget))
        object.__setattr__(self, "event", self.noise.event(AnswerMove.l1(moved)))

    @property
    def step(self) -> Fraction:
        """How much one step is worth."""
        low, high = interval_of(self.lower, self.upper)
        return (high - low) / whole("steps", self.steps)

    def report(self, values: Any, *, bits: BitSource | None = None) -> NDArray[Any]:
        """What each device says: the steps from the lower end to its number, clipped to the interval, and noise."""
        low, _ = interval_of(self.lower, self.upper)
        numbers = people_values("values", values, low)
        if numbers.ndim != 1:
            raise InvalidParameter("values", "must be a row of numbers, got shape", numbers.shape)
        along = [(Fraction(number) - low) / self.step for number in numbers.tolist()]
        said: NDArray[Any] = add(self.interval.place(along), self.noise.draw(len(along), source(bits)))
        return said

    def estimate(self, reports: Any) -> Mean:
        """The mean of the reports: unbiased for numbers on the steps."""
        said = np.asarray(reports)
        if not len(said):
            return Mean(math.nan, math.inf, 0)
        low, _ = interval_of(self.lower, self.upper)
        mean = low + self.step * Fraction(sum(int(number) for number in said), len(said))
        return Mean(nearest(mean), root(self.variance(), len(said)), len(said))

    def variance(self) -> float:
        """That of one report, in squared units: 1/(2·sinh²(ε/(2·steps))) steps², which is below 2(m/ε)²."""
        return nearest(self.step) ** 2 / (2 * math.sinh(self._half_rate) ** 2)

    @property
    def _half_rate(self) -> float:
        return nearest(1 / (2 * self.noise.scale))

    def error(self, beta: Real, *, people: int) -> Accuracy:
        """|error| of the mean, except with probability β, by the moments of the noise (Chernoff's method).

        Σ noise exceeds t with probability at most e^(-λt)·M(λ)^n for every λ below the rate a, where
        M(λ) = 1/(1 - sinh²(λ/2)/sinh²(a/2)); half a step more covers numbers between the steps.
        """
        fails, n = open_probability("beta", beta), whole("people", people, least=1)
        log, a = math.log(2 / nearest(fails)), 2 * self._half_rate

        def reached(share: float) -> float:
            ratio = math.sinh(share * a / 2) / math.sinh(a / 2)
            return (log - n * math.log1p(-(ratio**2))) / (n * share * a)

        low, high = 0.0, 1.0
        for _ in range(200):  # the bound has one valley, and holds at every share, the best or not
            left, right = low + (high - low) / 3, high - (high - low) / 3
            low, high = (low, right) if reached(left) < reached(right) else (left, high)
        steps = reached((low + high) / 2) * _ROUNDED_UP + 0.5
        return stated(nearest(self.step) * steps * _ROUNDED_UP, fails)

    def report_bits(self, beta: Real) -> int:
        """How many bits hold a report, except with probability β: about log₂(m) and a few for the noise."""
        reach = self.noise.reach(open_probability("beta", beta))
        return (whole("steps", self.steps) + 2 * reach).bit_length()
