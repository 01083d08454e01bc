"""What only DuckDB has: files that registration makes, and sums of whole doubles."""

from collections import Counter
from pathlib import Path

import duckdb
import pytest

from engines.test_statements import HOSTILE, ROWS, by_line, engine, priced
from neighbours import opened
from sfumato.data import declared
from sfumato.engines.duckdb.dialect import DUCKDB
from sfumato.engines.sql.statements import Statements


@pytest.mark.parametrize("most", [1, 3, 5, 100])
def test_a_table_cut_at_registration_holds_so_many_rows_of_a_person(most: int) -> None:
    rows = ROWS * 2 + HOSTILE  # rows that are equal in every column hash alike
    asked = engine(rows, rows_per_person=most, materialise=True)
    kept = asked._connection.execute("SELECT sfumato_person, town, whole FROM visits").fetchall()
    asked.close()
    held = Counter(row[0] for row in rows if row[0] is not None)
    assert Counter(row[0] for row in kept) == {person: min(n, most) for person, n in held.items()}
    assert not Counter(kept) - Counter((row[0], row[2], row[4]) for row in rows)


@pytest.mark.parametrize("where", ["", " WHERE whole > 0"])
@pytest.mark.parametrize("most", [1, 4, 100])
def test_people_of_a_cut_table_are_counted_once_in_a_group(most: int, where: str) -> None:
    """With marks where all rows are asked for, and without them where some are; each must count the same people."""
    asked = engine(ROWS * 2 + HOSTILE, rows_per_person=most, materialise=True)
    query = priced(asked, f"SELECT town, COUNT(*) AS n FROM visits{where} GROUP BY town")
    assert ("FILTER" in Statements(asked.dataset, DUCKDB, 1).additive(query)) == (not where and most > 1)
    found = asked.aggregate(query)
    rows = asked._connection.execute(f"SELECT town, sfumato_person FROM visits{where}").fetchall()
    asked.close()
    assert found.people is not None
    assert dict(zip((key[0] for key in found.keys), found.people.tolist(), strict=True)) == Counter(
        town for town, _ in set(rows)
    )


def test_sums_of_light_steps_are_whole_whatever_the_threads(tmp_path: Path) -> None:
    """The same integers from one thread and from four, on rows enough for several threads."""
    file = tmp_path / "many.parquet"
    duckdb.connect().execute(
        f"COPY (SELECT hash(i) % 1000 AS person, hash(i + 1) % 30000 / 100 AS amount FROM range(400000) t(i)) TO '{file}'"
    )
    found = []
    for threads in (1, 4):
        asked = opened(declared({
            "name": "many", "budget": {"epsilon": "1"}, "unit": {"person": "people.person"},
            "defaults": {"threads": threads},
            "tables": {"people": {"source": str(file)},
                       "visits": {"source": str(file), "rows_per_person": 7, "foreign_keys": {"person": "people.person"},
                                  "columns": {"amount": {"lower": 0, "upper": 200, "grid": "0.01"}}}},
        }))  # fmt: skip
        table = asked.aggregate(priced(asked, "SELECT AVG(amount) FROM visits"))
        found.append([int(table.columns[i][0]) for i in range(2)])
        asked.close()
    assert found[0] == found[1]


def test_equal_hashes_let_no_further_group_through() -> None:
    """A twin whose hash is the same for all keys: the number of a line decides, so ties cannot add groups."""
    asked = engine(ROWS, rows_per_group=1, groups_per_person=2)
    query = priced(asked, "SELECT town, COUNT(*) AS n FROM visits GROUP BY town")
    text = Statements(asked.dataset, DUCKDB, 7).additive(query)
    tied = text.replace("ORDER BY g NULLS LAST, k0 NULLS LAST", "ORDER BY 1")
    assert tied != text
    lax = tied.replace("row_number()", "rank()")
    run = asked._connection.execute
    held = Counter(person for person, _ in by_line(ROWS, lambda row: row[2]))
    most = sum(min(n, 2) for n in held.values())
    assert sum(run(text).fetchnumpy()["people"].tolist()) == most
    assert sum(run(tied).fetchnumpy()["people"].tolist()) == most
    assert sum(run(lax).fetchnumpy()["people"].tolist()) > most  # what the number of a line prevents
    asked.close()


def test_the_same_rows_are_kept_in_any_order_of_rows() -> None:
    found = []
    for rows in (ROWS, ROWS[::-1]):
        asked = engine(rows, rows_per_person=3, materialise=True)
        found.append(
            Counter(asked._connection.execute("SELECT person, category, town, amount, whole FROM visits").fetchall())
        )
        asked.close()
    assert found[0] == found[1]


def test_the_engine_is_locked(tmp_path: Path) -> None:
    asked = engine(ROWS)
    run = asked._connection.cursor()
    for text in (
        "SET enable_external_access=true", "SET threads=1", f"COPY visits TO '{tmp_path / 'x.csv'}'", "SELECT * FROM read_text('/etc/passwd')",
        f"ATTACH '{tmp_path / 'x.db'}'", "INSTALL httpfs",
    ):  # fmt: skip
        with pytest.raises(duckdb.Error):
            run.execute(text)
    asked.close()
