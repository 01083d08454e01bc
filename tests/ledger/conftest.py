"""One suite, two stores: each test of the contract runs on a SQLite file and on a real PostgreSQL."""

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ledger_cases import SHARED_SERVER, Clock, Opener, database_on, postgres_server


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    shared = os.environ.get(SHARED_SERVER)
    with database_on(shared) if shared else postgres_server(tmp_path_factory.mktemp("pg")) as dsn:
        yield dsn


@pytest.fixture
def clock() -> Clock:
    return Clock()


_SCHEMAS = itertools.count()


@pytest.fixture(params=["sqlite", "postgres"])
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
