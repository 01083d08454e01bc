"""Randomised response: every person answers for themself, with a coin that makes the answer deniable."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting.events import Event, Pure
from sfumato.accounting.events import RandomizedResponse as Priced
from sfumato.core import Accuracy
from sfumato.core.accuracy import chernoff_deviation
from sfumato.core.domain import different
from sfumato.errors import InvalidParameter
from sfumato.exact import bernoulli, bernoulli_odds, integers
from sfumato.exact.bits import CHUNK, BitSource, source
from sfumato.exact.parameters import Real, amount, open_probability, positive, whole
from sfumato.exact.rounding import log_up
from sfumato.mechanisms.additive import log_inverse, stated

Reports = Hashable | list[Hashable] | NDArray[Any]
"""The report of one answer, or a list or an array of reports as the answers were given."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """An unbiased estimate, and the standard deviation that the coins gave it.

    >>> print(Estimate(0.25, 0.01))
    0.25 ± 0.01
    """

    value: float
    standard_error: float

    def __str__(self) -> str:
        return f"{self.value:.4g} ± {self.standard_error:.2g}"


@dataclass(frozen=True, slots=True)
class Channel:
    """The chance that a report names a value, for people who hold it and for others, and the difference of the two."""

    holder: float
    other: float
    gap: float

    def estimate(self, share: float, people: int) -> Estimate:
        """The share of holders behind a share of reports: (share - other)/(holder - other)."""
        value = (share - self.other) / self.gap
        inside = min(1.0, max(0.0, value))
        noise = inside * self.holder * (1 - self.holder) + (1 - inside) * self.other * (1 - self.other)
        return Estimate(value, math.sqrt(noise / people) / self.gap)

    def deviation(self, beta: Fraction, people: int) -> float:
        """How far the estimate strays with probability beta at most: the least of three bounds.

        Hoeffding's (Survey Theorem 2.1, both sides); Bernstein's, which knows how little a nearly honest report varies
        (Boucheron, Lugosi, Massart 2013, Theorem 2.10); and where hardly anybody lies, the number of those who do.
        """
        variance = max(self.holder * (1 - self.holder), self.other * (1 - self.other))
        log = math.log(2) + log_inverse(beta)
        bernstein = (log / 3 + math.sqrt(log * log / 9 + 2 * people * variance * log)) / people
        strays = min(chernoff_deviation(people, beta / 2), bernstein, self._liars(beta, people))
        return strays / self.gap * (1 + 1e-9)

    def _liars(self, beta: Fraction, people: int) -> float:
        """At most m people report otherwise than they are, by Markov's inequality on the pairs, triples, … of them."""
        lie = max(1 - self.holder + 2.0**-52, self.other)
        expected = people * lie
        for m in range(20):  # Pr[more than m lie] ≤ (n·lie)^(m+1)/(m+1)!
            if (m + 1) * math.log(max(expected, 1e-300)) - math.lgamma(m + 2) <= -log_inverse(beta):
                return (m + expected) / people
        return math.inf


class _Coded(Protocol):
    @property
    def values(self) -> tuple[Hashable, ...]: ...


def _codes(mechanism: _Coded, exact: Any) -> tuple[NDArray[np.int64], bool]:
    """Answers as positions in `values`, and whether there was only one; an answer is never shown."""
    values = mechanism.values
    if isinstance(exact, np.ndarray) and _are_codes(values) and exact.dtype.kind in "iub":
        if exact.ndim != 1 or exact.size == 0:
            raise InvalidParameter("exact", "must be one answer or a row of them, got shape", exact.shape)
        if int(exact.min()) < 0 or int(exact.max()) >= len(values):
            raise _stranger()
        return exact.astype(np.int64, copy=False), False
    many = isinstance(exact, list | np.ndarray | tuple) and not _is_among(values, exact)
    answers: Sequence[Any] = list(exact) if many else [exact]
    if not answers:
        raise InvalidParameter("exact", "must hold at least one answer, got", "none")
    places = {(type(value), value): i for i, value in enumerate(values)}
    found = [_place(places, values, answer) for answer in answers]
    if None in found:
        raise _stranger()
    return np.array(found, dtype=np.int64), not many


