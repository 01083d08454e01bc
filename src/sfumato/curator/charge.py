"""Charge, compute, settle: the only place that reads private data, and what it hands out reads once, while it is open.

Everything from the charge to what will be shown is inside one guard. What it raises is the same for all data and for
every cause, the charge stays, and the ledger counts it against the analyst and the dataset, so that a question which
fails for some data and not for others can be asked a few times and no more.
"""

import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import TypeVar

from sfumato.accounting.events import Event
from sfumato.core.printing import Json
from sfumato.engines import Engine, ExactCells, ExactTable
from sfumato.errors import EngineFailed, SfumatoError
from sfumato.ledger import Answered, Ledger, Patience, Receipt, Refused
from sfumato.query import PricedQuery
from sfumato.query.steps import PricedSteps
from sfumato.query.workload import PricedWorkload

T = TypeVar("T")

Priced = PricedQuery | PricedWorkload | PricedSteps
"""What a charge may be for: a question, the cells of a publication, or several reads one after the other."""


@dataclass(frozen=True, slots=True)
class ChargeRequest:
    """One thing to be charged, and what may be read for it; of a run that was charged as a whole, its entry instead."""

    principal: str
    hash: str
    """What decides the answer, as SHA-256."""
    event: Event
    """What is charged; with a run, what the run was charged for."""
    reads: Priced | None
    """What may be read: it says its event itself, and another than is charged is refused."""
    run: int | None = None
    key: str | None = None
    charge: bool = True
    """Whether a charge may be made: without, only what is stored is given."""
    question: str = ""
    label: str = ""
    resumable: bool = False
    """Whether whoever is interrupted may go on under the same charge: nothing can be read before it is settled."""


class Reader:
    """Reads what one charge was for, each part once and in its order, and only until it is settled."""

    __slots__ = ("_engine", "_left", "_lock", "_steps")

    def __init__(self, engine: Engine, priced: Priced | None) -> None:
        self._engine, self._lock = engine, Lock()
        self._steps = priced if isinstance(priced, PricedSteps) else None
        self._left: list[PricedQuery | PricedWorkload | None] = []
        """What is left to be read, in order; None is the last of several reads."""
        if isinstance(priced, PricedSteps):
            self._left = [*priced.finding, *([] if priced.grid is None else [priced.grid]), None]
        elif priced is not None:
            self._left = [priced]

    def exact(self) -> ExactTable:
        """The exact table of a question that was charged."""
        priced = self._taken()
        if priced is None or isinstance(priced, PricedWorkload):
            raise _unpaid()
        return self._engine.aggregate(priced)

    def counted(self) -> ExactCells:
        """The exact counts of a publication that was charged."""
        priced = self._taken()
        if not isinstance(priced, PricedWorkload):
            raise _unpaid()
        return self._counts(priced)

    def counted_last(self, workload: PricedWorkload) -> ExactCells:
        """The exact counts of the last of several reads: of the rows, tables and price that were charged."""
        steps = self._steps
        if self._taken() is not None or steps is None or not steps.allows(workload):
            raise _unpaid()
        return self._counts(workload)

    def _counts(self, workload: PricedWorkload) -> ExactCells:
        return self._engine.contingency(workload)

    def _taken(self) -> PricedQuery | PricedWorkload | None:
        """What is next of what was charged, once; None where the last read is."""
        with self._lock:
            if not self._left:
                raise _unpaid()
            return self._left.pop(0)

    def close(self) -> None:
        """From now on nothing is read."""
        with self._lock:
            self._left = []

    def __repr__(self) -> str:
        return f"<reader: {'open' if self._left else 'closed'}>"


def _unpaid() -> EngineFailed:
    return EngineFailed("nothing is read outside an open charge", hint="ask again, at a price")


def unfinished() -> EngineFailed:
    """What any failure under a resumable charge is to whoever publishes."""
    return EngineFailed(
        "the publication did not finish; its charge stays, and is not made again",
        hint="publish into the same folder again, with the same plan and price: it goes on",
    )


