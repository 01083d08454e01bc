"""Uniform integers, permutations and choices without replacement."""

import math
from typing import overload

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact.bits import BitSource, leading, leading_one, source
from sfumato.exact.parameters import Shape, Size, holdable, whole
from sfumato.exact.sampler import Draws, Integers, draw, in_chunks, objects

_KEY_BITS = 64


class UniformBelow:
    """Uniform on {0, …, n-1}: as many bits as n-1 has, drawn again while they are n or more."""

    __slots__ = ("_count", "_n")

    def __init__(self, n: int) -> None:
        self._n = n
        self._count = (n - 1).bit_length()

    def one(self, bits: BitSource) -> int:
        """One draw."""
        while True:
            value = leading_one(bits, self._count)
            if value < self._n:
                return value

    def many(self, bits: BitSource, n: int) -> Integers:
        """n draws."""
        if self._n > 2**63:
            return objects(self.one(bits) for _ in range(n))
        return in_chunks(bits, n, self._chunk)

    def _chunk(self, bits: BitSource, n: int) -> NDArray[np.uint64]:
        values = leading(bits, self._count, n)
        return values if self._n == 1 << self._count else values[values < np.uint64(self._n)]


@overload
def integers(n: int, size: None = None, *, bits: BitSource | None = None) -> int: ...
@overload
def integers(n: int, size: Shape, *, bits: BitSource | None = None) -> Integers: ...
def integers(n: int, size: Size = None, *, bits: BitSource | None = None) -> Draws:
    """Uniform integers in {0, …, n-1}; int64, or Python ints where n is above 2**63.

    >>> integers(1)
    0
    """
    return draw(UniformBelow(whole("n", n, least=1)), size, source(bits))


def _in_random_order(n: int, bits: BitSource) -> NDArray[np.int64]:
    """The order of n random keys, all drawn again in the rare case that two are equal.

    Given that the keys differ, every order is equally likely by symmetry.
    """
    count = min(_KEY_BITS, bits.word_bits * max(1, math.ceil(2 * n.bit_length() / bits.word_bits)))
    if bits.word_bits == _KEY_BITS or n.bit_length() > 28:
        count = _KEY_BITS
    while True:
        keys = leading(bits, count, n)
        order = np.argsort(keys)
        ranked = keys[order]
        if not (ranked[1:] == ranked[:-1]).any():
            return order


def permutation(n: int, *, bits: BitSource | None = None) -> NDArray[np.int64]:
    """The integers 0 … n-1 in an order drawn uniformly among all n! orders.

    >>> sorted(permutation(4).tolist())
    [0, 1, 2, 3]
    """
    total = whole("n", n)
    holdable("n", total)
    return _in_random_order(total, source(bits))


def choice(n: int, k: int, *, bits: BitSource | None = None) -> NDArray[np.int64]:
    """k different integers of 0 … n-1 in random order, every ordered choice equally likely.

    >>> sorted(choice(3, 3).tolist())
    [0, 1, 2]
    """
    total, wanted, stream = whole("n", n), whole("k", k), source(bits)
    if wanted > total:
        raise InvalidParameter("k", f"must be at most n = {total}", wanted)
    if total > 2**63:
        raise InvalidParameter("n", "must be at most 2**63", total)
    holdable("k", wanted)
    if 4 * wanted > total:
        return _in_random_order(total, stream)[:wanted]
    sampler = UniformBelow(total) if total else None
    chosen = np.zeros(0, dtype=np.int64)
    while sampler is not None and len(chosen) < wanted:
        # Taking draws in order and passing over repeats is sampling without replacement.
        drawn = np.concatenate([chosen, sampler.many(stream, wanted - len(chosen))])
        chosen = drawn[np.sort(np.unique(drawn, return_index=True)[1])]
    return chosen
