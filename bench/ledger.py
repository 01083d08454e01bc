"""Durable charges per second beside SQLite's own bare commit, in one run, and the cost of a charge as history grows.

The disk of a shared machine changes its mind from second to second, so everything is measured in short turns and the
figure is the median, over rounds, of our rate over the bare rate just before and after. A bare commit writes one row of
as many bytes as an entry has. The goals are on the disk as it is, and what they show depends on how long it takes to sync.
So the same figures stand beside them on a file system in memory, where a sync costs nothing, with a pause added to every
COMMIT, ours and the bare one alike: what disks of some speeds would show.
"""

import hashlib
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

from report import Row, at_least, at_most, publish
from sfumato.accounting import events
from sfumato.ledger import Budget, Ledger, Receipt
from sfumato.ledger.budgets import known
from sfumato.ledger.requests import Settle
from sfumato.ledger.reserve import Reserve
from sfumato.ledger.sqlite import PRAGMAS, Connect, SqliteStore, connect

ROUNDS, TURN = 40, 64
CALLERS, EACH = 32, 16
PAUSES = (0.0, 0.0002, 0.001, 0.005)
HISTORIES = (1_000, 10_000, 100_000, 1_000_000)
PRICES = [events.Laplace(Fraction(n, 1000)) for n in range(1, 33)]  # what charges cost varies, and recurs


class Paused(sqlite3.Connection):
    """A connection whose commits take longer."""

    pause = 0.0

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """Run a statement, and wait after a commit."""
        found = super().execute(sql, parameters)
        if sql == "COMMIT" and self.pause:
            time.sleep(self.pause)
        return found


def pausing(pause: float | None) -> Connect:
    """How to connect: as the product does, or with a pause after every commit."""
    if pause is None:
        return connect

    def paused(path: Path, patience: float) -> sqlite3.Connection:
        connection = sqlite3.connect(
            path, factory=Paused, timeout=patience, isolation_level=None, check_same_thread=False, cached_statements=512
        )
        connection.pause = pause
        return connection

    return paused


class Bare:
    """The least that a durable charge could be: one row of an entry's size, one commit, the same settings."""

    def __init__(self, path: Path, *, body: str, pause: float | None) -> None:
        path.touch(0o600)
        self._connection = pausing(pause)(path, 5.0)
        self._row = (body, "0" * 64)
        self._connection.execute("PRAGMA journal_mode=WAL")
        for pragma in PRAGMAS:
            self._connection.execute(f"PRAGMA {pragma}")
        self._connection.execute(
            "CREATE TABLE charges (sequence INTEGER PRIMARY KEY, body TEXT NOT NULL, head TEXT NOT NULL) STRICT"
        )

    def run(self, commits: int) -> float:
        """Commits per second."""
        execute = self._connection.execute
        start = time.perf_counter()
        for _ in range(commits):
            execute("BEGIN IMMEDIATE")
            execute("INSERT INTO charges (body, head) VALUES (?, ?)", self._row)
            execute("COMMIT")
        return commits / (time.perf_counter() - start)


