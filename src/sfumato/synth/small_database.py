"""SmallDB: a small database that answers a whole workload, chosen by the exponential mechanism, exactly.

The candidates are all databases y of m records. In the survey's words the score is -max|q(x)/n - q(y)/m|, which moves
by 1/n (Survey Algorithm 8). Here it is that times n̂, as a whole number: the level L(x, y) = ⌈max |q(x) - (n̂/m)·q(y)|⌉,
with a number n̂ that may be told.

*One record moves a level by at most 1.* n̂, m and y are the same for neighbours x and x', and weights lie in [0, 1]. To
add or remove a record moves q(x) by one weight, to replace one by the difference of two: by at most 1 either way. So
max|q(x) - (n̂/m)·q(y)| moves by at most 1; and ⌈z'⌉ ≤ ⌈z + 1⌉ = ⌈z⌉ + 1 whenever z' ≤ z + 1. Rounding up costs nothing
here; were the most that a query moves some Δ < 1, levels would still move by ⌈Δ⌉ = 1.

*One person of up to k = `each` records moves a level by at most 1 too*, as levels are then counted in steps of k:
L(x, y) = ⌈max|q(x) - (n̂/m)·q(y)|/k⌉. Neighbours are joined by at most k steps of one record, so every q(x) moves by at
most k, the largest distance by at most k, and ⌈z'/k⌉ ≤ ⌈z/k⌉ + 1 whenever z' ≤ z + k. So does a table of counts that
moves by at most k in ℓ1 in any way, as weights lie in [0, 1]. The count of the records moves by k, and is paid so.

With y drawn in proportion to exp(-ε·L/2) the mechanism is ε-differentially private (Survey Theorem 6.9). As ⌈·⌉ of the
largest is the largest ⌈·⌉, a level says of every query by itself in which window it lies: that is how candidates are
counted (`candidates.py`, `laminar_candidates.py`); a cut is drawn exactly, then one of those within (`exact/cuts.py`).

How long a release takes depends on the data, as does what is counted: whoever publishes tells no times.
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from sfumato.accounting import events
from sfumato.accounting.events import Event
from sfumato.core import Accuracy
from sfumato.errors import InvalidParameter
from sfumato.exact.bits import BitSource, source
from sfumato.exact.cuts import cut
from sfumato.exact.parameters import Real, open_probability, positive, whole
from sfumato.exact.rounding import log_up, sqrt_up, up
from sfumato.mechanisms.additive import stated
from sfumato.mechanisms.linear import LinearQueries
from sfumato.mechanisms.small_database import small_database_choices, small_database_size
from sfumato.synth.candidates import Candidates, CandidateSpace, ListedSpace, PrivateAnswers, databases_of
from sfumato.synth.databases import Database, WeightedDatabase
from sfumato.synth.hierarchy_workload import laminar_tree
from sfumato.synth.laminar_candidates import LaminarSpace
from sfumato.synth.people import KnownPeople, PeopleCount
from sfumato.synth.workloads import Workload, data_of

_MOVED = 1  # by how much one record moves a level
_NAMED = 10**9
_MOST_LOG = 10.0**5


@dataclass(frozen=True, kw_only=True, eq=False)
class SmallDatabase:
    """A database of m records, drawn with probability proportional to exp(-ε·level/2) (Survey Algorithm 8).

    m is the least number for which some database answers all queries within `alpha` of all records (Survey Theorem
    6.10, errata E5), or is given as `records`. It follows from the queries alone. `people` says whether the number of
    people is public, guessed or counted at a price of its own (errata A20). `each` is how many records one person is at
    most; n and m are then records, too.

    >>> from sfumato.core import IntegerInterval
    >>> from sfumato.synth import HistogramDatabase, KnownPeople, PrefixWorkload
    >>> hours = IntegerInterval(0, 23)
    >>> small = SmallDatabase(workload=PrefixWorkload(hours), epsilon=1, alpha=0.2, people=KnownPeople(10_000))
    >>> small.records, print(small.error(0.05))
    within 2,092 with probability 95 %
    (49, None)
    >>> y = small.release(HistogramDatabase(hours, {9: 6000, 17: 4000}))
    >>> y.records, y.people
    (49, Fraction(10000, 1))
    """

    workload: Workload
    epsilon: Real
    people: PeopleCount
    alpha: Real | None = None
    records: int = 0
    each: int = 1
    space: CandidateSpace = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))
        if not isinstance(self.people, PeopleCount):
            raise InvalidParameter(
                "people", "must be known, guessed or counted", self.people, hint="for example KnownPeople(1000)"
            )
        if self.workload.size is not None and self.people != KnownPeople(self.workload.size):
            raise InvalidParameter(
                "people",
                f"must be the public size of the normalised queries, KnownPeople({self.workload.size}), not",
                self.people,
                hint="where the number is private, leave out the size of the workload",
            )
        object.__setattr__(self, "people", self.people.moved_by(whole("each", self.each, least=1)))
        if self.alpha is not None:
            object.__setattr__(self, "alpha", positive("alpha", self.alpha))
            m = small_database_size(queries=len(self.workload), alpha=self.alpha)
            if self.records not in (0, m):
                raise InvalidParameter("records", f"must be {m} for that alpha, or left out", self.records)
            object.__setattr__(self, "records", m)
        elif self.records == 0:
            raise InvalidParameter("alpha", "must be given, or else `records`, got", self.alpha)
        whole("records", self.records, least=1)
        object.__setattr__(self, "space", _space(self.workload, self.records))

    @property
    def event(self) -> Event:
        """ε for the choice (Survey Theorem 6.9), and what it costs to count the people."""
        chosen = events.Exponential(positive("epsilon", self.epsilon))
        return events.Composition([*self.people.events, chosen]) if self.people.events else chosen

    @property
    def rate(self) -> Fraction:
        """ε/(2Δ) for each level, which is one person, that a candidate is further off."""
        return positive("epsilon", self.epsilon) / (2 * _MOVED)

    @cached_property
    def reach(self) -> Fraction:
        """Some database of m records is within this share of all records, in every query (Survey Theorem 6.10).

        It is `alpha`, or √(ln(2|Q|)/(2m)), rounded up: for every larger α there is one, and there are finitely many.
        """
        if self.alpha is not None:
            return positive("alpha", self.alpha)
        least = sqrt_up(Fraction(log_up(Fraction(2 * len(self.workload)))) / (2 * self.records))
        return min(Fraction(1), Fraction(least))

    def candidates(self, database: Database, people: int) -> Candidates:
        """All databases of m records with their levels: exact, private, and not for release."""
        answers = tuple(int(total) for total in self.workload.sums(data_of(database, self.workload)))
        return self.space.around(PrivateAnswers(answers, people, self.workload.denominator, self.each))

    def release(self, exact: Database, *, bits: BitSource | None = None) -> WeightedDatabase:
        """A database of m records, each of which stands for n̂/m people."""
        stream = source(bits)
        people = self.people.about(int(data_of(exact, self.workload).total()), bits=stream)
        candidates = self.candidates(exact, people)
        level = cut(candidates.within, last=candidates.last, rate=self.rate, bits=stream)
        places = candidates.draw(level, stream)
        values = list(self.workload.domain)
        counts = {values[place]: places[place] for place in sorted(places)}
        return WeightedDatabase(self.workload.domain, counts, factor=Fraction(people, self.records))

    def error(self, beta: Real, *, people: int | None = None, told: int | None = None) -> Accuracy:
        """No query strays further, with probability 1 - beta: shares if normalised, else people (Survey Theorem 6.11).

        The best level is at most ⌈αn⌉, or ⌈αn + g⌉ with n̂ off by g; the one that is drawn is above it by at most
        2(ln|R| + ln(1/β))/ε. Where the number is private, `people` is the n that the statement is made for; or `told`
        the n̂ that was counted, which n is above by at most g where n̂ is off by no more.
        """
        fails = open_probability("beta", beta)
        if isinstance(self.people, KnownPeople):
            people = self.people.people
        if people is None and told is not None and self.people.events:
            people = told + self.people.reach(told, fails / 2)
        if people is None:
            raise InvalidParameter("people", "must be given where their number is private", people)
        n = whole("people", people, least=1)
        parts = 2 if self.people.events else 1
        best = -(-(self.reach * n + self.people.reach(n, fails / 2)) // self.each)
        choices = Fraction(small_database_choices(types=len(self.workload.domain), records=self.records))
        lost = _MOVED * 2 * (choices + Fraction(log_up(parts / fails))) / positive("epsilon", self.epsilon)
        off = self.each * (best + lost)
        return stated(min(1.0, up(off / n)) if self.workload.size else up(off), fails)


def _space(workload: Workload, records: int) -> CandidateSpace:
    """All databases of so many records, if they can be counted; chosen by the queries alone."""
    size = small_database_choices(types=len(workload.domain), records=records)
    if size > _MOST_LOG:
        raise _too_many(f"about 10**{int(size / math.log(10))}", records, "their number is too long to work with")
    queries = workload.linear()
    kinds, members = _kinds(queries)
    if ListedSpace.is_small(queries=len(workload), kinds=len(members), records=records):
        return ListedSpace(kinds, members, records)
    total = databases_of(len(workload.domain), records)
    many = str(total) if total < _NAMED else f"about 10**{len(str(total)) - 1}"
    if queries.denominator != 1 or int(queries.weights.max()) > 1:
        raise _too_many(many, records, "its weights are not all 0 or 1")
    root = laminar_tree([frozenset(np.flatnonzero(row).tolist()) for row in queries.weights], len(workload.domain))
    if root is None:
        raise _too_many(many, records, "two of its queries cross each other")
    if not LaminarSpace.is_feasible(root, records):
        raise _too_many(many, records, "to count them at one level takes too long")
    return LaminarSpace(root, records)


def _too_many(many: str, records: int, why: str) -> InvalidParameter:
    return InvalidParameter(
        "workload",
        f"must have fewer than {many} candidate databases of {records} records, as {why}; the larger",
        records,
        hint="a larger alpha or a smaller domain has fewer; cells, prefixes and hierarchies are counted, not listed",
    )


def _kinds(queries: LinearQueries) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.int64]], list[list[int]]]:
    """The different columns of the matrix, and which members of the domain have each."""
    members: dict[tuple[int, ...], list[int]] = {}
    for place, column in enumerate(queries.weights.T.tolist()):
        members.setdefault(tuple(column), []).append(place)
    return np.array(list(members), dtype=np.int64).T, list(members.values())
