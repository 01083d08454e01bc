"""A cluster as questions see it: relations whose files are fixed, statements that end in time, and a place of ours."""

import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any

from sfumato.data import Dataset, RemoteTable, SourceColumn
from sfumato.engines.spark.connection import ClusterSession, connected, fetch, quiet
from sfumato.engines.spark.dialect import SPARK_DIALECT
from sfumato.engines.spark.functions import quoted_text
from sfumato.engines.spark.sources import cell, described, opened, show, version_of
from sfumato.engines.sql.fetched import Fetch, Fetched
from sfumato.engines.sql.relations import PERSON
from sfumato.errors import EngineFailed, InvalidDeclaration

_SOURCE = "sfumato_source_"
_BUCKETS = 32
_BUCKET = re.compile(r"_\d{5}\.c\d+[^/]*$")
"""How files of a bucket are called."""
_UNWRITTEN = "is it there for every worker, and may this session write in it? a folder is named by its whole path"


def server_of(dataset: Dataset) -> "SparkServer":
    """Connected as the declaration says."""
    first = dataset.tables[0].source
    assert isinstance(first, RemoteTable)
    return SparkServer(connected(first.url), dataset.engine.timeout)


class SparkServer:
    """A session on a cluster; what a relation's files are is fixed when it is first looked at."""

    dialect = SPARK_DIALECT

    def __init__(self, session: ClusterSession, seconds: float) -> None:
        self.session, self._seconds = session, seconds
        self._views: dict[str, str] = {}

    def columns(self, where: str, relation: RemoteTable) -> list[SourceColumn]:
        """The columns of a relation, from its schema alone."""
        del where
        return described(self.session, relation.name)

    def relation(self, relation: RemoteTable) -> str:
        """A view of the relation, of this session alone."""
        return self._view(relation.name)

    def _view(self, name: str) -> str:
        if name not in self._views:
            view = f"{_SOURCE}{len(self._views)}"
            show(self.session, name, view)
            self._views[name] = view
        return self.dialect.quoted(self._views[name])

    def cell(self, column: SourceColumn) -> str:
        """A cell as a value of its kind."""
        return cell(column)

    def unique(self, relation: RemoteTable, columns: Sequence[str]) -> frozenset[str]:
        """None: a cluster keeps no constraints."""
        del relation, columns
        return frozenset()

    def changes(self, relation: RemoteTable) -> str | None:
        """A digest of the relation's files as they are now: paths, sizes and times."""
        return version_of(self.session, relation.name)

    @contextmanager
    def reading(self, seconds: float) -> Generator[Fetch]:
        """Statements that together end in time; the files they read are those of the opening."""
        until = monotonic() + seconds
        yield lambda text: fetch(self.session, text, max(0.0, until - monotonic()))

    def ours(self, schema: str, name: str) -> str:
        """A table of ours; one in buckets of people is declared as such, so that no row of it is shuffled by person."""
        place = _place(schema, name)
        if place not in self._views and place.startswith("/") and self.forgets():
            with suppress(Exception), quiet():  # it is read as it is, where it cannot be declared
                rows = opened(self.session, place)
                if PERSON in rows.columns and all(map(_BUCKET.search, rows.inputFiles())):
                    self.session.spark.sql(_declared(f"sfumato_{name}", rows.schema.fields, place))
                    self._views[place] = f"sfumato_{name}"
        return self._view(place)

    def forgets(self) -> bool:
        """Whether what is declared is known to this driver alone, and to no catalogue of others."""
        return bool(self.session.spark.conf.get("spark.sql.catalogImplementation") == "in-memory")

    def schema_holds(self, schema: str, names: Sequence[str]) -> bool:
        """Whether tables of ours are there and can be read."""
        try:
            for name in names:
                self._view(_place(schema, name))
        except InvalidDeclaration:
            return False
        return True

    def close(self) -> None:
        """End the session."""
        self.session.close()


def _declared(name: str, fields: Sequence[Any], place: str) -> str:
    """A table of files that are in buckets of people."""
    columns = ", ".join(f"{SPARK_DIALECT.quoted(field.name)} {field.dataType.simpleString()}" for field in fields)
    return (
        f"CREATE TABLE IF NOT EXISTS {SPARK_DIALECT.quoted(name)} ({columns}) USING PARQUET "
        f"CLUSTERED BY ({PERSON}) SORTED BY ({PERSON}) INTO {_BUCKETS} BUCKETS LOCATION {quoted_text(place)}"
    )


def _place(schema: str, name: str) -> str:
    return f"{schema.rstrip('/')}/{name}" if schema.startswith("/") else f"{schema}.{name}"


class SparkWriter:
    """The owner at registration: the same session, which writes into one folder or database."""

    def __init__(self, server: SparkServer, seconds: float) -> None:
        self._server, self._seconds = server, seconds

    def make(self, schema: str, name: str, statement: str, *, by: Sequence[str]) -> None:
        """A table of a statement's rows, each person's in one file and beside each other."""
        spark, place = self._server.session.spark, _place(schema, name)
        try:
            with quiet():
                rows = spark.sql(statement)
                to = rows.repartition(_BUCKETS, *by).write if by else rows.write
                buckets = to.format("parquet").bucketBy(_BUCKETS, *by).sortBy(*by) if by else to.format("parquet")
                if not place.startswith("/"):
                    spark.sql(f"CREATE DATABASE IF NOT EXISTS {_quoted(schema)}")
                    buckets.saveAsTable(_quoted(place))
                elif by and self._server.forgets():  # files in buckets are written by way of a table
                    buckets.option("path", place).saveAsTable(_quoted(f"sfumato_{name}"))
                else:
                    to.parquet(place)
        except Exception:  # its words may hold a cell
            self.drop(schema, name)
            raise InvalidDeclaration(f"a table could not be written into {schema}", hint=_UNWRITTEN) from None

    def drop(self, schema: str, name: str) -> None:
        """Remove a table of ours, if it is there; the files of a folder only where the session can."""
        spark, place = self._server.session.spark, _place(schema, name)
        with suppress(Exception), quiet():
            if not place.startswith("/"):
                spark.sql(f"DROP TABLE IF EXISTS {_quoted(place)}")
                return
            if self._server.forgets():
                spark.sql(f"DROP TABLE IF EXISTS {_quoted(f'sfumato_{name}')}")
            java: Any = spark._jvm.org.apache.hadoop.fs.Path(place)
            java.getFileSystem(spark._jsc.hadoopConfiguration()).delete(java, True)

    def fetch(self, text: str) -> Fetched:
        """What a statement finds."""
        return fetch(self._server.session, text, self._seconds)

    def close(self) -> None:
        """The session is the server's, who closes it."""


def _quoted(name: str) -> str:
    return ".".join(map(SPARK_DIALECT.quoted, name.split(".")))


def check_same_cluster(dataset: Dataset, writer: str) -> None:
    """Refuse another cluster for whoever registers: a copy is made where the rows are."""
    first = dataset.tables[0].source
    assert isinstance(first, RemoteTable)
    if writer and RemoteTable(writer, "writer").place != first.place:
        raise EngineFailed(
            f"{RemoteTable(writer, 'writer').place} is not where the tables are",
            hint=f"tables of ours are made where the rows are: {first.place}",
        )
