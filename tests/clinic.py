"""The dataset of the SQL cases: users, visits and public cities, clean or with every hostile cell the cases name."""

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

if TYPE_CHECKING:
    from sfumato.curator import Session

USERS = 20_000
DECLARATION = """
[budget]
epsilon = "{epsilon}"
delta = "{delta}"

[unit]
person = "users.user_id"

[tables.users]
source = "users.parquet"
[tables.users.columns]
age = {{ lower = 18, upper = 90 }}
city = {{}}
income = {{ lower = 0, upper = 200000 }}

[tables.visits]
source = "visits.parquet"
foreign_keys = {{ user_id = "users.user_id" }}
rows_per_group = 5
groups_per_person = 3
[tables.visits.columns]
day = {{ lower = 0, upper = 364 }}
city = {{}}
category = {{ values = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] }}
amount = {{ lower = 0, upper = 200, grid = 0.01 }}
note = {{}}

[tables.cities]
source = "cities.parquet"
public = true
"""


def build(folder: Path, *, users: int = USERS, hostile: bool = False) -> None:
    """Write the three Parquet files: seeded by hashes, the same every time."""
    run = duckdb.connect().execute
    run("SET threads=1")
    run(f"""CREATE TABLE users AS SELECT i::BIGINT AS user_id, (18 + hash(i, 'age') % 73)::INTEGER AS age,
        'town ' || (hash(i, 'city') % 8) AS city, (hash(i, 'income') % 1000000 / 10.0)::DOUBLE AS income
        FROM range({users}) t(i)""")
    run(f"""CREATE TABLE visits AS SELECT i::BIGINT AS user_id, (hash(i, j, 'day') % 365)::INTEGER AS day,
        'town ' || (hash(i, j % 3, 'at') % 8) AS city, (hash(i, j % 3, 'category') % 12)::INTEGER AS category,
        (hash(i, j, 'amount') % 20001 / 100.0)::DOUBLE AS amount,
        CASE WHEN hash(i, j, 'note') % 4 > 0 THEN 'x' || (hash(i, j, 'note') % 50) END AS note
        FROM range({users}) t(i), range(5) u(j) WHERE hash(i, j, 'here') % 100 < 60""")
    run(
        "CREATE TABLE cities AS SELECT 'town ' || i AS city, CASE WHEN i < 4 THEN 'north' ELSE 'south' END AS region FROM range(8) t(i)"
    )
    if hostile:
        run("INSERT INTO visits SELECT 42, j % 365, 'town 1', j % 12, 100.0, 'busy' FROM range(300) t(j)")
        run("UPDATE visits SET amount = NULL WHERE hash(user_id, day) % 20 = 0")
        run(
            "INSERT INTO visits VALUES (1, 1, 'town 1', 1, 'nan'::DOUBLE, 'abc'), (2, 1, 'town 1', 1, 'inf'::DOUBLE, ''), (3, 1, 'town 1', 1, '-inf'::DOUBLE, NULL)"
        )
        run(
            "INSERT INTO visits VALUES (NULL, 1, 'town 1', 1, 100.0, 'nobody'), (4, 2147483647, NULL, -7, 1e300, repeat('y', 100000))"
        )
        run(
            "INSERT INTO visits VALUES (9223372036854775807, -5, 'Lonely', 99, -3.0, 'abc'), (7, 3, 'Lonely', 3, 5.0, '12')"
        )
        run("INSERT INTO users VALUES (9223372036854775807, 300, 'Lonely', 'nan'::DOUBLE), (NULL, 50, 'town 1', 1.0)")
    for table in ("users", "visits", "cities"):
        run(f"COPY {table} TO '{folder / table}.parquet' (FORMAT parquet)")


def declare(folder: Path, *, epsilon: str = "1000", delta: str = "1e-3", more: str = "") -> Path:
    """Write the declaration beside the files."""
    path = folder / "clinic.toml"
    path.write_text(DECLARATION.format(epsilon=epsilon, delta=delta) + more, encoding="utf-8")
    return path


def truth(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    """What plain DuckDB says, for tests."""
    run = duckdb.connect().execute
    for table in ("users", "visits", "cities"):
        run(f"CREATE VIEW {table} AS SELECT * FROM '{folder / table}.parquet'")
    return run(sql).fetchall()


def spent(session: "Session") -> Fraction:
    """What was spent of the first of the session's budgets."""
    return session.budget()[0].spent
