"""How benchmarks time, print and keep their figures: ours and theirs in one run, only ratios count."""

import gc
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Row:
    """One figure: what we and a peer measured, their ratio, the goal for it and whether it was met."""

    figure: str
    ours: float
    theirs: float | None
    peer: str
    ratio: float | None
    goal: str
    met: bool | None


def at_least(figure: str, *, ours: float, theirs: float, peer: str, goal: float | None) -> Row:
    """A figure where more is better; the ratio is ours over theirs."""
    ratio = ours / theirs
    met = None if goal is None else ratio >= goal
    return Row(figure, ours, theirs, peer, ratio, "" if goal is None else f">= {goal:g}", met)


def at_most(figure: str, *, ours: float, goal: float, theirs: float | None = None, peer: str = "") -> Row:
    """A figure of our own that must stay below a goal; a peer's is shown beside it."""
    return Row(figure, ours, theirs, peer, None, f"<= {goal:g}", ours <= goal)


def speeds(
    calls: dict[str, tuple[Callable[[], Any], int]], *, rounds: int = 5, budget: float = 0.05
) -> dict[str, float]:
    """Items per second of each call, at its best.

    A call is repeated for about `budget` seconds a round; rounds are taken in turns, so that a busy moment
    of the machine hits all alike. A call that takes longer than half a second is measured once.
    """
    best: dict[str, float] = {}
    repeats: dict[str, int] = {}
    for name, (call, items) in calls.items():
        start = time.perf_counter()
        call()
        first = time.perf_counter() - start
        best[name] = items / first
        repeats[name] = 0 if first > 0.5 else max(1, min(5000, int(budget / first)))
    gc.collect()
    for _ in range(rounds):
        for name, (call, items) in calls.items():
            if repeats[name]:
                start = time.perf_counter()
                for _ in range(repeats[name]):
                    call()
                best[name] = max(best[name], items * repeats[name] / (time.perf_counter() - start))
    return best


def _short(value: float | None) -> str:
    return "" if value is None else f"{value:,.3g}" if abs(value) < 1e5 else f"{value:,.0f}"


def publish(name: str, rows: list[Row]) -> None:
    """Print the table and write bench/results/<name>.json."""
    width = max(len(row.figure) for row in rows)
    print(f"{'figure':{width}}  {'ours':>14}  {'theirs':>14}  {'peer':24} {'ratio':>9}  {'goal':>9}  met")
    for row in rows:
        met = {True: "yes", False: "NO", None: ""}[row.met]
        print(
            f"{row.figure:{width}}  {_short(row.ours):>14}  {_short(row.theirs):>14}  {row.peer:24} "
            f"{_short(row.ratio):>9}  {row.goal:>9}  {met}"
        )
    missed = [row.figure for row in rows if row.met is False]
    print(f"\n{sum(row.met is True for row in rows)} goals met, {len(missed)} missed")
    write(name, rows)


def write(name: str, rows: list[Row]) -> None:
    """Write bench/results/<name>.json."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
