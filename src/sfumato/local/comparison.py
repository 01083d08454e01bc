"""What trusting nobody costs: errors of a mean, central and local, and the people needed (Survey §7.2)."""

import math
from dataclasses import dataclass

from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real, open_probability, positive, whole
from sfumato.local import thresholds
from sfumato.local.laplace_mean import LaplaceMean
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
    """How many people bring the error down to this with probability 1 - β, central and local: 1/(αε), and its square.

    Both by tail bounds. Chebyshev's inequality at n = 1/(αε)², as the survey has it, leaves a probability of 0.92 at
    ε = 1 that the deviation is larger (errata E9).

    >>> people_needed(epsilon=1, error=0.01)
    (300, 86370)
    """
    budget, fails, within = thresholds.budget(epsilon), open_probability("beta", beta), float(positive("error", error))
    if within >= 1:
        raise InvalidParameter("error", "must be below 1 for a mean of bits", error)
    central = math.ceil(math.log(1 / float(fails)) / (float(budget) * within))
    one = _one_bit(budget).error(fails, people=1).alpha
    return central, math.ceil((one / within) ** 2)


@dataclass(frozen=True)
class MeanComparison:
    """Errors of a mean of numbers that hold with probability 1 - beta, and the bits of a report, at the same ε."""

    one_bit: float
    laplace: float
    laplace_bits: int

    @property
    def ratio(self) -> float:
        """How many times larger the error of one bit is than that of Laplace noise on the device."""
        return self.one_bit / self.laplace


def compare_means(*, upper: Real, epsilon: Real, people: int, beta: Real = 0.05) -> MeanComparison:
    """One bit against Laplace noise of scale m/ε on every device, for numbers from 0 to `upper` (Survey §7.4.2).

    >>> at = compare_means(upper=86_400, epsilon=1, people=1_000_000)
    >>> print(f"{at.one_bit:.0f} with 1 bit, {at.laplace:.0f} with {at.laplace_bits} bits")
    254 with 1 bit, 332 with 20 bits
    """
    one = OneBitMean(name="comparison", upper=upper, epsilon=epsilon).error(beta, people=people)
    noisy = LaplaceMean(upper=upper, epsilon=epsilon)
    return MeanComparison(one.alpha, noisy.error(beta, people=people).alpha, noisy.report_bits(beta))


def _one_bit(epsilon: Real) -> OneBitMean:
    return OneBitMean(name="comparison", upper=1, epsilon=epsilon)
