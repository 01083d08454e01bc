"""A DuckDB that can reach the declared files, its own folders, and nothing else, from its first statement on."""

import hashlib
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sfumato.data import Dataset
from sfumato.engines.sources import escaped, form, in_quotes
from sfumato.engines.workspace import Workspace

if TYPE_CHECKING:
    import duckdb

_GLOB = "*?["


def connected(dataset: Dataset, workspace: Workspace, folders: Iterable[str]) -> "duckdb.DuckDBPyConnection":
    """A connection without extensions, whose files are the sources and what is in the folders."""
    import duckdb

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
    if dataset.defaults.memory:
        run("SET memory_limit=?", [dataset.defaults.memory])
    if dataset.defaults.threads:
        run("SET threads=?", [dataset.defaults.threads])
    run(f"SET temp_directory='{escaped(workspace.path / 'spill')}'")
    directories = ", ".join(in_quotes(f"{folder.rstrip('/')}/") for folder in (str(workspace.path), *folders))
    run(f"SET allowed_directories=[{directories}]")
    files = [file for table in dataset.tables for file in table.files]
    logs = [f"{file}.wal" for table in dataset.tables if form(table) == "duckdb" for file in table.files]
    allowed = {*files, *map(os.path.realpath, files), *logs}
    run(f"SET allowed_paths=[{', '.join(in_quotes(file) for file in sorted(allowed))}]")
    run("SET enable_external_access=false")
    return connection


def plain_name(path: str, workspace: Workspace) -> str:
    """A name of a file that the engine takes for that file alone: a link, where its own would be a pattern."""
    if not any(sign in path for sign in _GLOB):
        return path
    names = workspace.path / "names"
    names.mkdir(exist_ok=True)
    link = names / hashlib.sha256(os.fsencode(path)).hexdigest()[:32]
    if not link.is_symlink():
        link.symlink_to(os.path.abspath(path))
    return str(link)
