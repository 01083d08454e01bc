"""The ledger: every charge is durable before data are read, and nothing overspends."""

import hashlib
import hmac
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

from sfumato.accounting import from_json
from sfumato.accounting.events import Counted, Event, counted
from sfumato.accounting.total import Total, total
from sfumato.errors import InvalidParameter, LedgerDamaged, LedgerError, LedgerMisuse
from sfumato.exact.parameters import non_negative
from sfumato.ledger import requests
from sfumato.ledger.accounts import Account, Holder
from sfumato.ledger.anchors import Anchor, AnchorFile, anchor_of
from sfumato.ledger.backup import back_up
from sfumato.ledger.budgets import Budget, Limits, known, limits
from sfumato.ledger.canon import Json, canonical, release_text
from sfumato.ledger.clock import SteadyClock
from sfumato.ledger.group import Group
from sfumato.ledger.outcomes import Answered, Balance, Patience, Receipt, Refused
from sfumato.ledger.postgres import PostgresStore
from sfumato.ledger.reserve import Ask, Reserve
from sfumato.ledger.sqlite import SqliteStore
from sfumato.ledger.state import Body
from sfumato.ledger.store import Owner, Store, Transaction
from sfumato.ledger.stored import StoredState, accounts_in, failures_in, secret_in
from sfumato.ledger.verify import Entry, check_anchor, latest, rows, walk

Clock = Callable[[], int]
_CHARGES = {"reserve": 1, "share": 1, "refund": -1}
_NAME = re.compile(r"[^\x00-\x1f\x7f\ud800-\udfff]{1,200}")
_HASH = re.compile(r"[0-9a-f]{64}")


