"""What follows from the entries: accounts, the fate of every key, the head of the chain.

`apply` is the only place where an entry changes anything. The writer runs it as it appends, `verify` runs it again
over the stored entries, so the state that was kept and the state that follows can be compared.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from sfumato.errors import LedgerDamaged
from sfumato.ledger.accounts import Account, Holder, group_holder
from sfumato.ledger.budgets import Budget, Price, Units, turn
from sfumato.ledger.canon import GENESIS, canonical, link, name_of

Accounts = tuple[Account, ...]
Body = dict[str, Any]
"""An entry: its kind, its sequence, its time, and what the kind needs."""


class CapPassed(Exception):
    """A charge that an account does not hold; nothing has changed."""

    def __init__(self, account: Account, price: Units) -> None:
        super().__init__()
        self.account, self.price = account, price


class State:
    """The state after some entries, in memory."""

    def __init__(self) -> None:
        self.sequence = 0
        self.head = GENESIS
        self.time = 0
        self.accounts: dict[Holder, Accounts] = {}
        self.open: dict[bytes, int] = {}
        self.closed: dict[bytes, int] = {}
        self.failures: dict[Holder, int] = {}
        self.declared: dict[str, int] = {}
        self.registered: dict[str, int] = {}
        self.groups: dict[str, dict[str, int]] = {}
        """The groups of each dataset that is in any, with the entries by which it joined."""
        self.approvals: dict[bytes, int] = {}

    # ---- where state comes from: a store fills these in ----

    def accounts_of(self, holder: Holder) -> Accounts:
        """The accounts of a holder: the lifetime's and those of windows; none for a stranger."""
        return self.accounts.get(holder, ())

    def opened(self, key: bytes) -> int | None:
        """The entry that opened a key, while it is open."""
        return self.open.get(key)

    def put(self, holder: Holder, accounts: Accounts) -> None:
        """Keep the accounts of a holder."""
        self.accounts[holder] = accounts

    def hold(self, key: bytes, sequence: int) -> None:
        """Open a key."""
        self.open[key] = sequence

    def drop(self, key: bytes) -> None:
        """Take an open key away."""
        del self.open[key]

    def close(self, key: bytes, sequence: int) -> None:
        """Give a key its fate."""
        self.closed[key] = sequence

    def count_failures(self, holder: Holder, number: int) -> None:
        """Keep how many questions of a holder failed since the owner looked."""
        self.failures[holder] = number
        if not number:
            del self.failures[holder]

    def declare(self, dataset: str, sequence: int) -> None:
        """Keep which entry says what is declared of a dataset."""
        self.declared[dataset] = sequence

    def register(self, dataset: str, sequence: int) -> None:
        """Keep which entry says what data of a dataset are registered."""
        self.registered[dataset] = sequence

    def join(self, dataset: str, group: str, sequence: int) -> None:
        """Keep that a dataset is in a group, and since which entry."""
        self.groups[dataset] = {**self.groups.get(dataset, {}), group: sequence}

    def approve(self, key: bytes, sequence: int) -> None:
        """Keep which entry says whether a request is approved."""
        self.approvals[key] = sequence

    def groups_of(self, dataset: str, before: int | None = None) -> tuple[Holder, ...]:
        """Who else pays for a dataset: the groups that it is in, or was in before an entry."""
        joined = self.groups.get(dataset)
        if not joined:
            return ()
        return tuple([group_holder(group) for group, since in joined.items() if before is None or since < before])

    # ---- what entries do ----

    def append(self, body: Body, now: int, text_of: Callable[[Body], str] = canonical) -> str:
        """Number the next entry, give it ledger time, which never runs backward, and do what it says; its text."""
        body["sequence"], body["time"] = self.sequence + 1, max(now, self.time)
        _APPLY[body["kind"]](self, body)
        text = text_of(body)
        self._move(body, text)
        return text

    def follow(self, body: Body, text: str) -> None:
        """Move on by an entry that was stored."""
        if body["sequence"] != self.sequence + 1 or body["time"] < self.time:
            raise LedgerDamaged(f"entry {self.sequence + 1} is missing, out of order or back in time")
        try:
            _APPLY[body["kind"]](self, body)
        except CapPassed:
            raise LedgerDamaged(f"entry {body['sequence']} passes a cap") from None
        self._move(body, text)

    def _move(self, body: Body, text: str) -> None:
        self.sequence, self.time = body["sequence"], body["time"]
        self.head = link(self.head, text)


