"""Conditions of plans: what they are true of is what SQL says, and everything else is refused with a remedy."""

import random
from datetime import date
from itertools import product

import duckdb
import numpy as np
import pytest

from sfumato.errors import InvalidDeclaration
from sfumato.synth.publication.conditions import columns_in, mask, read_condition

DOMAINS: dict[str, tuple[object, ...]] = {
    "ward": ("it's", "oncology", "surgery", None),
    "stay": (0, 1, 2, 5, None),
    "open": (False, True),
    "day": (date(2024, 1, 31), date(2024, 2, 1), date(2024, 12, 1)),
}
COLUMNS = tuple(DOMAINS)
SIZES = tuple(map(len, DOMAINS.values()))


@pytest.fixture(scope="module")
def cells() -> duckdb.DuckDBPyConnection:
    """A row for every cell, in order."""
    made = duckdb.connect()
    made.execute("CREATE TABLE cells (place INTEGER, ward TEXT, stay INTEGER, open BOOLEAN, day DATE)")
    made.executemany(
        "INSERT INTO cells VALUES (?, ?, ?, ?, ?)", [(i, *v) for i, v in enumerate(product(*DOMAINS.values()))]
    )
    return made


def found(text: str) -> np.ndarray:
    return np.flatnonzero(mask(read_condition("where", text, COLUMNS).resolved(DOMAINS), COLUMNS, SIZES))


def said_by_sql(cells: duckdb.DuckDBPyConnection, text: str) -> list[int]:
    return [at for (at,) in cells.execute(f"SELECT place FROM cells WHERE {text} ORDER BY place").fetchall()]


def some_condition(chance: random.Random, depth: int) -> str:
    if depth and chance.random() < 0.7:
        one, other = some_condition(chance, depth - 1), some_condition(chance, depth - 1)
        return chance.choice([f"{one} AND {other}", f"({one} OR {other})", f"NOT ({one} OR {other})", f"not {one}"])
    return chance.choice([
        "ward = 'surgery'", "ward <> 'it''s'", "ward IN ('oncology', 'surgery')", "ward not in ('surgery')",
        "ward IS NULL", "stay is not null", "stay < 2", "stay >= 1", "stay != 5", "stay > -1", "stay <= 1.5",
        "stay BETWEEN 1 AND 2", "stay NOT BETWEEN 0 AND 1", "open = TRUE", "open <> true", "day < '2024-02-01'",
        '"day" = \'2024-12-01\'', "day between '2024-02-01' and '2024-12-31'",
    ])  # fmt: skip


def test_a_condition_is_true_of_what_sql_says(cells: duckdb.DuckDBPyConnection) -> None:
    """600 conditions over every cell, NULLs among them."""
    chance, sizes = random.Random(20), set()
    for _ in range(600):
        text = some_condition(chance, 3)
        sql = text.replace("not ward", "NOT ward")
        assert found(text).tolist() == said_by_sql(cells, sql), text
        sizes.add(len(found(text)))
    assert len(sizes) > 20


def test_a_twin_that_negates_a_set_takes_nulls_with_it_and_is_caught(cells: duckdb.DuckDBPyConnection) -> None:
    wrong = sorted(set(range(120)) - set(found("ward = 'surgery'").tolist()))
    assert wrong != said_by_sql(cells, "NOT ward = 'surgery'")
    assert found("NOT ward = 'surgery'").tolist() == said_by_sql(cells, "NOT ward = 'surgery'")


@pytest.mark.parametrize(("text", "words"), [
    ("ward", "near 'its end'"), ("ward =", "near 'its end'"), ("= 1", "near '='"), ("ward = 'a' AND", "its end"),
    ("ward = ward", "near 'ward'"), ("price = 1", "column that the plan has not: 'price'"), ("stay < 1 stay", "'stay'"),
    ("ward = 'nowhere'", "`ward` has no value 'nowhere'"), ("ward = 3", "another type"), ("stay = 'a'", "another type"),
    ("ward < 'm'", "compared by = and IN"), ("stay = 7", "no value"), ("day = 'soon'", "another type"),
    ("stay = 1; DROP TABLE x", "near"), ("(stay = 1", "its end"), ("stay + 1 = 2", "near"), ("stay NOT = 1", "'NOT'"),
    ("stay IN ()", "near"), ("NOT " * 40 + "stay = 1", "too many brackets"), ("stay = 1 " * 1000, "longer than"),
    ("exists(select 1)", "column that the plan has not"), ("stay = 1e3", "near"),
])  # fmt: skip
def test_what_is_no_condition_is_refused_with_a_remedy(text: str, words: str) -> None:
    with pytest.raises(InvalidDeclaration, match=words) as refused:
        read_condition("where", text, COLUMNS).resolved(DOMAINS)
    assert "hint" in str(refused.value)


def test_the_columns_of_a_condition_are_all_that_it_tests() -> None:
    assert columns_in(read_condition("where", "stay = 1 OR NOT (ward IS NULL AND open = true)", COLUMNS)) == {
        "stay", "ward", "open"
    }  # fmt: skip
