"""Numeric leaks: each test catches its control and lets the exact path pass."""

import itertools
import json
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sfumato import audit
from sfumato.audit import Inputs, Pair, sum_sensitivity, target_of
from sfumato.audit import numeric_specimens as numeric
from sfumato.audit.everything import _leak_controls, _must_differ
from sfumato.audit.leaks import far_pairs, hostile, lattice_step, leaks, serialised
from sfumato.audit.processes import ForkFinding, fork_test, timing_test
from sfumato.core import Change, Neighbours, Norm
from sfumato.errors import BrokenAudit, InvalidParameter
from sfumato.mechanisms import Geometric, Laplace

ONE = Neighbours().histogram(Norm.L1)
STEPS = Geometric(epsilon=1, sensitivity=ONE)
SURE = 1 - 1e-9


def test_float_noise_is_caught_by_its_precision_and_noise_on_a_grid_is_not() -> None:
    naive = target_of(numeric.naive_laplace(1.0), far_pairs(1), epsilon=1)
    assert leaks(naive, draws=4000)["precision"].convicted
    placed = target_of(numeric.on_a_grid(Fraction(1), ONE).release, far_pairs(1), epsilon=1)
    assert not any(found.convicted for found in leaks(placed, draws=1000, confidence=SURE).values())


def test_an_answer_off_the_lattice_of_its_noise_is_caught() -> None:
    loose = target_of(numeric.noise_off_the_lattice(STEPS), [Pair(0.0, 0.5)], epsilon=1)
    found = leaks(loose, draws=2000)["reachable outputs"]
    assert found.convicted
    whole = target_of(STEPS.release, [Pair(0, 1)], epsilon=1)
    assert not leaks(whole, draws=2000, confidence=SURE)["reachable outputs"].convicted


def test_a_leak_survives_being_written_and_exact_values_are_written_alike() -> None:
    def as_text(release: Any) -> Any:
        return serialised(lambda data: {"count": release(data)}, json.dumps)

    padded = target_of(lambda x: "0" * (5 + x) + str(STEPS.release(0)), [Pair(0, 1)], epsilon=1)
    assert leaks(padded, draws=2000)["writing"].convicted
    loose = target_of(as_text(numeric.noise_off_the_lattice(STEPS)), [Pair(0.0, 0.5)], epsilon=1)
    assert leaks(loose, draws=2000)["reachable outputs"].convicted
    plain = target_of(as_text(STEPS.release), [Pair(0, 1)], epsilon=1)
    assert not any(found.convicted for found in leaks(plain, draws=1000, confidence=SURE).values())


def test_a_lattice_is_found_exactly() -> None:
    assert lattice_step(np.array([1.0, 4.0, 10.0, -2.0])) == 3.0
    assert lattice_step(np.array([0.25, 1.0, 1.75])) == 0.75
    assert lattice_step(np.array([0.1, 0.2, 0.3, 0.7])) == 0.0  # floats near tenths are on no lattice of tenths
    assert lattice_step(np.array([1.0, 1.0, 1.0])) == 0.0


def test_hostile_rows_are_reported_one_by_one() -> None:
    def clipped(rows: list[Any]) -> int:
        return STEPS.release(sum(min(1, max(0, int(row))) for row in rows))  # type: ignore[return-value]

    def total(rows: list[Any]) -> int:
        clean = [row for row in rows if isinstance(row, int | float) and math.isfinite(row)]
        return clipped([min(1, max(0, row)) for row in clean])

    found = hostile(target_of(clipped, [Pair([], [1])], epsilon=1), Inputs())
    assert found["a NaN"].convicted
    assert found["a missing value"].convicted
    assert not found["a value far outside the bounds"].convicted
    robust = hostile(target_of(total, [Pair([], [1])], epsilon=1), Inputs(), draws=400, confidence=SURE)
    assert not any(finding.convicted for finding in robust.values())


@pytest.mark.parametrize("change", list(Change))
def test_sums_that_round_or_wrap_move_too_far_and_exact_ones_do_not(change: Change) -> None:
    inputs = Inputs(lower=0, upper=100, sensitivity=100, change=change)
    assert sum_sensitivity(numeric.float_sum, inputs).convicted
    assert not sum_sensitivity(numeric.fixed_point_sum(0, 100, Fraction(1, 64)), inputs).convicted
    assert not sum_sensitivity(lambda rows: sum(map(Fraction, rows), Fraction(0)), inputs).convicted
    large = Inputs(lower=0, upper=2**30, sensitivity=2**30, change=change)
    found = sum_sensitivity(numeric.wrapping_sum, large)
    assert found.convicted
    assert found.moved > 2 * found.allowed
    assert "further than" in str(found)
    assert sum_sensitivity(lambda rows: int(np.sum(np.array(rows, dtype=np.int64), dtype=np.int32)), large).convicted


def test_an_aggregate_that_fails_is_found_and_one_that_takes_no_rows_is_refused() -> None:
    def fragile(rows: list[Any]) -> float:
        return 1 / (len(rows) - 10)

    found = sum_sensitivity(fragile, Inputs(lower=0, upper=1))  # type: ignore[arg-type]
    assert found.convicted
    assert "error" in found.why
    with pytest.raises(InvalidParameter, match="aggregate"):
        sum_sensitivity(lambda rows: rows + 1, Inputs(lower=0, upper=1))  # type: ignore[operator]


def test_a_forked_stream_is_caught_and_ours_is_not() -> None:
    assert fork_test(numeric.ClonedStream().release, 0.0).convicted
    fine = Laplace(epsilon=Fraction(1, 1000), sensitivity=ONE)
    assert not fork_test(fine.release, 0).convicted
    constant = fork_test(lambda _: 1, 0)
    assert not constant.convicted
    assert "too little" in str(constant)


def test_time_that_follows_the_data_is_caught_by_its_rank() -> None:
    """With a clock of our own: each call moves it by the time the call would take."""
    ticks = itertools.count()
    state = {"now": 0, "busy": 0}

    def clock() -> int:
        return state["now"] + state["busy"]

    def slow(data: int) -> None:
        state["now"] += 100 + next(ticks) % 7 + (5 if data else 0)

    def even(_: int) -> None:
        state["now"] += 100 + next(ticks) % 7

    caught = timing_test(slow, Pair(0, 1), draws=400, clock=clock)
    assert caught.convicted
    assert caught.longer > 0.8
    fine = timing_test(even, Pair(0, 1), draws=400, clock=clock)
    assert not fine.convicted
    assert abs(fine.longer - 0.5) < 0.05
    assert "probability" in str(fine)


def test_leak_controls_that_come_out_wrong_stop_the_report() -> None:
    good = _leak_controls()
    same = {"control: x": ForkFinding(same=True, chance=0.0)}
    _must_differ(good, same, {})
    for broken in (
        {**good, "precision": replace(good["precision"], bound=0.0)},
        {**good, "reachable outputs": replace(good["reachable outputs"], bound=0.0)},
        {**good, "sound": replace(good["sound"], bound=9.0)},
    ):
        with pytest.raises(BrokenAudit):
            _must_differ(broken, same, {})
    with pytest.raises(BrokenAudit):
        _must_differ(good, {"control: x": ForkFinding(same=False, chance=0.0)}, {})


def test_far_pairs_move_by_the_step() -> None:
    assert all(pair.right - pair.left == 0.5 for pair in far_pairs(0.5))
    assert isinstance(audit.leaks, type(leaks))
