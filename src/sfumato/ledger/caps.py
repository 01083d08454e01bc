"""Caps for datasets, for principals on them and for groups of datasets: given once, for ever."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sfumato import __version__
from sfumato.accounting.serial import from_json
from sfumato.errors import LedgerMisuse
from sfumato.ledger.accounts import Account, Holder, group_holder
from sfumato.ledger.amounts import written
from sfumato.ledger.budgets import Limits, known, turn
from sfumato.ledger.history import charges
from sfumato.ledger.requests import Keyless
from sfumato.ledger.state import CapPassed
from sfumato.ledger.stored import StoredState


def _given(state: StoredState, holder: Holder, what: str, limits: Limits, fields: Mapping[str, Any]) -> int:
    """The sequence of the entry that gives a holder caps; the same again changes nothing, others are refused."""
    wanted = {period: budget.text for period, budget in limits.periods().items()}
    found = {account.period: account.budget.text for account in state.accounts_of(holder)}
    if found == wanted:
        return state.sequence
    if found:
        raise LedgerMisuse(f"{what} has other caps already", hint="caps are for ever")
    body, _ = state.record({"limits": wanted, **fields})
    return int(body["sequence"])


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
class Group(Keyless):
    """Caps for datasets together: those that are about the same people."""

    group: str
    limits: Limits

    def decide(self, state: StoredState) -> int:
        """The sequence of the entry; asking the same again changes nothing, asking otherwise is refused."""
        fields = {"kind": "group", "group": self.group}
        return _given(state, group_holder(self.group), f"group `{self.group}`", self.limits, fields)


@dataclass(frozen=True)
class Join(Keyless):
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
        spent = self._spent(state)
        charged = {account.period: self._price(account, spent, max(state.now, state.time)) for account in accounts}
        same = {"accountant": __version__, "dataset": self.dataset, "group": self.group}
        try:
            body, _ = state.record({"kind": "join", "charged": charged, **same})
        except CapPassed as passed:
            period = passed.account.period or "lifetime"
            raise LedgerMisuse(
                f"what dataset `{self.dataset}` has spent does not fit under the {period} cap of group `{self.group}`",
                hint="a group's caps are for ever; give caps that hold it to another group",
            ) from None
        return int(body["sequence"])

    def _spent(self, state: StoredState) -> dict[tuple[str, int], int]:
        """How often each event was charged to the dataset at each time."""
        counts: dict[tuple[str, int], int] = {}
        if any(any(account.used) for account in state.accounts_of((self.dataset, ""))):
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
        return ["inf" if units is None else written(units) for units in total]
