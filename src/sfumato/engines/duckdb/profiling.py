"""What an owner's profile reads: rows and groups a person, missing cells and ends of columns, by statements of ours.

Everything is read through a registration that is made for this alone, in a workspace that goes with it: as registered,
but for what registration cuts. Nothing is written anywhere else. No session and no curator leads here.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.data import Column, Dataset, Kind, Table, with_files
from sfumato.engines.duckdb.connection import connected
from sfumato.engines.duckdb.dialect import DUCKDB, quoted
from sfumato.engines.duckdb.guard import guarded
from sfumato.engines.duckdb.kept import Readers
from sfumato.engines.duckdb.opening import owns
from sfumato.engines.duckdb.registrar import Registrar
from sfumato.engines.duckdb.workspace import Workspace
from sfumato.engines.figures import (
    AverageFigures,
    ColumnFigures,
    GroupFigures,
    Meant,
    Spread,
    TableFigures,
    candidates,
    is_grouped,
)
from sfumato.engines.progress import Progress, no_progress
from sfumato.engines.registration import RegisteredTable
from sfumato.engines.sql.relations import PERSON
from sfumato.engines.sql.views import Views
from sfumato.errors import InvalidDeclaration

if TYPE_CHECKING:
    import duckdb

# p is a person, k a key, n how many rows, g how many groups, v a value, s a sum of values
_LINES = "sfumato_lines"


def profiled(
    dataset: Dataset, *, by: str = "", average: str = "", progress: Progress = no_progress
) -> tuple[Dataset, tuple[TableFigures, ...]]:
    """The dataset with its kinds, and the figures of every private table, for the owner alone.

    `by` is a column to group by, `average` a number to average, in all tables that have it or as `table.column`.
    """
    if dataset.registration and not owns(Path(dataset.registration).parent):
        raise InvalidDeclaration(
            f"dataset {dataset.name} is not yours to profile", hint="its owner runs it: sfumato profile"
        )
    workspace = Workspace()
    try:
        whole = with_files(_uncut(dataset))
        connection = connected(whole, workspace, ())
        try:
            registrar = Registrar(whole, connection, workspace, progress=progress)
            registration, typed = registrar.register()
            readers = Readers(connection)
            sources = {table.name: readers.of(registration.tables[table.name]) for table in typed.dataset.tables}
            views = Views(typed.dataset, sources, 0, DUCKDB, person=typed.person_kind())
            reading = _Reading(typed.dataset, connection, views, sources, Meant.of(typed.dataset, by, average))
            private = [table for table in typed.dataset.tables if not table.public]
            figures = tuple(reading.table(table, registration.tables[table.name], progress) for table in private)
            return typed.dataset.without_rows(), figures
        finally:
            connection.close()
    finally:
        workspace.close()


def _uncut(dataset: Dataset) -> Dataset:
    """The dataset with all rows of everybody: what a bound would do is what is looked for."""
    return replace(
        dataset, tables=tuple(replace(table, rows_per_person=None, materialise=False) for table in dataset.tables)
    )


class _Reading:
    """Statements about the tables of one dataset."""

    def __init__(
        self,
        dataset: Dataset,
        connection: "duckdb.DuckDBPyConnection",
        views: Views,
        sources: dict[str, str],
        meant: Meant,
    ) -> None:
        self._dataset, self._connection, self._views = dataset, connection, views
        self._sources, self._meant = sources, meant

    def table(self, table: Table, registered: RegisteredTable, progress: Progress) -> TableFigures:
        """All figures of a table."""
        progress(f"{table.name}: figures", 0.0)
        with guarded(lambda: _unread(table)):
            a_person = self._rows_a_person(table) if self._views.is_private(table) else None
            bounds = candidates(a_person.most) if a_person is not None else ()
            by, average = self._meant.by.get(table.name), self._meant.average.get(table.name)
            return TableFigures(
                table.name,
                registered.rows,
                self._nobody(table) if a_person is not None else 0,
                a_person,
                self._columns(table, registered),
                self._groups(table, by, bounds) if a_person is not None and by is not None else None,
                self._average(table, average) if a_person is not None and average is not None else None,
            )

    # ---- rows ----

    def _rows(self, table: Table) -> str:
        """The rows of people, each with all visible columns."""
        return f"(SELECT * FROM ({self._views.rows(table)}) WHERE {PERSON} IS NOT NULL)"

    def _rows_a_person(self, table: Table) -> Spread:
        return self._spread(f"SELECT count(*) AS n FROM {self._rows(table)} GROUP BY {PERSON}")

    def _nobody(self, table: Table) -> int:
        """The rows of the source that lead to no person."""
        path = self._dataset.path(table)
        key = path[0][0] if path else self._dataset.person(table)
        assert key is not None
        source, name = self._sources[table.name], quoted(key)
        if path is None or len(path) <= 1:
            return self._number(f"SELECT count(*) FROM {source} WHERE {name} IS NULL")
        led = f"SELECT DISTINCT {name} FROM ({self._views.owned(table)}) WHERE {PERSON} IS NOT NULL"
        return self._number(f"SELECT count(*) FROM {source} t ANTI JOIN ({led}) USING ({name})")

    # ---- columns ----

    def _columns(self, table: Table, registered: RegisteredTable) -> tuple[ColumnFigures, ...]:
        asked: list[str] = []
        for column in table.columns:
            name = quoted(column.name)
            asked.append(f"count(*) - count({name})")
            asked += self._ends(column) or ["NULL", "NULL"]
            asked.append(f"count(DISTINCT {name})" if is_grouped(column) else "NULL")
        found = self._connection.execute(
            f"SELECT {', '.join(asked) or '1'} FROM {self._sources[table.name]}"
        ).fetchall()[0]
        keys = {key[0].lower() for key in table.foreign_keys} | {(self._dataset.person(table) or "").lower()}
        return tuple(
            ColumnFigures(
                column.name,
                column.kind,
                column.name.lower() in keys,
                int(found[4 * i]),
                registered.lost(column.name),
                found[4 * i + 1],
                found[4 * i + 2],
                None if found[4 * i + 3] is None else int(found[4 * i + 3]),
                self._keys_a_person(table, column) if column.name.lower() not in keys else None,
            )
            for i, column in enumerate(table.columns)
        )

    @staticmethod
    def _ends(column: Column) -> list[str]:
        """The least and the greatest value, where values are in an order that means something."""
        if column.kind in (Kind.TEXT, Kind.BOOLEAN):
            return []
        name = quoted(column.name)
        known = f" FILTER (WHERE isfinite({name}))" if column.kind is Kind.REAL else ""
        return [f"min({name}){known}", f"max({name}){known}"]

    def _keys_a_person(self, table: Table, column: Column) -> Spread | None:
        if not is_grouped(column) or not self._views.is_private(table):
            return None
        return self._spread(
            f"SELECT count(*) AS n FROM (SELECT DISTINCT {PERSON}, {quoted(column.name)} FROM {self._rows(table)}) "
            f"GROUP BY {PERSON}"
        )

    # ---- what bounds do ----

    def _groups(self, table: Table, column: Column, bounds: Sequence[int]) -> GroupFigures:
        """Rows of every person in every group, and from these what each bound loses where."""
        run = self._connection.execute
        run(
            f"CREATE OR REPLACE TEMP TABLE {_LINES} AS SELECT {PERSON} AS p, {quoted(column.name)} AS k, "
            f"count(*) AS n FROM {self._rows(table)} GROUP BY ALL"
        )
        try:
            # of n rows a bound of R keeps min(n, R), each group's rows in proportion
            lost = [f"sum(l.n * (1 - least(1, {bound} / h.n))) AS lost{i}" for i, bound in enumerate(bounds)]
            each = (
                f"SELECT sum(l.n)::DOUBLE AS n, {', '.join(lost)} FROM {_LINES} l "
                f"JOIN (SELECT p, sum(n)::DOUBLE AS n FROM {_LINES} GROUP BY p) h USING (p) GROUP BY l.k"
            )
            sums = ", ".join(f"coalesce(sum(lost{i} * lost{i}), 0)" for i in range(len(bounds)))
            found = run(f"SELECT count(*), coalesce(sum(n * n), 0), {sums} FROM ({each})").fetchall()[0]
            listed = 0 if column.values is None else len(column.values)
            return GroupFigures(
                column.name,
                max(int(found[0]), listed),
                self._spread(f"SELECT count(*) AS n FROM {_LINES} GROUP BY p"),
                self._spread(f"SELECT n FROM {_LINES}"),
                float(found[1]),
                tuple((bound, float(square)) for bound, square in zip(bounds, found[2:], strict=True)),
            )
        finally:
            with suppress(Exception):
                run(f"DROP TABLE {_LINES}")

    def _average(self, table: Table, column: Column) -> AverageFigures | None:
        """The values as questions read them: within the bounds, and within the ends of the data where none are."""
        lower, upper, name = column.lower, column.upper, quoted(column.name)
        is_declared = lower is not None and upper is not None
        if lower is None or upper is None:
            ends = self._connection.execute(
                f"SELECT {', '.join(self._ends(column))} FROM {self._rows(table)}"
            ).fetchall()[0]
            if ends[0] is None:
                return None
            lower, upper = Fraction(ends[0]), Fraction(ends[1])
        value = f"least(greatest({name}, {_constant(lower, column.kind)}), {_constant(upper, column.kind)})"
        is_value = f"{name} IS NOT NULL"
        if column.kind is Kind.REAL:
            is_value += f" AND {'NOT isnan' if is_declared else 'isfinite'}({name})"
        added = "sum" if column.kind is Kind.INTEGER else "fsum"
        lines = self._connection.execute(
            f"SELECT n, count(*), CAST({added}(s) AS VARCHAR) FROM (SELECT count(*) AS n, {added}(v) AS s FROM "
            f"(SELECT {PERSON} AS p, {value} AS v FROM {self._rows(table)} WHERE {is_value}) GROUP BY p) "
            "GROUP BY n ORDER BY n"
        ).fetchall()
        if not all(isfinite(float(total)) for _, _, total in lines):  # sums beyond all doubles have no average
            return None
        known = tuple((int(n), int(people), Fraction(total)) for n, people, total in lines)
        return AverageFigures(column.name, lower, upper, is_declared, known)

    # ---- statements ----

    def _spread(self, numbers: str) -> Spread:
        """How often each number n of a statement occurs."""
        found = self._connection.execute(f"SELECT n, count(*) FROM ({numbers}) GROUP BY n ORDER BY n").fetchall()
        return Spread(tuple((int(number), int(people)) for number, people in found))

    def _number(self, statement: str) -> int:
        found: Any = self._connection.execute(statement).fetchall()[0][0]
        return int(found)


def _constant(value: Fraction, kind: Kind) -> str:
    """A bound as a constant; of whole numbers the whole one, as both ends are whole there."""
    if kind is Kind.INTEGER and value.denominator == 1:
        return f"CAST('{int(value)}' AS HUGEINT)"
    return DUCKDB.double(value)


def _unread(table: Table) -> InvalidDeclaration:
    return InvalidDeclaration(
        f"[tables.{table.name}] could not be profiled", hint="see its source and the memory limit"
    )
