"""The one way to data: charge, read, add noise, show, store; what fails on the way ends in one text, and is counted.

Everything from the charge to what will be shown is inside one guard. What it raises is the same for all data and for
every cause, the charge stays, and the ledger counts it against the analyst and the dataset, so that a question which
fails for some data and not for others can be asked a few times and no more.
"""

import hashlib
import threading
import time
import uuid
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from sfumato.accounting.events import Event
from sfumato.data import Dataset
from sfumato.engines import Engine
from sfumato.errors import EngineFailed, Locked, SfumatoError
from sfumato.ledger import Answered, Ledger, Patience, Receipt, Refused
from sfumato.ledger.canon import canonical

R = TypeVar("R")
T = TypeVar("T")
_PATIENCE = 60.0
_WAITS = ("pending", "busy")
"""An equal question is being answered, and its answer will serve; or as many are open as may still fail."""
Refusal = Callable[[Refused], SfumatoError]


def failed() -> EngineFailed:
    """What any failure after a charge is to an analyst."""
    return EngineFailed("the engine did not finish; the charge stays", hint="ask the owner")


class Gate:
    """Lets one analyst's questions through to one engine, each charged to one ledger."""

    def __init__(self, engine: Engine, ledger: Ledger, analyst: str) -> None:
        self._engine, self._ledger, self._analyst = engine, ledger, analyst
        self._dataset: Dataset = engine.dataset
        rules = self._dataset.rules
        self._patience = Patience(rules.failures_per_analyst, rules.failures)
        self._version = engine.version()
        self._version_name = ledger.veiled(self._version)  # a bare hash would confirm a guess of the data
        self._inside, self._closed = 0, False
        self._change = threading.Condition()

    def through(
        self,
        event: Event,
        about: Any,
        compute: Callable[[], Any],
        show: Callable[[Any], T],
        leave: Callable[[Answered, bool, T], R],
        *,
        key: str | None = None,
        refusal: Refusal,
        unpaid: SfumatoError | None = None,
    ) -> R:
        """What leaves for an event: computed after a durable charge and stored, or what was stored before.

        `compute` runs after the charge and nowhere else, `show` makes what can be seen of what is to be stored, and
        `leave` puts it together with its entry, and whether it was there before. With an `unpaid` error no charge is
        made: what is stored is given, else the error.
        """
        request = self._hash(about)
        with self._using(), self._paced():
            outcome = self._reserved(event, request, key, refusal, unpaid)
            if isinstance(outcome, Answered):
                with _one_text():
                    return leave(outcome, True, show(outcome.release))

            def work() -> tuple[Any, T]:
                stored = compute()
                return stored, show(stored)

            answer, shown = self._guarded(outcome, work)
            with _one_text():
                return leave(answer, False, shown)

    def asked(self, run: int, about: Any, compute: Callable[[], bool], refusal: Refusal) -> bool:
        """An answer of a run that was charged as a whole: written down before data are read, and stored."""
        request = self._hash(about)
        with self._using(), self._paced():
            self._unchanged()

            def ask() -> Receipt | Refused:
                return self._ledger.ask(
                    run,
                    dataset=self._dataset.name,
                    principal=self._analyst,
                    request_hash=request,
                    idempotency_key=uuid.uuid4().hex,
                    data_version=self._version_name,
                    patience=self._patience,
                )

            receipt = self._waited(ask, refusal)
            assert isinstance(receipt, Receipt)

            def work() -> tuple[Any, bool]:
                above = compute()
                return {"above": above}, above

            return self._guarded(receipt, work)[1]

    # ---- the guard ----

    def _guarded(self, receipt: Receipt, work: Callable[[], tuple[Any, T]]) -> tuple[Answered, T]:
        """What was worked out, once it is stored; whatever goes wrong is one error, and the receipt is lost."""
        try:
            stored, shown = work()
            self._unchanged()
            return self._ledger.settle(receipt, stored), shown
        except BaseException as error:
            with suppress(SfumatoError):  # what cannot be marked now is found open, and counted, by the next opening
                self._ledger.lose(receipt, reason="the engine did not finish", failure=isinstance(error, Exception))
            if isinstance(error, Exception):
                raise failed() from None
            raise

    def _unchanged(self) -> None:
        """Refuse data that are no longer those of the version the charge names."""
        if self._engine.version() != self._version:
            raise EngineFailed("the data changed while the curator was open", hint="open it again")

    # ---- the charge ----

    def _hash(self, about: Any) -> str:
        # who one person is may be said of a column that no question sees
        whole = {"what": about, "dataset": self._dataset.name, "keys": self._engine.keys()}
        return hashlib.sha256(canonical(whole).encode()).hexdigest()

    def _reserved(
        self, event: Event, request: str, key: str | None, refusal: Refusal, unpaid: SfumatoError | None
    ) -> Receipt | Answered:
        """A receipt for a durable charge, or the stored answer."""
        self._unchanged()
        name = key or uuid.uuid4().hex

        def reserve() -> Receipt | Answered | Refused:
            return self._ledger.reserve(
                dataset=self._dataset.name,
                principal=self._analyst,
                event=event,
                request_hash=request,
                idempotency_key=name,
                data_version=self._version_name,
                patience=self._patience,
                charge=unpaid is None,
            )

        def refused(outcome: Refused) -> SfumatoError:
            return unpaid if unpaid is not None and outcome.reason == "new" else refusal(outcome)

        try:
            return self._waited(reserve, refused)
        except BaseException as error:
            if not isinstance(error, Exception) and key is None:  # nobody else has the name: what it opened is ours
                with suppress(SfumatoError):
                    self._ledger.abandon(principal=self._analyst, idempotency_key=name)
            raise

    def _waited(self, ask: Callable[[], Receipt | Answered | Refused], refusal: Refusal) -> Receipt | Answered:
        """What the ledger grants; who is refused learns why, and who must wait does."""
        patience = time.monotonic() + _PATIENCE
        while True:
            outcome = ask()
            if not isinstance(outcome, Refused):
                return outcome
            if outcome.reason == "locked":
                raise Locked(
                    f"{outcome.problem}, and none is answered until the owner has looked",
                    hint="the owner looks into it, then runs: sfumato owner unlock",
                )
            if outcome.reason not in _WAITS or time.monotonic() > patience:
                raise refusal(outcome)
            time.sleep(0.02)

    # ---- time, and the end ----

    @contextmanager
    def _paced(self) -> Generator[None]:
        """Ends at a multiple of the owner's interval, with an answer or an error, so that the time tells little."""
        every, started = self._dataset.defaults.answer_every, time.monotonic()
        try:
            yield
        finally:
            if every > 0:
                time.sleep(every - (time.monotonic() - started) % every)

    @contextmanager
    def _using(self) -> Generator[None]:
        """While a question is under way nothing is closed; afterwards none begins."""
        with self._change:
            if self._closed:
                raise SfumatoError("the curator is closed", hint="open it again")
            self._inside += 1
        try:
            yield
        finally:
            with self._change:
                self._inside -= 1
                self._change.notify_all()

    def close(self) -> None:
        """Let the questions that are under way end, and no other begin."""
        with self._change:
            self._closed = True
            self._change.wait_for(lambda: self._inside == 0)


@contextmanager
def _one_text() -> Generator[None]:
    try:
        yield
    except Exception:
        raise failed() from None
