"""Linear queries in numbers: what every workload can say of itself, and workloads written as a matrix.

A query is a weight in [0, 1] for each member of a finite domain and is answered by the sum of the weights of the
records, or by their mean where a public `size` is given (Survey §6.2.1). A workload knows how far one record moves its
answers without writing its matrix down, where its structure says so.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core import Change, Neighbours, Norm, Sensitivity
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import whole
from sfumato.mechanisms.linear import FiniteDomain, LinearQueries
from sfumato.synth.databases import Cells, Database

_MOST_CELLS = 2**27


@dataclass(frozen=True, slots=True)
class RecordMove:
    """How far one record moves answers, in units of 1/denominator: ℓ1, the square of ℓ2, ℓ∞, how many move."""

    l1: int
    l2_square: int
    linf: int
    coordinates: int

    def amount(self, norm: Norm) -> int:
        """The length, squared in ℓ2."""
        return {Norm.L1: self.l1, Norm.L2: self.l2_square, Norm.LINF: self.linf}[norm]

    @classmethod
    def of_counts(cls, coordinates: int) -> "RecordMove":
        """So many answers that move by one each."""
        return cls(coordinates, coordinates, min(1, coordinates), coordinates)


class Workload(ABC):
    """Linear queries over one domain, normalised if there is a public `size` (Survey §6.2.1)."""

    domain: FiniteDomain
    """What the records are members of."""
    size: int | None
    """The public number of records by which answers are divided; None if they are sums."""

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    def denominator(self) -> int:
        """What weights are whole multiples of one over."""
        return 1

    @abstractmethod
    def sums(self, cells: Cells) -> NDArray[Any]:
        """The answers on weighted cells in units of 1/denominator, neither divided by a size nor times a factor."""

    @abstractmethod
    def weights_of(self, query: int) -> NDArray[np.int64]:
        """The weights of one query, in units of 1/denominator, for every member of the domain."""

    @abstractmethod
    def move(self, change: Change) -> RecordMove:
        """The most that adding or removing, or replacing, one record moves the sums (errata C1)."""

    @property
    def groups(self) -> tuple[range, ...]:
        """Queries that may be measured together: those of a group are disjoint (Survey Definition 9.1)."""
        return tuple(range(query, query + 1) for query in range(len(self)))

    def group_move(self, change: Change) -> int:
        """The most that one record moves the sums of any one group in ℓ1."""
        return self.move(change).linf

    def cells_of_group(self, group: int) -> NDArray[np.int64]:
        """For every member of the domain which query of a group counts it, from 0 on; -1 for none."""
        query = self.weights_of(self.groups[group].start)
        return np.where(query > 0, 0, -1)

    def answers(self, database: Database) -> NDArray[Any]:
        """The answers on data, a released database or a model: whole numbers, Fractions, or floats of a model.

        Data that do not have the public size are refused; what was released is divided by its own.
        """
        if database.domain != self.domain:
            raise InvalidParameter("database", "must be over the domain of the queries, got one over", database.domain)
        cells = database.cells()
        sums, people = self.sums(cells), cells.total()
        if self.size is not None and database.is_released and not people > 0:
            raise InvalidParameter("database", "must hold somebody to be asked for shares, got", people)
        if not cells.are_exact:
            return np.asarray(sums / (self.denominator * (people if self.size else 1.0)), dtype=np.float64)
        unit = database.factor / self.denominator
        if self.size is not None:
            if not database.is_released and people != self.size:
                raise InvalidParameter("database", "must have as many records as the declared size", self.size)
            unit /= int(people) * database.factor
        if unit == 1:
            return sums
        answers = np.empty(len(sums), dtype=np.object_)
        answers[:] = [int(total) * unit for total in sums]
        return answers

    @property
    def unit(self) -> Fraction:
        """What every answer on data is a multiple of."""
        return Fraction(1, self.denominator * (self.size or 1))

    def sensitivity(self, norm: Norm, neighbours: Neighbours) -> Sensitivity:
        """The most the answers move between neighbours, who replace one if queries are normalised (errata A20, C1)."""
        if neighbours.change is Change.ADD_REMOVE and self.size is not None:
            raise InvalidParameter(
                "neighbours",
                "must be replace one for normalised queries, whose size is public, not",
                str(neighbours),
                hint="where adding or removing counts, the size is private: ask for the sums, without `size`",
            )
        move = self.move(neighbours.change)
        scale = self.unit**2 if norm is Norm.L2 else self.unit
        return Sensitivity(
            norm, move.amount(norm) * scale, neighbours, coordinates=max(1, move.coordinates), unit=self.unit
        )

    def is_disjoint(self, neighbours: Neighbours | None = None) -> bool:
        """Whether changing one record affects at most one of the queries (Survey Definition 9.1).

        To change is to add or remove, unless the neighbours replace one: then a record that moves from one query to
        another affects two (errata C1).
        """
        return self.move((neighbours or Neighbours()).change).coordinates <= 1

    def linear(self) -> LinearQueries:
        """The same queries as a matrix, if it can be held."""
        if len(self) * len(self.domain) > _MOST_CELLS:
            raise InvalidParameter(
                "workload", f"must have at most {_MOST_CELLS} weights to be written as a matrix", len(self)
            )
        table = np.stack([self.weights_of(query) for query in range(len(self))])
        if self.denominator == 1:
            return LinearQueries(table, domain=self.domain, size=self.size)
        exact = np.array([Fraction(int(w), self.denominator) for w in table.ravel()], dtype=np.object_)
        return LinearQueries(exact.reshape(table.shape), domain=self.domain, size=self.size)


def data_of(database: Database, workload: Workload) -> Cells:
    """The cells of somebody's data over the domain of a workload; what was released is refused."""
    if database.domain != workload.domain:
        raise InvalidParameter("database", "must be over the domain of the queries, got one over", database.domain)
    if database.is_released:
        raise InvalidParameter("database", "must be data, not what was released, got", type(database).__name__)
    return database.cells()


