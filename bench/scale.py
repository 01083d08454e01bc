"""What the same questions cost on every engine beside its own plain query, from 1e6 rows on, and beside peers.

    make bench-scale                                           every place and peer
    python bench/scale.py --places duckdb --sizes v6,v7 --peers ""    some of them; other figures stay as they were

Each place, size and way of keeping rows is measured in a process of its own: ours is `engine.aggregate` of a question that
was priced before, warm, in turns with the plain query, of each the median of three. Processor time is that of the process and
of the servers it asks. Goals hold for processor time.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

sys.path += [str(Path(__file__).parent / "peers"), str(Path(__file__).parents[1] / "tests")]

from scale_timing import processor_time

from query import QUESTIONS
from report import RESULTS, Row, publish, write
from scale_data import CATEGORIES, CODES, V6, V7, V7B, V8, Visits
from sfumato.data import declared
from sfumato.engines import Engine, open_engine, register
from sfumato.query import Spend, plan_question, price

HERE = Path(__file__).parent
VENVS = HERE.parent / ".venv-bench"
ALL = {visits.name: visits for visits in (V6, V7, V7B, V8)}
ASKED = QUESTIONS | {
    "GROUP BY 20 000 public keys": "SELECT code, COUNT(*) AS n FROM visits GROUP BY code",
    "people by public key": "SELECT category, COUNT(DISTINCT user_id) AS n FROM visits GROUP BY category",
}
"""The eight questions, and two that are dear in other ways."""
WITHOUT_GOAL = "COUNT(*)"
"""Engines answer it without reading rows."""
TIMES, TURNS_END = 3, 20.0
OUT_OF_CORE = "4GB"
TOO_LONG = 20.0
"""Seconds at 1e6 rows above which a peer is not asked at 1e7."""
LIMIT = 1500.0
"""Seconds after which a peer's process, all its questions together, is ended."""


class Mode(NamedTuple):
    """How rows are kept: what the declaration says of the table, whose a row is, and the goal beside the plain query."""

    words: str
    table: dict[str, Any]
    person: str
    goal: float
    copy: bool = False


MODES = {
    "ids": Mode("without a copy", {}, "user_id", 30),
    "texts": Mode("without a copy, text ids", {}, "user_name", 60),
    "copy": Mode("with the registration copy", {}, "user_id", 10, copy=True),
    "texts copy": Mode("with the registration copy, text ids", {}, "user_name", 10, copy=True),
    "cut": Mode("materialised", {"materialise": True}, "user_id", 2.5),
}
"""The ways in which rows are kept."""


class Took(NamedTuple):
    """Seconds by the clock and of all processors."""

    wall: float
    cpu: float


# ---- places ----


class Place(ABC):
    """Where visits are kept and asked: an engine of ours and the same database without us."""

    name: str
    modes: tuple[str, ...] = tuple(MODES)
    sizes: tuple[str, ...] = ("v6", "v7", "v7b")
    goals: dict[str, float]
    """Goals that are other than those of the modes."""

    def __init__(self, visits: Visits, mode: Mode, folder: Path) -> None:
        self.visits, self.mode, self.folder = visits.made(), mode, folder
        self.engine: Engine = self.prepare()

    @abstractmethod
    def prepare(self) -> Engine:
        """Load `visits` where the plain query finds them, and open an engine of ours on them.

        Where rows are cut, as many of each person as are left are loaded as `kept_visits` too.
        """

    @abstractmethod
    def fetch(self, text: str) -> Any:
        """What the database itself finds."""

    def servers(self) -> list[int]:
        """Processes that work for this one and were not started by it."""
        return []

    def spent(self) -> float:
        """Processor seconds so far."""
        return time.process_time() + float(sum(map(processor_time, self.servers())))

    def plain(self, text: str) -> Took:
        """The time of the plain query."""
        return self._timed(lambda: self.fetch(text))

    def ours(self, text: str) -> Callable[[], Took]:
        """The time of our statements for a question, which is priced now."""
        spend = Spend(Fraction(1), None, Fraction(1, 10**7))
        plan = plan_question(text, self.engine.dataset, self.engine)
        query = price(plan, self.engine.dataset, spend)
        return lambda: self._timed(lambda: self.engine.aggregate(query))

    def _timed(self, call: Callable[[], Any]) -> Took:
        start, spent = time.perf_counter(), self.spent()
        call()
        return Took(time.perf_counter() - start, self.spent() - spent)

    def declaration(self, source: Any, users: Any, **engine: Any) -> dict[str, Any]:
        """The visits and their people, kept as the mode says."""
        person = self.mode.person
        hidden = ["user_name" if person == "user_id" else "user_id"]
        columns = {
            "visited": {"lower": 0, "upper": 364},
            "city": {},
            "category": {"values": list(range(CATEGORIES))},
            "amount": {"lower": 0, "upper": 200, "grid": "0.01"},
            "code": {"values": list(range(CODES))},
        }
        keys = {person: f"users.{person}"}
        table = {"source": source, "hidden": hidden, "rows_per_person": self.visits.most, "foreign_keys": keys}
        return {
            "name": "scale",
            "budget": {"epsilon": "1000000", "delta": "1e-2"},
            "unit": {"person": f"users.{person}"},
            "tables": {
                "users": {"source": users, "hidden": hidden},
                "visits": table | {"columns": columns} | self.mode.table,
            },
            "engine": engine,
        }


