"""A tree by levels, of any shape: who is whose child, and sums from the leaves to the root."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import whole
from sfumato.synth.water_filling import CellGroups


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A tree by levels: for each level below the first, the index of every node's parent.

    A parent has a child at least: a node that has none is given one, which repeats it.

    >>> country = Tree.of([[0, 0], [1, 0, 0]])
    >>> country.sizes
    (1, 2, 3)
    >>> [level.tolist() for level in country.sums(np.array([[2], [5], [0]]))]
    [[[7]], [[5], [2]], [[2], [5], [0]]]
    """

    sizes: tuple[int, ...]
    children: tuple[CellGroups, ...]
    orders: tuple[NDArray[np.intp] | None, ...]
    """The nodes of each level in the order in which children of one parent stand side by side; None if they do."""

    @classmethod
    def of(cls, parents: Sequence[Any]) -> "Tree":
        """The tree of these parents, level by level from below the first."""
        sizes, children, orders = list[int](), list[CellGroups](), list[NDArray[np.intp] | None]()
        for depth, level in enumerate(parents, start=1):
            found = np.asarray(level)
            if found.ndim != 1 or found.dtype.kind not in "iu" or not found.size or int(found.min()) < 0:
                raise InvalidParameter(
                    "parents", f"must be indices from 0 on at level {depth}, found", found.dtype.name
                )
            counts = np.bincount(found)
            if not sizes:
                sizes.append(len(counts))
                orders.append(None)
            if len(counts) != sizes[-1] or int(counts.min()) < 1:
                raise InvalidParameter(
                    "parents", f"must give each of {sizes[-1]} nodes a child at level {depth}, got",
                    f"{int((counts > 0).sum())} that have one", hint="a node without children is given one of its own",
                )  # fmt: skip
            above = orders[-1]
            placed = found if above is None else np.argsort(above)[found]
            orders.append(None if (np.diff(placed) >= 0).all() else np.argsort(placed, kind="stable"))
            children.append(CellGroups.of(counts if above is None else counts[above]))
            sizes.append(len(found))
        if not children:
            raise InvalidParameter("parents", "must be those of one level at least, got", 0)
        return cls(tuple(sizes), tuple(children), tuple(orders))

    @classmethod
    def regular(cls, branching: Sequence[int]) -> "Tree":
        """The tree under one root in which every node of a level has as many children.

        >>> Tree.regular([2, 3]).sizes
        (1, 2, 6)
        """
        size, parents = 1, list[NDArray[np.int64]]()
        for many in branching:
            parents.append(np.repeat(np.arange(size), whole("branching", many, least=1)))
            size = len(parents[-1])
        return cls.of(parents)

    @property
    def depth(self) -> int:
        """How many levels there are."""
        return len(self.sizes)

    def side_by_side(self, depth: int, values: NDArray[Any]) -> NDArray[Any]:
        """Values a node of a level, in the order in which siblings are neighbours."""
        order = self.orders[depth]
        return values if order is None else values[order]

    def as_given(self, depth: int, values: NDArray[Any]) -> NDArray[Any]:
        """The inverse of `side_by_side`."""
        order = self.orders[depth]
        if order is None:
            return values
        found = np.empty_like(values)
        found[order] = values
        return found

    def sums_of_children(self, depth: int, below: NDArray[Any]) -> NDArray[Any]:
        """The cells of every node of a level, from those of the level below it (node, cell)."""
        sums = np.add.reduceat(self.side_by_side(depth + 1, below), self.children[depth].starts, axis=0)
        return self.as_given(depth, sums)

    def sums(self, leaves: NDArray[Any]) -> list[NDArray[Any]]:
        """The cells of every node, level by level, from those of the leaves (leaf, cell)."""
        levels = [self.side_by_side(self.depth - 1, leaves)]
        for groups in reversed(self.children):
            levels.append(np.add.reduceat(levels[-1], groups.starts, axis=0))
        return [self.as_given(depth, level) for depth, level in enumerate(reversed(levels))]
