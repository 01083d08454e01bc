"""Every engine by name, loaded when a dataset asks for it, and which of them a dataset's tables are in."""

from importlib import import_module
from typing import NamedTuple, cast

from sfumato.core.naming import known_names
from sfumato.data import Dataset, RemoteTable, SourceColumn, Table, Typed
from sfumato.engines.engine import Engine, EngineModule
from sfumato.engines.figures import TableFigures
from sfumato.engines.progress import Progress, no_progress
from sfumato.engines.registration import Registration
from sfumato.errors import InvalidDeclaration, shown


class EngineEntry(NamedTuple):
    """An engine's name in declarations, the package that is it, and the addresses that it reads."""

    name: str
    module: str
    schemes: tuple[str, ...] = ()
    """The words before ://; an engine without any reads files and tables in memory."""

    def load(self) -> EngineModule:
        """The package."""
        return cast("EngineModule", import_module(self.module))


ENGINES: tuple[EngineEntry, ...] = (
    EngineEntry("duckdb", "sfumato.engines.duckdb"),
    EngineEntry("postgres", "sfumato.engines.postgres", ("postgresql", "postgres")),
    EngineEntry("spark", "sfumato.engines.spark", ("spark", "sc")),
)
"""Every engine; the first is the one of files and of tables in memory."""


def entry_for(dataset: Dataset) -> EngineEntry:
    """The engine that all tables of a dataset are in: the one that reads their addresses, or files and memory."""
    _check_one_place(dataset.tables)
    first = dataset.tables[0].source
    scheme = first.scheme if isinstance(first, RemoteTable) else ""
    named = _named(dataset.engine.name)
    known = [each for each in ENGINES if scheme in (each.schemes or ("",))]
    if not known:
        raise InvalidDeclaration(
            f"no engine reads {scheme}:// yet: [tables.{dataset.tables[0].name}]",
            hint='write the tables into Parquet files, and name those: source = "visits.parquet"',
        )
    if named is not None and named not in known:
        what = f"{scheme}://" if scheme else "files and tables in memory"
        raise InvalidDeclaration(
            f"[engine] name: {named.name} does not read {what}", hint=f'name = "{known[0].name}", or leave it out'
        )
    return named or known[0]


def _named(name: str) -> EngineEntry | None:
    if not name:
        return None
    found = next((each for each in ENGINES if each.name == name), None)
    if found is None:
        raise InvalidDeclaration(
            f"[engine] name: there is no engine {shown(name)}",
            hint=known_names(name, [each.name for each in ENGINES]),
        )
    return found


def _check_one_place(tables: tuple[Table, ...]) -> None:
    """Refuse tables in two places: no engine joins rows that another holds."""
    first, rest = tables[0], tables[1:]
    for table in rest:
        if _address(table) != _address(first):
            raise InvalidDeclaration(
                f"[tables.{first.name}] is in {_place(first)} and [tables.{table.name}] in {_place(table)}",
                hint="the tables of a dataset are in one place: copy them to one, or write both into Parquet files",
            )


def _address(table: Table) -> str:
    return table.source.url if isinstance(table.source, RemoteTable) else ""


def _place(table: Table) -> str:
    return table.source.place if isinstance(table.source, RemoteTable) else "files or memory"


def open_engine(dataset: Dataset, *, progress: Progress = no_progress) -> Engine:
    """The engine of a dataset, opened; what is not registered yet is, if whoever opens it is the owner."""
    return entry_for(dataset).load().open(dataset.check_bounds(), progress=progress)


def register(
    dataset: Dataset, *, append: bool = False, writer: str = "", progress: Progress = no_progress
) -> tuple[Registration, Typed]:
    """Read every source anew and write down what is registered; with `append` only what was not before.

    `writer` is the address of whoever may write tables of ours on a server; it is used now, and stored nowhere.
    """
    module = entry_for(dataset).load()
    return module.register(dataset.check_bounds(), append=append, writer=writer, progress=progress)


def described(dataset: Dataset) -> tuple[dict[str, list[SourceColumn]], Typed]:
    """The columns of every source and the dataset with its kinds: no row is read and nothing is written."""
    return entry_for(dataset).load().described(dataset)


def profiled(
    dataset: Dataset, *, by: str = "", average: str = "", progress: Progress = no_progress
) -> tuple[Dataset, tuple[TableFigures, ...]]:
    """The dataset with its kinds, and exact figures of its private tables for the owner; nothing is written."""
    return entry_for(dataset).load().profiled(dataset, by=by, average=average, progress=progress)
