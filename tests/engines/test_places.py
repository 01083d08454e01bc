"""Which file a path is: links, dots and several names of one file make no rows more, fewer, or of another file."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato
from neighbours import priced
from people import moved
from sfumato.data import declared, declared_source
from sfumato.engines import DuckDBEngine
from sfumato.engines.duckdb import registrar, sources
from sfumato.errors import InvalidDeclaration

FORMS = ("csv", "csv.gz", "parquet", "duckdb")


def about(source: Any, **table: Any) -> Any:
    return {
        "name": "places", "budget": {"epsilon": "1000", "delta": "0.5"}, "unit": {"rows": True},
        "tables": {"t": {"source": source, **table}},
    }  # fmt: skip


def rows(given: Any) -> int:
    made = DuckDBEngine(declared(given))
    try:
        return int(made.aggregate(priced(made, "SELECT COUNT(*) FROM t")).columns[0][0])
    finally:
        made.close()


def write(path: Path, number: int) -> Path:
    """A file with so many rows."""
    if path.name.endswith(".gz"):
        import gzip

        path.write_bytes(gzip.compress(b"id\n" + b"".join(b"%d\n" % i for i in range(number))))
    elif path.suffix == ".csv":
        path.write_bytes(b"id\n" + b"".join(b"%d\n" % i for i in range(number)))
    elif path.suffix == ".parquet":
        pq.write_table(pa.table({"id": pa.array(range(number), pa.int64())}), path)
    else:
        with duckdb.connect(str(path)) as connection:
            connection.execute(f"CREATE TABLE t AS SELECT i AS id FROM range({number}) r(i)")
    return path


# ---- one file under two names ----


@pytest.mark.parametrize("how", ["link", "hard", "folder", "dots"])
def test_a_file_that_is_listed_under_two_names_is_refused(how: str, tmp_path: Path) -> None:
    """Every row was there twice, and one row moved a count by two."""

    def two(number: int) -> Any:
        folder = tmp_path / f"{how}-{number}"
        (folder / "deep").mkdir(parents=True)
        one, other = write(folder / "deep" / "one.csv", number), folder / "deep" / "other.csv"
        if how == "link":
            other.symlink_to(one)
        elif how == "hard":
            os.link(one, other)
        elif how == "folder":
            (folder / "also").symlink_to(folder / "deep")
            other = folder / "also" / "one.csv"
        else:
            other = folder / "deep" / ".." / "deep" / "one.csv"
        return about([str(one), str(other)])

    with pytest.raises(InvalidDeclaration, match=r"lists a file twice|is listed under another name too") as refused:
        rows(two(5))
    assert refused.value.hint
    believed = mock.patch.object(declared_source, "place_of", str), mock.patch.object(registrar, "check_files")
    with believed[0], believed[1]:
        assert moved(two(1), two(0), ["SELECT COUNT(*) FROM t"]) != [], "the broken twin believes the names"


def test_files_with_the_same_rows_are_two_files(tmp_path: Path) -> None:
    assert rows(about([str(write(tmp_path / "a.csv", 3)), str(write(tmp_path / "b.csv", 3))])) == 6


# ---- links ----


@pytest.mark.parametrize("form", FORMS)
def test_a_link_is_the_file_that_it_leads_to(form: str, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "links").mkdir()
    real = write(tmp_path / "data" / f"real.{form}", 4)
    (tmp_path / "links" / f"whole.{form}").symlink_to(real)
    (tmp_path / "links" / f"short.{form}").symlink_to(f"../data/real.{form}")
    (tmp_path / "again").symlink_to(tmp_path / "links")
    for path in (f"links/whole.{form}", f"links/short.{form}", f"again/whole.{form}", f"again/../data/real.{form}"):
        assert rows(about(str(tmp_path / path))) == 4


def test_the_name_that_is_declared_says_whether_a_file_is_packed(tmp_path: Path) -> None:
    blob = write(tmp_path / "real.csv.gz", 4).rename(tmp_path / "blob")
    (tmp_path / "t.csv.gz").symlink_to(blob)
    assert rows(about(str(tmp_path / "t.csv.gz"))) == 4


@pytest.mark.parametrize("form", FORMS)
def test_a_folder_that_is_reached_by_a_link_is_that_folder(form: str, tmp_path: Path) -> None:
    """By the letters of its path `link/../t.csv` is another file than by the system: header and rows were of two."""
    deep = tmp_path / "real" / "deep"
    deep.mkdir(parents=True)
    (tmp_path / "link").symlink_to(deep)
    write(tmp_path / "real" / f"t.{form}", 4)
    write(tmp_path / f"t.{form}", 9)
    (deep / "c.toml").write_text(
        f'[budget]\nepsilon = "9"\n[unit]\nrows = true\n[tables.t]\nsource = "../t.{form}"\n', encoding="utf-8"
    )
    for path in (tmp_path / "link", deep, tmp_path / "link"):
        with sfumato.open(path / "c.toml") as curator:
            made = curator.curator._engine
            assert int(made.aggregate(priced(made, "SELECT COUNT(*) FROM t")).columns[0][0]) == 4  # type: ignore[arg-type]
    kept = list((deep / ".sfumato" / "c").glob("*.duckdb"))
    assert len(kept) == 1, "registered once, whatever it is called"


# ---- logs of a database ----


def _with_log(path: Path) -> None:
    code = (
        f"import duckdb, os; c = duckdb.connect({str(path)!r}); c.execute('CREATE TABLE t AS SELECT 1 AS id'); "
        "c.execute('CHECKPOINT'); c.execute(\"SET checkpoint_threshold='1GB'\"); "
        "c.execute('INSERT INTO t SELECT * FROM range(2000)'); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_hole_8_a_log_beside_another_name_of_a_database_is_not_overlooked(tmp_path: Path) -> None:
    """The log lies beside the name that the writer used: by a link two thousand rows were silently missing."""
    _with_log(tmp_path / "real.duckdb")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "link.duckdb").symlink_to(tmp_path / "real.duckdb")
    with pytest.raises(InvalidDeclaration, match=r"changes that are not written yet \(real.duckdb.wal\)"):
        rows(about(str(tmp_path / "other" / "link.duckdb")))
    os.link(tmp_path / "real.duckdb", tmp_path / "other" / "hard.duckdb")
    for path in ("other/hard.duckdb", "real.duckdb", "other/link.duckdb"):
        with pytest.raises(InvalidDeclaration, match="has 2 names, and a log may lie beside another") as refused:
            rows(about(str(tmp_path / path)))
        assert "copy" in refused.value.hint
    with mock.patch.object(sources, "_check_database"):
        assert rows(about(str(tmp_path / "other" / "hard.duckdb"))) == 1, "the broken twin"


@pytest.mark.parametrize("end", [".wal", ".wal.checkpoint", ".wal.recovery"])
def test_every_kind_of_log_beside_a_database_is_refused(end: str, tmp_path: Path) -> None:
    write(tmp_path / "t.duckdb", 3)
    (tmp_path / f"t.duckdb{end}").write_bytes(b"rows that are not in the file")
    with pytest.raises(InvalidDeclaration, match="has changes that are not written yet"):
        rows(about(str(tmp_path / "t.duckdb")))


# ---- names that no library can open, and folders that are not ours ----


@pytest.mark.parametrize("source", ["a\0.csv", "", "a\ud800.csv", "x" * 5000 + ".csv", ".", "/dev/null"])
def test_a_path_that_no_file_has_is_refused_in_words(source: str) -> None:
    for given in (source, [source]):
        with pytest.raises(InvalidDeclaration, match=r"is not a path|not UTF-8|there is no file") as refused:
            rows(about(given, format="csv"))
        assert refused.value.hint
        assert len(str(refused.value)) < 300


def _folder(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "t.csv", 3)
    path = folder / "c.toml"
    path.write_text('[budget]\nepsilon = "9"\n[unit]\nrows = true\n[tables.t]\nsource = "t.csv"\n', encoding="utf-8")
    return path


def test_a_folder_whose_name_is_not_text_is_refused_in_words(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    try:
        path = _folder(folder)
    except OSError:
        pytest.skip("the file system takes no such name")
    with pytest.raises(InvalidDeclaration, match="is a path that is not UTF-8") as refused:
        sfumato.open(path)
    assert refused.value.hint == "rename the file or the folder"


@pytest.mark.parametrize("form", ["csv", "parquet", "duckdb"])
def test_a_folder_with_a_sign_that_the_engine_takes_for_its_own_is_named(form: str, tmp_path: Path) -> None:
    path = _folder(tmp_path / "what?")
    write(tmp_path / f"u.{form}", 3).rename(path.parent / f"u.{form}")
    path.write_text(path.read_text(encoding="utf-8").replace("t.csv", f"u.{form}"), encoding="utf-8")
    with pytest.raises(InvalidDeclaration, match=r"has a \? in it, which the engine cannot open") as refused:
        sfumato.open(path)
    assert "rename" in refused.value.hint


def test_what_lies_in_our_folder_and_is_not_ours_is_left_or_named(tmp_path: Path) -> None:
    path = _folder(tmp_path)
    ours = tmp_path / ".sfumato" / "c"
    (ours / "mine.duckdb").mkdir(mode=0o700, parents=True)
    for folder in (ours.parent, ours):
        folder.chmod(0o700)
    sfumato.open(path).close()
    assert (ours / "mine.duckdb").is_dir()
    (ours / "lock").unlink()
    (tmp_path / "c.registration").unlink()
    for make in (lambda: (ours / "lock").symlink_to(tmp_path / "t.csv"), lambda: (ours / "lock").mkdir()):
        make()  # type: ignore[no-untyped-call]
        with pytest.raises(InvalidDeclaration, match="lock is not a file of ours") as refused:
            sfumato.open(path)
        assert refused.value.hint == "move it away"
        (ours / "lock").unlink() if (ours / "lock").is_symlink() else (ours / "lock").rmdir()
    sfumato.open(path).close()


def test_a_record_that_is_nested_without_end_is_no_record(tmp_path: Path) -> None:
    path = _folder(tmp_path)
    record = tmp_path / "c.registration"
    record.write_text("[" * 100_000, encoding="utf-8")
    record.chmod(0o600)
    with pytest.raises(InvalidDeclaration, match="is not the record of a registration"):
        sfumato.open(path)
