"""Amounts within what a ledger keeps, and whole units that are rounded against us.

A unit is 1/GRID. The grid holds every decimal of 24 digits, every float that is a multiple of 2⁻⁶⁴ and every
fraction whose denominator is at most 100, so that parts of a split budget add up to the whole; what is finer is
rounded up when it is spent and down when it is a cap. Units keep their size for ever, where sums of rationals grow.
"""

import math
import re
from fractions import Fraction
from functools import lru_cache

from sfumato.errors import InvalidParameter
from sfumato.exact.amounts import Real, sized

GRID = math.lcm(*range(1, 101), 10**24, 2**64)
"""How many units make one."""

Amount = Real
"""What an amount may be written as: a float is the decimal it is written as."""

_DECIMAL = re.compile(r"(0|[1-9][0-9]{0,17})(\.[0-9]{1,24})?(e-?[0-9]{1,4})?")
_WRITTEN = re.compile(r"(0|[1-9][0-9]{0,599})(/[1-9][0-9]{0,99})?")  # all that `written` writes
_LEAST, _MOST = -60, 18  # powers of ten


def amount(name: str, value: object) -> Fraction:
    """The exact rational that an amount is; it may be zero but not negative.

    >>> amount("epsilon", "0.1"), amount("epsilon", 0.1)
    (Fraction(1, 10), Fraction(1, 10))
    """
    return sized(name, value, least=_LEAST, most=_MOST)


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


def units_text(units: int) -> str:
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