class Ledger:
    """Datasets, principals, budgets, events and receipts, on a store; threads may share it, processes open their own.

    `anchor` is a path to an anchor file, kept apart and moved forward after every commit, or an anchor's text. `clock`
    gives nanoseconds since 1970; by default it is looked at once and then runs by itself.
    """

    def __init__(self, store: Store, *, anchor: Path | str | None = None, clock: Clock | None = None) -> None:
        self._store, self._clock = store, clock or SteadyClock()
        self._anchor_file: AnchorFile | None = None
        self._owner, self._closed = Owner(), False
        self._group = Group(self._decide)
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
        return cast(int, self._ask(requests.Register(_name("dataset", dataset), "", limits(budget))))

    def grant(self, dataset: str, principal: str, budget: Budget | Limits) -> int:
        """Give a principal caps on a dataset; the sequence of the entry.

        They may be wider than the dataset's, or together be more than it: the dataset's own caps always rule.
        """
        names = _name("dataset", dataset), _name("principal", principal)
        return cast(int, self._ask(requests.Register(*names, limits(budget))))

    def declare(self, dataset: str, *, unit: str, declaration: Json, data_version: str) -> int:
        """Write down what is declared of a dataset and on which data; the sequence of the entry that says so.

        Declared as before, nothing is written. The unit of privacy never changes.
        """
        names = _name("dataset", dataset), _name("unit", unit)
        return cast(int, self._ask(requests.Declare(*names, declaration, _name("data_version", data_version))))

    def declared(self, dataset: str) -> Mapping[str, Any] | None:
        """The entry that says what is declared of a dataset now, if there is one."""
        with self._store.read() as run:
            state = StoredState(run)
            found = state.declared.get(dataset)
            return None if found is None else state.certain_entry(found)[0]

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
    ) -> Receipt | Answered | Refused:
        """Charge an event before data are read.

        A `Receipt` means that the charge is durable and data may be read, once. `Answered` holds the stored release of
        an equal request. `Refused` says why not, and cost nothing. `patience` refuses where too many questions failed;
        without `charge` only what is stored is given.
        """
        if not _matches(_HASH, request_hash):
            raise InvalidParameter("request_hash", "must be a SHA-256 in lower-case hexadecimal", request_hash)
        request = Reserve(
            _name("dataset", dataset),
            _name("principal", principal),
            known(_event("event", event)),
            request_hash,
            _name("idempotency_key", idempotency_key),
            _name("data_version", data_version),
            patience,
            charge,
        )
        return cast(Receipt | Answered | Refused, self._ask(request))

    def ask(
        self,
        run: int,
        *,
        dataset: str,
        principal: str,
        request_hash: str,
        idempotency_key: str,
        data_version: str,
        patience: Patience | None = None,
    ) -> Receipt | Refused:
        """Write down a question of a run that was charged as a whole, before data are read for it.

        `run` is the sequence that settling it gave. The receipt is settled or lost like that of a charge.
        """
        if not _matches(_HASH, request_hash):
            raise InvalidParameter("request_hash", "must be a SHA-256 in lower-case hexadecimal", request_hash)
        names = _name("dataset", dataset), _name("principal", principal)
        key, version = _name("idempotency_key", idempotency_key), _name("data_version", data_version)
        return cast(Receipt | Refused, self._ask(Ask(*names, run, request_hash, key, version, patience)))

    def settle(self, receipt: Receipt, release: Json) -> Answered:
        """Store the released answer; only after this may it leave."""
        release_text(release)
        return cast(Answered, self._ask(requests.Settle(_receipt(receipt), release)))

    def lose(self, receipt: Receipt, *, reason: str, failure: bool = True) -> None:
        """Mark the answer as lost: the charge stays, an equal question may be asked and charged again.

        A `failure` is counted against the principal and the dataset until the owner unlocks them.
        """
        self._ask(requests.Lose(_receipt(receipt), _name("reason", reason), bool(failure)))

    def abandon(self, *, principal: str, idempotency_key: str) -> None:
        """Mark as lost what a key opened, if anything: for who was interrupted before the receipt came."""
        self._ask(requests.Abandon(_name("principal", principal), _name("idempotency_key", idempotency_key)))

    def failures(self, dataset: str, principal: str = "") -> int:
        """How many questions about a dataset, or of a principal on it, failed since its owner looked."""
        with self._store.read() as run:
            return failures_in(run).get((dataset, principal), 0)

    def unlock(self, *, dataset: str, reason: str, principal: str = "") -> int:
        """The owner's entry that what failed was looked at; how many there were.

        Of a principal alone, or of the dataset and of everyone on it.
        """
        who = _name("principal", principal) if principal else ""
        return cast(int, self._ask(requests.Unlock(_name("dataset", dataset), who, _name("reason", reason))))

    def refund(self, receipt: Receipt, *, reason: str) -> None:
        """Give the charge back; only for failures that were decided without touching data."""
        self._ask(requests.Refund(_receipt(receipt), _name("reason", reason)))

    def recover(self, *, older_than: float = 0, dataset: str = "") -> int:
        """Mark as lost the reservations, of one dataset or all, that are still open after some seconds; how many."""
        seconds = non_negative("older_than", older_than)
        return cast(
            int, self._ask(requests.Recover(int(seconds * 10**9), _name("dataset", dataset) if dataset else ""))
        )

    # ---- what is known ----

    def balances(self, dataset: str, principal: str = "") -> list[Balance]:
        """The caps of a dataset, or of a principal on it, and what was spent under each in the window that runs now."""
        with self._store.read() as run:
            now = max(StoredState(run).time, self._clock())
            found = _accounts(run, dataset, principal)
        return [account.at(now).balance() for account in found]

    def entries(self) -> Iterator[Entry]:
        """Every entry in order, as of now."""
        with self._store.read() as run:
            for sequence, body, head in rows(run):
                yield Entry(sequence, json.loads(body), head)

    def export(self) -> Iterator[str]:
        """Every entry as a line of JSON: its body exactly as it was hashed, and the chain's head after it."""
        with self._store.read() as run:
            for _, body, head in rows(run):
                yield f'{{"entry":{body},"head":"{head}"}}\n'

    def spent(self, *, dataset: str, principal: str = "") -> tuple[Counted, ...]:
        """The events charged to a dataset, or to a principal on it, with how often each happened."""
        counts: dict[str, int] = {}
        with self._store.read() as run:
            _accounts(run, dataset, principal)
            for _, body, _ in rows(run):
                for charged, n in _charges(json.loads(body), dataset, principal):
                    counts[charged] = counts.get(charged, 0) + n
        return counted((from_json(json.loads(text)), n) for text, n in counts.items())

    def total(self, *, dataset: str, principal: str = "") -> Total:
        """What was spent, priced again from the stored events by the whole accountant."""
        return total(self.spent(dataset=dataset, principal=principal))

    def veiled(self, text: str) -> str:
        """A name for a text that is the same whoever opens the ledger, and that nobody can guess without reading it.

        A ledger that has no secret yet gives names that are good for this call alone.
        """
        with self._store.read() as run:
            secret = secret_in(run) or os.urandom(32).hex()
        return hmac.new(bytes.fromhex(secret), text.encode(), hashlib.sha256).hexdigest()

    # ---- trust ----

    def anchor(self) -> str:
        """A line to keep apart from the ledger: it pins every entry there is now."""
        with self._store.read() as run:
            return str(latest(run))

    def verify(self, anchor: Path | str | None = None) -> str:
        """Walk every entry, compare the state and the tables; the anchor of what was verified, or LedgerDamaged."""
        known = None if anchor is None else anchor_of(anchor)
        with self._store.read() as run:
            walked = str(walk(run, known.read() if isinstance(known, AnchorFile) else known))
            self._store.check(run)
            return walked

    def backup(self, path: Path | str) -> str:
        """Copy the ledger as it is now to a new file, while others write; the anchor of what the copy holds."""
        return back_up(self._store, Path(path))

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
        events = None if lost is None else {_holder(who): _event("lost", event) for who, event in lost.items()}
        sequence = cast(int, self._ask(requests.Restore(_name("reason", reason), superseded, events)))
        if isinstance(known, AnchorFile):
            known.advance(Anchor.read(self.anchor()), force=True)
        return sequence

    def close(self) -> None:
        """Give the store's connections back; open reservations stay open."""
        self._closed = True
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ---- the one way in ----

    def _ask(self, request: requests.Request) -> Any:
        if self._closed:
            raise LedgerMisuse("the ledger is closed", hint="open it again")
        self._owner.check()  # before waiting: after a fork there is nobody left to lead
        return self._group.submit(request)

    def _decide(self, batch: Sequence[requests.Request]) -> Sequence[Any]:
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


