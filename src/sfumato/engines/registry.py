"""Every engine by name, loaded when a dataset asks for it."""

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, cast

from sfumato.data import Dataset, SourceColumn
from sfumato.engines.engine import Engine, EngineModule
from sfumato.engines.progress import Progress, no_progress
from sfumato.engines.registration import Registration

if TYPE_CHECKING:
    from sfumato.engines.duckdb.schemas import Typed


class Entry(NamedTuple):
    """An engine's name in declarations, and the package that is it."""

    name: str
    module: str

    def load(self) -> EngineModule:
        """The package."""
        return cast("EngineModule", import_module(self.module))


ENGINES: tuple[Entry, ...] = (Entry("duckdb", "sfumato.engines.duckdb"),)
"""Every engine; the first is the one of files and of tables in memory."""


def engine_for(dataset: Dataset) -> EngineModule:
    """The engine that a dataset's tables are in."""
    return ENGINES[0].load()


def open_engine(dataset: Dataset, *, progress: Progress = no_progress) -> Engine:
    """The engine of a dataset, opened; what is not registered yet is, if whoever opens it is the owner."""
    return engine_for(dataset).open(dataset, progress=progress)


def register(
    dataset: Dataset, *, append: bool = False, progress: Progress = no_progress
) -> "tuple[Registration, Typed]":
    """Read every source anew and write down what is registered; with `append` only what was not before."""
    return engine_for(dataset).register(dataset, append=append, progress=progress)


def described(dataset: Dataset) -> "tuple[dict[str, list[SourceColumn]], Typed]":
    """The columns of every source and the dataset with its kinds: no row is read and nothing is written."""
    return engine_for(dataset).described(dataset)
