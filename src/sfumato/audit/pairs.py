"""Neighbouring inputs: what one person may change, at its most telling.

The patterns for answers are those of Ding, Wang, Wang, Zhang, Kifer 2018 with ends of the domain and lengths added;
both directions of every pair are looked at, as the same draws serve both.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.core import Change
from sfumato.errors import InvalidParameter, shown
from sfumato.exact.parameters import Real, nearest, rational, whole


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbouring inputs; `hostile` marks one that a careful owner's data do not hold."""

    left: Any
    right: Any
    why: str = ""
    hostile: bool = False

    def __str__(self) -> str:
        return f"{shown(self.left)} and {shown(self.right)}" + (f" ({self.why})" if self.why else "")


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a mechanism takes, and how far one person moves it.

    `sensitivity` is how far one person moves a number; `lower` and `upper` are the ends of a number or a row; `around`
    is a value where something happens, such as a threshold; `length` is how many answers are given at once. Numbers
    here are data and no amounts: a float is exactly the number it is.
    """

    sensitivity: Real = 1
    lower: Real | None = None
    upper: Real | None = None
    around: Real = 0
    length: int = 10
    change: Change = Change.ADD_REMOVE
    tame: bool = False

    def __post_init__(self) -> None:
        if rational("sensitivity", self.sensitivity) <= 0:
            raise InvalidParameter("sensitivity", "must be positive", self.sensitivity)
        whole("length", self.length, least=1)
        if None not in (self.lower, self.upper) and rational("lower", self.lower) >= rational("upper", self.upper):
            raise InvalidParameter("upper", f"must be above lower = {self.lower}", self.upper)

    def number(self, exact: Real) -> int | float:
        """A whole number as an int, which mechanisms on whole numbers ask for."""
        value = rational("value", exact)
        return int(value) if value.denominator == 1 else nearest(value)

    @property
    def ends(self) -> tuple[int | float, int | float]:
        """The ends of a row, [0, 1] unless declared."""
        low = self.number(0 if self.lower is None else self.lower)
        return low, self.number(low + 1 if self.upper is None else self.upper)


def numbers(inputs: Inputs) -> Iterator[Pair]:
    """One exact answer that moves by the sensitivity: near zero, at the ends, far away."""
    step, around = rational("sensitivity", inputs.sensitivity), rational("around", inputs.around)
    starts = {"": around, "below": around - step}
    if inputs.lower is not None:
        starts["at the lower end"] = rational("lower", inputs.lower)
    if inputs.upper is not None:
        starts["at the upper end"] = rational("upper", inputs.upper) - step
    if inputs.lower is None and inputs.upper is None:
        starts["far away"] = around + 1000 * step
    low = -math.inf if inputs.lower is None else rational("lower", inputs.lower)
    high = math.inf if inputs.upper is None else rational("upper", inputs.upper)
    for why, start in starts.items():
        if low <= start and start + step <= high:
            yield Pair(inputs.number(start), inputs.number(start + step), why)


def answers(inputs: Inputs) -> Iterator[Pair]:
    """A row of answers each of which one person moves by the sensitivity, up or down (ℓ∞)."""
    for name, move in _moves(inputs.length):
        yield _moved(inputs, move, name)


def monotone_answers(inputs: Inputs) -> Iterator[Pair]:
    """A row of answers that one person moves in one direction, as counts are by one person more."""
    for name, move in _moves(inputs.length):
        if min(move) >= 0 or max(move) <= 0:
            yield _moved(inputs, move, name)


def counts(inputs: Inputs) -> Iterator[Pair]:
    """A row of answers of which one person moves one, or two by half the sensitivity each if replaced (ℓ1)."""
    n, step = inputs.length, rational("sensitivity", inputs.sensitivity)
    yield _moved(inputs, [1] + [0] * (n - 1), "one moves")
    if n > 1:
        yield _moved(inputs, [0] * (n - 1) + [1], "the last moves")
    if n > 1 and step.denominator == 1 and step % 2 == 0:
        half = Inputs(step / 2, around=inputs.around, length=n)
        yield _moved(half, [1, -1] + [0] * (n - 2), "one rises, one falls")


def _moves(n: int) -> Iterator[tuple[str, list[int]]]:
    few, half = max(1, n // 4), n // 2
    yield "one rises", [1] + [0] * (n - 1)
    yield "one falls", [-1] + [0] * (n - 1)
    yield "all rise", [1] * n
    yield "all fall", [-1] * n
    if n > 1:
        yield "the last rises, the others fall", [-1] * (n - 1) + [1]
        yield "the first rises, the others fall", [1] + [-1] * (n - 1)
        yield "half fall, half rise", [-1] * half + [1] * (n - half)
        yield "most fall, a few rise", [-1] * (n - few) + [1] * few
        yield "the last two rise, the others fall", [-1] * (n - min(2, n)) + [1] * min(2, n)


def _moved(inputs: Inputs, move: Sequence[int], why: str) -> Pair:
    step, around = rational("sensitivity", inputs.sensitivity), rational("around", inputs.around)
    left = [inputs.number(around) for _ in move]
    return Pair(left, [inputs.number(around + step * m) for m in move], why)


def split_answers(inputs: Inputs) -> Iterator[Pair]:
    """Answers of which half are below and half above where something happens, and swap places."""
    n, step = inputs.length, rational("sensitivity", inputs.sensitivity)
    around = rational("around", inputs.around)
    low, high = inputs.number(around), inputs.number(around + step)
    for first in sorted({n // 2, max(1, n - 2), max(1, n - 1)}):
        if 0 < first < n:
            yield Pair(
                [high] * first + [low] * (n - first), [low] * first + [high] * (n - first), f"{first} of {n} swap sides"
            )


def bits(_: Inputs) -> Iterator[Pair]:
    """One person's private bit."""
    yield Pair(0, 1)


