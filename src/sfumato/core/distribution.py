"""Finite output distributions and how far apart they are (Survey §5).

Probabilities are exact rationals, so a statement about two distributions is a theorem about them. Divergences
are in nats; those that are logarithms come as floats not below the true value.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

from sfumato.errors import InvalidParameter
from sfumato.exact.lazy import ball_of, decide, is_below
from sfumato.exact.parameters import Real, amount, non_negative, probability
from sfumato.exact.rounding import add_up, down, exp_down, exp_up, log_up, mul_up, sub_up, up


@dataclass(frozen=True, slots=True)
class Distribution:
    """Probabilities of finitely many outcomes, which sum to one exactly (Survey Definition 3.2).

    >>> fair = Distribution({"heads": Fraction(1, 2), "tails": 0.5})
    >>> fair["heads"], fair["edge"]
    (Fraction(1, 2), Fraction(0, 1))
    """

    probabilities: Mapping[Any, Real]

    def __post_init__(self) -> None:
        if not isinstance(self.probabilities, Mapping):
            raise InvalidParameter("probabilities", "must map outcomes to numbers, found", type(self.probabilities))
        exact = {key: probability("probability", p) for key, p in self.probabilities.items()}
        excess = sum(exact.values()) - 1
        if excess:
            raise InvalidParameter(
                "probabilities",
                "must sum to 1 exactly, but are off by",
                float(excess),
                hint="pass Fractions, or divide by their sum as Fractions",
            )
        object.__setattr__(self, "probabilities", exact)

    def __getitem__(self, outcome: Hashable) -> Fraction:
        return amount("probability", self.probabilities.get(outcome, 0))


def _pairs(p: Distribution, q: Distribution) -> list[tuple[Fraction, Fraction]]:
    return [(p[key], q[key]) for key in {**p.probabilities, **q.probabilities}]


def best_sets(p: Distribution, q: Distribution) -> list[tuple[Fraction, Fraction]]:
    """(p(S), q(S)) of the sets that keep the outcomes of largest p/q: the only ones a bound needs to try."""
    pairs = sorted(_pairs(p, q), key=lambda pair: pair[0] / pair[1] if pair[1] else inf, reverse=True)
    sums, in_p, in_q = [], Fraction(0), Fraction(0)
    for a, b in pairs:
        in_p, in_q = in_p + a, in_q + b
        sums.append((in_p, in_q))
    return sums


def statistical_distance(p: Distribution, q: Distribution) -> Fraction:
    """Half the ℓ1 distance: the most any event's probability differs (Survey Definition 5.3)."""
    return sum((abs(a - b) for a, b in _pairs(p, q)), Fraction(0)) / 2


def privacy_loss(p: Distribution, q: Distribution, outcome: Hashable) -> float:
    """ln(p/q) at one outcome, rounded up; infinite where q never gives it (Survey Definition 3.6)."""
    if p[outcome] == 0:
        raise InvalidParameter("outcome", "must be possible under p", outcome)
    return inf if q[outcome] == 0 else log_up(p[outcome] / q[outcome])


def kl_divergence(p: Distribution, q: Distribution) -> float:
    """The expectation of the privacy loss under p, rounded up (Survey Definition 5.1)."""
    total = 0.0
    for a, b in _pairs(p, q):
        if a == 0:
            continue
        if b == 0:
            return inf
        loss = log_up(a / b)
        total = add_up(total, mul_up(up(a), loss) if loss >= 0 else mul_up(-up(-a), loss))
    return max(0.0, total)


def renyi_divergence(p: Distribution, q: Distribution, *, alpha: Real) -> float:
    """ln(Σ p^α·q^(1-α))/(α - 1), rounded up; at order 1 the KL divergence, at ∞ the max divergence.

    Survey Definition 8.1 with its limits (Survey Theorem 8.3).
    """
    if isinstance(alpha, float) and alpha == inf:
        return max_divergence(p, q)
    order = amount("alpha", alpha) - 1
    if order == 0:
        return kl_divergence(p, q)
    if order < 0:
        raise InvalidParameter("alpha", "must be at least 1", alpha)
    terms = []
    for a, b in _pairs(p, q):
        if a and not b:
            return inf
        if a:  # p^α·q^(1-α) = p·(p/q)^(α-1)
            loss = log_up(a / b)
            terms.append(add_up(log_up(a), mul_up(up(order) if loss >= 0 else down(order), loss)))
    top = max(terms)
    total = 0.0
    for term in terms:
        total = add_up(total, exp_up(sub_up(term, top)))
    return max(0.0, up(Fraction(add_up(top, log_up(total))) / order))


