"""What version 0.1 wrote for one function, kept as it was: a lesson asks it, and no question reaches it."""

from collections.abc import Sequence

from sfumato.engines.engine import Engine
from sfumato.errors import EngineFailed
from sfumato.query.price import PricedQuery

FAR_AWAY = "5877642-06-25 (BC)"
"""A day whose week DuckDB cannot compute."""


def fails_today(engine: Engine, query: PricedQuery) -> bool:
    """Whether a question fails in an engine as it is today; of what it computes nothing is kept."""
    try:
        engine.aggregate(query)
    except EngineFailed:
        return True
    return False


class FirstVersion:
    """A few rows behind the SQL that version 0.1 wrote for WEEK(CAST(… AS DATE)): the part of a day as it came."""

    def __init__(self, rows: Sequence[tuple[int, str, float | None]]) -> None:
        import duckdb

        self._failures = duckdb.Error
        self._connection: duckdb.DuckDBPyConnection = duckdb.connect()
        self._connection.execute("CREATE TABLE rows (person BIGINT, kind VARCHAR, amount DOUBLE)")
        self._connection.executemany("INSERT INTO rows VALUES (?, ?, ?)", [list(row) for row in rows])

    def fails(self, person: int, amount: int) -> bool:
        """Whether the question fails in which only a row of this person with at most this amount meets the far day."""
        day = f"CASE WHEN (person = {person}) AND (amount <= {amount}) THEN '{FAR_AWAY}' ELSE '2020-01-01' END"
        week = f"CAST(date_part('week', TRY_CAST({day} AS DATE)) AS DOUBLE)"
        try:
            self._connection.execute(f"SELECT count(*) FROM rows WHERE ({week} > CAST('1' AS DOUBLE))").fetchall()
        except self._failures:
            return True
        return False

    def close(self) -> None:
        """Forget the rows."""
        self._connection.close()
