"""Error bars of ratios: which ratios are near enough to what was released, whatever the truth is otherwise.

At the true ratio x of two sums, above - x·below is all noise, of a known law. The ratios at which it is within the
reach of that law hold the true one with exactly the stated confidence (Fieller 1954, "Some problems in interval
estimation"). Reach is κ(x) standard deviations; κ changes slowly with x, so that it is known at few places.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import sqrt
from typing import NamedTuple

UNIFORM = Fraction(577, 1000)
"""The standard deviation of a uniform law on [-1, 1]: how far from the middle an average is thought to be."""


class Squares(NamedTuple):
    """The variance of what is above, how it goes together with what is below, and the variance of that."""

    above: float
    both: float
    below: float


class Slow:
    """A function that changes slowly over an interval, computed at few places as needed, straight between."""

    def __init__(self, function: Callable[[Fraction], float], low: Fraction, high: Fraction, places: int = 5) -> None:
        width = (high - low) / (places - 1)
        self._exact = [low + width * i for i in range(places)] if width else [low]
        self._at, self._function = [float(each) for each in self._exact], function
        self._values: dict[int, float] = {}

    def _value(self, i: int) -> float:
        if i not in self._values:
            self._values[i] = self._function(self._exact[i])
        return self._values[i]

    def __call__(self, x: float) -> float:
        """The value at x, that of the nearer end outside."""
        at = self._at
        i = bisect_right(at, x)
        if i in (0, len(at)):
            return self._value(0 if i == 0 else len(at) - 1)
        part = (x - at[i - 1]) / (at[i] - at[i - 1])
        return self._value(i - 1) + part * (self._value(i) - self._value(i - 1))


def near_ratios(above: float, below: float, squares: Squares, kappa: float) -> tuple[float, float] | None:
    """The least and the greatest x for which above - x·below is within kappa deviations; None where there is no end.

    >>> [round(end, 2) for end in near_ratios(50.0, 10.0, Squares(1.0, 0.0, 0.01), 2.0)]
    [4.78, 5.23]
    """
    k = kappa * kappa
    a = below * below - k * squares.below
    b, c = above * below - k * squares.both, above * above - k * squares.above
    root = b * b - a * c
    if a <= 0 or root < 0:
        return None
    return (b - sqrt(root)) / a, (b + sqrt(root)) / a


def bar_of_ratio(
    above: float, below: float, squares: Squares, kappa: Callable[[float], float], whole: tuple[float, float]
) -> tuple[float, float]:
    """The interval of ratios within `whole`, which is all of it where nothing more is known."""
    first = near_ratios(above, below, squares, kappa(held(above / below, *whole)))
    if first is None:
        return whole
    ends = []
    for side in (0, 1):
        end = first[side]
        for _ in range(3):  # κ where the end is, and not where it was looked for
            again = near_ratios(above, below, squares, kappa(held(end, *whole)))
            if again is None:
                return whole
            end = again[side]
        ends.append(held(end, *whole))
    return min(ends), max(ends)


def held(x: float, low: float, high: float) -> float:
    """A number held within two others."""
    return min(max(x, low), high)


def table(function: Callable[[Fraction, Fraction], float], one: Sequence[Fraction], other: Sequence[Fraction]) -> (
    Callable[[float, float], float]
):  # fmt: skip
    """A function of two numbers that changes slowly, computed at a few places, straight in between."""
    rows = [(float(each), Slow(lambda y, x=each: function(x, y), other[0], other[1], 3)) for each in one]  # type: ignore[misc]

    def value(x: float, y: float) -> float:
        i = min(max(bisect_right([at for at, _ in rows], x), 1), len(rows) - 1)
        (low, below), (high, above) = rows[i - 1], rows[i]
        part = held((x - low) / (high - low), 0.0, 1.0) if high > low else 0.0
        return below(y) + part * (above(y) - below(y))

    return value
