"""What readers believe, guess or round is not left to them: each of these moved other people's rows for one person's cell."""

import datetime as dt
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato
import whole_rows
from neighbours import priced
from people import engine, moved
from sfumato.data import CsvDialect, declared
from sfumato.engines import DuckDBEngine
from sfumato.engines.duckdb import registrar
from sfumato.engines.duckdb.guard import guarded
from sfumato.engines.registration import Registration
from sfumato.errors import EngineFailed, InvalidDeclaration

pytestmark = pytest.mark.slow

NAN = float("nan")


def about(source: Any, columns: Any = None, **table: Any) -> Any:
    return {
        "name": "readers", "budget": {"epsilon": "1000", "delta": "0.5"}, "unit": {"person": "t.id"},
        "tables": {"t": {"source": source, "columns": columns or {}, **table}},
    }  # fmt: skip


def counts(given: Any, *texts: str) -> list[int]:
    with engine(given) as made:
        every = [priced(made, text) for text in texts]
        return [int(whole_rows.columns(query, made.aggregate(query))[0][0]) for query in every]


# ---- a footer that leaves NaN out of a column's extremes ----


def with_nan(folder: Path, more: bool) -> str:
    cells = [*([NAN] * 500), *([1.0] * 500), *([160.0] if more else [])]
    path = folder / f"{more}.parquet"
    pq.write_table(pa.table({"id": list(range(len(cells))), "x": cells}), path)
    return str(path)


ASKED = [
    "SELECT COUNT(*) FROM t WHERE x > 150", "SELECT COUNT(*) FROM t WHERE x BETWEEN 150 AND 200",
    "SELECT COUNT(*) FROM t WHERE x = 1", "SELECT COUNT(x) FROM t", "SELECT COUNT(*) FROM t WHERE x IS NULL",
    "SELECT SUM(x) FROM t",
]  # fmt: skip


def test_statistics_of_a_parquet_file_are_not_believed(tmp_path: Path) -> None:
    """One person's 160 moved `x > 150` from 0 to 501: the reader had left out whole groups of rows before."""
    bounds = {"x": {"lower": 0, "upper": 10}}
    here, there = (about(with_nan(tmp_path, more), bounds) for more in (True, False))
    assert moved(here, there, ASKED) == []

    def in_place(self: Any, i: int, table: Any, path: str, readings: Any) -> Any:
        """The broken twin: the file is read where it is."""
        return registrar.Part(registrar.FileState.of(path), registrar.FileState(path, "", ()), len(pq.read_table(path)))  # type: ignore[attr-defined]

    with mock.patch.object(registrar.Registrar, "_part", in_place):
        assert moved(here, there, ASKED[:3]) != []


# ---- frames: a cell is read as the same value whatever made its column ----

UTC2 = dt.timezone(dt.timedelta(hours=2))
FRAMES: dict[str, tuple[list[Any], Any, dict[str, Any], str]] = {
    "truths beside a missing one": ([True] * 5, None, {"type": "boolean"}, "x"),
    "reals beside a word": ([2.5] * 5, "n/a", {"type": "integer", "lower": 0, "upper": 9}, "x = 2"),
    "infinities beside a word": ([float("inf")] * 5, "n/a", {"type": "real", "lower": 0, "upper": 9}, "x > 8"),
    "whole numbers beside a word": ([2**60 + 1] * 5, "n/a", {"type": "integer"}, f"x = {2**60 + 1}"),
    "moments beside one without a zone": (
        [dt.datetime(2026, 1, 1, 1, tzinfo=UTC2)] * 5, dt.datetime(2026, 1, 1), {"type": "date"}, "x = '2025-12-31'"),
    "moments beside a word": ([dt.datetime(2026, 1, 1, 1, 2, 3, 4)] * 5, "?", {"type": "timestamp"}, "x > '2026-01-01 01:02:03'"),
    "texts beside a number": (["2.5"] * 5, 7, {"type": "integer"}, "x = 2"),
}  # fmt: skip


