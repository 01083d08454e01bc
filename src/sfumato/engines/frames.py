"""Tables given in memory: DataFrames, whose types rows may have decided, and Arrow tables, whose schema says."""

import math
import numbers
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sfumato.data import Table
from sfumato.engines.sources import SourceColumn, kind_of
from sfumato.errors import InvalidDeclaration, MissingExtra

if TYPE_CHECKING:
    import duckdb


_EXACT = 2**53


class Given:
    """A table in memory, handed to the engine under a name; it is looked at as often as need be."""

    def __init__(self, i: int, table: Table) -> None:
        self.name, self._table = f"sfumato_given_{i}", table
        self.is_pandas = any(kind.__name__ == "DataFrame" for kind in _classes(table.source, "pandas"))
        self.lost: dict[str, int] = {}
        """By column, how many cells are of no kind that a table can hold."""
        self.source: Any = table.source if self.is_pandas else self._arrow(table.source)

    def _arrow(self, source: Any) -> Any:
        """An Arrow table of what says its own types: Arrow's tables and streams, and polars' frames."""
        if _classes(source, "pyarrow") or _classes(source, "polars"):
            try:
                import pyarrow as pa
            except ImportError:
                raise MissingExtra("pyarrow", "arrow") from None
            try:
                whole = source.collect() if type(source).__name__ == "LazyFrame" else source
                return whole if isinstance(whole, pa.Table) else pa.table(whole)
            except (pa.ArrowException, TypeError, ValueError):
                pass
        raise self._unreadable()

    def _unreadable(self) -> InvalidDeclaration:
        return InvalidDeclaration(
            f"[tables.{self._table.name}] source cannot be read",
            hint="give the path of a file, or a DataFrame or Arrow table whose columns have one type each",
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
                hint="letters of either case are the same",
            )
        found = {name: self._certainty(name) for name in names} if self.is_pandas else dict.fromkeys(names, "firm")
        self._hand_over(connection, found)
        types = connection.execute(f"DESCRIBE SELECT * FROM {self.name}").fetchall()
        return [
            SourceColumn(
                name,
                str(kind),
                kind_of(str(kind)),
                loose=found[name] in ("text", "uncertain"),
                uncertain=found[name] == "uncertain",
            )
            for name, (_, kind, *_) in zip(names, types, strict=True)
        ]

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
        return "uncertain" if str(kind) == "category" or str(kind).startswith("datetime64") else "firm"

    def _hand_over(self, connection: "duckdb.DuckDBPyConnection", found: dict[str, str]) -> None:
        import duckdb

        source = self.source
        try:
            if self.is_pandas:
                source = source.copy(deep=False)
                for name in [name for name, kind in found.items() if kind == "uncertain"]:
                    source[name], self.lost[name] = _uniform(source[name])
            connection.register(self.name, source)
        except (duckdb.Error, TypeError, ValueError, OverflowError):
            raise self._unreadable() from None


def _classes(source: object, library: str) -> list[type]:
    """The classes of a library that an object is of."""
    return [kind for kind in type(source).__mro__ if kind.__module__.split(".")[0] == library]


def _uniform(column: Any) -> tuple[Any, int]:
    """A column whose cells are what they would be among objects, and how many are of no kind at all.

    Moments are in UTC and in microseconds, objects are text.
    """
    import numpy as np

    kind = str(column.dtype)
    if kind.startswith("datetime64"):
        plain = column.dt.tz_convert("UTC").dt.tz_localize(None) if "," in kind else column
        return plain.astype("datetime64[us]"), 0
    if kind not in ("object", "category"):
        return column, 0
    made, there = np.empty(len(column), dtype=object), column.notna().to_numpy()
    for at, value in enumerate(column):
        made[at] = _text(value)
    return made, sum(made[at] is None for at in np.flatnonzero(there))


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
        whole = number.is_integer() and abs(number) < _EXACT and repr(number) != "-0.0"
        return str(int(number)) if whole else repr(number)
    if isinstance(value, datetime) and type(value).__name__ != "NaTType":
        plain = value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)
        return plain.strftime("%Y-%m-%d %H:%M:%S.%f").zfill(26)
    return str(value) if isinstance(value, date) and type(value).__name__ != "NaTType" else None
