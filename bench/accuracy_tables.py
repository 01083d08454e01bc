"""The tables of bench-accuracy and what is declared of them.

`p1000` and `p100000` have one row a person; `visits` holds 1e6 rows of 1e5 people, of which 5 rows count in a group and 3
groups a person. Amounts are whole numbers from 0 to 200 around 40, y from 10 000 to 11 000 around 10 400; there are 8 wards
and some 20 000 keys by Zipf's law. Nothing is NULL.
"""

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

CACHE = Path(__file__).parent / "tmp-accuracy"
TABLES = ("p1000", "p100000", "visits")
ROWS_PER_GROUP, GROUPS_PER_PERSON = 5, 3


def data() -> None:
    """The three tables, and `visits` bounded in three ways for the peers: the same every time."""
    if (CACHE / "ready").exists():
        return
    CACHE.mkdir(exist_ok=True)
    random, plain = np.random.default_rng(19), duckdb.connect()
    for name, people, rows in (("p1000", 1000, 1000), ("p100000", 100_000, 100_000), ("visits", 100_000, 1_000_000)):
        ids = np.arange(people) if rows == people else (random.random(rows) ** 1.6 * people).astype(np.int64)
        weights = np.arange(1, 20_001) ** -1.1
        columns = {
            "id": ids,
            "ward": random.integers(0, 8, rows),
            "key": random.choice(20_000, rows, p=weights / weights.sum()),
            "amount": np.clip(np.rint(random.normal(40, 20, rows)), 0, 200).astype(np.int64),
            "y": np.clip(np.rint(random.normal(10_400, 150, rows)), 10_000, 11_000).astype(np.int64),
        }
        assert columns  # DuckDB finds it by its name
        select = "SELECT id, ward, 'k' || key AS key, amount, y FROM columns"
        plain.execute(f"COPY ({select}) TO '{CACHE}/{name}.parquet' (FORMAT parquet)")
    plain.execute(f"CREATE TABLE visits AS SELECT *, row_number() OVER () AS line FROM '{CACHE}/visits.parquet'")
    plain.execute(f"COPY (SELECT DISTINCT id FROM visits) TO '{CACHE}/people.parquet' (FORMAT parquet)")
    for by in ("all", "ward", "key"):
        group = "0" if by == "all" else by
        plain.execute(f"""COPY (SELECT id, ward, amount, y, key FROM (
            SELECT *, row_number() OVER (PARTITION BY id, {group} ORDER BY hash(line)) AS nth,
            dense_rank() OVER (PARTITION BY id ORDER BY hash(id, {group}), {group}) AS choice FROM visits)
            WHERE nth <= {ROWS_PER_GROUP} AND choice <= {GROUPS_PER_PERSON} ORDER BY id) TO '{CACHE}/visits-{by}.parquet' (FORMAT parquet)""")
    (CACHE / "facts.json").write_text(json.dumps({table: facts(plain, table) for table in TABLES}))
    (CACHE / "ready").touch()


def facts(plain: duckdb.DuckDBPyConnection, table: str) -> dict[str, Any]:
    """What peers are told of a bounded table, from which each makes its sums: histograms, and rows and people by key."""
    by_all, by_ward, by_key = (
        f"'{CACHE}/{table}{'' if table != 'visits' else f'-{by}'}.parquet'" for by in ("all", "ward", "key")
    )

    def histogram(column: str, where: str = "true", source: str = by_all) -> dict[int, int]:
        return dict(
            plain.execute(f"SELECT {column}, count(*) FROM {source} WHERE {where} GROUP BY 1 ORDER BY 1").fetchall()
        )

    (people,) = plain.execute(f"SELECT count(DISTINCT id) FROM {by_all}").fetchone() or (0,)
    return {
        "people": people,
        "rows_per_group": ROWS_PER_GROUP if table == "visits" else 1,
        "groups": GROUPS_PER_PERSON if table == "visits" else 1,
        "amount": histogram("amount"),
        "y": histogram("y"),
        "where": histogram("amount", "ward < 4"),
        "wards": [histogram("amount", f"ward = {ward}", by_ward) for ward in range(8)],
        "keys": plain.execute(
            f"SELECT count(*), count(DISTINCT id) FROM {by_key} GROUP BY key ORDER BY 1 DESC, 2 DESC"
        ).fetchall(),
    }


def declaration(table: str) -> dict[str, Any]:
    """Of a table: the person, what of one counts, and what is public of the columns."""
    columns = {
        "ward": {"values": list(range(8)), "null": False}, "key": {},
        "amount": {"lower": 0, "upper": 200, "null": False}, "y": {"lower": 10_000, "upper": 11_000, "null": False},
    }  # fmt: skip
    made: dict[str, Any] = {"source": str(CACHE / f"{table}.parquet"), "columns": columns}
    tables = {table: made}
    if table == "visits":
        made |= {
            "foreign_keys": {"id": "people.id"},
            "rows_per_group": ROWS_PER_GROUP,
            "groups_per_person": GROUPS_PER_PERSON,
        }
        tables["people"] = {"source": str(CACHE / "people.parquet")}
    person = "people.id" if table == "visits" else f"{table}.id"
    return {
        "name": table,
        "budget": {"epsilon": "1000000", "delta": "1e-2"},
        "unit": {"person": person},
        "tables": tables,
    }
