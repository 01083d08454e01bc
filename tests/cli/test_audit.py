"""`sfumato audit`: names, anybody's functions, JSON, exit codes, the page."""

import json
from pathlib import Path
from typing import Any

import pytest

import sfumato.cli.audit as command
import svg_reading
from sfumato import audit
from sfumato.audit import controls
from sfumato.audit import everything as whole
from sfumato.audit.learn import LearnedEvents
from sfumato.audit.own import OUR_MECHANISMS
from sfumato.audit.report import page
from sfumato.cli import main
from sfumato.cli.command import Exit
from sfumato.curator.audited import CURATOR, PROTOCOLS
from sfumato.curator.audited_microdata import MICRODATA
from sfumato.curator.audited_publications import PUBLICATIONS
from sfumato.curator.audited_synth import PUBLISHED
from sfumato.curator.audited_tables import TABLES

MODULE = """
from sfumato.core import Neighbours, Norm
from sfumato.exact import discrete_laplace
from sfumato.mechanisms import Geometric
from sfumato.audit import Pair, Target, target_of

def sound(x): return x + discrete_laplace(1)
def naked(x): return x
def rows(values): return sum(values) + discrete_laplace(1)
def coin(bit): return bit if discrete_laplace(1) >= 0 else 1 - bit
def pairs(): return [(0, 1), Pair(5, 6, "further up")]
mechanism = Geometric(epsilon=1, sensitivity=Neighbours().histogram(Norm.L1))
target = target_of(naked, [Pair(0, 1)], epsilon=3)
"""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "audited_module.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(audit, "checked", lambda: ())  # its own tests run it


DRAWS = ["--draws", "4000"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["no-noise"], Exit.FOUND),
        (["geometric", "--epsilon", "0.5", "--confidence", "0.999999999"], Exit.DONE),
        (["audited_module:naked", "--epsilon", "1"], Exit.FOUND),
        (["audited_module:sound", "--epsilon", "1", "--confidence", "0.999999999"], Exit.DONE),
        (["audited_module:sound", "--epsilon", "0.5", "--pairs", "audited_module:pairs"], Exit.FOUND),
        (["audited_module:mechanism", "--confidence", "0.999999999"], Exit.DONE),
        (["audited_module:mechanism", "--epsilon", "0.5"], Exit.FOUND),
        (["audited_module:target"], Exit.FOUND),
        (["audited_module:coin", "--epsilon", "2", "--confidence", "0.999999999"], Exit.DONE),  # -1 is no bit
        (["audited_module:rows", "--epsilon", "1", "--inputs", "rows"], Exit.FOUND),  # a missing value raises
        (
            ["audited_module:rows", "--epsilon", "1", "--inputs", "rows", "--tame", "--confidence", "0.999999999"],
            Exit.DONE,
        ),
    ],
)
def test_the_exit_code_says_whether_a_claim_was_refuted(
    words: list[str], code: Exit, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", *words, *DRAWS]) == code
    said = capsys.readouterr().out
    assert ("FALSE" in said) == (code is Exit.FOUND)


def test_json_goes_to_stdout_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "audited_module:naked", "--epsilon", "1", "--json", "--leaks", *DRAWS]) == Exit.FOUND
    found = json.loads(capsys.readouterr().out)["findings"]
    assert len(found) == 4
    assert found[0]["convicted"] is True
    assert {"bound", "event", "confidence", "smallest_violation", "draws"} <= set(found[0])


@pytest.mark.parametrize(
    ("words", "word"),
    [
        ([], "target"),
        (["nonsense"], "--list"),
        (["audited_module:nothing", "--epsilon", "1"], "audited_module"),
        (["no_such_module:x", "--epsilon", "1"], "imported"),
        (["audited_module:naked"], "--epsilon"),
        (["audited_module:rows", "--epsilon", "1"], "--inputs rows"),
        (["no-noise", "--epsilon", "-1"], "epsilon"),
        (["no-noise", "--draws", "3"], "draws"),
    ],
)
def test_a_bad_request_is_a_usage_error_with_a_remedy(
    words: list[str], word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", *words]) == Exit.USAGE
    said = capsys.readouterr()
    assert word in said.err
    assert not said.out


def test_hostile_rows_are_findings_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "audit",
        "audited_module:rows",
        "--epsilon",
        "1",
        "--inputs",
        "rows",
        "--json",
        "--confidence",
        "0.999999999",
    ]
    assert main([*words, *DRAWS]) == Exit.FOUND
    said = capsys.readouterr()
    first, *others = json.loads(said.out)["findings"]
    assert first["convicted"] is False
    assert {"a missing value", "a text"} <= {finding["why"] for finding in others}
    assert "--tame" in said.err


