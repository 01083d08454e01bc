"""Walking the chain: every entry again, and the state that follows compared with the state that was kept."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass

from sfumato.errors import LedgerDamaged, LedgerRolledBack, SfumatoError
from sfumato.ledger.anchors import Anchor
from sfumato.ledger.canon import GENESIS
from sfumato.ledger.releases import Kept
from sfumato.ledger.state import Body, State
from sfumato.ledger.store import Transaction
from sfumato.ledger.stored import accounts_in, approvals_in, dated_in, failures_in, groups_in, identity_in

_MODULUS = 1 << 256
_CAPS = "SELECT dataset, principal, period, cap, delta_cap FROM accounts"
_UNREADABLE = (SfumatoError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
_LATEST = "SELECT sequence, head FROM entries WHERE sequence = (SELECT max(sequence) FROM entries)"


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry as it is stored: its number, its body, the chain's head after it."""

    sequence: int
    body: Body
    head: str


class _Walk(State):
    """State that keeps a sum of hashes for the closed keys, so that a long ledger does not fill memory."""

    def __init__(self, releases: Kept) -> None:
        super().__init__()
        self.releases = releases
        self.count, self.sum = 0, 0

    def close(self, key: bytes, sequence: int) -> None:
        """Count the key."""
        self.count, self.sum = self.count + 1, (self.sum + _hash(key, sequence)) % _MODULUS


def _hash(key: bytes, sequence: int) -> int:
    return int.from_bytes(hashlib.sha256(f"{key.hex()} {sequence}".encode()).digest())


def rows(run: Transaction) -> Iterator[tuple[int, str, str]]:
    """The stored entries in order, as text."""
    yield from run.execute("SELECT sequence, body, head FROM entries ORDER BY sequence")


def latest(run: Transaction) -> Anchor:
    """The anchor of the newest entry."""
    identity = identity_in(run)
    for sequence, head in run.execute(_LATEST):
        return Anchor(identity, sequence, head)
    return Anchor(identity, 0, GENESIS)


def walk(run: Transaction, anchor: Anchor | None) -> Anchor:
    """The anchor of what was walked, or LedgerDamaged with the first entry that is wrong."""
    found = latest(run)
    if anchor is not None and anchor.identity != found.identity:
        raise LedgerDamaged("the anchor belongs to another ledger")
    state = _Walk(Kept(run))
    for sequence, text, stored in rows(run):
        _step(state, sequence, text, stored, found.identity)
        if anchor is not None and anchor.sequence == sequence and anchor.head != stored:
            raise LedgerDamaged(f"entry {sequence} is not the one that was anchored")
    state.releases.end()
    _compare(run, state)
    if anchor is not None and anchor.sequence > state.sequence:
        raise rolled_back(anchor, state.sequence)
    return found


def _step(state: _Walk, sequence: int, text: str, stored: str, identity: str) -> None:
    try:
        body = json.loads(text)
        if state.sequence == 0 and body.get("ledger", identity) != identity:  # entries of the first version lack it
            raise LedgerDamaged("the ledger's identity is not the one that its first entry names")
        state.follow(body, text)
    except LedgerDamaged:
        raise
    except _UNREADABLE:
        raise LedgerDamaged(f"entry {state.sequence + 1} cannot be read") from None
    if state.head != stored or state.sequence != sequence:
        raise LedgerDamaged(f"entry {state.sequence} does not follow from the one before")
    if body["kind"] == "settle" and "release" not in body:
        state.releases.compare(body)


def _compare(run: Transaction, state: _Walk) -> None:
    followed = {account for accounts in state.accounts.values() for account in accounts}
    caps = {(*a.holder, a.period, str(a.witness()[1]), str(a.budget.caps[-1])) for a in followed}
    try:
        kept, stored = set(accounts_in(run)), set(run.execute(_CAPS))
    except _UNREADABLE:
        raise LedgerDamaged("an account cannot be read") from None
    if kept != followed or stored != caps:
        raise LedgerDamaged("an account does not follow from the entries")
    if failures_in(run) != state.failures:
        raise LedgerDamaged("the count of failures does not follow from the entries")
    if dated_in(run, "declarations") != state.declared:
        raise LedgerDamaged("what is declared does not follow from the entries")
    if dated_in(run, "registrations") != state.registered:
        raise LedgerDamaged("what data are registered does not follow from the entries")
    if groups_in(run) != state.groups:
        raise LedgerDamaged("which datasets are in a group does not follow from the entries")
    if approvals_in(run) != state.approvals:
        raise LedgerDamaged("what is approved does not follow from the entries")
    if dict(run.execute("SELECT name, sequence FROM open_keys")) != state.open:
        raise LedgerDamaged("the open reservations do not follow from the entries")
    count, total = 0, 0
    for key, sequence in run.execute("SELECT name, sequence FROM closed_keys ORDER BY name"):
        count, total = count + 1, (total + _hash(key, sequence)) % _MODULUS
    if (count, total) != (state.count, state.sum):
        raise LedgerDamaged("the index of keys does not follow from the entries")


def check_anchor(run: Transaction, anchor: Anchor) -> None:
    """Whether the ledger contains what was anchored, by one look-up: cheap enough for every opening."""
    found = latest(run)
    if anchor.identity != found.identity:
        raise LedgerDamaged("the anchor belongs to another ledger", hint="each ledger has an anchor of its own")
    if anchor.sequence > found.sequence:
        raise rolled_back(anchor, found.sequence)
    if anchor.sequence:
        heads = [head for (head,) in run.execute("SELECT head FROM entries WHERE sequence = ?", (anchor.sequence,))]
        if heads != [anchor.head]:
            raise LedgerDamaged(f"entry {anchor.sequence} is not the one that was anchored")


def rolled_back(anchor: Anchor, last: int) -> LedgerRolledBack:
    """The ledger ends before its anchor."""
    return LedgerRolledBack(
        f"the ledger ends at entry {last} and its anchor is at {anchor.sequence}: an older copy was put back",
        hint="put the newest copy back, or let the owner restore this one",
    )
