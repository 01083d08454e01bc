"""Change the code that decides what one person moves, one small change at a time, and see whether a test notices.

    python tests/query_mutants.py                         # every change; about half an hour on two idle cores
    python tests/query_mutants.py price measures          # only modules whose name contains one of the words given
    python tests/query_mutants.py --sample 100 --seed 3   # so many of them, picked at random

A change is made in one module of the question's room, in a process of its own, which runs the tests that call the
function it is in; tests that call little come first. Who fails, breaks or does not end has noticed it. What nobody
notices must be listed, with the reason, in tests/query/survivors.toml: a change that makes no difference, or that
makes one no question can reach. Words for people (messages, hints, docstrings) are left alone.
"""

import argparse
import ast
import gc
import importlib.abc
import importlib.machinery
import importlib.util
import os
import random
import resource
import signal
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType

import pytest

from query_changes import ROOM, Mutant, every, name_of

ROOT = Path(__file__).parents[1]
LISTED = ROOT / "tests" / "query" / "survivors.toml"
TESTS = tuple(
    f"tests/query/test_{name}.py"
    for name in (
        "measures",
        "weighing",
        "own_kinds",
        "price",
        "plan",
        "aggregates",
        "passes",
        "planted",
        "canonical",
        "postprocess",
    )
)
LEAST = 0.85  # the share that must be noticed
TIMES = 2  # so many times the CPU time of all tests, and a change counts as one that never ends


