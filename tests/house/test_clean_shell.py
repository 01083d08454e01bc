"""The README followed literally by somebody who has python3, pip and make, in an empty directory."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from readme import ROOT, Step, shape, steps

TOOLS = [
    "awk",
    "bash",
    "basename",
    "cat",
    "cp",
    "cut",
    "dirname",
    "env",
    "grep",
    "head",
    "ln",
    "ls",
    "make",
    "mkdir",
    "mktemp",
    "mv",
    "printf",
    "rm",
    "sed",
    "sh",
    "sort",
    "touch",
    "tr",
    "uname",
]
MARK = "-- next command --"
LONG = ("make test",)
"""What takes too long to be run in a test of its own; make is asked whether it knows how."""
PATIENCE = 900


def shipped() -> list[str]:
    """The files of the project: those that are versioned, or all but what was made here."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False, text=True)
    if listed.returncode == 0:
        return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]
    found = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file())
    return [str(path) for path in found if not re.match(r"\.venv|\.[a-z_]+_cache|mutants|dist|bench/tmp", str(path))]


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A copy of the project, and an environment in which nothing is installed."""
    home = tmp_path_factory.mktemp("shell")
    tools = home / "bin"
    tools.mkdir()
    for tool in TOOLS:
        if found := shutil.which(tool):
            (tools / tool).symlink_to(found)
    (tools / "python3").symlink_to(getattr(sys, "_base_executable", sys.executable))
    for name in shipped():
        (home / "project" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, home / "project" / name)
    kept = {name: value for name, value in os.environ.items() if name.startswith("PIP_") or "proxy" in name.lower()}
    return home / "project", {
        **kept,
        "PATH": str(tools),
        "HOME": os.environ.get("HOME", str(home)),
        "LANG": "C.UTF-8",
        "COLUMNS": "200",
        "PIP_NO_COMPILE": "1",  # what is used is compiled when it is
    }


def followed(commands: list[str], place: Path, environment: dict[str, str]) -> list[tuple[int, str]]:
    """The exit status and the words of each command, all in one shell."""
    lines = [f"{command}\nprintf '\\n%s %s\\n' '{MARK}' $?" for command in commands]
    done = subprocess.run(
        [str(Path(environment["PATH"]) / "bash"), "--noprofile", "--norc"], input="\n".join(lines), cwd=place, env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    parts = re.split(rf"\n?{MARK} (\d+)\n", done.stdout)
    found = [(int(status), text) for text, status in zip(parts[::2], parts[1::2], strict=False)]
    assert len(found) == len(commands), done.stdout[-3000:]
    return found


def expected(step: Step) -> int:
    return 3 if step.shown.startswith("error:") else 0


@pytest.mark.slow
def test_every_command_of_the_readme_works_as_it_is_written(shell: tuple[Path, dict[str, str]]) -> None:
    place, environment = shell
    known = steps()
    assert len(known) >= 9
    found = followed(
        [f"make -n {s.command[5:]}" if s.command.startswith(LONG) else s.command for s in known], place, environment
    )
    for step, (status, said) in zip(known, found, strict=True):
        assert status == expected(step), f"$ {step.command}\n{said[-3000:]}"
        if step.shown:
            assert shape(step.shown) == shape(said), step.command


@pytest.mark.slow
@pytest.mark.parametrize("make", ["make demo", "make --silent demo > story.txt; cat story.txt"])
def test_the_demo_ends_with_commands_that_work_as_printed(make: str, shell: tuple[Path, dict[str, str]]) -> None:
    """In a shell that has not activated anything, whether a person looks or a file is written."""
    place, environment = shell
    ((status, told),) = followed([make], place, environment)
    assert status == 0, told
    commands = [line.strip() for line in told.partition("\nNext:\n")[2].splitlines() if line.strip()]
    assert commands[0].startswith("cd sfumato-demo")
    assert len(commands) == 7
    for command, (code, said) in zip(commands, followed(commands, place, environment), strict=True):
        assert code == 0, f"$ {command}\n{said}"
