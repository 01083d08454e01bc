"""How a column becomes one of a synthetic table: by its public values, by private bins, or by the texts that are found.

Before the charge a column is one of three kinds with a largest number of values; afterwards it is coded, and every
kind is a list of values in order, the last of which may be none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, assert_never

from sfumato.core.printing import Json
from sfumato.data import Kind
from sfumato.query.expression import Expression
from sfumato.query.recoded import CodedKey, among, in_bins, in_grid
from sfumato.synth.publication.statement import read_values, value_json
from sfumato.synth.tables.grids import MeasuredGrid, PublicGrid, bins_of, means_in, representative

LONGEST_TEXT = 200
"""Characters of a found text that can be a value of its own."""
OTHER = "other"
Ends = tuple[float | int, float | int]


@dataclass(frozen=True, slots=True)
class CodedColumn:
    """A column as it is counted: its values in order, and of bins the ends of each."""

    name: str
    kind: Kind
    values: tuple[Any, ...]
    bins: tuple[Ends | None, ...] = ()
    """From, and up to but without; None for the place of what has no value."""
    other: str | None = None
    """The value that stands for all texts that are not listed."""


@dataclass(frozen=True)
class ListedColumn:
    """A column whose values are public."""

    name: str
    kind: Kind
    values: tuple[Any, ...]

    @property
    def most(self) -> int:
        """How many values it has."""
        return len(self.values)

    def coded(self, found: Sequence[Any] = ()) -> CodedColumn:
        """As it is."""
        return CodedColumn(self.name, self.kind, self.values)


@dataclass(frozen=True)
class BinnedColumn:
    """A number between declared bounds, which is put into private bins."""

    name: str
    kind: Kind
    grid: PublicGrid
    bins: int
    missing: bool

    @property
    def most(self) -> int:
        """How many values it has at most."""
        return self.bins + self.missing

    def fine(self, key: Expression) -> CodedKey:
        """By the cells of its grid."""
        return in_grid(key, self.grid.start, self.grid.width, self.grid.cells, missing=self.missing)

    def starts(self, measured: MeasuredGrid, parts: int, least_rows: float) -> tuple[int, ...]:
        """Where its bins begin, by noisy counts."""
        return bins_of(measured, parts, most=self.bins, least_rows=least_rows)

    def largest(self) -> tuple[int, ...]:
        """As many bins as there could be."""
        return tuple(range(min(self.bins, self.grid.cells)))

    def key(self, key: Expression, starts: Sequence[int]) -> CodedKey:
        """By its bins, which begin at these cells."""
        return in_bins(key, [self.grid.end(start) for start in starts[1:]], missing=self.missing)

    def coded(self, starts: Sequence[int], measured: MeasuredGrid | None = None) -> CodedColumn:
        """A value for each bin that says no more than the bin; about the mean in it, where the grid tells."""
        whole = self.kind is Kind.INTEGER
        ends = [self.grid.end(start) for start in (*starts, self.grid.cells)]
        means = [None] * len(starts) if measured is None else means_in(measured, starts, whole=whole)
        bounds = zip(pairwise(ends), means, strict=True)
        values = [_number(representative(*pair, whole=whole, mean=mean), whole) for pair, mean in bounds]
        bins: list[Ends | None] = [(_number(low, whole), _number(high, whole)) for low, high in pairwise(ends)]
        none = [None] if self.missing else []
        return CodedColumn(self.name, self.kind, (*values, *none), (*bins, *none))


@dataclass(frozen=True)
class FoundColumn:
    """A text whose values nobody declared: those that enough people have are found first."""

    name: str
    texts: int
    kind: Kind = Kind.TEXT

    @property
    def most(self) -> int:
        """How many values it has at most: the texts, all others, and none."""
        return self.texts + 2

    def kept(self, found: Sequence[tuple[Any, float]]) -> tuple[str, ...]:
        """The texts that are values of their own: of those found the most frequent, in order."""
        often = sorted(
            ((text, count) for text, count in found if _is_plain(text)), key=lambda each: (-each[1], each[0])
        )
        return tuple(sorted(text for text, _ in often[: self.texts]))

    def largest(self) -> tuple[str, ...]:
        """As many and as long texts as there could be."""
        return tuple(f"{at:0{LONGEST_TEXT}d}" for at in range(self.texts))

    def key(self, key: Expression, kept: Sequence[str]) -> CodedKey:
        """By the texts that are kept."""
        return among(key, kept, other_than(kept), missing=True)

    def coded(self, kept: Sequence[str]) -> CodedColumn:
        """The texts, all others, and none."""
        other = other_than(kept)
        return CodedColumn(self.name, self.kind, (*kept, other, None), other=other)


TableColumn = ListedColumn | BinnedColumn | FoundColumn


def column_json(column: TableColumn) -> dict[str, Json]:
    """A column as a folder says it, before anything was found of it."""
    about: dict[str, Json] = {"name": column.name, "kind": column.kind.value}
    match column:
        case ListedColumn():
            return {**about, "values": [value_json(value) for value in column.values]}
        case BinnedColumn():
            grid = column.grid
            ends = [str(each) for each in (grid.start, grid.width, grid.lower, grid.upper)]
            return {**about, "grid": [*ends, grid.cells], "bins": column.bins, "missing": column.missing}
        case FoundColumn():
            return {**about, "texts": column.texts}
        case _:
            assert_never(column)


def read_column(about: Mapping[str, Any]) -> TableColumn:
    """The column that `column_json` wrote."""
    if "values" in about:
        kind, values = read_values(about)
        return ListedColumn(str(about["name"]), kind, values)
    if "grid" in about:
        *ends, cells = about["grid"]
        start, width, lower, upper = map(Fraction, ends)
        grid = PublicGrid(start, width, int(cells), lower, upper)
        return BinnedColumn(str(about["name"]), Kind(about["kind"]), grid, int(about["bins"]), bool(about["missing"]))
    return FoundColumn(str(about["name"]), int(about["texts"]))


def other_than(kept: Sequence[str]) -> str:
    """What stands for all texts that are not kept: a text that is none of them.

    >>> other_than(["a"]), other_than(["a", "other"])
    ('other', '(other)')
    """
    found = OTHER
    while found in kept:
        found = f"({found})"
    return found


def _is_plain(text: object) -> bool:
    """Whether a text can be a value: not too long, and such that every file can hold it."""
    return isinstance(text, str) and len(text) <= LONGEST_TEXT and text.isprintable()


def _number(value: Fraction, whole: bool) -> int | float:
    return int(value) if whole else float(value)
