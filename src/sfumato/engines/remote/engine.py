"""An engine on a server: it asks where the rows are, in one snapshot a question, and only the aggregate travels."""

import hashlib
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.data import Dataset, Kind, SourceColumn, Typed, typed
from sfumato.engines.engine import ExactCells, ExactTable, PublicRows
from sfumato.engines.progress import Progress, no_progress
from sfumato.engines.registration import Registration
from sfumato.engines.remote.public_tables import FetchedTables
from sfumato.engines.remote.registrar import RemoteRegistrar, schemas_of
from sfumato.engines.remote.server import Server, ServerWriter
from sfumato.engines.sql import hashing
from sfumato.engines.sql.fetched import Fetch, exact_cells, exact_table, whole_numbers
from sfumato.engines.sql.statements import Statements
from sfumato.errors import EngineFailed, InvalidDeclaration, InvalidParameter
from sfumato.query.price import PricedQuery
from sfumato.query.public_question import PublicQuestion
from sfumato.query.workload import PricedWorkload

Exact = TypeVar("Exact", ExactTable, ExactCells)
_MOST_PUBLIC_VALUES = 10_000
_FAILED = "the engine did not finish; the charge stays"
_OWNER = "the owner registers it: sfumato register"


class RemoteEngine:
    """The registered tables of a dataset on a server; the server is closed with it."""

    def __init__(self, dataset: Dataset, server: Server, *, progress: Progress = no_progress) -> None:
        self._server, self.name = server, server.dialect.name
        self._public: dict[tuple[str, ...], Any] = {}
        self._lock = threading.Lock()
        self._apart: FetchedTables | None = None
        self.seed = hashing.seed_of(dataset)
        try:
            self._registrar = RemoteRegistrar(dataset, server, seed=self.seed, progress=progress)
            self._typed = self._registrar.typed
            self.dataset: Dataset = self._typed.dataset
            self._registration = self._registered()
            self._sources = self._registrar.sources(self._registration)
        except BaseException:
            server.close()
            raise
        self._kept = all(each.kept for each in self._registration.tables.values())
        repeated = frozenset((name, column) for name, t in self._registration.tables.items() for column in t.repeated)
        self._statements = Statements(
            self.dataset,
            server.dialect,
            self.seed,
            person=self._typed.person_kind(),
            repeated=repeated,
            sources=self._sources,
        )
        try:
            self._opened_version = self.version()
        except BaseException:
            server.close()
            raise

    def _registered(self) -> Registration:
        """The record that is there; where nothing is to be written, one is made by whoever opens."""
        registrar = self._registrar
        path = Path(self.dataset.registration) if self.dataset.registration else None
        found = Registration.read(path) if path is not None else None
        if found is None:
            registrar.check_places()
            if any(map(registrar.is_kept, self.dataset.tables)):
                what = "is not registered" if path is not None else "is a dictionary, and has tables to be written"
                raise InvalidDeclaration(f"dataset {self.dataset.name} {what}", hint=_OWNER)
            with self._server.reading(self.dataset.engine.timeout) as fetch:
                return registrar.register(fetch, None, named_by(self.dataset, fetch))
        registrar.check_unchanged(found)
        fresh = {
            name: each if each.kept else replace(each, repeated=registrar.may_repeat(_table(self.dataset, name)))
            for name, each in found.tables.items()
        }
        return replace(found, tables=fresh)

    # ---- what anyone may know ----

    def schema(self, table: str) -> list[tuple[str, Kind | None]]:
        """The columns of a source and their kinds, as they were registered."""
        return [(column.name, column.kind) for column in self._registration.tables[table].columns]

    def values(self, table: str, column: str) -> tuple[Any, ...] | None:
        """The different values of a public column, in order and NULL last, if they are few."""
        if (table, column) not in self._public:
            source, name = self._public_source(table), self._server.dialect.quoted(column)
            text = f"SELECT DISTINCT {name} AS v FROM {source} ORDER BY v NULLS LAST LIMIT {_MOST_PUBLIC_VALUES + 2}"
            found = tuple(self._fetch(text)["v"])
            few = len(found) - (None in found) <= _MOST_PUBLIC_VALUES
            self._public[table, column] = found if few else None
        known: tuple[Any, ...] | None = self._public[table, column]
        return known

    def repeats(self, table: str, columns: tuple[str, ...]) -> int:
        """How many rows of a public table agree on these columns at most; of no columns: how many there are."""
        key = (table, "repeats", *columns)
        if key not in self._public:
            names = [self._server.dialect.quoted(column) for column in columns]
            known = " AND ".join(["TRUE", *(f"{name} IS NOT NULL" for name in names)])
            grouped = f" GROUP BY {', '.join(names)}" if names else ""
            counted = f"SELECT count(*) AS n FROM {self._public_source(table)} WHERE {known}{grouped}"
            text = f"SELECT greatest(coalesce(max(n), 1), 1) AS n FROM ({counted}) t"
            self._public[key] = int(whole_numbers(self._fetch(text)["n"])[0])
        return int(self._public[key])

    def listed(self, table: str, columns: tuple[str, ...]) -> "list[NDArray[Any]]":
        """Columns of a public table, all of its rows in one order; missing values are None."""
        names = [self._server.dialect.quoted(column) for column in columns]
        shown = ", ".join(f"{name} AS c{i}" for i, name in enumerate(names))
        found = self._fetch(f"SELECT {shown} FROM {self._public_source(table)}")
        return [_array(list(found[f"c{i}"])) for i in range(len(columns))]

    def _public_source(self, name: str) -> str:
        table = self.dataset.table(name)
        if table is None or not table.public:
            raise InvalidParameter("table", "must be a public one", name, hint="private tables are asked by questions")
        return self._sources[table.name]

    def ask_public(self, question: PublicQuestion) -> PublicRows:
        """What a question about public tables alone finds, in a database of its own that has no other tables."""
        with self._lock:
            if self._apart is None:
                columns = {t.name: {c.name: c.kind for c in t.columns} for t in self.dataset.tables if t.public}
                self._apart = FetchedTables(columns, self._public_lines)
            return self._apart.ask(question, seconds=self.dataset.engine.timeout)

    def _public_lines(self, name: str, most: int) -> list[tuple[Any, ...]]:
        columns = [column.name for column in _table(self.dataset, name).columns]
        shown = ", ".join(f"{self._server.dialect.quoted(each)} AS c{i}" for i, each in enumerate(columns))
        found = self._fetch(f"SELECT {shown} FROM {self._public_source(name)} LIMIT {most}")
        return list(zip(*(found[f"c{i}"] for i in range(len(columns))), strict=True))

    def version(self) -> str:
        """The owner's word for the data; or what names them now, where they are."""
        if self.dataset.version:
            return self.dataset.version
        if self._kept:
            return self.digest()
        with self._server.reading(self.dataset.engine.timeout) as fetch:
            return self._version_in(fetch)

    def _version_in(self, fetch: Fetch) -> str:
        """What names the data, read in the snapshot that questions are asked in."""
        live = [table for table in self.dataset.tables if not self._registration.tables[table.name].kept]
        if self.dataset.version or not live:
            return self.dataset.version or self.digest()
        words = (
            [named_by(self.dataset, fetch)]
            if self.dataset.version_query
            else [self._changes(table.name) for table in live]
        )
        fixed = [each.memory for each in self._registration.tables.values() if each.kept]
        return hashlib.sha256(repr((words, fixed)).encode()).hexdigest()

    def _changes(self, name: str) -> str:
        table = _table(self.dataset, name)
        found = self._server.changes(table.source)
        if found is None:
            raise EngineFailed("nothing names the data any more", hint=_OWNER)
        return found

    def keys(self) -> dict[str, str]:
        """The kinds of all columns that say whose a row is, or lead there."""
        return self._typed.keys()

    def digest(self) -> str:
        """A digest of what was registered."""
        return self._registration.data_version()

    def written(self, query: PricedQuery) -> tuple[str, ...]:
        """The statements that a question would be asked by, for the owner."""
        return self._statements.all_of(query)

    # ---- what was paid for ----

    def aggregate(self, query: PricedQuery) -> ExactTable:
        """The exact integers of a question; whatever fails inside is one error that shows nothing of the data."""
        return self._read(lambda fetch: exact_table(query, self._statements, fetch))

    def contingency(self, workload: PricedWorkload) -> ExactCells:
        """The exact counts of a workload's marginals, likewise."""
        return self._read(lambda fetch: exact_cells(workload, self._statements, fetch))

    def _read(self, table: Callable[[Fetch], Exact]) -> Exact:
        """A reading in one snapshot, in which the data are those of the version and keys are as unique as believed."""
        try:
            with self._server.reading(self.dataset.engine.timeout) as fetch:
                before = self._version_in(fetch)
                if before != self._opened_version or not self._is_as_believed():
                    raise EngineFailed(_FAILED, hint="ask the owner")
                return table(fetch)
        except Exception:
            raise EngineFailed(_FAILED, hint="ask the owner") from None

    def _is_as_believed(self) -> bool:
        """Whether the server still keeps unique what statements take to be so."""
        live = [(table, self._registration.tables[table.name]) for table in self.dataset.tables]
        keys = all(each.kept or self._registrar.may_repeat(table) == each.repeated for table, each in live)
        return keys and self._registrar.sources(self._registration) == self._sources

    def _fetch(self, text: str) -> Any:
        """What a statement about public tables finds."""
        try:
            with self._server.reading(self.dataset.engine.timeout) as fetch:
                return fetch(text)
        except Exception:
            raise EngineFailed("a public table could not be read", hint="ask the owner; nothing was charged") from None

    def close(self) -> None:
        """Give connections back."""
        if self._apart is not None:
            self._apart.close()
        self._server.close()