@pytest.mark.parametrize("name", FRAMES)
def test_a_cell_of_a_frame_is_the_same_among_others_of_another_type(name: str) -> None:
    cells, odd, declared_as, condition = FRAMES[name]
    text = f"SELECT COUNT(*) FROM t WHERE {condition}"
    columns = {"id": {"type": "integer"}, "x": declared_as}
    plain = pd.DataFrame({"id": range(5), "x": cells})
    mixed = pd.DataFrame({"id": range(6), "x": [*cells, odd]})
    assert str(plain["x"].dtype) != str(mixed["x"].dtype)
    assert counts(about(plain, columns), text) == counts(about(mixed, columns), text) == [5]


NUMPY: dict[str, list[Any]] = {
    "whole": [1, 0, -3], "large": [2**53 + 1, -(2**60) - 1], "real": [0.5, -0.0, 2.5, 1.0], "truth": [True, False],
    "narrow": [np.float32(0.1), np.float32(2.5)], "moment": [pd.Timestamp("2026-01-01 01:02:03.123456789"), pd.Timestamp("1969-12-31")],
    "here": [pd.Timestamp("2026-07-01 01:02:03", tz="Europe/Berlin")], "far": [np.datetime64("2026-01-01", "s")],
    "unsigned": [np.uint64(2**64 - 1)], "half": [np.float16(0.1)], "wait": [pd.Timedelta(1, "s")],
    "month": [pd.Period("2024-01")], "between": [pd.Interval(0, 1)],
}  # fmt: skip
ODD: list[Any] = [None, "x", "7", 2.5, True, 2**70, pd.Timestamp("2026-01-01"), [1], 1j]


@pytest.mark.parametrize("kind", ["integer", "real", "text", "boolean", "date", "timestamp"])
@pytest.mark.parametrize("name", NUMPY)
def test_a_cell_more_decides_neither_what_can_be_declared_of_a_frame_nor_how_others_are_read(
    name: str, kind: str
) -> None:
    """A typed column was refused as a kind that the same cells, among objects, were read as."""
    columns = {"id": {"type": "integer"}, "x": {"type": kind}}

    def cells(values: list[Any]) -> list[Any] | None:
        frame = pd.DataFrame({"id": range(len(values)), "x": pd.Series(values)})
        try:
            made = DuckDBEngine(declared(about(frame, columns)))
        except InvalidDeclaration:
            return None
        found = made._connection.execute('SELECT id, x FROM "t" ORDER BY id').fetchall()
        made.close()
        return [repr(value) for _, value in found]

    before = cells(NUMPY[name])
    assert before is not None
    for odd in ODD:
        after = cells([*NUMPY[name], odd])
        assert after is None or after[:-1] == before, odd


@pytest.mark.parametrize(("cells", "kind"), [
    ([1.0, 2.0**53], "integer"), ([1.0, 2.0**53, "x"], "integer"), ([2.0**53, None], "text"), ([2.0**53, "x"], "text"),
    ([np.float32(2**24)], "integer"), ([np.float32(2**24), "x"], "integer"), ([np.float16(2**11)], "text"), ([1j], "real"), ([1j, "x"], "real"),
])  # fmt: skip
def test_numbers_that_a_type_has_rounded_are_refused_in_every_type(cells: list[Any], kind: str) -> None:
    frame = pd.DataFrame({"id": range(len(cells)), "x": pd.Series(cells)})
    with pytest.raises(InvalidDeclaration, match=r"that its type has rounded|holds complex numbers") as refused:
        DuckDBEngine(declared(about(frame, {"id": {"type": "integer"}, "x": {"type": kind}})))
    assert refused.value.hint


def test_a_sparse_column_is_read_cell_by_cell() -> None:
    frame = pd.DataFrame({"id": [1, 2, 3], "x": pd.arrays.SparseArray([0, 5, 5])})
    columns = {"id": {"type": "integer"}, "x": {"type": "integer"}}
    assert counts(about(frame, columns), "SELECT COUNT(*) FROM t WHERE x = 5") == [2]


def test_the_schema_of_a_frame_shows_nothing_that_cells_have_decided() -> None:
    found = []
    for cells in ([1, 2], [1, None], [1, "x"]):
        frame = pd.DataFrame({"id": [1, 2], "x": pd.Series(cells)})
        with engine(about(frame, {"id": {"type": "integer"}, "x": {"type": "integer"}})) as made:
            found.append((made.schema("t"), made.dataset))
    assert found[0] == found[1] == found[2]


