"""One charge: decided in order, written once, answered from what is stored where it was asked before."""

from dataclasses import dataclass, field
from functools import lru_cache

from sfumato import __version__
from sfumato.errors import LedgerMisuse
from sfumato.ledger.accounts import Account
from sfumato.ledger.amounts import GRID
from sfumato.ledger.budgets import Budget, Known, Price, TooDear
from sfumato.ledger.canon import canonical, name_of, quoted
from sfumato.ledger.outcomes import Answered, Patience, Receipt, Refused
from sfumato.ledger.shortfalls import shortfalls
from sfumato.ledger.state import Accounts, Body, CapPassed, key_of, memo_of
from sfumato.ledger.stored import StoredState

_COUNTS = {"pure": "ε", "zcdp": "ρ of zCDP", "rdp": "Rényi ε"}


@dataclass(slots=True, eq=False)  # not frozen: one is made for every charge, and a frozen one takes three times as long
class Reserve:
    """One event on one dataset by one principal."""

    dataset: str
    principal: str
    event: Known
    request_hash: str
    key: str
    data_version: str
    patience: Patience | None = None
    charge: bool = True
    """Whether a charge may be made: without, only what is stored is given."""
    question: str = ""
    label: str = ""
    """Remarks, as they are given: neither makes another request of it."""
    resumable: bool = False
    """Whether the same request may go on under this charge until it is settled."""
    _names: tuple[bytes, bytes] = field(init=False)

    def __post_init__(self) -> None:
        key, memo = key_of(self.principal, self.key), memo_of(self.dataset, self.data_version, self.request_hash)
        self._names = key, memo

    def names(self) -> tuple[bytes, bytes]:
        """The idempotency key and the canonical question."""
        return self._names

    def decide(self, state: StoredState) -> Receipt | Answered | Refused:
        """A receipt if the event was charged; what is stored if it was asked before; else why not."""
        key, memo = self._names
        before = state.fate(key) or state.opened(key)
        if before:
            return self._replay(state, before)
        whole, own = state.accounts_of((self.dataset, "")), state.accounts_of((self.dataset, self.principal))
        if not whole or not own:
            return self._unknown(whole)
        answered = state.fate(memo)
        if answered:
            return self._share(state, own, memo, answered)
        held = self._held(state, memo)
        kept = {"resumable": True} if self.resumable else {}
        recorded = self._record(state, "reserve", (*whole, *own), **kept) if held is None else held
        if isinstance(recorded, Refused):
            return recorded
        body, head = recorded
        return Receipt(body["sequence"], head, self.dataset, self.principal, body["time"])

    def _held(self, state: StoredState, memo: bytes) -> Refused | None:
        """Why a charge is not even tried."""
        if state.opened(memo):
            return Refused("pending", "an equal question is being answered", "ask again when it is settled")
        if not self.charge:
            return Refused("new", "nothing is stored for this question", "ask it at a price that may be charged")
        return held_back(state, self.dataset, self.principal, self.patience)

    def _unknown(self, whole: Accounts) -> Refused:
        if not whole:
            return Refused("unknown", f"dataset `{self.dataset}` is not registered", "the owner registers it")
        return Refused("unknown", f"principal `{self.principal}` has no cap here", "the owner grants one")

    def _record(
        self, state: StoredState, kind: str, accounts: Accounts, **fields: object
    ) -> tuple[Body, str] | Refused:
        """Append the charge to every account, if each has a price for the event and room for it."""
        if kind == "reserve":
            for group in state.groups_of(self.dataset):
                accounts = (*accounts, *state.accounts_of(group))
        budgets = tuple([account.budget.text for account in accounts])
        frame = _frame(self.event, kind, (self.dataset, self.principal, self.data_version), budgets)
        if isinstance(frame, _Unpriced):
            problem, hint = frame.problem, _unpriced(accounts[frame.account], frame.problem)
            return self._refused(state, accounts, problem, hint)
        body = {**frame.same, "key": self.key, "request_hash": self.request_hash, **fields}
        if self.question:
            body["question"] = self.question
        if self.label:
            body["label"] = self.label
        try:
            return state.record(body, canonical if fields else frame.text_of)
        except CapPassed as passed:
            return self._refused(state, accounts, _too_much(passed), _decides(passed.account))

    def _refused(self, state: StoredState, accounts: Accounts, problem: str, hint: str) -> Refused:
        return Refused("budget", problem, hint, shortfalls(accounts, self.event, max(state.now, state.time)))

    def _content(self) -> Body:
        """What makes two requests the same."""
        return {
            "data_version": self.data_version,
            "dataset": self.dataset,
            "event": self.event.json,
            "key": self.key,
            "principal": self.principal,
            "request_hash": self.request_hash,
        }

    def _replay(self, state: StoredState, before: int) -> Receipt | Answered | Refused:
        """What became of the request that this key named first."""
        fate, head = state.certain_entry(before)
        first = state.certain_entry(fate["reserve"])[0] if "reserve" in fate else fate
        content = self._content()
        if canonical({name: first.get(name) for name in content}) != canonical(content):
            return Refused("conflict", "the idempotency key was used for another request", "use a new key")
        if fate["kind"] == "share":
            fate, head = state.certain_entry(fate["answer"])
        if fate["kind"] == "settle":
            return state.answer(fate, head)
        if fate["kind"] == "reserve" and self.resumable and fate.get("resumable"):
            return resumed(state, fate, head, self.patience)
        if fate["kind"] == "reserve":
            return Refused("pending", "the request is being answered", "ask again when it is settled")
        if fate["kind"] == "lose":
            return Refused("lost", "the answer was lost and its charge is spent", "ask again with a new key")
        return Refused("refunded", "the request failed before data were touched", "ask again with a new key")

    def _share(self, state: StoredState, own: Accounts, memo: bytes, answered: int) -> Answered | Refused:
        """The stored answer; a principal who did not ask before has it charged to their own cap, once."""
        body, head = state.certain_entry(answered)
        first = state.certain_entry(body["reserve"])[0]
        if canonical(first.get("event")) != canonical(self.event.json):  # the answer to a run's question has none
            return Refused(
                "conflict", "the question was answered at another price", "ask with the event that answered it"
            )
        seen = name_of("seen", self.principal, memo.hex())
        if body["principal"] != self.principal and not state.fate(seen):
            shared = self._record(state, "share", own, answer=answered, seen=seen.hex())
            if isinstance(shared, Refused):
                return shared
        return state.answer(body, head)


