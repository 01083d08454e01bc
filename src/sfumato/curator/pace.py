"""When an answer may leave: a time that is told, and waited for at the edge, so that how long it took tells little."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Paced(Generic[R]):
    """What a question ended in, and the moment of the clock before which nobody may be told: errors wait as well."""

    not_before: float
    answer: R | None = None
    error: BaseException | None = None

    def given(self) -> R:
        """The answer, or its error raised; to be called at the time and not before."""
        if self.error is not None:
            raise self.error
        return self.answer  # type: ignore[return-value]

    def __repr__(self) -> str:
        return f"<paced: not before {self.not_before:.3f}>"


@dataclass(frozen=True, slots=True)
class Pace:
    """Answers leave at multiples of `every` seconds of the common clock, or at once where it is zero.

    One grid for everybody: were it counted from when each was asked for, equal questions that begin a little later each
    would leave at times that tell when the one that was charged had ended.
    """

    every: float
    clock: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep

    def paced(self, ask: Callable[[], R]) -> Paced[R]:
        """What asking ends in, and when it may leave."""
        try:
            answer = ask()
        except BaseException as error:
            return Paced(self.next(self.clock()), error=error)
        return Paced(self.next(self.clock()), answer)

    def next(self, moment: float) -> float:
        """The first time after a moment at which something may leave."""
        return moment + self.every - moment % self.every if self.every > 0 else moment

    def no_finer(self, nanoseconds: int) -> int:
        """A time of the ledger, rounded up to one at which something may leave; as it is where nothing is paced."""
        every = round(self.every * 10**9)
        return -(-nanoseconds // every) * every if every > 0 else nanoseconds

    def has_left(self, nanoseconds: int) -> bool:
        """Whether what was written down at a time of the ledger may be known by now."""
        return self.every <= 0 or self.no_finer(nanoseconds) <= self.clock() * 10**9

    def waited(self, paced: Paced[R]) -> R:
        """The answer or the error, at its time; the thread that calls waits."""
        left = min(paced.not_before - self.clock(), self.every)  # whoever sets the clock back makes nobody wait long
        if self.every > 0 and left > 0:
            self.sleep(left)
        return paced.given()

    async def waited_async(self, paced: Paced[R]) -> R:
        """The answer or the error, at its time; the loop that runs it does other things until then."""
        import asyncio

        left = min(paced.not_before - self.clock(), self.every)
        if self.every > 0 and left > 0:
            await asyncio.sleep(left)
        return paced.given()
