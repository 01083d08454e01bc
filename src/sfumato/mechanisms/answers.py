"""Exact answers on their way into a mechanism: whole numbers, or reals placed on a declared grid.

Noise is drawn in steps of the grid, so that what a mechanism sees are integers. A real answer x is placed on the
grid point floor(x/grid + ½). If x moves by at most d steps, floor(x + ½) moves by at most ceil(d) whole steps, so the
rounding enters the sensitivity: ceil(Δ) in ℓ∞, ceil(Δ) + k - 1 in ℓ1 if k coordinates move (each may round up by less
than one step, and the sum is whole), Δ + √k in ℓ2.

What is refused is refused by type and shape, never by value: a refusal that only one of two neighbours meets would be
an answer that nobody paid for. Beyond ±2**16384 steps an answer counts as that, which moves no two of them apart. Two
values stay without a place, NaN and infinity: no finite answer is within any sensitivity of them.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from sfumato.core import Norm, Sensitivity
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real, cell, exact_array, nearest, positive, whole
from sfumato.exact.placing import nearest_step, nearest_steps
from sfumato.exact.rounding import sqrt_up
from sfumato.exact.sampler import Draws, Integers, objects

Answer = int | float | Fraction | Decimal | np.integer[Any] | np.floating[Any]
"""One exact answer."""
AnswerRow = list[Any] | tuple[Any, ...] | NDArray[Any]
"""Several exact answers, released at once."""
Noisy = int | float | NDArray[Any]
"""What is released of one answer, or of several."""
_FITS = 2**62
_FAR = 2**16384
_DECIMALS = 2**14
_HALF = Fraction(1, 2)


def sensitivity_of(sensitivity: object) -> Sensitivity:
    """The sensitivity, which must say for which neighbours it holds."""
    if not isinstance(sensitivity, Sensitivity):
        raise InvalidParameter(
            "sensitivity",
            "must carry its norm and its neighbours",
            sensitivity,
            hint="for a count: Neighbours().histogram(Norm.L1), or Sensitivity.l1(1, Neighbours())",
        )
    if sensitivity.amount == 0:
        raise InvalidParameter("sensitivity", "must be positive", 0, hint="a constant needs no mechanism")
    return sensitivity


def in_norm(sensitivity: Sensitivity, norm: Norm, dimension: int) -> Fraction:
    """The amount of a sensitivity in another norm: ℓ∞ ≤ ℓ2 ≤ ℓ1, and all three agree in one dimension."""
    have, amount = sensitivity.norm, sensitivity.amount
    if have is norm:
        return amount
    if norm is Norm.L2 and (have is Norm.L1 or dimension == 1):
        return amount**2
    if norm is not Norm.L2 and have is Norm.L2 and (norm is Norm.LINF or dimension == 1):
        return root(amount)
    if norm is Norm.LINF or dimension == 1:
        return amount
    raise InvalidParameter(
        "sensitivity", f"must be in {norm.value} for {dimension} answers at once, got one in", have.value
    )


def root(square: Fraction) -> Fraction:
    """√ of a rational, exactly where it is rational, otherwise rounded up."""
    top, bottom = math.isqrt(square.numerator), math.isqrt(square.denominator)
    if top * top == square.numerator and bottom * bottom == square.denominator:
        return Fraction(top, bottom)
    return Fraction(sqrt_up(square))


@dataclass(frozen=True, slots=True)
class AnswerMove:
    """How far answers move between neighbours, in steps; in ℓ2 it is known by its square, which is rational."""

    norm: Norm
    _amount: Fraction

    @classmethod
    def l1(cls, distance: Fraction) -> "AnswerMove":
        """A move by an ℓ1 distance; of one answer, by its distance."""
        return cls(Norm.L1, distance)

    @classmethod
    def l2(cls, *, square: Fraction) -> "AnswerMove":
        """A move by an ℓ2 distance that is given as its square."""
        return cls(Norm.L2, square)

    @property
    def distance(self) -> Fraction:
        """The distance in ℓ1 or ℓ∞; a move in ℓ2 has a square only."""
        if self.norm is Norm.L2:
            raise TypeError("a move in ℓ2 is known by its square")
        return self._amount

    @property
    def square(self) -> Fraction:
        """The square of the distance in ℓ2."""
        if self.norm is not Norm.L2:
            raise TypeError(f"a move in {self.norm.value} is known by its distance")
        return self._amount


@dataclass(frozen=True, slots=True)
class Answers:
    """What a mechanism accepts: one answer or `dimension` of them, whole numbers or reals placed on `grid`."""

    grid: Real | None = None
    dimension: int | None = None

    def __post_init__(self) -> None:
        if self.grid is not None:
            object.__setattr__(self, "grid", positive("grid", self.grid))
        if self.dimension is not None:
            whole("dimension", self.dimension, least=1)

    @property
    def step(self) -> Fraction:
        """The distance between grid points; 1 for whole numbers."""
        return Fraction(1) if self.grid is None else positive("grid", self.grid)

    @property
    def count(self) -> int:
        """How many answers there are."""
        return 1 if self.dimension is None else self.dimension

    def move(self, sensitivity: Sensitivity, norm: Norm) -> AnswerMove:
        """How far the placed answers move, in steps."""
        return AnswerMove(norm, self._moved(sensitivity, norm))

    def _moved(self, sensitivity: Sensitivity, norm: Norm) -> Fraction:
        """The distance, and in ℓ2 its square."""
        amount = in_norm(sensitivity_of(sensitivity), norm, self.count)
        if self.grid is None and sensitivity.unit is not None and sensitivity.unit.denominator != 1:
            unit = sensitivity.unit
            raise InvalidParameter(
                "sensitivity",
                "must be that of whole-number answers where there is no grid; these are multiples of",
                nearest(unit),
                hint=f"declare grid=Fraction({unit.numerator}, {unit.denominator}), or ask the queries `in_units`",
            )
        if self.grid is None:
            if amount.denominator != 1:
                raise InvalidParameter(
                    "sensitivity", "must be whole for whole-number answers", sensitivity.value, hint="declare a grid"
                )
            return amount
        moving = min(self.count, sensitivity.coordinates or self.count)
        if norm is not Norm.L2:
            steps = Fraction(math.ceil(amount / self.step))
            return steps + moving - 1 if norm is Norm.L1 else steps
        square = amount / self.step**2
        if moving == 1:
            return Fraction(math.ceil(root(square))) ** 2
        return (root(square) + root(Fraction(moving))) ** 2

    def place(self, exact: Any) -> Draws:
        """The answers in steps: an int, or an array of integers."""
        return self.place_one(exact) if self.dimension is None else self.place_row(exact)

    def place_row(self, exact: Any) -> Integers:
        """Several answers in steps."""
        array = as_array("exact", exact)
        if array.shape != (self.dimension,):
            raise InvalidParameter("exact", f"must be {self.dimension} answers, got shape", array.shape)
        if self.grid is None:
            return _whole_numbers(array, exact)
        if array.dtype == np.object_:
            return objects(_near(nearest_step(value, self.step)) for value in array)
        steps = nearest_steps("exact", array, self.step)
        return objects(map(_near, steps)) if steps.dtype == np.object_ else steps

    def place_one(self, exact: object) -> int:
        """One answer in steps."""
        if isinstance(exact, list | tuple | np.ndarray):
            raise InvalidParameter(
                "exact", "must be one answer, found", type(exact), hint="say dimension=… to release several at once"
            )
        if self.grid is None:
            if isinstance(exact, bool | np.bool_ | np.timedelta64) or not isinstance(exact, int | np.integer):
                raise _not_whole(type(exact))
            return _near(int(exact))
        return _near(nearest_step(real("exact", exact), self.step))

    @overload
    def give(self, steps: int) -> int | float: ...
    @overload
    def give(self, steps: Integers) -> NDArray[Any]: ...
    def give(self, steps: Draws) -> Noisy:
        """Noisy steps as the caller's numbers: whole numbers as they are, multiples of a grid as floats."""
        if self.grid is None:
            return steps
        if isinstance(steps, int):
            return nearest(steps * self.step)
        p, q, scale = self.step.numerator, self.step.denominator, nearest(self.step)
        largest = 2**63 if steps.dtype == np.object_ else int(np.abs(steps).max())
        # One rounding of exact operands is the nearest float.
        if largest <= 2**53 and Fraction(scale) == self.step:
            return steps * scale
        if p * largest <= 2**53 and q <= 2**53:
            return steps * np.float64(p) / np.float64(q)
        return np.array([nearest(int(k) * self.step) for k in steps])

    def error_of(self, steps: int) -> float:
        """The largest distance between an answer and a released one that is `steps` from its place."""
        placing = 0 if self.grid is None else _HALF
        return nearest((steps + placing) * self.step)