class InDuckDB(Place):
    """DuckDB: plain is a database file of its own, which is what is fastest for it. 1e8 rows within a limit of memory."""

    name = "DuckDB"
    sizes = ("v6", "v7", "v7b", "v8")
    goals: dict[str, float] = {}  # noqa: RUF012

    def prepare(self) -> Engine:
        """A database file, and ours beside it."""
        limit = {"memory": OUT_OF_CORE} if self.visits is V8 else {}
        self._plain = duckdb.connect(
            str(self.folder / "plain.duckdb"), config={"memory_limit": OUT_OF_CORE} if limit else {}
        )
        columns = f"{self.mode.person}, visited, city, category, amount, code"
        self._plain.execute(f"CREATE TABLE visits AS SELECT {columns} FROM '{self.visits.file}'")
        if "materialise" in self.mode.table:
            rank = f"row_number() OVER (PARTITION BY {self.mode.person} ORDER BY visited)"
            self._plain.execute(f"CREATE TABLE few AS SELECT * FROM visits QUALIFY {rank} <= {self.visits.most}")
            self._plain.execute("CREATE TABLE kept_visits AS SELECT * FROM few ORDER BY hash(rowid)")  # in no order
            self._plain.execute("DROP TABLE few")
        self._plain.execute("CHECKPOINT")
        about = self.declaration(str(self.visits.file), str(self.visits.users), **limit, copy=self.mode.copy)
        return open_engine(declared(about))

    def fetch(self, text: str) -> Any:
        """As columns."""
        return self._plain.execute(text).fetchnumpy()


class InPostgres(Place):
    """PostgreSQL from the wheel: plain is a table without an index, asked by the same role."""

    name = "PostgreSQL"
    modes = ("ids", "copy", "cut")
    sizes = ("v6", "v7")
    goals: dict[str, float] = {}  # noqa: RUF012

    def prepare(self) -> Engine:
        """Tables loaded by COPY, and ours registered beside them where the mode says so."""
        import psycopg

        from remote_tables import OURS, READER, WRITER, postgres_place

        self._place = postgres_place()
        columns = f"{self.mode.person}, visited, city, category, amount, code"
        with self._place.owner() as owner:
            owner.execute("CREATE SCHEMA scale")
            owner.execute(
                "CREATE TABLE scale.visits (user_id bigint, visited int, city text, category int, amount double precision, code int)"
            )
            owner.execute("CREATE TABLE scale.users (user_id bigint PRIMARY KEY)")
            self._load(owner, "visits", f"SELECT {columns} FROM '{self.visits.file}'")
            self._load(owner, "users", f"SELECT user_id FROM '{self.visits.users}'")
            if "materialise" in self.mode.table:
                rank = f"row_number() OVER (PARTITION BY user_id ORDER BY visited) <= {self.visits.most} AS few"
                owner.execute(
                    f"CREATE TABLE scale.kept_visits AS SELECT * FROM (SELECT *, {rank} FROM scale.visits) t WHERE few"
                )
            for table in ("visits", "users", *(["kept_visits"] if "materialise" in self.mode.table else [])):
                owner.execute(f"VACUUM ANALYZE scale.{table}")
            owner.execute(f"GRANT USAGE ON SCHEMA scale TO {READER}, {WRITER}")
            owner.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA scale TO {READER}, {WRITER}")
        self._plain = psycopg.connect(self._place.host.dsn, autocommit=True, options="-c search_path=scale -c jit=off")
        engine = {"schema": OURS, **({"copy": True} if self.mode.copy else {})}
        about = self.declaration(self._place.url(), self._place.url(), **engine)
        for name, table in about["tables"].items():
            table["relation"] = f"scale.{name}"
            table.pop("hidden")
        return _registered(about | {"version": "1"}, self.folder, self._place.url(WRITER))

    def _load(self, owner: Any, table: str, rows: str) -> None:
        file = self.folder / "rows.csv"
        duckdb.execute(f"COPY ({rows}) TO '{file}' (FORMAT csv, HEADER false)")
        with owner.cursor().copy(f"COPY scale.{table} FROM STDIN (FORMAT csv)") as copy, file.open("rb") as stream:
            while chunk := stream.read(1 << 20):
                copy.write(chunk)
        file.unlink()

    def fetch(self, text: str) -> Any:
        """All lines."""
        for word, theirs in (("MEDIAN(amount)", "percentile_cont(0.5) WITHIN GROUP (ORDER BY amount)"),):
            text = text.replace(word, theirs)
        return self._plain.execute(text).fetchall()

    def servers(self) -> list[int]:
        """The postmaster, and all that are under it."""
        return [self._place.host._server.get_pid()]


