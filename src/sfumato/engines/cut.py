"""Tables cut at registration, kept on disk: made once for the same data and the same declaration, then only read."""

import hashlib
import os
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb


def cut_once(connection: "duckdb.DuckDBPyConnection", folder: Path, table: str, statement: str, version: str) -> str:
    """The reader of the table that a statement makes; a private file holds it, named by what it was made of.

    Another process that makes the same file makes the same rows; the one that finishes last is kept.
    """
    name = hashlib.sha256(f"{version}\n{statement}".encode()).hexdigest()[:32]
    file, alias = folder / f"{table}-{name}.duckdb", f"sfumato_cut_{name}"
    if not file.exists():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)  # nobody else may look in while the file is made
        made = folder / f".{uuid.uuid4().hex}.duckdb"
        connection.execute(f"ATTACH '{_escaped(made)}' AS sfumato_making")
        done = False
        try:
            connection.execute(f"CREATE TABLE sfumato_making.kept AS {statement}")
            done = True
        finally:
            connection.execute("DETACH sfumato_making")
            if not done:
                made.unlink(missing_ok=True)
        made.chmod(0o600)
        os.replace(made, file)
        for older in folder.glob(f"{table}-*.duckdb"):  # of data or a declaration that changed
            if older != file:
                older.unlink(missing_ok=True)
    connection.execute(f"ATTACH '{_escaped(file)}' AS {alias} (READ_ONLY)")
    return f"{alias}.kept"


def _escaped(path: Path) -> str:
    return str(path).replace("'", "''")
