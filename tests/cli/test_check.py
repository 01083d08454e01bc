"""`sfumato check` and `sfumato log`: words for people, data for programs, and what the ledger would refuse."""

import json
from pathlib import Path
from typing import Any

import pytest

from json_schema import faults
from sfumato.cli import main
from sfumato.cli.command import Exit
from sfumato.curator.documents import schema

SCHEMA = schema()
DECLARED = """
ledger = "shared.ledger"
[budget]
epsilon = "3"
delta = "1e-6"
[budget.month]
epsilon = "1/3"
[analysts.ada]
epsilon = "1"
accounting = "renyi"
delta = "1e-6"
[analysts.bob]
rho = "0.5"
[groups.citizens]
epsilon = "4"
delta = "1e-6"
[unit]
person = "people.id"
[defaults]
timeout = 60
[tables.people]
source = "people.csv"
[tables.people.columns]
id = { type = "integer" }
age = { type = "integer", lower = 0, upper = 100 }
weight = { lower = 0, upper = 200, grid = 0.1 }
city = { values = ["north", "south"] }
note = { type = "text" }
"""
COUNT = "SELECT COUNT(*) AS n FROM people"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "people.csv").write_text("id,age,weight,city,note\n1,20,70.5,north,a\n", encoding="utf-8")
    (tmp_path / "people.toml").write_text(DECLARED, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "250")
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *words: str, exit_: Exit = Exit.DONE) -> Any:
    capsys.readouterr()
    assert main([*words, "--json"]) == exit_
    shown = capsys.readouterr()
    assert not shown.err
    document = json.loads(shown.out)
    assert faults(document, SCHEMA) == []
    return document


# ---- check ----


