"""DuckDB, embedded and locked: it reads the declared sources, computes bounded integers, and can reach nothing else."""

import hashlib
import re
import shutil
import tempfile
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.data import Column, Dataset, Kind, Table
from sfumato.engines.cut import cut_once
from sfumato.engines.expressions import is_plain, quoted, type_of
from sfumato.engines.fetched import histograms, keys_of, whole_numbers
from sfumato.engines.statements import FIRST, PERSON, Statements, marked
from sfumato.engines.table import ExactTable
from sfumato.errors import EngineFailed, InvalidDeclaration, InvalidParameter
from sfumato.query.price import PricedQuery

if TYPE_CHECKING:
    import duckdb

_MOST_PUBLIC_VALUES = 10_000
_KINDS = (
    (re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$"), Kind.INTEGER),
    (re.compile(r"(DOUBLE|FLOAT|REAL|DECIMAL.*)$"), Kind.REAL),
    (re.compile(r"(VARCHAR|UUID|ENUM.*)$"), Kind.TEXT),
    (re.compile(r"BOOLEAN$"), Kind.BOOLEAN),
    (re.compile(r"DATE$"), Kind.DATE),
    (re.compile(r"TIMESTAMP(_S|_MS|_NS| WITH TIME ZONE)?$"), Kind.TIMESTAMP),
)
_ROW, _MANY, _STEP = "sfumato_row", "sfumato_many", "sfumato_step_"
"""Names of ours beside columns of a source: no column or table of anybody's begins with sfumato_."""
_OPTIMIZERS, _UNSAFE = "disabled_optimizers", "statistics_propagation,common_subexpressions"
"""What is left out where a function could fail: the first puts a column's extremes through functions before any row is
read, the second takes an expression that stands twice inside TRY(…) out of it."""
_FAILED = "the engine did not finish; the charge stays"


class DuckDBEngine:
    """The declared sources behind views of the visible columns; statements are ended after `timeout` seconds."""

    def __init__(self, dataset: Dataset) -> None:
        import duckdb

        self._dataset, self._failures, self._interrupted = dataset, duckdb.Error, duckdb.InterruptException
        self._lock = threading.Lock()
        self._public: dict[tuple[str, ...], Any] = {}
        self._folder = Path(tempfile.mkdtemp(prefix="sfumato-"))
        self._careful = 0
        """Questions under way that are planned without what is unsafe."""
        self._digests: dict[str, tuple[tuple[int, int, int], str]] = {}
        self._memory: dict[str, str] = {}
        self.seed = seed_of(dataset)
        self._person_type = "VARCHAR"
        """The type of the person's own column: a person is the same in every table."""
        self._connection = duckdb.connect(":memory:")
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    # ---- sources ----

    def _open(self) -> None:
        run = self._connection.execute
        run("SET preserve_insertion_order=false")
        run("SET ieee_floating_point_ops=true")
        run("SET TimeZone='UTC'")  # a moment means the same on every machine
        if self._dataset.defaults.memory:
            run("SET memory_limit=?", [self._dataset.defaults.memory])
        if self._dataset.defaults.threads:
            run("SET threads=?", [self._dataset.defaults.threads])
        files = [table.source for table in self._dataset.tables if isinstance(table.source, str)]
        missing = next((file for file in files if not Path(file).exists()), None)
        if missing is not None:
            raise InvalidDeclaration(f"there is no file {missing}", hint="mend the table's source")
        for i, table in enumerate(self._dataset.tables):
            if isinstance(table.source, str) and _format(table) == "duckdb":
                run(f"ATTACH '{_escaped(table.source)}' AS sfumato_source_{i} (READ_ONLY)")
            elif not isinstance(table.source, str):
                self._copied(i, table)
        run(f"SET temp_directory='{_escaped(str(self._folder / 'spill'))}'")
        folders = [str(self._folder), *([self._dataset.cache] if self._dataset.cache else [])]
        run(f"SET allowed_directories=[{', '.join(_quoted_folder(folder) for folder in folders)}]")
        allowed = ", ".join(f"'{_escaped(file)}'" for file in files)
        run(f"SET allowed_paths=[{allowed}]")
        run("SET enable_external_access=false")
        for i, table in enumerate(self._dataset.tables):
            if _format(table) == "csv":
                self._loaded(i, table)
        self._schemas = {table.name: self._described(i, table) for i, table in enumerate(self._dataset.tables)}
        self.dataset = self._typed()
        for i, table in enumerate(self.dataset.tables):
            try:
                self._view(i, table)
            except (self._failures, OSError):  # their own text may hold a cell
                raise InvalidDeclaration(
                    f"[tables.{table.name}] could not be prepared",
                    hint="see its source, the memory limit and the folder",
                ) from None
        self._repeated = self._repeated_keys()
        # what was given in memory is copied by now, and not handed on
        named = tuple(t if isinstance(t.source, str) else replace(t, source=None) for t in self.dataset.tables)
        self.dataset = replace(self.dataset, tables=named)
        run(f"SET allowed_configs=['{_OPTIMIZERS}']")
        run("SET lock_configuration=true")

    def _copied(self, i: int, table: Table) -> None:
        """A DataFrame or Arrow table as a table of the engine's own, which nobody else can change."""
        try:
            self._connection.register(f"sfumato_given_{i}", table.source)
            self._connection.execute(f"CREATE TABLE sfumato_source_{i} AS SELECT * FROM sfumato_given_{i}")
            self._connection.unregister(f"sfumato_given_{i}")
        except self._failures:
            raise InvalidDeclaration(
                f"[tables.{table.name}] source cannot be read",
                hint="give a DataFrame or Arrow table whose columns have one type each",
            ) from None

    def _loaded(self, i: int, table: Table) -> None:
        """A CSV file, read once and as text: a line that cannot be read fails here, and not in an answer."""
        options = "all_varchar=true, header=true, null_padding=true, ignore_errors=true"
        try:
            self._connection.execute(
                f"CREATE TABLE sfumato_source_{i} AS SELECT * FROM read_csv('{_escaped(table.source)}', {options})"
            )
        except self._failures:
            raise InvalidDeclaration(
                f"[tables.{table.name}] source cannot be read", hint="is it CSV with a header, in UTF-8?"
            ) from None
        self._memory[table.name] = self._digest(Path(table.source))

    def _described(self, i: int, table: Table) -> list[tuple[str, Kind | None]]:
        try:
            found = self._connection.execute(f"DESCRIBE SELECT * FROM {self._reader(i, table)}").fetchall()
        except self._failures:
            raise InvalidDeclaration(
                f"[tables.{table.name}] source cannot be read", hint="is it Parquet, CSV or DuckDB?"
            ) from None
        taken = next((str(row[0]) for row in found if str(row[0]).lower().startswith("sfumato_")), None)
        if taken is not None:
            raise InvalidDeclaration(
                f"[tables.{table.name}] has a column `{taken}`",
                hint="names that start with sfumato_ are taken: rename it",
            )
        if self._dataset.unit is not None and table.name == self._dataset.unit[0]:
            self._person_type = next((str(row[1]) for row in found if row[0] == self._dataset.unit[1]), "VARCHAR")
        text = _format(table) == "csv"
        return [(str(row[0]), None if text else _kind_of(str(row[1]))) for row in found]

    def _reader(self, i: int, table: Table) -> str:
        kind = _format(table)
        if kind in ("memory", "csv"):
            return f"sfumato_source_{i}"
        if kind == "duckdb":
            return f"sfumato_source_{i}.{quoted(table.name)}"
        return f"read_parquet('{_escaped(table.source)}')"

    def _typed(self) -> Dataset:
        """The dataset with every visible column and its kind: as declared, else as the source has it."""
        tables = []
        for table in self._dataset.tables:
            columns = []
            for name, kind in self._schemas[table.name]:
                if name in table.hidden:
                    continue
                declared = table.column(name)
                made = _column(name, kind, declared, from_text=_format(table) == "csv")
                if declared is None and name == self._dataset.person(table):
                    made = Column(name, self._person_kind())  # a person looks the same in every table
                if made is not None:
                    columns.append(made)
            for column in table.columns:
                if column.name not in {name for name, _ in self._schemas[table.name]}:
                    raise InvalidDeclaration(
                        f"[tables.{table.name}] has no column `{column.name}`", hint=self._known(table)
                    )
            made_table = replace(table, columns=tuple(columns))
            self._check_keys(made_table)
            tables.append(made_table)
        return replace(self._dataset, tables=tuple(tables))

    def _person_kind(self) -> Kind:
        """The kind of the person's own column."""
        assert self._dataset.unit is not None
        own = self._dataset.table(self._dataset.unit[0])
        declared = None if own is None else own.column(self._dataset.unit[1])
        if declared is not None:
            return declared.kind
        return dict(self._schemas[self._dataset.unit[0]]).get(self._dataset.unit[1]) or Kind.TEXT

    def _known(self, table: Table) -> str:
        return f"its columns: {', '.join(name for name, _ in self._schemas[table.name])}"

    def _check_keys(self, table: Table) -> None:
        names = {name for name, _ in self._schemas[table.name]}
        wanted = [key[0] for key in table.foreign_keys]
        if self._dataset.unit is not None and table.name == self._dataset.unit[0]:
            wanted.append(self._dataset.unit[1])
        for name in wanted:
            if name not in names:
                raise InvalidDeclaration(f"[tables.{table.name}] has no column `{name}`", hint=self._known(table))

    def _view(self, i: int, table: Table) -> None:
        """A view of the visible columns, of their declared kinds, and of whose row it is."""
        source = f"SELECT *{self._person(table)} FROM {self._reader(i, table)} {_ROW}"
        shown = [f"{_cast(column)} AS {quoted(column.name)}" for column in table.columns]
        private = self._dataset.unit is not None and not table.public
        path = self._dataset.path(table) if private else None
        if private and path is not None and len(path) > 1:
            source = self._followed(i, table, path)
        columns = ", ".join([*shown, *([PERSON] if private else [])])
        if private and table.rows_per_person is not None:
            self._cut(table, source, columns, path or ())
            return
        if private and self.dataset.holds_people(table) and self._occurs_twice(f"({source})", (PERSON,)):
            # one row a person is what joins with it count on, whatever the file holds
            self._cut(replace(table, rows_per_person=1), source, columns, path or ())
            return
        self._connection.execute(
            f"CREATE VIEW {quoted(table.name)} AS SELECT {columns or '1 AS nothing'} FROM ({source})"
        )

    def _occurs_twice(self, rows: str, columns: tuple[str, ...]) -> bool:
        """Whether two rows agree on columns; only what the engine writes follows from it, nothing that is shown."""
        names = ", ".join(columns)
        known = " AND ".join(f"{column} IS NOT NULL" for column in columns)
        text = f"SELECT 1 FROM {rows} WHERE {known} GROUP BY {names} HAVING count(*) > 1 LIMIT 1"
        try:
            return bool(self._connection.execute(text).fetchall())
        except self._failures:  # what cannot be read is for the questions that read it: opening tells nothing of it
            return False

    def _repeated_keys(self) -> frozenset[tuple[str, str]]:
        """The columns that foreign keys of private tables lead to where one person has a value twice."""
        private = [table for table in self.dataset.tables if not table.public]
        led = {(key[1].lower(), key[2].lower()) for table in private for key in table.foreign_keys}
        return frozenset(
            (table.name, column.name)
            for table in private
            if self.dataset.unit is not None and not self.dataset.holds_people(table)
            for column in table.columns
            if (table.name.lower(), column.name.lower()) in led
            and self._occurs_twice(quoted(table.name), (PERSON, quoted(column.name)))
        )

    def _cut(self, table: Table, source: str, columns: str, path: tuple[tuple[str, str, str], ...]) -> None:
        """The table with at most `rows_per_person` rows of each person, picked by a keyed hash of the whole row.

        Rows are put in order for those people alone who have more. Columns that may become keys get a mark on each
        person's first row with a value: where all rows are grouped by such a column, marks count people.
        """
        known = f"FROM ({source}) {_ROW}"
        kept = (
            f"WITH {_MANY} AS MATERIALIZED (SELECT {PERSON} {known} "
            f"WHERE {PERSON} IS NOT NULL GROUP BY {PERSON} HAVING count(*) > {table.rows_per_person}) "
            f"SELECT {columns} {known} ANTI JOIN {_MANY} USING ({PERSON}) WHERE {PERSON} IS NOT NULL UNION ALL "
            f"SELECT {columns} FROM (SELECT {_ROW}.* {known} SEMI JOIN {_MANY} USING ({PERSON}) QUALIFY "
            f"row_number() OVER (PARTITION BY {PERSON} ORDER BY hash({_ROW}, {self.seed})) <= {table.rows_per_person})"
        )
        marks = [
            f"row_number() OVER (PARTITION BY {PERSON}, {quoted(name)}) = 1 AS {quoted(FIRST + name)}"
            for name in marked(table, self._dataset.person(table))
        ]
        self._keep(table, f"SELECT {', '.join(['*', *marks])} FROM ({kept})", path)

    def _keep(self, table: Table, statement: str, path: tuple[tuple[str, str, str], ...]) -> None:
        """The table as the statement makes it, made once; later changes of the files are not seen, nor named."""
        read = [table, *(each for key in path for each in self._dataset.tables if each.name.lower() == key[1].lower())]
        files = [each.source for each in read if isinstance(each.source, str)]
        if isinstance(table.source, str):
            self._memory[table.name] = self._digest(Path(table.source))
        if not self._dataset.cache or len(files) < len(read):
            self._connection.execute(f"CREATE TABLE {quoted(table.name)} AS {statement}")
            return
        version = " ".join(self._digest(Path(file)) for file in files)
        kept = cut_once(self._connection, Path(self._dataset.cache), table.name, statement, version)
        self._connection.execute(f"CREATE VIEW {quoted(table.name)} AS SELECT * FROM {kept}")

    def _person(self, table: Table) -> str:
        person = self._dataset.person(table)
        return "" if person is None else f", TRY_CAST({_ROW}.{quoted(person)} AS {self._person_type}) AS {PERSON}"

    def _followed(self, i: int, table: Table, path: tuple[tuple[str, str, str], ...]) -> str:
        """Rows with the person that their foreign keys lead to; a row belongs to each person it leads to."""
        person = f"TRY_CAST({_STEP}{len(path) - 1}.{quoted(path[-1][0])} AS {self._person_type})"
        text = f"SELECT {_ROW}.*, {person} AS {PERSON} FROM {self._reader(i, table)} {_ROW}"
        before = _ROW
        for step, (column, target, there) in enumerate(path[:-1]):
            at = next(n for n, each in enumerate(self._dataset.tables) if each.name.lower() == target.lower())
            onward = path[step + 1][0]
            reader = self._reader(at, self._dataset.tables[at])
            text += (
                f" JOIN (SELECT DISTINCT {quoted(there)}, {quoted(onward)} FROM {reader}) {_STEP}{step + 1}"
                f" ON CAST({before}.{quoted(column)} AS VARCHAR) = CAST({_STEP}{step + 1}.{quoted(there)} AS VARCHAR)"
            )
            before = f"{_STEP}{step + 1}"
        return text

    def _kind(self, table: Table, name: str) -> Kind | None:
        return next(kind for column, kind in self._schemas[table.name] if column == name)

    # ---- what anyone may know ----

    def schema(self, table: str) -> list[tuple[str, Kind | None]]:
        """The columns of a source and their kinds, from its header alone."""
        return self._schemas[table]

    def values(self, table: str, column: str) -> tuple[Any, ...] | None:
        """The different values of a public column, in order, if they are few."""
        if (table, column) not in self._public:
            self._only_public(table)
            text = (
                f"SELECT DISTINCT {quoted(column)} AS v FROM {quoted(table)} ORDER BY v LIMIT {_MOST_PUBLIC_VALUES + 2}"
            )
            found = tuple(row[0] for row in self._fetch(text) if row[0] is not None)
            self._public[table, column] = found if len(found) <= _MOST_PUBLIC_VALUES else None
        known: tuple[Any, ...] | None = self._public[table, column]
        return known

    def repeats(self, table: str, columns: tuple[str, ...]) -> int:
        """How many rows of a public table agree on these columns at most; of no columns: how many there are.

        A row without a value in one of them agrees with none.
        """
        key = (table, "repeats", *columns)
        if key not in self._public:
            self._only_public(table)
            known = " AND ".join(["TRUE", *(f"{quoted(column)} IS NOT NULL" for column in columns)])
            grouped = f" GROUP BY {', '.join(quoted(column) for column in columns)}" if columns else ""
            counted = f"SELECT count(*) AS n FROM {quoted(table)} WHERE {known}{grouped}"
            text = f"SELECT greatest(coalesce(max(n), 1), 1) FROM ({counted})"
            self._public[key] = int(self._fetch(text)[0][0])
        return int(self._public[key])

    def _only_public(self, name: str) -> None:
        table = self._dataset.table(name)
        if table is None or not table.public:
            raise InvalidParameter("table", "must be a public one", name, hint="private tables are asked by questions")

    def version(self) -> str:
        """A digest of the sources' bytes, or the owner's own word for them; the same as long as they are."""
        if self._dataset.version:
            return self._dataset.version
        whole = hashlib.sha256()
        for i, table in enumerate(self._dataset.tables):
            if table.name in self._memory:
                whole.update(self._memory[table.name].encode())
            elif isinstance(table.source, str):
                whole.update(self._digest(Path(table.source)).encode())
            else:
                self._memory[table.name] = _digest_of_rows(self._connection, i)
                whole.update(self._memory[table.name].encode())
        return whole.hexdigest()

    def _digest(self, file: Path) -> str:
        found = file.stat()
        state = (found.st_size, found.st_mtime_ns, found.st_ino)
        known = self._digests.get(str(file))
        if known is None or known[0] != state:
            with file.open("rb") as stream:
                known = (state, hashlib.file_digest(stream, "sha256").hexdigest())
            self._digests[str(file)] = known
        return known[1]

    # ---- what was paid for ----

    def aggregate(self, query: PricedQuery) -> ExactTable:
        """The exact integers of a question; whatever fails inside is one error that shows nothing of the data."""
        late = threading.Event()
        try:
            with self._deadline(late) as cursor, self._planning(query):
                return self._aggregate(cursor, query)
        except self._interrupted:
            if late.is_set():
                raise EngineFailed(_FAILED, hint="ask the owner") from None
            raise KeyboardInterrupt from None  # the engine catches Ctrl-C while it computes
        except Exception:
            raise EngineFailed(_FAILED, hint="ask the owner") from None

    def _aggregate(self, cursor: "duckdb.DuckDBPyConnection", query: PricedQuery) -> ExactTable:
        statements, width = Statements(self.dataset, self.seed, self._repeated), len(query.question.keys)
        cursor.execute("BEGIN TRANSACTION READ ONLY")
        additive = any(measure.kind not in ("quantile", "distinct") for measure in query.measures.measures)
        groups = query.question.groups
        if additive or groups is None:
            found = cursor.execute(statements.additive(query)).fetchnumpy()
            keys = keys_of(found, width, query)
            table = ExactTable(keys, whole_numbers(found["people"]))
        else:  # nothing to add up in groups that are known
            found, keys = {}, [tuple(group) for group in groups]
            table = ExactTable(keys, None)
        for i, (measure, start) in enumerate(zip(query.measures.measures, query.measures.starts, strict=True)):
            if measure.kind == "quantile":
                lines = cursor.execute(statements.values(query, measure)).fetchnumpy()
                table.values[start] = histograms(lines, width, query)
            elif measure.kind == "distinct":
                lines = cursor.execute(statements.distinct(query, measure)).fetchnumpy()
                counts = dict(zip(keys_of(lines, width, query), whole_numbers(lines["n"]).tolist(), strict=True))
                table.columns[start] = np.array([counts.get(key, 0) for key in keys], dtype=np.int64)
            else:
                table.columns[start] = whole_numbers(found[f"a{i}"])
                if measure.kind == "split":
                    table.columns[start + 1] = whole_numbers(found[f"b{i}"])
        cursor.execute("COMMIT")
        return table

    @contextmanager
    def _planning(self, query: PricedQuery) -> Generator[None]:
        """Plans without what could make a function fail outside of TRY(…), where a question has such functions.

        Plain questions are faster with it: it is there again when no other question is being planned without.
        """
        if all(is_plain(each) for each in query.question.expressions()):
            yield
            return
        self._plan_carefully(1)
        try:
            yield
        finally:
            self._plan_carefully(-1)

    def _plan_carefully(self, by: int) -> None:
        with self._lock:
            self._careful += by
            if self._careful == (1 if by > 0 else 0):
                self._connection.execute(f"SET {_OPTIMIZERS} = '{_UNSAFE if by > 0 else ''}'")

    @contextmanager
    def _deadline(self, late: threading.Event) -> "Generator[duckdb.DuckDBPyConnection]":
        """A cursor whose statements are ended when the time is over, which is told."""
        with self._lock:
            cursor = self._connection.cursor()

        def end() -> None:
            late.set()
            cursor.interrupt()

        timer = threading.Timer(self._dataset.defaults.timeout, end)
        timer.daemon = True
        timer.start()
        try:
            yield cursor
        finally:
            timer.cancel()
            cursor.close()

    def _fetch(self, text: str) -> "list[tuple[Any, ...]]":
        """What a statement about public tables finds."""
        try:
            with self._lock:
                return self._connection.cursor().execute(text).fetchall()
        except self._failures:
            raise EngineFailed("a public table could not be read", hint="ask the owner; nothing was charged") from None

    def close(self) -> None:
        """Close the database and remove what it spilled."""
        self._connection.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def _quoted_folder(folder: str) -> str:
    return f"'{_escaped(folder.rstrip('/'))}/'"


def seed_of(dataset: Dataset) -> int:
    """Keys the choice of rows and groups: the same in every process, and never made of the data.

    A seed that depends on the data would let one person change which groups everybody else counts in.
    """
    return int(hashlib.sha256(f"groups of {dataset.name}".encode()).hexdigest()[:15], 16)


def _escaped(path: str) -> str:
    return path.replace("'", "''")


def _format(table: Table) -> str:
    if not isinstance(table.source, str):
        return "memory"
    if table.format:
        return table.format
    suffix = Path(table.source).suffix.lower()
    if suffix in (".csv", ".tsv", ".txt", ".gz"):
        return "csv"
    return "duckdb" if suffix in (".duckdb", ".db") else "parquet"


def _kind_of(name: str) -> Kind | None:
    return next((kind for pattern, kind in _KINDS if pattern.fullmatch(name.upper())), None)


def _column(name: str, kind: Kind | None, declared: Column | None, *, from_text: bool) -> Column | None:
    if declared is None:
        known = Kind.TEXT if from_text else kind
        return None if known is None else Column(name, known)
    if declared.typed:
        if not from_text and not _readable(kind, declared.kind):
            held = "a type that no question can read" if kind is None else kind.value
            raise InvalidDeclaration(
                f"column `{name}` is declared as {declared.kind.value} and the source holds {held}",
                hint="declare it as what it is, or leave it out" if kind else "leave it out, or convert the source",
            )
        return replace(declared, name=name)
    if kind is None:  # text: numbers are read as reals unless a whole grid is declared
        whole = declared.values is not None or (declared.grid is not None and declared.grid.denominator == 1)
        real = declared.kind is Kind.INTEGER and not whole
        return replace(declared, name=name, kind=Kind.REAL if real else declared.kind)
    if declared.lower is not None and not kind.is_number:
        raise InvalidDeclaration(f"column `{name}` has bounds and the source holds {kind.value}", hint='type = "real"')
    return replace(declared, name=name, kind=kind)


def _readable(held: Kind | None, wanted: Kind) -> bool:
    """Whether cells of a kind can be read as another: moments may be such as no engine can write as text."""
    times = (Kind.DATE, Kind.TIMESTAMP)
    return held is Kind.TEXT or (held is not None and (held in times) == (wanted in times))


def _cast(column: Column) -> str:
    return f"TRY_CAST({quoted(column.name)} AS {type_of(column.kind)})"


def _digest_of_rows(connection: "duckdb.DuckDBPyConnection", i: int) -> str:
    """A digest of a copied table that does not depend on the order of its rows."""
    hashed = f"hash({_ROW})"
    text = f"SELECT count(*), bit_xor({hashed}), sum({hashed}::HUGEINT) FROM sfumato_source_{i} {_ROW}"
    row = connection.execute(text).fetchall()[0]
    return hashlib.sha256(repr(row).encode()).hexdigest()
