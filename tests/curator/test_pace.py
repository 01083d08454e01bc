"""Pace is a time that is told: threads and event loops overlap, and answers and errors leave at even times."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

import clinic
import sfumato
from sfumato.curator import Session
from sfumato.curator.curator import AT_ONCE
from sfumato.curator.pace import Pace, Paced
from sfumato.engines import DuckDBEngine
from sfumato.errors import BudgetExceeded, EngineFailed, InvalidParameter, InvalidQuestion

COUNT = "SELECT COUNT(*) FROM visits WHERE day < {}"
EVERY = 0.5


@pytest.fixture
def session(clean: Path, tmp_path: Path) -> Any:
    about = clinic.declare(clean, epsilon="100", more=f"\n[defaults]\nanswer_every = {EVERY}\nthreads = 1\n")
    with sfumato.open(about, ledger=tmp_path / "ledger") as made:
        yield made


class Watched(Pace):
    """A pace that remembers when each may leave and when it did."""

    seen: ClassVar[list[tuple[float, float]]] = []

    def waited(self, paced: Paced[Any]) -> Any:
        try:
            return super().waited(paced)
        finally:
            self.seen.append((paced.not_before, self.clock()))

    async def waited_async(self, paced: Paced[Any]) -> Any:
        try:
            return await super().waited_async(paced)
        finally:
            self.seen.append((paced.not_before, self.clock()))


def watched(session: Session, **more: Any) -> list[tuple[float, float]]:
    """The session's pace, watched from now on."""
    session.pace = Watched(session.pace.every, **more)
    Watched.seen.clear()
    return Watched.seen


def at_even_times(seen: list[tuple[float, float]]) -> bool:
    """Whether nothing left before its time, and every time is a multiple of the interval."""
    return bool(seen) and all(
        abs(time / EVERY - round(time / EVERY)) < 1e-3 and left > time - 1e-3 for time, left in seen
    )


# ---- the time itself ----


def test_the_time_is_the_next_multiple_after_what_it_took() -> None:
    now = [100.0]
    pace = Pace(10.0, clock=lambda: now[0], sleep=lambda seconds: now.__setitem__(0, now[0] + seconds))

    def takes(seconds: float) -> Any:
        def ask() -> str:
            now[0] += seconds
            return "answer"

        return ask

    for seconds, leaves in ((3.0, 110.0), (10.5, 130.0)):
        paced = pace.paced(takes(seconds))
        assert paced.not_before == pytest.approx(leaves)
        assert pace.waited(paced) == "answer"
        assert now[0] == pytest.approx(leaves)


def test_equal_questions_that_begin_a_little_later_each_leave_together() -> None:
    """The grid is everybody's: counted from each beginning, they would leave apart, and tell when the work had ended."""
    ended = 113.7
    leaves = {Pace(10.0, clock=lambda: ended).paced(lambda: "stored").not_before for _ in (101.0, 104.2, 109.9)}
    assert leaves == {120.0}
    broken = {ended + 10 - (ended - started) % 10 for started in (101.0, 104.2, 109.9)}
    assert len(broken) == 3


def test_the_log_is_no_finer_than_the_pace(session: Session) -> None:
    session.sql(COUNT.format(7), epsilon=1)
    times = [body["time"] for _, body in session.log()]
    assert times
    assert at_even_times([(each / 10**9, each / 10**9) for each in times])


@pytest.mark.parametrize("error", [ValueError("x"), KeyboardInterrupt()])
def test_errors_leave_at_even_times_too(error: BaseException) -> None:
    now, slept = [0.0], []  # type: ignore[var-annotated]
    pace = Pace(10.0, clock=lambda: now[0], sleep=slept.append)

    def fails() -> None:
        now[0] = 4.0
        raise error

    paced = pace.paced(fails)
    assert isinstance(paced, Paced)
    assert slept == [], "it is told, and not waited for"
    with pytest.raises(type(error)):
        pace.waited(paced)
    assert slept == [6.0]


def test_without_an_interval_nothing_waits() -> None:
    pace = Pace(0, sleep=lambda _: pytest.fail("nothing to wait for"))
    assert pace.waited(pace.paced(lambda: 5)) == 5
    assert "answer" not in repr(Paced(1.0, "answer"))