def _not_whole(found: object) -> InvalidParameter:
    return InvalidParameter(
        "exact", "must be whole numbers, found", found, hint="declare a grid to release real numbers"
    )


def _near(step: int) -> int:
    """A place, or the end of the range that Sfumato computes in."""
    return max(-_FAR, min(_FAR, step))


def real(name: str, value: object) -> Fraction:
    """The rational that a piece of somebody's data is, of any size; decimals far out of range are cut to its end."""
    if isinstance(value, Fraction) or (isinstance(value, int) and not isinstance(value, bool)):
        return Fraction(value)
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) > _DECIMALS:
        end = Fraction(10**_DECIMALS if value.adjusted() > 0 else 0)
        return end if value > 0 else -end
    return cell(name, value)


def as_array(name: str, values: Any) -> NDArray[Any]:
    """Pieces of data as an array that holds each exactly: of a machine's type, or else Fractions of any size."""
    if type(values) is np.ndarray:
        wide = values.dtype == np.object_ and values.ndim == 1
    else:
        wide = isinstance(values, list | tuple) and any(map(_is_wide, values))
    return _fractions(name, values) if wide else exact_array(name, values)


def _is_wide(value: object) -> bool:
    """Whether a number is of a type that no machine's type holds, or a whole number beyond one."""
    return isinstance(value, Fraction | Decimal) or (isinstance(value, int) and not -(2**63) <= value < 2**63)


