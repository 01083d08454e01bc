"""What each wall costs: the same questions with all of them, and with one taken away, in one run.

Plain questions (comparisons, arithmetic, columns) meet none of them; functions of days and texts meet all. Only here, and in
tests, is a wall ever taken away.
"""

import itertools
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb

import sfumato
from query import fastest
from report import Row, publish
from sfumato.engines.duckdb.engine import DuckDBEngine
from sfumato.engines.sql.expressions import Expressions

ROWS = 1_000_000
QUESTIONS = {
    "plain: COUNT with WHERE": "SELECT COUNT(*) FROM t WHERE x < 90",
    "plain: SUM of arithmetic": "SELECT SUM(x * 2 + 1) FROM t",
    "WEEK of a day": "SELECT COUNT(*) FROM t WHERE WEEK(day) > 20",
    "DATE_TRUNC as a key": "SELECT DATE_TRUNC('month', day) AS m, COUNT(*) FROM t GROUP BY m",
    "LOWER and LIKE": "SELECT COUNT(*) FROM t WHERE LOWER(note) LIKE '%99%'",
    "text to a number": "SELECT SUM(LEAST(GREATEST(CAST(word AS INTEGER), 0), 9)) FROM t",
    "CONCAT": "SELECT COUNT(*) FROM t WHERE LENGTH(CONCAT(note, word)) > 30",
}
Off = Callable[[], Any]
WALLS: dict[str, tuple[Off, ...]] = {
    "TRY around what may fail": (lambda: mock.patch.object(Expressions, "_is_tried", return_value=False),),
    "planning without two optimisers": (lambda: mock.patch.object(DuckDBEngine, "_plan_carefully", return_value=None),),
    "days held within the calendar": (
        lambda: mock.patch.object(Expressions, "_within_calendar", lambda self, made, kind: made),
    ),
    "texts that are cut": (lambda: mock.patch.object(Expressions, "_text", Expressions._written),),
}
_fresh = itertools.count(1)


@contextmanager
def without(patches: tuple[Off, ...]) -> Iterator[None]:
    with ExitStack() as stack:
        for patch in patches:
            stack.enter_context(patch())
        yield


def main() -> None:
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "t.parquet"
        duckdb.connect().execute(f"""COPY (SELECT i AS id, (hash(i) % 200)::DOUBLE AS x, DATE '2020-01-01' + (hash(3 * i) % 900)::INTEGER AS day,
            'note number ' || i || ' with some words' AS note, CAST(hash(7 * i) % 50 AS VARCHAR) AS word FROM range({ROWS}) r(i)) TO '{file}'""")
        about: dict[str, Any] = {
            "name": "walls", "budget": {"epsilon": "1000000", "delta": "1e-2"}, "unit": {"rows": True},
            "tables": {"t": {"source": str(file), "columns": {"x": {"lower": 0, "upper": 200}}}},
        }  # fmt: skip
        with sfumato.open(about, ledger=Path(folder) / "spent.ledger") as curator:
            for name, text in QUESTIONS.items():
                print(f"… {name}", file=sys.stderr)

                def asked(patches: tuple[Off, ...] = (), text: str = text) -> Any:
                    with without(patches):
                        return curator.sql(text, epsilon=f"1.{next(_fresh):06}", delta="1e-7")

                calls: dict[str, Callable[[], Any]] = {"all": asked}
                calls |= {wall: (lambda p=patches: asked(p)) for wall, patches in WALLS.items()}  # type: ignore[misc]
                found = fastest(calls, rounds=8, patience=3.0)
                for wall in WALLS:
                    ratio = found["all"].cpu / found[wall].cpu
                    goal = 1.3 if name.startswith("plain") else None
                    rows.append(Row(f"CPU ms, {name}: {wall}", 1000 * found["all"].cpu, 1000 * found[wall].cpu, "the same without this wall", ratio,
                                    "" if goal is None else f"<= {goal:g}", None if goal is None else ratio <= goal))  # fmt: skip
    publish("walls", rows)


if __name__ == "__main__":
    main()