def test_a_session_tells_the_time_without_waiting(session: Session) -> None:
    def nobody_sleeps(_: float) -> None:
        pytest.fail("the caller's thread is the caller's")

    session.pace = replace(session.pace, sleep=nobody_sleeps)
    paced = session.paced("sql", COUNT.format(5), epsilon=1)
    assert paced.not_before > time.time() - EVERY
    assert paced.given().cost.epsilon == 1
    refused = session.paced("sql", COUNT.format(6), epsilon=1000)
    assert isinstance(refused.error, BudgetExceeded)
    with pytest.raises(InvalidParameter, match="verb must be one of sql, noisy_max"):
        session.paced("read", COUNT.format(6))


def test_a_refusal_of_the_words_takes_no_time(session: Session) -> None:
    session.pace = replace(session.pace, sleep=lambda _: pytest.fail("no data were near"))
    with pytest.raises(InvalidQuestion):
        session.sql("SELECT cost FROM visits", epsilon=1)


# ---- threads ----


def slow(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    """An engine that goes on only when so many are inside at the same time."""
    honest, all_in = DuckDBEngine.aggregate, threading.Barrier(at_once, timeout=60)

    def waits(self: DuckDBEngine, query: Any) -> Any:
        all_in.wait()
        return honest(self, query)

    monkeypatch.setattr(DuckDBEngine, "aggregate", waits)


def test_threads_share_a_session_and_overlap_at_the_pace(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    slow(monkeypatch, 3)  # as many as may still fail
    seen = watched(session)
    with ThreadPoolExecutor(3) as threads:
        assert len(list(threads.map(lambda n: session.sql(COUNT.format(n), epsilon="0.1"), range(3)))) == 3
    assert len(seen) == 3
    assert at_even_times(seen)


# ---- event loops ----


def test_a_loop_goes_on_while_questions_are_answered(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine waits for the loop's heart: were the loop held up, neither would go on."""
    beaten, honest = threading.Event(), DuckDBEngine.aggregate

    def waits(self: DuckDBEngine, query: Any) -> Any:
        assert beaten.wait(60), "the loop was held up"
        return honest(self, query)

    monkeypatch.setattr(DuckDBEngine, "aggregate", waits)

    async def all_of_them() -> list[Any]:
        async def heart() -> None:
            for _ in range(20):
                await asyncio.sleep(0)
            beaten.set()

        beating = asyncio.create_task(heart())
        answers = await asyncio.gather(*(session.sql_async(COUNT.format(n), epsilon="0.1") for n in range(3)))
        await beating
        return list(answers)

    seen = watched(session, sleep=lambda _: pytest.fail("a loop's pace blocks no thread"))
    assert len(asyncio.run(all_of_them())) == 3
    assert len(seen) == 3
    assert at_even_times(seen)


def test_a_loops_errors_leave_at_even_times_and_in_one_text(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(self: DuckDBEngine, query: Any) -> Any:
        raise ValueError("cell 42")

    async def ask() -> str:
        with pytest.raises(EngineFailed) as caught:
            await session.sql_async(COUNT.format(3), epsilon="0.1")
        return str(caught.value)

    seen = watched(session)

    with monkeypatch.context() as broken:
        broken.setattr(DuckDBEngine, "aggregate", failing)
        text = asyncio.run(ask())
    assert text == "the engine did not finish; the charge stays\n\nhint: ask the owner"
    assert at_even_times(seen)


def test_more_questions_than_threads_are_all_answered(clean: Path, opened: Any) -> None:
    session: Session = opened(clean)

    async def ask() -> list[Any]:
        questions = [session.sql_async(COUNT.format(n % 5), epsilon="0.1") for n in range(3 * AT_ONCE)]
        return list(await asyncio.gather(*questions))

    answers = asyncio.run(ask())
    assert len(answers) == 3 * AT_ONCE
    assert sum(not each.repeated for each in answers) == 5, "equal questions are one"


def test_every_verb_and_a_watch_can_be_asked_from_a_loop(clean: Path, opened: Any) -> None:
    session: Session = opened(clean)
    grouped = "SELECT category, COUNT(*) FROM visits GROUP BY category"

    async def ask() -> list[Any]:
        watch = await session.begin_async("above_threshold", 10**9, epsilon=1, label="from a loop")
        assert watch.cost.epsilon == 1
        return [
            await session.ask_async("noisy_max", grouped, epsilon=1),
            await session.ask_async("top_k", grouped, k=2, epsilon=1),
            await session.ask_async("exponential", grouped, epsilon=1),
            await session.ask_async("smooth_median", "SELECT MEDIAN(amount) AS m FROM visits", epsilon=1),
            await watch.ask_async(COUNT.format(9)),
        ]

    *releases, below = asyncio.run(ask())
    assert [len(each) for each in releases] == [1, 2, 1, 1]
    assert below is False


def test_who_waits_for_an_equal_question_does_so_in_a_thread_and_not_in_the_loop(
    clean: Path, opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sfumato.curator import gate

    session: Session = opened(clean)
    waited: list[str] = []
    honest, second = DuckDBEngine.aggregate, threading.Event()

    def sleep(seconds: float) -> None:
        waited.append(threading.current_thread().name)
        second.set()
        time.sleep(seconds)

    def until_another_waits(self: DuckDBEngine, query: Any) -> Any:
        second.wait(30)
        return honest(self, query)

    monkeypatch.setattr(DuckDBEngine, "aggregate", until_another_waits)
    monkeypatch.setattr(gate, "time", SimpleNamespace(sleep=sleep, monotonic=time.monotonic))

    async def ask() -> Any:
        return await asyncio.gather(*(session.sql_async(COUNT.format(3), epsilon="0.1") for _ in range(2)))

    assert sorted(each.repeated for each in asyncio.run(ask())) == [False, True]
    assert waited
    assert all(name.startswith("sfumato") for name in waited)


def test_a_watch_is_begun_at_an_even_time_by_whoever_waits_for_it(session: Session) -> None:
    started = time.monotonic()
    paced = session.begun_paced("sparse", 10**9, epsilon=1, cutoff=2)
    assert paced.not_before >= started + EVERY
    assert paced.given().still_to_pass == 2
    for wrong in ("sql", "watch", None):
        with pytest.raises(InvalidParameter, match="verb must be one of above_threshold, sparse") as caught:
            session.begun_paced(wrong, 1, epsilon=1)  # type: ignore[arg-type]
        assert caught.value.hint
    with pytest.raises(InvalidParameter, match="verb must be one of sql") as caught:
        session.paced("sparse", 1, epsilon=1)
    assert "begin_async" in caught.value.hint


def test_sessions_of_one_curator_are_analysts_of_one_dataset(clean: Path, tmp_path: Path) -> None:
    more = "".join(f'\n[analysts.{who}]\nepsilon = "2"\ndelta = "1e-7"\n' for who in ("ann", "bob"))
    with sfumato.open_curator(clinic.declare(clean, more=more), ledger=tmp_path / "ledger") as curator:
        assert repr(curator) == "<curator of clinic>"
        ann, bob = curator.session("ann"), curator.session("bob")
        assert repr(ann) == "<session of ann on clinic>"
        with ann:
            ann.sql(COUNT.format(9), epsilon=1)
        assert bob.sql(COUNT.format(9), epsilon=1).repeated, "a session of several closes nothing"
        assert [each.left for each in bob.remaining()][-1] == 1
        with pytest.raises(InvalidParameter, match="declared"):
            curator.session("eve")
        with pytest.raises(InvalidParameter, match="declared"):
            curator.session()


def test_times_of_the_ledger_are_exact_where_nothing_is_paced() -> None:
    moment = 1_794_000_000_123_456_789
    assert Pace(0).no_finer(moment) == moment
    assert Pace(0.5).no_finer(moment) == 1_794_000_000_500_000_000
    assert Pace(0.5).no_finer(1_794_000_000_500_000_000) == 1_794_000_000_500_000_000


# ---- what is written down is not known before it may leave ----


def test_the_log_and_the_anchor_do_not_tell_that_an_answer_is_ready(session: Session) -> None:
    """Whoever reads the log, or takes the anchor, again and again sees nothing between two times of the pace."""
    session.sql("SELECT COUNT(*) FROM visits", epsilon=1)
    everything = list(session.log())
    settled = max(body["time"] for _, body in everything)
    now = [settled / 10**9]
    slept: list[float] = []
    session.pace = Pace(60, clock=lambda: now[0], sleep=slept.append)
    before = [body["kind"] for _, body in session.log()]
    assert "settle" not in before
    now[0] += 61
    assert [body["kind"] for _, body in session.log()] == [body["kind"] for _, body in everything]
    assert not slept
    session.verify()
    assert len(slept) == 1
    assert 0 < slept[0] <= 60
