"""What is known of a ledger, without changing anything."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from sfumato.accounting import from_json
from sfumato.accounting.events import Counted, Event, counted
from sfumato.accounting.total import Total, total
from sfumato.errors import LedgerMisuse
from sfumato.ledger import given
from sfumato.ledger.accounts import Account, group_holder
from sfumato.ledger.anchors import AnchorFile, anchor_of
from sfumato.ledger.backup import back_up
from sfumato.ledger.budgets import known
from sfumato.ledger.history import charges
from sfumato.ledger.outcomes import Approval, Balance, Quote
from sfumato.ledger.owner import veil
from sfumato.ledger.releases import stored
from sfumato.ledger.shortfalls import quotes
from sfumato.ledger.state import approval_of
from sfumato.ledger.store import Store, Transaction
from sfumato.ledger.stored import StoredState, accounts_in, failures_in, groups_in, secret_in
from sfumato.ledger.verify import Entry, latest, rows, walk

Clock = Callable[[], int]


class LedgerReader:
    """Balances, entries and owners' words of a ledger on a store."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock

    # ---- spending ----

    def balances(self, dataset: str, principal: str = "") -> list[Balance]:
        """The caps of a dataset and its groups, or of a principal on it, and what was spent in the window that runs."""
        with self._store.read() as run:
            now = max(StoredState(run).time, self._clock())
            found = _accounts(run, dataset, principal)
            for group in () if principal else groups_in(run).get(dataset, ()):
                found += accounts_in(run, group_holder(group))
        return [account.at(now).balance() for account in found]

    def quote(self, *, dataset: str, principal: str, event: Event) -> tuple[Quote, ...]:
        """What every budget that an event counts against would say to it, in the order of a charge; none is charged."""
        priced = known(given.event("event", event))
        with self._store.read() as run:
            now = max(StoredState(run).time, self._clock())
            found = _accounts(run, dataset, "") + _accounts(run, dataset, principal)
            for group in groups_in(run).get(dataset, ()):
                found += accounts_in(run, group_holder(group))
        return quotes(found, priced, now)

    def groups_of(self, dataset: str) -> tuple[str, ...]:
        """The groups that a dataset is in, in the order in which it joined them."""
        with self._store.read() as run:
            return tuple(groups_in(run).get(dataset, ()))

    def spent(self, *, dataset: str, principal: str = "") -> tuple[Counted, ...]:
        """The events charged to a dataset, or to a principal on it, with how often each happened."""
        counts: dict[str, int] = {}
        with self._store.read() as run:
            _accounts(run, dataset, principal)
            for _, body, _ in rows(run):
                for charged, _, times in charges(json.loads(body), dataset, principal):
                    counts[charged] = counts.get(charged, 0) + times
        return counted((from_json(json.loads(text)), n) for text, n in counts.items())

    def total(self, *, dataset: str, principal: str = "") -> Total:
        """What was spent, priced again from the stored events by the whole accountant."""
        return total(self.spent(dataset=dataset, principal=principal))

    # ---- entries and releases ----

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

    def stream(self, sequence: int) -> Iterator[bytes]:
        """The release that an entry settled, as canonical JSON in pieces.

        LedgerDamaged is raised before the last piece unless all of them are what was settled.
        """
        with self._store.read() as run:
            found = StoredState(run).entry(sequence)
            if found is None or found[0]["kind"] != "settle":
                raise LedgerMisuse(
                    f"entry {sequence} settled no release", hint="`Answered.sequence` names one that did"
                )
            yield from stored(run, found[0])

    # ---- what owners said ----

    def declared(self, dataset: str) -> Mapping[str, Any] | None:
        """The entry that says what is declared of a dataset now, if there is one."""
        with self._store.read() as run:
            state = StoredState(run)
            found = state.declared.get(dataset)
            return None if found is None else state.certain_entry(found)[0]

    def registration(self, dataset: str) -> Mapping[str, Any] | None:
        """The entry that says what data of a dataset are registered now, under veiled names, if there is one."""
        with self._store.read() as run:
            state = StoredState(run)
            found = state.registered.get(dataset)
            return None if found is None else state.certain_entry(found)[0]

    def approval_of(self, *, dataset: str, principal: str, request_hash: str) -> Approval | None:
        """The owner's latest word on a request of a principal, if there is one."""
        with self._store.read() as run:
            state = StoredState(run)
            found = state.approval(approval_of(dataset, principal, request_hash))
            if found is None:
                return None
            body, _ = state.certain_entry(found)
        return Approval(body["sequence"], body["granted"], body["note"], body["time"])

    def failures(self, dataset: str, principal: str = "") -> int:
        """How many questions about a dataset, or of a principal on it, failed since its owner looked."""
        with self._store.read() as run:
            return failures_in(run).get((dataset, principal), 0)

    def veiled(self, text: str) -> str:
        """A name for a text that is the same whoever opens the ledger, and that nobody can guess without reading it.

        A ledger that has no secret yet gives names that are good for this call alone.
        """
        with self._store.read() as run:
            return veil(secret_in(run), text)

    # ---- trust ----

    def anchor(self) -> str:
        """A line to keep apart from the ledger: it pins every entry there is now."""
        with self._store.read() as run:
            return str(latest(run))

    def verify(self, anchor: Path | str | None = None) -> str:
        """Walk every entry, compare state, releases and tables; the anchor of what was verified, or LedgerDamaged."""
        known = None if anchor is None else anchor_of(anchor)
        with self._store.read() as run:
            walked = str(walk(run, known.read() if isinstance(known, AnchorFile) else known))
            self._store.check(run)
            return walked

    def backup(self, path: Path | str) -> str:
        """Copy the ledger as it is now to a new file, while others write; the anchor of what the copy holds."""
        return back_up(self._store, Path(path))


def _accounts(run: Transaction, dataset: str, principal: str) -> list[Account]:
    """The accounts of a dataset, or of a principal on it; a stranger is told so."""
    if not accounts_in(run, (dataset, "")):
        raise LedgerMisuse(f"dataset `{dataset}` is not registered", hint="the owner registers it")
    found = accounts_in(run, (dataset, principal))
    if not found:
        raise LedgerMisuse(f"principal `{principal}` has no cap on dataset `{dataset}`", hint="the owner grants one")
    return found
