"""[engine]: the options of an engine in a table of their own; where they stood before is still read, and told."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from sfumato.cli import main
from sfumato.cli.command import Exit
from sfumato.data import EngineOptions, declared, read_declaration
from sfumato.engines import described
from sfumato.errors import InvalidDeclaration

BASE: dict[str, Any] = {
    "budget": {"epsilon": "3"}, "unit": {"rows": True}, "tables": {"t": {"source": "t.csv"}},
}  # fmt: skip
OLD = {"timeout": 60, "memory": "1GB", "threads": 2}
KEPT = Path(__file__).parents[1] / "kept" / "0.1" / "clinic"


def options(**top: Any) -> EngineOptions:
    return declared({**deepcopy(BASE), **top}).engine


def test_the_old_places_mean_what_the_new_ones_do() -> None:
    new = options(engine={"name": "duckdb", **OLD})
    assert new == EngineOptions("duckdb", 60.0, "1GB", 2)
    assert options(defaults=OLD) == EngineOptions("", 60.0, "1GB", 2)
    assert options(defaults={"threads": 2}, engine={"memory": "1GB"}) == EngineOptions("", 600.0, "1GB", 2)
    assert options() == EngineOptions() == EngineOptions("", 600.0, "", 0, "")


@pytest.mark.parametrize("name", OLD)
def test_one_option_at_both_places_is_refused_whatever_they_say(name: str) -> None:
    for other in (OLD[name], {"timeout": 5, "memory": "2GB", "threads": 3}[name]):
        with pytest.raises(InvalidDeclaration, match=rf"{name} stands in \[engine\] and in \[defaults\]") as refused:
            options(defaults={name: OLD[name]}, engine={name: other})
        assert refused.value.hint == f"leave it out of [defaults]: [engine] {name}"


@pytest.mark.parametrize(("entry", "words"), [
    ({"memory": "abc"}, "memory must be an amount"), ({"memory": "1KB"}, "memory must be 16MB or more"), ({"threads": 0.5}, "threads must be a whole number"),
    ({"timeout": "soon"}, "timeout must be a plain positive number"), ({"timeout": 10**9}, "timeout is over"),
])  # fmt: skip
def test_an_error_names_the_place_that_the_option_stands_at(entry: dict[str, Any], words: str) -> None:
    for place in ("engine", "defaults"):
        with pytest.raises(InvalidDeclaration, match=rf"\[{place}\] {words}") as refused:
            options(**{place: entry})
        assert refused.value.hint


@pytest.mark.parametrize(("entry", "words"), [
    ({"speed": 3}, "unknown entry `speed`"), ({"name": "oracle"}, "there is no engine 'oracle'"), ({"name": "DUCKDB"}, "there is no engine"),
    ({"name": ""}, "must be a word"), ({"name": "duck db"}, "must be a word"), ({"cache": 3}, "cache must be text"), ({"cache": ""}, "cache is not a path"),
    ({"cache": "x"}, "is for declarations that are files"), ([], "must be a table of names and values"),
])  # fmt: skip
def test_what_no_engine_knows_is_refused(entry: Any, words: str) -> None:
    with pytest.raises(InvalidDeclaration, match=words) as refused:
        described(declared({**BASE, "engine": entry}))
    assert refused.value.hint


def test_more_than_the_engine_can_have_is_told_by_the_new_place(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import duckdb

    (tmp_path / "t.csv").write_text("id\n1\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    real = duckdb.connect

    class Refusing:
        def __init__(self, *given: Any, **more: Any) -> None:
            self._real = real(*given, **more)

        def execute(self, text: str, *given: Any) -> Any:
            if "memory_limit" in text:
                raise duckdb.Error
            return self._real.execute(text, *given)

    monkeypatch.setattr(duckdb, "connect", Refusing)
    with pytest.raises(InvalidDeclaration, match=r"\[engine\] memory or threads are more than the engine can have"):
        described(declared({**BASE, "engine": {"memory": "1GB"}}))


def test_check_shows_the_lines_to_write_instead_and_they_mean_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.csv").write_text("id\n1\n", encoding="utf-8")
    path = tmp_path / "t.toml"
    rest = '[budget]\nepsilon = "3"\n[unit]\nrows = true\n[tables.t]\nsource = "t.csv"\n'
    path.write_text(
        f'{rest}[defaults]\nepsilon = "0.1"\ntimeout = 7.5\nmemory = "1GB"\nthreads = 2\n', encoding="utf-8"
    )
    assert main(["check", "-d", str(path)]) == Exit.DONE
    told = capsys.readouterr().err
    lines = told[told.index("[engine]") :].splitlines()[:4]
    assert lines == ["[engine]", "timeout = 7.5", 'memory = "1GB"', "threads = 2"]
    before = read_declaration(path)
    path.write_text("\n".join([rest, "[defaults]", 'epsilon = "0.1"', *lines]), encoding="utf-8")
    assert read_declaration(path) == before
    assert main(["check", "-d", str(path)]) == Exit.DONE
    assert "[engine]" not in capsys.readouterr().err


def test_declarations_of_the_first_version_are_read_with_their_options() -> None:
    made = read_declaration(KEPT / "clinic.toml")
    assert made.engine == EngineOptions("", 600.0, "4GB", 2)
    assert made.engine.old_lines == ("timeout = 600", 'memory = "4GB"', "threads = 2")
    assert read_declaration(KEPT / "readings.yaml").engine == EngineOptions()


def test_a_relation_is_checked_as_far_as_it_can_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.toml"
    text = '[budget]\nepsilon = "3"\n[unit]\nperson = "visits.id"\n[tables.visits]\nsource = "postgresql://grace@db.example/clinic"\n'
    path.write_text(f'{text}relation = "clinic.visits"\n', encoding="utf-8")
    assert main(["check", "-d", str(path)]) == Exit.REFUSED
    told = capsys.readouterr().err
    assert "visits: the relation clinic.visits of postgresql://db.example/clinic" in told
    assert "postgresql://db.example/clinic cannot be reached" in told
    assert "hint: is it running" in told
    assert "grace" not in told
    path.write_text(text.replace("visits.id", "users.id"), encoding="utf-8")
    assert main(["check", "-d", str(path)]) == Exit.REFUSED
    assert "names no private table" in capsys.readouterr().err, "what needs no engine is checked first"


def test_the_declaration_of_the_reference_is_one(tmp_path: Path) -> None:
    import tomllib

    text = (Path(__file__).parents[2] / "docs" / "sql.md").read_text(encoding="utf-8")
    given = tomllib.loads(text[text.index("```toml") + len("```toml") :].partition("```")[0])
    made = declared(given, folder=tmp_path)
    assert made.engine == EngineOptions("duckdb", 600.0, "4GB", 2, "/var/lib/clinic", copy=True)
    assert made.engine.old_lines == ()