# ---- in a process of its own ----------------------------------------------------------------------------------


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives one module with its change to whoever imports it."""

    def __init__(self, mutant: Mutant) -> None:
        self._name, self._tree = (
            "sfumato.query." + mutant.module.removesuffix("/__init__").replace("/", "."),
            mutant.tree(),
        )
        self._path = ROOM / f"{mutant.module}.py"

    def find_spec(self, name: str, path: object, target: object = None) -> importlib.machinery.ModuleSpec | None:
        """The changed module, and no other."""
        del path, target
        if name != self._name:
            return None
        package = self._path.name == "__init__.py"
        made = importlib.util.spec_from_loader(name, self, origin=str(self._path), is_package=package)
        if made is not None and package:
            made.submodule_search_locations = [str(self._path.parent)]
        return made

    def exec_module(self, module: ModuleType) -> None:
        """Runs the changed tree."""
        module.__file__ = str(self._path)
        exec(compile(self._tree, str(self._path), "exec"), module.__dict__)


def functions() -> list[FunctionType]:
    """Every function of the room that there is."""
    room = str(ROOM)
    return [
        each
        for each in gc.get_objects()
        if isinstance(each, FunctionType) and each.__code__.co_filename.startswith(room)
    ]


def put_in_place(mutant: Mutant, known: Sequence[FunctionType] | None = None) -> None:
    """Give every function of the module its code with the change; the module was imported before."""
    path = str(ROOM / f"{mutant.module}.py")
    codes = {(code.co_qualname, code.co_firstlineno): code for code in _codes(compile(mutant.tree(), path, "exec"))}
    for each in functions() if known is None else known:
        if each.__code__.co_filename == path:
            made = codes.get((each.__code__.co_qualname, each.__code__.co_firstlineno))
            if made is not None:
                each.__code__ = made


def _codes(code: CodeType) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            yield from _codes(each)


def _forked(run: Callable[[], bool], seconds: float) -> int:
    """The process id of a child that ends with 0 if `run` says that all is well, in so much CPU time, and keeps quiet."""
    pid = os.fork()
    if pid:
        return pid
    try:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.setitimer(signal.ITIMER_REAL, 20 * seconds)  # for one that waits and takes no time
        os._exit(0 if run() else 1)
    finally:
        os._exit(1)


def _each_in_a_child(
    jobs: Sequence[Callable[[], bool]], processes: int, seconds: float = 600
) -> Iterator[tuple[int, bool]]:
    """Which of the jobs said that all was well, as they end."""
    waiting, running = list(enumerate(jobs)), {}  # type: ignore[var-annotated]
    while waiting or running:
        while waiting and len(running) < processes:
            at, job = waiting.pop(0)
            running[_forked(job, seconds)] = at
        pid, status = os.wait()
        if pid in running:
            yield running.pop(pid), status == 0


OPTIONS = ("-q", "-x", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov", "-p", "no:doctest",
           "-o", "addopts=--import-mode=importlib", "--assert=plain")  # fmt: skip


def _imported_anew(mutant: Mutant | None) -> bool:
    """Whether all tests pass in a process that has not imported the room yet."""
    if mutant is not None:
        sys.meta_path.insert(0, _Changed(mutant))
    return pytest.main([*OPTIONS, *_tests()]) == pytest.ExitCode.OK


def _tests() -> list[str]:
    return [test for test in TESTS if (ROOT / test).exists()]


Called = dict[str, set[tuple[str, str]]]
"""Which functions of the room every test calls, as module and name."""


class InOneSession:
    """A pytest plugin that, instead of running the tests once, runs some of them for every change, each in a child."""

    def __init__(
        self, chosen: Sequence[Mutant], processes: int, seconds: float, told: Callable[[Mutant, bool], None]
    ) -> None:
        self._chosen, self._processes, self._seconds, self._told = chosen, processes, seconds, told
        self.passed_unchanged = False

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Every change in turn, once the tests pass without one."""
        called = self._called(session)
        self.passed_unchanged = called is not None
        if called is not None:
            known = functions()
            jobs = [self._job(mutant, session, called, known) for mutant in self._chosen]
            for at, passed in _each_in_a_child(jobs, self._processes, self._seconds):
                self._told(self._chosen[at], not passed)
        return True

    def _called(self, session: pytest.Session) -> Called | None:
        """What the tests call, found in a child; None where they do not pass as things are."""
        with tempfile.TemporaryDirectory() as folder:
            found = Path(folder) / "called"

            def run() -> bool:
                called: Called = {}
                for item in session.items:
                    called[item.nodeid] = seen = set()  # type: ignore[var-annotated]
                    sys.settrace(_tracer(seen))
                    try:
                        passed = _passes(item, session)
                    finally:
                        sys.settrace(None)
                    if not passed:
                        return False
                found.write_text(repr(called), encoding="utf-8")
                return True

            [(_, passed)] = _each_in_a_child([run], 1)
            return ast.literal_eval(found.read_text(encoding="utf-8")) if passed else None

    def _job(
        self, mutant: Mutant, session: pytest.Session, called: Called, known: Sequence[FunctionType]
    ) -> Callable[[], bool]:
        def run() -> bool:
            place = (mutant.module, mutant.within)
            items = [item for item in session.items if any(_holds(each, place) for each in called[item.nodeid])]
            items.sort(key=lambda item: len(called[item.nodeid]))
            put_in_place(mutant, known)
            return all(_passes(item, session) for item in items)

        return run


def _holds(called: tuple[str, str], place: tuple[str, str]) -> bool:
    """Whether a function that was called is the one that a change is in, or around it, or made in its class body."""
    return called[0] == place[0] and (place[1] == "" or called[1] == place[1])


def _passes(item: pytest.Item, session: pytest.Session) -> bool:
    failed = session.testsfailed
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
    return session.testsfailed == failed


def _tracer(seen: set[tuple[str, str]]) -> Callable[[FrameType, str, object], None]:
    room = str(ROOM)

    def entered(frame: FrameType, event: str, arg: object) -> None:
        del event, arg
        code = frame.f_code
        if code.co_filename.startswith(room):
            name = code.co_qualname.replace(".<locals>", "").split(".<")[0]
            seen.add((name_of(Path(code.co_filename)), "" if name.startswith("<") else name))

    return entered


# ---- in the first process -------------------------------------------------------------------------------------


