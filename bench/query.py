"""Eight questions at 1e6 and 1e7 rows: ours in three modes, plain DuckDB and three peers, from the same Parquet files."""

import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

import sfumato
from report import Row, at_most, publish
from sfumato.curator import Session

HERE = Path(__file__).parent
CACHE = HERE / "tmp-query"
VENVS = HERE.parent / ".venv-bench"
SIZES = (1_000_000, 10_000_000)
ROWS_PER_GROUP, GROUPS_PER_PERSON, ROWS_PER_PERSON = 10, 4, 20
QUESTIONS = {
    "COUNT(*)": "SELECT COUNT(*) AS n FROM visits",
    "COUNT(DISTINCT person)": "SELECT COUNT(DISTINCT user_id) AS n FROM visits",
    "SUM with WHERE": "SELECT SUM(amount) AS s FROM visits WHERE visited < 180",
    "AVG": "SELECT AVG(amount) AS a FROM visits",
    "VARIANCE": "SELECT VARIANCE(amount) AS v FROM visits",
    "GROUP BY unknown key": "SELECT city, COUNT(*) AS n FROM visits GROUP BY city ORDER BY n DESC LIMIT 10",
    "GROUP BY public key": "SELECT category, COUNT(*) AS n, SUM(amount) AS s, AVG(amount) AS a FROM visits "
    "GROUP BY category",
    "MEDIAN": "SELECT MEDIAN(amount) AS m FROM visits",
}
MODES = {"row": "each row protected", "bound": "bound at registration", "person": "person bounded in each question"}
SLOWER = {"row": 2.5, "bound": 2.5, "person": 30.0}
PEERS = {"OpenDP": "opendp_polars", "SmartNoise SQL": "smartnoise", "PipelineDP": "pipelinedp"}
FOLDERS = {"OpenDP": "opendp", "SmartNoise SQL": "smartnoise", "PipelineDP": "pipelinedp"}
TOO_LONG = 2.5
"""Seconds at 1e6 rows above which a peer is not asked at 1e7."""
LIMIT = 40.0
"""Seconds after which a peer's process, all its questions together, is ended."""


# ---- the data and their declaration ----


def data(rows: int) -> Path:
    """Visits of rows/10 people in no order, three towns a person, hashed from row numbers: the same every time."""
    file = CACHE / f"visits-{rows}.parquet"
    if not file.exists():
        CACHE.mkdir(exist_ok=True)
        print(f"… writing {rows:,} rows", file=sys.stderr)
        part = file.with_suffix(".part")
        # One hash a number: hashes of (row, name) are not independent of each other
        duckdb.connect().execute(f"""COPY (
            SELECT user_id, (hash(8 * i + 1) % 365)::INTEGER AS visited,
            'town ' || CAST(floor(2000 * pow(hash(32 * user_id + hash(8 * i + 2) % 3) / pow(2, 64), 3)) AS INTEGER) AS city,
            (hash(8 * i + 3) % 12)::INTEGER AS category, (hash(8 * i + 4) % 20001 / 100)::DOUBLE AS amount
            FROM (SELECT i, (hash(8 * i) % {rows // 10})::BIGINT AS user_id FROM range({rows}) t(i))
            ) TO '{part}' (FORMAT parquet)""")
        part.rename(file)
    return file


def people(file: Path) -> Path:
    """The people of the visits, one row each."""
    made = file.with_name(file.name.replace("visits", "users"))
    if not made.exists():
        duckdb.connect().execute(f"COPY (SELECT DISTINCT user_id FROM '{file}') TO '{made}' (FORMAT parquet)")
    return made


def declaration(mode: str, file: Path, memory: str = "") -> dict[str, Any]:
    table: dict[str, Any] = {
        "source": str(file),
        "columns": {
            "visited": {"lower": 0, "upper": 364},
            "city": {},
            "category": {"values": list(range(12))},
            "amount": {"lower": 0, "upper": 200, "grid": "0.01"},
        },
    }
    if mode == "bound":
        table |= {"rows_per_person": ROWS_PER_PERSON, "materialise": True}
    elif mode == "person":
        table |= {"rows_per_group": ROWS_PER_GROUP, "groups_per_person": GROUPS_PER_PERSON}
    if mode != "row":
        table["foreign_keys"] = {"user_id": "users.user_id"}
    return {
        "name": mode,
        "budget": {"epsilon": "1000000", "delta": "1e-2"},
        "unit": {"rows": True} if mode == "row" else {"person": "users.user_id"},
        "tables": {"users": {"source": str(people(file))}, "visits": table},
        **({"engine": {"memory": memory}} if memory else {}),
    }


