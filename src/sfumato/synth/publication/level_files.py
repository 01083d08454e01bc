"""The files of a hierarchy: a fitted table a level, and the tree; a level that is there is not made again.

Beside each finished level its digest is noted in the folder's own part, once the file is durable under its name: a
restart reads such a level back and goes on below it, and what is another file than was noted is made anew.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.core.printing import Json
from sfumato.engines.duckdb.published_counts import read_numbers, write_counts
from sfumato.synth.publication.folder import PublicationFolder
from sfumato.synth.publication.hierarchy_part import PricedHierarchy
from sfumato.synth.publication.level_fit import LevelFit
from sfumato.synth.publication.measurements import digest_of_file
from sfumato.synth.publication.rows import MadeRows, narrow
from sfumato.synth.publication.statement import SettledPublication
from sfumato.synth.water_filling import Wholes

_LONGEST_NAME = 60
COUNT = "count"
"""What the column of fitted counts is called."""


@dataclass(frozen=True)
class MadeLevels:
    """What was written: files with their digests, lines for the index, and the finest counts (node, cell)."""

    files: Mapping[str, str]
    index: tuple[Json, ...]
    finest: Wholes


@dataclass(frozen=True)
class LevelFiles:
    """Writes the levels of one hierarchy into a folder."""

    folder: PublicationFolder
    settled: SettledPublication
    of: PricedHierarchy
    number: int
    """Which of the plan's hierarchies it is, from 1 on."""

    def write(self, measured: Sequence[NDArray[np.int64]]) -> MadeLevels:
        """Every level that is not there yet, from the top down, and the tree."""
        fit: LevelFit | None = None
        made: dict[int, Wholes] = {}
        files: dict[str, str] = {}
        for depth, beside in self.of.entry.order:
            kept = self._kept(depth)
            if kept is None:
                fit = fit or LevelFit.begun(self.of, measured, f"{self.settled.measured} {self.number}")
                level = fit.level(depth, None if beside is None else made[beside])
                kept = level, self._keep(depth, level)
            made[depth], files[self._name(depth)] = kept
        files[self._tree_name] = self._write_tree()
        index = [self._about(depth, level) for depth, level in sorted(made.items())]
        return MadeLevels(files, tuple(index), made[self.of.entry.depth - 1])

    def _name(self, depth: int) -> str:
        words = "".join(c if c.isalnum() else "_" for c in self.of.entry.name(depth))[:_LONGEST_NAME]
        return f"levels/{self.number:02d}-{depth:02d}-{words}.parquet"

    @property
    def _tree_name(self) -> str:
        return f"levels/{self.number:02d}-tree.parquet"

    def _kept(self, depth: int) -> tuple[Wholes, str] | None:
        """A finished level, if it is the file that was noted when it was finished."""
        name = self._name(depth)
        noted = self.folder.noted(_note(name))
        place = self.folder.path / name
        if noted is None or not place.is_file() or digest_of_file(place) != noted:
            return None
        shape = self.of.shape(depth)
        return read_numbers(place, COUNT).reshape(shape[0] if depth else 1, -1), noted

    def _keep(self, depth: int, level: Wholes) -> str:
        name, shape = self._name(depth), self.of.shape(depth)
        columns = {each: self.settled.listed(each) for each in self.of.entry.columns(depth)}
        places = dict(zip(columns, places_of_cells(shape), strict=True))
        counts = {COUNT: level.reshape(-1)}
        self.folder.write_by(name, lambda part: write_counts(part, columns, places, counts))
        found = digest_of_file(self.folder.path / name)
        self.folder.note(_note(name), found)
        return found

    def _write_tree(self) -> str:
        """For every node of the finest level the nodes that it lies in."""
        tree = self.of.tree
        at, places = np.arange(len(tree.values[-1])), dict[str, NDArray[np.int64]]()
        for name, parents in zip(reversed(tree.names), reversed(tree.parents), strict=True):
            places[name] = at
            at = parents[at]
        columns = {name: self.settled.listed(name) for name in tree.names}
        self.folder.write_by(self._tree_name, lambda part: write_counts(part, columns, places, {}))
        return digest_of_file(self.folder.path / self._tree_name)

    def _about(self, depth: int, level: Wholes) -> Json:
        held = self.of.entry.held
        return {
            "file": self._name(depth),
            "level": self.of.entry.name(depth),
            "columns": list(self.of.entry.columns(depth)),
            "cells": int(level.size),
            "made_of": "public counts" if held is not None and depth < held else "measurements",
            "held_to_public_counts": depth == held,
        }


def places_of_cells(shape: tuple[int, ...]) -> list[NDArray[np.int64]]:
    """For every cell of a table, in its order, the place of its value in each column.

    >>> [each.tolist() for each in places_of_cells((2, 3))]
    [[0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2]]
    """
    found, before, size = [], 1, int(np.prod(shape, dtype=np.int64))
    for width in shape:
        before *= width
        each = np.arange(width, dtype=narrow(width))
        found.append(np.tile(np.repeat(each, size // before), before // width))
    return found


def weighted_rows(of: PricedHierarchy, finest: Wholes) -> MadeRows:
    """A line for each cell that somebody is in, and how many."""
    shape = of.shape(of.entry.depth - 1)
    flat = finest.reshape(-1)
    there = np.flatnonzero(flat)
    columns = of.entry.columns(of.entry.depth - 1)
    at = dict(zip(columns, np.unravel_index(there, shape), strict=True))
    made = {name: at[name].astype(narrow(of.sizes[name])) for name in of.entry.finest}
    return MadeRows(made, f"a hierarchy, from the top down: {', then '.join(of.entry.levels)}", flat[there])


def _note(name: str) -> str:
    return name.replace("/", " ")
