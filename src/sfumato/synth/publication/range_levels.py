"""Ranges of one ordered column: a tree of counts, a level a table, from which every range is a few nodes.

The bins of a level are disjoint, so one person moves each level by `moved` at most, as any table, and levels cost what
they do one after the other (Survey Theorem 3.9). A range is the fewest nodes that make it up, and its bar is that of
the sum of their noises.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import events
from sfumato.accounting.events import Event
from sfumato.data.entries import only
from sfumato.exact.bits import BitSource
from sfumato.mechanisms.additive import Noise
from sfumato.mechanisms.answers import add
from sfumato.query.law import reach_of_many
from sfumato.synth.publication.answers import PublishedAnswer
from sfumato.synth.publication.entries import columns_of, weight_of, whole_of
from sfumato.synth.publication.estimates import EstimatedTable
from sfumato.synth.publication.noises import NoiseKind, read_noise
from sfumato.synth.publication.parts import Columns, ExpectedTable, Measured, Offer
from sfumato.synth.publication.tables import NoisyTable, Places
from sfumato.synth.ranges import RangeSynopsis, RangeTree

_BRANCHING, _MOST_BRANCHING = 8, 1000


@dataclass(frozen=True)
class RangeLevels:
    """Counts of every range of a column's values, in their order."""

    kind: ClassVar[str] = "ranges"
    column: str
    branching: int
    weight: Fraction

    @classmethod
    def read(cls, where: str, entry: Mapping[str, Any], columns: Columns) -> "RangeLevels":
        """`of = "age"`, and `branching`, how many nodes are one of the level above."""
        only(where, entry, ("kind", "of", "branching", "weight"))
        (column,) = columns_of(f"{where} of", [entry.get("of")], columns)
        branching = whole_of(f"{where} branching", entry.get("branching", _BRANCHING), least=2, most=_MOST_BRANCHING)
        return cls(column, branching, weight_of(where, entry))

    @property
    def worth(self) -> Fraction:
        """Its weight, for all levels together."""
        return self.weight

    @property
    def tables(self) -> tuple[Columns, ...]:
        """The leaves, of which all levels are made."""
        return ((self.column,),)

    @property
    def published(self) -> tuple[Columns, ...]:
        """None: ranges are answered from their levels."""
        return ()

    def price(self, offer: Offer) -> "PricedRanges":
        """Every level with the same share."""
        tree = RangeTree(offer.shapes[self.tables[0]][0], self.branching)
        noise, event = offer.noise.hiding(offer.moved, offer.amount / len(tree.sizes))
        return PricedRanges(self.column, tree, noise, offer.noise, offer.bits, event)

    def to_json(self) -> dict[str, Any]:
        """Column, branching and weight."""
        return {"kind": self.kind, "of": self.column, "branching": self.branching, "weight": str(self.weight)}

    @classmethod
    def opened(cls, about: Mapping[str, Any], measured: Measured) -> "MeasuredRanges":
        """Levels with the noise that the file says."""
        noise, bits = read_noise(about["noise"]), int(about["bits"])
        return MeasuredRanges(str(about["column"]), int(about["branching"]), tuple(measured), noise, bits)


@dataclass(frozen=True)
class PricedRanges:
    """A tree of ranges with its noise."""

    column: str
    tree: RangeTree
    noise: Noise
    noise_kind: NoiseKind
    bits: int
    each: Event
    """What one level costs."""

    @property
    def event(self) -> Event:
        """All levels, one after the other."""
        levels = len(self.tree.sizes)
        return self.each if levels == 1 else events.Composition([(self.each, levels)])

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """A row of nodes a level."""
        return tuple((size,) for size in self.tree.sizes)

    def expected(self) -> tuple[ExpectedTable, ...]:
        """The standard error of a node of each level."""
        error = sqrt(self.noise.variance) / 2**self.bits
        return tuple(ExpectedTable((self.column,), size, error) for size in self.tree.sizes)

    def measure(self, exact: Mapping[Columns, NDArray[Any]], bits: BitSource) -> list[NDArray[np.int64]]:
        """Every node of every level plus a draw of its own."""
        levels = [exact[self.column,]]
        for depth in range(len(self.tree.sizes) - 2, -1, -1):
            levels.append(np.add.reduceat(levels[-1], self.tree.starts(depth)))
        drawn: list[Any] = [self.noise.draw(len(level), bits) for level in levels[::-1]]
        return [np.asarray(add(level, noise)) for level, noise in zip(levels[::-1], drawn, strict=True)]

    def to_json(self) -> dict[str, Any]:
        """Column, branching, noise and unit."""
        about = {"kind": RangeLevels.kind, "column": self.column, "branching": self.tree.branching, "bits": self.bits}
        return {**about, "noise": self.noise_kind.to_json(self.noise)}


@dataclass(frozen=True)
class MeasuredRanges:
    """Noisy levels, which answer ranges of their column."""

    column: str
    branching: int
    levels: tuple[NDArray[np.int64], ...]
    noise: Noise
    bits: int

    @cached_property
    def synopsis(self) -> RangeSynopsis:
        """Counts of all nodes that agree, in 2**bits of a row: the least squares of all levels."""
        tree = RangeTree(len(self.levels[-1]), self.branching)
        return RangeSynopsis.of(tree, self.levels, [self.noise.variance] * len(self.levels))

    @property
    def tables(self) -> tuple[NoisyTable, ...]:
        """The leaves, and above all of them the root."""
        leaves = NoisyTable((self.column,), self.levels[-1], self.noise, self.bits)
        root = NoisyTable((), self.levels[0].reshape(()), self.noise, self.bits)
        return (leaves, root) if len(self.levels) > 1 else (leaves,)

    @property
    def estimated(self) -> tuple[EstimatedTable, ...]:
        """No others."""
        return ()

    def answer(self, chosen: Mapping[str, Places], confidence: Fraction) -> PublishedAnswer | None:
        """A range of the column, of the fewest nodes; None for anything else."""
        places = chosen.get(self.column, ())
        if set(chosen) != {self.column} or not places or places[-1] - places[0] + 1 != len(places):
            return None
        total, nodes = self.nodes(places[0], places[-1] + 1)
        value = Fraction(total, 1 << self.bits)
        off = reach_of_many(((self.noise, Fraction(1, 1 << self.bits), nodes),), 1 - confidence)
        error = sqrt(nodes * self.noise.variance) / 2**self.bits
        name = f"ranges of {self.column}"
        return PublishedAnswer(
            float(value), error, float(value - off), float(value + off), float(confidence), (name,)
        )  # fmt: skip

    def nodes(self, first: int, last: int) -> tuple[int, int]:
        """The sum of the fewest nodes that make up the leaves from first to last, without last; how many those are."""
        total, nodes = 0, 0
        for depth in range(len(self.levels) - 1, -1, -1):
            level = self.levels[depth]
            whole = depth > 0 and last < len(level)  # a last node may have fewer children
            begin = min(-(-first // self.branching) * self.branching, last) if depth > 0 else last
            end = max(last // self.branching * self.branching if whole else last, begin)
            for part in (level[first:begin], level[end:last]):
                total, nodes = total + sum(map(int, part)), nodes + len(part)
            if begin >= end:
                break
            first, last = begin // self.branching, -(-end // self.branching)
        return total, nodes
