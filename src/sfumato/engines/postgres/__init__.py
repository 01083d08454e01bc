"""PostgreSQL: questions are asked where the tables are, by a role that can only read."""

from sfumato.data import Dataset, SourceColumn, Typed
from sfumato.engines.figures import TableFigures
from sfumato.engines.postgres.connection import PostgresWriter, connected
from sfumato.engines.progress import Progress, no_progress
from sfumato.engines.registration import Registration
from sfumato.engines.remote import engine
from sfumato.engines.remote.engine import RemoteEngine, profiles_files

__all__ = ["described", "open", "profiled", "register"]


def open(dataset: Dataset, *, progress: Progress = no_progress) -> RemoteEngine:  # noqa: A001
    """The engine of a dataset, opened."""
    return RemoteEngine(dataset, connected(dataset), progress=progress)


def register(
    dataset: Dataset, *, append: bool = False, writer: str = "", progress: Progress = no_progress
) -> tuple[Registration, Typed]:
    """Look at every relation anew, write the tables of ours, and write down what is registered."""
    write = (lambda: PostgresWriter(dataset, writer)) if writer else None
    return engine.registered(dataset, connected(dataset), write, append=append, progress=progress)


def described(dataset: Dataset) -> tuple[dict[str, list[SourceColumn]], Typed]:
    """The columns of every relation and the dataset with its kinds."""
    return engine.described(dataset, connected(dataset))


def profiled(
    dataset: Dataset, *, by: str = "", average: str = "", progress: Progress = no_progress
) -> tuple[Dataset, tuple[TableFigures, ...]]:
    """Not here yet: a profile reads whole tables into figures, and is of files."""
    raise profiles_files(dataset)
