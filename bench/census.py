"""A census: people of one row each, 10⁶ blocks × 8 cells in five levels, from Parquet to Parquet, and how near it is.

Rows are made by DuckDB from seeded hashes, in no order, a third of the blocks empty; making them and registering them
are not part of the time of publishing. Every step runs in a process of its own, whose most memory is its peak alone.
`CENSUS_BLOCKS=20000` is a quick look.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import NDArray

import sfumato
from report import Row, at_most, publish
from sfumato.synth.publication.measurements import read
from sfumato.synth.publication.tables import NoisyTable

BLOCKS = int(os.environ.get("CENSUS_BLOCKS", "1000000"))
FULL = BLOCKS == 1_000_000
SIZES = (51, 3143, 84_000) if FULL else (9, max(18, BLOCKS // 320), max(36, BLOCKS // 12))
LEVELS, CELLS = ("state", "county", "tract", "block"), 8
NAMES = ("nation", *LEVELS)
RHO = "1/2"
SECONDS, MEGABYTES = 60.0, 2048.0
DECLARATION = f"""\
name = "census"
[budget]
rho = "100"
[unit]
rows = true
[engine]
memory = "1GB"
threads = 2
[tables.people]
source = "people.parquet"
[tables.people.columns]
block = {{ type = "integer", lower = 0, upper = {BLOCKS - 1}, null = false }}
cell = {{ type = "integer", lower = 0, upper = {CELLS - 1}, null = false }}
[tables.geography]
source = "geography.parquet"
public = true
"""
HIERARCHY = {"kind": "hierarchy", "tree": "geography", "of": list(LEVELS), "cells": ["cell"]}
PLAN: dict[str, object] = {
    "name": "census", "from": "people", "columns": ["block", "cell"], "rows": "weighted", "measure": [HIERARCHY],
}  # fmt: skip


def make(folder: Path) -> int:
    """The rows, the tree and the declaration; how many rows there are."""
    with duckdb.connect() as run:
        run.execute("SET enable_progress_bar = false")
        run.execute("SET preserve_insertion_order = false")
        run.execute("SET memory_limit = '6GB'")
        run.execute(f"SET temp_directory = '{folder / 'spill'}'")
        nested = _nested("b", BLOCKS, "tract", SIZES[2])
        run.execute(f"CREATE TABLE geography AS SELECT b AS block, {nested} FROM range({BLOCKS}) t(b)")
        for low, size, high, above in (
            ("tract", SIZES[2], "county", SIZES[1]),
            ("county", SIZES[1], "state", SIZES[0]),
        ):
            run.execute(
                f"CREATE OR REPLACE TABLE geography AS SELECT *, {_nested(low, size, high, above)} FROM geography"
            )
        run.execute(f"COPY geography TO '{folder / 'geography.parquet'}' (FORMAT parquet)")
        # about 370 people a block where there are any, as long-tailed as an exponential law
        many = "least(20000, floor(-ln(1 - (hash(b, 2) % 1000000) / 1000000.0) * 370))"
        empty = f"CASE WHEN hash(b, 1) % 100 < 35 THEN 0 ELSE {many} END"
        people = f"SELECT b, unnest(range(CAST({empty} AS BIGINT))) AS i FROM range({BLOCKS}) t(b)"
        cell = f"least(hash(b, i, 3) % {CELLS}, hash(b, 4) % 12, {CELLS - 1})"
        rows = (
            f"SELECT CAST(b AS INTEGER) AS block, CAST({cell} AS TINYINT) AS cell FROM ({people}) t ORDER BY hash(b, i)"
        )
        run.execute(f"COPY ({rows}) TO '{folder / 'people.parquet'}' (FORMAT parquet)")
        found = run.execute(f"SELECT count(*) FROM '{folder / 'people.parquet'}'").fetchall()
    (folder / "census.toml").write_text(DECLARATION, encoding="utf-8")
    return int(found[0][0])


def _nested(low: str, size: int, high: str, above: int) -> str:
    """Which of so many nodes above each node is in: some have many children, some have few, all have one."""
    share = f"(({low} + 0.5) / {size})"
    return f"CAST(least({above - 1}, floor({above} * (0.7 * {share} + 0.3 * {share} * {share}))) AS INTEGER) AS {high}"


def run(folder: Path, step: str) -> None:
    """One step: seconds, and the most memory of the process in megabytes."""
    start = time.perf_counter()
    with sfumato.open_curator(folder / "census.toml") as curator:
        if step == "publish":
            curator.publish(PLAN, out=folder / "release", rho=RHO, progress=_told)
    print(json.dumps({"seconds": time.perf_counter() - start, "cpu": time.process_time(), "mb": peak()}))


def _told(what: str, share: float) -> None:
    print(f"{time.perf_counter():.1f} {share:.2f} {what}", file=sys.stderr)


def peak() -> float:
    """The most memory this process had, since it began to run this file: a forked one's would count its parent's."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024