def _place(places: dict[Any, int], values: tuple[Hashable, ...], answer: Any) -> int | None:
    plain = answer.item() if isinstance(answer, np.generic) else answer
    if isinstance(plain, bool) and _are_codes(values) and len(values) == 2:
        plain = int(plain)
    return places.get((type(plain), plain)) if isinstance(plain, Hashable) else None


def _is_among(values: tuple[Hashable, ...], answer: Any) -> bool:
    return isinstance(answer, tuple) and answer in values


def _are_codes(values: tuple[Hashable, ...]) -> bool:
    return values == tuple(range(len(values))) and not any(isinstance(value, bool | float) for value in values)


def _stranger() -> InvalidParameter:
    return InvalidParameter(
        "exact", "must be among the declared values, found", "another", hint="declare them all: values=(…)"
    )


def _counts(mechanism: _Coded, reports: Any) -> tuple[NDArray[np.int64], int]:
    codes, _ = _codes(mechanism, reports)
    return np.bincount(codes, minlength=len(mechanism.values)), len(codes)


@dataclass(frozen=True, kw_only=True)
class RandomizedResponse:
    """The true value with probability e^ε/(e^ε + k - 1), each other one alike: ε-private (Survey §4.1.3).

    >>> ask = RandomizedResponse(epsilon=1, values=("rarely", "weekly", "daily"))
    >>> ask.release("weekly") in ask.values
    True
    """

    epsilon: Real
    values: tuple[Hashable, ...] = (0, 1)
    event: Event = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))
        object.__setattr__(self, "values", different("values", self.values))
        if len(self.values) < 2:
            raise InvalidParameter("values", "must be at least two", self.values)
        object.__setattr__(self, "event", Priced(self.epsilon, len(self.values)))

    @property
    def channel(self) -> Channel:
        """e^ε/(e^ε + k - 1) for holders, 1/(e^ε + k - 1) for the others."""
        epsilon = min(700.0, float(self.epsilon))
        small = math.exp(-epsilon)
        whole_mass = 1 + (len(self.values) - 1) * small
        return Channel(1 / whole_mass, small / whole_mass, -math.expm1(-epsilon) / whole_mass)

    @overload
    def release(self, exact: NDArray[Any], *, bits: BitSource | None = None) -> NDArray[Any]: ...
    @overload
    def release(self, exact: list[Any], *, bits: BitSource | None = None) -> list[Hashable]: ...
    @overload
    def release(self, exact: Hashable, *, bits: BitSource | None = None) -> Hashable | list[Hashable]: ...
    def release(self, exact: Any, *, bits: BitSource | None = None) -> Reports:
        """A report for one answer; for a list or tuple of answers a list of reports, for an array an array."""
        codes, single = _codes(self, exact)
        stream, k = source(bits), len(self.values)
        kept = bernoulli_odds(self.epsilon, k - 1, len(codes), bits=stream)
        # One of the k - 1 other values: those from the true one on are one further.
        out = integers(k - 1, len(codes), bits=stream) if k > 2 else np.zeros(len(codes), dtype=np.int64)
        for start in range(0, len(codes), CHUNK):
            here = slice(start, start + CHUNK)
            others, true = out[here], codes[here]
            others += (others >= true).view(np.int8)
            true = true - others
            true *= kept[here].view(np.int8)
            others += true  # arithmetic and no branch: the same work for whoever tells the truth
        return _reports(self, out, exact, single=single)

    def frequencies(self, reports: Any) -> dict[Hashable, Estimate]:
        """The unbiased share of each value among the people who reported."""
        counts, people = _counts(self, reports)
        shares = zip(self.values, counts, strict=True)
        return {value: self.channel.estimate(int(count) / people, people) for value, count in shares}

    def mean(self, reports: Any) -> Estimate:
        """The unbiased mean of private bits; the values must be 0 and 1 (Survey §4.1.3)."""
        if self.values != (0, 1):
            raise InvalidParameter("values", "must be (0, 1) to have a mean", self.values, hint="use frequencies")
        return self.frequencies(reports)[1]

    def error(self, beta: Real, *, people: int = 1) -> Accuracy:
        """No estimated share is off by more than this, with probability 1 - beta."""
        fails, n = open_probability("beta", beta), whole("people", people, least=1)
        shares = 1 if len(self.values) == 2 else len(self.values)  # two shares stray together
        return stated(self.channel.deviation(fails / shares, n), fails)


