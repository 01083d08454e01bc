"""Registration: every source is read through once, by its owner; what is left for questions is clean and of one kind.

Every source is converted into the engine's own columnar form: what is left for questions was written by us. Readers
believe what a file says of its own columns (a Parquet footer leaves NaN out of a column's extremes, and a question then
sees other rows for one person's value), fail on cells, or compute on them; here they read every cell, once. Nothing
that is found in a cell decides anything about another cell, or the whole is refused: row by row it is a stable map in
the sense of McSherry (2009), so that neighbours of the sources are neighbours of what is registered.
"""

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.data import Dataset, Kind, SourceColumn, Table, Typed, place_of, typed
from sfumato.engines.duckdb.cells import in_calendar
from sfumato.engines.duckdb.connection import plain_name
from sfumato.engines.duckdb.copying import Copying
from sfumato.engines.duckdb.counting import added, digest_of_rows, refused_cells
from sfumato.engines.duckdb.dialect import DUCKDB, quoted, type_of
from sfumato.engines.duckdb.folder import Folder
from sfumato.engines.duckdb.frames import EXACT, GivenTable, rounded_numbers
from sfumato.engines.duckdb.guard import guarded
from sfumato.engines.duckdb.kept import MANY, Making, Readers
from sfumato.engines.duckdb.lines import Lines
from sfumato.engines.duckdb.readings import ColumnReading, readings
from sfumato.engines.duckdb.records import agrees, reader_of, write_records
from sfumato.engines.duckdb.shapes import about, cuts, shape_of
from sfumato.engines.duckdb.sources import check_files, database, described, form, kind_of, parquet, reader
from sfumato.engines.duckdb.unreadable import batches
from sfumato.engines.duckdb.workspace import Workspace
from sfumato.engines.progress import Progress, no_progress
from sfumato.engines.registration import FileState, Part, RegisteredTable, Registration, digest_of, now, stat_of
from sfumato.engines.sql.relations import PERSON
from sfumato.engines.sql.views import Views
from sfumato.errors import InvalidDeclaration

if TYPE_CHECKING:
    import duckdb


_RAW = "sfumato_raw"
_A_LINE = 16
"""Bytes that a line of a file has at least, for a guess at how many there are."""
_WIDE = ("UBIGINT", "HUGEINT", "UHUGEINT")
_MOMENTS = (Kind.DATE, Kind.TIMESTAMP)


