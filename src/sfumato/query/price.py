"""The price: noise for each measure, a selection of keys where they are not public, and one event for all of it.

A person counts with at most `rows` rows in each of at most `groups` groups, so a column whose rows move by `unit` moves
by groups·rows·unit in ℓ1 and, in ℓ2, by √groups·rows·unit. A plan that is cut holds at most `cut` rows of a person in
all: then both are cut·unit. Noise is drawn for every cell by itself, so the price of a vector is that of its worst
neighbour (Survey Proposition 4.1 for ℓ1; Canonne, Kamath, Steinke 2020, Theorem 14 for ℓ2).
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import Any

from sfumato.accounting import events
from sfumato.accounting.events import Event
from sfumato.core import Change, Neighbours, Unit
from sfumato.data import Dataset
from sfumato.errors import InvalidQuestion
from sfumato.exact.rounding import sqrt_down, sqrt_up
from sfumato.mechanisms import GeometricNoise, KeySelection, LaplaceKeys, Quantile, TruncatedGeometricKeys
from sfumato.mechanisms.additive import Noise
from sfumato.mechanisms.answers import AnswerMove
from sfumato.mechanisms.discrete_gaussian import DiscreteGaussianNoise
from sfumato.query.expression import refs
from sfumato.query.measures import Measure, Measures, measured
from sfumato.query.own import bounds
from sfumato.query.question import Question

PEOPLE = Neighbours(Change.ADD_REMOVE, Unit.PERSON)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one person may add: rows in a group and groups, or `cut` rows in all."""

    rows: int
    groups: int
    cut: int | None

    @property
    def keys(self) -> int:
        """In how many groups a person may count."""
        return self.groups if self.cut is None else self.cut

    def canonical(self) -> list[Any]:
        """The three numbers."""
        return [self.rows, self.groups, self.cut]


@dataclass(frozen=True, slots=True)
class Spend:
    """How much a question may cost: ε (with δ for keys that are not public), or ρ."""

    epsilon: Fraction | None
    rho: Fraction | None
    delta: Fraction

    @property
    def amount(self) -> Fraction:
        """ε or ρ."""
        found = self.epsilon if self.epsilon is not None else self.rho
        assert found is not None
        return found


@dataclass(frozen=True)
class Priced:
    """A measure with its noise and its event; quantiles have a mechanism for each group instead of noise."""

    measure: Measure
    noise: Noise | None
    quantiles: tuple[Quantile, Quantile, Quantile] | None
    """The quantile itself, and one aimed below and one above it, between which it lies with the stated confidence."""
    event: Event
    share: Fraction


@dataclass(frozen=True)
class PricedQuery:
    """A question with everything that will be done and what it costs, known before data are seen."""

    question: Question
    measures: Measures
    bounds: Bounds
    spend: Spend
    priced: tuple[Priced, ...]
    keys: KeySelection | None
    confidence: Fraction
    counted_keys: int | None
    """The measure whose noisy counts are those the keys were selected by."""
    event: Event = field(repr=False)

    def canonical(self) -> Any:
        """What decides the release: question, bounds and price."""
        return {
            "question": self.question.canonical(),
            "measures": [measure.canonical() for measure in self.measures.measures],
            "bounds": self.bounds.canonical(),
            "event": self.event.to_json(),
            "quantiles": [[str(m.epsilon), m.shift] for each in self.priced for m in each.quantiles or ()],
        }


def person_bounds(question: Question, dataset: Dataset) -> Bounds:
    """How a person's part is bounded in this question."""
    rows, groups = bounds(question.plan, dataset)
    known = question.groups
    if not question.keys or _one_group(question):
        groups = 1
    elif known is not None:
        groups = min(groups, len(known))
    return Bounds(rows, groups, question.plan.cut)


def _one_group(question: Question) -> bool:
    """Whether all rows of a person fall into one group, because the keys are the person's own."""
    return all(ref.field.own for key in question.keys for ref in refs(key))