def ready() -> None:
    """Import what the room stands on, and not the room, so that children need not."""
    import duckdb  # noqa: F401
    import numpy as np  # noqa: F401
    import pyarrow as pa  # noqa: F401
    import sqlglot.dialects.duckdb
    import sqlglot.dialects.postgres
    import sqlglot.dialects.spark  # noqa: F401

    import sfumato.data
    import sfumato.mechanisms  # noqa: F401

    assert not any(name.startswith("sfumato.query") for name in sys.modules), "the room is imported already"


def run(chosen: Sequence[Mutant], processes: int, told: Callable[[Mutant, bool], None]) -> bool:
    """Try every change and tell whether it was noticed; False where the tests do not pass without one."""
    ready()
    first = [mutant for mutant in chosen if mutant.at_import]
    [(_, passed)] = _each_in_a_child([partial(_imported_anew, None)], 1)
    if not passed:
        return False
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = TIMES * (used.ru_utime + used.ru_stime)
    for at, passed in _each_in_a_child([partial(_imported_anew, mutant) for mutant in first], processes, seconds):
        told(first[at], not passed)
    plugin = InOneSession([mutant for mutant in chosen if not mutant.at_import], processes, seconds, told)
    pytest.main([*OPTIONS, *_tests()], plugins=[plugin])
    return plugin.passed_unchanged


def reasons() -> dict[tuple[str, str, str], str]:
    """Why the changes that nobody notices make no difference, as the list has it."""
    listed = tomllib.loads(LISTED.read_text(encoding="utf-8")).get("survivor", []) if LISTED.exists() else []
    return {(each["module"], each["within"], each["change"]): each["why"] for each in listed}


def table(noticed: Sequence[tuple[Mutant, bool]]) -> str:
    """Changes and how many were noticed, by module."""
    all_of = Counter(mutant.module for mutant, _ in noticed)
    caught = Counter(mutant.module for mutant, was in noticed if was)
    lines = [f"{name:<28}{caught[name]:>6} of {many:>4}  {caught[name] / many:>7.1%}" for name, many in all_of.items()]
    share = sum(caught.values()) / len(noticed)
    return "\n".join([*lines, f"{'all':<28}{sum(caught.values()):>6} of {len(noticed):>4}  {share:>7.1%}"])


def main() -> int:
    """Try the changes; 0 if enough are noticed and every other one is listed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="only modules whose name contains one of these")
    parser.add_argument("--sample", type=int, help="so many of the changes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--list", action="store_true", help="show the changes and try none")
    given = parser.parse_args()
    chosen = every(given.words)
    if given.sample is not None and given.sample < len(chosen):
        chosen = random.Random(given.seed).sample(chosen, given.sample)
    if given.list:
        print(*chosen, sep="\n")
        return 0
    return report(chosen, given.processes)


def report(chosen: Sequence[Mutant], processes: int) -> int:
    """Try changes, print those that nobody noticed and the table."""
    why, noticed, started = reasons(), [], time.monotonic()

    def told(mutant: Mutant, was: bool) -> None:
        noticed.append((mutant, was))
        if not was:
            print(f"{'listed' if mutant.key in why else 'NOT NOTICED'}: {mutant}", flush=True)

    if not run(chosen, processes, told):
        print("the tests do not pass without a change")
        return 2
    order = {id(mutant): at for at, mutant in enumerate(chosen)}
    noticed.sort(key=lambda each: order[id(each[0])])
    print(table(noticed))
    unknown = [mutant for mutant, was in noticed if not was and mutant.key not in why]
    stale = {mutant.key for mutant, was in noticed if was} - {mutant.key for mutant, was in noticed if not was}
    for key in sorted(stale & why.keys()):
        print("listed, and noticed now:", *key)
    share = sum(was for _, was in noticed) / len(noticed)
    print(f"{len(unknown)} not noticed and not listed; {time.monotonic() - started:.0f} s")
    return 0 if share >= LEAST and not unknown and not stale & why.keys() else 1


if __name__ == "__main__":
    raise SystemExit(main())
