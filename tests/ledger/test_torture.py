"""Races and kills in processes of their own, short and at full length; and the checker shown histories that are wrong."""

import json
import sqlite3
import subprocess
import sys
import threading
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from ledger_cases import Opener, ask, stocked
from ledger_torture import Call, kill, out_of_order
from sfumato.ledger import Ledger
from sfumato.ledger.sqlite import SqliteStore

SCRIPT = Path(__file__).parents[1] / "ledger_torture.py"


def torture(*words: str) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *words], check=True, capture_output=True, text=True, timeout=480
    )
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("charges", [500, pytest.param(12_500, marks=pytest.mark.torture)])
@pytest.mark.parametrize("store", ["sqlite", "postgres"])
def test_eight_processes_racing_spend_the_cap_to_the_unit_and_no_more(store: str, charges: int) -> None:
    found = torture("race", "--store", store, "--processes", "8", "--charges", str(charges))
    assert (found["attempts"], found["granted"], found["left"]) == (8 * charges, 8 * charges * 4 // 5, "0")
    assert found["lost"] == found["unclaimed"] == found["out_of_order"] == found["failed"] == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("store", "rounds", "together"),
    [
        ("sqlite", 60, 4),
        ("postgres", 20, 4),
        pytest.param("sqlite", 1000, 2, marks=pytest.mark.torture),
        pytest.param("postgres", 60, 2, marks=pytest.mark.torture),
    ],
)
def test_killed_at_random_moments_no_acknowledged_charge_is_lost(store: str, rounds: int, together: int) -> None:
    found = torture("kill", "--store", store, "--rounds", str(rounds), "--together", str(together))
    assert found["rounds"] == rounds
    assert int(str(found["acknowledged"])) > rounds / 4
    assert found["server_crashes"] == (rounds // 10 if store == "postgres" else 0)
    assert found["lost"] == found["settled_without_charge"] == found["failed"] == 0


class Hasty(sqlite3.Connection):
    """Says that charges are committed, and would commit them when it has time."""

    charges = False

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        if self.charges and sql in ("BEGIN IMMEDIATE", "COMMIT"):
            return super().execute("SELECT 1")
        self.charges |= sql.startswith("INSERT INTO open_keys")
        return super().execute(sql, parameters)


def test_the_kills_convict_a_ledger_that_acknowledges_before_it_commits(tmp_path: Path) -> None:
    """The broken twin: the charge comes after the answer."""

    def opened(kind: type[sqlite3.Connection]) -> Ledger:
        def connecting(path: Path, patience: float) -> sqlite3.Connection:
            return sqlite3.connect(path, timeout=patience, isolation_level=None, check_same_thread=False, factory=kind)

        return Ledger(SqliteStore(tmp_path / f"{kind.__name__}.ledger", patience=5, connect=connecting))

    honest = kill(lambda: opened(sqlite3.Connection), rounds=4, together=1, patience=1)
    hasty = kill(lambda: opened(Hasty), rounds=4, together=1, patience=1)
    assert honest["lost"] == 0 < honest["acknowledged"]
    assert hasty["lost"] == hasty["acknowledged"] > 0


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


def test_the_checker_convicts_a_ledger_that_charges_after_the_answer(sqlite_opener: Opener) -> None:
    """The broken twin: look whether there is room, answer, charge when it is too late to refuse."""
    ledger = stocked(sqlite_opener(), epsilon="0.3", own="1")
    calls: list[Call] = []
    looked = threading.Barrier(5)

    def run(number: int) -> None:
        asked = time.monotonic_ns()
        room = ledger.balances("visits")[0].remaining >= Fraction(1, 10)
        looked.wait(20)
        calls.append((asked, time.monotonic_ns(), number + 1 if room else 0))  # the answer has left
        ask(ledger, f"q{number}")

    threads = [threading.Thread(target=run, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.balances("visits")[0].remaining == 0
    assert wrongs(calls, cap=3) >= 2, "five answers left, and the books have three"


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