def test_check_tells_programs_data(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = said(capsys, "check")
    columns = {each["column"]: each for each in made["columns"]}
    assert {name: each["role"] for name, each in columns.items()} == {
        "id": "person", "age": "bounded", "weight": "bounded", "city": "listed", "note": "plain"
    }  # fmt: skip
    assert [columns["weight"][name]["exact"] for name in ("lower", "upper", "grid")] == ["0", "200", "0.1"]
    assert columns["age"]["grid"] == {"number": 1.0, "exact": "1"}
    assert (columns["city"]["values"], columns["age"]["values"], columns["note"]["grid"]) == (2, None, None)
    assert made["unit"] == {"table": "people", "column": "id"}
    budgets = [
        (each["principal"], each["group"], each["period"], each["currency"], each["cap"]["exact"])
        for each in made["budgets"]
    ]
    assert budgets == [
        ("", "", "", "pure", "3"), ("", "", "month", "pure", "1/3"), ("ada", "", "", "rdp", "1"), ("bob", "", "", "zcdp", "0.5"),
        ("", "citizens", "", "pure", "4"),
    ]  # fmt: skip
    assert (made["engine"]["name"], made["engine"]["timeout"], made["engine"]["write"]) == (
        "duckdb",
        60,
        ["timeout = 60"],
    )
    assert made["ledger"] == {"looked_at": False, "refusals": []}
    assert not list(folder.glob("*.ledger")), "it is not made"


def test_check_shows_a_group_and_its_cap(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == Exit.DONE
    assert 'group citizens: epsilon = "4", delta = "1e-06"' in capsys.readouterr().err
    path = folder / "people.toml"
    path.write_text(path.read_text().replace('ledger = "shared.ledger"', ""))
    assert main(["check"]) == Exit.REFUSED
    assert 'write ledger = "people.ledger" at the top' in capsys.readouterr().err


@pytest.mark.parametrize(("old", "new", "problem"), [
    ('epsilon = "3"', 'epsilon = "2"', "[budget] differs"),
    ('rho = "0.5"', 'rho = "0.25"', "[analysts.bob] differs"),
    ('epsilon = "4"', 'epsilon = "9"', "[groups.citizens] group `citizens` has other caps already"),
    ('person = "people.id"', "rows = true", "dataset `people` protects people.id, and not each row"),
])  # fmt: skip
def test_check_says_what_the_ledger_would_refuse(
    folder: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, problem: str
) -> None:
    assert main(["register"]) == Exit.DONE
    assert said(capsys, "check")["ledger"] == {"looked_at": True, "refusals": []}
    before = (folder / "shared.ledger").read_bytes()
    path = folder / "people.toml"
    path.write_text(path.read_text().replace(old, new))
    refusals = said(capsys, "check", exit_=Exit.FOUND)["ledger"]["refusals"]
    assert [each["problem"].startswith(problem) for each in refusals] == [True]
    assert main(["check"]) == Exit.FOUND
    told = capsys.readouterr().err
    assert problem in told
    assert "the ledger would refuse it" in told
    assert (folder / "shared.ledger").read_bytes() == before
    assert main(["budget", "-a", "ada"]) == Exit.REFUSED, "and it does"


# ---- log ----


def test_the_log_tells_programs_amounts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", COUNT, "-e", "0.1", "-a", "ada"]) == Exit.DONE
    made = said(capsys, "log", "-a", "ada", "--verify")
    assert made["anchor"].startswith("sfumato-anchor")
    by_kind = {each["kind"]: each for each in made["entries"]}
    month = {"period": "month", "currency": "pure", "cap": {"number": 1 / 3, "exact": "1/3"}}
    assert month.items() <= by_kind["register"]["limits"][1].items()
    charged = {each["currency"]: each for each in by_kind["reserve"]["charged"]}
    assert charged["pure"] == {
        "currency": "pure", "amounts": [{"number": 0.1, "exact": "0.1"}], "orders": [], "delta": {"number": 0.0, "exact": "0"}
    }  # fmt: skip
    assert len(charged["rdp"]["amounts"]) == len(charged["rdp"]["orders"]) > 1
    assert [each["period"] for each in by_kind["join"]["charged"]] == [""]
    assert said(capsys, "log", "-a", "ada")["anchor"] is None


@pytest.mark.parametrize("last", ["0", "-5"])
def test_a_log_of_no_entries_is_refused(folder: Path, capsys: pytest.CaptureFixture[str], last: str) -> None:
    for words in (["log", "-a", "ada"], ["owner", "log"]):
        main(["register"])
        assert main([*words, "-n", last]) == Exit.USAGE
        assert "must be at least 1" in capsys.readouterr().err
    assert len(said(capsys, "owner", "log", "-n", "2")["entries"]) == 2


@pytest.mark.usefixtures("folder")
def test_the_log_shows_the_label_and_the_question(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", COUNT, "-e", "0.1", "-a", "ada", "--label", "heads"]) == Exit.DONE
    capsys.readouterr()
    assert main(["log", "-a", "ada"]) == Exit.DONE
    assert f"heads: {COUNT}" in capsys.readouterr().out


# ---- what the owner sees ----


def test_the_owner_sees_all_analysts_from_the_ledger_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["owner", "budget"]) == Exit.REFUSED
    assert "has no ledger yet" in capsys.readouterr().err
    assert not list(folder.glob("*.ledger"))
    for who in ("ada", "bob"):
        assert main(["sql", COUNT, "-e", "0.1", "-a", who, "--key", who]) == Exit.DONE
    (folder / "people.csv").write_text("id,age,weight,city,note\n1,21,70.5,north,a\n", encoding="utf-8")
    assert main(["budget", "-a", "ada"]) == Exit.REFUSED, "the source has changed"
    balances = said(capsys, "owner", "budget")["balances"]
    assert [(each["principal"], each["group"], each["period"]) for each in balances] == [
        ("", "", ""), ("", "", "month"), ("", "citizens", ""), ("ada", "", ""), ("bob", "", "")
    ]  # fmt: skip
    assert balances[0]["spent"]["number"] > 0
    assert {each["principal"] for each in said(capsys, "owner", "budget", "-a", "bob")["balances"]} == {"", "bob"}
    entries = said(capsys, "owner", "log", "--verify")["entries"]
    assert {"ada", "bob"} <= {each.get("principal") for each in entries}
    assert "group" in {each["kind"] for each in entries}
    assert not {"release", "secret", "declaration"} & {name for each in entries for name in each}
    mine = said(capsys, "owner", "log", "-a", "bob")["entries"]
    assert {each.get("principal", "") for each in mine} == {"", "bob"}
    counts = said(capsys, "owner", "failures", "-a", "ada")["counts"]
    assert [each["analyst"] for each in counts] == ["ada"]
    for what in ("failures", "budget", "log"):
        assert main(["owner", what, "-a", "eve"]) == Exit.USAGE
        assert "known: ada, bob" in capsys.readouterr().err


def test_a_hint_names_the_declarations_that_are_there(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "tax.toml").write_text(DECLARED, encoding="utf-8")
    assert main(["check"]) == Exit.REFUSED
    assert "say which: --dataset people.toml or --dataset tax.toml" in capsys.readouterr().err
    assert main(["register"]) == Exit.REFUSED
    assert "say which: sfumato register people.toml or sfumato register tax.toml" in capsys.readouterr().err