class Registrar:
    """Registers a dataset by a connection that is good for nothing else yet, or will be the engine's.

    In a `folder` what is made stays, for the next opening; without one it lives as long as the workspace.
    """

    def __init__(
        self,
        dataset: Dataset,
        connection: "duckdb.DuckDBPyConnection",
        workspace: Workspace,
        *,
        folder: Folder | None = None,
        seed: int = 0,
        progress: Progress = no_progress,
    ) -> None:
        import duckdb

        self._dataset, self._connection, self._workspace = dataset, connection, workspace
        self._folder, self._seed, self._progress = folder, seed, progress
        self._failures, self._readers = duckdb.Error, Readers(connection)
        self._with = (connection, folder, seed, self._keep, progress)
        self._given: dict[str, GivenTable] = {}
        self._seen: dict[str, tuple[int, ...]] = {}
        """Every source as it was before anything of it was looked at."""

    # ---- schemas ----

    def schemas(self) -> dict[str, list[SourceColumn]]:
        """The columns of every source, from headers alone."""
        made = {}
        for i, table in enumerate(self._dataset.tables):
            check_files(table)
            for file in table.files:
                self._seen.setdefault(place_of(file), stat_of(file))
            if not table.files:
                self._given[table.name] = GivenTable(i, table)
            made[table.name] = described(self._connection, i, table, self._named, self._given.get(table.name))
        return made

    def _named(self, file: str) -> str:
        return plain_name(file, self._workspace)

    # ---- registration ----

    def register(self, previous: Registration | None = None, *, anew: bool = False) -> tuple[Registration, Typed]:
        """The record of everything; what `previous` holds of files that are the same is not read again.

        Unless all is to be read `anew`, what another process has registered meanwhile is as good.
        """
        self._connection.execute("SET disabled_optimizers = 'statistics_propagation,filter_pushdown'")
        schemas = self.schemas()
        made_of = typed(self._dataset, schemas)
        with self._alone():
            if self._folder is not None and not anew:
                previous = Registration.read(Path(self._dataset.registration)) or previous
            tables: dict[str, RegisteredTable] = {}
            for i, table in enumerate(self._dataset.tables):
                read = readings(made_of, table)
                known = self._usable(table, read, previous)
                tables[table.name] = self._table(i, table, schemas[table.name], read, known)
            self._connection.execute("SET disabled_optimizers = ''")  # what is read from here on was written by us
            tables = Copying(*self._with).copied(made_of, self._cut(made_of, tables, previous), previous)
            made = Registration(tables, about(made_of.dataset), now() if self._folder is not None else 0)
            if self._folder is not None:
                left = self._registered()
                made.write(Path(self._dataset.registration), self._folder.new())
                self._folder.remove_elsewhere(left)
        self.let_go()
        return made, made_of

    def let_go(self) -> None:
        """Close the owner's databases and forget what was given in memory."""
        for given in self._given.values():
            given.withdraw(self._connection)
        for i, table in enumerate(self._dataset.tables):
            if form(table) == "duckdb":
                self._connection.execute(f"DETACH DATABASE IF EXISTS {database(i)}")

    def _alone(self) -> AbstractContextManager[None]:
        return nullcontext() if self._folder is None else self._folder.making(self._registered)

    def _registered(self) -> list[str]:
        """The files of ours that the record names which is there now."""
        return Registration.paths(Path(self._dataset.registration))

    def _usable(self, table: Table, readings: list[ColumnReading], previous: Registration | None) -> dict[str, Part]:
        """The parts that were made before, of files that are the same and are read in the same way."""
        known = previous.tables.get(table.name) if previous is not None else None
        if known is None or previous is None or known.shape != shape_of(table, readings):
            return {}
        return {
            part.source.path: part
            for part in known.parts
            if part.source is not None and self._is_ours(part.kept) and part.is_still(since=previous.made)
        }

    def _is_ours(self, kept: FileState) -> bool:
        """Whether what was made lies where it is to be kept: the owner may have named another folder since."""
        return self._folder is not None and self._folder.holds(kept.path)

    def _table(
        self, i: int, table: Table, columns: list[SourceColumn], readings: list[ColumnReading], known: dict[str, Part]
    ) -> RegisteredTable:
        shape = shape_of(table, readings)
        if not table.files:
            made, digest = self._of_memory(table, readings)
            return RegisteredTable(tuple(columns), shape, (made,), memory=digest)
        parts = [known.get(place_of(file)) or self._of_file(i, table, file, readings) for file in table.files]
        return RegisteredTable(tuple(columns), shape, tuple(parts))

    def _of_file(self, i: int, table: Table, file: str, readings: list[ColumnReading]) -> Part:
        with guarded(lambda: _unprepared(table)):
            return self._part(i, table, file, readings)

    def _part(self, i: int, table: Table, file: str, readings: list[ColumnReading]) -> Part:
        path = place_of(file)
        self._progress(Path(path).name, 0.0)
        kind = form(table)
        if kind == "csv":
            part = self._of_lines(table, file, readings)
        else:
            source = FileState(path, digest_of(path), self._seen[path])
            if kind == "parquet" and table.unreadable == "null":
                part = self._of_batches(table, path, readings, source)
            else:
                rows = reader(i, table) if kind == "duckdb" else parquet([self._named(path)])
                part = self._of_rows(table, path, rows, readings, source)
        if stat_of(path) != self._seen[path]:
            raise InvalidDeclaration(
                f"[tables.{table.name}] {Path(path).name} changed while it was read", hint="register it again"
            )
        self._progress(Path(path).name, 1.0)
        return part

    def _making(self, table: Table, columns: list[ColumnReading] | None, rows: int) -> Making:
        return Making(self._connection, self._workspace, self._folder, table.name, columns=columns, rows=rows)

    # ---- files of separated values ----

    def _of_lines(self, table: Table, file: str, readings: list[ColumnReading]) -> Part:
        path = place_of(file)
        lines = Lines(path, table.dialect, file, where=f"[tables.{table.name}]")
        lost: dict[str, int] = {}
        chunk = self._workspace.path / "records.csv"
        try:
            with self._making(table, readings, self._seen[path][0] // _A_LINE) as making:
                for records in lines.chunks():
                    write_records(records, chunk, lines.width, table.dialect)
                    there = reader_of(chunk, lines.names, table.dialect)
                    self._connection.execute(f"CREATE OR REPLACE TEMP TABLE {_RAW} AS SELECT * FROM {there}")
                    _, more, _ = self._counted(_RAW, readings)
                    if not agrees(self._connection, _RAW, lines.names, records):
                        raise InvalidDeclaration(
                            f"[tables.{table.name}] {Path(path).name} could not be read record by record",
                            hint="please report it: sfumato docs security",
                        )
                    making.add(_RAW)
                    lost = added(lost, more)
                    self._progress(Path(path).name, records.share)
                kept = making.keep()
        finally:
            lines.close()
            chunk.unlink(missing_ok=True)
            self._connection.execute(f"DROP TABLE IF EXISTS {_RAW}")
        return Part(FileState(path, lines.digest, self._seen[path]), kept, lines.records, lost)

    # ---- rows that have types ----

    def _of_rows(
        self, table: Table, path: str | None, rows: str, readings: list[ColumnReading], source: FileState | None
    ) -> Part:
        """A part whose rows the engine can read; one that it cannot read is refused, with what Arrow finds in it."""
        try:
            number, lost, unreadable = self._counted(rows, readings)
        except self._failures:
            if form(table) == "duckdb" or (path is None and self._given[table.name].is_pandas):
                raise
            return self._of_batches(table, path, readings, source)  # which counts, and refuses
        if unreadable and table.unreadable == "refuse":
            raise refused_cells(table, unreadable)
        self._check_keys(table, readings, lost)
        self._check_whole(table, rows, readings)
        with self._making(table, readings, number) as making:
            making.add(rows)
            if making.rows != number:
                raise InvalidDeclaration(
                    f"[tables.{table.name}] source changed while it was read", hint="give it when nobody writes to it"
                )
            kept = making.keep()
        return Part(source, kept, number, added(lost, unreadable))

    @staticmethod
    def _check_keys(table: Table, readings: list[ColumnReading], lost: dict[str, int]) -> None:
        """Refuse people whose numbers are too large: they would be nobody."""
        for reading in readings:
            wide = reading.source.type in _WIDE or reading.source.type.startswith("DECIMAL")
            if reading.is_key and reading.kind is Kind.INTEGER and wide and lost.get(reading.name):
                raise InvalidDeclaration(
                    f"[tables.{table.name}] column `{reading.name}` says whose a row is, in over 63 bits",
                    hint=f'declare the person as text: {reading.name} = {{ type = "text" }}',
                )

    def _check_whole(self, table: Table, rows: str, readings: list[ColumnReading], cells: Iterable[str] = ()) -> None:
        """Refuse whole numbers that doubles may have rounded: people, and what a missing cell of a frame made real.

        Two people of over 53 bits would be one in such a column, and one person another than in other tables.
        """
        for reading, made in zip_longest(readings, cells):
            source = reading.source
            rounds = reading.kind is Kind.INTEGER and source.type in EXACT
            if not rounds or not (source.uncertain or reading.is_key):
                continue
            number, most = made or quoted(source.name), EXACT[source.type]
            if self._finds(f"SELECT 1 FROM {rows} WHERE isfinite({number}) AND abs({number}) >= {most} LIMIT 1"):
                mend = 'df.astype({"id": "Int64"})' if source.uncertain else "CAST(id AS BIGINT)"
                raise rounded_numbers(table, reading.name, mend)

    def _of_batches(
        self, table: Table, path: str | None, readings: list[ColumnReading], source: FileState | None
    ) -> Part:
        """The same of what ends the engine's reader."""
        number, lost, unreadable = 0, dict[str, int](), dict[str, int]()
        with self._making(table, readings, MANY) as making:
            for batch, made in batches(path or self._given[table.name].source, readings):
                self._connection.register(_RAW, batch)
                self._check_types(table, readings, made)
                self._check_whole(table, _RAW, readings, made)
                columns = [reading.over(cell) for reading, cell in zip(readings, made, strict=True)]
                read = [
                    f"count({quoted(r.source.name)}) - count({cell})" for r, cell in zip(readings, made, strict=True)
                ]
                fits = [f"count({cell}) - count({sql})" for cell, sql in zip(made, columns, strict=True)]
                found = self._connection.execute(
                    f"SELECT {', '.join(['count(*)', *read, *fits])} FROM {_RAW}"
                ).fetchall()[0]
                number += found[0]
                unreadable = added(unreadable, dict(zip((r.name for r in readings), found[1:], strict=False)))
                lost = added(lost, dict(zip((r.name for r in readings), found[1 + len(readings) :], strict=True)))
                making.add(_RAW, columns)
                self._connection.unregister(_RAW)
            if table.unreadable == "refuse":  # the engine's reader has failed, and a row may not change who reads
                raise refused_cells(table, unreadable) if any(unreadable.values()) else _unprepared(table)
            self._check_keys(table, readings, lost)
            kept = making.keep()
        return Part(source, kept, number, added(lost, unreadable))

    def _check_types(self, table: Table, readings: list[ColumnReading], made: list[str]) -> None:
        """Refuse what Arrow hands over as another kind than the engine's own reader would."""
        types = {str(row[0]): str(row[1]) for row in self._connection.execute(f"DESCRIBE {_RAW}").fetchall()}
        for reading, sql in zip(readings, made, strict=True):
            name = reading.source.name
            if sql == quoted(name) and kind_of(types[name]) is not reading.source.kind:
                raise InvalidDeclaration(
                    f"[tables.{table.name}] column `{name}` cannot be read beside cells that are unreadable",
                    hint=f'hide it: hidden = ["{name}"], or leave unreadable = "null" out',
                )

    def _of_memory(self, table: Table, readings: list[ColumnReading]) -> tuple[Part, str]:
        """A table in memory, copied to where nobody else can change it, and a digest of its rows."""
        given = self._given[table.name]
        with guarded(given.unreadable):
            if table.unreadable == "null" and not given.is_pandas:
                part = self._of_batches(table, None, readings, None)
            else:
                part = self._of_rows(table, None, given.name, given.prepared(self._connection, readings), None)
            part = replace(part, lost=added(part.lost, given.lost))
            return part, digest_of_rows(self._connection, self._readers.kept(part.kept))

    def _counted(self, rows: str, readings: list[ColumnReading]) -> tuple[int, dict[str, int], dict[str, int]]:
        """How many rows there are and, by column, cells that are not of the declared kind, or that cannot be read."""
        asked, about = ["count(*)"], []
        for reading in readings:
            name, held = quoted(reading.source.name), reading.source.kind
            there = f"count({name})"
            readable = there
            if held is Kind.TEXT and reading.source.type == "VARCHAR":
                readable = f"count(TRY(decode(encode({name}))))"
            elif held in _MOMENTS:
                cast = f"TRY_CAST({name} AS {type_of(held)})"
                readable = f"count({in_calendar(cast, held)})"
            if readable is not there:
                about.append((reading.name, True))
                asked.append(f"{there} - {readable}")
            if reading.kind is not held or reading.is_key or reading.source.loose:
                about.append((reading.name, False))
                asked.append(f"{readable} - count({reading.sql})")
        found = self._connection.execute(f"SELECT {', '.join(asked)} FROM {rows}").fetchall()[0]
        lost, unreadable = dict[str, int](), dict[str, int]()
        for (name, is_unreadable), number in zip(about, found[1:], strict=True):
            if number:
                (unreadable if is_unreadable else lost)[name] = int(number)
        return int(found[0]), lost, unreadable

    # ---- what is made of the parts ----

    def _cut(
        self, typed: Typed, tables: dict[str, RegisteredTable], previous: Registration | None
    ) -> dict[str, RegisteredTable]:
        """The tables with their rows cut, and with what repeats in them."""
        dataset = typed.dataset
        sources = {table.name: self._readers.of(tables[table.name]) for table in dataset.tables}
        views, made = Views(dataset, sources, self._seed, DUCKDB, person=typed.person_kind()), dict(tables)
        for name, (most, shape) in cuts(typed, tables, self._seed).items():
            table = dataset.table(name)
            assert table is not None
            made[name] = replace(made[name], cut_shape=shape)
            # one row a person is what joins with it count on, whatever the file holds
            if table.cut is None and not self._finds(views.twice(f"({views.rows(table)})", (PERSON,))):
                continue
            known = previous.tables.get(name) if previous is not None else None
            cut = known.cut if known is not None and known.cut_shape == shape else None
            if cut is None or previous is None or not self._is_ours(cut) or not cut.is_still(since=previous.made):
                self._progress(f"{name}: {most} rows a person", 0.0)
                cut = self._keep(table, views.cut(table, most), made[name].rows)
            made[name] = replace(made[name], cut=cut)
        return {name: replace(each, repeated=self._repeated(dataset, views, made, name)) for name, each in made.items()}

    def _repeated(
        self, dataset: Dataset, views: Views, tables: dict[str, RegisteredTable], name: str
    ) -> tuple[str, ...]:
        """The columns that foreign keys of private tables lead to where one person has a value twice."""
        table = dataset.table(name)
        assert table is not None
        if table.public or dataset.unit is None or dataset.holds_people(table):
            return ()
        private = [each for each in dataset.tables if not each.public]
        led = {key[2].lower() for each in private for key in each.foreign_keys if key[1].lower() == name.lower()}
        cut = tables[name].cut
        rows = f"({views.rows(table)})" if cut is None else self._readers.kept(cut)
        return tuple(
            column.name
            for column in table.columns
            if column.name.lower() in led and self._finds(views.twice(rows, (PERSON, quoted(column.name))))
        )

    def _finds(self, text: str) -> bool:
        return bool(self._connection.execute(text).fetchall())

    def _keep(self, table: Table, statement: str, rows: int) -> FileState:
        """The rows of a statement as a file of ours."""
        with guarded(lambda: _unprepared(table)), self._making(table, None, rows) as making:
            making.make(statement)
            return making.keep()


def _unprepared(table: Table) -> InvalidDeclaration:
    return InvalidDeclaration(
        f"[tables.{table.name}] could not be prepared", hint="see its source, the memory limit and the folder"
    )