def failed() -> EngineFailed:
    """What any failure after a charge is to an analyst."""
    return EngineFailed("the engine did not finish; the charge stays", hint="ask the owner")


def _paid_for(request: ChargeRequest) -> None:
    """Refuse to charge one event and read what another is the price of; the ledger compares a run's with its entry."""
    if request.reads is not None and request.reads.event != request.event:
        raise EngineFailed(
            "what would be read is not what would be charged", hint="please report it: sfumato docs security"
        )


class Charge:
    """Charges requests about one dataset to one ledger, and lets each read what was paid for."""

    def __init__(self, engine: Engine, ledger: Ledger, dataset: str, patience: Patience | None = None) -> None:
        self._engine, self._ledger, self._dataset, self._patience = engine, ledger, dataset, patience
        self._version = engine.version()
        self._version_name = ledger.veiled(self._version)  # a bare hash would confirm a guess of the data

    @property
    def version_name(self) -> str:
        """What the ledger calls the data as they were when this was opened."""
        return self._version_name

    def make(
        self, request: ChargeRequest, work: Callable[[Reader], tuple[Json, T]]
    ) -> tuple[Answered, T] | Answered | Refused:
        """What was worked out once it is stored, with its entry; else what was stored before, or why there is nothing.

        `work` runs after a durable charge and nowhere else: it gives what is to be stored, and what can be seen of it.
        """
        _paid_for(request)
        self._unchanged()
        outcome = self._entered(request)
        return self._settled(outcome, request, work) if isinstance(outcome, Receipt) else outcome

    def _settled(
        self, receipt: Receipt, request: ChargeRequest, work: Callable[[Reader], tuple[Json, T]]
    ) -> tuple[Answered, T]:
        """What was worked out, once it is stored; whatever goes wrong is one error, and the receipt is lost."""
        reader = Reader(self._engine, request.reads)
        try:
            stored, shown = work(reader)
            reader.close()
            self._unchanged()
            return self._ledger.settle(receipt, stored), shown
        except BaseException as error:
            if request.resumable:  # it stays open: who goes on is counted as having failed, before data are read again
                if isinstance(error, Exception):
                    raise unfinished() from None
                raise
            with suppress(SfumatoError):  # what cannot be marked now is found open, and counted, by the next opening
                self._ledger.lose(receipt, reason="the engine did not finish", failure=isinstance(error, Exception))
            if isinstance(error, Exception):
                raise failed() from None
            raise
        finally:
            reader.close()

    def _unchanged(self) -> None:
        """Refuse data that are no longer those of the version the charge names."""
        if self._engine.version() != self._version:
            raise EngineFailed("the data changed while the curator was open", hint="open it again")

    def _entered(self, request: ChargeRequest) -> Receipt | Answered | Refused:
        """A receipt for a durable entry, the stored answer, or why not."""
        name = uuid.uuid4().hex if request.key is None else request.key
        try:
            return self._reserved(request, name) if request.run is None else self._asked(request, request.run, name)
        except BaseException as error:
            if not isinstance(error, Exception) and request.key is None:  # nobody else has the name: it is ours
                with suppress(SfumatoError):
                    self._ledger.abandon(principal=request.principal, idempotency_key=name)
            raise

    def _reserved(self, request: ChargeRequest, name: str) -> Receipt | Answered | Refused:
        return self._ledger.reserve(
            dataset=self._dataset,
            principal=request.principal,
            event=request.event,
            request_hash=request.hash,
            idempotency_key=name,
            data_version=self._version_name,
            patience=self._patience,
            charge=request.charge,
            question=request.question,
            label=request.label,
            resumable=request.resumable,
        )

    def _asked(self, request: ChargeRequest, run: int, name: str) -> Receipt | Refused:
        return self._ledger.ask(
            run,
            event=request.event,
            dataset=self._dataset,
            principal=request.principal,
            request_hash=request.hash,
            idempotency_key=name,
            data_version=self._version_name,
            patience=self._patience,
            question=request.question,
            label=request.label,
        )
