"""A DuckDB that can reach the declared files, its own folders, and nothing else, from its first statement on."""

import hashlib
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sfumato.data import Dataset, place_of
from sfumato.engines.duckdb.guard import guarded
from sfumato.engines.duckdb.sources import escaped, form, in_quotes
from sfumato.engines.duckdb.workspace import Workspace
from sfumato.errors import InvalidDeclaration

if TYPE_CHECKING:
    import duckdb

_GLOB = "*?["


def connected(dataset: Dataset, workspace: Workspace, folders: Sequence[str]) -> "duckdb.DuckDBPyConnection":
    """A connection without extensions, whose files are the sources and what is in the folders."""
    import duckdb

    bases = [place_of(t.files[0]) for t in dataset.tables if t.files and form(t) == "duckdb"]
    _check_opens([str(workspace.path), *folders, *bases])
    connection = duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
        },
    )
    run = connection.execute
    run("SET preserve_insertion_order=false")
    run("SET ieee_floating_point_ops=true")
    run("SET TimeZone='UTC'")  # a moment means the same on every machine
    run("SET pandas_analyze_sample=0")  # no cell decides the type of a column of objects
    with guarded(_unavailable):
        if dataset.engine.memory:
            run("SET memory_limit=?", [dataset.engine.memory])
        if dataset.engine.threads:
            run("SET threads=?", [dataset.engine.threads])
    run(f"SET temp_directory='{escaped(workspace.path / 'spill')}'")
    directories = ", ".join(in_quotes(f"{folder.rstrip('/')}/") for folder in (str(workspace.path), *folders))
    run(f"SET allowed_directories=[{directories}]")
    allowed = {place_of(file) for table in dataset.tables for file in table.files}
    allowed |= {f"{base}.wal" for base in bases}
    run(f"SET allowed_paths=[{', '.join(in_quotes(file) for file in sorted(allowed))}]")
    run("SET enable_external_access=false")
    return connection


def _unavailable() -> InvalidDeclaration:
    return InvalidDeclaration(
        "[engine] memory or threads are more than the engine can have", hint='memory = "4GB", threads = 4'
    )


def _check_opens(paths: Iterable[str]) -> None:
    """Refuse what the engine takes for something else than a path, once it is held to paths."""
    found = next((path for path in paths if "?" in path), None)
    if found is not None:
        raise InvalidDeclaration(
            f"the path {found} has a ? in it, which the engine cannot open",
            hint="rename that folder, or the file; for temporary files: TMPDIR=/tmp",
        )


def plain_name(path: str, workspace: Workspace) -> str:
    """A name of a file that the engine takes for that file alone: a link, where its own would be a pattern."""
    path = place_of(path)
    if not any(sign in path for sign in _GLOB):
        return path
    names = workspace.path / "names"
    names.mkdir(exist_ok=True)
    link = names / hashlib.sha256(os.fsencode(path)).hexdigest()[:32]
    if not link.is_symlink():
        link.symlink_to(path)
    return str(link)
