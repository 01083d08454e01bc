"""What the three bare engines do is what the table says that our guards are written against."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import duckdb
import pytest

from engines.what_engines_do import CASES, outcome
from postgres_data import Connection, server, session
from sfumato.engines.spark.connection import quiet
from spark_cluster import connected

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def postgres() -> Iterator[Connection]:
    with server() as dsn, session(dsn) as made:
        yield made


def cases_of(engine: str) -> dict[str, str]:
    return {name: case.engines[engine] for name, case in CASES.items() if engine in case.engines}


def _found(engine: str, asked: Callable[[str], Any]) -> dict[str, str]:
    return {name: outcome(partial(_first, asked, CASES[name].bare(engine))) for name in cases_of(engine)}


def _first(asked: Callable[[str], Any], text: str) -> Any:
    return asked(text)[0]


def test_postgres_does_what_the_table_says(postgres: Connection) -> None:
    assert _found("postgres", lambda text: postgres.execute(text.encode()).fetchone()) == cases_of("postgres")


def test_duckdb_does_what_the_table_says() -> None:
    with duckdb.connect() as bare:
        assert _found("duckdb", lambda text: bare.execute(text).fetchone()) == cases_of("duckdb")


def test_spark_does_what_the_table_says() -> None:
    """What has a value in one statement; what fails in one each."""
    made, known = connected(), cases_of("spark")
    try:
        with quiet():
            fine = [name for name, end in known.items() if not end.startswith("error")]
            parts = [f"{CASES[name].bare('spark').removeprefix('SELECT ')} AS v{at}" for at, name in enumerate(fine)]
            line = made.spark.sql(f"SELECT {', '.join(parts)}").toArrow().to_pylist()[0]
            found = {name: outcome(partial(line.get, f"v{at}")) for at, name in enumerate(fine)}
            for name in known.keys() - found.keys():
                found[name] = outcome(partial(lambda text: made.spark.sql(text).toArrow(), CASES[name].bare("spark")))
    finally:
        made.close()
    assert found == known


def test_whoever_is_missing_has_no_words_for_it() -> None:
    assert {name for name, case in CASES.items() if not case.engines} == set()
    for engine in ("postgres", "duckdb", "spark"):
        assert len(cases_of(engine)) > 50
