"""Smooth sensitivity of the cost of a minimum spanning tree of a public graph with private weights."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.core import Change, Neighbours
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real
from sfumato.mechanisms.order_statistic import Interval
from sfumato.mechanisms.smooth import Measured, smooth_sensitivity

Edges = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class SpanningTree:
    """The cost of a minimum spanning tree; each edge's weight, in [0, upper], is one person's value.

    The graph is public: `edges` are pairs of vertices, and data are one weight an edge in the same order. With
    w(t) the t-th lightest weight across a cut, and `upper` beyond the size of the cut,

        A(k) = max over cuts of max(w(k+1), w(k+2) - w(1)).

    An edge e moves the cost by moving min(w_e, b_e), b_e being the largest over the cuts through e of the lightest
    other weight. So LS is the largest w(1) or w(2) - w(1) of a cut, and k changes do best by lifting its lightest
    edges out of the way, perhaps all but one (Nissim, Raskhodnikova, Smith 2007, section 3.2).

    >>> square = SpanningTree(edges=(("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")), upper=10)
    >>> square.value([1, 2, 3, 4]), square.local_sensitivities([1, 2, 3, 4])
    (6, [3, 9, 10])
    """

    neighbours: ClassVar[Neighbours] = Neighbours(Change.REPLACE)
    edges: Sequence[tuple[Hashable, Hashable]]
    upper: Real
    grid: Real | None = None
    interval: Interval = field(init=False, repr=False, compare=False)
    pairs: Edges = field(init=False, repr=False, compare=False)
    """The edges between vertices numbered from 0."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "interval", Interval(0, self.upper, self.grid))
        object.__setattr__(self, "upper", self.interval.upper)
        object.__setattr__(self, "grid", self.interval.grid)
        object.__setattr__(self, "edges", tuple(_edge(edge) for edge in self.edges))
        number = {vertex: i for i, vertex in enumerate(dict.fromkeys(v for edge in self.edges for v in edge))}
        object.__setattr__(self, "pairs", tuple((number[u], number[v]) for u, v in self.edges))
        if not number or len(_tree(self.pairs)) < len(number) - 1:
            raise InvalidParameter("edges", "must connect all vertices, found", f"{len(self.pairs)} edges that do not")

    @property
    def largest(self) -> int:
        """The global sensitivity, in steps: one weight moves the cost by no more than it moves itself."""
        return self.interval.ends[1]

    @property
    def rounding(self) -> Fraction:
        """Each edge of a tree may have been moved by half a step."""
        return Fraction(0) if self.grid is None else Fraction(len(_tree(self.pairs)), 2)

    def value(self, data: Any) -> int:
        """The cost of a minimum spanning tree of the placed weights, in steps (Kruskal's algorithm)."""
        weights = self._placed(data)
        order = np.argsort(weights, kind="stable")
        chosen = _tree(tuple(self.pairs[i] for i in order))
        return sum(int(weights[order[i]]) for i in chosen)

    def local_sensitivities(self, data: Any) -> list[int]:
        """A(0), A(1), ... up to where A(k) is `upper`, in steps."""
        weights = self._placed(data)
        levels = [*sorted({int(w) for w in weights if w < self.largest}), self.largest]
        across = self._cuts(weights, levels)
        across_any = across.min(axis=0)
        found: list[int] = []
        while not found or found[-1] < self.largest:
            # The largest w such that at most k edges lighter than w cross the best cut: w(k+1) of that cut.
            k = len(found)
            plain = max(w for w, cut in zip(levels, across_any, strict=True) if cut <= k)
            # w(k+2) - w_e over the cuts through e is largest where e is the lightest of its cut.
            kept = max(
                max(w for w, cut in zip(levels, cuts, strict=True) if cut <= k + 1) - int(weights[e])
                for e, cuts in enumerate(across)
            )
            found.append(max(plain, kept))
        return found

    def measure(self, data: Any, beta: Real) -> Measured:
        """The cost and its smooth sensitivity, in steps, by a maximum flow for each edge and weight."""
        return Measured(self.value(data), smooth_sensitivity(self.local_sensitivities(data), beta=beta))

    def _placed(self, data: Any) -> NDArray[np.int64]:
        weights = self.interval.place(data)
        if len(weights) != len(self.pairs):
            raise InvalidParameter("data", f"must be {len(self.pairs)} weights, one an edge, got", len(weights))
        return weights

    def _cuts(self, weights: NDArray[np.int64], levels: list[int]) -> NDArray[np.int64]:
        """(edge, level) -> how many edges lighter than the level cross a cut through the edge, at the least."""
        out = np.zeros((len(self.pairs), len(levels)), dtype=np.int64)
        for column, level in enumerate(levels):
            lighter = [pair for pair, weight in zip(self.pairs, weights, strict=True) if weight < level]
            out[:, column] = _least_cuts(self.pairs, lighter)
        return out


def _edge(edge: Any) -> tuple[Hashable, Hashable]:
    try:
        u, v = edge
    except (TypeError, ValueError):
        raise InvalidParameter("edges", "must be pairs of vertices, found", edge) from None
    if not (isinstance(u, Hashable) and isinstance(v, Hashable)):
        raise InvalidParameter("edges", "must join hashable vertices, found", edge)
    if u == v:
        raise InvalidParameter("edges", "must join two different vertices, found", edge)
    return u, v


def _tree(pairs: Edges) -> list[int]:
    """Which of the edges, taken in order, join parts not joined before."""
    parent = list(range(1 + max((max(pair) for pair in pairs), default=0)))

    def root(vertex: int) -> int:
        while parent[vertex] != vertex:
            parent[vertex] = vertex = parent[parent[vertex]]
        return vertex

    chosen: list[int] = []
    for i, (u, v) in enumerate(pairs):
        one, other = root(u), root(v)
        if one != other:
            parent[one] = other
            chosen.append(i)
    return chosen


def _least_cuts(pairs: Edges, lighter: list[tuple[int, int]]) -> list[int]:
    """For each pair of vertices the least number of `lighter` edges that cross a cut between the two.

    A maximum flow (Ford, Fulkerson) through edges of capacity one; parallel edges add up.
    """
    if not lighter:
        return [0] * len(pairs)
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    capacity = Counter(lighter)
    capacity.update((v, u) for u, v in lighter)
    size = 1 + max(max(pair) for pair in pairs)
    ends, counts = np.array(list(capacity)).T, np.array(list(capacity.values()), dtype=np.int32)
    graph = csr_array((counts, (ends[0], ends[1])), shape=(size, size))
    cuts = {pair: int(maximum_flow(graph, *pair).flow_value) for pair in {(min(p), max(p)) for p in pairs}}
    return [cuts[min(pair), max(pair)] for pair in pairs]
