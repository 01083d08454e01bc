"""The state as a store keeps it: read as far as a batch of requests needs, written back once at its end."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain

from sfumato.core.printing import Json
from sfumato.errors import LedgerDamaged
from sfumato.ledger.accounts import Account, Holder
from sfumato.ledger.budgets import Budget
from sfumato.ledger.canon import canonical
from sfumato.ledger.outcomes import Answered
from sfumato.ledger.releases import Encoded, decoded, encoded, stored
from sfumato.ledger.state import Accounts, Body, State
from sfumato.ledger.store import Row, Transaction

_ACCOUNTS = "SELECT dataset, principal, period, turn, budget, spent, delta_spent, curve FROM accounts"
_KEYS = """WITH wanted (key) AS (VALUES {0})
SELECT name, sequence, 0 FROM wanted CROSS JOIN open_keys WHERE name = key
UNION ALL SELECT name, sequence, 1 FROM wanted CROSS JOIN closed_keys WHERE name = key"""  # a search for each key
_LATEST = "SELECT sequence, body, head FROM entries WHERE sequence = (SELECT max(sequence) FROM entries)"
_UPDATE = """UPDATE accounts SET turn = ?, spent = ?, cap = ?, delta_spent = ?, curve = ?
WHERE dataset = ? AND principal = ? AND period = ?"""
_INSERT = """INSERT INTO accounts (dataset, principal, period, budget, delta_cap, turn, spent, cap, delta_spent, curve)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""

_MOST_HOLDERS = 10_000
_MOST_ROWS = 256


