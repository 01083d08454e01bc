"""Runs a command beside a PostgreSQL that its tests may share: `python tests/with_postgres.py mutmut run`."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from ledger_cases import SHARED_SERVER, postgres_server


def main() -> int:
    with tempfile.TemporaryDirectory() as folder, postgres_server(Path(folder)) as dsn:
        return subprocess.run(sys.argv[1:], env={**os.environ, SHARED_SERVER: dsn}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
