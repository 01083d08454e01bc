"""Private data are read in one place: no other file of the product mentions what reads them.

The owner reads the owner's own rows by another way, `profiled`: what it finds is exact, and is no release. So it must be
out of reach for whoever holds a session, a curator or an engine.
"""

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
OWNERS = {"profiled"}
"""What computes figures for the owner alone."""
OWNERS_PLACE, OWNERS_DOORS = "curator/profiling.py", {"__init__.py", "curator/__init__.py", "cli/profile.py"}
"""Where that is named outside of the engines, and who hands on or calls what is made of it."""
ANALYSTS = ("curator/session.py", "curator/curator.py", "curator/charge.py", "curator/asks.py", "curator/opening.py")
"""What an analyst's session is made of, and where it is opened."""
_BY_NAME = {"getattr", "methodcaller", "attrgetter", "__getattribute__"}


def reading(text: str, reads: set[str] = READS) -> Iterator[int]:
    """The lines on which something that reads is called, handed on or looked up by its name.

    A field of that name whose own fields are looked at, as `recipe.aggregate.root`, is none.
    """
    tree = ast.parse(text)
    looked_into = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in reads and id(node) not in looked_into:
            yield node.lineno
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            names = {each.value for each in node.args if isinstance(each, ast.Constant)}
            if called in _BY_NAME and names & reads:
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


# ---- the owner's way ----


def naming(text: str) -> Iterator[int]:
    """The lines on which the owner's way is imported, called, handed on or looked up: a name of it by itself is one."""
    yield from reading(text, OWNERS)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom | ast.Import) and any(each.name in OWNERS for each in node.names):
            yield node.lineno
        if isinstance(node, ast.Name) and node.id in OWNERS:
            yield node.lineno


def imported(name: str) -> set[str]:
    """The files of the product that a file imports, at its top or later: their packages are not counted with them."""
    found = set()
    for node in ast.walk(ast.parse(FILES[name])):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
        elif isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        else:
            continue
        paths = [each.removeprefix("sfumato.").replace(".", "/") + ".py" for each in names]
        found |= {path for path in paths if path in FILES}
    return found


def led_to(first: str) -> set[str]:
    """Every file that imports lead to from one."""
    found, ahead = set[str](), [first]
    while ahead:
        name = ahead.pop()
        if name not in found:
            found.add(name)
            ahead += imported(name)
    return found


def test_one_file_of_its_own_names_the_owners_way() -> None:
    named = {name for name, text in FILES.items() if list(naming(text)) and not name.startswith("engines/")}
    assert named == {OWNERS_PLACE}
    in_engines = {name for name, text in FILES.items() if list(naming(text)) and name.startswith("engines/")}
    assert in_engines == {"engines/__init__.py", "engines/registry.py", "engines/duckdb/__init__.py"}


def test_nothing_that_a_session_is_made_of_leads_to_it() -> None:
    for first in ANALYSTS:
        assert not {OWNERS_PLACE, "curator/profile_page.py", "cli/profile.py"} & led_to(first), first
    assert OWNERS_PLACE in led_to("cli/profile.py"), "imports are followed"
    users = {name for name in FILES if OWNERS_PLACE in imported(name)}
    assert users == {"curator/__init__.py", "curator/profile_page.py", "cli/profile.py"}


def test_only_the_doors_call_what_is_made_of_it() -> None:
    called = {name for name, text in FILES.items() if list(reading(text, {"profile"}))}
    assert called == {"cli/profile.py", "cli/demo.py"}, "as sfumato.profile, from the commands"
    assert {
        name for name in OWNERS_DOORS if '"profile"' in FILES[name] or "sfumato.profile(" in FILES[name]
    } == OWNERS_DOORS


@pytest.mark.parametrize(
    "twin",
    [
        "from sfumato.engines import profiled",
        "from sfumato.engines.duckdb.profiling import profiled as look",
        "found = engines.profiled(dataset)",
        "look = partial(engines.profiled, dataset)",
        "getattr(entry_for(dataset).load(), 'profiled')(dataset)",
        "verbs = {'figures': profiled}",
    ],
)
def test_a_second_door_to_the_owners_way_is_found(twin: str) -> None:
    assert list(naming(twin)), twin


def test_a_session_that_imported_it_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        FILES, "curator/pace.py", FILES["curator/pace.py"] + "\ndef f():\n    import sfumato.curator.profiling\n"
    )
    assert OWNERS_PLACE in led_to("curator/session.py")
