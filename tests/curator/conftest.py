"""A clinic, clean and hostile, and curators of it whose engine tells what it was asked."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import clinic
import sfumato
from sfumato.curator import Session
from sfumato.engines import ExactTable
from sfumato.query import PricedQuery
from sources import SeededBits

Opened = Callable[..., Session]


@pytest.fixture(scope="session")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the clinic's files, without hostile cells."""
    made = tmp_path_factory.mktemp("clean")
    clinic.build(made, users=4000)
    return made


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the clinic's files and every hostile cell that the cases name."""
    made = tmp_path_factory.mktemp("hostile")
    clinic.build(made, users=1000, hostile=True)
    return made


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    """Opens curators with ledgers of their own and repeatable noise, so that no test is lucky, and closes them."""
    made: list[Session] = []

    def opening(folder: Path, **about: Any) -> Session:
        ledger = about.pop("ledger", tmp_path / f"{len(made)}.ledger")
        about["more"] = about.get("more", "") + "\n[defaults]\nthreads = 1\n"
        with mock.patch("sfumato.engines.sql.hashing.seed_of", return_value=7):
            made.append(sfumato.open(clinic.declare(folder, **about), ledger=ledger))
        made[-1].curator._desk.bits = SeededBits(2026)
        return made[-1]

    yield opening
    for each in made:
        each.close()


@pytest.fixture
def session(clean: Path, opened: Opened) -> Session:
    """Asks of the clean clinic, with a budget that no test here comes to the end of."""
    return opened(clean, epsilon="1000000")


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every read of private data, as a list that grows: the query and the exact table."""
    from sfumato.engines import DuckDBEngine

    found: list[Any] = []
    honest = DuckDBEngine.aggregate

    def spied(self: DuckDBEngine, query: PricedQuery) -> ExactTable:
        table = honest(self, query)
        found.append((query, table))
        return table

    monkeypatch.setattr(DuckDBEngine, "aggregate", spied)
    return found
