"""Rows made of what was measured: nothing is read for them, so they cost nothing (Survey Proposition 3.7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.exact.bits import BitSource
from sfumato.synth.publication.tables import NoisyTable, exact_sum
from sfumato.synth.water_filling import water_filled

MOST_ROWS = 50_000_000
PlacesColumn = NDArray[Any]
"""The places of a column's values, row by row, in as few bytes as they need."""


@dataclass(frozen=True)
class MadeRows:
    """Rows, by the places of their values, and what they were made of in words."""

    columns: Mapping[str, PlacesColumn]
    words: str
    weights: NDArray[np.int64] | None = None
    """How many rows each line stands for; one, if nothing is said."""

    @property
    def size(self) -> int:
        """How many there are."""
        return self.lines if self.weights is None else int(self.weights.sum())

    @property
    def lines(self) -> int:
        """How many lines their file has."""
        return len(next(iter(self.columns.values()))) if self.columns else 0


def narrow(size: int) -> "np.dtype[Any]":
    """The least type that holds the places of so many values."""
    return np.min_scalar_type(max(size - 1, 0))


def alike_in_one_line(rows: MadeRows) -> MadeRows:
    """The same rows, in order, those that are alike in one line with their number.

    >>> made = alike_in_one_line(MadeRows({"a": np.array([1, 0, 1]), "b": np.array([0, 0, 0])}, "nothing"))
    >>> made.columns["a"].tolist(), made.weights.tolist(), made.size
    ([0, 1], [1, 2], 3)
    """
    order = np.lexsort(tuple(reversed(list(rows.columns.values()))))
    sorted_ = {name: places[order] for name, places in rows.columns.items()}
    first = np.zeros(len(order), dtype=np.bool_)
    first[:1] = True
    for places in sorted_.values():
        first[1:] |= places[1:] != places[:-1]
    starts = np.flatnonzero(first)
    counts = np.diff(np.append(starts, len(order)))
    return MadeRows({name: places[starts] for name, places in sorted_.items()}, rows.words, counts.astype(np.int64))


class RowMaker(Protocol):
    """Makes rows over some columns from noisy tables; refuses where the tables do not say enough."""

    def __call__(
        self, columns: Sequence[str], sizes: Mapping[str, int], tables: Sequence[NoisyTable], coin: BitSource
    ) -> MadeRows:
        """The same rows each time, as they follow from what is given."""
        ...


class RowNeeds(Protocol):
    """Refuses a plan whose tables do not say enough for rows: before anything is charged."""

    def __call__(self, columns: Sequence[str], tables: Sequence[Sequence[str]]) -> None:
        """The columns that rows have, and those of every table that will be published."""
        ...


def rows_in_all(tables: Sequence[NoisyTable]) -> int:
    """How many rows there are by all tables together: the mean that is best for their noises, rounded."""
    weights = [1 / (table.cells * table.variance) for table in tables]
    sums = [float(Fraction(exact_sum(table.counts), 1 << table.bits)) for table in tables]
    mean = float(np.dot(weights, sums)) / sum(weights)
    return min(max(0, round(mean)), MOST_ROWS)


def not_negative(values: NDArray[Any], total: float) -> NDArray[np.float64]:
    """The nearest point (in squares) without negative entries that adds up to the total (Survey Lemma 9.5).

    >>> not_negative(np.array([3.0, 1.0, -1.0]), 3.0).tolist()
    [2.5, 0.5, 0.0]
    """
    flat = np.asarray(values, dtype=np.float64).ravel()
    if total <= 0 or not flat.size:
        return np.zeros(np.shape(values))
    found: NDArray[np.float64] = water_filled(flat, total=total).reshape(np.shape(values))
    return found


def in_whole_rows(shares: NDArray[Any], total: int) -> NDArray[np.int64]:
    """Whole numbers that add up to the total, none off by one or more: what is left over goes to the largest rests.

    >>> in_whole_rows(np.array([1.0, 1.0, 2.0]), 3).tolist()
    [1, 1, 1]
    """
    flat = np.asarray(shares, dtype=np.float64).ravel()
    whole = flat.sum()
    exact = flat * (total / whole) if whole > 0 else np.full(flat.size, total / max(flat.size, 1))
    found = np.floor(exact).astype(np.int64)
    left = total - int(found.sum())
    if left:
        order = np.argsort(-(exact - found), kind="stable")
        found[order[:left]] += 1
    shaped: NDArray[np.int64] = found.reshape(np.shape(shares))
    return shaped