def rows(inputs: Inputs) -> Iterator[Pair]:
    """Rows of numbers, one a person, of which one is added, removed or replaced; hostile rows unless they are tame."""
    low, high = inputs.ends
    middle = inputs.number((rational("lower", low) + rational("upper", high)) / 2)
    crowds: tuple[list[Any], ...] = ([], [low] * 9, [high] * 9, [low] * 5 + [high] * 4, [low, middle, high] * 3)
    if inputs.change is Change.REPLACE:
        for crowd in crowds:
            yield Pair([*crowd, low], [*crowd, high], "one row from end to end")
            yield Pair([*crowd, middle], [*crowd, high], "one row from the middle to an end")
    else:
        for crowd in crowds:
            yield Pair(crowd, [*crowd, high], "a row at the upper end more")
            yield Pair(crowd, [*crowd, low], "a row at the lower end more")
    if not inputs.tame:
        yield from hostile_rows(inputs)


HOSTILE: tuple[tuple[str, Any], ...] = (
    ("a NaN", math.nan),
    ("an infinity", math.inf),
    ("a missing value", None),
    ("a value far outside the bounds", 10**9),
    ("a value far below the bounds", -(10**9)),
    ("an integer beyond 64 bits", 2**70),
    ("a text", "x"),
)


def hostile_rows(inputs: Inputs) -> Iterator[Pair]:
    """A row that no careful owner would let in, beside nine that are fine."""
    low, high = inputs.ends
    crowd: list[Any] = [low] * 5 + [high] * 4
    for why, row in HOSTILE:
        fine = crowd if inputs.change is Change.ADD_REMOVE else [*crowd, low]
        yield Pair(fine, [*crowd, row], why, hostile=True)


KINDS = {
    "number": (numbers,),
    "answers": (answers, split_answers),
    "counts": (counts,),
    "monotone": (monotone_answers,),
    "bit": (bits,),
    "rows": (rows,),
}
"""What `sfumato audit --inputs` offers."""


def pairs_of(kind: str, inputs: Inputs) -> tuple[Pair, ...]:
    """Every pair of a kind of inputs."""
    if kind not in KINDS:
        raise InvalidParameter("inputs", "must be one of the known kinds", kind, hint=", ".join(KINDS))
    return tuple(pair for family in KINDS[kind] for pair in family(inputs))
