"""One suite, two stores: each test of the contract runs on a SQLite file and on a real PostgreSQL."""

import itertools
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ledger_cases import SHARED_SERVER, Clock, Opener, database_on, memory, postgres_server

STORES = os.environ.get("SFUMATO_TEST_STORES", "sqlite postgres").split()  # the mutation run has a pass for each


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    """What one test priced or read is not there for the next."""
    for name, module in list(sys.modules.items()):
        if name.startswith("sfumato.ledger."):
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    if "postgres" not in STORES:
        pytest.skip("this run has no PostgreSQL")
    shared = os.environ.get(SHARED_SERVER)
    with (
        tempfile.TemporaryDirectory(dir=memory()) as folder,  # not among pytest's: a second run locks its user out
        database_on(shared) if shared else postgres_server(Path(folder)) as dsn,
    ):
        yield dsn


@pytest.fixture
def clock() -> Clock:
    return Clock()


_SCHEMAS = itertools.count()


@pytest.fixture(params=STORES)
def opener(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[Opener]:
    """Opens the same ledger again and again."""
    dsn = request.getfixturevalue("postgres") if request.param == "postgres" else ""
    made = Opener(tmp_path / "spending.ledger", dsn, f"ledger{next(_SCHEMAS)}", clock)
    yield made
    made.close()


@pytest.fixture
def sqlite_opener(tmp_path: Path, clock: Clock) -> Iterator[Opener]:
    made = Opener(tmp_path / "spending.ledger", "", "", clock)
    yield made
    made.close()


Make = Callable[[], Opener]
