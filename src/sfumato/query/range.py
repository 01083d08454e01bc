"""What is known of a number before data are seen: an interval it lies in, and a grid its values are multiples of."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from sfumato.data.column import default_step

End = Fraction | None
_LARGEST = Fraction(2) ** 1000
_LONGEST = 4096


@dataclass(frozen=True, slots=True)
class Range:
    """An interval, open-ended where an end is None, and a grid if values are known to lie on one.

    >>> amount, day = Range(Fraction(0), Fraction(200)), Range(Fraction(0), Fraction(364))
    >>> doubled = amount.times(Range.point(Fraction(2))).plus(day)
    >>> doubled.lower, doubled.upper
    (Fraction(0, 1), Fraction(764, 1))
    """

    lower: End = None
    upper: End = None
    grid: End = None

    def __post_init__(self) -> None:
        """Ends beyond any float are not known, and numbers of thousands of digits are not carried along."""
        for name in ("lower", "upper", "grid"):
            value: End = getattr(self, name)
            if value is not None and (abs(value) > _LARGEST or value.denominator.bit_length() > _LONGEST):
                object.__setattr__(self, name, None)

    @classmethod
    def point(cls, value: Fraction) -> "Range":
        """One number alone."""
        return cls(value, value, abs(value) or None)

    @property
    def is_bounded(self) -> bool:
        """Whether both ends are known."""
        return self.lower is not None and self.upper is not None

    @property
    def step(self) -> Fraction:
        """The grid to sum on."""
        if self.grid is not None and self.upper is not None and self.lower is not None:
            widest = max(abs(self.lower), abs(self.upper))
            if widest / self.grid <= 2**50:
                return self.grid
        if self.lower is None or self.upper is None:
            return Fraction(1)
        return default_step(self.lower, self.upper)

    def plus(self, other: "Range") -> "Range":
        """The range of a sum."""
        return Range(_add(self.lower, other.lower), _add(self.upper, other.upper), _shared(self.grid, other.grid))

    def negated(self) -> "Range":
        """The range of -x."""
        return Range(_negative(self.upper), _negative(self.lower), self.grid)

    def times(self, other: "Range") -> "Range":
        """The range of a product."""
        ends = _corners(self, other, lambda a, b: a * b)
        grid = self.grid * other.grid if self.grid is not None and other.grid is not None else None
        return Range(min(ends), max(ends), grid) if ends else Range()

    def over(self, other: "Range") -> "Range":
        """The range of a quotient, known if the divisor keeps away from zero."""
        if other.lower is None or other.upper is None or other.lower <= 0 <= other.upper:
            return Range()
        ends = _corners(self, other, lambda a, b: a / b)
        return Range(min(ends), max(ends)) if ends else Range()

    def join(self, other: "Range") -> "Range":
        """The least range that holds both."""
        lower = None if self.lower is None or other.lower is None else min(self.lower, other.lower)
        upper = None if self.upper is None or other.upper is None else max(self.upper, other.upper)
        return Range(lower, upper, _shared(self.grid, other.grid))

    def magnitude(self) -> "Range":
        """The range of |x|."""
        if self.lower is None or self.upper is None:
            return Range(Fraction(0), None, self.grid)
        low = Fraction(0) if self.lower <= 0 <= self.upper else min(abs(self.lower), abs(self.upper))
        return Range(low, max(abs(self.lower), abs(self.upper)), self.grid)

    def through(self, function: Callable[[float], float]) -> "Range":
        """The range of a growing float function, widened by what its floats may be off."""
        if self.lower is None or self.upper is None:
            return Range()
        try:
            low, high = function(float(self.lower)), function(float(self.upper))
        except (ValueError, OverflowError):
            return Range()
        if not (math.isfinite(low) and math.isfinite(high)):
            return Range()
        slack = Fraction(1, 2**40)
        return Range(
            Fraction(low) - slack * (1 + abs(Fraction(low))), Fraction(high) + slack * (1 + abs(Fraction(high)))
        )


def _add(a: End, b: End) -> End:
    return None if a is None or b is None else a + b


def _negative(a: End) -> End:
    return None if a is None else -a


def _corners(a: Range, b: Range, of: Callable[[Fraction, Fraction], Fraction]) -> list[Fraction]:
    if a.lower is None or a.upper is None or b.lower is None or b.upper is None:
        return []
    return [of(x, y) for x in (a.lower, a.upper) for y in (b.lower, b.upper)]


def _shared(a: End, b: End) -> End:
    """The finest grid that both lie on; a constant zero lies on every grid."""
    if a is None or b is None:
        return None
    bottom = math.lcm(a.denominator, b.denominator)
    return Fraction(math.gcd(int(a * bottom), int(b * bottom)), bottom)
