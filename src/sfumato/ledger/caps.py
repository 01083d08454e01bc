"""Caps for datasets, for principals on them and for groups of datasets: given once, for ever."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from sfumato import __version__
from sfumato.accounting.serial import from_json
from sfumato.errors import LedgerMisuse
from sfumato.ledger import given
from sfumato.ledger.accounts import Account, Holder, group_holder
from sfumato.ledger.amounts import units_text
from sfumato.ledger.budgets import Budget, Limits, Price, known, turn
from sfumato.ledger.history import charges
from sfumato.ledger.requests import Keyless
from sfumato.ledger.stored import StoredState


def _given(state: StoredState, holder: Holder, what: str, limits: Limits, fields: Mapping[str, Any]) -> int:
    """The sequence of the entry that gives a holder caps; the same again changes nothing, others are refused."""
    if not _is_new(state, holder, what, limits):
        return state.sequence
    wanted = {period: budget.text for period, budget in limits.periods().items()}
    body, _ = state.record({"limits": wanted, **fields})
    return int(body["sequence"])


def _is_new(state: StoredState, holder: Holder, what: str, limits: Limits) -> bool:
    """Whether a holder has no caps yet; other caps than these are refused."""
    wanted = {period: budget.text for period, budget in limits.periods().items()}
    found = {account.period: account.budget for account in state.accounts_of(holder)}
    if found and {period: budget.text for period, budget in found.items()} != wanted:
        raise LedgerMisuse(
            f"{what} has other caps already: {caps_text(found)}",
            hint=f"caps are for ever: write {caps_text(found)}, or choose another name for new caps",
        )
    return not found


def caps_text(budgets: Mapping[str, Budget]) -> str:
    """Caps by their periods, as a declaration writes them.

    >>> caps_text({"": Budget.pure(epsilon=3, delta="1e-7"), "month": Budget.pure(epsilon="0.5")})
    'epsilon = "3", delta = "1e-07", month.epsilon = "0.5"'
    """
    return ", ".join(f"{period}.{said}" if period else said for period in budgets for said in _said(budgets[period]))


def _said(budget: Budget) -> Iterator[str]:
    kept = json.loads(budget.text)
    for name in ("epsilon", "rho", "delta"):
        if name in kept and (name != "delta" or kept[name] != "0"):
            short = f"{float(Fraction(kept[name])):g}"
            yield f'{name} = "{short if Fraction(short) == Fraction(kept[name]) else kept[name]}"'
    if kept["kind"] == "rdp":
        yield 'accounting = "renyi"'


@dataclass(frozen=True)
class Register(Keyless):
    """Caps for a dataset, or for a principal on it."""

    dataset: str
    principal: str
    limits: Limits

    def decide(self, state: StoredState) -> int:
        """The sequence of the entry; asking the same again changes nothing, asking otherwise is refused."""
        if self.principal and not state.accounts_of((self.dataset, "")):
            raise LedgerMisuse(f"dataset `{self.dataset}` is not registered", hint="register it first")
        what = f"principal `{self.principal}`" if self.principal else f"dataset `{self.dataset}`"
        fields = {"kind": "grant", "principal": self.principal} if self.principal else {"kind": "register"}
        return _given(state, (self.dataset, self.principal), what, self.limits, {"dataset": self.dataset, **fields})


@dataclass(frozen=True)
class CapGroup(Keyless):
    """Caps for datasets together: those that are about the same people."""

    group: str
    limits: Limits

    def decide(self, state: StoredState) -> int:
        """The sequence of the entry; asking the same again changes nothing, asking otherwise is refused."""
        fields = {"kind": "group", "group": self.group}
        return _given(state, group_holder(self.group), f"group `{self.group}`", self.limits, fields)


@dataclass(frozen=True)
class JoinGroup(Keyless):
    """A dataset becomes a member of a group, for ever."""

    dataset: str
    group: str

    def decide(self, state: StoredState) -> int:
        """The sequence of the entry; joining again changes nothing."""
        if not state.accounts_of((self.dataset, "")):
            raise LedgerMisuse(f"dataset `{self.dataset}` is not registered", hint="register it first")
        accounts = state.accounts_of(group_holder(self.group))
        if not accounts:
            raise LedgerMisuse(f"group `{self.group}` has no caps", hint="give it caps first")
        joined = state.groups.get(self.dataset, {}).get(self.group)
        if joined is not None:
            return joined
        body, _ = state.record(
            {
                "kind": "join",
                "charged": self.charged(state, accounts),
                "accountant": __version__,
                "dataset": self.dataset,
                "group": self.group,
            }
        )
        return int(body["sequence"])

    def charged(self, state: StoredState, accounts: tuple[Account, ...]) -> dict[str, list[str]]:
        """What the dataset has spent, by periods of the group's accounts, which must hold it."""
        spent, now = self._spent(state), max(state.now, state.time)
        found = {account.period: self._price(account, spent, now) for account in accounts}
        for account in accounts:
            if not account.at(now).after(Price.of(found[account.period]).units).keeps_its_cap():
                period = account.period or "lifetime"
                raise LedgerMisuse(
                    f"what dataset `{self.dataset}` has spent does not fit under the {period} cap "
                    f"of group `{self.group}`",
                    hint="a group's caps are for ever; give caps that hold it to another group",
                )
        return found

    def _spent(self, state: StoredState) -> dict[tuple[str, int], int]:
        """How often each event was charged to the dataset at each time."""
        counts: dict[tuple[str, int], int] = {}
        if any(units != 0 for account in state.accounts_of((self.dataset, "")) for units in account.used):
            for body in state.bodies():
                for event, time, times in charges(body, self.dataset, ""):
                    counts[event, time] = counts.get((event, time), 0) + times
        return counts

    def _price(self, account: Account, spent: Mapping[tuple[str, int], int], now: int) -> list[str]:
        """What was spent in the window that runs now, in the account's currency."""
        total: list[int | None] = [0] * len(account.budget.caps)
        for (event, time), times in spent.items():
            if not times or turn(account.period, time) != turn(account.period, now):
                continue
            price = known(from_json(json.loads(event))).price(account.budget)
            if isinstance(price, str):
                raise LedgerMisuse(
                    f"what dataset `{self.dataset}` has spent has no price in group `{self.group}`: {price}",
                    hint="give caps that count in another currency to another group",
                )
            pairs = zip(total, price.units, strict=True)
            total = [None if had is None or cost is None else had + cost * times for had, cost in pairs]
        return ["inf" if units is None else units_text(units) for units in total]