def _name(what: str, value: object) -> str:
    if isinstance(value, str) and 0 < len(value) <= 200 and value.isprintable():  # most are, and this is quick
        return value
    if not _matches(_NAME, value):
        raise InvalidParameter(what, "must be text of 1 to 200 characters without control characters", value)
    return str(value)


def _matches(form: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and form.fullmatch(value) is not None


def _event(name: str, value: object) -> Event:
    if not isinstance(value, Event):
        raise InvalidParameter(name, "must be an event", value, hint="see sfumato.accounting.events")
    return value


def _holder(value: object) -> Holder:
    """A dataset alone, or a dataset and a principal."""
    parts = value if isinstance(value, tuple) and len(value) == 2 else (value, None)
    return _name("dataset", parts[0]), "" if parts[1] is None else _name("principal", parts[1])


def _accounts(run: Transaction, dataset: str, principal: str) -> list[Account]:
    """The accounts of a dataset, or of a principal on it; a stranger is told so."""
    if not accounts_in(run, (dataset, "")):
        raise LedgerMisuse(f"dataset `{dataset}` is not registered", hint="the owner registers it")
    found = accounts_in(run, (dataset, principal))
    if not found:
        raise LedgerMisuse(f"principal `{principal}` has no cap on dataset `{dataset}`", hint="the owner grants one")
    return found


def _receipt(value: object) -> Receipt:
    if not isinstance(value, Receipt):
        raise InvalidParameter("receipt", "must be what `reserve` gave", value)
    return value


def _outcome(request: requests.Request, state: StoredState) -> Any:
    try:
        return request.decide(state)
    except LedgerMisuse as misuse:  # raised before anything was appended
        return misuse


def _charges(body: Body, dataset: str, principal: str) -> Iterator[tuple[str, int]]:
    """The events that an entry charges to an account, or gives back."""
    if body["kind"] == "restore":
        for loss in body["lost"]:
            if loss["dataset"] == dataset and principal in ("", *loss.get("principals", ())):
                yield canonical(loss["event"]), 1
    elif body["kind"] in _CHARGES and body["dataset"] == dataset and principal in ("", body["principal"]):
        times = _CHARGES[body["kind"]]
        yield canonical(body["event"]), times if principal or body["kind"] != "share" else 0
