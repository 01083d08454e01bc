"""Parquet and Arrow cells that the engine's own reader ends on, read as bytes and numbers, so that they can be counted.

Text that is not UTF-8 and moments beyond every calendar end the reading of a whole file. Arrow reads both without a
look at them; the engine then sees bytes and whole numbers and makes of them what it can.
"""

from collections.abc import Iterator
from typing import Any

from sfumato.core.libraries import library
from sfumato.engines.duckdb.dialect import quoted
from sfumato.engines.duckdb.readings import ColumnReading

_BATCH = 2**16
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_FIRST, _LAST = -62_135_596_800, 253_402_300_799
"""The seconds from 1970 to the first and the last of the years 1 to 9999."""


def batches(given: Any, readings: list[ColumnReading]) -> Iterator[tuple[Any, list[str]]]:
    """The rows of a Parquet file or a table in memory, some at a time: without hostile types, and each column's SQL."""
    what = "reading around cells that cannot be read"
    pa, pq = library("pyarrow", what), library("pyarrow.parquet", what)
    names = [reading.source.name for reading in readings]
    if isinstance(given, str):
        found = _file(given, pa, pq).iter_batches(batch_size=_BATCH, columns=names)
    else:
        found = iter(pa.table(given).to_batches(max_chunksize=_BATCH))
    for batch in found:
        columns, made = [], []
        for reading in readings:
            array = batch.column(batch.schema.get_field_index(reading.source.name))
            plain, sql = _plain(array, quoted(reading.source.name), pa)
            columns.append(plain)
            made.append(sql)
        if not names:  # rows there are all the same
            columns = [pa.nulls(batch.num_rows, pa.int8())]
        yield pa.table(columns, names=names or ["nothing"]), made


def _file(path: str, pa: Any, pq: Any) -> Any:
    """A Parquet file; texts that are written once each are read as what they are, or their bytes would be looked at."""
    try:
        return pq.ParquetFile(path, coerce_int96_timestamp_unit="us", binary_type=pa.large_binary())
    except TypeError:  # pyarrow below 21
        return pq.ParquetFile(path, coerce_int96_timestamp_unit="us")


def _plain(array: Any, name: str, pa: Any) -> tuple[Any, str]:
    """An array of a type whose every value can be handed over, and the SQL of its cells as they were."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        array, kind = array.dictionary_decode(), kind.value_type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return array.cast(pa.large_binary()), f"TRY(decode({name}))"
    if pa.types.is_timestamp(kind):
        per = _PER_SECOND[kind.unit]
        first, last = max(_FIRST * per, -(2**63) + 1000), min(_LAST * per + per - 1, 2**63 - 1)
        within = f"{name} BETWEEN {first} AND {last}"
        below = f"(({name} % 1000) + 1000) % 1000"
        micros = f"({name} - {below}) // 1000" if per > 10**6 else f"{name} * {10**6 // per}"
        return array.cast(pa.int64()), f"CASE WHEN {within} THEN make_timestamp({micros}) END"
    if pa.types.is_float16(kind):
        return array.cast(pa.float32()), name
    if pa.types.is_decimal256(kind):  # the engine has none as wide, and reads it as a real
        return array.cast(pa.float64()), name
    if pa.types.is_duration(kind):
        return array.cast(pa.int64()), name
    return array, name
