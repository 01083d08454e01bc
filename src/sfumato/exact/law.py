"""The exact output law of a sampler, by enumerating what its bit source could have said.

A sampler run on the words w1, w2, … is a deterministic tree: each word has 2**word_bits equally likely
values. Branches that end give their outcome an exact rational probability; what was not followed to its end
is reported as `unexplored`, so every probability is known to within that much and no sampling error exists.
"""

from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.exact.bits import BitSource
from sfumato.exact.parameters import whole

Outcome = TypeVar("Outcome", bound=Hashable)


class _NeedWord(Exception):
    """The sampler asked for a word beyond the branch it was given."""


class ScriptedBits:
    """A bit source that says the given words and then stops the sampler."""

    def __init__(self, script: tuple[int, ...], word_bits: int) -> None:
        self._script = script
        self._next = 0
        self.word_bits = word_bits

    def word(self) -> int:
        """The next word of the script."""
        if self._next == len(self._script):
            raise _NeedWord
        self._next += 1
        return self._script[self._next - 1]

    def pair(self) -> tuple[float, int]:
        """The next word as a float, plus a half, and as an integer."""
        word = self.word()
        return word + 0.5, word

    def words(self, n: int) -> NDArray[np.uint64]:
        """The next n words of the script."""
        return np.array([self.word() for _ in range(n)], dtype=np.uint64)


@dataclass(frozen=True, slots=True)
class Law(Generic[Outcome]):
    """Probabilities of outcomes; the true one lies between `at(x)` and `at(x) + unexplored`."""

    probabilities: dict[Outcome, Fraction]
    unexplored: Fraction

    def at(self, outcome: Outcome) -> Fraction:
        """The probability found for an outcome."""
        return self.probabilities.get(outcome, Fraction(0))

    def agrees(self, outcome: Outcome, low: Fraction, high: Fraction) -> bool:
        """Whether a true probability in [low, high] is possible for the outcome."""
        return self.at(outcome) <= high and low <= self.at(outcome) + self.unexplored


def output_law(
    sampler: Callable[[BitSource], Outcome],
    *,
    word_bits: int,
    runs: int,
    unexplored: Fraction = Fraction(1, 2**40),
) -> Law[Outcome]:
    """The law of `sampler(bits)`, followed branch by branch, likeliest first.

    It is the distribution that a randomised algorithm maps its input to (Survey Definition 3.3).

    Ends when no more than `unexplored` is open, or after `runs` runs.

    >>> from sfumato.exact import bernoulli
    >>> output_law(lambda bits: bernoulli(0.25, bits=bits), word_bits=4, runs=100).probabilities[True]
    Fraction(1, 4)
    """
    whole("runs", runs)
    if whole("word_bits", word_bits) not in range(1, 17):
        raise InvalidParameter("word_bits", "must be between 1 and 16 to enumerate words", word_bits)
    found: dict[Outcome, Fraction] = {}
    left = Fraction(1)
    branches: deque[tuple[int, ...]] = deque([()])  # breadth first, so the shortest, likeliest first
    for _ in range(runs):
        if left <= unexplored:
            break
        script = branches.popleft()
        try:
            outcome = sampler(ScriptedBits(script, word_bits))
        except _NeedWord:
            branches.extend((*script, word) for word in range(2**word_bits))
            continue
        mass = Fraction(1, 2 ** (word_bits * len(script)))
        found[outcome] = found.get(outcome, Fraction(0)) + mass
        left -= mass
    return Law(found, left)
