"""What a source is and which columns it has, from its header, footer or catalog alone: no row decides any of it."""

import os
import re
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.data import File, Kind, SourceColumn, Table, place_of
from sfumato.engines.duckdb.dialect import quoted
from sfumato.engines.duckdb.guard import guarded
from sfumato.engines.duckdb.lines import Lines
from sfumato.errors import InvalidDeclaration, shown

if TYPE_CHECKING:
    import duckdb

_KINDS = (
    (re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$|DECIMAL\(\d+, ?0\)$"), Kind.INTEGER),
    (re.compile(r"(DOUBLE|FLOAT|REAL|DECIMAL\(\d+, ?\d+\))$"), Kind.REAL),
    (re.compile(r"(VARCHAR|UUID|ENUM\(.*\))$", re.DOTALL), Kind.TEXT),
    (re.compile(r"BOOLEAN$"), Kind.BOOLEAN),
    (re.compile(r"DATE$"), Kind.DATE),
    (re.compile(r"TIMESTAMP(_S|_MS|_NS| WITH TIME ZONE)?$"), Kind.TIMESTAMP),
)
"""The closed list of types that a question can read."""
_DUCKDB = b"DUCK"
_MAGIC_AT = 8
_MAIN = "database_name = ? AND schema_name = 'main'"
_WHICH = 'is it Parquet, CSV or DuckDB? if its name does not tell: format = "csv"'
LOGS = (".wal", ".wal.checkpoint", ".wal.recovery")
"""What the names of a database's logs end in: the usual one, and those of a checkpoint or a recovery under way."""


def form(table: Table) -> str:
    """What a source is: parquet, csv, duckdb, or memory."""
    if not isinstance(table.source, File):
        return "memory"
    first, *others = table.source.forms()
    if others:
        raise InvalidDeclaration(f"[tables.{table.name}] source lists files of several kinds", hint="list one kind")
    return first


def check_files(table: Table) -> None:
    """Refuse a source that is not there, or not what a table can be read from."""
    known: set[tuple[int, int]] = set()
    for file in table.files:
        try:
            found = os.stat(file)
        except (OSError, ValueError):
            found = None
        if found is None or not stat.S_ISREG(found.st_mode):
            is_folder = found is not None and stat.S_ISDIR(found.st_mode)
            hint = "a folder is written with a slash at its end" if is_folder else "mend the table's source"
            raise InvalidDeclaration(f"there is no file {shown(file)}", hint=hint)
        if not os.access(file, os.R_OK):
            raise InvalidDeclaration(f"cannot read {shown(file)}", hint="see its permissions")
        if (found.st_dev, found.st_ino) in known:
            raise InvalidDeclaration(
                f"[tables.{table.name}] {Path(file).name} is listed under another name too",
                hint="list each file once: rows that are read twice count twice",
            )
        known.add((found.st_dev, found.st_ino))
        if form(table) == "duckdb":
            _check_database(table, Path(place_of(file)), found.st_nlink)
    if form(table) == "duckdb" and len(table.files) > 1:
        raise InvalidDeclaration(
            f"[tables.{table.name}] source lists several databases",
            hint="name one; CSV and Parquet may be several files",
        )


def _check_database(table: Table, file: Path, names: int) -> None:
    try:
        with file.open("rb") as stream:
            magic = stream.read(_MAGIC_AT + len(_DUCKDB))[_MAGIC_AT:]
    except OSError:
        raise InvalidDeclaration(f"cannot read {file}", hint="see its permissions") from None
    if magic != _DUCKDB:
        raise InvalidDeclaration(
            f"[tables.{table.name}] {file.name} is not a DuckDB database",
            hint='convert it, or say what it is: format = "parquet" or "csv"',
        )
    if names > 1:  # changes that are not written yet lie beside the name it was opened by
        raise InvalidDeclaration(
            f"[tables.{table.name}] {file.name} has {names} names, and a log may lie beside another of them",
            hint="give a copy instead of a hard link",
        )
    log = next(iter(logs_of(file)), None)
    if log is not None:
        raise InvalidDeclaration(
            f"[tables.{table.name}] {file.name} has changes that are not written yet ({log.name})",
            hint="close the program that writes it, or run CHECKPOINT in it",
        )


def logs_of(file: Path) -> list[Path]:
    """The logs beside a database: what was changed and is not in it yet."""
    return [log for end in LOGS if os.path.lexists(log := file.with_name(f"{file.name}{end}"))]


# ---- readers, and what they have ----


def described(
    connection: "duckdb.DuckDBPyConnection", i: int, table: Table, named: Callable[[str], str], given: Any = None
) -> list[SourceColumn]:
    """The columns of a source; `named` gives a file's name to the engine, `given` is the table if it is in memory."""
    import duckdb

    kind = form(table)
    unread = partial(InvalidDeclaration, f"[tables.{table.name}] source cannot be read")
    with guarded(lambda: unread(hint=_WHICH)):
        try:
            if kind == "csv":
                columns = _of_lines(table)
            elif kind == "duckdb":
                columns = _of_database(connection, i, table)
            elif kind == "parquet":
                columns = _of_parquet(connection, table, named)
            else:
                columns = given.columns(connection)
        except duckdb.IOException as error:
            busy = "another program has it open for writing: close that, or give a copy"
            raise unread(hint=busy if "lock" in str(error).lower() else _WHICH) from None
    _check_names(table, columns)
    return columns


def _of_lines(table: Table) -> list[SourceColumn]:
    found = [header(table, file) for file in table.files]
    _check_alike(table, found)
    return [SourceColumn(name, "VARCHAR", Kind.TEXT, loose=True) for name in found[0]]


def header(table: Table, file: str) -> tuple[str, ...]:
    """The names in the header of a file of separated values; no other line is looked at."""
    lines = Lines(place_of(file), table.dialect, file, where=f"[tables.{table.name}]", chunk=None)
    lines.close()
    return lines.names


def _of_database(connection: "duckdb.DuckDBPyConnection", i: int, table: Table) -> list[SourceColumn]:
    file = place_of(table.files[0])
    connection.execute(f"ATTACH IF NOT EXISTS '{escaped(file)}' AS {database(i)} (READ_ONLY, TYPE duckdb)")
    if logs_of(Path(file)):  # since it was looked for
        check_files(table)
    base = database(i)
    called = _named_alike(connection, f"SELECT table_name FROM duckdb_tables() WHERE {_MAIN}", base, table.name)
    if called is None:
        view = _named_alike(connection, f"SELECT view_name FROM duckdb_views() WHERE {_MAIN}", base, table.name)
        what = "is a view there, and a view computes" if view else "is no table there"
        raise InvalidDeclaration(
            f"[tables.{table.name}] source: `{table.name}` {what}", hint="name a table of the file's main schema"
        )
    columns = connection.execute(
        f"SELECT column_name, data_type, is_generated FROM duckdb_columns() WHERE {_MAIN} AND table_name = ? "
        "ORDER BY column_index",
        [base, called],
    ).fetchall()
    computed = next((name for name, _, generated in columns if generated), None)
    if computed is not None:
        raise InvalidDeclaration(
            f"[tables.{table.name}] source: column `{computed}` is computed there, and may fail on a cell",
            hint="store it, or copy the table without it",
        )
    return [column_of(str(name), str(kind)) for name, kind, _ in columns]


def listed(connection: "duckdb.DuckDBPyConnection", table: Table) -> list[str]:
    """The tables of a database's main schema, by name; views compute, and are none."""
    check_files(table)
    with guarded(partial(InvalidDeclaration, f"{Path(table.files[0]).name} cannot be read", hint=_WHICH)):
        connection.execute(f"ATTACH '{escaped(place_of(table.files[0]))}' AS {database(0)} (READ_ONLY, TYPE duckdb)")
        text = f"SELECT table_name FROM duckdb_tables() WHERE {_MAIN} ORDER BY table_name"
        return [str(name) for (name,) in connection.execute(text, [database(0)]).fetchall()]


def _named_alike(connection: "duckdb.DuckDBPyConnection", text: str, base: str, name: str) -> str | None:
    """The name of the catalog that the engine takes a name for: it compares ASCII letters in either case."""
    found = [str(row[0]) for row in connection.execute(text, [base]).fetchall()]
    return next((each for each in found if each.encode().lower() == name.encode().lower()), None)


def database(i: int) -> str:
    """The name under which an owner's database is attached."""
    return f"sfumato_source_{i}"


def _of_parquet(
    connection: "duckdb.DuckDBPyConnection", table: Table, named: Callable[[str], str]
) -> list[SourceColumn]:
    found = []
    for file in map(named, table.files):
        columns = [
            (str(row[0]), str(row[1]))
            for row in connection.execute(f"DESCRIBE SELECT * FROM {parquet([file])}").fetchall()
        ]
        names = _top_level(
            connection.execute(f"SELECT name, num_children FROM parquet_schema('{escaped(file)}')").fetchall()
        )
        if not all(names):
            raise InvalidDeclaration(f"[tables.{table.name}] source: a column has no name", hint="name every column")
        if names != [name for name, _ in columns]:  # the engine has renamed one
            raise InvalidDeclaration(
                f"[tables.{table.name}] source: two columns have the same name",
                hint="letters of either case are the same: rename one",
            )
        found.append(tuple(columns))
    _check_alike(table, found)
    return [column_of(name, kind) for name, kind in found[0]]


def _top_level(schema: list[Any]) -> list[str]:
    """The names of a file's columns, without what is nested in them: a schema is a tree, written from the root on."""
    names, inside = [], 0
    for name, children in schema[1:]:
        if not inside:
            names.append(str(name))
        inside += (children or 0) - (1 if inside else 0)
    return names


def _check_alike(table: Table, found: list[Any]) -> None:
    for file, columns in zip(table.files, found, strict=True):
        if columns != found[0]:
            raise InvalidDeclaration(
                f"[tables.{table.name}] {Path(file).name} has other columns than {Path(table.files[0]).name}",
                hint="the files of a source have the same columns, in the same order",
            )


def _check_names(table: Table, columns: list[SourceColumn]) -> None:
    if not columns:
        raise InvalidDeclaration(f"[tables.{table.name}] source has no columns", hint="give a table that has some")
    seen: set[str] = set()
    for column in columns:
        name = column.name.lower()
        if name.startswith("sfumato_"):
            raise InvalidDeclaration(
                f"[tables.{table.name}] has a column `{column.name}`",
                hint="names that start with sfumato_ are taken: rename it",
            )
        if name in seen:
            raise InvalidDeclaration(
                f"[tables.{table.name}] has two columns `{column.name}`", hint="letters of either case are the same"
            )
        seen.add(name)


def kind_of(name: str) -> Kind | None:
    """The kind that a type of the engine holds."""
    return next((kind for pattern, kind in _KINDS if pattern.fullmatch(name.upper())), None)


def column_of(name: str, kind: str, *, loose: bool = False) -> SourceColumn:
    """A column of a type of the engine."""
    return SourceColumn(name, kind, kind_of(kind), loose=loose, inexact=inexact_as(kind))


def inexact_as(name: str) -> tuple[Kind, ...]:
    """The kinds as which a type cannot name people: numbers in several widths, and moments in nanoseconds.

    Doubles are whole numbers up to 2**53, which registration looks at.
    """
    return (
        *((Kind.INTEGER,) if name == "FLOAT" else ()),
        *((Kind.REAL,) if name not in ("DOUBLE", "VARCHAR") else ()),
        *((Kind.TIMESTAMP,) if name == "TIMESTAMP_NS" else ()),
    )


def parquet(files: list[str]) -> str:
    """The reader of Parquet files."""
    return f"read_parquet([{', '.join(in_quotes(file) for file in files)}], hive_partitioning=false)"


def escaped(path: str | Path) -> str:
    """A path inside of quotes."""
    return str(path).replace("'", "''")


def in_quotes(path: str) -> str:
    """A path as a constant."""
    return f"'{escaped(path)}'"


def reader(i: int, table: Table) -> str:
    """What the rows of a database's table are read from."""
    return f"{database(i)}.main.{quoted(table.name)}"
