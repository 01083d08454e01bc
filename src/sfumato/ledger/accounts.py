"""One cap and what was spent under it: pure arithmetic on whole units."""

from fractions import Fraction
from typing import NamedTuple

from sfumato.ledger.amounts import GRID
from sfumato.ledger.budgets import Budget, Units, turn
from sfumato.ledger.canon import canonical
from sfumato.ledger.outcomes import Balance

Holder = tuple[str, str]
"""Whose accounts: a dataset, and a principal, who is empty for the whole dataset; or a group, by `group_holder`."""

_GROUP = "\x01"


def group_holder(group: str) -> Holder:
    """The holder of a group's accounts: a name that no dataset has, because names hold no control characters."""
    return _GROUP + group, ""


class Account(NamedTuple):
    """A cap, and what was spent under it in the window that `turn` names."""

    holder: Holder
    period: str
    turn: str
    budget: Budget
    used: Units

    @classmethod
    def empty(cls, holder: Holder, period: str, budget: Budget, time: int) -> "Account":
        """Nothing spent yet."""
        return cls(holder, period, turn(period, time), budget, (0,) * len(budget.caps))

    def at(self, time: int) -> "Account":
        """The account as it stands at a ledger time: a new window begins with nothing spent."""
        if not self.period or turn(self.period, time) == self.turn:
            return self
        return Account.empty(self.holder, self.period, self.budget, time)

    def after(self, price: Units) -> "Account":
        """The account with a price added; an order at which a price is infinite is lost for ever."""
        used: list[int | None] = []  # loops, here and below: every charge runs them, and a comprehension costs a call
        for had, cost in zip(self.used, price, strict=True):
            used.append(None if had is None or cost is None else had + cost)
        return Account(self.holder, self.period, self.turn, self.budget, tuple(used))

    def without(self, price: Units) -> "Account":
        """The account with a price taken off again, of what is still known."""
        pairs = zip(self.used, price, strict=True)
        used = [had if had is None or cost is None else had - cost for had, cost in pairs]
        return Account(*self[:4], tuple(used))

    def keeps_its_cap(self) -> bool:
        """Whether some order and δ are within their caps."""
        kept, delta = False, False
        for used, cap in zip(self.used, self.budget.caps, strict=True):
            kept, delta = kept or delta, used is not None and cap is not None and used <= cap
        return kept and delta

    def after_the_fact(self, price: Units) -> "Account":
        """The account with a price added that already happened: one that is passed has nothing left."""
        after = self.after(price)
        return after if after.keeps_its_cap() else Account(*self[:4], self.budget.caps)

    def witness(self) -> tuple[int, int]:
        """Spent and cap at the order with most left, which the store's own CHECK compares."""
        pairs = zip(self.used[:-1], self.budget.caps[:-1], strict=True)
        kept = [(cap - used, used, cap) for used, cap in pairs if used is not None and cap is not None]
        _, used, cap = max(kept)
        return used, cap

    def row(self) -> tuple[str, str, str, str, str]:
        """The columns that change: turn, spent, cap, δ spent, and all orders as JSON where there are several."""
        if len(self.used) == 2:  # one order: what most charges write
            return self.turn, str(self.used[0]), self.budget.cap_text, str(self.used[1]), ""
        used, cap = self.witness()
        *orders, delta = [None if value is None else str(value) for value in self.used]
        return self.turn, str(used), str(cap), str(delta), canonical(orders)

    def whose(self) -> tuple[str, str, str]:
        """The dataset, the group and the principal: whichever it is, the others are empty."""
        dataset, principal = self.holder
        return ("", dataset[1:], "") if dataset.startswith(_GROUP) else (dataset, "", principal)

    def currency(self) -> str:
        """The currency's name, without its orders."""
        return self.budget.currency.split(" ", 1)[0]

    def balance(self) -> Balance:
        """The account for people: what is left at the order that has most, of the most that any order may spend.

        What was spent is the rest, so that it never falls: the order with most left may change with every charge.
        """
        used, cap = self.witness()
        most = max(each for each in self.budget.caps[:-1] if each is not None)
        used, cap = most - (cap - used), most
        delta, delta_cap = self.used[-1] or 0, self.budget.caps[-1] or 0
        cap_, spent, delta_cap_, delta_spent = (Fraction(units, GRID) for units in (cap, used, delta_cap, delta))
        dataset, group, principal = self.whose()
        window = (self.period, self.turn, self.currency())
        return Balance(dataset, principal, *window, cap_, spent, delta_cap_, delta_spent, group)
