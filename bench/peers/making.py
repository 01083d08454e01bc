"""What scripts that make synthetic rows share: python SCRIPT METHOD CSV DOMAIN OUT EPSILON DELTA.

The table is coded: whole numbers from 0, and the domain says how many values each column has. Rows are written to OUT, coded in the same way, and
one line of JSON says what they took: CPU seconds of the process and its children, counting and row making included and imports not, and the peak of
memory. Whatever a peer raises is told as the reason why there are none.
"""

import json
import resource
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Table:
    """Coded rows, and what they may cost."""

    sizes: dict[str, int]
    rows: Any
    epsilon: float
    delta: float


def _spent() -> float:
    """CPU seconds so far, those of children that have ended too."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in both)


def _peak() -> float:
    """The most memory that the process, or one of its children, had."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return max(each.ru_maxrss for each in both) / 1024


def report(methods: dict[str, Callable[[Table], Any]]) -> None:
    """Make rows by the method that was asked for; a method gives one array row a row, in the order of the columns."""
    method, csv, domain, out, epsilon, delta = sys.argv[1:]
    sizes = json.loads(Path(domain).read_text(encoding="utf-8"))
    rows = np.loadtxt(csv, delimiter=",", skiprows=1, dtype=np.int64)
    start = _spent()
    try:
        made = np.asarray(methods[method](Table(sizes, rows, float(epsilon), float(delta))))
    except Exception as error:  # whatever a peer raises is its answer
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        print(json.dumps({"cannot": f"fails: {type(error).__name__}: {str(error)[:160]}"}), flush=True)
        return
    figures = {"CPU s": _spent() - start, "peak MB": _peak()}
    np.savetxt(out, made, fmt="%d", delimiter=",", header=",".join(sizes), comments="")
    print(json.dumps(figures), flush=True)
