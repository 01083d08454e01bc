"""The entry of a hierarchy along a public tree, in the owner's words.

[[measure]]
kind = "hierarchy"
tree = "geography"                              # a public table of the declaration
of = ["state", "county", "tract", "block"]      # its columns from the top; the last is a column of the plan
cells = ["sex"]                                 # columns of the plan that every level is crossed with
shares = [1, 1, 2, 2, 4]                        # of what is spent: all rows, states, …; alike if left out
invariant = { level = "state", table = "apportioned", count = "people" }
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from sfumato.data.entries import mapping, once, only, said, text
from sfumato.errors import InvalidDeclaration, InvalidParameter
from sfumato.exact.parameters import positive
from sfumato.synth.publication.entries import columns_of, weight_of
from sfumato.synth.publication.parts import Columns

_KNOWN = ("kind", "tree", "of", "cells", "shares", "invariant", "pooled", "weight")


@dataclass(frozen=True, slots=True)
class PublicCounts:
    """That the counts of a level are public: in which public table they are, and in which column of it."""

    level: str
    table: str
    count: str

    def to_json(self) -> dict[str, Any]:
        """As it is written."""
        return {"level": self.level, "table": self.table, "count": self.count}


@dataclass(frozen=True)
class TreeEntry:
    """What an entry says."""

    kind: ClassVar[str] = "hierarchy"
    tree: str
    levels: tuple[str, ...]
    cells: Columns
    finest: Columns
    """The finest level's column and the cells', in the order of the plan."""
    shares: tuple[Fraction, ...] | None
    invariant: PublicCounts | None
    pooled: bool
    weight: Fraction

    @property
    def depth(self) -> int:
        """How many levels there are, with all rows."""
        return len(self.levels) + 1

    @property
    def held(self) -> int | None:
        """The depth whose counts are public."""
        return None if self.invariant is None else self.levels.index(self.invariant.level) + 1

    @property
    def top(self) -> int:
        """The depth that is fitted first: what is above it are sums."""
        return self.held or 0

    @property
    def order(self) -> tuple[tuple[int, int | None], ...]:
        """The depths in the order in which they are fitted, each with the one that it is fitted to."""
        down = ((depth, depth - 1 if depth > self.top else None) for depth in range(self.top, self.depth))
        return (*down, *((depth, depth + 1) for depth in reversed(range(self.top))))

    @property
    def measured(self) -> tuple[int, ...]:
        """The depths that are measured: none above public counts, and those themselves for their cells alone."""
        first = 0 if self.held is None else self.held + (0 if self.cells else 1)
        return tuple(range(first, self.depth))

    @property
    def level_shares(self) -> tuple[Fraction, ...]:
        """What each measured level gets of what is spent."""
        given = self.shares or (Fraction(1),) * len(self.measured)
        return tuple(each / sum(given) for each in given)

    def name(self, depth: int) -> str:
        """What a level is called."""
        return "all rows" if depth == 0 else self.levels[depth - 1]

    def columns(self, depth: int) -> Columns:
        """The columns of a level's table."""
        return (*self.levels[depth - 1 : depth], *self.cells) if depth else self.cells

    def to_json(self) -> dict[str, Any]:
        """As a plan writes it."""
        found: dict[str, Any] = {"kind": self.kind, "tree": self.tree, "of": list(self.levels)}
        found |= {"cells": list(self.cells), "pooled": self.pooled, "weight": str(self.weight)}
        if self.shares is not None:
            found["shares"] = [str(each) for each in self.shares]
        if self.invariant is not None:
            found["invariant"] = self.invariant.to_json()
        return found


def read_entry(where: str, entry: Mapping[str, Any], columns: Columns) -> TreeEntry:
    """The entry, or one clear error with a remedy."""
    only(where, entry, _KNOWN)
    levels = _levels(f"{where} of", entry.get("of"), columns)
    cells = columns_of(f"{where} cells", entry["cells"], columns) if entry.get("cells") else ()
    if levels[-1] in cells:
        raise InvalidDeclaration(f"{where}: `{levels[-1]}` is a level and a cell", hint="name it once")
    if any(name.lower() == "count" for name in (*levels, *cells)):
        raise InvalidDeclaration(
            f"{where}: the files of levels have a column `count` of their own", hint="name it otherwise: … AS number"
        )
    finest = tuple(name for name in columns if name == levels[-1] or name in cells)
    invariant = _invariant(f"{where} invariant", entry.get("invariant"), levels)
    pooled = entry.get("pooled", True)
    if not isinstance(pooled, bool):
        raise InvalidDeclaration(f"{where} pooled must be true or false: {said(pooled)}", hint="pooled = true")
    tree = text(f"{where} tree", entry["tree"])
    bare = TreeEntry(tree, levels, cells, finest, None, invariant, pooled, weight_of(where, entry))
    if not bare.measured:
        raise InvalidDeclaration(
            f"{where}: nothing is left to measure below public counts", hint="cells, or a finer level"
        )
    if "shares" not in entry:
        return bare
    shares = _shares(f"{where} shares", entry["shares"], len(bare.measured))
    return TreeEntry(tree, levels, cells, finest, shares, invariant, pooled, bare.weight)


def _levels(where: str, given: object, columns: Columns) -> tuple[str, ...]:
    if not isinstance(given, list | tuple) or not given or not all(isinstance(name, str) and name for name in given):
        raise InvalidDeclaration(f"{where} must be a list of levels", hint='of = ["state", "county", "block"]')
    once(where, given)
    if given[-1] not in columns:
        raise InvalidDeclaration(
            f"{where}: the finest level is a column of the plan, and {said(given[-1])} is none",
            hint="levels stand from the top; the others are columns of the public table",
        )
    for name in given[:-1]:
        if name in columns:
            raise InvalidDeclaration(
                f"{where}: `{name}` is a column of the plan, and must come from the public table alone",
                hint="leave it out of `columns`: it follows from the finest level",
            )
    return tuple(given)


def _invariant(where: str, given: object, levels: tuple[str, ...]) -> PublicCounts | None:
    if given is None:
        return None
    about = mapping(where, given, 'invariant = { level = "state", table = "apportioned", count = "people" }')
    only(where, about, ("level", "table", "count"))
    for needed in ("level", "table", "count"):
        if needed not in about:
            raise InvalidDeclaration(
                f"{where} does not say `{needed}`",
                hint="public counts come from a public table of the declaration, never from what is protected",
            )
    found = PublicCounts(*(text(f"{where} {name}", about[name]) for name in ("level", "table", "count")))
    if found.level not in levels:
        raise InvalidDeclaration(f"{where} names no level: {said(found.level)}", hint=", ".join(levels))
    return found


def _shares(where: str, given: object, number: int) -> tuple[Fraction, ...]:
    if not isinstance(given, list | tuple) or len(given) != number:
        raise InvalidDeclaration(
            f"{where} must be {number} numbers, one for each measured level from the top", hint="shares = [1, 1, 2]"
        )
    try:
        return tuple(positive("shares", each) for each in given)
    except InvalidParameter:
        raise InvalidDeclaration(
            f"{where} must be positive numbers: {said(given)}", hint="shares = [1, 1, 2]"
        ) from None
