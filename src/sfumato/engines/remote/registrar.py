"""Registration on a server: what is not a cell is written down, and tables of ours are made where the rows are.

Rows are read where they are, or copied into a schema of Sfumato's own by the server itself: none passes through here.
Copies are what they were at one moment. Rows that stay where they are may change, so something must name them as they
are (a word of the owner's, a query, or the server), and nothing is believed of them that the server does not keep: a
key that is not unique by a constraint is taken to repeat.
"""

import hashlib
import uuid

from sfumato.data import Dataset, SourceColumn, Table, Typed, typed
from sfumato.engines.progress import Progress, no_progress
from sfumato.engines.registration import RegisteredTable, Registration
from sfumato.engines.remote.readers import columns_of, is_converted, reader, remote
from sfumato.engines.remote.server import Server, ServerWriter
from sfumato.engines.sql.fetched import Fetch, whole_numbers
from sfumato.engines.sql.relations import PERSON
from sfumato.engines.sql.views import Views
from sfumato.errors import InvalidDeclaration

_OWNER = "the owner registers it: sfumato register"
_LONGEST = 40


def schemas_of(dataset: Dataset, server: Server) -> dict[str, list[SourceColumn]]:
    """The columns of every relation, from the catalogue alone; no two names differ in case alone."""
    made = {table.name: server.columns(f"[tables.{table.name}]", remote(table)) for table in dataset.tables}
    for name, columns in made.items():
        if len({column.name.lower() for column in columns}) < len(columns):
            raise InvalidDeclaration(
                f"[tables.{name}] relation: two columns have the same name",
                hint="letters of either case are the same: name a view in which one is called otherwise",
            )
    return made


