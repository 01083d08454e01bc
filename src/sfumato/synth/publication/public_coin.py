"""Coins that anybody can toss again: a stream of bits that follows from what is published.

For the order of rows and the like, which is made of released numbers and must come out the same each time. Noise never
comes from here: it would be no secret.
"""

import hashlib

import numpy as np
from numpy.typing import NDArray


class PublicCoin:
    """Words that follow from a name, as SHAKE-256 gives them."""

    word_bits = 64

    def __init__(self, name: str) -> None:
        self._name, self._asked = name.encode(), 0

    def words(self, n: int) -> NDArray[np.uint64]:
        """The next words."""
        self._asked += 1
        stream = hashlib.shake_256(b"sfumato/public-coin\0" + self._name + b"\0" + str(self._asked).encode())
        return np.frombuffer(bytearray(stream.digest(8 * n)), dtype="<u8").astype(np.uint64)

    def word(self) -> int:
        """The next word."""
        return int(self.words(1)[0])

    def pair(self) -> tuple[float, int]:
        """The next word as a float, plus a half, and as an integer."""
        word = self.word()
        return float(word) + 0.5, word
