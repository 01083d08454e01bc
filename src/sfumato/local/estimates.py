"""What an aggregator gives: estimated shares or a mean, each with the standard error that the coins left."""

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import open_probability
from sfumato.mechanisms.randomized_response import Estimate

Reals = NDArray[np.float64]


def quantile(confidence: Any) -> float:
    """How many standard errors an interval reaches to either side."""
    from scipy.special import ndtri

    return float(ndtri((1 + float(open_probability("confidence", confidence))) / 2))


@dataclass(frozen=True)
class Frequencies:
    """The estimated share of every value among the people who reported.

    Raw shares are unbiased and may be negative or sum to something else than one; `postprocess` mends that by name.
    """

    labels: Sequence[Hashable]
    shares: Reals
    standard_errors: Reals
    people: int
    processed: str = "raw"

    def __len__(self) -> int:
        return len(self.shares)

    def __iter__(self) -> Iterator[tuple[Hashable, Estimate]]:
        for label, share, error in zip(self.labels, self.shares, self.standard_errors, strict=True):
            yield label, Estimate(float(share), float(error))

    def __getitem__(self, label: Hashable) -> Estimate:
        at = self.labels.index(label)
        return Estimate(float(self.shares[at]), float(self.standard_errors[at]))

    @property
    def counts(self) -> Reals:
        """Shares times people."""
        return self.shares * self.people

    def interval(self, confidence: Any = 0.95) -> tuple[Reals, Reals]:
        """Lower and upper ends that hold each raw share's truth with about this probability, one share at a time."""
        if self.processed != "raw":
            raise InvalidParameter("estimate", "has intervals only as it is raw", self.processed)
        reach = quantile(confidence) * self.standard_errors
        return self.shares - reach, self.shares + reach

    def top(self, count: int) -> list[tuple[Hashable, Estimate]]:
        """The largest shares, in order."""
        order = np.argsort(-self.shares, kind="stable")[:count]
        return [(self.labels[int(i)], Estimate(float(self.shares[i]), float(self.standard_errors[i]))) for i in order]

    def postprocess(self, method: str, **options: float) -> "Frequencies":
        """The shares made consistent by a named method; see `sfumato.local.postprocess`."""
        from sfumato.local.postprocess import process

        return process(self, method, **options)


@dataclass(frozen=True)
class Mean:
    """An unbiased mean of the people who reported."""

    value: float
    standard_error: float
    people: int

    def interval(self, confidence: Any = 0.95) -> tuple[float, float]:
        """Ends that hold the true mean with about this probability."""
        reach = quantile(confidence) * self.standard_error
        return self.value - reach, self.value + reach

    def __str__(self) -> str:
        return f"{self.value:.6g} ± {self.standard_error:.2g}"


def from_flags(
    labels: Sequence[Hashable], ones: Any, people: int, *, p: float, q: float, gap: float | None = None
) -> Frequencies:
    """Shares from how often each value was flagged: p is the chance for its holders, q for the others.

    Unbiased: (ones/n - q)/(p - q). The variance of one report is q(1-q)/(p-q)² + f(1-p-q)/(p-q), at the estimated f
    within [0, 1] (Wang, Blocki, Li, Jha 2017, Theorem 2, and the holders' own part).
    """
    between = p - q if gap is None else gap
    if people == 0:
        nothing = np.full(len(labels), np.nan)
        return Frequencies(labels, nothing, np.full(len(labels), np.inf), 0)
    shares = (np.asarray(ones, dtype=np.float64) / people - q) / between
    inside = np.clip(shares, 0.0, 1.0)
    noise = inside * p * (1 - p) + (1 - inside) * q * (1 - q)
    return Frequencies(labels, shares, np.sqrt(noise / people) / abs(between), people)


def flag_variance(p: float, q: float, share: float) -> float:
    """The variance one report adds to a share estimated from flags: coins alone, the people being who they are."""
    return (share * p * (1 - p) + (1 - share) * q * (1 - q)) / (p - q) ** 2


def root(variance: float, people: int) -> float:
    """A standard error, infinite without people."""
    return math.sqrt(max(0.0, variance) / people) if people else math.inf
