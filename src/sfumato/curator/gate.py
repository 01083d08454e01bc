"""Who may come in, and who waits: nothing begins after the end, and an answer that is on its way is waited for."""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeVar

from sfumato.errors import SfumatoError
from sfumato.ledger import Refused

R = TypeVar("R")
_PATIENCE = 60.0
_WAITS = ("pending", "busy")
"""An equal question is being answered, and its answer will serve; or as many are open as may still fail."""
_MOMENT = 0.02


class Gate:
    """Lets questions through while the curator is open, and closes behind the last of them."""

    def __init__(self) -> None:
        self._inside, self._closed = 0, False
        self._change = threading.Condition()

    def check(self) -> None:
        """Refuse whoever comes after the end."""
        if self._closed:
            raise SfumatoError("the curator is closed", hint="open it again")

    @contextmanager
    def using(self) -> Generator[None]:
        """While a question is under way nothing is closed; afterwards none begins."""
        with self._change:
            self.check()
            self._inside += 1
        try:
            yield
        finally:
            with self._change:
                self._inside -= 1
                self._change.notify_all()

    def decided(self, attempt: Callable[[], R]) -> R:
        """What the ledger decides; who must wait for it does, in the thread that asks."""
        patience = time.monotonic() + _PATIENCE
        while True:
            outcome = attempt()
            waits = isinstance(outcome, Refused) and outcome.reason in _WAITS
            if not waits or time.monotonic() > patience:
                return outcome
            time.sleep(_MOMENT)

    def close(self) -> bool:
        """Let the questions that are under way end, and no other begin; whether it was open."""
        with self._change:
            was_open, self._closed = not self._closed, True
            self._change.wait_for(lambda: self._inside == 0)
            return was_open