class RemoteRegistrar:
    """Registers a dataset whose tables are on a server; tables of ours are made by a writer, if there are to be any."""

    def __init__(self, dataset: Dataset, server: Server, *, seed: int, progress: Progress = no_progress) -> None:
        self._server, self._seed, self._progress = server, seed, progress
        self.typed: Typed = typed(dataset, schemas_of(dataset, server))
        self._dataset = self.typed.dataset
        self.readers = {table.name: reader(server, self.typed, table) for table in self._dataset.tables}
        self.views = Views(self._dataset, self.readers, seed, server.dialect, person=self.typed.person_kind())

    # ---- what is to be kept ----

    def is_kept(self, table: Table) -> bool:
        """Whether registration makes a table of ours."""
        return bool(self._dataset.engine.copy) or table.cut is not None

    def check_places(self) -> None:
        """Refuse what cannot be registered: tables of ours without a schema, and changing rows that nothing names."""
        kept = [table for table in self._dataset.tables if self.is_kept(table)]
        if kept and not self._dataset.engine.schema:
            what = "[engine] copy" if self._dataset.engine.copy else f"[tables.{kept[0].name}] materialise"
            raise InvalidDeclaration(
                f"{what} writes a table, and no schema is named for it",
                hint='[engine] schema = "sfumato", which whoever registers may write in, and whoever asks may read',
            )
        if self._dataset.version or self._dataset.version_query:
            return
        for table in self._dataset.tables:
            if not self.is_kept(table) and self._server.changes(remote(table)) is None:
                raise InvalidDeclaration(
                    f"[tables.{table.name}] is read where it is, and nothing says when its rows change",
                    hint='version_query = "SELECT max(batch) FROM clinic.loads"; or version = "2026-11", to be changed '
                    "with the data; or [engine] copy = true, which keeps them as registered",
                )

    # ---- registration ----

    def register(self, fetch: Fetch, writer: ServerWriter | None, named: str) -> Registration:
        """The record of everything; `named` is what the version query found now."""
        self.check_places()
        dataset, made = self._dataset, dict[str, RegisteredTable]()
        if writer is None and any(map(self.is_kept, dataset.tables)):
            raise InvalidDeclaration(
                f"registration writes tables into {dataset.engine.schema}, and nobody is named who may",
                hint="sfumato register --as postgresql://owner@host/db, or whatever the server's address is",
            )
        written: list[str] = []
        try:
            for table in dataset.tables:
                self._progress(table.name, 0.0)
                made[table.name] = self._table(table, fetch, writer, named, written)
                self._progress(table.name, 1.0)
        except BaseException:
            if writer is not None:
                for name in written:
                    writer.drop(dataset.engine.schema, name)
            raise
        return Registration(made, self.about(), 0)

    def _table(
        self, table: Table, fetch: Fetch, writer: ServerWriter | None, named: str, written: list[str]
    ) -> RegisteredTable:
        number, lost = self._counted(table, fetch)
        kept, cut = "", ""
        if self.is_kept(table):
            assert writer is not None
            kept = self._new_name(table)
            most = table.cut or (1 if self._dataset.holds_people(table) and self.views.is_private(table) else None)
            statement = self.views.rows(table) if most is None else self.views.cut(table, most)
            cut = "" if most is None else str(most)
            written.append(kept)
            by = [PERSON] if self.views.is_private(table) else []
            writer.make(self._dataset.engine.schema, kept, statement, by=by)
            read, names = writer.fetch, uuid.uuid4().hex
            source = self._server.ours(self._dataset.engine.schema, kept)
            repeated = self._repeats(table, source, read)
        else:
            names = self._dataset.version or named or self._server.changes(remote(table)) or ""
            repeated = self.may_repeat(table)
        return RegisteredTable(
            tuple(self.typed.schemas[table.name]),
            self.shape(table),
            (),
            cut_shape=cut,
            repeated=repeated,
            memory=_digest(remote(table).place, remote(table).name, names),
            kept=kept,
            number=number,
            lost_cells=lost,
        )

    def _counted(self, table: Table, fetch: Fetch) -> tuple[int, dict[str, int]]:
        """How many rows there are, and of how many cells a value is lost, for the owner."""
        dialect, server = self._server.dialect, self._server
        known = [source for source, kind in columns_of(self.typed, table) if is_converted(source, kind)]
        asked = ["count(*) AS n"]
        cells = f"SELECT {', '.join(dialect.quoted(s.name) for s in known) or '1 AS nothing'} FROM "
        asked += [f"count({dialect.quoted(source.name)}) AS n{i}" for i, source in enumerate(known)]
        there = fetch(f"SELECT {', '.join(asked)} FROM ({cells}{server.relation(remote(table))}) t")
        read = fetch(f"SELECT {', '.join(asked)} FROM ({cells}{self.readers[table.name]} r) t") if known else there
        lost = {
            source.name: int(whole_numbers(there[f"n{i}"])[0]) - int(whole_numbers(read[f"n{i}"])[0])
            for i, source in enumerate(known)
        }
        return int(whole_numbers(there["n"])[0]), {name: number for name, number in lost.items() if number}

    def _new_name(self, table: Table) -> str:
        words = "".join(c if c.isascii() and c.isalnum() else "_" for c in f"{self._dataset.name}_{table.name}")
        return f"{words.lower()[:_LONGEST]}_{uuid.uuid4().hex[:12]}"

    # ---- what repeats ----

    def _led(self, table: Table) -> list[str]:
        """The columns of a private table that foreign keys of private tables lead to."""
        if table.public or self._dataset.unit is None:
            return []
        private = [each for each in self._dataset.tables if not each.public]
        led = {key[2].lower() for each in private for key in each.foreign_keys if key[1].lower() == table.name.lower()}
        return [column.name for column in table.columns if column.name.lower() in led]

    def _repeats(self, table: Table, source: str, fetch: Fetch) -> tuple[str, ...]:
        """Those of which one person has a value twice, in rows that do not change any more."""
        if self._dataset.holds_people(table):
            return ()
        quoted = self._server.dialect.quoted
        return tuple(
            name for name in self._led(table) if _finds(fetch, self.views.twice(source, (PERSON, quoted(name))))
        )

    def may_repeat(self, table: Table) -> tuple[str, ...]:
        """Those that the server does not keep unique; a person's own table is brought to one row each."""
        if self._dataset.holds_people(table):
            return ()
        led = self._led(table)
        unique = self._server.unique(remote(table), led) if led else frozenset()
        return tuple(name for name in led if name not in unique)

    def is_one_row_each(self, table: Table) -> bool:
        """Whether the server keeps it that a person has one row in their own table."""
        assert self._dataset.unit is not None
        column = self._dataset.unit[1]
        return column in self._server.unique(remote(table), [column])

    # ---- what decides ----

    def shape(self, table: Table) -> str:
        """A digest of how a table's columns are read, and of what is kept of it."""
        kept = (self._dataset.engine.schema, table.cut, self._seed) if self.is_kept(table) else ()
        columns = [(source.name, source.type) for source in self.typed.schemas[table.name]]
        return _digest(self.readers[table.name], columns, kept, remote(table).place)

    def about(self) -> str:
        """A digest of who one person is, how tables lead there, and which columns of them are shown."""
        tables = [
            (t.name, t.public, t.foreign_keys, self._dataset.holds_people(t), [column.name for column in t.columns])
            for t in self._dataset.tables
        ]
        return _digest(self._dataset.unit, tables)

    def check_unchanged(self, found: Registration) -> None:
        """Refuse a record of other tables, of tables read otherwise, or of tables of ours that are gone."""
        same = list(found.tables) == [table.name for table in self._dataset.tables] and found.about == self.about()
        if not same or any(found.tables[t.name].shape != self.shape(t) for t in self._dataset.tables):
            raise InvalidDeclaration(
                f"dataset {self._dataset.name} changed since it was registered, or its tables did", hint=_OWNER
            )
        kept = [each.kept for each in found.tables.values() if each.kept]
        if kept and not self._server.schema_holds(self._dataset.engine.schema, kept):
            raise InvalidDeclaration(
                f"what was registered is no longer in {self._dataset.engine.schema}, or cannot be read", hint=_OWNER
            )

    def sources(self, found: Registration) -> dict[str, str]:
        """What stands behind FROM for every table: ours, or the rows where they are, one a person where it must be."""
        made = {}
        for table in self._dataset.tables:
            kept = found.tables[table.name].kept
            if kept:
                made[table.name] = self._server.ours(self._dataset.engine.schema, kept)
            elif self._dataset.holds_people(table) and not self.is_one_row_each(table):
                made[table.name] = f"({self.views.cut(table, 1)}) {self._server.dialect.quoted(table.name)}"
            else:
                made[table.name] = f"({self.views.rows(table)}) {self._server.dialect.quoted(table.name)}"
        return made


def _finds(fetch: Fetch, text: str) -> bool:
    found = fetch(text)
    return any(len(column) for column in found.values())


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()
