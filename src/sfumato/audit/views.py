"""Ways of sorting outputs into cells; an event is a view and the set of its cells."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.audit.outcomes import Column, Kind, Outcomes, Path, joined
from sfumato.audit.statistics import Statistic, place_words, summaries

Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]
_MOST_CELLS = 2048
_BINS = 128
_CROSSED_BINS = 24
_CROSSED_SHAPES = 48
_SHOWN = 4


class View(Protocol):
    """A sorting of outputs into cells 0 … cells - 1; -1 is none of them."""

    @property
    def cells(self) -> int:
        """How many cells there are."""
        ...

    @property
    def ordered(self) -> bool:
        """Whether the cells follow each other, so that all up to one of them is an event in few words."""
        ...

    def codes(self, outcomes: Outcomes) -> Codes:
        """The cell of each output."""
        ...

    def words(self, chosen: Mask) -> str:
        """The event that an output falls into a chosen cell, in words."""
        ...


@dataclass(frozen=True)
class Event:
    """A set of outputs, fixed before the draws that it is counted on."""

    view: View
    chosen: Mask

    def count(self, outcomes: Outcomes) -> int:
        """How many outputs lie in it."""
        codes = self.view.codes(outcomes)
        return int(np.count_nonzero(self.chosen[codes[codes >= 0]]))

    def __str__(self) -> str:
        return self.view.words(self.chosen)


@dataclass(frozen=True)
class Bins:
    """Cells of one statistic: (-∞, e₀], (e₀, e₁], …, (e_last, ∞), and one for outputs that have no such number."""

    statistic: Statistic
    edges: NDArray[np.float64]
    ordered: bool = True

    @classmethod
    def of(cls, statistic: Statistic, pooled: Outcomes, bins: int = _BINS) -> "Bins | None":
        """Cells at the quantiles of what was seen, or None where nothing varies."""
        seen = statistic.of(pooled)
        numbers = seen[~np.isnan(seen)]
        if not len(numbers):
            return None
        distinct = np.unique(numbers)
        if len(distinct) > bins:
            distinct = np.unique(np.quantile(numbers, np.linspace(0, 1, bins + 1)[1:-1], method="lower"))
        if len(distinct) < 2 and len(numbers) == len(seen):
            return None
        return cls(statistic, distinct)

    @property
    def cells(self) -> int:
        """One more than edges, and the one for what has no number."""
        return len(self.edges) + 2

    def codes(self, outcomes: Outcomes) -> Codes:
        """The cell of each output; the last is for those without a number."""
        seen = self.statistic.of(outcomes)
        placed = np.searchsorted(self.edges, seen, side="left").astype(np.int64)
        return np.where(np.isnan(seen), len(self.edges) + 1, placed)

    def words(self, chosen: Mask) -> str:
        """The union of intervals."""
        inside, name, said = chosen[:-1], self.statistic.words, list[str]()
        start = 0
        while start < len(inside):
            if not inside[start]:
                start += 1
                continue
            stop = start
            while stop + 1 < len(inside) and inside[stop + 1]:
                stop += 1
            said.append(self._interval(name, start, stop))
            start = stop + 1
        if chosen[-1]:
            said.append(f"{name} is no number")
        return _or(said)

    def _interval(self, name: str, start: int, stop: int) -> str:
        low = "" if start == 0 else f"{self.edges[start - 1]:.6g} < "
        high = "" if stop == len(self.edges) else f" ≤ {self.edges[stop]:.6g}"
        if low and not high:
            return f"{name} > {self.edges[start - 1]:.6g}"
        return f"{low}{name}{high}" if low or high else f"{name} is a number"


@dataclass(frozen=True)
class Anything:
    """One cell for every output: what is left to look at where nothing ever differs."""

    cells: int = 1
    ordered: bool = False

    def codes(self, outcomes: Outcomes) -> Codes:
        """Always the one cell."""
        return np.zeros(outcomes.count, dtype=np.int64)

    def words(self, chosen: Mask) -> str:
        """Any output, or none."""
        return "any output" if chosen[0] else "nothing"


def _or(parts: list[str]) -> str:
    if not parts:
        return "nothing"
    rest = len(parts) - _SHOWN
    return " or ".join(parts[:_SHOWN]) + (f" or {rest} more cells" if rest > 0 else "")


@lru_cache(maxsize=8)
def _rows(outcomes: Outcomes, paths: tuple[Path, ...], *, shapes: bool) -> NDArray[np.void]:
    """Each output as a string of bytes, equal exactly where outputs are; of their shapes numbers are left out."""
    parts: list[NDArray[np.float64]] = []
    for path in paths:
        column = outcomes.column(path)
        parts += [column.kinds.astype(np.float64), _shape(column) if shapes else column.values + 0.0]
    table = np.ascontiguousarray(np.column_stack(parts))
    return table.view(np.dtype((np.void, table.dtype.itemsize * table.shape[1]))).ravel()


def _shape(column: Column) -> NDArray[np.float64]:
    return np.where(column.kinds == Kind.NUMBER, 0.0, column.values)


@dataclass(frozen=True, eq=False)
class Outputs:
    """A cell for each different output, or each different shape of one, that was seen more than once."""

    paths: tuple[Path, ...]
    keys: NDArray[np.void]
    said: tuple[str, ...]
    shapes: bool
    ordered: bool = False

    @classmethod
    def of(cls, pooled: Outcomes, *, shapes: bool, most: int = _MOST_CELLS) -> "Outputs | None":
        """The commonest outputs, or None where there are none worth a cell."""
        paths = tuple(sorted(pooled.columns, key=repr))
        if not paths:
            return None
        rows = _rows(pooled, paths, shapes=shapes)
        keys, where, counts = np.unique(rows, return_index=True, return_counts=True)
        common = np.flatnonzero(counts > 1)
        common = np.sort(common[np.argsort(-counts[common], kind="stable")][:most])
        if not len(common) or (shapes and len(common) < 2):
            return None
        said = tuple(_said(pooled, paths, int(where[cell]), shapes=shapes) for cell in common)
        return cls(paths, keys[common], said, shapes)

    @property
    def cells(self) -> int:
        """As many as outputs that were seen."""
        return len(self.keys)

    def codes(self, outcomes: Outcomes) -> Codes:
        """The cell of each output, -1 for one that was not seen before."""
        return _places(self, outcomes)

    def words(self, chosen: Mask) -> str:
        """The outputs themselves."""
        return _or([self.said[cell] for cell in np.flatnonzero(chosen)])


@lru_cache(maxsize=8)
def _places(view: Outputs, outcomes: Outcomes) -> Codes:
    rows = _rows(outcomes, view.paths, shapes=view.shapes)
    place = np.minimum(np.searchsorted(view.keys, rows), len(view.keys) - 1).astype(np.int64)
    return np.where(view.keys[place] == rows, place, -1)


def _said(outcomes: Outcomes, paths: tuple[Path, ...], row: int, *, shapes: bool) -> str:
    """One output in words."""
    parts: list[tuple[Path, str]] = []
    for path in paths:
        column = outcomes.column(path)
        kind, value = Kind(column.kinds[row]), float(column.values[row])
        if kind is not Kind.ABSENT and path[-1:] not in (("length",), ("characters",), ("order",)):
            number = "number" if shapes else f"{value:.6g}"
            word = {Kind.NOTHING: "NaN" if value else "none", Kind.TRUTH: "⊤" if value else "⊥", Kind.NUMBER: number}
            parts.append((path, word.get(kind) or repr(outcomes.names.get(value, "?"))))
    if len(parts) == 1:
        return f"{place_words(parts[0][0])} = {parts[0][1]}"
    if all(isinstance(path[0], int) and path[1:] in ((), ("text",)) for path, _ in parts if path) and parts:
        ordered = sorted(parts, key=lambda part: part[0][0])
        return "output = (" + ", ".join(word for _, word in ordered) + ")"
    return "output = {" + ", ".join(f"{place_words(path)}: {word}" for path, word in parts) + "}"


@dataclass(frozen=True)
class Crossed:
    """Cells of a shape and of a number together, as a value matters most beside what came before it."""

    shape: Outputs
    bins: Bins
    ordered: bool = False

    @property
    def cells(self) -> int:
        """Every pair of cells."""
        return self.shape.cells * self.bins.cells

    def codes(self, outcomes: Outcomes) -> Codes:
        """The pair of cells of each output."""
        shape = self.shape.codes(outcomes)
        return np.where(shape >= 0, shape * self.bins.cells + self.bins.codes(outcomes), -1)

    def words(self, chosen: Mask) -> str:
        """For each shape the numbers that count."""
        table = chosen.reshape(self.shape.cells, self.bins.cells)
        lines = [f"{self.shape.said[i]} and ({self.bins.words(row)})" for i, row in enumerate(table) if row.any()]
        return _or(lines)


def views(left: Outcomes, right: Outcomes) -> list[View]:
    """Every view worth trying on two sets of outputs."""
    pooled = joined(left, right)
    found: list[View] = []
    statistics = list(summaries(left, right))
    found += [bins for statistic in statistics if (bins := Bins.of(statistic, pooled))]
    whole = Outputs.of(pooled, shapes=False)
    if whole is not None:
        found.append(whole)
    shape = Outputs.of(pooled, shapes=True, most=_CROSSED_SHAPES)
    if shape is not None:
        found.append(shape)
        named = [s for s in statistics if s.words.startswith(("first number", "last number", "largest", "smallest"))]
        crossed = [bins for s in named if (bins := Bins.of(s, pooled, _CROSSED_BINS))]
        found += [Crossed(shape, bins) for bins in crossed]
    return found
