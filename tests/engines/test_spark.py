"""Spark as an engine, on a cluster of a master and two workers: equal integers, one person, copies, and lost workers.

A question takes a second there, so each shape is asked once, a few at a time.
"""

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import neighbours
import sfumato
import spark_cluster
from engines.test_contract import CELLS, SPENT, counted, shown
from engines.test_one_person_moves_little import HEAVY
from neighbours import ONLY_ROWS, Database, declaration, excess, priced
from remote_tables import SparkPlace, closing, opened_by, spark_place
from sfumato.data import declared, read_declaration
from sfumato.engines import spark
from sfumato.engines.registry import ENGINES
from sfumato.errors import EngineFailed, InvalidDeclaration, SfumatoError
from sfumato.query.workload import workload

pytestmark = pytest.mark.slow
ENTRY = next(entry for entry in ENGINES if entry.name == "spark")
FAR = replace(
    HEAVY,
    visits=(
        *HEAVY.visits,
        (1, 99, 2**31 - 1, "a", 1, float("nan"), None, None, datetime(2026, 1, 1), None),
        (2, 98, -(2**31), None, None, float("inf"), "12", datetime(2026, 2, 1).date(), None, False),
        (None, 97, 3, "b", 2, 1e300, "é", datetime(1, 1, 1).date(), datetime(1970, 1, 1), True),
        (2**63 - 1, 96, 4, "lonely", 99, -0.0, "", datetime(9999, 12, 31).date(), None, None),
    ),
)
QUESTIONS = (
    "SELECT COUNT(*), AVG(amount) FROM visits",
    "SELECT category, COUNT(*), SUM(amount) FROM visits GROUP BY category",
    "SELECT note, COUNT(*) FROM visits GROUP BY note",
    "SELECT city, COUNT(DISTINCT user_id), COUNT(*) FROM visits GROUP BY city",
    "SELECT COUNT(DISTINCT note), COUNT(DISTINCT day) FILTER (WHERE paid) FROM visits",
    "SELECT paid, MEDIAN(amount), QUANTILE(day, 0.9) FROM visits GROUP BY paid",
    "SELECT amount, COUNT(*) FROM visits GROUP BY amount",
    "SELECT on_day, COUNT(*), VARIANCE(amount) FROM visits GROUP BY on_day",
    "SELECT DATE_TRUNC('month', seen), EXTRACT(month FROM on_day), COUNT(*) FROM visits GROUP BY 1, 2",
    "SELECT SUM(-amount), SUM(POW(amount, 3)), AVG(SQRT(amount)) FROM visits",
    "SELECT UPPER(note), SUM(LEAST(GREATEST(CAST(note AS INTEGER), -5), 5)) FROM visits GROUP BY 1",
    "SELECT u.city, COUNT(*), SUM(v.amount) FROM visits v JOIN users u ON v.user_id = u.user_id GROUP BY u.city",
    "SELECT c.region, SUM(v.amount) FROM visits v JOIN cities c ON v.city = c.city GROUP BY c.region",
    "SELECT sort, COUNT(*), SUM(price), MEDIAN(price) FROM items GROUP BY sort",
    "SELECT i.sort, COUNT(*), SUM(v.amount) FROM items i JOIN visits v ON i.visit_id = v.visit_id GROUP BY i.sort",
    "SELECT n, COUNT(*) FROM (SELECT user_id, COUNT(*) AS n FROM visits GROUP BY user_id) t GROUP BY n",
    "SELECT SUM(a), MEDIAN(b) FROM (SELECT user_id, AVG(amount) AS a, SUM(day) FILTER (WHERE paid) AS b, MAX(paid) AS c"
    " FROM visits GROUP BY 1) t WHERE c",
    "SELECT COUNT(*), SUM(x) FROM (SELECT user_id, age AS x FROM users UNION ALL SELECT user_id, day FROM visits) t",
)  # fmt: skip
AT_ONCE = 3


@contextmanager
def on_spark(database: Database, **about: Any) -> Iterator[Any]:
    with mock.patch("sfumato.engines.sql.hashing.seed_of", return_value=7):
        made = opened_by(ENTRY, declared(declaration(database, **about)))
    with closing(made):
        yield made


def asked(engine: Any, queries: list[Any]) -> list[Any]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(engine.aggregate, queries))


def test_the_same_integers_come_from_two_workers_and_from_duckdb() -> None:
    with on_spark(FAR) as there, neighbours.engine(FAR) as here:
        queries = [priced(here, text, rho=i % 2 == 1) for i, text in enumerate(QUESTIONS)]
        for text, query, found in zip(QUESTIONS, queries, asked(there, queries), strict=True):
            assert shown(found) == shown(here.aggregate(query)), text
        planned = workload(CELLS, here.dataset, here, [(), (0,), (0, 1), (2,)], SPENT)
        for mine, theirs in zip(counted(here, planned), counted(there, planned), strict=True):
            assert (mine == theirs).all()


