"""Smooth sensitivity of order statistics: the median, and any other fixed rank, of values in a declared interval."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.core import Change, Neighbours
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real, amount, whole
from sfumato.exact.placing import clipped
from sfumato.mechanisms.answers import Answers, are_whole_numbers, people_values
from sfumato.mechanisms.smooth import FLOOR, Measured, computed_at, handed_out

Reals = NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """People's values in a declared interval: clipped, and placed on a grid (on whole numbers without one)."""

    lower: Real
    upper: Real
    grid: Real | None = None
    ends: tuple[int, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        low, high, step = amount("lower", self.lower), amount("upper", self.upper), Answers(self.grid).step
        if low >= high:
            raise InvalidParameter("upper", f"must be above lower = {self.lower}", self.upper)
        if self.grid is None and (low.denominator, high.denominator) != (1, 1):
            raise InvalidParameter(
                "lower and upper", "must be whole for whole-number answers", (self.lower, self.upper)
            )
        ends = math.floor(low / step + Fraction(1, 2)), math.floor(high / step + Fraction(1, 2))
        if ends[0] == ends[1]:
            raise InvalidParameter("grid", "must be finer than the interval", self.grid)
        if ends[1] - ends[0] > 2**52 or max(map(abs, ends)) > 2**62:
            raise InvalidParameter(
                "upper", "must be at most 2**52 steps above lower, and both within 2**62", self.upper
            )
        object.__setattr__(self, "ends", ends)
        object.__setattr__(self, "lower", low)
        object.__setattr__(self, "upper", high)
        object.__setattr__(self, "grid", None if self.grid is None else step)

    def place(self, data: Any) -> NDArray[np.int64]:
        """The values in steps, each rounded to the nearest and clipped, in the order given."""
        array = people_values("data", data, amount("lower", self.lower))
        if array.ndim != 1:
            raise InvalidParameter("data", "must be one value a person, in one dimension, got shape", array.shape)
        if not array.size:
            raise InvalidParameter("data", "must not be empty, got shape", array.shape)
        if self.grid is None and not are_whole_numbers(data):
            raise InvalidParameter(
                "data", "must be whole numbers, found", "others", hint="declare a grid to release real numbers"
            )
        low, high = self.ends
        # Clipping to just outside the interval first keeps wild values on the fast path.
        near = clipped(array, amount("lower", self.lower), amount("upper", self.upper))
        steps = near if self.grid is None else Answers(self.grid, array.size).place_row(near)
        if steps.dtype == np.object_:
            return np.array([max(low, min(high, int(step))) for step in steps], dtype=np.int64)
        inside: NDArray[np.int64] = np.clip(steps, low, high)
        return inside


@dataclass(frozen=True)
class Ordered(ABC):
    """The value of a fixed rank among values in [lower, upper], the number n of people being public.

    A(k) = max over 0 ≤ t ≤ k + 1 of x(m+t) - x(m+t-k-1), where x(i) is `lower` for i < 1 and `upper` for i > n
    (errata A10; Nissim, Raskhodnikova, Smith 2007, Proposition 3.1).
    """

    neighbours: ClassVar[Neighbours] = Neighbours(Change.REPLACE)
    lower: Real
    upper: Real
    grid: Real | None = None
    interval: Interval = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        interval = Interval(self.lower, self.upper, self.grid)
        object.__setattr__(self, "interval", interval)
        for name in ("lower", "upper", "grid"):
            object.__setattr__(self, name, getattr(interval, name))

    @abstractmethod
    def place_of(self, n: int) -> int:
        """The rank among n values, counted from 1."""

    @property
    def largest(self) -> int:
        """The global sensitivity, in steps: the whole interval."""
        return self.interval.ends[1] - self.interval.ends[0]

    @property
    def rounding(self) -> Fraction:
        """Values that each move by half a step move their order statistics by no more."""
        return Fraction(0) if self.grid is None else Fraction(1, 2)

    def value(self, data: Any) -> int:
        """The order statistic of the placed values, in steps."""
        steps, at = self._placed(data)
        return int(np.partition(steps, at - 1)[at - 1])

    def local_sensitivity(self, data: Any) -> int:
        """max(x(m) - x(m-1), x(m+1) - x(m)), in steps (slides "Example: Median")."""
        steps, at = self._placed(data)
        below, here, above = self._framed(np.sort(steps))[at - 1 : at + 2]
        return int(max(here - below, above - here))

    def local_sensitivity_within(self, data: Any, changes: int) -> int:
        """A(k): the largest local sensitivity of any database that differs in at most k values, in steps.

        max over 0 ≤ t ≤ k + 1 of x(m+t) - x(m+t-k-1) (slides "Example: Median", errata A10); k = 0 is the local
        sensitivity itself.

        >>> [Median(lower=0, upper=10).local_sensitivity_within((0, 0, 0, 0, 0, 5, 10), k) for k in range(4)]
        [0, 5, 10, 10]
        """
        k, (steps, at) = whole("changes", changes), self._placed(data)
        x = self._framed(np.sort(steps))
        k = min(k, len(x))  # as many changes as people reach every database
        t = np.arange(k + 2)
        high, low = np.minimum(at + t, len(x) - 1), np.maximum(at + t - k - 1, 0)
        return int((x[high] - x[low]).max())

    def measure(self, data: Any, beta: Real) -> Measured:
        """The order statistic and its smooth sensitivity, in steps, in O(n log n).

        It is the least of all smooth bounds (slides "Property of Smooth Sensitivity"), but for roundings.
        """
        steps, at = self._placed(data)
        steps.sort()
        return Measured(int(steps[at - 1]), handed_out(_largest_move(self._framed(steps), at, computed_at(beta))))

    def _placed(self, data: Any) -> tuple[NDArray[np.int64], int]:
        steps = self.interval.place(data)
        return steps, self.place_of(len(steps))

    def _framed(self, ordered: NDArray[np.int64]) -> Reals:
        """x(0) = lower, the values, x(n+1) = upper, all counted from lower: exact as floats."""
        x = np.zeros(len(ordered) + 2)
        np.subtract(ordered, self.interval.ends[0], out=x[1:-1], casting="unsafe")
        x[-1] = self.largest
        return x


@dataclass(frozen=True)
class Median(Ordered):
    """The median, the lower of the two if n is even.

    >>> ages = Median(lower=0, upper=120)
    >>> ages.value([31, 44, 46, 50, 70]), ages.local_sensitivity([31, 44, 46, 50, 70])
    (46, 4)
    >>> value, smooth = ages.measure([31, 44, 46, 50, 70], beta=0.5)
    >>> round(smooth, 3)  # two changes away a neighbour's median is 120 instead of 46: 74·exp(-1)
    27.223
    """

    def place_of(self, n: int) -> int:
        """(n + 1)/2, rounded down."""
        return (n + 1) // 2


@dataclass(frozen=True)
class OrderStatistic(Ordered):
    """The rank-th smallest value.

    >>> OrderStatistic(lower=0, upper=120, rank=2).value([31, 50, 46, 44, 70])
    44
    """

    rank: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        whole("rank", self.rank, least=1)

    def place_of(self, n: int) -> int:
        """The rank, which must not be above n."""
        if self.rank > n:
            raise InvalidParameter("rank", f"must be at most {n}, the number of values", self.rank)
        return self.rank


def _largest_move(x: Reals, m: int, beta: float) -> float:
    """max of (x[j] - x[i])·exp(-β(j-i-1)) over i ≤ m ≤ j, i < j: the maximum over k and t of exp(-kβ)·A(k)."""
    n, whole_way = len(x) - 2, float(x[-1])
    near = np.unique(np.minimum(np.concatenate([[0], 2 ** np.arange(int(n + 1).bit_length())]), n + 1))
    i, j = np.maximum(m - near, 0)[:, None], np.minimum(m + near, n + 1)
    some = float(((x[j] - x[i]) * np.exp(-np.minimum(beta * np.maximum(j - i - 1, 0), 700))).max())
    # More changes than this take the whole interval below a move already found, or below the floor.
    k = min(n, math.ceil(math.log(whole_way / min(whole_way, max(FLOOR, some))) / beta) + 1)
    rows, columns = np.arange(max(0, m - k - 1), m + 1), np.arange(m, min(n + 1, m + k + 1) + 1)
    left, right = np.exp(-beta * (m - rows)), np.exp(-beta * (columns - m))
    return max(some, _best_pair(x[rows], left, x[columns], right) * math.exp(beta))


def _best_pair(low: Reals, left: Reals, high: Reals, right: Reals) -> float:
    """max of (high[j] - low[i])·left[i]·right[j], low and high ascending, low ≤ high.

    The best j of a row grows with i, as (b - l)/(a - l) grows with l for a < b: the rows between two that are done
    search between their columns only. Every second row, then every second of those left over, and so on: as many
    levels as n has bits, each O(n) array work, whatever the data.
    """
    found = np.zeros(len(low), dtype=np.int64)
    best, stride = 0.0, 1 << len(low).bit_length()
    while stride := stride // 2:
        rows = np.arange(stride - 1, len(low), 2 * stride)  # done before: those 2·stride - 1, 4·stride - 1, ...
        first = np.where(rows >= stride, found[np.maximum(rows - stride, 0)], 0)
        last = np.where(rows + stride < len(low), found[np.minimum(rows + stride, len(low) - 1)], len(high) - 1)
        count = last - first + 1
        starts = np.cumsum(count) - count
        columns = np.arange(int(count.sum())) - np.repeat(starts - first, count)  # row after row, first..last
        moves = (high[columns] - np.repeat(low[rows], count)) * right[columns]
        most = np.maximum.reduceat(moves, starts)
        ties = np.flatnonzero(moves == np.repeat(most, count))
        found[rows] = columns[ties[np.searchsorted(ties, starts)]]
        best = max(best, float((most * left[rows]).max()))
    return best