def resumed(state: StoredState, reserve: Body, head: str, patience: Patience | None) -> Receipt | Refused:
    """The receipt of a charge again, for whoever was interrupted before it was settled.

    Nothing that was drawn under a resumable charge can be read by anybody before it is settled: whoever holds the
    receipt keeps it in memory, or writes it sealed with a key that only the settled release tells. So an attempt that
    ended without settling has released nothing, whatever it wrote; another may read the same data and draw anew; and of
    all attempts at most one is ever settled, as `settle` takes one answer alone. All that attempts can tell is that
    they failed. That may depend on a cell, so each is counted against the principal and the dataset as a lost answer's
    is, before the next reads: an entry of its own kind, which charges nothing and leaves the reservation open.
    """
    dataset, principal = reserve["dataset"], reserve["principal"]
    held = held_back(state, dataset, principal, patience, but=reserve["sequence"])
    if held is not None:
        return held
    same = {name: reserve[name] for name in ("dataset", "principal", "key", "data_version", "request_hash")}
    state.record({"kind": "resume", "reserve": reserve["sequence"], **same})
    return Receipt(reserve["sequence"], head, dataset, principal, reserve["time"])


@dataclass(frozen=True)
class AskInRun:
    """A question of a run that was charged as a whole: an entry of its own, as it reads data."""

    dataset: str
    principal: str
    run: int
    """The entry that settled the run: it was charged, and began."""
    event: Known | None
    """What it must have been charged for, if that is said."""
    request_hash: str
    key: str
    data_version: str
    patience: Patience | None
    question: str = ""
    label: str = ""

    def names(self) -> tuple[bytes, bytes]:
        """The keys that it opens."""
        return key_of(self.principal, self.key), memo_of(self.dataset, self.data_version, self.request_hash)

    def decide(self, state: StoredState) -> Receipt | Refused:
        """A receipt, if the run was charged and too many have not failed."""
        found = state.entry(self.run)
        about = (self.dataset, self.principal)
        if found is None or found[0]["kind"] != "settle" or (found[0]["dataset"], found[0]["principal"]) != about:
            raise LedgerMisuse("the run was not charged here", hint="reserve and settle it first")
        charged = state.certain_entry(found[0]["reserve"])[0].get("event")
        if self.event is not None and canonical(charged) != canonical(self.event.json):
            raise LedgerMisuse("the run was charged for another event", hint="ask with the event of the run")
        if any(state.opened(name) or state.fate(name) for name in self.names()):
            raise LedgerMisuse("the question of the run was asked before", hint="give each a key and a hash of its own")
        held = held_back(state, self.dataset, self.principal, self.patience)
        if held is not None:
            return held
        same = {"dataset": self.dataset, "principal": self.principal, "data_version": self.data_version}
        same |= {name: text for name, text in (("question", self.question), ("label", self.label)) if text}
        body, head = state.record(
            {"kind": "ask", "run": self.run, "key": self.key, "request_hash": self.request_hash, **same}
        )
        return Receipt(body["sequence"], head, self.dataset, self.principal, body["time"])


