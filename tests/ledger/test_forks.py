"""A ledger belongs to the process that opened it."""

import gc
import multiprocessing
import os
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from ledger_cases import Opener, ask, charge, stocked
from sfumato.errors import LedgerUnavailable
from sfumato.ledger import Ledger, Receipt, SqliteLedger
from sfumato.ledger.sqlite import SqliteStore


def refused_in_child(opener: Opener) -> list[str]:
    ledger = stocked(opener())
    inlet, outlet = os.pipe()
    pid = os.fork()
    if pid == 0:
        found = []
        for use in (lambda: ask(ledger), ledger.verify, ledger.close):
            try:
                use()
                found.append("worked")
            except LedgerUnavailable as error:
                found.append("fork" if "before a fork" in str(error) else str(error))
        os.write(outlet, " ".join(found).encode())
        os._exit(0)
    os.close(outlet)
    os.waitpid(pid, 0)
    with os.fdopen(inlet) as pipe:
        return pipe.read().split()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_ledger_opened_before_a_fork_is_not_used_after_it(opener: Opener) -> None:
    assert refused_in_child(opener) == ["fork"] * 3
    charge(opener())


class Slow(sqlite3.Connection):
    """A connection whose commit waits until it is told to go on."""

    entered, gate = threading.Event(), threading.Event()

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        if sql == "COMMIT" and threading.current_thread().name == "leader":
            self.entered.set()
            assert self.gate.wait(20)
        return super().execute(sql, parameters)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_while_a_commit_is_under_way_harms_neither_process(tmp_path: Path) -> None:
    """The child has a copy of the connection, of the locks and of a commit that nobody is carrying out."""
    Slow.entered.clear(), Slow.gate.clear()  # type: ignore[func-returns-value]

    def slow(path: Path, patience: float) -> sqlite3.Connection:
        return sqlite3.connect(path, timeout=patience, isolation_level=None, check_same_thread=False, factory=Slow)

    ledger = stocked(Ledger(SqliteStore(tmp_path / "ledger", patience=5, connect=slow)))
    found: list[Receipt] = []
    leader = threading.Thread(target=lambda: found.append(charge(ledger, "leader")), name="leader")
    follower = threading.Thread(target=lambda: found.append(charge(ledger, "follower")))
    leader.start()
    assert Slow.entered.wait(20)
    follower.start()
    inlet, outlet = os.pipe()
    pid = os.fork()
    if pid == 0:
        said = "worked"
        try:
            ask(ledger, "child")
        except LedgerUnavailable as error:
            said = "fork" if "before a fork" in str(error) else str(error)
        ledger._store._writer = None  # type: ignore[attr-defined]  # throws its copy of the connection away
        gc.collect()
        os.write(outlet, said.encode())
        os._exit(0)
    os.close(outlet)
    os.waitpid(pid, 0)
    with os.fdopen(inlet) as pipe:
        assert pipe.read() == "fork"
    Slow.gate.set()
    leader.join(20)
    follower.join(20)
    with SqliteLedger(tmp_path / "ledger") as other:
        heads = {entry.sequence: entry.head for entry in other.entries()}
        assert [heads[receipt.sequence] for receipt in found] == [receipt.head for receipt in found]
        assert len(found) == 2
        other.verify()
    ledger.close()


def test_only_the_process_that_opened_a_ledger_may_use_it(opener: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = stocked(opener())
    with monkeypatch.context() as patched:
        patched.setattr(os, "getpid", lambda: -1)
        with pytest.raises(LedgerUnavailable, match="opened before a fork"):
            ask(ledger)
    charge(ledger)


def _charge_in_a_new_process(path: str) -> int:
    with SqliteLedger(path) as ledger:
        return charge(ledger, "from afar").sequence


def test_a_new_process_opens_its_own(sqlite_opener: Opener) -> None:
    ledger = stocked(sqlite_opener())
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(_charge_in_a_new_process, (str(sqlite_opener.path),)) == 4
    assert charge(ledger, "here").sequence == 5, "what is kept in memory follows what others wrote"
