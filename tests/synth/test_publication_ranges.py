"""Ranges in publications: every range is made of the fewest nodes, each counted once, with the bar of their noises."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

from sfumato.exact.bits import SystemBits
from sfumato.synth.publication.noises import GEOMETRIC
from sfumato.synth.publication.parts import Offer
from sfumato.synth.publication.range_levels import MeasuredRanges, PricedRanges, RangeLevels

SURE = Fraction(95, 100)


def priced(bins: int, branching: int) -> PricedRanges:
    part = RangeLevels("age", branching, Fraction(1))
    return part.price(Offer(Fraction(1), GEOMETRIC, 1, 0, {("age",): (bins,)}))


def exact(bins: int, branching: int) -> tuple[MeasuredRanges, np.ndarray]:
    """Levels without noise."""
    made, counts = priced(bins, branching), np.arange(bins) ** 2 + 1
    levels = [counts]
    for depth in range(len(made.tree.sizes) - 2, -1, -1):
        levels.append(np.add.reduceat(levels[-1], made.tree.starts(depth)))
    return MeasuredRanges("age", branching, tuple(levels[::-1]), made.noise, 0), counts


@pytest.mark.parametrize(("bins", "branching"), [(1, 2), (2, 2), (7, 2), (8, 2), (13, 3), (16, 4), (30, 4), (31, 8)])
def test_every_range_is_what_its_leaves_add_up_to_and_of_few_nodes(bins: int, branching: int) -> None:
    made, counts = exact(bins, branching)
    for first in range(bins):
        for last in range(first, bins):
            found = made.answer({"age": range(first, last + 1)}, SURE)
            assert found is not None
            assert found.value == counts[first : last + 1].sum()
            assert found.standard_error is not None
            nodes = round(found.standard_error**2 / made.noise.variance)
            assert 1 <= nodes <= min(last - first + 1, 2 * (branching - 1) * len(made.levels))
    whole = made.answer({"age": range(bins)}, SURE)
    assert whole is not None
    assert whole.standard_error == pytest.approx(sqrt(made.noise.variance)), "all of it is the root"


def test_what_is_no_range_of_the_column_is_left_to_tables() -> None:
    made, _ = exact(8, 2)
    others: list[dict[str, list[int]]] = [{}, {"age": [1, 3]}, {"age": []}, {"ward": [0]}, {"age": [1], "ward": [0]}]
    for chosen in others:
        assert made.answer(chosen, SURE) is None


def test_levels_are_paid_one_by_one_and_measured_with_noise_of_their_own() -> None:
    made = priced(64, 4)
    assert made.event.pure() == 1
    assert made.noise.scale == len(made.tree.sizes) == 4  # type: ignore[attr-defined]
    measured = made.measure({("age",): np.zeros(64, dtype=np.int64)}, SystemBits())
    assert [level.shape for level in measured] == list(made.shapes) == [(1,), (4,), (16,), (64,)]
    assert not np.array_equal(np.add.reduceat(measured[3], made.tree.starts(2)), measured[2])
    again = RangeLevels.opened({**made.to_json(), "arrays": 4}, measured)
    assert again.noise == made.noise
    assert [table.columns for table in again.tables] == [("age",), ()]
