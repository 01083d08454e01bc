"""Tables given in memory: DataFrames, whose types rows may have decided, and Arrow tables, whose schema says.

In pandas a missing or odd cell turns whole numbers into reals, and anything into objects. Such a column is taken for
one of text, whatever its type is now, so that no cell decides what can be declared of it; and each cell is read as it
would be among objects. Where the type that a column has and the declared kind are read alike, no cell is written out.
"""

import math
import numbers
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sfumato.core.libraries import library
from sfumato.data import Kind, Memory, SourceColumn, Table
from sfumato.engines.duckdb.cells import cell, key
from sfumato.engines.duckdb.guard import guarded
from sfumato.engines.duckdb.readings import ColumnReading
from sfumato.engines.duckdb.sources import column_of
from sfumato.errors import InvalidDeclaration

if TYPE_CHECKING:
    import duckdb


EXACT = {"DOUBLE": 2**53, "FLOAT": 2**24, "HALF": 2**11}
"""By width, where whole numbers begin that a real may have rounded."""
_WIDTHS = {"float16": "HALF", "float32": "FLOAT"}
_OF_CELLS = ("category", "datetime64", "period", "interval", "sparse")
"""Types of pandas' own that an odd cell turns into objects, as it does NumPy's."""
_ALIKE = {
    Kind.INTEGER: (Kind.INTEGER, Kind.REAL), Kind.REAL: (Kind.INTEGER, Kind.REAL), Kind.BOOLEAN: (Kind.BOOLEAN,),
    Kind.TIMESTAMP: (Kind.TIMESTAMP, Kind.DATE),
}  # fmt: skip
"""The kinds as which cells of a type are read alike, in a column of that type and among objects."""


class GivenTable:
    """A table in memory, handed to the engine under a name; it is looked at as often as need be."""

    def __init__(self, i: int, table: Table) -> None:
        self.name, self._table = f"sfumato_given_{i}", table
        given = table.source.given if isinstance(table.source, Memory) else None
        self._is_lazy = type(given).__name__ == "LazyFrame"
        self.is_pandas = any(kind.__name__ == "DataFrame" for kind in _classes(given, "pandas"))
        self.lost: dict[str, int] = {}
        """By column, how many cells are of no kind that a table can hold."""
        self.source: Any = given if self.is_pandas else self._arrow(given)

    def _arrow(self, source: Any) -> Any:
        """An Arrow table of what says its own types: Arrow's tables and streams, and polars' frames."""
        if not _classes(source, "pyarrow") and not _classes(source, "polars"):
            raise self.unreadable()
        pa = library("pyarrow", f"reading the table [tables.{self._table.name}] in memory")
        with guarded(self.unreadable):
            whole = source.collect() if type(source).__name__ == "LazyFrame" else source
            return whole if isinstance(whole, pa.Table) else pa.table(whole)

    def unreadable(self) -> InvalidDeclaration:
        """The refusal of what no library reads."""
        computed = "it fails when it is computed: give frame.collect()"
        plain = "give the path of a file, or a DataFrame or Arrow table whose columns have one type each"
        return InvalidDeclaration(
            f"[tables.{self._table.name}] source cannot be read", hint=computed if self._is_lazy else plain
        )

    def columns(self, connection: "duckdb.DuckDBPyConnection") -> list[SourceColumn]:
        """The columns, without a look at a cell."""
        names = list(self.source.columns) if self.is_pandas else list(self.source.column_names)
        if not all(isinstance(name, str) and name for name in names):
            raise InvalidDeclaration(
                f"[tables.{self._table.name}] source: every column needs a name", hint="df.columns = [...]"
            )
        if len({name.lower() for name in names}) < len(names):
            raise InvalidDeclaration(
                f"[tables.{self._table.name}] source: two columns have the same name",
                hint="letters of either case are the same: rename one",
            )
        found = {name: self._certainty(name) for name in names} if self.is_pandas else dict.fromkeys(names, "firm")
        types = self._types(connection, [name for name in names if found[name] != "uncertain"])
        return [
            SourceColumn(name, "VARCHAR", Kind.TEXT, loose=True, uncertain=True, likely=self._likely(name))
            if found[name] == "uncertain"
            else column_of(name, types[name], loose=found[name] == "text")
            for name in names
        ]

    def _types(self, connection: "duckdb.DuckDBPyConnection", names: list[str]) -> dict[str, str]:
        """The engine's types of columns that say theirs."""
        if not names:
            return {}
        with guarded(self.unreadable):
            connection.register(self.name, self.source[names] if self.is_pandas else self.source)
            types = connection.execute(f"DESCRIBE SELECT * FROM {self.name}").fetchall()
            return {name: str(kind) for name, (_, kind, *_) in zip(names, types, strict=True)}

    def withdraw(self, connection: "duckdb.DuckDBPyConnection") -> None:
        """Let go of it."""
        connection.unregister(self.name)
        self.source = None

    def _certainty(self, name: str) -> str:
        """Whether a column's type is firm, is text, or is uncertain: one that pandas makes of the cells.

        A missing or odd cell turns whole numbers into reals, and anything into objects; a column of nothing but missing
        cells is one of numbers, until somebody has a text.
        """
        import numpy as np

        kind = self.source[name].dtype
        if isinstance(kind, np.dtype):
            return "uncertain"
        if str(kind) == "str":
            return "text"
        return "uncertain" if str(kind).lower().startswith(_OF_CELLS) else "firm"

    def _likely(self, name: str) -> Kind:
        """A kind to suggest to the owner."""
        held = _held(self.source[name].dtype)
        return Kind.TEXT if held is None else held[1]

    # ---- handed over, once it is known how every column is read ----

    def prepared(self, connection: "duckdb.DuckDBPyConnection", readings: list[ColumnReading]) -> list[ColumnReading]:
        """The readings over what the engine is given now: the columns that are read, and no other."""
        if not self.is_pandas:
            return readings
        with guarded(self.unreadable):
            import numpy as np
            import pandas as pd

            cells: dict[str, Any] = {}
            made = []
            for reading in readings:
                name = reading.source.name
                cells[name], over = self._read(reading) if reading.source.uncertain else (self.source[name], reading)
                made.append(over)
            nothing = {"nothing": np.zeros(len(self.source), dtype="int8")}  # rows there are all the same
            connection.register(self.name, pd.DataFrame(cells or nothing, copy=False))
            return made

    def _read(self, reading: ColumnReading) -> tuple[Any, ColumnReading]:
        """A column's cells as the engine gets them, and how it reads them."""
        column, name = self.source[reading.source.name], reading.source.name
        held = _held(column.dtype)
        if held is None or reading.kind not in _ALIKE[held[1]]:
            width = _WIDTHS.get(str(column.dtype), "DOUBLE")
            try:
                cells, self.lost[name], rounded = _as_text(column, width)
            except _Complex:
                raise InvalidDeclaration(
                    f"[tables.{self._table.name}] column `{name}` holds complex numbers",
                    hint="leave them out, or hide it",
                ) from None
            if rounded and reading.kind in (Kind.INTEGER, Kind.TEXT):
                raise rounded_numbers(self._table, name, 'df.astype({"id": "Int64"})')
            return cells, reading
        plain: Callable[..., str] = key if reading.is_key else cell
        over = partial(plain, held=held[1], kind=reading.kind)
        source = replace(reading.source, type=held[0], kind=held[1])
        return _in_utc(column) if held[1] is Kind.TIMESTAMP else column, replace(reading, source=source, over=over)


