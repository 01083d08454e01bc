"""Registration: what is not a cell is fixed by the owner, once; one line or row more changes nothing but itself."""

import json
import os
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

import sfumato
import whole_rows
from neighbours import priced
from people import moved, write
from property_profile import examples
from sfumato.data import declared, read_declaration
from sfumato.engines import DuckDBEngine, registration
from sfumato.engines.duckdb import frames, lines, records, registrar, sources
from sfumato.engines.duckdb.registrar import Registrar
from sfumato.engines.duckdb.workspace import Workspace, sweep
from sfumato.errors import EngineFailed, InvalidDeclaration
from sfumato.query import plan as query_plan
from sfumato.query.question import Question

PLAIN: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck)}
COLUMNS = {"id": {"type": "integer"}, "note": {"type": "text"}, "amount": {"lower": 0, "upper": 10}}


def about(source: Any, columns: Any = None, **table: Any) -> Any:
    shown = COLUMNS if columns is None else columns
    return {
        "name": "registered", "budget": {"epsilon": "1000", "delta": "0.5"}, "unit": {"rows": True},
        "tables": {"t": {"source": source, "columns": shown, **table}},
    }  # fmt: skip


def opened(source: Any, columns: Any = None, **table: Any) -> DuckDBEngine:
    return DuckDBEngine(declared(about(source, columns, **table)))


def rows_of(made: DuckDBEngine) -> Counter[str]:
    """Every row, as a question would read it."""
    return Counter(map(repr, made._connection.execute('SELECT * FROM "t"').fetchall()))


def registered(source: Any, columns: Any = None, **table: Any) -> tuple[Any, Counter[str]] | None:
    """The schema and the rows of a source; None if the whole registration is refused."""
    try:
        made = opened(source, columns, **table)
    except InvalidDeclaration:
        return None
    try:
        return made.dataset.tables[0].columns, rows_of(made)
    finally:
        made.close()


def changed_only_itself(before: Any, after: Any) -> bool:
    """Whether a row more left everything else as it was, or the whole was refused."""
    if after is None:
        return True
    schema, rows = after
    return bool(schema == before[0] and not before[1] - rows and (rows - before[1]).total() <= 1)


# ---- the property: CSV ----

FIELDS = ["1", "x", "", '"', '""', '"a"b', 'a"b', '"a\nb"', '"a\r\nb"', "a,b", '"a,b"', "\r", "é", "\0", "1.5", "NULL",
          "\\N", "#", ";", "\t", "'", '"a""b"', " ", '"unclosed', "2020-13-45", "column3", "\ufeff", "a|b"]  # fmt: skip
LINES = [b"1,2,3,4", b"1", b"", b"\r", b'100000,"a"b,1', b"1,note with, a comma,1", b"1,\xff\xfe,1", b"1,a,1\r", b"id,note,amount",
         b'"1","a","1"', b'1,"a\nb",1', b'1,"a,1', b"1,a,1" + b"9" * 30_000, b"#1,a,1", b"1;a;1", b"1\ta\t1",
         b"\xef\xbb\xbf1,a,1", b'"\xef\xbb\xbf1",a,1', b"\xff\xfe1,a,1"]  # fmt: skip


def good(number: int) -> list[bytes]:
    return [b'%d,"note, %d",%d' % (i, i, i % 11) for i in range(number)]


@examples(30, **PLAIN)
@given(
    st.one_of(
        st.sampled_from(LINES),
        st.lists(st.sampled_from(FIELDS), min_size=1, max_size=4).map(lambda fields: ",".join(fields).encode()),
        st.binary(max_size=12),
    ),
    st.sampled_from((0, 1, 7, 40)),
    st.sampled_from((b"\n", b"\r\n")),
    st.integers(0, 40),
    st.sampled_from((1, 16, 2**24)),
)
@example(b'100000,"a"b,1', 40, b"\n", 20, 2**24)
@example(b"3,a note with, a comma,1", 40, b"\n", 2, 2**24)
def test_one_line_more_changes_nothing_but_itself(line: bytes, number: int, end: bytes, at: int, chunk: int) -> None:
    there = good(number)
    if b"\n" in line.replace(b"\r\n", b"") and b'"' not in line:
        line = line.replace(b"\n", b" ")  # one line, not two
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.object(lines.Lines.__init__, "__kwdefaults__", {"chunk": chunk}),
    ):
        one, other = Path(folder) / "one.csv", Path(folder) / "other.csv"
        head = [b"id,note,amount"]
        one.write_bytes(end.join([*head, *there, b""]))
        other.write_bytes(end.join([*head, *there[:at], line, *there[at:], b""]))
        before = registered(str(one))
        assert before is not None
        assert before[1].total() == number
        assert changed_only_itself(before, registered(str(other)))


MARKED = "\ufeffx"


def _marked(folder: Path, lines_: list[str]) -> Any:
    path = folder / f"{len(list(folder.iterdir()))}.csv"
    path.write_text("note,id\n" + "".join(f"{line}\n" for line in lines_), encoding="utf-8")
    return {**about(str(path), {"id": {"type": "integer"}}), "unit": {"person": "t.id"}}


def _bare(records_: Any, file: Path, width: int, dialect: Any) -> None:
    """The broken twin: what stands first in the file that the engine reads is somebody's record."""
    file.write_bytes(records_.content)


