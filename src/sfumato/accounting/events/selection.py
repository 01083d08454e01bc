"""Selection, the sparse vector family, and thresholded keys."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

from sfumato.accounting import rdp
from sfumato.accounting.events.base import (
    Event,
    Exact,
    an_event,
    whole_from_one,
)
from sfumato.accounting.events.boxes import Pure
from sfumato.accounting.losslaw import LossLaw
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real, amount, positive, probability
from sfumato.exact.rounding import down, up

_MOST_COUNTED = 20_000  # ways to answer are counted up to here
_GAMMAS = (Fraction(3, 2), 2, 3, 4, 6, 10, 20)  # the moments of a run's length that its price may rest on


@dataclass(frozen=True)
class Exponential(Exact):
    """The exponential mechanism: ε-bounded range, hence ε²/8-zCDP (Cesar, Rogers 2021; Survey Algorithm 4)."""

    epsilon: Real
    tag: ClassVar[str] = "exponential"
    law_is_tight: ClassVar[bool] = False
    _checks: ClassVar[dict[str, Any]] = {"epsilon": positive}

    def pure(self) -> Fraction:
        return amount("epsilon", self.epsilon)

    def zcdp(self) -> Fraction:
        return self.pure() ** 2 / 8

    def certain_laws(self) -> tuple[LossLaw, LossLaw] | None:
        """Two candidates whose scores change places: randomised response with half the ε."""
        return Pure(self.pure() / 2).laws()

    def grouped(self, k: int) -> Event:
        return Exponential(k * self.pure())


@dataclass(frozen=True)
class PermuteAndFlip(Pure):
    """Permute-and-flip, the one-sided noisy arg-max (Survey Theorem 4.7)."""

    tag: ClassVar[str] = "permute_and_flip"

    def certain_laws(self) -> None:
        """No law is known to be reached."""
        return


@dataclass(frozen=True)
class NoisyMax(Pure):
    """Report noisy max with two-sided noise (Survey Algorithm 2, errata A17)."""

    tag: ClassVar[str] = "noisy_max"

    def certain_laws(self) -> None:
        """No law is known to be reached."""
        return


@dataclass(frozen=True)
class AboveThreshold(Pure):
    """AboveThreshold, which halts after its first ⊤ (Survey Theorem 6.1, errata A1)."""

    tag: ClassVar[str] = "above_threshold"

    def certain_laws(self) -> None:
        """No law is known to be reached."""
        return


def outputs_of(cutoff: int, length: int) -> int:
    """1 + Σ_{j≤c} C(k, j): one more than the ways to answer k queries with at most c ⊤ (errata B10 and E2).

    >>> outputs_of(1, 100), outputs_of(10, 10)
    (102, 1025)
    """
    return 1 + sum(math.comb(length, tops) for tops in range(min(cutoff, length) + 1))


def _log_outputs(cutoff: int, length: int) -> float:
    """ln of it, rounded up; for long runs with many ⊤ by Σ_{j≤c} C(k, j) ≤ min(2^k, (e·k/c)^c)."""
    if min(cutoff, length) * length.bit_length() <= _MOST_COUNTED:
        return math.log(outputs_of(cutoff, length)) * (1 + 2.0**-50)
    tops = min(cutoff, length)
    return (min(length * math.log(2), tops * (1 + math.log(length / tops))) + 1) * (1 + 2.0**-40)


@dataclass(frozen=True)
class SparseVector(Exact):
    """Generalised SVT with noise `threshold` (for Δ) and `query` (for 2Δ), cutoff c and at most `length` queries.

    ε_ρ(α) + c·ε_ν(∞) where the query noise is pure, else ε_ρ(α) + c·ε_ν(α) + ln(1 + Σ_{k≤c} C(length, k))/(α - 1)
    (Survey Theorem 9.9 and Theorem 9.12, errata A8 and B10).
    """

    threshold: Event
    query: Event
    cutoff: int = 1
    length: int | None = None
    tag: ClassVar[str] = "sparse_vector"
    law_is_tight: ClassVar[bool] = False
    _checks: ClassVar[dict[str, Any]] = {"cutoff": whole_from_one}

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("threshold", "query"):
            if an_event(name, getattr(self, name)).pure_delta():
                raise InvalidParameter(name, "must have a price without a δ of its own", getattr(self, name).tag)
        if self.length is not None:
            whole_from_one("length", self.length)
        elif self.query.pure() is None:
            raise InvalidParameter("length", "must be given where the query noise is not pure", self.length)

    def pure(self) -> Fraction | None:
        threshold, query = self.threshold.pure(), self.query.pure()
        return None if threshold is None or query is None else threshold + self.cutoff * query

    def zcdp(self) -> None:
        return None

    def certain_laws(self) -> None:
        return None

    def rdp(self, alpha: float) -> float:
        bounds = [super().rdp(alpha)]
        query = self.query.pure()
        if query is not None:
            bounds.append(self.threshold.rdp(alpha) + up(self.cutoff * query))
        if self.length is not None:
            rest = _log_outputs(self.cutoff, self.length) / (alpha - 1)
            bounds.append(self.threshold.rdp(alpha) + self.cutoff * self.query.rdp(alpha) + rest)
        return min(bounds) * (1 + 2.0**-40)


def stopping_lengths(first: Fraction, second: Fraction, level: Fraction) -> dict[Fraction, float]:
    """γ -> ln E[K^γ]^(1/γ), rounded up, for the few γ with σ₂ ≥ √(γ+1)·σ₁: how long a run of SVT on zeros is.

    K counts the queries up to the first ⊤ against a threshold T (Survey Theorem 9.11; errata E6: computed).
    """
    found: dict[Fraction, float] = {}
    for gamma in _GAMMAS:
        if second**2 >= (gamma + 1) * first**2:
            moment = rdp.log_stopping_moment(float(gamma), down(second / first), up(level / first))
            found[Fraction(gamma)] = moment / float(gamma)
    return found


@dataclass(frozen=True)
class NonNegativeSparseVector(Exact):
    """SVT with Gaussian noise σ₁ on the threshold T, σ₂ on queries that are never negative, one ⊤ and no length cap.

    With γ from a few values for which σ₂ ≥ √(γ+1)·σ₁ and E[K^γ] computed, not bounded by the printed closed form:
    (α - (γ-1)/γ)/(α - 1)·γ/(γ-1)·αΔ²/(2σ₁²) + 2αΔ²/σ₂² + ln E[K^γ]/(γ(α - 1)), which is Survey Theorem 9.9 for the
    queries of Survey Theorem 9.11 (errata A7).
    """

    threshold_sigma: Real
    query_sigma: Real
    threshold: Real
    sensitivity: Real = 1
    tag: ClassVar[str] = "non_negative_sparse_vector"
    _checks: ClassVar[dict[str, Any]] = {
        "threshold_sigma": positive,
        "query_sigma": positive,
        "threshold": amount,
        "sensitivity": positive,
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if positive("query_sigma", self.query_sigma) ** 2 < 3 * positive("threshold_sigma", self.threshold_sigma) ** 2:
            raise InvalidParameter("query_sigma", "must be at least √3 times threshold_sigma", float(self.query_sigma))

    def certain_laws(self) -> None:
        return None

    def rdp(self, alpha: float) -> float:
        first, second = amount("threshold_sigma", self.threshold_sigma), amount("query_sigma", self.query_sigma)
        delta, level = amount("sensitivity", self.sensitivity), amount("threshold", self.threshold)
        rho, hidden = up((delta / first) ** 2) / 2, 2 * alpha * up((delta / second) ** 2)
        bounds: list[float] = []
        for power, length in stopping_lengths(first, second, level).items():
            gamma = float(power)
            share = (alpha - (gamma - 1) / gamma) / (alpha - 1) * gamma / (gamma - 1) * alpha * rho
            bounds.append(share + hidden + length / (alpha - 1))
        return min(bounds) * (1 + 2.0**-30)


@dataclass(frozen=True)
class Thresholded(Exact):
    """Noisy counts of which only those above a threshold are shown: the noise's price plus the δ of a lone key."""

    event: Event
    delta: Real
    tag: ClassVar[str] = "thresholded"
    law_is_tight: ClassVar[bool] = False
    _checks: ClassVar[dict[str, Any]] = {"delta": probability}

    def __post_init__(self) -> None:
        super().__post_init__()
        an_event("event", self.event)

    def pure(self) -> Fraction | None:
        return self.event.pure()

    def zcdp(self) -> Fraction | None:
        return self.event.zcdp()

    def rdp(self, alpha: float) -> float:
        return self.event.rdp(alpha)

    def extra_delta(self) -> Fraction:
        return min(Fraction(1), self.event.extra_delta() + amount("delta", self.delta))

    def pure_delta(self) -> Fraction:
        return min(Fraction(1), self.event.pure_delta() + amount("delta", self.delta))

    def laws(self) -> tuple[LossLaw, LossLaw] | None:
        return self._with(self.event.laws(), 1.0)

    def certain_laws(self) -> tuple[LossLaw, LossLaw] | None:
        return self._with(self.event.certain_laws(), 1.0 - float(amount("delta", self.delta)))

    def _with(self, inner: tuple[LossLaw, LossLaw] | None, finite: float) -> tuple[LossLaw, LossLaw] | None:
        """The inner laws with δ at infinity; an upper bound keeps all finite mass, a lower one 1 - δ of it."""
        if inner is None or (finite < 1 and any(law.smooth is not None for law in inner)):
            return None
        remove, add = (_with_infinity(law, up(amount("delta", self.delta)), finite) for law in inner)
        return remove, add


def _with_infinity(law: LossLaw, delta: float, finite: float) -> LossLaw:
    kept = math.log(finite) if finite > 0 else -math.inf
    return replace(law, log_masses=law.log_masses + kept, infinite=min(1.0, law.infinite * finite + delta))
