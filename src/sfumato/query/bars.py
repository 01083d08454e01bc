"""A released value and the interval of its error bar."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True, slots=True)
class Bar:
    """A released value and the interval of its error bar; keys and constants have none."""

    value: Any
    """A number, text, truth, day or moment; None is missing."""
    low: float | None = None
    high: float | None = None
    uncertain: bool = False
    """Made of something with an error bar, and no bar of its own is known: it is not exact."""

    @property
    def has_interval(self) -> bool:
        """Whether an error bar is known."""
        return self.low is not None and self.high is not None

    def ends(self) -> tuple[float, float] | None:
        """The interval; a plain number is its own."""
        if self.low is not None and self.high is not None:
            return self.low, self.high
        if self.uncertain or isinstance(self.value, bool) or not isinstance(self.value, int | float):
            return None
        try:
            known = float(self.value)
        except OverflowError:
            return None
        return (known, known) if math.isfinite(known) else None


def round_half_up(exact: int | Fraction) -> int:
    """The nearest whole number.

    >>> round_half_up(Fraction(7, 2)), round_half_up(Fraction(-7, 2)), round_half_up(5)
    (4, -3, 5)
    """
    return exact if isinstance(exact, int) else (2 * exact.numerator + exact.denominator) // (2 * exact.denominator)


MISSING = Bar(None)
