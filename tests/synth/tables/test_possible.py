"""What cannot be: a possible row is found or the shape is refused, and rows are repaired whatever was fitted."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InvalidParameter
from sfumato.synth.tables import ChainRows, ExplicitRows, RowBuilder, TableShape, TableSynthesiser, TreeRows, possible
from sfumato.synth.tables.possible import possible_row
from sfumato.synth.tables.repair import repaired
from sfumato.synth.tables.rows import possible_rows
from sfumato.synth.tables.stream import RowStream
from sources import SeededBits

EQUAL = ~np.eye(10, dtype=np.bool_)
CHAIN: dict[tuple[str, ...], Any] = {(f"c{at}", f"c{at + 1}"): EQUAL for at in range(11)}
"""Every column is what the one before it is: of 10^12 rows ten are possible."""


@given(st.integers(0, 2**32 - 1), st.floats(0.2, 0.95))
def test_a_row_is_found_exactly_where_there_is_one(seed: int, forbidden: float) -> None:
    random = np.random.default_rng(seed)
    sizes = tuple(int(size) for size in random.integers(2, 4, 4))
    masks: dict[tuple[int, ...], Any] = {
        places: random.random([sizes[place] for place in places]) > forbidden
        for places in ((0, 1), (1, 2), (0, 3), (1, 2, 3))
    }
    fine = [
        row
        for row in product(*map(range, sizes))
        if all(mask[tuple(row[place] for place in places)] for places, mask in masks.items())
    ]
    if fine:
        assert possible_row(sizes, masks) in fine
    else:
        with pytest.raises(InvalidParameter, match="must leave some row possible"):
            possible_row(sizes, masks)


def test_a_search_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(possible, "_MOST_WORK", 10)
    with pytest.raises(InvalidParameter, match="in a long search"):
        possible._Search((10, 10), {(0, 1): ~EQUAL}, left=10).found((0, 1))


def test_masks_that_leave_nothing_together_are_refused() -> None:
    yes, no = [[0, 0], [1, 1]], [[1, 1], [0, 0]]
    with pytest.raises(InvalidParameter, match="must leave some row possible"):
        TableShape({"a": 2, "b": 2, "c": 2}, {("a", "b"): yes, ("a", "c"): no})


def test_what_is_said_of_the_same_columns_twice_holds_twice() -> None:
    shape = TableShape({"a": 2, "b": 2}, {("a", "b"): [[1, 0], [0, 0]], ("b", "a"): [[0, 0], [1, 0]]})
    assert shape.masks[0, 1].tolist() == [[False, False], [True, True]]


@pytest.mark.parametrize("rows", [1, 50])
def test_rows_are_repaired_whatever_they_are(rows: int) -> None:
    shape = TableShape({f"c{at}": 10 for at in range(12)}, CHAIN)
    codes = np.random.default_rng(2).integers(0, 10, (12, rows)).astype(np.int32)
    assert possible_rows(repaired(codes, shape, RowStream(b"x")), shape).all()


def test_rows_that_no_column_repairs_are_the_row_that_is_known() -> None:
    """The first column decides, and the last forbids all of its values but one."""
    only = np.ones((4, 2), dtype=np.bool_)
    only[2] = False
    shape = TableShape({"a": 4, "b": 2}, {("a", "b"): only})
    found = repaired(np.zeros((2, 5), dtype=np.int32), shape, RowStream(b"x"))
    assert found[0].tolist() == [2] * 5


@pytest.mark.parametrize("builder", [ChainRows(rounds=4), TreeRows()], ids=["chains", "tree"])
def test_a_table_of_few_possible_rows_is_built(builder: RowBuilder) -> None:
    shape = TableShape({f"c{at}": 10 for at in range(12)}, CHAIN)
    made = TableSynthesiser.calibrated(shape=shape, epsilon=1, delta=1e-6)
    counts = {0: np.array(300), 1: np.full(10, 30), 2: np.diag(np.full(10, 30))}
    measured = made.measure(lambda marginal: counts[len(marginal)], bits=SeededBits(1))
    rows = builder.build(measured)
    assert possible_rows(rows.codes, shape).all()


def test_an_explicit_model_that_is_left_nothing_gives_the_row_that_is_known() -> None:
    """The data are where nothing can be: all that was measured says so, and no row may."""
    shape = TableShape({"a": 2, "b": 2}, {("a", "b"): [[1, 1], [1, 0]]})
    made = TableSynthesiser.calibrated(shape=shape, epsilon=50, delta=1e-6)
    table = np.array([[5000, 0], [0, 0]])
    counts = {(): np.array(5000), (0,): table.sum(axis=1), (1,): table.sum(axis=0), (0, 1): table}
    rows = ExplicitRows().build(made.measure(lambda marginal: counts[marginal], bits=SeededBits(1)))
    assert possible_rows(rows.codes, shape).all()


def test_stages_between_measurements_never_fail() -> None:
    """What is implied of triples is fitted under the charge: where rows are hard to repair it must not end it."""
    shape = TableShape({f"c{at}": 10 for at in range(12)}, CHAIN)
    made = TableSynthesiser.calibrated(shape=shape, epsilon=20, delta=1e-6, triples=True)

    def counts(marginal: tuple[int, ...]) -> Any:
        table = np.zeros([10] * len(marginal), dtype=np.int64)
        np.add.at(table, tuple(np.arange(10) for _ in marginal), 20)
        return table if marginal else np.array(200)

    for seed in range(3):
        assert made.measure(counts, bits=SeededBits(seed)).triple_scores is not None
