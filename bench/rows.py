"""What one row can cost a question: the dearest questions that are let through, with a row that meets them and without.

Each is asked of the same table twice: once no row meets its CASE, once one row does. Ratios of processor time and of memory
are what an analyst could see of that row; the goals are what the threat model states.
"""

import itertools
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

import sfumato
from report import Row, publish

ROWS = 20_000
TEXT = "'" + "x" * 9_000 + "'"
_fresh = itertools.count(1)


def questions(met: int) -> dict[str, str]:
    """By name; a row with `p` equal to `met` meets the CASE."""
    long = f"SELECT p, CASE WHEN p = {met} THEN {TEXT} ELSE '' END AS v FROM t"
    twice = f"SELECT p, v || 'y' AS v, v || 'z' AS w FROM ({long}) a"
    return {
        "CONCAT of 40": f"SELECT COUNT(*) FROM ({long}) q WHERE LENGTH(CONCAT({', '.join(['v'] * 40)})) > 3",
        "UPPER, LOWER and TRIM, 12 each": f"SELECT COUNT(*) FROM ({long}) q WHERE "
        + " OR ".join(f"UPPER(v || '{i}') = 'a' OR LOWER(TRIM(v)) = 'b{i}'" for i in range(12)),
        "CONTAINS of two long texts, 12 times": f"SELECT COUNT(*) FROM ({twice}) q WHERE "
        + " OR ".join(f"CONTAINS(v, w) AND p <> {i}" for i in range(12)),
        "LIKE with 40 wildcards, 60 times": f"SELECT COUNT(*) FROM ({long}) q WHERE "
        + " OR ".join(f"v LIKE '%{'x_%' * 40}{i}'" for i in range(60)),
        "text cast to days, 8 times": f"SELECT COUNT(*) FROM ({long}) q WHERE "
        + " OR ".join(f"WEEK(CAST(v || '{i}' AS DATE)) = {i}" for i in range(8)),
        "joined to 900 public rows": f"SELECT COUNT(*) FROM (SELECT p, CASE WHEN p = {met} THEN 'a' ELSE 'z' END AS k FROM t) q "
        "JOIN codes c ON q.k = c.code JOIN codes d ON q.k = d.code",
        "joined, and a text of each": f"SELECT COUNT(*) FROM (SELECT p, CASE WHEN p = {met} THEN 'a' ELSE 'z' END AS k FROM t) q "
        "JOIN codes c ON q.k = c.code WHERE UPPER(c.word) = k",
    }


def opened(folder: Path) -> "sfumato.curator.Session":
    run = duckdb.connect().execute
    run(f"COPY (SELECT i AS p, i % 90 AS age FROM range({ROWS}) t(i)) TO '{folder}/t.parquet'")
    run(f"COPY (SELECT 'a' AS code, 'word ' || i AS word FROM range(30) t(i)) TO '{folder}/codes.parquet'")
    about = {
        "name": "rows", "budget": {"epsilon": "1000000"}, "unit": {"person": "t.p"}, "engine": {"threads": 1},
        "tables": {"t": {"source": f"{folder}/t.parquet"}, "codes": {"source": f"{folder}/codes.parquet", "public": True}},
    }  # fmt: skip
    return sfumato.open(about, ledger=folder / "spent.ledger")


def ask(name: str, met: int, times: int) -> None:
    """One side of one question, in a process of its own: the least processor time, and the peak of memory in MB."""
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as curator:
        best = float("inf")
        for _ in range(times):
            start = time.process_time()
            curator.sql(questions(met)[name], epsilon=f"1.{next(_fresh):06}")
            best = min(best, time.process_time() - start)
        print(json.dumps({"ms": 1000 * best, "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


def main() -> None:
    rows: list[Row] = []
    for name in questions(0):
        found = {}
        for side, met in (("with", ROWS - 1), ("without", ROWS)):
            command = [sys.executable, __file__, name, str(met)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"{name}: refused or failed: {done.stderr.strip().splitlines()[-3:]}", file=sys.stderr)
                break
            found[side] = json.loads(done.stdout)
        else:
            for unit, most in (("ms", 2.0), ("mb", 1.25)):
                one, none = found["with"][unit], found["without"][unit]
                figure = f"{'CPU ms' if unit == 'ms' else 'peak MB'}, {name}: one row meets it"
                rows.append(
                    Row(figure, one, none, "the same without the row", one / none, f"<= {most:g}", one / none <= most)
                )
    publish("rows", rows)


if __name__ == "__main__":
    ask(sys.argv[1], int(sys.argv[2]), 15) if len(sys.argv) > 1 else main()
