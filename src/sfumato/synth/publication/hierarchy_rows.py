"""Rows from a hierarchy: all rows, then by the first column, then by the first two, … each level within the one above.

Top-down (`synth/hierarchy.py`): consistent, whole and never negative at every level, by water-filling.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from sfumato.errors import InvalidDeclaration
from sfumato.exact.bits import BitSource
from sfumato.mechanisms.additive import Noise
from sfumato.synth.hierarchy import TopDown
from sfumato.synth.publication.rows import MadeRows, narrow
from sfumato.synth.publication.tables import NoisyTable
from sfumato.synth.tree import Tree


def needs_from_the_top(columns: Sequence[str], tables: Sequence[Sequence[str]]) -> None:
    """A table for each level."""
    there = [tuple(each) for each in tables]
    if any(tuple(columns[:depth]) not in there for depth in range(len(columns) + 1)):
        raise InvalidDeclaration(
            'rows = "top-down" needs a table over all rows, over the first column, over the first two, …',
            hint='[[measure]] with kind = "hierarchy"',
        )


def needs_of_a_tree(columns: Sequence[str], tables: Sequence[Sequence[str]]) -> None:
    """The finest level of a hierarchy along a public tree, over all columns; its other levels are no columns."""
    finest = any(sorted(each) == sorted(columns) for each in tables)
    if not finest or not any(name not in columns for each in tables for name in each):
        raise InvalidDeclaration(
            'rows = "weighted" needs a hierarchy along a public tree whose finest level and cells are all columns',
            hint='[[measure]] with kind = "hierarchy", tree = "geography", of = ["state", "block"], cells = ["sex"]',
        )


def rows_from_the_top(
    columns: Sequence[str], sizes: Mapping[str, int], tables: Sequence[NoisyTable], coin: BitSource
) -> MadeRows:
    """As many rows of each cell as the fitted last level says, in the order of its cells."""
    needs_from_the_top(columns, [table.columns for table in tables])
    wanted = [tuple(columns[:depth]) for depth in range(len(columns) + 1)]
    levels = [next(table for table in tables if table.columns == each) for each in wanted]
    tree = Tree.regular([sizes[name] for name in columns])
    noises: tuple[Noise, ...] = tuple(level.noise for level in levels)
    whole = [np.rint(level.rows()).astype(np.int64).reshape(-1, 1) for level in levels]
    counts = TopDown(tree=tree, noises=noises).fit(whole, bits=coin)[-1].reshape(-1)
    cells = np.repeat(np.arange(counts.size), counts)
    places = np.unravel_index(cells, tuple(sizes[name] for name in columns))
    made = {name: at.astype(narrow(sizes[name])) for name, at in zip(columns, places, strict=True)}
    return MadeRows(made, f"a hierarchy, from the top down: {', then '.join(columns)}")