class StoredState(State):
    """State inside a transaction; `flush` writes what changed.

    It may serve the next transaction too, as long as nobody else has written in between.
    """

    def __init__(self, run: Transaction) -> None:
        super().__init__()
        for self.sequence, body, self.head in run.execute(_LATEST):
            self.time = json.loads(body)["time"]
        self.failures = failures_in(run)
        self.declared = dated_in(run, "declarations")
        self.registered = dated_in(run, "registrations")
        self.groups = groups_in(run)
        self.begin(run, 0)

    def begin(self, run: Transaction, now: int) -> None:
        """Start a batch of requests; what is known of keys is asked anew."""
        self.now, self._run = now, run
        self.open, self.closed = {}, {}
        self._asked: set[bytes] = set()
        self._new: set[Holder] = set()
        self._changed: set[Holder] = set()
        self._held: set[bytes] = set()
        self._dropped: set[bytes] = set()
        self._closed_now: dict[bytes, int] = {}
        self._entries: list[tuple[int, str, str]] = []
        self._counted: set[Holder] = set()
        self._redated: dict[str, set[str]] = {"declarations": set(), "registrations": set()}
        self._joined: list[Row] = []
        self._releases: dict[int, tuple[bytes, ...]] = {}
        self.approvals = {}
        if len(self.accounts) > _MOST_HOLDERS:
            self.accounts = {}

    # ---- reading ----

    def look_up(self, keys: Iterable[bytes]) -> None:
        """Read what is known of some keys, all at once."""
        wanted = [key for key in dict.fromkeys(keys) if key not in self._asked]
        if not wanted:
            return
        self._asked.update(wanted)
        padded = wanted + [wanted[0]] * ((1 << (len(wanted) - 1).bit_length()) - len(wanted))  # few distinct statements
        for name, sequence, closed in self._run.execute(_keys(len(padded)), padded):
            (self.closed if closed else self.open)[name] = sequence

    def opened(self, key: bytes) -> int | None:
        """The entry that opened a key, while it is open."""
        if key not in self._asked:
            self.look_up((key,))
        return self.open.get(key)

    def fate(self, key: bytes) -> int | None:
        """The entry that closed a key."""
        if key not in self._asked:
            self.look_up((key,))
        return self.closed.get(key)

    def accounts_of(self, holder: Holder) -> Accounts:
        """The accounts of a holder: the lifetime's and those of windows; none for a stranger."""
        found = self.accounts.get(holder)
        if found is None:
            found = tuple(accounts_in(self._run, holder))
            if found:
                self.accounts[holder] = found
        return found

    def principals_of(self, dataset: str) -> list[str]:
        """All who have caps on a dataset."""
        stored = {who for (who,) in self._run.execute("SELECT principal FROM accounts WHERE dataset = ?", (dataset,))}
        return sorted((stored | {who for where, who in self.accounts if where == dataset}) - {""})

    def entry(self, sequence: int) -> tuple[Body, str] | None:
        """A stored entry and the chain's head after it."""
        behind = self.sequence - sequence  # entries of this batch are not in the store yet
        if 0 <= behind < len(self._entries):
            _, text, latest = self._entries[-1 - behind]
            return json.loads(text), latest
        for body, head in self._run.execute("SELECT body, head FROM entries WHERE sequence = ?", (sequence,)):
            return json.loads(body), head
        return None

    def certain_entry(self, sequence: int) -> tuple[Body, str]:
        """A stored entry that the state speaks of."""
        found = self.entry(sequence)
        if found is None:
            raise LedgerDamaged(f"entry {sequence} is missing")
        return found

    def answer(self, body: Body, head: str) -> Answered:
        """The stored answer of an entry that settled one."""
        sequence = int(body["sequence"])
        if "release" in body:  # before there was a table for them
            return answered(sequence, head, body["release"], encoded(body["release"]))
        pieces = self._releases.get(sequence) or stored(self._run, body)
        return Answered(sequence, head, decoded(pieces), body["sha256"], body["size"])

    def bodies(self) -> Iterator[Body]:
        """Every entry there is now, those of this batch too."""
        for (text,) in self._run.execute("SELECT body FROM entries ORDER BY sequence"):
            yield json.loads(text)
        for _, text, _ in self._entries:
            yield json.loads(text)

    def approval(self, key: bytes) -> int | None:
        """The entry that says whether a request is approved."""
        if key in self.approvals:
            return self.approvals[key]
        for (sequence,) in self._run.execute("SELECT sequence FROM approvals WHERE name = ?", (key,)):
            return int(sequence)
        return None

    def secret(self) -> str | None:
        """The ledger's secret, if it has one."""
        return secret_in(self._run)

    def reservations(self) -> list[int]:
        """Every reservation that is open."""
        stored = self._run.execute("SELECT name, sequence FROM open_keys")
        kept = {sequence for name, sequence in stored if bytes(name) not in self._dropped}
        return sorted(kept | {self.open[key] for key in self._held})

    # ---- writing ----

    def record(self, body: Body, text_of: Callable[[Body], str] = canonical) -> tuple[Body, str]:
        """Append an entry now; its body and the chain's head after it."""
        if not self.sequence:
            body["ledger"] = identity_in(self._run)  # so that the chain says whose it is
            body["secret"] = os.urandom(32).hex()  # keys the names of what must not be guessed from the chain
        text = self.append(body, self.now, text_of)
        self._entries.append((self.sequence, text, self.head))
        return body, self.head

    def put(self, holder: Holder, accounts: Accounts) -> None:
        """Keep the accounts of a holder."""
        if holder not in self.accounts:
            self._new.add(holder)
        self._changed.add(holder)
        self.accounts[holder] = accounts

    def hold(self, key: bytes, sequence: int) -> None:
        """Open a key."""
        self.open[key] = sequence
        self._held.add(key)

    def drop(self, key: bytes) -> None:
        """Take an open key away."""
        super().drop(key)
        (self._held.remove if key in self._held else self._dropped.add)(key)

    def close(self, key: bytes, sequence: int) -> None:
        """Give a key its fate."""
        super().close(key, sequence)
        self._closed_now[key] = sequence

    def count_failures(self, holder: Holder, number: int) -> None:
        """Keep how many questions of a holder failed since the owner looked."""
        super().count_failures(holder, number)
        self._counted.add(holder)

    def declare(self, dataset: str, sequence: int) -> None:
        """Keep which entry says what is declared of a dataset."""
        super().declare(dataset, sequence)
        self._redated["declarations"].add(dataset)

    def register(self, dataset: str, sequence: int) -> None:
        """Keep which entry says what data of a dataset are registered."""
        super().register(dataset, sequence)
        self._redated["registrations"].add(dataset)

    def join(self, dataset: str, group: str, sequence: int) -> None:
        """Keep that a dataset is in a group, and since which entry."""
        super().join(dataset, group, sequence)
        self._joined.append((dataset, group, sequence))

    def keep(self, sequence: int, pieces: tuple[bytes, ...]) -> None:
        """Keep the pieces of the release that an entry of this batch settled."""
        self._releases[sequence] = pieces

    def flush(self) -> None:
        """Write the entries and all that follows from them."""
        if not self._entries:
            return
        many = self._run.executemany
        self._insert("entries (sequence, body, head)", self._entries)
        if self._dropped:
            many("DELETE FROM open_keys WHERE name = ?", [(key,) for key in self._dropped])
        self._insert("open_keys (name, sequence)", [(key, self.open[key]) for key in self._held])
        self._insert("closed_keys (name, sequence)", list(self._closed_now.items()))
        if self._counted:
            many("DELETE FROM failures WHERE dataset = ? AND principal = ?", sorted(self._counted))
            kept = [(*holder, self.failures[holder]) for holder in sorted(self._counted) if holder in self.failures]
            self._insert("failures (dataset, principal, number)", kept)
        self._flush_owners_words()
        pieces = ((n, part, piece) for n, all_ in self._releases.items() for part, piece in enumerate(all_))
        self._insert("releases (sequence, part, content)", list(pieces))
        new = [account for holder in self._new for account in self.accounts[holder]]
        if new:
            many(_INSERT, [(*_key(account), *_fixed(account), *account.row()) for account in new])
        changed = [account for holder in self._changed - self._new for account in self.accounts[holder]]
        if changed:
            many(_UPDATE, [(*account.row(), *_key(account)) for account in changed])

    def _flush_owners_words(self) -> None:
        """Write what the owner said: declarations, registrations, memberships and approvals."""
        many = self._run.executemany
        for table, latest in (("declarations", self.declared), ("registrations", self.registered)):
            names = sorted(self._redated[table])
            if names:
                many(f"DELETE FROM {table} WHERE dataset = ?", [(name,) for name in names])
                self._insert(f"{table} (dataset, sequence)", [(name, latest[name]) for name in names])
        self._insert("memberships (dataset, whole, sequence)", self._joined)
        if self.approvals:
            many("DELETE FROM approvals WHERE name = ?", [(key,) for key in self.approvals])
            self._insert("approvals (name, sequence)", list(self.approvals.items()))

    def _insert(self, table: str, rows: Sequence[Row]) -> None:
        """Insert rows by statements of 2ⁿ rows: there are few of them, and each gives up the interpreter once."""
        start = 0
        while start < len(rows):
            size = min(_MOST_ROWS, 1 << (len(rows) - start).bit_length() - 1)
            self._run.execute(_insertion(table, len(rows[0]), size), tuple(chain(*rows[start : start + size])))
            start += size


