"""Linear queries: weighted counts over a finite domain, exact, with the most that one record moves them."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import InitVar, dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core import Categories, Change, IntegerInterval, Neighbours, Norm, Product, Sensitivity
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real, amount, exact_array, rational, whole
from sfumato.exact.sampler import objects
from sfumato.mechanisms.answers import are_whole_numbers

FiniteDomain = Categories | IntegerInterval | Product
Integers = NDArray[Any]

_FITS = 2**62
_FLOAT = 2**53  # below, sums of products in floats are exact
_MOST_CELLS = 2**27
_MOST_WORK = 2**32  # pairs of columns times rows that are compared one by one
_CHUNK = 2**22


@dataclass(frozen=True, eq=False)
class LinearQueries:
    """k queries q(x) = Σ x_i·q(χ_i), a row of the matrix each, over a domain of d types (Survey §6.2.1).

    Weights lie in [0, 1] unless `lower` and `upper` say otherwise. With a public `size` the queries are normalised:
    q(x)/size. The domain is 0 … d-1 unless one is given. The matrix is data, not an amount: a float
    among its weights means the rational it exactly is.

    >>> from sfumato.mechanisms import Geometric
    >>> ages = LinearQueries.of([lambda age: age < 18, lambda age: age >= 65], IntegerInterval(0, 120))
    >>> moved = ages.sensitivity(Norm.L1, Neighbours())
    >>> Geometric(epsilon=1, sensitivity=moved, dimension=2).release(ages.answer({17: 40, 30: 100, 70: 25})).shape
    (2,)
    """

    matrix: InitVar[Any]
    lower: InitVar[Real] = field(default=0, kw_only=True)
    upper: InitVar[Real] = field(default=1, kw_only=True)
    domain: FiniteDomain | None = field(default=None, kw_only=True)
    size: int | None = field(default=None, kw_only=True)
    weights: Integers = field(init=False, repr=False)
    """The matrix as whole numbers, in units of 1/denominator."""
    denominator: int = field(init=False)

    def __post_init__(self, matrix: Any, lower: Real, upper: Real) -> None:
        weights, denominator = _common(_table(matrix))
        low, high = _end("lower", lower) * denominator, _end("upper", upper) * denominator
        if int(weights.min()) < low or int(weights.max()) > high:
            raise InvalidParameter(
                "matrix",
                "must have its weights in",
                (lower, upper),
                hint="for other weights declare their bounds: lower=…, upper=…",
            )
        if self.size is not None:
            whole("size", self.size, least=1)
        domain = IntegerInterval(0, weights.shape[1] - 1) if self.domain is None else self.domain
        if len(domain) != weights.shape[1]:
            raise InvalidParameter("matrix", f"must have a column for each of {len(domain)} types", weights.shape[1])
        weights.flags.writeable = False
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "denominator", denominator)
        object.__setattr__(self, "domain", domain)

    @classmethod
    def of(
        cls,
        functions: Iterable[Callable[[Any], Any]],
        domain: FiniteDomain,
        *,
        lower: Real = 0,
        upper: Real = 1,
        size: int | None = None,
    ) -> "LinearQueries":
        """The queries that sum each function, a predicate or a weight, over the records.

        >>> LinearQueries.of([lambda c: c == "red"], Categories(("red", "blue"))).weights.tolist()
        [[1, 0]]
        """
        asked = list(functions)
        if len(asked) * len(domain) > _MOST_CELLS:
            raise InvalidParameter("domain", f"must have at most {_MOST_CELLS} cells over all queries", len(domain))
        table = np.empty((len(asked), len(domain)), dtype=np.object_)
        for column, value in enumerate(domain):
            for row, function in enumerate(asked):
                weight = function(value)
                table[row, column] = int(weight) if isinstance(weight, bool | np.bool_) else weight
        return cls(table, lower=lower, upper=upper, domain=domain, size=size)

    @property
    def unit(self) -> Fraction:
        """What every answer is a multiple of."""
        return Fraction(1, self.denominator * (self.size or 1))

    @property
    def in_units(self) -> "LinearQueries":
        """The same queries counted in `unit`s: whole numbers, as noise without a grid wants them.

        >>> halves = LinearQueries([[0, 0.5, 1]])
        >>> halves.answer([1, 1, 1]).tolist(), halves.in_units.answer([1, 1, 1]).tolist()
        ([Fraction(3, 2)], [3])
        """
        low, high = int(self.weights.min()), int(self.weights.max())
        return LinearQueries(self.weights, lower=low, upper=high, domain=self.domain)

    def answer(self, histogram: Any) -> Integers:
        """The exact answers on a mapping of values to counts, or an array of d counts.

        Whole numbers where the unit is 1, Fractions otherwise.
        """
        sums = _product(self.weights, self._counts(histogram))
        if self.unit == 1:
            return sums
        answers = np.empty(len(sums), dtype=np.object_)
        answers[:] = [int(total) * self.unit for total in sums]
        return answers

    def sensitivity(self, norm: Norm, neighbours: Neighbours) -> Sensitivity:
        """The most the answers move between neighbours: exactly, or at most twice that for very many kinds of columns.

        It is the global sensitivity (slides "Global sensitivity"). Adding a record adds its column, replacing one adds
        the difference of two (errata C1).

        >>> LinearQueries([[1, 0], [0, 1], [1, 1]]).sensitivity(Norm.L2, Neighbours()).amount
        Fraction(2, 1)
        """
        if neighbours.change is Change.ADD_REMOVE and self.size is not None:
            raise InvalidParameter(
                "neighbours",
                "must be replace one for normalised queries, whose size is public, not",
                str(neighbours),
                hint="where adding or removing counts, the size is private: ask for the sums, without `size`",
            )
        moves = _added if neighbours.change is Change.ADD_REMOVE else _replaced
        most, coordinates = moves(self.weights, norm)
        scale = self.unit**2 if norm is Norm.L2 else self.unit
        return Sensitivity(norm, most * scale, neighbours, coordinates=max(1, coordinates), unit=self.unit)

    def _counts(self, histogram: Any) -> Integers:
        assert self.domain is not None
        if isinstance(histogram, Mapping):
            histogram = _in_order(histogram, self.domain)
        array = exact_array("histogram", histogram)
        if array.shape != (len(self.domain),):
            raise InvalidParameter("histogram", f"must be {len(self.domain)} counts, got shape", array.shape)
        # A count is somebody's data, so it is not shown; what is refused is its type, whatever its value.
        if array.dtype.kind not in "iu" and not are_whole_numbers(histogram):
            raise InvalidParameter("histogram", "must be whole numbers, found", "others")
        exact = [int(n) for n in array.tolist()]
        if min(exact) < 0:
            raise InvalidParameter("histogram", "must not be negative, found", "a count below zero")
        if self.size is not None and sum(exact) != self.size:
            raise InvalidParameter("histogram", "must have as many records as the declared size", self.size)
        return _integers(exact)


def _in_order(histogram: Mapping[Any, Any], domain: FiniteDomain) -> list[Any]:
    """The counts in the order of the domain."""
    places = {value: place for place, value in enumerate(domain)}
    counts: list[Any] = [0] * len(places)
    for value, count in histogram.items():
        if value not in places:
            raise InvalidParameter("histogram", "must lie in the domain, found", "a value outside it")
        counts[places[value]] = count
    return counts


def _table(matrix: Any) -> NDArray[Any]:
    """The matrix with every entry exact; True and False are 1 and 0."""
    if isinstance(matrix, np.ndarray) and matrix.dtype.kind == "b":
        matrix = matrix.astype(np.int64)
    table = exact_array("matrix", matrix)
    if table.ndim != 2 or 0 in table.shape:
        raise InvalidParameter("matrix", "must have a row for each query and a column for each type", table.shape)
    return table


def _integers(values: list[int]) -> Integers:
    fits = all(-_FITS < value < _FITS for value in values)
    return np.array(values, dtype=np.int64) if fits else objects(values)


def _end(name: str, value: Real) -> Fraction:
    """A bound of the weights, read as they are: a float is exactly the number it is."""
    return amount(name, value) if isinstance(value, str) else rational(name, value)


def _common(table: NDArray[Any]) -> tuple[Integers, int]:
    """The entries as whole numbers over their least common denominator."""
    if table.dtype.kind in "iu" and int(table.max()) < _FITS and int(table.min()) > -_FITS:
        return table.astype(np.int64), 1
    kinds, places = (table.ravel(), np.arange(table.size))
    if table.dtype != np.object_:
        kinds, places = np.unique(table, return_inverse=True)  # few weights are different in practice
    exact = [rational("matrix", value) for value in kinds.tolist()]
    denominator = math.lcm(*(value.denominator for value in exact))
    scaled = _integers([int(value * denominator) for value in exact])
    return scaled[places.ravel()].reshape(table.shape), denominator


def _largest(weights: Integers) -> int:
    return max(abs(int(weights.min())), abs(int(weights.max())))


def _product(weights: Integers, counts: Integers) -> Integers:
    """weights @ counts, never wrapped."""
    bound = _largest(weights) * sum(counts.tolist())
    if bound < _FLOAT:
        answers: Integers = (weights.astype(np.float64) @ counts.astype(np.float64)).astype(np.int64)
        return answers
    if bound < _FITS and weights.dtype == counts.dtype == np.int64:
        return np.asarray(weights @ counts)
    return objects(sum(int(w) * int(n) for w, n in zip(row, counts, strict=True)) for row in weights)


def _wide(weights: Integers) -> Integers:
    """A type in which sums of squared differences of rows do not wrap."""
    return weights if 4 * _largest(weights) ** 2 * len(weights) < _FITS else weights.astype(np.object_)


def _length(moves: Integers, norm: Norm) -> Integers:
    """The norm of each column of moves, squared in ℓ2; over the axis before the last."""
    if norm is Norm.LINF:
        return np.asarray(np.abs(moves).max(axis=-2))
    return np.asarray((np.abs(moves) if norm is Norm.L1 else moves * moves).sum(axis=-2))


def _added(weights: Integers, norm: Norm) -> tuple[int, int]:
    """The largest column, and the most entries one column has."""
    return int(_length(_wide(weights), norm).max()), int((weights != 0).sum(axis=0).max())


def _replaced(weights: Integers, norm: Norm) -> tuple[int, int]:
    """The largest difference of two columns, and the most entries in which two differ."""
    columns = _different(_wide(weights))
    rows, count = columns.shape
    reach = columns.max(axis=1) - columns.min(axis=1)  # the most one answer moves
    if count * count * rows > _MOST_WORK:
        # Two columns are at most twice as far apart as the furthest is from the first, which is itself a distance.
        one, entries = _added(columns - columns[:, :1], norm)
        twice = (4 if norm is Norm.L2 else 2) * one
        furthest = min(twice, int(_length(reach[:, None], norm)[0]))  # in ℓ∞ the second is exact, and never more
        return furthest, min(int((reach != 0).sum()), 2 * entries)
    furthest, moving = 0, 0
    step = max(1, _CHUNK // (rows * count))
    for start in range(0, count, step):
        # (chunk, row, column): each column of a chunk against all from it on
        moves = columns.T[start : start + step, :, None] - columns[None, :, start:]
        furthest = max(furthest, int(_length(moves, norm).max()))
        moving = max(moving, int((moves != 0).sum(axis=1).max()))
    return furthest, moving


def _different(columns: Integers) -> Integers:
    """The columns, each kind once."""
    if columns.dtype != np.object_:
        return np.asarray(np.unique(columns, axis=1))
    kinds = list(dict.fromkeys(tuple(column) for column in columns.T))
    return np.array(kinds, dtype=np.object_).T
