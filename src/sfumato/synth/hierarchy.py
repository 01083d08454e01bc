"""Top-down counts on a tree: every level measured, and made consistent from the root to the leaves.

A node has one or more cells. First every node's measurement is pooled with what its children say (`pooling.py`). Then,
level by level, the children's estimates are water-filled onto the whole numbers that their parents were given, and
rounded so that they add up to them: whole numbers, none negative, consistent everywhere.
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
from sfumato.synth.pooling import pooled_reaches, pooled_up
from sfumato.synth.rounding import rounded_up
from sfumato.synth.tree import Tree
from sfumato.synth.water_filling import CellGroups, Wholes, summable, water_filled_wholes

_LARGEST = 2**62


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
    pooled: bool = True
    """Whether a node is fitted to what its children say as well; False is plain top-down."""
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
        pooled: bool = True,
    ) -> "TopDown":
        """Double geometric noise, ε divided among the levels alike or by `shares`."""
        related, price = neighbours or Neighbours(), positive("epsilon", epsilon)
        moved = related.histogram(Norm.L1).amount
        noises = _divided(tree, shares, lambda share: GeometricNoise(moved / (price * share)))
        return cls(tree=tree, noises=noises, cells=cells, neighbours=related, pooled=pooled)

    @classmethod
    def zcdp(
        cls,
        *,
        tree: Tree,
        rho: Real,
        cells: int = 1,
        neighbours: Neighbours | None = None,
        shares: Sequence[Real] | None = None,
        pooled: bool = True,
    ) -> "TopDown":
        """Discrete Gaussian noise, ρ divided among the levels alike or by `shares`."""
        related, price = neighbours or Neighbours(), positive("rho", rho)
        moved = related.histogram(Norm.L2).amount
        noises = _divided(
            tree, shares, lambda share: DiscreteGaussianNoise(Fraction(sqrt_up(moved / (2 * price * share))))
        )
        return cls(tree=tree, noises=noises, cells=cells, neighbours=related, pooled=pooled)

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
        limit = _LARGEST // (self.tree.sizes[-1] * self.cells)  # sums of all leaves stay within 62 bits
        return np.clip(noisy, -limit, limit).astype(np.int64).reshape(level.shape)

    def fit(self, measured: Sequence[Wholes], *, bits: BitSource | None = None) -> list[Wholes]:
        """Consistent, non-negative whole numbers from noisy ones: post-processing alone, by Survey Lemma 9.5."""
        estimates = self.estimates(measured)
        levels = [np.maximum(estimates[0], 0)]
        for depth in range(1, self.tree.depth):
            levels.append(level_below(self.tree, depth, estimates[depth], levels[-1], bits=bits))
        return levels

    def estimates(self, measured: Sequence[Wholes]) -> list[Wholes]:
        """What every node is fitted to: the mean of what is known of it from itself and below, or its own alone."""
        if not self.pooled:
            return list(measured)
        return pooled_up(self.tree, measured, [noise.variance for noise in self.noises])

    def release(self, exact: Any, *, bits: BitSource | None = None) -> list[Wholes]:
        """Counts (node, cell) of every level, from the first to the leaves."""
        return self.fit(self.measure(exact, bits=bits), bits=bits)

    def error(self, beta: Real) -> Accuracy:
        """No cell of any node is off by more than this, with probability 1 - beta.

        A level is off by what its parents are and twice its largest error, as in the proof of Survey Theorem 9.6, and
        by less than one for the rounding. Where levels are pooled, that error is the mean of its own and its
        children's together, as they are weighted.
        """
        fails = open_probability("beta", beta)
        share = fails / self.tree.depth
        reaches = [
            float(noise.reach(share / (size * self.cells)))
            for noise, size in zip(self.noises, self.tree.sizes, strict=True)
        ]
        if self.pooled:
            reaches = pooled_reaches(self.tree, [noise.variance for noise in self.noises], reaches)
        return stated(reaches[0] + sum(2 * reach + 1 for reach in reaches[1:]), fails)


def level_below(
    tree: Tree, depth: int, estimate: Wholes, above: Wholes, *, bits: BitSource | None = None
) -> Wholes:  # fmt: skip
    """The counts (node, cell) of a level: its estimates, water-filled onto the counts above it and rounded."""
    cells = estimate.shape[1]
    # (node, cell) -> one cell after the other, so that each (cell, parent) is a group of neighbours
    groups = CellGroups.of(np.tile(tree.children[depth - 1].sizes, cells))
    totals = tree.side_by_side(depth - 1, above).T.reshape(-1)
    filled = water_filled_wholes(tree.side_by_side(depth, estimate).T.reshape(-1), groups=groups, totals=totals)
    counts = np.ascontiguousarray(rounded_up(filled, bits=bits).reshape(cells, -1).T)
    return tree.as_given(depth, counts)


def _divided(tree: Tree, shares: Sequence[Real] | None, noise: Callable[[Fraction], Noise]) -> tuple[Noise, ...]:
    """A noise for each level's share of the price."""
    given = [positive("shares", share) for share in ([1] * tree.depth if shares is None else shares)]
    if len(given) != tree.depth:
        raise InvalidParameter("shares", f"must be one for each of {tree.depth} levels, got", len(given))
    return tuple(noise(share / sum(given)) for share in given)