def _fractions(name: str, values: Iterable[Any]) -> NDArray[Any]:
    exact = [real(name, value) for value in values]
    out = np.empty(len(exact), dtype=np.object_)
    out[:] = exact
    return out


def people_values(name: str, values: Any, lower: Fraction) -> NDArray[Any]:
    """One value a person as an array; a NaN counts as the lower end and an infinity as the end of its sign.

    One person's value must not decide whether everybody's are answered.
    """
    if isinstance(values, list | tuple) and any(map(_is_wild, values)):
        values = [_tamed(value, lower) if _is_wild(value) else value for value in values]
    elif type(values) is np.ndarray and values.dtype.kind == "f" and not np.isfinite(values).all():
        largest = float(np.finfo(np.float64).max)
        values = np.nan_to_num(values.astype(np.float64), nan=nearest(lower), posinf=largest, neginf=-largest)
    return as_array(name, values)


def _is_wild(value: object) -> bool:
    if isinstance(value, Decimal):
        return not value.is_finite()
    return isinstance(value, float | np.floating) and not math.isfinite(value)


def _tamed(value: Any, lower: Fraction) -> Fraction:
    if value.is_nan() if isinstance(value, Decimal) else math.isnan(value):
        return lower
    return Fraction(_FAR if value > 0 else -_FAR)


def are_whole_numbers(values: Iterable[Any]) -> bool:
    """Whether all of a list or array are of a type of whole numbers: a matter of types and of no value."""
    if isinstance(values, np.ndarray) and values.dtype != np.object_:
        return values.dtype.kind in "iu"
    kinds = set(map(type, values))
    return all(issubclass(kind, int | np.integer) and not issubclass(kind, bool | np.timedelta64) for kind in kinds)


def _whole_numbers(array: NDArray[Any], given: Any) -> Integers:
    if array.dtype == np.object_:
        if not are_whole_numbers(given):
            raise _not_whole("others")
        return objects(_near(int(value)) for value in array)
    if array.dtype.kind not in "iu":
        raise _not_whole(array.dtype.name)
    return objects(int(value) for value in array) if array.dtype == np.uint64 else array.astype(np.int64, copy=False)


@overload
def add(steps: int, noise: Draws) -> int: ...
@overload
def add(steps: Integers, noise: Draws) -> Integers: ...
def add(steps: Draws, noise: Draws) -> Draws:
    """The sum of answers and noise in steps, never wrapped; an array of 64-bit integers where all sums fit."""
    if isinstance(steps, int):
        return steps + int(noise)
    assert not isinstance(noise, int)
    if np.object_ not in (steps.dtype, noise.dtype) and _is_small(steps) and _is_small(noise):
        return np.add(noise, steps, out=noise)
    sums = [int(a) + int(b) for a, b in zip(steps, noise, strict=True)]
    if all(-(2**63) <= total < 2**63 for total in sums):  # decided by what is released, not by what went in
        return np.array(sums, dtype=np.int64)
    return objects(sums)


def _is_small(array: Integers) -> bool:
    return bool(array.size) and int(array.min()) >= -_FITS and int(array.max()) < _FITS