# ---- what other libraries raise ----


def test_what_another_library_raises_is_not_shown() -> None:
    """A lazy frame that fails says which cell it failed on."""
    import polars as pl

    for frame in (
        pl.LazyFrame({"id": [1], "x": ["secret"]}).with_columns(pl.col("x").cast(pl.Int64)),
        pl.LazyFrame({"id": [1]}).select("nowhere"),
        pl.scan_csv("/nowhere/secret.csv"),
        pl.LazyFrame({"id": [1]}).map_batches(lambda _: 1 / 0),  # type: ignore[arg-type, return-value]
    ):
        with pytest.raises(InvalidDeclaration, match="source cannot be read") as refused:
            DuckDBEngine(declared(about(frame)))
        assert "collect()" in refused.value.hint
        assert "secret" not in str(refused.value)
        assert refused.value.__cause__ is None


def test_the_guard_lets_errors_of_ours_and_the_end_of_a_process_pass() -> None:
    refusal = InvalidDeclaration("refused", hint="mend it")

    class PanicException(BaseException):
        """As libraries in Rust raise it."""

    class InterruptException(Exception):
        """As the engine raises it when somebody pressed Ctrl-C."""

    for raised, seen in (
        (RuntimeError("a cell"), InvalidDeclaration), (PanicException("a cell"), InvalidDeclaration),
        (KeyboardInterrupt(), KeyboardInterrupt), (SystemExit(3), SystemExit), (InterruptException(), KeyboardInterrupt),
        (EngineFailed("ours"), EngineFailed),
    ):  # fmt: skip
        with pytest.raises(seen), guarded(lambda: refusal):
            raise raised


@pytest.mark.parametrize("cells", [[b"a", b"\xff", b"\xff"], [b"a", b"b", b"c"]])
def test_texts_that_are_written_once_each_are_read_as_others_are(cells: list[bytes], tmp_path: Path) -> None:
    """A dictionary of a Parquet file with a text that is not UTF-8 could not be prepared under either word."""
    raw = pa.array(cells, pa.binary())
    texts = pa.StringArray.from_buffers(len(cells), raw.buffers()[1], raw.buffers()[2], raw.buffers()[0])
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2], pa.int32()), texts)
    pq.write_table(pa.table({"id": [1, 2, 3], "x": column}), tmp_path / "t.parquet")
    bad = sum(cell == b"\xff" for cell in cells)
    if bad:
        with pytest.raises(InvalidDeclaration, match=f"{bad} of `x`"):
            DuckDBEngine(declared(about(str(tmp_path / "t.parquet"))))
    given = about(str(tmp_path / "t.parquet"), unreadable="null")
    assert counts(given, "SELECT COUNT(x) FROM t") == [3 - bad]


def test_decimals_wider_than_the_engines_are_reals_under_both_words(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [1, 2], "x": pa.array([1, 5], pa.decimal256(50, 0))}), tmp_path / "t.parquet")
    for word in ("refuse", "null"):
        given = about(str(tmp_path / "t.parquet"), unreadable=word)
        assert counts(given, "SELECT COUNT(*) FROM t WHERE x > 2") == [1]


@pytest.mark.parametrize("source", [pa.table({}), pd.DataFrame(), pd.DataFrame(index=range(3))])
def test_a_table_without_columns_is_refused_in_words(source: Any) -> None:
    with pytest.raises(InvalidDeclaration, match="source has no columns"):
        DuckDBEngine(declared({**about(source), "unit": {"rows": True}}))


def test_a_class_made_of_a_data_frame_is_a_data_frame() -> None:
    class Mine(pd.DataFrame):  # type: ignore[misc]
        """As other libraries do."""

    for cells in ([1, 2], [1, None]):
        with pytest.raises(InvalidDeclaration, match="cells decide the type of `id`, `x`"):
            DuckDBEngine(declared(about(Mine({"id": [1, 2], "x": cells}))))


