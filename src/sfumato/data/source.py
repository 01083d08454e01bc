"""What a table is read from, and the columns that are found there."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sfumato.data.addresses import address, relation_name
from sfumato.data.column import Kind
from sfumato.data.dialect import CsvDialect

_SIGNS = "*?["


@dataclass(frozen=True, slots=True)
class File:
    """A file, several of one kind with the same columns, or all that a pattern finds when it is registered."""

    paths: tuple[str, ...] = ()
    """In their order; of a pattern none, until it is looked at (`with_files`)."""
    format: str = ""
    """As declared; else names say it."""
    dialect: CsvDialect = field(default_factory=CsvDialect)
    pattern: str = ""
    """A folder or a pattern of names, as declared."""
    folder: str = ""
    """Where the pattern begins."""

    def forms(self) -> tuple[str, ...]:
        """What the files are, parquet, csv or duckdb: one word, unless names of several kinds are listed."""
        return (self.format,) if self.format else tuple(sorted({form_of_name(path) for path in self.paths}))

    def beginning(self) -> tuple[str, list[str]]:
        """Where the signs of a pattern begin: the folder that holds all it can find, and the parts from there on."""
        parts = [part for part in self.pattern.split("/") if part not in ("", ".")]
        start = "/" if self.pattern.startswith("/") else self.folder or "."
        while parts and not has_signs(parts[0]):
            start = os.path.join(start, parts.pop(0))
        return start, parts

    @property
    def called(self) -> str:
        """The pattern without the folders it lies in: what files it finds is nobody's but the owner's."""
        start, parts = self.beginning()
        name = Path(start).name
        return "/".join([*([name] if name else []), *parts]) + ("/" if self.pattern.endswith("/") else "")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Memory:
    """A DataFrame or an Arrow table; it is handed on to the engine, and shown nowhere."""

    given: Any = None
    """None when an engine has copied it."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Memory) and self.given is other.given

    def __hash__(self) -> int:
        return id(self.given)

    def __repr__(self) -> str:
        return "Memory(…)"


@dataclass(frozen=True, slots=True, repr=False)
class RemoteTable:
    """A table of a database or a cluster: its address, and its name there with a schema before it or none.

    >>> RemoteTable("postgresql://ada@db.example/clinic", "clinic.visits")
    RemoteTable('postgresql://db.example/clinic', 'clinic.visits')
    """

    url: str
    """The whole address, with whoever asks in it, for the engine alone: `place` is what is shown."""
    name: str

    def __post_init__(self) -> None:
        address("the address of a relation", self.url)
        relation_name("a relation", self.name)

    @property
    def scheme(self) -> str:
        """The word before the address, which says the engine."""
        return self.url.partition("://")[0]

    @property
    def place(self) -> str:
        """The address without whoever asks, and without options."""
        scheme, _, rest = self.url.partition("://")
        where, slash, path = rest.partition("?")[0].partition("/")
        return f"{scheme}://{where.rpartition('@')[2]}{slash}{path}"

    @property
    def parts(self) -> tuple[str, ...]:
        """The name with what stands before it: (schema, name), or the name alone."""
        return (self.name,) if self.is_folder else tuple(self.name.split("."))

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder of files that the engine reads, and no table of its catalogue."""
        return self.name.startswith("/")

    def __repr__(self) -> str:
        return f"RemoteTable({self.place!r}, {self.name!r})"


Source = File | Memory | RemoteTable
"""What a table is read from."""


def has_signs(path: str) -> bool:
    """Whether a path has a sign that stands for others."""
    return any(sign in path for sign in _SIGNS)


def form_of_name(file: str) -> str:
    """What a file is by its name: parquet, csv or duckdb."""
    suffixes = [suffix.lower() for suffix in Path(file).suffixes[-2:]]
    if not suffixes or suffixes[-1] in (".parquet", ".pq"):
        return "parquet"
    if suffixes[-1] in (".csv", ".tsv", ".txt", ".gz"):
        return "csv"
    return "duckdb" if suffixes[-1] in (".duckdb", ".db") else "parquet"


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """A column as its source has it; `kind` is None where no question can read its type.

    A `loose` column holds text that is to be read as its owner declares. Of an `uncertain` one rows have decided the
    type, so that the owner must say what it is.
    """

    name: str
    type: str
    """The engine's own word for its type, to be shown."""
    kind: Kind | None
    loose: bool = False
    uncertain: bool = False
    likely: Kind = Kind.TEXT
    """What an uncertain column seems to be, to suggest it to its owner."""
    inexact: tuple[Kind, ...] = ()
    """The kinds as which its type cannot name people: two values could be one cell, or one value two cells."""
