"""Synthetic tables: total variation of all 1-, 2- and 3-column tables, CPU and memory, exact noise and certified price.

    make bench-synth                       # a generated table of Adult's shape
    make bench-synth DATA=path/adult.csv   # coded columns; path/adult-domain.json says how many values each has

Every figure is of rows, not of the model. CPU has the counting, the exact noise and the rows in it; memory is the peak of
a process of its own, loading included. The floor is a bootstrap of the data: as many rows drawn from the data themselves.
"""

import json
import os
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from report import Row, at_most, publish

DELTA = 1e-9
SEEDS = 5
ADULT = {
    "age": 85, "workclass": 9, "education-num": 16, "marital-status": 7, "occupation": 15, "relationship": 6,
    "race": 5, "sex": 2, "hours-per-week": 99, "income>50K": 2,
}  # fmt: skip
BINNED = {"age": (8, 9), "education-num": (2, 7), "hours-per-week": (20, 4)}
LEFT_OUT_OF_BINNED = ("occupation", "income>50K")
CALENDAR = (12, 7, 31, 24, 12, 26, 24, 24, 16, 3, 105, 28)
GOALS: dict[str, dict[str, float]] = {
    "adult, ε = 0.1": {"2-way": 0.095, "3-way": 0.175},
    "adult, ε = 1": {"1-way": 0.0065, "2-way": 0.034, "3-way": 0.083, "CPU s": 5, "peak MB": 250},
    "adult, ε = 10": {"2-way": 0.0145, "3-way": 0.052},
    "binned, ε = 1": {"2-way": 0.010, "3-way": 0.027},
    "million, ε = 1": {"2-way": 0.030, "CPU s": 40, "peak MB": 600},
}
"""On Adult itself; what is generated has none, but for the million."""
WORDS = {"by price": None, "with triples": True, "without triples": False}
RUNS: tuple[tuple[str, float, str], ...] = (
    *(("adult", epsilon, "by price") for epsilon in (0.1, 1, 10)),
    ("adult", 10, "without triples"),
    *(("binned", epsilon, "by price") for epsilon in (1, 10)),
    ("binned", 10, "without triples"),
    *(("dependent", epsilon, "by price") for epsilon in (0.1, 1, 10)),
    ("dependent", 1, "with triples"),
    ("dependent", 10, "without triples"),
    ("million", 1, "by price"),
)
"""A table, its ε, and whether triples are measured."""


@dataclass(frozen=True)
class Data:
    """A table as coded columns, one row of the array a column."""

    columns: dict[str, int]
    codes: Any

    def table(self, marginal: tuple[int, ...]) -> Any:
        """How many rows have each combination."""
        return table_of(self.codes, marginal, list(self.columns.values()))


def table_of(codes: Any, marginal: tuple[int, ...], sizes: list[int]) -> Any:
    cells = np.zeros(codes.shape[1], dtype=np.int64)
    for place in marginal:
        cells = cells * sizes[place] + codes[place]
    shape = [sizes[place] for place in marginal]
    return np.bincount(cells, minlength=int(np.prod(shape, dtype=np.int64))).reshape(shape)


def generated(sizes: dict[str, int], rows: int) -> Data:
    """People of a few kinds, each kind with its own habits: columns say much of each other."""
    generator = np.random.default_rng(7)
    kinds = generator.choice(12, rows, p=generator.dirichlet(np.full(12, 2.0)))
    codes = np.empty((len(sizes), rows), dtype=np.int32)
    for place, size in enumerate(sizes.values()):
        habits = np.cumsum(generator.dirichlet(np.full(size, 0.4), 12), axis=1)
        ends = (habits / habits[:, -1:] + np.arange(12)[:, None]).ravel()
        codes[place] = np.minimum(np.searchsorted(ends, kinds + generator.random(rows)) - kinds * size, size - 1)
    return Data(sizes, codes)


def dependent(rows: int) -> Data:
    """The same with columns that follow from others: a weekday from month and day, a place from a carrier, a delay from a delay."""
    sizes = {f"x{place}": size for place, size in enumerate(CALENDAR)}
    codes = generated(sizes, rows).codes
    generator = np.random.default_rng(8)
    codes[1] = (codes[0] * 31 + codes[2]) % 7
    codes[4] = generator.integers(0, 12, 105)[codes[10]]
    codes[7] = np.clip(codes[6] + generator.integers(-1, 2, rows), 0, 23)
    codes[9] = codes[8] % 3
    return Data(sizes, codes)


