"""Controlled rounding: totals are kept, nothing moves by one or more, and expectations are the weights."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InvalidParameter
from sfumato.exact import output_law
from sfumato.synth import CellGroups, controlled_rounding, rounded_up, water_filled, water_filled_wholes
from statistics_of_samples import THRESHOLD, binomial

groups_of_cells = st.lists(
    st.tuples(st.lists(st.integers(-9, 30), min_size=1, max_size=8), st.integers(0, 60)), min_size=1, max_size=6
)


@given(groups_of_cells)
def test_whole_counts_keep_every_total_and_move_no_weight_by_one(groups: list[tuple[list[int], int]]) -> None:
    parts = CellGroups.of([len(measured) for measured, _ in groups])
    filled = water_filled_wholes(
        np.concatenate([measured for measured, _ in groups]), groups=parts, totals=[total for _, total in groups]
    )
    counts = rounded_up(filled)
    assert parts.sums(counts).tolist() == [total for _, total in groups]
    assert (np.abs(counts - filled.weights()) < 1).all()
    assert (counts[filled.weights() == 0] == 0).all()


def test_a_count_has_its_weight_as_expectation_exactly() -> None:
    """Two of three equal cells are rounded up: each with probability 2/3, by the law of the random bits."""
    filled = water_filled_wholes([4, 4, 4], groups=CellGroups.of([3]), totals=[5])
    law = output_law(
        lambda bits: tuple(rounded_up(filled, bits=bits).tolist()),
        word_bits=2,
        runs=100_000,
        unexplored=Fraction(1, 2**16),
    )
    for cell in range(3):
        expected = sum((mass * counts[cell] for counts, mass in law.probabilities.items()), Fraction(0))
        assert abs(expected - Fraction(5, 3)) < 3 * law.unexplored
    assert set(law.probabilities) == {(2, 2, 1), (2, 1, 2), (1, 2, 2)}


@pytest.mark.parametrize("seed", range(4))
def test_float_weights_keep_their_total(seed: int) -> None:
    random = np.random.default_rng(seed)
    weights = water_filled(random.laplace(0, 5, 1000), total=777)
    counts = controlled_rounding(weights)
    assert counts.sum() == 777
    assert (np.abs(counts - weights) < 1).all()
    assert (counts[weights == 0] == 0).all()


def test_float_weights_are_rounded_up_as_often_as_they_should_be() -> None:
    runs = 4000
    up = sum(int(controlled_rounding([0.3, 0.7, 0.2, 1.8])[0]) for _ in range(runs))
    assert binomial(up, runs, 0.3) > THRESHOLD
    assert binomial(round(runs * 0.4), runs, 0.3) < THRESHOLD, "a share of 0.4 would be found"


@pytest.mark.parametrize("wrong", [[], [-1.0, 2.0], [float("inf")], [[1.0]], [0.5, 0.2]])
def test_weights_without_a_whole_total_are_refused(wrong: Any) -> None:
    with pytest.raises(InvalidParameter, match="weights must"):
        controlled_rounding(wrong)
