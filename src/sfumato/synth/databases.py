"""What linear queries are asked of: rows, histograms, weighted databases and models, all of them weights on cells.

A cell is a member of a finite domain, known by its place. Whoever asks reads `cells`: places and weights, dense or
sparse, whole numbers of some unit or floats. Data are whole numbers and stay exact; a released database has rows of one
weight each, such as n̂/m (Survey Algorithm 8); a model has floats, which are nobody's data.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.core import Categories, IntegerInterval
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real, exact_array, positive
from sfumato.exact.sampler import objects
from sfumato.mechanisms.answers import are_whole_numbers
from sfumato.mechanisms.linear import FiniteDomain

_FITS = 2**62
_FLOAT = 2**53


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Weights on cells of a domain; `places` is None where there is one weight for every cell, in order."""

    places: NDArray[np.int64] | None = field(repr=False)
    weights: NDArray[Any] = field(repr=False)

    @property
    def are_exact(self) -> bool:
        """Whether the weights are whole numbers."""
        return self.weights.dtype.kind != "f"

    def total(self) -> int | float:
        """The sum of the weights: an int, or a float of a model."""
        return sum(self.weights.tolist()) if self.are_exact else float(self.weights.sum())

    def tally(self, groups: NDArray[np.int64], count: int) -> NDArray[Any]:
        """The sum of the weights in each of `count` groups, never wrapped; `groups` says where each weight belongs.

        A group of -1 is none of them.
        """
        inside = groups >= 0
        chosen, weights = groups[inside], self.weights[inside]
        if not self.are_exact:
            return np.bincount(chosen, weights=weights, minlength=count)
        size = sum(abs(weight) for weight in weights.tolist()) if weights.dtype == np.object_ else _size(weights)
        if size < _FLOAT:
            return np.bincount(chosen, weights=weights.astype(np.float64), minlength=count).astype(np.int64)
        sums: NDArray[Any] = objects([0] * count)
        np.add.at(sums, chosen, weights.astype(np.object_))
        return sums

    def weighed(self, row: NDArray[np.int64]) -> int:
        """The sum of whole weights times those of a row with one for each cell of the domain, never wrapped."""
        held = row if self.places is None else row[self.places]
        if self.weights.dtype.kind == "i" and _size(self.weights) * float(np.abs(held).max(initial=0)) < _FITS:
            return int(held @ self.weights)
        return sum(int(w) * int(c) for w, c in zip(held.tolist(), self.weights.tolist(), strict=True))

    def dense(self, count: int) -> NDArray[Any]:
        """One weight for every cell, in order."""
        return self.weights if self.places is None else self.tally(self.places, count)


def _size(weights: NDArray[Any]) -> float:
    """The sum of the sizes of the weights, surely not below where it matters."""
    return float(np.abs(weights.astype(np.float64)).sum()) * (1 + 1e-9)


class Database(Protocol):
    """What linear queries are asked of."""

    @property
    def domain(self) -> FiniteDomain:
        """What its records are members of."""
        ...

    @property
    def factor(self) -> Fraction:
        """What one of its weights stands for: 1 in data, n̂/m in a released database of m records."""
        ...

    @property
    def is_released(self) -> bool:
        """Whether it is nobody's data, but made from noisy values."""
        ...

    def cells(self) -> Cells:
        """The weights on the cells of the domain."""
        ...


def places_in(domain: FiniteDomain, rows: Iterable[Hashable]) -> NDArray[np.int64]:
    """The place of each row in the order of the domain; a row outside is refused, and not shown.

    >>> from sfumato.core import Product
    >>> places_in(Product((Categories(("f", "m")), IntegerInterval(0, 9))), [("m", 3), ("f", 0)]).tolist()
    [13, 0]
    """
    place, found = _place(domain), list[int]()
    for row in rows:
        try:
            found.append(place(row))
        except (KeyError, TypeError, ValueError):
            raise InvalidParameter("rows", "must lie in the domain, found", "a value outside it") from None
    return np.array(found, dtype=np.int64)


def _place(domain: FiniteDomain) -> Any:
    """A function from members of the domain to their places, which fails on all else."""
    if isinstance(domain, IntegerInterval):
        return lambda value: _offset(domain, value)
    if isinstance(domain, Categories):
        return {value: place for place, value in enumerate(domain)}.__getitem__
    parts, lengths = [_place(part) for part in domain.parts], [len(part) for part in domain.parts]

    def joint(row: tuple[Hashable, ...]) -> int:
        place = 0
        for value, part, length in zip(row, parts, lengths, strict=True):
            place = place * length + part(value)
        return place

    return joint


def _offset(domain: IntegerInterval, value: Any) -> int:
    if value not in domain:
        raise KeyError
    return int(value) - domain.lower


