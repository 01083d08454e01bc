"""Durable charges per second beside SQLite's own bare commit, in one run, and the cost of a charge as history grows.

The disk of a shared machine changes its mind from second to second, so everything is measured in short turns and the
figure is the median, over rounds, of our rate over the bare rate just before and after.
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

from report import Row, at_least, at_most, publish
from sfumato.accounting import events
from sfumato.ledger import Budget, Receipt, SqliteLedger
from sfumato.ledger.budgets import known
from sfumato.ledger.requests import Settle
from sfumato.ledger.reserve import Reserve
from sfumato.ledger.sqlite import PRAGMAS

ROUNDS, TURN = 40, 192
CALLERS, EACH = 32, 24
HISTORY = 1_000_000
PRICES = [events.Laplace(Fraction(n, 1000)) for n in range(1, 33)]  # what charges cost varies, and recurs


class Bare:
    """The least that a durable charge could be: one row, one commit, the same settings."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode=WAL")
        for pragma in PRAGMAS:
            self._connection.execute(f"PRAGMA {pragma}")
        self._connection.execute("CREATE TABLE charges (sequence INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT")

    def run(self, commits: int) -> float:
        """Commits per second."""
        execute = self._connection.execute
        start = time.perf_counter()
        for _ in range(commits):
            execute("BEGIN IMMEDIATE")
            execute("INSERT INTO charges (body) VALUES ('0.1 for ada on visits, by Laplace noise')")
            execute("COMMIT")
        return commits / (time.perf_counter() - start)


class Ours:
    """A ledger and the names of questions that were not asked yet."""

    def __init__(self, path: Path) -> None:
        self.ledger = SqliteLedger(path)
        self.ledger.register("visits", Budget.pure(epsilon=10**12))
        self.ledger.grant("visits", "ada", Budget.pure(epsilon=10**12))
        self._asked = 0

    def names(self, count: int) -> list[tuple[str, str, events.Event]]:
        """Fresh keys, hashes and events."""
        numbers = range(self._asked, self._asked + count)
        self._asked += count
        return [(f"key {n}", hashlib.sha256(b"%d" % n).hexdigest(), PRICES[n % len(PRICES)]) for n in numbers]

    def charge(self, name: tuple[str, str, events.Event]) -> None:
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

    def alone(self, charges: int) -> float:
        """Charges per second of one caller."""
        names = self.names(charges)
        start = time.perf_counter()
        for name in names:
            self.charge(name)
        rate = charges / (time.perf_counter() - start)
        self.ledger.recover()  # nothing stays open, as in a curator that settles
        return rate

    def together(self, callers: int, each: int) -> float:
        """Charges per second of many callers at once."""
        lists = [self.names(each) for _ in range(callers)]
        barrier = threading.Barrier(callers + 1)

        def run(names: list[tuple[str, str, events.Event]]) -> None:
            barrier.wait()
            for name in names:
                self.charge(name)

        threads = [threading.Thread(target=run, args=(names,)) for names in lists]
        for thread in threads:
            thread.start()
        barrier.wait()
        start = time.perf_counter()
        for thread in threads:
            thread.join()
        rate = callers * each / (time.perf_counter() - start)
        self.ledger.recover()
        return rate

    def live(self, entries: int) -> None:
        """A history of that many entries: charges, each settled."""
        while self._asked < entries // 2:
            names = self.names(250)
            asked = [Reserve("visits", "ada", known(event), sha, key, "v1") for key, sha, event in names]
            receipts = self.ledger._decide(asked)
            self.ledger._decide([Settle(receipt, {"n": 41}) for receipt in receipts])
            if self._asked % 100_000 < 250:
                print(f"… {2 * self._asked:,} entries", file=sys.stderr)


def against_bare(bare: Bare, measure: Callable[[], float], *, warm: int = 3) -> tuple[float, float]:
    """The bare rate, and the median ratio of a rate to the bare rates around it."""
    rates, ratios = [], []
    for round_ in range(ROUNDS + warm):
        before = bare.run(TURN)
        ours = measure()
        after = bare.run(TURN)
        if round_ >= warm:
            rates.append((before + after) / 2)
            ratios.append(ours / ((before + after) / 2))
    return statistics.median(rates), statistics.median(ratios)


def main() -> None:
    with tempfile.TemporaryDirectory(dir=Path(__file__).parent) as folder:  # a disk, not a file system in memory
        bare, young = Bare(Path(folder) / "bare"), Ours(Path(folder) / "young")
        rows: list[Row] = []
        for figure, measure, goal in (
            ("durable charges/s, one caller", lambda: young.alone(TURN), 0.7),
            (f"durable charges/s, {CALLERS} callers", lambda: young.together(CALLERS, EACH), 5.0),
        ):
            print(f"… {figure}", file=sys.stderr)
            rate, ratio = against_bare(bare, measure)
            rows.append(Row(f"… beside a bare commit of so many µs ({figure})", 1e6 / rate, None, "", None, "", None))
            rows.append(at_least(figure, ours=ratio * rate, theirs=rate, peer="SQLite, bare commit", goal=goal))
        first, old = Ours(Path(folder) / "first"), Ours(Path(folder) / "old")
        old.live(HISTORY)
        ratios = []
        for _ in range(2 * ROUNDS):
            ratios.append(first.alone(64) / old.alone(64))
        figure = f"time of a charge after {HISTORY:,} entries over that after the first ones"
        rows.append(at_most(figure, ours=statistics.median(ratios), goal=1.5))
        publish("ledger", rows)


if __name__ == "__main__":
    main()