@lru_cache(maxsize=1 << 10)
def key_of(principal: str, key: str) -> bytes:
    """What an idempotency key is kept as: it belongs to one principal."""
    return name_of("key", principal, key)


@lru_cache(maxsize=1 << 10)
def memo_of(dataset: str, data_version: str, request_hash: str) -> bytes:
    """What a canonical question on one version of a dataset is kept as."""
    return name_of("memo", dataset, data_version, request_hash)


def approval_of(dataset: str, principal: str, request_hash: str) -> bytes:
    """What the owner's word on a request is kept as."""
    return name_of("approval", dataset, principal, request_hash)


def _price(charged: Mapping[str, Iterable[str]], account: Account) -> Units:
    texts = charged[account.budget.currency]
    return (texts if isinstance(texts, Price) else Price.of(texts)).units


def _charge(state: State, body: Body, *holders: Holder) -> None:
    """Add the price to every account of every holder, or to none."""
    charged, time = body["charged"], body["time"]
    changed: list[tuple[Holder, Accounts]] = []
    for holder in holders:
        afters = []
        for account in state.accounts_of(holder):
            price = _price(charged, account)
            now = account.at(time) if account.period else account
            after = now.after(price)
            if not after.keeps_its_cap():
                raise CapPassed(now, price)
            afters.append(after)
        changed.append((holder, tuple(afters)))
    for holder, accounts in changed:
        state.put(holder, accounts)


def _open_accounts(state: State, body: Body) -> None:
    """register: the caps of a dataset; grant: those of a principal on it; group: those of a group of datasets."""
    named = body["kind"] == "group"
    holder = group_holder(body["group"]) if named else (body["dataset"], body.get("principal", ""))
    budgets = {period: Budget.from_text(text) for period, text in sorted(body["limits"].items())}
    state.put(holder, tuple(Account.empty(holder, period, budget, body["time"]) for period, budget in budgets.items()))


def _join(state: State, body: Body) -> None:
    """A dataset is in a group from now on, for ever, and what it spent before counts there too."""
    holder = group_holder(body["group"])
    afters = []
    for account in state.accounts_of(holder):
        now, price = account.at(body["time"]), Price.of(body["charged"][account.period]).units
        after = now.after(price)
        if not after.keeps_its_cap():
            raise CapPassed(now, price)
        afters.append(after)
    state.put(holder, tuple(afters))
    state.join(body["dataset"], body["group"], body["sequence"])


def _registration(state: State, body: Body) -> None:
    """What data of a dataset the owner registered, under names that nobody can guess."""
    state.register(body["dataset"], body["sequence"])


def _approval(state: State, body: Body) -> None:
    """The owner's word on a request; the latest counts."""
    state.approve(approval_of(body["dataset"], body["principal"], body["request_hash"]), body["sequence"])


def _declare(state: State, body: Body) -> None:
    """What the owner declares of a dataset from now on."""
    state.declare(body["dataset"], body["sequence"])


def _reserve(state: State, body: Body) -> None:
    dataset, principal = body["dataset"], body["principal"]
    _charge(state, body, (dataset, ""), (dataset, principal), *state.groups_of(dataset))
    state.hold(key_of(principal, body["key"]), body["sequence"])
    state.hold(memo_of(dataset, body["data_version"], body["request_hash"]), body["sequence"])


def _ask(state: State, body: Body) -> None:
    """A question of a run that was charged before: it reads data, and is open until it has an answer."""
    state.hold(key_of(body["principal"], body["key"]), body["sequence"])
    state.hold(memo_of(body["dataset"], body["data_version"], body["request_hash"]), body["sequence"])


def _share(state: State, body: Body) -> None:
    """A stored answer shown to another principal: their account is charged, the dataset's is not."""
    _charge(state, body, (body["dataset"], body["principal"]))
    state.close(key_of(body["principal"], body["key"]), body["sequence"])
    state.close(bytes.fromhex(body["seen"]), body["sequence"])


