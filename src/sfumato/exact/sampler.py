"""What every sampler is: prepared once for its parameters, then drawn from one at a time or by the array."""

import math
from collections.abc import Callable, Iterable
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import BrokenRandomness
from sfumato.exact.bits import CHUNK, BitSource
from sfumato.exact.parameters import Shape, Size, shape

Integers = NDArray[Any]
"""Draws: 64-bit integers, or Python integers where 64 bits could not hold them."""
Draws = int | Integers
"""One draw, or an array of them."""


class Sampler(Protocol):
    """A distribution over the integers, ready to be drawn from."""

    def one(self, bits: BitSource) -> int:
        """One draw."""
        ...

    def many(self, bits: BitSource, n: int) -> Integers:
        """An array of n independent draws."""
        ...


@overload
def draw(sampler: Sampler, size: None, bits: BitSource) -> int: ...
@overload
def draw(sampler: Sampler, size: Shape, bits: BitSource) -> Integers: ...
def draw(sampler: Sampler, size: Size, bits: BitSource) -> Draws:
    """One Python int if size is None, else an array of that shape."""
    if size is None:
        return sampler.one(bits)
    dimensions = shape(size)
    return sampler.many(bits, math.prod(dimensions)).reshape(dimensions)


def in_chunks(bits: BitSource, n: int, chunk: Callable[[BitSource, int], NDArray[Any]]) -> NDArray[np.int64]:
    """n draws, made a cache-sized chunk at a time."""
    out = np.empty(n, dtype=np.int64)
    filled = 0
    while filled < n:
        part = chunk(bits, min(n - filled, CHUNK))  # rejection may return fewer than were asked for
        out[filled : filled + len(part)] = part
        filled += len(part)
    return out


def objects(draws: Iterable[int]) -> NDArray[np.object_]:
    """Python integers of any length as an array."""
    values = list(draws)
    out = np.empty(len(values), dtype=np.object_)
    out[:] = values
    return out


def put(out: NDArray[np.int64], index: int, value: int) -> None:
    """Store a draw settled in slow arithmetic; what cannot fit is never wrapped."""
    if not -(2**63) < value < 2**63:
        raise BrokenRandomness("a draw beyond 64 bits at this scale has a probability below 2**-2900")
    out[index] = value
