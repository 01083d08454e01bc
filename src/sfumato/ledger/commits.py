"""Group commit: requests that arrive while a commit is under way share the next one.

There is no thread of its own. The first caller to come leads: it takes all who wait, decides each in order inside
one transaction, and wakes them after the commit; then one of those who came meanwhile leads. A leader gives those who
shared the last commit a moment to come back, no longer than that commit took; a lone caller never waits.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from itertools import pairwise
from threading import Lock
from typing import Any, TypeVar, cast

from sfumato.errors import LedgerUnavailable
from sfumato.ledger.requests import Request

T = TypeVar("T")

Decide = Callable[[Sequence[Any]], Sequence[Any]]
"""Decides a batch in one transaction: an outcome or an exception for each request."""

_MOST = 256
_LONGEST_MOMENT = 0.005


class _Ticket:
    __slots__ = ("following", "gone", "leads", "outcome", "request", "turn")

    def __init__(self, request: Any) -> None:
        self.request = request
        self.outcome: Any = None
        self.leads = self.gone = False
        self.turn = Lock()
        self.following: _Ticket | None = None


class Commits:
    """A queue whose callers serve it themselves."""

    def __init__(self, decide: Decide) -> None:
        self._decide = decide
        self._lock = Lock()
        self._waiting: deque[_Ticket] = deque()
        self._busy = False
        self._expected, self._moment = 1, 0.0
        self._gate: Lock | None = None

    def submit(self, request: Request[T]) -> T:
        """The outcome of a request after its commit; an exception is raised here."""
        ticket = _Ticket(request)
        interrupt: BaseException | None = None
        try:
            self._line_up(ticket)
        except BaseException as error:
            interrupt = error
            self._leave(ticket)
        while ticket.leads:  # who leads must lead, wherever it was interrupted, or nobody would again
            try:
                self._lead(ticket)
            except BaseException as error:
                interrupt = error
        if interrupt is not None:
            raise interrupt
        if isinstance(ticket.outcome, BaseException):
            raise ticket.outcome
        return cast(T, ticket.outcome)

    def _line_up(self, ticket: _Ticket) -> None:
        """Until someone decided for us, or we lead."""
        with self._lock:
            self._waiting.append(ticket)
            if not self._busy:
                self._busy = ticket.leads = True
                return
            ticket.turn.acquire()
            if self._gate is not None and len(self._waiting) >= self._expected:
                self._gate.release()
                self._gate = None
        ticket.turn.acquire()
        if ticket.following is not None:  # one wakes the next: many woken at once would fight for the interpreter
            ticket.following.turn.release()

    def _leave(self, ticket: _Ticket) -> None:
        """Who is interrupted leaves the queue in order, and wakes whom it would have woken."""
        with self._lock:
            if ticket.leads:
                return
            if ticket in self._waiting:
                self._waiting.remove(ticket)
            ticket.gone = True
            following, ticket.following = ticket.following, None
        if following is not None and following.turn.locked():
            following.turn.release()

    def _gather(self) -> None:
        """Give those who shared the last commit a moment to come back."""
        with self._lock:
            if len(self._waiting) >= min(self._expected, _MOST):
                return
            gate = self._gate = Lock()
            gate.acquire()
        gate.acquire(timeout=self._moment)

    def _lead(self, leader: _Ticket) -> None:
        batch: list[_Ticket] = []
        outcomes: Sequence[Any] = ()
        try:
            self._gather()
            with self._lock:
                self._gate = None
                batch.extend(self._waiting.popleft() for _ in range(min(_MOST, len(self._waiting))))
            began = time.monotonic()
            outcomes = self._decide([ticket.request for ticket in batch])
            self._moment = min(time.monotonic() - began, _LONGEST_MOMENT)
        finally:
            for i, ticket in enumerate(batch):
                ticket.outcome = outcomes[i] if i < len(outcomes) else _interrupted()
            with self._lock:
                first = _chained([ticket for ticket in batch if ticket is not leader and not ticket.gone])
                self._expected = len(batch) + len(self._waiting)
                following = self._waiting[0] if self._waiting else None
                self._busy = following is not None
                leader.leads = following is leader  # interrupted before it took the batch
                if following is not None and following is not leader:
                    following.leads = True
                    following.turn.release()
            if first:
                first.turn.release()


def _chained(tickets: list[_Ticket]) -> _Ticket | None:
    """The first of some tickets, each of which is to wake the next."""
    for ticket, following in pairwise(tickets):
        ticket.following = following
    return tickets[0] if tickets else None


def _interrupted() -> LedgerUnavailable:
    return LedgerUnavailable("the commit was interrupted; nothing was acknowledged", hint="ask again with the same key")
