"""Folders and patterns of files are fixed at registration: no file comes, goes or changes without the owner's word."""

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato
from neighbours import priced
from people import moved
from sfumato.cli import main
from sfumato.cli.command import Exit
from sfumato.data import declared, read_declaration
from sfumato.engines import DuckDBEngine
from sfumato.engines.duckdb import opening, registrar
from sfumato.engines.registration import FORM, Registration
from sfumato.errors import InvalidDeclaration

TEXT = 'name = "clinic"\n[budget]\nepsilon = "100"\n[unit]\nperson = "visits.id"\n[tables.visits]\nsource = "{source}"\n{more}\n'
WAYS = ("visits/", "visits/*.parquet", "visits/**/*.parquet", "v*/[a-z].parquet")


def part(folder: Path, name: str, *ids: int) -> Path:
    path = folder / "visits" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".csv":
        path.write_text("id\n" + "".join(f"{each}\n" for each in ids), encoding="utf-8")
    else:
        pq.write_table(pa.table({"id": pa.array(ids, pa.int64())}), path)
    return path


def clinic(folder: Path, source: str = "visits/", more: str = "") -> Path:
    path = folder / "clinic.toml"
    path.write_text(TEXT.format(source=source, more=more), encoding="utf-8")
    return path


def people(path: Path) -> int:
    """How many rows, each another person, questions meet."""
    made = DuckDBEngine(read_declaration(path))
    try:
        return int(made.aggregate(priced(made, "SELECT COUNT(*) FROM visits")).columns[0][0])
    finally:
        made.close()


def record(path: Path) -> Registration:
    found = Registration.read(path.with_suffix(".registration"))
    assert found is not None
    return found


def names(path: Path) -> list[str]:
    parts = record(path).tables["visits"].parts
    return [os.path.relpath(part.source.path, path.parent / "visits") for part in parts if part.source is not None]


# ---- what is found, and what is written down ----


@pytest.mark.parametrize("source", WAYS)
def test_the_files_of_a_folder_or_a_pattern_are_found_at_registration_and_written_down(
    source: str, tmp_path: Path
) -> None:
    part(tmp_path, "b.parquet", 1, 2), part(tmp_path, "a.parquet", 3)
    for hidden in (".c.parquet", "_d.parquet", "_SUCCESS"):
        part(tmp_path, hidden, 9)
    path = clinic(tmp_path, source)
    sfumato.register(path)
    assert names(path) == ["a.parquet", "b.parquet"]
    assert people(path) == 3
    given = json.loads((tmp_path / "clinic.registration").read_text(encoding="utf-8"))
    assert given["form"] == FORM == 3
    listed = [each["source"]["path"] for each in given["tables"]["visits"]["parts"]]
    assert listed == ["visits/a.parquet", "visits/b.parquet"]


def test_folders_of_partitions_give_rows_and_no_columns(tmp_path: Path) -> None:
    part(tmp_path, "day=2026-01-01/p.parquet", 1, 2), part(tmp_path, "day=2026-01-02/p.parquet", 3)
    path = clinic(tmp_path)
    with sfumato.open(path) as curator:
        assert [column.name for column in curator.curator._engine.dataset.tables[0].columns] == ["id"]
    assert people(path) == 3


def test_separated_values_too(tmp_path: Path) -> None:
    part(tmp_path, "a.csv", 1, 2), part(tmp_path, "b.csv", 3), part(tmp_path, "c.parquet", 4)
    for source, more in (("visits/*.csv", ""), ("visits/", 'format = "csv"')):
        path = clinic(tmp_path, source, more)
        sfumato.register(path)
        assert (names(path), people(path)) == (["a.csv", "b.csv"], 3)
    with pytest.raises(InvalidDeclaration, match="files of several kinds"):
        sfumato.register(clinic(tmp_path, "visits/*"))


def test_files_of_other_columns_are_refused(tmp_path: Path) -> None:
    part(tmp_path, "a.parquet", 1)
    pq.write_table(pa.table({"id": [1], "x": [2]}), tmp_path / "visits" / "b.parquet")
    with pytest.raises(InvalidDeclaration, match=r"b.parquet has other columns than a.parquet"):
        sfumato.register(clinic(tmp_path))


