"""Workloads over values in an order: prefixes, which are a cumulative distribution, and ranges."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core import Change, Neighbours, Norm
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import whole
from sfumato.exact.sampler import objects
from sfumato.mechanisms.linear import FiniteDomain, LinearQueries
from sfumato.synth.databases import Cells
from sfumato.synth.workloads import RecordMove, Workload

_MOST_PAIRS = 2**22


def _cumulative(weights: NDArray[Any]) -> NDArray[Any]:
    """Running sums, never wrapped."""
    if weights.dtype.kind == "i" and float(np.abs(weights.astype(np.float64)).sum()) >= 2**62:
        weights = objects(weights.tolist())
    return np.asarray(np.cumsum(weights))


@dataclass(frozen=True, eq=False)
class PrefixWorkload(Workload):
    """For each value of the domain, how many records are at most that; the last is the number of all.

    >>> from sfumato.core import IntegerInterval
    >>> from sfumato.synth import RowDatabase
    >>> grades = IntegerInterval(1, 5)
    >>> PrefixWorkload(grades).answers(RowDatabase(grades, [1, 3, 3, 5])).tolist()
    [1, 1, 3, 3, 4]
    """

    domain: FiniteDomain
    size: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.size is not None:
            whole("size", self.size, least=1)

    def __len__(self) -> int:
        return len(self.domain)

    def sums(self, cells: Cells) -> NDArray[Any]:
        """Running sums."""
        return _cumulative(cells.dense(len(self.domain)))

    def weights_of(self, query: int) -> NDArray[np.int64]:
        """One up to a value."""
        return (np.arange(len(self.domain)) <= query).astype(np.int64)

    def move(self, change: Change) -> RecordMove:
        """A record of the first value counts in all; moved from the first to the last it leaves all but the last."""
        return RecordMove.of_counts(len(self.domain) - (change is Change.REPLACE))


@dataclass(frozen=True, eq=False)
class RangeWorkload(Workload):
    """How many records lie in each range of places, both ends included.

    >>> from sfumato.core import IntegerInterval, Neighbours, Norm
    >>> halves = RangeWorkload(IntegerInterval(0, 9), ((0, 4), (5, 9), (0, 9)))
    >>> halves.sensitivity(Norm.L1, Neighbours()).amount
    Fraction(2, 1)
    """

    domain: FiniteDomain
    ranges: Sequence[tuple[int, int]]
    size: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if not len(self.ranges):
            raise InvalidParameter("ranges", "must be at least one", self.ranges)
        for first, last in self.ranges:
            if not 0 <= whole("first", first) <= whole("last", last) < len(self.domain):
                raise InvalidParameter("ranges", f"must lie within places 0 … {len(self.domain) - 1}", (first, last))
        if self.size is not None:
            whole("size", self.size, least=1)

    @classmethod
    def all(cls, domain: FiniteDomain, *, size: int | None = None) -> "RangeWorkload":
        """Every range there is."""
        d = len(domain)
        return cls(domain, tuple((first, last) for first in range(d) for last in range(first, d)), size=size)

    def __len__(self) -> int:
        return len(self.ranges)

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        return np.array(self.ranges, dtype=np.int64)

    def sums(self, cells: Cells) -> NDArray[Any]:
        """Differences of running sums."""
        running = _cumulative(cells.dense(len(self.domain)))
        before = np.concatenate([np.zeros(1, dtype=running.dtype), running])
        return np.asarray(running[self._ends[:, 1]] - before[self._ends[:, 0]])

    def weights_of(self, query: int) -> NDArray[np.int64]:
        """One within a range."""
        first, last = self.ranges[query]
        places = np.arange(len(self.domain))
        return ((places >= first) & (places <= last)).astype(np.int64)

    def move(self, change: Change) -> RecordMove:
        """The most ranges that hold one place; replaced, the most that hold one of two places and not the other.

        The second is found among the places where a range begins or has ended; if these are very many, it is taken to
        be twice the first, or all, which is not less.
        """
        starts = np.unique(np.concatenate([[0], self._ends[:, 0], self._ends[:, 1] + 1]))
        starts = starts[starts < len(self.domain)]
        changes = np.bincount(self._ends[:, 0], minlength=len(self.domain) + 1)
        changes -= np.bincount(self._ends[:, 1] + 1, minlength=len(self.domain) + 1)
        deepest = int(np.cumsum(changes).max())
        if change is Change.ADD_REMOVE:
            return RecordMove.of_counts(deepest)
        if len(starts) * len(self) > _MOST_PAIRS:
            return RecordMove.of_counts(min(2 * deepest, len(self)))
        held = (starts >= self._ends[:, :1]) & (starts <= self._ends[:, 1:])  # (range, place where something changes)
        apart = LinearQueries(held.astype(np.int64)).sensitivity(Norm.L1, Neighbours(change))
        return RecordMove.of_counts(int(apart.amount))
