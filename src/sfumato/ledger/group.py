"""Group commit: requests that arrive while a commit is under way share the next one.

There is no thread of its own. The first caller to come leads: it takes all who wait, decides each in order inside
one transaction, and wakes them after the commit; then one of those who came meanwhile leads. A lone caller
never waits for company.
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from sfumato.errors import LedgerUnavailable

Decide = Callable[[Sequence[Any]], Sequence[Any]]
"""Decides a batch in one transaction: an outcome or an exception for each request."""

_MOST = 256


class _Ticket:
    __slots__ = ("leads", "outcome", "request", "turn")

    def __init__(self, request: Any) -> None:
        self.request = request
        self.outcome: Any = None
        self.leads = False
        self.turn = threading.Lock()


class Group:
    """A queue whose callers serve it themselves."""

    def __init__(self, decide: Decide) -> None:
        self._decide = decide
        self._lock = threading.Lock()
        self._waiting: deque[_Ticket] = deque()
        self._busy = False

    def submit(self, request: Any) -> Any:
        """The outcome of a request after its commit; an exception is raised here."""
        ticket = _Ticket(request)
        with self._lock:
            self._waiting.append(ticket)
            if self._busy:
                ticket.turn.acquire()
            else:
                self._busy = ticket.leads = True
        try:
            if not ticket.leads:
                self._wait(ticket)
        finally:  # who leads must lead, or nobody would again
            if ticket.leads:
                self._lead()
        if isinstance(ticket.outcome, BaseException):
            raise ticket.outcome
        return ticket.outcome

    def _wait(self, ticket: _Ticket) -> None:
        """Until someone decided for us, or made us leader; who is interrupted leaves the queue in order."""
        try:
            ticket.turn.acquire()
        except BaseException:
            with self._lock:
                if not ticket.leads and ticket in self._waiting:
                    self._waiting.remove(ticket)
            raise

    def _lead(self) -> None:
        batch: list[_Ticket] = []
        outcomes: Sequence[Any] = ()
        try:
            with self._lock:
                batch.extend(self._waiting.popleft() for _ in range(min(_MOST, len(self._waiting))))
            outcomes = self._decide([ticket.request for ticket in batch])
        finally:
            with self._lock:
                following = self._waiting[0] if self._waiting else None
                self._busy = following is not None
                if following:
                    following.leads = True
                    following.turn.release()
            for i, ticket in enumerate(batch):
                ticket.outcome = outcomes[i] if i < len(outcomes) else _interrupted()
                if not ticket.leads:
                    ticket.turn.release()


def _interrupted() -> LedgerUnavailable:
    return LedgerUnavailable("the commit was interrupted; nothing was acknowledged", hint="ask again with the same key")
