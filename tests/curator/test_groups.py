"""Datasets about the same people under one cap; and what the ledger is told of questions, neighbours and data."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import sfumato
from sfumato.cli import main
from sfumato.curator import Session
from sfumato.data import declared
from sfumato.errors import BudgetExceeded, InvalidDeclaration

PEOPLE = pa.table({"id": list(range(50)), "age": [20 + i % 60 for i in range(50)]})
COUNT = "SELECT COUNT(*) AS n FROM people"


def opened(name: str, ledger: Path, *, epsilon: str = "3", cap: str = "4", unit: Any = None, **more: Any) -> Session:
    return sfumato.open(
        {
            "name": name,
            "budget": {"epsilon": epsilon},
            "groups": {"citizens": {"epsilon": cap}},
            "unit": unit or {"person": "people.id"},
            "tables": {"people": {"source": PEOPLE, "columns": {"age": {"lower": 0, "upper": 100}}}},
            **more,
        },
        ledger=ledger,
    )


def test_what_one_dataset_spends_is_spent_of_the_other_too(tmp_path: Path) -> None:
    with opened("tax", tmp_path / "l") as tax, opened("health", tmp_path / "l") as health:
        tax.sql(COUNT, epsilon=2)
        health.sql(COUNT, epsilon="1.5")
        groups = [each for each in health.budget() if each.group]
        assert [(each.group, each.cap, float(each.spent)) for each in groups] == [("citizens", 4, 3.5)]  # type: ignore[comparison-overlap]
        with pytest.raises(BudgetExceeded, match="group citizens") as refused:
            tax.sql("SELECT SUM(age) AS s FROM people", epsilon=1)
        assert [(s.group, s.dataset, float(s.left)) for s in refused.value.shortfalls] == [("citizens", "", 0.5)]
        assert tax.sql("SELECT SUM(age) AS s FROM people", epsilon="0.5").rows
        assert not health.explain("SELECT SUM(age) AS s FROM people", epsilon="0.1").affordable


def test_without_the_group_both_would_be_spent_in_full(tmp_path: Path) -> None:
    """The broken twin: two names for the same people, each with a cap of its own."""
    with opened("tax", tmp_path / "l", groups={}) as tax, opened("health", tmp_path / "l", groups={}) as health:
        for session in (tax, health):
            assert session.sql(COUNT, epsilon=3).rows


def test_what_was_spent_before_counts_and_must_fit(tmp_path: Path) -> None:
    with opened("tax", tmp_path / "l", groups={}) as alone:
        alone.sql(COUNT, epsilon=3)
    with pytest.raises(InvalidDeclaration, match=r"\[groups.citizens\]") as refused:
        opened("tax", tmp_path / "l", cap="2")
    assert refused.value.hint
    with opened("tax", tmp_path / "other", groups={}) as alone:
        alone.sql(COUNT, epsilon=3)
    with opened("tax", tmp_path / "other") as joined:
        assert [float(each.spent) for each in joined.budget() if each.group] == [3]
    with pytest.raises(InvalidDeclaration, match="other caps") as other:
        opened("tax", tmp_path / "other", cap="5")
    assert other.value.hint


def test_a_group_that_is_not_one_is_refused() -> None:
    for groups in ("citizens", {"citizens": 3}, {"": {"epsilon": "1"}}, {"citizens": {}}):  # type: ignore[var-annotated]
        with pytest.raises(InvalidDeclaration) as refused:
            declared({"budget": {"epsilon": "1"}, "unit": {"rows": True}, "groups": groups,
                      "tables": {"people": {"source": PEOPLE}}})  # fmt: skip
        assert refused.value.hint


def test_the_ledger_is_told_the_question_its_label_the_neighbours_and_the_data(tmp_path: Path) -> None:
    with opened("tax", tmp_path / "l") as session:
        session.sql(COUNT, epsilon=1, label="how many?")
        again = session.sql(f"  {COUNT}", epsilon=1, label="once more")
        assert again.repeated  # neither text nor label decides what is asked
        found = [body for _, body in session.log()]
        ledger = session._ledger
        known = ledger.declared("tax")
        assert ledger.registration("tax") is not None
    charge = next(body for body in found if body["kind"] == "reserve")
    assert (charge["question"], charge["label"]) == (COUNT, "how many?")
    assert known is not None
    assert known["neighbours"] == "add or remove one person"


def test_who_asks_sees_what_was_asked_in_the_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("id,age\n1,20\n2,30\n", encoding="utf-8")
    (tmp_path / "people.toml").write_text(
        '[budget]\nepsilon = "3"\n[unit]\nperson = "people.id"\n[tables.people]\nsource = "people.csv"\n'
        "[tables.people.columns]\nage = { lower = 0, upper = 100 }\nid = { type = \"integer\" }\n", encoding="utf-8"
    )  # fmt: skip
    assert main(["sql", COUNT, "-e", "0.5", "--label", "heads"]) == 0
    assert main(["sql", "SELECT SUM(age) AS s FROM people", "-e", "0.5"]) == 0
    capsys.readouterr()
    assert main(["log"]) == 0
    shown = capsys.readouterr().out
    assert "heads" in shown
    assert "SELECT SUM(age)" in shown
    assert main(["budget", "--json"]) == 0
    assert {each["group"] for each in json.loads(capsys.readouterr().out)["balances"]} == {""}
