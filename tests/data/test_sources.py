"""Sources as values: files, memory and relations; what a folder or a pattern finds, and what an address never shows."""

import os
import pickle
import re
from copy import deepcopy
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import sfumato
from property_profile import examples
from sfumato.data import (
    CsvDialect,
    Dataset,
    File,
    Memory,
    RemoteTable,
    Table,
    declaration_json,
    declared,
    patterns,
    with_files,
)
from sfumato.engines import described
from sfumato.errors import InvalidDeclaration, SfumatoError

BASE: dict[str, Any] = {
    "budget": {"epsilon": "3"}, "unit": {"rows": True}, "tables": {"visits": {"source": "visits.parquet"}},
}  # fmt: skip
URL = "postgresql://grace@db.example:5432/clinic?sslmode=require"


def table_of(source: Any, folder: Path | None = None, **more: Any) -> Table:
    return declared({**BASE, "tables": {"visits": {"source": source, **more}}}, folder=folder).tables[0]


# ---- values ----


def test_a_source_is_a_file_memory_or_a_relation(tmp_path: Path) -> None:
    frame = object()
    assert table_of("a.csv", tmp_path, format="csv").source == File((str(tmp_path / "a.csv"),), "csv")
    assert table_of(["a.tsv", "b.tsv"], tmp_path).source == File(
        (str(tmp_path / "a.tsv"), str(tmp_path / "b.tsv")), dialect=CsvDialect(separator="\t")
    )
    assert table_of(frame).source == Memory(frame)
    assert table_of(URL, relation="clinic.visits").source == RemoteTable(URL, "clinic.visits")
    assert table_of("spark://cluster:7077").source == RemoteTable("spark://cluster:7077", "visits"), "by its own name"


def test_what_a_table_says_of_its_files_is_its_sources_word() -> None:
    csv = File(("a.csv",), "csv", CsvDialect(";"))
    assert (Table("t", csv).files, Table("t", csv).format, Table("t", csv).dialect) == (
        ("a.csv",),
        "csv",
        CsvDialect(";"),
    )
    for other in (Memory(3), RemoteTable(URL, "t")):
        assert (Table("t", other).files, Table("t", other).format, Table("t", other).dialect) == ((), "", CsvDialect())
    with pytest.raises(InvalidDeclaration, match="must be a File, Memory or RemoteTable: a dict") as refused:
        Table("t", {"secret": "cells"})  # type: ignore[arg-type]
    assert "File((" in refused.value.hint


def test_memory_is_shown_nowhere() -> None:
    class Frame:
        def __repr__(self) -> str:
            return "secret cells"

        def __eq__(self, other: object) -> bool:
            raise AssertionError("cells are not compared")

        __hash__ = None  # type: ignore[assignment]

    frame = Frame()
    table = table_of(frame)
    assert Memory(frame) == Memory(frame) != Memory(Frame())
    assert "secret" not in repr((table, table.source, table_of(Frame())))
    dataset = declared({**BASE, "tables": {"visits": {"source": frame}}})
    assert dataset.without_rows().tables[0].source == Memory()
    assert "secret" not in repr(declaration_json(dataset, {}, "0"))


def test_where_a_source_lies_is_no_part_of_what_is_asked_and_how_it_is_written_is() -> None:
    """Stored answers are served for equal questions: to another dialect, another question."""
    import pyarrow as pa

    from neighbours import priced
    from sfumato.engines import DuckDBEngine

    made = DuckDBEngine(declared({**BASE, "tables": {"visits": {"source": pa.table({"id": [1]})}}}))
    question = priced(made, "SELECT COUNT(*) FROM visits").question
    made.close()

    def asked(source: File) -> str:
        table = made.dataset.tables[0]
        return question.declared(Dataset("d", (Table(table.name, source, table.columns),), None, made.dataset.budget))

    plain = asked(File(("a.csv",)))
    assert plain == asked(File(("elsewhere/b.csv",)))
    assert len({plain, asked(File(("a.csv",), "csv")), asked(File(("a.csv",), "", CsvDialect(";")))}) == 3


# ---- addresses ----


