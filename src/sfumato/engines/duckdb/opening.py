"""Opening what was registered, and registering what was not: who may do which, and what analysts are told."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.data import Dataset, File, SourceColumn, Table, Typed, place_of, typed, with_files
from sfumato.engines.duckdb.connection import connected
from sfumato.engines.duckdb.folder import Folder
from sfumato.engines.duckdb.kept import COPIED
from sfumato.engines.duckdb.readings import readings
from sfumato.engines.duckdb.registrar import Registrar
from sfumato.engines.duckdb.shapes import about, copies, cuts, shape_of
from sfumato.engines.duckdb.sources import check_files, listed
from sfumato.engines.duckdb.workspace import Workspace
from sfumato.engines.progress import Progress, no_progress
from sfumato.engines.registration import FileState, Registration, same_sources, sources_of
from sfumato.errors import InvalidDeclaration

if TYPE_CHECKING:
    import duckdb

_AGAIN = "the owner registers it again: sfumato register"
_OURS = ".sfumato"


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
    dataset = with_files(dataset)
    folder, folders = _places(dataset)
    if folder is not None:
        folder.sweep(lambda: Registration.paths(Path(dataset.registration)))
    previous = Registration.read(Path(dataset.registration)) if folder is not None else None
    if folder is not None and previous is not None:
        _check_sources(dataset, previous)
        known = _unchanged(dataset, previous, folder, seed)
        if known is not None:
            connection = connected(dataset, workspace, folders)
            return Opened(previous, known, connection, dataset.without_rows(), folders)
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
        registration, made = registrar.register(previous, anew=anew)
    except BaseException:
        connection.close()
        raise
    return Opened(registration, made, connection, dataset.without_rows(), folders)


def register_again(
    dataset: Dataset, seed: int, *, append: bool = False, progress: Progress = no_progress
) -> tuple[Registration, Typed]:
    """Read every source anew and write down what is registered; with `append` only files that were not before."""
    dataset = with_files(dataset)
    folder, _ = _places(dataset)
    # what is there and is no record is somebody's own file: read refuses it
    found = Registration.read(Path(dataset.registration)) if folder is not None else None
    previous = found if append else None
    if append:
        if previous is None:
            raise InvalidDeclaration(
                f"dataset {dataset.name} is not registered", hint="register all of it: without append=True"
            )
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
    dataset, workspace = with_files(dataset), Workspace()
    try:
        connection = connected(dataset, workspace, ())
        try:
            schemas = Registrar(dataset, connection, workspace).schemas()
            return schemas, typed(dataset, schemas)
        finally:
            connection.close()
    finally:
        workspace.close()


def tables_in(dataset: Dataset) -> list[str]:
    """The names of the tables in the database that the one table of a dataset is in; no row is read."""
    workspace = Workspace()
    try:
        connection = connected(dataset, workspace, ())
        try:
            return listed(connection, dataset.tables[0])
        finally:
            connection.close()
    finally:
        workspace.close()


def owns(folder: Path) -> bool:
    """Whether the folder is this user's."""
    return folder.stat().st_uid == os.geteuid()


def _places(dataset: Dataset) -> tuple[Folder | None, tuple[str, ...]]:
    """Where what is made is kept: beside the declaration or where it says, if it is a file and all sources are."""
    if not dataset.registration or not all(isinstance(table.source, File) for table in dataset.tables):
        return None, ()
    record = Path(dataset.registration)
    path = record.parent / _OURS / record.stem
    if dataset.engine.cache:  # declarations of one name may share it
        which = hashlib.sha256(os.fsencode(record)).hexdigest()[:16]
        path = Path(dataset.engine.cache) / _OURS / f"{record.stem}-{which}"
    return Folder(path), (str(path),)


def _check_sources(dataset: Dataset, found: Registration) -> None:
    """Refuse other files, or other bytes, than were registered."""
    for table in dataset.tables:
        _check_found(table, found)
        check_files(table)
    if not same_sources(dataset, found):
        raise InvalidDeclaration("the declaration names other sources than were registered", hint=_AGAIN)
    for table in dataset.tables:
        for file in sources_of(found, table.name):
            if not file.is_still(since=found.made):
                raise InvalidDeclaration(
                    f"[tables.{table.name}] {_called(table, file)} is not what was registered", hint=_AGAIN
                )


def _check_found(table: Table, found: Registration) -> None:
    """Refuse a folder or a pattern that finds other files now; which, is not told to whoever asks."""
    known = [file.path for file in sources_of(found, table.name)]
    now = [place_of(file) for file in table.files]
    if not _is_pattern(table) or not known or now == known:
        return
    if set(known) < set(now):
        raise InvalidDeclaration(
            f"[tables.{table.name}] source finds files that were not registered",
            hint="the owner registers them: sfumato register --append; or all of it again: sfumato register",
        )
    raise InvalidDeclaration(f"[tables.{table.name}] source finds other files than were registered", hint=_AGAIN)


def _check_appended(dataset: Dataset, found: Registration) -> None:
    """Refuse to append to files that are not those that were registered: a list goes on, a pattern finds more."""
    for table in dataset.tables:
        before = sources_of(found, table.name)
        known, now = [file.path for file in before], [place_of(file) for file in table.files]
        if not (set(known) <= set(now) if _is_pattern(table) else now[: len(known)] == known):
            what = "no longer finds" if _is_pattern(table) else "does not begin with"
            raise InvalidDeclaration(
                f"[tables.{table.name}] {what} the files that were registered",
                hint="register all of it again: without append=True",
            )
        for file in before:
            if not file.is_still(since=found.made):
                raise InvalidDeclaration(
                    f"[tables.{table.name}] {Path(file.path).name} is not what was registered",
                    hint="register all of it again: without append=True",
                )


def _is_pattern(table: Table) -> bool:
    return isinstance(table.source, File) and bool(table.source.pattern)


def _called(table: Table, file: FileState) -> str:
    """A file as it may be told to whoever opens: by its name, if that was declared."""
    return "a file of its source" if _is_pattern(table) else Path(file.path).name


def _unchanged(dataset: Dataset, found: Registration, folder: Folder, seed: int) -> Typed | None:
    """The dataset with its kinds, if what it declares of them is what was registered and made."""
    schemas = {name: list(table.columns) for name, table in found.tables.items()}
    try:
        known = typed(dataset, schemas)
    except InvalidDeclaration:  # of the sources as they were read before: registration looks at them anew
        return None
    for table in known.dataset.tables:
        if found.tables[table.name].shape != shape_of(table, readings(known, table)):
            return None
    if found.about != about(known.dataset):
        return None
    shapes = {name: shape for name, (_, shape) in cuts(known, found.tables, seed).items()}
    copied = copies(known, found.tables, seed, least=COPIED)
    for name, each in found.tables.items():
        kept = all(folder.holds(file.path) and file.is_still(since=found.made) for file in each.files())
        if each.cut_shape != shapes.get(name, "") or not kept:
            return None
        # what was registered before there were copies is asked without them, unless they are declared
        if each.copy_shape != copied.get(name, "") and (each.copy_shape or dataset.engine.copy):
            return None
    return known
