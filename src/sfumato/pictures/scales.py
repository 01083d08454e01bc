"""Scales: where on an axis a value stands, as a share of its length, and the ticks a reader can use."""

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction

from sfumato.pictures.numbers import finite, trimmed
from sfumato.pictures.values import Value

_LARGEST = Fraction(sys.float_info.max)
_GOAL = 5  # ticks on an axis, about


@dataclass(frozen=True, slots=True)
class Tick:
    """A place on an axis and what is written there."""

    share: float
    words: str


@dataclass(frozen=True, slots=True)
class Linear:
    """Equal steps are equal lengths. Ends are rationals, so that no range overflows or vanishes."""

    low: Fraction
    high: Fraction
    percent: bool = False

    @classmethod
    def over(cls, values: Iterable[Value], *, from_zero: bool = False, percent: bool = False) -> "Linear":
        """The scale that holds all values; one or none get room on both sides."""
        known = [Fraction(number) for number in map(finite, values) if number is not None]
        known += [Fraction(0)] if from_zero else []
        low, high = (min(known), max(known)) if known else (Fraction(0), Fraction(1))
        return cls.between(low, high, percent=percent)

    @classmethod
    def between(cls, low: Fraction, high: Fraction, *, percent: bool = False) -> "Linear":
        """The scale from one end to the other, which may be given in any order."""
        low, high = min(low, high), max(low, high)
        if low == high:
            room = abs(low) / 2
            low, high = (low - room, high + room) if room else (Fraction(0), Fraction(1))
        return cls(max(low, -_LARGEST), min(high, _LARGEST), percent)

    def holds(self, value: Value) -> bool:
        """Whether the value has a place between the ends."""
        number = finite(value)
        return number is not None and self.low <= Fraction(number) <= self.high

    def share(self, value: float) -> float:
        """How far along the axis; what is beyond an end stands at that end."""
        if math.isinf(value):
            return 1.0 if value > 0 else 0.0
        return float(min(max((Fraction(value) - self.low) / (self.high - self.low), Fraction(0)), Fraction(1)))

    def ticks(self) -> tuple[Tick, ...]:
        """Multiples of 1, 2 or 5 times a power of ten."""
        step, power = _step((self.high - self.low) / _GOAL * (100 if self.percent else 1))
        unit = Fraction(1, 100) if self.percent else Fraction(1)
        first, last = math.ceil(self.low / unit / step), math.floor(self.high / unit / step)
        top = max(abs(self.low), abs(self.high)) / unit
        found = [
            Tick(self.share(float(n * step * unit)), _written(n * step, power, top, self.percent))
            for n in range(first, last + 1)
        ]
        return _different(found)


@dataclass(frozen=True, slots=True)
class Log:
    """Equal factors are equal lengths; ends are powers of ten. Only positive values have a place."""

    low: float
    high: float

    @classmethod
    def over(cls, values: Iterable[Value]) -> "Log":
        """The scale that holds all positive values."""
        known = [math.log10(number) for number in map(finite, values) if number is not None and number > 0]
        low, high = (min(known), max(known)) if known else (0.0, 1.0)
        if high - low < 1e-6:
            low, high = low - 0.5, high + 0.5
        return cls(low, high)

    def holds(self, value: Value) -> bool:
        """Whether the value has a place between the ends."""
        number = finite(value)
        return number is not None and number > 0 and self.low <= math.log10(number) <= self.high

    def share(self, value: float) -> float:
        """How far along the axis; what is beyond an end stands at that end."""
        if value <= 0 or math.isinf(value):
            return 1.0 if value > 0 else 0.0
        return self._share(math.log10(value))

    def _share(self, power: float) -> float:
        return min(max((power - self.low) / (self.high - self.low), 0.0), 1.0)

    def ticks(self) -> tuple[Tick, ...]:
        """Powers of ten; with few of them also twice and five times; with none the ends."""
        whole = range(math.ceil(self.low - 1e-9), math.floor(self.high + 1e-9) + 1)
        if len(whole) > 2:
            stride = math.ceil(len(whole) / _GOAL)
            return tuple(Tick(self._share(power), _power_words(1, power)) for power in whole[::stride])
        near = range(math.floor(self.low), math.floor(self.high) + 1)
        found = [(n, power) for power in near for n in (1, 2, 5) if self.low <= power + math.log10(n) <= self.high]
        if len(found) > 1:
            return tuple(Tick(self._share(power + math.log10(n)), _power_words(n, power)) for n, power in found)
        ends = (Context(prec=30).power(10, Decimal(end)) for end in (self.low, self.high))
        return _different([Tick(i, trimmed(f"{end:.3g}")) for i, end in enumerate(ends)])


@dataclass(frozen=True, slots=True)
class Named:
    """Places 0, 1, … with a name each, in the middle of slots of equal length."""

    names: Sequence[str]

    def holds(self, value: Value) -> bool:
        """Whether there is such a place."""
        number = finite(value)
        return number is not None and 0 <= number <= len(self.names) - 1

    def share(self, value: float) -> float:
        """How far along the axis."""
        return min(max((value + 0.5) / len(self.names), 0.0), 1.0)

    def ticks(self) -> tuple[Tick, ...]:
        """The names at their places."""
        return tuple(Tick(self.share(place), name) for place, name in enumerate(self.names))


Scale = Linear | Log | Named


def _step(least: Fraction) -> tuple[Fraction, int]:
    """The smallest of 1, 2, 5 times a power of ten that is not below, and the power."""
    near = math.floor(math.log10(least.numerator) - math.log10(least.denominator))
    return next(
        (digit * Fraction(10) ** power, power)
        for power in (near - 1, near, near + 1, near + 2)
        for digit in (1, 2, 5)
        if digit * Fraction(10) ** power >= least
    )


def _written(value: Fraction, power: int, top: Fraction, percent: bool) -> str:
    """A tick with as many digits as tell it from its neighbours, up to 17."""
    exact = Context(prec=30).divide(Decimal(value.numerator), Decimal(value.denominator))
    if Fraction(1, 10**4) <= top < 10**7 and power >= -6:
        text = f"{exact:,.{max(0, -power)}f}"
        text = "0" if value == 0 else text
    else:
        size = 0 if value == 0 else math.floor(math.log10(abs(value.numerator)) - math.log10(value.denominator))
        text = trimmed(f"{exact:.{min(max(size - power, 0), 16)}e}")
    return f"{text} %" if percent else text


def _power_words(digit: int, power: int) -> str:
    if 0 <= power < 6:
        return f"{digit * 10**power:,}"
    return f"{digit / 10**-power:.{-power}f}" if -4 < power < 0 else f"{digit}e{power}"


def _different(ticks: Sequence[Tick]) -> tuple[Tick, ...]:
    """The ticks without those that would be written like one before."""
    return tuple({tick.words: tick for tick in reversed(ticks)}.values())[::-1]
