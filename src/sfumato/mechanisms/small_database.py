"""SmallDB's accuracy: how many records a small database needs, and how far its answers stray (Survey Theorem 6.10).

The statements stand here, beside the linear queries they are about, until a room builds such databases. Queries are
normalised, so the number of records is public and neighbours replace one record (errata A20).
"""

import math
from fractions import Fraction

from sfumato.core import Accuracy
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real, open_probability, positive, whole
from sfumato.exact.rounding import log_up, up
from sfumato.mechanisms.additive import stated

_ROUNDED_UP = 1 + 2.0**-40  # covers a few roundings
_MOST_RECORDS = 1 << 40


def small_database_size(*, queries: int, alpha: Real) -> int:
    """m, the least whole number above ln(2|Q|)/(2α²): some m records answer all queries within α (errata E5).

    m records drawn at random miss a query by more than α with probability at most 2·exp(-2mα²); from this m on the sum
    of that over all queries is below one, so some m records miss none (Survey Theorem 6.10).

    >>> small_database_size(queries=1, alpha=0.1), small_database_size(queries=1000, alpha=0.1)
    (35, 381)
    """
    asked, within = whole("queries", queries, least=1), _within(alpha)
    records = math.floor(Fraction(log_up(Fraction(2 * asked))) / (2 * within**2)) + 1
    if records > _MOST_RECORDS:
        raise InvalidParameter("alpha", "is too small for a database of at most 2**40 records", alpha)
    return records


def small_database_choices(*, types: int, records: int) -> float:
    """ln|R|, the logarithm of how many databases of so many records there are, rounded up: at most m·ln|χ| (errata E5).

    >>> round(small_database_choices(types=2, records=3), 6)  # four of them
    1.386294
    """
    chi, m = whole("types", types, least=1), whole("records", records, least=1)
    few = min(chi - 1, m)
    if few <= 1 << 10:
        return log_up(Fraction(math.comb(chi + m - 1, few)))
    exact = math.lgamma(chi + m) - math.lgamma(chi) - math.lgamma(m + 1)
    slack = 2.0**-45 * (math.lgamma(chi + m) + math.lgamma(chi) + math.lgamma(m + 1))
    return min(up(m * Fraction(log_up(Fraction(chi)))), exact + slack)


def small_database_accuracy(
    *, queries: int, types: int, people: int, alpha: Real, epsilon: Real, beta: Real
) -> Accuracy:
    """α + 2(ln|R| + ln(1/β))/(ε·n): no query strays further, with probability 1 - β (Survey Theorem 6.11, errata E5).

    >>> print(small_database_accuracy(queries=100, types=16, people=10**6, alpha=0.05, epsilon=1, beta=0.05))
    within 0.0502 with probability 95 %
    """
    fails, n = open_probability("beta", beta), whole("people", people, least=1)
    records = small_database_size(queries=queries, alpha=alpha)
    choices = Fraction(small_database_choices(types=types, records=records))
    lost = 2 * (choices + Fraction(log_up(1 / fails))) / (positive("epsilon", epsilon) * n)
    return stated(min(1.0, up(_within(alpha) + lost)), fails)


def small_database_best_accuracy(*, queries: int, types: int, people: int, epsilon: Real, beta: Real) -> Accuracy:
    """((8·ln(2|Q|)·ln|χ| + 4·ln|χ| + 4·ln(1/β))/(ε·n))^⅓, for the best α (Survey Theorem 6.12, errata E5).

    With m ≤ 2·ln(2|Q|)/α² + 1 records for half the error α, the other half is 2(m·ln|χ| + ln(1/β))/(ε·n); both are α/2
    at a fixed point whose cube is not above this as long as α ≤ 1. Beyond, the bound says nothing, as no normalised
    answer is off by more than 1.
    """
    fails, n = open_probability("beta", beta), whole("people", people, least=1)
    log_queries = log_up(Fraction(2 * whole("queries", queries, least=1)))
    log_types = log_up(Fraction(whole("types", types, least=1)))
    cube = (8 * log_queries * log_types + 4 * log_types + 4 * log_up(1 / fails)) / float(positive("epsilon", epsilon))
    return stated(min(1.0, (cube / n) ** (1 / 3) * _ROUNDED_UP), fails)


def _within(alpha: Real) -> Fraction:
    within = positive("alpha", alpha)
    if within > 1:
        raise InvalidParameter("alpha", "must be at most 1 for normalised queries", alpha)
    return within
