"""Our answers are DuckDB's own where noise is nothing, but for differences that the reference names."""

import math
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import pytest

import differential
import sfumato
from sfumato.curator import Release, Session
from sfumato.query.functions import FUNCTIONS

REFERENCE = Path(__file__).parents[2] / "docs" / "sql.md"
PRICE: dict[str, Any] = {"epsilon": "1e6", "delta": "1e-4"}
PASS = "sfumato.query.passes.public_groups"
FEW = 3
"""A group of no more people may be left out, where groups are not public."""


@pytest.fixture(scope="module")
def plain() -> Iterator[duckdb.DuckDBPyConnection]:
    """The same tables in DuckDB alone."""
    with duckdb.connect() as made:
        for name, table in differential.tables().items():
            made.register(name, table)
        yield made


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with sfumato.open(differential.declaration(differential.tables()), ledger=tmp_path / "ledger") as made:
        yield made


def differences(session: Session, plain: duckdb.DuckDBPyConnection, text: str) -> list[str]:
    """Where our answer is not what DuckDB gives, besides the general differences."""
    answer, rows = session.sql(text, **PRICE), plain.execute(text).fetchall()
    keys = [at for at, column in enumerate(answer.schema) if column.role == "key"]
    mine = {tuple(row[at].value for at in keys): [bar.value for bar in row] for row in answer.bars}
    theirs = {tuple(row[at] for at in keys): list(row) for row in rows}
    assert (len(mine), len(theirs)) == (len(answer), len(rows))
    bad = [f"not there: {key}" for key in theirs if key not in mine and not _may_be_left_out(answer, theirs[key])]
    bad += [f"too many: {key}" for key in mine if key not in theirs and not _is_empty(answer, mine[key])]
    for key in mine.keys() & theirs.keys():
        bad += [f"{key}: {a} is not {b}" for a, b in zip(mine[key], theirs[key], strict=True) if not _agree(a, b)]
    if "ORDER BY" in text and [*mine] != [*theirs]:
        bad.append(f"order: {[*mine]} is not {[*theirs]}")
    return bad


def _may_be_left_out(answer: Release, row: list[Any]) -> bool:
    counts = [value for value in row if isinstance(value, int) and not isinstance(value, bool)]
    return any(note.code == "threshold" for note in answer.notes) and bool(counts) and min(counts) <= FEW


def _is_empty(answer: Release, row: list[Any]) -> bool:
    """Whether a group that DuckDB has not is one that is always there, and nobody is in it."""
    values = [value for value, column in zip(row, answer.schema, strict=True) if column.role == "value"]
    return not any(note.code == "threshold" for note in answer.notes) and 0 in values


def _agree(mine: Any, theirs: Any) -> bool:
    if theirs is None:
        return mine is None or isinstance(mine, int | float)  # of no rows: a number all the same
    if isinstance(theirs, bool | str) or isinstance(mine, bool | str | None):
        return type(mine) is type(theirs) and bool(mine == theirs)
    if isinstance(theirs, date | datetime):
        return bool(mine == theirs)
    exact = isinstance(mine, int) and isinstance(theirs, int)
    return math.isclose(mine, theirs, rel_tol=0 if exact else 2e-4, abs_tol=0.5 if exact else 0.02)


def test_answers_are_those_of_duckdb(session: Session, plain: duckdb.DuckDBPyConnection) -> None:
    asked = differential.questions()
    assert len(asked) >= 300
    found = {text: differences(session, plain, text) for text in asked}
    assert {text: bad[:4] for text, bad in found.items() if bad} == {}


def test_named_differences_are_there_and_in_the_reference(session: Session, plain: duckdb.DuckDBPyConnection) -> None:
    written = " ".join(REFERENCE.read_text(encoding="utf-8").split())
    for text, words in differential.DIFFERENCES.items():
        try:
            found = differences(session, plain, text)
        except duckdb.Error:
            found = ["DuckDB has no answer"]
        assert found, text
        assert words in written
    assert [words for words in differential.GENERAL if words not in written] == []


def _strict(op: str) -> Any:
    """A function that is NULL where an operand is."""
    return replace(FUNCTIONS[op], sql=f"CASE WHEN {{0}} IS NULL THEN NULL ELSE {op}({{all}}) END")


TWINS: dict[str, tuple[Any, str]] = {
    "quotients round down": (
        lambda: mock.patch.dict(FUNCTIONS, {"trunc": FUNCTIONS["floor"]}), "SELECT SUM(x // 7) AS s FROM visits"),
    "LEAST is NULL where an operand is": (
        lambda: mock.patch.dict(FUNCTIONS, {"least": _strict("least")}), "SELECT SUM(LEAST(x, 10)) AS s FROM visits"),
    "GREATEST likewise": (
        lambda: mock.patch.dict(FUNCTIONS, {"greatest": _strict("greatest")}),
        "SELECT SUM(GREATEST(x, 10)) AS s FROM visits"),
    "CONCAT is NULL where an operand is": (
        lambda: mock.patch("sfumato.query.rows._or_empty", side_effect=lambda text: text),
        "SELECT COUNT(CONCAT(note, ward)) AS n FROM visits"),
    "decimals have halves to the even one": (
        lambda: mock.patch("sfumato.query.rows.decimals", return_value=None),
        "SELECT SUM(CAST(x * 0.5 AS INTEGER)) AS s FROM visits"),
    "no group of NULL": (
        lambda: mock.patch.dict(sys.modules[PASS].__dict__, may_be_missing=lambda *_: False),
        "SELECT x > 0 AS k, COUNT(*) AS n FROM visits GROUP BY k"),
    "NOT of a comparison is its mirror": (
        lambda: mock.patch.dict("sfumato.query.normal._OPPOSITE", {"gt": "lt"}),
        "SELECT COUNT(*) AS n FROM visits WHERE NOT x > 3"),
    "a cast that loses rows": (
        lambda: mock.patch("sfumato.engines.sql.expressions._is_of_constants", return_value=False),
        "SELECT CASE WHEN paid THEN 1 ELSE 0 END AS k, COUNT(*) AS n FROM visits GROUP BY k"),
}  # fmt: skip


@pytest.mark.parametrize("name", TWINS)
def test_broken_twins_are_found(session: Session, plain: duckdb.DuckDBPyConnection, name: str) -> None:
    broken, text = TWINS[name]
    with broken():
        assert differences(session, plain, text) != []