@pytest.mark.parametrize("how", ["link", "hard"])
def test_a_file_that_a_pattern_finds_under_two_names_is_refused(how: str, tmp_path: Path) -> None:
    one = part(tmp_path, "a.parquet", 1)
    (os.link if how == "hard" else os.symlink)(one, one.with_name("b.parquet"))
    with pytest.raises(InvalidDeclaration, match="is listed under another name too"):
        sfumato.register(clinic(tmp_path))

    def two(number: int) -> Any:
        folder = tmp_path / f"{number}"
        made = part(folder, "a.parquet", *range(number))
        os.link(made, made.with_name("b.parquet"))
        return {"name": "d", "budget": {"epsilon": "9"}, "unit": {"rows": True}, "tables": {"visits": {"source": f"{folder}/visits/"}}}  # fmt: skip

    with mock.patch.object(registrar, "check_files"):
        assert moved(two(1), two(0), ["SELECT COUNT(*) FROM visits"]) != [], "the broken twin believes the names"


def test_a_folder_is_written_with_a_slash(tmp_path: Path) -> None:
    part(tmp_path, "a.parquet", 1)
    with pytest.raises(InvalidDeclaration, match="there is no file") as refused:
        sfumato.open(clinic(tmp_path, "visits"))
    assert "with a slash" in refused.value.hint


def test_what_a_dictionary_declares_is_found_at_every_opening(tmp_path: Path) -> None:
    part(tmp_path, "a.parquet", 1, 2)
    given = {"name": "d", "budget": {"epsilon": "9"}, "unit": {"rows": True}, "tables": {"visits": {"source": f"{tmp_path}/visits/"}}}  # fmt: skip
    found = []
    for name in ("b.parquet", "c.parquet"):
        made = DuckDBEngine(declared(given))
        found.append((int(made.aggregate(priced(made, "SELECT COUNT(*) FROM visits")).columns[0][0]), made.version()))
        made.close()
        part(tmp_path, name, 7)
    assert [rows for rows, _ in found] == [2, 3]
    assert found[0][1] != found[1][1], "and other files are another version"


# ---- afterwards nothing changes in silence ----


def _comes(folder: Path) -> None:
    part(folder, "aa.parquet", 77)


def _goes(folder: Path) -> None:
    (folder / "visits" / "a.parquet").unlink()


def _changes(folder: Path) -> None:
    part(folder, "a.parquet", 55, 56)


def _is_renamed(folder: Path) -> None:
    (folder / "visits" / "a.parquet").rename(folder / "visits" / "z.parquet")


def _all_go(folder: Path) -> None:
    for path in (folder / "visits").iterdir():
        path.unlink()


CHANGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "comes": (_comes, "source finds files that were not registered"),
    "goes": (_goes, "source finds other files than were registered"),
    "changes": (_changes, "a file of its source is not what was registered"),
    "is renamed": (_is_renamed, "source finds other files than were registered"),
    "all go": (_all_go, "finds no file"),
}  # fmt: skip


def refused_until_registered(folder: Path, change: Callable[[Path], None], words: str) -> None:
    """The owner and everybody else are refused, questions stay what they were, and the remedy works."""
    part(folder, "a.parquet", 1, 2), part(folder, "m.parquet", 3)
    path = clinic(folder)
    sfumato.register(path)
    before = (folder / "clinic.registration").read_bytes()
    change(folder)
    for owner in (True, False):
        with mock.patch.object(opening, "owns", return_value=owner), pytest.raises(InvalidDeclaration) as refused:
            sfumato.open(path).close()
        assert words in refused.value.problem
        assert refused.value.hint
        assert not [name for name in ("a.parquet", "aa.parquet", "z.parquet", "77") if name in str(refused.value)]
    assert (folder / "clinic.registration").read_bytes() == before


@pytest.mark.parametrize("name", CHANGES)
def test_a_file_that_comes_goes_or_changes_is_refused_until_the_owner_registers(name: str, tmp_path: Path) -> None:
    change, words = CHANGES[name]
    refused_until_registered(tmp_path, change, words)
    if name == "all go":
        part(tmp_path, "n.parquet", 8)
    sfumato.register(tmp_path / "clinic.toml")
    assert people(tmp_path / "clinic.toml") == {"comes": 4, "goes": 1, "changes": 3, "is renamed": 3, "all go": 1}[name]


