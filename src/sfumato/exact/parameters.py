"""Parameters as exact rationals, checked once where they are born.

What a caller writes is read by `amounts.amount`, where a float is the decimal it is written as; `positive`,
`non_negative`, `probability` and `open_probability` are that with a bound. `rational` and `cell` are for data and
for floats that were computed here: they mean exactly the binary number they are.
"""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact.amounts import MOST_BITS, Real, amount, hint_for

__all__ = [
    "Real",
    "Size",
    "amount",
    "cell",
    "exact_array",
    "hashable",
    "holdable",
    "integer",
    "magnitude",
    "nearest",
    "non_negative",
    "open_probability",
    "positive",
    "probability",
    "rational",
    "shape",
    "truth",
    "whole",
]

Shape = int | tuple[int, ...]
Size = Shape | None
"""How many draws: None for one Python int, otherwise the shape of an array."""

_MOST_POWER = 1 << 14  # of ten, in a Decimal
_MOST_DRAWS = 1 << 40
_MOST_DIMENSIONS = 32
_NUMBER_HINT = "pass an int, a float, a Fraction or a Decimal"


def rational(name: str, value: object) -> Fraction:
    """The rational number that a cell of data or a computed float exactly is; what callers write is an `amount`.

    >>> rational("step", 0.1)
    Fraction(3602879701896397, 36028797018963968)
    >>> rational("step", "0.1")
    Traceback (most recent call last):
        ...
    sfumato.errors.InvalidParameter: step must be a real number: '0.1'
    <BLANKLINE>
    hint: pass an int, a float, a Fraction or a Decimal
    """
    if isinstance(value, bool | np.bool_ | np.timedelta64) or not isinstance(
        value, int | float | Fraction | Decimal | np.floating | np.integer
    ):
        raise InvalidParameter(name, "must be a real number", value, hint=_NUMBER_HINT)
    if isinstance(value, np.integer):
        return Fraction(int(value))
    if not _is_finite(value):
        raise InvalidParameter(name, "must be finite", value)
    if isinstance(value, Decimal) and value != 0 and abs(value.adjusted()) > _MOST_POWER:
        raise InvalidParameter(name, "is outside the range Sfumato computes in", value)
    exact = Fraction(*value.as_integer_ratio())
    if max(exact.numerator.bit_length(), exact.denominator.bit_length()) > MOST_BITS:
        raise InvalidParameter(name, "is outside the range Sfumato computes in", value)
    return exact


def _is_finite(value: Any) -> bool:
    if isinstance(value, int | Fraction):
        return True
    return value.is_finite() if isinstance(value, Decimal) else bool(np.isfinite(value))


def positive(name: str, value: object) -> Fraction:
    """The amount that `value` is, which must be above zero."""
    exact = amount(name, value)
    if exact <= 0:
        raise InvalidParameter(name, "must be positive", value)
    return exact


def non_negative(name: str, value: object) -> Fraction:
    """The amount that `value` is, which must not be below zero."""
    exact = amount(name, value)
    if exact < 0:
        raise InvalidParameter(name, "must not be negative", value)
    return exact


def probability(name: str, value: object) -> Fraction:
    """The amount that `value` is, which must lie in [0, 1]."""
    exact = amount(name, value)
    if not 0 <= exact <= 1:
        raise InvalidParameter(name, "must be between 0 and 1", value)
    return exact


def open_probability(name: str, value: object) -> Fraction:
    """The amount that `value` is, which must lie strictly between 0 and 1."""
    exact = amount(name, value)
    if not 0 < exact < 1:
        raise InvalidParameter(name, "must be above 0 and below 1", value)
    return exact


def integer(name: str, value: object) -> int:
    """The Python integer that `value` is."""
    if isinstance(value, bool | np.bool_ | np.timedelta64) or not isinstance(value, int | np.integer):
        raise InvalidParameter(name, "must be a whole number", value)
    return int(value)


