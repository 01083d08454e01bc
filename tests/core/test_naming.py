"""Names that are nearly right, libraries that are missing, and locks that are not there."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sfumato.core.libraries import LIBRARIES, library
from sfumato.core.locks import lock, try_lock
from sfumato.core.naming import did_you_mean, known_names
from sfumato.errors import MissingExtra


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("visit", ["visits", "patients"], "visits"),
        ("VISITS", ["visits", "patients"], "visits"),
        ("wrad", ["ward", "days"], "ward"),
        ("budgte", ["budget", "owner"], "budget"),
        ("rows_per_gruop", ["rows_per_group", "rows_per_person"], "rows_per_group"),
        ("Größse", ["Größe", "Gewicht"], "Größe"),
    ],
)
def test_a_slip_is_understood(name: str, known: list[str], meant: str) -> None:
    assert did_you_mean(name, known) == f"did you mean `{meant}`?"


@pytest.mark.parametrize("name", ["", "x", "kitchen", "ab" * 200, None, 7, b"visits"])
def test_what_is_not_near_or_no_name_is_not_guessed(name: object) -> None:
    assert did_you_mean(name, ["visits", "patients"]) == ""
    assert known_names(name, ["visits", "patients"]) == "known: visits, patients"


def test_a_long_list_is_cut_and_an_empty_one_is_said() -> None:
    told = known_names("n7x", [f"n{i}" for i in range(30)])
    assert told.endswith("n19, …")
    assert known_names("x", []) == "none are known"


@pytest.mark.parametrize("module", LIBRARIES)
def test_every_missing_library_is_one_form_of_error(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra) as caught:
        library(module, "this feature")
    name, extra = LIBRARIES[module]
    assert (
        str(caught.value)
        == f"this feature needs {name}, which is not installed\n\nhint: pip install 'sfumato[{extra}]'"
    )


def test_a_lock_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with path.open("w") as one, path.open("w") as other:
        lock(one.fileno())
        assert not try_lock(other.fileno())
    with path.open("w") as third:
        assert try_lock(third.fileno())


WITHOUT = "import sys; sys.modules['fcntl'] = None\n"


def without_locks(code: str, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", f"{WITHOUT}{code}", *words], capture_output=True, text=True, timeout=60, check=False
    )


def test_every_room_can_be_imported_where_there_are_no_locks() -> None:
    done = without_locks(
        "import sfumato\nfor room in sfumato.ROOMS: getattr(sfumato, room)\nprint('all', len(sfumato.ROOMS))"
    )
    assert (done.returncode, done.stdout.split()[:1]) == (0, ["all"]), done.stderr


CASES: dict[str, str] = {
    "an anchor file": "from sfumato.ledger import SqliteLedger; SqliteLedger(sys.argv[1] + '/a.ledger', anchor=sys.argv[1] + '/anchor')",
    "an engine": "from sfumato.engines.duckdb.workspace import Workspace; Workspace()",
}


@pytest.mark.parametrize("what", CASES)
def test_what_needs_a_lock_is_refused_where_there_are_none_and_not_done_without(what: str, tmp_path: Path) -> None:
    done = without_locks(CASES[what], str(tmp_path))
    assert done.returncode == 1
    assert "sfumato.errors.Unsupported: this system has no file locks" in done.stderr
    assert not (tmp_path / "anchor").exists()


def test_a_ledger_without_an_anchor_needs_no_such_lock(tmp_path: Path) -> None:
    code = (
        "from sfumato.ledger import SqliteLedger, Limits, Budget\n"
        "with SqliteLedger(sys.argv[1]) as ledger: print(ledger.anchor().split()[0])"
    )
    done = without_locks(code, str(tmp_path / "a.ledger"))
    assert (done.returncode, done.stdout) == (0, "sfumato-anchor-1\n"), done.stderr


def _yaml(folder: Path) -> object:
    from sfumato.data import read_declaration

    (folder / "clinic.yaml").write_text("name: clinic\n", encoding="utf-8")
    return read_declaration(folder / "clinic.yaml")


def _postgres(_: Path) -> object:
    from sfumato.ledger import PostgresLedger

    return PostgresLedger("postgresql://nowhere/x")


def _frame(_: Path) -> object:
    import polars

    import sfumato

    about = {"source": polars.DataFrame({"id": [1]})}
    return sfumato.register({"budget": {"epsilon": "1"}, "unit": {"rows": True}, "tables": {"t": about}})


DOORS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "yaml": ("yaml", _yaml),
    "psycopg": ("postgres", _postgres),
    "pyarrow": ("arrow", _frame),
}


@pytest.mark.parametrize("module", DOORS)
def test_the_door_that_needs_a_library_names_its_extra(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    extra, door = DOORS[module]
    if module == "pyarrow":  # polars looks for it once: it must not be now, when it seems to be missing
        import polars
        import pyarrow

        assert polars.from_arrow(pyarrow.table({"x": [1]})).shape == (1, 1)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(
        MissingExtra, match=rf"needs .*, which is not installed\n\nhint: pip install 'sfumato\[{extra}\]'"
    ):
        door(tmp_path)
