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
    wide = rows.shape[1]
    total = np.zeros(8 * wide, dtype=np.int64)
    spare, kept = (np.empty((len(rows) // 3 + 2, wide), dtype=np.uint8) for _ in range(2))
    stack, weight = rows, 1
    while len(stack):
        carries, used = np.empty((len(stack) // 2 + 1, wide), dtype=np.uint8), 0
        while len(stack) > _FEW:
            third = len(stack) // 3
            a, b, c, rest = stack[:third], stack[third : 2 * third], stack[2 * third : 3 * third], stack[3 * third :]
            both = np.bitwise_and(a, b, out=spare[:third])
            half = np.bitwise_xor(a, b, out=kept[:third])  # the first time beside the caller's rows, then in place
            carry = np.bitwise_and(half, c, out=carries[used : used + third])
            carry |= both
            half ^= c
            kept[third : third + len(rest)] = rest
            stack, used = kept[: third + len(rest)], used + third
        bits = np.unpackbits(stack, axis=1, bitorder="little")
        total += weight * bits.sum(axis=0, dtype=np.uint8).astype(np.int64)  # few rows: no sum is above 255
        stack, kept, weight = carries[:used], carries, 2 * weight
    return total
