"""Amounts: one strict grammar into rationals, and whole units that are rounded against us.

A unit is 1/GRID. The grid holds every decimal of 24 digits, every float that is a multiple of 2⁻⁶⁴ and every
fraction whose denominator is at most 100, so that parts of a split budget add up to the whole; what is finer is
rounded up when it is spent and down when it is a cap. Units keep their size for ever, where sums of rationals grow.
"""

import math
import re
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from sfumato.errors import InvalidParameter

GRID = math.lcm(*range(1, 101), 10**24, 2**64)
"""How many units make one."""

Amount = str | int | Fraction | Decimal
"""What an amount may be; a float is refused, because 0.1 the float is not 0.1."""

_DECIMAL = re.compile(r"(0|[1-9][0-9]{0,17})(\.[0-9]{1,24})?(e-?[0-9]{1,4})?")
_RATIO = re.compile(r"(0|[1-9][0-9]{0,99})/([1-9][0-9]{0,99})")
_WRITTEN = re.compile(r"(0|[1-9][0-9]{0,599})(/[1-9][0-9]{0,99})?")  # all that `written` writes
_LEAST, _MOST = Fraction(1, 10**60), Fraction(10**18)
_HINT = 'write it as text, such as "0.5", "1e-6" or "1/3"'


def amount(name: str, value: object) -> Fraction:
    """The exact rational that an amount is; it may be zero but not negative.

    >>> amount("epsilon", "0.1")
    Fraction(1, 10)
    >>> amount("epsilon", "1_0")
    Traceback (most recent call last):
        ...
    sfumato.errors.InvalidParameter: epsilon is not a plain decimal number: '1_0'
    <BLANKLINE>
    hint: write it as text, such as "0.5", "1e-6" or "1/3"
    """
    if isinstance(value, float):
        raise InvalidParameter(name, "must be exact, and a float is not", value, hint=_HINT)
    if isinstance(value, bool) or not isinstance(value, str | int | Fraction | Decimal):
        raise InvalidParameter(name, "must be an amount", value, hint=_HINT)
    if isinstance(value, str):
        exact = _read(name, value)
    elif isinstance(value, Decimal) and (not value.is_finite() or abs(value.adjusted()) > 99):
        raise InvalidParameter(name, "must be finite and within range", value)
    else:
        exact = Fraction(value)
    if exact < 0:
        raise InvalidParameter(name, "must not be negative", value)
    if exact and not _LEAST <= exact <= _MOST:
        raise InvalidParameter(name, "must be between 1e-60 and 1e18", value)
    return exact


def _read(name: str, text: str) -> Fraction:
    ratio = _RATIO.fullmatch(text)
    if ratio:
        return Fraction(int(ratio[1]), int(ratio[2]))
    decimal = _DECIMAL.fullmatch(text)
    if not decimal:
        raise InvalidParameter(name, "is not a plain decimal number", text, hint=_HINT)
    exponent = int(decimal[3][1:]) if decimal[3] else 0
    if abs(exponent) > 99:
        raise InvalidParameter(name, "must be between 1e-60 and 1e18", text)
    return Fraction(decimal[1] + (decimal[2] or "")) * Fraction(10) ** exponent


def positive_amount(name: str, value: object) -> Fraction:
    """The exact rational that an amount is, above zero."""
    exact = amount(name, value)
    if exact == 0:
        raise InvalidParameter(name, "must be positive", value)
    return exact


def units_up(exact: Fraction) -> int:
    """The least number of units that is not below a rational: for what is spent."""
    return -(-exact.numerator * GRID // exact.denominator)


def units_down(exact: Fraction) -> int:
    """The greatest number of units that is not above a rational: for what may be spent."""
    return exact.numerator * GRID // exact.denominator


def written(units: int) -> str:
    """Units as the rational they are, in text."""
    return str(Fraction(units, GRID))


@lru_cache(maxsize=1 << 14)
def units_of(text: str) -> int:
    """The units that `written` wrote; anything else is refused."""
    if not (_WRITTEN.fullmatch(text) or _DECIMAL.fullmatch(text)):
        raise InvalidParameter("amount", "is not a number of units", text)
    exact = Fraction(text) * GRID
    if exact.denominator != 1:
        raise InvalidParameter("amount", "is not a whole number of units", text)
    return exact.numerator
