"""The theorem map has teeth: every row is broken in two ways at least, and its own test notices."""

import ast
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

from theorem_map import LEAST, PAGE, ROOT, ROWS, SCORE, Break, read_breaks, score_line
from theorem_mutants import CAUGHT, PASSED, run_here, tried

BY_NAME = {row.name: row for row in ROWS}
CHANGES = read_breaks()
SAMPLE = [change for change in CHANGES if change.sample]


def label(change: Break) -> str:
    return f"{change.row}: {change.why}"


def test_every_row_has_breaks_and_every_break_a_row_of_its_room() -> None:
    count = Counter(change.row for change in CHANGES)
    few = [row.name for row in ROWS if count[row.name] < LEAST]
    assert not few, f"rows with fewer than {LEAST} breaks: {few}"
    for change in CHANGES:
        assert change.row in BY_NAME, f"{change.row} is no row of docs/theorems.md"
        assert change.room == BY_NAME[change.row].room, f"{change.row} belongs into another file of breaks"
    assert len({(change.row, change.file, change.old, change.new) for change in CHANGES}) == len(CHANGES)


def test_a_break_applies_once_and_changes_a_quantity() -> None:
    """What is broken still parses, it is not a change of words alone, and it neither raises nor returns nothing."""
    assert CHANGES
    wrong = {label(change): fault for change in CHANGES if (fault := _fault(change))}
    assert not wrong, wrong


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("no such text", "2", "occurs 0 times"),
        ("mu * r * r / 3)", "mu * r * r / 3 )", "words alone"),
        ("mu * r * r / 3)", "mu * r * r / )", "does not parse"),
        ("    return _tail(", "    raise ValueError(", "made or deleted"),
    ],
)
def test_a_break_that_is_none_is_found(old: str, new: str, fault: str) -> None:
    path = ROOT / "src" / "sfumato" / "core" / "accuracy.py"
    where = old if old in ("no such text", "mu * r * r / 3)") else _first_line_with(path.read_text(), old)
    change = Break("a row", "core", "core/accuracy.py", where, where.replace(old, new) if where != old else new, "none")
    assert fault in (_fault(change) or "nothing")


def _first_line_with(text: str, part: str) -> str:
    """A line that has the part and occurs once."""
    return next(line for line in text.splitlines() if part in line and text.count(line) == 1)


def _fault(change: Break) -> str | None:
    """What is wrong with a break, or nothing."""
    text = (ROOT / "src" / "sfumato" / change.file).read_text()
    try:
        broken = change.broken(text)
    except LookupError as error:
        return str(error)
    before = _shape(text)
    try:
        after = _shape(broken)
    except SyntaxError:
        return "does not parse"
    if before.text == after.text:
        return "a change of words alone"
    return None if before.kinds == after.kinds else "a raise, return, assert, pass or definition is made or deleted"


@dataclass(frozen=True)
class Shape:
    """What a file says, and how often it raises, returns (also nothing) and defines."""

    text: str
    kinds: Counter[str]


@cache
def _shape(text: str) -> Shape:
    tree = ast.parse(text)
    kinds = (ast.Raise, ast.Assert, ast.FunctionDef, ast.ClassDef, ast.Pass, ast.Return)
    found = Counter(type(node).__name__ for node in ast.walk(tree) if isinstance(node, kinds))
    returns = [node.value for node in ast.walk(tree) if isinstance(node, ast.Return)]
    nothing = (value is None or (isinstance(value, ast.Constant) and value.value is None) for value in returns)
    return Shape(ast.dump(tree), found + Counter(nothing=sum(nothing)))


def test_the_page_states_the_score_of_the_breaks_there_are() -> None:
    assert SCORE.findall(PAGE.read_text()), "docs/theorems.md states no score"
    assert score_line(len(CHANGES), len(CHANGES), len(ROWS)) in PAGE.read_text(), "run make theorem-mutants"


def test_the_sample_is_spread_over_the_rooms() -> None:
    assert 8 <= len(SAMPLE) <= 12
    assert len({change.room for change in SAMPLE}) >= 5


@pytest.mark.slow
@pytest.mark.parametrize("change", SAMPLE, ids=label)
def test_a_sample_of_the_breaks_is_caught(change: Break) -> None:
    assert tried(change, BY_NAME[change.row].test).outcome.ended == CAUGHT


@pytest.mark.slow
def test_a_break_that_changes_nothing_raises_or_does_not_apply_is_no_catch() -> None:
    test = "tests/core/test_distribution.py::test_statistical_distance_is_the_largest_difference_over_events"
    sound = Break("a row", "core", "core/distribution.py", "Fraction(0)) / 2", "Fraction(0)) / 3", "a third")
    ends = {
        CAUGHT: sound,
        PASSED: replace(sound, new="Fraction(0, 1)) / 2"),
        "does not apply": replace(sound, old="nowhere"),
        "call raised ZeroDivisionError": replace(sound, new="Fraction(0)) / 0"),
        "pytest ended with": replace(sound, new="Fraction(0)) /"),
    }
    for end, change in ends.items():
        verdict = tried(change, test)
        assert verdict.outcome.ended.startswith(end) or "the process ended" in verdict.outcome.ended, verdict
        assert verdict.caught == (change is sound)


def test_a_test_that_would_not_see_the_copy_is_not_run(tmp_path: Path) -> None:
    with pytest.raises(ImportError, match="sfumato is imported from"):
        run_here(tmp_path, ["tests/core/test_accuracy.py::test_stirling_encloses_the_factorial"])
