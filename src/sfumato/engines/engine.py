"""The seam between questions and data: what an engine gives, and to whom.

An engine is a package of this room with `open`, `register`, `described` and `profiled`, and a line in `registry.py`.
"""

from dataclasses import dataclass, field
from typing import Any, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.data import Dataset, Kind, SourceColumn, Typed
from sfumato.engines.figures import TableFigures
from sfumato.engines.progress import Progress, no_progress
from sfumato.engines.registration import Registration
from sfumato.query.price import PricedQuery
from sfumato.query.public_question import PublicQuestion
from sfumato.query.workload import PricedWorkload

Key = tuple[Any, ...]
PublicRows = tuple[list[tuple[str, Kind]], list[tuple[Any, ...]]]
"""Columns with their kinds, and lines, of public tables."""
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

    beyond: list[int] = field(default_factory=list)
    """How many people have more than counts, and their rows beyond; empty if nobody asked."""

    def __repr__(self) -> str:
        return "ExactTable(…)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("exact tables are not written anywhere")


@dataclass(frozen=True, slots=True, repr=False)
class ExactCells:
    """Exact counts, one array a marginal in the shape of its attributes; it dies where noise is added."""

    tables: tuple[NDArray[Any], ...]

    def __repr__(self) -> str:
        return "ExactCells(…)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("exact cells are not written anywhere")


class Engine(Protocol):
    """Where data are: it tells schemas and public values freely, and exact tables to whoever has charged for them.

    `aggregate` and `contingency` are called in one place of the house, between a charge and its settlement
    (`curator/charge.py`; a test looks for others). Whatever fails in them is one `EngineFailed`, the same for all data.
    """

    @property
    def name(self) -> str:
        """What the registry calls it."""
        ...

    @property
    def dataset(self) -> Dataset:
        """What is declared, with the kinds of all columns as they were registered."""
        ...

    def schema(self, table: str) -> list[tuple[str, Kind | None]]:
        """The columns of a source and their kinds, without a row; None is a type that no question can use."""
        ...

    def values(self, table: str, column: str) -> tuple[Any, ...] | None:
        """The different values of a public column, in order, if they are few."""
        ...

    def repeats(self, table: str, columns: tuple[str, ...]) -> int:
        """How many rows of a public table agree on these columns at most; of no columns: how many there are."""
        ...

    def listed(self, table: str, columns: tuple[str, ...]) -> list[NDArray[Any]]:
        """Columns of a public table, all of its rows in one order; missing values are masked, or None."""
        ...

    def ask_public(self, question: PublicQuestion) -> PublicRows:
        """What a question about public tables alone finds; where it is run, no other table has a name."""
        ...

    def keys(self) -> dict[str, str]:
        """The kinds of all columns that say whose a row is, or lead there."""
        ...

    def version(self) -> str:
        """A name for the data as they are now: the owner's word for them, else their digest."""
        ...

    def digest(self) -> str:
        """A digest of the data as they were registered."""
        ...

    def written(self, query: PricedQuery) -> tuple[str, ...]:
        """The statements by which a question would be asked, in the engine's own SQL, for the owner to see."""
        ...

    def aggregate(self, query: PricedQuery) -> ExactTable:
        """The exact integers of a question, after it was paid for."""
        ...

    def contingency(self, workload: PricedWorkload) -> ExactCells:
        """The exact counts of every marginal of a workload, in one pass over its rows, after it was paid for."""
        ...

    def close(self) -> None:
        """Give everything back."""
        ...


class EngineModule(Protocol):
    """What the package of an engine holds: how it is opened, and how data are registered in it."""

    def open(self, dataset: Dataset, *, progress: Progress = no_progress) -> Engine:
        """The engine of a dataset; what is not registered yet is, if whoever opens it is the owner."""
        ...

    def register(
        self, dataset: Dataset, *, append: bool = False, writer: str = "", progress: Progress = no_progress
    ) -> tuple[Registration, Typed]:
        """Read every source anew and write down what is registered; with `append` only what was not before.

        `writer` is the address of whoever may write tables of ours on a server; it is used now, and stored nowhere.
        """
        ...

    def described(self, dataset: Dataset) -> tuple[dict[str, list[SourceColumn]], Typed]:
        """The columns of every source and the dataset with its kinds: no row is read and nothing is written."""
        ...

    def profiled(
        self, dataset: Dataset, *, by: str = "", average: str = "", progress: Progress = no_progress
    ) -> tuple[Dataset, tuple[TableFigures, ...]]:
        """The dataset with its kinds, and exact figures of its private tables for the owner; nothing is written.

        It is no method of an `Engine`: whoever holds one that is open cannot call it.
        """
        ...