@pytest.mark.parametrize("chunk", [8, 64, 2**24])
def test_a_line_that_begins_with_a_mark_of_the_byte_order_is_the_same_wherever_it_stands(
    chunk: int, tmp_path: Path
) -> None:
    """One line more at the top, or a border of what is read at once, changed the first cell of the next one."""
    asked = [f"SELECT COUNT(*) FROM t WHERE note = '{MARKED}'"]
    people_ = [f"{MARKED},{i}" for i in range(1, 30)]
    here, there = _marked(tmp_path, [f'"{MARKED}",0', *people_]), _marked(tmp_path, people_)
    with mock.patch.object(lines.Lines.__init__, "__kwdefaults__", {"chunk": chunk}):
        assert moved(here, there, asked) == []
        real, agree = records.reader_of, mock.patch.object(registrar, "agrees", return_value=True)
        without_header = mock.patch.object(
            registrar, "reader_of", lambda *given_: real(*given_).replace("header=true", "header=false")
        )
        with mock.patch.object(registrar, "write_records", _bare), without_header:
            with pytest.raises(InvalidDeclaration, match="could not be read record by record"):
                moved(here, there, asked)
            if chunk > 64:
                with agree:
                    assert moved(here, there, asked) != []


def test_the_name_of_a_folder_is_no_column(tmp_path: Path) -> None:
    """A reader takes `id=7` in a path for a column, in place of the file's own."""
    for name in ("id=7", "other=7", "a[1]"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "t.csv").write_text("id,note\n1,a\n2,b\n", encoding="utf-8")
        pq.write_table(pa.table({"id": ["1", "2"], "note": ["a", "b"]}), folder / "t.parquet")
        with mock.patch.object(tempfile, "tempdir", str(folder)):
            for file in ("t.csv", "t.parquet"):
                found = registered(str(folder / file), {})
                assert found is not None
                assert found[1] == Counter(["('1', 'a')", "('2', 'b')"])


def _sniffed(self: Registrar, table: Any, path: str, readings: Any) -> Any:
    """The reader of version 0.1: it guesses the dialect from the lines and leaves out what does not fit."""
    from sfumato.engines.registration import FileState, Part

    text = f"read_csv('{path}', all_varchar=true, header=true, null_padding=true, ignore_errors=true)"
    with self._making(table, readings, 0) as making:
        making.add(text)
        kept = making.keep()
    return Part(FileState.of(path), kept, 0)


@pytest.mark.parametrize("line", [b'100000,"a"b,1', b'"', b'3,"a"",1'])
def test_a_reader_that_guesses_is_seen(line: bytes, tmp_path: Path) -> None:
    """One stray quote, and every other line is cut in another way."""
    there = good(40)
    (tmp_path / "one.csv").write_bytes(b"\n".join([b"id,note,amount", *there, b""]))
    (tmp_path / "other.csv").write_bytes(b"\n".join([b"id,note,amount", *there[:20], line, *there[20:], b""]))
    with mock.patch.object(Registrar, "_of_lines", _sniffed), mock.patch.object(sources, "_of_lines", _header_alone):
        before = registered(str(tmp_path / "one.csv"))
        after = registered(str(tmp_path / "other.csv"))
        assert not changed_only_itself(before, after)
    assert registered(str(tmp_path / "other.csv")) is None


def _header_alone(table: Any) -> Any:
    return [sources.SourceColumn(name, "VARCHAR", sources.Kind.TEXT, loose=True) for name in ("id", "note", "amount")]  # type: ignore[attr-defined]


# ---- the property: rows that have types ----

CELLS: dict[str, tuple[Any, list[Any]]] = {
    "id": (pa.int64(), [None, 0, -1, 2**63 - 1]),
    "note": (pa.string(), [None, "", "abc", "é", "a\0b", "x" * 5000, "7"]),
    "amount": (pa.float64(), [None, float("nan"), float("inf"), 3.5, 1e300]),
    "day": (pa.date32(), [None, 0, 2**31 - 1, -(2**31), 20_000]),
    "seen": (pa.timestamp("ms"), [None, 0, 2**62, -(2**63) + 5, 10**12]),
    "raw": (pa.binary(), [None, b"abc", b"\xff\xfe"]),
}


def _arrow(rows: list[dict[str, Any]]) -> pa.Table:
    made = {}
    for name, (kind, _) in CELLS.items():
        whole = pa.int32() if kind == pa.date32() else pa.int64() if pa.types.is_timestamp(kind) else kind
        column = pa.array([row[name] for row in rows], whole)
        made[name] = column.view(kind) if whole != kind else column
    text = made["raw"]
    made["raw"] = pa.StringArray.from_buffers(len(text), text.buffers()[1], text.buffers()[2], text.buffers()[0])
    return pa.table(made)


