"""An average within a wanted error: a small count first, and then as much as the average needs.

How far an average is off depends on how many rows there are, which nobody knows for nothing. A tenth of the most that
both steps may cost buys a noisy count; what the average needs follows from it, and never passes what is left. Each step
is a charge of its own: that the second price depends on the first answer is what the ledger's filters allow for
(Rogers, Roth, Ullman, Vadhan 2016, Theorem 3.6).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Any

from sfumato.accounting.events import Approximate, Event
from sfumato.curator.amounts import Amount, amount
from sfumato.curator.asks import Desk
from sfumato.curator.least_epsilon import Within, bound_of
from sfumato.curator.pricing import price_question, priced_at
from sfumato.curator.release import Note
from sfumato.errors import InvalidParameter
from sfumato.query import PricedQuery, Question
from sfumato.query.aggregates import Aggregate, Average, CountRows, CountValues
from sfumato.query.bars import Bar
from sfumato.query.expression import Field, Ref
from sfumato.query.postprocess import answers_of

FIRST = Fraction(1, 10)
"""The share of the first step."""
COUNT = "count"
"""The verb of the first step in the log."""
_FINEST = 10**6


@dataclass(frozen=True)
class TwoSteps:
    """A question about averages and the error each may have, and what both steps may cost."""

    desk: Desk
    text: str
    most: Fraction
    wanted: Mapping[int, Fraction]
    """Of aggregates, by their place, how far each may be off."""
    count: PricedQuery
    """The first step: how many rows there are for each."""
    price: Mapping[str, Any]
    """How the second step is priced beside its ε."""

    @property
    def first(self) -> Fraction:
        """What the count costs."""
        assert self.count.spend.epsilon is not None
        return self.count.spend.epsilon

    @property
    def most_event(self) -> Event:
        """What both steps may cost, with the δ of the second."""
        return Approximate(self.most, self.at_most().event.pure_delta())

    @property
    def planned_note(self) -> Note:
        """What is known before the first step."""
        return Note.of("count_first", first=float(self.first), most=float(self.most))

    def at_most(self) -> PricedQuery:
        """The second step at the most it may cost."""
        return self._at(self.most - self.first)

    def second(self, counted: Sequence[Sequence[Bar]]) -> tuple[PricedQuery, Note]:
        """The second step, from what was released of the counts: a count for every group and wanted average."""
        at_one, needs = self._at(Fraction(1)), list[Fraction]()
        answers = answers_of(at_one, 1 - at_one.confidence)
        for i, (place, bound) in enumerate(self.wanted.items()):
            recipe, off = answers[place]
            known = [int(row[i].value) for row in counted if row[i].low]  # of groups that are surely there
            if known:
                needs.append(Fraction(recipe.aggregate.expected(off).figure) / (bound * min(known)))
        left = self.most - self.first
        need = Fraction(ceil(max(needs) * _FINEST), _FINEST) if needs else left
        epsilon = min(left, max(need, self.desk.dataset.rules.least_epsilon))
        note = Note.of("steps", first=float(self.first), second=float(epsilon))
        return self._at(epsilon), note if need <= left else Note.of("steps_short", most=float(self.most))

    def _at(self, epsilon: Fraction) -> PricedQuery:
        return price_question(self.desk, self.text, epsilon=epsilon, **self.price)


def at_most(desk: Desk, text: str, **price: Any) -> tuple[TwoSteps | None, PricedQuery]:
    """The two steps, if there are two, and the question, or the last of them at the most it may cost."""
    steps = two_steps(desk, text, **price)
    return steps, price_question(desk, text, **price) if steps is None else steps.at_most()


def two_steps(
    desk: Desk,
    text: str,
    *,
    within: Within | Mapping[str, Within] | None = None,
    epsilon: Amount | None = None,
    rho: Amount | None = None,
    **price: Any,
) -> TwoSteps | None:
    """The two steps of a question, if it is an average that is wanted within an error."""
    asked = None if within is None else desk.question(text)
    wanted = {} if asked is None or within is None else _wanted(asked, within)
    if asked is None or not wanted:
        return None
    if asked.keys and asked.groups is None:
        problem = "is for averages of all rows or of public groups"
        raise InvalidParameter("within", problem, within, hint="say epsilon=… instead")
    most = desk.dataset.defaults.epsilon if epsilon is None else amount("epsilon", epsilon)
    if rho is not None or most is None:
        problem = "of an average needs the most that it may cost, in ε"
        raise InvalidParameter("within", problem, within, hint="epsilon=1, of which a tenth counts the rows first")
    first = max(most * FIRST, desk.dataset.rules.least_epsilon)
    if most - first < desk.dataset.rules.least_epsilon:
        raise InvalidParameter("epsilon", "is too little for two steps", epsilon, hint=f"epsilon={float(3 * first):g}")
    count = priced_at(desk, _counting(asked, list(wanted)), epsilon=first, **price)
    return TwoSteps(desk, text, most, wanted, count, price)


def count_of(desk: Desk, text: str, *, epsilon: Amount, averages: Sequence[int] = (), **price: Any) -> PricedQuery:
    """The first step of a question, at the ε it had: of these of its aggregates."""
    return priced_at(desk, _counting(desk.question(text), averages), epsilon=amount("epsilon", epsilon), **price)


def _wanted(asked: Question, within: Within | Mapping[str, Within]) -> dict[int, Fraction]:
    """The averages that are named, or all if there is nothing else; none where counts or sums are meant."""
    keys = len(asked.keys)
    outputs = {name: output.index - keys for name, output in asked.outputs
               if isinstance(output, Ref) and output.index >= keys}  # fmt: skip
    averages = {name: place for name, place in outputs.items() if isinstance(asked.aggregates[place], Average)}
    if isinstance(within, Mapping):
        if not any(name in averages for name in within):
            return {}
        for name in within:
            if name not in averages:
                problem = "names an average beside what is none; averages are asked by themselves"
                raise InvalidParameter("within", problem, name, hint=f"averages: {list(averages)}")
        return {averages[name]: bound_of(bound) for name, bound in within.items()}
    if len(averages) < len(outputs):
        return {}
    return {place: bound_of(within) for place in averages.values()}


def _counting(asked: Question, places: Sequence[int]) -> Question:
    """How many rows each average is over, in the same groups."""
    counts: list[Aggregate] = []
    for place in places:
        average = asked.aggregates[place]
        assert isinstance(average, Average)
        filled = CountRows(where=average.where)
        counts.append(filled if average.filled else CountValues(of=average.of, where=average.where))
    distinct = tuple(dict.fromkeys(counts))
    at = len(asked.keys)
    outputs = tuple(
        (f"n{i}", Ref(at + distinct.index(each), Field(each.label, each.gives, each.range)))
        for i, each in enumerate(counts)
    )
    return replace(asked, aggregates=distinct, outputs=outputs, having=None, order=(), limit=None, offset=0)