def _keys(state: State, body: Body) -> tuple[bytes, bytes]:
    """The two keys of the reservation that an entry ends."""
    key = key_of(body["principal"], body["key"])
    memo = memo_of(body["dataset"], body["data_version"], body["request_hash"])
    if state.opened(key) != body["reserve"] or state.opened(memo) != body["reserve"]:
        raise LedgerDamaged(f"entry {body['sequence']} ends a reservation that is not open")
    state.drop(key)
    state.drop(memo)
    return key, memo


def _settle(state: State, body: Body) -> None:
    beside = isinstance(body.get("sha256"), str) and isinstance(body.get("size"), int)
    if ("release" in body) == beside:  # within, before there was a table for releases
        raise LedgerDamaged(f"entry {body['sequence']} settles no release, or two")
    for key in _keys(state, body):
        state.close(key, body["sequence"])


def _lose(state: State, body: Body) -> None:
    key, _ = _keys(state, body)  # an equal question may be asked again, and is charged again
    state.close(key, body["sequence"])
    if body.get("failure"):  # entries of the first version do not say
        _count_failure(state, body)


def _count_failure(state: State, body: Body) -> None:
    for holder in ((body["dataset"], ""), (body["dataset"], body["principal"])):
        state.count_failures(holder, state.failures.get(holder, 0) + 1)


def _resume(state: State, body: Body) -> None:
    """An attempt at a resumable charge has ended without an answer, and another begins: the first is a failure."""
    if state.opened(key_of(body["principal"], body["key"])) != body["reserve"]:
        raise LedgerDamaged(f"entry {body['sequence']} resumes a reservation that is not open")
    state.close(name_of("resume", str(body["sequence"])), body["sequence"])  # so that every entry leaves a trace
    _count_failure(state, body)


def _unlock(state: State, body: Body) -> None:
    """The owner has looked: the failures of a principal, or of a dataset and everyone on it, are counted anew."""
    state.close(name_of("unlock", str(body["sequence"])), body["sequence"])
    for dataset, principal in list(state.failures):
        if dataset == body["dataset"] and body["principal"] in ("", principal):
            state.count_failures((dataset, principal), 0)


def _refund(state: State, body: Body) -> None:
    key, _ = _keys(state, body)
    state.close(key, body["sequence"])
    groups = state.groups_of(body["dataset"], body["reserve"])  # one that was joined since keeps what it took over
    for holder in ((body["dataset"], ""), (body["dataset"], body["principal"]), *groups):
        now = [account.at(body["time"]) for account in state.accounts_of(holder)]
        charged_here = [account.turn == turn(account.period, body["reserved"]) for account in now]
        state.put(
            holder,
            tuple(  # a window that is over gets nothing back
                account.without(_price(body["charged"], account)) if here else account
                for account, here in zip(now, charged_here, strict=True)
            ),
        )


def _restore(state: State, body: Body) -> None:
    """A backup was put back: what the owner says was lost is charged to all who may have spent it, whatever the cap."""
    state.close(name_of("restore", str(body["sequence"])), body["sequence"])  # so that every entry leaves a trace
    for loss in body["lost"]:
        dataset = loss["dataset"]
        own = [(dataset, principal) for principal in ("", *loss.get("principals", ()))]  # the first version lacks them
        for holder in (*own, *state.groups_of(dataset)):
            now = [account.at(body["time"]) for account in state.accounts_of(holder)]
            state.put(holder, tuple(account.after_the_fact(_price(loss["charged"], account)) for account in now))


_APPLY: dict[str, Callable[[State, Body], None]] = {
    "register": _open_accounts,
    "grant": _open_accounts,
    "reserve": _reserve,
    "share": _share,
    "settle": _settle,
    "lose": _lose,
    "refund": _refund,
    "restore": _restore,
    "ask": _ask,
    "unlock": _unlock,
    "declare": _declare,
    "group": _open_accounts,
    "join": _join,
    "registration": _registration,
    "approval": _approval,
    "resume": _resume,
}
KINDS = tuple(_APPLY)
"""Every kind of entry; their meaning never changes."""
