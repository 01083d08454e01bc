"""What a peer's script shares with the others: it times the questions it can express and tells the rest why not."""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

ROWS_PER_GROUP, GROUPS_PER_PERSON = 10, 4


def prepared(make: Callable[[], Any]) -> Any:
    """What must be made before any question; its seconds are told apart."""
    start = time.perf_counter()
    made = make()
    print(json.dumps({"prepared": time.perf_counter() - start}), flush=True)
    return made


def report(asked: str, questions: dict[str, Callable[[], Any] | str], limit: float) -> None:
    """A line of JSON for each asked question: its seconds by the clock and of the processor (the better of two runs if it is quick), or why it has none."""
    for name in asked.split(","):
        question = questions[name]
        if isinstance(question, str):
            line: dict[str, Any] = {"question": name, "cannot": question}
        else:
            line = {"question": name} | _timed(question, limit)
        print(json.dumps(line), flush=True)


def _timed(question: Callable[[], Any], limit: float) -> dict[str, Any]:
    best = cpu = float("inf")
    for _ in range(2):
        start, spent = time.perf_counter(), time.process_time()
        try:
            question()
        except Exception as error:  # whatever a peer raises is its answer
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
            return {"cannot": f"fails: {type(error).__name__}"}
        best, cpu = min(best, time.perf_counter() - start), min(cpu, time.process_time() - spent)
        if best > limit / 4:
            break
    return {"seconds": best, "cpu": cpu}
