"""Hierarchies: counts of sets any two of which are disjoint or one within the other."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core import Change
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import whole
from sfumato.exact.sampler import objects
from sfumato.mechanisms.linear import FiniteDomain
from sfumato.synth.databases import Cells
from sfumato.synth.workloads import RecordMove, Workload


@dataclass(slots=True)
class LaminarSet:
    """A set of a laminar family: which queries ask for it, its children, and members that are in no child."""

    queries: list[int]
    members: frozenset[int]
    children: list["LaminarSet"] = field(default_factory=list)
    own: list[int] = field(default_factory=list)


def laminar_tree(sets: Sequence[frozenset[int]], members: int) -> LaminarSet | None:
    """The sets as a tree under the set of all members, or None if two of them cross each other.

    >>> tree = laminar_tree([frozenset({0, 1}), frozenset({1})], 3)
    >>> tree.own, tree.children[0].own, tree.children[0].children[0].own
    ([2], [0], [1])
    """
    asked: dict[frozenset[int], list[int]] = {}
    for query, wanted in enumerate(sets):
        asked.setdefault(wanted, []).append(query)
    everything = frozenset(range(members))
    root = LaminarSet(asked.pop(everything, []), everything)
    inner = [root] * members  # the smallest set seen so far around each member; larger sets come first
    for wanted in sorted(asked, key=len, reverse=True):
        if not wanted:  # nobody is in it, so its answer is zero in every database
            root.children.append(LaminarSet(asked[wanted], wanted))
            continue
        around = {id(inner[member]): inner[member] for member in wanted}
        if len(around) > 1:
            return None
        node = LaminarSet(asked[wanted], wanted)
        next(iter(around.values())).children.append(node)
        for member in wanted:
            inner[member] = node
    for member in range(members):
        inner[member].own.append(member)
    return root


def children_first(root: LaminarSet) -> list[LaminarSet]:
    """Every node of the tree, each after its children; trees may be deeper than the interpreter's stack."""
    order, open_nodes = list[LaminarSet](), [root]
    while open_nodes:
        node = open_nodes.pop()
        order.append(node)
        open_nodes += node.children
    return order[::-1]


@dataclass(frozen=True, eq=False)
class HierarchyWorkload(Workload):
    """Counts of a laminar family of sets of places, such as wards in towns in counties.

    >>> from sfumato.core import IntegerInterval, Neighbours, Norm
    >>> tree = HierarchyWorkload.tree(IntegerInterval(0, 7), branching=2)
    >>> len(tree), tree.sensitivity(Norm.L1, Neighbours()).amount
    (15, Fraction(4, 1))
    """

    domain: FiniteDomain
    sets: Sequence[Iterable[int]]
    size: int | None = field(default=None, kw_only=True)
    root: LaminarSet = field(init=False, repr=False)

    def __post_init__(self) -> None:
        sets = tuple(frozenset(whole("place", place) for place in wanted) for wanted in self.sets)
        if not sets:
            raise InvalidParameter("sets", "must be at least one", self.sets)
        if any(place >= len(self.domain) for wanted in sets for place in wanted):
            raise InvalidParameter("sets", f"must hold places below {len(self.domain)}, found", "others")
        root = laminar_tree(sets, len(self.domain))
        if root is None:
            raise InvalidParameter(
                "sets",
                "must be disjoint or one within the other, found",
                "two that cross",
                hint="MatrixWorkload takes any sets",
            )
        if self.size is not None:
            whole("size", self.size, least=1)
        object.__setattr__(self, "sets", sets)
        object.__setattr__(self, "root", root)

    @classmethod
    def tree(cls, domain: FiniteDomain, *, branching: int, size: int | None = None) -> "HierarchyWorkload":
        """All the domain, then each set cut into `branching` parts, down to single values."""
        b, levels, width = whole("branching", branching, least=2), list[range](), len(domain)
        level = [range(width)]
        while level:
            levels += level
            level = [part for parent in level if len(parent) > 1 for part in _parts(parent, b)]
        return cls(domain, tuple(levels), size=size)

    def __len__(self) -> int:
        return len(self.sets)

    def sums(self, cells: Cells) -> NDArray[Any]:
        """Members' weights, added up from the leaves."""
        dense = cells.dense(len(self.domain))
        exact = [value if isinstance(value, int | float) else int(value) for value in dense.tolist()]
        totals: dict[int, Any] = {}
        answers: list[Any] = [0] * len(self.sets)
        for node in children_first(self.root):
            total = sum(exact[member] for member in node.own) + sum(totals.pop(id(child)) for child in node.children)
            totals[id(node)] = total
            for query in node.queries:
                answers[query] = total
        return np.array(answers, dtype=np.float64) if cells.weights.dtype.kind == "f" else _integers(answers)

    def weights_of(self, query: int) -> NDArray[np.int64]:
        """One for the members of a set."""
        row = np.zeros(len(self.domain), dtype=np.int64)
        row[list(self.sets[query])] = 1
        return row

    def move(self, change: Change) -> RecordMove:
        """The most sets around one member; replaced, the most around one of two members and not around the other."""
        deepest, apart = _reach(self.root)
        return RecordMove.of_counts(deepest if change is Change.ADD_REMOVE else apart)


def _parts(parent: range, branching: int) -> list[range]:
    ends = [parent.start + len(parent) * part // branching for part in range(branching + 1)]
    return [range(first, last) for first, last in itertools.pairwise(ends) if first < last]


def _reach(root: LaminarSet) -> tuple[int, int]:
    """The most queries that hold one member, and the most that hold one of two members and not the other."""
    depth: dict[int, int] = {}
    apart = 0
    for node in children_first(root):
        depths = sorted([0] * min(2, len(node.own)) + [depth[id(child)] for child in node.children if child.members])
        if len(depths) > 1:
            apart = max(apart, sum(depths[-2:]))
        depth[id(node)] = len(node.queries) + (depths[-1] if depths else 0)
    return depth[id(root)], apart


def _integers(values: list[int]) -> NDArray[Any]:
    """Whole numbers, of 64 bits where they fit."""
    return np.array(values, dtype=np.int64) if all(abs(v) < 2**62 for v in values) else objects(values)
