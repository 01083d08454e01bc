"""Private data are read in one place: no other file of the product mentions what reads them."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import sfumato

SOURCE = Path(sfumato.__file__).parent
FILES = {str(path.relative_to(SOURCE)): path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))}
READS = {"aggregate", "contingency"}
"""What an engine computes of private rows."""
THE_PLACE = "curator/charge.py"
_BY_NAME = {"getattr", "methodcaller", "attrgetter", "__getattribute__"}


def reading(text: str) -> Iterator[int]:
    """The lines on which something that reads is called, handed on or looked up by its name.

    A field of that name whose own fields are looked at, as `recipe.aggregate.root`, is none.
    """
    tree = ast.parse(text)
    looked_into = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in READS and id(node) not in looked_into:
            yield node.lineno
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            names = {each.value for each in node.args if isinstance(each, ast.Constant)}
            if called in _BY_NAME and names & READS:
                yield node.lineno


def test_only_the_charge_reads() -> None:
    found = {name for name, text in FILES.items() if list(reading(text))}
    assert {name for name in found if not name.startswith("engines/")} == {THE_PLACE}
    # the engines' own room has a lesson that looks whether a question fails, and keeps nothing of what is computed
    assert found - {THE_PLACE} == {"engines/duckdb/first_version.py"}


def test_the_charge_reads_once_and_between_entry_and_settlement() -> None:
    assert len(list(reading(FILES[THE_PLACE]))) == len(READS)
    tree = ast.parse(FILES[THE_PLACE])
    reader = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Reader")
    assert list(reading(ast.unparse(reader)))


@pytest.mark.parametrize(
    "twin",
    [
        "def exact(self, query): return self._engine.aggregate(query)",
        "read = engine.aggregate",
        "verbs = [partial(engine.contingency, workload)]",
        "type(engine).aggregate(engine, query)",
        "getattr(engine, 'aggregate')(query)",
        "methodcaller('contingency', workload)(engine)",
        "compute(lambda: curator._engine.aggregate(query).columns)",
    ],
)
def test_a_second_way_is_found_however_it_is_written(twin: str) -> None:
    assert list(reading(twin)), twin


def test_fields_of_that_name_are_not_taken_for_reading() -> None:
    assert not list(reading("n = 2 if recipe.aggregate.sample else 1\nraise refused('aggregate')"))


def test_nobody_but_the_charge_makes_a_reader_and_nobody_but_the_curator_holds_the_engine() -> None:
    made = {name for name, text in FILES.items() if "Reader(" in text and name.startswith(("curator/", "cli/"))}
    assert made == {THE_PLACE}
    held = {name for name, text in FILES.items() if "._engine" in text and name.startswith(("curator/", "cli/"))}
    assert held == {THE_PLACE, "curator/curator.py"}