@dataclass(frozen=True, eq=False)
class MatrixWorkload(Workload):
    """Queries that are written down: a row for each, a column for each member of the domain.

    >>> from sfumato.core import IntegerInterval
    >>> from sfumato.synth import HistogramDatabase
    >>> ages = MatrixWorkload.of([lambda age: age < 18, lambda age: age >= 65], IntegerInterval(0, 120))
    >>> ages.answers(HistogramDatabase(IntegerInterval(0, 120), {17: 40, 30: 100, 70: 25})).tolist()
    [40, 25]
    >>> ages.is_disjoint()
    True
    """

    queries: LinearQueries
    domain: FiniteDomain = field(init=False, repr=False)
    size: int | None = field(init=False, repr=False)
    _moves: dict[Change, RecordMove] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.queries, LinearQueries):
            raise InvalidParameter("queries", "must be LinearQueries", type(self.queries))
        low, high = int(self.queries.weights.min()), int(self.queries.weights.max())
        if low < 0 or high > self.queries.denominator:
            raise InvalidParameter("queries", "must have their weights in [0, 1], found", "others")
        object.__setattr__(self, "domain", self.queries.domain)
        object.__setattr__(self, "size", self.queries.size)

    @classmethod
    def of(
        cls, functions: Iterable[Callable[[Any], Any]], domain: FiniteDomain, *, size: int | None = None
    ) -> "MatrixWorkload":
        """The queries that count the records with a property, or sum a weight in [0, 1] of each."""
        return cls(LinearQueries.of(functions, domain, size=size))

    def __len__(self) -> int:
        return len(self.queries.weights)

    @property
    def denominator(self) -> int:
        """That of the matrix."""
        return self.queries.denominator

    @cached_property
    def _floats(self) -> NDArray[np.float64]:
        return self.queries.weights.astype(np.float64)

    def sums(self, cells: Cells) -> NDArray[Any]:
        """The matrix times the weights."""
        if not cells.are_exact:
            return np.asarray(self._floats @ cells.dense(len(self.domain)))
        unsized = LinearQueries(self.queries.weights, upper=max(1, self.denominator), domain=self.domain)
        return unsized.answer(np.asarray(cells.dense(len(self.domain))))

    def weights_of(self, query: int) -> NDArray[np.int64]:
        """A row of the matrix."""
        row: NDArray[np.int64] = self.queries.weights[query]
        return row

    def move(self, change: Change) -> RecordMove:
        """Exactly, or in ℓ1 and ℓ2 at most twice as much for very many kinds of columns."""
        if change not in self._moves:
            unsized = LinearQueries(self.queries.weights, upper=max(1, self.denominator), domain=self.domain)
            found = {norm: unsized.sensitivity(norm, Neighbours(change)) for norm in Norm}
            l1, l2, linf = (int(found[norm].amount) for norm in (Norm.L1, Norm.L2, Norm.LINF))
            self._moves[change] = RecordMove(
                l1, l2, linf, whole("coordinates", found[Norm.L1].coordinates) if l1 else 0
            )
        return self._moves[change]


def point_and_sum_queries(workload: Workload) -> MatrixWorkload:
    """Disjoint counting queries and, last, the query that is their sum (Survey Definition 9.2).

    >>> from sfumato.core import IntegerInterval
    >>> cells = MatrixWorkload.of([lambda v: v == 0, lambda v: v == 1], IntegerInterval(0, 2))
    >>> point_and_sum_queries(cells).queries.weights.tolist()
    [[1, 0, 0], [0, 1, 0], [1, 1, 0]]
    """
    if not workload.is_disjoint() or workload.denominator != 1:
        raise InvalidParameter("workload", "must be disjoint counting queries, got", type(workload).__name__)
    points = workload.linear()
    table = np.concatenate([points.weights, points.weights.sum(axis=0, keepdims=True)])
    return MatrixWorkload(LinearQueries(table, domain=points.domain, size=points.size))
