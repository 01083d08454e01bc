"""What can be asked of the ledger, and how each is decided inside one transaction.

A request decides first and appends last: when it raises `LedgerMisuse` or returns `Refused`, nothing was appended.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from sfumato import __version__
from sfumato.accounting.events import Event
from sfumato.errors import LedgerMisuse
from sfumato.ledger.accounts import Account
from sfumato.ledger.amounts import GRID, written
from sfumato.ledger.budgets import Known, Limits, known
from sfumato.ledger.canon import Json, canonical, digest
from sfumato.ledger.outcomes import Answered, Receipt, Refused
from sfumato.ledger.state import Accounts, Body, CapPassed, key_of, memo_of
from sfumato.ledger.stored import StoredState


class Request(Protocol):
    """One thing asked; requests of one batch are decided one after the other."""

    def names(self) -> Sequence[str]:
        """The keys whose fate decides it, so that a batch can look them up together."""
        ...

    def decide(self, state: StoredState) -> Any:
        """The outcome, after appending what it needs."""
        ...


class _Keyless:
    def names(self) -> Sequence[str]:
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
        fields = {"principal": self.principal} if self.principal else {}
        body, _ = state.record("grant" if fields else "register", dataset=self.dataset, limits=wanted, **fields)
        return int(body["sequence"])


# ---- charges ------------------------------------------------------------------------------------------------


class Reserve(NamedTuple):
    """One event on one dataset by one principal."""

    dataset: str
    principal: str
    event: Known
    request_hash: str
    key: str
    data_version: str

    def names(self) -> tuple[str, str]:
        """The idempotency key and the canonical question."""
        return key_of(self.principal, self.key), memo_of(self.dataset, self.data_version, self.request_hash)

    def decide(self, state: StoredState) -> Receipt | Answered | Refused:
        """A receipt if the event was charged; what is stored if it was asked before; else why not."""
        key, memo = self.names()
        before = state.fate(key) or state.opened(key)
        if before:
            return self._replay(state, before)
        whole, own = state.accounts_of((self.dataset, "")), state.accounts_of((self.dataset, self.principal))
        if not whole or not own:
            return self._unknown(whole)
        answered = state.fate(memo)
        if answered:
            return self._share(state, own, memo, answered)
        if state.opened(memo):
            return Refused("pending", "an equal question is being answered", "ask again when it is settled")
        written = self._record(state, "reserve", (*whole, *own))
        if isinstance(written, Refused):
            return written
        body, head = written
        return Receipt(body["sequence"], head, self.dataset, self.principal, body["time"])

    def _unknown(self, whole: Accounts) -> Refused:
        if not whole:
            return Refused("unknown", f"dataset `{self.dataset}` is not registered", "the owner registers it")
        return Refused("unknown", f"principal `{self.principal}` has no cap here", "the owner grants one")

    def _record(
        self, state: StoredState, kind: str, accounts: Accounts, **fields: object
    ) -> tuple[Body, str] | Refused:
        """Append the charge to every account, if each has a price for the event and room for it."""
        charged: dict[str, Sequence[str]] = {}
        for account in accounts:
            price = self.event.price(account.budget)
            if isinstance(price, str):
                return Refused("budget", price, _whose(account))
            charged[account.budget.currency] = price
        try:
            return state.record(kind, **self._content(charged), **fields)
        except CapPassed as passed:
            return _too_much(passed)

    def _content(self, charged: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        return {
            "accountant": __version__,
            "charged": charged,
            "data_version": self.data_version,
            "dataset": self.dataset,
            "event": self.event.json,
            "key": self.key,
            "principal": self.principal,
            "request_hash": self.request_hash,
        }

    def _replay(self, state: StoredState, before: int) -> Answered | Refused:
        """What became of the request that this key named first."""
        fate, head = state.certain_entry(before)
        first = state.certain_entry(fate["reserve"])[0] if "reserve" in fate and fate["kind"] != "share" else fate
        same = {name: first[name] for name in self._content({}) if name not in ("accountant", "charged")}
        if canonical(same) != canonical({name: self._content({})[name] for name in same}):
            return Refused("conflict", "the idempotency key was used for another request", "use a new key")
        if fate["kind"] == "share":
            fate, head = state.certain_entry(fate["answer"])
        if fate["kind"] == "settle":
            return Answered(fate["sequence"], head, fate["release"])
        if fate["kind"] == "reserve":
            return Refused("pending", "the request is being answered", "ask again when it is settled")
        if fate["kind"] == "lose":
            return Refused("lost", "the answer was lost and its charge is spent", "ask again with a new key")
        return Refused("refunded", "the request failed before data were touched", "ask again with a new key")

    def _share(self, state: StoredState, own: Accounts, memo: str, answered: int) -> Answered | Refused:
        """The stored answer; a principal who did not ask before has it charged to their own cap, once."""
        body, head = state.certain_entry(answered)
        seen = digest(f"seen\n{self.principal}\n{memo}")[:32]
        if body["principal"] != self.principal and not state.fate(seen):
            shared = self._record(state, "share", own, answer=answered, seen=seen)
            if isinstance(shared, Refused):
                return shared
        return Answered(answered, head, body["release"])


def _whose(account: Account) -> str:
    dataset, principal = account.holder
    who = f"of principal `{principal}`" if principal else f"of dataset `{dataset}`"
    return f"the {account.period or 'lifetime'} budget {who} decides; ask a cheaper question"


def _too_much(passed: CapPassed) -> Refused:
    costs = ", ".join("∞" if units is None else f"{units / GRID:.6g}" for units in passed.price)
    left = f"{float(passed.account.balance().remaining):.6g}"
    return Refused("budget", f"the event costs {costs} (δ last) and {left} is left", _whose(passed.account))


# ---- ends ---------------------------------------------------------------------------------------------------


def _reservation(state: StoredState, receipt: Receipt) -> tuple[Body, int | None]:
    """The reservation that a receipt names, and the entry that ended it."""
    found = state.entry(receipt.sequence)
    if found is None or found[1] != receipt.head or found[0]["kind"] != "reserve":
        raise LedgerMisuse("the receipt does not belong to this ledger", hint="it may be from before a restore")
    key = key_of(found[0]["principal"], found[0]["key"])
    return found[0], None if state.opened(key) == receipt.sequence else state.fate(key)


def _end(state: StoredState, kind: str, reserve: Body, **fields: Any) -> tuple[Body, str]:
    same = {name: reserve[name] for name in ("dataset", "principal", "key", "data_version", "request_hash")}
    return state.record(kind, reserve=reserve["sequence"], **same, **fields)


def _ended(state: StoredState, fate: int) -> tuple[Body, str]:
    return state.certain_entry(fate)


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
            body, head = _ended(state, fate)
            if body["kind"] != "settle":
                what = "marked as lost" if body["kind"] == "lose" else "refunded"
                raise LedgerMisuse(f"the reservation was {what}", hint="do not release this answer")
            if canonical(body["release"]) != canonical(self.release):
                raise LedgerMisuse("the reservation was settled with another answer", hint="release the stored one")
        return Answered(body["sequence"], head, body["release"])


@dataclass(frozen=True)
class Lose(_Keyless):
    """Mark an answer as lost: the charge stays."""

    receipt: Receipt
    reason: str

    def decide(self, state: StoredState) -> None:
        """Nothing; losing twice changes nothing."""
        reserve, fate = _reservation(state, self.receipt)
        if fate is None:
            _end(state, "lose", reserve, reason=self.reason)
        elif _ended(state, fate)[0]["kind"] != "lose":
            raise LedgerMisuse("the reservation has ended already", hint="its answer is settled or refunded")


@dataclass(frozen=True)
class Refund(_Keyless):
    """Give a charge back because the request failed before data were touched."""

    receipt: Receipt
    reason: str

    def decide(self, state: StoredState) -> None:
        """Nothing; refunding twice changes nothing."""
        reserve, fate = _reservation(state, self.receipt)
        if fate is None:
            _end(state, "refund", reserve, reason=self.reason, **_given_back(reserve))
        elif _ended(state, fate)[0]["kind"] != "refund":
            raise LedgerMisuse("the reservation has ended already", hint="what is settled or lost is spent")


def _given_back(reserve: Body) -> dict[str, Any]:
    return {"charged": reserve["charged"], "event": reserve["event"], "reserved": reserve["time"]}


@dataclass(frozen=True)
class Recover(_Keyless):
    """Mark every reservation as lost that is still open after some seconds."""

    older_than: int
    """In nanoseconds of ledger time."""

    def decide(self, state: StoredState) -> int:
        """How many were marked."""
        latest = max(state.now, state.time) - self.older_than
        stale = [body for body, _ in map(state.certain_entry, state.reservations()) if body["time"] <= latest]
        for body in sorted(stale, key=lambda body: int(body["sequence"])):
            _end(state, "lose", body, reason="recovered")
        return len(stale)


@dataclass(frozen=True)
class Restore(_Keyless):
    """The owner's word that a backup was put back, and what is known to have been spent since."""

    reason: str
    anchor: str
    lost: Mapping[str, Event]

    def decide(self, state: StoredState) -> int:
        """The sequence of the entry."""
        losses: list[dict[str, Any]] = []
        for dataset, event in sorted(self.lost.items()):
            accounts = state.accounts_of((dataset, ""))
            if not accounts:
                raise LedgerMisuse(f"dataset `{dataset}` is not registered", hint="name the datasets of the backup")
            charged = {account.budget.currency: _unlimited(account, event) for account in accounts}
            losses.append({"dataset": dataset, "event": known(event).json, "charged": charged})
        body, _ = state.record("restore", accountant=__version__, reason=self.reason, anchor=self.anchor, lost=losses)
        return int(body["sequence"])


def _unlimited(account: Account, event: Event) -> Sequence[str]:
    """The price, or all of the cap where the event alone passes it."""
    price = account.budget.price(event)
    caps = ["inf" if cap is None else written(cap) for cap in account.budget.caps]
    return caps if isinstance(price, str) else price