class InSpark(Place):
    """A master and two workers of one core each: plain is the same question of the same folder of Parquet."""

    name = "Spark"
    modes = ("ids", "copy", "cut")
    sizes = ("v6", "v7")
    goals = {"ids": 4.0, "copy": 4.0, "cut": 2.5}  # noqa: RUF012

    def prepare(self) -> Engine:
        """Folders of files, and ours registered beside them where the mode says so."""
        import spark_cluster

        url = spark_cluster.spark_address()
        self._kept = spark_cluster.connected()
        for name, rows in (("visits", self.visits.file), ("users", self.visits.users)):
            place = self.folder / name
            columns = "user_id" if name == "users" else "user_id, visited, city, category, amount, code"
            duckdb.execute(
                f"COPY (SELECT {columns} FROM '{rows}') TO '{place}' (FORMAT parquet, PER_THREAD_OUTPUT, ROW_GROUP_SIZE 200000)"
            )
            self._kept.spark.read.parquet(str(place)).createOrReplaceTempView(name)
        if "materialise" in self.mode.table:
            rank = "row_number() OVER (PARTITION BY user_id ORDER BY visited)"
            few = f"SELECT * FROM (SELECT *, {rank} AS few FROM visits) t WHERE few <= {self.visits.most}"
            self._kept.spark.sql(few).write.parquet(str(self.folder / "kept"))
            self._kept.spark.read.parquet(str(self.folder / "kept")).createOrReplaceTempView("kept_visits")
        engine = {"schema": str(self.folder / "ours"), **({"copy": True} if self.mode.copy else {})}
        about = self.declaration(url, url, **engine)
        for name, table in about["tables"].items():
            table["relation"] = str(self.folder / name)
            table.pop("hidden")
        return _registered(about, self.folder, "")

    def fetch(self, text: str) -> Any:
        """As Arrow."""
        return self._kept.spark.sql(text).toArrow()

    def servers(self) -> list[int]:
        """The workers with their executors, and the driver, which this process has started."""
        import spark_cluster

        with spark_cluster._state() as state:
            return [*state["processes"], os.getpid()]

    def spent(self) -> float:
        """This process is one of those under which the driver is."""
        return float(sum(map(processor_time, self.servers())))


def _registered(about: dict[str, Any], folder: Path, writer: str) -> Engine:
    """The engine of a declaration that is a file, registered."""
    made = declared(about, folder=folder, registration=folder / "scale.registration")
    register(made, writer=writer)
    return open_engine(made)


PLACES: dict[str, type[Place]] = {"duckdb": InDuckDB, "postgres": InPostgres, "spark": InSpark}


def measure(place: str, size: str, mode: str) -> None:
    """One place in a process of its own: a line of JSON a question, and one with the peak of memory."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        there = PLACES[place](ALL[size], MODES[mode], Path(folder))
        print(json.dumps({"opened": time.perf_counter() - start, "peak": peak()}), flush=True)
        for name, asked in ASKED.items():
            text = asked.replace("user_id", MODES[mode].person)
            calls: dict[str, Callable[[], Took]] = {"plain": partial(there.plain, text), "ours": there.ours(text)}
            if "materialise" in there.mode.table:
                calls["kept"] = partial(there.plain, text.replace("FROM visits", "FROM kept_visits"))
            took = in_turns(calls)
            print(json.dumps({"question": name} | took), flush=True)
        print(json.dumps({"peak": peak()}), flush=True)
        there.engine.close()


def in_turns(calls: dict[str, Callable[[], Took]]) -> dict[str, Took]:
    """The median of each after one turn to be warm, which is all of it where that takes long."""
    took: dict[str, list[Took]] = {name: [] for name in calls}
    start = time.perf_counter()
    for _ in range(TIMES + 1):
        for name, call in calls.items():
            took[name].append(call())
        if time.perf_counter() - start > TURNS_END:
            break
    return {name: _median(turns[min(1, len(turns) - 1) :]) for name, turns in took.items()}


def _median(turns: list[Took]) -> Took:
    return Took(*(statistics.median(each) for each in zip(*turns, strict=True)))


def peak() -> float:
    """The peak of this process's memory in MB. Not ru_maxrss, which a child inherits from who started it."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024


