"""Microsoft's one-bit mean: a number in an interval is told by a single coin (Survey §7.4.2)."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.core import Accuracy
from sfumato.core.accuracy import chernoff
from sfumato.errors import InvalidParameter
from sfumato.exact import bernoulli, integers
from sfumato.exact.bits import BitSource, leading, source
from sfumato.exact.parameters import Real, non_negative, open_probability, rational, whole
from sfumato.local import thresholds
from sfumato.local.estimates import Mean, root
from sfumato.local.protocol import Bytes, Counts, Numbers, codes_as_bytes, numbers_from, read
from sfumato.mechanisms.additive import stated

_FINE = 1 << 32
_FRACTION_BITS = 53


def along(values: Any, lower: Fraction, upper: Fraction) -> NDArray[np.float64]:
    """How far numbers lie from the lower end to the upper, cut to [0, 1]."""
    array = np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "iuf":
        raise InvalidParameter("values", "must be a row of numbers, found", array.dtype.name)
    reals = array.astype(np.float64)
    if not np.isfinite(reals).all():
        raise InvalidParameter("values", "must be finite, found", "nan or inf")
    return np.clip((reals - float(lower)) / float(upper - lower), 0.0, 1.0)


def rounded(places: NDArray[np.float64], bits: BitSource) -> NDArray[np.int64]:
    """Reals rounded to whole numbers without bias: up with exactly the probability of the fraction."""
    floors = np.floor(places)
    numerators = ((places - floors) * 2.0**_FRACTION_BITS).astype(np.uint64)
    return floors.astype(np.int64) + (leading(bits, _FRACTION_BITS, len(places)) < numerators)


@dataclass(frozen=True, kw_only=True)
class OneBitMean(Numbers):
    """One bit: 1 with probability 1/(e^ε + 1) + x/m·(e^ε - 1)/(e^ε + 1) (Survey §7.4.2), which is ε-private.

    Survey Lemma 7.5, errata C8.

    With `memo` the number is rounded by an α-point that the device keeps (Survey §7.4.3, errata B19): whole `steps` to
    a multiple of `granularity`, and each multiple is answered alike for ever. Numbers beyond the ends count as the
    ends.

    >>> round(OneBitMean(name="seconds", upper=86_400, epsilon=1).error(0.05, people=10**6).alpha, 1)
    253.9
    """

    steps: int | None = None
    granularity: int | None = None
    kind: ClassVar[str] = "one-bit"

    def derive(self, epsilon: Fraction) -> None:
        lower, upper = self.keep_ends()
        span = upper - lower
        if self.steps is None:
            self._set("steps", int(span) if span.denominator == 1 and span < _FINE else _FINE)
        if self.granularity is None:
            self._set("granularity", self.steps)
        s = whole("granularity", self.granularity, least=1)
        if whole("steps", self.steps, least=1) % s:
            raise InvalidParameter("granularity", f"must divide the {self.steps} steps", s)
        self.coin("p", thresholds.truth(epsilon))

    @property
    def _gap(self) -> float:
        return float(2 * Fraction(self.p or 0) - 1)

    @property
    def memories(self) -> int:
        """The multiples of the granularity."""
        return int(self.steps or 0) // int(self.granularity or 1) + 1

    def parameters(self) -> dict[str, Any]:
        return {"steps": self.steps, "granularity": self.granularity}

    @property
    def payload(self) -> int:
        return 1

    def encode(self, values: Any, *, bits: BitSource | None = None) -> Bytes:
        stream, steps = source(bits), int(self.steps or 0)
        places = rounded(along(values, *self._ends) * steps, stream)
        up = integers(steps, len(places), bits=stream) < places  # 1 with probability places/steps, exactly
        return codes_as_bytes(up ^ ~bernoulli(Fraction(self.p or 0), len(places), bits=stream), 1)

    def empty(self) -> Counts:
        return np.zeros(2, dtype=np.int64)

    def valid(self, payloads: Bytes) -> NDArray[np.bool_]:
        return payloads[:, 0] < 2

    def tally(self, payloads: Bytes) -> Counts:
        return np.bincount(read(payloads, 0, 1).view(np.int64), minlength=2).astype(np.int64, copy=False)

    def possible(self, counts: Counts, people: int) -> bool:
        return super().possible(counts, people) and int(counts.sum()) == people

    def estimate(self, counts: Counts, people: int) -> Mean:
        """Unbiased: (m/n)·Σ(b(e^ε + 1) - 1)/(e^ε - 1) (Survey §7.4.2)."""
        if people == 0:
            return Mean(math.nan, math.inf, 0)
        ones = int(counts[1]) / people
        share = (ones - float(1 - Fraction(self.p or 0))) / self._gap
        return Mean(float(self._ends[0]) + self.span * share, root(self.variance(share), people), people)

    def variance(self, share: float = 0.5) -> float:
        """The variance of one report's estimate, in squared units, when the mean lies at `share` of the interval."""
        one = 0.5 + (min(1.0, max(0.0, share)) - 0.5) * self._gap
        return one * (1 - one) * (self.span / self._gap) ** 2

    def error(self, beta: Real, *, people: int) -> Accuracy:
        """|error| ≤ m/√(2n)·(e^ε + 1)/(e^ε - 1)·√ln(2/β), except with probability β (Survey Theorem 7.7).

        It is `stray_probability` the other way round, and holds with memory too (Survey Theorem 7.9).
        """
        fails, n = open_probability("beta", beta), whole("people", people, least=1)
        bound = self.span / math.sqrt(2 * n) / self._gap * math.sqrt(math.log(2 / float(fails)))
        return stated(bound * (1 + 1e-12), fails)

    def stray_probability(self, deviation: Real, *, people: int) -> float:
        """Pr[|error| ≥ θm] ≤ 2·exp(-2θ²n((e^ε - 1)/(e^ε + 1))²), rounded up (Survey Lemma 7.6).

        >>> seconds = OneBitMean(name="seconds", upper=86_400, epsilon=1)
        >>> round(seconds.stray_probability(253.9, people=10**6), 3)
        0.05
        """
        low, high = self._ends
        theta = non_negative("deviation", deviation) / (high - low)
        return min(1.0, 2 * chernoff(people, theta * (2 * Fraction(self.p or 0) - 1)))

    def chance_of_one(self, value: Real) -> Fraction:
        """The chance that the bit sent is 1: 1/(e^ε + 1) + x/m·(e^ε - 1)/(e^ε + 1), with the coins as they are.

        It is the rounded value in {0, m} whose mean is x, not the bit (Survey Lemma 7.8, errata E8).

        >>> round(float(OneBitMean(name="t", upper=10, epsilon=1).chance_of_one(4)), 4)
        0.4538
        """
        (low, high), p = self._ends, Fraction(self.p or 0)
        along = (min(max(rational("value", value), low), high) - low) / (high - low)
        return 1 - p + along * (2 * p - 1)

    @classmethod
    def from_document(cls, document: dict[str, Any], common: dict[str, Any]) -> Self:
        return cls(**numbers_from(document, "steps", "granularity"), **common)


def duchi(*, name: str, epsilon: Real, **options: Any) -> OneBitMean:
    """Duchi, Jordan and Wainwright's mechanism for numbers in [-1, 1], which is the one-bit mean there.

    >>> round(duchi(name="lean", epsilon=1).variance(0.5), 4)
    4.6827
    """
    return OneBitMean(name=name, lower=-1, upper=1, epsilon=epsilon, **options)