def test_the_list_names_every_target(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "--list", "--json"]) == Exit.DONE
    names = {entry["name"] for entry in json.loads(capsys.readouterr().out)}
    ours = {own.name for own in (*OUR_MECHANISMS, *CURATOR, *PROTOCOLS, *PUBLISHED, *MICRODATA, *PUBLICATIONS, *TABLES)}
    assert ours | {specimen.name for specimen in controls.KNOWN} == names
    assert main(["audit", "--list"]) == Exit.DONE
    assert "svt-3" in capsys.readouterr().out


def test_a_failed_self_check_reports_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(audit, "checked", lambda: controls.self_check(lambda target: audit.audit(target, draws=10**3)))
    monkeypatch.setattr("sfumato.audit.auditor.learn", lambda *_, **__: LearnedEvents((), 0))
    assert main(["audit", "no-noise", *DRAWS]) == Exit.FAILED
    assert not capsys.readouterr().out


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two targets instead of all, and no second look at what has tests of its own."""
    two = tuple(own for own in OUR_MECHANISMS if own.name in ("geometric", "warner"))
    monkeypatch.setattr(whole, "load", lambda _: two)
    monkeypatch.setattr(command, "SOURCES", (whole.SOURCE,))
    for part in ("checked", "_laws", "_leaks"):
        monkeypatch.setattr(whole, part, lambda: ())
    monkeypatch.setattr(whole, "_timings", dict)
    monkeypatch.setattr(whole, "play_all", lambda: ((), ()))


def test_everything_is_one_page_that_needs_nothing_else(
    small: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = whole.everything

    def alone(**words: Any) -> whole.Everything:
        return real(**{**words, "workers": 1, "seconds": 0.2})

    monkeypatch.setattr(whole, "everything", alone)
    target = tmp_path / "out" / "page.html"
    assert main(["audit", "--all", "--report", str(target)]) == Exit.DONE
    text = target.read_text(encoding="utf-8")
    assert "geometric" in text
    drawn = text[text.index("<svg ") : text.index("</svg>") + len("</svg>")]
    assert len(svg_reading.bars(svg_reading.check(drawn))) == 2
    assert "http" not in text.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert "<img" not in text
    assert "2 targets, 0 convicted" in capsys.readouterr().out


def test_the_game_is_played_from_the_command_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    passed = audit.GameFinding("one", "broken", 1.0, 0.0, 0.999, 100, 90, 5, 0.6, 0.9, 0.46, 2.0, 3.0)
    held = audit.GameFinding("one", "a filter", 1.0, 0.0, 0.999, 100, 60, 40, 0.1, 0.3, 0.46, 0.2, 1.0)
    asked: list[int] = []

    def play_all(plays: int) -> Any:
        asked.append(plays)
        return (passed,), (held, passed) if plays == 7 else (held,)

    monkeypatch.setattr(audit, "play_all", play_all)
    assert main(["audit", "--game"]) == Exit.DONE
    assert "1 broken budgets passed, as they must be; 0 of 1 of ours" in capsys.readouterr().out
    assert main(["audit", "--game", "--draws", "7", "--json"]) == Exit.FOUND
    found = json.loads(capsys.readouterr().out)
    assert [game["convicted"] for game in found["games"]] == [False, True]
    assert found["controls"][0]["advantage"] == pytest.approx(0.85)
    assert asked[1] == 7


def test_a_conviction_stands_at_the_top_of_the_page() -> None:
    guilty = audit.audit(next(s for s in controls.KNOWN if s.name == "no-noise").target(1), draws=1000)
    game = audit.GameFinding("the gambler", "a sieve", 1.0, 0.0, 0.999, 100, 90, 5, 0.6, 0.9, 0.46, 2.0, 3.0)
    found = whole.Everything("0", "2026-01-01", (), (guilty,), (), {}, {}, {}, {}, {}, 1.0, (game,), (game,))
    assert found.convicted == ("no-noise", "the gambler against a sieve")
    assert "Convicted: no-noise, the gambler against a sieve" in page(found)
    assert "control: a sieve" in page(found)
