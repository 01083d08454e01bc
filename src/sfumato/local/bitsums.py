"""How often each bit is set over many rows of packed bits, by carry-save addition of whole rows at a time."""

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Counts = NDArray[np.int64]

_BLOCK = 1 << 19  # bytes of rows taken together: they and their planes stay in the second-level cache
_FEW = 48  # rows that are unpacked rather than added once more


def column_sums(rows: Bytes, columns: int) -> Counts:
    """The number of rows in which each of `columns` bits is set; the first bit of a byte is the lowest.

    >>> column_sums(np.array([[1], [3], [3]], dtype=np.uint8), 3).tolist()
    [3, 2, 0]
    """
    wide = rows.shape[1]
    total = np.zeros(8 * wide, dtype=np.int64)
    step = max(64, _BLOCK // wide)
    for start in range(0, len(rows), step):
        total += _block_sums(np.ascontiguousarray(rows[start : start + step]))
    return total[:columns]


def _block_sums(rows: Bytes) -> Counts:
    """Three rows of one weight become a row of that weight and a row of twice it: a full adder on every bit."""
    total = np.zeros(8 * rows.shape[1], dtype=np.int64)
    weight = 1
    level = [rows]
    while level:
        stack = level[0] if len(level) == 1 else np.concatenate(level)
        level = []
        while len(stack) > _FEW:
            third = len(stack) // 3
            a, b, c = stack[:third], stack[third : 2 * third], stack[2 * third : 3 * third]
            half = a ^ b
            carry = half & c
            carry |= a & b
            level.append(carry)
            half ^= c
            rest = stack[3 * third :]
            stack = np.concatenate([half, rest]) if len(rest) else half
        bits = np.unpackbits(stack, axis=1, bitorder="little")
        total += weight * bits.sum(axis=0, dtype=np.int64)
        weight *= 2
    return total
