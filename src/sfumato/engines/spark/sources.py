"""What a relation of a cluster is: its columns, how a cell of each is read, and which bytes it is made of.

A relation is a table or view of the catalog, or a folder of Parquet files where its name begins as a path does. The
files of a folder are those that are there when it is opened: what comes later is not read.
"""

import hashlib
import re
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote

from sfumato.data import Kind, SourceColumn
from sfumato.engines.spark.connection import ClusterSession, quiet
from sfumato.engines.spark.dialect import SPARK_DIALECT
from sfumato.errors import InvalidDeclaration, SfumatoError, shown

_PATH = re.compile(r"/|[a-z][a-z0-9+.-]*:/")
_WHOLE = re.compile(r"(tiny|small|big)?int$")
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)$")
_MOST_DIGITS = 18
_FEW_FILES = 1000
_PLAIN = {
    "double": Kind.REAL, "float": Kind.REAL, "string": Kind.TEXT, "boolean": Kind.BOOLEAN, "date": Kind.DATE,
    "timestamp_ntz": Kind.TIMESTAMP, "timestamp": Kind.TIMESTAMP,
}  # fmt: skip
"""The closed list of types that a question can read, by Spark's words, besides whole numbers and decimals."""
_TEXT = re.compile(r"(var)?char\(\d+\)$")

_MOMENT = {"date": "DATE", "timestamp_ntz": "TIMESTAMP_NTZ", "timestamp": "TIMESTAMP_LTZ"}


def is_path(relation: str) -> bool:
    """Whether a relation is a folder of Parquet files.

    >>> is_path("/data/visits"), is_path("s3a://clinic/visits"), is_path("clinic.visits")
    (True, True, False)
    """
    return _PATH.match(relation) is not None


def kind_of(name: str) -> Kind | None:
    """The kind of a type; None if no question reads it.

    >>> kind_of("int"), kind_of("decimal(18,0)"), kind_of("decimal(20,0)"), kind_of("array<int>")
    (<Kind.INTEGER: 'integer'>, <Kind.INTEGER: 'integer'>, <Kind.REAL: 'real'>, None)
    """
    decimal = _DECIMAL.match(name)
    if _WHOLE.match(name) or (decimal and int(decimal[1]) <= _MOST_DIGITS and decimal[2] == "0"):
        return Kind.INTEGER
    return Kind.REAL if decimal else Kind.TEXT if _TEXT.match(name) else _PLAIN.get(name)


def described(session: ClusterSession, relation: str) -> list[SourceColumn]:
    """The columns of a relation, from its schema alone: no row is read."""
    with _guarded(relation):
        fields = opened(session, relation).schema.fields
    return [_column(field.name, field.dataType.simpleString()) for field in fields]


def _column(name: str, type_name: str) -> SourceColumn:
    return SourceColumn(name, type_name, kind_of(type_name), inexact=inexact_as(type_name))


def inexact_as(name: str) -> tuple[Kind, ...]:
    """The kinds as which a type cannot name people: numbers in several widths, or of more digits than a double."""
    cut = name == "float" or (_DECIMAL.match(name) is not None and kind_of(name) is Kind.REAL)
    return (*((Kind.INTEGER,) if cut else ()), *((Kind.REAL,) if name not in ("double", "string") else ()))


def opened(session: ClusterSession, relation: str) -> Any:
    """The relation as a data frame, whose files are fixed."""
    if is_path(relation):
        return session.spark.read.parquet(relation)
    return session.spark.table(".".join(map(SPARK_DIALECT.quoted, relation.split("."))))


def show(session: ClusterSession, relation: str, name: str) -> None:
    """A view of the relation, for this session alone."""
    with _guarded(relation):
        opened(session, relation).createOrReplaceTempView(SPARK_DIALECT.quoted(name))


def cell(column: SourceColumn) -> str:
    """A cell as one of the kind of its column, whatever is in it: a day beyond the calendar is NULL."""
    made = SPARK_DIALECT.quoted(column.name)
    if column.kind is None:
        raise ValueError(column.type)
    if column.kind is Kind.TEXT:  # bytes that are no text would be no answer to whoever fetches them
        return f"try_validate_utf8({made})"
    read = f"CAST({made} AS {SPARK_DIALECT.type_of(column.kind)})"
    if not column.kind.is_time:
        return read
    ends = ("0001-01-01", "9999-12-31") if column.kind is Kind.DATE else ("0001-01-01", "9999-12-31 23:59:59.999999")
    low, high = (f"{_MOMENT[column.type]} '{end}'" for end in ends)  # in its own type: a cast may fail beyond them
    return f"CASE WHEN {made} >= {low} AND {made} <= {high} THEN {read} END"


def version_of(session: ClusterSession, relation: str) -> str | None:
    """A digest of the paths, sizes and times of a relation's files, none of which is read; None if it is a view."""
    try:
        with quiet():
            files = [unquote(file) for file in opened(session, relation).inputFiles()]
            if not files or not (is_path(relation) or _is_table(session, relation)):
                return None
            rows = _states(session, files)
    except Exception:  # what cannot be seen has no version
        return None
    return hashlib.sha256(repr(rows).encode()).hexdigest() if len(rows) == len(files) else None


def _states(session: ClusterSession, files: list[str]) -> list[tuple[str, int, str]]:
    """The path, size and time of files: asked of the file system where the driver is ours, else by a job."""
    spark = session.spark
    if session.is_ours and len(files) <= _FEW_FILES:
        configuration, rows = spark._jsc.hadoopConfiguration(), []
        for file in files:
            path = spark._jvm.org.apache.hadoop.fs.Path(file)
            state = path.getFileSystem(configuration).getFileStatus(path)
            rows.append((file, int(state.getLen()), str(state.getModificationTime())))
        return sorted(rows)
    listed = spark.read.format("binaryFile").load(files)
    found = listed.select("path", "length", listed["modificationTime"].cast("string")).toArrow()
    return sorted(zip(*(column.to_pylist() for column in found.columns), strict=True))


def _is_table(session: ClusterSession, relation: str) -> bool:
    """Whether a relation of the catalog is a table, and not a view: what that reads may be anything."""
    name = ".".join(map(SPARK_DIALECT.quoted, relation.split(".")))
    return session.spark.catalog.getTable(name).tableType in ("MANAGED", "EXTERNAL")


@contextmanager
def _guarded(relation: str) -> Generator[None]:
    """What Spark says of a relation is not shown: it may hold more than a name."""
    try:
        with quiet():
            yield
    except SfumatoError:
        raise
    except Exception:
        raise InvalidDeclaration(
            f"the cluster does not read {shown(relation)}",
            hint="is it there, of Parquet if it is a folder, and may this session see it?",
        ) from None
