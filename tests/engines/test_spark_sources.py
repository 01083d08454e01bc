"""What a relation of a cluster is: its columns and kinds, cells of every type, and the files that it is made of."""

from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import totality
from sfumato.data import Kind
from sfumato.engines.spark import connection
from sfumato.engines.spark.connection import ClusterSession, fetch
from sfumato.engines.spark.sources import cell, described, is_path, show, version_of
from sfumato.errors import EngineFailed, InvalidDeclaration, MissingExtra, Unsupported
from spark_cluster import connect_address, connected

PATIENCE = 300.0
slow = pytest.mark.slow


@pytest.fixture(scope="module")
def session() -> Iterator[ClusterSession]:
    made: ClusterSession = connected()
    yield made
    made.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of Parquet with a column of every type, hostile cells among them."""
    made = tmp_path_factory.mktemp("a folder")
    size = len(totality.MOMENTS)
    days = totality.cells([totality.DAYS[at % len(totality.DAYS)] for at in range(size)], pa.date32())
    moments = totality.cells(totality.MOMENTS, pa.timestamp("us"))
    zoned = pa.Array.from_buffers(pa.timestamp("us", "UTC"), size, moments.buffers())
    texts = pa.array([b"\xff\xfe", *(b"x%d" % at for at in range(1, size))], pa.binary())
    text = pa.Array.from_buffers(pa.string(), size, texts.buffers())
    columns: dict[str, Any] = {
        "i": pa.array(range(size), pa.int32()), "j": pa.array(range(size), pa.int8()), "d": pa.array([Decimal(at) for at in range(size)], pa.decimal128(18, 0)),
        "w": pa.array([Decimal(10**19 + at) for at in range(size)], pa.decimal128(20, 0)), "x": pa.array([0.5] * size, pa.float32()), "t": text, "T": pa.array(["u"] * size),
        "b": pa.array([True] * size), "day": days, "at": moments, "zoned": zoned, "l": pa.array([[1]] * size), "a`b": pa.array([1.5] * size),
    }  # fmt: skip
    pq.write_table(pa.table(columns), made / "one.parquet")
    return made


@slow
def test_columns_have_the_kinds_of_their_types(session: ClusterSession, folder: Path) -> None:
    found = {column.name: (column.type, column.kind) for column in described(session, str(folder))}
    assert found == {
        "i": ("int", Kind.INTEGER), "j": ("tinyint", Kind.INTEGER), "d": ("decimal(18,0)", Kind.INTEGER), "w": ("decimal(20,0)", Kind.REAL), "x": ("float", Kind.REAL),
        "t": ("string", Kind.TEXT), "T": ("string", Kind.TEXT), "b": ("boolean", Kind.BOOLEAN), "day": ("date", Kind.DATE), "at": ("timestamp_ntz", Kind.TIMESTAMP),
        "zoned": ("timestamp", Kind.TIMESTAMP), "l": ("array<bigint>", None), "a`b": ("double", Kind.REAL),
    }  # fmt: skip


@slow
def test_every_cell_is_read_and_those_beyond_the_calendar_are_none(session: ClusterSession, folder: Path) -> None:
    columns = [column for column in described(session, str(folder)) if column.kind is not None]
    show(session, str(folder), "every`cell")
    listed = ", ".join(f"{cell(column)} AS v{at}" for at, column in enumerate(columns))
    found = fetch(session, f"SELECT {listed} FROM `every``cell`", PATIENCE)
    read = {column.name: found[f"v{at}"] for at, column in enumerate(columns)}
    assert (read["i"][3], read["d"][3], read["w"][0], read["x"][0], read["T"][0]) == (3, 3, 1e19, 0.5, "u")
    assert read["t"][:2] == [None, "x1"]
    days = [totality.DAYS[at % len(totality.DAYS)] for at in range(len(totality.MOMENTS))]
    known = [date.fromordinal(719163 + day) if -719162 <= day <= 2932896 else None for day in days]
    assert read["day"] == known
    for name in ("at", "zoned"):
        assert [each is not None for each in read[name]] == [
            -62135596800000000 <= at < 253402300800000000 for at in totality.MOMENTS
        ]
        assert datetime(1969, 12, 31, 23, 59, 59, 999_999) in read[name]


@slow
def test_files_that_come_later_are_not_read_and_make_another_version(session: ClusterSession, tmp_path: Path) -> None:
    place = tmp_path / "with space"
    place.mkdir()
    pq.write_table(pa.table({"a": [1, 2]}), place / "one.parquet")
    before = version_of(session, str(place))
    show(session, str(place), "fixed")
    pq.write_table(pa.table({"a": [3]}), place / "two.parquet")
    assert fetch(session, "SELECT count(*) AS n FROM fixed", PATIENCE) == {"n": [2]}
    assert None not in (before, after := version_of(session, str(place)))
    assert before != after == version_of(session, str(place))
    assert version_of(session, "fixed") is None


@slow
def test_what_the_cluster_does_not_have_is_refused_in_one_way(session: ClusterSession) -> None:
    for name in ("no_such.table", "/no/such/folder", "nothing"):
        with pytest.raises(InvalidDeclaration, match="does not read"):
            described(session, name)
    with pytest.raises(InvalidDeclaration, match="another cluster"):
        connection._DRIVER_OF_PROCESS.session("spark://127.0.0.1:1", {})


@pytest.mark.torture
def test_spark_connect_gives_the_same_and_is_ended_in_time(folder: Path) -> None:
    made = connection.connected(connect_address())
    try:
        assert [column.name for column in described(made, str(folder))][:2] == ["i", "j"]
        show(made, str(folder), "here")
        assert fetch(made, "SELECT sum(i) AS n FROM here", PATIENCE) == {"n": [78]}
        assert version_of(made, str(folder)) is not None
        with pytest.raises(EngineFailed):  # while it is still planned, what is ended may begin all the same
            fetch(made, "SELECT sum(a.id * b.id % 7) AS n FROM range(1000000) a CROSS JOIN range(1000000) b", 6.0)
        assert fetch(made, "SELECT count(*) AS n FROM range(10)", 60.0) == {"n": [10]}
    finally:
        made.close()


def test_paths_are_told_from_names() -> None:
    assert [is_path(each) for each in ("/a/b", "hdfs://n/a", "file:/a", "a.b", "a/b")] == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_an_address_where_nobody_listens_is_refused_at_once() -> None:
    for url in ("spark://127.0.0.1:9", "sc://127.0.0.1:9"):
        with pytest.raises(InvalidDeclaration, match="nothing answers"):
            connection.connected(url)
    with pytest.raises(InvalidDeclaration, match="not at"):
        connection.connected("mesos://127.0.0.1:9")


def test_what_is_missing_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(Unsupported, match="Java") as refused:
        connection.connected("spark://127.0.0.1:9")
    assert "apt-get" in refused.value.hint
    monkeypatch.setitem(__import__("sys").modules, "pyspark", None)
    with pytest.raises(MissingExtra, match="PySpark"):
        connection.connected("sc://127.0.0.1:9")
