"""Spark: questions are asked of a cluster, and only aggregates come back."""

from sfumato.data import Dataset, SourceColumn, Typed
from sfumato.engines.figures import TableFigures
from sfumato.engines.progress import Progress, no_progress
from sfumato.engines.registration import Registration
from sfumato.engines.remote import engine
from sfumato.engines.remote.engine import RemoteEngine, profiles_files
from sfumato.engines.spark.server import SparkWriter, check_same_cluster, server_of

__all__ = ["described", "open", "profiled", "register"]


def open(dataset: Dataset, *, progress: Progress = no_progress) -> RemoteEngine:  # noqa: A001
    """The engine of a dataset, opened."""
    return RemoteEngine(dataset, server_of(dataset), progress=progress)


def register(
    dataset: Dataset, *, append: bool = False, writer: str = "", progress: Progress = no_progress
) -> tuple[Registration, Typed]:
    """Look at every relation anew, write the tables of ours, and write down what is registered."""
    check_same_cluster(dataset, writer)
    server = server_of(dataset)
    write = lambda: SparkWriter(server, dataset.engine.timeout)  # noqa: E731
    return engine.registered(dataset, server, write, append=append, progress=progress)


def described(dataset: Dataset) -> tuple[dict[str, list[SourceColumn]], Typed]:
    """The columns of every relation and the dataset with its kinds."""
    return engine.described(dataset, server_of(dataset))


def profiled(
    dataset: Dataset, *, by: str = "", average: str = "", progress: Progress = no_progress
) -> tuple[Dataset, tuple[TableFigures, ...]]:
    """Not here yet: a profile reads whole tables into figures, and is of files."""
    raise profiles_files(dataset)