@pytest.mark.parametrize("name", ["comes", "goes", "changes", "is renamed"])
def test_a_pattern_that_is_looked_at_anew_by_every_opening_is_caught(name: str, tmp_path: Path) -> None:
    """The broken twin: whatever is found now is registered and asked, without a word."""
    change, words = CHANGES[name]
    with (
        mock.patch.object(opening, "_check_sources"),
        mock.patch.object(opening, "_unchanged", return_value=None),
        pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"),
    ):
        refused_until_registered(tmp_path, change, words)
    assert people(tmp_path / "clinic.toml") == {"comes": 4, "goes": 1, "changes": 3, "is renamed": 3}[name]


def test_a_pattern_that_is_not_looked_at_again_is_caught(tmp_path: Path) -> None:
    """Another broken twin: files that come are never told, and the owner believes that they are asked."""
    with (
        mock.patch.object(opening, "_check_found"),
        mock.patch.object(opening, "same_sources", return_value=True),
        pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"),
    ):
        refused_until_registered(tmp_path, *CHANGES["comes"])


def test_hidden_files_come_and_go_as_they_like(tmp_path: Path) -> None:
    part(tmp_path, "a.parquet", 1)
    path = clinic(tmp_path)
    sfumato.register(path)
    for name in ("_SUCCESS", ".a.parquet.crc", "_temporary/x.parquet", "notes.txt", ".sfumato/x.parquet"):
        part(tmp_path, name, 9)
    assert people(path) == 1


def test_a_file_that_takes_the_patterns_own_name_is_refused(tmp_path: Path) -> None:
    part(tmp_path, "a.parquet", 1)
    path = clinic(tmp_path, "visits/*.parquet")
    sfumato.register(path)
    part(tmp_path, "*.parquet", 1, 2)
    with pytest.raises(InvalidDeclaration, match="names other sources than were registered"):
        sfumato.open(path)


def test_a_folder_that_is_moved_is_the_same(tmp_path: Path) -> None:
    part(tmp_path / "here", "a.parquet", 1), part(tmp_path / "here", "b.parquet", 2)
    sfumato.register(clinic(tmp_path / "here"))
    os.rename(tmp_path / "here", tmp_path / "there")
    with mock.patch.object(registrar.Registrar, "register", side_effect=AssertionError):
        assert people(tmp_path / "there" / "clinic.toml") == 2


# ---- only what is new ----


@pytest.mark.parametrize("new", ["0.parquet", "b.parquet", "z.parquet", "day=1/p.parquet"])
def test_files_that_come_anywhere_in_the_order_are_appended_and_are_what_they_would_be(
    new: str, tmp_path: Path
) -> None:
    part(tmp_path, "a.parquet", 1, 2), part(tmp_path, "m.parquet", 3)
    path = clinic(tmp_path)
    sfumato.register(path)
    before = record(path)
    part(tmp_path, new, 4)
    with mock.patch.object(registrar.Registrar, "_part", autospec=True, side_effect=registrar.Registrar._part) as read:
        assert main(["register", str(path), "--append"]) == Exit.DONE
    assert [Path(call.args[3]).name for call in read.call_args_list] == [Path(new).name], (
        "the others are not read again"
    )
    appended = record(path)
    assert names(path) == sorted(["a.parquet", "m.parquet", new])
    assert people(path) == 4
    assert appended.data_version() != before.data_version()
    sfumato.register(path)
    assert record(path).data_version() == appended.data_version(), (
        "however it came about, the same files are one version"
    )


@pytest.mark.parametrize("name", ["goes", "changes", "is renamed"])
def test_what_was_registered_is_not_appended_to_when_it_is_not_there_any_more(name: str, tmp_path: Path) -> None:
    part(tmp_path, "a.parquet", 1, 2), part(tmp_path, "m.parquet", 3)
    path = clinic(tmp_path)
    sfumato.register(path)
    before = (tmp_path / "clinic.registration").read_bytes()
    CHANGES[name][0](tmp_path)
    _comes(tmp_path)
    with pytest.raises(InvalidDeclaration, match=r"no longer finds|is not what was registered") as refused:
        sfumato.register(path, append=True)
    assert "without append=True" in refused.value.hint
    assert (tmp_path / "clinic.registration").read_bytes() == before


