"""Columns of very many public values: counted in one pass, at their places, the same by every way."""

from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import censuses
from sfumato.accounting import events
from sfumato.data import Kind
from sfumato.engines.duckdb import engine as duckdb_engine
from sfumato.engines.sql.fetched import places_of
from sfumato.errors import InvalidParameter, InvalidQuestion
from sfumato.query import Spend
from sfumato.query.workload import MOST_CELLS, workload

SPEND = Spend(Fraction(1), None, Fraction(0))
TEXT = "SELECT block, sex, COUNT(*) FROM people GROUP BY block, sex"


@given(
    st.lists(st.integers(-50, 50), unique=True, min_size=1), st.booleans(),
    st.lists(st.one_of(st.none(), st.integers(-60, 60)), max_size=40), st.booleans(),
)  # fmt: skip
def test_places_of_numbers_are_those_of_a_dictionary(
    listed: list[int], missing: bool, column: list[int | None], masked: bool
) -> None:
    attribute = (*listed, *([None] if missing else []))
    wanted = [attribute.index(value) if value in attribute else -1 for value in column]
    given_: Any = column
    if masked:
        given_ = np.ma.array([value or 0 for value in column], mask=[value is None for value in column], dtype=np.int64)
    assert places_of(given_, attribute, Kind.INTEGER).tolist() == wanted


def counted(folder: Path, upper: int, *, widest: int, marginals: Any = ((0, 1),)) -> list[Any]:
    path = folder / "census.toml"
    if not path.exists():
        censuses.census(folder)
        text = path.read_text(encoding="utf-8").replace("upper = 10,", f"upper = {upper},")
        path.write_text(text, encoding="utf-8")
    with mock.patch.object(duckdb_engine, "_WIDEST_ARRAY", widest), censuses.curator_of(folder) as curator:
        asked = workload(TEXT, curator._engine.dataset, curator._engine, marginals, SPEND)
        return list(curator._engine.contingency(asked.at(events.Pure(1))).tables)


def test_one_long_table_is_the_same_in_an_array_and_without(tmp_path: Path) -> None:
    (in_array,) = counted(tmp_path, 299_999, widest=25)
    (hashed,) = counted(tmp_path, 299_999, widest=0)
    both = counted(tmp_path, 299_999, widest=25, marginals=((0, 1), (1,), ()))
    assert in_array.shape == (300_000, 2)
    assert np.array_equal(in_array[: censuses.BLOCKS], censuses.truth()[-1])
    assert in_array.sum() == 120
    assert np.array_equal(in_array, hashed)
    assert np.array_equal(in_array, both[0])
    assert np.array_equal(in_array.sum(axis=0), both[1])
    assert both[2] == 120


def test_questions_find_no_more_public_groups_than_before(tmp_path: Path) -> None:
    """Only publications have groups by the thousand: a question with as many is answered as ever."""
    counted(tmp_path, 299_999, widest=25)
    with censuses.curator_of(tmp_path) as curator:
        assert curator._desk.question("SELECT block, COUNT(*) FROM people GROUP BY block").domains == (None,)


def test_more_cells_than_memory_holds_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidQuestion, match=r"can be measured|too many"):
        counted(tmp_path, MOST_CELLS, widest=25)


def test_columns_of_private_tables_are_not_listed(tmp_path: Path) -> None:
    with censuses.curator_of(tmp_path) as curator:
        assert sorted(curator._engine.listed("geography", ("block",))[0].tolist()) == list(range(11))
        with pytest.raises(InvalidParameter, match="must be a public one"):
            curator._engine.listed("people", ("block",))
