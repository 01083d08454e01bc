"""Plans: TOML or a dictionary, and of a bad one a single clear error with a remedy."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from sfumato.errors import InvalidDeclaration, InvalidQuestion, SfumatoError
from sfumato.synth.publication import read_plan
from sfumato.synth.publication.kinds import KINDS, ROWS

PLAN: dict[str, Any] = {
    "from": "visits",
    "columns": ["ward", "sex", "age"],
    "measure": [{"kind": "marginals", "all": 2}],
}
TOML = """\
name = "visits"
from = "visits v JOIN wards w ON v.ward = w.ward"
where = "day < 90"
columns = ["ward", "sex"]
rows = "cells"
twin = "twin.csv"
[[measure]]
kind = "table"
weight = 0.5
[[measure]]
kind = "total"
"""


def test_a_file_says_relation_columns_parts_and_rows(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(TOML, encoding="utf-8")
    plan = read_plan(tmp_path / "plan.toml")
    assert plan.question.split("\n") == [
        'SELECT "ward", "sex", COUNT(*)',
        "FROM visits v JOIN wards w ON v.ward = w.ward",
        "WHERE (day < 90",
        ")",
        'GROUP BY "ward", "sex"',
    ]
    assert plan.tables == (("ward", "sex"), ())
    assert [part.worth for part in plan.parts] == [Fraction(1, 2), 1]
    assert plan.twin == str(tmp_path / "twin.csv")
    assert plan.rows == "cells"


def test_all_pairs_are_all_pairs() -> None:
    assert read_plan(PLAN).tables == (("ward", "sex"), ("ward", "age"), ("sex", "age"))
    assert read_plan({**PLAN, "measure": [{"kind": "marginals", "of": [["age", "ward"]]}]}).tables == (("ward", "age"),)


def test_a_hierarchy_is_a_table_a_level() -> None:
    plan = read_plan({**PLAN, "measure": [{"kind": "hierarchy"}], "rows": "top-down"})
    assert plan.tables == ((), ("ward",), ("ward", "sex"), ("ward", "sex", "age"))
    assert read_plan(plan.to_json()).tables == plan.tables


def test_a_plan_is_read_back_alike_and_named_by_what_is_measured(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(TOML, encoding="utf-8")
    plan = read_plan(tmp_path / "plan.toml")
    again = read_plan(plan.to_json())
    assert again.to_json() == plan.to_json()
    assert again.digest() == plan.digest()  # wherever the twin lies
    assert read_plan(PLAN).digest() != read_plan({**PLAN, "rows": "tree"}).digest()


def test_a_select_stands_in_brackets() -> None:
    plan = read_plan({**PLAN, "from": "SELECT ward, sex, age / 10 AS age FROM visits"})
    assert "FROM (SELECT ward, sex, age / 10 AS age FROM visits\n) AS published" in plan.question


BAD: dict[str, tuple[Any, str]] = {
    "no table": ([], "must be a table"),
    "unknown entry": ({**PLAN, "colums": []}, "colums"),
    "no columns": ({"from": "t", "measure": []}, "columns"),
    "columns as text": ({**PLAN, "columns": "ward"}, "list of names"),
    "a column twice": ({**PLAN, "columns": ["ward", "Ward"]}, "twice"),
    "a quoted column": ({**PLAN, "columns": ['a"b']}, "quotation mark"),
    "too many columns": ({**PLAN, "columns": [f"c{i}" for i in range(61)]}, "60 columns"),
    "nothing measured": ({**PLAN, "measure": []}, "list of entries"),
    "an unknown kind": ({**PLAN, "measure": [{"kind": "marginal"}]}, "marginal"),
    "of and all": ({**PLAN, "measure": [{"kind": "marginals", "of": [["ward"]], "all": 2}]}, "one of them"),
    "all of more than there are": ({**PLAN, "measure": [{"kind": "marginals", "all": 4}]}, "from 1 to 3"),
    "of a name": ({**PLAN, "measure": [{"kind": "marginals", "of": ["ward"]}]}, "lists of columns"),
    "of nothing": ({**PLAN, "measure": [{"kind": "marginals", "of": []}]}, "list of lists"),
    "of a stranger": ({**PLAN, "measure": [{"kind": "marginals", "of": [["word"]]}]}, "word"),
    "a column twice in a table": ({**PLAN, "measure": [{"kind": "marginals", "of": [["ward", "ward"]]}]}, "twice"),
    "a bad weight": ({**PLAN, "measure": [{"kind": "total", "weight": 0}]}, "0.001 to 1000"),
    "a total of something": ({**PLAN, "measure": [{"kind": "total", "of": []}]}, "unknown entry"),
    "unknown rows": ({**PLAN, "rows": "forest"}, "forest"),
    "another version": ({**PLAN, "version": 2}, "version 1"),
    "two questions": ({**PLAN, "where": "a; DROP"}, "one piece"),
    "a clause too many": ({**PLAN, "where": "1=1) GROUP BY (x"}, "closes what it did not open"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_plan_gets_one_clear_error_with_a_remedy(name: str) -> None:
    given, match = BAD[name]
    with pytest.raises((InvalidDeclaration, InvalidQuestion), match=match) as caught:
        read_plan(given)
    assert isinstance(caught.value, SfumatoError)
    assert caught.value.hint


def test_too_many_tables_are_refused_before_they_are_listed() -> None:
    columns = [f"c{i}" for i in range(60)]
    with pytest.raises(InvalidDeclaration, match="487,635 tables"):
        read_plan({**PLAN, "columns": columns, "measure": [{"kind": "marginals", "all": 4}]})


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(InvalidDeclaration, match="there is no plan"):
        read_plan(tmp_path / "plan.toml")


def test_registries_name_each_kind_once() -> None:
    assert set(KINDS) == {kind.kind for kind in KINDS.values()}
    assert set(ROWS) == {"cells", "tree", "top-down"}