def test_a_person_moves_a_cluster_no_further_than_their_price() -> None:
    """And the broken twin: without the bound of rows the same questions move too far."""
    from engines.test_one_person_moves_little import BROKEN

    some = [QUESTIONS[i] for i in (0, 1, 2, 5, 14, 15)]
    with on_spark(FAR) as one, on_spark(FAR.without(1)) as other, neighbours.engine(FAR) as honest:
        queries = [priced(honest, text) for text in some]
        for query, mine, theirs in zip(queries, asked(one, queries), asked(other, queries), strict=True):
            assert excess(query, mine, theirs) == []
        loosen = BROKEN["no limit of rows in a count"][2]
        query = priced(honest, "SELECT COUNT(*) FROM visits")
        lax = loosen(query)
        assert excess(query, one.aggregate(query), other.aggregate(query)) == []
        assert excess(query, one.aggregate(lax), other.aggregate(lax)) != []


def test_a_cut_table_is_written_by_the_cluster_and_is_the_same_rows() -> None:
    about: dict[str, Any] = {"visits": {**ONLY_ROWS, "rows_per_person": 3, "materialise": True}}
    text = "SELECT note, COUNT(*), SUM(amount) FROM visits GROUP BY note"
    with on_spark(FAR, **about) as there, neighbours.engine(FAR, **about) as here:
        query = priced(here, text)
        assert shown(there.aggregate(query)) == shown(here.aggregate(query))
        assert there._registration.tables["visits"].kept


# ---- what is registered -------------------------------------------------------------------------------------------

ROWS = pa.table({"user_id": pa.array([1, 1, 1, 2, 3], pa.int64()), "ward": ["a", "b", "a", "b", "c"]})
COUNT = "SELECT ward, COUNT(*) FROM visits GROUP BY ward"


def written(place: SparkPlace, folder: Path, more: str = "", table: pa.Table = ROWS) -> tuple[Path, Path]:
    """A declaration as a file, and the folder of its rows."""
    rows = Path(place.put("visits", table).name)
    file = folder / "clinic.toml"
    file.write_text(f"""
[budget]
epsilon = "10"
delta = "1e-3"
[unit]
person = "visits.user_id"
[tables.visits]
source = "{place.url()}"
relation = "{rows}"
rows_per_person = 2
columns = {{ ward = {{ values = ["a", "b", "c"] }} }}
{more}
""")
    return file, rows


def test_files_that_change_are_another_version_and_no_budget_is_renewed(tmp_path: Path) -> None:
    file, rows = written(spark_place(), tmp_path)
    with sfumato.open(file) as session:
        first = session.sql(COUNT, epsilon=1)
        assert session.sql(COUNT, epsilon=1).receipt == first.receipt
        spent = session.budget()[0].spent
        pq.write_table(ROWS, rows / "c.parquet")
        with pytest.raises(SfumatoError, match="changed"):
            session.sql(COUNT, epsilon=1)
    with sfumato.open(file) as session:
        assert session.budget()[0].spent == spent
        assert session.sql(COUNT, epsilon=1).receipt != first.receipt
        assert session.budget()[0].spent > spent


def test_a_copy_is_what_it_was_when_it_was_registered(tmp_path: Path) -> None:
    place = spark_place()
    file, rows = written(place, tmp_path, f'[engine]\nschema = "{tmp_path}/ours"\ncopy = true')
    with pytest.raises(InvalidDeclaration, match="not registered"):
        sfumato.open(file)
    _, record = sfumato.register(file)
    kept = tmp_path / "ours" / record.tables["visits"].kept
    assert any(kept.glob("*.parquet"))
    pq.write_table(ROWS, rows / "c.parquet")
    with closing(spark.open(read_declaration(file))) as engine:
        table = engine.aggregate(priced(engine, "SELECT COUNT(DISTINCT user_id) FROM visits"))
        assert [int(each) for each in table.columns[0]] == [3]
        assert "sfumato_source" in engine.written(priced(engine, COUNT))[0]
    sfumato.register(file)
    assert not kept.exists()


def test_what_a_cluster_cannot_read_is_one_clear_error(tmp_path: Path) -> None:
    place = spark_place()
    file, rows = written(place, tmp_path)
    text = file.read_text()
    for change, match in (
        ((str(rows), str(tmp_path / "nothing")), "does not read"),
        ((place.url(), "spark://127.0.0.1:1"), "nothing answers"),
    ):
        file.write_text(text.replace(*change))
        with pytest.raises(InvalidDeclaration, match=match) as refused:
            sfumato.open(file)
        assert refused.value.hint


def test_spark_connect_is_asked_likewise(tmp_path: Path) -> None:
    place = spark_place()
    file, _ = written(place, tmp_path)
    file.write_text(file.read_text().replace(place.url(), spark_cluster.connect_address()))
    with closing(spark.open(read_declaration(file))) as engine:
        table = engine.aggregate(priced(engine, COUNT))
        assert sum(int(each) for each in table.columns[0]) > 0
        assert len(table.keys) == 3