def price(
    question: Question, dataset: Dataset, spend: Spend, *, confidence: Fraction = Fraction(95, 100)
) -> PricedQuery:
    """The question with ε split evenly over what must be measured."""
    measures, limits = measured(question), person_bounds(question, dataset)
    unknown = bool(question.keys) and question.groups is None
    reused = _reusable(measures, limits) if unknown else None
    parts = len(measures.measures) + (1 if unknown and reused is None else 0)
    share = spend.amount / parts
    selection = _selection(spend, share, limits, question) if unknown else None
    priced = tuple(
        Priced(measure, None, None, selection.event, share)
        if selection is not None and i == reused
        else _priced(measure, share, limits, spend, grouped=bool(question.keys), beta=1 - confidence)
        for i, measure in enumerate(measures.measures)
    )
    spent = [each.event for i, each in enumerate(priced) if i != reused]
    whole = [*([selection.event] if selection is not None else []), *spent]
    event = whole[0] if len(whole) == 1 else events.Composition(whole)
    return PricedQuery(question, measures, limits, spend, priced, selection, confidence, reused, event)


def _reusable(measures: Measures, limits: Bounds) -> int | None:
    """The measure that counts people by group, if there is one: keys are selected by its noisy counts."""
    for i, measure in enumerate(measures.measures):
        if measure.where is not None:
            continue
        if measure.kind == "people":
            return i
        if measure.kind == "rows" and (limits.rows == 1 if limits.cut is None else limits.cut == 1):
            return i
    return None


def _selection(spend: Spend, share: Fraction, limits: Bounds, question: Question) -> KeySelection:
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


def _priced(
    measure: Measure, share: Fraction, limits: Bounds, spend: Spend, *, grouped: bool, beta: Fraction
) -> Priced:
    if measure.kind == "quantile":
        return _priced_quantile(measure, share, limits, spend, beta)
    l1, square = _moves(measure, limits, grouped=grouped)
    if spend.epsilon is not None:
        noise: Noise = GeometricNoise(l1 / share)
        return Priced(measure, noise, None, noise.event(AnswerMove.l1(l1)), share)
    sigma = Fraction(sqrt_up(square / (2 * share)))
    noise = DiscreteGaussianNoise(sigma)
    return Priced(
        measure,
        noise,
        None,
        noise.event(AnswerMove.l2(square=square), scalar=not grouped and measure.columns == 1),
        share,
    )


def _moves(measure: Measure, limits: Bounds, *, grouped: bool) -> tuple[Fraction, Fraction]:
    """How far one person moves the measure's cells: in ℓ1, and squared in ℓ2."""
    if measure.kind == "people":
        cells = 1 if not grouped else limits.keys
        return Fraction(cells), Fraction(cells)
    if limits.cut is not None:
        total = limits.cut * measure.unit
        return Fraction(total), Fraction(total) ** 2
    most = limits.rows * measure.unit
    return Fraction(limits.groups * most), Fraction(limits.groups * most**2)


def _priced_quantile(measure: Measure, share: Fraction, limits: Bounds, spend: Spend, beta: Fraction) -> Priced:
    """A quantile with half of the share, and its error bar's two ends with a quarter each.

    A person holds `rows` values in each group, so a score moves by so many people at once, and ε is for all of them. An
    end aims as many people beyond the quantile as it is off by with probability β/2, so it lies on its side of it.
    """
    rows, groups = (limits.rows, limits.groups) if limits.cut is None else (limits.cut, 1)
    spread = limits.cut is not None and limits.cut > 1  # the rows of a person may be in any groups
    whole = (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
    spent: list[tuple[Event, int]] = []
    made: list[Quantile] = []
    for part, side in zip(whole, (0, -1, 1), strict=True):
        if spend.epsilon is not None:
            each = share * part / groups
        else:
            each = Fraction(
                sqrt_down((2 if spread else 8) * share * part / groups)
            )  # ε²/8-zCDP, bounded range (or ε²/2)
        aimed = _quantile(measure, each / rows)
        shift = 0 if side == 0 else side * ceil(aimed.error(beta / 2).alpha)
        made.append(replace(aimed, shift=shift))
        spent.append((events.Pure(each) if spread else events.Exponential(each), groups))
    return Priced(measure, None, (made[0], made[1], made[2]), events.Composition(spent), share)


def _quantile(measure: Measure, epsilon: Fraction) -> Quantile:
    assert measure.q is not None
    step = measure.step
    return Quantile(
        q=measure.q, epsilon=epsilon, lower=measure.low * step, upper=measure.high * step, grid=step, neighbours=PEOPLE
    )
