"""Time by the clock and of all processors, of this process and of all that it started."""

import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_TICK = os.sysconf("SC_CLK_TCK")


def processor_time(root: int) -> float:
    """Seconds of a process and of those under it, ended or not."""
    parents: dict[int, list[int]] = {}
    spent: dict[int, float] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        pid = int(path.parent.name)
        parents.setdefault(int(fields[1]), []).append(pid)
        spent[pid] = sum(map(int, fields[11:15])) / _TICK
    found, left = 0.0, [root]
    while left:
        pid = left.pop()
        found += spent.get(pid, 0.0)
        left += parents.get(pid, [])
    return found


def timed(
    theirs: Callable[[], Any], plain: Callable[[], Any], *, times: int = 3, patience: float = 20.0
) -> dict[str, Any]:
    """The median wall and CPU seconds of each, in turns after one to be warm; if theirs takes long, that one is all."""
    took: dict[str, list[tuple[float, float]]] = {"theirs": [], "plain": []}
    for _ in range(times + 1):
        for name, call in (("theirs", theirs), ("plain", plain)):
            start, spent = time.perf_counter(), processor_time(os.getpid())
            try:
                call()
            except Exception as error:  # whatever a peer raises is its answer
                print(f"{type(error).__name__}: {error}", file=sys.stderr)
                return {"cannot": f"fails: {type(error).__name__}"}
            took[name].append((time.perf_counter() - start, processor_time(os.getpid()) - spent))
        if sum(wall for wall, _ in took["theirs"]) > patience:
            break
    made: dict[str, Any] = {}
    for name, turns in took.items():
        wall, cpu = (statistics.median(each) for each in zip(*turns[min(1, len(turns) - 1) :], strict=True))
        made |= {name: wall, f"{name} CPU": cpu}
    return made
