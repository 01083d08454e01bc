"""The sets values are drawn from, and databases as histograms over them (Survey §3.4.2)."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real, amount, cell, exact_array, integer, positive
from sfumato.exact.placing import clipped, nearest_step, nearest_steps


@runtime_checkable
class Domain(Protocol):
    """A set of possible values, declared without looking at data."""

    def __contains__(self, value: object) -> bool: ...


@dataclass(frozen=True, slots=True)
class IntegerInterval:
    """The whole numbers from lower to upper, both included.

    >>> 3 in IntegerInterval(0, 3), 4 in IntegerInterval(0, 3), IntegerInterval(0, 3).clip(9)
    (True, False, 3)
    """

    lower: int
    upper: int

    def __post_init__(self) -> None:
        if integer("lower", self.lower) > integer("upper", self.upper):
            raise InvalidParameter("upper", f"must be at least lower = {self.lower}", self.upper)

    def __contains__(self, value: object) -> bool:
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            return False
        return self.lower <= int(value) <= self.upper

    def __len__(self) -> int:
        return self.upper - self.lower + 1

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.lower, self.upper + 1))

    def clip(self, value: int) -> int:
        """The member nearest to value."""
        return max(self.lower, min(self.upper, value))


@dataclass(frozen=True, slots=True)
class Grid:
    """The multiples of `step` from lower to upper: reals as the integers a mechanism can be exact about.

    >>> cents = Grid(0, 2, Fraction(1, 100))
    >>> cents.place(1.239), cents.place(float(10**9)), cents.value(124)
    (124, 200, Fraction(31, 25))
    """

    lower: Real
    upper: Real
    step: Real

    def __post_init__(self) -> None:
        step, low, high = positive("step", self.step), amount("lower", self.lower), amount("upper", self.upper)
        if low > high:
            raise InvalidParameter("upper", f"must be at least lower = {self.lower}", self.upper)
        for name, exact in (("step", step), ("lower", low), ("upper", high)):
            object.__setattr__(self, name, exact)

    @property
    def ends(self) -> IntegerInterval:
        """The grid points as integers: the ends rounded to the grid."""
        step = positive("step", self.step)
        low, high = amount("lower", self.lower), amount("upper", self.upper)
        return IntegerInterval(nearest_step(low, step), nearest_step(high, step))

    def __contains__(self, value: object) -> bool:
        try:
            steps = cell("value", value) / positive("step", self.step)
        except InvalidParameter:
            return False
        return steps.denominator == 1 and steps.numerator in self.ends

    def place(self, value: Real) -> int:
        """The number of the grid point nearest to value, clipped to the domain; ties go up."""
        return self.ends.clip(nearest_step(cell("value", value), positive("step", self.step)))

    def places(self, values: Any) -> NDArray[np.int64]:
        """The number of the grid point nearest to each of a row of values, clipped to the domain; ties go up.

        Where a value goes depends on that value alone, and not on the company it comes in.

        >>> Grid(0, 10, 0.5).places([1.1, -3, 99])
        array([ 2,  0, 20])
        """
        array, ends = exact_array("values", values), self.ends
        if array.ndim != 1:
            raise InvalidParameter("values", "must be one row of numbers, got shape", array.shape)
        if max(abs(ends.lower), abs(ends.upper)) > 2**53:
            raise InvalidParameter("step", "must leave at most 2**53 grid points on either side of zero", self.step)
        step = positive("step", self.step)
        # To just outside the domain first: that changes no place and keeps wild values on the fast path.
        steps = nearest_steps("values", clipped(array, (ends.lower - 2) * step, (ends.upper + 2) * step), step)
        if steps.dtype == np.object_:
            return np.array([ends.clip(place) for place in steps], dtype=np.int64)
        inside: NDArray[np.int64] = np.clip(steps, ends.lower, ends.upper)
        return inside

    def value(self, k: int) -> Fraction:
        """The value of grid point number k."""
        return k * positive("step", self.step)


def different(name: str, values: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """The values of a public list, each of them once."""
    listed = tuple(values)
    try:
        distinct = len(set(listed))
    except TypeError:
        raise InvalidParameter(name, "must be hashable, found", "one that is not") from None
    if distinct != len(listed):
        raise InvalidParameter(name, "must be different from each other", listed)
    return listed


@dataclass(frozen=True, slots=True)
class Categories:
    """A public list of different values."""

    values: tuple[Hashable, ...]

    def __post_init__(self) -> None:
        different("values", self.values)

    def __contains__(self, value: object) -> bool:
        return value in self.values

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.values)


@dataclass(frozen=True, slots=True)
class Product:
    """The records with one value of each part, in order.

    >>> list(Product((Categories(("f", "m")), IntegerInterval(0, 1))))
    [('f', 0), ('f', 1), ('m', 0), ('m', 1)]
    """

    parts: tuple[IntegerInterval | Categories, ...]

    def __contains__(self, value: object) -> bool:
        return (
            isinstance(value, tuple)
            and len(value) == len(self.parts)
            and all(item in part for item, part in zip(value, self.parts, strict=True))
        )

    def __len__(self) -> int:
        size = 1
        for part in self.parts:
            size *= len(part)
        return size

    def __iter__(self) -> Iterator[tuple[Hashable, ...]]:
        return iter(product(*self.parts))


def histogram(rows: Iterable[Hashable], domain: Domain) -> Counter[Hashable]:
    """A database as a histogram: how often each member of the domain occurs (Survey §3.4.2)."""
    try:
        counts = Counter(rows)
    except TypeError:
        raise InvalidParameter("rows", "must be hashable values, found", "one that is not") from None
    for value in counts:
        if value not in domain:
            # The value itself is a cell of somebody's data, so it is not shown.
            raise InvalidParameter("rows", "must lie in the domain, found", "a value outside it")
    return counts
