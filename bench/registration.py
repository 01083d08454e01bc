"""Registering a CSV: how long it takes beside the engine's own reader, how much memory, and how fast it opens afterwards.

The engine's reader guesses the dialect and the types from the lines and tells nobody what it could not read; ours checks
the grammar, casts to declared kinds, counts what became NULL, hashes the file and writes a private table. Memory is the
peak of a process of its own with a limit of 512 MB for the engine, at a tenth of the lines and at all of them.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

import sfumato
from report import Row, at_most, publish

LINES = 10_000_000
ROWS = """SELECT i % 1000000 AS user_id, 'town ' || (i % 97) AS town, (hash(i) % 10000) / 100 AS amount,
    DATE '2020-01-01' + (i % 2000)::INTEGER AS day FROM range({lines}) t(i)"""
DECLARATION = """
[budget]
epsilon = "1000"
[unit]
person = "v.user_id"
[engine]
memory = "512MB"
[tables.v]
source = "{source}"
rows_per_person = 20
[tables.v.columns]
user_id = {{ type = "integer" }}
amount = {{ type = "real", lower = 0, upper = 100, grid = 0.01 }}
day = {{ type = "date" }}
"""


def written(folder: Path, name: str, source: str) -> Path:
    """A declaration of a source."""
    path = folder / f"{name}.toml"
    path.write_text(DECLARATION.format(source=source), encoding="utf-8")
    return path


def register(path: str) -> None:
    """One registration, alone in its process."""
    passes: list[float] = []
    start = time.perf_counter()
    sfumato.register(path, progress=lambda _, share: passes.append(share))
    took = time.perf_counter() - start
    print(json.dumps({"s": took, "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "told": len(passes)}))


def load(source: str, target: str) -> None:
    """The engine's own reader, into a table of its own."""
    start = time.perf_counter()
    with duckdb.connect(target) as connection:
        connection.execute("SET memory_limit='512MB'")
        connection.execute("SET preserve_insertion_order=false")
        connection.execute(f"CREATE TABLE v AS SELECT * FROM read_csv('{source}')")
    print(json.dumps({"s": time.perf_counter() - start}))


def alone(*words: str) -> dict[str, float]:
    """What a process of this file says."""
    done = subprocess.run([sys.executable, __file__, *words], capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def openings(paths: list[Path], times: int = 15) -> list[float]:
    """The least time of an opening and a first plan of each, in milliseconds; taken in turns."""
    best = [float("inf")] * len(paths)
    for _ in range(times):
        for i, path in enumerate(paths):
            start = time.perf_counter()
            with sfumato.open(path) as curator:
                curator.explain("SELECT AVG(amount) FROM v", epsilon=1)
            best[i] = min(best[i], 1000 * (time.perf_counter() - start))
    return best


def main() -> None:
    """Both sizes, both forms."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for lines, file in ((LINES // 10, "tenth"), (LINES, "all")):
            duckdb.execute(f"COPY ({ROWS.format(lines=lines)}) TO '{folder}/{file}.csv' (HEADER)")
        duckdb.execute(f"COPY ({ROWS.format(lines=LINES)}) TO '{folder}/all.parquet'")
        tenth = alone("register", str(written(folder, "tenth", "tenth.csv")))
        ours = alone("register", str(written(folder, "csv", "all.csv")))
        theirs = alone("load", f"{folder}/all.csv", f"{folder}/theirs.duckdb")
        alone("register", str(written(folder, "parquet", "all.parquet")))
        csv, parquet = openings([folder / "csv.toml", folder / "parquet.toml"])
        rows = [
            Row("10^7 lines, seconds", ours["s"], theirs["s"], "duckdb read_csv, guessing", ours["s"] / theirs["s"], "<= 5",
                ours["s"] / theirs["s"] <= 5),
            Row("peak memory, MB, against a tenth of the lines", ours["mb"], tenth["mb"], "ours", ours["mb"] / tenth["mb"],
                "<= 1.25", ours["mb"] / tenth["mb"] <= 1.25),
            Row("opening afterwards, ms, against Parquet", csv, parquet, "ours, Parquet", csv / parquet, "<= 1.1",
                csv / parquet <= 1.1),
            at_most("times progress was told, at least 10 (as its reciprocal)", ours=1 / ours["told"], goal=0.1),
        ]  # fmt: skip
        publish("registration", rows)


if __name__ == "__main__":
    if sys.argv[1:2] == ["register"]:
        register(sys.argv[2])
    elif sys.argv[1:2] == ["load"]:
        load(*sys.argv[2:])
    else:
        main()
