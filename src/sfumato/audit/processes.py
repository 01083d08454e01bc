"""Leaks beside the numbers: a noise stream that a fork clones, and time that follows the data."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.audit.pairs import Pair
from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import whole

Release = Callable[[Any], Any]
_SURE = 1e-9
_FORK_DRAWS = 64


@dataclass(frozen=True, slots=True)
class ForkFinding:
    """Whether two forked children said the same; `chance` is how likely that is with streams of their own."""

    same: bool
    chance: float

    @property
    def convicted(self) -> bool:
        """Whether the children share a stream, beyond doubt."""
        return self.same and self.chance < _SURE

    def __str__(self) -> str:
        if self.chance >= _SURE:
            return "the outputs vary too little to tell streams apart"
        return "two forked children drew THE SAME noise" if self.same else "forked children draw noise of their own"


def fork_test(release: Release, data: Any, *, draws: int = _FORK_DRAWS) -> ForkFinding:
    """Fork twice after the generator has been used, and compare what the children draw."""
    n = whole("draws", draws, least=1)
    if not hasattr(os, "fork"):
        raise InvalidParameter("fork_test", "needs a system that can fork, not", os.name)
    seen = [repr(release(data)) for _ in range(max(n, 256))]
    children = [_child(release, data, n) for _ in range(2)]
    counts = np.unique(np.array(seen), return_counts=True)[1] / len(seen)
    alike = float((counts**2).sum())  # the chance that two outputs are equal
    return ForkFinding(children[0] == children[1], min(1.0, alike**n))


def _child(release: Release, data: Any, n: int) -> bytes:
    """What a forked child draws, as text."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, "\n".join(repr(release(data)) for _ in range(n)).encode()[:60_000])
        finally:
            os._exit(0)  # no cleanup that belongs to the parent
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


@dataclass(frozen=True, slots=True)
class TimingFinding:
    """How well time tells two inputs apart: the chance that a call on one takes longer, ½ if time tells nothing."""

    longer: float
    standard_error: float
    draws: int

    @property
    def convicted(self) -> bool:
        """Whether time tells the inputs apart by more than one in twenty, at six standard errors."""
        return abs(self.longer - 0.5) > max(0.05, 6 * self.standard_error)

    def __str__(self) -> str:
        return (
            f"a call on one input takes longer with probability {self.longer:.3f} ± {2 * self.standard_error:.3f}"
            f" ({self.draws:,} calls each)"
        )


def timing_test(
    release: Release, pair: Pair, *, draws: int = 4000, clock: Callable[[], int] = time.perf_counter_ns
) -> TimingFinding:
    """A rank test of the time of calls on two inputs, taken in turns so that a busy machine hits both alike."""
    n = whole("draws", draws, least=20)
    times: tuple[list[int], list[int]] = ([], [])
    inputs = list(zip((pair.left, pair.right), times, strict=True))
    for turn in range(n):
        for data, taken in inputs if turn % 2 else inputs[::-1]:  # whoever comes second finds caches warm
            start = clock()
            release(data)
            taken.append(clock() - start)
    longer = _longer(times[0], times[1])
    return TimingFinding(longer, ((2 * n + 1) / (12 * n * n)) ** 0.5, n)


def _longer(one: Sequence[int], other: Sequence[int]) -> float:
    """Mann and Whitney's statistic: the share of pairs in which the second is larger, ties by halves."""
    ordered: NDArray[np.int64] = np.sort(np.array(one))
    below = np.searchsorted(ordered, other, side="left")
    upto = np.searchsorted(ordered, other, side="right")
    return float((below + upto).sum() / (2 * len(one) * len(other)))
