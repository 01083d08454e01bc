"""Group commit: callers who come together share a commit, and nobody waits for ever."""

import itertools
import threading
import time
from collections.abc import Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from ledger_cases import Opener, ask, charge, spent, stocked
from sfumato.errors import LedgerMisuse, LedgerUnavailable
from sfumato.ledger import Receipt
from sfumato.ledger import commits as commits_module
from sfumato.ledger.budgets import known
from sfumato.ledger.commits import Commits
from sfumato.ledger.requests import Recover
from sfumato.ledger.reserve import Reserve


class Slow:
    """Decides batches and keeps them; waits at the gate before each."""

    def __init__(self) -> None:
        self.batches: list[list[Any]] = []
        self.gate = threading.Semaphore(0)
        self.entered = threading.Semaphore(0)

    def __call__(self, batch: Sequence[Any]) -> Sequence[Any]:
        self.entered.release()
        self.gate.acquire()
        self.batches.append(list(batch))
        if "bug" in batch:
            raise ZeroDivisionError
        return [LedgerMisuse("no") if request == "bad" else f"did {request}" for request in batch]


class Callers:
    def __init__(self, group: Commits) -> None:
        self.group = group
        self.found: dict[str, object] = {}
        self.threads: list[threading.Thread] = []

    def start(self, request: str, *, behind: int) -> None:
        """Send a request and wait until that many are queued."""

        def run() -> None:
            try:
                self.found[request] = self.group.submit(request)  # type: ignore[arg-type]
            except BaseException as error:
                self.found[request] = error

        thread = threading.Thread(target=run)
        thread.start()
        self.threads.append(thread)
        while len(self.group._waiting) != behind:
            time.sleep(0.0005)

    def finish(self) -> None:
        for thread in self.threads:
            thread.join(20)
            assert not thread.is_alive()


def lined_up(*requests: str) -> tuple[Slow, Callers]:
    """A leader inside its commit, and the others waiting behind it."""
    slow = Slow()
    callers = Callers(Commits(slow))
    callers.start("first", behind=0)
    slow.entered.acquire()
    for n, request in enumerate(requests, 1):
        callers.start(request, behind=n)
    return slow, callers


def test_those_who_come_during_a_commit_share_the_next_in_their_order() -> None:
    slow, callers = lined_up("a", "b", "c")
    slow.gate.release(2)
    callers.finish()
    assert slow.batches == [["first"], ["a", "b", "c"]]
    assert callers.found == {name: f"did {name}" for name in ("first", "a", "b", "c")}
    assert not callers.group._busy


def test_one_who_is_refused_does_not_refuse_the_others() -> None:
    slow, callers = lined_up("a", "bad", "c")
    slow.gate.release(2)
    callers.finish()
    assert isinstance(callers.found["bad"], LedgerMisuse)
    assert callers.found["c"] == "did c"


def test_a_commit_that_breaks_tells_all_who_shared_it_and_the_next_goes_on() -> None:
    slow, callers = lined_up("a", "bug", "c")
    slow.gate.release(1)
    slow.entered.acquire()
    callers.start("later", behind=1)
    slow.gate.release(2)
    callers.finish()
    kinds = sorted(type(callers.found[name]).__name__ for name in ("a", "bug", "c"))
    assert kinds == ["LedgerUnavailable", "LedgerUnavailable", "ZeroDivisionError"]
    assert "interrupted" in str(next(e for e in callers.found.values() if isinstance(e, LedgerUnavailable)))
    assert callers.found["later"] == "did later"


def test_a_batch_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commits_module, "_MOST", 2)
    slow, callers = lined_up("a", "b", "c")
    slow.gate.release(3)
    callers.finish()
    assert slow.batches == [["first"], ["a", "b"], ["c"]]


class Interrupted:
    """A lock whose owner is interrupted while waiting, at a moment of the test's choosing."""

    def __init__(self, moment: threading.Event) -> None:
        self._moment = moment
        self._first = True

    def acquire(self) -> None:
        if self._first:
            self._first = False
            return
        self._moment.wait(20)
        raise KeyboardInterrupt

    def release(self) -> None:
        pass


