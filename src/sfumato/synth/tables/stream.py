"""Uniform numbers for building rows from what was released: no privacy stands on them, so that they may be repeated.

The numbers follow from a digest of the measurements: a build that was interrupted and is
done again takes the same numbers, and where floats are the same, makes the same rows.
"""

import numpy as np
from numpy.typing import NDArray

from sfumato.exact.keystream import Keystream


class RowStream:
    """Repeatable uniform numbers from a digest; never a source of noise.

    >>> first, again, other = (RowStream(name).below(10**9) for name in (b"a", b"a", b"b"))
    >>> first == again, first == other
    (True, False)
    """

    def __init__(self, digest: bytes) -> None:
        self._bytes = Keystream(digest).read

    def uniforms(self, n: int) -> NDArray[np.float32]:
        """n numbers in [0, 1), of 24 bits each."""
        words = self._bytes(4 * n).view(np.uint32) >> np.uint32(8)
        return np.asarray(words * np.float32(2.0**-24), dtype=np.float32)

    def fine_uniforms(self, n: int) -> NDArray[np.float64]:
        """n numbers in [0, 1), of 53 bits each."""
        words = self._bytes(8 * n).view(np.uint64) >> np.uint64(11)
        return np.asarray(words * 2.0**-53, dtype=np.float64)

    def below(self, most: int) -> int:
        """A whole number below another."""
        return min(most - 1, int(self.fine_uniforms(1)[0] * most))

    def order(self, n: int) -> NDArray[np.int64]:
        """The numbers below n in any order."""
        return np.asarray(np.argsort(self._bytes(8 * n).view(np.uint64), kind="stable"), dtype=np.int64)
