"""The fitted levels of a hierarchy: consistent whole numbers, none negative, each level from the one above it.

The first level is what its estimates say, clamped; or, where its counts are public, each node's cells are water-filled
onto the public count (Survey Lemma 9.5), and what lies above is their sum. Each level has a public coin of its own, so
that a level follows from the measurements and the level above alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.synth.hierarchy import level_below
from sfumato.synth.pooling import in_rows, pooled_up
from sfumato.synth.publication.hierarchy_part import PricedHierarchy
from sfumato.synth.publication.public_coin import PublicCoin
from sfumato.synth.rounding import rounded_up
from sfumato.synth.tree import Tree
from sfumato.synth.water_filling import CellGroups, Wholes, water_filled_wholes

_LARGEST = 2**62


@dataclass(frozen=True, eq=False)
class LevelFit:
    """What every level is fitted to, (node, cell) of each measured depth, and how the next one is made."""

    of: PricedHierarchy
    tree: Tree
    estimates: Sequence[Wholes]
    coin: str
    """What the public coins follow from."""

    @classmethod
    def begun(cls, of: PricedHierarchy, measured: Sequence[Wholes], coin: str) -> "LevelFit":
        """With estimates of every node, pooled from below unless the plan says otherwise."""
        tree, first = of.tree.tree, of.entry.measured[0]
        flat = [each.reshape(tree.sizes[first + at], -1) for at, each in enumerate(measured)]
        if of.entry.pooled:
            found = pooled_up(tree, flat, [noise.variance for noise in of.noises], bits=of.bits)
        else:
            found = [_summable(in_rows(each, of.bits)) for each in flat]
        return cls(of, tree, found, coin)

    def level(self, depth: int, beside: Wholes | None) -> Wholes:
        """The counts of one level from those above it; of one above public counts, from those below it."""
        top = self.of.entry.top
        if depth < top:
            assert beside is not None
            return self.tree.sums_of_children(depth, beside)
        if depth > top:
            assert beside is not None
            return level_below(self.tree, depth, self._estimate(depth), beside, bits=self._coin(depth))
        if self.of.totals is None:
            return np.maximum(self._estimate(depth), 0)
        if depth not in self.of.entry.measured:
            return self.of.totals.reshape(-1, 1)
        return self._onto_public_counts(self._estimate(depth), self.of.totals)

    def _onto_public_counts(self, estimate: Wholes, totals: Wholes) -> Wholes:
        groups = CellGroups.of(np.full(len(totals), estimate.shape[1]))
        filled = water_filled_wholes(estimate.reshape(-1), groups=groups, totals=totals)
        return rounded_up(filled, bits=self._coin(self.of.entry.top)).reshape(estimate.shape)

    def _estimate(self, depth: int) -> Wholes:
        return self.estimates[depth - self.of.entry.measured[0]]

    def _coin(self, depth: int) -> PublicCoin:
        return PublicCoin(f"{self.coin} level {depth}")


def _summable(level: Wholes) -> Wholes:
    """So small that all nodes together stay within 62 bits."""
    most = _LARGEST // max(1, level.size)
    return np.clip(level, -most, most)
