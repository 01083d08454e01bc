"""Reals to the nearest point of a grid, exactly: floor(x/step + ½), each value by itself.

Where a value goes depends on nothing but that value. Floats decide where they can; near the middle between two points
longer floats do, and rationals where those cannot.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.exact.parameters import cell, nearest
from sfumato.exact.rounding import down, up
from sfumato.exact.sampler import objects

_HALF = Fraction(1, 2)
_CHUNK = 1 << 15


def nearest_step(value: Fraction, step: Fraction) -> int:
    """floor(value/step + ½)."""
    return math.floor(value / step + _HALF)


def nearest_steps(name: str, array: NDArray[Any], step: Fraction) -> NDArray[Any]:
    """floor(x/step + ½) of each number of an array; Python integers where floats do not reach."""
    scale = nearest(step)
    # Numbers that a float holds exactly, and whose quotient leaves room for a fraction.
    if array.dtype == np.object_ or not 1e-250 < scale < 1e250 or not _is_within(array, min(2.0**53, scale * 2.0**50)):
        return objects(nearest_step(cell(name, value), step) for value in array)
    steps = np.empty(len(array), dtype=np.int64)
    for start in range(0, len(array), _CHUNK):  # a part at a time stays in the cache
        _place(array[start : start + _CHUNK].astype(np.float64), step, scale, steps[start : start + _CHUNK])
    return steps


def _place(values: NDArray[np.float64], step: Fraction, scale: float, out: NDArray[np.int64]) -> None:
    y = values / scale  # off by less than three roundings
    part = y - _floor_into(y, out)
    out += part >= 0.5
    if step.numerator == 1 and step.denominator & (step.denominator - 1) == 0:
        return  # division by a power of two is exact
    part -= 0.5
    np.abs(part, out=part)
    unsure = np.flatnonzero(part <= np.abs(y) * 2.0**-50)
    if len(unsure):
        _settle(values[unsure], step, out, unsure)


def _floor_into(y: NDArray[Any], out: NDArray[np.int64]) -> NDArray[Any]:
    down: NDArray[Any] = np.floor(y)
    out[:] = down
    return down


def _settle(values: NDArray[np.float64], step: Fraction, out: NDArray[np.int64], places: NDArray[np.int64]) -> None:
    """The same with the platform's long floats, then with rationals."""
    top, bottom = _long(step.numerator), _long(step.denominator)
    if top is None or bottom is None:
        out[places] = [nearest_step(Fraction(float(value)), step) for value in values]
        return
    precision = float(np.finfo(np.longdouble).eps)
    y = values.astype(np.longdouble) / (top / bottom)  # off by less than three roundings
    steps = np.empty(len(y), dtype=np.int64)
    part = y - _floor_into(y, steps)
    steps += part >= 0.5
    for i in np.flatnonzero(np.abs(part - 0.5) <= np.abs(y) * (8 * precision)):
        steps[i] = nearest_step(Fraction(float(values[i])), step)
    out[places] = steps


def _long(n: int) -> Any:
    """A positive integer as a long float, to within a rounding; None if it is none of that length."""
    zeros = (n & -n).bit_length() - 1
    odd = n >> zeros
    if odd.bit_length() > 63 or zeros > 1000:
        return None
    return np.ldexp(np.longdouble(odd >> 32) * np.longdouble(2**32) + np.longdouble(odd & (2**32 - 1)), zeros)


def clipped(array: NDArray[Any], lower: Fraction, upper: Fraction) -> NDArray[Any]:
    """Numbers brought to just outside an interval, each exactly; rationals and what is wider stay as they are."""
    if array.dtype.kind == "f":
        return np.clip(array.astype(np.float64), down(lower), up(upper))
    low, high = math.floor(lower), math.ceil(upper)
    if array.dtype.kind in "iu" and low >= -(2**63) and high < 2**63:
        if array.dtype == np.uint64:
            array = np.minimum(array, np.uint64(2**63 - 1))
        return np.clip(array.astype(np.int64), low, high)
    return array


def _is_within(array: NDArray[Any], limit: float) -> bool:
    return array.size > 0 and -limit < float(array.min()) and float(array.max()) < limit
