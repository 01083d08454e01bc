"""The commands that choose and watch, and what every command says as JSON: one document a line, that fits the schema."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from json_schema import faults
from sfumato.cli import main
from sfumato.cli.command import COMMANDS, Exit
from sfumato.curator.documents import schema
from sfumato.demo import hospital
from sfumato.engines import DuckDBEngine
from sfumato.errors import OUTCOMES, EngineFailed

SCHEMA = schema()
WARDS = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"
COUNT = "SELECT COUNT(*) FROM visits"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hospital")
    hospital.build(folder, people=1000, visits=10_000)
    return folder


@pytest.fixture
def folder(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("patients.parquet", "visits.parquet"):
        (tmp_path / name).write_bytes((built / name).read_bytes())
    (tmp_path / "hospital.toml").write_text(hospital.DECLARATION.replace('"3"', '"1000000"'), encoding="utf-8")
    (tmp_path / "weights.json").write_text('{"north": {"surgery": 1, "emergency": 0.5}, "south": {"oncology": 2}}')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def said(capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    captured = capsys.readouterr()
    return captured.out, captured.err


def documents(capsys: pytest.CaptureFixture[str]) -> list[Any]:
    """What was said as JSON, each line valid."""
    found = [json.loads(line) for line in said(capsys)[0].splitlines()]
    assert found
    for each in found:
        assert faults(each, SCHEMA) == []
    return found


def reads_lines(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def largest(folder: Path) -> list[str]:
    rows = hospital.truth(folder, WARDS)
    return [row[0] for row in sorted(rows, key=lambda row: -row[1])]


def test_max_top_and_choose_name_groups_and_not_their_values(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    best = largest(folder)
    assert main(["max", WARDS, "-e", "10000"]) == Exit.DONE
    out, err = said(capsys)
    assert best[0] in out
    assert "cost ε = 10000" in err
    assert "below the largest" in err
    assert main(["top", WARDS, "-k", "3", "-e", "100000", "--json"]) == Exit.DONE
    assert [row[0] for row in documents(capsys)[0]["rows"]] == best[:3]
    assert main(["choose", WARDS, "-e", "10000", "--json"]) == Exit.DONE
    assert documents(capsys)[0]["rows"] == [[best[0]]]


def test_choose_weighs_groups_by_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exact = {row[0]: row[1] for row in hospital.truth(folder, WARDS)}
    north = exact["surgery"] + exact["emergency"] / 2
    assert main(["choose", WARDS, "--weights", "weights.json", "-e", "100000", "--json"]) == Exit.DONE
    assert documents(capsys)[0]["rows"] == [["north" if north > 2 * exact["oncology"] else "south"]]
    for text in ("not json", "[1]", '{"a": 3}', '{"a": {"nowhere": 1}}'):
        Path("weights.json").write_text(text)
        assert main(["choose", WARDS, "--weights", "weights.json", "-e", "1"]) == Exit.USAGE
        assert "weights" in said(capsys)[1]
    assert main(["choose", WARDS, "--weights", "nothing.json", "-e", "1"]) == Exit.USAGE


@pytest.mark.usefixtures("folder")
def test_median_says_its_error(capsys: pytest.CaptureFixture[str]) -> None:
    text = "SELECT ward, MEDIAN(cost) AS m FROM visits GROUP BY ward"
    assert main(["median", text, "-e", "1000", "--label", "for the report"]) == Exit.DONE
    out, err = said(capsys)
    assert "surgery" in out
    assert "nearer where many values are near the median" in err
    assert main(["median", text, "-e", "1000", "--json"]) == Exit.DONE
    assert documents(capsys)[0]["repeated"] is True


@pytest.mark.usefixtures("folder")
def test_watch_answers_line_by_line_until_it_halts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reads_lines(monkeypatch, f"{COUNT} WHERE days > 1000", "", COUNT, f"{COUNT} WHERE days > 1000")
    assert main(["watch", "1000", "-e", "10000"]) == Exit.DONE
    out, err = said(capsys)
    assert out.split() == ["below", "above"]
    assert "cost ε = 10000" in err
    reads_lines(monkeypatch, COUNT, f"{COUNT} WHERE days > 1000", "SELECT nonsense", WARDS, COUNT, COUNT)
    assert main(["watch", "1000", "-e", "100000", "-c", "2", "--values", "--json"]) == Exit.REFUSED
    begun, first, second, nonsense, grouped, last = documents(capsys)
    assert (begun["format"], begun["cutoff"], begun["cost"]["epsilon"]["number"]) == ("sfumato/watch", 2, 100000)
    assert (first["above"], second["above"], second["value"], last["halted"]) == (True, False, None, True)
    assert first["value"] == last["value"] == 10_000
    assert nonsense["code"] == grouped["code"] == "invalid_question"
    reads_lines(monkeypatch, COUNT, COUNT)
    assert main(["watch", "1000", "-e", "10000", "-c", "5"]) == Exit.DONE
    assert said(capsys)[0].split() == ["above", "above"]
    reads_lines(monkeypatch, "SELECT nonsense")
    assert main(["watch", "1000", "-e", "1"]) == Exit.REFUSED
    assert "error:" in said(capsys)[1]


def test_what_the_other_commands_say_fits_the_schema(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        ["check", "--json"],
        ["profile", "--by", "ward", "--json"],
        ["register", "--json"],
        ["explain", WARDS, "-e", "1", "--json"],
        ["sql", WARDS, "-e", "1", "--json"],
        ["max", WARDS, "-e", "1", "--json"],
        ["budget", "--json"],
        ["log", "--json"],
        ["show", "6", "--json"],
        ["owner", "failures", "--json"],
        ["owner", "unlock", "--reason", "looked", "--json"],
    ):
        assert main(words) == Exit.DONE, words
        assert len(documents(capsys)) == 1, words


STUDIES = {"local", "audit", "attack", "anonymity"}
"""Commands whose documents are those of rooms below the curator, and no answers of a curator."""


def test_every_other_command_is_tried_here_or_with_the_demo() -> None:
    tried = {
        "max",
        "top",
        "choose",
        "median",
        "watch",
        "check",
        "profile",
        "publish",
        "register",
        "explain",
        "sql",
        "budget",
        "log",
        "owner",
        "show",
    }
    assert {each.name for each in COMMANDS} == tried | STUDIES | {"demo", "init", "docs", "completion"}


@pytest.mark.usefixtures("folder")
def test_refusals_are_documents_on_stdout_with_their_exit_status(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reads_lines(monkeypatch, COUNT)
    for words, code in (
        (["sql", "SELECT COUNT(*) FROM visit", "-e", "1"], "invalid_question"),
        (["sql", COUNT, "-e", "nan"], "invalid_parameter"),
        (["sql", COUNT, "-e", "1000000", "--key", "a"], None),
        (["sql", COUNT + " WHERE days > 1", "-e", "1000000"], "budget_exceeded"),
        (["max", COUNT, "-e", "1"], "invalid_question"),
        (["sql", "SELECT 1", "-e", "1", "-d", "nothing.toml"], "invalid_declaration"),
        (["watch", "5", "-e", "1000000"], "budget_exceeded"),
    ):
        status = main([*words, "--json"])
        out, err = said(capsys)
        (document,) = map(json.loads, out.splitlines())
        assert faults(document, SCHEMA) == []
        if code is not None:
            assert err == ""
            assert document["code"] == code
            assert status == next(each.exit for each in OUTCOMES.values() if each.code == code)


def test_a_failure_and_what_nobody_expected_are_documents_too(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing(self: DuckDBEngine, query: Any) -> Any:
        raise ValueError("cell 42")

    with monkeypatch.context() as broken:
        broken.setattr(DuckDBEngine, "aggregate", failing)
        assert main(["sql", COUNT, "-e", "1", "--json"]) == OUTCOMES[EngineFailed].exit
    assert documents(capsys)[0]["code"] == "engine_failed"
    with monkeypatch.context() as broken:
        broken.setattr("sfumato.cli.asking.opened", lambda _: (_ for _ in ()).throw(KeyError("cell 42")))
        assert main(["sql", COUNT, "-e", "1", "--json"]) == Exit.FAILED
    document = documents(capsys)[0]
    assert document["code"] == "error"
    assert "42" not in json.dumps(document)


@pytest.mark.usefixtures("folder")
def test_groups_of_two_keys_are_weighed_by_names_that_json_can_write(capsys: pytest.CaptureFixture[str]) -> None:
    text = "SELECT ward, days > 3 AS long, COUNT(*) AS n FROM visits GROUP BY ward, days > 3"
    words = ["choose", text, "--weights", "weights.json", "-e", "1000", "--json"]
    Path("weights.json").write_text('{"all": {"surgery": 1}}', encoding="utf-8")
    assert main(words) == Exit.USAGE
    hint = documents(capsys)[0]["hint"]
    named = json.loads(hint.removeprefix("groups are named as in "))
    Path("weights.json").write_text(json.dumps({"all": named, "none": {'["surgery",   true]': 0}}), encoding="utf-8")
    assert main(words) == Exit.DONE
    assert documents(capsys)[0]["rows"] == [["all"]]


@pytest.mark.usefixtures("folder")
def test_a_watch_without_questions_costs_nothing_and_one_that_halts_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reads_lines(monkeypatch, "", "  ")
    assert main(["watch", "1000", "-e", "10000"]) == Exit.REFUSED
    assert "no question was read from stdin" in said(capsys)[1]
    assert main(["budget", "--json"]) == Exit.DONE
    assert {each["spent"]["number"] for each in documents(capsys)[0]["balances"]} == {0}
    reads_lines(monkeypatch, COUNT, COUNT)
    assert main(["watch", "1000", "-e", "10000"]) == Exit.DONE
    out, err = said(capsys)
    assert out.split() == ["above"]
    assert "the watch has halted: no further line is asked" in err
    reads_lines(monkeypatch, f"{COUNT} WHERE days > 1000")
    assert main(["watch", "1000", "-e", "10000"]) == Exit.DONE
    assert "halted" not in said(capsys)[1]


@pytest.mark.usefixtures("folder")
def test_error_bars_are_named_where_there_are_any(capsys: pytest.CaptureFixture[str]) -> None:
    for words, bars in ((["max", WARDS], False), (["choose", WARDS], False), (["sql", WARDS], True)):
        assert main([*words, "-e", "1"]) == Exit.DONE
        assert ("error bars" in said(capsys)[1]) is bars
    assert main(["log"]) == Exit.DONE
    shown = said(capsys)[0]
    assert f"max: {WARDS}"[:40] in shown
    assert f"choose: {WARDS}"[:40] in shown
    assert main(["sql", WARDS, "-e", "1", "--key", ""]) == Exit.USAGE
    assert "key must be printable text" in said(capsys)[1]
    assert main(["explain", WARDS, "--rho", "0.1"]) == Exit.REFUSED
    out, _ = said(capsys)
    assert "no finite price in ε" in out
    assert "this budget counts in ε: ask with epsilon" in out
    assert "then left" not in out
