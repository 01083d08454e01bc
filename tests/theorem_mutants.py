"""Break what every row of docs/theorems.md stands on, and see whether the row's own test notices.

    python tests/theorem_mutants.py                    # every break of every row
    python tests/theorem_mutants.py "Theorem 9"        # only rows whose name contains one of the words given
    python tests/theorem_mutants.py --write            # and write the score into docs/theorems.md

Each break is made in a copy of src, and the row's test runs against that copy alone. The test must pass without
the break and fail by an assertion with it. A break that does not apply, a test that cannot be collected, one that
ends in any other error or runs for ever is a fault of the map, not a catch.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from theorem_map import PAGE, ROOT, ROWS, SCORE, Break, read_breaks, score_line

SECONDS = 300  # the longest one break may take

PASSED, CAUGHT = "passed", "failed by assertion"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one run of one test ended: PASSED, CAUGHT or what went wrong."""

    test: str
    ended: str
    seconds: float


# ---- in the new process: one test against one copy -----------------------------------------------------------


class Recorder:
    """A pytest plugin that keeps, for every test function, the worst end of its cases."""

    def __init__(self) -> None:
        self.ended: dict[str, str] = {}

    def pytest_configure(self) -> None:
        """A failing example need not be made small: that it fails is enough."""
        from hypothesis import Phase, settings  # here, as pytest rewrites it first

        settings.register_profile(
            "no shrinking", settings.get_profile("house"), phases=(Phase.explicit, Phase.generate)
        )
        settings.load_profile("no shrinking")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
        """Note how a phase of a test ended."""
        report = yield
        function = item.nodeid.split("[")[0]
        if call.excinfo is None or report.skipped:  # type: ignore[attr-defined]
            end = PASSED if report.passed else "skipped"  # type: ignore[attr-defined]
        elif call.when == "call" and _is_assertion(call.excinfo.value):
            end = CAUGHT
        else:
            end = f"{call.when} raised {call.excinfo.typename}: {str(call.excinfo.value)[:200]}"
        if self.ended.get(function, PASSED) == PASSED:
            self.ended[function] = end
        return report


def _is_assertion(error: BaseException) -> bool:
    """Whether an assertion failed, or each of a group of assertions."""
    if isinstance(error, BaseExceptionGroup):
        return all(_is_assertion(each) for each in error.exceptions)
    return isinstance(error, AssertionError | pytest.fail.Exception)


def run_here(source: Path, tests: list[str]) -> dict[str, str]:
    """How each test ends in this process, which must have imported sfumato from `source` and nowhere else."""
    import sfumato

    if not Path(sfumato.__file__).resolve().is_relative_to(source.resolve()):
        raise ImportError(f"sfumato is imported from {sfumato.__file__}, not from {source}")
    recorder = Recorder()
    code = pytest.main(["-q", "-x", "-p", "no:cacheprovider", "-p", "no:randomly", *tests], plugins=[recorder])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return dict.fromkeys(tests, f"pytest ended with {pytest.ExitCode(code).name}")
    return {test: recorder.ended.get(test, "not run") for test in tests}


# ---- in the first process ------------------------------------------------------------------------------------


@contextmanager
def copied(change: Break | None = None) -> Iterator[Path]:
    """A copy of src, with one change made in it; compiled files come along, except that of the changed file."""
    with tempfile.TemporaryDirectory(prefix="theorem-") as folder:
        source = Path(folder) / "src"
        shutil.copytree(ROOT / "src", source)
        if change is not None:
            path = source / "sfumato" / change.file
            path.write_text(change.broken(path.read_text()))
            for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
                compiled.unlink()
        yield source


def run(tests: list[str], change: Break | None = None) -> list[Outcome]:
    """The outcomes of the tests in a new process, against a copy of src with one change made."""
    started = time.monotonic()
    try:
        with copied(change) as source:
            ended = _run_in_a_new_process(source, tests)
    except LookupError as error:
        ended = dict.fromkeys(tests, f"does not apply: {error}")
    seconds = time.monotonic() - started
    return [Outcome(test, ended[test], seconds) for test in tests]


