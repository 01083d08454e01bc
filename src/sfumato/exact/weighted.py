"""Draws in proportion to whole weights."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact.bits import CHUNK, BitSource, source
from sfumato.exact.parameters import whole


def weighted(weights: Sequence[int], size: int, *, bits: BitSource | None = None) -> NDArray[np.int64]:
    """`size` indices, each drawn with probability exactly its weight over the sum; weights are whole, of any length.

    >>> weighted([0, 7, 0], 3).tolist()
    [1, 1, 1]
    """
    masses = [whole("weights", weight) for weight in weights]
    sums = list(accumulate(masses))
    if not sums or sums[-1] == 0:
        raise InvalidParameter("weights", "must have a positive sum", 0)
    stream, n = source(bits), whole("size", size)
    words = [(s << stream.word_bits) // sums[-1] for s in sums]  # where each weight's share ends, to a word
    ends = np.array([min(w, 2**64 - 1) for w in words], dtype=np.uint64)
    out = np.empty(n, dtype=np.int64)
    for start in range(0, n, CHUNK):
        drawn = stream.words(min(CHUNK, n - start))
        piece = out[start : start + len(drawn)]
        piece[:] = np.searchsorted(ends, drawn, side="right")
        for index in np.flatnonzero(np.isin(drawn, ends)):
            piece[index] = _settled(int(drawn[index]), sums, stream)
    return out


def _settled(word: int, sums: list[int], stream: BitSource) -> int:
    """A uniform real whose leading word is on a boundary, extended until it falls into one share."""
    value, count = word, stream.word_bits
    while True:
        low = bisect_right(sums, (value * sums[-1]) >> count)
        if low == bisect_right(sums, ((value + 1) * sums[-1] - 1) >> count):
            return low
        value, count = value << stream.word_bits | stream.word(), count + stream.word_bits
