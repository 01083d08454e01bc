"""The ledger: every charge is durable before data are read, and nothing overspends."""

from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any, TypeVar

from sfumato.accounting.events import Event
from sfumato.core.closing import Closing
from sfumato.core.printing import Json
from sfumato.errors import LedgerDamaged, LedgerError, LedgerMisuse
from sfumato.exact.parameters import non_negative
from sfumato.ledger import caps, given, owner, requests
from sfumato.ledger.accounts import Holder
from sfumato.ledger.anchors import Anchor, AnchorFile, anchor_of
from sfumato.ledger.budgets import Budget, Limits, known, limits
from sfumato.ledger.clock import SteadyClock
from sfumato.ledger.commits import Commits
from sfumato.ledger.outcomes import Answered, Patience, Receipt, Refused
from sfumato.ledger.postgres import PostgresStore
from sfumato.ledger.reader import Clock, LedgerReader
from sfumato.ledger.reserve import AskInRun, Reserve
from sfumato.ledger.sqlite import SqliteStore
from sfumato.ledger.store import Owner, Store, Transaction
from sfumato.ledger.stored import StoredState
from sfumato.ledger.verify import check_anchor, latest

T = TypeVar("T")


class Ledger(LedgerReader, Closing):
    """Datasets, principals, budgets, events and receipts, on a store; threads may share it, processes open their own.

    `anchor` is a path to an anchor file, kept apart and moved forward after every commit, or an anchor's text. `clock`
    gives nanoseconds since 1970; by default it is looked at once and then runs by itself.
    """

    def __init__(self, store: Store, *, anchor: Path | str | None = None, clock: Clock | None = None) -> None:
        super().__init__(store, clock or SteadyClock())
        self._anchor_file: AnchorFile | None = None
        self._owner, self._closed = Owner(), False
        self._commits = Commits(self._decide)
        self._state: StoredState | None = None
        try:
            known = None if anchor is None else anchor_of(anchor)
            if isinstance(known, AnchorFile):
                self._anchor_file, known = known, known.read()
            with store.read() as run:
                newest = latest(run)
                self._identity = newest.identity
                if known is not None:
                    check_anchor(run, known)
                elif self._anchor_file is not None and newest.sequence:
                    raise LedgerDamaged(
                        "the ledger has entries and its anchor file is missing or empty",
                        hint="find the file; if the ledger is known to be whole, write what `anchor()` gives into it",
                    )
        except BaseException:
            store.close()
            raise

    # ---- caps ----

    def register(self, dataset: str, budget: Budget | Limits) -> int:
        """Give a dataset its caps, for ever; the sequence of the latest entry, which is this one if it is new."""
        return self._ask(caps.Register(given.name("dataset", dataset), "", limits(budget)))

    def grant(self, dataset: str, principal: str, budget: Budget | Limits) -> int:
        """Give a principal caps on a dataset; the sequence of the entry.

        They may be wider than the dataset's, or together be more than it: the dataset's own caps always rule.
        """
        names = given.name("dataset", dataset), given.name("principal", principal)
        return self._ask(caps.Register(*names, limits(budget)))

    def group(self, group: str, budget: Budget | Limits) -> int:
        """Give a group of datasets caps, for ever: the same people under several names; the sequence of the entry."""
        return self._ask(caps.CapGroup(given.name("group", group), limits(budget)))

    def join(self, dataset: str, group: str) -> int:
        """Charge what is charged to a dataset to a group too, for ever; the sequence of the entry.

        What the dataset has spent so far counts there from now on, and must fit.
        """
        return self._ask(caps.JoinGroup(given.name("dataset", dataset), given.name("group", group)))

    def give(self, wanted: caps.Caps) -> int:
        """Give a dataset, principals on it and groups of it their caps: all of them, or none; the latest sequence."""
        return self._ask(wanted)

    def unwelcome(self, wanted: caps.Caps) -> tuple[caps.Unwelcome, ...]:
        """Which caps `give` would refuse now, and why; nothing is written."""
        with self._store.read() as run:
            state = StoredState(run)
            state.begin(run, self._clock())
            return tuple(wanted.unwelcome(state))

    # ---- owners ----

    def declare(
        self,
        dataset: str,
        *,
        unit: str,
        declaration: Json,
        data_version: str,
        neighbours: str = owner.ADD_OR_REMOVE,
    ) -> int:
        """Write down what is declared of a dataset and on which data; the sequence of the entry that says so.

        Declared as before, nothing is written. The unit of privacy and the neighbours never change; "add or remove one"
        is what datasets had before the neighbours were written down, and may be said more exactly.
        """
        names = given.name("dataset", dataset), given.name("unit", unit)
        version, relation = given.name("data_version", data_version), given.name("neighbours", neighbours)
        return self._ask(owner.Declare(*names, declaration, version, relation))

    def registered(self, dataset: str, *, data_version: str, digest: str) -> int:
        """Write down what data of a dataset are registered, both veiled; the sequence of the entry that says so.

        Registered as before, nothing is written; in a ledger without a secret, of the first version, every time.
        """
        words = given.name("data_version", data_version), given.name("digest", digest)
        return self._ask(owner.Registered(given.name("dataset", dataset), *words))

    def unlock(self, *, dataset: str, reason: str, principal: str = "") -> int:
        """The owner's entry that what failed was looked at; how many there were.

        Of a principal alone, or of the dataset and of everyone on it.
        """
        who = given.name("principal", principal) if principal else ""
        return self._ask(owner.Unlock(given.name("dataset", dataset), who, given.name("reason", reason)))

    def approve(self, *, dataset: str, principal: str, request_hash: str, note: str) -> int:
        """The owner's entry that a principal may have a request answered; its sequence."""
        return self._said(dataset, principal, request_hash, granted=True, note=note)

    def deny(self, *, dataset: str, principal: str, request_hash: str, note: str) -> int:
        """The owner's entry that a principal may not; its sequence. The latest word on a request counts."""
        return self._said(dataset, principal, request_hash, granted=False, note=note)

    def _said(self, dataset: str, principal: str, request_hash: str, *, granted: bool, note: str) -> int:
        names = given.name("dataset", dataset), given.name("principal", principal), given.request_hash(request_hash)
        return self._ask(owner.Approve(*names, granted, given.name("note", note)))

    # ---- charges ----

    def reserve(
        self,
        *,
        dataset: str,
        principal: str,
        event: Event,
        request_hash: str,
        idempotency_key: str,
        data_version: str,
        patience: Patience | None = None,
        charge: bool = True,
        question: str = "",
        label: str = "",
        resumable: bool = False,
    ) -> Receipt | Answered | Refused:
        """Charge an event before data are read.

        A `Receipt` means that the charge is durable and data may be read, once. `Answered` holds the stored release of
        an equal request. `Refused` says why not, and cost nothing. `patience` refuses where too many questions failed;
        without `charge` only what is stored is given. `question` and `label` are remarks for the entry: who asks the
        same again in other words, or under another label, gets what is stored. A `resumable` charge gives the same
        receipt to whoever asks again with its key before it is settled: see `reserve.resumed`.
        """
        request = Reserve(
            given.name("dataset", dataset),
            given.name("principal", principal),
            known(given.event("event", event)),
            given.request_hash(request_hash),
            given.name("idempotency_key", idempotency_key),
            given.name("data_version", data_version),
            patience,
            charge,
            given.question(question),
            given.label(label),
            bool(resumable),
        )
        return self._ask(request)

    def ask(
        self,
        run: int,
        *,
        dataset: str,
        principal: str,
        request_hash: str,
        idempotency_key: str,
        data_version: str,
        event: Event | None = None,
        patience: Patience | None = None,
        question: str = "",
        label: str = "",
    ) -> Receipt | Refused:
        """Write down a question of a run that was charged as a whole, before data are read for it.

        `run` is the sequence that settling it gave; with an `event`, it must be what the run was charged for. The
        receipt is settled or lost like that of a charge.
        """
        names = given.name("dataset", dataset), given.name("principal", principal)
        sha, key = given.request_hash(request_hash), given.name("idempotency_key", idempotency_key)
        remarks = given.question(question), given.label(label)
        charged = None if event is None else known(given.event("event", event))
        request = AskInRun(*names, run, charged, sha, key, given.name("data_version", data_version), patience, *remarks)
        return self._ask(request)

    def settle(self, receipt: Receipt, release: Json) -> Answered:
        """Store the released answer; only after this may it leave.

        One that is too large is refused; its charge stays, as that of any answer that is lost.
        """
        return self._ask(requests.Settle(given.receipt(receipt), release))

    def lose(self, receipt: Receipt, *, reason: str, failure: bool = True) -> None:
        """Mark the answer as lost: the charge stays, an equal question may be asked and charged again.

        A `failure` is counted against the principal and the dataset until the owner unlocks them.
        """
        self._ask(requests.Lose(given.receipt(receipt), given.name("reason", reason), bool(failure)))

    def abandon(self, *, principal: str, idempotency_key: str) -> None:
        """Mark as lost what a key opened, if anything: for who was interrupted before the receipt came."""
        self._ask(requests.Abandon(given.name("principal", principal), given.name("idempotency_key", idempotency_key)))

    def refund(self, receipt: Receipt, *, reason: str) -> None:
        """Give the charge back; only for failures that were decided without touching data."""
        self._ask(requests.Refund(given.receipt(receipt), given.name("reason", reason)))

    def recover(self, *, older_than: float = 0, dataset: str = "") -> int:
        """Mark as lost the reservations, of one dataset or all, that are still open after some seconds; how many."""
        seconds = non_negative("older_than", older_than)
        return self._ask(requests.Recover(int(seconds * 10**9), given.name("dataset", dataset) if dataset else ""))

    # ---- trust ----

    def restore(self, *, reason: str, anchor: Path | str, lost: Mapping[str | Holder, Event] | None = None) -> int:
        """Write the owner's entry that this ledger is a backup put back, and what was spent since.

        `anchor` is the one that refused this ledger; an anchor file is moved to the new entry. What is lost is told by
        dataset, and charged to it and to everyone with a cap on it, or by (dataset, principal), and charged to both;
        even above a cap, which then has nothing left. It must be told if the anchor knows of entries that are gone.
        """
        known = anchor_of(anchor)
        superseded = known.read() if isinstance(known, AnchorFile) else known
        if superseded is None or superseded.identity != self._identity:
            raise LedgerMisuse("the anchor belongs to another ledger", hint="give the anchor that refused this one")
        events = (
            None if lost is None else {given.holder(who): given.event("lost", event) for who, event in lost.items()}
        )
        sequence = self._ask(requests.Restore(given.name("reason", reason), superseded, events))
        if isinstance(known, AnchorFile):
            known.advance(Anchor.read(self.anchor()), force=True)
        return sequence

    def close(self) -> None:
        """Give the store's connections back; open reservations stay open."""
        self._closed = True
        self._store.close()

    # ---- the one way in ----

    def _ask(self, request: requests.Request[T]) -> T:
        if self._closed:
            raise LedgerMisuse("the ledger is closed", hint="open it again")
        self._owner.check()  # before waiting: after a fork there is nobody left to lead
        return self._commits.submit(request)

    def _decide(self, batch: Sequence[requests.Request[Any]]) -> Sequence[Any]:
        known, self._state = self._state, None  # it comes back only if the commit succeeds

        def work(run: Transaction, follows: bool) -> tuple[list[Any], StoredState]:
            state = known if known is not None and follows else StoredState(run)
            anchored = self._anchor_file.read() if self._anchor_file is not None and not follows else None
            if anchored is not None:  # another has written, or an older copy was put back under us
                check_anchor(run, anchored)
            state.begin(run, self._clock())
            state.look_up(name for request in batch for name in request.names())
            outcomes = [_outcome(request, state) for request in batch]
            state.flush()
            return outcomes, state

        try:
            outcomes, state = self._store.write(work)
            self._state = state
            if self._anchor_file is not None:
                self._anchor_file.advance(Anchor(self._identity, state.sequence, state.head))
        except LedgerError as error:
            return [copy(error) for _ in batch]
        except Exception as error:  # one request's own fault: the others are decided without it
            return [error] if len(batch) == 1 else [self._decide([request])[0] for request in batch]
        return outcomes


