"""`sfumato publish`: explained for nothing, published once, and asked by `sfumato sql -d` the folder."""

import json
from pathlib import Path

import pytest

import publications
from sfumato.cli.command import Exit
from sfumato.cli.main import main

pytestmark = pytest.mark.slow
PLAN = """\
name = "visits"
from = "visits"
columns = ["ward", "sex", "age"]
rows = "tree"
[[measure]]
kind = "marginals"
all = 2
"""


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    return ["publish", str(publications.clinic(tmp_path)), str(tmp_path / "plan.toml")]


def test_explained_published_and_asked(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    out = str(tmp_path / "release")
    assert main([*words, "-e", "1", "--explain"]) == Exit.DONE
    assert "nothing was spent" in capsys.readouterr().err
    assert main([*words, "-e", "1", "--explain", "--json"]) == Exit.DONE
    assert json.loads(capsys.readouterr().out)["cells"] == 47
    assert main([*words, "-e", "1", "--out", out]) == Exit.DONE
    told = capsys.readouterr()
    assert "3 tables" in told.out
    assert "public = true" in told.out
    assert main([*words, "-e", "1", "--out", out, "--json"]) == Exit.DONE
    assert json.loads(capsys.readouterr().out)["format"] == "sfumato/publication"
    assert main(["sql", "-d", out, "SELECT COUNT(*) AS n FROM visits", "--json"]) == Exit.DONE
    assert json.loads(capsys.readouterr().out)["columns"] == ["n"]
    assert main(["sql", "-d", out, "SELECT ward FROM visits LIMIT 1"]) == Exit.DONE
    assert "nothing is promised" in capsys.readouterr().err


def test_what_is_refused_costs_nothing_and_says_why(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    out = str(tmp_path / "release")
    assert main([*words, "-e", "1"]) == Exit.USAGE
    assert "--out" in capsys.readouterr().err
    assert main([*words, "-e", "1000", "--explain"]) == Exit.REFUSED
    capsys.readouterr()
    assert main([*words, "-e", "1000", "--explain", "--json"]) == Exit.REFUSED
    assert json.loads(capsys.readouterr().out)["affordable"] is False  # one document, and no second one for the refusal
    assert main([*words, "-e", "1000", "--out", out]) == Exit.REFUSED
    assert "left" in capsys.readouterr().err
    assert main([*words, "-e", "1", "--out", out]) == Exit.DONE
    assert main([*words, "-e", "2", "--out", out]) == Exit.USAGE
    assert "another plan, price or dataset" in capsys.readouterr().err
    assert main(["sql", "-d", out, "SELECT 1", "-e", "1"]) == Exit.USAGE
