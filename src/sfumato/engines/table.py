"""What an engine gives to the mechanisms: exact integers by group, which nothing shows or writes."""

from dataclasses import dataclass, field
from typing import Any, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.data import Kind
from sfumato.query.price import PricedQuery

Key = tuple[Any, ...]
Histogram = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Values in steps, in order, and how often each occurs."""


@dataclass(frozen=True, slots=True, repr=False)
class ExactTable:
    """Groups with their people and their columns; it dies where noise is added."""

    keys: list[Key]
    people: NDArray[Any] | None
    columns: dict[int, NDArray[Any]] = field(default_factory=dict)
    """Exact integers of each additive column, by position, one a group."""
    values: dict[int, dict[Key, Histogram]] = field(default_factory=dict)
    """Of each quantile's column, by position, the values of each group."""

    def __repr__(self) -> str:
        return "ExactTable(…)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("exact tables are not written anywhere")


class Engine(Protocol):
    """Where data are: it tells schemas and public values freely, and exact aggregates to the curator alone."""

    def schema(self, table: str) -> list[tuple[str, Kind | None]]:
        """The columns of a source and their kinds; None is a type that no question can use."""
        ...

    def aggregate(self, query: PricedQuery) -> ExactTable:
        """The exact answer, after it was paid for."""
        ...

    def version(self) -> str:
        """A name for the data as they are now."""
        ...

    def close(self) -> None:
        """Give everything back."""
        ...
