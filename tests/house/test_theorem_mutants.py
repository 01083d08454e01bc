"""The theorem map has teeth: every row is broken in two ways at least, and its own test notices."""

import ast
from collections import Counter
from dataclasses import replace
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


@pytest.mark.parametrize("change", CHANGES, ids=label)
def test_a_break_applies_once_and_changes_a_quantity(change: Break) -> None:
    """It parses, it is not a change of words alone, and it neither raises nor returns nothing."""
    text = (ROOT / "src" / "sfumato" / change.file).read_text()
    before, after = ast.parse(text), ast.parse(change.broken(text))
    assert ast.dump(before) != ast.dump(after)
    kinds = (ast.Raise, ast.Assert, ast.FunctionDef, ast.ClassDef, ast.Pass, ast.Return)
    for kind in kinds:
        assert _count(before, kind) == _count(after, kind), f"{kind.__name__} is made or deleted"
    assert _nothing_returned(before) == _nothing_returned(after)


def _count(tree: ast.AST, kind: type[ast.AST]) -> int:
    return sum(isinstance(node, kind) for node in ast.walk(tree))


def _nothing_returned(tree: ast.AST) -> int:
    returns = [node.value for node in ast.walk(tree) if isinstance(node, ast.Return)]
    return sum(value is None or (isinstance(value, ast.Constant) and value.value is None) for value in returns)


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
