"""A hierarchy along a public tree: nation, state, county, …, each level a table, crossed with the same cells.

The engine counts the finest level alone: every coarser count is a sum of those, the same whole number it would count.
A person is in one place, so one person moves each level by `moved` at most, and the levels' prices add up (Survey
Theorem 3.9, Theorem 8.6). A level whose counts are public is held to them, and neither it nor what is above is measured
where that would say nothing new.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod, sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import events
from sfumato.accounting.events import Event
from sfumato.data import Kind
from sfumato.errors import InvalidDeclaration
from sfumato.exact.bits import BitSource
from sfumato.mechanisms.additive import Noise
from sfumato.mechanisms.answers import add
from sfumato.synth.publication.hierarchy_entries import PublicCounts, TreeEntry, read_entry
from sfumato.synth.publication.marginals import HierarchyLevels, MeasuredMarginals
from sfumato.synth.publication.noises import NOISES, NoiseKind, read_noise
from sfumato.synth.publication.parts import Columns, Domains, ExpectedTable, Measured, Offer, PlanPart
from sfumato.synth.publication.public_tree import PublicTables, PublicTree, read_totals, read_tree
from sfumato.synth.publication.tables import NoisyTable

_KINDS: Mapping[type, Kind] = {int: Kind.INTEGER, str: Kind.TEXT}


class HierarchyKind:
    """`kind = "hierarchy"`: along a public tree where one is named, else along columns of the plan."""

    kind: ClassVar[str] = "hierarchy"

    @classmethod
    def read(cls, where: str, entry: Mapping[str, Any], columns: Columns) -> PlanPart:
        """`tree = "geography"` names a public table of the declaration."""
        if "tree" in entry:
            return TreeHierarchy(read_entry(where, entry, columns))
        return HierarchyLevels.read(where, entry, columns)

    @classmethod
    def opened(cls, about: Mapping[str, Any], measured: Measured) -> MeasuredMarginals:
        """Tables, each with its own noise."""
        if "tree" not in about:
            return HierarchyLevels.opened(about, measured)
        bits = int(about["bits"])
        each = zip(about["tables"], about["noises"], measured, strict=True)
        return MeasuredMarginals(tuple(NoisyTable(tuple(t), counts, read_noise(n), bits) for t, n, counts in each))


@dataclass(frozen=True)
class TreeHierarchy:
    """An entry of a plan that names a public tree."""

    kind: ClassVar[str] = "hierarchy"
    entry: TreeEntry

    @property
    def worth(self) -> Fraction:
        """Every measured level is worth its weight."""
        return self.entry.weight * len(self.entry.measured)

    @property
    def tables(self) -> tuple[Columns, ...]:
        """The finest, from which all others follow."""
        return (self.entry.finest,)

    @property
    def published(self) -> tuple[Columns, ...]:
        """A table a measured level."""
        return tuple(self.entry.columns(depth) for depth in self.entry.measured)

    def placed(self, domains: Domains, public: PublicTables | None) -> "PlacedHierarchy":
        """The same with its tree, which is read from the public table."""
        entry, finest = self.entry, self.entry.levels[-1]
        if public is None:
            raise InvalidDeclaration("a hierarchy along a public table needs the dataset that declares it", hint="")
        kind = _KINDS.get(type(domains[finest][0]))
        if kind is None:
            raise InvalidDeclaration(
                f"the finest level `{finest}` must be whole numbers or text", hint="a column of codes"
            )
        tree = read_tree(public, entry.tree, entry.levels, domains[finest], kind)
        for name, values in zip(tree.names[:-1], tree.values, strict=False):
            if name in domains and domains[name] != values:
                raise InvalidDeclaration(f"`{name}` is a column of the plan and a level of the tree", hint="rename it")
        known = entry.invariant
        totals = None
        if known is not None:
            values = tree.values[entry.levels.index(known.level)]
            totals = read_totals(public, known.table, known.level, known.count, values)
        return PlacedHierarchy(entry, tree, totals)

    def price(self, offer: Offer) -> "PricedHierarchy":
        """Not before its tree is known."""
        raise InvalidDeclaration("a hierarchy is priced with its tree", hint="price_publication(…, public=engine)")

    def to_json(self) -> dict[str, Any]:
        """As it was written."""
        return self.entry.to_json()


@dataclass(frozen=True, eq=False)
class PlacedHierarchy(TreeHierarchy):
    """The same, with the tree and what is public of it."""

    tree: PublicTree
    totals: NDArray[np.int64] | None

    def price(self, offer: Offer) -> "PricedHierarchy":
        """Every measured level with its share."""
        shares = self.entry.level_shares
        paid = [offer.noise.hiding(offer.moved, offer.amount * share) for share in shares]
        names = self.entry.finest
        sizes = dict(zip(names, offer.shapes[names], strict=True))
        return PricedHierarchy(
            self.entry, self.tree, self.totals, sizes, tuple(noise for noise, _ in paid),
            tuple(event for _, event in paid), offer.noise, offer.bits,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class PricedHierarchy:
    """A hierarchy with a noise for each measured level."""

    entry: TreeEntry
    tree: PublicTree
    totals: NDArray[np.int64] | None
    """The public count of each node of the level that is held to it."""
    sizes: Mapping[str, int]
    noises: tuple[Noise, ...]
    each: tuple[Event, ...]
    noise_kind: NoiseKind
    bits: int

    @property
    def event(self) -> Event:
        """All levels, one after the other."""
        return self.each[0] if len(self.each) == 1 else events.Composition(list(self.each))

    @property
    def domains(self) -> Mapping[str, tuple[Kind, tuple[Any, ...]]]:
        """The levels above the finest, which are no columns of the plan, with their kinds and values."""
        tree = self.tree
        return dict(zip(tree.names[:-1], zip(tree.kinds, tree.values, strict=True), strict=False))

    def shape(self, depth: int) -> tuple[int, ...]:
        """Nodes, but of the root, and then cells."""
        nodes = () if depth == 0 else (len(self.tree.values[depth - 1]),)
        return (*nodes, *(self.sizes[name] for name in self.entry.cells))

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Of the measured levels."""
        return tuple(self.shape(depth) for depth in self.entry.measured)

    def expected(self) -> tuple[ExpectedTable, ...]:
        """One standard error a level."""
        each = zip(self.entry.measured, self.noises, strict=True)
        return tuple(
            ExpectedTable(self.entry.columns(depth), prod(self.shape(depth)), sqrt(noise.variance) / 2**self.bits)
            for depth, noise in each
        )

    def measure(self, exact: Mapping[Columns, NDArray[Any]], bits: BitSource) -> list[NDArray[np.int64]]:
        """Every cell of every measured level plus a draw of its own."""
        names, finest = self.entry.finest, self.entry.levels[-1]
        leaves = np.moveaxis(exact[names], names.index(finest), 0)
        counts = self.tree.tree.sums(leaves.reshape(len(leaves), -1))  # (node, cell) of every level
        found = []
        for depth, noise in zip(self.entry.measured, self.noises, strict=True):
            flat = counts[depth].reshape(-1)
            drawn: Any = noise.draw(len(flat), bits)
            found.append(np.asarray(add(flat, drawn)).reshape(self.shape(depth)))
        return found

    def to_json(self) -> dict[str, Any]:
        """Levels, noises and unit; the tree by its digest."""
        noises = [NOISES[self.noise_kind.name].to_json(noise) for noise in self.noises]
        known = self.entry.invariant
        return {
            "kind": self.entry.kind,
            "tree": {"table": self.entry.tree, "levels": list(self.entry.levels), "sha256": self.tree.digest()},
            "tables": [list(self.entry.columns(depth)) for depth in self.entry.measured],
            "cells": list(self.entry.cells),
            "pooled": self.entry.pooled,
            "invariant": None if known is None else _about_public(known, self.totals),
            "noise": noises[-1],
            "noises": noises,
            "bits": self.bits,
        }


def _about_public(known: PublicCounts, totals: NDArray[np.int64] | None) -> dict[str, Any]:
    """What was taken as public by the owner's word, and is protected by nothing."""
    import hashlib

    assert totals is not None
    return {**known.to_json(), "sha256": hashlib.sha256(totals.astype("<i8").tobytes()).hexdigest()}
