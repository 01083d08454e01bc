"""The program that changes the question's room: it changes what it says it does, and leaves words alone."""

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

import query_changes
from query_changes import MODULES, ROOM, Mutant, every, mutants, name_of, paths
from query_mutants import put_in_place, reasons
from sfumato.query.bounds import Bounds


def changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> list[str]:
    """The changes of a module with this text."""
    monkeypatch.setattr(query_changes, "ROOM", tmp_path)
    (tmp_path / "one.py").write_text(textwrap.dedent(text), encoding="utf-8")
    return [mutant.change for mutant in mutants(tmp_path / "one.py")]


@pytest.mark.parametrize(
    ("line", "made"),
    [
        ("return a < b", ["a < b -> a <= b", "a < b -> a >= b"]),
        ("return a is None", ["a is None -> a is not None"]),
        ("return a and b", ["a and b -> a or b", "a and b -> b", "a and b -> a"]),
        ("return not a", ["not a -> bool(a)"]),
        ("return a + 3", ["a + 3 -> a - 3", "3 -> 4"]),
        ("return max(a, 1)", ["max(a, 1) -> min(a, 1)", "1 -> 2", "1 -> 0"]),
        ("return sqrt_up(a)", ["sqrt_up(a) -> sqrt_down(a)"]),
        ("return True", ["True -> False"]),
        ("return a if b else c", ["a if b else c -> a", "a if b else c -> c"]),
        ("if a: return 0", ["a -> True", "a -> False", "0 -> 1"]),
        ("check(a)", ["check(a) -> nothing"]),
        ("return [a, b]", ["[a, b] -> [b]", "[a, b] -> [a]"]),
        ("return 'scan'", ["'scan' -> 'scan_'"]),
        ("return f'{a} AND {b} > 0'", ["' AND ' -> ' OR '", "' > 0' -> ' >= 0'", "' > 0' -> ' > 1'"]),
        ("return a.lower()", ["a.lower() -> a"]),
        ("raise refused('no' if a else 'yes', hint='2 < 1')", []),
        ("return refused('no')", []),
        ("assert a < 3", []),
        ("'a docstring, 1 < 2'", []),
    ],
)
def test_a_line_is_changed_in_every_way_that_is_known(
    line: str, made: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert changes(tmp_path, monkeypatch, f"def f(a: int | None, b, c):\n    {line}\n") == made


def test_a_method_is_exchanged_for_its_parents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
        class A:
            def one(self): return a
            @abstractmethod
            def two(self): ...
        class B(A):
            words = "some 1"
            def one(self): return b
            def two(self): return b
    """
    assert changes(tmp_path, monkeypatch, text) == ["def one -> nothing"]


def _noticed(mutant: Mutant, holds: Callable[[], bool]) -> bool:
    """Whether something no longer holds with a change made."""
    put_in_place(mutant)
    try:
        return not holds()
    finally:
        put_in_place(Mutant(mutant.module, "", 0, "", at_import=False, whole=mutant.whole))


def test_three_known_changes_are_noticed_and_one_that_makes_no_difference_is_not() -> None:
    def holds() -> bool:
        made = (Bounds(6).rows_in_group, Bounds(6, 3).rows_in_group, Bounds(6, 3).canonical())
        return made == (6, 3, [6, 3, None, 1, False, False])

    known = {(mutant.within, mutant.change): mutant for mutant in mutants(ROOM / "bounds.py")}
    asked = "self.total if self.rows is None else min(self.rows, self.total)"
    whole = "[self.total, self.rows, self.picked, self.keys, self.in_parts, self.cut]"
    killed = [("Bounds.rows_in_group", f"{asked} -> self.total"), ("Bounds.rows_in_group", "min(self.rows, self.total) -> max(self.rows, self.total)"),
              ("Bounds.canonical", f"{whole} -> {whole.replace('self.total, ', '')}")]  # fmt: skip
    unasked = ("Bounds.heaviest", "left - part -> left + part")
    assert [_noticed(known[each], holds) for each in (*killed, unasked)] == [True, True, True, False]
    assert holds()


def test_the_modules_that_are_changed_are_there() -> None:
    assert all(list(ROOM.glob(f"{name}.py")) for name in MODULES)
    assert {"price", "bounds", "measures/sum", "joins", "unions", "relations"} <= {name_of(path) for path in paths()}
    assert [name_of(path) for path in paths(["price"])] == ["price", "priced"]


def test_every_survivor_that_is_listed_is_a_change_and_has_a_reason() -> None:
    listed = reasons()
    known = {mutant.key for mutant in every(sorted({key[0] for key in listed}))}
    assert listed.keys() <= known
    assert all(len(why.split()) > 2 for why in listed.values())