def _reports(mechanism: _Coded, codes: NDArray[np.int64], exact: Any, *, single: bool) -> Reports:
    if single:
        return mechanism.values[int(codes[0])]
    if isinstance(exact, np.ndarray) and _are_codes(mechanism.values):
        return codes
    named = [mechanism.values[code] for code in codes.tolist()]
    return np.array(named, dtype=exact.dtype) if isinstance(exact, np.ndarray) else named


@dataclass(frozen=True, kw_only=True)
class Warner:
    """Two coins: tell the truth with probability `truth`, else say 1 with probability `yes`; ln 3 for fair coins.

    Survey §3.4.1.

    >>> print(f"{float(Warner().event.pure()):.6f}")
    1.098612
    """

    truth: Real = 0.5
    yes: Real = 0.5
    event: Event = field(init=False, repr=False, compare=False)
    values: tuple[Hashable, ...] = field(init=False, default=(0, 1), repr=False, compare=False)

    def __post_init__(self) -> None:
        truth, yes = open_probability("truth", self.truth), open_probability("yes", self.yes)
        object.__setattr__(self, "truth", truth)
        object.__setattr__(self, "yes", yes)
        # The least deniable report: truth + (1 - truth)·s for a holder against (1 - truth)·s for the other.
        lie = (1 - truth) * min(yes, 1 - yes)
        epsilon = Fraction(log_up((truth + lie) / lie))
        object.__setattr__(self, "event", Priced(epsilon) if yes == Fraction(1, 2) else Pure(epsilon))

    @property
    def channel(self) -> Channel:
        """The chances of a report of 1."""
        truth, yes = amount("truth", self.truth), amount("yes", self.yes)
        lie = (1 - truth) * yes
        return Channel(float(truth + lie), float(lie), float(truth))

    @overload
    def release(self, exact: NDArray[Any], *, bits: BitSource | None = None) -> NDArray[Any]: ...
    @overload
    def release(self, exact: list[Any], *, bits: BitSource | None = None) -> list[Hashable]: ...
    @overload
    def release(self, exact: Hashable, *, bits: BitSource | None = None) -> Hashable | list[Hashable]: ...
    def release(self, exact: Any, *, bits: BitSource | None = None) -> Reports:
        """A report for one bit; for a list or tuple of bits a list of reports, for an array an array."""
        codes, single = _codes(self, exact)
        stream = source(bits)
        honest = bernoulli(self.truth, len(codes), bits=stream)
        coin = bernoulli(self.yes, len(codes), bits=stream)
        return _reports(self, np.where(honest, codes, coin.astype(np.int64)), exact, single=single)

    def mean(self, reports: Any) -> Estimate:
        """The unbiased mean of the private bits."""
        counts, people = _counts(self, reports)
        return self.channel.estimate(int(counts[1]) / people, people)

    def error(self, beta: Real, *, people: int = 1) -> Accuracy:
        """The estimated mean is not off by more than this, with probability 1 - beta."""
        fails = open_probability("beta", beta)
        return stated(self.channel.deviation(fails, whole("people", people, least=1)), fails)