@pytest.mark.parametrize("given", [3, {"id": [1]}, [[1]], pd.Series([1], name="id"), object()])
def test_what_is_no_table_is_refused_in_words(given: Any) -> None:
    with pytest.raises(InvalidDeclaration) as refused:
        DuckDBEngine(declared(about(given)))
    assert refused.value.hint


def test_names_of_a_frame_are_compared_before_the_engine_renames_them() -> None:
    import polars as pl

    cells = {"id": [1], "ssn": ["secret"], "SSN": ["secret"]}
    for frame in (pa.table(cells), pl.DataFrame(cells), pd.DataFrame(cells)):
        with pytest.raises(InvalidDeclaration, match="two columns have the same name"):
            DuckDBEngine(declared(about(frame, hidden=["ssn", "SSN"])))
    odd = pd.DataFrame({"id": pd.array([1], "Int64"), "self": pd.Series(["a"], dtype=object)})
    assert counts(about(odd, {"self": {"type": "text"}}), "SELECT COUNT(self) FROM t") == [1]


def test_a_stream_of_batches_is_read_once_and_wholly() -> None:
    table = pa.table({"id": list(range(70_000))})
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=1000))
    assert counts(about(reader), "SELECT COUNT(*) FROM t") == [70_000]


# ---- the owner's word alone decides which reader there is ----


def test_a_cell_that_cannot_be_read_changes_no_other_cell(tmp_path: Path) -> None:
    """The engine's reader and Arrow's differ in rounding, wide years and durations."""
    ns = pa.array([-1_500] * 20, pa.int64()).view(pa.timestamp("ns"))
    others = {
        "id": pa.array(range(20)),
        "t": ns,
        "w": pa.array([5] * 20, pa.duration("us")),
        "h": pa.array([0.5] * 20, pa.float32()),
    }
    texts = ["SELECT COUNT(*) FROM t WHERE t < '1970-01-01 00:00:00'", "SELECT COUNT(*) FROM t WHERE h = 0.5",
             "SELECT COUNT(*) FROM t WHERE t > '1969-12-31 23:59:59.999997'"]  # fmt: skip
    found = []
    for last in (b"a", b"\xff"):
        raw = pa.array([*([b"a"] * 19), last], pa.binary())
        text = pa.StringArray.from_buffers(20, raw.buffers()[1], raw.buffers()[2], raw.buffers()[0])
        path = tmp_path / f"{last!r}.parquet".replace("\\", "")
        pq.write_table(pa.table({**others, "s": text}), path)
        found.append(counts(about(str(path), unreadable="null"), *texts))
    assert found[0] == found[1]


def test_every_cell_is_decoded_before_any_question(tmp_path: Path) -> None:
    """A page that is damaged ends the registration, and no question."""
    path = tmp_path / "t.parquet"
    pq.write_table(
        pa.table({"id": list(range(1000)), "x": [float(i) for i in range(1000)]}), path, compression="snappy"
    )
    whole = path.read_bytes()
    at = whole.index(b"PAR1") + 3000
    path.write_bytes(whole[:at] + bytes(255 - b for b in whole[at : at + 200]) + whole[at + 200 :])
    with pytest.raises(InvalidDeclaration) as refused:
        DuckDBEngine(declared(about(str(path))))
    assert refused.value.hint


# ---- one person, one value ----


def test_one_number_in_two_widths_is_refused_as_a_person() -> None:
    users, visits = pa.table({"id": [0.1]}), pa.table({"id": pa.array([0.1], pa.float32())})
    given = {
        **about(users),
        "tables": {"t": {"source": users}, "v": {"source": visits, "foreign_keys": {"id": "t.id"}}},
    }
    with pytest.raises(InvalidDeclaration, match="does not hold every real exactly"):
        DuckDBEngine(declared(given))


