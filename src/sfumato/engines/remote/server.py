"""A server as the engines on servers see it: relations, cells, snapshots, and a schema of ours."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from sfumato.data import RemoteTable, SourceColumn
from sfumato.engines.sql.dialect import Dialect
from sfumato.engines.sql.fetched import Fetch, Fetched


class Server(Protocol):
    """Where tables are: read by statements of ours alone, as somebody who can do no more than read."""

    @property
    def dialect(self) -> Dialect:
        """How it is asked."""
        ...

    def columns(self, where: str, relation: RemoteTable) -> list[SourceColumn]:
        """The columns of a relation, from the catalogue alone; `where` is its table in the declaration."""
        ...

    def relation(self, relation: RemoteTable) -> str:
        """What stands behind FROM."""
        ...

    def cell(self, column: SourceColumn) -> str:
        """The SQL of a cell as a value of its column's kind: total, whatever it holds."""
        ...

    def unique(self, relation: RemoteTable, columns: Sequence[str]) -> frozenset[str]:
        """Which of the columns hold no value twice, by a constraint that is kept."""
        ...

    def changes(self, relation: RemoteTable) -> str | None:
        """What names the rows of a relation as they are, if the server knows; else the owner must say it."""
        ...

    def reading(self, seconds: float) -> AbstractContextManager[Fetch]:
        """Statements that all see the data of one moment, are ended in time, and change nothing."""
        ...

    def schema_holds(self, schema: str, names: Sequence[str]) -> bool:
        """Whether tables of ours are there and can be read."""
        ...

    def ours(self, schema: str, name: str) -> str:
        """What stands behind FROM for a table of ours."""
        ...

    def close(self) -> None:
        """Give connections back."""
        ...


class ServerWriter(Protocol):
    """The owner at registration: writes in the schema of ours, and nowhere else."""

    def make(self, schema: str, name: str, statement: str, *, by: Sequence[str]) -> None:
        """A table of a statement's rows, made in the server itself, in the order of some columns."""
        ...

    def drop(self, schema: str, name: str) -> None:
        """Remove a table of ours, if it is there."""
        ...

    def fetch(self, text: str) -> Fetched:
        """What a statement finds."""
        ...

    def close(self) -> None:
        """Give the connection back."""
        ...