class Ours:
    """A ledger and the names of questions that were not asked yet."""

    def __init__(self, path: Path, *, pause: float | None = None) -> None:
        self.ledger = Ledger(SqliteStore(path, patience=30.0, connect=pausing(pause)))
        self.ledger.register("visits", Budget.pure(epsilon=10**12))
        self.ledger.grant("visits", "ada", Budget.pure(epsilon=10**12))
        self._asked = 0

    def names(self, count: int) -> list[tuple[str, str, events.Event]]:
        """Fresh keys, hashes and events."""
        numbers = range(self._asked, self._asked + count)
        self._asked += count
        return [(f"key {n}", hashlib.sha256(b"%d" % n).hexdigest(), PRICES[n % len(PRICES)]) for n in numbers]

    def charge(self, name: tuple[str, str, events.Event]) -> Receipt:
        """One charge, which must be granted."""
        found = self.ledger.reserve(
            dataset="visits",
            principal="ada",
            event=name[2],
            request_hash=name[1],
            idempotency_key=name[0],
            data_version="v1",
        )
        assert isinstance(found, Receipt)
        return found

    def alone(self, charges: int) -> float:
        """Charges per second of one caller."""
        names = self.names(charges)
        start = time.perf_counter()
        for name in names:
            self.charge(name)
        rate = charges / (time.perf_counter() - start)
        self.ledger.recover()  # nothing stays open, as in a curator that settles
        return rate

    def together(self, callers: int, each: int, *, settle: bool = False) -> float:
        """Charges per second of many callers at once, or entries if each settles what it has charged."""
        lists = [self.names(each) for _ in range(callers)]
        barrier = threading.Barrier(callers + 1)

        def run(names: list[tuple[str, str, events.Event]]) -> None:
            barrier.wait()
            for name in names:
                receipt = self.charge(name)
                if settle:
                    self.ledger.settle(receipt, {"n": 41})

        threads = [threading.Thread(target=run, args=(names,)) for names in lists]
        for thread in threads:
            thread.start()
        barrier.wait()
        start = time.perf_counter()
        for thread in threads:
            thread.join()
        rate = (2 if settle else 1) * callers * each / (time.perf_counter() - start)
        self.ledger.recover()
        return rate

    def entry(self) -> str:
        """The text of a charge's entry."""
        self.charge(self.names(1)[0])
        body = list(self.ledger.export())[-1]
        self.ledger.recover()
        return body

    def live(self, entries: int) -> None:
        """A history of that many entries: charges, each settled."""
        while self._asked < entries // 2:
            names = self.names(250)
            asked = [Reserve("visits", "ada", known(event), sha, key, "v1") for key, sha, event in names]
            receipts = self.ledger._decide(asked)
            self.ledger._decide([Settle(receipt, {"n": 41}) for receipt in receipts])
            if self._asked % 100_000 < 250:
                print(f"… {2 * self._asked:,} entries", file=sys.stderr)


def against_bare(bare: Bare, measure: Callable[[], float], *, rounds: int, warm: int = 3) -> tuple[float, float]:
    """The bare rate, and the median ratio of a rate to the bare rates around it."""
    rates, ratios = [], []
    for round_ in range(rounds + warm):
        before = bare.run(TURN)
        ours = measure()
        after = bare.run(TURN)
        if round_ >= warm:
            rates.append((before + after) / 2)
            ratios.append(ours / ((before + after) / 2))
    return statistics.median(rates), statistics.median(ratios)


def speeds(folder: Path, *, pause: float | None = None) -> list[Row]:
    """One caller and many, beside the bare commit, in a folder as it is or with a pause at every commit."""
    ours = Ours(folder / f"young {pause}", pause=pause)
    bare = Bare(folder / f"bare {pause}", body=ours.entry(), pause=pause)
    rows: list[Row] = []
    for figure, measure, goal in (
        ("durable charges/s, one caller", lambda: ours.alone(TURN), 0.7),
        (f"durable charges/s, {CALLERS} callers", lambda: ours.together(CALLERS, EACH), 5.0),
        (
            f"durable entries/s, {CALLERS} callers that charge and settle",
            lambda: ours.together(CALLERS, EACH // 2, settle=True),
            None,
        ),
    ):
        said = figure if pause is None else f"{figure}, commits of {pause * 1000:g} ms"
        print(f"… {said}", file=sys.stderr)
        rate, ratio = against_bare(bare, measure, rounds=ROUNDS if pause is None else ROUNDS // 4)
        peer = "SQLite, bare commit"
        rows.append(at_least(said, ours=ratio * rate, theirs=rate, peer=peer, goal=goal if pause is None else None))
    return rows


def growth(folder: Path) -> list[Row]:
    """The time of a charge as history grows, over that of a charge in a young ledger in the same moments."""
    rows: list[Row] = []
    old = Ours(folder / "old")
    for entries in HISTORIES:
        young = Ours(folder / f"young beside {entries}")
        old.live(entries)
        ratios = [young.alone(TURN) / old.alone(TURN) for _ in range(2 * ROUNDS)]
        figure = f"time of a charge after {entries:,} entries over that after the first ones"
        rows.append(at_most(figure, ours=statistics.median(ratios), goal=1.5))
    return rows


def main() -> None:
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with (
        tempfile.TemporaryDirectory(dir=Path(__file__).parent) as disk,
        tempfile.TemporaryDirectory(dir=memory) as quick,
    ):
        rows = speeds(Path(disk))
        for pause in PAUSES:
            rows += speeds(Path(quick), pause=pause)
        publish("ledger", rows + growth(Path(disk)))


if __name__ == "__main__":
    main()