@pytest.mark.parametrize("url", [
    URL, "postgresql://db/clinic", "postgresql:///clinic?host=/var/run/postgresql", "spark://h:7077", "postgresql://[::1]:5432/c",
    "postgresql://grace%40home@db/clinic%20two",
])  # fmt: skip
def test_an_address_is_read_and_never_shows_who_asks(url: str) -> None:
    source = table_of(url, relation="clinic.visits").source
    assert isinstance(source, RemoteTable)
    assert (source.url, source.parts, source.scheme) == (url, ("clinic", "visits"), url.split(":", maxsplit=1)[0])
    dataset = declared({**BASE, "tables": {"visits": {"source": url}}})
    for text in (repr(source), repr(dataset), source.place, repr(declaration_json(dataset, {}, "0")), f"{source}"):
        assert "grace" not in text
        assert "sslmode" not in text
        assert "@" not in text
    assert pickle.loads(pickle.dumps(source)) == source


@pytest.mark.parametrize("url", [
    "postgresql://grace:secret@db/clinic", "postgresql://grace:sec/ret@db/clinic", "postgresql://grace@x:secret@db/clinic", "postgresql://:secret@db",
    "postgresql://grace%3Asecret@db/clinic", "postgresql://grace%3asecret@db/clinic", "postgresql://db/clinic?password=secret",
    "postgresql://db/clinic?user=grace&PASSWORD=secret", "host=db password=secret", "jdbc:postgresql://grace:secret@db/clinic", "//grace:secret@db/clinic",
    "a.csv;PWD = secret", "spark://grace:secret@h:7077",
])  # fmt: skip
def test_a_password_is_refused_with_where_it_belongs_and_not_shown(url: str) -> None:
    for source in (url, [url]):
        with pytest.raises(InvalidDeclaration) as refused:
            table_of(source)
        assert "secret" not in str(refused.value)
        assert "grace:" not in str(refused.value)
        if source is url:
            assert "password" in refused.value.problem
            assert ".pgpass" in refused.value.hint


@pytest.mark.parametrize("url", [
    "postgresql:/grace:secret@db/clinic", "postgresql://", "POSTGRESQL://secret@db/x", "postgresql://secret@db/x#y", "postgresql://db:99999/secret",
    "postgresql://db:0/secret", "postgresql://secret@d b/x", "postgresql://db/sécret", "postgresql://secret\n@db/x", "postgresql://secret%zz@db/x",
    "postgresql://db/x?user=secret", "postgresql://db/x?passfile=/secret", "postgresql://a@secret@db/x", "://secret", "postgresql://" + "secret" * 500,
    "postgresql://db/x?options=-c%20secret", "postgresql://secret\u202e@db/x", "http:secret://x", "postgresql://db/secret\\x",
])  # fmt: skip
def test_an_address_that_is_not_well_written_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(InvalidDeclaration) as refused:
        table_of(url)
    assert "secret" not in str(refused.value)
    assert refused.value.hint


@pytest.mark.parametrize("relation", [
    "", ".", "a.", ".a", "a..b", "a.b.c.d", "a\0b", 'a"b', "a`b", "a'b", "a\\b", "x" * 129, " a", "a\n", "a\u202eb", "\ud800", 3, None, ["a"], {"a": 1}, True,
])  # fmt: skip
def test_a_relation_is_a_name_with_a_schema_or_none(relation: Any) -> None:
    with pytest.raises(InvalidDeclaration, match="relation") as refused:
        table_of(URL, relation=relation)
    assert refused.value.hint
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize(("url", "name"), [
    ("postgresql://grace:secret@db/x", "t"), ("postgresql://grace:se?cret@db/x", "t"), ("visits.parquet", "t"), (URL, "secret'; DROP"), (URL, ""),
])  # fmt: skip
def test_a_relation_that_is_made_in_python_is_checked_too(url: str, name: str) -> None:
    with pytest.raises(InvalidDeclaration) as refused:
        RemoteTable(url, name)
    assert refused.value.hint
    assert "grace" not in str(refused.value)


def test_what_is_said_of_files_is_not_said_of_relations_and_the_other_way_round() -> None:
    for entry, value in (("format", "csv"), ("dialect", {"separator": ";"})):
        with pytest.raises(InvalidDeclaration, match=f"has a {entry}, and its source is no file"):
            table_of(URL, **{entry: value})  # type: ignore[arg-type]
    for source in ("a.csv", ["a.csv"], object()):
        with pytest.raises(InvalidDeclaration, match="has a relation, and its source is no address"):
            table_of(source, relation="visits")


