"""The cost of a minimum spanning tree: sensitivity at every distance against all weightings of small graphs."""

import math
from fractions import Fraction
from functools import reduce
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from sfumato.core import Change, IntegerInterval, Neighbours
from sfumato.errors import InvalidParameter
from sfumato.exact.rounding import exp_down
from sfumato.mechanisms.smooth import SmoothSensitivity, local_sensitivity
from sfumato.mechanisms.spanning_tree import SpanningTree
from sources import SeededBits

pytestmark = pytest.mark.slow

UPPER = 3
GRAPHS = {
    "one edge": ((0, 1),),
    "two parallel edges": ((0, 1), (1, 0)),
    "three parallel edges": ((0, 1), (0, 1), (0, 1)),
    "path": ((0, 1), (1, 2)),
    "triangle": ((0, 1), (1, 2), (2, 0)),
    "parallel edges and a bridge": ((0, 1), (0, 1), (1, 2)),
    "triangle with a tail": ((0, 1), (1, 2), (2, 0), (2, 3)),
    "square": ((0, 1), (1, 2), (2, 3), (3, 0)),
    "square with a diagonal": ((0, 1), (1, 2), (2, 3), (3, 0), (0, 2)),
}


def cheapest(edges: Any, weights: Any) -> int:
    """The cost of the cheapest set of n - 1 edges that reaches every vertex."""
    vertices = {v for edge in edges for v in edge}

    def spans(chosen: tuple[int, ...]) -> bool:
        reached = {next(iter(vertices))}
        for _ in chosen:
            reached |= {v for i in chosen if reached & set(edges[i]) for v in edges[i]}
        return reached == vertices

    trees = (tree for tree in combinations(range(len(edges)), len(vertices) - 1) if spans(tree))
    return min(sum(int(weights[i]) for i in tree) for tree in trees)


def within(edges: Any) -> list[np.ndarray[Any, Any]]:
    """A(0), A(1), ... of every weighting, by walking through all of them: arrays indexed by the weights."""
    sides = (UPPER + 1,) * len(edges)
    costs = np.array([cheapest(edges, weights) for weights in product(range(UPPER + 1), repeat=len(edges))]).reshape(
        sides
    )
    axes = range(len(edges))
    spread = lambda a, axis: a.max(axis=axis, keepdims=True) + 0 * a  # noqa: E731
    local = reduce(np.maximum, (np.maximum(spread(costs, axis) - costs, costs + spread(-costs, axis)) for axis in axes))  # type: ignore[no-untyped-call]
    out = [local]
    for _ in axes:
        out.append(reduce(np.maximum, (spread(out[-1], axis) for axis in axes)))  # type: ignore[no-untyped-call]
    return out


@pytest.mark.parametrize("graph", GRAPHS)
def test_the_sensitivity_at_every_distance_is_that_of_all_weightings(graph: str) -> None:
    edges = GRAPHS[graph]
    tree, truth = SpanningTree(edges, UPPER), within(edges)
    for weights in product(range(UPPER + 1), repeat=len(edges)):
        got = tree.local_sensitivities(weights)
        got += [UPPER] * (len(truth) - len(got))
        assert got == [int(a[weights]) for a in truth]
        assert tree.value(weights) == cheapest(edges, weights)


def test_the_lightest_weight_across_a_cut_is_not_enough() -> None:
    """A(k) = max w(k+1) alone, without w(k+2) - w(1), is too small: raising an edge that is alone in its cut."""
    tree = SpanningTree(((0, 1),), UPPER)
    assert tree.local_sensitivities([1]) == [2, 3]  # w(1) = 1
    assert local_sensitivity(sum, (1,), IntegerInterval(0, UPPER), neighbours=Neighbours(Change.REPLACE)) == 2


@pytest.mark.parametrize("beta", [1e-6, 0.2, 2])
@pytest.mark.parametrize("graph", ["parallel edges and a bridge", "triangle", "square"])
def test_the_bound_is_smooth_over_all_neighbours(graph: str, beta: float) -> None:
    edges = GRAPHS[graph]
    tree, most = SpanningTree(edges, UPPER), Fraction(exp_down(beta))
    smooth = {w: tree.measure(w, beta).smooth for w in product(range(UPPER + 1), repeat=len(edges))}
    for weights, s in smooth.items():
        for i in range(len(edges)):
            for new in range(UPPER + 1):
                assert Fraction(s) <= most * Fraction(smooth[(*weights[:i], new, *weights[i + 1 :])])


