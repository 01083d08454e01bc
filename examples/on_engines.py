"""The demo's hospital on a real server: the same declaration, the same questions, the same exact integers as DuckDB.

    make demo-postgres
    make demo-spark

A PostgreSQL, or a cluster of a master and two workers, is started on this machine alone, with a folder of its own; both
are gone afterwards. How they are started is what the tests of the engines use: tests/remote_tables.py.
"""

import argparse
import os
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from remote_tables import PLACES, WRITER
from sfumato.cli import main as command
from sfumato.cli import terminal
from sfumato.data import read_declaration
from sfumato.demo import hospital
from sfumato.engines import open_engine
from sfumato.query import Spend, plan_question, price

TITLES = {"duckdb": "DuckDB", "postgres": "PostgreSQL", "spark": "Spark"}
NO_JAVA = "Spark needs Java 17 or newer, which is not found: apt-get install openjdk-17-jre-headless, or set JAVA_HOME"
BY_WARD = "SELECT ward, COUNT(*) AS visits, AVG(cost) AS mean_cost FROM visits WHERE ward IS NOT NULL GROUP BY ward"
BY_TOWN = "SELECT town, COUNT(DISTINCT patient) AS patients FROM patients GROUP BY town ORDER BY patients DESC LIMIT 5"
QUESTIONS = (("SELECT COUNT(*) AS visits FROM visits", "0.2"), (BY_WARD, "0.6"), (BY_TOWN, "0.4"))
DELTA = Fraction(1, 10**8)
VISITS = {"postgres": hospital.VISITS, "spark": hospital.VISITS // 5}
"""How many, so that it takes less than a minute: a cluster on one machine is three of them at once."""
SHOWN = 3
"""Of a question with many groups, the first few."""


@dataclass(frozen=True, slots=True)
class Exact:
    """What an engine found for one question, and how long it took."""

    lines: dict[Any, tuple[int, ...]]
    seconds: float


def main(words: Sequence[str] | None = None) -> int:
    """Put the hospital on the engine, register, explain, ask and compare; 1 if an integer differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", choices=sorted(PLACES))
    parser.add_argument("--visits", type=int, help="of the hospital: a million, or a fifth of that on Spark")
    given = parser.parse_args(words)
    if given.engine == "spark" and not _has_java():
        print(f"error: {NO_JAVA}", file=sys.stderr)
        return 2
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="sfumato-hospital-") as folder:
        same = told(given.engine, Path(folder), given.visits or VISITS[given.engine])
    print(f"{time.monotonic() - began:.0f} seconds. The server ends with this program, and its files go with it.")
    return 0 if same else 1


def _has_java() -> bool:
    home = os.environ.get("JAVA_HOME", "")
    return bool(shutil.which("java") or (home and (Path(home) / "bin" / "java").exists()))


def told(engine: str, folder: Path, visits: int) -> bool:
    """The story; whether both engines found the same integers."""
    title = TITLES[engine]
    people = max(visits // 10, 1)
    print(f"A hospital that does not exist: {visits:,} visits of {people:,} people")
    here = hospital.build(folder, people=people, visits=visits)
    with terminal.waiting(f"starting {title}"), _quiet():
        place = PLACES[engine]()
    there = _declared(engine, place, folder)
    print(f"is now in {title}, as {place.url()}\n")
    print(_added(there, here))

    copied = f"{title} itself copies the rows, in order of people"
    with chdir(there.parent):
        ok = _run(f"1. The owner registers: {copied}", "register", *_writer(engine, place))
        text, epsilon = QUESTIONS[0]
        ok &= _run("2. What would it cost, and what would be asked?", "explain", text, "-e", epsilon, "--sql")
        for number, (text, epsilon) in enumerate(QUESTIONS, 3):
            ok &= _run(f"{number}. An analyst asks:", "sql", text, "-e", epsilon)
    return _compared(engine, here, there) and ok


def _writer(engine: str, place: Any) -> tuple[str, ...]:
    """Who may write tables of ours; a cluster knows no roles."""
    return ("--as", place.url(WRITER)) if engine == "postgres" else ()


@contextmanager
def _quiet() -> Generator[None]:
    """What a server says of its own start, before it can be told to be silent, is not shown."""
    sys.stderr.flush()
    kept = os.dup(2)
    with open(os.devnull, "wb") as nothing:
        os.dup2(nothing.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _declared(engine: str, place: Any, folder: Path) -> Path:
    """The tables on the server, and the demo's declaration with their addresses."""
    text = hospital.DECLARATION
    for name in hospital.TABLES:
        rows = pq.read_table(folder / f"{name}.parquet")
        put = place.put("hospital", name, rows) if engine == "postgres" else place.put(name, rows)
        text = text.replace(f'source = "{name}.parquet"', f'source = "{put.url}"\nrelation = "{put.name}"')
    text += f'\n[engine]\nschema = "{place.schema}"    # registration writes here, and nobody else\ncopy = true\n'
    there = folder / engine / "hospital.toml"
    there.parent.mkdir()
    there.write_text(text, encoding="utf-8")
    return there


def _added(there: Path, here: Path) -> str:
    """The lines by which the two declarations differ."""
    known = set(here.read_text(encoding="utf-8").splitlines())
    added = [line for line in there.read_text(encoding="utf-8").splitlines() if line not in known]
    return "\n".join(["The declaration is that of `sfumato demo`, but for:", *(f"   {line}" for line in added), ""])


def _run(title: str, *words: str) -> bool:
    """A command of the product, shown as it is typed."""
    print(f"{title}\n   $ {shlex.join(['sfumato', *words])}", flush=True)
    code = command(list(words))
    print(flush=True)
    return code == 0


def _compared(engine: str, here: Path, there: Path) -> bool:
    """The exact integers of every question on both engines."""
    print(
        "For this demonstration only, what no analyst sees: the exact integers before noise, of people who do not exist"
    )
    found = {name: _exact(path) for name, path in (("duckdb", here), (engine, there))}
    rows: list[tuple[str, ...]] = []
    for number, (mine, theirs) in enumerate(zip(*found.values(), strict=True), 3):
        rows.append((f"of question {number}", "", ""))
        groups = sorted(mine.lines | theirs.lines)
        for key in groups[:SHOWN]:
            rows += _lines("  " + " ".join(key), mine.lines.get(key, ()), theirs.lines.get(key, ()))
        if len(groups) > SHOWN:
            rows.append((f"  and {len(groups) - SHOWN} groups more", "", ""))
    columns = ("", *(TITLES[name] for name in found))
    terminal.show(terminal.table(columns, rows, right=columns[1:]))
    for name, exact in found.items():
        print(f"{TITLES[name]}: {', '.join(f'{each.seconds:.2f}' for each in exact)} seconds for the three questions")
    same = [mine.lines == theirs.lines for mine, theirs in zip(*found.values(), strict=True)]
    number = sum(len(line) for each in found["duckdb"] for line in each.lines.values())
    if all(same):
        print(f"All {number} integers are equal: {TITLES[engine]} and DuckDB answer alike, to the last one.")
    else:
        print("error: the integers differ", file=sys.stderr)
    return all(same)


def _exact(declaration: Path) -> list[Exact]:
    """What the engine finds, as only what adds the noise sees it."""
    engine = open_engine(read_declaration(declaration))
    try:
        made = []
        for text, epsilon in QUESTIONS:
            spend = Spend(Fraction(epsilon), None, DELTA)
            query = price(plan_question(text, engine.dataset, engine), engine.dataset, spend)
            began = time.monotonic()
            table = engine.aggregate(query)
            columns = [column for column in (table.people, *table.columns.values()) if column is not None]
            lines = {key: tuple(int(column[i]) for column in columns) for i, key in enumerate(table.keys)}
            made.append(Exact(lines, time.monotonic() - began))
        return made
    finally:
        engine.close()


def _lines(name: str, mine: tuple[int, ...], theirs: tuple[int, ...]) -> list[tuple[str, ...]]:
    """One line an integer, under the name of its group."""
    pairs = zip_longest(mine, theirs)
    return [("" if i else name, *("none" if e is None else str(e) for e in pair)) for i, pair in enumerate(pairs)]


if __name__ == "__main__":
    sys.exit(main())