def max_divergence(p: Distribution, q: Distribution) -> float:
    """The largest privacy loss, rounded up: pure ε-differential privacy in this direction."""
    return approximate_max_divergence(p, q, delta=0)


def approximate_max_divergence(p: Distribution, q: Distribution, *, delta: Real) -> float:
    """max over sets S with p(S) ≥ δ of ln((p(S) - δ)/q(S)), rounded up; at least 0.

    The maximum runs over sets, not outcomes (Survey Definition 5.2, errata A15). It is at most ε exactly if some
    distribution within statistical distance δ of p has max divergence at most ε from q (Survey Lemma 5.4). For a
    ratio λ the best set keeps the outcomes with p > λ·q, so it is enough to try the sets of largest p/q.
    """
    d = probability("delta", delta)
    best = Fraction(1)
    for in_p, in_q in best_sets(p, q):
        if in_q:
            best = max(best, (in_p - d) / in_q)
        elif in_p > d:
            return inf
    return log_up(best)


def close_pair(p: Distribution, q: Distribution, *, ratio: Real) -> tuple[Distribution, Distribution]:
    """Distributions near p and q whose probabilities differ by at most the factor `ratio`, which is e^ε, both ways.

    Each is within δ/(e^ε + 1) of its own, if p and q are (ε, δ)-close both ways (Survey Lemma 5.4, second part,
    errata C6): where p > e^ε·q the two share their mass as e^ε to 1, and what then is too little in all on one
    side is taken from the other, where that has more.
    """
    factor = amount("ratio", ratio)
    if factor < 1:
        raise InvalidParameter("ratio", "must be at least 1", ratio)
    near: list[dict[Any, Fraction]] = [{}, {}]
    for key in {**p.probabilities, **q.probabilities}:
        a, b = p[key], q[key]
        less, more = (a + b) / (factor + 1), (a + b) * factor / (factor + 1)
        near[0][key] = more if a > factor * b else less if b > factor * a else a
        near[1][key] = a + b - near[0][key]
    short, long = sorted(near, key=lambda masses: sum(masses.values()))
    missing = 1 - sum(short.values())
    for key, mass in short.items():
        moved = min(missing, max(Fraction(0), (long[key] - mass) / 2))
        short[key], long[key], missing = mass + moved, long[key] - moved, missing - moved
    return Distribution(near[0]), Distribution(near[1])


def hockey_stick(p: Distribution, q: Distribution, *, epsilon: Real) -> float:
    """The least δ with p(S) ≤ e^ε·q(S) + δ for all S, rounded up: Σ max(0, p - e^ε·q)."""
    e = non_negative("epsilon", epsilon)
    factor = Fraction(exp_down(e)) if e else Fraction(1)
    return min(1.0, up(sum((max(Fraction(0), a - factor * b) for a, b in _pairs(p, q)), Fraction(0))))


def is_private(p: Distribution, q: Distribution, *, epsilon: Real, delta: Real = 0) -> bool:
    """Whether p and q satisfy (ε, δ)-differential privacy in both directions, decided exactly.

    Survey Definition 3.5 for one pair of neighbours.

    >>> warner = Distribution({1: Fraction(3, 4), 0: Fraction(1, 4)})
    >>> flipped = Distribution({1: Fraction(1, 4), 0: Fraction(3, 4)})
    >>> is_private(warner, flipped, epsilon=1.0987), is_private(warner, flipped, epsilon=1.0986)
    (True, False)
    """
    e, d = non_negative("epsilon", epsilon), probability("delta", delta)
    return all(
        holds(in_left, in_right, e, d)
        for left, right in ((p, q), (q, p))
        for in_left, in_right in best_sets(left, right)
    )


def holds(a: Fraction, b: Fraction, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether a ≤ e^ε·b + δ."""
    if b == 0 or epsilon == 0 or a <= delta:
        return a <= b + delta
    # e^ε is irrational for rational ε > 0, so the two sides differ and enough digits show which is larger
    return decide([], lambda: is_below(ball_of(a - delta), ball_of(epsilon).exp() * ball_of(b)))