def _exact_counts(name: str, values: Any) -> NDArray[Any]:
    """Counts as whole numbers that are not negative; what is refused is not shown."""
    array = exact_array(name, values)
    if array.dtype.kind not in "iu" and not are_whole_numbers(values):
        raise InvalidParameter(name, "must be whole numbers, found", "others")
    whole = [int(value) for value in array.tolist()] if array.dtype.kind != "i" else array
    numbers = whole if isinstance(whole, np.ndarray) else objects(whole)
    if array.ndim != 1:
        raise InvalidParameter(name, "must be one row of counts, got shape", array.shape)
    if len(numbers) and min(numbers.tolist()) < 0:
        raise InvalidParameter(name, "must not be negative, found", "a count below zero")
    return numbers


def _counted(name: str, domain: FiniteDomain, counts: Any) -> Cells:
    """Cells of a mapping of values to counts, or of an array with one count for each cell."""
    if isinstance(counts, Mapping):
        given: Mapping[Any, Any] = counts
        return Cells(places_in(domain, given.keys()), _exact_counts(name, list(given.values())))
    array = _exact_counts(name, counts)
    if len(array) != len(domain):
        raise InvalidParameter(name, f"must be {len(domain)} counts, got", len(array))
    return Cells(None, array)


@dataclass(frozen=True, eq=False)
class RowDatabase:
    """Somebody's rows, one member of the domain each.

    >>> RowDatabase(IntegerInterval(0, 3), [0, 2, 2])
    RowDatabase(domain=IntegerInterval(lower=0, upper=3))
    """

    domain: FiniteDomain
    rows: Iterable[Hashable] = field(repr=False)
    factor: Fraction = field(default=Fraction(1), init=False, repr=False)
    is_released: bool = field(default=False, init=False, repr=False)
    _cells: Cells = field(init=False, repr=False)

    def __post_init__(self) -> None:
        places, counts = np.unique(places_in(self.domain, self.rows), return_counts=True)
        object.__setattr__(self, "rows", ())
        object.__setattr__(self, "_cells", Cells(places, counts.astype(np.int64)))

    def cells(self) -> Cells:
        """How often each value occurs."""
        return self._cells


@dataclass(frozen=True, eq=False)
class HistogramDatabase:
    """Somebody's data as counts: a mapping of values to counts, or an array with one for each cell (Survey §3.4.2).

    >>> HistogramDatabase(Categories(("red", "blue")), {"blue": 7}).cells().total()
    7
    """

    domain: FiniteDomain
    counts: Any = field(repr=False)
    factor: Fraction = field(default=Fraction(1), init=False, repr=False)
    is_released: bool = field(default=False, init=False, repr=False)
    _cells: Cells = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_cells", _counted("histogram", self.domain, self.counts))
        object.__setattr__(self, "counts", None)

    def cells(self) -> Cells:
        """The counts."""
        return self._cells


@dataclass(frozen=True, eq=False)
class WeightedDatabase:
    """A released database: how often each value occurs, and how much each record counts for (Survey Definition 9.2).

    SmallDB's m records stand for n̂ people, so each counts for n̂/m.

    >>> small = WeightedDatabase(IntegerInterval(0, 3), {1: 3, 2: 1}, factor=Fraction(1000, 4))
    >>> small.records, small.people, small.rows()
    (4, Fraction(1000, 1), [1, 1, 1, 2])
    """

    domain: FiniteDomain
    counts: Mapping[Hashable, int]
    factor: Fraction = field(default=Fraction(1), kw_only=True)
    is_released: bool = field(default=True, init=False, repr=False)
    _cells: Cells = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "factor", positive("factor", self.factor))
        object.__setattr__(self, "_cells", _counted("counts", self.domain, self.counts))

    @property
    def records(self) -> int:
        """How many records there are."""
        return int(self._cells.total())

    @property
    def people(self) -> Fraction:
        """How many people they stand for."""
        return self.records * self.factor

    def rows(self) -> list[Hashable]:
        """The records, one by one."""
        return [value for value, count in self.counts.items() for _ in range(count)]

    def cells(self) -> Cells:
        """The counts, each of which stands for `factor` people."""
        return self._cells


@dataclass(frozen=True, eq=False)
class HistogramModel:
    """A histogram that was made from noisy values: how many people are thought to be in each cell, as floats.

    >>> HistogramModel.uniform(IntegerInterval(0, 3), people=100).weights.tolist()
    [25.0, 25.0, 25.0, 25.0]
    """

    domain: FiniteDomain
    weights: NDArray[np.float64] = field(repr=False)
    factor: Fraction = field(default=Fraction(1), init=False, repr=False)
    is_released: bool = field(default=True, init=False, repr=False)

    def __post_init__(self) -> None:
        weights = np.asarray(self.weights, dtype=np.float64)
        if weights.shape != (len(self.domain),):
            raise InvalidParameter("weights", f"must be {len(self.domain)} numbers, got shape", weights.shape)
        if not np.isfinite(weights).all() or (weights < 0).any():
            raise InvalidParameter("weights", "must be finite and not negative, found", "others")
        object.__setattr__(self, "weights", weights)

    @classmethod
    def uniform(cls, domain: FiniteDomain, *, people: Real) -> "HistogramModel":
        """The model that knows nothing but how many people there are."""
        share = float(positive("people", people)) / len(domain)
        return cls(domain, np.full(len(domain), share))

    def cells(self) -> Cells:
        """The weights."""
        return Cells(None, self.weights)
