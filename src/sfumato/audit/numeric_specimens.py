"""Numeric paths that leak beside their noise, and the same done right: controls for the leak tests."""

import math
import os
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core import Sensitivity
from sfumato.core.domain import Grid
from sfumato.exact import integers
from sfumato.mechanisms import Geometric, Laplace

_UNIFORM = 2**53


def naive_laplace(epsilon: float) -> Callable[..., Any]:
    """Textbook float noise: the logarithm of a uniform float, added to the answer (Mironov 2012)."""

    def release(answer: float, size: int) -> NDArray[np.float64]:
        u = (integers(_UNIFORM, size) + 0.5) / _UNIFORM
        sign = np.where(integers(2, size) == 1, 1.0, -1.0)
        return answer + sign * -np.log(u) / epsilon

    return release


def noise_off_the_lattice(mechanism: Geometric) -> Callable[[float], float]:
    """Whole-numbered noise on an answer that was never placed on the whole numbers."""
    return lambda answer: answer + mechanism.release(0)


def on_a_grid(epsilon: Fraction, sensitivity: Sensitivity) -> Laplace:
    """The same noise as it should be: the answer placed on a grid, the noise drawn on it exactly."""
    return Laplace(epsilon=epsilon, sensitivity=sensitivity, grid=Fraction(1, 1024))


def float_sum(rows: Sequence[float]) -> float:
    """A sum that rounds at every step."""
    total = 0.0
    for row in rows:
        total += row
    return total


def wrapping_sum(rows: Sequence[int]) -> int:
    """A sum that wraps around at 32 bits."""
    return (sum(int(row) for row in rows) + 2**31) % 2**32 - 2**31


def fixed_point_sum(lower: int, upper: int, step: Fraction) -> Callable[[Sequence[float]], Fraction]:
    """A sum of rows placed on a grid: whole numbers, in any order, exactly."""
    grid = Grid(lower, upper, step)

    def aggregate(rows: Sequence[float]) -> Fraction:
        return sum((int(place) for place in grid.places(rows)), 0) * step if len(rows) else Fraction(0)

    return aggregate


class ClonedStream:
    """A generator that a fork copies: every child goes on with the same numbers."""

    def __init__(self) -> None:
        self._state = int.from_bytes(os.urandom(8))

    def release(self, answer: float) -> float:
        """The answer with noise from a congruential generator that knows nothing of processes."""
        self._state = (6364136223846793005 * self._state + 1442695040888963407) % 2**64
        return answer - math.log((self._state + 1) / 2**64)
