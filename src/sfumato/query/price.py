"""The price: ε split over what must be measured, a selection of keys where they are not public, one event for all."""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

from sfumato.accounting import events
from sfumato.accounting.events import Event
from sfumato.data import Dataset
from sfumato.errors import InvalidQuestion
from sfumato.exact.rounding import sqrt_down
from sfumato.mechanisms import KeySelection, LaplaceKeys, TruncatedGeometricKeys
from sfumato.query.beyond import BEYOND, CountedBeyond, count_beyond
from sfumato.query.bounds import NO_WISH, PEOPLE, Bounds, Spend, Wish
from sfumato.query.contributions import person_bounds
from sfumato.query.measured import Measures, measured
from sfumato.query.measures import Sum
from sfumato.query.priced import Priced, SelectedCounts, ThreeQuantiles
from sfumato.query.question import Question
from sfumato.query.weights import Weights, weights_of

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
    keys: KeySelection | None
    confidence: Fraction
    event: Event = field(repr=False)
    wish: Wish = NO_WISH
    beyond: CountedBeyond | None = None
    """What is told of those who have more than counts, if it was asked for."""

    def canonical(self) -> dict[str, object]:
        """What decides the release: question, bounds and price."""
        quantiles = [m for each in self.priced if isinstance(each, ThreeQuantiles) for m in each.quantiles]
        return {
            "question": self.question.canonical(),
            "measures": [measure.canonical() for measure in self.measures.measures],
            "bounds": self.bounds.canonical(),
            "weights": self.weights.canonical(),
            "event": self.event.to_json(),
            "quantiles": [[str(each.epsilon), each.shift] for each in quantiles],
            **({} if self.beyond is None else {"beyond": self.beyond.canonical()}),
        }


def price(
    question: Question,
    dataset: Dataset,
    spend: Spend,
    *,
    confidence: Fraction = Fraction(95, 100),
    wish: Wish = NO_WISH,
    apart: bool | None = None,
) -> PricedQuery:
    """The question with ε split evenly over what must be measured; `apart` where one group at a time is looked at."""
    measures = measured(question.aggregates)
    limits = person_bounds(question, dataset, apart=spend.rho is not None if apart is None else apart, wish=wish)
    beyond = count_beyond(question, measures.measures, dataset, limits, spend) if wish.beyond else None
    unknown = bool(question.keys) and question.groups is None
    counts = next((each for each in measures.measures if unknown and each.counts_people(limits)), None)
    parts = len(measures.measures) + (1 if unknown and counts is None else 0)
    share = spend.amount * (1 if beyond is None else 1 - BEYOND) / parts
    weights = weights_of(measures.measures, limits, share, spend, single=question.plan.single)
    held = [each for each in measures.measures if isinstance(each, Sum) and each.total is not None]
    assert limits.cut or all(each == weights.alone for each in held), "a total is priced only where it is held"
    selection = _selection(spend, share, limits) if unknown else None
    grouped, beta = bool(question.keys), 1 - confidence
    priced: list[Priced] = []
    spent: list[Event] = [] if selection is None else [selection.event]
    for measure in measures.measures:
        if selection is not None and measure is counts:  # keys are selected by its noisy counts, and pay for them
            priced.append(SelectedCounts(measure, selection, share))
            continue
        priced.append(measure.price(share, limits, spend, bits=weights.bits, grouped=grouped, beta=beta))
        spent.append(priced[-1].event)
    spent += [] if beyond is None else [beyond.event]
    event = spent[0] if len(spent) == 1 else events.Composition(spent)
    return PricedQuery(
        question, measures, limits, weights, spend, tuple(priced), selection, confidence, event, wish, beyond
    )


def _selection(spend: Spend, share: Fraction, limits: Bounds) -> KeySelection:
    if not 0 < spend.delta < 1:
        raise InvalidQuestion(
            "the groups are not public, and showing them needs a delta between 0 and 1",
            hint="pass delta=1e-9, or have the owner declare the values of the column you group by",
        )
    if spend.epsilon is not None:
        return _fewest_people(share, spend.delta, limits.keys)
    # Noise of ε/ℓ on each of ℓ keys is ε²/(2ℓ)-zCDP altogether
    epsilon = Fraction(sqrt_down(2 * share * limits.keys))
    return LaplaceKeys(epsilon=epsilon, delta=spend.delta, keys_per_person=limits.keys)


@lru_cache(maxsize=256)
def _fewest_people(epsilon: Fraction, delta: Fraction, keys: int) -> KeySelection:
    asked: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "keys_per_person": keys}
    built: list[KeySelection] = [TruncatedGeometricKeys(**asked), LaplaceKeys(**asked)]
    return min(built, key=lambda each: each.people_for(Fraction(1, 2)))
