"""The smooth median: noise that follows how far the median of these data can move (slides "Example: Median").

The mechanism is private where n values of public number n are given and one of them is replaced. A person here comes
or goes, with up to `total` values, and n is nobody's to know. So it is given 2h + 1 values, whatever n is: those around
the median, with the lower bound before the first and the upper after the last. Of x(1) ≤ … ≤ x(n) they are the ranks
from ⌊(n + 1)/2⌋ - h to ⌊(n + 1)/2⌋ + h. One value more shifts this window by one rank or by none, and puts one value
in, so that one value of the window is replaced and no more: a person replaces at most `total`, and a mechanism of ε' on
one replacement costs ε'·total. Its middle is the lower median of all values.
"""

from dataclasses import replace
from fractions import Fraction
from math import ceil, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import events
from sfumato.accounting.events import Event
from sfumato.core.printing import Json
from sfumato.curator.amounts import Amount, amount
from sfumato.curator.asks import Ask, Desk
from sfumato.curator.charge import Reader
from sfumato.curator.notes import bounding_notes
from sfumato.curator.release import AnswerColumn, Cost, Note, Shown
from sfumato.curator.scoring import MEDIANS, at, key_columns, one_measure, public_groups
from sfumato.errors import InvalidQuestion
from sfumato.exact.parameters import nearest
from sfumato.mechanisms import Median, SmoothSensitivity
from sfumato.mechanisms.smooth import FLOOR
from sfumato.query import PricedQuery
from sfumato.query.bars import Bar
from sfumato.query.measures import Values
from sfumato.query.weights import Weights

Steps = NDArray[np.int64]
_MOST_GROUPS = 1000
_MOST_VALUES = 2**21
"""Of all windows together: what is computed is the same for all data, and ends."""
_EMPTY = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


def smooth_median(desk: Desk, text: str, *, epsilon: Amount, key: str | None = None, label: str = "") -> Ask[Shown]:
    """The median of one expression, in all rows or in each public group, with noise of its smooth sensitivity."""
    price, query = amount("epsilon", epsilon), _medians(desk, text)
    groups = query.question.groups or ()  # of no keys there is one, which has none
    mechanism, event = _mechanism(query, price)
    half = _half(mechanism, len(groups))
    measure = _values(query)

    def noisy(reader: Reader) -> Json:
        values = reader.exact().values[0]
        windows = (centred(*values.get(group, _EMPTY), half=half, ends=(measure.low, measure.high)) for group in groups)
        released = (int(mechanism.release(window, bits=desk.bits)) for window in windows)
        return {"medians": [max(measure.low, min(measure.high, steps)) for steps in released]}

    sure = desk.dataset.defaults.confidence
    within = mechanism.error(1 - sure).alpha

    def shown(stored: Any) -> Shown:
        bars = [
            (*map(Bar, group), _bar(query, steps, within))
            for group, steps in zip(groups, stored["medians"], strict=True)
        ]
        note = Note.of("smooth", within=within * float(measure.step))
        return Shown(_columns(query), tuple(bars), sure, (note, *bounding_notes(query, desk.dataset)))

    cost = Cost(event.pure(), None, event.pure_delta())
    return Ask(
        event=event,
        about={
            "smooth median": query.question.canonical(),
            "bounds": query.bounds.canonical(),
            "weights": query.weights.canonical(),
            "declared": query.question.declared(desk.dataset),
            "groups": public_groups(groups),
            "event": event.to_json(),
            "window": half,
        },
        reads=at(query, event),
        compute=noisy,
        show=shown,
        cost=cost,
        key=key,
        unpaid=desk.too_cheap(cost),
        verb="median",
        text=text,
        label=label,
    )  # fmt: skip


def centred(values: Steps, counts: Steps, *, half: int, ends: tuple[int, int]) -> Steps:
    """The 2·half + 1 values around the median, from different values in growing order and how often each occurs.

    >>> centred(np.array([3, 7]), np.array([1, 2]), half=2, ends=(0, 9)).tolist()
    [0, 3, 7, 7, 9]
    """
    upto = np.cumsum(counts)
    n = int(upto[-1]) if len(upto) else 0
    middle = (n + 1) // 2
    ranks = np.arange(middle - half, middle + half + 1)
    framed = np.concatenate([[ends[0]], np.clip(values, *ends), [ends[1]]]).astype(np.int64)
    return framed[np.searchsorted(np.concatenate([[0], upto]), ranks, side="left")]


def _medians(desk: Desk, text: str) -> PricedQuery:
    asked = desk.question(text)
    if asked.groups is None or len(asked.groups) > _MOST_GROUPS:
        raise InvalidQuestion(
            f"a smooth median is of all rows, or of at most {_MOST_GROUPS} public groups",
            hint="leave GROUP BY out, or GROUP BY a column with declared values",
        )
    query = one_measure(desk, asked, MEDIANS)
    query = replace(query, weights=Weights(0, picks=not query.bounds.cut))  # values are counted one by one
    measure = _values(query)
    if measure.q != Fraction(1, 2):
        raise InvalidQuestion("the smooth median answers MEDIAN(x)", hint="sql() answers every other quantile")
    if measure.low >= measure.high or measure.high - measure.low > 2**52:
        raise InvalidQuestion(
            "the bounds of what MEDIAN is asked of must be 1 to 2**52 steps of its grid apart",
            hint="LEAST(GREATEST(x, 0), 100), or a coarser grid in the declaration",
        )
    return query


def _values(query: PricedQuery) -> Values:
    """What the median is of: the one measure of the question."""
    (measure,) = query.measures.measures
    assert isinstance(measure, Values)
    return measure


def _mechanism(query: PricedQuery, price: Fraction) -> tuple[SmoothSensitivity, Event]:
    """The mechanism of each group, whose price is for one value, and what a person's values cost in all groups.

    So many values of a person are picked, of any groups, and what is lost to each of them adds up.
    """
    most, measure = query.bounds.total, _values(query)
    bound: Any = Median(lower=measure.low, upper=measure.high)
    mechanism = SmoothSensitivity(bound=bound, epsilon=price / most)
    return mechanism, mechanism.event if most == 1 else events.Pure(price)


def _half(mechanism: SmoothSensitivity, groups: int) -> int:
    """How many ranks beside the median can matter: beyond them the whole interval counts less than the floor."""
    far = ceil((log(mechanism.bound.largest) - log(FLOOR)) / nearest(mechanism.beta)) + 1
    return min(far, _MOST_VALUES // groups // 2)


def _columns(query: PricedQuery) -> tuple[AnswerColumn, ...]:
    """The keys, and the median by the name that the question gives it."""
    asked = query.question
    name, output = next((n, o) for n, o in asked.outputs if getattr(o, "index", -1) >= len(asked.keys))
    return (*key_columns(asked), AnswerColumn(name, output.kind, "value"))


def _bar(query: PricedQuery, steps: int, within: float) -> Bar:
    measure = _values(query)
    value, step = steps * measure.step, float(measure.step)
    low, high = max(float(measure.low), steps - within), min(float(measure.high), steps + within)
    return Bar(int(value) if measure.step.denominator == 1 else nearest(value), low * step, high * step)