# ---- no engine reads them yet ----


@pytest.mark.parametrize("scheme", ["mysql", "s3", "https", "file"])
def test_an_address_that_no_engine_reads_is_one_clear_error_before_anything_is_written(
    scheme: str, tmp_path: Path
) -> None:
    path = tmp_path / "clinic.toml"
    path.write_text(
        f'[budget]\nepsilon = "3"\n[unit]\nrows = true\n[tables.visits]\nsource = "{scheme}://grace@db/x"\n',
        encoding="utf-8",
    )
    for act in (sfumato.open, sfumato.register):
        with pytest.raises(InvalidDeclaration, match=f"no engine reads {scheme}:// yet") as refused:
            act(path)
        assert "Parquet" in refused.value.hint
        assert "grace" not in str(refused.value)
    assert [each.name for each in tmp_path.iterdir()] == ["clinic.toml"], "caps are for ever: none was given"


@pytest.mark.parametrize(("first", "second"), [
    (URL, "a.parquet"), ("a.parquet", URL), (URL, "postgresql://grace@other/clinic"), (URL, "spark://h:7077"), (object(), URL),
])  # fmt: skip
def test_tables_in_two_places_are_refused_with_both_and_a_remedy(first: Any, second: Any) -> None:
    given_ = {**BASE, "tables": {"a": {"source": first}, "b": {"source": second}}}
    with pytest.raises(InvalidDeclaration, match=r"\[tables.a\] is in .* and \[tables.b\] in ") as refused:
        described(declared(given_))
    assert "one place" in refused.value.hint
    assert "grace" not in str(refused.value)


def test_a_future_engine_is_found_by_the_word_before_its_addresses() -> None:
    from sfumato.engines import registry

    known = (*registry.ENGINES, registry.EngineEntry("postgres", "sfumato.engines.duckdb", ("postgresql", "postgres")))
    with mock.patch.object(registry, "ENGINES", known):
        found = registry.entry_for(declared({**BASE, "tables": {"a": {"source": URL}, "b": {"source": URL}}}))
        assert found.name == "postgres"
        for source, name, words in ((URL, "duckdb", "duckdb does not read postgresql://"),
                                    ("a.csv", "postgres", "postgres does not read files")):  # fmt: skip
            with pytest.raises(InvalidDeclaration, match=words) as refused:
                registry.entry_for(
                    declared({**BASE, "engine": {"name": name}, "tables": {"visits": {"source": source}}})
                )
            assert "name = " in refused.value.hint


# ---- folders and patterns ----


def tree(folder: Path, *files: str) -> Path:
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"")
    return folder


def finds(folder: Path, pattern: str, **more: Any) -> list[str]:
    dataset = declared({**BASE, "tables": {"visits": {"source": pattern, **more}}}, folder=folder)
    return [os.path.relpath(path, folder) for path in with_files(dataset).tables[0].files]


FILES = (
    "a.parquet", "b.parquet", "B.parquet", "c.csv", "d.tsv", "notes", ".hidden.parquet", "_SUCCESS", "_half.parquet",
    "v/a.parquet", "v/b.pq", "v/c.csv", "v/README.md", "v/.x.parquet", "v/_x.parquet", "v/day=1/p.parquet", "v/day=2/p.parquet",
    "v/_tmp/p.parquet", "v/.git/p.parquet", "v/_day=3/p.parquet", "w/v/deep/z.parquet",
)  # fmt: skip


