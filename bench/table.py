"""From registered rows to a published synthetic table: seconds, memory and total variation, by the number of rows.

    make bench-table

Twelve columns (those of bench-synth's million), ε = 1, δ = 1e-9, through `curator.publish`: counted by the engine, exact
noise, rows in Parquet and CSV, tables, report. Each runs in a process of its own, registration before.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import duckdb
import numpy as np

import sfumato
from publish import peak
from report import Row, at_most, publish
from synth import CALENDAR, DELTA, Data, far, generated

ROWS = (250_000, 1_000_000, 4_000_000)
COLUMNS = {f"x{place}": size for place, size in enumerate(CALENDAR)}
PLAN = {"name": "people", "from": "people", "columns": list(COLUMNS), "make": "table"}
DECLARATION = """\
name = "people"
[budget]
epsilon = "100"
delta = "1e-5"
[unit]
rows = true
[tables.people]
source = "people.parquet"
[tables.people.columns]
"""


def make(folder: Path, rows: int) -> None:
    """The rows in Parquet, and their declaration."""
    data = generated(COLUMNS, rows)
    with duckdb.connect() as run:
        run.register("codes", dict(zip(COLUMNS, data.codes, strict=True)))
        run.execute(f"COPY (SELECT * FROM codes) TO '{folder / 'people.parquet'}' (FORMAT parquet)")
    listed = "\n".join(f"{name} = {{ lower = 0, upper = {size - 1}, null = false }}" for name, size in COLUMNS.items())
    (folder / "people.toml").write_text(DECLARATION + listed + "\n", encoding="utf-8")


def codes_in(path: Path) -> Any:
    with duckdb.connect() as run:
        found = run.execute(f"SELECT * FROM '{path}'").fetchnumpy()
    return np.stack([np.asarray(found[name], dtype=np.int32) for name in COLUMNS])


def run(folder: Path, how: str) -> None:
    """One step: registration, or one publication."""
    start, cpu = time.perf_counter(), time.process_time()
    with sfumato.open_curator(folder / "people.toml") as curator:
        if how == "table":
            curator.publish(PLAN, out=folder / "release", epsilon=1, delta=str(DELTA))
    spent = {"seconds": time.perf_counter() - start, "CPU s": time.process_time() - cpu, "peak MB": peak()}
    print(json.dumps(spent))


def main() -> None:
    rows: list[Row] = []
    first = 0.0
    for number in ROWS:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            make(folder, number)
            for step in ("register", "table"):
                command = [sys.executable, __file__, name, step]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
            told = json.loads(done.stdout)
            data = Data(COLUMNS, codes_in(folder / "people.parquet"))
            distances = far(codes_in(folder / "release" / "rows.parquet"), data, 2)
        title = f"{number:,} rows × 12 columns to a published table"
        told["2-way TVD"] = float(np.mean(distances))
        goals = {"seconds": 40.0, "peak MB": 600.0, "2-way TVD": 0.030} if number == 1_000_000 else {}
        for key, value in told.items():
            goal = goals.get(key)
            plain = Row(f"{key}, {title}", value, None, "", None, "", None)
            rows.append(plain if goal is None else at_most(f"{key}, {title}", ours=value, goal=goal))
        first = first or told["peak MB"]
        ratio = told["peak MB"] / first
        rows.append(
            Row(
                f"peak MB beside {ROWS[0]:,} rows, {title}",
                told["peak MB"],
                first,
                f"{ROWS[0]:,} rows",
                ratio,
                "<= 1.5",
                ratio <= 1.5,
            )
        )
        rows.append(Row(f"2-way TVD worst, {title}", max(distances), None, "", None, "", None))
    publish("table", rows)


if __name__ == "__main__":
    run(Path(sys.argv[1]), sys.argv[2]) if len(sys.argv) > 1 else main()