def adult() -> Data:
    path = os.environ.get("DATA")
    if not path:
        return generated(ADULT, 48_842)
    file = Path(path)
    names = file.open().readline().strip().split(",")
    sizes = json.loads(file.with_name(f"{file.stem}-domain.json").read_text())
    kept = {name: sizes[name] for name in (ADULT if set(ADULT) <= set(sizes) else names)}
    raw = np.loadtxt(file, delimiter=",", skiprows=1, dtype=np.int32, usecols=[names.index(name) for name in kept])
    return Data(kept, np.ascontiguousarray(raw.T))


def is_adult() -> bool:
    """Whether the table that was given is the one the goals are for."""
    return bool(os.environ.get("DATA")) and set(adult().columns) == set(ADULT)


def binned() -> Data:
    whole = adult()
    kept = {name: size for name, size in whole.columns.items() if name not in LEFT_OUT_OF_BINNED}
    codes = whole.codes[[list(whole.columns).index(name) for name in kept]]
    for place, name in enumerate(kept):
        if name in BINNED:
            width, most = BINNED[name]
            codes[place], kept[name] = np.minimum(codes[place] // width, most), most + 1
    return Data(kept, codes)


TABLES = {
    "adult": adult,
    "binned": binned,
    "dependent": lambda: dependent(50_000),
    "million": lambda: generated({f"x{place}": size for place, size in enumerate(CALENDAR)}, 1_000_000),
}


def far(made: Any, data: Data, size: int) -> list[float]:
    """Total variation of every table of so many columns."""
    sizes, rows = list(data.columns.values()), data.codes.shape[1]
    found = []
    for marginal in combinations(range(len(sizes)), size):
        gap = table_of(made, marginal, sizes) / made.shape[1] - data.table(marginal) / rows
        found.append(float(0.5 * np.abs(gap).sum()))
    return found


def one(name: str, epsilon: float, triples: str) -> dict[str, float]:
    """One release in this process, and what it is like."""
    from sfumato.synth.tables import TableShape, TableSynthesiser

    data = TABLES[name]()
    mechanism = TableSynthesiser.calibrated(
        shape=TableShape(data.columns), epsilon=epsilon, delta=DELTA, triples=WORDS[triples]
    )
    start = time.process_time()
    made = mechanism.release(data.table).codes
    figures = {
        "CPU s": time.process_time() - start,
        "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    return judged(made, data, "") | figures


def judged(made: Any, data: Data, prefix: str) -> dict[str, float]:
    figures: dict[str, float] = {}
    for size in (1, 2, 3):
        distances = far(made, data, size)
        figures |= {f"{prefix}{size}-way": float(np.mean(distances)), f"{prefix}{size}-way worst": max(distances)}
    return figures


def floor(name: str) -> dict[str, float]:
    data = TABLES[name]()
    rows = data.codes.shape[1]
    drawn = data.codes[:, np.random.default_rng(1).integers(0, rows, rows)]
    return {key: value for key, value in judged(drawn, data, "floor ").items() if "worst" not in key}


def apart(name: str, epsilon: float, triples: str) -> dict[str, float]:
    """The same in a process of its own."""
    command = [sys.executable, __file__, name, str(epsilon), triples]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    figures: dict[str, float] = json.loads(said.stdout)
    return figures


def measured(name: str, epsilon: float, triples: str, seeds: int) -> list[Row]:
    runs = [apart(name, epsilon, triples) for _ in range(seeds)]
    title = f"{name}, ε = {epsilon:g}" + ("" if WORDS[triples] is None else f", {triples}")
    goals = GOALS.get(title, {}) if is_adult() or name == "million" else {}
    rows = list[Row]()
    for key in runs[0]:
        value = max(run[key] for run in runs) if key == "peak MB" else float(np.mean([run[key] for run in runs]))
        figure = f"{title}: {key}" + (f" (mean of {seeds})" if seeds > 1 and key != "peak MB" else "")
        goal = goals.get(key)
        rows.append(
            at_most(figure, ours=value, goal=goal) if goal is not None else Row(figure, value, None, "", None, "", None)
        )
    return rows


def main() -> None:
    rows = list[Row]()
    floors = set[str]()
    for name, epsilon, triples in RUNS:
        if name == "binned" and set(adult().columns) != set(ADULT):
            continue
        if name not in floors:
            floors.add(name)
            rows += [Row(f"{name}: {key}", value, None, "", None, "", None) for key, value in floor(name).items()]
        rows += measured(name, epsilon, triples, SEEDS if epsilon == 1 and name != "million" else 1)
    publish("synth", rows)


if __name__ == "__main__":
    if len(sys.argv) == 4:
        print(json.dumps(one(sys.argv[1], float(sys.argv[2]), sys.argv[3])))
    else:
        main()
