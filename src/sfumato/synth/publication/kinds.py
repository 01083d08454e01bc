"""Every kind of part, and every way to make rows: a file each, and a line here."""

from collections.abc import Mapping

from sfumato.synth.publication.cell_rows import rows_of_cells
from sfumato.synth.publication.marginals import Marginals, Table, Total
from sfumato.synth.publication.parts import PartKind
from sfumato.synth.publication.rows import RowMaker
from sfumato.synth.publication.tree_rows import rows_of_tree

KINDS: Mapping[str, type[PartKind]] = {each.kind: each for each in (Total, Marginals, Table)}
"""What `kind` may say in an entry of a plan."""
ROWS: Mapping[str, RowMaker] = {"cells": rows_of_cells, "tree": rows_of_tree}
"""What `rows` may say in a plan."""
