"""The command line itself: help, exit codes, errors with hints, stdout for data alone."""

import argparse
import subprocess
import sys
from types import SimpleNamespace

import pytest

import sfumato
from sfumato.cli import main, terminal
from sfumato.cli.command import COMMANDS, Command, Exit
from sfumato.errors import (
    BudgetExceeded,
    EngineFailed,
    InvalidParameter,
    LedgerDamaged,
    LedgerUnavailable,
    SfumatoError,
)

MAIN = sys.modules["sfumato.cli.main"]


def command(monkeypatch: pytest.MonkeyPatch, outcome: object) -> None:
    def arguments(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--word", default="")

    def run(_: argparse.Namespace) -> Exit:
        if isinstance(outcome, BaseException):
            raise outcome
        terminal.emit({"data": 1})
        return Exit.DONE

    fake = Command("try", "try it", "sfumato.cli.fake")
    monkeypatch.setitem(sys.modules, "sfumato.cli.fake", SimpleNamespace(arguments=arguments, run=run))
    monkeypatch.setattr(MAIN, "COMMANDS", (fake,))


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (None, Exit.DONE),
        (InvalidParameter("epsilon", "must be positive", 0), Exit.USAGE),
        (BudgetExceeded("no", hint="ask less"), Exit.REFUSED),
        (LedgerUnavailable("busy"), Exit.FAILED),
        (LedgerDamaged("torn"), Exit.FAILED),
        (EngineFailed("the charge stays"), Exit.FAILED),
        (SfumatoError("odd [bold]text[/]"), Exit.REFUSED),
        (KeyboardInterrupt(), Exit.INTERRUPTED),
    ],
)
def test_every_outcome_has_its_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], outcome: object, code: Exit
) -> None:
    command(monkeypatch, outcome)
    assert main(["try"]) == code
    said = capsys.readouterr()
    assert bool(said.out) == (code is Exit.DONE)
    if isinstance(outcome, SfumatoError):
        assert outcome.problem in said.err
        assert outcome.hint in said.err


def test_no_command_is_help_and_an_unknown_one_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == Exit.USAGE
    assert "sfumato" in capsys.readouterr().out
    with pytest.raises(SystemExit) as ended:
        main(["nothing-of-this-name"])
    assert ended.value.code == Exit.USAGE


@pytest.mark.parametrize("known", COMMANDS, ids=lambda known: known.name)
def test_every_command_explains_itself(known: Command, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([known.name, "--help"])
    assert ended.value.code == 0
    assert known.help.split()[0] in capsys.readouterr().out


@pytest.mark.parametrize("module", ["sfumato", "sfumato.cli"])
def test_the_package_is_the_command(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", module, "--version"], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (0, f"sfumato {sfumato.__version__}\n")
