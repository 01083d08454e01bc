"""What can be asked of the ledger, and how each is decided inside one transaction.

A request decides first and appends last: when it raises `LedgerMisuse` or returns `Refused`, nothing was appended.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from sfumato import __version__
from sfumato.accounting.events import Event
from sfumato.core.printing import Json
from sfumato.errors import LedgerMisuse
from sfumato.ledger.accounts import Account, Holder
from sfumato.ledger.anchors import Anchor
from sfumato.ledger.budgets import known
from sfumato.ledger.outcomes import Answered, Receipt
from sfumato.ledger.releases import Encoded, encoded
from sfumato.ledger.state import Body, key_of
from sfumato.ledger.stored import StoredState, answered

Outcome_co = TypeVar("Outcome_co", covariant=True)


class Request(Protocol[Outcome_co]):
    """One thing asked; requests of one batch are decided one after the other."""

    def names(self) -> Sequence[bytes]:
        """The keys whose fate decides it, so that a batch can look them up together."""
        ...

    def decide(self, state: StoredState) -> Outcome_co:
        """The outcome, after appending what it needs."""
        ...


class Keyless:
    """A request that no key decides."""

    def names(self) -> Sequence[bytes]:
        """None."""
        return ()


# ---- ends ---------------------------------------------------------------------------------------------------


def _reservation(state: StoredState, receipt: Receipt) -> tuple[Body, int | None]:
    """The reservation that a receipt names, and the entry that ended it."""
    found = state.entry(receipt.sequence)
    if found is None or found[1] != receipt.head or found[0]["kind"] not in ("reserve", "ask"):
        raise LedgerMisuse("the receipt does not belong to this ledger", hint="it may be from before a restore")
    key = key_of(found[0]["principal"], found[0]["key"])
    return found[0], None if state.opened(key) == receipt.sequence else state.fate(key)


def end_reservation(state: StoredState, kind: str, reserve: Body, **fields: Any) -> tuple[Body, str]:
    """The entry that ends a reservation, and its hash."""
    same = {name: reserve[name] for name in ("dataset", "principal", "key", "data_version", "request_hash")}
    return state.record({"kind": kind, "reserve": reserve["sequence"], **same, **fields})


@dataclass(frozen=True)
class Settle(Keyless):
    """Store the released answer; it may leave only after this."""

    receipt: Receipt
    release: Json
    kept: Encoded = field(init=False)
    """The release as it will be stored: made by who asks, so that nobody else waits for it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "kept", encoded(self.release))  # what is not JSON or is too large is refused here

    def decide(self, state: StoredState) -> Answered:
        """The stored answer; settling twice alike changes nothing."""
        reserve, fate = _reservation(state, self.receipt)
        if fate is None:
            body, head = end_reservation(state, "settle", reserve, **self.kept.fields())
            state.keep(body["sequence"], self.kept.pieces)
            return answered(body["sequence"], head, self.release, self.kept)
        body, head = state.certain_entry(fate)
        if body["kind"] != "settle":
            what = "marked as lost" if body["kind"] == "lose" else "refunded"
            raise LedgerMisuse(f"the reservation was {what}", hint="do not release this answer")
        sha256 = encoded(body["release"]).sha256 if "release" in body else body["sha256"]
        if sha256 != self.kept.sha256:
            raise LedgerMisuse("the reservation was settled with another answer", hint="release the stored one")
        return answered(body["sequence"], head, self.release, self.kept)


@dataclass(frozen=True)
class Lose(Keyless):
    """Mark an answer as lost: the charge stays, and a failure is counted."""

    receipt: Receipt
    reason: str
    failure: bool = True

    def decide(self, state: StoredState) -> None:
        """Nothing; losing twice changes nothing."""
        reserve, fate = _reservation(state, self.receipt)
        if fate is None:
            end_reservation(state, "lose", reserve, reason=self.reason, **_failed(self.failure))
        elif state.certain_entry(fate)[0]["kind"] != "lose":
            raise LedgerMisuse("the reservation has ended already", hint="its answer is settled or refunded")


def _failed(failure: bool) -> dict[str, Any]:
    return {"failure": True} if failure else {}


