"""The price: how what must be measured is measured best, what is spent on each part of it, one event for all."""

from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import log
from typing import Any

from sfumato.accounting import events
from sfumato.accounting.events import Event
from sfumato.data import Dataset
from sfumato.errors import InvalidQuestion
from sfumato.exact.rounding import sqrt_down
from sfumato.mechanisms import KeySelection, LaplaceKeys, TruncatedGeometricKeys
from sfumato.mechanisms.thresholds import KeyThreshold
from sfumato.query.beyond import BEYOND, CountedBeyond, count_beyond
from sfumato.query.bounds import NO_WISH, PEOPLE, Bounds, Spend, Wish
from sfumato.query.contributions import one_group, person_bounds
from sfumato.query.expression import refs
from sfumato.query.law import Errors
from sfumato.query.measured import Measures, measured
from sfumato.query.measures import Sum, Values
from sfumato.query.priced import Priced, SelectedCounts
from sfumato.query.question import Question
from sfumato.query.strategies import Outline, Pricing, Worth, error_of, outlines, priced_as
from sfumato.query.strategies.gaussian import Normal
from sfumato.query.strategies.keys import KeyedCells, keyed, price_keyed
from sfumato.query.strategies.separate import alone
from sfumato.query.weights import Weights, by_lengths, weights_of

_CLEARLY = 1.1
_LEAST = 1e-300  # noise that is next to none is as good as none
__all__ = ["NO_WISH", "PEOPLE", "Bounds", "Priced", "PricedQuery", "Spend", "Wish", "person_bounds", "price"]


@dataclass(frozen=True)
class PricedQuery:
    """A question with everything that will be done and what it costs, known before data are seen."""

    question: Question
    measures: Measures
    bounds: Bounds
    weights: Weights
    spend: Spend
    priced: tuple[Priced, ...]
    """Blocks of cells, in the order of their first columns: what is released of a group is theirs in turn."""
    keys: KeyThreshold | None
    confidence: Fraction
    event: Event = field(repr=False)
    wish: Wish = NO_WISH
    beyond: CountedBeyond | None = None
    """What is told of those who have more than counts, if it was asked for."""

    def canonical(self) -> dict[str, object]:
        """What decides the release: question, bounds and price."""
        return {
            "question": self.question.canonical(),
            "measures": [measure.canonical() for measure in self.measures.measures],
            "bounds": self.bounds.canonical(),
            "weights": self.weights.canonical(),
            "event": self.event.to_json(),
            "cells": [each.canonical() for each in self.priced],
            **({} if self.beyond is None else {"beyond": self.beyond.canonical()}),
        }

    def bits_of(self, place: int) -> int:
        """In what part of a row a measure is computed, as a power of two."""
        return self.measures.measures[place].bits(self.weights.bits, self.bounds)


def price(
    question: Question,
    dataset: Dataset,
    spend: Spend,
    *,
    confidence: Fraction = Fraction(95, 100),
    wish: Wish = NO_WISH,
    apart: bool | None = None,
) -> PricedQuery:
    """The question measured in the best of the ways there are; `apart` where one group at a time is looked at.

    Of ways to bound a person that differ, the one that holds all that is declared must be clearly better: it may keep
    less of somebody.
    """
    if apart is not None:
        return _planned(question, dataset, spend, confidence, wish, apart=apart).query
    first = _planned(question, dataset, spend, confidence, wish, apart=spend.rho is not None, lengths=not wish.beyond)
    if spend.epsilon is None or not 0 < spend.delta < 1 or not question.keys:
        return first.query
    other = _planned(question, dataset, spend, confidence, wish, apart=True)
    gained = first.error - other.error
    return other.query if gained > log(_CLEARLY) * float(sum(_weights(question, wish))) else first.query


@dataclass(frozen=True)
class _Planned:
    """A question in one way, and the sum of the logarithms of the errors to be expected."""

    query: PricedQuery
    error: float