def counted(folder: Path) -> list[NDArray[np.int64]]:
    """What is true, level by level (node, cell)."""
    found = [np.zeros((size, CELLS), dtype=np.int64) for size in (1, *SIZES, BLOCKS)]
    with duckdb.connect() as run:
        run.execute("SET memory_limit = '3GB'")
        text = f"SELECT block, cell, count(*) AS n FROM '{folder / 'people.parquet'}' GROUP BY ALL"
        told = run.execute(text).fetchnumpy()
        tree = run.execute(f"SELECT state, county, tract, block FROM '{folder / 'geography.parquet'}' ORDER BY block")
        above = tree.fetchnumpy()
    at = np.asarray(told["block"]), np.asarray(told["cell"])
    for level, name in zip(found, NAMES, strict=True):
        node = np.zeros_like(at[0]) if name == "nation" else np.asarray(above[name])[at[0]]
        np.add.at(level, (node, at[1]), np.asarray(told["n"]))
    return found


def fitted(folder: Path, tables: tuple[NoisyTable, ...], *, pooled: bool) -> list[NDArray[np.int64]]:
    """The same measurements fitted with the up-pass or without."""
    from sfumato.exact.bits import SystemBits
    from sfumato.synth import TopDown, Tree

    with duckdb.connect() as run:
        above = run.execute(f"SELECT * FROM '{folder / 'release/levels/01-tree.parquet'}' ORDER BY block").fetchnumpy()
    first = [np.unique(np.asarray(above[name]), return_index=True)[1] for name in LEVELS]
    parents = [np.zeros(SIZES[0], dtype=np.int64)]
    parents += [np.asarray(above[high])[at] for high, at in zip(LEVELS, first[1:], strict=False)]
    noises = tuple(table.noise for table in tables)
    made = TopDown(tree=Tree.of(parents), noises=noises, cells=CELLS, pooled=pooled)
    return made.fit([table.counts.reshape(-1, CELLS) for table in tables], bits=SystemBits())


def errors(folder: Path) -> dict[str, list[float]]:
    """The mean distance from the truth at each level, of what is published and of what it is compared with."""
    made, truth = sfumato.Publication.open(folder / "release"), counted(folder)
    assert [table.cells for table in made.tables] == [level.size for level in truth]
    files = [each["file"] for each in json.loads((folder / "release/tables.json").read_bytes())["levels"]]
    with duckdb.connect() as run:
        said = [run.execute(f"SELECT count FROM '{folder / 'release' / file}'").fetchnumpy()["count"] for file in files]
    published = [np.asarray(each).reshape(-1, CELLS) for each in said]
    for level in published:
        assert int(level.min()) >= 0
    for level in published[:-1]:
        assert np.array_equal(level.sum(axis=0), published[-1].sum(axis=0))
    raw = [table.counts.reshape(-1, CELLS) for table in made.tables]
    assert all(np.array_equal(one.reshape(-1), two.reshape(-1)) for one, two in
               zip(raw, read((folder / "release/measurements.bin").read_bytes())[1], strict=True))  # fmt: skip
    found = {"published": published, "plain": fitted(folder, made.tables, pooled=False), "raw": raw}
    return {
        name: [float(np.abs(one - two).mean()) for one, two in zip(each, truth, strict=True)]
        for name, each in found.items()
    }


def step(folder: str, name: str) -> dict[str, float]:
    done = subprocess.run([sys.executable, __file__, folder, name], stdout=subprocess.PIPE, text=True, check=True)
    told: dict[str, float] = json.loads(done.stdout)
    return told


def main() -> None:
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as made:
        folder = os.environ.get("CENSUS_FOLDER", made)  # of a folder that is given, rows are kept for another run
        kept = Path(folder, "made")
        people = int(kept.read_text(encoding="utf-8")) if kept.exists() else make(Path(folder))
        kept.write_text(str(people), encoding="utf-8")
        size = f"{people:,} rows, {BLOCKS:,} blocks × {CELLS} cells"
        registered, told = step(folder, "register"), step(folder, "publish")
        rows.append(Row(f"seconds, registering {size}", registered["seconds"], None, "", None, "", None))
        rows.append(at_most(f"seconds, publishing {size}", ours=told["seconds"], goal=SECONDS))
        rows.append(Row(f"CPU seconds, publishing {size}", told["cpu"], None, "", None, "", None))
        rows.append(at_most(f"peak MB, publishing {size}", ours=told["mb"], goal=MEGABYTES))
        found = errors(Path(folder))
        for at, (name, nodes) in enumerate(zip(NAMES, (1, *SIZES, BLOCKS), strict=True)):
            ours, plain, raw = (found[each][at] for each in ("published", "plain", "raw"))
            figure = f"mean error of a cell, {name} ({nodes:,})"
            goal, met = ("< 1", ours < plain) if name == "county" else ("", None)
            rows.append(
                Row(f"{figure}: pooled", ours, plain, "plain top-down", ours / plain if plain else None, goal, met)
            )
            rows.append(Row(f"{figure}: pooled", ours, raw, "noise alone", ours / raw if raw else None, "", None))
    publish("census" if FULL else "census-quick", rows)


if __name__ == "__main__":
    run(Path(sys.argv[1]), sys.argv[2]) if len(sys.argv) > 1 else main()
