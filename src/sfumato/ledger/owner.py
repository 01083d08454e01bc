"""The owner's words: what is declared, what data are registered, what failed and was looked at, what is approved."""

import hashlib
import hmac
import os
from dataclasses import dataclass
from typing import Any

from sfumato.core.printing import Json
from sfumato.errors import LedgerMisuse
from sfumato.ledger.canon import canonical
from sfumato.ledger.requests import Keyless, end_reservation
from sfumato.ledger.state import Body, approval_of
from sfumato.ledger.stored import StoredState

ADD_OR_REMOVE = "add or remove one"
"""How neighbours differ where nothing else is said, as in every entry from before it was."""


def veil(secret: str | None, text: str) -> str:
    """A name for a text that nobody can guess who does not have the secret; without one, good for once."""
    return hmac.new(bytes.fromhex(secret or os.urandom(32).hex()), text.encode(), hashlib.sha256).hexdigest()


def _registered(state: StoredState, dataset: str) -> None:
    if not state.accounts_of((dataset, "")):
        raise LedgerMisuse(f"dataset `{dataset}` is not registered", hint="register it first")


def _granted(state: StoredState, dataset: str, principal: str) -> None:
    if not state.accounts_of((dataset, principal)):
        what = f"principal `{principal}` has no cap on" if principal else "nothing is registered as"
        raise LedgerMisuse(f"{what} dataset `{dataset}`", hint="see the names in the declaration")


@dataclass(frozen=True)
class Declare(Keyless):
    """What the owner declares of a dataset, on which version of its data, and when two databases are neighbours."""

    dataset: str
    unit: str
    declaration: Json
    data_version: str
    neighbours: str = ADD_OR_REMOVE

    def decide(self, state: StoredState) -> int:
        """The sequence of the entry; declaring the same again changes nothing, another unit is refused."""
        _registered(state, self.dataset)
        latest = state.declared.get(self.dataset)
        fields = {"unit": self.unit, "declaration": self.declaration, "data_version": self.data_version}
        if latest is None:
            neighbours = self.neighbours
        else:
            before, _ = state.certain_entry(latest)
            neighbours = self._relation(before)
            same = all(canonical(before[name]) == canonical(value) for name, value in fields.items())
            if same and neighbours == before.get("neighbours", ADD_OR_REMOVE):
                return latest
        body, _ = state.record({"kind": "declare", "dataset": self.dataset, "neighbours": neighbours, **fields})
        return int(body["sequence"])

    def _relation(self, before: Body) -> str:
        """The relation from now on: that of before, or the same more exactly; another, or another unit, is refused."""
        if before["unit"] != self.unit:
            raise LedgerMisuse(
                f"dataset `{self.dataset}` protects {before['unit']}, and not {self.unit}",
                hint="what was spent was spent on that; another unit needs another dataset name",
            )
        said = before.get("neighbours", ADD_OR_REMOVE)
        if said == ADD_OR_REMOVE and self.neighbours.startswith(ADD_OR_REMOVE):
            return self.neighbours
        if self.neighbours == said or (self.neighbours == ADD_OR_REMOVE and said.startswith(ADD_OR_REMOVE)):
            return str(said)
        raise LedgerMisuse(
            f"neighbours of dataset `{self.dataset}` {said}, and not {self.neighbours}",
            hint="what was spent was spent on that; other neighbours need another dataset name",
        )


@dataclass(frozen=True)
class Registered(Keyless):
    """The data of a dataset as they were registered, under names that nobody can guess."""

    dataset: str
    data_version: str
    digest: str

    def decide(self, state: StoredState) -> int:
        """The sequence of the entry; registering the same data again changes nothing."""
        _registered(state, self.dataset)
        secret = state.secret()
        veiled = {"data_version": veil(secret, self.data_version), "digest": veil(secret, self.digest)}
        latest = state.registered.get(self.dataset)
        if latest is not None:
            before, _ = state.certain_entry(latest)
            if all(before[name] == value for name, value in veiled.items()):
                return latest
        body, _ = state.record({"kind": "registration", "dataset": self.dataset, **veiled})
        return int(body["sequence"])


GIVEN_UP_AFTER = 600 * 10**9
"""Nanoseconds of ledger time after which an unfinished publication may be given up: none measures for so long."""


@dataclass(frozen=True)
class Unlock(Keyless):
    """The owner has looked at what failed; what was left unfinished for long is given up, and its charge stays spent.

    A charge that can be gone on with may still fail as long as it is open, so it holds a place among those that may.
    """

    dataset: str
    principal: str
    reason: str

    def decide(self, state: StoredState) -> int:
        """How many failures there were."""
        _granted(state, self.dataset, self.principal)
        found = state.failures.get((self.dataset, self.principal), 0)
        latest = max(state.now, state.time) - GIVEN_UP_AFTER
        for body, _ in map(state.certain_entry, sorted(state.reservations())):
            theirs = body["dataset"] == self.dataset and self.principal in ("", body["principal"])
            if theirs and body.get("resumable") and body["time"] <= latest:
                end_reservation(state, "lose", body, reason="given up by the owner")
        same = {"dataset": self.dataset, "principal": self.principal, "reason": self.reason}
        state.record({"kind": "unlock", "failures": found, **same})
        return found


@dataclass(frozen=True)
class Approve(Keyless):
    """The owner's word on one request of one principal: granted or not, and why."""

    dataset: str
    principal: str
    request_hash: str
    granted: bool
    note: str

    def decide(self, state: StoredState) -> int:
        """The sequence of the entry; saying the same again changes nothing, saying otherwise counts from now on."""
        _granted(state, self.dataset, self.principal)
        said: dict[str, Any] = {"granted": self.granted, "note": self.note}
        latest = state.approval(approval_of(self.dataset, self.principal, self.request_hash))
        if latest is not None:
            before, _ = state.certain_entry(latest)
            if all(before[name] == value for name, value in said.items()):
                return latest
        about = {"dataset": self.dataset, "principal": self.principal, "request_hash": self.request_hash}
        body, _ = state.record({"kind": "approval", **about, **said})
        return int(body["sequence"])