# ---- all that a declaration gives ----


class Unwelcome(NamedTuple):
    """Caps that the ledger would refuse: whose, if not the dataset's own, and why."""

    principal: str
    group: str
    misuse: LedgerMisuse


@dataclass(frozen=True)
class Caps(Keyless):
    """The caps of a dataset, of principals on it and of groups that it joins: all of them are given, or none."""

    dataset: str
    limits: Limits
    principals: Mapping[str, Limits] = field(default_factory=dict)
    groups: Mapping[str, Limits] = field(default_factory=dict)

    def __post_init__(self) -> None:
        given.name("dataset", self.dataset)
        for principal in self.principals:
            given.name("principal", principal)
        for group in self.groups:
            given.name("group", group)

    def unwelcome(self, state: StoredState) -> Iterator[Unwelcome]:
        """What would be refused; nothing is written."""
        for principal, limits in {"": self.limits, **self.principals}.items():
            what = f"principal `{principal}`" if principal else f"dataset `{self.dataset}`"
            try:
                _is_new(state, (self.dataset, principal), what, limits)
            except LedgerMisuse as misuse:
                yield Unwelcome(principal, "", misuse)
        for group, limits in self.groups.items():
            try:
                self._check_group(state, group, limits)
            except LedgerMisuse as misuse:
                yield Unwelcome("", group, misuse)

    def _check_group(self, state: StoredState, group: str, limits: Limits) -> None:
        holder, now = group_holder(group), max(state.now, state.time)
        accounts = state.accounts_of(holder)
        if _is_new(state, holder, f"group `{group}`", limits):
            accounts = tuple(Account.empty(holder, *each, now) for each in limits.periods().items())
        if group not in state.groups.get(self.dataset, {}):
            JoinGroup(self.dataset, group).charged(state, accounts)

    def decide(self, state: StoredState) -> int:
        """The sequence of the latest entry; all is looked at before the first cap is given."""
        for refused in self.unwelcome(state):
            raise refused.misuse
        Register(self.dataset, "", self.limits).decide(state)
        for principal, limits in self.principals.items():
            Register(self.dataset, principal, limits).decide(state)
        for group, limits in self.groups.items():
            CapGroup(group, limits).decide(state)
            JoinGroup(self.dataset, group).decide(state)
        return state.sequence