class _Complex(Exception):
    """A cell is a complex number."""


def rounded_numbers(table: Table, name: str, mend: str) -> InvalidDeclaration:
    """The refusal of whole numbers that are held as reals too large to be exact."""
    return InvalidDeclaration(
        f"[tables.{table.name}] column `{name}` holds whole numbers that its type has rounded",
        hint=f"keep them as whole numbers from the beginning: {mend}",
    )


def _held(kind: Any) -> tuple[str, Kind] | None:
    """The engine's type and the kind of a NumPy type; None where cells are read one by one."""
    name = str(kind)
    if name.startswith("datetime64"):
        return "TIMESTAMP", Kind.TIMESTAMP
    if name in ("float32", "float64"):
        return _WIDTHS.get(name, "DOUBLE"), Kind.REAL
    whole = {"int": "", "uint": "U"}.get(name.rstrip("0123456789"))
    if whole is not None:
        return whole + {"8": "TINYINT", "16": "SMALLINT", "32": "INTEGER", "64": "BIGINT"}[
            name.lstrip("uint")
        ], Kind.INTEGER
    return ("BOOLEAN", Kind.BOOLEAN) if name == "bool" else None


def _classes(source: object, library: str) -> list[type]:
    """The classes of a library that an object is of."""
    return [kind for kind in type(source).__mro__ if kind.__module__.split(".")[0] == library]


def _in_utc(column: Any) -> Any:
    """Moments in UTC and in microseconds."""
    plain = column.dt.tz_convert("UTC").dt.tz_localize(None) if "," in str(column.dtype) else column
    return plain.astype("datetime64[us]")


def _as_text(column: Any, width: str) -> tuple[Any, int, bool]:
    """The cells of a column as texts, how many are of no kind at all, and whether one may be a rounded whole number."""
    import numpy as np

    made, there = np.empty(len(column), dtype=object), column.notna().to_numpy()
    rounded = False
    for at, value in enumerate(column):
        made[at] = _text(value)
        if isinstance(value, numbers.Complex) and not isinstance(value, numbers.Real | Decimal):
            raise _Complex  # one such number can make all others so
        if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral | numbers.Rational):
            rounded = rounded or _is_rounded(value, _WIDTHS.get(type(value).__name__, width))
    return made, sum(made[at] is None for at in np.flatnonzero(there)), rounded


def _is_rounded(value: Any, width: str) -> bool:
    number = float(value)
    return math.isfinite(number) and abs(number) >= EXACT[width]


def _text(value: Any) -> str | None:
    """A cell as text, the same whatever the type of its column; what is neither text nor a plain value is missing."""
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:  # half a character
            return None
        return str(value)
    if isinstance(value, UUID):
        return str(value)
    if type(value).__name__ == "datetime64":
        value = value.astype("datetime64[us]").item()  # none, a number or a moment
        return _text(value) if isinstance(value, datetime) else None
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral | Decimal):
        return str(value)
    if isinstance(value, numbers.Real):
        number = float(value)
        if math.isnan(number):
            return None
        whole = number.is_integer() and abs(number) < EXACT["DOUBLE"] and repr(number) != "-0.0"
        return str(int(number)) if whole else repr(number)
    if isinstance(value, datetime) and type(value).__name__ != "NaTType":
        plain = value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)
        return plain.strftime("%Y-%m-%d %H:%M:%S.%f").zfill(26)
    return str(value) if isinstance(value, date) and type(value).__name__ != "NaTType" else None
