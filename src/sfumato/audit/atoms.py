"""Cells for single outputs: each value, text, error or shape that came more than once, and one for all others."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sfumato.audit.outcomes import Aspect, Mask, Outcomes, OutputColumn, OutputKind, Path, joined
from sfumato.audit.statistics import place_words, summaries
from sfumato.audit.views import Bins, Codes, Partition, either

_MOST_CELLS = 2048
_MANY_LABELS = 256  # at one place; they are then no part of an output's shape
_MOST_PLACES = 64
_CROSSED_BINS = 24
_CROSSED_SHAPES = 48
_UNSAID = (Aspect.LENGTH, Aspect.CHARACTERS, Aspect.ORDER, Aspect.PATTERN, Aspect.FORM, Aspect.LAST_BITS)

Keys = NDArray[np.uint64]


def _mixed(words: Keys) -> Keys:
    """Each word turned into another so that sums of them tell what was summed (the finaliser of MurmurHash3)."""
    words = (words ^ (words >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    words = (words ^ (words >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return words ^ (words >> np.uint64(33))


@lru_cache(maxsize=8)
def _rows(outcomes: Outcomes, paths: tuple[Path, ...], shapes: bool, free: frozenset[Path]) -> Keys:
    """A number for each output, equal where outputs are; of shapes, numbers and free texts are left out."""
    keys = np.zeros(outcomes.count, dtype=np.uint64)
    for path in paths:
        column = outcomes.column(path)
        values = _shape(column, path in free) if shapes else column.values + 0.0  # no negative zero
        words = values.view(np.uint64) + column.kinds.astype(np.uint64)
        keys = _mixed(keys * np.uint64(31) + _mixed(words))
    return keys


def _shape(column: OutputColumn, free: bool) -> NDArray[np.float64]:
    unsaid = column.numeric | (column.kinds == OutputKind.LABEL) if free else column.numeric
    return np.where(unsaid, 0.0, column.values)


@dataclass(frozen=True, eq=False)
class Outputs:
    """A cell for each output, or each shape of one, that was seen more than once, and one for all others."""

    paths: tuple[Path, ...]
    keys: Keys
    said: tuple[str, ...]
    shapes: bool
    free: frozenset[Path] = frozenset()
    ordered: bool = False

    @classmethod
    def of(
        cls,
        left: Outcomes,
        right: Outcomes,
        *,
        shapes: bool,
        most: int = _MOST_CELLS,
        paths: tuple[Path, ...] | None = None,
    ) -> "Outputs | None":
        """The commonest outputs and those that differ most, or None where there are none worth a cell."""
        pooled = joined(left, right)
        places = tuple(sorted(pooled.columns, key=repr)) if paths is None else paths
        if not places:
            return None
        free = _free(pooled) if shapes and paths is None else frozenset[Path]()
        rows = _rows(pooled, places, shapes, free)
        keys, where, which, counts = np.unique(rows, return_index=True, return_inverse=True, return_counts=True)
        repeated = np.flatnonzero(counts > 1)
        if not len(repeated) or (shapes and len(keys) < 2):
            return None
        if len(repeated) > most:
            more = np.bincount(which[: left.count], minlength=len(keys))
            differ = np.abs(2 * more - counts)[repeated]
            chosen = {*np.argsort(-counts[repeated], kind="stable")[: most // 2].tolist()}
            chosen |= {*np.argsort(-differ, kind="stable")[: most // 2].tolist()}
            repeated = repeated[np.array(sorted(chosen))]
        said = tuple(_said(pooled, places, int(where[cell]), shapes=shapes) for cell in repeated)
        return cls(places, keys[repeated], said, shapes, free)

    @property
    def cells(self) -> int:
        """As many as outputs that were seen, and one for all others."""
        return len(self.keys) + 1

    def codes(self, outcomes: Outcomes) -> Codes:
        """The cell of each output; the last is for what was not seen before."""
        return _codes(self, outcomes)

    def words(self, chosen: Mask) -> str:
        """The outputs themselves; or, where most are chosen with all others, those that are not."""
        said = [self.said[cell] for cell in np.flatnonzero(chosen[:-1])]
        if not chosen[-1]:
            return either(said)
        rest = [self.said[cell] for cell in np.flatnonzero(~chosen[:-1])]
        if len(rest) == 1 and rest[0].endswith(" = absent"):
            return f"there is {rest[0].removesuffix(' = absent')}"
        return f"not ({either(rest)})" if rest else "any output"


@lru_cache(maxsize=8)
def _codes(view: Outputs, outcomes: Outcomes) -> Codes:
    rows = _rows(outcomes, view.paths, view.shapes, view.free)
    place = np.minimum(np.searchsorted(view.keys, rows), len(view.keys) - 1).astype(np.int64)
    return np.where(view.keys[place] == rows, place, len(view.keys))


@lru_cache(maxsize=8)
def _free(outcomes: Outcomes) -> frozenset[Path]:
    """The places where so many different texts stand that they say nothing of an output's shape."""
    found: set[Path] = set()
    for path, column in outcomes.columns.items():
        labels = column.values[column.kinds == OutputKind.LABEL]
        if len(labels) > _MANY_LABELS and len(np.unique(labels)) > _MANY_LABELS:
            found.add(path)
    return frozenset(found)