def whole(name: str, value: object, *, least: int = 0) -> int:
    """The Python integer that `value` is, at least `least`."""
    exact = integer(name, value)
    if exact < least:
        raise InvalidParameter(name, f"must be at least {least}", value)
    return exact


def truth(name: str, value: object) -> bool:
    """The bool that `value` is; nothing else stands for one."""
    if not isinstance(value, bool):
        raise InvalidParameter(name, "must be True or False", value)
    return value


def holdable(name: str, count: int) -> None:
    """Refuse a number of draws that no memory could hold."""
    if count > _MOST_DRAWS:
        raise InvalidParameter(name, f"must be at most 2**{_MOST_DRAWS.bit_length() - 1} draws", count)


def cell(name: str, value: object) -> Fraction:
    """The rational that a piece of somebody's data is; unlike a parameter it is never shown in an error."""
    try:
        return rational(name, value)
    except InvalidParameter:
        pass
    if isinstance(value, float | np.floating | Decimal):
        raise InvalidParameter(name, "must be finite and within range, found", "nan, inf or too large")
    raise InvalidParameter(name, "must be real numbers, found", type(value))


def exact_array(name: str, values: Any) -> NDArray[Any]:
    """Pieces of data as an array that holds each of them exactly, of a kind of number or of objects."""
    if isinstance(values, np.ma.MaskedArray) or not isinstance(values, np.ndarray | list | tuple):
        raise InvalidParameter(name, "must be a list, a tuple or an array of real numbers, found", type(values))
    array: NDArray[Any]
    if isinstance(values, np.ndarray):
        array = values
    else:
        try:
            array = np.array(values, dtype=np.object_)
        except ValueError:
            raise InvalidParameter(name, "must have rows of one length, found", type(values)) from None
        array = _compact(array)
    if array.dtype.kind == "f" and array.dtype.itemsize <= 8:
        if not np.isfinite(array).all():
            raise InvalidParameter(name, "must be finite, found", "nan or inf")
        return array
    if array.dtype.kind in "iu":
        return array
    if array.dtype.kind not in "fO":
        raise InvalidParameter(name, "must be real numbers, found an array of", array.dtype.name)
    out = np.empty(array.shape, dtype=np.object_)
    for index, value in np.ndenumerate(array):
        out[index] = cell(name, value)
    return out


def _compact(array: NDArray[Any]) -> NDArray[Any]:
    """Python numbers as an array of 64-bit ones, if that holds each of them exactly."""
    kinds = set(map(type, array.flat))
    if kinds == {int} and all(-(2**63) <= value < 2**63 for value in array.flat):
        return array.astype(np.int64)
    if not kinds or not kinds <= {float, int, np.float64}:
        return array
    exact = int not in kinds or all(type(value) is not int or abs(value) <= 2**53 for value in array.flat)
    return array.astype(np.float64) if exact else array


def shape(size: object) -> tuple[int, ...]:
    """The array shape that `size` names."""
    lengths = size if isinstance(size, tuple) else (size,)
    dimensions = tuple(whole("size", length) for length in lengths)
    if len(dimensions) > _MOST_DIMENSIONS:
        raise InvalidParameter("size", f"must have at most {_MOST_DIMENSIONS} dimensions", size)
    holdable("size", math.prod(max(1, length) for length in dimensions))
    return dimensions


def hashable(name: str, value: object) -> object:
    """The value itself, refused if it could not be a parameter because it is a list, an array or the like."""
    try:
        hash(value)
    except TypeError:
        raise InvalidParameter(name, "must be a real number", value, hint=hint_for(name)) from None
    return value


def nearest(exact: Fraction) -> float:
    """The float nearest to a rational, infinite or zero where floats end."""
    try:
        return exact.numerator / exact.denominator
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def magnitude(exact: Fraction) -> str:
    """About how large a rational is, in a few characters."""
    return f"2**{exact.numerator.bit_length() - exact.denominator.bit_length()}"
