"""A release in every form, an explanation in every form, and nothing lost between them."""

import json
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from sfumato.curator import AnswerColumn, Cost, Left, Note, Release, words
from sfumato.data import Kind
from sfumato.errors import SfumatoError
from sfumato.query.bars import Bar


def column(name: str, kind: Kind) -> AnswerColumn:
    return AnswerColumn(name, kind, "key" if name == "day" else "value")


@pytest.fixture
def release() -> Release:
    return Release(
        schema=tuple(map(column, ("day", "n", "n", "share", "none"), (Kind.DATE, Kind.INTEGER, Kind.INTEGER, Kind.REAL, Kind.BOOLEAN))),
        bars=(
            (Bar(date(2026, 1, 31)), Bar(12_345, 12_300.0, 12_390.0), Bar(1, 0.0, 9.0), Bar(0.123456, 0.12, 0.2), Bar(None)),
            (Bar(None), Bar(-3, 0.0, 42.0), Bar(2, 1.0, 3.0), Bar(None), Bar(True)),
        ),
        cost=Cost(Fraction(1, 3), None, Fraction(1, 10**7)),
        confidence=Fraction(95, 100),
        remaining=(Left("clinic", "", "", "", "pure", Fraction(2)),),
        receipt="7-abc",
        sequence=7,
        repeated=False,
        notes=(Note("threshold", "a <b> note", {"people": 9}),),
    )  # fmt: skip


def test_rows_and_intervals_are_dictionaries(release: Release) -> None:
    assert len(release) == 2
    assert [row["day"] for row in release] == [date(2026, 1, 31), None]
    assert release.intervals[1]["share"] is None
    assert release.intervals[0]["share"] == (0.12, 0.2)


def test_one_value_is_asked_for_by_name_alone_if_there_is_one(release: Release) -> None:
    with pytest.raises(SfumatoError, match="2 rows and 5 columns"):
        _ = release.value


def test_frames_carry_the_ends_of_error_bars_and_lose_no_column(release: Release) -> None:
    names = ["day", "n", "n_low", "n_high", "n_2", "n_low_2", "n_high_2", "share", "share_low", "share_high", "none"]
    arrow, pandas, polars = release.to_arrow(), release.to_pandas(), release.to_polars()
    assert arrow.column_names == list(pandas.columns) == polars.columns == names
    assert arrow.column("n").to_pylist() == pandas["n"].tolist() == polars["n"].to_list() == [12_345, -3]
    assert arrow.column("share").to_pylist() == polars["share"].to_list() == [0.123456, None]


def test_json_holds_everything(release: Release) -> None:
    found = json.loads(json.dumps(release.to_json()))
    assert found["rows"] == [["2026-01-31", 12_345, 1, 0.123456, None], [None, -3, 2, None, True]]
    assert found["intervals"][0][1] == [12_300.0, 12_390.0]
    third = {"number": 1 / 3, "exact": "1/3"}
    assert found["cost"] == {"epsilon": third, "rho": None, "delta": {"number": 1e-7, "exact": "0.0000001"}}
    assert found["confidence"] == {"number": 0.95, "exact": "0.95"}
    assert (found["format"], found["version"]) == ("sfumato/release", 2)
    assert found["columns"][:2] == [
        {"name": "day", "kind": "date", "role": "key"},
        {"name": "n", "kind": "integer", "role": "value"},
    ]
    assert found["remaining"] == [
        {
            "dataset": "clinic",
            "group": "",
            "principal": "",
            "period": "",
            "currency": "pure",
            "left": {"number": 2.0, "exact": "2"},
        }
    ]
    assert (found["receipt"], found["repeated"]) == ("7-abc", False)
    assert found["notes"] == [{"code": "threshold", "text": "a <b> note", "figures": {"people": 9}}]


def test_a_release_reads_well_as_text_and_in_a_notebook(release: Release) -> None:
    text = str(release)
    assert repr(release) == text
    assert "12,345 ± 45" in text
    assert "NULL" in text
    assert "cost ε = 0.333333, δ = 1e-07 · left ε = 2 of dataset clinic · receipt 7-abc" in text
    html = release._repr_html_()
    assert "<th>day</th>" in html
    assert "<script" not in html


def test_names_of_columns_are_escaped_in_a_notebook(release: Release) -> None:
    from dataclasses import replace

    named = replace(release, schema=(column("<script>", Kind.TEXT), *release.schema[1:]))
    assert "<script>" not in named._repr_html_()


