"""The pooled up-pass on a tree: every node's own measurement with what its children say, each as far as it is sure.

A node's noisy cell y of variance v and the sum S of its children's estimates, of variance V, are independent and mean
the same number, so V/(v + V)·y + v/(v + V)·S is the best unbiased mean of both, of variance vV/(v + V); from the leaves
to the root this is the first half of weighted least squares (Hay, Rastogi, Miklau, Suciu 2010, §4.1). Released numbers
alone are read, so it costs nothing. All of it is in whole numbers, in 2**-8 of a row: the same bits on every machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.synth.tree import Tree
from sfumato.synth.water_filling import Wholes

_FINE = 8  # bits below a row in which estimates are carried
_WEIGHT = 16  # bits of a weight
_NARROWEST = 24  # bits of the largest variance of one measurement
_WIDEST = 1 << 44  # a sum of variances beyond this has no weight
_FARTHEST = 1 << 45  # how far both may be apart and still be multiplied by a weight
_LARGEST = 1 << 62


@dataclass(frozen=True, slots=True, eq=False)
class OwnWeights:
    """What a node's own measurement weighs beside its children's sum, of 2**16, for every node of one level."""

    of_own: Wholes
    variance: Wholes
    """Of the mean of both, in the unit of `whole_variances`."""

    @classmethod
    def beside(cls, own: int, below: Wholes) -> "OwnWeights":
        """For a measurement of variance `own`, and children's sums of variances `below`."""
        held = np.minimum(below, _WIDEST)
        return cls((held << _WEIGHT) // (own + held), np.maximum(1, own - own * own // (own + held)))


def whole_variances(variances: Sequence[float]) -> list[int]:
    """Variances in whole numbers of which the largest has 24 bits: only their ratios matter.

    >>> whole_variances([4.0, 1.0])
    [16777216, 4194304]
    """
    largest = max(variances)
    return [max(1, round(each / largest * (1 << _NARROWEST))) if largest > 0 else 1 for each in variances]


def weights_by_level(tree: Tree, variances: Sequence[float]) -> list[OwnWeights]:
    """The weights of every level that has one below it, from the top, in the tree's order of siblings.

    `variances` may begin at a lower level than the tree does.
    """
    whole, first = whole_variances(variances), tree.depth - len(variances)
    below: Wholes = np.full(tree.sizes[-1], whole[-1], dtype=np.int64)
    found: list[OwnWeights] = []
    for depth in reversed(range(first, tree.depth - 1)):
        found.append(OwnWeights.beside(whole[depth - first], tree.children[depth].sums(below)))
        below = found[-1].variance
    return found[::-1]


def pooled_up(tree: Tree, measured: Sequence[Wholes], variances: Sequence[float], *, bits: int = 0) -> list[Wholes]:
    """Estimates (node, cell) in whole rows of the levels that were measured in 2**bits of a row, the last ones.

    >>> tree = Tree.regular([2])
    >>> [level.tolist() for level in pooled_up(tree, [np.array([[10]]), np.array([[2], [2]])], [1.0, 1.0])]
    [[[8]], [[2], [2]]]
    """
    first = tree.depth - len(measured)
    weights = weights_by_level(tree, variances)
    held = _carried(tree.side_by_side(tree.depth - 1, measured[-1]), bits, len(measured))
    found = [_whole(held)]
    for depth in reversed(range(first, tree.depth - 1)):
        groups, own = tree.children[depth], weights[depth - first].of_own[:, None]
        sums = np.add.reduceat(held, groups.starts, axis=0)
        mine = _carried(tree.side_by_side(depth, measured[depth - first]), bits, len(measured))
        apart = np.clip(mine - sums, -_FARTHEST, _FARTHEST)
        held = sums + ((apart * own + (1 << _WEIGHT - 1)) >> _WEIGHT)
        found.append(_whole(held))
    return [tree.as_given(first + at, level) for at, level in enumerate(reversed(found))]


def in_rows(measured: Wholes, bits: int) -> Wholes:
    """Measurements in 2**bits of a row as whole rows, to the nearest.

    >>> in_rows(np.array([5, 6, -6]), 2).tolist()
    [1, 2, -1]
    """
    return measured if not bits else (measured >> bits) + ((measured >> bits - 1) & 1)


def _carried(measured: Wholes, bits: int, levels: int) -> Wholes:
    """In 2**-8 of a row, and so small that all nodes of all levels together stay within 62 bits."""
    most = _LARGEST // (levels * max(1, measured.size)) >> _FINE
    held: Wholes = np.clip(measured >> bits, -most, most) << _FINE
    if bits:
        part = measured & ((1 << bits) - 1)
        held += part >> bits - _FINE if bits >= _FINE else part << _FINE - bits
    return held


def _whole(held: Wholes) -> Wholes:
    return in_rows(held, _FINE)


def pooled_reaches(tree: Tree, variances: Sequence[float], reaches: Sequence[float]) -> list[float]:
    """How far the estimates of each level are off, where no measurement is off by more than its level's reach."""
    below = np.full(tree.sizes[-1], float(reaches[-1]))
    found = [float(reaches[-1])]
    for depth, own in reversed(list(enumerate(weights_by_level(tree, variances)))):
        share = own.of_own / 2.0**_WEIGHT
        below = share * reaches[depth] + (1 - share) * tree.children[depth].sums(below) + 2.0**-_FINE
        found.append(float(below.max()) + 1.0)  # and half of one, at most, where it is made whole
    return found[::-1]