# ---- peers ----


def peer(name: str, command: list[str], wanted: dict[str, str]) -> dict[str, dict[str, Any]]:
    """What a peer's script says by question: seconds, or why there are none."""
    print(f"… {name}", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        about = os.environ | {"PYSPARK_PYTHON": command[0], "PYTHONPATH": str(HERE / "peers")}
        try:
            text = subprocess.run(
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=LIMIT,
                check=False,
                cwd=folder,
                env=about,
            ).stdout
        except subprocess.TimeoutExpired as ended:
            text = ended.stdout or b""
        except OSError:
            return {each: {"cannot": "not installed"} for each in wanted}
    found: dict[str, dict[str, Any]] = {each: {"cannot": f"not reached within {LIMIT:g} s"} for each in wanted}
    for line in map(json.loads, text.decode().splitlines()):
        if line.get("question") in found:
            found[line["question"]] = line
    return found


def tumult(visits: Visits, wanted: dict[str, str]) -> dict[str, dict[str, Any]]:
    """Tumult Analytics on its own Spark, two cores."""
    python, script = VENVS / "tumult/bin/python", HERE / "peers/scale_tumult.py"
    about = [str(visits.made().file), str(visits.most), "local[2]", json.dumps(wanted)]
    return peer(f"Tumult, {visits.name}", [str(python), str(script), *about], wanted)


def pipelinedp(visits: Visits, wanted: dict[str, str]) -> dict[str, dict[str, Any]]:
    """PipelineDP in one process, by the script of bench-query; it has no plain query."""
    python, script = VENVS / "pipelinedp/bin/python", HERE / "peers/pipelinedp.py"
    asked = {name: text for name, text in wanted.items() if name in QUESTIONS}
    about = [str(visits.made().file), str(visits.rows), "person", ",".join(asked), "2.5"]
    found = peer(f"PipelineDP, {visits.name}", [str(python), str(script), *about], asked)
    return {
        name: {"theirs": each["seconds"], "theirs CPU": each["cpu"]} if "cpu" in each else each
        for name, each in found.items()
    }


PEERS: dict[str, Callable[[Visits, dict[str, str]], dict[str, dict[str, Any]]]] = {
    "Tumult": tumult,
    "PipelineDP": pipelinedp,
}


def against(name: str, ours: dict[tuple[str, str], float]) -> list[Row]:
    """A peer's processor time beside ours of the same rows, without a copy; at 1e7 only what was quick at 1e6."""
    rows, wanted = [], dict(ASKED)
    for visits in (V6, V7):
        if not wanted:
            break
        found = PEERS[name](visits, wanted)
        for question, took in found.items():
            mine = ours.get((visits.name, question), float("nan"))
            figure = f"CPU s, {question}, {visits.name}"
            if "cannot" in took:
                rows.append(Row(figure, mine, None, f"{name}: {took['cannot']}", None, "", None))
                continue
            ratio = took["theirs CPU"] / mine
            goal = 20.0 if name == "Tumult" else None
            rows.append(Row(figure, mine, took["theirs CPU"], name, ratio, "" if goal is None else f">= {goal:g}",
                            None if goal is None else ratio >= goal))  # fmt: skip
            if "plain CPU" in took:
                own = took["theirs CPU"] / max(took["plain CPU"], 0.01)
                rows.append(
                    Row(f"{figure}, {name}", took["theirs CPU"], took["plain CPU"], "its own Spark", own, "", None)
                )
        wanted = {q: text for q, text in wanted.items() if found.get(q, {}).get("theirs", LIMIT) <= TOO_LONG}
    return rows


# ---- the table ----


def placed(place: str, size: str, mode: str) -> list[dict[str, Any]]:
    """What one process measured."""
    print(f"… {place}, {size}, {MODES[mode].words}", file=sys.stderr)
    command = [sys.executable, __file__, "--one", place, size, mode]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def beside_plain(place: str, size: str, mode: str, lines: list[dict[str, Any]]) -> list[Row]:
    """Processor time with the goals, and time by the clock."""
    kind, rows = PLACES[place], []
    for line in lines:
        if "question" not in line:
            continue
        figure = f"{line['question']}, {kind.name} {size}, {MODES[mode].words}"
        ours, plain = Took(*line["ours"]), Took(*line["plain"])
        goal = kind.goals.get(mode, MODES[mode].goal) if line["question"] != WITHOUT_GOAL else None
        ratio = ours.cpu / max(plain.cpu, 1e-4)
        rows.append(Row(f"CPU ms, {figure}", 1000 * ours.cpu, 1000 * plain.cpu, f"plain {kind.name}", ratio,
                        "" if goal is None else f"<= {goal:g}", None if goal is None else ratio <= goal))  # fmt: skip
        rows.append(
            Row(
                f"ms, {figure}",
                1000 * ours.wall,
                1000 * plain.wall,
                f"plain {kind.name}",
                ours.wall / plain.wall,
                "",
                None,
            )
        )
        if "kept" in line:
            kept = Took(*line["kept"])
            ratio = ours.cpu / max(kept.cpu, 1e-4)
            rows.append(
                Row(f"CPU ms, {figure}", 1000 * ours.cpu, 1000 * kept.cpu, "plain, rows that are left", ratio, "", None)
            )
    return rows


def flat_memory(kind: type[Place], mode: str, peaks: dict[str, float]) -> list[Row]:
    """The peak of the program that asks, with ten or a hundred times the rows beside that with the fewest."""
    pairs = [("v6", "v7"), *([("v7", "v8")] if kind is InDuckDB else [])]
    about = f"{kind.name}, {MODES[mode].words}"
    return [
        Row(f"MB at the peak, {about}, {more} beside {less}", peaks[more], peaks[less], less, peaks[more] / peaks[less],
            "" if kind is InDuckDB else "<= 1.5", None if kind is InDuckDB else peaks[more] <= 1.5 * peaks[less])
        for less, more in pairs if less in peaks and more in peaks
    ]  # fmt: skip


def joined(before: list[Row], now: list[Row]) -> list[Row]:
    """What was measured before, with what was measured now in its place or behind it."""
    found = {(row.figure, row.peer.split(":")[0]): row for row in before}
    return list((found | {(row.figure, row.peer.split(":")[0]): row for row in now}).values())


def main(places: list[str], sizes: list[str], modes: list[str], peers: list[str]) -> None:
    """Whatever is asked for; what is not stays in the results, which are written after every part."""
    whole = (places, sizes, modes, peers) == tuple(map(list, (PLACES, ALL, MODES, PEERS)))
    kept = RESULTS / "scale.json"
    before = [] if whole or not kept.exists() else [Row(**each) for each in json.loads(kept.read_text())]
    rows: list[Row] = []
    ours: dict[tuple[str, str], float] = {}
    for place in places:
        kind = PLACES[place]
        for mode in (each for each in kind.modes if each in modes):
            peaks: dict[str, float] = {}
            for size in (each for each in kind.sizes if each in sizes and (mode == "ids" or each != "v8")):
                lines = placed(place, size, mode)
                peaks[size] = lines[-1]["peak"]
                rows += beside_plain(place, size, mode, lines)
                about = f"{kind.name} {size}, {MODES[mode].words}"
                rows.append(Row(f"s to open, {about}", lines[0]["opened"], None, "", None, "", None))
                rows.append(Row(f"MB at the peak, {about}", peaks[size], None, "", None, "", None))
                if place == "spark" and mode == "ids":  # both on two cores of Spark
                    ours |= {(size, each["question"]): each["ours"][1] for each in lines if "question" in each}
                write("scale", joined(before, rows))
            rows += flat_memory(kind, mode, peaks)
    for name in peers:
        rows += against(name, ours)
        write("scale", joined(before, rows))
    publish("scale", joined(before, rows))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        measure(*sys.argv[2:])
    else:
        words = argparse.ArgumentParser()
        words.add_argument("--places", default=",".join(PLACES))
        words.add_argument("--sizes", default=",".join(ALL))
        words.add_argument("--modes", default=",".join(MODES))
        words.add_argument("--peers", default=",".join(PEERS))
        given = words.parse_args()
        asked = (given.places, given.sizes, given.modes, given.peers)
        main(*([each for each in text.split(",") if each] for text in asked))
