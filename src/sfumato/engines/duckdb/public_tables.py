"""Plain SQL over public tables: run where nothing else has a name, ended in time, and given as values of kinds."""

import threading
from typing import TYPE_CHECKING, Any

from sfumato.data import Kind
from sfumato.engines.engine import PublicRows
from sfumato.errors import InvalidQuestion
from sfumato.query.public_question import PublicQuestion

if TYPE_CHECKING:
    import duckdb

MOST_LINES = 100_000
_KINDS = {
    "BOOLEAN": Kind.BOOLEAN, "VARCHAR": Kind.TEXT, "DATE": Kind.DATE, "TIMESTAMP": Kind.TIMESTAMP,
    "DOUBLE": Kind.REAL, "FLOAT": Kind.REAL, "DECIMAL": Kind.REAL,
}  # fmt: skip
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")


def found_in(cursor: "duckdb.DuckDBPyConnection", question: PublicQuestion, *, seconds: float | None) -> PublicRows:
    """The columns and lines that a question finds; what the database says of its words is said, as all is public."""
    import duckdb

    end = threading.Timer(seconds, cursor.interrupt) if seconds else None
    if end is not None:
        end.daemon = True
        end.start()
    try:
        found = cursor.execute(question.text)
        kinds = [(str(name), _kind(str(kind))) for name, kind, *_ in found.description or ()]
        lines = found.fetchmany(MOST_LINES + 1)
    except duckdb.Error as error:
        said = str(error).splitlines()[0]
        raise InvalidQuestion(said, hint=f"it reads public tables only: {', '.join(question.tables)}") from None
    finally:
        if end is not None:
            end.cancel()
    if len(lines) > MOST_LINES:
        raise InvalidQuestion(f"more than {MOST_LINES:,} lines are found", hint="aggregate, or LIMIT 1000")
    return kinds, [tuple(_value(value, kind) for value, (_, kind) in zip(line, kinds, strict=True)) for line in lines]


def _kind(name: str) -> Kind:
    if name.lstrip("U") in _WHOLE:
        return Kind.INTEGER
    return next((kind for word, kind in _KINDS.items() if name.startswith(word)), Kind.TEXT)


def _value(value: Any, kind: Kind) -> Any:
    if value is None or kind in (Kind.BOOLEAN, Kind.INTEGER, Kind.DATE):
        return value
    if kind is Kind.REAL:
        return float(value)
    return str(value) if kind is Kind.TEXT else value.replace(tzinfo=None)
