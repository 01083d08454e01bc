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
    """Answers leave at multiples of `every` seconds after they were asked for, or at once where it is zero."""

    every: float
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def paced(self, ask: Callable[[], R]) -> Paced[R]:
        """What asking ends in, and when it may leave."""
        started = self.clock()
        try:
            answer = ask()
        except BaseException as error:
            return Paced(self._after(started), error=error)
        return Paced(self._after(started), answer)

    def _after(self, started: float) -> float:
        now = self.clock()
        return now + self.every - (now - started) % self.every if self.every > 0 else now

    def waited(self, paced: Paced[R]) -> R:
        """The answer or the error, at its time; the thread that calls waits."""
        left = paced.not_before - self.clock()
        if self.every > 0 and left > 0:
            self.sleep(left)
        return paced.given()

    async def waited_async(self, paced: Paced[R]) -> R:
        """The answer or the error, at its time; the loop that runs it does other things until then."""
        import asyncio

        left = paced.not_before - self.clock()
        if self.every > 0 and left > 0:
            await asyncio.sleep(left)
        return paced.given()