@cache
def _keys(count: int) -> str:
    return _KEYS.format(",".join(["(?)"] * count))


@cache
def _insertion(table: str, columns: int, rows: int) -> str:
    return f"INSERT INTO {table} VALUES " + ",".join([f"({','.join('?' * columns)})"] * rows)


def identity_in(run: Transaction) -> str:
    """The stored name of a ledger."""
    names = [name for (name,) in run.execute("SELECT name FROM identity")]
    if len(names) != 1:
        raise LedgerDamaged("the ledger has lost its identity")
    return str(names[0])


def secret_in(run: Transaction) -> str | None:
    """The secret of a ledger's first entry; None in an empty ledger, and in one from before there were any."""
    for (body,) in run.execute("SELECT body FROM entries WHERE sequence = 1"):
        found = json.loads(body).get("secret")
        return None if found is None else str(found)
    return None


def failures_in(run: Transaction) -> dict[Holder, int]:
    """How many questions failed since the owner looked, by holder."""
    found = run.execute("SELECT dataset, principal, number FROM failures")
    return {(dataset, principal): number for dataset, principal, number in found}


def dated_in(run: Transaction, table: str) -> dict[str, int]:
    """The entry that says what is declared, or registered, of each dataset now."""
    found = run.execute(f"SELECT dataset, sequence FROM {table}")
    return {str(dataset): int(sequence) for dataset, sequence in found}


def groups_in(run: Transaction) -> dict[str, dict[str, int]]:
    """The groups of each dataset that is in any, with the entries by which it joined."""
    found: dict[str, dict[str, int]] = {}
    joined = run.execute("SELECT dataset, whole, sequence FROM memberships")
    for dataset, group, sequence in sorted(joined, key=_since):
        found.setdefault(dataset, {})[group] = sequence
    return found


def _since(row: Row) -> int:
    return int(row[2])


def approvals_in(run: Transaction) -> dict[bytes, int]:
    """The entry that says whether each request is approved."""
    return {bytes(name): int(sequence) for name, sequence in run.execute("SELECT name, sequence FROM approvals")}


def answered(sequence: int, head: str, release: Json, kept: Encoded) -> Answered:
    """A stored answer whose release is at hand."""
    return Answered(sequence, head, release, kept.sha256, kept.size)


def _key(account: Account) -> Row:
    return *account.holder, account.period


def _fixed(account: Account) -> Row:
    return account.budget.text, str(account.budget.caps[-1])


def accounts_in(run: Transaction, holder: Holder | None = None) -> list[Account]:
    """The stored accounts: of one holder, or all there are."""
    if holder is None:
        return [_read(row) for row in run.execute(_ACCOUNTS)]
    found = [_read(row) for row in run.execute(f"{_ACCOUNTS} WHERE dataset = ? AND principal = ?", holder)]
    return sorted(found, key=lambda account: account.period)


def _read(row: Row) -> Account:
    dataset, principal, period, turn, budget, spent, delta, curve = row
    used = [value if value is None else int(value) for value in json.loads(curve)] if curve else [int(spent)]
    return Account((dataset, principal), period, turn, Budget.from_text(budget), (*used, int(delta)))