def profiles_files(dataset: Dataset) -> InvalidDeclaration:
    """What an owner is told who asks for a profile of tables on a server."""
    return InvalidDeclaration(
        f"dataset {dataset.name} is on a server, and profiles are of files and tables in memory",
        hint="write the table, or some people's rows of it, into a Parquet file, and profile a declaration of that",
    )


def _table(dataset: Dataset, name: str) -> Any:
    table = dataset.table(name)
    assert table is not None
    return table


def named_by(dataset: Dataset, fetch: Fetch) -> str:
    """What the owner's query finds: one value, and not NULL."""
    if not dataset.version_query:
        return ""
    try:
        found = list(fetch(dataset.version_query).values())
    except EngineFailed:
        found = []
    if len(found) != 1 or len(found[0]) != 1 or found[0][0] is None:
        raise InvalidDeclaration(
            "version_query does not find one value",
            hint="try it as whoever asks questions, with schemas before names; it must find one row of one column",
        )
    return str(found[0][0])


def _array(values: list[Any]) -> "NDArray[Any]":
    return np.array(values, dtype=object)


def described(dataset: Dataset, server: Server) -> tuple[dict[str, list[SourceColumn]], Typed]:
    """The columns of every relation and the dataset with its kinds: no row is read and nothing is written."""
    try:
        schemas = schemas_of(dataset, server)
        return schemas, typed(dataset, schemas)
    finally:
        server.close()


