"""What is made of measurements: tables with errors, rows, documents and a page. Pure, and the same bytes each time.

It reads released numbers alone, so it costs nothing and may be done again from any point (Survey Proposition 3.7).
"""

import csv
import io
import os
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.printing import Json, for_csv, json_text
from sfumato.engines.duckdb.published import write_places
from sfumato.synth.publication import comparison, metadata, report
from sfumato.synth.publication.answers import PublishedAnswer
from sfumato.synth.publication.estimates import CellTable
from sfumato.synth.publication.folder import MEASUREMENTS, STATEMENT, PublicationFolder, sync_folder
from sfumato.synth.publication.kinds import KINDS, ROWS
from sfumato.synth.publication.measurements import digest
from sfumato.synth.publication.parts import MeasuredPart
from sfumato.synth.publication.public_coin import PublicCoin
from sfumato.synth.publication.query_part import MeasuredQueries
from sfumato.synth.publication.rows import MadeRows
from sfumato.synth.publication.statement import ROWS_FILE, SettledPublication, value_json
from sfumato.synth.publication.table_part import MeasuredTable

Progress = Callable[[str, float], None]
SURE = Fraction(95, 100)
_LONGEST_NAME = 120


def parts_of(parts: Sequence[Mapping[str, Any]], measured: Sequence[NDArray[np.int64]]) -> tuple[MeasuredPart, ...]:
    """The published parts, from what the statement says of them and what was measured."""
    found: list[MeasuredPart] = []
    at = 0
    for about in parts:
        number = int(about["arrays"])
        found.append(KINDS[str(about["kind"])].opened(about, measured[at : at + number]))
        at += number
    return tuple(found)


def shown_tables(parts: Sequence[MeasuredPart]) -> tuple[CellTable, ...]:
    """Every table of counts with errors, of all parts."""
    found = list[CellTable]()
    for part in parts:
        found += [*part.tables, *part.estimated]
    return tuple(found)


def make_rows(settled: SettledPublication, parts: Sequence[MeasuredPart]) -> MadeRows | None:
    """The rows of a publication, if its plan makes any."""
    for part in parts:
        if isinstance(part, MeasuredTable):
            return part.rows()
    tables = [table for part in parts for table in part.tables]
    maker = settled.plan["rows"]
    if not maker:
        return None
    columns = tuple(settled.domains)
    sizes = {name: len(values) for name, values in settled.domains.items()}
    return ROWS[str(maker)](columns, sizes, tables, PublicCoin(settled.measured))


def build(
    folder: PublicationFolder,
    settled: SettledPublication,
    measured: Sequence[NDArray[np.int64]],
    *,
    twin: str = "",
    progress: Progress = lambda what, share: None,
) -> None:
    """Write all that is made of the measurements, and last the statement, which makes a publication of the folder."""
    parts = parts_of(settled.parts, measured)
    tables = shown_tables(parts)
    asked = tuple(
        (name, part.query(name, SURE)) for part in parts if isinstance(part, MeasuredQueries) for name in part.names
    )
    progress("making rows", 0.6)
    rows = make_rows(settled, parts)
    files = {MEASUREMENTS: settled.measured}

    def write(name: str, data: bytes) -> None:
        folder.write(name, data)
        files[name] = digest(data)

    if rows is not None:
        _write_rows(folder.path, settled, rows)
        for name in ("rows.parquet", "rows.csv"):
            files[name] = digest((folder.path / name).read_bytes())
    index = list[Json]()
    for number, table in enumerate(tables, 1):
        progress("writing tables", 0.7 + 0.2 * number / len(tables))
        name = _file_name(number, table)
        write(name, _csv(table, settled).encode())
        index.append(
            {"file": name, "columns": list(table.columns), "cells": table.cells, "standard_error": table.standard_error}
        )
    if asked:
        write("queries.csv", _queries_csv(asked).encode())
    write("tables.json", _text({"format": "sfumato/publication-tables", "version": 1, "tables": index}))
    write("metadata.json", _text(metadata.metadata(settled.name, settled.domains, rows=rows is not None)))
    if rows is not None:
        write("table.toml", metadata.declaration(settled.name).encode())
    progress("drawing the report", 0.9)
    compared = comparison.compare(settled, tables, rows, twin)
    write("report.html", report.page(settled, tables, rows, compared, asked).encode())
    compared_with: Json = None if not twin else {"sha256": digest(Path(twin).read_bytes())}
    statement = {
        **settled.to_json(),
        "twin": compared_with,
        "rows": None if rows is None else _about_rows(rows),
    }
    folder.write(STATEMENT, _text({**statement, "files": dict[str, Json](sorted(files.items()))}))
    progress("published", 1.0)


def _about_rows(rows: MadeRows) -> dict[str, Json]:
    return {"number": rows.size, "made_of": rows.words, "file": ROWS_FILE}


def _text(document: Any) -> bytes:
    return f"{json_text(document)}\n".encode()


def _write_rows(path: Path, settled: SettledPublication, rows: MadeRows) -> None:
    columns = {name: (settled.kinds[name], values) for name, values in settled.domains.items()}
    whole = {name: path / f".{name}.part" for name in ("rows.parquet", "rows.csv")}
    write_places(whole["rows.parquet"], whole["rows.csv"], columns, rows.columns)
    for name, part in whole.items():
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.replace(path / name)
    sync_folder(path)


def _queries_csv(asked: Sequence[tuple[str, PublishedAnswer]]) -> str:
    """Every linear query with its answer, and its 95 % bar where something is known of it."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(["query", "count", "low", "high", "made_of"])
    for name, found in asked:
        ends = ["" if each is None else repr(each) for each in (found.low, found.high)]
        lines.writerow([for_csv(name), repr(found.value), *ends, found.tables[0]])
    return text.getvalue()


def _file_name(number: int, table: CellTable) -> str:
    """A name that every system takes, in which people find the columns."""
    words = "-".join("".join(c if c.isalnum() else "_" for c in name) for name in table.columns) or "all"
    cut = words.encode()[:_LONGEST_NAME].decode(errors="ignore")  # systems count bytes
    return f"tables/{number:04d}-{cut}.csv"


def _csv(table: CellTable, settled: SettledPublication) -> str:
    """The cells of a table with their standard errors and 95 % bars, each of this table alone."""
    off = table.reach(1 - SURE)
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow([*map(for_csv, table.columns), "count", "standard_error", "low", "high"])
    rows, error = table.rows(), repr(table.standard_error)
    for place in np.ndindex(*rows.shape):
        values = [settled.domains[name][at] for name, at in zip(table.columns, place, strict=True)]
        count = float(rows[place])
        shown = ["" if value is None else for_csv(value_json(value)) for value in values]
        lines.writerow([*shown, repr(count), error, repr(count - off), repr(count + off)])
    return text.getvalue()
