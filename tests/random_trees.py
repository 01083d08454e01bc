"""Trees by levels for property tests, and whether counts on them are consistent."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from sfumato.synth import Tree


def consistent(tree: Tree, parents: list[Any], levels: list[Any]) -> bool:
    """Whether every parent's cells are the sums of its children's."""
    for above, below, parent in zip(levels, levels[1:], parents, strict=False):
        sums = np.zeros_like(above)
        np.add.at(sums, np.asarray(parent), below)
        if not np.array_equal(sums, above):
            return False
    return len(levels) == tree.depth


@st.composite
def trees(draw: st.DrawFn) -> list[list[int]]:
    """Levels of parents in any order, each parent with a child."""
    parents, size = list[list[int]](), draw(st.integers(1, 3))
    for _ in range(draw(st.integers(1, 3))):
        more = draw(st.lists(st.integers(0, size - 1), max_size=5))
        parents.append(draw(st.permutations([*range(size), *more])))
        size = len(parents[-1])
    return parents