def _planned(
    question: Question, dataset: Dataset, spend: Spend, confidence: Fraction, wish: Wish, *, apart: bool,
    lengths: bool = False,
) -> _Planned:  # fmt: skip
    measures = measured(question.aggregates)
    limits = person_bounds(question, dataset, apart=apart, wish=wish)
    beyond = count_beyond(question, measures.measures, dataset, limits, spend) if wish.beyond else None
    plan = _Shares(question, measures, limits, spend, wish, beyond=beyond is not None)
    weights = weights_of(measures.measures, limits, plan.least, spend, single=question.plan.single)
    if lengths and not one_group(question):  # groups are told apart, and a person may be in several
        there = None if question.groups is None else len(question.groups)
        weights = by_lengths(weights, measures.measures, limits, spend, there)
    held = [each for each in measures.measures if isinstance(each, Sum) and each.total is not None]
    assert limits.cut or all(each == weights.alone for each in held), "a total is priced only where it is held"
    at = Pricing(limits, spend, weights.bits, bool(question.keys), 1 - confidence, wish.bar)
    best = min(_ways(plan, weights, at), key=lambda way: round(way.error, 9))
    spent = [each.event for each in best.priced if not isinstance(each, SelectedCounts)]
    if best.keys is not None and not any(isinstance(each, KeyedCells) for each in best.priced):
        spent.insert(0, best.keys.event)
    spent += [] if beyond is None else [beyond.event]
    event = spent[0] if len(spent) == 1 else events.Composition(spent)
    priced = tuple(sorted(best.priced, key=lambda each: each.columns))
    return _Planned(
        PricedQuery(question, measures, limits, weights, spend, priced, best.keys, confidence, event, wish, beyond),
        best.error,
    )


class _Shares:
    """What each column of a question is worth of what is spent.

    An answer's weight is shared by the columns it is made of; groups that must be found first count as one answer.
    """

    def __init__(
        self, question: Question, measures: Measures, limits: Bounds, spend: Spend, wish: Wish, *, beyond: bool
    ) -> None:
        self.measures = measures
        self.unknown = bool(question.keys) and question.groups is None
        self.counts = next(
            (i for i, each in enumerate(measures.measures) if self.unknown and each.counts_people(limits)), None
        )
        answers, self.served = _weights(question, wish), dict.fromkeys(range(len(measures.measures)), Fraction(0))
        for recipe, weight in zip(measures.recipes, answers, strict=True):
            for place in recipe.places:
                self.served[place] += weight / len(recipe.places)
        self.finding = 1 if self.unknown and self.counts is None else 0
        available = spend.amount * (1 - BEYOND if beyond else 1)
        self.one = available / (sum(self.served.values(), Fraction(self.finding)))
        """What is spent on an answer of weight one."""
        self.worth = Worth(answers, self.served, self.one)

    @property
    def of_keys(self) -> Fraction:
        """What is spent on finding the groups."""
        return self.one * (1 if self.counts is None else self.served[self.counts])

    @property
    def least(self) -> Fraction:
        """The least that is spent on a column."""
        return self.one * min(self.served.values(), default=Fraction(1))


def _weights(question: Question, wish: Wish) -> list[Fraction]:
    """What each aggregate is worth: one, or as much as the outputs that are made of it."""
    named, keys = dict(wish.weigh), len(question.keys)
    found = [Fraction(0)] * len(question.aggregates)
    for name, output in question.outputs:
        for ref in refs(output):
            if ref.index >= keys:
                found[ref.index - keys] = max(found[ref.index - keys], named.get(name, Fraction(1)))
    return [each or Fraction(1) for each in found]


@dataclass(frozen=True)
class _Way:
    """Everything that is measured with its noise, how groups are found if they are not public, and what to expect."""

    priced: list[Priced]
    keys: KeyThreshold | None
    error: float


