"""Top-down trees: consistent, whole, not negative; priced by level; as exact as their noise, and within their bound."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from random_trees import consistent, trees
from sfumato.core import Change, Neighbours
from sfumato.errors import InvalidParameter
from sfumato.mechanisms import DiscreteGaussianNoise, GeometricNoise
from sfumato.synth import TopDown, Tree
from statistics_of_samples import THRESHOLD, chi_square, discrete_laplace

ADDED, REPLACED = Neighbours(), Neighbours(Change.REPLACE)


@given(trees(), st.integers(1, 3), st.data())
def test_any_tree_is_made_consistent_whole_and_not_negative(
    parents: list[Any], cells: int, data: st.DataObject
) -> None:
    tree = Tree.of(parents)
    leaves = data.draw(
        st.lists(
            st.lists(st.integers(0, 9), min_size=cells, max_size=cells),
            min_size=tree.sizes[-1],
            max_size=tree.sizes[-1],
        )
    )
    assert consistent(tree, parents, tree.sums(np.array(leaves)))
    levels = TopDown.pure(tree=tree, epsilon=1, cells=cells).release(leaves)
    assert consistent(tree, parents, levels)
    assert all(level.dtype == np.int64 and level.min() >= 0 for level in levels)
    assert [level.shape for level in levels] == [(size, cells) for size in tree.sizes]


def test_without_noise_every_count_comes_back() -> None:
    """Noise so narrow that it is zero: what is left is the fit, which must not move what fits already."""
    parents = [[1, 0, 0, 1], [3, 0, 1, 2, 3, 0]]
    leaves = np.array([[5, 0], [0, 2], [7, 7], [0, 0], [1, 0], [3, 9]])
    made = TopDown.pure(tree=Tree.of(parents), epsilon=10**6, cells=2)
    for level, exact in zip(made.release(leaves), Tree.of(parents).sums(leaves), strict=True):
        assert np.array_equal(level, exact)


@pytest.mark.parametrize(("neighbours", "moved"), [(ADDED, 1), (REPLACED, 2)], ids=["add or remove", "replace"])
def test_every_level_is_priced_as_a_histogram(neighbours: Neighbours, moved: int) -> None:
    tree = Tree.regular([3, 4])
    pure = TopDown.pure(tree=tree, epsilon=1, neighbours=neighbours, shares=[1, 1, 2])
    assert pure.event.pure() == 1
    assert [noise.scale for noise in pure.noises if isinstance(noise, GeometricNoise)] == [
        4 * moved,
        4 * moved,
        2 * moved,
    ]
    zcdp = TopDown.zcdp(tree=tree, rho=Fraction(1, 2), neighbours=neighbours)
    rho = zcdp.event.zcdp()
    assert rho is not None
    assert Fraction(1, 2) * (1 - Fraction(1, 10**9)) < rho <= Fraction(1, 2)
    widths = [float(noise.sigma) ** 2 for noise in zcdp.noises if isinstance(noise, DiscreteGaussianNoise)]
    assert widths == pytest.approx([3.0 * moved] * 3)


def test_a_level_without_a_price_would_be_missed() -> None:
    """The price is that of the noises handed out: one level with half of the noise costs twice as much."""
    tree = Tree.regular([2, 2])
    noises = (GeometricNoise(Fraction(3)), GeometricNoise(Fraction(3)), GeometricNoise(Fraction(3, 2)))
    assert TopDown(tree=tree, noises=noises).event.pure() == Fraction(1, 3) + Fraction(1, 3) + Fraction(2, 3)


def test_measurements_have_the_noise_of_their_level() -> None:
    tree = Tree.regular([2, 20_000])
    made = TopDown.pure(tree=tree, epsilon=Fraction(3, 2), shares=[1, 1, 1])
    leaves = np.full(40_000, 100)
    sample = made.measure(leaves)[2].reshape(-1) - 100
    assert chi_square(sample, discrete_laplace(2), reach=30) > THRESHOLD
    assert chi_square(sample, discrete_laplace(1.8), reach=30) < THRESHOLD
    assert made.measure(leaves)[0].shape == (1, 1)


def test_all_nodes_are_within_the_bound_as_often_as_it_says() -> None:
    tree = Tree.regular([3, 5, 4])
    made = TopDown.pure(tree=tree, epsilon=4, cells=2)
    leaves = np.tile([[9, 0], [0, 0], [1, 0]], (20, 1))
    exact, alpha = tree.sums(leaves), made.error(0.05).alpha
    missed = [
        max(int(np.abs(level - truth).max()) for level, truth in zip(made.release(leaves), exact, strict=True))
        for _ in range(200)
    ]
    assert sum(miss > alpha for miss in missed) <= 30  # 10 are expected at the most
    assert max(missed) * 20 > alpha, "it is of the right order"


def test_leaves_are_closer_than_what_was_measured() -> None:
    """Sparse leaves gain by what is known above them: the mean error is below that of the noise."""
    tree = Tree.regular([10, 10, 20])
    made = TopDown.zcdp(tree=tree, rho=0.5)
    leaves = np.where(np.arange(2000) % 7 == 0, 40, 0)
    fitted = made.release(leaves)[-1].reshape(-1)
    raw = made.measure(leaves)[-1].reshape(-1)
    assert np.abs(fitted - leaves).mean() < 0.85 * np.abs(raw - leaves).mean()


def test_counts_beyond_machine_numbers_are_answered() -> None:
    made = TopDown.pure(tree=Tree.regular([2]), epsilon=1)
    for leaves in ([2**70, 1], [2**62, 2**62], [-(2**80), 3], np.array([-(2**63), -(2**63)]), [2**16385, 1]):
        levels = made.release(leaves)
        assert levels[1].sum() == levels[0].sum() >= 0


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: Tree.of([]), "parents must be those of one level"),
        (lambda: Tree.of([[0, 2]]), "parents must give each of 3 nodes a child at level 1"),
        (lambda: Tree.of([[0, 0], [0, 0]]), "parents must give each of 2 nodes a child at level 2"),
        (lambda: Tree.of([[0.5]]), "parents must be indices"),
        (lambda: Tree.of([[-1, 0]]), "parents must be indices from 0 on"),
        (lambda: Tree.regular([0]), "branching must be at least 1"),
        (lambda: TopDown.pure(tree=Tree.regular([2]), epsilon=0), "epsilon must be positive"),
        (
            lambda: TopDown.pure(tree=Tree.regular([2]), epsilon=1, shares=[1]),
            "shares must be one for each of 2 levels",
        ),
        (lambda: TopDown(tree=Tree.regular([2]), noises=()), "noises must be one for each of 2 levels"),
        (lambda: TopDown.pure(tree=Tree.regular([2]), epsilon=1, cells=0), "cells must be at least 1"),
        (lambda: TopDown.pure(tree=Tree.regular([2]), epsilon=1).release([1, 2, 3]), "exact must be counts of shape"),
        (lambda: TopDown.pure(tree=Tree.regular([2]), epsilon=1).release([1.5, 2]), "exact must be whole numbers"),
    ],
)
def test_what_is_no_tree_or_no_price_is_refused(call: Callable[[], Any], says: str) -> None:
    with pytest.raises(InvalidParameter, match=says):
        call()