def _run_in_a_new_process(source: Path, tests: list[str]) -> dict[str, str]:
    report = source.parent / "report.json"
    command = [sys.executable, __file__, "--here", str(source), "--report", str(report), *tests]
    paths = f"{source}{os.pathsep}{ROOT / 'tests'}"
    environment = os.environ | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=SECONDS * len(tests),
            check=False,
        )
    except subprocess.TimeoutExpired:
        return dict.fromkeys(tests, "ran for too long")
    if not report.exists():
        return dict.fromkeys(tests, f"the process ended with {done.returncode}: {done.stderr[-300:]}")
    found: dict[str, str] = json.loads(report.read_text())
    return found


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a row's test said of one break."""

    change: Break
    outcome: Outcome

    @property
    def caught(self) -> bool:
        """Whether the named test failed by assertion."""
        return self.outcome.ended == CAUGHT

    def __str__(self) -> str:
        said = "caught" if self.caught else "NOT CAUGHT: the test passed" if self.outcome.ended == PASSED else "FAULT"
        detail = "" if self.outcome.ended in (PASSED, CAUGHT) else f" ({self.outcome.ended})"
        return f"{self.change.row:<44} {self.change.why:<64} {said}{detail}  {self.outcome.seconds:.1f} s"


def tried(change: Break, test: str) -> Verdict:
    """The verdict of a test on one break."""
    return Verdict(change, run([test], change)[0])


def unbroken(tests: Iterable[str], processes: int) -> list[Outcome]:
    """The tests that do not pass without a break, each file's tests in one process."""
    files: dict[str, list[str]] = {}
    for test in dict.fromkeys(tests):
        files.setdefault(test.split("::")[0], []).append(test)
    with ThreadPoolExecutor(processes) as pool:
        outcomes = [outcome for batch in pool.map(run, files.values()) for outcome in batch]
    return [outcome for outcome in outcomes if outcome.ended != PASSED]


def chosen(words: list[str]) -> list[Break]:
    """The breaks of rows whose name contains one of the words, or all."""
    return [change for change in read_breaks() if not words or any(word in change.row for word in words)]


def main() -> int:
    """Try every break; 0 if the named tests caught them all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="only rows whose name contains one of these")
    parser.add_argument("--write", action="store_true", help="write the score into docs/theorems.md")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--here", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--report", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.here is not None:
        given.report.write_text(json.dumps(run_here(given.here, given.words)))
        return 0
    if given.write and given.words:
        parser.error("--write needs every row")
    return report(chosen(given.words), given)


def report(breaks: list[Break], given: Any) -> int:
    """Run the breaks and print one line each."""
    tests = {row.name: row.test for row in ROWS}
    strangers = [change.row for change in breaks if change.row not in tests]
    if strangers:
        print(f"no such rows: {', '.join(dict.fromkeys(strangers))}")
        return 2
    failing = unbroken((tests[change.row] for change in breaks), given.processes)
    for outcome in failing:
        print(f"FAULT without a break: {outcome.test} {outcome.ended}")
    verdicts: list[Verdict] = []
    with ThreadPoolExecutor(given.processes) as pool:
        for verdict in pool.map(lambda change: tried(change, tests[change.row]), breaks):
            verdicts.append(verdict)
            print(verdict, flush=True)
    broken_tests = {outcome.test for outcome in failing}
    caught = sum(verdict.caught and tests[verdict.change.row] not in broken_tests for verdict in verdicts)
    rows = len({change.row for change in breaks})
    print(f"\n{caught} of {len(breaks)} breaks of {rows} rows are caught by the named test")
    if given.write:
        page, found = SCORE.subn(score_line(caught, len(breaks), rows), PAGE.read_text())
        if found != 1:
            raise LookupError("docs/theorems.md has no line for the score")
        PAGE.write_text(page)
    return 0 if caught == len(breaks) else 1


if __name__ == "__main__":
    raise SystemExit(main())
