"""How long a publication takes and how much memory: twelve columns, all 66 pairs, rows made of them and a page.

Each size runs in a process of its own: registration before, so that the figures are of publishing alone.
"""

import itertools
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import sfumato
from report import Row, at_most, publish
from sfumato.engines.duckdb.writing import write_tables

SIZES = (12, 2, 8, 5, 10, 4, 6, 7, 3, 9, 20, 16)
ROWS = (250_000, 1_000_000, 4_000_000)
DECLARATION = """\
name = "{name}"
[budget]
epsilon = "100"
delta = "1e-5"
[unit]
{unit}
[tables.people]
source = "people.parquet"
{bound}
[tables.people.columns]
"""


def make(folder: Path, rows: int) -> None:
    """A seeded table whose columns follow from each other, and its declaration."""
    columns = [f"CAST(hash(i // 3, 0) % {SIZES[0]} AS INTEGER) AS c0"]
    for at, size in enumerate(SIZES[1:], 1):  # each follows the first in half of the rows
        own = f"hash(i, {at}) % {size}"
        columns.append(
            f"CAST(CASE WHEN hash(i, {100 + at}) % 2 = 0 THEN hash(i // 3, 0) % {size} ELSE {own} END AS INTEGER) AS c{at}"
        )
    made = f"CREATE TABLE people AS SELECT i // 3 AS person, {', '.join(columns)} FROM range({rows}) t(i)"
    write_tables(folder, [made], ["people"])
    bounds = "\n".join(f"c{at} = {{ lower = 0, upper = {size - 1} }}" for at, size in enumerate(SIZES))
    for name, unit, bound in (
        ("people", 'person = "people.person"', "rows_per_person = 3"),
        ("each", "rows = true", ""),
    ):
        text = DECLARATION.format(name=name, unit=unit, bound=bound) + bounds + "\n"
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")


def run(folder: Path, unit: str, how: str) -> None:
    """One publication: seconds, and the most memory of the process in megabytes."""
    plan: dict[str, object] = {"name": "census", "from": "people", "columns": [f"c{i}" for i in range(len(SIZES))]}
    plan |= {"rows": "tree" if how == "rows" else "", "measure": [{"kind": "marginals", "all": 2}]}
    start = time.perf_counter()
    with sfumato.open_curator(folder / f"{unit}.toml") as curator:
        if how != "register":
            made = curator.publish(plan, out=folder / f"{unit}-{how}", epsilon=1, delta="1e-6")
            assert len(made.tables) == len(list(itertools.combinations(SIZES, 2)))
    print(json.dumps({"seconds": time.perf_counter() - start, "mb": peak()}))


def peak() -> float:
    """The most memory this process had, since it began to run this file: a forked one's would count its parent's."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024


RUNS = (
    ("each", "tables", "tables, each row protected"),
    ("people", "tables", "tables, people of three rows"),
    ("people", "rows", "the same and made-up rows"),
)


def main() -> None:
    rows: list[Row] = []
    first: dict[str, float] = {}
    for number in ROWS:
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder), number)
            for unit, how, what in RUNS:
                for step in ("register", how):
                    command = [sys.executable, __file__, folder, unit, step]
                    done = subprocess.run(command, capture_output=True, text=True, check=True)
                told = json.loads(done.stdout)
                figure, goal = f"seconds, {number:,} rows × 12 columns, 66 pairs: {what}", 60.0 * max(1, number / 1e6)
                rows.append(at_most(figure, ours=told["seconds"], goal=goal))
                ratio = told["mb"] / first.setdefault(what, told["mb"])
                # weights of people are a table of the engine's, and made-up rows are held: both grow, up to its limit
                met = ratio <= 1.5 if unit == "each" else None
                figure, wanted = f"peak MB, {number:,} rows: {what}", "<= 1.5" if unit == "each" else ""
                rows.append(Row(figure, told["mb"], first[what], f"{ROWS[0]:,} rows", ratio, wanted, met))
    publish("publish", rows)


if __name__ == "__main__":
    run(Path(sys.argv[1]), sys.argv[2], sys.argv[3]) if len(sys.argv) > 1 else main()
