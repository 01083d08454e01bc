"""What the peers' scripts of bench-accuracy share: facts of the bounded tables, errors of draws, and lines of JSON.

A script is called with the file of facts and the seconds it may take; each line it prints is a question on a table at an ε:
the root mean square and the mean of the errors of each output, or why there are none.
"""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

DELTA = 1e-6
EPSILONS = ("0.1", "1")
AMOUNT, FAR = (0, 200), (10_000, 11_000)
QUANTILES = {"MEDIAN": 0.5, "QUANTILE 0.9": 0.9}
DRAWS = 20_000
LAW = 200_000
"""Draws of a law that is known."""
NAMES = (
    "COUNT(*)", "COUNT(DISTINCT person)", "SUM WHERE", "AVG [0,200]", "AVG [10000,11000]", "VARIANCE", "MEDIAN",
    "QUANTILE 0.9", "8 public groups", "unknown keys",
)  # fmt: skip


@dataclass
class Column:
    """Whole numbers and how often each occurs."""

    values: Any
    counts: Any

    @classmethod
    def of(cls, histogram: dict[str, int]) -> "Column":
        """From a histogram as JSON has it."""
        return cls(np.array([int(each) for each in histogram]), np.array(list(histogram.values())))

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.counts.sum())

    @property
    def sum(self) -> int:
        """What all values add up to."""
        return int(self.values @ self.counts)

    @property
    def squares(self) -> int:
        """What their squares add up to."""
        return int(self.values**2 @ self.counts)

    @property
    def mean(self) -> float:
        """Their mean."""
        return self.sum / self.rows

    @property
    def variance(self) -> float:
        """Their variance, of all rows."""
        return self.squares / self.rows - self.mean**2

    def expanded(self) -> list[int]:
        """One value a row."""
        found: list[int] = np.repeat(self.values, self.counts).tolist()
        return found

    def quantile(self, q: float) -> int:
        """The least value that q of all rows are at or below."""
        return int(self.values[np.searchsorted(np.cumsum(self.counts), q * self.rows)])

    def ranks(self, q: float, chosen: Any) -> float:
        """The root mean square, in rows, of how far q of all rows is from what is below and at each value."""
        below = np.concatenate([[0], np.cumsum(self.counts)])
        low = below[np.searchsorted(self.values, chosen, side="left")]
        high = below[np.searchsorted(self.values, chosen, side="right")]
        aim = q * self.rows
        return float(np.sqrt(np.mean(np.maximum(0, np.maximum(low - aim, aim - high)) ** 2)))


@dataclass
class Facts:
    """What is known of a bounded table."""

    table: str
    people: int
    rows_per_group: int
    groups: int
    amount: Column
    y: Column
    where: Column
    wards: list[Column]
    keys: Any
    """Rows and people of each key, the largest first."""


def read(path: str) -> list[Facts]:
    found = []
    for table, each in json.loads(Path(path).read_text(encoding="utf-8")).items():
        columns = {name: Column.of(each[name]) for name in ("amount", "y", "where")}
        whole = {name: each[name] for name in ("people", "rows_per_group", "groups")}
        found.append(
            Facts(
                table,
                **whole,
                **columns,
                wards=[Column.of(ward) for ward in each["wards"]],
                keys=np.array(each["keys"]),
            )
        )
    return found


# ---- what was found ----


def off(drawn: Any, truth: Any) -> dict[str, float]:
    """The root mean square and the mean of errors, pooled over groups."""
    error = np.asarray(drawn, dtype=float) - np.asarray(truth, dtype=float)
    square = float(np.mean(error**2))
    unsure = float(np.std(error**2)) / (2 * square * np.sqrt(error.size)) if square else 0.0  # of the root, relative
    return {"rmse": square**0.5, "bias": float(np.mean(error)), "unsure": unsure}


def alone(drawn: Any, truth: Any, *, law: bool = False) -> dict[str, Any]:
    """The errors of one number."""
    return {"outputs": {"": off(drawn, truth)}, "law": law}


def quantile(drawn: Any, column: Column, q: float, *, law: bool = False) -> dict[str, Any]:
    """Errors in values and in ranks; answers are rounded, as values are whole numbers."""
    whole = np.rint(np.asarray(drawn, dtype=float))
    return {**alone(whole, column.quantile(q), law=law), "ranks": column.ranks(q, whole)}


def grouped(counts: Any, sums: Any, averages: Any, facts: Facts, *, law: bool = False) -> dict[str, Any]:
    """Errors of draws × 8 wards."""
    outputs = {
        "COUNT": off(counts, [ward.rows for ward in facts.wards]),
        "SUM": off(sums, [ward.sum for ward in facts.wards]),
        "AVG": off(averages, [ward.mean for ward in facts.wards]),
    }
    return {"outputs": outputs, "law": law}


def keyed(noisy: Any, shown: Any, facts: Facts, *, law: bool = False) -> dict[str, Any]:
    """Errors of those of the ten largest keys that are all but always shown, and how many of all are.

    Both are draws × keys. Where a key is often hidden, the errors that can be seen are not those of the noise.
    """
    shown = np.asarray(shown)
    often = shown[:, :10].mean(axis=0) >= 0.99
    outputs = {}
    if often.any():
        outputs["COUNT of the top 10"] = off(np.asarray(noisy)[:, :10][:, often], facts.keys[:10, 0][often])
    return {"outputs": outputs, "keys": float(shown.sum(axis=1).mean()), "law": law}


Answer = Callable[[Facts, float], dict[str, Any]] | str


def report(questions: dict[str, Answer]) -> None:
    """A line for every question, table and ε, the reason where there is no answer."""
    tables, limit, start = read(sys.argv[1]), float(sys.argv[2]), time.monotonic()
    for facts in tables:
        for name in NAMES:
            for epsilon in EPSILONS:
                head = {"question": name, "table": facts.table, "epsilon": epsilon}
                print(json.dumps(head | _answered(questions[name], facts, float(epsilon), start + limit)), flush=True)


def _answered(question: Answer, facts: Facts, epsilon: float, end: float) -> dict[str, Any]:
    if isinstance(question, str):
        return {"cannot": question}
    if time.monotonic() > end:
        return {"cannot": "not reached in time"}
    try:
        return question(facts, epsilon)
    except Exception as error:  # whatever a peer raises is its answer
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return {"cannot": f"fails: {type(error).__name__}"}


# ---- laws that are known ----


def whole_laplace(random: Any, scale: float, size: Any) -> Any:
    """Two-sided geometric noise: the difference of two geometric numbers."""
    p = -np.expm1(-1 / scale)
    return random.geometric(p, size) - random.geometric(p, size)


def permute_and_flip(random: Any, scores: Any, scale: float, draws: int) -> Any:
    """Which candidate has the largest score with exponential noise of a scale."""
    chosen = []
    for start in range(0, draws, 1000):
        noise = random.exponential(scale, (min(1000, draws - start), len(scores)))
        chosen.append(np.argmax(scores + noise, axis=1))
    return np.concatenate(chosen)


def times(n: int, draw: Callable[[], Any]) -> list[Any]:
    return [draw() for _ in range(n)]
