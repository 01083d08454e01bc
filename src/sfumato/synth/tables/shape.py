"""What a table is before anybody looks: columns of coded values, combinations that cannot be, who a person is."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import whole
from sfumato.synth.tables.possible import possible_row

Marginal = tuple[int, ...]
"""Places of columns, rising; the empty one is the total."""
Counts = Callable[[Marginal], NDArray[np.int64]]
"""The exact table of a marginal, in parts: private, handed over by whoever may count."""

_MOST_COLUMNS = 64
_MOST_PAIR_CELLS = 2**24


@dataclass(frozen=True, eq=False)
class TableShape:
    """Columns with the number of their values each, a missing value being one of them.

    `impossible` marks combinations that no row can have (structural zeros): True in a table over the named columns.
    One person counts for at most `moved` parts in all, and `parts` parts are one row: both are 1 where a person is a
    row, and with weights a person of up to R rows in fixed point moves R·parts.

    >>> shape = TableShape({"ward": 4, "sex": 2, "pregnant": 2}, impossible={("sex", "pregnant"): [[0, 1], [0, 0]]})
    >>> shape.sizes, shape.cells, len(shape.pairs)
    ((4, 2, 2), 16, 3)
    """

    columns: Mapping[str, int]
    impossible: Mapping[tuple[str, ...], Any] = field(default_factory=dict[tuple[str, ...], Any])
    moved: int = field(default=1, kw_only=True)
    parts: int = field(default=1, kw_only=True)
    masks: Mapping[Marginal, NDArray[np.bool_]] = field(init=False, repr=False)
    """Where rows can be: True is possible."""
    possible_row: tuple[int, ...] = field(init=False, repr=False)
    """A row that nothing forbids: found before anything is measured, or the shape is refused."""

    def __post_init__(self) -> None:
        if not 1 <= len(self.columns) <= _MOST_COLUMNS:
            raise InvalidParameter("columns", f"must be between 1 and {_MOST_COLUMNS}, got", len(self.columns))
        for name, size in self.columns.items():
            if whole(f"the number of values of {name!r}", size, least=1) < 2:
                raise InvalidParameter(
                    f"the number of values of {name!r}", "must be at least 2", size, hint="leave constant columns out"
                )
        whole("moved", self.moved, least=1)
        whole("parts", self.parts, least=1)
        for pair in self.pairs:
            if self.cells_of(pair) > _MOST_PAIR_CELLS:
                names = " and ".join(repr(self.names[place]) for place in pair)
                raise InvalidParameter(
                    "columns",
                    f"must have pairs of at most {_MOST_PAIR_CELLS} cells; {names} have",
                    self.cells_of(pair),
                    hint="put values into bins",
                )
        object.__setattr__(self, "columns", dict(self.columns))
        object.__setattr__(self, "masks", self._masks())
        object.__setattr__(self, "possible_row", possible_row(self.sizes, self.masks))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns in order."""
        return tuple(self.columns)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many values each column has."""
        return tuple(self.columns.values())

    @property
    def cells(self) -> int:
        """How many different rows there could be."""
        return math.prod(self.sizes)

    @property
    def singles(self) -> tuple[Marginal, ...]:
        """Every column by itself."""
        return tuple((place,) for place in range(len(self.columns)))

    @property
    def pairs(self) -> tuple[Marginal, ...]:
        """Every two columns."""
        return tuple(combinations(range(len(self.columns)), 2))

    def sizes_of(self, marginal: Marginal) -> tuple[int, ...]:
        """The shape of a marginal's table."""
        return tuple(self.sizes[place] for place in marginal)

    def cells_of(self, marginal: Marginal) -> int:
        """How many cells a marginal has."""
        return math.prod(self.sizes_of(marginal))

    def place(self, name: str) -> int:
        """Where a column stands."""
        if name not in self.columns:
            raise InvalidParameter("column", "must be one of the table's, not", name, hint=f"known: {self.names}")
        return self.names.index(name)

    def _masks(self) -> dict[Marginal, NDArray[np.bool_]]:
        """The masks by columns in order; what is said of the same columns twice is forbidden by either."""
        found = dict[Marginal, NDArray[np.bool_]]()
        for names in self.impossible:
            places, mask = self._places(names), self._mask(names)
            found[places] = found[places] & mask if places in found else mask
        return found

    def _places(self, names: tuple[str, ...]) -> Marginal:
        places = tuple(self.place(name) for name in names)
        if len(set(places)) != len(places) or not places:
            raise InvalidParameter("impossible", "must name some different columns, got", names)
        return tuple(sorted(places))

    def _mask(self, names: tuple[str, ...]) -> NDArray[np.bool_]:
        table = np.asarray(self.impossible[names], dtype=np.bool_)
        places = [self.place(name) for name in names]
        if table.shape != tuple(self.sizes[place] for place in places):
            raise InvalidParameter("impossible", f"must be a table of the sizes of {names}, got shape", table.shape)
        possible = ~table.transpose(np.argsort(places))
        if not possible.any():
            raise InvalidParameter("impossible", "must leave something possible in", names)
        return possible
