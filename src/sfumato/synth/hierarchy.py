"""Top-down counts on a tree: every level measured, and made consistent from the root to the leaves.

A node has one or more cells. Level by level the children's noisy cells are water-filled onto the whole numbers that
their parents were given, and rounded so that they add up to them: whole numbers, none negative, consistent everywhere.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import events
from sfumato.core import Accuracy, Neighbours, Norm
from sfumato.errors import InvalidParameter
from sfumato.exact.bits import BitSource, source
from sfumato.exact.parameters import Real, open_probability, positive, whole
from sfumato.exact.rounding import sqrt_up
from sfumato.mechanisms.additive import Noise, stated
from sfumato.mechanisms.answers import AnswerMove, Answers, add
from sfumato.mechanisms.discrete_gaussian import DiscreteGaussianNoise
from sfumato.mechanisms.geometric import GeometricNoise
from sfumato.synth.rounding import rounded_up
from sfumato.synth.water_filling import CellGroups, Wholes, summable, water_filled_wholes

_LARGEST = 2**62


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

    def sums(self, leaves: NDArray[Any]) -> list[NDArray[Any]]:
        """The cells of every node, level by level, from those of the leaves (leaf, cell)."""
        levels = [self.side_by_side(self.depth - 1, leaves)]
        for groups in reversed(self.children):
            levels.append(np.add.reduceat(levels[-1], groups.starts, axis=0))
        return [self.as_given(depth, level) for depth, level in enumerate(reversed(levels))]


@dataclass(frozen=True, kw_only=True)
class TopDown:
    """A consistent, non-negative, whole-numbered tree of counts: one noise a level, each level one histogram.

    >>> country = Tree.regular([2, 3])
    >>> made = TopDown.pure(tree=country, epsilon=3)
    >>> levels = made.release([4, 0, 0, 9, 1, 0])
    >>> levels[2].sum() == levels[0].sum(), made.event.pure()
    (np.True_, Fraction(3, 1))
    """

    tree: Tree
    noises: tuple[Noise, ...]
    cells: int = 1
    neighbours: Neighbours = field(default_factory=Neighbours)
    event: events.Event = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        whole("cells", self.cells, least=1)
        if len(self.noises) != self.tree.depth:
            raise InvalidParameter("noises", f"must be one for each of {self.tree.depth} levels, got", len(self.noises))
        object.__setattr__(self, "event", events.Composition([self._price(noise) for noise in self.noises]))

    def _price(self, noise: Noise) -> events.Event:
        """A level is a histogram: a person is in one cell of one node of it."""
        amount = self.neighbours.histogram(noise.norm).amount
        move = AnswerMove.l2(square=amount) if noise.norm is Norm.L2 else AnswerMove.l1(amount)
        return noise.event(move, scalar=False)

    @classmethod
    def pure(
        cls,
        *,
        tree: Tree,
        epsilon: Real,
        cells: int = 1,
        neighbours: Neighbours | None = None,
        shares: Sequence[Real] | None = None,
    ) -> "TopDown":
        """Double geometric noise, ε divided among the levels alike or by `shares`."""
        related, price = neighbours or Neighbours(), positive("epsilon", epsilon)
        moved = related.histogram(Norm.L1).amount
        noises = _divided(tree, shares, lambda share: GeometricNoise(moved / (price * share)))
        return cls(tree=tree, noises=noises, cells=cells, neighbours=related)

    @classmethod
    def zcdp(
        cls,
        *,
        tree: Tree,
        rho: Real,
        cells: int = 1,
        neighbours: Neighbours | None = None,
        shares: Sequence[Real] | None = None,
    ) -> "TopDown":
        """Discrete Gaussian noise, ρ divided among the levels alike or by `shares`."""
        related, price = neighbours or Neighbours(), positive("rho", rho)
        moved = related.histogram(Norm.L2).amount
        noises = _divided(
            tree, shares, lambda share: DiscreteGaussianNoise(Fraction(sqrt_up(moved / (2 * price * share))))
        )
        return cls(tree=tree, noises=noises, cells=cells, neighbours=related)

    def measure(self, exact: Any, *, bits: BitSource | None = None) -> list[Wholes]:
        """Noisy cells (node, cell) of every level, from exact counts of the leaves' cells: all that is paid for."""
        stream, leaves = source(bits), self._leaves(exact)
        return [
            self._noisy(level, noise, stream) for level, noise in zip(self.tree.sums(leaves), self.noises, strict=True)
        ]

    def _leaves(self, exact: Any) -> NDArray[Any]:
        shape = (self.tree.sizes[-1], self.cells)
        found = np.asarray(exact) if isinstance(exact, np.ndarray) else np.array(exact, dtype=np.object_)
        if found.shape not in (shape, shape[:1] if self.cells == 1 else shape):
            raise InvalidParameter("exact", f"must be counts of shape {shape}, got shape", found.shape)
        flat = found.reshape(-1)
        placed = Answers(None, flat.size).place_row(flat if found.dtype != np.object_ else flat.tolist())
        return summable(placed).reshape(shape)

    def _noisy(self, level: NDArray[Any], noise: Noise, bits: BitSource) -> Wholes:
        flat = level.reshape(-1)
        noisy = add(flat, noise.draw(len(flat), bits))
        limit = _LARGEST // (self.tree.sizes[-1] * self.cells)
        return np.clip(noisy, -limit, limit).astype(np.int64).reshape(level.shape)

    def fit(self, measured: Sequence[Wholes], *, bits: BitSource | None = None) -> list[Wholes]:
        """Consistent, non-negative whole numbers from noisy ones: post-processing alone, by Survey Lemma 9.5."""
        levels = [np.maximum(measured[0], 0)]
        for depth, (groups, noisy) in enumerate(zip(self.tree.children, measured[1:], strict=True), start=1):
            # (node, cell) -> one cell after the other, so that each (cell, parent) is a group of neighbours
            every = CellGroups.of(np.tile(groups.sizes, self.cells))
            cells = self.tree.side_by_side(depth, noisy).T.reshape(-1)
            filled = water_filled_wholes(cells, groups=every, totals=levels[-1].T.reshape(-1))
            levels.append(np.ascontiguousarray(rounded_up(filled, bits=bits).reshape(self.cells, -1).T))
        return [self.tree.as_given(depth, level) for depth, level in enumerate(levels)]

    def release(self, exact: Any, *, bits: BitSource | None = None) -> list[Wholes]:
        """Counts (node, cell) of every level, from the first to the leaves."""
        return self.fit(self.measure(exact, bits=bits), bits=bits)

    def error(self, beta: Real) -> Accuracy:
        """No cell of any node is off by more than this, with probability 1 - beta.

        A level is off by what its parents are and twice its largest error, as in the proof of Survey Theorem 9.6, and
        by less than one for the rounding.
        """
        fails = open_probability("beta", beta)
        share = fails / self.tree.depth
        reaches = [
            noise.reach(share / (size * self.cells)) for noise, size in zip(self.noises, self.tree.sizes, strict=True)
        ]
        return stated(float(reaches[0] + sum(2 * reach + 1 for reach in reaches[1:])), fails)


def _divided(tree: Tree, shares: Sequence[Real] | None, noise: Callable[[Fraction], Noise]) -> tuple[Noise, ...]:
    """A noise for each level's share of the price."""
    given = [positive("shares", share) for share in ([1] * tree.depth if shares is None else shares)]
    if len(given) != tree.depth:
        raise InvalidParameter("shares", f"must be one for each of {tree.depth} levels, got", len(given))
    return tuple(noise(share / sum(given)) for share in given)
