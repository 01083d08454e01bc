"""Bit sources for tests: repeatable, of any word size, and broken on purpose."""

import numpy as np
from numpy.typing import NDArray

from sfumato.exact.bits import BitSource, system_bits

DRAWN = 64


def read_words(bits: BitSource) -> list[int]:
    """Words from both buffers: one at a time and by the array."""
    return [bits.word() for _ in range(DRAWN)] + [int(word) for word in bits.words(DRAWN)]


def own_words(_: int) -> list[int]:
    """What a worker process draws; here, so that a spawned worker can import it."""
    return read_words(system_bits())


class SeededBits:
    """Repeatable words of any size; never part of the product."""

    def __init__(self, seed: int, word_bits: int = 64) -> None:
        self.word_bits = word_bits
        self._generator = np.random.Generator(np.random.PCG64(seed))

    def word(self) -> int:
        return int(self.words(1)[0])

    def pair(self) -> tuple[float, int]:
        word = self.word()
        return word + 0.5, word

    def words(self, n: int) -> NDArray[np.uint64]:
        raw = self._generator.integers(0, 2**64, size=n, dtype=np.uint64)
        return raw >> np.uint64(64 - self.word_bits)


class ConstantBits:
    """A source that says one word for ever."""

    def __init__(self, value: int, word_bits: int = 64) -> None:
        self.word_bits = word_bits
        self._value = value

    def word(self) -> int:
        return self._value

    def pair(self) -> tuple[float, int]:
        return self._value + 0.5, self._value

    def words(self, n: int) -> NDArray[np.uint64]:
        return np.full(n, self._value, dtype=np.uint64)


class EdgeBits(SeededBits):
    """One chosen word first, wherever a draw begins, then honest ones: puts draws on edges and boundaries."""

    def __init__(self, value: int, word_bits: int = 64, *, times: int = 3) -> None:
        super().__init__(value % 2**32, word_bits)
        self._edge, self._times = value, times

    def words(self, n: int) -> NDArray[np.uint64]:
        words = super().words(n)
        edges = min(n, self._times)
        words[:edges] = self._edge
        self._times -= edges
        return words