def held_back(
    state: StoredState, dataset: str, principal: str, patience: Patience | None, *, but: int | None = None
) -> Refused | None:  # fmt: skip
    """Why no question may read data now: too many failed, or as many are open as may still fail, `but` one of them."""
    if patience is None:
        return None
    waiting = [state.certain_entry(sequence)[0] for sequence in state.reservations() if sequence != but]
    for who, most in ((principal, patience.principal), ("", patience.dataset)):
        failed = state.failures.get((dataset, who), 0)
        if failed >= most:
            whose = f"of principal `{who}`" if who else f"on dataset `{dataset}`"
            return Refused("locked", f"{failed} questions {whose} have failed", "the owner must look and unlock it")
        mine = [body for body in waiting if body["dataset"] == dataset and who in ("", body["principal"])]
        if failed + len(mine) >= most:
            unfinished = any(body.get("resumable") for body in mine)
            also = "; unfinished publications count: go on with them, or have the owner unlock" if unfinished else ""
            return Refused(
                "busy", "as many questions are being answered as may still fail", f"ask again in a moment{also}"
            )
    return None


@dataclass(frozen=True, slots=True)
class _Unpriced:
    account: int
    problem: str


@dataclass(frozen=True, slots=True)
class _Frame:
    """The parts of an entry that charges of one kind share, and their canonical text."""

    same: Body
    parts: tuple[str, str, str, str]

    def text_of(self, body: Body) -> str:
        """What `canonical` writes, with the shared parts written once."""
        key, sha = quoted(body["key"]), body["request_hash"]
        label = f'"label":{quoted(body["label"])},' if "label" in body else ""
        question = f'"question":{quoted(body["question"])},' if "question" in body else ""
        one, two, three, four = self.parts
        return (
            f'{one}{key}{two}{label}{three}{question}{four}{sha}","sequence":{body["sequence"]},"time":{body["time"]}}}'
        )


@lru_cache(maxsize=1 << 12)
def _frame(event: Known, kind: str, about: tuple[str, str, str], budgets: tuple[str, ...]) -> _Frame | _Unpriced:
    """The frame of a charge to accounts with these budgets, or which of them cannot price the event and why."""
    charged: dict[str, Price] = {}
    for account, text in enumerate(budgets):
        budget = Budget.from_text(text)
        price = event.price(budget)
        if isinstance(price, str):
            return _Unpriced(account, price)
        charged[budget.currency] = price
    dataset, principal, data_version = about
    same: Body = {
        "accountant": __version__,
        "charged": charged,
        "data_version": data_version,
        "dataset": dataset,
        "event": event.json,
        "kind": kind,
        "principal": principal,
    }
    marked = canonical({**same, "key": "", "label": "", "question": "", "request_hash": "", "sequence": 0, "time": 0})
    one, rest = marked.rsplit('"key":""', 1)
    two, rest = rest.rsplit('"label":"",', 1)
    three, rest = rest.rsplit('"question":"",', 1)
    return _Frame(same, (f'{one}"key":', two, three, rest.rsplit('","sequence":0,"time":0}', 1)[0]))


def _whose(account: Account) -> str:
    dataset, group, principal = account.whose()
    who = f"principal `{principal}`" if principal else f"group `{group}`" if group else f"dataset `{dataset}`"
    return f"the {account.period or 'lifetime'} budget of {who}"


def _decides(account: Account) -> str:
    return f"{_whose(account)} decides; ask a cheaper question"


def _unpriced(account: Account, problem: str) -> str:
    if isinstance(problem, TooDear):
        return _decides(account)
    counts = _COUNTS[account.budget.currency.split(" ", 1)[0]]
    return f"{_whose(account)} counts in {counts}; ask for a mechanism that has such a price"


def _too_much(passed: CapPassed) -> str:
    costs = ", ".join("∞" if units is None else f"{units / GRID:.6g}" for units in passed.price)
    left = f"{float(passed.account.balance().remaining):.6g}"
    return f"the event costs {costs} (δ last) and {left} is left"
