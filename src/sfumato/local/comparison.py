"""What trusting nobody costs: the error of a mean of bits, central and local, and the people needed (Survey §7.2)."""

import math
from dataclasses import dataclass

from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real, open_probability, positive, whole
from sfumato.local import thresholds
from sfumato.local.one_bit import OneBitMean


@dataclass(frozen=True)
class Comparison:
    """Errors of a mean of bits that hold with probability 1 - beta, at the same ε."""

    epsilon: float
    people: int
    beta: float
    central: float
    local: float

    @property
    def ratio(self) -> float:
        """How many times larger the local error is: it grows with √n."""
        return self.local / self.central


def compare(*, epsilon: Real, people: int, beta: Real = 0.05) -> Comparison:
    """The two errors: ln(1/β)/(εn) by Laplace noise (errata B14), and Theorem 7.7's for reports of one bit.

    >>> at = compare(epsilon=1, people=10_000)
    >>> print(f"{at.central:.4f} {at.local:.4f} {at.ratio:.0f}")
    0.0003 0.0294 98
    """
    budget, fails = thresholds.budget(epsilon), open_probability("beta", beta)
    n = whole("people", people, least=1)
    central = math.log(1 / float(fails)) / (float(budget) * n)
    local = _one_bit(budget).error(fails, people=n).alpha
    return Comparison(float(budget), n, float(fails), central, local)


def people_needed(*, epsilon: Real, error: Real, beta: Real = 0.05) -> tuple[int, int]:
    """How many people bring the error down to this, central and local: about 1/(αε), and its square.

    >>> people_needed(epsilon=1, error=0.01)
    (300, 86370)
    """
    budget, fails, within = thresholds.budget(epsilon), open_probability("beta", beta), float(positive("error", error))
    if within >= 1:
        raise InvalidParameter("error", "must be below 1 for a mean of bits", error)
    central = math.ceil(math.log(1 / float(fails)) / (float(budget) * within))
    one = _one_bit(budget).error(fails, people=1).alpha
    return central, math.ceil((one / within) ** 2)


def _one_bit(epsilon: Real) -> OneBitMean:
    return OneBitMean(name="comparison", upper=1, epsilon=epsilon)