def interrupting(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """The moment at which the caller `impatient` is interrupted."""
    moment = threading.Event()
    real = commits_module._Ticket.__init__

    def impatient(self: Any, request: Any) -> None:
        real(self, request)
        if request == "impatient":
            self.turn = Interrupted(moment)

    monkeypatch.setattr(commits_module._Ticket, "__init__", impatient)
    return moment


@pytest.mark.parametrize("made_leader", [False, True])
def test_a_caller_who_is_interrupted_leaves_the_queue_in_order(
    made_leader: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, callers = lined_up()
    moment = interrupting(monkeypatch)
    callers.start("impatient", behind=1)
    callers.start("patient", behind=2)
    if made_leader:  # the commit ends first, so the one who is interrupted has to serve those behind
        slow.gate.release(1)
        callers.threads[0].join(20)
        moment.set()
    else:
        moment.set()
        callers.threads[1].join(20)
        slow.gate.release(1)
    slow.gate.release(1)
    callers.finish()
    assert isinstance(callers.found["impatient"], KeyboardInterrupt)
    assert callers.found["patient"] == "did patient"
    assert slow.batches[1] == (["impatient", "patient"] if made_leader else ["patient"])


def test_an_interrupted_caller_whose_batch_is_under_way_just_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    slow, callers = lined_up()
    moment = interrupting(monkeypatch)
    callers.start("leader", behind=1)
    callers.start("impatient", behind=2)
    callers.start("behind it", behind=3)
    slow.gate.release(1)
    slow.entered.acquire()  # the second batch, which holds all three
    moment.set()
    callers.threads[2].join(20)
    slow.gate.release(1)
    callers.finish()
    assert isinstance(callers.found["impatient"], KeyboardInterrupt)
    assert callers.found["leader"] == "did leader"
    assert callers.found["behind it"] == "did behind it", "nobody waits to be woken by one who is gone"


@pytest.mark.parametrize("step", ["_gather", "_lead"])
def test_a_leader_who_is_interrupted_at_its_first_step_still_serves_those_behind(
    step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, callers = lined_up()
    real, interrupts = getattr(Commits, step), [1]

    def interrupted(self: Commits, *words: Any) -> None:
        if callers.threads and interrupts and threading.current_thread() is callers.threads[1]:
            interrupts.clear()
            raise KeyboardInterrupt
        real(self, *words)

    monkeypatch.setattr(Commits, step, interrupted)
    callers.start("second", behind=1)
    callers.start("third", behind=2)
    slow.gate.release(3)
    callers.finish()
    assert not interrupts
    assert isinstance(callers.found["second"], KeyboardInterrupt)
    assert callers.found["third"] == "did third"
    assert slow.batches == [["first"], ["second", "third"]]
    slow.gate.release()
    assert callers.group.submit("later") == "did later"  # type: ignore[arg-type]


def test_a_caller_who_is_interrupted_while_it_lines_up_leaves_the_others_in_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow, callers = lined_up("a")
    real = Commits._line_up

    def interrupted(self: Commits, ticket: Any) -> None:
        if ticket.request == "impatient":
            self._waiting.append(ticket)
            raise KeyboardInterrupt
        real(self, ticket)

    monkeypatch.setattr(Commits, "_line_up", interrupted)
    with pytest.raises(KeyboardInterrupt):
        callers.group.submit("impatient")  # type: ignore[arg-type]
    slow.gate.release(2)
    callers.finish()
    assert slow.batches == [["first"], ["a"]]


def test_one_who_is_interrupted_when_all_is_decided_still_wakes_the_next() -> None:
    """Each wakes the next: a link that breaks must not leave the rest asleep."""
    group = Commits(lambda batch: batch)
    first, second = commits_module._Ticket("first"), commits_module._Ticket("second")
    second.turn.acquire()
    assert commits_module._chained([first, second]) is first
    group._leave(first)
    assert not second.turn.locked()
    group._leave(first)
    assert commits_module._chained([]) is None


def test_a_leader_waits_a_moment_for_those_who_shared_the_last_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commits_module, "_LONGEST_MOMENT", 20.0)
    ticks = itertools.count(0, 100)
    monkeypatch.setattr(commits_module, "time", SimpleNamespace(monotonic=lambda: next(ticks)))  # every commit is slow
    slow, callers = lined_up("a", "b")
    slow.gate.release(1)
    callers.threads[0].join(20)
    callers.start("back again", behind=0)
    slow.gate.release(1)
    callers.finish()
    assert slow.batches == [["first"], ["a", "b", "back again"]]


def test_a_leader_waits_no_longer_than_the_last_commit_took() -> None:
    slow, callers = lined_up("a", "b")
    slow.gate.release(2)
    callers.finish()
    assert slow.batches == [["first"], ["a", "b"]], "`first` did not come back, and nobody waits for it for ever"
    assert callers.group._moment <= commits_module._LONGEST_MOMENT


def test_threads_that_share_a_ledger_spend_the_cap_and_no_more(opener: Opener) -> None:
    ledger = stocked(opener(), epsilon="10", own="10")
    found: list[object] = []
    threads = [
        threading.Thread(target=lambda n=n: found.extend(ask(ledger, f"{n}.{i}") for i in range(10))) for n in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    receipts = [each for each in found if isinstance(each, Receipt)]
    assert len(found) == 160
    assert len({receipt.sequence for receipt in receipts}) == len(receipts) == 100
    assert spent(ledger) == 10
    ledger.verify()


def test_equal_keys_that_race_are_charged_once(opener: Opener) -> None:
    ledger = stocked(opener())
    found: list[object] = []
    barrier = threading.Barrier(8)

    def run() -> None:
        barrier.wait()
        found.append(ask(ledger, "q", key="k"))

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(isinstance(each, Receipt) for each in found) == 1
    assert spent(ledger) == Fraction(1, 10)


def test_a_reservation_and_its_recovery_may_share_a_commit(opener: Opener) -> None:
    from ledger_cases import TENTH, sha

    ledger = stocked(opener())
    charge(ledger, "before")
    reserve = Reserve("visits", "ada", known(TENTH), sha("x"), "x", "v1")
    outcomes = ledger._decide([reserve, Recover(0)])
    assert outcomes[1] == 2, "as if the one had been committed before the other"
    ledger.verify()
