"""What an asker may be told of those who have more than counts: how many people, and of how many rows.

One person more is one more of them, so the count of people moves by one. Rows beyond the bound are nobody's to know:
one person moves them without limit, so each person's are held within what the owner declares (`excess`), if anything.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato.accounting import events
from sfumato.accounting.events import Event
from sfumato.data import Dataset
from sfumato.errors import InvalidParameter
from sfumato.exact.rounding import sqrt_up
from sfumato.mechanisms import GeometricNoise
from sfumato.mechanisms.additive import Noise
from sfumato.mechanisms.answers import AnswerMove
from sfumato.mechanisms.discrete_gaussian import DiscreteGaussianNoise
from sfumato.query.bounds import Bounds, Spend
from sfumato.query.contributions import excess
from sfumato.query.measures import Measure, Sum
from sfumato.query.question import Question

BEYOND = Fraction(1, 10)
"""The share of the price that it takes."""


@dataclass(frozen=True)
class CountedBeyond:
    """The noise of the number of people who have more than counts, and of their rows beyond, of each at most `most`."""

    people: Noise
    rows: Noise | None
    most: int
    event: Event

    def canonical(self) -> list[object]:
        """What decides it."""
        return [self.most, self.event.to_json()]


def count_beyond(
    question: Question, measures: Sequence[Measure], dataset: Dataset, bounds: Bounds, spend: Spend
) -> CountedBeyond:
    """What it takes to tell how many have more than counts, refused where nobody can have more."""
    if bounds.cut or question.plan.single or not any(measure.is_weighted for measure in measures):
        raise InvalidParameter("beyond", "is for questions in which rows of a person count in part", True,
                               hint="leave it out: here they count whole, or not at all")  # fmt: skip
    weighted = [measure for measure in measures if measure.is_weighted]
    totals = len(weighted) == 1 and isinstance(weighted[0], Sum) and weighted[0].is_plain  # of which no rows are beyond
    most = None if totals else excess(question.plan, dataset)
    share = spend.amount * BEYOND / (1 if most is None else 2)
    people, spent = _hidden(1, share, spend)
    if most is None:
        return CountedBeyond(people, None, 0, spent)
    rows, more = _hidden(most, share, spend)
    return CountedBeyond(people, rows, most, events.Composition([spent, more]))


def _hidden(moved: int, share: Fraction, spend: Spend) -> tuple[Noise, Event]:
    """Noise that hides a move of one number, and its event."""
    move = Fraction(moved)
    if spend.epsilon is not None:
        geometric = GeometricNoise(move / share)
        return geometric, geometric.event(AnswerMove.l1(move))
    gaussian = DiscreteGaussianNoise(Fraction(sqrt_up(move**2 / (2 * share))))
    return gaussian, gaussian.event(AnswerMove.l2(square=move**2), scalar=True)