@dataclass(frozen=True)
class Abandon(Keyless):
    """Mark as lost what a key opened, if it did: for who was interrupted before the receipt came."""

    principal: str
    key: str

    def decide(self, state: StoredState) -> None:
        """Nothing."""
        opened = state.opened(key_of(self.principal, self.key))
        if opened:
            end_reservation(state, "lose", state.certain_entry(opened)[0], reason="interrupted")


@dataclass(frozen=True)
class Refund(Keyless):
    """Give a charge back because the request failed before data were touched."""

    receipt: Receipt
    reason: str

    def decide(self, state: StoredState) -> None:
        """Nothing; refunding twice changes nothing."""
        reserve, fate = _reservation(state, self.receipt)
        if fate is None:
            if reserve["kind"] != "reserve":
                raise LedgerMisuse("what was not charged is not given back", hint="lose it instead")
            end_reservation(state, "refund", reserve, reason=self.reason, **_given_back(reserve))
        elif state.certain_entry(fate)[0]["kind"] != "refund":
            raise LedgerMisuse("the reservation has ended already", hint="what is settled or lost is spent")


def _given_back(reserve: Body) -> dict[str, Any]:
    return {"charged": reserve["charged"], "event": reserve["event"], "reserved": reserve["time"]}


@dataclass(frozen=True)
class Recover(Keyless):
    """Mark every reservation as lost that is still open after some seconds."""

    older_than: int
    """In nanoseconds of ledger time."""
    dataset: str = ""
    """Of one dataset alone, if it is named."""

    def decide(self, state: StoredState) -> int:
        """How many were marked."""
        latest = max(state.now, state.time) - self.older_than
        waiting = [body for body, _ in map(state.certain_entry, state.reservations()) if body["time"] <= latest]
        # who was interrupted in a resumable one may still go on, and is counted then
        stale = [body for body in waiting if self.dataset in ("", body["dataset"]) and not body.get("resumable")]
        for body in sorted(stale, key=lambda body: int(body["sequence"])):
            end_reservation(
                state, "lose", body, reason="recovered", **_failed(True)
            )  # whoever died may have died of a cell
        return len(stale)


@dataclass(frozen=True)
class Restore(Keyless):
    """The owner's word that a backup was put back, and what is known to have been spent since."""

    reason: str
    anchor: Anchor
    lost: Mapping[Holder, Event] | None

    def decide(self, state: StoredState) -> int:
        """The sequence of the entry."""
        if self.lost is None and self.anchor.sequence > state.sequence:
            raise LedgerMisuse(
                f"entries {state.sequence + 1} to {self.anchor.sequence} are gone and what they spent is not said",
                hint="give lost=… by dataset or (dataset, principal); Approximate(0, 1) if not known, {} if nothing",
            )
        losses = [self._loss(state, holder, event) for holder, event in sorted((self.lost or {}).items(), key=_first)]
        for reservation in state.reservations():  # of before: what became of them is not known, so they are spent
            end_reservation(state, "lose", state.certain_entry(reservation)[0], reason="restored")
        fields = {"accountant": __version__, "reason": self.reason, "anchor": str(self.anchor), "lost": losses}
        body, _ = state.record({"kind": "restore", **fields})
        return int(body["sequence"])

    def _loss(self, state: StoredState, holder: Holder, event: Event) -> dict[str, Any]:
        """What was spent by a principal, or by nobody knows whom: then by each of them, as it may have been any."""
        dataset, principal = holder
        principals = [principal] if principal else state.principals_of(dataset)
        accounts = list(state.accounts_of((dataset, "")))
        if not accounts:
            raise LedgerMisuse(f"dataset `{dataset}` is not registered", hint="name the datasets of the backup")
        for who in principals:
            own = state.accounts_of((dataset, who))
            if not own:
                raise LedgerMisuse(f"principal `{who}` has no cap on `{dataset}`", hint="name the dataset alone")
            accounts += own
        for group in state.groups_of(dataset):
            accounts += state.accounts_of(group)
        charged = {account.budget.currency: _unlimited(account, event) for account in accounts}
        return {"dataset": dataset, "principals": principals, "event": known(event).json, "charged": charged}


def _first(item: tuple[Holder, Event]) -> Holder:
    return item[0]


def _unlimited(account: Account, event: Event) -> Sequence[str]:
    """The price, or an infinite one where there is none; an account that is passed has nothing left."""
    price = account.budget.price(event)
    return ["inf"] * len(account.budget.caps) if isinstance(price, str) else price