def test_one_moment_in_two_zones_is_one_person(tmp_path: Path) -> None:
    texts = ["2020-01-01 00:00:00+02:00", "2019-12-31 22:00:00Z", "2019-12-31 22:00:00", "2019-12-31T22:00:00+00"]
    (tmp_path / "t.csv").write_text("id\n" + "\n".join(texts) + "\n", encoding="utf-8")
    moment = pa.array([dt.datetime(2019, 12, 31, 22)], pa.timestamp("us", tz="UTC"))
    given = about(str(tmp_path / "t.csv"), {"id": {"type": "timestamp"}})
    given["tables"]["v"] = {"source": pa.table({"id": moment}), "foreign_keys": {"id": "t.id"}, "rows_per_person": 1}
    asked = "SELECT COUNT(DISTINCT id) FROM (SELECT id FROM t UNION ALL SELECT id FROM v) u"
    assert counts(given, asked, "SELECT COUNT(*) FROM v JOIN t ON v.id = t.id") == [1, 1]


def test_people_in_decimals_are_told_apart() -> None:
    from decimal import Decimal

    large = [Decimal(2**60), Decimal(2**60 + 1)]
    whole = pa.table({"id": pa.array(large, pa.decimal128(38, 0))})
    assert counts(about(whole), "SELECT COUNT(DISTINCT id) FROM t") == [2]
    wider = pa.table({"id": pa.array([Decimal(2**70), Decimal(1)], pa.decimal128(38, 0))})
    with pytest.raises(InvalidDeclaration, match="in over 63 bits"):
        DuckDBEngine(declared(about(wider)))
    assert counts(about(wider, {"id": {"type": "text"}}), "SELECT COUNT(DISTINCT id) FROM t") == [2]
    ns = pa.table({"id": pa.array([1, 2], pa.int64()).view(pa.timestamp("ns"))})
    with pytest.raises(InvalidDeclaration, match="does not hold every timestamp exactly"):
        DuckDBEngine(declared(about(ns)))


# ---- files of separated values ----


@pytest.mark.parametrize(
    "encoding", ["hz", "unicode_escape", "raw_unicode_escape", "utf-7", "iso2022_jp", "idna", "punycode"]
)
def test_an_encoding_in_which_a_line_can_eat_the_next_is_refused(encoding: str) -> None:
    with pytest.raises(InvalidDeclaration, match="unknown encoding"):
        CsvDialect.declared("[t]", {"encoding": encoding})


