"""Opening what was registered, and registering what was not: who may do which, and what analysts are told."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.data import Dataset, SourceColumn, place_of
from sfumato.engines.duckdb.connection import connected
from sfumato.engines.duckdb.folder import Folder
from sfumato.engines.duckdb.registrar import Registrar
from sfumato.engines.duckdb.schemas import Typed
from sfumato.engines.duckdb.shapes import about, cuts, shape_of
from sfumato.engines.duckdb.sources import check_files
from sfumato.engines.duckdb.workspace import Workspace
from sfumato.engines.progress import Progress, no_progress
from sfumato.engines.registration import Registration, same_sources
from sfumato.errors import InvalidDeclaration

if TYPE_CHECKING:
    import duckdb

_AGAIN = "the owner registers it again: sfumato register"


@dataclass(frozen=True)
class Opened:
    """A registration, the dataset with its columns, and a connection that can read both and is not locked yet."""

    registration: Registration
    typed: Typed
    connection: "duckdb.DuckDBPyConnection"
    given: Dataset
    folders: tuple[str, ...]


def opened(dataset: Dataset, workspace: Workspace, seed: int, progress: Progress = no_progress) -> Opened:
    """The registration of a dataset; made now if there is none and whoever opens it owns the folder.

    Other bytes than were registered are refused. A declaration that changed is registered again, of the same bytes.
    """
    folder, folders = _places(dataset)
    if folder is not None:
        folder.sweep(lambda: Registration.paths(Path(dataset.registration)))
    previous = Registration.read(Path(dataset.registration)) if folder is not None else None
    if folder is not None and previous is not None:
        _check_sources(dataset, previous)
        typed = _unchanged(dataset, previous, seed)
        if typed is not None:
            return Opened(previous, typed, connected(dataset, workspace, folders), _nameless(dataset), folders)
    if folder is not None and not owns(Path(dataset.registration).parent):
        what = "changed since it was registered" if previous is not None else "is not registered"
        raise InvalidDeclaration(f"dataset {dataset.name} {what}", hint="the owner registers it: sfumato register")
    return _registered(dataset, workspace, seed, progress, previous)


def _registered(
    dataset: Dataset,
    workspace: Workspace,
    seed: int,
    progress: Progress,
    previous: Registration | None,
    *,
    anew: bool = False,
) -> Opened:
    folder, folders = _places(dataset)
    if folder is not None:
        folder.check()
    connection = connected(dataset, workspace, folders)
    try:
        registrar = Registrar(dataset, connection, workspace, folder=folder, seed=seed, progress=progress)
        registration, typed = registrar.register(previous, anew=anew)
    except BaseException:
        connection.close()
        raise
    return Opened(registration, typed, connection, _nameless(dataset), folders)


def register_again(
    dataset: Dataset, seed: int, *, append: bool = False, progress: Progress = no_progress
) -> tuple[Registration, Typed]:
    """Read every source anew and write down what is registered; with `append` only files that were not before."""
    folder, _ = _places(dataset)
    # what is there and is no record is somebody's own file: read refuses it
    found = Registration.read(Path(dataset.registration)) if folder is not None else None
    previous = found if append else None
    if append:
        if previous is None:
            raise InvalidDeclaration(f"dataset {dataset.name} is not registered", hint="register it without --append")
        _check_appended(dataset, previous)
    workspace = Workspace()
    try:
        made = _registered(dataset, workspace, seed, progress, previous, anew=not append)
        made.connection.close()
        return made.registration, made.typed
    finally:
        workspace.close()


def described(dataset: Dataset) -> tuple[dict[str, list[SourceColumn]], Typed]:
    """The columns of every source and the dataset with its kinds: no row is read and nothing is written."""
    workspace = Workspace()
    try:
        connection = connected(dataset, workspace, ())
        try:
            schemas = Registrar(dataset, connection, workspace).schemas()
            return schemas, Typed(dataset, schemas)
        finally:
            connection.close()
    finally:
        workspace.close()


def owns(folder: Path) -> bool:
    """Whether the folder is this user's."""
    return folder.stat().st_uid == os.geteuid()


def _places(dataset: Dataset) -> tuple[Folder | None, tuple[str, ...]]:
    """Where what is made is kept: beside the declaration, if it is a file and all sources are."""
    if not dataset.registration or not dataset.cache or any(not table.files for table in dataset.tables):
        return None, ()
    path = Path(dataset.cache) / Path(dataset.registration).stem
    return Folder(path), (str(path),)


def _nameless(dataset: Dataset) -> Dataset:
    """The dataset without what was given in memory."""
    return replace(dataset, tables=tuple(t if t.files else replace(t, source=None) for t in dataset.tables))


def _check_sources(dataset: Dataset, found: Registration) -> None:
    """Refuse other files, or other bytes, than were registered."""
    for table in dataset.tables:
        check_files(table)
    if not same_sources(dataset, found):
        raise InvalidDeclaration("the declaration names other sources than were registered", hint=_AGAIN)
    for name, known in found.tables.items():
        for part in known.parts:
            if part.source is not None and not part.source.is_still(since=found.made):
                raise InvalidDeclaration(
                    f"[tables.{name}] {Path(part.source.path).name} is not what was registered", hint=_AGAIN
                )


def _check_appended(dataset: Dataset, found: Registration) -> None:
    """Refuse to append to files that are not those that were registered, in their order."""
    for table in dataset.tables:
        known = found.tables.get(table.name)
        before = [] if known is None else [part.source for part in known.parts if part.source is not None]
        now = [place_of(file) for file in table.files]
        if now[: len(before)] != [file.path for file in before]:
            raise InvalidDeclaration(
                f"[tables.{table.name}] does not begin with the files that were registered", hint="leave --append out"
            )
        for file in before:
            if not file.is_still(since=found.made):
                raise InvalidDeclaration(
                    f"[tables.{table.name}] {Path(file.path).name} is not what was registered",
                    hint="leave --append out: all of it is read again",
                )


def _unchanged(dataset: Dataset, found: Registration, seed: int) -> Typed | None:
    """The dataset with its kinds, if what it declares of them is what was registered and made."""
    schemas = {name: list(table.columns) for name, table in found.tables.items()}
    try:
        typed = Typed(dataset, schemas)
    except InvalidDeclaration:  # of the sources as they were read before: registration looks at them anew
        return None
    for table in typed.dataset.tables:
        if found.tables[table.name].shape != shape_of(table, typed.readings(table)):
            return None
    if found.about != about(typed.dataset):
        return None
    shapes = {name: shape for name, (_, shape) in cuts(typed, found.tables, seed).items()}
    for name, known in found.tables.items():
        if known.cut_shape != shapes.get(name, "") or not all(f.is_still(since=found.made) for f in known.files()):
            return None
    return typed
