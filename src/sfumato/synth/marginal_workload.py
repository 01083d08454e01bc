"""Marginals: for some of the attributes, how many records have each combination of their values."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core import Categories, Change, IntegerInterval, Product
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import whole
from sfumato.mechanisms.linear import FiniteDomain
from sfumato.synth.databases import Cells
from sfumato.synth.workloads import RecordMove, Workload

Part = IntegerInterval | Categories


@dataclass(frozen=True, eq=False)
class MarginalWorkload(Workload):
    """Marginals over named attributes: `of` names the attributes of each; () is the number of all records.

    A record is in one cell of each marginal, so p marginals move by p, whatever their cells (errata C1: replacing one
    moves two cells of each marginal that has more than one).

    >>> from sfumato.core import Neighbours, Norm
    >>> people = {"sex": Categories(("f", "m")), "age": IntegerInterval(0, 9)}
    >>> tables = MarginalWorkload(people, (("sex",), ("sex", "age")))
    >>> len(tables), tables.sensitivity(Norm.L1, Neighbours()).amount
    (22, Fraction(2, 1))
    """

    attributes: Mapping[str, Part]
    of: Sequence[Sequence[str]]
    size: int | None = field(default=None, kw_only=True)
    domain: FiniteDomain = field(init=False)
    _places: tuple[tuple[int, ...], ...] = field(init=False, repr=False)
    _groups: tuple[range, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        names = list(self.attributes)
        if not names:
            raise InvalidParameter("attributes", "must be at least one", self.attributes)
        if not self.of:
            raise InvalidParameter("of", "must name at least one marginal", self.of)
        for marginal in self.of:
            unknown = [name for name in marginal if name not in names]
            if unknown or len(set(marginal)) != len(marginal) or isinstance(marginal, str):
                raise InvalidParameter(
                    "of", "must be tuples of different attributes", marginal, hint=f"known: {', '.join(names)}"
                )
        if self.size is not None:
            whole("size", self.size, least=1)
        object.__setattr__(self, "domain", Product(tuple(self.attributes.values())))
        object.__setattr__(self, "_places", tuple(tuple(names.index(name) for name in m) for m in self.of))
        ends = np.cumsum([0, *(math.prod(self.shape[axis] for axis in axes) for axes in self._places)]).tolist()
        groups = tuple(range(first, last) for first, last in itertools.pairwise(ends))
        object.__setattr__(self, "_groups", groups)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each attribute has."""
        return tuple(len(part) for part in self.attributes.values())

    def __len__(self) -> int:
        return self._groups[-1].stop

    @property
    def groups(self) -> tuple[range, ...]:
        """The cells of each marginal, which are disjoint."""
        return self._groups

    def group_move(self, change: Change) -> int:
        """One cell, or two where one record replaces another."""
        return 1 if change is Change.ADD_REMOVE else 2

    def sums(self, cells: Cells) -> NDArray[Any]:
        """The marginals' cells, one marginal after the other."""
        if cells.places is None and _is_summable(cells):
            table = cells.weights.reshape(self.shape)
            return np.concatenate([self._summed(table, axes) for axes in self._places])
        places = np.arange(len(self.domain)) if cells.places is None else cells.places
        coordinates = np.unravel_index(places, self.shape)
        parts = [
            cells.tally(self._cell_of(coordinates, axes), len(group))
            for axes, group in zip(self._places, self._groups, strict=True)
        ]
        return np.concatenate(parts)

    def _summed(self, table: NDArray[Any], axes: tuple[int, ...]) -> NDArray[Any]:
        others = tuple(axis for axis in range(table.ndim) if axis not in axes)
        kept = table.sum(axis=others)  # in the order of the attributes
        order = [sorted(axes).index(axis) for axis in axes]
        return np.asarray(np.transpose(kept, order)).ravel()

    def _cell_of(self, coordinates: Sequence[NDArray[np.int64]], axes: tuple[int, ...]) -> NDArray[np.int64]:
        cell = np.zeros(len(coordinates[0]) if coordinates else 1, dtype=np.int64)
        for axis in axes:
            cell = cell * self.shape[axis] + coordinates[axis]
        return cell

    def marginal_of(self, query: int) -> int:
        """Which marginal a query is a cell of."""
        whole("query", query)
        for place, group in enumerate(self._groups):
            if query in group:
                return place
        raise InvalidParameter("query", f"must be below {len(self)}", query)

    def cells_of_group(self, group: int) -> NDArray[np.int64]:
        """For every member of the domain, which cell of a marginal it is in."""
        axes = self._places[group]
        cell = np.zeros(self.shape, dtype=np.int64)
        for axis in axes:
            along = np.arange(self.shape[axis]).reshape([-1 if a == axis else 1 for a in range(len(self.shape))])
            cell = cell * self.shape[axis] + along
        return cell.ravel()

    def weights_of(self, query: int) -> NDArray[np.int64]:
        """One for the members of a cell."""
        marginal = self.marginal_of(query)
        inside: NDArray[np.int64] = (self.cells_of_group(marginal) == query - self._groups[marginal].start).astype(
            np.int64
        )
        return inside

    def move(self, change: Change) -> RecordMove:
        """A cell of each marginal; two of each that has more than one, where one record replaces another."""
        if change is Change.ADD_REMOVE:
            return RecordMove.of_counts(len(self._groups))
        return RecordMove.of_counts(2 * sum(len(group) > 1 for group in self._groups))


def _is_summable(cells: Cells) -> bool:
    """Whether sums of the weights stay within their type."""
    if not cells.are_exact:
        return True
    return cells.weights.dtype != np.object_ and float(cells.weights.astype(np.float64).sum()) < 2**62