def test_a_long_text_that_looks_like_records_is_one_field(tmp_path: Path) -> None:
    """The engine's reader guesses where records begin in the middle of a file, unless it reads from its beginning."""
    line, text = "1,a\n", "2,b\n" * 200_000
    with (tmp_path / "t.csv").open("w", encoding="utf-8", newline="") as file:
        file.write("id,note\n" + line * (7_600_000 // len(line)) + f'7,"{text}"\n' + line * 1000)
    given = about(str(tmp_path / "t.csv"), {"id": {"type": "integer"}})
    given["unit"] = {"rows": True}
    assert counts(given, "SELECT COUNT(*) FROM t", "SELECT COUNT(*) FROM t WHERE id = 7") == [7_600_000 // 4 + 1001, 1]


def test_a_decimal_comma_is_read_where_it_is_declared(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id;x\n1;3,5\n2;1.200,5\n3;7\n", encoding="utf-8")
    columns = {"id": {"type": "integer"}, "x": {"type": "real", "lower": 0, "upper": 10, "grid": 0.5}}
    given = about(str(tmp_path / "t.csv"), columns, dialect={"separator": ";", "decimal": ","})
    assert counts(given, "SELECT COUNT(x) FROM t", "SELECT COUNT(*) FROM t WHERE x = 3.5") == [2, 1]


def test_a_folder_that_is_named_like_a_partition_adds_no_column(tmp_path: Path) -> None:
    (tmp_path / "year=2024").mkdir()
    pq.write_table(pa.table({"id": [1], "x": [2]}), tmp_path / "year=2024" / "t.parquet")
    with engine(about(str(tmp_path / "year=2024" / "t.parquet"))) as made:
        assert [column.name for column in made.dataset.tables[0].columns] == ["id", "x"]


# ---- identity, entries, files ----

CLINIC = (
    'name = "clinic"\n[budget]\nepsilon = "100"\n[unit]\nperson = "t.id"\n[tables.t]\nsource = "{source}"\n{more}\n'
)


def clinic(folder: Path, more: str = "", source: str = "t.csv") -> Path:
    if source == "t.csv" and not (folder / source).exists():
        (folder / "t.csv").write_text("id,x\n7,'a'\n07,'b'\n", encoding="utf-8")
    (folder / "clinic.toml").write_text(CLINIC.format(source=source, more=more), encoding="utf-8")
    return folder / "clinic.toml"


def entries(path: Path) -> int:
    with sfumato.ledger.SqliteLedger(path.with_suffix(".ledger")) as ledger:
        return [entry.body["kind"] for entry in ledger.entries()].count("declare")


def test_every_way_to_read_a_source_otherwise_is_an_entry(tmp_path: Path) -> None:
    ways = ("", "dialect = { quote = \"'\" }", 'dialect = { encoding = "latin-1" }', 'format = "csv"', 'hidden = ["id"]',
            'hidden = ["id"]\ncolumns = { id = { type = "integer" } }')  # fmt: skip
    for number, more in enumerate(ways, 1):
        sfumato.open(clinic(tmp_path, more)).close()
        assert entries(tmp_path / "clinic.toml") == number, more
    path = clinic(tmp_path)
    path.write_text('version = "1"\n' + path.read_text(encoding="utf-8"), encoding="utf-8")
    sfumato.register(path)
    (tmp_path / "t.csv").write_text("id,x\n1,2\n", encoding="utf-8")
    before = entries(path)
    sfumato.register(path)
    assert entries(path) == before + 1, "other bytes under the same word are another entry"


def test_a_file_of_somebodys_own_is_not_overwritten_by_a_record(tmp_path: Path) -> None:
    path = clinic(tmp_path)
    (tmp_path / "clinic.registration").write_text("my own notes", encoding="utf-8")
    for act in (sfumato.register, sfumato.open):
        with pytest.raises(InvalidDeclaration, match="is not the record of a registration"):
            act(path)
    assert (tmp_path / "clinic.registration").read_text(encoding="utf-8") == "my own notes"


def test_what_a_killed_registration_left_is_swept_by_the_next_opening(tmp_path: Path) -> None:
    path = clinic(tmp_path)
    sfumato.register(path)
    for place in ("duckdb.kept Making.keep", "registration Registration.write"):
        module, what = place.split()
        kind, name = what.split(".")
        code = (
            f"import os, sfumato; from sfumato.engines.{module} import {kind}; "
            f"{kind}.{name} = lambda *_: os._exit(9); sfumato.register({str(path)!r})"
        )
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
        kept = tmp_path / ".sfumato" / "clinic"
        assert len(list(kept.glob("*.duckdb"))) > 1, place
        sfumato.open(path).close()
        assert len(list(kept.iterdir())) == 2, place  # the table and the lock
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        ".sfumato", "clinic.ledger", "clinic.registration", "clinic.toml", "t.csv"]  # fmt: skip


def test_a_source_that_is_replaced_while_it_is_read_is_refused(tmp_path: Path) -> None:
    for name, rows in (("t", 10), ("new", 5000)):
        with duckdb.connect(str(tmp_path / f"{name}.duckdb")) as connection:
            connection.execute(f"CREATE TABLE t AS SELECT i AS id FROM range({rows}) r(i)")
    path = clinic(tmp_path, source="t.duckdb")
    real = registrar.digest_of  # type: ignore[attr-defined]

    def digest(file: str) -> str:
        os.replace(tmp_path / "new.duckdb", file)
        return real(file)

    with (
        mock.patch.object(registrar, "digest_of", digest),
        pytest.raises(InvalidDeclaration, match="changed while it was read"),
    ):
        sfumato.register(path)
    assert not (tmp_path / "clinic.registration").exists()


def test_a_log_beside_a_table_of_ours_is_not_replayed(tmp_path: Path) -> None:
    path = clinic(tmp_path)
    sfumato.register(path)
    record = Registration.read(tmp_path / "clinic.registration")
    assert record is not None
    log = Path(record.tables["t"].parts[0].kept.path + ".wal")
    log.write_bytes(b"what another program would have done")
    sfumato.open(path).close()
    assert not log.exists()


def test_what_a_dictionary_declares_is_looked_through_and_nothing_is_written(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": [1, 2, 3], "x": ["1", "2", "three"]})
    _, record = sfumato.register(about(frame, {"id": {"type": "integer"}, "x": {"type": "integer"}}))
    assert record.tables["t"].lost("x") == 1
    assert json.dumps(dict(record.tables["t"].parts[0].lost)) == '{"x": 1}'
    assert list(tmp_path.iterdir()) == []


def test_two_tables_of_one_name_are_refused() -> None:
    given = about(pa.table({"id": [1]}))
    given["tables"]["T"] = {"source": pa.table({"id": [1]}), "public": True}
    with pytest.raises(InvalidDeclaration, match="two tables are called"):
        declared(given)


# ---- and what was found when all of this stood ----


@pytest.mark.parametrize(("cells", "odd", "kind", "condition"), [
    ([-0.0] * 5, "odd", "real", "CAST(x AS VARCHAR) = '-0.0'"),
    (pd.to_datetime(["2026-01-01"] * 5).to_numpy(), "unknown", "timestamp", "x = '2026-01-01'"),
])  # fmt: skip
def test_cells_of_numpys_own_kinds_are_the_same_among_objects(cells: Any, odd: Any, kind: str, condition: str) -> None:
    columns, text = {"id": {"type": "integer"}, "x": {"type": kind}}, f"SELECT COUNT(*) FROM t WHERE {condition}"
    plain = pd.DataFrame({"id": range(5), "x": pd.Series(list(cells))})
    mixed = pd.DataFrame({"id": range(6), "x": pd.Series([*cells, odd], dtype=object)})
    assert counts(about(plain, columns), text) == counts(about(mixed, columns), text) == [5]


def test_objects_that_no_table_holds_are_counted_for_the_owner() -> None:
    import uuid

    known = uuid.uuid4()
    frame = pd.DataFrame({"id": [known, known, b"raw", None], "x": pd.Series([1, "2", [3], 2.5], dtype=object)})
    given = about(frame, {"id": {"type": "text"}, "x": {"type": "integer"}})
    _, record = sfumato.register(given)
    assert {name: record.tables["t"].lost(name) for name in ("id", "x")} == {"id": 1, "x": 1}
    assert counts(given, "SELECT COUNT(DISTINCT id) FROM t") == [1]


def test_a_key_that_is_shown_again_is_looked_at_again(tmp_path: Path) -> None:
    """Whether a key repeats was looked at while it was hidden, and not when it was shown."""
    for name, head in (("users", "id"), ("accounts", "account,id"), ("cards", "account,n")):
        rows = {"users": ["1"], "accounts": ["5,1"] * 3, "cards": ["5,1"] * 3}[name]
        (tmp_path / f"{name}.csv").write_text("\n".join([head, *rows, ""]), encoding="utf-8")
    text = (
        '[budget]\nepsilon = "9"\n[unit]\nperson = "users.id"\n[tables.users]\nsource = "users.csv"\n'
        '[tables.accounts]\nsource = "accounts.csv"\nforeign_keys = { id = "users.id" }\nrows_per_person = 3\n%s\n'
        '[tables.cards]\nsource = "cards.csv"\nforeign_keys = { account = "accounts.account" }\n'
        "rows_per_person = 3\n"
    )
    path = tmp_path / "clinic.toml"
    found = []
    for hidden in ('hidden = ["account"]', "", 'hidden = ["account"]'):
        path.write_text(text % hidden, encoding="utf-8")
        with sfumato.open(path) as curator:
            found.append(curator.curator._engine._repeated)  # type: ignore[attr-defined]
    assert found == [frozenset(), frozenset({("accounts", "account")}), frozenset()]


def test_sweeping_sees_what_is_registered_when_it_has_the_lock(tmp_path: Path) -> None:
    path = clinic(tmp_path)
    sfumato.register(path)
    real = os.open

    def late(name: Any, *more: Any, **words: Any) -> int:
        """Another process registers between a look at the record and the lock."""
        if str(name).endswith("lock") and not os.environ.get("SFUMATO_TEST_ONCE"):
            with mock.patch.dict(os.environ, {"SFUMATO_TEST_ONCE": "1"}):
                sfumato.register(path)
        return real(name, *more, **words)

    with mock.patch("sfumato.engines.duckdb.folder.os.open", late):
        sfumato.open(path).close()
    record = Registration.read(tmp_path / "clinic.registration")
    assert record is not None
    assert all(Path(part.kept.path).exists() for part in record.tables["t"].parts)


def test_a_refused_unit_leaves_what_was_registered(tmp_path: Path) -> None:
    path = clinic(tmp_path)
    sfumato.register(path)
    before = (tmp_path / "clinic.registration").read_bytes()
    good = path.read_text(encoding="utf-8")
    path.write_text(good.replace("t.id", "t.x"), encoding="utf-8")
    for act in (sfumato.register, sfumato.open):
        with pytest.raises(InvalidDeclaration, match=r"protects t.id, and not t.x"):
            act(path)
    assert (tmp_path / "clinic.registration").read_bytes() == before
    path.write_text(good, encoding="utf-8")
    with mock.patch.object(registrar.Registrar, "register", side_effect=AssertionError):
        sfumato.open(path).close()


def test_a_table_of_hidden_columns_can_be_counted() -> None:
    given = about(pa.table({"id": [1, 2], "x": [3, 4]}), hidden=["id", "x"])
    for unit in ({"rows": True}, {"person": "t.id"}):
        assert counts({**given, "unit": unit}, "SELECT COUNT(*) FROM t") == [2]


def test_lists_of_known_types_are_of_no_known_type(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("CREATE TYPE mood AS ENUM ('a', 'b')")
        connection.execute(
            "CREATE TABLE t (id INTEGER, e mood, es mood[], d DECIMAL(5, 2), ds DECIMAL(5, 2)[], fs DECIMAL(5, 2)[2])"
        )
    with engine(about(str(tmp_path / "t.duckdb"))) as made:
        assert [column.name for column in made.dataset.tables[0].columns] == ["id", "e", "d"]


def test_a_dialect_that_is_mended_is_read_anew(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id;x\n1;2\n", encoding="utf-8")
    with pytest.raises(InvalidDeclaration, match="has no column `id`"):
        sfumato.open(clinic(tmp_path))
    path = clinic(tmp_path, 'dialect = { separator = ";" }')
    sfumato.open(path).close()
    with pytest.raises(InvalidDeclaration, match="has no column `id`"):
        sfumato.open(clinic(tmp_path))
    sfumato.open(clinic(tmp_path, 'dialect = { separator = ";" }')).close()


def test_what_is_replaced_while_it_is_opened_is_opened_as_it_is_then(tmp_path: Path) -> None:
    path = clinic(tmp_path)
    sfumato.register(path)
    real, times = DuckDBEngine._show, []

    def late(self: DuckDBEngine) -> None:
        times.append(1)
        if len(times) == 1:
            sfumato.register(path)
        real(self)

    with mock.patch.object(DuckDBEngine, "_show", late), sfumato.open(path) as curator:
        assert curator.sql("SELECT COUNT(*) FROM t", epsilon=9).rows
    assert len(times) == 2


def test_another_kind_of_a_hidden_person_is_another_question(tmp_path: Path) -> None:
    """'7' and '07' are one person or two: an answer about the one is not given for the other."""
    found = []
    for kind in ("integer", "text", "integer"):
        more = f'hidden = ["id"]\ncolumns = {{ id = {{ type = "{kind}" }} }}'
        with sfumato.open(clinic(tmp_path, more)) as curator:
            found.append(curator.sql("SELECT COUNT(*) AS n FROM t", epsilon=9).repeated)
    assert found == [False, False, True]


@pytest.mark.parametrize("unreadable", ["refuse", "null"])
@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_rows_of_hidden_columns_are_counted_by_every_reader(form: str, unreadable: str, tmp_path: Path) -> None:
    table = pa.table({"id": [1, 2, 3]})
    pq.write_table(table, tmp_path / "t.parquet")
    given = about(table if form == "arrow" else str(tmp_path / "t.parquet"), hidden=["id"], unreadable=unreadable)
    assert counts({**given, "unit": {"rows": True}}, "SELECT COUNT(*) FROM t") == [3]
