"""A hospital that does not exist: a seeded million visits of a hundred thousand people, to try things on."""

from pathlib import Path
from typing import Any

from sfumato.engines.duckdb.writing import exact_answer, write_tables

PEOPLE, VISITS = 100_000, 1_000_000
WARDS = ("cardiology", "emergency", "maternity", "neurology", "oncology", "orthopaedics", "paediatrics", "surgery")
DECLARATION = """\
name = "hospital"

[budget]                      # of the whole dataset, for ever
epsilon = "3"
delta = "1e-7"

[unit]
person = "patients.patient"   # one person is one patient, with all their visits

[tables.patients]
source = "patients.parquet"
[tables.patients.columns]
age = { lower = 0, upper = 100 }
town = {}                     # no public list of towns: groups are thresholded

[tables.visits]
source = "visits.parquet"
foreign_keys = { patient = "patients.patient" }
rows_per_person = 20          # of a patient's visits twenty count; of who has more, each counts in part
[tables.visits.columns]
ward.values = [
  "cardiology", "emergency", "maternity", "neurology", "oncology", "orthopaedics", "paediatrics", "surgery",
]
days = { lower = 0, upper = 30 }
cost = { lower = 0, upper = 20000, grid = 0.01 }
diagnosis = {}
"""


TABLES = ("patients", "visits")


def build(folder: Path, *, people: int = PEOPLE, visits: int = VISITS) -> Path:
    """Write patients, visits and their declaration into a folder; the same every time."""
    write_tables(folder, _statements(people, visits), TABLES)
    path = folder / "hospital.toml"
    path.write_text(DECLARATION, encoding="utf-8")
    return path


def _statements(people: int, visits: int) -> list[str]:
    """Hashes are all the chance there is; `even(n, k)` is uniform below one."""
    wards = ", ".join(f"'{ward}'" for ward in WARDS)
    return [
        "CREATE MACRO even(n, k) AS (hash(n, k) // 65536) % 1000003 / 1000003.0",
        f"""CREATE TABLE patients AS SELECT i AS patient,
        floor(101 * (even(i, 1) + even(i, 2)) / 2)::INTEGER AS age,
        'Town ' || lpad((floor(pow(even(i, 3), 3) * 60)::INTEGER)::VARCHAR, 2, '0') AS town
        FROM range({people}) t(i)""",
        f"INSERT INTO patients VALUES ({people}, 57, 'Anchiano')",
        f"""CREATE TABLE visits AS SELECT patient,
        ([{wards}])[1 + floor(8 * (even(patient, 5) + 2 * even(patient * 3 + j % 3, 6)) / 3)::INTEGER] AS ward,
        least(30, floor(-3 * ln(even(j, 7) + 1e-6)))::INTEGER AS days,
        round(least(20000, 150 + exp(5 + 1.6 * (even(j, 8) + even(j, 9)))), 2)::DOUBLE AS cost,
        'D' || lpad((floor(pow(even(j, 10), 4) * 300)::INTEGER)::VARCHAR, 3, '0') AS diagnosis
        FROM (SELECT j, floor(even(j, 4) * {people})::BIGINT AS patient FROM range({visits}) t(j))""",
    ]


def truth(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    """The exact answer, which a curator never gives: for demonstrations on people who do not exist."""
    return exact_answer(folder, TABLES, sql)
