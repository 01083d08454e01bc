"""Every budget that refuses a charge, and by how much; and what each would say to one that is not made."""

from collections.abc import Iterable
from fractions import Fraction

from sfumato.ledger.accounts import Account
from sfumato.ledger.amounts import GRID
from sfumato.ledger.budgets import Known, Units
from sfumato.ledger.outcomes import Quote, Shortfall


def shortfalls(accounts: Iterable[Account], event: Known, time: int) -> tuple[Shortfall, ...]:
    """What each account that refuses an event would need and has, at a ledger time."""
    found = (_shortfall(account.at(time), event) for account in accounts)
    return tuple(each for each in found if each is not None)


def quotes(accounts: Iterable[Account], event: Known, time: int) -> tuple[Quote, ...]:
    """What each account would say to an event at a ledger time, without a charge."""
    standing = [account.at(time) for account in accounts]
    short = [_shortfall(account, event) for account in standing]
    if any(short):
        return tuple(Quote(each.balance(), each.balance(), why) for each, why in zip(standing, short, strict=True))
    return tuple(Quote(each.balance(), _charged(each, event).balance()) for each in standing)


def _charged(account: Account, event: Known) -> Account:
    price = event.price(account.budget)
    assert not isinstance(price, str)  # an account that has no price for it refuses
    return account.after(price.units)


def _shortfall(account: Account, event: Known) -> Shortfall | None:
    price = event.price(account.budget)
    dataset, group, principal = account.whose()
    whose = (dataset, group, principal, account.period, account.currency())
    if isinstance(price, str):
        return Shortfall(*whose, None, account.balance().remaining, problem=price)
    after = account.after(price.units)
    if after.keeps_its_cap():
        return None
    cost, left = _nearest(account, price.units)
    delta, cap = price.units[-1], account.budget.caps[-1] or 0
    had = account.used[-1] or 0
    if delta is not None and had + delta <= cap:
        return Shortfall(*whose, cost, left)
    return Shortfall(*whose, cost, left, _amount(delta), Fraction(cap - had, GRID))


def _nearest(account: Account, price: Units) -> tuple[Fraction | None, Fraction]:
    """Cost and what is left at the order at which least is lacking; an infinite cost is None."""
    orders = zip(account.used[:-1], account.budget.caps[:-1], price[:-1], strict=True)
    left = [(cap - used, cost) for used, cap, cost in orders if used is not None and cap is not None]
    finite = [(has, cost) for has, cost in left if cost is not None]
    has, cost = max(finite, key=_over) if finite else max(left, key=_has)
    return _amount(cost), Fraction(has, GRID)


def _over(order: tuple[int, int | None]) -> int:
    return order[0] - (order[1] or 0)


def _has(order: tuple[int, int | None]) -> int:
    return order[0]


def _amount(units: int | None) -> Fraction | None:
    return None if units is None else Fraction(units, GRID)