class SqliteLedger(Ledger):
    """A ledger in one file, for one machine; every process opens it for itself.

    >>> import tempfile
    >>> from sfumato.accounting import events
    >>> folder = Path(tempfile.mkdtemp())
    >>> with SqliteLedger(folder / "spending.ledger") as ledger:
    ...     ledger.register("visits", Budget.pure(epsilon="1"))
    ...     ledger.grant("visits", "ada", Budget.pure(epsilon="0.5"))
    1
    2
    """

    def __init__(
        self,
        path: Path | str,
        *,
        anchor: Path | str | None = None,
        patience: float = 30.0,
        clock: Clock | None = None,
    ) -> None:
        super().__init__(SqliteStore(Path(path), patience=patience), anchor=anchor, clock=clock)


class PostgresLedger(Ledger):
    """A ledger in a schema of a PostgreSQL database, for several servers at once."""

    def __init__(
        self,
        dsn: str,
        *,
        schema: str = "ledger",
        anchor: Path | str | None = None,
        patience: float = 30.0,
        clock: Clock | None = None,
    ) -> None:
        super().__init__(PostgresStore(dsn, schema=schema, patience=patience), anchor=anchor, clock=clock)


def _outcome(request: requests.Request[Any], state: StoredState) -> Any:
    try:
        return request.decide(state)
    except LedgerMisuse as misuse:  # raised before anything was appended
        return misuse
