"""The only source of randomness: AES-256 in counter mode, keyed by the operating system.

Each thread owns a generator. A forked child gets a new key: the fork hook raises the epoch that every
generator is checked against, and the process id catches a fork made behind Python's back. Words are taken in
single C calls (`list.pop`, `update_into`), so a signal handler that draws in the middle of a draw cannot
receive the same words. A generator that threads do share is guarded by a lock that comes and goes with its
key: re-entrant for signal handlers, and new in a forked child, where the old one might be held for ever.
"""

import os
import threading
from typing import NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

WORD_BITS = 64
CHUNK = 8192
"""Words per pass: the temporaries of a pass (64 KiB each) stay in the second-level cache."""

_POOL = 512
_REKEY_AFTER = 1 << 27  # words; bounds what a stolen key reveals, far inside AES-CTR's own limit
_ZEROS = bytes(8 * CHUNK)
_SLACK = 2  # words; `update_into` asks for room for one more block


class BitSource(Protocol):
    """Where samplers take their randomness: independent uniform words below 2**word_bits."""

    @property
    def word_bits(self) -> int:
        """Bits in a word, between 1 and 64."""
        ...

    def word(self) -> int:
        """One word as a Python integer."""
        ...

    def pair(self) -> tuple[float, int]:
        """One word as a float, plus a half, and as an integer.

        Arithmetic on Python integers takes longer the longer they are; on floats it does not. A sampler that
        computes with the float alone takes the same time for every word.
        """
        ...

    def words(self, n: int) -> NDArray[np.uint64]:
        """An array of n words that the caller may overwrite."""
        ...


class SystemBits:
    """A buffered AES-256-CTR stream with a key of its own; cannot be copied, pickled or seeded."""

    __slots__ = ("_drawn", "_epoch", "_pid", "_pool", "_stream")

    word_bits = WORD_BITS

    def __init__(self) -> None:
        self._rekey()

    def __repr__(self) -> str:
        return "<SystemBits: AES-256-CTR>"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("SystemBits cannot be copied or pickled: two copies would draw the same noise")

    def word(self) -> int:
        """One 64-bit word."""
        return self.pair()[1]

    def pair(self) -> tuple[float, int]:
        """One 64-bit word as a float, plus a half, and as an integer."""
        if self._pid != os.getpid() or self._epoch != _epoch[0]:
            self._rekey()
        try:
            return self._pool.pop()
        except IndexError:
            words = self.words(_POOL)
            fresh = list(zip((words.astype(np.float64) + 0.5).tolist(), words.tolist(), strict=True))
            pair = fresh.pop()
            self._pool.extend(fresh)
            return pair

    def words(self, n: int) -> NDArray[np.uint64]:
        """An array of n 64-bit words."""
        if self._stale():
            self._rekey()
        out = np.empty(n + _SLACK, dtype=np.uint64)
        view = out.data.cast("B")
        for start in range(0, 8 * n, 8 * CHUNK):
            if self._drawn > _REKEY_AFTER:
                self._rekey()
            lock, encryptor = self._stream
            length = min(8 * n - start, 8 * CHUNK)
            with lock:
                encryptor.update_into(memoryview(_ZEROS)[:length], view[start:])
            self._drawn += length // 8
        if self._stale():  # forked while drawing, in a signal handler: the other process holds these words too
            return self.words(n)
        return out[:n]

    def _stale(self) -> bool:
        return self._pid != os.getpid() or self._epoch != _epoch[0]

    def _rekey(self) -> None:
        """Forget the stream and start another from the operating system's entropy."""
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        self._pool: list[tuple[float, int]] = []
        self._drawn = 0
        cipher = Cipher(algorithms.AES(os.urandom(32)), modes.CTR(os.urandom(16)))
        self._stream = threading.RLock(), cipher.encryptor()
        # Set last: an interrupted re-keying leaves the generator marked stale, never half fresh.
        self._pid, self._epoch = os.getpid(), _epoch[0]


_epoch = [0]


class _Own(threading.local):
    bits: SystemBits


_own = _Own()


def _forked() -> None:
    _epoch[0] += 1


if hasattr(os, "register_at_fork"):  # pragma: no branch - absent only where fork is
    os.register_at_fork(after_in_child=lambda: _forked())  # noqa: PLW0108 - looked up late


def system_bits() -> BitSource:
    """This thread's generator."""
    try:
        return _own.bits
    except AttributeError:
        _own.bits = SystemBits()
        return _own.bits


def source(bits: BitSource | None) -> BitSource:
    """The injected source, or this thread's generator."""
    return system_bits() if bits is None else bits


def leading(bits: BitSource, count: int, n: int) -> NDArray[np.uint64]:
    """n integers of `count` uniform bits each, 0 ≤ count ≤ 64, from as few words as hold them."""
    if count == 0:
        return np.zeros(n, dtype=np.uint64)
    per = -(-count // bits.word_bits)
    words = bits.words(n * per).reshape(n, per)
    total = words[:, 0].copy() if per > 1 else words[:, 0]
    for column in range(1, per - 1):
        total <<= np.uint64(bits.word_bits)
        total |= words[:, column]
    last = count - (per - 1) * bits.word_bits
    if per > 1:
        total <<= np.uint64(last)
        total |= words[:, per - 1] >> np.uint64(bits.word_bits - last)
        return total
    return total >> np.uint64(bits.word_bits - last)


def leading_one(bits: BitSource, count: int) -> int:
    """One integer of `count` uniform bits, of any length."""
    value, have = 0, 0
    while have < count:
        value = (value << bits.word_bits) | bits.word()
        have += bits.word_bits
    return value >> (have - count)
