"""Checked records, handed to the engine's own reader: it guesses nothing, and what it has read is weighed.

A reader treats the first bytes of a file in ways of its own (a mark of the byte order is dropped, a first line may be a
header), so that what stands first is never a record: it is a line of ours, the same for every file. Then the number of
records and the bytes of all their fields are compared with what our own reader counted.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.data import CsvDialect
from sfumato.engines.duckdb.dialect import quoted
from sfumato.engines.duckdb.lines import LONGEST, Records
from sfumato.engines.duckdb.sources import escaped

if TYPE_CHECKING:
    import duckdb

_FIRST = "sfumato"


def write_records(records: Records, file: Path, width: int, dialect: CsvDialect) -> None:
    """Write records into a file of ours, behind a first line that is not of them."""
    first = dialect.separator.join([_FIRST] * width)
    with file.open("wb") as stream:
        stream.write(f"{first}\n".encode())
        stream.write(records.content)


def reader_of(file: Path, names: Sequence[str], dialect: CsvDialect) -> str:
    """The engine's reader of a file that `write_records` has written."""
    columns = ", ".join(f"'{escaped(name)}': 'VARCHAR'" for name in names)
    quote, separator = escaped(dialect.quote), escaped(dialect.separator)
    return (
        f"read_csv('{escaped(file)}', auto_detect=false, header=true, skip=0, strict_mode=true, null_padding=false, "
        f"ignore_errors=false, delim='{separator}', quote='{quote}', escape='{quote}', comment='', nullstr='', "
        f"new_line='\\n', compression='none', encoding='utf-8', hive_partitioning=false, filename=false, "
        f"union_by_name=false, max_line_size={2 * LONGEST}, parallel=false, columns={{{columns}}})"
    )


def agrees(connection: "duckdb.DuckDBPyConnection", rows: str, names: Sequence[str], records: Records) -> bool:
    """Whether the engine has read as many records, and as many bytes in their fields, as there are."""
    sizes = ", ".join(f"coalesce(sum(strlen({quoted(name)})), 0)" for name in names)
    number, *found = connection.execute(f"SELECT count(*), {sizes} FROM {rows}").fetchall()[0]
    return (int(number), sum(map(int, found))) == (records.number, records.size)
