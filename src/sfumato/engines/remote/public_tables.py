"""Public tables for plain SQL: fetched once into a database of their own, in which nothing else has a name.

An analyst's own text never reaches the server: whoever asks there could read private tables too.
"""

from collections.abc import Callable, Mapping
from typing import Any

from sfumato.data import Kind
from sfumato.engines.duckdb.dialect import quoted, type_of
from sfumato.engines.duckdb.public_tables import found_in
from sfumato.engines.engine import PublicRows
from sfumato.errors import InvalidQuestion
from sfumato.query.public_question import PublicQuestion

MOST_ROWS = 1_000_000
_BATCH = 10_000
Columns = Mapping[str, Kind]
Lines = list[tuple[Any, ...]]


class FetchedTables:
    """A small database of the public tables that were asked about; `fetch` gives the rows of one."""

    def __init__(self, columns: Mapping[str, Columns], fetch: Callable[[str, int], Lines]) -> None:
        import duckdb

        self._columns, self._fetch, self._held = columns, fetch, set[str]()
        self._connection = duckdb.connect(
            config={"autoinstall_known_extensions": False, "autoload_known_extensions": False}
        )
        self._connection.execute("SET TimeZone='UTC'")
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute("SET lock_configuration = true")

    def ask(self, question: PublicQuestion, *, seconds: float) -> PublicRows:
        """What a question finds."""
        for name in question.tables:
            if name not in self._held:
                self._load(name)
                self._held.add(name)
        return found_in(self._connection.cursor(), question, seconds=seconds)

    def _load(self, name: str) -> None:
        lines, columns = self._fetch(name, MOST_ROWS + 1), self._columns[name]
        if len(lines) > MOST_ROWS:
            raise InvalidQuestion(
                f"the public table {name} has more than {MOST_ROWS:,} rows",
                hint="it is joined where it is: ask about private rows, or ask the owner for a smaller view of it",
            )
        made = ", ".join(f"{quoted(column)} {type_of(kind)}" for column, kind in columns.items())
        self._connection.execute(f"CREATE OR REPLACE TABLE {quoted(name)} ({made})")
        places = ", ".join("?" for _ in columns)
        for start in range(0, len(lines), _BATCH):
            self._connection.executemany(f"INSERT INTO {quoted(name)} VALUES ({places})", lines[start : start + _BATCH])

    def close(self) -> None:
        """Forget them."""
        self._connection.close()
