"""Every kind of part, and every way to make rows: a file each, and a line here."""

from collections.abc import Mapping

from sfumato.synth.publication.cell_rows import needs_of_cells, rows_of_cells
from sfumato.synth.publication.hierarchy_part import HierarchyKind
from sfumato.synth.publication.hierarchy_rows import needs_from_the_top, needs_of_a_tree, rows_from_the_top
from sfumato.synth.publication.marginals import Marginals, TotalCount, WholeTable
from sfumato.synth.publication.parts import PartKind
from sfumato.synth.publication.query_part import QueryPart
from sfumato.synth.publication.range_levels import RangeLevels
from sfumato.synth.publication.rows import RowMaker, RowNeeds
from sfumato.synth.publication.table_part import SyntheticPart
from sfumato.synth.publication.tree_rows import needs_of_tree, rows_of_tree

KINDS: Mapping[str, type[PartKind]] = {
    each.kind: each
    for each in (TotalCount, Marginals, WholeTable, HierarchyKind, RangeLevels, QueryPart, SyntheticPart)
}  # fmt: skip
"""What `kind` may say in an entry of a plan."""
ROWS: Mapping[str, RowMaker] = {"cells": rows_of_cells, "tree": rows_of_tree, "top-down": rows_from_the_top}
"""What `rows` may say in a plan."""
NEEDS: Mapping[str, RowNeeds] = {
    "cells": needs_of_cells, "tree": needs_of_tree, "top-down": needs_from_the_top, "weighted": needs_of_a_tree,
}  # fmt: skip
"""What each of them needs of the tables that are published; weighted rows are the finest level of a hierarchy."""
