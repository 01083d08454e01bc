"""Killed at any moment: charged once, nothing to be read that was not charged, and the same measurements afterwards."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "publication_torture.py"


def run(*words: str) -> "subprocess.CompletedProcess[str]":
    """The torture in a process of its own, which forks before it has an engine."""
    paths = [str(SCRIPT.parent), str(SCRIPT.parents[1] / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    about = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    return subprocess.run([sys.executable, str(SCRIPT), *words], capture_output=True, text=True, check=False, env=about)


@pytest.mark.slow
def test_ten_kills_are_survived() -> None:
    done = run("--kills", "10")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["kills"] == 10


@pytest.mark.slow
def test_a_synthetic_table_survives_five_kills() -> None:
    done = run("--kills", "5", "--table", "--seed", "3")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["kills"] == 5


@pytest.mark.slow
@pytest.mark.torture
def test_a_hundred_kills_are_survived() -> None:
    done = run("--kills", "100", "--seed", "2")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["kills"] == 100


@pytest.mark.slow
@pytest.mark.parametrize(("twin", "told"), [
    ("in plain sight", "nothing can be read that is not settled"),
    ("measured anew", "each is charged once"),
])  # fmt: skip
def test_a_broken_twin_does_not_survive_one(twin: str, told: str) -> None:
    done = run("--broken", twin)
    assert done.returncode != 0
    assert told in done.stderr
