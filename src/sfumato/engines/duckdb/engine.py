"""DuckDB, embedded and locked: it reads what was registered, computes bounded integers, and can reach nothing else."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from sfumato.data import Dataset, Kind, Typed
from sfumato.engines.duckdb.connection import connected
from sfumato.engines.duckdb.dialect import DUCKDB, quoted
from sfumato.engines.duckdb.kept import Readers
from sfumato.engines.duckdb.opening import Opened, opened, register_again
from sfumato.engines.duckdb.public_tables import found_in
from sfumato.engines.duckdb.workspace import Workspace
from sfumato.engines.engine import ExactCells, ExactTable, PublicRows
from sfumato.engines.progress import Progress, no_progress
from sfumato.engines.registration import Registration
from sfumato.engines.sql import hashing
from sfumato.engines.sql.expressions import is_plain
from sfumato.engines.sql.fetched import Fetch, exact_cells, exact_table
from sfumato.engines.sql.statements import Statements
from sfumato.engines.sql.views import Views
from sfumato.errors import EngineFailed, InvalidDeclaration, InvalidParameter
from sfumato.query.plan import shows_people
from sfumato.query.price import PricedQuery
from sfumato.query.public_question import PublicQuestion
from sfumato.query.question import Question
from sfumato.query.workload import PricedWorkload

if TYPE_CHECKING:
    import duckdb
    from numpy.typing import NDArray

Exact = TypeVar("Exact", ExactTable, ExactCells)
_MOST_PUBLIC_VALUES = 10_000
_OPTIMIZERS, _UNSAFE = "disabled_optimizers", "statistics_propagation,common_subexpressions"
"""What is left out where a function could fail: the first puts a column's extremes through functions before any row is
read, the second takes an expression that stands twice inside TRY(…) out of it."""
_WIDEST_ARRAY = 25
"""Bits of the places of a table that is counted in an array, of which every thread has one."""
_MOST_PEOPLE = 22
"""The same of people's numbers, each with several sums."""
_TRIES = 3
_FAILED = "the engine did not finish; the charge stays"