@examples(15, **PLAIN)
@given(
    st.lists(
        st.fixed_dictionaries({name: st.sampled_from(cells[:2]) for name, (_, cells) in CELLS.items()}), max_size=5
    ),
    st.fixed_dictionaries({name: st.sampled_from(cells) for name, (_, cells) in CELLS.items()}),
    st.sampled_from(("arrow", "parquet", "duckdb")),
    st.sampled_from(("refuse", "null")),
)
def test_one_row_more_changes_nothing_but_itself(rows: list[Any], more: Any, form: str, unreadable: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for i, given_ in enumerate((rows, [*rows, more])):
            table = _arrow(given_)
            source: Any = table
            path = Path(folder) / f"{i}.{form}"
            if form == "parquet":
                pq.write_table(table, path)
                source = str(path)
            elif form == "duckdb":
                with duckdb.connect(str(path)) as connection:
                    connection.register("given", table)
                    try:
                        connection.execute("CREATE TABLE t AS SELECT * FROM given")
                    except duckdb.Error:
                        return  # such a file cannot be
                source = str(path)
            found.append(registered(source, {}, unreadable=unreadable))
        if found[0] is None:
            assert found[1] is None
        else:
            assert changed_only_itself(*found)
            assert unreadable == "refuse" or found[1] is not None


ODD = [1, 2.5, None, "x", "", np.nan, True, b"\xff", "\ud800", pd.NaT, 2**70, pd.Timestamp("2026-01-01"), [1], "7"]


@examples(25, **PLAIN)
@given(
    st.lists(st.sampled_from([1, 2, 3, 2**53 + 1, -(2**60) - 1]), max_size=4),
    st.sampled_from(ODD),
    st.sampled_from(({}, {"v": {"type": "integer"}}, {"v": {"type": "text"}}, {"v": {"lower": 0, "upper": 9}})),
)
@example([1, 2, 3], None, {})
@example([1, 2, 3], "x", {})
@example([2**53 + 1], None, {"v": {"type": "integer"}})
@example([1], 2.5, {"v": {"type": "text"}})
def test_one_cell_more_changes_no_kind_of_a_frame(cells: list[int], odd: Any, columns: Any) -> None:
    before = registered(pd.DataFrame({"v": cells}, dtype="int64"), columns)
    if before is None:
        assert columns in ({}, {"v": {"type": "text"}}), "its type is not certain; as text it looks as pandas keeps it"
        return
    after = registered(pd.DataFrame({"v": [*cells, odd]}), columns)
    assert changed_only_itself(before, after)


def test_a_kind_that_rows_decide_is_seen() -> None:
    """A missing cell turns int64 into float64; the broken twin takes the type for the owner's word."""
    whole, one_missing = pd.DataFrame({"v": [1, 2, 3]}), pd.DataFrame({"v": [1, 2, None]})
    for frame in (whole, one_missing):
        with pytest.raises(InvalidDeclaration, match="cells decide the type of `v`") as refused:
            opened(frame, {})
        assert "v = { type = " in refused.value.hint
    for kind in ("integer", "real"):
        columns = {"v": {"type": kind}}
        assert registered(whole, columns)[0] == registered(one_missing, columns)[0]  # type: ignore[index]
    with mock.patch.object(frames.GivenTable, "_certainty", return_value="firm"):
        assert registered(whole, {})[0] != registered(one_missing, {})[0]  # type: ignore[index]


# ---- hole by hole ----


def test_hole_1_a_cell_too_many_makes_no_column(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id,note,amount\n1,a,1\n2,b,2,3\n", encoding="utf-8")
    with pytest.raises(InvalidDeclaration, match="line 3: 4 fields, and the header has 3"):
        opened(str(tmp_path / "t.csv"))


@pytest.mark.parametrize("form", ["arrow", "parquet"])
@pytest.mark.parametrize(("column", "cell"), [("seen", 2**62), ("raw", b"\xff\xfe"), ("day", 2**31 - 1)])
def test_hole_2_cells_that_readers_cannot_read_are_counted_and_refused_or_null(
    form: str, column: str, cell: Any, tmp_path: Path
) -> None:
    plain = {name: cells[1] for name, (_, cells) in CELLS.items()}
    table = _arrow([plain, {**plain, column: cell}, {**plain, column: cell}, plain])
    pq.write_table(table, tmp_path / "t.parquet")
    source = table if form == "arrow" else str(tmp_path / "t.parquet")
    with pytest.raises(InvalidDeclaration, match=f"2 of `{column}`") as refused:
        opened(source, {})
    assert 'unreadable = "null"' in refused.value.hint
    made = opened(source, {}, unreadable="null")
    try:
        for text in ("SELECT COUNT(*) FROM t", f"SELECT COUNT({column}) FROM t", "SELECT COUNT(*) FROM t WHERE raw LIKE '%a%'",
                     "SELECT COUNT(*) FROM t WHERE seen < '2030-01-01'", "SELECT COUNT(DISTINCT raw) FROM t"):  # fmt: skip
            made.aggregate(priced(made, text))
        assert int(made.aggregate(priced(made, f"SELECT COUNT({column}) FROM t")).columns[0][0]) == 2
        assert made._opened.registration.tables["t"].lost(column) == 2
    finally:
        made.close()


def test_hole_2_an_engine_that_ended_itself_is_opened_anew() -> None:
    made = opened(pa.table({"id": [1, 2], "note": ["a", "b"], "amount": [1.0, 2.0]}))
    query = priced(made, "SELECT COUNT(*) FROM t")
    try:
        made._connection.close()
        with pytest.raises(EngineFailed):
            made.aggregate(query)
        assert int(made.aggregate(query).columns[0][0]) == 2
        with pytest.raises(duckdb.Error):
            made._connection.execute("SET lock_configuration=false")
        with mock.patch.object(DuckDBEngine, "_renew"):
            made._connection.close()
            for _ in range(2):
                with pytest.raises(EngineFailed):
                    made.aggregate(query)
    finally:
        made.close()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE base AS SELECT i AS id, 'n' || i AS note, i % 10 AS amount FROM range(50) r(i)"
        )
        connection.execute("CREATE VIEW failing AS SELECT id, CAST(note AS INTEGER) AS amount, note FROM base")
        connection.execute("CREATE VIEW moving AS SELECT id, note, amount - min(amount) OVER () AS amount FROM base")
        connection.execute("CREATE TABLE computed (id INTEGER, note VARCHAR, amount INTEGER AS (id + 1))")
        connection.execute("CREATE TABLE folded (id INTEGER, note VARCHAR COLLATE NOCASE, amount INTEGER)")
        connection.execute("INSERT INTO folded VALUES (1, 'a', 1), (2, 'A', 1)")
    return tmp_path / "t.duckdb"


@pytest.mark.parametrize(("name", "words"), [
    ("failing", "is a view there, and a view computes"), ("moving", "is a view there"), ("computed", "column `amount` is computed"),
    ("nothing", "is no table there"),
])  # fmt: skip
def test_hole_3_only_base_tables_are_tables(name: str, words: str, database: Path) -> None:
    about_it = about(str(database))
    about_it["tables"] = {name: about_it["tables"]["t"]}
    with pytest.raises(InvalidDeclaration, match=words) as refused:
        DuckDBEngine(declared(about_it))
    assert refused.value.hint


def test_a_table_is_the_one_that_the_engine_takes_its_name_for(tmp_path: Path) -> None:
    """Tables `Ä` and `ä` are two there, and the columns of both were taken for one table's."""
    path = tmp_path / "t.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute('CREATE TABLE "Ä" AS SELECT 1 AS id')
        connection.execute('CREATE TABLE "ä" AS SELECT 2 AS other')
        connection.execute("CREATE TABLE Plain AS SELECT 3 AS id")
    for name, columns in (("Ä", ["id"]), ("ä", ["other"]), ("plain", ["id"])):
        about_it = about(str(path), {})
        about_it["tables"] = {name: about_it["tables"]["t"]}
        made = DuckDBEngine(declared(about_it))
        assert [column.name for column in made.dataset.tables[0].columns] == columns
        made.close()


def test_a_collation_of_the_source_is_not_taken_over(database: Path) -> None:
    about_it = about(str(database), {})
    about_it["tables"] = {"folded": about_it["tables"]["t"]}
    made = DuckDBEngine(declared(about_it))
    try:
        assert int(made.aggregate(priced(made, "SELECT COUNT(DISTINCT note) FROM folded")).columns[0][0]) == 2
        assert int(made.aggregate(priced(made, "SELECT COUNT(*) FROM folded WHERE note = 'a'")).columns[0][0]) == 1
    finally:
        made.close()


def test_hole_4_an_object_column_needs_a_declared_type() -> None:
    for cells in ([1, 2, 3], [1, 2, "x"], ["a", "b", "c"]):
        frame = pd.DataFrame({"v": pd.Series(cells, dtype=object)})
        with pytest.raises(InvalidDeclaration, match="cells decide the type of `v`") as refused:
            opened(frame, {})
        assert 'v = { type = "text" }' in refused.value.hint
        assert registered(frame, {"v": {"type": "text"}}) is not None
        assert registered(frame, {}, hidden=["v"]) is not None


# ---- what changes is seen ----

DECLARATION = """
name = "clinic"
[budget]
epsilon = "100"
[unit]
person = "users.id"
[tables.users]
source = "{users}"
[tables.users.columns]
id = {{ type = "integer" }}
age = {{ type = "integer", lower = 0, upper = {upper} }}
{more}
"""


def clinic(folder: Path, users: str = "users.csv", upper: int = 120, more: str = "") -> Path:
    text = DECLARATION.format(users=users, upper=upper, more=more)
    (folder / "clinic.toml").write_text(text, encoding="utf-8")
    if not (folder / "users.csv").exists():
        (folder / "users.csv").write_text("id,age\n" + "".join(f"{i},{i % 90}\n" for i in range(100)), encoding="utf-8")
    return folder / "clinic.toml"


def kinds_of_entries(path: Path) -> list[str]:
    with sfumato.ledger.SqliteLedger(path.with_suffix(".ledger")) as ledger:
        ledger.verify()
        return [entry.body["kind"] for entry in ledger.entries()]


def test_hole_8_a_log_beside_a_database_is_refused_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "t.duckdb"
    code = (
        f"import duckdb, os; c = duckdb.connect({str(path)!r}); c.execute('CREATE TABLE t AS SELECT 1 AS id'); "
        "c.execute('CHECKPOINT'); c.execute(\"SET checkpoint_threshold='1GB'\"); "
        "c.execute('INSERT INTO t SELECT * FROM range(2000)'); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert path.with_name("t.duckdb.wal").exists()
    with pytest.raises(InvalidDeclaration, match=r"changes that are not written yet \(t.duckdb.wal\)") as refused:
        opened(str(path), {})
    assert "CHECKPOINT" in refused.value.hint
    duckdb.connect(str(path)).close()
    made = opened(str(path), {})
    assert rows_of(made).total() == 2001
    made.close()


def test_hole_8_every_change_of_a_declaration_is_an_entry_and_another_unit_is_refused(tmp_path: Path) -> None:
    path = clinic(tmp_path)
    sfumato.open(path).close()
    sfumato.open(path).close()
    assert kinds_of_entries(path) == ["register", "grant", "declare", "registration"]
    clinic(tmp_path, upper=120_000)
    sfumato.open(path).close()
    assert kinds_of_entries(path) == ["register", "grant", "declare", "registration", "declare"]
    with sfumato.ledger.SqliteLedger(path.with_suffix(".ledger")) as ledger:
        first, second = [entry.body for entry in ledger.entries() if entry.body["kind"] == "declare"]
    uppers = [each["declaration"]["tables"]["users"]["columns"]["age"]["upper"] for each in (first, second)]
    assert uppers == ["120", "120000"]
    path.write_text(path.read_text(encoding="utf-8").replace('person = "users.id"', "rows = true"), encoding="utf-8")
    with pytest.raises(InvalidDeclaration, match=r"protects users.id, and not each row") as refused:
        sfumato.open(path)
    assert "another dataset name" in refused.value.hint
    assert kinds_of_entries(path) == ["register", "grant", "declare", "registration", "declare"]


def test_a_declaration_in_the_ledger_is_not_shown_to_analysts(tmp_path: Path) -> None:
    path = clinic(
        tmp_path,
        more='[tables.notes]\nsource = "users.csv"\nhidden = ["age"]\nforeign_keys = { id = "users.id" }\nrows_per_person = 3',
    )
    with sfumato.open(path) as curator:
        shown = [body for _, body in curator.log() if body["kind"] == "declare"]
        assert len(shown) == 1
        assert "hidden" not in json.dumps(shown)


def test_other_bytes_than_registered_are_refused_until_the_owner_registers_again(tmp_path: Path) -> None:
    path = clinic(tmp_path)
    with sfumato.open(path) as curator:
        first = curator.sql("SELECT COUNT(*) AS n FROM users", epsilon=1)
    with (tmp_path / "users.csv").open("a", encoding="utf-8") as file:
        file.write("100,5\n")
    for _ in range(2):
        with pytest.raises(InvalidDeclaration, match=r"users.csv is not what was registered") as refused:
            sfumato.open(path)
        assert "sfumato register" in refused.value.hint
    _, record = sfumato.register(path)
    assert record.tables["users"].rows == 101
    with sfumato.open(path) as curator:
        again = curator.sql("SELECT COUNT(*) AS n FROM users", epsilon=1)
        assert not first.repeated
        assert not again.repeated, "another version of the data"
        assert curator.budget()[0].spent == 2, "under the same budget"
    assert kinds_of_entries(path).count("declare") == 2


def test_the_same_bytes_at_another_time_are_the_same(tmp_path: Path) -> None:
    path = clinic(tmp_path)
    sfumato.open(path).close()
    content = (tmp_path / "users.csv").read_bytes()
    (tmp_path / "users.csv").unlink()
    (tmp_path / "users.csv").write_bytes(content)
    with mock.patch.object(Registrar, "_of_lines", side_effect=AssertionError):
        sfumato.open(path).close()
    moved = tmp_path.parent / f"{tmp_path.name}-moved"
    os.rename(tmp_path, moved)
    with sfumato.open(moved / "clinic.toml"):
        assert kinds_of_entries(moved / "clinic.toml").count("declare") == 1, "declared once, and never again"


def test_other_bytes_of_the_same_length_and_time_are_seen(tmp_path: Path) -> None:
    path = clinic(tmp_path)
    sfumato.open(path).close()
    before = (tmp_path / "users.csv").stat()
    content = (tmp_path / "users.csv").read_bytes()
    (tmp_path / "users.csv").write_bytes(content.replace(b"99,9", b"99,8"))
    os.utime(tmp_path / "users.csv", ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(InvalidDeclaration, match="is not what was registered"):
        sfumato.open(path)


def test_append_reads_only_files_that_are_new(tmp_path: Path) -> None:
    (tmp_path / "more.csv").write_text("id,age\n200,3\n201,4\n", encoding="utf-8")
    path = clinic(tmp_path)
    sfumato.register(path)
    path.write_text(
        path.read_text(encoding="utf-8").replace('"users.csv"', '["users.csv", "more.csv"]'), encoding="utf-8"
    )
    with pytest.raises(InvalidDeclaration, match="names other sources than were registered"):
        sfumato.open(path)
    read: list[str] = []
    real = lines.Lines.chunks
    with mock.patch.object(lines.Lines, "chunks", lambda self: (read.append(self._path.name), real(self))[1]):  # type: ignore[func-returns-value]
        _, record = sfumato.register(path, append=True)
    assert read == ["more.csv"]
    assert record.tables["users"].rows == 102
    with sfumato.open(path) as curator:
        assert curator.curator._engine.version() == record.data_version()
        assert rows(curator.curator._engine, "users") == 102  # type: ignore[arg-type]
    (tmp_path / "users.csv").write_text("id,age\n1,2\n", encoding="utf-8")
    with pytest.raises(InvalidDeclaration, match="is not what was registered"):
        sfumato.register(path, append=True)


def rows(made: DuckDBEngine, table: str) -> int:
    return int(made._connection.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0])


def test_nobody_registers_in_a_folder_of_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = clinic(tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: 12_345)
    with pytest.raises(InvalidDeclaration, match="dataset clinic is not registered") as refused:
        DuckDBEngine(read_declaration(path))
    assert "the owner registers it" in refused.value.hint
    assert not (tmp_path / ".sfumato").exists()
    assert not (tmp_path / "clinic.registration").exists()


def test_the_owner_is_told_by_column_what_became_null(tmp_path: Path) -> None:
    (tmp_path / "users.csv").write_text(
        'id,age,paid,joined\n1,40,1200.50,2024-01-02\n2,41,"1,200.50",02/01/2024\n3,x,7,2024-13-01\n,5,,\n',
        encoding="utf-8",
    )
    more = 'paid = { type = "real", lower = 0, upper = 5000 }\njoined = { type = "date" }'
    _, record = sfumato.register(clinic(tmp_path, more=more))
    found = record.tables["users"]
    assert {name: found.lost(name) for name in ("id", "age", "paid", "joined")} == {
        "id": 0,
        "age": 1,
        "paid": 1,
        "joined": 2,
    }
    assert found.rows == 4


def test_analysts_meet_no_parser(tmp_path: Path) -> None:
    path = clinic(tmp_path)
    sfumato.register(path)
    with mock.patch.object(lines.Lines, "__init__", side_effect=AssertionError), sfumato.open(path) as curator:
        assert "read_csv" not in str(
            curator.curator._engine._connection.execute("SELECT sql FROM duckdb_views()").fetchall()  # type: ignore[attr-defined]
        )
        curator.sql("SELECT COUNT(*) FROM users", epsilon=1)


def chain(folder: Path, more: str = "", **changes: str) -> Path:
    """Transfers lead to accounts, and accounts to users; the accounts are written in quotes of another kind."""
    (folder / "users.csv").write_text("id,age\n" + "".join(f"{i},{i % 9}\n" for i in range(50)), encoding="utf-8")
    rows_ = "".join(f"'{i}',{i},x\n" for i in range(50))
    (folder / "accounts.csv").write_text(f"account,owner,note\n{rows_}", encoding="utf-8")
    (folder / "transfers.csv").write_text("account,n\n" + "".join(f"{i},5\n" for i in range(50)), encoding="utf-8")
    text = {
        "users": "", "accounts": 'foreign_keys = { owner = "users.id" }\nrows_per_group = 1\ngroups_per_person = 1',
        "transfers": 'foreign_keys = { account = "accounts.account" }\nrows_per_group = 1\ngroups_per_person = 1',
    }  # fmt: skip
    tables = "".join(
        f'[tables.{name}]\nsource = "{name}.csv"\n{said}\n{changes.get(name, "")}\n' for name, said in text.items()
    )
    path = folder / "clinic.toml"
    path.write_text(f'[budget]\nepsilon = "1000"\n[unit]\nperson = "users.id"\n{tables}{more}', encoding="utf-8")
    return path


@pytest.mark.parametrize(("changes", "repeated"), [
    ({"accounts": "dialect = { quote = \"'\" }"}, False),
    ({"accounts": 'unreadable = "null"'}, False),
    ({"accounts": 'format = "csv"'}, False),
    ({"accounts": 'columns = { account = { type = "integer" } }'}, False),
    ({"accounts": 'columns = { account = { type = "integer" } }\nhidden = ["account"]'}, False),
    ({"users": 'columns = { id = { type = "integer" } }\nhidden = ["id"]'}, False),
    ({"transfers": "rows_per_person = 3\nmaterialise = true"}, False),
    ({"transfers": 'hidden = ["n"]'}, False),
    ({"accounts": 'columns = { note = { values = ["x", "y"] } }'}, True),
    ({"users": 'columns = { age = { type = "integer", lower = 0, upper = 9 } }'}, True),
    ({}, True),
])  # fmt: skip
def test_how_every_table_on_the_way_to_the_person_is_read_is_part_of_a_question(
    changes: dict[str, str], repeated: bool, tmp_path: Path
) -> None:
    """Only the dialect of the accounts changed, and the transfers of nobody were repeated for those of fifty people."""
    found = []
    for each in ({}, changes):
        with sfumato.open(chain(tmp_path, **each)) as curator:
            found.append(curator.sql("SELECT COUNT(*) AS n FROM transfers", epsilon=50))
    assert found[1].repeated is repeated
    assert repeated or changes != {"accounts": 'dialect = { quote = "\'" }'} or found[1].value > 25


def test_an_answer_that_leaves_the_way_to_the_person_out_is_seen(tmp_path: Path) -> None:
    def without(self: Question, dataset: Any) -> str:
        """The broken twin: what is declared of the tables that are read, and of nothing else."""
        return repr([dataset.table(name) for name in sorted(query_plan.tables(self.plan))])

    with mock.patch.object(Question, "declared", without):
        for changes in ({}, {"accounts": 'dialect = { quote = "\'" }'}):
            with sfumato.open(chain(tmp_path, **changes)) as curator:
                found = curator.sql("SELECT COUNT(*) AS n FROM transfers", epsilon=50)
                query = priced(curator.curator._engine, "SELECT COUNT(*) FROM transfers")  # type: ignore[arg-type]
                exact = whole_rows.columns(query, curator.curator._engine.aggregate(query))[0][0]
    assert (found.repeated, exact) == (True, 50)
    assert found.value < 25


# ---- files: ours are private and whole, others' are theirs ----


def test_what_is_kept_is_private_whole_and_checked(tmp_path: Path) -> None:
    path = clinic(tmp_path)
    sfumato.register(path)
    (kept,) = (tmp_path / ".sfumato" / "clinic").glob("*.duckdb")
    assert [stat.S_IMODE(p.stat().st_mode) for p in (tmp_path / ".sfumato", kept.parent, kept, tmp_path / "clinic.registration")] == [
        0o700, 0o700, 0o600, 0o600]  # fmt: skip
    with duckdb.connect(str(kept)) as connection:
        connection.execute("INSERT INTO kept SELECT 1000 + i, 5 FROM range(50) t(i)")
    with sfumato.open(path) as curator:
        assert rows(curator.curator._engine, "users") == 100, "a file that was changed is not trusted by its name"  # type: ignore[arg-type]


def test_hole_9_a_link_is_not_followed_and_no_mode_is_changed(tmp_path: Path) -> None:
    path = clinic(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o755)
    (tmp_path / ".sfumato").symlink_to(elsewhere)
    with pytest.raises(InvalidDeclaration, match="is not a folder"):
        sfumato.open(path)
    assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o755
    assert list(elsewhere.iterdir()) == []
    (tmp_path / ".sfumato").unlink()
    (tmp_path / ".sfumato").mkdir(mode=0o755)
    (tmp_path / ".sfumato").chmod(0o755)
    with pytest.raises(InvalidDeclaration, match="can be opened by others"):
        sfumato.open(path)
    assert stat.S_IMODE((tmp_path / ".sfumato").stat().st_mode) == 0o755


def test_hole_9_no_extension_is_loaded_for_a_file_that_is_no_database_of_ours(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "t.db")) as other, other:
        other.execute("CREATE TABLE t (id)")
    before = (tmp_path / "t.db").read_bytes()
    with pytest.raises(InvalidDeclaration, match=r"t.db is not a DuckDB database") as refused:
        opened(str(tmp_path / "t.db"), {})
    assert refused.value.hint
    assert (tmp_path / "t.db").read_bytes() == before
    with mock.patch.object(sources, "_check_database"), pytest.raises(InvalidDeclaration, match="cannot be read"):
        opened(str(tmp_path / "t.db"), {})  # and behind that, the engine is told what it is


def test_what_is_outside_was_never_within_reach(tmp_path: Path) -> None:
    """External access is off before anything is attached or read."""
    real = DuckDBEngine.__init__
    (tmp_path / "secret.csv").write_text("a\n1\n", encoding="utf-8")
    seen: list[Any] = []

    def described(connection: Any, *given_: Any) -> Any:
        seen.append(connection.execute("SELECT current_setting('enable_external_access')").fetchall()[0][0])
        with pytest.raises(duckdb.Error):
            connection.execute(f"SELECT * FROM read_csv('{tmp_path / 'secret.csv'}')")
        return sources.described(connection, *given_)

    with mock.patch("sfumato.engines.duckdb.registrar.described", described):
        opened(str(write("csv", tmp_path, "t", {"id": None, "note": None, "amount": None}, [(1, "a", 2)]))).close()
    assert seen == [False]
    assert real is DuckDBEngine.__init__


def test_hole_10_a_name_with_the_signs_of_a_pattern_is_a_name(tmp_path: Path) -> None:
    for name, rows_in in (
        ("a[1].parquet", 3),
        ("a1.parquet", 5),
        ("b*.parquet", 2),
        ("b2.parquet", 7),
        ("q'?.parquet", 1),
    ):
        pq.write_table(pa.table({"id": list(range(rows_in))}), tmp_path / name)
    for name, number in (("a[1].parquet", 3), ("b*.parquet", 2), ("q'?.parquet", 1)):
        made = opened(str(tmp_path / name), {})
        assert rows_of(made).total() == number
        made.close()


def test_a_database_that_another_program_writes_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "t.duckdb"
    duckdb.connect(str(path)).execute("CREATE TABLE t AS SELECT 1 AS id")
    code = f"import duckdb, time; c = duckdb.connect({str(path)!r}); print('open', flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as other:
        try:
            assert other.stdout is not None
            assert other.stdout.readline() == b"open\n"
            with pytest.raises(InvalidDeclaration, match="cannot be read") as refused:
                opened(str(path), {})
            assert "another program has it open" in refused.value.hint
        finally:
            other.kill()


# ---- clean ----


def test_what_a_dead_process_left_is_swept_and_what_a_living_one_has_is_not(tmp_path: Path) -> None:
    code = "from sfumato.engines.duckdb.workspace import Workspace; import os; w = Workspace(); (w.path / 'spill').write_text('rows'); os._exit(9)"
    place = {**os.environ, "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], env=place, check=False)
    (dead,) = tmp_path.glob("sfumato-*")
    assert (dead / "spill").exists()
    (tmp_path / "sfumato-engine-mine").mkdir()  # somebody's own, by chance
    with (
        mock.patch.object(tempfile, "gettempdir", return_value=str(tmp_path)),
        mock.patch.object(tempfile, "tempdir", str(tmp_path)),
    ):
        living = Workspace()
        assert sweep(tmp_path) == 0
        assert living.path.exists()
        living.close()
    assert [path.name for path in tmp_path.iterdir()] == ["sfumato-engine-mine"]


def test_nothing_is_left_by_an_engine_that_is_closed_or_fails(tmp_path: Path) -> None:
    with mock.patch.object(tempfile, "tempdir", str(tmp_path)):
        opened(pa.table({"id": [1], "note": ["a"], "amount": [1.0]})).close()
        with pytest.raises(InvalidDeclaration):
            opened(3)
        from sfumato.demo.few_rows import few_rows

        few_rows([(1, "a", 2.0)]).close()
    assert list(tmp_path.iterdir()) == []


def test_a_registration_that_is_killed_leaves_no_rows(tmp_path: Path) -> None:
    path = clinic(tmp_path)
    code = (
        "import os, sfumato; from sfumato.engines.duckdb.kept import Making; "
        "Making.keep = lambda self: os._exit(9); "
        f"sfumato.register({str(path)!r})"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    kept = tmp_path / ".sfumato" / "clinic"
    assert list(kept.glob("making-*"))
    (tmp_path / ".sfumato" / ("visits-" + "0" * 32 + ".duckdb")).write_bytes(b"a cut of version 0.1")
    sfumato.open(path).close()
    assert not list(kept.glob("making-*"))
    assert len(list(kept.glob("*.duckdb"))) == 1
    assert sorted(each.name for each in (tmp_path / ".sfumato").iterdir()) == ["clinic"]


def test_a_record_of_another_form_or_of_anybody_is_not_trusted(tmp_path: Path) -> None:
    path = clinic(tmp_path)
    sfumato.register(path)
    record = tmp_path / "clinic.registration"
    given_ = json.loads(record.read_text(encoding="utf-8"))
    record.write_text(json.dumps({**given_, "form": 99}), encoding="utf-8")
    sfumato.open(path).close()
    assert json.loads(record.read_text(encoding="utf-8"))["form"] == registration.FORM
    record.chmod(0o666)
    with pytest.raises(InvalidDeclaration, match="is not a file that only its owner can write"):
        sfumato.open(path)
    record.chmod(0o600)
    record.write_text("{", encoding="utf-8")
    with pytest.raises(InvalidDeclaration, match="cannot be read"):
        sfumato.open(path)


def test_times_of_a_file_are_trusted_only_when_they_have_settled(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("one", encoding="utf-8")
    state = registration.FileState.of(tmp_path / "f")
    with mock.patch.object(registration, "digest_of", side_effect=AssertionError):
        assert state.is_still(since=time.time_ns() + 10**10)
        with pytest.raises(AssertionError):
            state.is_still(since=max(state.stat[1:3]))


@pytest.mark.parametrize("name", ["Note", "NOTE", "note"])
def test_hole_10_a_hidden_column_is_hidden_in_any_case_of_letters(name: str) -> None:
    made = opened(pa.table({"id": [1], "note": ["secret"]}), {}, hidden=[name])
    assert [column.name for column in made.dataset.tables[0].columns] == ["id"]
    made.close()
    with pytest.raises(InvalidDeclaration, match="has no column `nots`") as refused:
        opened(pa.table({"id": [1], "note": ["secret"]}), {}, hidden=["nots"])
    assert "id, note" in refused.value.hint


@pytest.mark.parametrize("names", [("ssn", "SSN"), ("ä", "Ä"), ("k", "\u212a")])
@pytest.mark.parametrize("form", ["csv", "parquet", "duckdb", "arrow", "pandas"])
def test_columns_that_differ_only_in_the_case_of_letters_are_refused(
    form: str, names: tuple[str, str], tmp_path: Path
) -> None:
    if form == "duckdb" and names[0].isascii():
        return  # such a table cannot be
    columns = {"id": pa.int64(), names[0]: pa.string(), names[1]: pa.string()}
    source = write(form, tmp_path, "t", columns, [(1, "secret", "secret")])
    with pytest.raises(
        InvalidDeclaration, match=r"two columns (have the same name|are called)|has two columns"
    ) as refused:
        opened(source, {}, hidden=[names[0]])
    assert refused.value.hint


@pytest.mark.parametrize("unreadable", ["refuse", "null"])
@pytest.mark.parametrize("nested", [
    pa.array([{"SSN_1": 1}]), pa.array([[{"SSN_1": 1}]]), pa.array([{"deep": {"SSN_1": 1, "more": [1]}, "SSN_1": 2}]),
    pa.array([[("SSN_1", 1)]], pa.map_(pa.string(), pa.int64())), pa.array([1]),
])  # fmt: skip
def test_a_name_inside_of_a_column_hides_no_renamed_twin(nested: pa.Array, unreadable: str, tmp_path: Path) -> None:
    """The engine calls a second `SSN` SSN_1; with that name nested elsewhere nobody noticed, and it was shown."""
    table = pa.table([pa.array(["secret"]), pa.array(["secret"]), nested], names=["ssn", "SSN", "s"])
    pq.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(InvalidDeclaration, match="two columns have the same name"):
        opened(str(tmp_path / "t.parquet"), {}, hidden=["ssn"], unreadable=unreadable)
    with mock.patch.object(sources, "_top_level", return_value=["ssn", "SSN_1", "s"]):
        made = opened(str(tmp_path / "t.parquet"), {}, hidden=["ssn"])
        assert "SSN_1" in [column.name for column in made.dataset.tables[0].columns]
        made.close()


def test_columns_are_told_from_what_is_nested_in_them(tmp_path: Path) -> None:
    table = pa.table({
        "a": [{"b": {"c": 1, "d": [1]}, "e": 2}], "b": [1], "l": [[[{"x": 1}]]], "c": ["x"],
        "m": pa.array([[("k", {"b": 1})]], pa.map_(pa.string(), pa.struct({"b": pa.int64()}))), "d": [2.5],
    })  # fmt: skip
    pq.write_table(table, tmp_path / "t.parquet")
    made = opened(str(tmp_path / "t.parquet"), {})
    assert [column.name for column in made.dataset.tables[0].columns] == ["b", "c", "d"]
    made.close()
    pq.write_table(pa.table({"": [1], "b": [2]}), tmp_path / "t.parquet")
    with pytest.raises(InvalidDeclaration, match="a column has no name"):
        opened(str(tmp_path / "t.parquet"), {})
