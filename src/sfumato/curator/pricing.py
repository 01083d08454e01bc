"""The price of a SQL question: by ε, by ρ, or by the accuracy that is wanted."""

from collections.abc import Mapping
from fractions import Fraction

from sfumato.curator.amounts import Amount, amount
from sfumato.curator.asks import Desk
from sfumato.curator.least_epsilon import Within, least_epsilon
from sfumato.curator.release import Cost
from sfumato.errors import InvalidParameter
from sfumato.query import PricedQuery, Question, Spend, price
from sfumato.query.bounds import Wish


def price_question(
    desk: Desk,
    text: str,
    *,
    epsilon: Amount | None = None,
    delta: Amount | None = None,
    rho: Amount | None = None,
    within: Within | Mapping[str, Within] | None = None,
    confidence: Amount | None = None,
    rows: int | None = None,
    groups: int | None = None,
    beyond: bool | None = None,
) -> PricedQuery:
    """The question with everything that will be done and what it costs."""
    sure = desk.dataset.defaults.confidence if confidence is None else amount("confidence", confidence)
    if not 0 < sure < 1:
        raise InvalidParameter("confidence", "must lie between 0 and 1", confidence, hint="confidence=0.95")
    if beyond not in (None, True, False):
        raise InvalidParameter("beyond", "must be True or False", beyond, hint="beyond=True, or leave it out")
    asked, wish = desk.question(text), Wish(rows, groups, bool(beyond))
    if within is not None:
        if epsilon is not None or rho is not None:
            raise InvalidParameter("within", "stands instead of epsilon or rho, and not beside them", within)
        least = least_epsilon(
            lambda e: _with_amounts(desk, asked, epsilon=e, delta=delta, rho=None, sure=sure, wish=wish), within, sure
        )
        epsilon = max(least, desk.dataset.rules.least_epsilon)
    return _with_amounts(desk, asked, epsilon=epsilon, delta=delta, rho=rho, sure=sure, wish=wish)


def _with_amounts(
    desk: Desk,
    asked: Question,
    *,
    epsilon: Amount | None,
    delta: Amount | None,
    rho: Amount | None,
    sure: Fraction,
    wish: Wish,
) -> PricedQuery:
    if epsilon is None and rho is None:
        epsilon = desk.dataset.defaults.epsilon
    if (epsilon is None) == (rho is None):
        given = "neither" if epsilon is None else "both"
        raise InvalidParameter("epsilon", "or rho must be given, one of them, found", given, hint="epsilon=0.5")
    spent = amount("epsilon" if rho is None else "rho", epsilon if rho is None else rho)  # type: ignore[arg-type]
    unknown = bool(asked.keys) and asked.groups is None
    fails = Fraction(0)
    named = None if delta is None else amount("delta", delta, zero=True)  # it must mean something even if not needed
    if named is not None and named >= 1:
        raise InvalidParameter("delta", "must be below 1", delta, hint="delta=1e-9")
    if unknown:
        fails = _share_of_delta(desk, spent) if named is None else named
    spend = Spend(spent if rho is None else None, spent if rho is not None else None, fails)
    return price(asked, desk.dataset, spend, confidence=sure, wish=wish)


def _share_of_delta(desk: Desk, spent: Fraction) -> Fraction:
    """The δ of a question that names none: the owner's default, or δ in proportion to what is spent of ε."""
    if desk.dataset.defaults.delta is not None:
        return desk.dataset.defaults.delta
    whole = desk.dataset.budget
    return whole.delta * min(Fraction(1), spent / whole.amount)


def cost_of(query: PricedQuery) -> Cost:
    """What a question costs, recomputed from the mechanisms that will run."""
    event = query.event
    if query.spend.epsilon is not None:
        epsilon = event.pure()
        if epsilon is None:
            epsilon = query.spend.epsilon
        return Cost(epsilon, None, event.extra_delta())
    return Cost(None, event.zcdp(), event.extra_delta())