def _ways(plan: _Shares, weights: Weights, at: Pricing) -> list[_Way]:
    """Groups found by themselves or by people who are counted; or by all that is counted."""
    measures, half = plan.measures.measures, at.spend.delta / 2
    delta = half if plan.unknown else at.spend.delta  # groups and cells share the one δ of a question
    outline = _best(plan, {plan.counts} if plan.unknown else set(), delta, at)
    selection, taken = None, list[Priced]()
    if plan.unknown:
        fails = half if outline is not None and isinstance(outline.strategy, Normal) else at.spend.delta
        selection = _selection(at.spend, plan.of_keys, fails, at.bounds)
    if selection is not None and plan.counts is not None:  # keys are selected by its noisy counts, and pay for them
        taken.append(SelectedCounts((plan.counts,), selection, plan.of_keys))
    priced = [*taken, *_others(plan, taken, at)]
    if outline is not None:
        priced += priced_as(outline, measures, plan.worth, delta, at)
    found = [_Way(priced, selection, _expected(plan, priced, selection))]
    block = keyed(measures, at) if plan.unknown and weights.alone is None else None
    if block is not None:
        served = sum((plan.served.get(place, Fraction(0)) for place in block.columns), Fraction(plan.finding))
        found += [_jointly(plan, made, at) for made in price_keyed(block, plan.one * served, at.spend.delta, at)]
    return found


def _jointly(plan: _Shares, made: KeyedCells, at: Pricing) -> _Way:
    """Groups found by the cells of all that is counted."""
    priced = [made, *_others(plan, [made], at)]
    return _Way(priced, made.selection, _expected(plan, priced, made.selection))


def _expected(plan: _Shares, priced: Sequence[Priced], keys: KeyThreshold | None) -> float:
    """The sum of the logarithms of the errors to be expected; that of groups is how many people one needs to show."""
    errors = Errors(priced)
    found = 0.0 if keys is None else log(keys.people_for(Fraction(1, 2)))
    for recipe, weight in zip(plan.measures.recipes, plan.worth.answers, strict=True):
        if not any(isinstance(plan.measures.measures[place], Values) for place in recipe.places):
            forms = [recipe.combined(each) for each in recipe.aggregate.typical()]
            variance = sum(errors.covariance(each, each) for each in forms) / len(forms)
            found += float(weight) * log(max(variance, _LEAST)) / 2
    return found


def _others(plan: _Shares, taken: Sequence[Priced], at: Pricing) -> list[Priced]:
    """What no strategy takes: quantiles, people and different values, each by itself."""
    found: list[Priced] = []
    done = {place for each in taken for place in each.columns}
    for place, measure in enumerate(plan.measures.measures):
        share = plan.one * plan.served[place]
        if isinstance(measure, Values):
            found.append(measure.price(share, at.bounds, at.spend, bits=at.bits, beta=at.beta, place=place, bar=at.bar))
        elif place not in done and not (measure.is_weighted and measure.is_additive):
            found.append(alone(place, measure, share, at))
    return found


def _best(plan: _Shares, taken: Set[int | None], delta: Fraction, at: Pricing) -> Outline | None:
    """The strategy with the least expected errors."""
    found = outlines(plan.measures.measures, at, but=taken)
    errors = [error_of(each, plan.measures, plan.worth, delta, at) for each in found]
    return found[min(range(len(found)), key=lambda i: (round(errors[i], 9), i))] if found else None


def _selection(spend: Spend, share: Fraction, delta: Fraction, limits: Bounds) -> KeySelection:
    if not 0 < delta < 1:
        raise InvalidQuestion(
            "the groups are not public, and showing them needs a delta between 0 and 1",
            hint="pass delta=1e-9, or have the owner declare the values of the column you group by",
        )
    if spend.epsilon is not None:
        return _fewest_people(share, delta, limits.keys)
    # Noise of ε/ℓ on each of ℓ keys is ε²/(2ℓ)-zCDP altogether
    epsilon = Fraction(sqrt_down(2 * share * limits.keys))
    return LaplaceKeys(epsilon=epsilon, delta=delta, keys_per_person=limits.keys)


@lru_cache(maxsize=256)
def _fewest_people(epsilon: Fraction, delta: Fraction, keys: int) -> KeySelection:
    asked: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "keys_per_person": keys}
    built: list[KeySelection] = [TruncatedGeometricKeys(**asked), LaplaceKeys(**asked)]
    return min(built, key=lambda each: each.people_for(Fraction(1, 2)))