def test_a_list_still_goes_on_where_it_ended(tmp_path: Path) -> None:
    part(tmp_path, "a.parquet", 1), part(tmp_path, "b.parquet", 2)
    path = tmp_path / "clinic.toml"
    for source in ('["visits/b.parquet"]', '["visits/a.parquet", "visits/b.parquet"]'):
        path.write_text(TEXT.format(source="@", more="").replace('"@"', source), encoding="utf-8")
        if source.count(",") == 0:
            sfumato.register(path)
    with pytest.raises(InvalidDeclaration, match="does not begin with the files that were registered"):
        sfumato.register(path, append=True)


# ---- the ledger, and older records ----


def test_the_ledger_keeps_the_pattern_and_no_name_that_it_finds(tmp_path: Path) -> None:
    part(tmp_path, "user=grace/p.parquet", 1)
    path = clinic(tmp_path, f"{tmp_path}/visits/**/*.parquet")
    sfumato.open(path).close()
    with sfumato.ledger.SqliteLedger(path.with_suffix(".ledger")) as ledger:
        (entry,) = [each.body for each in ledger.entries() if each.body["kind"] == "declare"]
    assert entry["declaration"]["tables"]["visits"]["source"] == {"pattern": "visits/**/*.parquet"}
    assert "grace" not in json.dumps(entry)
    assert str(tmp_path) not in json.dumps(entry)


def test_a_record_of_the_form_before_is_registered_anew_by_the_owner_alone(tmp_path: Path) -> None:
    part(tmp_path, "a.parquet", 1)
    path = clinic(tmp_path, "visits/a.parquet")
    sfumato.register(path)
    file = tmp_path / "clinic.registration"
    given = json.loads(file.read_text(encoding="utf-8"))
    for column in given["tables"]["visits"]["columns"]:
        del column["inexact"]
    file.write_text(json.dumps({**given, "form": 2}), encoding="utf-8")
    with (
        mock.patch.object(opening, "owns", return_value=False),
        pytest.raises(InvalidDeclaration, match="not registered"),
    ):
        sfumato.open(path)
    assert people(path) == 1
    assert json.loads(file.read_text(encoding="utf-8"))["form"] == FORM


# ---- [engine] cache ----


