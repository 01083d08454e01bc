"""`sfumato owner`: what failed is shown, and who asked is unlocked by an entry of the ledger."""

import json
from pathlib import Path
from typing import Any

import pytest

import clinic
from sfumato.cli import main
from sfumato.cli.command import Exit
from sfumato.engines import DuckDBEngine

COUNT = "SELECT COUNT(*) AS n FROM visits WHERE day < {}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    clinic.build(tmp_path, users=100)
    more = "".join(f'\n[analysts.{who}]\nepsilon = "9"\ndelta = "1e-5"\n' for who in ("ada", "bob"))
    clinic.declare(tmp_path, more=more)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_analyst_whose_questions_failed_is_locked_and_unlocked(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing(self: DuckDBEngine, query: Any) -> Any:
        raise KeyError("cell 42")

    ada = ("-a", "ada", "-e", "0.1")
    assert main(["sql", COUNT.format(200), *ada]) == Exit.DONE
    with monkeypatch.context() as broken:
        broken.setattr(DuckDBEngine, "aggregate", failing)
        for i in range(3):
            assert main(["sql", COUNT.format(i), *ada]) == Exit.FAILED
        said = capsys.readouterr().err
        assert said.count("error: the engine did not finish; the charge stays") == 3
        assert "Traceback" not in said
        assert "42" not in said
    assert main(["sql", COUNT.format(9), *ada]) == Exit.REFUSED
    assert "3 questions of principal `ada` have failed" in capsys.readouterr().err
    assert main(["sql", COUNT.format(200), *ada]) == Exit.DONE, "what was answered is answered again"
    assert main(["sql", COUNT.format(9), "-a", "bob", "-e", "0.1"]) == Exit.DONE
    capsys.readouterr()
    assert main(["owner", "failures", "--json"]) == Exit.DONE
    shown = {row["analyst"]: (row["failures"], row["allowed"]) for row in json.loads(capsys.readouterr().out)["counts"]}
    assert shown == {"": (3, 10), "ada": (3, 3), "bob": (0, 3)}
    assert main(["owner", "failures"]) == Exit.DONE
    assert "locked" in capsys.readouterr().out
    assert main(["owner", "unlock", "-a", "ada"]) == Exit.USAGE
    assert "reason must be given" in capsys.readouterr().err
    assert main(["owner", "unlock", "-a", "zoe", "--reason", "x"]) == Exit.REFUSED
    assert main(["owner", "unlock", "-a", "ada", "--reason", "a bad disk"]) == Exit.DONE
    assert "unlocked analyst ada: 3 failures" in capsys.readouterr().err
    assert main(["sql", COUNT.format(9), *ada]) == Exit.DONE
    assert main(["owner", "unlock", "--reason", "all is well", "--json"]) == Exit.DONE
    assert json.loads(capsys.readouterr().out.splitlines()[-1]) == {
        "format": "sfumato/unlock", "version": 2, "analyst": "", "failures": 3
    }  # fmt: skip
    assert main(["log", "-a", "ada", "--verify"]) == Exit.DONE
    assert "unlock" in capsys.readouterr().out


def test_what_nobody_expected_is_one_line_and_no_trace(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sfumato.cli.asking.show", lambda *_, **__: (_ for _ in ()).throw(ValueError("cell 42")))
    assert main(["sql", COUNT.format(5), "-a", "ada", "-e", "0.1"]) == Exit.FAILED
    said = capsys.readouterr().err
    assert "something unexpected went wrong (ValueError); what was charged stays charged" in said
    assert "42" not in said
    monkeypatch.setenv("SFUMATO_TRACEBACK", "1")
    with pytest.raises(ValueError, match="cell 42"):
        main(["sql", COUNT.format(6), "-a", "ada", "-e", "0.1"])


def test_a_terminal_of_few_characters_shows_the_others_by_number(folder: Path) -> None:
    import os
    import subprocess
    import sys

    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    for more in ((), ("--json",)):
        command = [
            sys.executable,
            "-m",
            "sfumato.cli",
            "sql",
            'SELECT COUNT(*) AS "é" FROM visits',
            "-a",
            "ada",
            "-e",
            "0.1",
            *more,
        ]
        done = subprocess.run(command, capture_output=True, env=ascii_only, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        columns = [each["name"] for each in json.loads(done.stdout)["columns"]] if more else []
        shown = columns or [done.stdout.decode("ascii")]
        assert "é" in shown if more else "\\xe9" in shown[0]
