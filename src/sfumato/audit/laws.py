"""Exact laws: a mechanism on an injectable source of bits is a tree of rational branches, and ε can be decided on it.

Every branch of the words a source could say is followed (`sfumato.exact.output_law`). What was followed to its end has
an exact probability; what was not is `unexplored`. Nothing is estimated, so a refutation is a proof, and so is "private
at ε with δ larger by so much", whatever the unexplored mass would turn out to be.
"""

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np

from sfumato.audit.pairs import Pair
from sfumato.core import Distribution, approximate_max_divergence, is_private
from sfumato.core.distribution import best_sets, holds
from sfumato.errors import InvalidParameter
from sfumato.exact import BitSource, Law, output_law
from sfumato.exact.parameters import Real, non_negative, probability
from sfumato.exact.rounding import exp_up

Release = Callable[[Any, BitSource], Any]
_WORD_BITS = 2
_RUNS = 8000
_NEARLY_ALL = Fraction(1, 10**6)  # a proof adds less than this to δ
_LARGEST = 100  # the ε beyond which e^ε times what is missing is no longer small


class Verdict(Enum):
    """What following the branches showed."""

    PROVED = "proved"
    REFUTED = "refuted"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class LawFinding:
    """What the exact laws on two neighbours say about a claim; ε lies in [at_least, at_most] at the claim's δ.

    A proof and `at_most` hold with `allowed` more δ, for what was not followed; `at_most` is infinite where that is too
    much to bound anything.
    """

    name: str
    epsilon: float
    delta: float
    verdict: Verdict
    at_least: float
    at_most: float
    allowed: float
    outcomes: int
    pair: str

    @property
    def convicted(self) -> bool:
        """Whether the claim is refuted."""
        return self.verdict is Verdict.REFUTED

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "name": self.name,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "verdict": self.verdict.value,
            "at_least": None if math.isinf(self.at_least) else self.at_least,
            "at_most": None if math.isinf(self.at_most) else self.at_most,
            "allowed": self.allowed,
            "outcomes": self.outcomes,
            "pair": self.pair,
        }


def plain(output: Any) -> Hashable:
    """An output as a value that can be counted."""
    if isinstance(output, np.ndarray):
        return tuple(output.tolist())
    if isinstance(output, dict):
        return tuple(output.items())
    return tuple(output) if isinstance(output, list) else output


def law_of(release: Release, data: Any, *, word_bits: int = _WORD_BITS, runs: int = _RUNS) -> Law[Hashable]:
    """The exact law of a release on one input."""
    return output_law(lambda bits: plain(release(data, bits)), word_bits=word_bits, runs=runs)


def exact_audit(
    release: Release,
    pair: Pair,
    *,
    epsilon: Real,
    delta: Real = 0,
    name: str = "",
    word_bits: int = _WORD_BITS,
    runs: int = _RUNS,
) -> LawFinding:
    """Whether (ε, δ)-privacy holds on a pair of inputs, decided on the exact laws (Survey Definition 3.5).

    >>> from sfumato.exact import bernoulli
    >>> coin = lambda bit, bits: bernoulli(Fraction(3, 4) if bit else Fraction(1, 4), bits=bits)
    >>> exact_audit(coin, Pair(0, 1), epsilon=1).verdict, exact_audit(coin, Pair(0, 1), epsilon=1.1).verdict
    (<Verdict.REFUTED: 'refuted'>, <Verdict.PROVED: 'proved'>)
    """
    e, d = non_negative("epsilon", epsilon), probability("delta", delta)
    one, other = (law_of(release, data, word_bits=word_bits, runs=runs) for data in (pair.left, pair.right))
    missing = max(one.unexplored, other.unexplored)
    # A branch that ended on one input may still be open on the other, where e^ε times its mass can be missing.
    allowed = missing * (1 + Fraction(exp_up(e))) if e < _LARGEST else Fraction(1)
    verdict = Verdict.OPEN
    if _refuted(one, other, e, d) or _refuted(other, one, e, d):
        verdict = Verdict.REFUTED
    elif allowed < _NEARLY_ALL and d + allowed < 1:
        a, b = _padded(one, "a"), _padded(other, "b")
        verdict = Verdict.PROVED if is_private(a, b, epsilon=e, delta=d + allowed) else Verdict.OPEN
    at_least = max(_certain(one, other, d), _certain(other, one, d))
    return LawFinding(
        name=name,
        epsilon=float(e),
        delta=float(d),
        verdict=verdict,
        at_least=at_least,
        at_most=max(at_least, _at_most(one, other, d + allowed)) if allowed < _NEARLY_ALL else math.inf,
        allowed=float(allowed),
        outcomes=len({*one.probabilities, *other.probabilities}),
        pair=str(pair),
    )


def _padded(law: Law[Hashable], side: str) -> Distribution:
    """The law with what is missing in a place of its own, which no neighbour has: the worst that it could be."""
    masses: dict[Hashable, Fraction] = dict(law.probabilities)
    if law.unexplored:
        masses["unexplored", side] = law.unexplored
    return Distribution(masses)


def _least_and_most(one: Law[Hashable], other: Law[Hashable]) -> list[tuple[Fraction, Fraction]]:
    """The least that sets of followed outcomes can have on one input, and the most on the other."""
    sets = best_sets(_padded(one, "a"), _padded(other, "b"))  # what is missing on one side is counted in all but a few
    return [(p - one.unexplored, min(Fraction(1), q + other.unexplored)) for p, q in sets]


def _refuted(one: Law[Hashable], other: Law[Hashable], epsilon: Fraction, delta: Fraction) -> bool:
    return any(not holds(p, q, epsilon, delta) for p, q in _least_and_most(one, other))


def _certain(one: Law[Hashable], other: Law[Hashable], delta: Fraction) -> float:
    """The largest ε that some set refutes."""
    bounds = [
        math.inf if q == 0 else math.log(float((p - delta) / q)) for p, q in _least_and_most(one, other) if p > delta
    ]
    return max([0.0, *bounds])


def _at_most(one: Law[Hashable], other: Law[Hashable], delta: Fraction) -> float:
    if delta >= 1:
        return math.inf
    a, b = _padded(one, "a"), _padded(other, "b")
    return max(*(approximate_max_divergence(p, q, delta=delta) for p, q in ((a, b), (b, a))))


def check_law(
    sampler: Callable[[BitSource], Hashable],
    stated: Mapping[Any, tuple[Fraction, Fraction]],
    *,
    word_bits: int = _WORD_BITS,
    runs: int = _RUNS,
) -> Verdict:
    """Whether a sampler has the stated law, given as rationals around the probability of each outcome.

    Refuted where an outcome's probability cannot be the stated one, or an outcome comes that was not stated; proved to
    within what is unexplored where that is less than one in a million; open otherwise.
    """
    if not stated:
        raise InvalidParameter("stated", "must hold at least one outcome, got", "none")
    law = output_law(sampler, word_bits=word_bits, runs=runs)
    beyond = 1 - sum((low for low, _ in stated.values()), Fraction(0))  # what the stated outcomes leave for others
    strange = sum((p for outcome, p in law.probabilities.items() if outcome not in stated), Fraction(0))
    if strange > beyond or any(not law.agrees(outcome, low, high) for outcome, (low, high) in stated.items()):
        return Verdict.REFUTED
    return Verdict.PROVED if law.unexplored < _NEARLY_ALL else Verdict.OPEN