@pytest.mark.parametrize(("pattern", "more", "wanted"), [
    ("*.parquet", {}, ["B.parquet", "a.parquet", "b.parquet"]),
    ("[ab].parquet", {}, ["a.parquet", "b.parquet"]),
    ("?.parquet", {}, ["B.parquet", "a.parquet", "b.parquet"]),
    ("[!a].parquet", {}, ["B.parquet", "b.parquet"]),
    ("v/", {}, ["v/_day=3/p.parquet", "v/a.parquet", "v/b.pq", "v/day=1/p.parquet", "v/day=2/p.parquet"]),
    ("./v/", {}, ["v/_day=3/p.parquet", "v/a.parquet", "v/b.pq", "v/day=1/p.parquet", "v/day=2/p.parquet"]),
    ("v/", {"format": "csv"}, ["v/c.csv"]),
    ("v/*", {}, ["v/README.md", "v/a.parquet", "v/b.pq", "v/c.csv"]),
    ("v/*/*.parquet", {}, ["v/_day=3/p.parquet", "v/day=1/p.parquet", "v/day=2/p.parquet"]),
    ("**/p.parquet", {}, ["v/_day=3/p.parquet", "v/day=1/p.parquet", "v/day=2/p.parquet"]),
    ("**/v/**/z.parquet", {}, ["w/v/deep/z.parquet"]),
    ("w/**", {}, ["w/v/deep/z.parquet"]),
    ("_*.parquet", {}, ["_half.parquet"]),
    (".*.parquet", {}, [".hidden.parquet"]),
    ("v/_tmp/*.parquet", {}, ["v/_tmp/p.parquet"]),
    ("w/../v/*.pq", {}, ["v/b.pq"]),
    ("[vw]/", {}, ["v/_day=3/p.parquet", "v/a.parquet", "v/b.pq", "v/day=1/p.parquet", "v/day=2/p.parquet", "w/v/deep/z.parquet"]),
])  # fmt: skip
def test_a_folder_or_a_pattern_finds_files_by_their_names_in_one_order(
    pattern: str, more: dict[str, Any], wanted: list[str], tmp_path: Path
) -> None:
    found = finds(tree(tmp_path, *FILES), pattern, **more)
    assert [os.path.normpath(each) for each in found] == wanted


def test_the_folder_of_a_declaration_is_no_part_of_the_pattern(tmp_path: Path) -> None:
    folder = tree(tmp_path / "old [1] *", "a.parquet", "v/b.parquet")
    tree(tmp_path / "old 1 x", "c.parquet")
    assert finds(folder, "*.parquet") == ["a.parquet"]
    assert finds(folder, "v/") == ["v/b.parquet"]
    assert finds(folder, f"{tmp_path}/old 1*/*.parquet") == ["../old 1 x/c.parquet"], "what is declared is a pattern"


def test_a_name_with_signs_that_a_file_or_a_folder_has_is_a_name(tmp_path: Path) -> None:
    tree(tmp_path, "a[1].parquet", "a1.parquet", "v*/x.parquet", "vv/y.parquet")
    for name in ("a[1].parquet", "v*/x.parquet"):
        source = table_of(name, tmp_path).source
        assert isinstance(source, File)
        assert (source.paths, source.pattern) == ((str(tmp_path / name),), "")
    assert finds(tmp_path, "v*/") == ["v*/x.parquet"]
    os.remove(tmp_path / "a[1].parquet")
    assert finds(tmp_path, "a[1].parquet") == ["a1.parquet"]


@pytest.mark.parametrize(("pattern", "words"), [
    ("nothing/", "finds no file"), ("*.pq", "finds no file"), ("empty/", "finds no file"), ("*/../x.parquet", "a .. behind a sign"),
    ("a.parquet/*", "finds no file"), ("x" * 300 + "/*.parquet", "cannot be read"),
])  # fmt: skip
def test_a_pattern_that_finds_nothing_is_refused(pattern: str, words: str, tmp_path: Path) -> None:
    (tree(tmp_path, "a.parquet", ".hidden.pq") / "empty").mkdir()
    with pytest.raises(InvalidDeclaration, match=re.escape(words)) as refused:
        finds(tmp_path, pattern)
    assert refused.value.hint


def test_more_files_than_can_be_asked_quickly_are_refused(tmp_path: Path) -> None:
    tree(tmp_path, *(f"{i}.parquet" for i in range(5)))
    with mock.patch.object(patterns, "MOST_FILES", 4), pytest.raises(InvalidDeclaration, match="more than 4 files"):
        finds(tmp_path, "*.parquet")


def test_databases_are_named_one_by_one(tmp_path: Path) -> None:
    for pattern in ("v/", "*.db"):
        with pytest.raises(InvalidDeclaration, match="a folder or a pattern of databases"):
            table_of(pattern, tmp_path, format="duckdb")