class DuckDBEngine:
    """The registered tables behind views of the visible columns; statements are ended after `timeout` seconds.

    What is not registered yet is, where whoever opens it owns the folder. A given `workspace` is closed with it.
    """

    name = "duckdb"

    def __init__(
        self, dataset: Dataset, *, workspace: Workspace | None = None, progress: Progress = no_progress
    ) -> None:
        import duckdb

        self._failures, self._interrupted = duckdb.Error, duckdb.InterruptException
        self._lock = threading.Lock()
        self._public: dict[tuple[str, ...], Any] = {}
        self._apart: duckdb.DuckDBPyConnection | None = None
        self._careful = 0
        """Questions under way that are planned without what is unsafe."""
        self._workspace = workspace or Workspace()
        self.seed = hashing.seed_of(dataset)
        try:
            self._open(dataset, progress)
        except BaseException:
            self._workspace.close()
            raise
        self.dataset: Dataset = self._opened.typed.dataset
        # what was given in memory is copied by now, and not handed on
        self.dataset = self.dataset.without_rows()
        self._statements, self._numbered = (
            Statements(
                self.dataset,
                DUCKDB,
                self.seed,
                person=self._opened.typed.person_kind(),
                repeated=self._repeated,
                numbered=numbered,
            )
            for numbered in (False, True)
        )

    def _open(self, dataset: Dataset, progress: Progress) -> None:
        """Open what is registered; what its owner replaces in this moment is opened as it is afterwards."""
        for left in reversed(range(_TRIES)):
            self._opened: Opened = opened(dataset, self._workspace, self.seed, progress)
            self._connection = self._opened.connection
            try:
                self._show()
                return
            except BaseException as error:
                self._connection.close()
                if not left or not isinstance(error, InvalidDeclaration):
                    raise

    def _show(self) -> None:
        """Views of the registered tables, and nothing that a statement could still change."""
        registration, typed = self._opened.registration, self._opened.typed
        readers = Readers(self._connection)
        try:
            sources = {t.name: readers.of(registration.tables[t.name]) for t in typed.dataset.tables}
            views = Views(typed.dataset, sources, self.seed, DUCKDB, person=typed.person_kind())
            for table in typed.dataset.tables:
                made = registration.tables[table.name]
                kept = made.copy or made.cut
                rows = views.rows(table) if kept is None else f"SELECT * FROM {readers.kept(kept)}"
                self._connection.execute(f"CREATE VIEW {quoted(table.name)} AS {rows}")
        except self._failures:
            raise InvalidDeclaration(
                "what was registered could not be opened", hint="open it again; it may just be being registered anew"
            ) from None
        self._repeated = frozenset(
            (name, column) for name, table in registration.tables.items() for column in table.repeated
        )
        self._connection.execute(f"SET allowed_configs=['{_OPTIMIZERS}', 'perfect_ht_threshold']")
        self._connection.execute("SET lock_configuration=true")

    def _renew(self) -> None:
        """Open the engine anew, if it has ended itself: what one question did must not be every later one's failure."""
        with self._lock:
            try:
                self._connection.cursor().execute("SELECT 1").fetchall()
            except self._failures:
                self._connection = connected(self._opened.given, self._workspace, self._opened.folders)
                self._show()
                if self._careful:  # others are under way, and are still to be planned with care
                    self._connection.execute(f"SET {_OPTIMIZERS} = '{_UNSAFE}'")

    # ---- what anyone may know ----

    def schema(self, table: str) -> list[tuple[str, Kind | None]]:
        """The columns of a source and their kinds, as they were registered."""
        return [(column.name, column.kind) for column in self._opened.registration.tables[table].columns]

    def values(self, table: str, column: str) -> tuple[Any, ...] | None:
        """The different values of a public column, in order and NULL last, if they are few."""
        if (table, column) not in self._public:
            self._only_public(table)
            different = f"SELECT DISTINCT {quoted(column)} AS v FROM {quoted(table)}"
            text = f"{different} ORDER BY v NULLS LAST LIMIT {_MOST_PUBLIC_VALUES + 2}"
            found = tuple(row[0] for row in self._fetch(text))
            few = len(found) - (None in found) <= _MOST_PUBLIC_VALUES
            self._public[table, column] = found if few else None
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

    def listed(self, table: str, columns: tuple[str, ...]) -> "list[NDArray[Any]]":
        """Columns of a public table, all of its rows in one order; missing values are masked."""
        self._only_public(table)
        text = f"SELECT {', '.join(quoted(column) for column in columns)} FROM {quoted(table)}"
        try:
            with self._lock:
                found: Any = self._connection.cursor().execute(text).fetchnumpy()
        except self._failures:
            raise EngineFailed("a public table could not be read", hint="ask the owner; nothing was charged") from None
        return [found[column] for column in columns]

    def _only_public(self, name: str) -> None:
        table = self.dataset.table(name)
        if table is None or not table.public:
            raise InvalidParameter("table", "must be a public one", name, hint="private tables are asked by questions")

    def ask_public(self, question: PublicQuestion) -> PublicRows:
        """What a question about public tables alone finds, in a database of its own that has no other tables."""
        with self._lock:
            if self._apart is None:
                self._apart = self._open_apart()
            cursor = self._apart.cursor()
        return found_in(cursor, question, seconds=self.dataset.engine.timeout)

    def _open_apart(self) -> "duckdb.DuckDBPyConnection":
        """A connection with views of the public tables alone."""
        apart = connected(self._opened.given, self._workspace, self._opened.folders)
        registration, readers = self._opened.registration, Readers(apart)
        for table in self.dataset.tables:
            if table.public:
                source = readers.of(registration.tables[table.name])
                views = Views(
                    self.dataset, {table.name: source}, self.seed, DUCKDB, person=self._opened.typed.person_kind()
                )
                apart.execute(f"CREATE VIEW {quoted(table.name)} AS {views.rows(table)}")
        apart.execute("SET lock_configuration=true")
        return apart

    def version(self) -> str:
        """A digest of the sources' bytes as they were registered, or the owner's word for them."""
        return self.dataset.version or self._opened.registration.data_version()

    def keys(self) -> dict[str, str]:
        """The kinds of all columns that say whose a row is, or lead there."""
        return self._opened.typed.keys()

    def digest(self) -> str:
        """A digest of the sources' bytes as they were registered, whatever word there is for them."""
        return self._opened.registration.data_version()

    # ---- what was paid for ----

    def written(self, query: PricedQuery) -> tuple[str, ...]:
        """The statements by which a question would be asked, for the owner to see."""
        return self._statements_of(query.question).all_of(query)

    def aggregate(self, query: PricedQuery) -> ExactTable:
        """The exact integers of a question; whatever fails inside is one error that shows nothing of the data.

        Where people have numbers, what is theirs is added up in an array of them if it fits.
        """
        bits = (self._opened.registration.people() + 2).bit_length()
        numbered = self._statements_of(query.question) is self._numbered
        array = f"SET perfect_ht_threshold = {bits}" if numbered and bits <= _MOST_PEOPLE else ""
        return self._read(query.question, lambda statements, fetch: exact_table(query, statements, fetch), array)

    def _statements_of(self, question: Question) -> Statements:
        """By numbers where there is a copy with numbers and nothing in the question shows who somebody is."""
        copied = self._opened.registration.people() > 0
        return self._numbered if copied and not shows_people(question.plan) else self._statements

    def contingency(self, workload: PricedWorkload) -> ExactCells:
        """The exact counts of a workload's marginals, likewise; of one alone, in an array of its cells if they fit."""
        bits = sum((len(each) + 1).bit_length() for each in workload.workload.attributes)
        array = f"SET perfect_ht_threshold = {bits}" if len(workload.marginals) == 1 and bits <= _WIDEST_ARRAY else ""

        def counted(statements: Statements, fetch: Fetch) -> ExactCells:
            return exact_cells(workload, statements, fetch)

        return self._read(workload.question, counted, array)

    def _read(self, question: Question, table: Callable[[Statements, Fetch], Exact], setting: str = "") -> Exact:
        late = threading.Event()
        try:
            with self._deadline(late) as cursor, self._planning(question):
                if setting:  # of this cursor alone
                    cursor.execute(setting)
                cursor.execute("BEGIN TRANSACTION READ ONLY")
                statements = self._statements_of(question)
                found = table(statements, lambda text: cursor.execute(text).fetchnumpy())
                cursor.execute("COMMIT")
                return found
        except self._interrupted:
            if late.is_set():
                raise EngineFailed(_FAILED, hint="ask the owner") from None
            raise KeyboardInterrupt from None  # the engine catches Ctrl-C while it computes
        except Exception:
            with suppress(Exception):
                self._renew()
            raise EngineFailed(_FAILED, hint="ask the owner") from None

    @contextmanager
    def _planning(self, question: Question) -> Generator[None]:
        """Plans without what could make a function fail outside of TRY(…), where a question has such functions.

        Plain questions are faster with it: it is there again when no other question is being planned without.
        """
        if all(is_plain(each) for each in question.expressions()):
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

        timer = threading.Timer(self.dataset.engine.timeout, end)
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
        if self._apart is not None:
            self._apart.close()
        self._connection.close()
        self._workspace.close()


def register(
    dataset: Dataset, *, append: bool = False, writer: str = "", progress: Progress = no_progress
) -> tuple[Registration, Typed]:
    """Read every source anew and write down what is registered; with `append` only files that were not before."""
    if writer:
        raise InvalidDeclaration(
            "somebody is named who writes on a server, and the sources are files", hint="register without a writer"
        )
    return register_again(dataset, hashing.seed_of(dataset), append=append, progress=progress)