def _said(outcomes: Outcomes, paths: tuple[Path, ...], row: int, *, shapes: bool) -> str:
    """One output in words."""
    parts: list[tuple[Path, str]] = []
    for path in paths:
        column = outcomes.column(path)
        kind, value = OutputKind(column.kinds[row]), float(column.values[row])
        if kind is OutputKind.ABSENT and len(paths) == 1:
            parts.append((path, "absent"))
        elif kind is not OutputKind.ABSENT and (len(paths) == 1 or path[-1:] == () or path[-1] not in _UNSAID):
            number = "number" if shapes else f"{value:.6g}"
            whole = "whole number" if shapes else number
            word = {
                OutputKind.NOTHING: "NaN" if value else "none",
                OutputKind.TRUTH: "⊤" if value else "⊥",
                OutputKind.NUMBER: number,
            }
            parts.append((path, (word | {OutputKind.WHOLE: whole}).get(kind) or repr(outcomes.names.get(value, "?"))))
    if len(parts) == 1:
        return f"{place_words(parts[0][0])} = {parts[0][1]}"
    if parts and all(path and isinstance(path[0], int) and path[1:] in ((), (Aspect.TEXT,)) for path, _ in parts):
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
        return np.asarray(self.shape.codes(outcomes) * self.bins.cells + self.bins.codes(outcomes))

    def words(self, chosen: Mask) -> str:
        """For each shape the numbers that count."""
        table = chosen.reshape(self.shape.cells, self.bins.cells)
        said = [*self.shape.said, "any other shape"]
        return either([f"{said[i]} and ({self.bins.words(row)})" for i, row in enumerate(table) if row.any()])


def views(left: Outcomes, right: Outcomes) -> list[Partition]:
    """Every view worth trying on two sets of outputs."""
    statistics = list(summaries(left, right))
    found = _single_places(left, right)  # first, as of equal events the first is said
    found += [bins for statistic in statistics if (bins := Bins.of(statistic, left, right))]
    whole = Outputs.of(left, right, shapes=False)
    found += [whole] if whole else []
    shape = Outputs.of(left, right, shapes=True, most=_CROSSED_SHAPES)
    if shape is not None:
        found.append(shape)
        named = [s for s in statistics if s.words.startswith(("first number", "last number", "largest", "smallest of"))]
        crossed = [bins for s in named if (bins := Bins.of(s, left, right, _CROSSED_BINS))]
        found += [Crossed(shape, bins) for bins in crossed]
    return found


def _single_places(left: Outcomes, right: Outcomes) -> list[Partition]:
    """The texts, errors and kinds of thing at each place by itself: rare ones are lost among whole outputs."""
    places = [path for path in {**left.columns, **right.columns} if _varied(path, left, right)]
    places = sorted(places, key=lambda path: Aspect.RAISED not in path)[:_MOST_PLACES]
    found = [Outputs.of(left, right, shapes=True, paths=(path,)) for path in places]
    return [view for view in found if view]


def _varied(path: Path, left: Outcomes, right: Outcomes) -> bool:
    """Whether texts stand at a place, or things of more than one kind."""
    kinds = {*np.unique(left.column(path).kinds), *np.unique(right.column(path).kinds)}
    return len(kinds) > 1 or OutputKind.LABEL in kinds
