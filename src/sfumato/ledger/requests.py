"""What can be asked of the ledger, and how each is decided inside one transaction.

A request decides first and appends last: when it raises `LedgerMisuse` or returns `Refused`, nothing was appended.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sfumato import __version__
from sfumato.accounting.events import Event
from sfumato.errors import LedgerMisuse
from sfumato.ledger.accounts import Account, Holder
from sfumato.ledger.anchors import Anchor
from sfumato.ledger.budgets import Limits, known
from sfumato.ledger.canon import Json, canonical
from sfumato.ledger.outcomes import Answered, Receipt
from sfumato.ledger.state import Body, key_of
from sfumato.ledger.stored import StoredState


class Request(Protocol):
    """One thing asked; requests of one batch are decided one after the other."""

    def names(self) -> Sequence[bytes]:
        """The keys whose fate decides it, so that a batch can look them up together."""
        ...

    def decide(self, state: StoredState) -> Any:
        """The outcome, after appending what it needs."""
        ...


class _Keyless:
    def names(self) -> Sequence[bytes]:
        """None."""
        return ()


# ---- caps ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Register(_Keyless):
    """Caps for a dataset, or for a principal on it."""

    dataset: str
    principal: str
    limits: Limits

    def decide(self, state: StoredState) -> int:
        """The sequence of the entry; asking the same again changes nothing, asking otherwise is refused."""
        if self.principal and not state.accounts_of((self.dataset, "")):
            raise LedgerMisuse(f"dataset `{self.dataset}` is not registered", hint="register it first")
        wanted = {period: budget.text for period, budget in self.limits.periods().items()}
        known = {account.period: account.budget.text for account in state.accounts_of((self.dataset, self.principal))}
        if known == wanted:
            return state.sequence
        if known:
            what = f"principal `{self.principal}`" if self.principal else f"dataset `{self.dataset}`"
            raise LedgerMisuse(f"{what} has other caps already", hint="caps are for ever")
        fields = {"kind": "grant", "principal": self.principal} if self.principal else {"kind": "register"}
        body, _ = state.record({"dataset": self.dataset, "limits": wanted, **fields})
        return int(body["sequence"])


@dataclass(frozen=True)
class Declare(_Keyless):
    """What the owner declares of a dataset, on which version of its data."""

    dataset: str
    unit: str
    declaration: Json
    data_version: str

    def decide(self, state: StoredState) -> int:
        """The sequence of the entry; declaring the same again changes nothing, another unit is refused."""
        if not state.accounts_of((self.dataset, "")):
            raise LedgerMisuse(f"dataset `{self.dataset}` is not registered", hint="register it first")
        latest = state.declared.get(self.dataset)
        fields = {"unit": self.unit, "declaration": self.declaration, "data_version": self.data_version}
        if latest is not None:
            before, _ = state.certain_entry(latest)
            if before["unit"] != self.unit:
                raise LedgerMisuse(
                    f"dataset `{self.dataset}` protects {before['unit']}, and not {self.unit}",
                    hint="what was spent was spent on that; another unit needs another dataset name",
                )
            if all(canonical(before[name]) == canonical(value) for name, value in fields.items()):
                return latest
        body, _ = state.record({"kind": "declare", "dataset": self.dataset, **fields})
        return int(body["sequence"])


# ---- ends ---------------------------------------------------------------------------------------------------


def _reservation(state: StoredState, receipt: Receipt) -> tuple[Body, int | None]:
    """The reservation that a receipt names, and the entry that ended it."""
    found = state.entry(receipt.sequence)
    if found is None or found[1] != receipt.head or found[0]["kind"] not in ("reserve", "ask"):
        raise LedgerMisuse("the receipt does not belong to this ledger", hint="it may be from before a restore")
    key = key_of(found[0]["principal"], found[0]["key"])
    return found[0], None if state.opened(key) == receipt.sequence else state.fate(key)


def _end(state: StoredState, kind: str, reserve: Body, **fields: Any) -> tuple[Body, str]:
    same = {name: reserve[name] for name in ("dataset", "principal", "key", "data_version", "request_hash")}
    return state.record({"kind": kind, "reserve": reserve["sequence"], **same, **fields})


@dataclass(frozen=True)
class Settle(_Keyless):
    """Store the released answer; it may leave only after this."""

    receipt: Receipt
    release: Json

    def decide(self, state: StoredState) -> Answered:
        """The stored answer; settling twice alike changes nothing."""
        reserve, fate = _reservation(state, self.receipt)
        if fate is None:
            body, head = _end(state, "settle", reserve, release=self.release)
        else:
            body, head = state.certain_entry(fate)
            if body["kind"] != "settle":
                what = "marked as lost" if body["kind"] == "lose" else "refunded"
                raise LedgerMisuse(f"the reservation was {what}", hint="do not release this answer")
            if canonical(body["release"]) != canonical(self.release):
                raise LedgerMisuse("the reservation was settled with another answer", hint="release the stored one")
        return Answered(body["sequence"], head, body["release"])


@dataclass(frozen=True)
class Lose(_Keyless):
    """Mark an answer as lost: the charge stays, and a failure is counted."""

    receipt: Receipt
    reason: str
    failure: bool = True

    def decide(self, state: StoredState) -> None:
        """Nothing; losing twice changes nothing."""
        reserve, fate = _reservation(state, self.receipt)
        if fate is None:
            _end(state, "lose", reserve, reason=self.reason, **_failed(self.failure))
        elif state.certain_entry(fate)[0]["kind"] != "lose":
            raise LedgerMisuse("the reservation has ended already", hint="its answer is settled or refunded")


def _failed(failure: bool) -> dict[str, Any]:
    return {"failure": True} if failure else {}


@dataclass(frozen=True)
class Abandon(_Keyless):
    """Mark as lost what a key opened, if it did: for who was interrupted before the receipt came."""

    principal: str
    key: str

    def decide(self, state: StoredState) -> None:
        """Nothing."""
        opened = state.opened(key_of(self.principal, self.key))
        if opened:
            _end(state, "lose", state.certain_entry(opened)[0], reason="interrupted")


@dataclass(frozen=True)
class Unlock(_Keyless):
    """The owner has looked at what failed."""

    dataset: str
    principal: str
    reason: str

    def decide(self, state: StoredState) -> int:
        """How many failures there were."""
        if not state.accounts_of((self.dataset, self.principal)):
            what = f"principal `{self.principal}` has no cap on" if self.principal else "nothing is registered as"
            raise LedgerMisuse(f"{what} dataset `{self.dataset}`", hint="see the names in the declaration")
        found = state.failures.get((self.dataset, self.principal), 0)
        same = {"dataset": self.dataset, "principal": self.principal, "reason": self.reason}
        state.record({"kind": "unlock", "failures": found, **same})
        return found


@dataclass(frozen=True)
class Refund(_Keyless):
    """Give a charge back because the request failed before data were touched."""

    receipt: Receipt
    reason: str

    def decide(self, state: StoredState) -> None:
        """Nothing; refunding twice changes nothing."""
        reserve, fate = _reservation(state, self.receipt)
        if fate is None:
            if reserve["kind"] != "reserve":
                raise LedgerMisuse("what was not charged is not given back", hint="lose it instead")
            _end(state, "refund", reserve, reason=self.reason, **_given_back(reserve))
        elif state.certain_entry(fate)[0]["kind"] != "refund":
            raise LedgerMisuse("the reservation has ended already", hint="what is settled or lost is spent")


def _given_back(reserve: Body) -> dict[str, Any]:
    return {"charged": reserve["charged"], "event": reserve["event"], "reserved": reserve["time"]}


@dataclass(frozen=True)
class Recover(_Keyless):
    """Mark every reservation as lost that is still open after some seconds."""

    older_than: int
    """In nanoseconds of ledger time."""
    dataset: str = ""
    """Of one dataset alone, if it is named."""

    def decide(self, state: StoredState) -> int:
        """How many were marked."""
        latest = max(state.now, state.time) - self.older_than
        waiting = [body for body, _ in map(state.certain_entry, state.reservations()) if body["time"] <= latest]
        stale = [body for body in waiting if self.dataset in ("", body["dataset"])]
        for body in sorted(stale, key=lambda body: int(body["sequence"])):
            _end(state, "lose", body, reason="recovered", **_failed(True))  # whoever died may have died of a cell
        return len(stale)


@dataclass(frozen=True)
class Restore(_Keyless):
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
            _end(state, "lose", state.certain_entry(reservation)[0], reason="restored")
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
        charged = {account.budget.currency: _unlimited(account, event) for account in accounts}
        return {"dataset": dataset, "principals": principals, "event": known(event).json, "charged": charged}


def _first(item: tuple[Holder, Event]) -> Holder:
    return item[0]


def _unlimited(account: Account, event: Event) -> Sequence[str]:
    """The price, or an infinite one where there is none; an account that is passed has nothing left."""
    price = account.budget.price(event)
    return ["inf"] * len(account.budget.caps) if isinstance(price, str) else price
