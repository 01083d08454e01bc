"""The up-pass: the best unbiased mean of a node and its children, in whole numbers, on any tree."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from random_trees import trees
from sfumato.exact.bits import SystemBits
from sfumato.mechanisms import GeometricNoise
from sfumato.synth import TopDown, Tree
from sfumato.synth.pooling import in_rows, pooled_reaches, pooled_up, weights_by_level


def in_fractions(parents: list[Any], measured: list[Any], variances: list[Fraction]) -> list[list[Fraction]]:
    """The textbook's recursion, node by node, without a rounding."""
    values = [[Fraction(int(each)) for each in level[:, 0]] for level in measured]
    spread = [variances[-1]] * len(values[-1])
    for depth in reversed(range(len(parents))):
        sums, width = [Fraction(0)] * len(values[depth]), [Fraction(0)] * len(values[depth])
        for child, parent in enumerate(parents[depth]):
            sums[parent] += values[depth + 1][child]
            width[parent] += spread[child]
        own = variances[depth]
        values[depth] = [(w * y + own * s) / (own + w) for y, s, w in zip(values[depth], sums, width, strict=True)]
        spread = [own * w / (own + w) for w in width]
    return values


@given(trees(), st.data())
def test_estimates_are_those_of_the_recursion_in_fractions(parents: list[Any], data: st.DataObject) -> None:
    tree = Tree.of(parents)
    measured = [
        np.array(data.draw(st.lists(st.integers(-999, 999), min_size=size, max_size=size))).reshape(-1, 1)
        for size in tree.sizes
    ]
    variances = [Fraction(data.draw(st.integers(1, 50))) for _ in tree.sizes]
    found = pooled_up(tree, measured, [float(each) for each in variances])
    for level, wanted in zip(found, in_fractions(parents, measured, variances), strict=True):
        assert level.dtype == np.int64
        for one, other in zip(level[:, 0].tolist(), wanted, strict=True):
            assert abs(one - other) <= Fraction(1, 2) + Fraction(1, 4), "rounded to a whole number, and little else"


@given(trees(), st.data())
def test_what_is_consistent_stays_as_it_is(parents: list[Any], data: st.DataObject) -> None:
    tree = Tree.of(parents)
    leaves = np.array(data.draw(st.lists(st.integers(0, 10**9), min_size=tree.sizes[-1], max_size=tree.sizes[-1])))
    exact = tree.sums(leaves.reshape(-1, 1))
    for level, known in zip(pooled_up(tree, exact, [1.0] * tree.depth), exact, strict=True):
        assert np.array_equal(level, known)


@pytest.mark.parametrize("bits", [0, 3, 8, 20, 30])
def test_parts_of_rows_are_pooled_as_parts(bits: int) -> None:
    tree = Tree.regular([4])
    half = 1 << bits >> 1
    measured = [np.array([[10 << bits]]), np.array([[(2 << bits) + half]] * 4)]
    found = pooled_up(tree, measured, [1.0, 1.0], bits=bits)
    assert found[0].tolist() == [[10]] or not bits, "four halves are two rows"
    assert found[1].tolist() == [[3 if bits else 2]] * 4
    assert in_rows(measured[1], bits).tolist() == found[1].tolist()


def test_a_level_of_little_noise_is_kept_and_one_of_much_follows_its_children() -> None:
    tree = Tree.regular([10])
    measured = [np.array([[100]]), np.full((10, 1), 20)]
    assert pooled_up(tree, measured, [1e-6, 1.0])[0].tolist() == [[100]]
    assert pooled_up(tree, measured, [1e9, 1.0])[0].tolist() == [[200]]
    ((own,),) = [weights.of_own.tolist() for weights in weights_by_level(tree, [1.0, 1.0])]
    assert own == 65536 * 10 // 11


def test_numbers_at_the_end_of_64_bits_do_not_wrap_around() -> None:
    tree = Tree.regular([3, 2])
    ends = np.iinfo(np.int64)
    for value in (ends.min, ends.max):
        measured = [np.full((size, 1), value) for size in tree.sizes]
        for level in pooled_up(tree, measured, [1.0, 1.0, 1.0]):
            assert (np.sign(level) == np.sign(value)).all()


def test_the_up_pass_halves_the_noise_of_a_level_that_was_hardly_measured() -> None:
    """Counties with little of the price, blocks with much: pooled is better, by as much as the variances say."""
    tree = Tree.regular([400, 4])
    noises = tuple(GeometricNoise(Fraction(scale)) for scale in (2, 20, 2))
    leaves = np.full(1600, 50)
    exact = tree.sums(leaves.reshape(-1, 1))[1]
    off = {}
    for pooled in (True, False):
        made = TopDown(tree=tree, noises=noises, pooled=pooled)
        off[pooled] = float(np.abs(made.fit(made.measure(leaves, bits=SystemBits()))[1] - exact).mean())
    assert off[True] * 2 < off[False]


def test_all_estimates_are_within_the_reach_of_their_measurements() -> None:
    tree = Tree.of([[0, 0, 0], [0, 1, 2, 2, 2, 1]])
    reaches, variances = [5.0, 7.0, 3.0], [4.0, 9.0, 1.0]
    bounds = pooled_reaches(tree, variances, reaches)
    leaves = np.full((6, 1), 100)
    exact = tree.sums(leaves)
    for signs in np.ndindex(2, 2, 2):
        measured = [
            level + (2 * sign - 1) * int(reach) for level, sign, reach in zip(exact, signs, reaches, strict=True)
        ]
        for level, known, bound in zip(pooled_up(tree, measured, variances), exact, bounds, strict=True):
            assert np.abs(level - known).max() <= bound