# ---- ours, and plain DuckDB ----

_fresh = itertools.count(1)


def asked(curator: Session, text: str) -> Any:
    """An answer that was not given before: each is asked at a price of its own."""
    return curator.sql(text, epsilon=f"1.{next(_fresh):06}", delta="1e-7")


class Took(NamedTuple):
    """Seconds by the clock, which a user feels, and of all processors' time, which a busy machine does not change."""

    wall: float
    cpu: float


def fastest(calls: dict[str, Callable[[], Any]], *, rounds: int = 8, patience: float = 4.0) -> dict[str, Took]:
    """The least time of each call, taken in turns so that a busy moment hits all alike; slow calls get fewer turns."""
    best = dict.fromkeys(calls, Took(float("inf"), float("inf")))
    spent = dict.fromkeys(calls, 0.0)
    for _ in range(rounds):
        for name, call in calls.items():
            if spent[name] < patience:
                start = time.perf_counter(), time.process_time()
                call()
                wall, cpu = time.perf_counter() - start[0], time.process_time() - start[1]
                best[name] = Took(min(best[name].wall, wall), min(best[name].cpu, cpu))
                spent[name] += wall
    return best


def measured(file: Path, curators: dict[str, Session]) -> dict[str, dict[str, Took]]:
    """Seconds by question of each mode, of DuckDB on the file, and of DuckDB on a table of its own."""
    plain, native = duckdb.connect(), duckdb.connect()
    plain.execute(f"CREATE VIEW visits AS SELECT * FROM '{file}'")
    native.execute(f"CREATE TABLE visits AS SELECT * FROM '{file}'")
    found = {}
    for name, text in QUESTIONS.items():
        print(f"… {name}, {file.stem}", file=sys.stderr)
        calls: dict[str, Callable[[], Any]] = {
            "DuckDB": lambda t=text: plain.execute(t).fetchall(),  # type: ignore[misc]
            "DuckDB's own table": lambda t=text: native.execute(t).fetchall(),  # type: ignore[misc]
        }
        for mode, curator in curators.items():
            calls[mode] = lambda c=curator, t=text: asked(c, t)  # type: ignore[misc]
        found[name] = fastest(calls)
    return found


def planning(curator: Session) -> float:
    """The slowest question's median milliseconds of processor time from text to explanation, ledger and all."""
    slowest = 0.0
    for text in QUESTIONS.values():
        taken = []
        for i in range(15):
            start = time.process_time()
            curator.explain(text + " " * i, epsilon=f"1.{next(_fresh):06}", delta="1e-7")
            taken.append(1000 * (time.process_time() - start))
        slowest = max(slowest, statistics.median(taken))
    return slowest


def heavy(file: str) -> None:
    """The median, ten values each of a million people, within 1 GB, in a process of its own; prints its peak in MB."""
    with (
        tempfile.TemporaryDirectory() as folder,
        sfumato.open(declaration("person", Path(file), "1GB"), ledger=Path(folder) / "spent.ledger") as curator,
    ):
        start = time.perf_counter()
        asked(curator, QUESTIONS["MEDIAN"])
        took = time.perf_counter() - start
    # Not ru_maxrss, which a child inherits from the process that started it
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024
    print(json.dumps({"peak": peak, "seconds": took}))


# ---- the peers ----


def peer(name: str, rows: int, file: Path, unit: str, wanted: list[str]) -> dict[str, float | str]:
    """Seconds by question, or why there are none."""
    print(f"… {name}, {unit}, {file.stem}", file=sys.stderr)
    command = [str(VENVS / FOLDERS[name] / "bin/python"), str(HERE / "peers" / f"{PEERS[name]}.py"), str(file)]
    command += [str(rows), unit, ",".join(wanted), str(TOO_LONG)]
    limit = LIMIT * (3 if rows == SIZES[0] else 2)
    try:
        text = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=limit, check=False
        ).stdout
    except subprocess.TimeoutExpired as ended:
        text = ended.stdout or b""
    found: dict[str, float | str] = dict.fromkeys(wanted, f"not reached within {limit:g} s")
    for line in map(json.loads, text.decode().splitlines()):
        if "question" in line:
            found[line["question"]] = line["seconds"] if "seconds" in line else line["cannot"]
        elif line["prepared"] > 5 and rows == SIZES[0]:
            found["prepared"] = line["prepared"]
    return found


