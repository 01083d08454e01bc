"""The copy of private tables in order of people, who have numbers in it: of every one of them or none."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sfumato.data import Table, Typed
from sfumato.engines.duckdb.dialect import DUCKDB
from sfumato.engines.duckdb.folder import Folder
from sfumato.engines.duckdb.guard import guarded
from sfumato.engines.duckdb.kept import COPIED, COPIED_FOR_ONE, Readers
from sfumato.engines.duckdb.shapes import copies
from sfumato.engines.progress import Progress
from sfumato.engines.registration import FileState, RegisteredTable, Registration
from sfumato.engines.sql.views import Views
from sfumato.errors import InvalidDeclaration

if TYPE_CHECKING:
    import duckdb

_PEOPLE = "sfumato_people"
_MOST_PEOPLE = 2**31 - 2
"""As many have numbers of 32 bits."""


class Copying:
    """Makes the copies by a connection; `keep` makes a file of ours of a statement's rows."""

    def __init__(
        self,
        connection: "duckdb.DuckDBPyConnection",
        folder: Folder | None,
        seed: int,
        keep: Callable[[Table, str, int], FileState],
        progress: Progress,
    ) -> None:
        self._connection, self._folder, self._seed = connection, folder, seed
        self._keep, self._progress, self._readers = keep, progress, Readers(connection)

    def copied(
        self, typed: Typed, tables: dict[str, RegisteredTable], previous: Registration | None
    ) -> dict[str, RegisteredTable]:
        """The tables with copies in order of people, whose numbers are of all of them: of every private one or none."""
        shapes = copies(typed, tables, self._seed, least=COPIED_FOR_ONE if self._folder is None else COPIED)
        if not shapes:
            return tables
        known = self._known_copies(shapes, previous)
        if known:
            return tables | {name: replace(tables[name], **each) for name, each in known.items()}
        dataset = typed.dataset
        sources = {table.name: self._readers.of(tables[table.name]) for table in dataset.tables}
        views, rows = Views(dataset, sources, self._seed, DUCKDB, person=typed.person_kind()), dict[str, str]()
        private = {table.name: table for table in dataset.tables if table.name in shapes}
        for name, table in private.items():
            cut = tables[name].cut
            rows[name] = f"({views.rows(table)})" if cut is None else self._readers.kept(cut)
        with guarded(lambda: _unprepared(next(iter(private)))):
            self._progress("people in order", 0.0)
            self._connection.execute(f"CREATE OR REPLACE TEMP TABLE {_PEOPLE} AS {views.people(list(rows.values()))}")
            people = int(self._connection.execute(f"SELECT count(*) FROM {_PEOPLE}").fetchall()[0][0])
        made = dict(tables)
        try:
            for name, table in private.items() if people <= _MOST_PEOPLE else ():
                self._progress(f"{name}: a copy in order of people", 0.0)
                copy = self._keep(table, views.numbered(rows[name], _PEOPLE), made[name].rows)
                made[name] = replace(made[name], copy_shape=shapes[name], copy=copy, people=people)
        finally:
            self._connection.execute(f"DROP TABLE IF EXISTS {_PEOPLE}")
        return made

    def _known_copies(self, shapes: dict[str, str], previous: Registration | None) -> dict[str, dict[str, Any]]:
        """The copies that were made before of the same rows, if all of them are there."""
        found: dict[str, dict[str, Any]] = {}
        for name, shape in shapes.items():
            known = previous.tables.get(name) if previous is not None else None
            if known is None or previous is None or known.copy is None or known.copy_shape != shape:
                return {}
            if (
                self._folder is None
                or not self._folder.holds(known.copy.path)
                or not known.copy.is_still(since=previous.made)
            ):
                return {}
            found[name] = {"copy_shape": shape, "copy": known.copy, "people": known.people}
        return found


def _unprepared(table: str) -> InvalidDeclaration:
    return InvalidDeclaration(
        f"[tables.{table}] could not be prepared", hint="see its source, the memory limit and the folder"
    )
