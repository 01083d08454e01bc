"""Files of ours: how a table is made, whole or not at all, and how it is read."""

import hashlib
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from sfumato.engines.duckdb.dialect import quoted, type_of
from sfumato.engines.duckdb.folder import Folder
from sfumato.engines.duckdb.readings import ColumnReading
from sfumato.engines.duckdb.sources import escaped, logs_of, parquet
from sfumato.engines.duckdb.workspace import Workspace
from sfumato.engines.registration import FileState, RegisteredTable
from sfumato.errors import InvalidDeclaration

if TYPE_CHECKING:
    import duckdb

MANY = 50_000
"""Rows from which on a database of the engine's own is worth making for one process."""
COPIED, COPIED_FOR_ONE = 100_000, 1_000_000
"""Rows from which on a copy in order of people is worth making: in a folder, and for one process."""
_MAKING = "sfumato_making"


class Readers:
    """What the rows of registered tables are read from: files of ours, attached as they are needed."""

    def __init__(self, connection: "duckdb.DuckDBPyConnection") -> None:
        self._connection = connection

    def of(self, registered: RegisteredTable) -> str:
        """The registered columns of a table."""
        return f"({' UNION ALL '.join(f'SELECT * FROM {self.kept(part.kept)}' for part in registered.parts)})"

    def kept(self, file: FileState) -> str:
        """The table in a file of ours."""
        if file.path.endswith(".parquet"):
            return parquet([file.path])
        if logs_of(Path(file.path)):
            raise InvalidDeclaration("a file of the registration was changed", hint="sfumato register makes it anew")
        alias = f"sfumato_kept_{hashlib.sha256(file.path.encode()).hexdigest()[:16]}"
        self._connection.execute(f"ATTACH IF NOT EXISTS '{escaped(file.path)}' AS {alias} (READ_ONLY, TYPE duckdb)")
        return f"{alias}.kept"


class Making:
    """A file that is being made: of this process alone until it is whole.

    A database of the engine's own; for one process and few rows a Parquet file, which takes less time to make.
    """

    def __init__(
        self,
        connection: "duckdb.DuckDBPyConnection",
        workspace: Workspace,
        folder: Folder | None,
        name: str,
        *,
        columns: list[ColumnReading] | None,
        rows: int,
    ) -> None:
        self._connection, self._folder, self._name, self._readings = connection, folder, name, columns
        self._small = folder is None and rows < MANY
        self.rows = 0
        self._path = folder.new() if folder is not None else workspace.new()

    def __enter__(self) -> Self:
        if not self._small:
            self._connection.execute(f"ATTACH '{escaped(self._path)}' AS {_MAKING} (TYPE duckdb)")
        if self._readings is not None:
            self._create([(reading.name, type_of(reading.kind)) for reading in self._readings])
        return self

    def _create(self, columns: list[tuple[str, str]]) -> None:
        """An empty table; for one process its numbers are not packed, which halves the time to add them up."""
        packed = "" if self._small or self._folder is not None else " USING COMPRESSION uncompressed"
        texts = [f"{quoted(name)} {kind}{'' if kind == 'VARCHAR' else packed}" for name, kind in columns]
        self._connection.execute(f"CREATE OR REPLACE TABLE {self._target} ({', '.join(texts) or 'nothing INTEGER'})")

    @property
    def _target(self) -> str:
        return f"{_MAKING}_kept" if self._small else f"{_MAKING}.kept"

    def add(self, rows: str, columns: Iterable[str] | None = None) -> None:
        """The columns, as they are to be read, of some more rows."""
        made = columns if columns is not None else [reading.sql for reading in self._readings or ()]
        text = f"INSERT INTO {self._target} SELECT {', '.join(made) or 'NULL'} FROM {rows}"
        self.rows += int(self._connection.execute(text).fetchall()[0][0])

    def make(self, statement: str) -> None:
        """All rows by one statement."""
        self._create(
            [(str(row[0]), str(row[1])) for row in self._connection.execute(f"DESCRIBE {statement}").fetchall()]
        )
        self._connection.execute(f"INSERT INTO {self._target} {statement}")

    def keep(self) -> FileState:
        """The file, whole and under its name."""
        if self._small:
            path = self._path.with_suffix(".parquet")
            self._connection.execute(f"COPY {self._target} TO '{escaped(path)}' (FORMAT parquet)")
            return FileState(str(path), "", ())
        self._connection.execute(f"DETACH {_MAKING}")
        if self._folder is not None:
            return FileState.of(self._folder.keep(self._path, self._name))
        kept = self._path.with_name(f"kept-{self._path.name}")
        os.replace(self._path, kept)
        return FileState(str(kept), "", ())

    def __exit__(self, *_: object) -> None:
        if self._small:
            self._connection.execute(f"DROP TABLE IF EXISTS {self._target}")
            return
        with suppress(Exception):
            self._connection.execute(f"DETACH {_MAKING}")
        for left in (self._path, *logs_of(self._path)):
            left.unlink(missing_ok=True)
