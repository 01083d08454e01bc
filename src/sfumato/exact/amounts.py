"""Amounts: what a number means that somebody wrote down, the same in every room.

A float is the decimal that is written for it, so that 0.1 is one tenth; text, whole numbers, Fractions, Decimals and
NumPy's numbers are what they say. Two kinds of number are not amounts and keep the exact value of their bits: cells
of data (`parameters.cell`), and floats that were computed here and rounded in a direction on purpose
(`parameters.rational`). Those are handed on as Fractions, which mean one thing everywhere.
"""

import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from sfumato.errors import InvalidParameter

Real = int | float | str | Fraction | Decimal | np.floating[Any] | np.integer[Any]
"""What an amount may be written as."""

MOST_BITS = 1 << 16
"""The longest numerator or denominator that is computed with."""

_MOST_DIGITS = 600  # of a text; Python itself may be told to read no more than 640
_MOST_POWER = 1 << 14  # of ten, in a Decimal
_MOST_TEXT, _MOST_POWER_DIGITS = 2000, 4
_TEXT = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?)0*([0-9]+))?")
_RATIO = re.compile(r"([+-]?[0-9]+)/([0-9]+)")
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)


def amount(name: str, value: object) -> Fraction:
    """The exact rational that is meant by a number as it is written.

    >>> amount("epsilon", 0.1), amount("epsilon", "1e-1"), amount("epsilon", "1/10")
    (Fraction(1, 10), Fraction(1, 10), Fraction(1, 10))
    >>> amount("epsilon", "1_0")
    Traceback (most recent call last):
        ...
    sfumato.errors.InvalidParameter: epsilon must be a real number: '1_0'
    <BLANKLINE>
    hint: for example epsilon=0.5, or as text "0.5", "1e-6" or "1/3"
    """
    if type(value) is Fraction:
        exact = value
    elif isinstance(value, bool | np.bool_ | np.timedelta64):
        raise _refused(name, "must be a real number", value)
    elif isinstance(value, int | np.integer):
        exact = Fraction(int(value))
    elif isinstance(value, float | np.floating):
        exact = _of_text(name, _decimal(name, value), value)
    elif isinstance(value, str):
        exact = _of_text(name, value, value)
    elif isinstance(value, Decimal):
        exact = _of_decimal(name, value)
    elif isinstance(value, Fraction):
        exact = Fraction(value.numerator, value.denominator)
    else:
        raise _refused(name, "must be a real number", value)
    if max(exact.numerator.bit_length(), exact.denominator.bit_length()) > MOST_BITS:
        raise _out_of_range(name, value)
    return exact


def sized(name: str, value: object, *, least: int, most: int) -> Fraction:
    """An amount from zero on that is zero or between two powers of ten."""
    exact = amount(name, value)
    if exact < 0:
        raise _refused(name, "must not be negative", value)
    if exact and not Fraction(10) ** least <= exact <= Fraction(10) ** most:
        raise _refused(name, f"must be between 1e{least} and 1e{most}", value)
    return exact


def hint_for(name: str) -> str:
    """What to write instead of something that is no amount."""
    if name == "delta":  # half a chance to fail is no example
        return 'for example delta=1e-9, or as text "1e-9" or "1/1000000000"'
    return f'for example {name}=0.5, or as text "0.5", "1e-6" or "1/3"'


def _refused(name: str, requirement: str, value: object) -> InvalidParameter:
    return InvalidParameter(name, requirement, value, hint=hint_for(name))


def _out_of_range(name: str, value: object) -> InvalidParameter:
    return _refused(name, "is outside the range Sfumato computes in", value)


def _decimal(name: str, value: Any) -> str:
    """The shortest decimal that is read back as the same float, as Python and NumPy write it."""
    if not np.isfinite(value):
        raise _refused(name, "must be finite", value)
    if isinstance(value, float):
        return float.__repr__(value)
    return np.format_float_scientific(value, unique=True, trim="-")


def _of_text(name: str, text: str, value: object) -> Fraction:
    """The rational that a text says: digits with a point or a power of ten, or a fraction; of ASCII digits only."""
    if len(text) > _MOST_TEXT:
        raise _out_of_range(name, value)
    ratio, decimal = _RATIO.fullmatch(text), _TEXT.fullmatch(text)
    if ratio and ratio[2].strip("0"):
        if max(len(ratio[1]), len(ratio[2])) > _MOST_DIGITS:
            raise _out_of_range(name, value)
        return Fraction(int(ratio[1]), int(ratio[2]))
    if not decimal or not (decimal[2] or decimal[3]):
        raise _refused(name, "must be finite" if _NOT_FINITE.fullmatch(text) else "must be a real number", value)
    sign, before, after, direction, power = (part or "" for part in decimal.groups())
    if len(before + after) > _MOST_DIGITS or len(power) > _MOST_POWER_DIGITS:
        raise _out_of_range(name, value)
    exact = int(before + after) * Fraction(10) ** (int(direction + (power or "0")) - len(after))
    return -exact if sign == "-" else exact


def _of_decimal(name: str, value: Decimal) -> Fraction:
    if not value.is_finite():
        raise _refused(name, "must be finite", value)
    if not value:
        return Fraction(0)
    if abs(value.adjusted()) > _MOST_POWER or len(value.as_tuple().digits) > 2 * _MOST_POWER:
        raise _out_of_range(name, value)
    return Fraction(*value.as_integer_ratio())
