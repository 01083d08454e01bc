"""The list of broken twins, tests/twins.txt: what is known to be caught, and by which test.

    python tests/twins.py            # what the tree has and the list has not, and the other way round
    python tests/twins.py --write    # write the list anew

A broken twin is code with one mistake, made to see that a test notices it. There are two sorts. The breaks of
tests/breaks belong to rows of docs/theorems.md, whose tests must catch them. The others stand inside of the tests
that catch them: such a test says so by its words. The list has a line for each, with the number of its cases, so
that a suite that is made faster is seen to catch what it caught before.
"""

import argparse
import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

from theorem_map import ROOT, ROWS, read_breaks

LIST = ROOT / "tests" / "twins.txt"
HEAD = "# What is caught, and by which test (written by tests/twins.py --write).\n"

SAYS_SO = re.compile(r"twin|broken|convict|forget|sabotage|would_have|would_be_|judged_as_they_are", re.IGNORECASE)
BY_NAME = re.compile(r"caught|noticed|convict|is_seen|is_found|found_out|_would_|blind|fail_the_self_check")


def in_breaks() -> list[str]:
    """One line for each break of a row: the row, what is broken, the test that must catch it."""
    tests = {row.name: row.test for row in ROWS}
    return sorted(f"break  {change.row}: {change.why}  {tests[change.row]}" for change in read_breaks())


def in_rooms() -> list[str]:
    """The tests that have broken twins of their own, as pytest names them."""
    return sorted(
        f"{path.relative_to(ROOT).as_posix()}::{name}"
        for path in (ROOT / "tests").rglob("test_*.py")
        if path.name != "test_twins.py"  # it reads the list
        for name in _named(path.read_text())
    )


def _named(text: str) -> Iterator[str]:
    """The tests of a file whose name or text speaks of a twin."""
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            own = "\n".join(lines[first - 1 : node.end_lineno])
            if SAYS_SO.search(own) or BY_NAME.search(node.name):
                yield node.name


def cases(tests: list[str]) -> Counter[str]:
    """How many cases of each of the tests `make test` runs."""
    files = sorted({test.split("::")[0] for test in tests})
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0", "-p", "no:cacheprovider"]
    counted = subprocess.run(
        [*command, "-m", "not torture", *files], cwd=ROOT, capture_output=True, text=True, check=False
    )
    named = [line.split("[")[0] for line in counted.stdout.splitlines() if "::" in line]
    wanted = set(tests)
    return Counter(name for name in named if name in wanted)


def listed() -> list[str]:
    """Every line of the list, as the tree has it now."""
    tests = in_rooms()
    count = cases(tests)
    return [f"twin   {test}  {count[test]}" for test in tests] + in_breaks()


def main() -> int:
    """Compare or write; 1 if the list and the tree differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the list anew")
    given = parser.parse_args()
    now = listed()
    if given.write:
        LIST.write_text(HEAD + "\n".join(now) + "\n")
    before = LIST.read_text().splitlines()[1:] if LIST.exists() else []
    for line in sorted(set(before) - set(now)):
        print(f"gone  {line}")
    for line in sorted(set(now) - set(before)):
        print(f"new   {line}")
    twins = sum(line.startswith("twin") for line in now)
    print(f"{twins} tests with twins of their own, {len(now) - twins} breaks of rows")
    return 0 if before == now else 1


if __name__ == "__main__":
    raise SystemExit(main())
