"""Tables given in memory: DataFrames, whose types rows may have decided, and Arrow tables, whose schema says."""

import math
import numbers
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from sfumato.data import Kind, Table
from sfumato.engines.sources import SourceColumn, kind_of
from sfumato.errors import InvalidDeclaration, MissingExtra

if TYPE_CHECKING:
    import duckdb


class Given:
    """A table in memory, handed to the engine under a name; it is looked at as often as need be."""

    def __init__(self, i: int, table: Table) -> None:
        self.name, self._table = f"sfumato_given_{i}", table
        self._is_pandas = "pandas" in _libraries(table.source) and hasattr(table.source, "dtypes")
        self.source: Any = table.source if self._is_pandas else self._arrow(table.source)

    def _arrow(self, source: Any) -> Any:
        """An Arrow table of what says its own types: Arrow's tables and streams, and polars' frames."""
        if _libraries(source) & {"pyarrow", "polars"}:
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
        found = self._of_pandas() if self._is_pandas else None
        self._hand_over(connection, found)
        types = connection.execute(f"DESCRIBE SELECT * FROM {self.name}").fetchall()
        return [
            SourceColumn(str(name), str(kind), kind_of(str(kind)))
            if found is None or found[name] == "firm"
            else SourceColumn(
                str(name), str(kind), Kind.REAL if found[name] == "number" else Kind.TEXT, loose=True, uncertain=True
            )
            for name, kind, *_ in types
        ]

    def withdraw(self, connection: "duckdb.DuckDBPyConnection") -> None:
        """Let go of it."""
        connection.unregister(self.name)
        self.source = None

    def _of_pandas(self) -> dict[str, str]:
        """For each column whether its type is firm, a number's, which a missing cell changes, or of objects.

        A column of nothing but missing cells is one of numbers, until somebody has a text: so numbers are not firm.
        """
        import numpy as np

        names = list(self.source.columns)
        if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
            raise InvalidDeclaration(
                f"[tables.{self._table.name}] source: its columns need names, each another", hint="df.columns = [...]"
            )
        found = {}
        for name in names:
            kind = self.source[name].dtype
            if not isinstance(kind, np.dtype):
                found[name] = "object" if str(kind) == "category" else "firm"
            else:
                found[name] = {"i": "number", "u": "number", "f": "number", "O": "object"}.get(kind.kind, "firm")
        return found

    def _hand_over(self, connection: "duckdb.DuckDBPyConnection", found: dict[str, str] | None) -> None:
        import duckdb

        source = self.source
        if found is not None and "object" in found.values():
            source = source.copy(deep=False)
            for name in [name for name, kind in found.items() if kind == "object"]:
                source[name] = _texts(source[name])
        try:
            connection.register(self.name, source)
        except (duckdb.Error, TypeError, ValueError):
            raise self._unreadable() from None


def _libraries(source: object) -> set[str]:
    """The libraries that a table's class comes from."""
    return {kind.__module__.split(".")[0] for kind in type(source).__mro__}


def _texts(column: Any) -> Any:
    """The cells of a column of objects as text; what is neither text nor a plain value is missing."""
    import numpy as np

    made = np.empty(len(column), dtype=object)
    for at, value in enumerate(column):
        made[at] = _text(value)
    return made


def _text(value: Any) -> str | None:
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:  # half a character
            return None
        return str(value)
    if isinstance(value, bool | numbers.Integral | Decimal):
        return str(value)
    if isinstance(value, numbers.Real):
        number = float(value)
        return repr(number) if math.isfinite(number) else None
    if isinstance(value, datetime | date) and type(value).__name__ != "NaTType":
        return str(value)
    return None
