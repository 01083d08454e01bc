"""The price of a SQL question: by ε, by ρ, or by the accuracy that is wanted."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypedDict

from sfumato.curator.amounts import Amount, amount
from sfumato.curator.asks import Desk
from sfumato.curator.least_epsilon import Within, least_epsilon
from sfumato.curator.release import Cost
from sfumato.errors import InvalidParameter
from sfumato.query import PricedQuery, Question, Spend, price
from sfumato.query.bounds import Wish
from sfumato.query.expression import refs

Weigh = tuple[tuple[str, Fraction], ...]
_LEAST_WORTH = Fraction(1, 1000)


class AskedPrice(TypedDict, total=False):
    """How a question in SQL is priced, by the names that `Session.sql` takes."""

    epsilon: Amount | None
    delta: Amount | None
    rho: Amount | None
    within: Within | Mapping[str, Within] | None
    confidence: Amount | None
    rows: int | None
    groups: int | None
    beyond: bool
    weigh: Mapping[str, Amount] | None
    bar: Amount | None


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
    weigh: Mapping[str, Amount] | None = None,
    bar: Amount | None = None,
) -> PricedQuery:
    """The question with everything that will be done and what it costs."""
    sure = _confidence(desk, confidence)
    if beyond not in (None, True, False):
        raise InvalidParameter("beyond", "must be True or False", beyond, hint="beyond=True, or leave it out")
    asked = desk.question(text)
    wish = Wish(rows, groups, bool(beyond), _weigh(asked, weigh), _bar(bar))
    if within is not None:
        if epsilon is not None or rho is not None:
            raise InvalidParameter("within", "stands instead of epsilon or rho, and not beside them", within)
        if wish.weigh:
            raise InvalidParameter("within", "says itself what columns are worth", weigh, hint="leave weigh out")

        def planned(e: Fraction, weigh: Weigh) -> PricedQuery:
            weighed = replace(wish, weigh=weigh)
            return _with_amounts(desk, asked, epsilon=e, delta=delta, rho=None, sure=sure, wish=weighed)

        least, needed = least_epsilon(planned, within, sure)
        epsilon, wish = max(least, desk.dataset.rules.least_epsilon), replace(wish, weigh=needed)
    return _with_amounts(desk, asked, epsilon=epsilon, delta=delta, rho=rho, sure=sure, wish=wish)


def _weigh(asked: Question, weigh: Mapping[str, Amount] | None) -> Weigh:
    """What columns are worth, by name."""
    if weigh is None:
        return ()
    keys = len(asked.keys)
    known = [name for name, output in asked.outputs if any(ref.index >= keys for ref in refs(output))]
    given: object = weigh  # callers may not run a type checker
    if not isinstance(given, Mapping) or not weigh:
        raise InvalidParameter("weigh", "must say what columns are worth", weigh, hint="weigh={'n': 2}")
    for name in weigh:
        if name not in known:
            raise InvalidParameter("weigh", "names a column that is no answer", name, hint=f"known: {known}")
    found = {name: amount("weigh", worth) for name, worth in weigh.items()}
    for name, worth in found.items():
        if not _LEAST_WORTH <= worth <= 1 / _LEAST_WORTH:
            raise InvalidParameter("weigh", "must be between 0.001 and 1000", weigh[name], hint="weigh={'n': 2}")
    return tuple(sorted(found.items()))


def _bar(bar: Amount | None) -> Fraction:
    """What of a quantile's price each end of its error bar takes."""
    share = Wish().bar if bar is None else amount("bar", bar, zero=True)
    if share > Fraction(1, 4):
        raise InvalidParameter("bar", "must be at most a quarter for each end", bar, hint="bar=0.125, or 0 for none")
    return share


def priced_at(
    desk: Desk, asked: Question, *, epsilon: Fraction, confidence: Amount | None = None, rows: int | None = None,
    **more: Any,
) -> PricedQuery:  # fmt: skip
    """A question that is no text, at an ε; what is beside it is for the question it belongs to."""
    del more
    sure = _confidence(desk, confidence)
    return _with_amounts(desk, asked, epsilon=epsilon, delta=Fraction(0), rho=None, sure=sure, wish=Wish(rows))


def _confidence(desk: Desk, confidence: Amount | None) -> Fraction:
    sure = desk.dataset.defaults.confidence if confidence is None else amount("confidence", confidence)
    if not 0 < sure < 1:
        raise InvalidParameter("confidence", "must lie between 0 and 1", confidence, hint="confidence=0.95")
    return sure


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
    if named is not None:
        fails = named
    elif unknown:
        fails = _share_of_delta(desk, spent)
    elif rho is None and desk.dataset.defaults.delta is not None:
        fails = desk.dataset.defaults.delta
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
        return Cost(epsilon, None, event.pure_delta())
    return Cost(None, event.zcdp(), event.extra_delta())
