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
from sfumato.mechanisms.additive import Noise
from sfumato.query.bounds import Bounds, Moves, Spend
from sfumato.query.contributions import excess
from sfumato.query.measures import Measure
from sfumato.query.priced import hide
from sfumato.query.question import Question
from sfumato.query.weights import sum_alone

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
    most = None if sum_alone(measures) else excess(question.plan, dataset)  # of totals no rows are beyond
    share = spend.amount * BEYOND / (1 if most is None else 2)
    people, spent = hide(Moves(Fraction(1), Fraction(1)), share, spend, scalar=True)
    if most is None:
        return CountedBeyond(people, None, 0, spent)
    rows, more = hide(Moves(Fraction(most), Fraction(most**2)), share, spend, scalar=True)
    return CountedBeyond(people, rows, most, events.Composition([spent, more]))
