"""Databases of m records to choose among: how many answer all queries to within a level, and one of those at random.

A candidate y is off by |q(x) - (n̂/m)·q(y)| in query q, and its level is the largest of these rounded up to a whole
number of people. What is known of x are its answers. Members of the domain that no query tells apart are one kind, so
what is listed are counts of kinds, each standing for as many databases as its counts can be spread over the members.
"""

import math
from abc import ABC, abstractmethod
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.exact import choice, integers
from sfumato.exact.bits import BitSource
from sfumato.exact.sampler import objects

_MOST_LISTED = 2**20
_MOST_NUMBERS = 2**23
_FITS = 2**62


@dataclass(frozen=True, slots=True)
class PrivateAnswers:
    """The exact answers of the private database, in units of 1/denominator, and the number of people that is told.

    Levels are steps of `each` records, rounded up: one step is as far as one person moves an answer.
    """

    answers: tuple[int, ...]
    people: int
    denominator: int = 1
    each: int = 1

    def __repr__(self) -> str:
        return "<PrivateAnswers>"


class Candidates(ABC):
    """All databases of m records, seen from one target."""

    last: int
    """A level that no candidate exceeds."""

    @abstractmethod
    def within(self, level: int) -> int:
        """How many candidates have at most this level."""

    @abstractmethod
    def draw(self, level: int, bits: BitSource) -> dict[int, int]:
        """One of the candidates of at most this level, each equally likely: counts by place, without zeros."""


class CandidateSpace(ABC):
    """All databases of m records over a domain, before any target is seen."""

    total: int
    """How many there are."""

    @abstractmethod
    def around(self, target: PrivateAnswers) -> Candidates:
        """The candidates with their levels."""


def databases_of(members: int, records: int) -> int:
    """|R|, how many databases of so many records there are: C(|χ| + m - 1, m).

    >>> databases_of(2, 3)
    4
    """
    return math.comb(members + records - 1, records) if members else int(records == 0)


def spread(records: int, members: list[int], bits: BitSource) -> dict[int, int]:
    """So many records over the members, every way to count them equally likely: stars and bars."""
    if not records or not members:
        return {}
    if len(members) == 1:
        return {members[0]: records}
    bars = sorted(choice(records + len(members) - 1, len(members) - 1, bits=bits).tolist())
    ends = [-1, *bars, records + len(members) - 1]
    counts = (after - before - 1 for before, after in pairwise(ends))
    return {member: count for member, count in zip(members, counts, strict=True) if count}


@dataclass(frozen=True, eq=False)
class ListedSpace(CandidateSpace):
    """Candidates that are few enough to be listed by their counts of each kind."""

    kinds: NDArray[np.int64]
    """The different columns of the matrix: (query, kind)."""
    members: list[list[int]]
    records: int

    @staticmethod
    def is_small(*, queries: int, kinds: int, records: int) -> bool:
        """Whether so many kinds can be listed."""
        listed = databases_of(kinds, records)
        return listed <= _MOST_LISTED and listed * max(queries, kinds) <= _MOST_NUMBERS

    @cached_property
    def total(self) -> int:  # type: ignore[override]
        """How many databases there are, members of one kind told apart."""
        return databases_of(sum(map(len, self.members)), self.records)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Every way to count the kinds: (candidate, kind)."""
        m, g = self.records, len(self.members)
        listed = databases_of(g, m)
        bars = np.fromiter(
            chain.from_iterable(combinations(range(m + g - 1), g - 1)), dtype=np.int64, count=listed * (g - 1)
        ).reshape(listed, g - 1)
        edges = np.full((listed, 1), -1, dtype=np.int64), np.full((listed, 1), m + g - 1, dtype=np.int64)
        return np.diff(np.concatenate([edges[0], bars, edges[1]], axis=1), axis=1) - 1

    @cached_property
    def sizes(self) -> list[int]:
        """How many databases each line of counts stands for."""
        if all(len(members) == 1 for members in self.members):
            return [1] * len(self.counts)
        ways = [[databases_of(len(members), s) for s in range(self.records + 1)] for members in self.members]
        return [math.prod(ways[kind][s] for kind, s in enumerate(line)) for line in self.counts.tolist()]

    @cached_property
    def answers(self) -> NDArray[np.int64]:
        """What each line of counts answers: (candidate, query), in units of 1/denominator."""
        return self.counts @ self.kinds.T

    def around(self, target: PrivateAnswers) -> "ListedCandidates":
        """The levels of all."""
        return ListedCandidates(self, target)


class ListedCandidates(Candidates):
    """Candidates in the order of their levels."""

    def __init__(self, space: ListedSpace, target: PrivateAnswers) -> None:
        self._space = space
        levels = _levels(space.answers, target, space.records)
        self._order = np.argsort(levels, kind="stable")
        self._levels: list[int] = levels[self._order].tolist()
        self._sums = list(accumulate(space.sizes[line] for line in self._order.tolist()))
        self.last = int(self._levels[-1])

    def within(self, level: int) -> int:
        """A sum over the list."""
        place = bisect_right(self._levels, level)
        return self._sums[place - 1] if place else 0

    def draw(self, level: int, bits: BitSource) -> dict[int, int]:
        """A line of counts in proportion to what it stands for, spread over the members."""
        place = bisect_right(self._sums, int(integers(self.within(level), bits=bits)))
        line = self._space.counts[self._order[place]].tolist()
        found: dict[int, int] = {}
        for count, members in zip(line, self._space.members, strict=True):
            found |= spread(count, members, bits)
        return found


def _levels(answers: NDArray[np.int64], target: PrivateAnswers, records: int) -> NDArray[Any]:
    """⌈max |q(x) - (n̂/m)·q(y)|/each⌉ of each candidate, in integers throughout."""
    aims = [records * aim for aim in target.answers]
    unit = records * target.denominator * target.each
    largest = max(map(abs, aims), default=0) + (target.people + target.each) * records * target.denominator
    if largest < _FITS:
        off = np.abs(np.array(aims, dtype=np.int64) - target.people * answers).max(axis=1)
        return np.asarray(-(-off // unit))
    exact = np.abs(objects(aims) - target.people * answers.astype(np.object_)).max(axis=1)
    return objects(-(-int(off) // unit) for off in exact)