def test_a_library_that_is_missing_is_named(release: Release, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(SfumatoError, match="a polars DataFrame needs polars, which is not installed") as caught:
        release.to_polars()
    assert caught.value.hint == "pip install 'sfumato[polars]'"


@pytest.mark.parametrize(("bar", "text"), [
    (Bar(None), "NULL"), (Bar("a"), "a"), (Bar(False), "False"), (Bar(1234), "1,234"), (Bar(0.5), "0.5"), (Bar(1234, 1200.0, 1268.0), "1,234 ± 34"),
    (Bar(0.5, 0.49, 0.51), "0.500 ± 0.010"), (Bar(5, 0.0, 20.0), "5 [0, 20]"), (Bar(100.0, 50.0, 150.0), "100 ± 50"), (Bar(5, 5.0, 5.0), "5 ± 0"),
])  # fmt: skip
def test_a_cell_shows_no_more_digits_than_its_error_is_worth(bar: Bar, text: str) -> None:
    assert words.cell(bar) == text


def test_costs_are_written_for_people_and_exactly() -> None:
    assert str(Cost(None, Fraction(1, 8), Fraction(0))) == "ρ = 0.125"
    assert str(Cost(None, None, Fraction(0))) == "nothing"
    assert Cost(None, None, Fraction(0)).is_free
    assert not Cost(None, None, Fraction(1, 9)).is_free
    assert Cost(None, Fraction(1, 3), Fraction(0)).to_json() == {
        "epsilon": None, "rho": {"number": 1 / 3, "exact": "1/3"}, "delta": {"number": 0.0, "exact": "0"}
    }  # fmt: skip


def test_an_explanation_says_plan_mechanisms_errors_cost_and_what_would_remain(clean: Path, opened: Any) -> None:
    curator = opened(clean, epsilon="3", delta="1e-6")
    told = curator.explain(
        "SELECT u.city, COUNT(*) AS n, SUM(v.amount) AS s, AVG(v.amount) AS a, STDDEV(v.day) AS d, MEDIAN(v.amount) AS m, COUNT(*) + 1 AS more"
        " FROM (SELECT * FROM visits WHERE day < 9 UNION ALL SELECT * FROM visits) v JOIN users u ON v.user_id = u.user_id GROUP BY u.city",
        epsilon=1,
    )  # fmt: skip
    text = str(told)
    for part in ("join on user_id = user_id", "all rows of", "rows that pass WHERE", "users (private)", "groups are not public", "ε = 0.166667",
                 "permute-and-flip", "TruncatedGeometricKeys", "cost        ε = 1", "then left   2 of dataset clinic", "rank within", "a key, exact"):  # fmt: skip
        assert part in text, part
    assert json.loads(json.dumps(told.to_json()))["affordable"] is True
    assert {each.name: words.error(each.error) for each in told.columns}[
        "more"
    ] == "follows from the columns it is made of"
    assert [each.role for each in told.columns] == ["key", *["value"] * 6]
    assert repr(told) == text
    person = curator.explain(
        "SELECT AVG(n) FROM (SELECT user_id, COUNT(*) AS n FROM visits GROUP BY user_id) t", epsilon=1
    )
    assert "one line a person: count" in str(person)
    alone = str(curator.explain("SELECT COUNT(*) FROM visits", epsilon=1))
    assert "\n  number of rows: geometric noise, ε = 1, within 14.9" in alone
    together = curator.explain("SELECT COUNT(*) AS n, AVG(amount) AS a FROM visits", epsilon=1)
    assert "\n  sum, rows with a value, number of rows: joint cells, ε = 1\n" in str(together)
    (cells,), (_, mean) = together.mechanisms, together.columns
    assert (cells.measures, cells.by, cells.error.kind) == (("sum", "present", "rows"), "joint_cells", "derived")
    assert mean.error.least is not None
    assert mean.error.figure is not None
    assert 0 < mean.error.least < mean.error.figure
    assert words.error(mean.error) == "± 2,056.5/n to 2,995.73/n, with n the rows in the group"
    gaussian = curator.explain("SELECT category, COUNT(*) FROM visits GROUP BY category", rho=1)
    assert "discrete Gaussian noise" in str(gaussian)
    assert "of a person 15 rows count, 5 of them in one group, and of more every row counts in part" in str(gaussian)
    assert "not chosen  of a person 15 rows count, and of more every row counts in part: within" in str(gaussian)
    unknown = curator.explain("SELECT city, COUNT(*) FROM visits GROUP BY city", epsilon=1, delta="1e-6")
    assert "3 groups, chosen by a hash" in str(unknown)
