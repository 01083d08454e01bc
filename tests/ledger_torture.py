"""Processes that race for a budget and processes that are killed: `python tests/ledger_torture.py race|kill …`.

Prints one line of JSON that says what was found. The suite runs it, and `make torture-ledger` at full length.
"""

import argparse
import contextlib
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from ledger_cases import ask, memory, postgres_host
from sfumato.accounting import events
from sfumato.errors import LedgerUnavailable
from sfumato.ledger import Budget, Ledger, PostgresLedger, Receipt, SqliteLedger

Opening = Callable[[], Ledger]
Call = tuple[int, int, int]  # asked at, answered at (nanoseconds of one clock), sequence or 0 if refused


def in_children(count: int, work: Callable[[int, int], None]) -> list[tuple[int, int]]:
    """Forks `count` processes that run the work with their number and a pipe to write to."""
    children = []
    for number in range(count):
        inlet, outlet = os.pipe()
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                os.close(inlet)
                work(number, outlet)
                code = 0
            finally:
                os._exit(code)
        os.close(outlet)
        children.append((pid, inlet))
    return children


def drained(inlet: int) -> str:
    with os.fdopen(inlet, "rb") as pipe:
        return pipe.read().decode()


# ---- race ------------------------------------------------------------------------------------------------------


def racing(opening: Opening, number: int, outlet: int, *, charges: int, threads: int, event: events.Event) -> None:
    ledger = opening()
    calls: list[Call] = []

    def run(thread: int) -> None:
        for i in range(thread, charges, threads):
            asked = time.monotonic_ns()
            found = ask(ledger, f"{number}.{i}", event=event)
            calls.append((asked, time.monotonic_ns(), found.sequence if isinstance(found, Receipt) else 0))

    workers = [threading.Thread(target=run, args=(thread,)) for thread in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    ledger.close()
    with os.fdopen(outlet, "w") as pipe:
        json.dump(calls, pipe)


def out_of_order(calls: list[Call], *, first: int, price: int, cap: int) -> int:
    """How often a history is not that of a counter asked by one caller at a time.

    Every grant has a sequence of its own. A call that was answered before another was asked has the smaller one. A
    refusal is right if, at the latest when it was answered, there was no room: grants that were asked by then. There
    are no more grants than the cap holds.
    """
    wrong = 0
    grants = sorted(call for call in calls if call[2])
    wrong += sum(n - 1 for n in Counter(call[2] for call in grants).values())
    latest, ended = 0, sorted(grants, key=lambda call: call[1])
    done = 0
    for asked, _, sequence in grants:
        while done < len(ended) and ended[done][1] < asked:
            latest = max(latest, ended[done][2])
            done += 1
        wrong += sequence < latest
    begun = [call[0] for call in grants]
    possible = 0
    for _, answered, sequence in sorted(calls, key=lambda call: call[1]):
        while possible < len(begun) and begun[possible] < answered:
            possible += 1
        wrong += sequence == 0 and price * (possible + 1) <= cap
    wrong += sum(call[2] < first for call in grants)
    return wrong + max(0, len(grants) - cap // price)


def race(opening: Opening, *, processes: int, charges: int, threads: int) -> dict[str, Any]:
    attempts = processes * charges
    room = attempts * 4 // 5
    event = events.Pure(Fraction(1, 10**6))
    ledger = opening()
    ledger.register("visits", Budget.pure(epsilon=Fraction(room, 10**6)))
    first = ledger.grant("visits", "ada", Budget.pure(epsilon="1000")) + 1
    ledger.close()
    started = time.monotonic()
    children = in_children(
        processes, lambda n, out: racing(opening, n, out, charges=charges, threads=threads, event=event)
    )
    calls = [tuple(call) for _, inlet in children for call in json.loads(drained(inlet))]
    codes = [os.waitpid(pid, 0)[1] for pid, _ in children]
    took = time.monotonic() - started
    ledger = opening()
    ledger.verify()
    balance = ledger.balances("visits")[0]
    stored = {entry.sequence for entry in ledger.entries() if entry.body["kind"] == "reserve"}
    granted = {call[2] for call in calls if call[2]}
    ledger.close()
    return {
        "attempts": len(calls),
        "granted": len(granted),
        "room": room,
        "left": str(balance.remaining),
        "lost": len(granted - stored),
        "unclaimed": len(stored - granted),
        "out_of_order": out_of_order(calls, first=first, price=1, cap=room),
        "failed": sum(code != 0 for code in codes),
        "seconds": round(took, 1),
    }


# ---- kill ------------------------------------------------------------------------------------------------------


def charging(opening: Opening, outlet: int, *, threads: int) -> None:
    """Charges and settles in several threads, so that they share commits, until it is killed; says so after each."""
    ledger = opening()

    def run(thread: int) -> None:
        i = 0
        while True:
            i += 1
            name = f"{os.getpid()}.{thread}.{i}.{time.monotonic_ns()}"
            try:
                found = ask(ledger, name, event=events.Pure(Fraction(1, 10**6)))
                if not isinstance(found, Receipt):
                    os._exit(1)
                os.write(outlet, f"{found.sequence} {found.head} reserve\n".encode())
                if i % 2:
                    answer = ledger.settle(found, {"n": i})
                    os.write(outlet, f"{answer.sequence} {answer.head} settle\n".encode())
            except LedgerUnavailable:  # the server is gone: what was not acknowledged is in doubt
                return
            except BaseException:
                os._exit(1)

    workers = [threading.Thread(target=run, args=(thread,)) for thread in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def opened_or_gone(opening: Opening, outlet: int, threads: int) -> None:
    with contextlib.suppress(LedgerUnavailable):  # a server that crashed while the ledger was opened
        charging(opening, outlet, threads=threads)


def kill(
    opening: Opening,
    *,
    rounds: int,
    together: int = 2,
    threads: int = 4,
    crash: Callable[[], None] | None = None,
    patience: float = 0.25,
) -> dict[str, Any]:
    """Kills processes at random moments, and the server of the database in every tenth round; who was lied to?

    A share of `patience` of the processes is left alone until it has acknowledged something.
    """
    chance = random.Random(5)
    ledger = opening()
    ledger.register("visits", Budget.pure(epsilon="1000"))
    ledger.grant("visits", "ada", Budget.pure(epsilon="1000"))
    ledger.close()
    said: set[tuple[int, str, str]] = set()  # sequence, head, kind; a number that was given out twice is two claims
    failed = crashes = 0
    for round_ in range(rounds):
        children = in_children(together, lambda _, out: opened_or_gone(opening, out, threads))
        if crash is not None and round_ % 10 == 9:
            time.sleep(chance.uniform(0.01, 0.1))
            crash()
            crashes += 1
        for pid, inlet in children:
            first, patient = b"", chance.random() < patience  # else it may die while it opens the ledger
            while patient and not first.endswith(b"\n"):
                read = os.read(inlet, 1)
                if not read:
                    break
                first += read
            time.sleep(chance.uniform(0, 0.012))
            os.kill(pid, signal.SIGKILL)
            failed += os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) not in (0, -signal.SIGKILL)
            for line in (first.decode() + drained(inlet)).splitlines(keepends=True):
                if line.endswith("\n"):
                    sequence, head, kind = line.split()
                    said.add((int(sequence), head, kind))
        if round_ % 20 == 0:
            ledger = opening()
            ledger.recover()
            ledger.close()
    ledger = opening()
    ledger.recover()
    ledger.verify()
    stored = {entry.sequence: entry for entry in ledger.entries()}
    kinds = Counter(entry.body["kind"] for entry in stored.values())
    charged = {entry.sequence for entry in stored.values() if entry.body["kind"] == "reserve"}
    ledger.close()
    return {
        "rounds": rounds,
        "server_crashes": crashes,
        "failed": failed,
        "acknowledged": len(said),
        "lost": sum(
            n not in stored or (stored[n].head, stored[n].body["kind"]) != (head, kind) for n, head, kind in said
        ),
        "settled_without_charge": sum(
            entry.body["reserve"] not in charged for entry in stored.values() if entry.body["kind"] == "settle"
        ),
        "entries": dict(kinds),
    }


# ---- which ledger ----------------------------------------------------------------------------------------------


@contextlib.contextmanager
def opened_on(store: str) -> Iterator[tuple[Opening, Callable[[], None] | None]]:
    """How to open a ledger on a store, and how to crash the store's server if it has one."""
    with tempfile.TemporaryDirectory(dir=memory()) as name:
        folder = Path(name)
        if store == "sqlite":
            yield lambda: SqliteLedger(folder / "spending.ledger", patience=120), None
            return
        with postgres_host(folder) as host:
            yield lambda: PostgresLedger(host.dsn, patience=120), host.crash


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["race", "kill"])
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--charges", type=int, default=12_500)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--together", type=int, default=2, help="how many are killed in a round")
    given = parser.parse_args()
    with opened_on(given.store) as (opening, crash):
        if given.what == "race":
            found = race(opening, processes=given.processes, charges=given.charges, threads=given.threads)
        else:
            found = kill(opening, rounds=given.rounds, together=given.together, crash=crash)
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