def all_peers(file: dict[int, Path], unit: str) -> dict[int, dict[str, dict[str, float | str]]]:
    """By size, by peer, by question; a peer that took too long is not asked ten times as much."""
    small: dict[str, dict[str, float | str]] = {}
    large: dict[str, dict[str, float | str]] = {}
    for name in PEERS:
        small[name] = peer(name, SIZES[0], file[SIZES[0]], unit, list(QUESTIONS))
        loading = small[name].pop("prepared", 0.0)
        large[name] = {}
        for question, took in small[name].items():
            if isinstance(took, str):
                large[name][question] = took
            elif loading:
                large[name][question] = f"skipped: loading 1e6 rows took {loading:.0f} s"
            elif took > TOO_LONG:
                large[name][question] = f"skipped: took {took:.1f} s at 1e6"
        left = [question for question in QUESTIONS if question not in large[name]]
        if left:
            large[name] |= peer(name, SIZES[1], file[SIZES[1]], unit, left)
    return {SIZES[0]: small, SIZES[1]: large}


# ---- the table ----


def against_duckdb(size: int, found: dict[str, dict[str, Took]]) -> list[Row]:
    """Processor time with the goals, and time by the clock beside it."""
    rows = []
    for (question, times), mode in itertools.product(found.items(), MODES):
        figure = f"{question}, {named(size)}, {MODES[mode]}"
        for other in ("DuckDB", "DuckDB's own table") if mode == "bound" else ("DuckDB",):
            goal = SLOWER[mode] if size == SIZES[1] and question != "COUNT(*)" and other == "DuckDB" else None
            ours, theirs = times[mode], times[other]
            ratio = ours.cpu / theirs.cpu
            rows.append(Row(f"CPU ms, {figure}", 1000 * ours.cpu, 1000 * theirs.cpu, other, ratio,
                            "" if goal is None else f"<= {goal:g}", None if goal is None else ratio <= goal))  # fmt: skip
            rows.append(
                Row(f"ms, {figure}", 1000 * ours.wall, 1000 * theirs.wall, other, ours.wall / theirs.wall, "", None)
            )
    return rows


def named(size: int) -> str:
    return f"{size:.0e}".replace("e+0", "e")


def against_peers(
    size: int, mode: str, found: dict[str, dict[str, Took]], peers: dict[str, dict[str, float | str]]
) -> list[Row]:
    """The fastest peer by question, with the goal; every other, with its time or the reason why it has none."""
    rows = []
    for question in QUESTIONS:
        ours = 1000 * found[question][mode].wall
        figure = f"ms, {question}, {named(size)}, {MODES[mode]}"
        known = {name: took for name in peers if not isinstance(took := peers[name][question], str)}
        best = min(known, key=lambda name: known[name], default="")
        for name in sorted(peers, key=lambda name: name != best):
            took = peers[name][question]
            if isinstance(took, str):
                rows.append(Row(figure, ours, None, f"{name}: {took}", None, "", None))
            else:
                ratio = 1000 * took / ours
                goal = ">= 10" if name == best else ""
                rows.append(Row(figure, ours, 1000 * took, name, ratio, goal, ratio >= 10 if goal else None))
    return rows


def main() -> None:
    files = {size: data(size) for size in SIZES}
    rows: list[Row] = []
    peers = {unit: all_peers(files, unit) for unit in ("person", "row")}
    for size, file in files.items():
        with tempfile.TemporaryDirectory() as folder:
            curators, opened = {}, {}
            for mode in MODES:
                start = time.perf_counter()
                curators[mode] = sfumato.open(declaration(mode, file), ledger=Path(folder) / f"{mode}.ledger")
                opened[mode] = time.perf_counter() - start
            found = measured(file, curators)
            if size == SIZES[0]:
                rows.append(
                    at_most(
                        "CPU ms to plan, price and explain the slowest question",
                        ours=planning(curators["person"]),
                        goal=10,
                    )
                )
            for curator in curators.values():
                curator.close()
        rows += [Row(f"s to open {named(size)} rows, {MODES[mode]}", took, None, "", None, "", None)
                 for mode, took in opened.items()]  # fmt: skip
        rows += against_duckdb(size, found)
        for mode in MODES:
            rows += against_peers(size, mode, found, peers["row" if mode == "row" else "person"][size])
    done = json.loads(subprocess.check_output([sys.executable, __file__, str(files[SIZES[1]])]))
    rows.append(
        at_most("MB of memory at the peak, MEDIAN, 1e7, person bounded, limit 1 GB", ours=done["peak"], goal=1400)
    )
    rows.append(Row("s for the same", done["seconds"], None, "", None, "", None))
    publish("query", rows)


if __name__ == "__main__":
    heavy(sys.argv[1]) if len(sys.argv) > 1 else main()
