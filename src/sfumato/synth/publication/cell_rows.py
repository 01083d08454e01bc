"""Rows from one table over all columns: its noisy counts without the negative ones, in whole rows."""

from collections.abc import Mapping, Sequence

import numpy as np

from sfumato.errors import InvalidDeclaration
from sfumato.exact.bits import BitSource
from sfumato.synth.publication.rows import MadeRows, in_whole_rows, narrow, not_negative, rows_in_all
from sfumato.synth.publication.tables import NoisyTable


def needs_of_cells(columns: Sequence[str], tables: Sequence[Sequence[str]]) -> None:
    """A table over all columns."""
    if tuple(columns) not in [tuple(each) for each in tables]:
        raise InvalidDeclaration(
            'rows = "cells" needs a table over all columns', hint='[[measure]] with kind = "table", or rows = "tree"'
        )


def rows_of_cells(
    columns: Sequence[str], sizes: Mapping[str, int], tables: Sequence[NoisyTable], coin: BitSource
) -> MadeRows:
    """As many rows of each cell as the whole table says, in the order of its cells."""
    needs_of_cells(columns, [table.columns for table in tables])
    whole = next(table for table in tables if table.columns == tuple(columns))
    total = rows_in_all(tables)
    counts = in_whole_rows(not_negative(whole.rows(), total), total)
    cells = np.repeat(np.arange(counts.size), counts.ravel())
    places = np.unravel_index(cells, counts.shape)
    made = {name: at.astype(narrow(sizes[name])) for name, at in zip(columns, places, strict=True)}
    return MadeRows(made, "the noisy table over all columns, without negative counts")