# ---- what a folder may hold besides plain columns ------------------------------------------------------------------

NAMES = ("a`b", "a%s", "a'b", 'a"b', "a\\b", "${x}", "a.b", "é𝔘", "c0")
TEXTS = ("it's", "a`b", "a\\'b", "%s", "a\nb", "${spark.app.name}", "\\u0041", "")


def test_names_and_declared_values_are_never_read_as_statements() -> None:
    rows = pa.table({"user_id": pa.array(range(len(TEXTS)), pa.int64()), **{name: list(TEXTS) for name in NAMES}})
    made = declared({
        "name": "d", "budget": {"epsilon": "500", "delta": "0.1"}, "unit": {"person": "visits.user_id"},
        "tables": {"visits": {"source": rows, "rows_per_person": 2, "columns": {name: {"values": list(TEXTS)} for name in NAMES}}},
    })  # fmt: skip
    with closing(opened_by(ENTRY, made)) as there:
        quoted = ['"' + name.replace('"', '""') + '"' for name in NAMES]
        texts = [
            f"SELECT {name}, COUNT(*) FROM visits WHERE {name} <> 'it''s %s \\' GROUP BY 1" for name in quoted[:6:2]
        ]
        for found in asked(there, [priced(there, text) for text in texts]):
            assert sum(int(each) > 0 for each in found.columns[0]) == len(TEXTS)


def test_names_that_differ_in_case_alone_are_refused() -> None:
    """Nothing of one column is read as the other: whose rows these are would be a matter of chance."""
    rows = pa.table({"Id": pa.array([1, 1, 1], pa.int64()), "ID": pa.array([1, 2, 3], pa.int64())})
    for entry in ENGINES:
        for person in ("Id", "ID"):
            made = declared({
                "name": "d", "budget": {"epsilon": "500", "delta": "0.1"}, "unit": {"person": f"visits.{person}"},
                "tables": {"visits": {"source": rows, "rows_per_person": 2}},
            })  # fmt: skip
            with pytest.raises(InvalidDeclaration) as refused:
                opened_by(entry, made).close()
            assert refused.value.hint


@pytest.mark.parametrize("cells", [("1", "2"), ("1", "x"), ("2020-01-01", "2020-01-02")])
def test_a_folder_named_after_a_value_decides_no_type(cells: tuple[str, str]) -> None:
    """One row whose town is no number would make the towns of all others texts, for everybody to see."""
    place = spark_place()
    folder = Path(place.put("visits", ROWS).name)
    for cell in cells:
        (folder / f"town={cell}").mkdir()
        pq.write_table(ROWS, folder / f"town={cell}" / "a.parquet")
    for file in folder.glob("*.parquet"):
        file.unlink()
    from sfumato.engines.spark.sources import described

    kinds = {column.name: column.type for column in described(place._kept, str(folder))}
    assert kinds["town"] == "string"


# ---- what goes wrong ----------------------------------------------------------------------------------------------


def test_a_worker_that_is_killed_in_the_middle_costs_one_charge_and_no_truth(tmp_path: Path) -> None:
    place = spark_place()
    many = pa.table({
        "user_id": pa.array(range(400_000), pa.int64()), "ward": [("a", "b", "c")[i % 3] for i in range(400_000)],
    })  # fmt: skip
    file, _ = written(place, tmp_path, table=many)
    question = "SELECT ward, COUNT(*), COUNT(DISTINCT user_id) FROM visits GROUP BY ward"
    with sfumato.open(file) as session, ExitStack() as stack:
        stack.callback(spark_cluster.mend)
        spent = session.budget()[0].spent
        outcome: list[Any] = []

        def ask() -> None:
            try:
                outcome.append(session.sql(question, epsilon=1, key="once"))
            except SfumatoError as error:
                outcome.append(error)

        asking = threading.Thread(target=ask)
        asking.start()
        _wait_until_busy(place, asking)
        os.kill(spark_cluster.worker_pid(), signal.SIGKILL)
        asking.join(120)
        (found,) = outcome
        charged = session.budget()[0].spent
        assert charged > spent
        if isinstance(found, EngineFailed):  # clean, charged once, and the same key says what became of it
            with pytest.raises(SfumatoError):
                session.sql(question, epsilon=1, key="once")
            assert session.budget()[0].spent == charged
        else:
            assert all(
                abs(row[name] - 400_000 / 3) < 2000 for row in found.rows if row["ward"] for name in list(row)[1:]
            )
            assert session.sql(question, epsilon=1, key="once").receipt == found.receipt
            assert session.budget()[0].spent == charged
        session.sql(question, epsilon="0.5", key="another")
        assert session.budget()[0].spent > charged


def _wait_until_busy(place: SparkPlace, asking: threading.Thread) -> None:
    tracker = place._kept.spark.sparkContext.statusTracker()
    while asking.is_alive() and not tracker.getActiveJobsIds():
        time.sleep(0.005)