def random_graph(vertices: int, extra: int, seed: int) -> tuple[tuple[int, int], ...]:
    generator = np.random.Generator(np.random.PCG64(seed))
    path = [(i, i + 1) for i in range(vertices - 1)]
    more = [tuple(map(int, generator.choice(vertices, 2, replace=False))) for _ in range(extra)]
    return (*path, *more)  # type: ignore[arg-type]


def by_cuts(edges: Any, weights: Any, upper: int) -> list[int]:
    """A(k) by the formula over all cuts."""
    vertices = sorted({v for edge in edges for v in edge})
    crossing = []
    for size in range(1, len(vertices)):
        for side in combinations(vertices, size):
            across = sorted(int(w) for (u, v), w in zip(edges, weights, strict=True) if (u in side) != (v in side))
            crossing.append(across + [upper] * (len(edges) + 2))
    return [max(max(c[k], c[k + 1] - c[0]) for c in crossing) for k in range(len(edges) + 1)]


@pytest.mark.parametrize("seed", range(6))
def test_flows_find_what_all_cuts_find(seed: int) -> None:
    edges = random_graph(7, 9, seed)
    weights = np.random.Generator(np.random.PCG64(seed)).integers(0, 101, len(edges))
    got = SpanningTree(edges, 100).local_sensitivities(weights)
    assert got == by_cuts(edges, weights, 100)[: len(got)]
    assert got[-1] == 100


def test_dense_graphs_with_low_weights_are_calmer_than_their_worst_case() -> None:
    tree = SpanningTree(tuple(combinations(range(9), 2)), 1000)  # every cut has eight edges or more
    calm, near = (tree.measure([1] * 36, beta).smooth for beta in (1.0, 0.5))
    assert calm == pytest.approx(1, rel=1e-9)  # A(0); seven changes leave w(9) - w(1) = 999, and exp(-7)·999 < 1
    assert near == pytest.approx(999 * math.exp(-3.5), rel=1e-9)


def test_the_private_cost_is_released_near_the_cost() -> None:
    tree = SpanningTree(tuple(combinations(range(9), 2)), 1000, grid=0.5)
    mechanism = SmoothSensitivity(bound=tree, epsilon=5, delta=1e-3)
    weights = [20.0 + i / 2 for i in range(36)]
    cost = tree.value(weights) / 2
    answers = [mechanism.release(weights, bits=SeededBits(seed)) for seed in range(6)]
    assert {type(answer) for answer in answers} == {float}
    worst = mechanism.error(1e-9).alpha
    assert all(abs(answer - cost) <= worst for answer in answers)  # type: ignore[operator]
    assert len(set(answers)) > 3


def test_placing_moves_the_cost_by_half_a_step_an_edge_of_the_tree() -> None:
    tree = SpanningTree(GRAPHS["square"], 10, grid=1)
    assert tree.rounding == Fraction(3, 2)
    assert SpanningTree(GRAPHS["square"], 10).rounding == 0
    assert abs(tree.value([0.5, 1.5, 2.5, 9.0]) - 4.5) == 1.5


@pytest.mark.parametrize(
    ("edges", "named"),
    [
        ((), "edges must connect"),
        (((0, 1), (2, 3)), "edges must connect"),
        (((0, 0),), "edges must join two different"),
        (((0, 1, 2),), "edges must be pairs"),
        ((7,), "edges must be pairs"),
        ((([], "a"),), "edges must join hashable"),
    ],
)
def test_graphs_without_a_spanning_tree_are_refused(edges: Any, named: str) -> None:
    with pytest.raises(InvalidParameter, match=named):
        SpanningTree(edges, 3)


@pytest.mark.parametrize(
    ("weights", "named"),
    [
        ([1, 4242], "data must be 3 weights, one an edge, got: 2"),
        ([], "data must not be empty"),
        ([1.0, 4242.0, math.nan], "data must be whole numbers"),
        ([[1, 4242, 3]], "data must be one value a person"),
        ([1.5, 4242.0, 3.0], "data must be whole numbers"),
    ],
)
def test_weights_that_do_not_fit_are_refused_without_being_shown(weights: Any, named: str) -> None:
    with pytest.raises(InvalidParameter, match=named) as caught:
        SpanningTree(GRAPHS["triangle"], 3).measure(weights, 1)
    assert "4242" not in str(caught.value)


@pytest.mark.parametrize("upper", [0, -1, math.inf, math.nan])
def test_weights_need_a_positive_upper_bound(upper: float) -> None:
    with pytest.raises(InvalidParameter, match="upper"):
        SpanningTree(GRAPHS["triangle"], upper)
