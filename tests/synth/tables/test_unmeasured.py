"""Pairs that were not measured are as near to independence as their scores say, whatever measured pairs imply."""

from typing import Any

import numpy as np
import pytest

from sfumato.synth.tables import (
    ChainRows,
    ExplicitRows,
    RowBuilder,
    TableMeasurements,
    TableShape,
    TableSynthesiser,
    building,
    fitting,
)
from sfumato.synth.tables.scores import implied_pair
from sfumato.synth.tables.targets import single_targets
from sfumato.synth.tables.unmeasured import distances_known, is_contradicted, nearer
from sources import SeededBits

SHAPE = TableShape({"a": 6, "b": 6, "c": 6})
ROWS = 40_000


def counts() -> Any:
    """b follows a in every second row and c in all others: both say much of a, and nothing of each other."""
    random = np.random.default_rng(3)
    a, b, c = (random.integers(0, 6, ROWS) for _ in range(3))
    first = random.random(ROWS) < 0.5
    b, c = np.where(first, a, b), np.where(first, c, a)
    table = np.zeros(SHAPE.sizes, dtype=np.int64)
    np.add.at(table, (a, b, c), 1)
    return lambda kept: np.asarray(table.sum(axis=tuple({0, 1, 2} - set(kept))))


@pytest.fixture(scope="module")
def measured() -> TableMeasurements:
    found = TableSynthesiser.calibrated(shape=SHAPE, epsilon=1, delta=1e-6).measure(counts(), bits=SeededBits(2))
    assert set(found.measured_pairs) == {(0, 1), (0, 2)}
    return found


def apart(builder: RowBuilder, measured: TableMeasurements) -> float:
    """How far b and c are from independence in rows."""
    table = builder.build(measured).table((1, 2)) / ROWS
    return float(np.abs(table - np.outer(table.sum(axis=1), table.sum(axis=0))).sum()) / 2


@pytest.mark.parametrize("builder", [ChainRows(), ExplicitRows()], ids=["chains", "explicit"])
def test_what_two_pairs_imply_of_a_third_is_held_to_its_score(
    builder: RowBuilder, measured: TableMeasurements, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = apart(builder, measured)
    for where in (fitting, building):  # the twin that does not ask scores
        monkeypatch.setattr(where, "distances_known", lambda measured, singles: {})
    free = apart(builder, measured)
    assert free > 0.1
    assert held < 0.04


@pytest.mark.parametrize("builder", [ChainRows(), ExplicitRows()], ids=["chains", "explicit"])
def test_measured_pairs_are_met_all_the_same(builder: RowBuilder, measured: TableMeasurements) -> None:
    exact, rows = counts(), builder.build(measured)
    for pair in measured.measured_pairs:
        assert np.abs(rows.table(pair) / len(rows) - exact(pair) / ROWS).sum() / 2 < 0.05


def test_only_pairs_that_were_not_measured_are_known_by_their_scores(measured: TableMeasurements) -> None:
    singles = single_targets(measured, measured.total)
    known = distances_known(measured, singles)
    assert set(known) == {(1, 2)}
    assert 0 < known[1, 2] < 0.05 * ROWS


def test_what_agrees_with_its_score_is_left_alone() -> None:
    apart_ = implied_pair(np.array([50.0, 50.0]), np.array([50.0, 50.0]))
    far = np.array([[40.0, 10.0], [10.0, 40.0]])
    assert not is_contradicted(far, apart_, 30.0)
    assert is_contradicted(far, apart_, 5.0)
    assert not is_contradicted(far, apart_, 5.0, drawn=25.0)
    assert np.array_equal(nearer(far, apart_, 30.0), far)
    assert np.allclose(nearer(far, apart_, 15.0), (far + apart_) / 2)
