"""Coins by the row, eight to a byte: Bernoulli(p) for rational p with a few random bits a coin.

Each of the 64 lanes of a word compares a uniform real with p, bit by bit: one random word gives the next bit of all
lanes. After a few bits nearly every lane is decided; those that are not go on alone, exactly.
"""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.exact.bits import CHUNK, BitSource, leading, source
from sfumato.exact.coins import rational_coin
from sfumato.exact.parameters import Real, holdable, probability, whole

_ROUNDS = 12
_LANES = 64


def bernoulli_rows(p: Real, rows: int, columns: int, *, bits: BitSource | None = None) -> NDArray[np.uint8]:
    """`rows` rows of `columns` coins, each 1 with probability exactly p, eight to a byte with the first lowest.

    >>> bernoulli_rows(1, 2, 10).tolist()
    [[255, 3], [255, 3]]
    """
    chance, stream = probability("p", p), source(bits)
    height, across = whole("rows", rows), whole("columns", columns, least=1)
    holdable("rows", height * across)
    wide = -(-across // 8)
    words = -(-height * wide // 8)
    out = np.empty(words, dtype="<u8")
    for start in range(0, words, CHUNK):
        piece = out[start : start + CHUNK]
        _fill(piece, chance, stream)
    table = out.view(np.uint8)[: height * wide].reshape(height, wide)
    if across % 8:
        table[:, -1] &= (1 << across % 8) - 1
    return table


def _fill(out: NDArray[Any], p: Fraction, stream: BitSource) -> None:
    """Lanes are heads where their uniform real is below p: at the first bit that differs, p has the one."""
    out[:] = 0
    if p == 1:
        out[:] = np.uint64(2**64 - 1)
        return
    undecided, rest = None, p
    for _ in range(_ROUNDS):
        if not rest:
            return  # equal so far and p has no more ones: not below
        bit, rest = divmod(2 * rest, 1)
        drawn = leading(stream, _LANES, len(out))
        if bit:
            heads = ~drawn if undecided is None else undecided & ~drawn
            out |= heads
            undecided = drawn if undecided is None else undecided & drawn
        else:
            np.invert(drawn, out=drawn)
            undecided = drawn if undecided is None else undecided & drawn
    if undecided is not None and rest:
        _settle(out, undecided, rest, stream)


def _settle(out: NDArray[Any], undecided: NDArray[Any], rest: Fraction, stream: BitSource) -> None:
    """The lanes still level with p compare the remaining bits, each by itself."""
    where = np.flatnonzero(undecided)
    flags = np.unpackbits(undecided[where].view(np.uint8))
    lanes = np.flatnonzero(flags)
    flags[lanes] = rational_coin(rest, stream.word_bits).many(stream, len(lanes))
    out[where] |= np.packbits(flags).view(np.uint64)