def kept(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.duckdb"))


def test_copies_are_kept_where_the_owner_says_and_those_kept_before_go(tmp_path: Path) -> None:
    part(tmp_path / "here", "a.parquet", 1, 2)
    (tmp_path / "cache").mkdir(mode=0o755)
    path = clinic(tmp_path / "here")
    sfumato.register(path)
    assert len(kept(tmp_path / "here" / ".sfumato")) == 1
    clinic(tmp_path / "here", more='[engine]\ncache = "../cache"')
    with (
        mock.patch.object(opening, "owns", return_value=False),
        pytest.raises(InvalidDeclaration, match="changed since"),
    ):
        sfumato.open(path)
    assert people(path) == 2, "the owner's next opening registers it there"
    assert kept(tmp_path / "here" / ".sfumato") == [], "no copy is left behind"
    (copy,) = kept(tmp_path / "cache")
    modes = [stat.S_IMODE(each.stat().st_mode) for each in (copy, copy.parent, copy.parent.parent)]
    assert modes == [0o600, 0o700, 0o700]
    assert copy.parent.parent == tmp_path / "cache" / ".sfumato"
    with mock.patch.object(registrar.Registrar, "register", side_effect=AssertionError):
        assert people(path) == 2
    clinic(tmp_path / "here")
    assert people(path) == 2
    assert (len(kept(tmp_path / "here" / ".sfumato")), kept(tmp_path / "cache")) == (1, [])


def test_two_declarations_of_one_name_share_a_cache_and_no_copy(tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    for name, ids in (("one", (1, 2)), ("two", (3,))):
        part(tmp_path / name, "a.parquet", *ids)
        sfumato.register(clinic(tmp_path / name, more='[engine]\ncache = "../c"'))
    with mock.patch.object(registrar.Registrar, "register", side_effect=AssertionError):
        assert [people(tmp_path / name / "clinic.toml") for name in ("one", "two", "one")] == [2, 1, 2]
    assert len(kept(tmp_path / "c")) == 2


def test_no_file_of_the_owners_is_removed_from_a_cache(tmp_path: Path) -> None:
    """Copies are swept by their place: a folder of the owner's own is never that place."""
    part(tmp_path, "a.parquet", 1)
    mine = tmp_path / "clinic"
    mine.mkdir(mode=0o700)
    (mine / "t-0123456789abcdef.duckdb").write_bytes(b"mine")
    path = clinic(tmp_path, more='[engine]\ncache = "."')
    for _ in range(2):
        sfumato.register(path)
        sfumato.open(path).close()
    assert (mine / "t-0123456789abcdef.duckdb").read_bytes() == b"mine"


@pytest.mark.parametrize("place", ["mine/t-0123456789abcdef.duckdb", ".sfumato/other/notes.duckdb"])
def test_a_record_that_names_somebodys_files_removes_none(place: str, tmp_path: Path) -> None:
    part(tmp_path, "a.parquet", 1)
    path = clinic(tmp_path)
    sfumato.register(path)
    file = tmp_path / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.parent.chmod(0o700)
    file.write_bytes(b"mine")
    given = json.loads((tmp_path / "clinic.registration").read_text(encoding="utf-8"))
    given["tables"]["visits"]["parts"][0]["kept"]["path"] = place
    (tmp_path / "clinic.registration").write_text(json.dumps(given), encoding="utf-8")
    sfumato.register(path)
    assert file.read_bytes() == b"mine"


@pytest.mark.parametrize("how", ["link", "open to others", "file"])
def test_a_cache_that_is_not_private_is_refused_and_not_changed(how: str, tmp_path: Path) -> None:
    part(tmp_path, "a.parquet", 1)
    (tmp_path / "cache").mkdir(mode=0o700)
    ours = tmp_path / "cache" / ".sfumato"
    if how == "link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        ours.symlink_to(tmp_path / "elsewhere")
    elif how == "file":
        ours.write_bytes(b"")
    else:
        ours.mkdir(mode=0o755)
        ours.chmod(0o755)
    with pytest.raises(InvalidDeclaration, match=r"is not a folder|can be opened by others") as refused:
        sfumato.register(clinic(tmp_path, more='[engine]\ncache = "cache"'))
    assert refused.value.hint
    assert kept(tmp_path) == []


def test_a_cache_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    part(tmp_path, "a.parquet", 1)
    with pytest.raises(InvalidDeclaration, match="cannot be made") as refused:
        sfumato.register(clinic(tmp_path, more='[engine]\ncache = "no/such/folder"'))
    assert refused.value.hint


@pytest.mark.parametrize("pattern", ["in/", "in/*.parquet", "in/**/*.parquet", "in/*/*.parquet"])
def test_a_link_out_of_the_folder_is_refused(tmp_path: Path, pattern: str) -> None:
    """Whoever may write into a folder must not have rows of other folders registered by its owner."""
    for folder in ("in/sub", "out"):
        (tmp_path / folder).mkdir(parents=True)
        pq.write_table(pa.table({"id": [1, 2]}), tmp_path / folder / "a.parquet")
    pq.write_table(pa.table({"id": [3]}), tmp_path / "in" / "b.parquet")
    (tmp_path / "clinic.toml").write_text(
        f'[budget]\nepsilon = "1"\n[unit]\nrows = true\n[tables.t]\nsource = "{pattern}"\n', encoding="utf-8"
    )
    sfumato.open(tmp_path / "clinic.toml").close()
    link = tmp_path / "in" / ("far" if "*/" in pattern else "far.parquet")
    link.symlink_to(tmp_path / "out" / ("" if "*/" in pattern else "a.parquet"))
    if pattern == "in/**/*.parquet":
        link.unlink()
        (tmp_path / "in" / "far.parquet").symlink_to(tmp_path / "out" / "a.parquet")
    with pytest.raises(InvalidDeclaration, match="leads out of its folder") as refused:
        sfumato.register(tmp_path / "clinic.toml")
    assert refused.value.hint