def registered(
    dataset: Dataset, server: Server, write: Callable[[], ServerWriter] | None, *, append: bool, progress: Progress
) -> tuple[Registration, Typed]:
    """Look at everything anew, make the tables of ours, and write down what is registered.

    `write` connects the owner, who is asked only where there is something to write.
    """
    try:
        if append:
            raise InvalidDeclaration(
                "only files are appended: rows on a server are copied anew", hint="register all of it: sfumato register"
            )
        return _registered(dataset, server, write, progress)
    finally:
        server.close()


def _registered(
    dataset: Dataset, server: Server, write: Callable[[], ServerWriter] | None, progress: Progress
) -> tuple[Registration, Typed]:
    registrar = RemoteRegistrar(dataset, server, seed=hashing.seed_of(dataset), progress=progress)
    path = Path(dataset.registration) if dataset.registration else None
    before = Registration.read(path) if path is not None else None
    registrar.check_places()
    needed = any(map(registrar.is_kept, registrar.typed.dataset.tables))
    writer = write() if write is not None and needed else None
    try:
        with server.reading(dataset.engine.timeout) as fetch:
            made = registrar.register(fetch, writer, named_by(registrar.typed.dataset, fetch))
        if path is not None:
            made.write(path, path.with_name(f".{path.name}.new"))
            if writer is not None and before is not None:
                for each in before.tables.values():
                    if each.kept:
                        writer.drop(dataset.engine.schema, each.kept)
        return made, registrar.typed
    finally:
        if writer is not None:
            writer.close()