def test_a_folder_that_cannot_be_read_is_not_passed_over(tmp_path: Path) -> None:
    tree(tmp_path, "v/a.parquet", "v/locked/b.parquet")
    real = os.scandir

    def locked(path: Any) -> Any:
        if str(path).endswith("locked"):
            raise PermissionError
        return real(path)

    with mock.patch.object(os, "scandir", locked), pytest.raises(InvalidDeclaration, match="cannot be read"):
        finds(tmp_path, "v/")


def test_links_inside_a_folder_are_followed_and_out_of_it_only_by_name(tmp_path: Path) -> None:
    tree(tmp_path, "v/a.parquet", "v/sub/b.parquet", "other/c.parquet")
    (tmp_path / "v" / "loop").symlink_to(tmp_path / "v")
    (tmp_path / "v" / "itself.pq").symlink_to(tmp_path / "v" / "itself.pq")
    (tmp_path / "v" / "d.parquet").symlink_to(tmp_path / "v" / "sub" / "b.parquet")
    assert finds(tmp_path, "v/") == ["v/a.parquet", "v/d.parquet", "v/itself.pq", "v/sub/b.parquet"]
    (tmp_path / "link").symlink_to(tmp_path / "other")
    assert finds(tmp_path, "link/*.parquet") == ["link/c.parquet"], "what the owner names is followed"
    (tmp_path / "v" / "gone.parquet").symlink_to(tmp_path / "v" / "nowhere")
    assert "v/gone.parquet" in finds(tmp_path, "v/"), "what leads nowhere is refused when it is opened, not left out"
    with pytest.raises(InvalidDeclaration, match="there is no file"):
        described(declared({**BASE, "tables": {"visits": {"source": f"{tmp_path}/v/"}}}))
    (tmp_path / "v" / "gone.parquet").unlink()
    (tmp_path / "v" / "notes.txt").symlink_to(tmp_path / "other" / "c.parquet")
    assert "v/a.parquet" in finds(tmp_path, "v/"), "what is not read may lead anywhere"
    (tmp_path / "v" / "far").symlink_to(tmp_path / "other")
    for pattern in ("v/*/*.parquet", "v/fa?/*.parquet"):
        with pytest.raises(InvalidDeclaration, match="leads out of its folder"):
            finds(tmp_path, pattern)


