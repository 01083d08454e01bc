"""What is made of measurements: tables with errors, rows, documents and a page. Pure, and the same bytes each time.

It reads released numbers alone, so it costs nothing and may be done again from any point (Survey Proposition 3.7).
"""

import csv
import io
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core.printing import Json, for_csv, json_text
from sfumato.engines.duckdb.published import write_places
from sfumato.engines.duckdb.published_counts import write_counts
from sfumato.synth.publication import comparison, metadata, report
from sfumato.synth.publication.answers import PublishedAnswer
from sfumato.synth.publication.estimates import CellTable
from sfumato.synth.publication.folder import MEASUREMENTS, STATEMENT, PublicationFolder, sync_folder
from sfumato.synth.publication.hierarchy_part import PricedHierarchy
from sfumato.synth.publication.kinds import KINDS, ROWS
from sfumato.synth.publication.level_files import COUNT, LevelFiles, MadeLevels, weighted_rows
from sfumato.synth.publication.measurements import digest, digest_of_file
from sfumato.synth.publication.parts import MeasuredPart, PricedPart
from sfumato.synth.publication.public_coin import PublicCoin
from sfumato.synth.publication.query_part import MeasuredQueries
from sfumato.synth.publication.rows import MadeRows, alike_in_one_line
from sfumato.synth.publication.statement import ROWS_FILE, SettledPublication
from sfumato.synth.publication.table_files import SURE, write_table
from sfumato.synth.publication.table_part import MeasuredTable

Progress = Callable[[str, float], None]


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
            return alike_in_one_line(part.rows()) if settled.plan["rows"] == "weighted" else part.rows()
    tables = [table for part in parts for table in part.tables]
    maker = settled.plan["rows"]
    if not maker:
        return None
    columns = settled.columns
    sizes = {name: len(settled.domains[name]) for name in columns}
    return ROWS[str(maker)](columns, sizes, tables, PublicCoin(settled.measured))


def build(
    folder: PublicationFolder,
    settled: SettledPublication,
    measured: Sequence[NDArray[np.int64]],
    *,
    twin: str = "",
    priced: Sequence[PricedPart] = (),
    progress: Progress = lambda what, share: None,
) -> None:
    """Write all that is made of the measurements, and last the statement, which makes a publication of the folder."""
    parts = parts_of(settled.parts, measured)
    tables = shown_tables(parts)
    asked = tuple(
        (name, part.query(name, SURE)) for part in parts if isinstance(part, MeasuredQueries) for name in part.names
    )
    files = {MEASUREMENTS: settled.measured}
    progress("fitting levels", 0.55)
    levels = _levels(folder, settled, priced, measured)
    files |= {name: known for _, each in levels for name, known in each.files.items()}
    progress("making rows", 0.6)
    weighted = bool(levels) and settled.plan["rows"] == "weighted"
    rows = _weighted(settled, levels) if weighted else make_rows(settled, parts)

    def write(name: str, data: bytes) -> None:
        folder.write(name, data)
        files[name] = digest(data)

    if rows is not None:
        _write_rows(folder, settled, rows)
        for name in _row_files(rows):
            files[name] = digest_of_file(folder.path / name)
    index = list[Json]()
    for number, table in enumerate(tables, 1):
        progress("writing tables", 0.7 + 0.2 * number / len(tables))
        name = write_table(folder, number, table, settled)
        files[name] = digest_of_file(folder.path / name)
        index.append(
            {"file": name, "columns": list(table.columns), "cells": table.cells, "standard_error": table.standard_error}
        )
    if asked:
        write("queries.csv", _queries_csv(asked).encode())
    told: dict[str, Json] = {"format": "sfumato/publication-tables", "version": 1, "tables": index}
    if levels:
        told["levels"] = [about for _, each in levels for about in each.index]
    write("tables.json", _text(told))
    domains = {name: settled.domains[name] for name in settled.columns}
    if rows is not None and rows.weights is not None:
        domains[COUNT] = (1,)
    write("metadata.json", _text(metadata.metadata(settled.name, domains, rows=rows is not None)))
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
    about: dict[str, Json] = {"number": rows.size, "made_of": rows.words, "file": ROWS_FILE}
    return about if rows.weights is None else {**about, "lines": rows.lines, "weight": COUNT}


def _levels(
    folder: PublicationFolder,
    settled: SettledPublication,
    priced: Sequence[PricedPart],
    measured: Sequence[NDArray[np.int64]],
) -> list[tuple[PricedHierarchy, MadeLevels]]:
    """The fitted levels of every hierarchy along a tree."""
    found: list[tuple[PricedHierarchy, MadeLevels]] = []
    at = 0
    for part in priced:
        number = len(part.shapes)
        if isinstance(part, PricedHierarchy):
            files = LevelFiles(folder, settled, part, len(found) + 1)
            found.append((part, files.write(measured[at : at + number])))
        at += number
    return found


def _weighted(settled: SettledPublication, levels: Sequence[tuple[PricedHierarchy, MadeLevels]]) -> MadeRows:
    """The finest level of the hierarchy that is over all columns."""
    part, made = next(each for each in levels if sorted(each[0].entry.finest) == sorted(settled.columns))
    return weighted_rows(part, made.finest)


def _row_files(rows: MadeRows) -> tuple[str, ...]:
    return ("rows.parquet", "rows.csv") if rows.weights is None else ("rows.parquet",)


def _text(document: Any) -> bytes:
    return f"{json_text(document)}\n".encode()


def _write_rows(folder: PublicationFolder, settled: SettledPublication, rows: MadeRows) -> None:
    columns, path = {name: settled.listed(name) for name in settled.columns}, folder.path
    if rows.weights is not None:
        counts = {COUNT: rows.weights}
        folder.write_by(ROWS_FILE, lambda part: write_counts(part, columns, rows.columns, counts))
        return
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
