"""Parameters as exact rationals, checked once where they are born."""

import math
import operator
from decimal import Decimal
from fractions import Fraction
from typing import Any, SupportsIndex

import numpy as np

from sfumato.errors import InvalidParameter

Real = int | float | Fraction | Decimal | np.floating[Any] | np.integer[Any]
"""What a parameter may be: it means the rational number it exactly is."""

Size = int | tuple[int, ...] | None
"""How many draws: None for one Python int, otherwise the shape of an array."""

_MAX_BITS = 1 << 14
_NUMBER_HINT = "pass an int, a float, a Fraction or a Decimal"


def rational(name: str, value: object) -> Fraction:
    """The rational number that `value` exactly is.

    >>> rational("scale", 0.1)
    Fraction(3602879701896397, 36028797018963968)
    >>> rational("scale", "0.1")
    Traceback (most recent call last):
        ...
    sfumato.errors.InvalidParameter: scale must be a real number: '0.1'
    <BLANKLINE>
    hint: pass an int, a float, a Fraction or a Decimal
    """
    if isinstance(value, bool | np.bool_ | complex | np.complexfloating) or not isinstance(
        value, int | float | Fraction | Decimal | np.floating | np.integer
    ):
        raise InvalidParameter(name, "must be a real number", value, hint=_NUMBER_HINT)
    if isinstance(value, np.integer):
        return Fraction(int(value))
    if not _is_finite(value):
        raise InvalidParameter(name, "must be finite", value)
    if isinstance(value, Decimal) and value != 0 and abs(value.adjusted()) > _MAX_BITS:
        raise InvalidParameter(name, "is outside the range Sfumato computes in", value)
    exact = Fraction(*value.as_integer_ratio())
    if max(exact.numerator.bit_length(), exact.denominator.bit_length()) > 4 * _MAX_BITS:
        raise InvalidParameter(name, "is outside the range Sfumato computes in", value)
    return exact


def _is_finite(value: Any) -> bool:
    if isinstance(value, int | Fraction):
        return True
    return value.is_finite() if isinstance(value, Decimal) else bool(np.isfinite(value))


def positive(name: str, value: object) -> Fraction:
    """The rational that `value` is, which must be above zero."""
    exact = rational(name, value)
    if exact <= 0:
        raise InvalidParameter(name, "must be positive", value)
    return exact


def non_negative(name: str, value: object) -> Fraction:
    """The rational that `value` is, which must not be below zero."""
    exact = rational(name, value)
    if exact < 0:
        raise InvalidParameter(name, "must not be negative", value)
    return exact


def probability(name: str, value: object) -> Fraction:
    """The rational that `value` is, which must lie in [0, 1]."""
    exact = rational(name, value)
    if not 0 <= exact <= 1:
        raise InvalidParameter(name, "must be between 0 and 1", value)
    return exact


def whole(name: str, value: object, *, least: int = 0) -> int:
    """The Python integer that `value` is, at least `least`."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, SupportsIndex):
        raise InvalidParameter(name, "must be a whole number", value)
    exact = operator.index(value)
    if exact < least:
        raise InvalidParameter(name, f"must be at least {least}", value)
    return exact


def shape(size: object) -> tuple[int, ...]:
    """The array shape that `size` names."""
    if isinstance(size, tuple):
        return tuple(whole("size", length) for length in size)
    return (whole("size", size),)


def hashable(name: str, value: object) -> object:
    """The value itself, refused if it could not be a parameter because it is a list, an array or the like."""
    try:
        hash(value)
    except TypeError:
        raise InvalidParameter(name, "must be a real number", value, hint=_NUMBER_HINT) from None
    return value


def nearest(exact: Fraction) -> float:
    """The float nearest to a rational, infinite or zero where floats end."""
    try:
        return exact.numerator / exact.denominator
    except OverflowError:
        return math.inf if exact > 0 else -math.inf
