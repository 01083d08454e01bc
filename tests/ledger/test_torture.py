"""Races and kills at full length, in processes of their own; and the checker shown histories that are wrong."""

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ledger_torture import Call, out_of_order

SCRIPT = Path(__file__).parents[1] / "ledger_torture.py"


def torture(*words: str) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *words], check=True, capture_output=True, text=True, timeout=480
    )
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("store", ["sqlite", "postgres"])
def test_eight_processes_racing_spend_the_cap_to_the_unit_and_no_more(store: str) -> None:
    found = torture("race", "--store", store, "--processes", "8", "--charges", "12500")
    assert (found["attempts"], found["granted"], found["left"]) == (100_000, 80_000, "0")
    assert found["lost"] == found["unclaimed"] == found["out_of_order"] == found["failed"] == 0


@pytest.mark.slow
@pytest.mark.parametrize(("store", "rounds"), [("sqlite", 1000), ("postgres", 60)])
def test_killed_at_random_moments_no_acknowledged_charge_is_lost(store: str, rounds: int) -> None:
    found = torture("kill", "--store", store, "--rounds", str(rounds))
    assert found["rounds"] == rounds
    assert int(str(found["acknowledged"])) > rounds / 4
    assert found["lost"] == found["settled_without_charge"] == 0


# ---- the checker itself ------------------------------------------------------------------------------------------


def wrongs(calls: list[Call], cap: int = 3) -> int:
    return out_of_order(calls, first=1, price=1, cap=cap)


def test_the_checker_accepts_what_one_caller_at_a_time_could_see() -> None:
    assert wrongs([(0, 1, 1), (2, 3, 2), (4, 5, 3), (6, 7, 0)]) == 0
    assert wrongs([(0, 9, 2), (1, 8, 1), (2, 7, 3), (3, 6, 0)]) == 0


@pytest.mark.parametrize(
    "calls",
    [
        [(0, 1, 1), (2, 3, 1)],  # one sequence for two
        [(0, 1, 2), (2, 3, 1)],  # the later call has the earlier place
        [(0, 1, 1), (2, 3, 0)],  # refused although there was room
        [(0, 1, 1), (2, 3, 0), (4, 5, 2), (6, 7, 3)],  # refused although the room was used later
        [(0, 1, 0)],
    ],
)
def test_the_checker_finds_what_one_caller_at_a_time_could_not_see(calls: list[Call]) -> None:
    assert wrongs(calls) > 0


def test_the_checker_convicts_a_counter_that_reads_and_writes_without_a_transaction() -> None:
    """The broken twin: read, decide, write."""
    spent, calls = [0], []

    def run() -> None:
        for _ in range(20):
            asked = time.monotonic_ns()
            before = spent[0]
            time.sleep(0.0005)
            granted = before < 30
            spent[0] = before + granted
            calls.append((asked, time.monotonic_ns(), before + 1 if granted else 0))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(call[2] > 0 for call in calls) > 30
    assert wrongs(calls, cap=30) > 0