def test_a_deep_folder_ends_no_walk(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    deep = iter(range(5000))

    def entries(self: Any, folder: str) -> list[os.DirEntry[str]]:
        return list(os.scandir(tmp_path)) if next(deep, None) is not None else []

    with (
        mock.patch.object(patterns._Walk, "_entries", entries),
        pytest.raises(InvalidDeclaration, match="finds no file"),
    ):
        finds(tmp_path, "**/*.parquet")


PARTS = st.sampled_from(["a", "b", "ab", "_a", ".a", "_a=1", "*", "a*", "?", "[ab]", "**", "*b"])
NAMES = st.sampled_from(["a", "b", "ab", "_a", ".a", "_a=1"])


def _oracle(names: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """What a pattern means, written anew: without sets of places, without a walk."""
    if not parts:
        return not names
    hidden = bool(names) and (names[0][0] == "." or (names[0][0] == "_" and "=" not in names[0]))
    if parts[0] == "**":
        last = len(parts) == 1 and len(names) == 1 and not hidden
        return last or _oracle(names, parts[1:]) or (bool(names) and not hidden and _oracle(names[1:], parts))
    if not names:
        return False
    signs = "".join({"*": ".*", "?": "."}.get(sign, sign) for sign in parts[0])
    fits = re.fullmatch(signs, names[0]) is not None and (not hidden or parts[0][0] == names[0][0])
    return fits and _oracle(names[1:], parts[1:])


@examples(80)
@given(
    st.lists(st.lists(NAMES, min_size=1, max_size=4), min_size=1, max_size=6), st.lists(PARTS, min_size=1, max_size=4)
)
def test_every_pattern_finds_what_its_meaning_says(files: list[list[str]], parts: list[str]) -> None:
    import tempfile

    if not any(sign in part for part in parts for sign in "*?["):
        return
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for names in files:
            if not any((folder / "/".join(names[: i + 1])).is_file() for i in range(len(names) - 1)):
                (folder / "/".join(names)).parent.mkdir(parents=True, exist_ok=True)
                if not (folder / "/".join(names)).exists():
                    (folder / "/".join(names)).write_bytes(b"")
        there = [path.relative_to(folder).parts for path in folder.rglob("*") if path.is_file()]
        # what stands before the first sign is a name that the owner spells
        plain = next(i for i, part in enumerate(parts) if any(sign in part for sign in "*?["))
        wanted = sorted(
            "/".join(names)
            for names in there
            if list(names[:plain]) == parts[:plain] and _oracle(tuple(names[plain:]), tuple(parts[plain:]))
        )
        try:
            found = finds(folder, "/".join(parts))
        except InvalidDeclaration:
            found = []
        assert found == wanted


# ---- hostile entries ----

HOSTILE: list[Any] = [
    None, True, -1, 10**400, 0.5, float("nan"), b"x", object(), {}, {"a": 1}, [], [1], [[]], [None], ["a.csv", 3], "", " ", "\0", "a\0b", "\ud800", "\x1b[2J",
    "\u202ea.csv", "x" * 5000, "x/" * 3000, "*" * 3000, "**/" * 500, "[" * 500, "[!]", "[]]", "*?[", "x/../" * 900 + "*", "./", "~", ".", "..", "a/../*",
    "postgresql://", "postgresql://" + "a" * 3000, "postgresql://grace:pw@h/x", "x://\ud800", "x://\0", "://", "a:/b", "é://h", "postgresql://h/%", "spark://h?x",
    "?", "#", "%00", "a\nb", "\t", "postgresql://[::1", "postgresql://[zz]/x", "postgresql://h:x/", ("a.csv",), ["a", "a"], ["*"], ["x/"],
    ["postgresql://grace:pw@h/x"], "duckdb", "DuckDB", "duckdb\n", 10**6, "1e9", "-1", "4GB", "nanGB", {"name": "duckdb"}, set(), Exception("pw"),
]  # fmt: skip
PLACES = [("tables", "visits", "source"), ("tables", "visits", "relation"), ("tables", "visits", "format"), ("tables", "visits", "dialect"), ("engine",),
          *(("engine", name) for name in ("name", "timeout", "memory", "threads", "cache", "nothing"))]  # fmt: skip


@pytest.mark.parametrize("source", ["visits.parquet", "*.parquet", URL])
@pytest.mark.parametrize("path", PLACES, ids=".".join)
def test_whatever_stands_at_a_source_a_relation_or_the_engine_is_taken_or_refused_in_words(
    path: tuple[str, ...], source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in (None, tmp_path) if path[-1] in ("source", "cache") else (tmp_path,):
        for odd in HOSTILE:
            given_ = deepcopy({**BASE, "engine": {"threads": 1}})
            at: Any = given_
            for name in path[:-1]:
                at = at[name]
            given_["tables"]["visits"]["source"] = source
            at[path[-1]] = odd
            with pytest.raises(SfumatoError) as refused:  # there is no such file, and no engine of that address
                described(declared(given_, folder=folder))
            assert refused.value.hint, odd
            assert len(str(refused.value)) < 700
            assert "pw" not in str(refused.value)


@examples(40)
@given(st.text(max_size=40), st.sampled_from(["", "postgresql://", "v/", "*"]))
def test_any_text_is_a_source_or_is_refused_in_words(text: str, before: str) -> None:
    assume("/" not in text and ".." not in text)  # else it may be a folder of this machine
    for entry in ({"source": before + text}, {"source": URL, "relation": text}):
        with pytest.raises(SfumatoError) as refused:
            described(declared({**BASE, "tables": {"visits": entry}}, folder=Path("/nonexistent")))
        assert refused.value.hint


@pytest.mark.parametrize("source", ["postgresql:ada:s3cr3t@db/x", "postgresql:\\\\ada:s3cr3t@db", "pg:s3cr3t:x@y"])
def test_an_address_without_its_slashes_shows_no_password(source: str) -> None:
    """It is taken for a file, and an error would name the file."""
    with pytest.raises(InvalidDeclaration) as refused:
        described(declared({**BASE, "tables": {"visits": {"source": source}}}))
    assert "s3cr3t" not in str(refused.value)
    assert refused.value.hint
