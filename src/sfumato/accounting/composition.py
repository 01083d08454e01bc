"""Composition theorems by name: each a function of the parameters it was proved for.

`total` takes the least of all of them; here they can be asked one by one, and inverted.
"""

import math
from collections.abc import Sequence

from sfumato.accounting.conversion import checked_price, real
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real, whole

_UP = 1 + 2.0**-45
_MOST_EXPONENT = 700.0


def _pair(loss: Real, failure: Real = 0) -> tuple[float, float]:
    epsilon, delta = real("epsilon", loss), real("delta", failure)
    if not (epsilon >= 0 and math.isfinite(epsilon)):
        raise InvalidParameter("epsilon", "must be finite and not negative", loss)
    if not 0 <= delta < 1:
        raise InvalidParameter("delta", "must be between 0 and 1", failure)
    return epsilon, delta


def _open(name: str, value: Real) -> float:
    share = real(name, value)
    if not 0 < share < 1:
        raise InvalidParameter(name, "must be between 0 and 1", value)
    return share


def basic_composition(epsilons: Sequence[Real], deltas: Sequence[Real]) -> tuple[float, float]:
    """(Σε, Σδ), rounded up.

    For pure mechanisms Survey Theorem 3.9, Theorem 3.10 and Corollary 3.11, for approximate ones Survey Lemma 3.12
    and Theorem 3.13; adaptively chosen mechanisms too (Survey Definition 5.6 and Definition 5.7).
    """
    epsilons, deltas = ([checked_price("price", value) for value in values] for values in (epsilons, deltas))
    return math.fsum(epsilons) * _UP, min(1.0, math.fsum(deltas) * _UP)


def group_privacy(epsilon: Real, delta: Real, k: int) -> tuple[float, float]:
    """(kε, δ·Σ_{i<k} e^{iε}) for neighbours k steps apart (Survey Theorem 3.8, errata A13)."""
    epsilon, delta = _pair(epsilon, delta)
    size = whole("k", k, least=1)
    if (size - 1) * epsilon > _MOST_EXPONENT:
        return size * epsilon * _UP, 1.0 if delta else 0.0
    factor = math.fsum(math.exp(i * epsilon) for i in range(size))
    return size * epsilon * _UP, min(1.0, delta * factor * _UP)


def kl_of_pure(epsilon: float) -> float:
    """The largest expected loss of an ε-private mechanism: ε·tanh(ε/2), not ε(e^ε - 1) (Survey Lemma 5.5, B13)."""
    return epsilon * math.tanh(epsilon / 2) * _UP


def advanced_composition(epsilon: Real, delta: Real, k: int, slack: Real, *, tight: bool = True) -> tuple[float, float]:
    """k uses of an (ε, δ)-private mechanism: (√(2k·ln(1/slack))·ε + k·KL, kδ + slack).

    Survey Theorem 5.8 and Theorem 5.9. With `tight` the second term is the true KL (errata B13) and the result is
    never worse than kε; without, it is the theorem as printed.
    """
    (epsilon, delta), slack = _pair(epsilon, delta), _open("slack", slack)
    n = whole("k", k, least=1)
    mean = kl_of_pure(epsilon) if tight else _printed_kl(epsilon)
    value = (math.sqrt(2 * n * math.log(1 / slack)) * epsilon + n * mean) * _UP
    return (min(value, n * epsilon * _UP) if tight else value), min(1.0, (n * delta + slack) * _UP)


def _printed_kl(epsilon: float) -> float:
    """ε(e^ε - 1), the survey's bound on the expected loss."""
    return epsilon * math.expm1(epsilon) if epsilon < _MOST_EXPONENT else math.inf


def advanced_heterogeneous(prices: Sequence[tuple[float, int]], slack: float, *, tight: bool = True) -> float:
    """√(2·ln(1/slack)·Σnε²) + ΣnKL for mechanisms of ε used n times (Survey Theorem 5.9 with unequal terms)."""
    for epsilon, _ in prices:
        checked_price("epsilon", epsilon)
    squares = math.fsum(n * e * e for e, n in prices)
    mean = math.fsum(n * (kl_of_pure(e) if tight else _printed_kl(e)) for e, n in prices)
    return (math.sqrt(2 * math.log(1 / slack) * squares) + mean) * _UP


def advanced_composition_inverse(epsilon: Real, delta: Real, k: int) -> float:
    """The largest ε₀ for which k uses of an ε₀-private mechanism are (ε, δ)-private by advanced composition.

    The slides "Utilization of Advanced Composition Theorem" give a smaller one in closed form (errata B12); it is how
    notes "close to n² counting queries" come about.
    """
    (epsilon, _), delta = _pair(epsilon), _open("delta", delta)
    low, high = 0.0, epsilon
    if advanced_composition(high, 0.0, k, delta)[0] <= epsilon:
        return high
    for _ in range(200):
        middle = (low + high) / 2
        if advanced_composition(middle, 0.0, k, delta)[0] <= epsilon:
            low = middle
        else:
            high = middle
    return low


def probability_bound(epsilon: Real, k: int, probability: Real) -> float:
    """The most an event can have after k uses of an ε-private mechanism, if a neighbour gives it `probability`.

    exp(2ε√(k·ln(1/p)))·p (Survey Theorem 8.7, errata C4) where ln(1/p) ≥ kε²/2, as the order that proves it must be
    above 1; and never more than e^{kε}·p or 1.
    """
    (epsilon, _), probability = _pair(epsilon), real("probability", probability)
    n = whole("k", k, least=1)
    if not 0 < probability <= 1:
        raise InvalidParameter("probability", "must be above 0 and at most 1", probability)
    surprise = math.log(1 / probability)
    exponent = n * epsilon
    if surprise >= n * epsilon * epsilon / 2:
        exponent = min(exponent, 2 * epsilon * math.sqrt(n * surprise))
    return min(1.0, math.exp(min(exponent - surprise, 0.0)) * _UP)


def optimal_delta(epsilon_total: Real, epsilon: Real, delta: Real, k: int) -> float:
    """The exact δ of k uses of an (ε, δ)-private mechanism at ε_total (Kairouz, Oh, Viswanath 2015, Theorem 3.3).

    The loss is ε·(2i - k) with i binomial(k, 1/(1 + e^-ε)), or infinite with probability 1 - (1 - δ)^k.
    """
    from scipy.special import gammaln

    (epsilon, delta), epsilon_total = _pair(epsilon, delta), checked_price("epsilon_total", epsilon_total)
    n = whole("k", k, least=1)
    if epsilon_total == math.inf:
        epsilon_total = n * epsilon + 1
    log_p = -math.log1p(math.exp(-epsilon))
    log_q = -epsilon + log_p
    first = max(0, math.floor((epsilon_total / epsilon + n) / 2) - 1) if epsilon > 0 else n + 1
    terms = []
    for i in range(first, n + 1):
        loss = epsilon * (2 * i - n)
        if loss > epsilon_total:
            log_binomial = float(gammaln(n + 1) - gammaln(i + 1) - gammaln(n - i + 1))
            term = math.exp(log_binomial + i * log_p + (n - i) * log_q)
            terms.append(term * -math.expm1(epsilon_total - loss))
    finite = math.fsum(terms) * (1 + 2.0**-40 * (1 + n))
    infinite = -math.expm1(n * math.log1p(-delta)) * _UP if delta < 1 else 1.0
    return min(1.0, (1 - infinite) * finite + infinite)
