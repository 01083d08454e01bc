"""No operation, alone or two deep, on any hostile cell, in any place of a question, makes a server fail.

The questions are those of DuckDB. PostgreSQL is asked as it is in `test_totality.py`; Spark, which takes a second for a
statement, is asked for every operation on every column, very many in one. What was broken on purpose is found likewise.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any
from unittest import mock

import pytest

import totality
from remote_tables import closing, opened_by
from sfumato.data import Kind
from sfumato.engines.postgres import casts, functions
from sfumato.engines.registry import ENGINES
from sfumato.engines.spark.dialect import SPARK_DIALECT, Spark
from sfumato.engines.sql.expressions import Expressions
from sfumato.errors import EngineFailed
from totality import CALLS, COLUMNS, OTHERS, alone, ended, first_failure, places, together, two_deep

pytestmark = pytest.mark.slow
POSTGRES, SPARK = (next(entry for entry in ENGINES if entry.name == name) for name in ("postgres", "spark"))
one_in = pytest.mark.parametrize("one_in", [7, pytest.param(1, marks=pytest.mark.torture)])
"""The suite asks one question in seven, spread over all; the long form asks every one."""


@pytest.fixture(scope="module")
def pairs() -> Iterator[Any]:
    with closing(opened_by(POSTGRES, totality.hostile(totality.pairs()))) as made:
        yield made


@pytest.fixture(scope="module")
def singles() -> Iterator[Any]:
    with closing(opened_by(POSTGRES, totality.hostile(totality.singles()))) as made:
        yield made


def failures(made: Any, questions: Iterator[str]) -> list[tuple[str, str]]:
    """Whatever was not answered."""
    return [(text, end) for text in questions if (end := ended(made, text)) != "answered"]


def calls() -> list[tuple[str, str]]:
    """Every operation, on the last column of each sort."""
    return [(gives, form.format(*[COLUMNS[sort][-1] for sort in takes])) for gives, form, takes in CALLS]


# ---- PostgreSQL ----


def test_postgres_answers_every_operation_on_every_hostile_operand_and_pair(pairs: Any) -> None:
    assert failures(pairs, together(alone())) == []
    assert failures(pairs, iter(["SELECT SUM(x2 + i2), MEDIAN(ABS(x2)) FROM h"])) == []


@one_in
def test_postgres_answers_every_operation_on_what_every_operation_gives(singles: Any, one_in: int) -> None:
    assert failures(singles, islice(together(two_deep()), 0, None, one_in)) == []


@one_in
def test_postgres_answers_every_operation_in_every_place_of_a_question(singles: Any, one_in: int) -> None:
    asked = (text for gives, made in calls() for text in places(gives, made))
    assert failures(singles, islice(asked, 0, None, one_in)) == []


def _about(*words: str) -> Iterator[str]:
    return together(each for each in alone() if any(word in each[1] for word in words))


def _written(op: str, sql: str) -> Any:
    return mock.patch.dict(functions.FUNCTIONS, {op: lambda operands: sql.format(*operands)})


BROKEN: dict[str, tuple[Any, Callable[[], Iterator[str]]]] = {
    "a root of anything": (_written("sqrt", "sqrt({0})"), lambda: _about("SQRT")),
    "an unguarded quotient": (_written("div", "({0} / {1})"), lambda: _about(" / ")),
    "an unguarded product": (_written("mul", "({0} * {1})"), lambda: _about(" * ")),
    "a text that is cast to a number": (
        mock.patch.dict(casts.CASTS, {(Kind.TEXT, Kind.REAL): "CAST({} AS double precision)".format}),
        lambda: _about("CAST(t"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_the_same_questions_find_what_is_broken_on_postgres(name: str, pairs: Any) -> None:
    patch, questions = BROKEN[name]
    assert first_failure(pairs, islice(questions(), 1)) is None
    with patch:
        assert first_failure(pairs, questions()) is not None


# ---- Spark ----

AT_ONCE = 40
"""Expressions in one statement."""


def of_columns() -> Iterator[tuple[str, str]]:
    """Every operation on columns alone: of each sort the first, and the last."""
    for gives, form, takes in CALLS:
        for at in (0, -1):
            yield gives, form.format(*((COLUMNS if i % 2 == 0 else OTHERS)[sort][at] for i, sort in enumerate(takes)))


class BareCasts(Spark):
    """A dialect that believes its cells."""

    def cast(self, made: str, kind: Kind, held: Kind) -> str:
        del held
        return f"CAST({made} AS {self.type_of(kind)})"


def statement(made: Any, texts: list[str], dialect: Spark) -> str:
    """One statement that computes many expressions of every row, and shows one number."""
    asked = [each for text in texts for each in totality._priced(f"SELECT COUNT({text}) FROM h").question.expressions()]
    columns = ", ".join(f"{dialect.quoted(name)} AS c{at}" for at, (name, _) in enumerate(made.schema("h")))
    written = ", ".join(Expressions(dialect).sql(each) for each in asked)
    return f"SELECT bit_xor(xxhash64({written})) AS n FROM (SELECT {columns} FROM {made._sources['h']}) t"


def ends_on_spark(made: Any, texts: list[str], dialect: Spark) -> list[str]:
    """How statements of so many expressions end."""

    def ends(at: int) -> str:
        try:
            with made._server.reading(made.dataset.engine.timeout) as fetch:
                fetch(statement(made, texts[at : at + AT_ONCE], dialect))
        except EngineFailed:
            return "failed"
        return "answered"

    with ThreadPoolExecutor(3) as pool:
        return list(pool.map(ends, range(0, len(texts), AT_ONCE)))


def test_spark_answers_every_operation_on_every_hostile_cell_and_casts_that_are_broken_are_seen() -> None:
    texts = list(dict.fromkeys(text for _, text in of_columns()))
    with closing(opened_by(SPARK, totality.hostile(totality.singles()))) as made:
        assert set(ends_on_spark(made, texts, SPARK_DIALECT)) == {"answered"}
        careless = [text for text in texts if text.startswith("CAST(t")]
        assert "failed" in ends_on_spark(made, careless, BareCasts())
